/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tables and the verdict of `make bench-auto`, from what scripts/bench-auto has measured. Each file is one launch of one
 * method, or of several in turn:
 *
 *     {"place": NAME, "setting": TEXT, "pattern": TEXT, "methods": {NAME OF THE COMMAND: METHOD, ...}, "round": N,
 *      "bench": what `quadrille bench --json` printed, or null when it failed}
 *
 * Launches of one pattern at one place make a cell. A method's time is the median of its settled exchanges in all launches:
 * from the sixth on of auto, from the fourth on of others. Whether auto is slower than an opponent is said by an interval of
 * the ratio: both are drawn again and again from what was measured (bootstrap), and 95% of the ratios lie in it.
 *
 * Places whose names end with a number of ranks per host (slow-2) have bars of their own.
 */
#include <jansson.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge.h"

enum { AUTO, WISE, FIRST_SEARCHED, FIRST_OPPONENT = 17, METHODS = 23, MOST_SAMPLES = 1024, LAUNCHES = 9 };
static const char *const names[METHODS] = {
    "auto",
    "auto-wise",
    "async",
    "pairwise-0.5",
    "pairwise-0.83",
    "pairwise-2",
    "coloring-0.5",
    "coloring-0.83",
    "coloring-2",
    "paced-0.5",
    "paced-0.83",
    "paced-2",
    "pairwise",
    "paced",
    "bruck",
    "levels",
    "joined",
    "mpi-alltoallv",
    "mpi-alltoallv-tuned",
    "isend",
    "isend-shifted",
    "persistent",
    "mpi-neighbor",
};

typedef struct timing {
    double *sample; /* settled */
    int samples;
    double first[LAUNCHES]; /* of each launch */
    int launches;
} timing;

typedef struct cell {
    const char *place, *setting, *pattern;
    timing of[METHODS];
    double automatic, best, wise; /* seconds */
    int best_is;
    interval against; /* the opponent that is nearest, or ahead */
    int opponent;
    int wrong, failed;
} cell;

static cell *cells;
static int count;
static json_t *files; /* owns the texts */

/* ---- reading ------------------------------------------------------------------------------------------- */

static int find_method(const char *name) {
    for (int i = 0; i < METHODS; i++)
        if (!strcmp(names[i], name)) return i;
    return -1;
}

static cell *find_cell(const char *place, const char *setting, const char *pattern) {
    for (int i = 0; i < count; i++)
        if (!strcmp(cells[i].place, place) && !strcmp(cells[i].pattern, pattern)) return &cells[i];
    cells = checked(reallocarray(cells, (size_t)count + 1, sizeof *cells));
    cells[count] = (cell){.place = place, .setting = setting, .pattern = pattern};
    return &cells[count++];
}

static void read_samples(json_t *samples, int method, double first, timing *t) {
    json_t *value;
    size_t index, skipped = method == AUTO ? 5 : 3;
    if (t->launches < LAUNCHES) t->first[t->launches++] = first;
    if (!t->sample) t->sample = checked(calloc(MOST_SAMPLES, sizeof *t->sample));
    json_array_foreach (samples, index, value)
        if (index >= skipped && t->samples < MOST_SAMPLES) t->sample[t->samples++] = json_number_value(value);
}

static const char *read_launch(json_t *bench, json_t *methods, cell *c) {
    json_t *list, *one, *samples;
    size_t index;
    int verified, method;
    if (json_unpack(bench, "{s:b, s:o}", "verified", &verified, "methods", &list))
        return "expected verified and methods";
    if (json_array_size(list) == 0) return "expected methods";
    c->wrong |= !verified;
    json_array_foreach (list, index, one) {
        const char *name, *meant;
        double first;
        if (json_unpack(one, "{s:s, s:F, s:o}", "method", &name, "first", &first, "samples", &samples))
            return "expected a method with first and samples";
        meant = json_string_value(json_object_get(methods, name));
        if (!meant || (method = find_method(meant)) < 0) return "a method that is unknown";
        read_samples(samples, method, first, &c->of[method]);
    }
    return NULL;
}

static int read_file(const char *path) {
    const char *place, *setting, *pattern, *why = NULL;
    json_error_t error;
    json_t *bench, *methods, *file = json_load_file(path, 0, &error);
    int round;
    if (!file) return refuse(path, error.text);
    json_array_append_new(files, file);
    if (json_unpack_ex(file, &error, 0, "{s:s, s:s, s:s, s:o, s:i, s:o}", "place", &place, "setting",
                       &setting, "pattern", &pattern, "methods", &methods, "round", &round, "bench", &bench))
        return refuse(path, error.text);
    cell *c = find_cell(place, setting, pattern);
    if (json_is_null(bench))
        c->failed++;
    else
        why = read_launch(bench, methods, c);
    return why ? refuse(path, why) : REACHED;
}

/* ---- judging a cell ------------------------------------------------------------------------------------ */

static uint64_t seed = 1;
static int draw(int limit) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int)((seed >> 33) % (uint64_t)limit);
}

static double median_of_copy(const timing *t, int again) {
    double copy[MOST_SAMPLES];
    for (int i = 0; i < t->samples; i++) copy[i] = t->sample[again ? draw(t->samples) : i];
    return median_of(copy, t->samples);
}

static interval ratio_of(const timing *ours, const timing *its) {
    enum { DRAWS = 400 };
    double ratio[DRAWS];
    interval found = {NAN, NAN, NAN};
    if (ours->samples == 0 || its->samples == 0) return found;
    for (int i = 0; i < DRAWS; i++) ratio[i] = median_of_copy(ours, 1) / median_of_copy(its, 1);
    median_of(ratio, DRAWS); /* sorts */
    found.value = median_of_copy(ours, 0) / median_of_copy(its, 0);
    found.low = ratio[DRAWS / 40];
    found.high = ratio[DRAWS - 1 - DRAWS / 40];
    return found;
}

