/* SPDX-License-Identifier: BSD-3-Clause */
/* Meeting after each phase: see barrier.h. */
#include "plan/executors/barrier.h"

static int rounds_of(const qdri_exchange *exchange) {
    int rounds = 0;
    while ((INT64_C(1) << rounds) < exchange->program->ranks) rounds++;
    return rounds;
}

/* Phases of all stages in one row. */
static int64_t number_of(const qdri_exchange *exchange, const qdri_hop *hop) {
    return hop->stage * (exchange->candidate->last_phase + 1) + hop->phase;
}

int qdri_phase_barrier_open(const qdri_exchange *exchange, const qdri_phase_barrier *barrier,
                            const qdri_hop *hop) {
    return !exchange->plan->barrier || number_of(exchange, hop) <= barrier->open;
}

/* Whether all hops up to the open phase have ended. */
static int has_ended(const qdri_exchange *exchange, const qdri_half *half, const qdri_side *side,
                     int64_t open, int64_t *front) {
    while (*front < side->hops && half->flow[*front].ended == half->flow[*front].bytes) ++*front;
    return *front == side->hops || number_of(exchange, &side->hop[*front]) > open;
}

void qdri_phase_barrier_heard(qdri_exchange *exchange, qdri_phase_barrier *barrier, const qdri_note *note) {
    if (note->kind < 0 || note->kind >= QDRI_BARRIER_ROUNDS)
        qdri_exchange_fail(exchange,
                           qdri_fail(QDR_ERR_MISMATCH, "a message of another kind of exchange came"));
    else
        barrier->heard[note->kind]++;
}

int qdri_phase_barrier_awaits(const qdri_exchange *exchange, const qdri_phase_barrier *barrier,
                              int64_t *phase) {
    if (!exchange->held || !barrier->telling) return -1;
    int64_t ranks = exchange->program->ranks, step = INT64_C(1) << barrier->round;
    *phase = barrier->open % (exchange->candidate->last_phase + 1);
    return (int)((exchange->program->rank + ranks - step % ranks) % ranks);
}

int qdri_phase_barrier_advance(qdri_exchange *exchange, qdri_phase_barrier *barrier) {
    const qdri_program *program = exchange->program;
    int64_t meetings = program->stages * (exchange->candidate->last_phase + 1);
    int rounds = rounds_of(exchange), opened = 0;
    while (barrier->open < meetings && !exchange->failed) {
        if (!has_ended(exchange, &exchange->out, &program->out, barrier->open, &barrier->out_front) ||
            !has_ended(exchange, &exchange->in, &program->in, barrier->open, &barrier->in_front))
            return opened;
        for (; barrier->round < rounds; barrier->round++, barrier->telling = 0) {
            int64_t step = INT64_C(1) << barrier->round;
            if (!barrier->telling)
                qdri_control_send(exchange, (int)((program->rank + step) % program->ranks),
                                  &(qdri_note){.kind = barrier->round, .offset = barrier->open});
            barrier->telling = 1;
            if (barrier->heard[barrier->round] <= barrier->open) {
                qdri_control_listen(exchange);
                return opened;
            }
        }
        barrier->round = 0;
        barrier->open++;
        opened = 1;
    }
    exchange->held = 0;
    return opened;
}
