/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The books (ledger.h). Two rooms per rank are kept: what is left of the room with which the phase began, into
 * which data may come, and the room with which the next one will begin. Sending frees the second alone; so a
 * method that never takes in more than the first cannot break the rule.
 */
#include "migrate/moves/ledger.h"

#include <string.h>

static int64_t *copy(qdri_budget *budget, const int64_t *from, int64_t count) {
    int64_t *made = QDRI_BUDGET_ARRAY(budget, int64_t, count);
    if (made) memcpy(made, from, (size_t)count * sizeof *from);
    return made;
}

qdr_status qdri_ledger_open(qdri_ledger *ledger, const qdri_moves_request *request, qdri_phases *phases) {
    const qdr_pattern_view *view = &request->view;
    qdri_budget *budget = request->budget;
    int ranks = view->ranks;
    int64_t longest = 0;
    *ledger = (qdri_ledger){.request = request, .phases = phases, .free_part = -1};
    ledger->remaining = request->total;
    for (int rank = 0; rank < ranks; rank++)
        longest = qdri_most(longest, view->column_start[rank + 1] - view->column_start[rank]);
    ledger->room = copy(budget, request->room, ranks);
    ledger->next = copy(budget, request->room, ranks);
    ledger->left = copy(budget, view->items, view->messages);
    ledger->outgoing = copy(budget, request->out, ranks);
    ledger->direct = copy(budget, request->in, ranks);
    ledger->parked = QDRI_BUDGET_ZERO_ARRAY(budget, int64_t, ranks);
    ledger->column = copy(budget, view->column_message, view->messages);
    ledger->columns = QDRI_BUDGET_ARRAY(budget, int64_t, ranks);
    ledger->first_part = QDRI_BUDGET_ARRAY(budget, int64_t, ranks);
    ledger->priority = QDRI_BUDGET_ARRAY(budget, int64_t, ranks);
    ledger->offer = QDRI_BUDGET_ARRAY(budget, int64_t, longest);
    ledger->told = QDRI_BUDGET_ARRAY(budget, int64_t, longest);
    ledger->buffer = QDRI_BUDGET_ARRAY(budget, int64_t, longest);
    ledger->take = QDRI_BUDGET_ARRAY(budget, int64_t, longest);
    ledger->scratch = QDRI_BUDGET_ARRAY(budget, qdri_heap_entry, longest);
    if (!ledger->room || !ledger->next || !ledger->left || !ledger->outgoing || !ledger->direct ||
        !ledger->parked || !ledger->column || !ledger->columns || !ledger->first_part || !ledger->priority ||
        !ledger->offer || !ledger->told || !ledger->buffer || !ledger->take || !ledger->scratch) {
        qdri_ledger_close(ledger);
        return qdri_fail_memory();
    }
    for (int rank = 0; rank < ranks; rank++) {
        ledger->columns[rank] = view->column_start[rank + 1] - view->column_start[rank];
        ledger->first_part[rank] = -1;
    }
    return QDR_OK;
}

void qdri_ledger_close(qdri_ledger *ledger) {
    qdri_budget *budget = ledger->request->budget;
    qdri_budget_free(budget, ledger->room);
    qdri_budget_free(budget, ledger->next);
    qdri_budget_free(budget, ledger->left);
    qdri_budget_free(budget, ledger->outgoing);
    qdri_budget_free(budget, ledger->direct);
    qdri_budget_free(budget, ledger->parked);
    qdri_budget_free(budget, ledger->column);
    qdri_budget_free(budget, ledger->columns);
    qdri_budget_free(budget, ledger->first_part);
    qdri_budget_free(budget, ledger->part);
    qdri_budget_free(budget, ledger->priority);
    qdri_budget_free(budget, ledger->offer);
    qdri_budget_free(budget, ledger->told);
    qdri_budget_free(budget, ledger->buffer);
    qdri_budget_free(budget, ledger->take);
    qdri_budget_free(budget, ledger->scratch);
}

int64_t qdri_ledger_senders(qdri_ledger *ledger, int rank, const int64_t **list) {
    int64_t *column = ledger->column + ledger->request->view.column_start[rank], kept = 0;
    for (int64_t i = 0; i < ledger->columns[rank]; i++)
        if (ledger->left[column[i]] > 0) column[kept++] = column[i];
    ledger->columns[rank] = kept;
    *list = column;
    return kept;
}

