/* SPDX-License-Identifier: BSD-3-Clause */
/* Everything the command writes is held in memory until the work has succeeded. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdio.h>

/* A stream that will become the file at `path`, or standard output when `path` is NULL. Never NULL. */
FILE *output_open(const char *path);

/* A folder that will be made, unless there is one, before files are written into it. */
void output_folder(const char *path);

/* Writes everything: files aside, then standard output, and in the end files take their places, all of them
 * or none. Returns an exit code. A reader that has gone away is no error. A process that is silent writes
 * nothing. From then on signals that end a process wait: it is about to return what has been done. */
int output_commit(void);

/* Forgets everything that was not committed. */
void output_discard(void);

#endif
