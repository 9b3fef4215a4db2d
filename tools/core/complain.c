/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages and memory of the command. Every failure ends in exactly one line on stderr, whoever noticed it.
 */
#include "complain.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "progress.h"
#include "quadrille.h"

static const char *speaker = "";
static int silent;

void complain_as(const char *command) {
    speaker = command;
}

void set_silent(int value) {
    silent = value;
}

int is_silent(void) {
    return silent;
}

void plain_text(char *text) {
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f) *text = '?';
}

static void say(const char *format, va_list arguments) {
    char line[2048] = "";
    if (silent) return;
    progress_end();
    vsnprintf(line, sizeof line, format, arguments);
    plain_text(line);
    fprintf(stderr, "quadrille%s%s: %s\n", speaker[0] ? " " : "", speaker, line);
}

int complain(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say(format, arguments);
    va_end(arguments);
    return EXIT_USE;
}

void hint(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say(format, arguments);
    va_end(arguments);
}

int complain_library(void) {
    return complain("%s", qdr_error_message());
}

static void *checked(void *block) {
    if (block) return block;
    set_silent(0); /* the others do not know of it */
    exit(complain("out of memory"));
}

void *allocate(int64_t count, size_t size) {
    return checked(calloc(count > 0 ? (size_t)count : 1, size));
}

void *reallocate(void *block, int64_t count, size_t size) {
    return checked(reallocarray(block, count > 0 ? (size_t)count : 1, size));
}

char *copy_text(const char *text) {
    return checked(strdup(text));
}

char *print_text(const char *format, ...) {
    va_list arguments;
    char *text = NULL;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    return checked(length < 0 ? NULL : text);
}
