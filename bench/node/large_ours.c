/* SPDX-License-Identifier: BSD-3-Clause */
/* This library's ways: a plan where bytes lie ready, a map where elements lie at random places. */
#include <stdlib.h>

#include "large.h"
#include "quadrille/map.h"

typedef struct ours {
    qdr_plan *plan;
    qdr_map *map;
    qdr_buffers buffers;
    qdr_field field;
} ours;

static void check(qdr_status status, const char *what) {
    if (status) give_up("%s: %s", what, qdr_error_message());
}

/* The ranks that have anything, and how many items each. */
static int partners_of(int ranks, const int64_t *bytes, int64_t item, int *rank, int64_t *items) {
    int count = 0;
    for (int r = 0; r < ranks; r++)
        if (bytes[r] > 0) {
            rank[count] = r;
            items[count++] = bytes[r] / item;
        }
    return count;
}

static void *ours_open(const traffic *t) {
    ours *o = room(1, sizeof *o);
    int to[MOST_RANKS], from[MOST_RANKS];
    int64_t out[MOST_RANKS], in[MOST_RANKS], item = t->is_map ? ELEMENT : 1;
    int sends = partners_of(t->ranks, t->out, item, to, out);
    int receives = partners_of(t->ranks, t->in, item, from, in);
    if (t->is_map) {
        qdr_indices outgoing = {.partners = sends, .rank = to, .count = out, .place = t->from};
        qdr_indices incoming = {.partners = receives, .rank = from, .count = in, .place = t->to};
        check(qdr_map_create(t->comm, &outgoing, &incoming, NULL, &o->map), "qdr_map_create");
        o->field = (qdr_field){.source = t->outgoing,
                               .target = t->incoming,
                               .type = QDR_DOUBLE,
                               .width = ELEMENT / sizeof(double)};
        return o;
    }
    qdr_partners *partners = NULL;
    check(qdr_partners_from_both(t->comm, sends, to, out, receives, from, in, 1, &partners),
          "qdr_partners_from_both");
    check(qdr_plan_create(partners, NULL, &o->plan), "qdr_plan_create");
    qdr_partners_destroy(&partners);
    o->buffers = (qdr_buffers){0};
    o->buffers.item_bytes = 1;
    o->buffers.outgoing_base = t->outgoing;
    o->buffers.incoming_base = t->incoming;
    return o;
}

static void ours_run(void *state) {
    ours *o = state;
    if (o->map)
        check(qdr_map_exchange(o->map, QDR_FORWARD, 1, &o->field), "qdr_map_exchange");
    else
        check(qdr_plan_exchange(o->plan, &o->buffers), "qdr_plan_exchange");
}

static void ours_close(void *state) {
    ours *o = state;
    check(qdr_plan_destroy(&o->plan), "qdr_plan_destroy");
    check(qdr_map_destroy(&o->map), "qdr_map_destroy");
    free(o);
}

const large_method large_ours[] = {{"ours", OURS, ours_open, ours_run, ours_close}, {0}};
