/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * recursive: lg n stages of store and forward (REX of the CM-5 paper, section 3.3). The ranks are cut into a
 * lower and an upper half; each rank exchanges with its opposite all it holds for the other half, what it
 * received included; then each half does the same. Few startups, each byte travels up to lg n times.
 *
 * For n that is no power of two the halves of a range of m ranks have ceil(m/2) and floor(m/2). The last of a
 * larger lower half has no opposite: it gives what it holds for the upper half to the last of that half, in a
 * second phase.
 *
 * In stage s rank r holds, for its range, the messages of a set of origins that follows from the same rule
 * backwards: those it held before, and those of the ranks that sent to it. A destination range is contiguous
 * in the pattern's rows. So nothing need be written out, and all rows cost O(n^2) and their pieces: right
 * where most ranks have messages for most others, which take up to n^2 lg n pieces, and wrong where few have.
 * There the way of each message is walked (handed.h).
 *
 * A plan needs none of this: to whom a message goes next follows from ranks alone (handing.h).
 */
#include "schedule/algorithm.h"
#include "schedule/handed.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "pattern/pattern.h"

typedef struct range {
    int low, size;
} range;

static int lower_size(range r) {
    return r.size - r.size / 2;
}

static int in_lower(range r, int rank) {
    return rank - r.low < lower_size(r);
}

static range half_of(range r, int rank) {
    int lower = lower_size(r);
    return in_lower(r, rank) ? (range){r.low, lower} : (range){r.low + lower, r.size - lower};
}

static range other_half(range r, int rank) {
    int lower = lower_size(r);
    return in_lower(r, rank) ? (range){r.low + lower, r.size - lower} : (range){r.low, lower};
}

static range range_at(int ranks, int rank, int stage) {
    range r = {0, ranks};
    for (; stage > 0 && r.size > 1; stage--) r = half_of(r, rank);
    return r;
}

/* To whom a rank gives what it holds for the other half. */
static int opposite(range r, int rank) {
    int lower = lower_size(r), upper = r.size - lower, place = rank - r.low;
    if (place >= lower) return rank - lower;
    return place < upper ? rank + lower : r.low + r.size - 1;
}

static int has_opposite(range r, int rank) {
    return rank - r.low >= lower_size(r) || rank - r.low < r.size - lower_size(r);
}

/* Those whose opposite is `rank`: its own opposite, and for the last of an upper half the one that has none.
 */
static int givers(range r, int rank, int giver[2]) {
    int count = 0;
    if (has_opposite(r, rank)) giver[count++] = opposite(r, rank);
    if (rank == r.low + r.size - 1 && r.size % 2) giver[count++] = r.low + lower_size(r) - 1;
    return count;
}

static int stages_of(int ranks) {
    int stages = 1;
    for (int64_t reach = 2; reach < ranks; reach *= 2) stages++;
    return stages;
}

/* ---- handing on ---------------------------------------------------------------------------------------- */

static int next_of(int ranks, int stage, int at, int destination) {
    range here = range_at(ranks, at, stage);
    return here.size < 2 || in_lower(here, at) == in_lower(here, destination) ? at : opposite(here, at);
}

static int64_t phase_of(int ranks, int stage, int from, int to) {
    (void)to;
    return !has_opposite(range_at(ranks, from, stage), from);
}

static const qdri_handing handing = {.stages = stages_of, .next = next_of, .phase = phase_of};

/* ---- dense patterns ------------------------------------------------------------------------------------ */

/* Appends the origins whose messages are at `rank` when `stage` begins. */
static int64_t collect_origins(int ranks, int rank, int stage, int *origin, int64_t count) {
    if (stage == 0) {
        origin[count] = rank;
        return count + 1;
    }
    range before = range_at(ranks, rank, stage - 1);
    int giver[2];
    count = collect_origins(ranks, rank, stage - 1, origin, count);
    if (before.size < 2) return count;
    int givers_here = givers(before, rank, giver);
    for (int g = 0; g < givers_here; g++) count = collect_origins(ranks, giver[g], stage - 1, origin, count);
    return count;
}

