/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Resolving by lists that are passed on (Pinar and Hendrickson, section 2.1).
 *
 * In a ring every list visits every rank in n - 1 steps; what a rank owns it takes out, and only the rest goes
 * on. In a torus the lists first go round in one dimension, where each rank collects what it has seen; the
 * collections go round in the next, and so on: about k n^(1/k) steps, with longer and longer lists. The last
 * dimension collects nothing, so a ring holds two lists at a time: the one that goes, the one that comes.
 *
 * How long a list can be follows from the numbers of questions that all ranks have at first, which all learn:
 * lists only shrink. So a receive is posted with room enough, and nothing has to be said beforehand.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "directory/resolve_lists.h"
#include "directory/torus.h"

/* One node of the torus on this rank. */
typedef struct node {
    int64_t number;
    int passes_only;     /* a second one */
    qdri_question *list; /* what it has collected; in the last dimension two halves, used in turn */
    int64_t count;       /* of the collection */
    int64_t at, length;  /* the list that goes on */
    int64_t half;        /* of the last dimension */
    qdri_flight_leg *legs;
} node;

typedef struct pass {
    qdri_query *query;
    qdri_flight *flight;
    qdri_answer_list answers;
    qdri_torus torus;
    int64_t
        *bound[QDRI_TORUS_DIMENSIONS + 1]; /* [nodes]: questions of a node's list, before each dimension */
    node node[2];
    int nodes; /* on this rank */
} pass;

/* ---- how long lists can be ----------------------------------------------------------------------------- */

/* The numbers of questions of all ranks. */
static qdr_status learn_counts(pass *p) {
    qdri_query *query = p->query;
    int64_t nodes = qdri_torus_nodes(&p->torus);
    int64_t *count = QDRI_FLIGHT_ARRAY(p->flight, int64_t, nodes + 1);
    int64_t *start = QDRI_FLIGHT_ARRAY(p->flight, int64_t, (int64_t)query->ranks + 1);
    qdri_flight_leg *leg = qdri_flight_legs(p->flight, 1);
    qdr_status status = count && start && leg ? QDR_OK : qdri_fail_memory();
    QDRI_TRY(qdri_flight_agree(query->wire, p->flight, "qdr_resolve", status));
    int64_t *own = &count[nodes];
    *own = qdri_questions_count(query);
    for (int r = 0; r <= query->ranks; r++) start[r] = r * (int64_t)sizeof *own;
    qdri_flight_note(leg, qdri_gather_all(query->wire, &leg->operation, own, sizeof *own, count, start));
    p->bound[0] = count;
    QDRI_TRY(qdri_flight_wait_midway(p->flight));
    for (int r = 0; r < query->ranks; r++)
        QDRI_TRY(qdri_decode_word((qdri_teller){NULL, r}, "number of its questions", count[r], 0,
                                  (INT64_C(1) << 56) / nodes));
    return QDR_OK;
}

/* A collection is all lists of a ring. */
static qdr_status add_up(pass *p) {
    int64_t nodes = qdri_torus_nodes(&p->torus);
    for (int d = 0; d + 1 < p->torus.dimensions; d++) {
        p->bound[d + 1] = QDRI_FLIGHT_ARRAY(p->flight, int64_t, nodes);
        if (!p->bound[d + 1]) return qdri_fail_memory();
        for (int64_t v = 0; v < nodes; v++)
            for (int s = 0; s < p->torus.length[d]; s++)
                p->bound[d + 1][v] += p->bound[d][qdri_torus_step(&p->torus, v, d, s)];
    }
    return QDR_OK;
}

static int64_t longest(const pass *p, int dimension) {
    int64_t most = 0;
    for (int64_t v = 0; v < qdri_torus_nodes(&p->torus); v++)
        if (p->bound[dimension][v] > most) most = p->bound[dimension][v];
    return most;
}

/* Room of a node for all that it ever holds, and the list it begins with. */
static qdr_status open_node(pass *p, int64_t number) {
    int last = p->torus.dimensions - 1;
    node *made = &p->node[p->nodes++];
    int64_t half = longest(p, last), room = 2 * half;
    if (p->bound[last][number] > room) room = p->bound[last][number];
    if (half > QDRI_PART / (int64_t)sizeof(qdri_question))
        return qdri_fail(QDR_ERR_RANGE,
                         "a list of %" PRId64 " ids is longer than a message; use fewer dimensions, or the "
                         "method 'directory'",
                         half);
    *made = (node){.number = number, .passes_only = number >= p->torus.ranks, .half = half};
    made->list = QDRI_FLIGHT_ARRAY(p->flight, qdri_question, room);
    made->legs = qdri_flight_legs(p->flight, 2);
    if (!made->list || !made->legs) return qdri_fail_memory();
    qdri_report_memory(p->query, p->query->report.memory + room * (int64_t)sizeof(qdri_question));
    if (made->passes_only) return QDR_OK;
    qdri_questions_list(p->query, made->list);
    made->count = qdri_answers_take(&p->answers, made->list, qdri_questions_count(p->query));
    return QDR_OK;
}

