/* SPDX-License-Identifier: BSD-3-Clause */
/* What the operands PATTERN and MACHINE stand for. All complain by themselves and return an exit code. */
#ifndef INPUT_H
#define INPUT_H

#include "arguments.h"
#include "quadrille.h"

extern const char default_machine[];

/* Reads the file or generates the pattern. The subcommand must have OPTION_BYTES. */
int input_pattern(const arguments *arguments, const char *text, qdr_pattern **pattern);

/* The machine of --machine for this many ranks, or of `standard` when the option is absent; a NULL `standard`
 * then gives no machine. */
int input_machine(const arguments *arguments, const char *standard, int ranks, qdr_machine **machine);

/* Whether a PATTERN is a file and not a spec. */
int input_is_file(const char *text);

/* The spec with n=RANKS added when it says nothing of n and its family has that key. The caller frees it. */
char *input_fill_ranks(const char *text, int ranks);

/* Opens a file to read; "-" is standard input. `name` is what messages call it. */
int input_open(const char *path, FILE **stream, const char **name);
void input_close(FILE *stream);

#endif
