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
#include "schedule/handed.h"

#include <stdlib.h>

#include "pattern/pattern.h"

static int around(int ranks, int64_t rank) {
    return (int)((rank % ranks + ranks) % ranks);
}

typedef struct circle {
    int64_t radix;
    qdri_handed known;
} circle;

static void release(void *state) {
    circle *content = state;
    if (!content) return;
    qdri_handed_free(&content->known);
    free(content);
}

static void walk(const qdr_pattern_view *view, const void *about, const qdri_handed *to) {
    const int64_t radix = ((const circle *)about)->radix;
    for (int64_t m = 0; m < view->messages; m++) {
        int64_t at = view->origin[m], left = around(view->ranks, view->destination[m] - at), weight = 1;
        for (int64_t stage = 0; left > 0; stage++, weight *= radix) {
            int64_t ahead = left % (weight * radix);
            if (ahead == 0) continue;
            qdri_handed_put(to, view, stage, at, m);
            at = around(view->ranks, at + ahead);
            left -= ahead;
        }
    }
}

static void add_known(const qdr_pattern_view *view, const circle *how, int from, const qdri_bruck_step *step,
                      qdr_row_reader *reader) {
    int64_t place = (int64_t)step->stage * view->ranks + from;
    for (int64_t i = how->known.start[place]; i < how->known.start[place + 1]; i++) {
        int64_t m = how->known.message[i],
                distance = around(view->ranks, view->destination[m] - view->origin[m]);
        if (distance / step->weight % how->radix * step->weight == step->ahead)
            qdri_row_piece(reader, view->origin[m], view->destination[m], 0, view->items[m]);
    }
}

/* What `from` hands on in a step; both ends see it in this order. */
static void add_pieces(const qdr_pattern_view *view, const circle *how, int from, const qdri_bruck_step *step,
                       qdr_row_reader *reader) {
    int64_t radix = how->radix;
    if (how->known.message) {
        add_known(view, how, from, step, reader);
        return;
    }
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
    const circle *how = schedule->state;
    qdri_bruck_step step;
    for (int goes_on = qdri_bruck_begin(view.ranks, &step); goes_on;
         goes_on = qdri_bruck_next(view.ranks, how->radix, &step)) {
        int64_t phase = step.ahead / step.weight - 1;
        int to = around(view.ranks, rank + step.ahead), from = around(view.ranks, rank - step.ahead);
        if (step.stage != stage) continue;
        if (reader->wants & QDRI_WANT_SENDS) {
            qdri_row_send(reader, phase, to);
            add_pieces(&view, how, rank, &step, reader);
        }
        if (reader->wants & QDRI_WANT_RECEIVES) {
            qdri_row_receive(reader, phase, from);
            add_pieces(&view, how, from, &step, reader);
        }
    }
    return QDR_OK;
}

static const qdri_rows rows = {read_row, release};

static qdr_status build(const qdri_request *request, qdr_schedule *schedule) {
    const qdr_pattern_view *view = &request->view;
    circle *made = QDRI_ZERO_ARRAY(circle, 1);
    if (!made) return qdri_fail_memory();
    made->radix = qdri_spec_integer(request->options, "radix");
    schedule->stages = qdri_bruck_stages(view->ranks, made->radix);
    schedule->state = made;
    schedule->rows = &rows;
    return qdri_handed_walk(view, schedule->stages, walk, made, &made->known);
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
