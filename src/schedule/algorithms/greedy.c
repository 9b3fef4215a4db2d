/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * greedy: step after step, each rank in turn takes the first partner on its list that is still free (GS of
 * the CM-5 paper, section 4.4, figure 12). Who takes a partner also serves the way back, if there is one, and
 * both are busy for the step: the phases are disjoint pairs.
 *
 * The paper builds phase by phase. Each phase is the maximal matching that takes the remaining pairs in the
 * order (i, j), and taking maximal independent sets one after the other in one fixed order is the same as
 * colouring first fit in that order: so each pair, in the order (i, j), gets the first phase in which both
 * its ranks are free. The phases in which a rank is busy are a bitmap; one pass over the messages, no search
 * through lists. The two-way pair {i, j} stands at (min, max), a one-way pair at (from, to). Phases: at most
 * 2 degree - 1. Cost: O(1) words per message for degrees up to some hundred, O(degree / 64) beyond.
 */
#include <stdlib.h>

#include "base/bits.h"
#include "schedule/algorithm.h"

typedef struct calendar {
    uint64_t *busy; /* [ranks][words] */
    int32_t *full;  /* [ranks]: words before this one have no free phase left */
    int64_t words;
} calendar;

static int32_t take_first_free(calendar *all, int one, int other) {
    uint64_t *mine = all->busy + one * all->words, *theirs = all->busy + other * all->words;
    int64_t word = all->full[one] > all->full[other] ? all->full[one] : all->full[other];
    while ((mine[word] | theirs[word]) == UINT64_MAX) word++;
    int bit = qdri_lowest_bit(~(mine[word] | theirs[word]));
    mine[word] |= UINT64_C(1) << bit;
    theirs[word] |= UINT64_C(1) << bit;
    while (all->full[one] < all->words && mine[all->full[one]] == UINT64_MAX) all->full[one]++;
    while (all->full[other] < all->words && theirs[all->full[other]] == UINT64_MAX) all->full[other]++;
    return (int32_t)(word * 64 + bit);
}

/* Rank i's partners on either way, at most. */
static int64_t most_partners(const qdr_pattern_view *view) {
    int64_t most = 0;
    for (int i = 0; i < view->ranks; i++) {
        int64_t partners =
            view->row_start[i + 1] - view->row_start[i] + view->column_start[i + 1] - view->column_start[i];
        if (partners > most) most = partners;
    }
    return most < view->ranks ? most : view->ranks - 1;
}

/* Pairs in the order (i, j). The message back stands in column i, which is walked beside row i. */
static int32_t colour(const qdr_pattern_view *view, calendar *all, int32_t *phase_of) {
    int32_t phases = 0;
    for (int i = 0; i < view->ranks; i++) {
        int64_t back = view->column_start[i], end = view->column_start[i + 1];
        for (int64_t m = view->row_start[i]; m < view->row_start[i + 1]; m++) {
            int j = view->destination[m];
            while (back < end && view->origin[view->column_message[back]] < j) back++;
            int two_way = back < end && view->origin[view->column_message[back]] == j;
            if (two_way && j < i) continue; /* stands at (j, i) */
            phase_of[m] = take_first_free(all, i, j);
            if (two_way) phase_of[view->column_message[back]] = phase_of[m];
            if (phase_of[m] >= phases) phases = phase_of[m] + 1;
        }
    }
    return phases;
}

static qdr_status build(const qdri_request *request, qdr_schedule *schedule) {
    const qdr_pattern_view *view = &request->view;
    calendar all = {.words = 2 * most_partners(view) / 64 + 1};
    int64_t size = all.words <= INT64_MAX / view->ranks ? all.words * view->ranks : -1;
    int32_t phases = 0;
    all.busy = QDRI_ZERO_ARRAY(uint64_t, size);
    all.full = QDRI_ZERO_ARRAY(int32_t, view->ranks);
    int32_t *phase_of = QDRI_ARRAY(int32_t, view->messages);
    int good = all.busy && all.full && phase_of;
    if (good) phases = colour(view, &all, phase_of);
    free(all.busy);
    free(all.full);
    if (!good) {
        free(phase_of);
        return qdri_fail_memory();
    }
    return qdri_rows_from_array(schedule, phase_of, phases);
}

const qdri_algorithm qdri_algorithm_greedy = {
    .name = "greedy",
    .aliases = "GS",
    .summary = "each rank in turn takes its first free partner; both ways at once",
    .source = "CM-5 4.4",
    .knowledge = QDR_KNOWS_MATRIX,
    .promises = QDR_PROMISES_PERMUTATION | QDR_PROMISES_PAIRS,
    .build = build,
};
