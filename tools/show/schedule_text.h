/* SPDX-License-Identifier: BSD-3-Clause */
/* What several subcommands say about a schedule. All complain by themselves and return an exit code. */
#ifndef SCHEDULE_TEXT_H
#define SCHEDULE_TEXT_H

#include <stdio.h>

#include "quadrille.h"

int schedule_build(const qdr_pattern *pattern, const char *algorithm, const qdr_machine *machine,
                   qdr_schedule **schedule);

/* "coloring: 64 ranks, 1 stage, 16 phases, 1024 transfers; promises permutation" and an end of line. */
int schedule_write_summary(const qdr_schedule *schedule, FILE *out);

/* "permutation, links"; "coverage" when nothing more is promised. Returns `text`. */
enum { PROMISES_TEXT = 64 };
const char *promises_text(unsigned promises, char text[PROMISES_TEXT]);

/* The rows of one rank: NICE's communication phase table. */
int schedule_write_row(const qdr_schedule *schedule, int rank, FILE *out);

/* Phases against evenness: one line per limit of a splitting algorithm. */
int schedule_write_curve(const qdr_pattern *pattern, const char *algorithm, const qdr_machine *machine,
                         FILE *out);

/* The steps of a broadcast; `group` is a number of ranks or a list that begins with the root. `machine` is a
 * spec or NULL. */
int broadcast_write(const char *group, const char *algorithm, int64_t items, const char *machine, FILE *out);

#endif
