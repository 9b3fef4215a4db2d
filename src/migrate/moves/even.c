/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Flows dealt out evenly. Every phase gets floor(a / L) units of a flow of a units; what is left over, a mod L
 * units, each has to find one of the L phases. Rounding them one by one would let the load of a rank drift, and
 * when memory is short there is no room for drift.
 *
 * Take the units left over as edges of a bipartite multigraph, from sender to receiver. Each rank sends and
 * receives x units in all, so it has as many edges on the left as on the right, modulo L; padded with edges
 * from the rank to itself, which mean nothing, both numbers are multiples of L. Cut each rank on each side
 * into vertices of L edges. The graph is regular of degree L, and its edges have a colouring with L
 * colours (Koenig): each vertex has each colour exactly once. A colour is a phase. In it a rank has, even
 * shares, units left over and padding together, ceil(x / L) units to send and as many to receive; the padding
 * is on both sides at once and cancels out. So sending and receiving balance in each phase, exactly.
 */
#include "migrate/moves/even.h"

#include <string.h>

#include "schedule/algorithms/edge_coloring.h"

enum { COLORING_BYTES = 40 }; /* per edge, as edge_coloring.h says */

typedef struct dealer {
    const qdri_moves_request *request;
    const qdr_move *flow;
    int64_t flows, steps;
    int64_t *padding; /* [ranks] */
    int64_t
        *met[2]; /* [ranks] edges of its left, of its right side so far; both begin with its first vertex */
    int64_t vertices, edges;
    int *left, *right; /* [edges] */
    int32_t *colour;   /* [edges] */
    int64_t *start;    /* [steps + 1] of each phase in `owner` */
    int32_t *owner;    /* [edges without padding] the flow of each unit left over, by phase */
    int64_t *extra;    /* [flows] units left over of the flow, in the phase at hand */
    int64_t *sent;     /* [flows] */
    int64_t *large;    /* the flows that are in every phase */
    int64_t large_count;
} dealer;

static int64_t left_over(const dealer *d, int64_t f) {
    return d->flow[f].units % d->steps;
}

/* ---- the graph ----------------------------------------------------------------------------------------- */

/* Replaces the number of a rank's edges on one side by that of all edges before: a multiple of `steps`, thanks
 * to the padding. Returns the sum. */
static int64_t sum_edges(const dealer *d, int64_t *met) {
    int64_t sum = 0;
    for (int rank = 0; rank < d->request->view.ranks; rank++) {
        int64_t edges = met[rank] + d->padding[rank];
        met[rank] = sum;
        sum += edges;
    }
    return sum;
}

static qdr_status count_edges(dealer *d) {
    for (int64_t f = 0; f < d->flows; f++) {
        d->met[0][d->flow[f].from] += left_over(d, f);
        d->met[1][d->flow[f].to] += left_over(d, f);
        if (d->flow[f].units >= d->steps) d->large[d->large_count++] = f;
    }
    for (int rank = 0; rank < d->request->view.ranks; rank++) {
        int64_t beyond = d->met[0][rank] % d->steps;
        d->padding[rank] = beyond ? d->steps - beyond : 0;
    }
    sum_edges(d, d->met[1]);
    int64_t over = sum_edges(d, d->met[0]);
    if (over > QDRI_EVEN_LIMIT)
        return qdri_fail(QDR_ERR_RANGE,
                         "relaxed leaves %lld units over when it divides all by %lld; at most %lld",
                         (long long)over, (long long)d->steps, (long long)QDRI_EVEN_LIMIT);
    d->edges = over;
    d->vertices = over / d->steps;
    return QDR_OK;
}

static void add_edges(dealer *d, int to, int64_t count, int64_t *e) {
    for (int64_t i = 0; i < count; i++, ++*e) {
        d->left[*e] = (int)(*e / d->steps);
        d->right[*e] = (int)(d->met[1][to]++ / d->steps);
    }
}

/* Rank by rank, those of its flows first, then its padding; so they stand by rising left end. */
static void list_edges(dealer *d) {
    int64_t f = 0, e = 0;
    for (int rank = 0; rank < d->request->view.ranks; rank++) {
        for (; f < d->flows && d->flow[f].from == rank; f++) add_edges(d, d->flow[f].to, left_over(d, f), &e);
        add_edges(d, rank, d->padding[rank], &e);
    }
}

/* ---- the phases ---------------------------------------------------------------------------------------- */

