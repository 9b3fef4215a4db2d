/* SPDX-License-Identifier: BSD-3-Clause */
/* Everything the command writes is held in memory until the work has succeeded. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdio.h>

/* A stream that will become the file at `path`, or standard output when `path` is NULL. Never NULL. */
FILE *output_open(const char *path);

/* Writes everything: files aside first, then renamed into place, standard output last. Returns an exit code.
 * A reader that has gone away is no error. A process that is silent writes nothing. */
int output_commit(void);

/* Forgets everything that was not committed. */
void output_discard(void);

#endif