/* ---- sparse patterns ----------------------------------------------------------------------------------- */

static void release(void *state) {
    if (state) qdri_handed_free(state);
    free(state);
}

static void walk(const qdr_pattern_view *view, const void *about, const qdri_handed *to) {
    (void)about;
    for (int64_t m = 0; m < view->messages; m++) {
        range here = {0, view->ranks};
        int at = view->origin[m], end = view->destination[m];
        for (int64_t stage = 0; here.size > 1; stage++) {
            if (in_lower(here, at) != in_lower(here, end)) {
                qdri_handed_put(to, view, stage, at, m);
                at = opposite(here, at);
            }
            here = half_of(here, at);
        }
    }
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

static int compare_ranks(const void *left, const void *right) {
    const int *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/* The pieces that `from` hands over for the destinations of `target`, by rising origins. */
static void add_pieces(const qdr_pattern_view *view, const qdri_handed *known, int from, int stage,
                       range target, qdr_row_reader *reader) {
    if (known->message) {
        const int64_t *start = &known->start[(int64_t)stage * view->ranks + from];
        for (int64_t i = start[0]; i < start[1]; i++) {
            int64_t m = known->message[i];
            qdri_row_piece(reader, view->origin[m], view->destination[m], 0, view->items[m]);
        }
        return;
    }
    int *origin = qdri_row_scratch(reader, 0, view->ranks, sizeof *origin);
    if (!origin) return;
    int64_t origins = collect_origins(view->ranks, from, stage, origin, 0);
    qsort(origin, (size_t)origins, sizeof *origin, compare_ranks);
    for (int64_t o = 0; o < origins; o++)
        for (int64_t m = qdri_pattern_position(view, origin[o], target.low);
             m < view->row_start[origin[o] + 1] && view->destination[m] < target.low + target.size; m++)
            qdri_row_piece(reader, origin[o], view->destination[m], 0, view->items[m]);
}

static qdr_status read_row(const qdr_schedule *schedule, int rank, int stage, qdr_row_reader *reader) {
    qdr_pattern_view view = qdr_pattern_look(schedule->pattern);
    range here = range_at(view.ranks, rank, stage);
    int giver[2];
    if (here.size < 2) return QDR_OK;
    if (reader->wants & QDRI_WANT_SENDS) {
        qdri_row_send(reader, !has_opposite(here, rank), opposite(here, rank));
        add_pieces(&view, schedule->state, rank, stage, other_half(here, rank), reader);
    }
    if (!(reader->wants & QDRI_WANT_RECEIVES)) return QDR_OK;
    int count = givers(here, rank, giver);
    for (int g = 0; g < count; g++) {
        qdri_row_receive(reader, !has_opposite(here, giver[g]), giver[g]);
        add_pieces(&view, schedule->state, giver[g], stage, half_of(here, rank), reader);
    }
    return QDR_OK;
}

static const qdri_rows rows = {read_row, release};

static qdr_status build(const qdri_request *request, qdr_schedule *schedule) {
    schedule->stages = stages_of(request->view.ranks);
    schedule->rows = &rows;
    qdri_handed *made = schedule->state = QDRI_ZERO_ARRAY(qdri_handed, 1);
    if (!made) return qdri_fail_memory();
    return qdri_handed_walk(&request->view, schedule->stages, walk, NULL, made);
}

const qdri_algorithm qdri_algorithm_recursive = {
    .name = "recursive",
    .aliases = "REX",
    .summary = "lg n stages: exchange with the other half all that is for it, then halve",
    .source = "CM-5 3.3",
    .knowledge = QDR_KNOWS_ROW,
    .promises = QDR_PROMISES_PERMUTATION | QDR_PROMISES_PAIRS,
    .staged = 1,
    .handing = &handing,
    .build = build,
};
