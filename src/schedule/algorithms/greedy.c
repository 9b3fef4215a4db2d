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

#include "schedule/algorithm.h"
#include "schedule/algorithms/first_fit.h"

/* Rank i's partners on either way, at most. */
static int32_t *count_partners(const qdr_pattern_view *view) {
    int32_t *partners = QDRI_ARRAY(int32_t, view->ranks);
    for (int i = 0; partners && i < view->ranks; i++) {
        int64_t both =
            view->row_start[i + 1] - view->row_start[i] + view->column_start[i + 1] - view->column_start[i];
        partners[i] = both < view->ranks ? (int32_t)both : view->ranks - 1;
    }
    return partners;
}

/* Pairs in the order (i, j). The message back stands in column i, which is walked beside row i. Returns
 * the number of phases, -1 without memory. */
static int32_t colour(const qdr_pattern_view *view, qdri_calendar *calendar, int32_t *phase_of) {
    int32_t phases = 0;
    for (int i = 0; i < view->ranks; i++) {
        int64_t back = view->column_start[i], end = view->column_start[i + 1];
        for (int64_t m = view->row_start[i]; m < view->row_start[i + 1]; m++) {
            int j = view->destination[m];
            while (back < end && view->origin[view->column_message[back]] < j) back++;
            int two_way = back < end && view->origin[view->column_message[back]] == j;
            if (two_way && j < i) continue; /* stands at (j, i) */
            phase_of[m] = qdri_calendar_take(calendar, i, j);
            if (phase_of[m] < 0) return -1;
            if (two_way) phase_of[view->column_message[back]] = phase_of[m];
            if (phase_of[m] >= phases) phases = phase_of[m] + 1;
        }
    }
    return phases;
}

static qdr_status build(const qdri_request *request, qdr_schedule *schedule) {
    const qdr_pattern_view *view = &request->view;
    qdri_calendar calendar = {.parties = 0};
    int32_t phases = -1, *phase_of = QDRI_ARRAY(int32_t, view->messages), *partners = count_partners(view);
    if (phase_of && partners && qdri_calendar_open(&calendar, view->ranks, partners))
        phases = colour(view, &calendar, phase_of);
    qdri_calendar_close(&calendar);
    free(partners);
    if (phases >= 0) return qdri_rows_from_array(schedule, phase_of, phases);
    free(phase_of);
    return qdri_fail_memory();
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