/* Both rooms, and the move itself. */
static qdr_status move(qdri_ledger *ledger, qdr_move move) {
    ledger->room[move.to] -= move.units;
    ledger->next[move.to] -= move.units;
    ledger->next[move.from] += move.units;
    return qdri_phases_add(ledger->phases, move);
}

static qdr_status park(qdri_ledger *ledger, const qdr_move *move, int destination) {
    int64_t place = ledger->free_part;
    if (place < 0) {
        if (!qdri_budget_grow(ledger->request->budget, &ledger->part, &ledger->part_capacity,
                              ledger->parts + 1, sizeof *ledger->part))
            return qdri_fail_memory();
        place = ledger->parts++;
    } else {
        ledger->free_part = ledger->part[place].next;
    }
    ledger->part[place] = (qdri_waiting_part){.message = move->message,
                                              .offset = move->offset,
                                              .units = move->units,
                                              .next = ledger->first_part[destination],
                                              .holder = move->to};
    ledger->first_part[destination] = place;
    ledger->parked[destination] += move->units;
    ledger->total_parked += move->units;
    return QDR_OK;
}

qdr_status qdri_ledger_send(qdri_ledger *ledger, int64_t message, int64_t units, int to) {
    const qdr_pattern_view *view = &ledger->request->view;
    int from = view->origin[message], destination = view->destination[message];
    qdr_move made = {.message = message,
                     .offset = view->items[message] - ledger->left[message],
                     .units = units,
                     .from = from,
                     .to = to};
    ledger->left[message] -= units;
    ledger->outgoing[from] -= units;
    ledger->direct[destination] -= units;
    if (to == destination)
        ledger->remaining -= units;
    else
        QDRI_TRY(park(ledger, &made, destination));
    return move(ledger, made);
}

qdr_status qdri_ledger_forward(qdri_ledger *ledger, int rank, int64_t units) {
    while (units > 0) {
        int64_t place = ledger->first_part[rank];
        qdri_waiting_part *part = &ledger->part[place];
        int64_t taken = qdri_least(units, part->units);
        qdr_move made = {part->message, part->offset, taken, part->holder, rank};
        part->offset += taken;
        part->units -= taken;
        if (part->units == 0) {
            ledger->first_part[rank] = part->next;
            part->next = ledger->free_part;
            ledger->free_part = place;
        }
        ledger->parked[rank] -= taken;
        ledger->remaining -= taken;
        units -= taken;
        QDRI_TRY(move(ledger, made));
    }
    return QDR_OK;
}

void qdri_ledger_tell(qdri_ledger *ledger) {
    for (int rank = 0; rank < ledger->request->view.ranks; rank++)
        ledger->priority[rank] =
            qdri_robust_priority(ledger->room[rank], ledger->direct[rank] + ledger->parked[rank]);
}

qdr_status qdri_ledger_receive(qdri_ledger *ledger, int rank, qdri_first first, int64_t buffer) {
    const int64_t *list;
    if (ledger->room[rank] == 0 || ledger->direct[rank] == 0) return QDR_OK;
    int64_t senders = qdri_ledger_senders(ledger, rank, &list);
    for (int64_t i = 0; i < senders; i++) {
        ledger->offer[i] = ledger->left[list[i]];
        ledger->told[i] = ledger->priority[ledger->request->view.origin[list[i]]];
        ledger->buffer[i] = buffer > 0 ? buffer : ledger->offer[i];
    }
    qdri_robust_choose(first, ledger->room[rank], senders, ledger->offer, ledger->buffer, ledger->told,
                       ledger->scratch, ledger->take);
    for (int64_t i = 0; i < senders; i++)
        if (ledger->take[i] > 0) QDRI_TRY(qdri_ledger_send(ledger, list[i], ledger->take[i], rank));
    return QDR_OK;
}

qdr_status qdri_ledger_turn(qdri_ledger *ledger) {
    memcpy(ledger->room, ledger->next, (size_t)ledger->request->view.ranks * sizeof *ledger->room);
    return qdri_phases_end(ledger->phases);
}