static void judge_cell(cell *c) {
    c->automatic = median_of_copy(&c->of[AUTO], 0);
    c->best = NAN;
    for (int i = FIRST_SEARCHED; i < FIRST_OPPONENT; i++) {
        double seconds = median_of_copy(&c->of[i], 0);
        if (isnan(seconds) || seconds >= c->best) continue;
        c->best = seconds;
        c->best_is = i;
    }
    c->wise = median_of(c->of[WISE].first, c->of[WISE].launches);
    c->against = (interval){NAN, NAN, NAN};
    for (int i = FIRST_OPPONENT; i < METHODS; i++) {
        interval one = ratio_of(&c->of[AUTO], &c->of[i]);
        if (isnan(one.value) || one.low <= c->against.low) continue;
        c->against = one;
        c->opponent = i;
    }
}

/* ---- writing ------------------------------------------------------------------------------------------- */

static void write_cell(const cell *c) {
    printf("| %s |", c->pattern);
    write_number(3, 1e3 * c->automatic);
    write_number(3, 1e3 * c->best);
    printf(" %s |", isnan(c->best) ? "-" : names[c->best_is]);
    write_number(2, c->automatic / c->best);
    write_number(2, c->wise / c->best);
    write_number(2, c->against.value);
    printf(" %s%s%s |\n", isnan(c->against.value) ? "-" : names[c->opponent], c->wrong ? ", WRONG" : "",
           c->failed ? ", failed" : "");
}

static void write_tables(void) {
    for (int i = 0; i < count; i++) {
        if (i == 0 || strcmp(cells[i].place, cells[i - 1].place)) {
            printf("\n### %s: %s\n\n", cells[i].place, cells[i].setting);
            printf("| pattern | auto [ms] | best [ms] | which | auto / best | with wisdom, first | auto / "
                   "MPI | of it the "
                   "best |\n|---|--:|--:|---|--:|--:|--:|---|\n");
        }
        write_cell(&cells[i]);
    }
    printf("\n");
}

/* Which cells a bar is about. */
typedef int selection(const cell *c);

static int is_shared(const cell *c) {
    return strchr(c->place, '-') != NULL;
}

static int is_usual(const cell *c) {
    return !is_shared(c);
}

static int number_of(selection *is_meant) {
    int cells_meant = 0;
    for (int i = 0; i < count; i++) cells_meant += is_meant(&cells[i]);
    return cells_meant;
}

static int within(double limit, selection *is_meant) {
    int good = 0;
    for (int i = 0; i < count; i++)
        good += is_meant(&cells[i]) && cells[i].automatic <= limit * cells[i].best;
    return good;
}

static int say_ratio(int is_good, const char *sentence, const char *format, double figure) {
    char detail[100];
    int used = snprintf(detail, sizeof detail, ": ");
    snprintf(detail + used, sizeof detail - (size_t)used, format, figure);
    return say(is_good, NULL, sentence, detail);
}

/* Against the search, and against MPI. */
static int judge_usual(int cells_meant) {
    int missed = 0;
    double sum = 0, worst = 0, behind = 0;
    for (int i = 0; i < count; i++) {
        const cell *c = &cells[i];
        double ratio = c->automatic / c->best;
        if (!is_usual(c)) continue;
        sum += ratio;
        if (!(ratio <= worst)) worst = ratio;
        if (c->against.low > behind) behind = c->against.low;
    }
    missed += say_ratio(within(1.10, is_usual) >= 0.95 * cells_meant,
                        "auto takes at most 1.10 of the best of the search on 95% of the cells", "%.1f%%",
                        100.0 * within(1.10, is_usual) / cells_meant);
    missed += say_ratio(worst <= 1.25, "at most 1.25 on all", "%.2f", worst);
    missed += say_ratio(sum <= 1.04 * cells_meant, "at most 1.04 in the mean", "%.3f", sum / cells_meant);
    if (behind > 0)
        missed += say_ratio(behind <= 1.02, "it is slower than no opponent by more than 2%, for sure", "%.2f",
                            behind);
    return missed;
}

int judge_auto(int words, char **word) {
    int code = REACHED, missed = 0, wise = 0, wise_good = 0, wrong = 0;
    files = json_array();
    for (int i = 0; i < words && code == REACHED; i++) code = read_file(word[i]);
    if (code) return code;
    for (int i = 0; i < count; i++) judge_cell(&cells[i]);
    write_tables();
    for (int i = 0; i < count; i++) {
        const cell *c = &cells[i];
        wise += c->of[WISE].launches > 0;
        wise_good += c->wise <= 1.10 * c->best;
        wrong += c->wrong || c->failed;
    }
    int usual = number_of(is_usual), shared = number_of(is_shared);
    if (usual > 0) missed += judge_usual(usual);
    if (shared > 0)
        missed +=
            say_ratio(within(1.10, is_shared) >= 0.9 * shared,
                      "where hosts have several ranks it takes at most 1.10 of the best on 90% of the cells",
                      "%.1f%%", 100.0 * within(1.10, is_shared) / shared);
    if (wise > 0)
        missed += say_ratio(wise_good >= 0.9 * wise,
                            "with wisdom the first exchange is within 1.10 on 90% of the cells", "%.1f%%",
                            100.0 * wise_good / wise);
    missed += say_ratio(wrong == 0, "all launches ended well", "%.0f did not", wrong);
    return missed ? MISSED : REACHED;
}
