/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The hypercube with e-cube routing: rank i is node i of the smallest cube that holds the machine, and a
 * route corrects the differing bits from the lowest to the highest (NICE, section 2; the iPSC/860). Link node
 * * dimensions + d leaves `node` along dimension d. A cube that is not full is still wired as a whole, so a
 * route may pass through nodes without a rank. Cost of a route: O(its length).
 */
#include "topology.h"

typedef struct cube {
    int dimensions;
} cube;

#define LIST(X) QDRI_COMMON_OPTIONS(X, "1", "1us", "0.1ns")
static const qdri_option options[] = {LIST(QDRI_OPTION_ENTRY)};

static int enclosing(int nodes) {
    int dimensions = 0;
    while (INT64_C(1) << dimensions < nodes) dimensions++;
    return dimensions;
}

static qdr_status form(const qdri_spec *spec, qdri_frame *frame, void *shape) {
    cube *self = shape;
    (void)spec;
    self->dimensions = enclosing(frame->size);
    frame->links = (int64_t)self->dimensions << self->dimensions;
    frame->route_limit = enclosing(frame->ranks);
    return QDR_OK;
}

static int route(const void *shape, int from, int to, int64_t *list) {
    const cube *self = shape;
    int length = 0, at = from;
    for (int d = 0; at != to; d++) {
        if (!((at ^ to) >> d & 1)) continue;
        length = qdri_route_add(list, length, (int64_t)at * self->dimensions + d);
        at ^= 1 << d;
    }
    return length;
}

const qdri_topology qdri_hypercube = {
    .name = "hypercube",
    .summary = "binary cube, e-cube routing from the lowest dimension up",
    .example = "hypercube:switching=circuit,hop=10us",
    .source = "defaults: round figures of a fast cluster",
    QDRI_OPTIONS(options),
    .help = LIST(QDRI_OPTION_LINE),
    .shape_size = sizeof(cube),
    .form = form,
    .route = route,
};
