/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The open shop by matchings. In each phase the ports are taken by falling work, and each is brought into the
 * matching by an alternating path: to a free port on the other side, or, if there is none, to a port of its
 * own side with less work, which is left out instead. What can be covered together is a matroid on each side,
 * so the busiest ports that can be covered are; with sizes all equal that makes as many phases as the largest
 * degree. Lists are sorted by time, and paths are searched breadth first, so that large messages meet large
 * ones. Cost: O(messages) for each search in the worst case, a few list entries in most.
 */
#include "schedule/algorithms/open_shop.h"

#include <stdlib.h>

typedef struct run {
    const qdri_shop *shop;
    int ports;
    int64_t *work;    /* [ports] left */
    int64_t *job;     /* lists by falling time */
    int64_t *left;    /* [ports] */
    char *done;       /* [jobs] */
    int64_t *matched; /* [ports] its job in this phase, -1: none */
    int64_t *seen;    /* [ports] the last search that met it */
    int64_t search;
    int *queue, *from; /* [ports]: from: the port of the searching side that reached this one */
    int64_t *over;     /* [ports]: over which job */
    qdri_ranked_port *ranked;
} run;

/* ---- one search ---------------------------------------------------------------------------------------- */

/* Swaps the jobs along the path that ends at `across`, back to its beginning. */
static void swap_path(run *r, int across, int beginning) {
    for (;;) {
        int port = r->from[across];
        int64_t before = r->matched[port];
        r->matched[across] = r->matched[port] = r->over[across];
        if (port == beginning) return;
        across = qdri_shop_across(r->shop, port, before);
    }
}

/* Reaches over one port's list; the free port found, or -1. Counterparts met join the queue. */
static int reach(run *r, int port, int *queued, int *least) {
    const int64_t *list = r->job + r->shop->start[port];
    for (int64_t k = 0; k < r->left[port]; k++) {
        int across = qdri_shop_across(r->shop, port, list[k]);
        if (r->seen[across] == r->search) continue;
        r->seen[across] = r->search;
        r->from[across] = port;
        r->over[across] = list[k];
        if (r->matched[across] < 0) return across;
        int next = qdri_shop_across(r->shop, across, r->matched[across]);
        r->queue[(*queued)++] = next;
        if (*least < 0 || r->work[next] < r->work[*least]) *least = next;
    }
    return -1;
}

static void bring_in(run *r, int port) {
    int queued = 0, least = -1;
    r->search++;
    r->queue[queued++] = port;
    for (int next = 0; next < queued; next++) {
        int found = reach(r, r->queue[next], &queued, &least);
        if (found < 0) continue;
        swap_path(r, found, port);
        return;
    }
    if (least < 0 || r->work[least] >= r->work[port]) return;
    int across = qdri_shop_across(r->shop, least, r->matched[least]);
    r->matched[least] = -1;
    swap_path(r, across, port);
}

/* ---- one phase ----------------------------------------------------------------------------------------- */

static void drop_done(run *r, int port) {
    int64_t *list = r->job + r->shop->start[port], kept = 0;
    for (int64_t k = 0; k < r->left[port]; k++)
        if (!r->done[list[k]]) list[kept++] = list[k];
    r->left[port] = kept;
}

static int64_t run_phase(run *r, int32_t phase, int32_t *phase_of) {
    const qdri_shop *shop = r->shop;
    int64_t finished = 0;
    for (int port = 0; port < r->ports; port++) {
        r->matched[port] = -1;
        r->ranked[port] = (qdri_ranked_port){r->work[port], port};
    }
    qdri_rank_ports(r->ranked, r->ports);
    for (int i = 0; i < r->ports && r->ranked[i].work > 0; i++)
        if (r->matched[r->ranked[i].port] < 0) bring_in(r, r->ranked[i].port);
    for (int port = 0; port < r->ports; port++) {
        int64_t job = r->matched[port];
        if (job < 0) continue;
        r->work[port] -= shop->time[job];
        finished += !r->done[job]; /* seen from both its ports */
        r->done[job] = 1;
        phase_of[job] = phase;
    }
    for (int port = 0; port < r->ports; port++) drop_done(r, port);
    return finished;
}

/* ---- the run ------------------------------------------------------------------------------------------- */

typedef struct timed {
    int64_t time, job;
} timed;

static int compare_times(const void *a, const void *b) {
    const timed *x = a, *y = b;
    if (x->time != y->time) return x->time < y->time ? 1 : -1;
    return (x->job > y->job) - (x->job < y->job);
}

static int sort_lists(run *r) {
    const qdri_shop *shop = r->shop;
    timed *list = QDRI_ARRAY(timed, shop->view.ranks);
    for (int port = 0; list && port < r->ports; port++) {
        int64_t first = shop->start[port], count = shop->start[port + 1] - first;
        for (int64_t k = 0; k < count; k++)
            list[k] = (timed){shop->time[shop->job[first + k]], shop->job[first + k]};
        qsort(list, (size_t)count, sizeof *list, compare_times);
        for (int64_t k = 0; k < count; k++) r->job[first + k] = list[k].job;
        r->left[port] = count;
        r->work[port] = shop->work[port];
        r->seen[port] = 0;
    }
    free(list);
    return list != NULL;
}

static int open_run(run *r, qdri_shop_plan *plan) {
    int64_t jobs = r->shop->jobs;
    r->work = QDRI_ARRAY(int64_t, r->ports);
    r->job = QDRI_ARRAY(int64_t, 2 * jobs);
    r->left = QDRI_ARRAY(int64_t, r->ports);
    r->done = QDRI_ZERO_ARRAY(char, jobs);
    r->matched = QDRI_ARRAY(int64_t, r->ports);
    r->seen = QDRI_ARRAY(int64_t, r->ports);
    r->queue = QDRI_ARRAY(int, r->ports);
    r->from = QDRI_ARRAY(int, r->ports);
    r->over = QDRI_ARRAY(int64_t, r->ports);
    r->ranked = QDRI_ARRAY(qdri_ranked_port, r->ports);
    plan->phase_of = QDRI_ARRAY(int32_t, jobs);
    return r->work && r->job && r->left && r->done && r->matched && r->seen && r->queue && r->from &&
           r->over && r->ranked && plan->phase_of && sort_lists(r);
}

static qdr_status go(run *r, qdri_shop_plan *plan) {
    for (int64_t left = r->shop->jobs; left > 0; plan->phases++)
        left -= run_phase(r, plan->phases, plan->phase_of);
    return qdri_shop_measure(r->shop, plan);
}

qdr_status qdri_shop_by_matching(const qdri_shop *shop, qdri_shop_plan *plan) {
    run r = {.shop = shop, .ports = shop->ports};
    *plan = (qdri_shop_plan){.makespan = 0};
    qdr_status status = open_run(&r, plan) ? go(&r, plan) : qdri_fail_memory();
    free(r.work);
    free(r.job);
    free(r.left);
    free(r.done);
    free(r.matched);
    free(r.seen);
    free(r.queue);
    free(r.from);
    free(r.over);
    free(r.ranked);
    if (status != QDR_OK) qdri_shop_plan_free(plan);
    return status;
}
