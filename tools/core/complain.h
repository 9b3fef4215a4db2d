/* SPDX-License-Identifier: BSD-3-Clause */
/* What the command says on stderr, and its exit codes. One line, "quadrille SUB: what was wrong". */
#ifndef COMPLAIN_H
#define COMPLAIN_H

#include <stddef.h>
#include <stdint.h>

enum { EXIT_GOOD = 0, EXIT_CHECK = 1, EXIT_USE = 2 };

/* The name that messages begin with: "quadrille" until a subcommand is known. */
void complain_as(const char *command);

/* Control characters become question marks: a file name must not speak to the terminal. */
void plain_text(char *text);

/* Prints the line and returns EXIT_USE, so that a command can `return complain(...)`. */
int complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same for what is no failure, but hardly what was meant. */
void hint(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same with the library's own sentence. */
int complain_library(void);

/* One process of several speaks for all: the others say nothing, show nothing and write nothing. */
void set_silent(int silent);
int is_silent(void);

/* Memory for the command itself: there is nothing to save when it runs out, so it says so and leaves. All
 * output is held back until the work is done, so nothing half-written remains. */
void *allocate(int64_t count, size_t size);
void *reallocate(void *block, int64_t count, size_t size);
char *copy_text(const char *text);
char *print_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

#define ALLOCATE(type, count) ((type *)allocate((count), sizeof(type)))

#endif