static qdr_status prepare(pass *p) {
    int rank = p->query->rank;
    QDRI_TRY(add_up(p));
    QDRI_TRY(qdri_answers_open(p->query, &p->answers));
    qdri_report_memory(p->query, qdri_shelf_bytes(&p->answers.own));
    QDRI_TRY(open_node(p, rank));
    if (rank + (int64_t)p->torus.ranks < qdri_torus_nodes(&p->torus))
        QDRI_TRY(open_node(p, rank + (int64_t)p->torus.ranks));
    return QDR_OK;
}

/* ---- passing on ---------------------------------------------------------------------------------------- */

static int tag_for(const pass *p, int64_t number) {
    return QDRI_TAG_PASS + (number >= p->torus.ranks);
}

/* Where the list of this step comes to: behind the collection, or in the other half. */
static int64_t place_for(const node *one, int is_last) {
    if (!is_last) return one->count;
    return one->at < one->half ? one->half : 0;
}

static void exchange(pass *p, node *one, int dimension, int step, int is_last) {
    qdri_wire *wire = p->query->wire;
    int64_t to = qdri_torus_step(&p->torus, one->number, dimension, 1);
    int64_t from = qdri_torus_step(&p->torus, one->number, dimension, -1);
    int64_t whose = qdri_torus_step(&p->torus, one->number, dimension, -step);
    int64_t each = (int64_t)sizeof(qdri_question);
    qdri_flight_leg *in = &one->legs[0], *out = &one->legs[1];
    in->is_receive = 1;
    qdri_flight_note(in, qdri_receive(wire, &in->operation, qdri_torus_host(&p->torus, from),
                                      tag_for(p, one->number), one->list + place_for(one, is_last),
                                      p->bound[dimension][whose] * each));
    qdri_flight_note(out, qdri_send(wire, &out->operation, qdri_torus_host(&p->torus, to), tag_for(p, to),
                                    one->list + one->at, one->length * each));
    if (qdri_torus_host(&p->torus, to) == p->query->rank) return;
    p->query->report.lists++;
    p->query->report.sent += one->length * each;
}

static void take(pass *p, node *one, int is_last) {
    int64_t came = one->legs[0].operation.bytes / (int64_t)sizeof(qdri_question);
    one->at = place_for(one, is_last);
    one->length = one->passes_only ? came : qdri_answers_take(&p->answers, one->list + one->at, came);
    if (!is_last) one->count += one->length;
}

static qdr_status go_round(pass *p, int dimension) {
    int is_last = dimension == p->torus.dimensions - 1;
    for (int i = 0; i < p->nodes; i++) {
        p->node[i].at = 0;
        p->node[i].length = p->node[i].count;
    }
    for (int step = 1; step < p->torus.length[dimension]; step++) {
        for (int i = 0; i < p->nodes && !p->flight->failed; i++)
            exchange(p, &p->node[i], dimension, step, is_last);
        QDRI_TRY(qdri_flight_wait_midway(p->flight));
        for (int i = 0; i < p->nodes; i++) take(p, &p->node[i], is_last);
        p->query->report.steps++;
    }
    return QDR_OK;
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

static qdr_status run(pass *p) {
    QDRI_TRY(learn_counts(p));
    QDRI_TRY(qdri_flight_agree(p->query->wire, p->flight, "qdr_resolve", prepare(p)));
    for (int d = 0; d < p->torus.dimensions; d++) QDRI_TRY(go_round(p, d));
    qdri_report_memory(p->query,
                       p->query->report.memory + 2 * p->answers.count * (int64_t)sizeof(qdri_answer_note));
    return qdri_answers_deliver(&p->answers);
}

qdr_status qdri_resolve_by_torus(qdri_query *query, int dimensions) {
    pass p = {.query = query, .torus = qdri_torus_make(query->ranks, dimensions)};
    p.flight = qdri_flight_create(query->wire, "passing on of lists");
    qdr_status status =
        qdri_flight_agree(query->wire, p.flight, "qdr_resolve", p.flight ? QDR_OK : qdri_fail_memory());
    if (status == QDR_OK) status = run(&p);
    qdri_answers_close(&p.answers);
    qdri_flight_end(&p.flight);
    return status;
}

static qdr_status by_ring(qdri_query *query) {
    return qdri_resolve_by_torus(query, 1);
}

const qdri_resolution qdri_resolve_ring = {
    .name = "ring",
    .summary = "every list visits every rank: n - 1 steps",
    .memory = "two lists, and an index of what it owns",
    .run = by_ring,
};

static const qdri_option torus_options[] = {
    {"dimensions", QDRI_INTEGER, "2", 1, QDRI_TORUS_DIMENSIONS, NULL, "of the torus; lg n: a hypercube", 1},
};

static qdr_status by_torus(qdri_query *query) {
    return qdri_resolve_by_torus(query, (int)qdri_spec_integer(query->spec, "dimensions"));
}

const qdri_resolution qdri_resolve_torus = {
    .name = "torus",
    .summary = "collections of lists go round in k dimensions: about k n^(1/k) steps",
    .memory = "the lists of n^((k-1)/k) ranks, twice, and an index of what it owns",
    QDRI_OPTIONS(torus_options),
    .run = by_torus,
};
