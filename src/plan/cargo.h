/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cargo: what an exchange carries when it is not bytes that lie ready. A layer above says how a message is
 * packed into memory that it is given, and how one is unpacked; the plan decides where: straight into the
 * memory of a receiver on this node, or, for what goes by MPI, into memory for packing.
 *
 * A message goes as a whole, or, where it is large and stays on the node, in parts that are packed and unpacked one
 * after the other: then nothing of its size is needed beside it.
 *
 * Messages that arrive are unpacked at once, or, if the cargo is `ordered`, by rising rank of their source; or
 * it `keeps` them: then they stay where they are until the next but one exchange of the plan starts.
 */
#ifndef QDRI_CARGO_H
#define QDRI_CARGO_H

#include <stdint.h>

#include "quadrille/plan.h"

/* Some bytes of a message. It begins at a multiple of QDRI_PART_GRAIN, where the one before has ended. */
enum { QDRI_PART_GRAIN = 128 };
typedef struct qdri_part {
    int64_t offset, bytes;
    int64_t field, element, begin; /* the layer's: how far it has come; 0 in the first part */
} qdri_part;

enum { QDRI_MOVE_ROOM = 16384 }; /* bytes: in the nearest cache, with what is moved by way of it */

typedef struct qdri_cargo qdri_cargo;
struct qdri_cargo {
    int64_t item_bytes;
    /* Items of each destination and each source; NULL: the plan's. */
    const int64_t *outgoing_items, *incoming_items;
    void (*pack)(const qdri_cargo *cargo, int destination, void *to);
    void (*unpack)(const qdri_cargo *cargo, int source, const void *from);
    void (*pack_part)(const qdri_cargo *cargo, int destination, qdri_part *part, void *to);
    void (*unpack_part)(const qdri_cargo *cargo, int source, qdri_part *part, const void *from);
    /* What this rank sends itself, by way of `room`, which has QDRI_MOVE_ROOM bytes. NULL: it is packed and unpacked as all
     * else. */
    void (*move)(const qdri_cargo *cargo, int destination, int source, void *room);
    int ordered, keeps;
    int whole; /* messages are unpacked as a whole only */
};

/* Local, once for a plan, before its first exchange. */
qdr_status qdri_cargo_prepare(qdr_plan *plan);

/* Local. As qdr_plan_start(); the cargo is borrowed until the exchange ends. */
qdr_status qdri_cargo_start(qdr_plan *plan, const qdri_cargo *cargo, qdr_pending **pending);

/* Where the message from a source is that was kept in the exchange that ended last; NULL: none was. */
const void *qdri_cargo_kept(const qdr_plan *plan, int source);

/* How many exchanges have been started; the number of the one that ended last, -1: none did. */
int64_t qdri_plan_started(const qdr_plan *plan);
int64_t qdri_plan_ended(const qdr_plan *plan);

/* Whether exchanges may state other sizes than the plan's. */
int qdri_plan_any_size(const qdr_plan *plan);

/* Whether an exchange is under way, stalled or not. */
int qdri_plan_busy(const qdr_plan *plan);

/* QDR_ERR_BUSY if the plan could not be destroyed, because an exchange is under way. */
qdr_status qdri_plan_check_idle(const qdr_plan *plan);

#endif
