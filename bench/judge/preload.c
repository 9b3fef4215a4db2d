/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * judge preload: programs with the drop-in library and without it, run by scripts/bench-preload. A line of the file is one
 * figure,
 *
 *     KIND NAME PLACE WAY SECONDS [CALLS BYTES]
 *
 * of a `program` (in all: `without`, `with`; in the calls that the library intercepts: `plain`, `recorded`, with their number
 * and the most bytes that a rank sends in one; `differs`: its results do), of an `exchange` (`paced` by the command,
 * `with`, `without`), or of what a `record` costs (`with`, `without`).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge.h"

enum { MOST_SAMPLES = 99 };
typedef enum way { WITHOUT, WITH, PLAIN, RECORDED, PACED, DIFFERS, WAYS } way;
static const char *const way_name[WAYS] = {"without", "with", "plain", "recorded", "paced", "differs"};

/* Times as long with the library as without, in all; as `paced`; with a record as without; and how many times as fast large
 * exchanges between hosts are. */
static const double most_in_all = 1.02, most_of_paced = 1.05, most_of_record = 1.02, least_gain = 1.5;
static const double large = 65536; /* bytes */

typedef struct subject {
    char *kind, *name, *place;
    double sample[WAYS][MOST_SAMPLES];
    int samples[WAYS];
    double calls, bytes;
} subject;

typedef struct measured {
    subject *subject;
    int subjects;
} measured;

/* ---- reading ------------------------------------------------------------------------------------------- */

static subject *find_subject(measured *all, const char *kind, const char *name, const char *place) {
    for (int i = 0; i < all->subjects; i++) {
        subject *one = &all->subject[i];
        if (!strcmp(one->kind, kind) && !strcmp(one->name, name) && !strcmp(one->place, place)) return one;
    }
    all->subject = checked(realloc(all->subject, (size_t)(all->subjects + 1) * sizeof *all->subject));
    subject *added = &all->subject[all->subjects++];
    *added = (subject){
        .kind = print_text("%s", kind), .name = print_text("%s", name), .place = print_text("%s", place)};
    return added;
}

static int read_line(measured *all, const char *line) {
    char kind[32], name[256], place[32], way[32];
    double seconds, calls = 0, bytes = 0;
    int words =
        sscanf(line, "%31s %255s %31s %31s %lf %lf %lf", kind, name, place, way, &seconds, &calls, &bytes);
    for (int w = 0; words >= 5 && w < WAYS; w++) {
        if (strcmp(way_name[w], way) != 0) continue;
        subject *one = find_subject(all, kind, name, place);
        if (one->samples[w] == MOST_SAMPLES) return 0;
        one->sample[w][one->samples[w]++] = seconds;
        if (calls > 0) one->calls = calls;
        if (bytes > one->bytes) one->bytes = bytes;
        return 1;
    }
    return 0;
}

static int read_figures(const char *path, measured *all) {
    char line[1024];
    int code = REACHED;
    FILE *file = fopen(path, "r");
    if (!file) return refuse(path, "cannot be read");
    while (!code && fgets(line, sizeof line, file))
        if (!read_line(all, line))
            code = refuse(path, "expected lines KIND NAME PLACE WAY SECONDS [CALLS BYTES]");
    fclose(file);
    if (!code && all->subjects == 0) code = refuse(path, "has no figures");
    return code;
}

/* NAN: not measured. */
static double seconds_of(subject *one, way which) {
    return median_of(one->sample[which], one->samples[which]);
}

static double ratio_of(subject *one, way above, way below) {
    return seconds_of(one, above) / seconds_of(one, below);
}

/* ---- tables and bars ----------------------------------------------------------------------------------- */

static int has(const measured *all, const char *kind) {
    for (int i = 0; i < all->subjects; i++)
        if (!strcmp(all->subject[i].kind, kind)) return 1;
    return 0;
}

/* One bar of one subject; a figure that was not measured reaches none. */
static int hold(const subject *one, int reached, const char *sentence, double figure) {
    char *where = print_text("%s, %s", one->name, one->place), *detail = print_text("%.3f", figure);
    int missed = say(reached, where, sentence, detail);
    free(where);
    free(detail);
    return missed;
}

