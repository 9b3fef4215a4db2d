/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The grid: clusters of equal size (to within one rank; ranks in blocks), each a crossbar, and one wide-area
 * link from each cluster to every other, shared by all that goes that way. The link's own latency is added to
 * every message that crosses it.
 *
 * The defaults are the two clusters of the InterComm paper, section 3: 200 Mbit/s at each rank
 * (channel-bonded Fast Ethernet), Internet2 between Maryland and Ohio. The paper gives no figures for
 * Internet2 or for the startup: 1 Gbit/s, 10 ms and 100 us are typical of those years.
 */
#include "topology.h"

enum { MOST_CLUSTERS = 1 << 12 };

typedef struct grid {
    int64_t clusters, size;
    double wide, latency;
} grid;

#define LIST(X)                                                                                              \
    X("clusters", INTEGER, "2", 1, MOST_CLUSTERS, NULL, "clusters of equal size")                            \
    X("wan", RATE, "1Gbit/s", 1e-3, 1e15, NULL, "wide-area link from one cluster to another")                \
    X("latency", TIME, "10ms", 0, 1e6, NULL, "of a wide-area link")                                          \
    QDRI_COMMON_OPTIONS(X, "1", "100us", "40ns")
static const qdri_option options[] = {LIST(QDRI_OPTION_ENTRY)};

static int64_t cluster_of(const grid *self, int rank) {
    return rank * self->clusters / self->size;
}

static qdr_status form(const qdri_spec *spec, qdri_frame *frame, void *shape) {
    grid *self = shape;
    self->clusters = qdri_spec_integer(spec, "clusters");
    self->size = frame->size;
    self->wide = qdri_spec_real(spec, "wan");
    self->latency = qdri_spec_real(spec, "latency");
    frame->links = self->clusters * (self->clusters - 1);
    frame->route_limit = cluster_of(self, frame->ranks - 1) > 0;
    return QDR_OK;
}

static int route(const void *shape, int from, int to, int64_t *list) {
    const grid *self = shape;
    int64_t home = cluster_of(self, from), away = cluster_of(self, to);
    if (home == away) return 0;
    return qdri_route_add(list, 0, home * (self->clusters - 1) + qdri_other(home, away));
}

static double bandwidth(const void *shape, int64_t link) {
    const grid *self = shape;
    (void)link;
    return self->wide;
}

static double latency(const void *shape, int from, int to) {
    const grid *self = shape;
    return cluster_of(self, from) == cluster_of(self, to) ? 0 : self->latency;
}

const qdri_topology qdri_grid = {
    .name = "grid",
    .summary = "clusters, each a crossbar, with a shared wide-area link between each two",
    .example = "grid:clusters=2,wan=1Gbit/s,latency=10ms",
    .source = "InterComm, section 3: 200 Mbit/s at each rank; wide-area link and startup are estimates",
    QDRI_OPTIONS(options),
    .help = LIST(QDRI_OPTION_LINE),
    .shape_size = sizeof(grid),
    .form = form,
    .route = route,
    .bandwidth = bandwidth,
    .latency = latency,
};
