/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Medians, and how sure a ratio of two of them is.
 *
 * A method has settled from its fourth exchange on: by then the window has found itself and TCP has opened
 * its own. Where a launch was too slow for so many, what comes after the first exchange counts; where
 * something is switched on in the middle, the last third does, since nobody knows to the millisecond when it
 * came.
 *
 * Samples of one launch resemble each other more than those of two, so the bootstrap draws launches first,
 * and then samples within them (with replacement, both). Launches of one round ran within a minute of each
 * other, so two methods are drawn by the same rounds. 1000 draws; the interval is what is left without the
 * 2.5% at each end. The draws are the same in every run.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "judge.h"
#include "networks.h"

enum { SETTLED = 3, DRAWS = 1000 };

static int by_value(const void *first, const void *second) {
    double a = *(const double *)first, b = *(const double *)second;
    return (a > b) - (a < b);
}

/* ---- what counts --------------------------------------------------------------------------------------- */

static int first_settled(const cell *cell, const launch *l) {
    if (!strcmp(cell->scenario, "noise")) return l->samples - (l->samples + 2) / 3;
    return l->samples >= SETTLED + 2 ? SETTLED : l->samples >= 2;
}

static int count_settled(const cell *cell, const launch *l) {
    return l->samples - first_settled(cell, l);
}

/* All that counts of a method, to be freed. */
static double *gather(const cell *cell, int method, int *count) {
    int room = 0;
    for (int round = 0; round < MOST_ROUNDS; round++) room += cell->launch[method][round].samples;
    double *value = checked(calloc((size_t)room + 1, sizeof *value));
    *count = 0;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        const launch *l = &cell->launch[method][round];
        for (int i = first_settled(cell, l); i < l->samples; i++) value[(*count)++] = l->sample[i];
    }
    return value;
}

double settled_median(const cell *cell, int method) {
    int count;
    double *value = gather(cell, method, &count), median = median_of(value, count);
    free(value);
    return median;
}

double settled_least(const cell *cell, int method) {
    int count;
    double *value = gather(cell, method, &count), least = NAN;
    for (int i = 0; i < count; i++) least = fmin(least, value[i]);
    free(value);
    return least;
}

int best_window(const cell *cell) {
    int best = -1;
    double least = INFINITY;
    for (int method = FIRST_WINDOW; method < DEFAULT; method++) {
        double median = settled_median(cell, method);
        if (!(median < least)) continue;
        best = method;
        least = median;
    }
    return best;
}

/* ---- ratios -------------------------------------------------------------------------------------------- */

static int list_rounds(const cell *cell, int method, int other, int *round) {
    int count = 0;
    for (int i = 0; i < MOST_ROUNDS; i++)
        if (cell->launch[method][i].samples > 0 && cell->launch[other][i].samples > 0) round[count++] = i;
    return count;
}

static uint64_t next_word(uint64_t *state) { /* splitmix64 */
    uint64_t word = *state += UINT64_C(0x9e3779b97f4a7c15);
    word = (word ^ word >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    word = (word ^ word >> 27) * UINT64_C(0x94d049bb133111eb);
    return word ^ word >> 31;
}

static int draw(uint64_t *state, int below) {
    return (int)(next_word(state) % (uint64_t)below);
}

/* The median of samples drawn from the launches of these rounds; of all samples when there is no state to draw
 * by. There is room for all of them. */
static double draw_median(const cell *cell, int method, const int *round, int rounds, uint64_t *state,
                          double *room) {
    int count = 0;
    for (int i = 0; i < rounds; i++) {
        const launch *l = &cell->launch[method][round[i]];
        int begin = first_settled(cell, l), settled = count_settled(cell, l);
        for (int k = 0; k < settled; k++)
            room[count++] = l->sample[begin + (state ? draw(state, settled) : k)];
    }
    return median_of(room, count);
}

/* A round may be drawn every time. */
static double *make_room(const cell *cell, int method, int other) {
    int most = 0;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        const launch *one = &cell->launch[method][round], *two = &cell->launch[other][round];
        if (one->samples > most) most = one->samples;
        if (two->samples > most) most = two->samples;
    }
    return checked(calloc((size_t)most * MOST_ROUNDS + 1, sizeof(double)));
}

static interval settled_ratio(const cell *cell, int method, int other) {
    int round[MOST_ROUNDS], drawn[MOST_ROUNDS], rounds = list_rounds(cell, method, other, round);
    double ratio[DRAWS];
    uint64_t state = 1;
    if (rounds == 0) return (interval){NAN, NAN, NAN};
    double *room = make_room(cell, method, other);
    for (int i = 0; i < DRAWS; i++) {
        for (int k = 0; k < rounds; k++) drawn[k] = round[draw(&state, rounds)];
        ratio[i] = draw_median(cell, method, drawn, rounds, &state, room) /
                   draw_median(cell, other, drawn, rounds, &state, room);
    }
    qsort(ratio, DRAWS, sizeof *ratio, by_value);
    double value = draw_median(cell, method, round, rounds, NULL, room) /
                   draw_median(cell, other, round, rounds, NULL, room);
    free(room);
    return (interval){value, ratio[DRAWS / 40], ratio[DRAWS - 1 - DRAWS / 40]};
}

void networks_compare(measured *all) {
    for (int i = 0; i < all->cells; i++) {
        cell *cell = &all->cell[i];
        int best = best_window(cell);
        cell->found = best < 0 ? (interval){NAN, NAN, NAN} : settled_ratio(cell, PACED, best);
        for (int method = FIRST_OPPONENT; method < METHODS; method++)
            cell->against[method] = settled_ratio(cell, DEFAULT, method);
    }
}

double first_ratio(const cell *cell, int method, int other) {
    int round[MOST_ROUNDS], rounds = list_rounds(cell, method, other, round);
    double ours[MOST_ROUNDS], theirs[MOST_ROUNDS];
    for (int i = 0; i < rounds; i++) {
        ours[i] = cell->launch[method][round[i]].first;
        theirs[i] = cell->launch[other][round[i]].first;
    }
    return median_of(ours, rounds) / median_of(theirs, rounds);
}
