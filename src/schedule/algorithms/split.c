/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * split: the shortest exchange, not the fewest phases. A phase costs a startup, and sizes differ; what counts
 * is the makespan, and no direct schedule beats the busiest port: max over ranks of tau * messages + mu *
 * items.
 *
 * Schedules are sought in several ways, the quick ones first (open_shop.h). Where all miss the
 * bound, long messages are cut, with a quantum that falls by halves from the bound's half: each cut costs a
 * startup and frees its ports for somebody who waits. The best one stays. (Plain Birkhoff-von Neumann
 * decomposition reaches the bound without startups, in very many fragments; with startups few cuts, and large
 * ones, are worth their price.)
 *
 * tau is needed only in relation to mu: the items that could be sent during one startup. It comes from the
 * machine, and an item is taken for a byte, unless `tau` gives it.
 */
#include "schedule/algorithms/open_shop.h"

#include <stdlib.h>

#include "schedule/algorithms/pairing.h"

static const qdri_option options[] = {
    {"tau", QDRI_INTEGER, "", 0, 1e15, NULL,
     "startup in items; from the machine's tau / mu if absent, else 1000", 0},
    {"cut", QDRI_FLAG, "yes", 0, 0, NULL, "messages may be cut (full ports only)", 0},
    QDRI_PACE_OPTIONS,
};

enum { STANDARD_STARTUP = 1000, LARGE = 1 << 15 };

/* The slower ways scan lists: what they may cost, in list entries. They decide by what the pattern is,
 * never by a clock: the same schedule everywhere. */
#define LIST_EFFORT     2e9
#define MATCHING_EFFORT 2e8
#define CUT_EFFORT      2e8

static int64_t startup_of(const qdri_request *request) {
    const qdri_value *given = qdri_spec_get(request->options, "tau");
    if (given->given) return given->integer;
    if (!request->machine) return STANDARD_STARTUP;
    const qdr_machine_parameters *p = qdr_machine_look(request->machine);
    double startup = p->mu > 0 ? p->tau / p->mu : 0;
    return startup < 1e15 ? (int64_t)(startup + 0.5) : (int64_t)1e15;
}

static void keep_better(qdri_shop_plan *best, qdri_shop_plan *other) {
    if (other->makespan < best->makespan) {
        qdri_shop_plan worse = *best;
        *best = *other;
        *other = worse;
    }
    qdri_shop_plan_free(other);
}

/* Within a thousandth of the bound nothing is left to gain; in a large shop, where a search takes seconds, a
 * hundredth will do. */
static int good_enough(const qdri_shop *shop, const qdri_shop_plan *plan) {
    return plan->makespan - shop->bound <= shop->bound / (shop->view.messages < LARGE ? 1000 : 100);
}

/* In step k everybody sends k ranks further on: each step of a halo exchange holds messages of one size. */
static int64_t shift(int ranks, int from, int to) {
    return (to - from + ranks) % ranks;
}

/* Closed forms and first fit take no time to speak of. Shifts are for full ports: a job that is a pair of
 * ranks is not a step of a shift. */
static qdr_status search_quickly(const qdri_shop *shop, qdri_shop_plan *best) {
    qdri_shop_plan other;
    QDRI_TRY(qdri_shop_by_steps(shop, qdri_meeting, best));
    if (!shop->job_of && !good_enough(shop, best)) {
        QDRI_TRY(qdri_shop_by_steps(shop, shift, &other));
        keep_better(best, &other);
    }
    for (int longest_first = 0; longest_first < 2 && !good_enough(shop, best); longest_first++) {
        QDRI_TRY(qdri_shop_by_first_fit(shop, longest_first, &other));
        keep_better(best, &other);
    }
    return QDR_OK;
}

/* Colourings and matchings are for full ports: with pairs as jobs, the graph has odd cycles. */
static qdr_status search_whole(const qdri_shop *shop, qdri_shop_plan *best) {
    qdri_shop_plan other;
    QDRI_TRY(search_quickly(shop, best));
    if (!good_enough(shop, best) && shop->effort < LIST_EFFORT) {
        QDRI_TRY(qdri_shop_by_list(shop, 0, &other));
        keep_better(best, &other);
    }
    if (shop->job_of || good_enough(shop, best)) return QDR_OK;
    QDRI_TRY((shop->effort < MATCHING_EFFORT ? qdri_shop_by_matching : qdri_shop_by_coloring)(shop, &other));
    keep_better(best, &other);
    return QDR_OK;
}

/* A quantum below the startup cannot pay, and one that made things worse is a sign to stop. */
static qdr_status search_cuts(const qdri_shop *shop, qdri_shop_plan *best) {
    int worse = 0;
    if (shop->job_of || shop->effort > CUT_EFFORT) return QDR_OK;
    for (int64_t quantum = shop->bound / 2; quantum > shop->startup / 2 && worse < 2; quantum /= 2) {
        qdri_shop_plan other;
        if (good_enough(shop, best)) return QDR_OK;
        QDRI_TRY(qdri_shop_by_list(shop, quantum, &other));
        worse += other.makespan > best->makespan;
        keep_better(best, &other);
    }
    return QDR_OK;
}

static qdr_status attach(const qdri_shop *shop, qdri_shop_plan *plan, qdr_schedule *schedule) {
    qdri_shop_plan taken = *plan;
    *plan = (qdri_shop_plan){.makespan = 0};
    if (!taken.phase_of) {
        schedule->phases = taken.phases;
        schedule->transfers = taken.entries;
        return qdri_rows_from_entries(schedule, taken.entry, taken.entries);
    }
    if (!shop->job_of) return qdri_rows_from_array(schedule, taken.phase_of, taken.phases);
    int32_t *phase_of = QDRI_ARRAY(int32_t, shop->view.messages);
    for (int64_t m = 0; phase_of && m < shop->view.messages; m++)
        phase_of[m] = taken.phase_of[shop->job_of[m]];
    free(taken.phase_of);
    return phase_of ? qdri_rows_from_array(schedule, phase_of, taken.phases) : qdri_fail_memory();
}

static qdr_status build(const qdri_request *request, qdr_schedule *schedule) {
    qdri_shop shop;
    qdri_shop_plan best = {.makespan = 0};
    QDRI_TRY(qdri_shop_open(&request->view, request->machine, startup_of(request), &shop));
    qdr_status status = search_whole(&shop, &best);
    if (status == QDR_OK && qdri_spec_flag(request->options, "cut")) status = search_cuts(&shop, &best);
    if (status == QDR_OK) status = attach(&shop, &best, schedule);
    qdri_shop_plan_free(&best);
    qdri_shop_close(&shop);
    return status;
}

const qdri_algorithm qdri_algorithm_split = {
    .name = "split",
    .aliases = "",
    .summary = "near-optimal makespan: open-shop order, long messages cut where it pays",
    .source = "open shop; Gonzalez and Sahni; K-PBS",
    .knowledge = QDR_KNOWS_MATRIX,
    .promises = QDR_PROMISES_PERMUTATION,
    QDRI_OPTIONS(options),
    .build = build,
};
