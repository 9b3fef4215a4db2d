/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A list of phases that grows. Methods add moves in whatever order they find them; when a phase ends its moves
 * are sorted by receiver, sender, message and offset, and parts that touch become one, so that the schedule
 * is the same however it was found. Sorting is in place (a heap): what a schedule costs is what is counted.
 */
#include "migrate/moves/moves.h"

void qdri_phases_open(qdri_phases *phases, qdri_budget *budget) {
    *phases = (qdri_phases){.budget = budget, .most = QDRI_PHASES_LIMIT};
}

void qdri_phases_close(qdri_phases *phases) {
    qdri_budget_free(phases->budget, phases->move);
    qdri_budget_free(phases->budget, phases->start);
    qdri_phases_open(phases, phases->budget);
}

qdr_status qdri_phases_add(qdri_phases *phases, qdr_move move) {
    if (!qdri_budget_grow(phases->budget, &phases->move, &phases->capacity, phases->moves + 1,
                          sizeof *phases->move))
        return qdri_fail_memory();
    phases->move[phases->moves++] = move;
    return QDR_OK;
}

static int comes_before(const qdr_move *a, const qdr_move *b) {
    if (a->to != b->to) return a->to < b->to;
    if (a->from != b->from) return a->from < b->from;
    if (a->message != b->message) return a->message < b->message;
    return a->offset < b->offset;
}

static void sink(qdr_move *move, int64_t place, int64_t count) {
    qdr_move sinking = move[place];
    for (int64_t child; (child = 2 * place + 1) < count; place = child) {
        if (child + 1 < count && comes_before(&move[child], &move[child + 1])) child++;
        if (!comes_before(&sinking, &move[child])) break;
        move[place] = move[child];
    }
    move[place] = sinking;
}

static int is_sorted(const qdr_move *move, int64_t count) {
    for (int64_t i = 1; i < count; i++)
        if (comes_before(&move[i], &move[i - 1])) return 0;
    return 1;
}

static void sort(qdr_move *move, int64_t count) {
    if (is_sorted(move, count)) return;
    for (int64_t place = count / 2 - 1; place >= 0; place--) sink(move, place, count);
    for (int64_t last = count - 1; last > 0; last--) {
        qdr_move largest = move[0];
        move[0] = move[last];
        move[last] = largest;
        sink(move, 0, last);
    }
}

static int64_t join(qdr_move *move, int64_t count) {
    int64_t kept = 0;
    for (int64_t i = 1; i < count; i++) {
        qdr_move *last = &move[kept];
        if (last->to == move[i].to && last->from == move[i].from && last->message == move[i].message &&
            last->offset + last->units == move[i].offset)
            last->units += move[i].units;
        else
            move[++kept] = move[i];
    }
    return kept + 1;
}

qdr_status qdri_phases_end(qdri_phases *phases) {
    int64_t first = phases->start ? phases->start[phases->count] : 0, count = phases->moves - first;
    if (count == 0) return QDR_OK;
    if (phases->count >= phases->most)
        return qdri_fail(QDR_ERR_RANGE, "the schedule has more than %lld phases", (long long)phases->most);
    if (phases->counts_only) {
        phases->moves = 0;
        phases->count++;
        return QDR_OK;
    }
    if (!qdri_budget_grow(phases->budget, &phases->start, &phases->start_capacity, phases->count + 2,
                          sizeof *phases->start))
        return qdri_fail_memory();
    sort(phases->move + first, count);
    phases->moves = first + join(phases->move + first, count);
    phases->start[0] = 0;
    phases->start[++phases->count] = phases->moves;
    return QDR_OK;
}

int64_t qdri_phases_parked(const qdri_phases *phases, const qdr_pattern_view *view) {
    int64_t parked = 0;
    for (int64_t i = 0; i < phases->moves; i++) {
        const qdr_move *move = &phases->move[i];
        if (move->from == view->origin[move->message] && move->to != view->destination[move->message])
            parked += move->units;
    }
    return parked;
}
