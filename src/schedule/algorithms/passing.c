/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages that are passed on: see passing.h. */
#include "schedule/algorithms/passing.h"

#include <stdlib.h>

qdri_node_shape qdri_node_shape_of(const qdri_request *request) {
    int ranks = request->view.ranks,
        size = request->machine ? qdr_machine_look(request->machine)->node_ranks : 1;
    return (qdri_node_shape){ranks, size, (ranks + size - 1) / size};
}

void qdri_pass(qdri_passing *passing, int stage, int64_t phase, int to) {
    if (to == passing->at || passing->failed) return;
    passing->failed =
        !qdri_grow(&passing->entry, &passing->capacity, passing->count + 1, sizeof *passing->entry);
    if (passing->failed) return;
    passing->entry[passing->count++] = (qdri_piece_entry){
        .stage = stage, .phase = (int32_t)phase, .from = passing->at, .to = to, .piece = passing->piece};
    passing->at = to;
}

void qdri_pass_round(qdri_passing *passing, const qdri_passing_circle *circle) {
    int64_t place = circle->from, left = (circle->to - circle->from + circle->count) % circle->count,
            weight = 1;
    for (int step = 0; left > 0; step++, weight *= circle->radix) {
        int64_t ahead = left % (weight * circle->radix);
        if (ahead == 0) continue;
        place = (place + ahead) % circle->count;
        left -= ahead;
        qdri_pass(passing, passing->stage + step, ahead / weight - 1,
                  circle->first + (int)place * circle->apart);
    }
}

qdr_status qdri_rows_from_passed(qdri_passing *passing, qdr_schedule *schedule) {
    if (!passing->failed) return qdri_rows_from_entries(schedule, passing->entry, passing->count);
    free(passing->entry);
    return qdri_fail_memory();
}

qdr_status qdri_rows_from_passing(const qdri_request *request, qdr_schedule *schedule,
                                  void (*walk)(qdri_passing *passing),
                                  int (*stages)(const qdri_node_shape *shape, const qdri_spec *options)) {
    const qdr_pattern_view *view = &request->view;
    qdri_passing passing = {.shape = qdri_node_shape_of(request), .options = request->options};
    for (int64_t m = 0; m < view->messages && !passing.failed; m++) {
        passing.at = view->origin[m];
        passing.end = view->destination[m];
        passing.stage = 0;
        passing.piece = (qdr_piece){passing.at, passing.end, 0, view->items[m]};
        walk(&passing);
    }
    schedule->stages = stages(&passing.shape, request->options);
    return qdri_rows_from_passed(&passing, schedule);
}
