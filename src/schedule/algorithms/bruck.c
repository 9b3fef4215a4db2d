/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bruck: lg n / lg r stages of store and forward, for any n (schedule/bruck.h). Where `recursive` halves the ranks, here all
 * of them do the same: in each stage they hand on, around the circle, whatever has one more digit of its distance to go. A
 * radix of 2 has the fewest messages, and moves each byte most often: (lg n) / 2 times in the mean. A radix of n sends
 * everything at once and directly, as `linear` does.
 *
 * A plan runs it without a schedule (plan/executors/stages.c): who is handed what follows from ranks alone, and sizes travel
 * with the bytes. So sizes may change at every call, and nobody knows more than his own row and column. With another
 * pacing a plan runs the schedule that is made here, of the whole pattern.
 */
#include "schedule/algorithm.h"
#include "schedule/bruck.h"

#include <stdlib.h>

#include "pattern/pattern.h"

static int around(int ranks, int64_t rank) {
    return (int)((rank % ranks + ranks) % ranks);
}

/* What `from` hands on in a step; both ends see it in this order. */
static void add_pieces(const qdr_pattern_view *view, int64_t radix, int from, const qdri_bruck_step *step,
                       qdr_row_reader *reader) {
    for (int64_t distance = step->ahead; distance < view->ranks;
         distance = qdri_bruck_distance_after(radix, step, distance)) {
        int origin = around(view->ranks, from - distance % step->weight),
            end = around(view->ranks, origin + distance);
        int64_t m = qdri_pattern_position(view, origin, end);
        if (m < view->row_start[origin + 1] && view->destination[m] == end)
            qdri_row_piece(reader, origin, end, 0, view->items[m]);
    }
}

static qdr_status read_row(const qdr_schedule *schedule, int rank, int stage, qdr_row_reader *reader) {
    qdr_pattern_view view = qdr_pattern_look(schedule->pattern);
    int64_t radix = *(const int64_t *)schedule->state;
    qdri_bruck_step step;
    for (int goes_on = qdri_bruck_begin(view.ranks, &step); goes_on;
         goes_on = qdri_bruck_next(view.ranks, radix, &step)) {
        int64_t phase = step.ahead / step.weight - 1;
        int to = around(view.ranks, rank + step.ahead), from = around(view.ranks, rank - step.ahead);
        if (step.stage != stage) continue;
        if (reader->wants & QDRI_WANT_SENDS) {
            qdri_row_send(reader, phase, to);
            add_pieces(&view, radix, rank, &step, reader);
        }
        if (reader->wants & QDRI_WANT_RECEIVES) {
            qdri_row_receive(reader, phase, from);
            add_pieces(&view, radix, from, &step, reader);
        }
    }
    return QDR_OK;
}

static const qdri_rows rows = {read_row, free};

static qdr_status build(const qdri_request *request, qdr_schedule *schedule) {
    int64_t *radix = QDRI_ARRAY(int64_t, 1);
    if (!radix) return qdri_fail_memory();
    *radix = qdri_spec_integer(request->options, "radix");
    schedule->stages = qdri_bruck_stages(request->view.ranks, *radix);
    schedule->state = radix;
    schedule->rows = &rows;
    return QDR_OK;
}

static const qdri_option options[] = {
    {"radix", QDRI_INTEGER, "2", 2, 1 << 30, NULL,
     "of distances: a larger one has more messages and fewer stages", 1},
    QDRI_PACE_OPTIONS,
};

const qdri_algorithm qdri_algorithm_bruck = {
    .name = "bruck",
    .aliases = "",
    .summary = "lg n stages around the circle: hand on what has that digit of its distance to go",
    .source = "Bruck; with sizes that differ: TuNA",
    .knowledge = QDR_KNOWS_ROW_AND_COLUMN,
    .promises = QDR_PROMISES_PERMUTATION,
    .staged = 1,
    .pacing = "stages",
    QDRI_OPTIONS(options),
    .build = build,
};
