/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The strict executor behind the checker. It knows nothing of methods. Every message is cut into segments, each
 * with the rank that holds it; a move must take a range that its sender holds, and holds since before this
 * phase, and gives it to the receiver. What came in must have found room before anything was freed.
 *
 * Neighbouring segments of one holder are joined as the walk along a message meets them, so that a message that
 * moves from its beginning to its end is two segments however many phases it takes. Cost: O(segments of the
 * message) per move.
 */
#include "migrate/moves/state.h"

#include "base/error.h"

/* Twice as much as can be moved at all: more room makes no difference, and sums of it might overflow. */
#define ENDLESS (INT64_C(1) << 61)

#define BROKEN(...) qdri_fail(QDR_ERR_BROKEN, __VA_ARGS__)

qdr_status qdri_state_open(qdri_state *state, const qdr_pattern_view *view, const int64_t *room,
                           qdri_budget *budget) {
    *state = (qdri_state){.view = *view, .budget = budget, .gone = -1};
    state->room = QDRI_BUDGET_ARRAY(budget, int64_t, view->ranks);
    state->came = QDRI_BUDGET_ZERO_ARRAY(budget, int64_t, view->ranks);
    state->went = QDRI_BUDGET_ZERO_ARRAY(budget, int64_t, view->ranks);
    state->segment = QDRI_BUDGET_ARRAY(budget, qdri_moved_segment, view->messages);
    if (!state->room || !state->came || !state->went || !state->segment) {
        qdri_state_close(state);
        return qdri_fail_memory();
    }
    for (int rank = 0; rank < view->ranks; rank++)
        state->room[rank] = room[rank] < ENDLESS ? room[rank] : ENDLESS;
    for (int64_t m = 0; m < view->messages; m++) /* what has no units need not move */
        state->segment[m] = (qdri_moved_segment){
            .next = -1, .arrived = -1, .holder = view->items[m] > 0 ? view->origin[m] : view->destination[m]};
    state->segments = state->capacity = view->messages;
    return QDR_OK;
}

void qdri_state_close(qdri_state *state) {
    qdri_budget_free(state->budget, state->room);
    qdri_budget_free(state->budget, state->came);
    qdri_budget_free(state->budget, state->went);
    qdri_budget_free(state->budget, state->segment);
    state->room = state->came = state->went = NULL;
    state->segment = NULL;
}

/* ---- segments ------------------------------------------------------------------------------------------ */

static int64_t end_of(const qdri_state *state, int64_t message, int64_t s) {
    int64_t next = state->segment[s].next;
    return next < 0 ? state->view.items[message] : state->segment[next].offset;
}

static void join_next(qdri_state *state, int64_t s) {
    int64_t next = state->segment[s].next;
    state->segment[s].next = state->segment[next].next;
    state->segment[next].next = state->gone;
    state->gone = next;
}

static int alike(const qdri_state *state, int64_t s) {
    const qdri_moved_segment *one = &state->segment[s];
    if (one->next < 0) return 0;
    const qdri_moved_segment *other = &state->segment[one->next];
    return one->holder == other->holder &&
           (one->arrived == other->arrived || (one->arrived < state->phase && other->arrived < state->phase));
}

/* Makes a segment begin at `offset`, inside segment s. */
static qdr_status cut(qdri_state *state, int64_t s, int64_t offset) {
    int64_t made = state->gone;
    if (made < 0) {
        if (!qdri_budget_grow(state->budget, &state->segment, &state->capacity, state->segments + 1,
                              sizeof *state->segment))
            return qdri_fail_memory();
        made = state->segments++;
    } else {
        state->gone = state->segment[made].next;
    }
    state->segment[made] = state->segment[s];
    state->segment[made].offset = offset;
    state->segment[s].next = made;
    return QDR_OK;
}

/* ---- one move ------------------------------------------------------------------------------------------ */

