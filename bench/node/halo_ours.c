/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Maps of this library, made from what the receivers know.
 *
 *     ours            into any array of the user
 *     ours-incoming   what came is used where the library has it
 *     ours-unordered  of sums: contributions as they arrive, instead of by rising rank
 */
#include "halo.h"

#include <stdlib.h>

#include "quadrille/map.h"

typedef struct mapped {
    qdr_map *map;
    qdr_field field[3];
    int fields;
    qdr_pending *exchange; /* under way */
} mapped;

static void check(qdr_status status, const char *what) {
    if (status) give_up("%s: %s", what, qdr_error_message());
}

static mapped *mapped_open(const halo *h, const qdr_map_options *options) {
    mapped *m = room(1, sizeof *m);
    int64_t *count = room((size_t)h->receive.partners, sizeof *count);
    int64_t *local = room((size_t)h->ghosts, sizeof *local),
            *remote = room((size_t)h->ghosts, sizeof *remote);
    for (int i = 0; i < h->receive.partners; i++) count[i] = h->receive.count[i];
    for (int k = 0; k < h->ghosts; k++) {
        local[k] = h->receive.index[k];
        remote[k] = h->remote[k];
    }
    qdr_indices needs = {.partners = h->receive.partners,
                         .rank = h->receive.rank,
                         .count = count,
                         .place = local,
                         .partner_place = remote};
    check(qdr_map_create(h->comm, NULL, &needs, options, &m->map), "qdr_map_create");
    free(count), free(local), free(remote);
    return m;
}

void *ours_open(const halo *h, void *data, int width) {
    mapped *m = mapped_open(h, NULL);
    m->field[m->fields++] = (qdr_field){.source = data, .target = data, .type = QDR_DOUBLE, .width = width};
    return m;
}

static void *incoming_open(const halo *h, void *data, int width) {
    qdr_map_options options = QDR_MAP_OPTIONS;
    options.keeps_incoming = 1;
    mapped *m = mapped_open(h, &options);
    m->field[m->fields++] = (qdr_field){.source = data, .type = QDR_DOUBLE, .width = width};
    return m;
}

static void forward_run(void *state) {
    mapped *m = state;
    check(qdr_map_exchange(m->map, QDR_FORWARD, m->fields, m->field), "qdr_map_exchange");
}

void ours_begin(void *state) {
    mapped *m = state;
    check(qdr_map_start(m->map, QDR_FORWARD, m->fields, m->field, &m->exchange), "qdr_map_start");
}

void ours_end(void *state) {
    mapped *m = state;
    check(qdr_wait(&m->exchange), "qdr_wait");
}

static const double *incoming(void *state, int source) {
    return qdr_map_incoming(((mapped *)state)->map, QDR_FORWARD, source, 0);
}

void ours_close(void *state) {
    mapped *m = state;
    check(qdr_map_destroy(&m->map), "qdr_map_destroy");
    free(m);
}

const method ours_methods[] = {
    {"ours", OURS, ours_open, forward_run, ours_close, NULL},
    {"ours-incoming", OURS, incoming_open, forward_run, ours_close, incoming},
    {0},
};

/* ---- sums ---------------------------------------------------------------------------------------------- */

static void *open_sums(const halo *h, const sum_fields *fields, int width, int unordered) {
    qdr_map_options options = QDR_MAP_OPTIONS;
    options.reverse = QDR_REVERSE_COMBINE;
    options.unordered = unordered;
    mapped *m = mapped_open(h, &options);
    void *array[] = {fields->one, fields->three, fields->whole};
    int values[] = {1, 3, width};
    qdr_type type[] = {QDR_DOUBLE, QDR_DOUBLE, QDR_INT64};
    for (int i = 0; i < COUNT(array); i++)
        m->field[m->fields++] = (qdr_field){.source = array[i],
                                            .target = array[i],
                                            .type = type[i],
                                            .width = values[i],
                                            .operation = QDR_SUM};
    return m;
}

static void *sums_open(const halo *h, void *data, int width) {
    return open_sums(h, data, width, 0);
}

static void *unordered_open(const halo *h, void *data, int width) {
    return open_sums(h, data, width, 1);
}

static void reverse_run(void *state) {
    mapped *m = state;
    check(qdr_map_exchange(m->map, QDR_REVERSE, m->fields, m->field), "qdr_map_exchange");
}

const method ours_sums[] = {
    {"ours", OURS, sums_open, reverse_run, ours_close, NULL},
    {"ours-unordered", OURS, unordered_open, reverse_run, ours_close, NULL},
    {0},
};
