/* SPDX-License-Identifier: BSD-3-Clause */
/* What pace.c keeps, and what a rule of pacing does with it. */
#ifndef QDRI_PACE_RULES_H
#define QDRI_PACE_RULES_H

#include "base/heap.h"
#include "predict/network.h"
#include "predict/pace.h"

/* A step while it is played; bytes. */
typedef struct qdri_pace_hop {
    int from, to, stage;
    int64_t phase, bytes;
    int64_t begun;   /* of which the sender has made chunks */
    int64_t allowed; /* that it may send, as far as it knows */
    int64_t asked;   /* that the receiver has asked for */
    int64_t ended;   /* that have arrived */
    int64_t chunk;
    int64_t position_out, position_in; /* by arrivals: of its first byte, at either end */
    int is_small, is_open;             /* by arrivals: it needs no invitation; it is spared one */
    int32_t first, last;               /* chunks that wait for one before them */
    int is_flowing;
} qdri_pace_hop;

/* A rank. The hops that it sends, and receives, come by stage and phase. */
typedef struct qdri_pace_actor {
    int32_t *out, *in;
    int32_t outs, ins;
    int32_t out_end, in_end;    /* those of its stage, and the earlier ones */
    int32_t sending, receiving; /* of the stage: the first of which something is to be sent; to be received */
    int stage;
    int64_t out_bytes, in_bytes, out_left, in_left; /* in all */
    int64_t stage_left;                             /* to be sent or received in its stage */
    double first_came, last_came; /* when it received the first piece, of `first_bytes`, and the last */
    int64_t first_bytes;
    int64_t under_way;   /* by grants: bytes asked for that have not come */
    int32_t first, last; /* pieces that it has still to start; the first is being started */
} qdri_pace_actor;

/* A chunk, or a note about a hop. */
typedef struct qdri_pace_piece {
    int32_t hop, next;
    int is_note;
    int64_t bytes; /* of the chunk; of the hop that the note allows */
} qdri_pace_piece;

typedef struct qdri_pacer qdri_pacer;

typedef struct qdri_pace_rule {
    void (*open)(qdri_pacer *pacer);                                /* once */
    void (*stage)(qdri_pacer *pacer, int rank);                     /* a rank begins one */
    void (*heard)(qdri_pacer *pacer, int32_t hop);                  /* its sender may send more of it */
    void (*arrived)(qdri_pacer *pacer, int32_t hop, int64_t bytes); /* something of it has come */
    int has_stages;
} qdri_pace_rule;

extern const qdri_pace_rule qdri_pace_arrivals, qdri_pace_grants;

struct qdri_pacer {
    const qdri_pace *how;
    const qdri_pace_rule *rule;
    const qdr_machine_parameters *p;
    double window, latency, rate; /* of a port; of a round trip */
    int sharing;                  /* ranks that have a port together */
    int is_trusting;              /* by arrivals: partners come uninvited, as far as a window goes */
    int64_t sources;              /* most that a rank receives from */
    int64_t load;                 /* most bytes of a rank */
    int most_loaded;              /* that rank */
    qdr_step *step;
    qdri_pace_hop *hop;
    int32_t hops;
    int32_t *list; /* of all ranks' hops */
    qdri_pace_actor *actor;
    qdri_pace_piece *piece;
    int64_t pieces;
    int32_t unused;
    qdri_network *network;
    qdri_heap events;
    int64_t events_room;
    double now, last;
    qdr_status failed;
};

/* The sender makes a chunk of a hop. */
void qdri_pace_send(qdri_pacer *pacer, int32_t hop, int64_t bytes);

/* The receiver tells the sender that it may send a hop up to here. */
void qdri_pace_allow(qdri_pacer *pacer, int32_t hop, int64_t bytes);

#endif
