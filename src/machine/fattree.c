/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The fat tree, by capacity: ranks are the leaves of a tree of the given arity, and every subtree of height
 * h >= 1 has one link up and one down with the whole bandwidth of all its wires. Machines that spread packets
 * over those wires at random (the CM-5) are described by exactly this total, and "no shared link"
 * means a load within it.
 *
 * `link` is what one rank has, link * growth^h what a subtree of height h has; growth = arity is a full fat
 * tree. Above `tapered` levels the tree grows by its arity, i.e. keeps its bandwidth per rank: CM-5, arity 4,
 * growth 2, tapered 2: 20, 10 and 5 MB/s per rank, and 5 from there on (Transportation, section 4.1; CM-5
 * paper, section 2). The wire of a single rank is its port and no link, so ranks of one lowest subtree have
 * no link between them.
 *
 * A route climbs to the lowest common subtree and descends: 2 (h - 1) links, O(1) each. The links of height h
 * begin at first[h]; subtree s has first[h] + 2 s up and the next number down.
 */
#include "topology.h"

enum { MOST_LEVELS = 25 };

typedef struct fattree {
    int arity;
    int height; /* of the smallest whole tree that holds the machine */
    int64_t first[MOST_LEVELS + 1];
    double capacity[MOST_LEVELS];
} fattree;

#define LIST(X)                                                                                              \
    X("arity", INTEGER, "4", 2, QDRI_MACHINE_RANKS, NULL, "subtrees of a tree, ranks of the lowest")         \
    X("growth", REAL, "", 1e-3, 1e6, NULL, "bandwidth of a tree over that of a subtree; absent: arity")      \
    X("tapered", INTEGER, "", 0, MOST_LEVELS, NULL, "levels that grow so, arity above; absent: all levels")  \
    QDRI_COMMON_OPTIONS(X, "1", "1us", "0.1ns")
static const qdri_option options[] = {LIST(QDRI_OPTION_ENTRY)};

static int height_of(int64_t leaves, int arity) {
    int height = 0;
    for (int64_t held = 1; held < leaves; held *= arity) height++;
    return height;
}

static qdr_status form(const qdri_spec *spec, qdri_frame *frame, void *shape) {
    fattree *self = shape;
    const qdri_value *growth = qdri_spec_get(spec, "growth"), *tapered = qdri_spec_get(spec, "tapered");
    int64_t subtrees = frame->size;
    double capacity = frame->link;
    self->arity = (int)qdri_spec_integer(spec, "arity");
    self->height = height_of(frame->size, self->arity);
    for (int h = 1; h <= self->height; h++) {
        int thin = growth->present && (!tapered->present || h <= tapered->integer);
        subtrees = (subtrees + self->arity - 1) / self->arity;
        capacity *= thin ? growth->real : self->arity;
        self->capacity[h] = capacity;
        self->first[h + 1] = self->first[h] + 2 * subtrees;
    }
    int used = height_of(frame->ranks, self->arity);
    frame->links = self->first[self->height]; /* the whole tree has nowhere to go */
    frame->route_limit = used > 1 ? 2 * (used - 1) : 0;
    return QDR_OK;
}

static int route(const void *shape, int from, int to, int64_t *list) {
    const fattree *self = shape;
    int64_t source = from / self->arity, target = to / self->arity;
    int climbed = 0;
    for (int64_t s = source, t = target; s != t; s /= self->arity, t /= self->arity) climbed++;
    for (int h = 1; h <= climbed; h++) {
        qdri_route_add(list, h - 1, self->first[h] + 2 * source);
        qdri_route_add(list, 2 * climbed - h, self->first[h] + 2 * target + 1);
        source /= self->arity;
        target /= self->arity;
    }
    return 2 * climbed;
}

static double bandwidth(const void *shape, int64_t link) {
    const fattree *self = shape;
    int h = 1;
    while (link >= self->first[h + 1]) h++;
    return self->capacity[h];
}

const qdri_topology qdri_fattree = {
    .name = "fattree",
    .summary = "fat tree with one link up and one down per subtree, as wide as all its wires together",
    .example = "fattree:arity=4,growth=2,link=20MB/s,mu=0.1us",
    .source = "defaults: round figures of a fast cluster",
    QDRI_OPTIONS(options),
    .help = LIST(QDRI_OPTION_LINE),
    .shape_size = sizeof(fattree),
    .form = form,
    .route = route,
    .bandwidth = bandwidth,
    .links_are_cuts = 1,
};
