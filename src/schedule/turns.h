/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The order in which a rank takes its transfers when it has one under way at a time, in or out, as with blocking calls.
 *
 * Phases come one after the other. In which order a rank takes its transfers of one phase:
 *
 *     Of two ranks that exchange, the lower receives first and then sends (CM-5 scheduling, figures 2 and 4). That is for
 *     algorithms which promise that nobody sends or receives twice in a phase, so that both know it.
 *
 *     Everything else goes by the lowest bit in which the numbers of sender and receiver differ: first what is sent by those
 *     who have that bit, then what they receive; then the next bit. So in each of these steps a rank either sends or receives.
 *     Where it does so several times, the partner that is next in the circle of ranks comes first.
 *
 * Nobody waits in a circle, because both ends of a transfer give it the same place in one order of all transfers, and in each
 * place a rank has one: the first transfer that has not ended can go on.
 */
#ifndef QDRI_TURNS_H
#define QDRI_TURNS_H

#include <stdint.h>

typedef struct qdri_turn {
    int stage, from, to;
    int64_t phase;
    int64_t number; /* the caller's */
    int64_t place;  /* set by qdri_turns_sort() */
} qdri_turn;

/* Sorts the transfers of one rank; `promises` are those of the schedule. */
void qdri_turns_sort(int ranks, unsigned promises, int64_t count, qdri_turn *turns);

#endif
