/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Broadcast to a chosen group, by the steps of LIB or REB (CM-5 paper, section 3.6), without a communicator
 * of its own and without the ranks that are not in the group.
 *
 * A rank walks through the list of steps and does those that are its own: at most one receive, then its
 * sends, each begun when the one before it is done, for the first receiver is the one with most to pass on.
 * Cost: lg n messages one after the other for "recursive", n - 1 for "linear"; O(n log n) time and O(n)
 * memory on each rank to find the steps.
 *
 * Nothing travels but the data, whatever the groups and roots. Take two ranks a and b. They call the broadcasts that have
 * them both in the same order, as with all collective calls; a broadcast has at most one message from a to b, and both read
 * from the same list whether it has one. A call ends after its sends were begun and its receive was done, so a sends in the
 * order of calls, b receives from a in the order of calls, and the k-th sent is the k-th received; broadcasts that have only
 * one of the two don't count. Both count, and the count makes the tag. What breaks this is a call that fails half-way, after
 * which the wire is broken, or a rank whose list is another: then what it sends in the next broadcast has another tag than
 * what is missing from this, and nobody takes it for that.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "quadrille/collectives.h"
#include "quadrille/schedule.h"
#include "wire/wire.h"

/* How many messages of broadcasts went to each rank, and came from it; kept with the wire. */
typedef struct counts {
    qdri_keepsake kept; /* first */
    unsigned char *to, *from;
    unsigned char count[];
} counts;

/* A rank's way through the steps. */
typedef struct walk {
    qdri_operation operation; /* first: go_on() converts */
    qdri_wire *wire;
    void *data;
    int64_t bytes;
    int first_tag;
    counts *counts;
    const qdr_step *step;
    int64_t next, steps;
    int finished;
    qdr_status status;
} walk;

/* ---- arguments ----------------------------------------------------------------------------------------- */

static qdr_status check_group(int count, const int *group, int own, int ranks) {
    int found = 0;
    for (int k = 0; k < count; k++) {
        if (group[k] < 0 || group[k] >= ranks)
            return qdri_fail(QDR_ERR_RANGE, "rank %d of the group is not in 0..%d", group[k], ranks - 1);
        found |= group[k] == own;
    }
    return found ? QDR_OK
                 : qdri_fail(QDR_ERR_INVALID, "rank %d calls a broadcast to a group of %d that it is not in",
                             own, count);
}

static qdr_status check_data(const void *data, int64_t bytes) {
    if (bytes < 0) return qdri_fail(QDR_ERR_RANGE, "qdr_broadcast: %" PRId64 " bytes", bytes);
    if (bytes > 0 && !data) return qdri_fail(QDR_ERR_INVALID, "qdr_broadcast: data is NULL");
    return QDR_OK;
}

/* ---- the steps ----------------------------------------------------------------------------------------- */

static void forget(qdri_keepsake *kept) {
    free(kept);
}

static counts *counts_of(qdri_wire *wire) {
    int ranks = qdri_wire_ranks(wire);
    counts *found = (counts *)qdri_wire_kept(wire, forget, "broadcasts");
    if (found) return found;
    found = qdri_alloc_zero((int64_t)sizeof *found + 2 * (int64_t)ranks, 1);
    if (!found) return NULL;
    found->kept = (qdri_keepsake){.release = forget, .name = "broadcasts"};
    found->to = found->count;
    found->from = found->count + ranks;
    qdri_wire_keep(wire, &found->kept);
    return found;
}

/* One step of this rank's. */
static qdr_status take_step(walk *way, const qdr_step *step) {
    qdri_operation *operation = &way->operation;
    int receives = step->to == qdri_wire_rank(way->wire);
    unsigned char *count = receives ? &way->counts->from[step->from] : &way->counts->to[step->to];
    int tag = way->first_tag + (*count)++ % QDRI_BROADCAST_TAGS;
    return receives ? qdri_receive(way->wire, operation, step->from, tag, way->data, way->bytes)
                    : qdri_send(way->wire, operation, step->to, tag, way->data, way->bytes);
}

