/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Subcommands and their arguments. A subcommand is one file with one `command`; its table of options is read
 * by the parser, by --help and by the man page alike.
 */
#ifndef ARGUMENTS_H
#define ARGUMENTS_H

#include <stdint.h>
#include <stdio.h>

typedef struct command_option { /* some mpi.h bring the `struct option` of getopt */
    char letter;                /* 0: none */
    const char *name;           /* without the dashes */
    const char *value;          /* what the help calls its value; NULL: the option is a flag */
    const char *meaning;        /* one line */
    enum { OPTION_ONCE, OPTION_REPEATS, OPTION_REQUIRED } use;
} option;

/* What several subcommands take, word for word. */
#define OPTION_MACHINE(meaning)                                                                              \
    { 'm', "machine", "MACHINE", meaning, OPTION_ONCE }
#define OPTION_BYTES                                                                                         \
    { 0, "bytes", "B", "bytes of each entry of a Matrix Market file without values", OPTION_ONCE }
#define OPTION_JSON                                                                                          \
    { 0, "json", NULL, "print JSON", OPTION_ONCE }
#define OPTION_OUTPUT                                                                                        \
    { 'o', "output", "FILE", "write to FILE instead of standard output", OPTION_ONCE }
#define OPTIONS_END                                                                                          \
    { 0, NULL, NULL, NULL, OPTION_ONCE }

typedef struct arguments arguments;

typedef struct command {
    const char *name;
    const char *summary;     /* one line, no full stop */
    const char *operands;    /* "PATTERN"; "" when there are none */
    int fewest, most;        /* operands */
    const option *options;   /* ends with OPTIONS_END; --help is understood everywhere */
    const char *description; /* lines of at most 78 characters; an empty line parts paragraphs */
    const char *examples;    /* one command line per line */
    int (*run)(const arguments *arguments, FILE *out); /* returns an exit code */
    void (*prepare)(void); /* called before anything can be printed; NULL: nothing to do */
} command;

enum { ARGUMENTS = 64 };

struct arguments {
    const command *command;
    int operands;
    const char *operand[ARGUMENTS];
    int given;
    struct {
        const option *option;
        const char *value;
    } pair[ARGUMENTS];
    int help; /* --help was given; nothing else was checked */
};

/* Reads what follows the subcommand. Complains and returns EXIT_USE when it is wrong. */
int arguments_read(const command *command, int count, char **words, arguments *arguments);

/* The option's value ("" for a flag), NULL when it was not given. The name must stand in the table. */
const char *argument(const arguments *arguments, const char *name);

/* Whether the command has this option, given or not. */
int argument_exists(const arguments *arguments, const char *name);

/* The index-th value of an option that repeats; NULL past the last. */
const char *argument_nth(const arguments *arguments, const char *name, int index);

/* Reads an option's value as a count in lowest..highest; leaves *count alone when it was not given. */
int argument_count(const arguments *arguments, const char *name, int64_t lowest, int64_t highest,
                   int64_t *count);

/* The same for a number with a fraction. */
int argument_number(const arguments *arguments, const char *name, double lowest, double highest,
                    double *number);

/* The next of several names with commas between them, of which the last may have options (whose commas are
 * its own): "LEX,PEX,random:seed=7,tries=2". NULL at the end; the caller frees it. */
char *next_name(const char **text);

/* Refuses two options that exclude each other. */
int argument_conflict(const arguments *arguments, const char *first, const char *second);

/* ---- the same tables for people ------------------------------------------------------------------------ */

/* "quadrille stat PATTERN [-m MACHINE] [--json]", folded at 78 columns with this indent. */
void command_write_synopsis(const command *command, int indent, FILE *out);
void command_write_help(const command *command, FILE *out);
void command_write_man(const command *command, const char *version, FILE *out);

/* The table of subcommands, for the pages about the whole; ends with NULL. */
extern const command *const commands[];
void commands_write_help(FILE *out);
void commands_write_man(const char *version, FILE *out);
void commands_write_completion(FILE *out); /* a script for bash */

#endif
