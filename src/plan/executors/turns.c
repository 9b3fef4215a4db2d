/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pacing by turns, as the papers' programs ran their phases: with blocking calls. A rank has one transfer under way, in or out,
 * and begins its next when that has ended, in the order of schedule/turns.h. There are no invitations and no barriers. This is
 * the way to run on machines whose sends are synchronous, and the slowest on most others: it is here to repeat the papers'
 * measurements.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "plan/plan.h"
#include "schedule/turns.h"

typedef struct turns {
    qdri_turn *turn; /* by number: hops */
    int64_t count, next;
    int is_busy;
} turns;

static void list(turns *state, const qdri_program *program, const qdri_side *side, int is_send) {
    for (int64_t i = 0; i < side->hops; i++) {
        const qdri_hop *hop = &side->hop[i];
        state->turn[state->count++] = (qdri_turn){.stage = hop->stage,
                                                  .from = is_send ? program->rank : hop->partner,
                                                  .to = is_send ? hop->partner : program->rank,
                                                  .phase = hop->phase,
                                                  .number = i};
    }
}

static qdr_status open_turns(qdri_exchange *slot) {
    const qdri_program *program = slot->program;
    turns *state = slot->state;
    *state = (turns){.turn = QDRI_ARRAY(qdri_turn, program->out.hops + program->in.hops)};
    if (!state->turn) return qdri_fail_memory();
    list(state, program, &program->out, 1);
    list(state, program, &program->in, 0);
    qdri_turns_sort(program->ranks, slot->candidate->promises, state->count, state->turn);
    return QDR_OK;
}

static void close_turns(qdri_exchange *slot) {
    free(((turns *)slot->state)->turn);
}

static void go_on(qdri_exchange *exchange) {
    turns *state = exchange->state;
    while (!state->is_busy && !exchange->failed && state->next < state->count) {
        const qdri_turn *turn = &state->turn[state->next];
        int is_send = turn->from == exchange->program->rank;
        int64_t bytes = (is_send ? &exchange->out : &exchange->in)->flow[turn->number].bytes;
        if (turn->stage > exchange->stage) return;
        state->next++;
        state->is_busy = bytes > 0;
        if (is_send && bytes > 0) qdri_chunk_send(exchange, turn->number, bytes);
        if (!is_send && bytes > 0) qdri_chunk_receive(exchange, turn->number, bytes);
    }
}

static void start(qdri_exchange *exchange) {
    turns *state = exchange->state;
    state->next = state->is_busy = 0;
}

static void sent(qdri_exchange *exchange, int64_t hop) {
    turns *state = exchange->state;
    (void)hop;
    state->is_busy = 0;
    go_on(exchange);
}

static void arrived(qdri_exchange *exchange, const qdri_chunk *chunk) {
    sent(exchange, chunk->hop);
}

static qdri_room room(const qdri_exchange *exchange) {
    (void)exchange;
    return (qdri_room){.sends = 1, .receives = 1};
}

const qdri_executor qdri_executor_turns = {
    .pacing = "turns",
    .summary = "when this rank's last transfer has ended, as with blocking calls",
    .whole = 1,
    .state_bytes = sizeof(turns),
    .open = open_turns,
    .close = close_turns,
    .room = room,
    .start = start,
    .stage = go_on,
    .sent = sent,
    .arrived = arrived,
};