/* Puts the units left over into the order of their phases; walks the edges as list_edges() did. */
static void sort_edges(dealer *d) {
    for (int pass = 0; pass < 2; pass++) {
        int64_t f = 0, e = 0;
        for (int rank = 0; rank < d->request->view.ranks; rank++) {
            for (; f < d->flows && d->flow[f].from == rank; f++)
                for (int64_t i = 0; i < left_over(d, f); i++, e++)
                    if (pass)
                        d->owner[d->start[d->colour[e]]++] = (int32_t)f;
                    else
                        d->start[d->colour[e] + 1]++;
            e += d->padding[rank];
        }
        if (pass == 0)
            for (int64_t step = 0; step < d->steps; step++) d->start[step + 1] += d->start[step];
    }
    memmove(d->start + 1, d->start, (size_t)d->steps * sizeof *d->start);
    d->start[0] = 0;
}

static qdr_status send(dealer *d, int64_t f, qdri_phases *phases) {
    qdr_move move = d->flow[f];
    move.offset += d->sent[f];
    move.units = move.units / d->steps + d->extra[f];
    d->sent[f] += move.units;
    d->extra[f] = 0;
    return qdri_phases_add(phases, move);
}

static qdr_status write_phase(dealer *d, int64_t step, qdri_phases *phases) {
    int64_t first = d->edges ? d->start[step] : 0, last = d->edges ? d->start[step + 1] : 0;
    for (int64_t i = first; i < last; i++) d->extra[d->owner[i]]++;
    for (int64_t i = 0; i < d->large_count; i++) QDRI_TRY(send(d, d->large[i], phases));
    for (int64_t i = first; i < last; i++)
        if (d->extra[d->owner[i]] > 0) QDRI_TRY(send(d, d->owner[i], phases));
    return qdri_phases_end(phases);
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

static qdr_status colour_edges(dealer *d) {
    qdri_budget *budget = d->request->budget;
    int32_t colours;
    d->left = QDRI_BUDGET_ARRAY(budget, int, d->edges);
    d->right = QDRI_BUDGET_ARRAY(budget, int, d->edges);
    d->colour = QDRI_BUDGET_ARRAY(budget, int32_t, d->edges);
    if (!d->left || !d->right || !d->colour || !qdri_budget_take(budget, COLORING_BYTES * d->edges))
        return qdri_fail_memory();
    list_edges(d);
    qdr_status status =
        qdri_edge_coloring((int)d->vertices, d->edges, d->left, d->right, d->colour, &colours);
    qdri_budget_give(budget, COLORING_BYTES * d->edges);
    qdri_budget_free(budget, d->left);
    qdri_budget_free(budget, d->right);
    d->left = d->right = NULL;
    return status;
}

static qdr_status deal(dealer *d, qdri_phases *phases) {
    qdri_budget *budget = d->request->budget;
    int ranks = d->request->view.ranks;
    d->padding = QDRI_BUDGET_ZERO_ARRAY(budget, int64_t, ranks);
    for (int side = 0; side < 2; side++) d->met[side] = QDRI_BUDGET_ZERO_ARRAY(budget, int64_t, ranks);
    d->extra = QDRI_BUDGET_ZERO_ARRAY(budget, int64_t, d->flows);
    d->sent = QDRI_BUDGET_ZERO_ARRAY(budget, int64_t, d->flows);
    d->large = QDRI_BUDGET_ARRAY(budget, int64_t, d->flows);
    if (!d->padding || !d->met[0] || !d->met[1] || !d->extra || !d->sent || !d->large)
        return qdri_fail_memory();
    QDRI_TRY(count_edges(d));
    if (d->edges > 0) {
        QDRI_TRY(colour_edges(d));
        d->start = QDRI_BUDGET_ZERO_ARRAY(budget, int64_t, d->steps + 1);
        d->owner = QDRI_BUDGET_ARRAY(budget, int32_t, d->edges);
        if (!d->start || !d->owner) return qdri_fail_memory();
        sort_edges(d);
    }
    for (int64_t step = 0; step < d->steps; step++) QDRI_TRY(write_phase(d, step, phases));
    return QDR_OK;
}

qdr_status qdri_deal_evenly(const qdri_moves_request *request, const qdr_move *flow, int64_t flows,
                            int64_t steps, qdri_phases *phases) {
    dealer d = {.request = request, .flow = flow, .flows = flows, .steps = steps};
    qdri_budget *budget = request->budget;
    qdr_status status = deal(&d, phases);
    qdri_budget_free(budget, d.padding);
    for (int side = 0; side < 2; side++) qdri_budget_free(budget, d.met[side]);
    qdri_budget_free(budget, d.left);
    qdri_budget_free(budget, d.right);
    qdri_budget_free(budget, d.colour);
    qdri_budget_free(budget, d.start);
    qdri_budget_free(budget, d.owner);
    qdri_budget_free(budget, d.extra);
    qdri_budget_free(budget, d.sent);
    qdri_budget_free(budget, d.large);
    return status;
}
