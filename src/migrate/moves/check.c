/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The checker: it carries the moves out on a strict state (state.c) that begins with the pattern, and believes
 * nothing but that. Beside it, what a view says about itself: the order of moves, the sums.
 */
#include "migrate/moves/moves.h"
#include "migrate/moves/state.h"

#define BROKEN(...) qdri_fail(QDR_ERR_BROKEN, __VA_ARGS__)

/* By receiver, sender, message, offset, each strictly later than the one before. */
static int in_order(const qdr_move *a, const qdr_move *b) {
    if (a->to != b->to) return a->to < b->to;
    if (a->from != b->from) return a->from < b->from;
    if (a->message != b->message) return a->message < b->message;
    return a->offset < b->offset;
}

static qdr_status check_order(const qdr_moves_view *view, int64_t phase) {
    int64_t first = view->phase_start[phase], last = view->phase_start[phase + 1];
    if (first >= last) return BROKEN("phase %lld has no moves", (long long)phase);
    for (int64_t i = first + 1; i < last; i++)
        if (!in_order(&view->move[i - 1], &view->move[i]))
            return BROKEN("phase %lld: the move of message %lld to rank %d is out of order", (long long)phase,
                          (long long)view->move[i].message, view->move[i].to);
    return QDR_OK;
}

static qdr_status apply_all(qdri_state *state, const qdr_moves_view *view) {
    for (int64_t phase = 0; phase < view->phases; phase++) {
        int64_t first = view->phase_start[phase];
        QDRI_TRY(check_order(view, phase));
        QDRI_TRY(qdri_state_apply(state, view->move + first, view->phase_start[phase + 1] - first));
    }
    return qdri_state_finish(state);
}

static qdr_status check_sums(const qdr_pattern_view *pattern, const qdr_moves_view *view) {
    int64_t total = 0, parked = 0;
    for (int64_t m = 0; m < pattern->messages; m++) total += pattern->items[m];
    for (int64_t i = 0; i < view->phase_start[view->phases]; i++) {
        const qdr_move *move = &view->move[i];
        if (move->from == pattern->origin[move->message] && move->to != pattern->destination[move->message])
            parked += move->units;
    }
    if (view->total != total || view->parked != parked)
        return BROKEN(
            "the moves say that %lld units are to be moved and %lld are parked; it is %lld and %lld",
            (long long)view->total, (long long)view->parked, (long long)total, (long long)parked);
    return QDR_OK;
}

qdr_status qdr_moves_check(const qdr_pattern *pattern, const int64_t *room, const qdr_moves *moves) {
    if (!pattern || !room || !moves)
        return qdri_fail(QDR_ERR_INVALID, "qdr_moves_check: an argument is NULL");
    qdr_pattern_view matrix = qdr_pattern_look(pattern);
    qdr_moves_view view = qdr_moves_look(moves);
    if (matrix.ranks != view.ranks)
        return BROKEN("the pattern has %d ranks, the moves %d", matrix.ranks, view.ranks);
    qdri_state state;
    QDRI_TRY(qdri_state_open(&state, &matrix, room, NULL));
    qdr_status status = apply_all(&state, &view);
    qdri_state_close(&state);
    return status == QDR_OK ? check_sums(&matrix, &view) : status;
}
