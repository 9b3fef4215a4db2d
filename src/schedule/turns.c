/* SPDX-License-Identifier: BSD-3-Clause */
/* The order of turns: see turns.h. */
#include "schedule/turns.h"

#include <stdlib.h>

#include "quadrille/schedule.h"

static int64_t place_of(int ranks, int from, int to) {
    int differ = from ^ to, bit = differ & -differ;
    return (((int64_t)bit << 1) + !(from & bit)) * ranks + (to - from + ranks) % ranks;
}

static int by_place(const void *one, const void *two) {
    const qdri_turn *a = one, *b = two;
    if (a->stage != b->stage) return a->stage < b->stage ? -1 : 1;
    if (a->phase != b->phase) return a->phase < b->phase ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

static int is_exchange(const qdri_turn *a, const qdri_turn *b) {
    return a->stage == b->stage && a->phase == b->phase && a->from == b->to && a->to == b->from;
}

void qdri_turns_sort(int ranks, unsigned promises, int64_t count, qdri_turn *turns) {
    for (int64_t i = 0; i < count; i++) turns[i].place = place_of(ranks, turns[i].from, turns[i].to);
    qsort(turns, (size_t)count, sizeof *turns, by_place);
    for (int64_t i = 0; i + 1 < count && promises & QDR_PROMISES_PERMUTATION; i++) {
        if (!is_exchange(&turns[i], &turns[i + 1]) || turns[i].from > turns[i].to) continue;
        qdri_turn other = turns[i];
        turns[i] = turns[i + 1];
        turns[i + 1] = other;
    }
}