static void write_programs(const measured *all) {
    puts("| program | place | calls | largest sent [bytes] | in calls, MPI [s] | in calls, drop-in [s] | "
         "times as fast "
         "| in all, without [s] | in all, with [s] | with / without | same results |\n"
         "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---|");
    for (int i = 0; i < all->subjects; i++) {
        subject *one = &all->subject[i];
        if (strcmp(one->kind, "program") != 0) continue;
        printf("| %s | %s | %.0f | %.0f |", one->name, one->place, one->calls, one->bytes);
        write_number(3, seconds_of(one, PLAIN));
        write_number(3, seconds_of(one, RECORDED));
        write_number(2, ratio_of(one, PLAIN, RECORDED));
        write_number(2, seconds_of(one, WITHOUT));
        write_number(2, seconds_of(one, WITH));
        write_number(3, ratio_of(one, WITH, WITHOUT));
        printf(" %s |\n", one->samples[DIFFERS] ? "no" : "yes");
    }
    puts("");
}

static int judge_program(subject *one) {
    double in_all = ratio_of(one, WITH, WITHOUT), gain = ratio_of(one, PLAIN, RECORDED);
    int missed = hold(one, one->samples[DIFFERS] == 0, "runs with other results: ", one->samples[DIFFERS]);
    missed |= hold(one, in_all <= most_in_all, "at most 1.02 times as long in all: ", in_all);
    if (!strcmp(one->place, "cluster") && one->bytes > large)
        missed |= hold(one, gain >= least_gain, "at least 1.5 times as fast in large exchanges: ", gain);
    return missed;
}

static void write_exchanges(const measured *all) {
    puts("| pattern | `paced` by the command [ms] | `MPI_Alltoallv` with the library [ms] | with / `paced` | "
         "without "
         "[ms] | times as fast |\n|---|---:|---:|---:|---:|---:|");
    for (int i = 0; i < all->subjects; i++) {
        subject *one = &all->subject[i];
        if (strcmp(one->kind, "exchange") != 0) continue;
        printf("| `%s` |", one->name);
        write_number(1, 1e3 * seconds_of(one, PACED));
        write_number(1, 1e3 * seconds_of(one, WITH));
        write_number(3, ratio_of(one, WITH, PACED));
        write_number(1, 1e3 * seconds_of(one, WITHOUT));
        write_number(2, ratio_of(one, WITHOUT, WITH));
        puts("");
    }
    puts("");
}

/* On one node there is no bar for a record: there are as many processes to a core as push it out of the caches each time. */
static int judge_record(subject *one) {
    double ratio = ratio_of(one, WITH, WITHOUT);
    printf("An exchange of 16 ranks (%s) takes %.3f ms with a record and %.3f ms without: %.3f times.\n\n",
           one->place, 1e3 * seconds_of(one, WITH), 1e3 * seconds_of(one, WITHOUT), ratio);
    return strcmp(one->place, "cluster") == 0 &&
           hold(one, ratio <= most_of_record, "at most 1.02 times as long with a record: ", ratio);
}

static int judge_one(subject *one) {
    if (!strcmp(one->kind, "program")) return judge_program(one);
    if (!strcmp(one->kind, "record")) return judge_record(one);
    double ratio = ratio_of(one, WITH, PACED);
    return hold(one, ratio <= most_of_paced, "at most 1.05 times as long as `paced`: ", ratio);
}

int judge_preload(int count, char **words) {
    measured all = {.subjects = 0};
    int missed = 0;
    if (count != 1) return refuse("judge preload", "expected one file");
    int code = read_figures(words[0], &all);
    if (!code && has(&all, "exchange")) write_exchanges(&all);
    if (!code && has(&all, "program")) write_programs(&all);
    for (int i = 0; i < all.subjects; i++) {
        subject *one = &all.subject[i];
        if (!code) missed |= judge_one(one);
        free(one->kind);
        free(one->name);
        free(one->place);
    }
    free(all.subject);
    return code ? code : missed ? MISSED : REACHED;
}
