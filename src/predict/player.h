/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What playing a schedule keeps (play.c), and the lists that it stands on.
 *
 * Each rank stands in *lines*: lists of its transfers by phase. With full ports it has one for what it sends and one for what it
 * receives, else one for both. A transfer stands in two lines, its sender's and its receiver's.
 */
#ifndef QDRI_PLAYER_H
#define QDRI_PLAYER_H

#include "base/heap.h"
#include "predict/incast.h"
#include "predict/network.h"
#include "predict/play.h"

typedef struct qdri_play_line {
    int32_t first, end; /* in `listed`: the first that has not ended; the end */
    int32_t busy;       /* a step that is under way; NONE */
    double since;       /* when the last one ended */
} qdri_play_line;

typedef struct qdri_play_actor {
    qdri_play_line line[2];    /* out, in; with one line for both, the first */
    int32_t send, sends;       /* in `sent`: the next to begin; the end */
    int32_t receive, receives; /* in `received`: the first that has not ended; the end */
    int32_t first_parked, last_parked;
    int is_starting, is_parked; /* a startup of it is under way; its next send is parked or blocked */
    int32_t ahead,
        prepared; /* a step whose startup has begun and which does not flow yet; if it could; NONE */
} qdri_play_actor;

typedef struct qdri_player {
    const qdri_play *how;
    const qdr_machine_parameters *p;
    qdr_step *step;
    int32_t count, phases;
    int lines; /* of a rank: 1 or 2 */
    int prepares;
    qdri_play_actor *actor;
    int32_t *phase;                    /* [count]: the number of its (stage, phase) */
    char *overlaps, *ended;            /* [count] */
    char *exchanges;                   /* [count]: with paired ports, whether it has a way back; else NULL */
    int32_t *listed, *sent, *received; /* the steps of all lines; those that ranks send, and receive */
    int32_t *next_parked;              /* [count] */
    int32_t *left;                     /* [phases]: transfers that have not ended */
    int64_t *meeting; /* [phases]: with barriers, how many come before it; those of empty phases count */
    int32_t open;     /* with barriers: the last phase that may begin */
    char *is_held;    /* [links]: by circuits; NULL: there are none */
    int64_t *route;
    int32_t *blocked; /* [ranks] */
    int32_t blocked_count;
    qdri_incast incast;
    qdri_network *network; /* NULL: nothing is shared */
    qdri_heap events;
    int64_t events_room;
    double now, last;
    qdr_status failed;
} qdri_player;

static inline qdri_play_line *qdri_line_at(qdri_player *play, int rank, int is_in) {
    return &play->actor[rank].line[is_in && play->lines == 2];
}

/* Paired ports go both ways at once only where two ranks exchange; else a transfer takes both. */
static inline int qdri_takes_both_ways(const qdri_player *play, int32_t step) {
    return play->exchanges && !play->exchanges[step];
}

/* The lines that a step takes, its own first. */
static inline int qdri_lines_of(qdri_player *play, int32_t step, qdri_play_line *lines[4]) {
    const qdr_step *s = &play->step[step];
    lines[0] = qdri_line_at(play, s->from, 0);
    lines[1] = qdri_line_at(play, s->to, 1);
    if (!qdri_takes_both_ways(play, step)) return 2;
    lines[2] = qdri_line_at(play, s->from, 1);
    lines[3] = qdri_line_at(play, s->to, 0);
    return 4;
}

/* Numbers the phases, finds which steps overlap and which have a way back, and fills the lists. */
qdr_status qdri_player_list(qdri_player *play);

#endif
