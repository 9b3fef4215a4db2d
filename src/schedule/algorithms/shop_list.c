/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The open shop by list scheduling. A heap holds the times at which ports become free. All that become free
 * at the same time are served in the order of falling work; a port that finds no free counterpart stays idle
 * until one of its counterparts looks for it. Phases follow from the order in time: a transfer's phase comes
 * after the last one of both its ports, so every phase is a partial permutation. Cost: O(degree) for each
 * transfer.
 */
#include "schedule/algorithms/open_shop.h"

#include <stdlib.h>
#include <string.h>

#include "base/heap.h"

typedef struct run {
    const qdri_shop *shop;
    int64_t quantum, now;
    int64_t *work;      /* [ports] left */
    int64_t *job;       /* the shop's lists; finished ones are dropped when they are met */
    int64_t *left;      /* [ports] entries of the list */
    int64_t *rest;      /* [jobs] time left, one startup included; 0: finished */
    char *busy;         /* [ports] */
    int32_t *last;      /* [ports] phase of the last transfer, -1: none */
    int64_t *free_at;   /* [ports] when a busy one becomes free */
    qdri_heap releases; /* of busy ports */
    qdri_ranked_port *freed;
    qdri_shop_plan *plan;
    int64_t entry_capacity;
} run;

/* ---- one transfer -------------------------------------------------------------------------------------- */

/* How much it matters that a job is done soon: the work of its other port, and its own length, because a long
 * one that is left to the end is waited for. The weight was found by trying: 2 to 8 are alike. */
static int64_t urgency(const run *r, int across, int64_t job) {
    return r->work[across] + 4 * r->rest[job];
}

/* The most urgent job with a free port, the first of equals; -1: none. */
static int64_t choose(run *r, int port) {
    int64_t *list = r->job + r->shop->start[port], best = -1, best_urgency = 0;
    for (int64_t k = 0; k < r->left[port];) {
        int64_t job = list[k];
        if (r->rest[job] == 0) {
            list[k] = list[--r->left[port]];
            continue;
        }
        int across = qdri_shop_across(r->shop, port, job);
        k++;
        if (r->busy[across]) continue;
        int64_t urgent = urgency(r, across, job);
        if (best >= 0 && (urgent < best_urgency || (urgent == best_urgency && job > best))) continue;
        best = job;
        best_urgency = urgent;
    }
    return best;
}

/* With cuts, a job is a message: what its time has beyond its items. */
static int64_t startup_of(const run *r, int64_t job) {
    return r->shop->time[job] - r->shop->view.items[job];
}

/* With cuts, a job is a message, and its first items are those that went before. */
static qdr_status record(run *r, int64_t job, int32_t phase, int64_t time) {
    const qdr_pattern_view *view = &r->shop->view;
    qdri_shop_plan *plan = r->plan;
    if (phase >= plan->phases) plan->phases = phase + 1;
    if (plan->phase_of) {
        plan->phase_of[job] = phase;
        return QDR_OK;
    }
    if (!qdri_grow(&plan->entry, &r->entry_capacity, plan->entries + 1, sizeof *plan->entry))
        return qdri_fail_memory();
    int from = view->origin[job], to = view->destination[job];
    int64_t left = r->rest[job] - startup_of(r, job);
    plan->entry[plan->entries++] = (qdri_piece_entry){
        0, phase, from, to, {from, to, view->items[job] - left, time - startup_of(r, job)}};
    return QDR_OK;
}

/* The time of the next piece. A job goes in one when its rest would be less than half a quantum. */
static int64_t piece_time(const run *r, int64_t job) {
    if (r->quantum == 0) return r->rest[job];
    int64_t startup = startup_of(r, job);
    if (r->rest[job] - startup < r->quantum + r->quantum / 2) return r->rest[job];
    return startup + r->quantum;
}

