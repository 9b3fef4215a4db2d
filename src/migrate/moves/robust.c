/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * robust: figure 4 of the paper in synchronous rounds. In each, every rank that has room and data to receive
 * asks its senders, one after the other by priority, for as much as they have, as their buffer holds and as
 * there is room for. Nobody parks, and a rank decides from what its neighbours tell it, so that on MPI the same
 * decision needs no global step (section 3.2).
 *
 * Each round moves something or nothing ever will: a rank is stuck for good when those that have room have
 * nothing to receive. Then the method refuses. Figure 3 with full ranks is the smallest case.
 */
#include "migrate/moves/robust.h"

#include "migrate/moves/ledger.h"

static double urgency(qdri_first first, int64_t index, const int64_t *remaining, const int64_t *priority) {
    switch (first) {
    case QDRI_FIRST_STARVED:
        return -(double)priority[index];
    case QDRI_FIRST_LARGEST:
        return -(double)remaining[index];
    case QDRI_FIRST_SMALLEST:
        return (double)remaining[index];
    case QDRI_FIRST_RANK:
        break;
    }
    return 0;
}

int64_t qdri_robust_choose(qdri_first first, int64_t room, int64_t count, const int64_t *remaining,
                           const int64_t *buffer, const int64_t *priority, qdri_heap_entry *scratch,
                           int64_t *take) {
    qdri_heap heap = {.entry = scratch};
    int64_t wanted = 0, taken = 0;
    for (int64_t i = 0; i < count; i++) {
        take[i] = buffer ? qdri_least(remaining[i], buffer[i]) : remaining[i];
        wanted += take[i];
    }
    if (wanted <= room) return wanted;
    for (int64_t i = 0; i < count; i++)
        if (take[i] > 0) qdri_heap_push(&heap, urgency(first, i, remaining, priority), i);
    while (heap.count > 0) {
        int64_t i = qdri_heap_pop(&heap).id;
        take[i] = qdri_least(take[i], room - taken);
        taken += take[i];
        if (taken < room) continue;
        for (int64_t rest = 0; rest < heap.count; rest++) take[heap.entry[rest].id] = 0;
        break;
    }
    return taken;
}

static qdr_status run_rounds(qdri_ledger *ledger, qdri_first first, int64_t buffer, int *stuck) {
    int ranks = ledger->request->view.ranks;
    while (ledger->remaining > 0) {
        int64_t before = ledger->remaining;
        int waiting = -1;
        qdri_ledger_tell(ledger);
        for (int rank = 0; rank < ranks; rank++) {
            if (ledger->direct[rank] == 0) continue;
            if (waiting < 0) waiting = rank;
            QDRI_TRY(qdri_ledger_receive(ledger, rank, first, buffer));
        }
        if (ledger->remaining == before) {
            *stuck = waiting;
            return QDR_OK;
        }
        QDRI_TRY(qdri_ledger_turn(ledger));
    }
    return QDR_OK;
}

qdr_status qdri_robust_run(const qdri_moves_request *request, qdri_first first, int64_t buffer,
                           qdri_phases *phases, int *stuck) {
    qdri_ledger ledger;
    *stuck = -1;
    QDRI_TRY(qdri_ledger_open(&ledger, request, phases));
    qdr_status status = run_rounds(&ledger, first, buffer, stuck);
    qdri_ledger_close(&ledger);
    return status;
}

static qdr_status build(const qdri_moves_request *request, qdri_phases *phases, const char **taken) {
    int stuck;
    (void)taken;
    QDRI_TRY(qdri_robust_run(request, (qdri_first)qdri_spec_integer(request->options, "first"),
                             qdri_spec_integer(request->options, "buffer"), phases, &stuck));
    if (stuck < 0) return QDR_OK;
    return qdri_refuse(
        request,
        "robust is stuck after %lld phases: rank %d waits for data and has no room, and ranks with "
        "room wait for nothing",
        (long long)phases->count, stuck);
}

static const qdri_option options[] = {
    QDRI_FIRST_OPTION,
    {"buffer", QDRI_INTEGER, "0", 0, 1e18, NULL, "units one rank sends to another in a phase; 0: no limit",
     0},
};

const qdri_moves_method qdri_moves_robust = {
    .name = "robust",
    .summary = "rounds in which each rank takes what it has room for; neighbours alone decide",
    .promise = "no parking; refuses when all ranks that wait are full",
    QDRI_OPTIONS(options),
    .build = build,
};