static qdr_status check_shape(const qdri_state *state, const qdr_move *move) {
    const qdr_pattern_view *view = &state->view;
    if (move->from < 0 || move->from >= view->ranks || move->to < 0 || move->to >= view->ranks ||
        move->from == move->to || move->message < 0 || move->message >= view->messages)
        return BROKEN("phase %lld: a move of message %lld from rank %d to rank %d, which cannot be",
                      (long long)state->phase, (long long)move->message, move->from, move->to);
    int64_t items = view->items[move->message];
    if (move->units < 1 || move->offset < 0 || move->units > items || move->offset > items - move->units)
        return BROKEN("phase %lld: rank %d sends %lld units from %lld on of message %d->%d, which has %lld",
                      (long long)state->phase, move->from, (long long)move->units, (long long)move->offset,
                      view->origin[move->message], view->destination[move->message], (long long)items);
    if (move->from == view->destination[move->message])
        return BROKEN("phase %lld: rank %d sends away units of message %d->%d, which are where they belong",
                      (long long)state->phase, move->from, view->origin[move->message], move->from);
    return QDR_OK;
}

static qdr_status check_held(const qdri_state *state, const qdr_move *move, int64_t s) {
    const qdri_moved_segment *segment = &state->segment[s];
    int origin = state->view.origin[move->message], destination = state->view.destination[move->message];
    if (segment->holder != move->from)
        return BROKEN("phase %lld: rank %d sends unit %lld of message %d->%d, which rank %d holds",
                      (long long)state->phase, move->from,
                      (long long)(segment->offset > move->offset ? segment->offset : move->offset), origin,
                      destination, segment->holder);
    if (segment->arrived == state->phase)
        return BROKEN(
            "phase %lld: rank %d sends on unit %lld of message %d->%d, which only comes in this phase",
            (long long)state->phase, move->from, (long long)segment->offset, origin, destination);
    return QDR_OK;
}

static qdr_status apply_move(qdri_state *state, const qdr_move *move) {
    QDRI_TRY(check_shape(state, move));
    int64_t s = move->message, end = move->offset + move->units;
    for (;; s = state->segment[s].next) { /* to the segment in which the range begins */
        while (alike(state, s)) join_next(state, s);
        if (end_of(state, move->message, s) > move->offset) break;
    }
    if (state->segment[s].offset < move->offset) {
        QDRI_TRY(check_held(state, move, s));
        QDRI_TRY(cut(state, s, move->offset));
        s = state->segment[s].next;
    }
    for (; s >= 0 && state->segment[s].offset < end; s = state->segment[s].next) {
        QDRI_TRY(check_held(state, move, s));
        if (end_of(state, move->message, s) > end) QDRI_TRY(cut(state, s, end));
        state->segment[s].holder = move->to;
        state->segment[s].arrived = state->phase;
    }
    state->came[move->to] += move->units;
    state->went[move->from] += move->units;
    return QDR_OK;
}

/* ---- one phase ----------------------------------------------------------------------------------------- */

static qdr_status settle(qdri_state *state, int rank) {
    int64_t came = state->came[rank], went = state->went[rank];
    if (came > state->room[rank])
        return BROKEN("phase %lld: rank %d takes in %lld units, but has room for %lld",
                      (long long)state->phase, rank, (long long)came, (long long)state->room[rank]);
    state->room[rank] += went - came;
    state->came[rank] = state->went[rank] = 0; /* a rank occurs in many moves */
    return QDR_OK;
}

qdr_status qdri_state_apply(qdri_state *state, const qdr_move *move, int64_t moves) {
    for (int64_t i = 0; i < moves; i++) QDRI_TRY(apply_move(state, &move[i]));
    for (int64_t i = 0; i < moves; i++) {
        QDRI_TRY(settle(state, move[i].to));
        QDRI_TRY(settle(state, move[i].from));
    }
    state->phase++;
    return QDR_OK;
}

qdr_status qdri_state_finish(const qdri_state *state) {
    for (int64_t m = 0; m < state->view.messages; m++)
        for (int64_t s = m; s >= 0; s = state->segment[s].next)
            if (state->segment[s].holder != state->view.destination[m])
                return BROKEN("at the end rank %d holds unit %lld of message %d->%d",
                              state->segment[s].holder, (long long)state->segment[s].offset,
                              state->view.origin[m], state->view.destination[m]);
    return QDR_OK;
}
