/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the judges of measurements on the emulated cluster share. They read what their scripts have measured,
 * write tables in Markdown, and decide.
 */
#include "judge.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void *checked(void *block) {
    if (block) return block;
    fprintf(stderr, "%s: out of memory\n", judge_name);
    exit(UNREADABLE);
}

char *print_text(const char *format, ...) {
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    return checked(length < 0 ? NULL : text);
}

int refuse(const char *path, const char *why) {
    fprintf(stderr, "%s: %s: %s\n", judge_name, path, why);
    return UNREADABLE;
}

void write_number(int digits, double value) {
    if (isfinite(value))
        printf(" %.*f |", digits, value);
    else
        printf(" - |");
}

int say(int reached, const char *where, const char *sentence, const char *detail) {
    printf("- %s: %s: %s%s\n", reached ? "reached" : "**MISSED**", where, sentence, detail);
    return !reached;
}
