/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Output that is all there or not there. A command that fails must leave standard output empty and old files
 * as they were, so each output is a stream in memory. In the end files are written aside (base/file.h), then
 * what cannot be taken back (standard output, terminals, pipes), and when all of it has been written the
 * files take their places.
 *
 * A signal that ends the process in between removes what is aside; where the file system has files without a
 * name there is nothing to remove. Names come into being and are noted while signals wait, so that the
 * handler knows all of them. Signals also wait while files take their places and until the process returns:
 * either nothing has changed or everything has, and the exit code says which. A limit on the size of files,
 * and a reader that goes away, show as errors of writing.
 */
#include "output.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "complain.h"
#include "stream.h"

enum { OUTPUTS = 64 };

typedef struct output {
    memory_stream memory;
    char *path; /* NULL: standard output */
    qdri_file file;
} output;

static output outputs[OUTPUTS];
static int output_count;
static char *folder;
static int folder_made;

/* ---- signals ------------------------------------------------------------------------------------------- */

static const int deadly[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGXCPU};
enum { DEADLY = sizeof deadly / sizeof *deadly };

/* What the handler removes. */
static const char *volatile aside[OUTPUTS], *volatile empty_folder;

static void remove_and_die(int number) {
    for (int i = 0; i < OUTPUTS; i++)
        if (aside[i]) unlink(aside[i]);
    if (empty_folder) rmdir(empty_folder);
    raise(number);
}

/* Signals that somebody has decided to ignore (nohup) stay so. */
static void watch_signals(void) {
    struct sigaction old, watch = {.sa_handler = remove_and_die, .sa_flags = (int)SA_RESETHAND | SA_NODEFER};
    sigemptyset(&watch.sa_mask);
    for (int i = 0; i < DEADLY; i++)
        if (sigaction(deadly[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
            sigaction(deadly[i], &watch, NULL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

static void hold_signals(int held) {
    sigset_t set;
    sigemptyset(&set);
    for (int i = 0; i < DEADLY; i++) sigaddset(&set, deadly[i]);
    sigprocmask(held ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
}

/* ---- opening ------------------------------------------------------------------------------------------- */

/* To open these again would cut off, or write over, what stands there already. */
static int is_standard(const char *path) {
    return !strcmp(path, "/dev/stdout") || !strcmp(path, "/dev/fd/1") || !strcmp(path, "/proc/self/fd/1");
}

FILE *output_open(const char *path) {
    output *output = &outputs[output_count];
    if (output_count == OUTPUTS) abort();
    output->path = path && !is_standard(path) ? copy_text(path) : NULL;
    output->file = (qdri_file)QDRI_FILE_NONE;
    FILE *stream = memory_open(&output->memory);
    output_count++;
    return stream;
}

void output_folder(const char *path) {
    free(folder);
    folder = copy_text(path);
}

/* ---- writing ------------------------------------------------------------------------------------------- */

static int complain_write(const char *path, int error) {
    return complain("cannot write '%s': %s", path, strerror(error));
}

static int make_folder(void) {
    if (!folder) return EXIT_GOOD;
    hold_signals(1);
    folder_made = mkdir(folder, 0777) == 0;
    int error = errno;
    if (folder_made) empty_folder = folder;
    hold_signals(0);
    if (folder_made || error == EEXIST) return EXIT_GOOD;
    return complain("cannot make '%s': %s", folder, strerror(error));
}

/* A pipe may have to wait for its reader; there signals must not wait too. */
static int open_file(int number) {
    output *output = &outputs[number];
    struct stat old;
    hold_signals(stat(output->path, &old) != 0 || S_ISREG(old.st_mode));
    int error = qdri_file_open(&output->file, output->path, QDRI_FILE_SHARED);
    aside[number] = output->file.aside;
    hold_signals(0);
    return error ? complain_write(output->path, error) : EXIT_GOOD;
}

static int write_file(output *output) {
    int error = qdri_file_write(&output->file, output->memory.bytes, output->memory.length);
    if (!error) error = qdri_file_seal(&output->file, QDRI_FILE_SHARED);
    if (!error || (error == EPIPE && output->file.is_direct)) return EXIT_GOOD;
    return complain_write(output->path, error);
}

static int write_standard(const output *output) {
    errno = 0;
    if (fwrite(output->memory.bytes, 1, output->memory.length, stdout) == output->memory.length &&
        fflush(stdout) == 0)
        return EXIT_GOOD;
    return errno == EPIPE ? EXIT_GOOD : complain_write("standard output", errno);
}

/* Standard output may be a file of another machine, of which only closing tells. */
static int close_standard(void) {
    return fclose(stdout) == 0 || errno == EPIPE ? EXIT_GOOD : complain_write("standard output", errno);
}

/* Of several files each gets its name before the first takes its place. */
static int place_files(void) {
    int code = EXIT_GOOD, files = 0;
    hold_signals(1);
    for (int i = 0; i < output_count; i++) files += outputs[i].path != NULL;
    for (int i = 0; i < output_count && files > 1 && !code; i++) {
        int error = outputs[i].path ? qdri_file_name(&outputs[i].file) : 0;
        if (error) code = complain_write(outputs[i].path, error);
    }
    for (int i = 0; i < output_count && !code; i++) {
        int error = outputs[i].path ? qdri_file_place(&outputs[i].file) : 0;
        if (error) code = complain_write(outputs[i].path, error);
    }
    if (!code) folder_made = 0;
    return code;
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

static int close_streams(void) {
    int good = 1;
    for (int i = 0; i < output_count; i++) good &= memory_close(&outputs[i].memory);
    return good ? EXIT_GOOD : complain("out of memory");
}

static int writes_standard(void) {
    for (int i = 0; i < output_count; i++)
        if (!outputs[i].path) return 1;
    return 0;
}

int output_commit(void) {
    if (is_silent()) return EXIT_GOOD;
    int code = close_streams();
    if (code) return code;
    watch_signals();
    code = make_folder();
    for (int i = 0; i < output_count && !code; i++)
        if (outputs[i].path) code = open_file(i);
    for (int i = 0; i < output_count && !code; i++)
        if (outputs[i].path && !outputs[i].file.is_direct) code = write_file(&outputs[i]);
    for (int i = 0; i < output_count && !code; i++)
        if (outputs[i].path && outputs[i].file.is_direct) code = write_file(&outputs[i]);
    for (int i = 0; i < output_count && !code; i++)
        if (!outputs[i].path) code = write_standard(&outputs[i]);
    if (!code && writes_standard()) code = close_standard();
    return code ? code : place_files();
}

void output_discard(void) {
    hold_signals(1);
    for (int i = 0; i < output_count; i++) {
        aside[i] = NULL;
        if (outputs[i].memory.stream) memory_close(&outputs[i].memory);
        qdri_file_drop(&outputs[i].file);
        free(outputs[i].path);
        free(outputs[i].memory.bytes);
    }
    empty_folder = NULL;
    if (folder_made) rmdir(folder);
    free(folder);
    folder = NULL;
    output_count = folder_made = 0;
}
