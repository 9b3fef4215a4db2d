/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The crossbar: every rank reaches every other through a switch that is never the bottleneck. There are no
 * links; contention is at the ports alone. This is the machine of the transportation paper (section 4.2: tau
 * and mu independent of congestion and distance) and of a small switched Ethernet.
 */
#include "topology.h"

#define LIST(X) QDRI_COMMON_OPTIONS(X, "1", "1us", "0.1ns")
static const qdri_option options[] = {LIST(QDRI_OPTION_ENTRY)};

qdr_status qdri_crossbar_form(const qdri_spec *spec, qdri_frame *frame, void *shape) {
    (void)spec;
    (void)shape;
    frame->links = 0;
    frame->route_limit = 0;
    return QDR_OK;
}

int qdri_crossbar_route(const void *shape, int from, int to, int64_t *list) {
    (void)shape;
    (void)from;
    (void)to;
    (void)list;
    return 0;
}

const qdri_topology qdri_crossbar = {
    .name = "crossbar",
    .summary = "all ranks at one switch without links of its own: only ports are contended",
    .example = "crossbar:tau=20us,rate=10Gbit/s",
    .source = "defaults: round figures of a fast cluster",
    QDRI_OPTIONS(options),
    .help = LIST(QDRI_OPTION_LINE),
    .shape_size = 0,
    .form = qdri_crossbar_form,
    .route = qdri_crossbar_route,
};
