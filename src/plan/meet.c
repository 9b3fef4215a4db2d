/* SPDX-License-Identifier: BSD-3-Clause */
/* Meeting after each phase: see meet.h. */
#include "plan/meet.h"

static int rounds_of(const qdr_exchange *exchange) {
    int rounds = 0;
    while ((INT64_C(1) << rounds) < exchange->program->ranks) rounds++;
    return rounds;
}

/* Phases of all stages in one row. */
static int64_t number_of(const qdr_exchange *exchange, const qdri_leg *leg) {
    return leg->stage * (exchange->plan->last_phase + 1) + leg->phase;
}

int qdri_meet_open(const qdr_exchange *exchange, const qdri_meet *meet, const qdri_leg *leg) {
    return !exchange->plan->barrier || number_of(exchange, leg) <= meet->open;
}

/* Whether all legs up to the open phase have ended. */
static int has_ended(const qdr_exchange *exchange, const qdri_half *half, const qdri_side *side, int64_t open,
                     int64_t *front) {
    while (*front < side->legs && half->flow[*front].ended == half->flow[*front].bytes) ++*front;
    return *front == side->legs || number_of(exchange, &side->leg[*front]) > open;
}

void qdri_meet_heard(qdr_exchange *exchange, qdri_meet *meet, const qdri_note *note) {
    if (note->kind < 0 || note->kind >= QDRI_MEET_ROUNDS)
        qdri_exchange_fail(exchange, qdri_fail(QDR_MISMATCH, "a message of another kind of exchange came"));
    else
        meet->heard[note->kind]++;
}

int qdri_meet_awaits(const qdr_exchange *exchange, const qdri_meet *meet, int64_t *phase) {
    if (!exchange->held || !meet->telling) return -1;
    int64_t ranks = exchange->program->ranks, step = INT64_C(1) << meet->round;
    *phase = meet->open % (exchange->plan->last_phase + 1);
    return (int)((exchange->program->rank + ranks - step % ranks) % ranks);
}

int qdri_meet_advance(qdr_exchange *exchange, qdri_meet *meet) {
    const qdri_program *program = exchange->program;
    int64_t meetings = program->stages * (exchange->plan->last_phase + 1);
    int rounds = rounds_of(exchange), opened = 0;
    while (meet->open < meetings && !exchange->failed) {
        if (!has_ended(exchange, &exchange->out, &program->out, meet->open, &meet->out_front) ||
            !has_ended(exchange, &exchange->in, &program->in, meet->open, &meet->in_front))
            return opened;
        for (; meet->round < rounds; meet->round++, meet->telling = 0) {
            int64_t step = INT64_C(1) << meet->round;
            if (!meet->telling)
                qdri_control_send(exchange, (int)((program->rank + step) % program->ranks),
                                  &(qdri_note){.kind = meet->round, .offset = meet->open});
            meet->telling = 1;
            if (meet->heard[meet->round] <= meet->open) {
                qdri_control_listen(exchange);
                return opened;
            }
        }
        meet->round = 0;
        meet->open++;
        opened = 1;
    }
    exchange->held = 0;
    return opened;
}
