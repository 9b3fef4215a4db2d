/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the judges of measurements on the emulated cluster share: words and numbers of their tables, and how
 * they end.
 */
#ifndef JUDGE_H
#define JUDGE_H

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

/* Exit codes. */
enum { REACHED = 0, MISSED = 1, UNREADABLE = 2 };

/* The judge's own name, for what it complains about. */
extern const char judge_name[];

/* The block, or the end of the program where there is none. */
void *checked(void *block);

/* To be freed. */
char *print_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Says what is wrong with a file; returns UNREADABLE. */
int refuse(const char *path, const char *why);

/* A cell of a table; what is not there is a dash. */
void write_number(int digits, double value);

/* One line about one bar; returns whether it was missed. */
int say(int reached, const char *where, const char *sentence, const char *detail);

#endif