/* The step before is done; begins the next. */
static void go_on(qdri_operation *operation, qdr_status status) {
    walk *way = (walk *)operation;
    int own = qdri_wire_rank(way->wire);
    if (!status && operation->bytes != way->bytes)
        status =
            qdri_fail(QDR_ERR_MISMATCH, "rank %d broadcasts %" PRId64 " bytes, but rank %d expects %" PRId64,
                      operation->partner, operation->bytes, own, way->bytes);
    while (!status && way->next < way->steps) {
        const qdr_step *step = &way->step[way->next++];
        if (step->from != own && step->to != own) continue;
        status = take_step(way, step);
        if (!status) return;
    }
    way->status = status;
    way->finished = 1;
}

static qdr_status fail_stalled(const walk *way) {
    const qdr_step *step = &way->step[way->next - 1];
    int own = qdri_wire_rank(way->wire);
    return qdri_fail(QDR_ERR_STALLED,
                     "rank %d: the deadline passed in a broadcast of %" PRId64 " bytes, waiting %s rank %d",
                     own, way->bytes, step->to == own ? "for" : "to send to",
                     step->to == own ? step->from : step->to);
}

/* Where the root alone sends, others than elsewhere: ranks that have different algorithms do not hear each other. */
static int first_tag_of(const qdr_step *step, int64_t steps) {
    for (int64_t i = 1; i < steps; i++)
        if (step[i].from != step[0].from) return QDRI_TAG_BROADCAST;
    return QDRI_TAG_BROADCAST + QDRI_BROADCAST_TAGS;
}

static qdr_status run(qdri_wire *wire, const qdr_step *step, int64_t steps, void *data, int64_t bytes) {
    walk way = {.wire = wire,
                .data = data,
                .bytes = bytes,
                .first_tag = first_tag_of(step, steps),
                .counts = counts_of(wire),
                .step = step,
                .steps = steps};
    if (!way.counts) return qdri_fail_memory();
    way.operation = (qdri_operation){.done = go_on, .bytes = bytes};
    go_on(&way.operation, QDR_OK);
    qdr_status status = qdri_wait_until(wire, &way.finished, qdri_deadline(0));
    if (status == QDR_ERR_STALLED) status = fail_stalled(&way);
    if (!way.finished) qdri_cancel(wire, &way.operation);
    if (!status) status = way.status;
    if (status) qdri_wire_break(wire, status);
    return status;
}

/* ---- the calls ----------------------------------------------------------------------------------------- */

static qdr_status broadcast(qdri_wire *wire, int count, const int *group, const qdr_step *step, void *data,
                            int64_t bytes) {
    QDRI_TRY(check_group(count, group, qdri_wire_rank(wire), qdri_wire_ranks(wire)));
    qdri_lock(wire);
    qdr_status status = qdri_wire_state(wire);
    if (!status) status = run(wire, step, count - 1, data, bytes);
    qdri_unlock(wire);
    return status;
}

qdr_status qdr_broadcast(MPI_Comm comm, const char *algorithm, int count, const int *group, void *data,
                         int64_t bytes) {
    qdri_wire *wire;
    qdr_step *step;
    int64_t steps;
    QDRI_TRY(check_data(data, bytes));
    QDRI_TRY(qdri_wire_find(comm, &wire));
    qdr_status status =
        qdr_broadcast_steps(algorithm ? algorithm : "recursive", count, group, bytes, &steps, &step);
    if (!status) {
        status = broadcast(wire, count, group, step, data, bytes);
        free(step);
    }
    qdri_wire_release(&wire);
    return status;
}

qdr_status qdr_prepare(MPI_Comm comm) {
    qdri_wire *wire;
    QDRI_TRY(qdri_wire_open(comm, &wire));
    qdri_wire_release(&wire);
    return QDR_OK;
}