static qdr_status serve(run *r, int port) {
    int64_t job = r->busy[port] ? -1 : choose(r, port);
    if (job < 0) return QDR_OK;
    int across = qdri_shop_across(r->shop, port, job), pair[2] = {port, across};
    int32_t phase = (r->last[port] > r->last[across] ? r->last[port] : r->last[across]) + 1;
    int64_t time = piece_time(r, job);
    int64_t saved = time < r->rest[job] ? startup_of(r, job) : 0; /* a cut adds a startup to what is left */
    QDRI_TRY(record(r, job, phase, time));
    r->rest[job] -= time - saved;
    for (int end = 0; end < 2; end++) {
        r->work[pair[end]] -= time - saved;
        r->busy[pair[end]] = 1;
        r->last[pair[end]] = phase;
        r->free_at[pair[end]] = r->now + time;
        qdri_heap_push(&r->releases, (double)(r->now + time), pair[end]);
    }
    if (r->now + time > r->plan->makespan) r->plan->makespan = r->now + time;
    return QDR_OK;
}

/* ---- the run ------------------------------------------------------------------------------------------- */

static qdr_status serve_all(run *r, int count) {
    for (int i = 0; i < count; i++) r->freed[i].work = r->work[r->freed[i].port];
    qdri_rank_ports(r->freed, count);
    for (int i = 0; i < count; i++) QDRI_TRY(serve(r, r->freed[i].port));
    return QDR_OK;
}

static qdr_status go(run *r) {
    int ports = r->shop->ports;
    for (int port = 0; port < ports; port++) r->freed[port].port = port;
    QDRI_TRY(serve_all(r, ports));
    while (r->releases.count > 0) {
        int count = 0;
        r->now = r->free_at[r->releases.entry[0].id];
        while (r->releases.count > 0 && r->free_at[r->releases.entry[0].id] == r->now) {
            int port = (int)qdri_heap_pop(&r->releases).id;
            r->busy[port] = 0;
            r->freed[count++].port = port;
        }
        QDRI_TRY(serve_all(r, count));
    }
    return QDR_OK;
}

static int open_run(run *r) {
    const qdri_shop *shop = r->shop;
    int64_t ports = shop->ports, jobs = shop->jobs;
    r->work = QDRI_ARRAY(int64_t, ports);
    r->job = QDRI_ARRAY(int64_t, 2 * jobs);
    r->left = QDRI_ARRAY(int64_t, ports);
    r->rest = QDRI_ARRAY(int64_t, jobs);
    r->busy = QDRI_ZERO_ARRAY(char, ports);
    r->last = QDRI_ARRAY(int32_t, ports);
    r->free_at = QDRI_ARRAY(int64_t, ports);
    r->releases.entry = QDRI_ARRAY(qdri_heap_entry, ports);
    r->freed = QDRI_ARRAY(qdri_ranked_port, ports);
    if (!r->quantum) r->plan->phase_of = QDRI_ARRAY(int32_t, jobs);
    if (!r->work || !r->job || !r->left || !r->rest || !r->busy || !r->last || !r->free_at ||
        !r->releases.entry || !r->freed || (!r->quantum && !r->plan->phase_of))
        return 0;
    memcpy(r->work, shop->work, (size_t)ports * sizeof *r->work);
    memcpy(r->job, shop->job, 2 * (size_t)jobs * sizeof *r->job);
    memcpy(r->rest, shop->time, (size_t)jobs * sizeof *r->rest);
    for (int64_t port = 0; port < ports; port++) {
        r->left[port] = shop->start[port + 1] - shop->start[port];
        r->last[port] = -1;
    }
    return 1;
}

qdr_status qdri_shop_by_list(const qdri_shop *shop, int64_t quantum, qdri_shop_plan *plan) {
    run r = {.shop = shop, .quantum = quantum, .plan = plan};
    *plan = (qdri_shop_plan){.makespan = 0};
    qdr_status status = open_run(&r) ? go(&r) : qdri_fail_memory();
    free(r.work);
    free(r.job);
    free(r.left);
    free(r.rest);
    free(r.busy);
    free(r.last);
    free(r.free_at);
    free(r.releases.entry);
    free(r.freed);
    if (status != QDR_OK) qdri_shop_plan_free(plan);
    return status;
}
