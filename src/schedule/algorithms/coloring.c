/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * coloring: the fewest phases there can be. A phase without node contention is a matching of senders with
 * receivers, so phases are the colours of an edge colouring of a bipartite graph, and by Koenig's theorem as
 * many suffice as the busiest rank has messages. RS_N needs about log d more, and the papers leave it at
 * that; the Euler splits of edge_coloring.c find the optimum at about the same cost.
 */
#include "schedule/algorithm.h"

#include <stdlib.h>

#include "schedule/algorithms/edge_coloring.h"

static qdr_status build(const qdri_request *request, qdr_schedule *schedule) {
    const qdr_pattern_view *view = &request->view;
    int32_t phases = 0, *phase_of = QDRI_ARRAY(int32_t, view->messages);
    if (!phase_of) return qdri_fail_memory();
    qdr_status status =
        qdri_edge_coloring(view->ranks, view->messages, view->origin, view->destination, phase_of, &phases);
    if (status != QDR_OK) {
        free(phase_of);
        return status;
    }
    return qdri_rows_from_array(schedule, phase_of, phases);
}

const qdri_algorithm qdri_algorithm_coloring = {
    .name = "coloring",
    .aliases = "",
    .spellings = "colouring",
    .summary = "exact edge colouring: as many phases as the busiest rank has messages",
    .source = "Koenig; Alon; Goel, Kapralov and Khanna",
    .knowledge = QDR_KNOWS_MATRIX,
    .promises = QDR_PROMISES_PERMUTATION,
    .build = build,
};
