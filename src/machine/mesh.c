/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Mesh and torus of 1 to 6 dimensions with dimension-order routing: a message travels along the columns' axis
 * first, then along the next; on a torus the shorter way round, upwards when both are equal. Rank r is at
 * column r mod columns, row r / columns mod rows, and so on. Of each node, link 2 d leads up and link 2 d + 1
 * down along axis d; at the rim of a mesh those numbers stay unused. Extents that are not given are chosen
 * nearly equal, exact where a divisor is near the root, so that 32 nodes are 8 x 4 and not 6 x 6. Cost of a
 * route: O(its length).
 */
#include "topology.h"

#include "base/error.h"

enum { MOST_DIMENSIONS = 6, NAMED = 3, MOST_NODES = 1 << 28 };

typedef struct mesh {
    int dimensions;
    int wraps;
    int64_t extent[MOST_DIMENSIONS];
} mesh;

#define LIST(X)                                                                                              \
    X("columns", INTEGER, "", 1, QDRI_MACHINE_RANKS, NULL,                                                   \
      "extent of the first axis; absent: nearly square")                                                     \
    X("rows", INTEGER, "", 1, QDRI_MACHINE_RANKS, NULL, "extent of the second axis")                         \
    X("planes", INTEGER, "", 1, QDRI_MACHINE_RANKS, NULL, "extent of the third axis")                        \
    X("dimensions", INTEGER, "", 1, MOST_DIMENSIONS, NULL, "number of axes; absent: 2, or as extents need")  \
    QDRI_COMMON_OPTIONS(X, "1", "1us", "0.1ns")
static const qdri_option options[] = {LIST(QDRI_OPTION_ENTRY)};

static const char *const axis_key[NAMED] = {"columns", "rows", "planes"};

/* base^exponent, or `ceiling` when it is not below that. */
static int64_t power(int64_t base, int exponent, int64_t ceiling) {
    int64_t product = 1;
    while (exponent-- > 0 && product < ceiling) product *= base;
    return product < ceiling ? product : ceiling;
}

static int64_t share(int64_t nodes, int axes) {
    int64_t root = 1;
    if (axes == 1) return nodes;
    while (power(root, axes, nodes) < nodes) root++;
    for (int64_t divisor = root; 10 * divisor <= 16 * root; divisor++)
        if (nodes % divisor == 0) return divisor;
    return root;
}

static int count_dimensions(const qdri_spec *spec) {
    const qdri_value *asked = qdri_spec_get(spec, "dimensions");
    int named = 2;
    if (asked->present) return (int)asked->integer;
    for (int d = 0; d < NAMED; d++)
        if (qdri_spec_get(spec, axis_key[d])->present && named < d + 1) named = d + 1;
    return named;
}

/* Fixes the extents that the spec names, and counts the axes left. */
static qdr_status fix_extents(const qdri_spec *spec, mesh *self, int *open, int64_t *fixed) {
    *open = self->dimensions;
    *fixed = 1;
    for (int d = 0; d < NAMED; d++) {
        const qdri_value *asked = qdri_spec_get(spec, axis_key[d]);
        if (!asked->present) continue;
        if (d >= self->dimensions)
            return qdri_spec_fail(spec, QDR_ERR_RANGE, "'%s' is an axis beyond dimensions=%d", axis_key[d],
                                  self->dimensions);
        if (*fixed > MOST_NODES / asked->integer)
            return qdri_spec_fail(spec, QDR_ERR_RANGE, "more than %d nodes", MOST_NODES);
        self->extent[d] = asked->integer;
        *fixed *= asked->integer;
        --*open;
    }
    return QDR_OK;
}

static qdr_status choose_extents(const qdri_spec *spec, const qdri_frame *frame, mesh *self, int64_t *nodes) {
    int size = frame->size;
    int open;
    QDRI_TRY(fix_extents(spec, self, &open, nodes));
    int64_t needed = (size + *nodes - 1) / *nodes;
    for (int d = 0; d < self->dimensions; d++) {
        if (self->extent[d]) continue;
        self->extent[d] = share(needed, open--);
        needed = (needed + self->extent[d] - 1) / self->extent[d];
        *nodes *= self->extent[d];
    }
    if (*nodes < size)
        return qdri_spec_fail(spec, QDR_ERR_RANGE, "its %lld places cannot hold %d %s", (long long)*nodes,
                              size, frame->places);
    return QDR_OK;
}

static qdr_status form(const qdri_spec *spec, qdri_frame *frame, mesh *self) {
    int64_t nodes, stride = 1;
    self->dimensions = count_dimensions(spec);
    QDRI_TRY(choose_extents(spec, frame, self, &nodes));
    frame->links = nodes * 2 * self->dimensions;
    frame->route_limit = 0;
    for (int d = 0; d < self->dimensions; d++) {
        int64_t used = (frame->ranks + stride - 1) / stride; /* coordinates that occur among the ranks */
        int64_t longest = (used < self->extent[d] ? used : self->extent[d]) - 1;
        if (self->wraps && longest > self->extent[d] / 2) longest = self->extent[d] / 2;
        frame->route_limit += (int)longest;
        stride *= self->extent[d];
    }
    return QDR_OK;
}

static qdr_status form_mesh(const qdri_spec *spec, qdri_frame *frame, void *shape) {
    return form(spec, frame, shape);
}

static qdr_status form_torus(const qdri_spec *spec, qdri_frame *frame, void *shape) {
    mesh *self = shape;
    self->wraps = 1;
    return form(spec, frame, self);
}

/* Steps from one coordinate to another: positive upwards, negative downwards. */
static int64_t steps(const mesh *self, int d, int64_t from, int64_t to) {
    int64_t extent = self->extent[d], up = to - from;
    if (!self->wraps) return up;
    if (up < 0) up += extent;
    return 2 * up <= extent ? up : up - extent;
}

static int route(const void *shape, int from, int to, int64_t *list) {
    const mesh *self = shape;
    int64_t node = from, start = from, goal = to, stride = 1;
    int length = 0;
    for (int d = 0; d < self->dimensions; d++) {
        int64_t extent = self->extent[d], at = start % extent;
        int64_t way = steps(self, d, at, goal % extent), forward = way > 0 ? 1 : -1;
        for (; way != 0; way -= forward) {
            length = qdri_route_add(list, length, (node * self->dimensions + d) * 2 + (forward < 0));
            int64_t next = (at + forward + extent) % extent;
            node += (next - at) * stride;
            at = next;
        }
        start /= extent;
        goal /= extent;
        stride *= extent;
    }
    return length;
}

const qdri_topology qdri_mesh = {
    .name = "mesh",
    .summary = "mesh of 1 to 6 dimensions, dimension-order routing",
    .example = "mesh:columns=8,tau=1us,mu=1ns",
    .source = "defaults: round figures of a fast cluster",
    QDRI_OPTIONS(options),
    .help = LIST(QDRI_OPTION_LINE),
    .shape_size = sizeof(mesh),
    .form = form_mesh,
    .route = route,
};

const qdri_topology qdri_torus = {
    .name = "torus",
    .summary = "torus of 1 to 6 dimensions, dimension-order routing, the shorter way round",
    .example = "torus:dimensions=3,hop=50ns",
    .source = "defaults: round figures of a fast cluster",
    QDRI_OPTIONS(options),
    .help = LIST(QDRI_OPTION_LINE),
    .shape_size = sizeof(mesh),
    .form = form_torus,
    .route = route,
};
