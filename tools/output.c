/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Output that is all there or not there. A command that fails must leave standard output empty and old files
 * as they were, so each output is a stream in memory; a file is written beside its place and renamed. What is
 * not a regular file (a terminal, /dev/null) is written to directly, because it must not be replaced.
 */
#include "output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "complain.h"

enum { OUTPUTS = 64 };

typedef struct output {
    FILE *stream;
    char *bytes;
    size_t length;
    char *path;  /* NULL: standard output */
    char *aside; /* the file beside its place, once it is written */
    char *place; /* and where it goes */
} output;

static output outputs[OUTPUTS];
static int output_count;

FILE *output_open(const char *path) {
    output *output = &outputs[output_count];
    if (output_count == OUTPUTS) abort();
    memset(output, 0, sizeof *output);
    output->path = path ? copy_text(path) : NULL;
    output->stream = open_memstream(&output->bytes, &output->length);
    if (!output->stream) exit(complain("out of memory"));
    output_count++;
    return output->stream;
}

static int write_bytes(const output *output, FILE *stream) {
    size_t written = fwrite(output->bytes, 1, output->length, stream);
    return written == output->length && fflush(stream) == 0;
}

static int complain_write(const char *path) {
    return complain("cannot write '%s': %s", path, strerror(errno));
}

/* A file of a name of its own, with the mode of the one it will replace, or the usual one. */
static FILE *open_aside(char *name, mode_t mode) {
    mode_t mask = umask(0);
    umask(mask);
    int descriptor = mkstemp(name);
    if (descriptor >= 0) fchmod(descriptor, mode ? mode & 07777 : 0666 & ~mask);
    return descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
}

static int write_aside(output *output) {
    struct stat old;
    int there = stat(output->path, &old) == 0, direct = there && !S_ISREG(old.st_mode);
    char *place = there && !direct ? realpath(output->path, NULL) : NULL; /* a link stays a link */
    char *aside = print_text(direct ? "%s" : "%s.XXXXXX", place ? place : output->path);
    FILE *file = direct ? fopen(aside, "w") : open_aside(aside, there ? old.st_mode : 0);
    if (!direct) output->place = place ? place : copy_text(output->path);
    int good = file && write_bytes(output, file);
    if (file && fclose(file)) good = 0;
    if (!good) {
        int code = complain_write(output->path);
        if (file && !direct) remove(aside);
        free(aside);
        return code;
    }
    if (direct)
        free(aside);
    else
        output->aside = aside;
    return EXIT_GOOD;
}

static int rename_into_place(output *output) {
    if (!output->aside) return EXIT_GOOD;
    if (rename(output->aside, output->place)) return complain_write(output->path);
    free(output->aside);
    output->aside = NULL;
    return EXIT_GOOD;
}

static int print_standard(output *output) {
    if (write_bytes(output, stdout) || errno == EPIPE) return EXIT_GOOD;
    return complain_write("standard output");
}

int output_commit(void) {
    int code = EXIT_GOOD;
    if (is_silent()) return code;
    for (int i = 0; i < output_count; i++) {
        FILE *stream = outputs[i].stream;
        outputs[i].stream = NULL;
        if (fclose(stream)) return complain("out of memory");
    }
    for (int i = 0; i < output_count && !code; i++)
        if (outputs[i].path) code = write_aside(&outputs[i]);
    for (int i = 0; i < output_count && !code; i++)
        if (outputs[i].path) code = rename_into_place(&outputs[i]);
    for (int i = 0; i < output_count && !code; i++)
        if (!outputs[i].path) code = print_standard(&outputs[i]);
    return code;
}

void output_discard(void) {
    for (int i = 0; i < output_count; i++) {
        if (outputs[i].stream) fclose(outputs[i].stream);
        if (outputs[i].aside) remove(outputs[i].aside);
        free(outputs[i].aside);
        free(outputs[i].place);
        free(outputs[i].path);
        free(outputs[i].bytes);
    }
    output_count = 0;
}
