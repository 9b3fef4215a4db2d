/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The judge of benchmarks: it reads what a script has measured, writes tables in Markdown, says of every bar whether it
 * was reached, and ends with a code that a script can act on.
 *
 *     judge node [--json FILE] CELLS        scripts/bench-node: ours against opponents on one node
 *     judge builds [--json FILE] CELLS      scripts/bench-builds: two builds, in pairs
 *     judge cluster FILE.json ...           scripts/bench-cluster
 *     judge networks [--undecided] FILE...  scripts/bench-networks
 *     judge auto FILE.json ...              scripts/bench-auto
 *     judge preload FIGURES                 scripts/bench-preload: programs with the drop-in library and without
 *
 * What all of them share: medians and intervals, words and numbers of tables, verdicts, and the verdicts as JSON.
 */
#ifndef JUDGE_H
#define JUDGE_H

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

/* Exit codes. */
enum { REACHED = 0, MISSED = 1, UNREADABLE = 2 };

/* The kinds: given what follows their names. */
int judge_node(int count, char **words);
int judge_builds(int count, char **words);
int judge_cluster(int count, char **words);
int judge_networks(int count, char **words);
int judge_auto(int count, char **words);
int judge_preload(int count, char **words);

/* ---- memory and words ---------------------------------------------------------------------------------- */

/* The block, or the end of the program where there is none. */
void *checked(void *block);

/* To be freed. */
char *print_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Says what is wrong with a file; returns UNREADABLE. */
int refuse(const char *path, const char *why);

/* ---- medians ------------------------------------------------------------------------------------------- */

typedef struct interval {
    double value, low, high; /* NAN: not measured */
} interval;

/* Sorts the values; NAN: there are none. */
double median_of(double *value, int count);

/* The median, and the places among the sorted values between which the true one lies with 95% (the sign test); of fewer
 * than six values nothing is that sure: from 0 to infinity. */
interval median_interval(double *value, int count);

/* ---- what is written ----------------------------------------------------------------------------------- */

/* A cell of a table; what is not there is a dash. */
void write_number(int digits, double value);

/* One line about one bar; returns whether it was missed. `where` may be NULL. */
int say(int reached, const char *where, const char *sentence, const char *detail);

/* All that was said, as JSON: {"reached": BOOLEAN, "verdicts": [{"reached", "where", "sentence"}]}. False: the file could
 * not be written. */
int verdicts_write_json(const char *path);

#endif
