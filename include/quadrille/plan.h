/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plans: a pattern bound to a communicator and to a way of running it, made once and run often.
 *
 *     qdr_partners_from_sends(comm, n, destination, items, NULL, &partners);   who sends how much to whom
 *     qdr_plan_create(partners, NULL, &plan);                                  chooses and builds, once
 *     for (...) qdr_plan_exchange(plan, &buffers);                             runs it
 *     qdr_plan_destroy(&plan);
 *
 * An exchange is started, tested and waited for. Several exchanges of one plan, and many plans, may be under way, on
 * one communicator or several. They may be waited for in any order, for every wait advances everything that is under
 * way in the process. Between its start and its end an exchange borrows its buffers. It needs no collective and no
 * agreement, and from the second of the same shape on it allocates nothing. Exchanges that compare candidates (below) are
 * the exception: every second of them ends only when all ranks have ended it.
 *
 * How it runs. A schedule gives the order of transfers; *pacing* says when the next may go:
 *
 *     free       at once
 *     arrivals   when this rank has received its own share of the earlier phases: good for all-to-all
 *     grants     when its receiver says so: a receiver lets no more than a *window* of bytes be under way to
 *                it, granted in *chunks*, so that many senders cannot flood it
 *     requests   when its sender has asked, and the receiver is free: the order is found at run time
 *     stages     when all of the stage before has come; for `bruck` and `joined` alone
 *     turns      when this rank's last transfer has ended, in or out, as with blocking calls: the papers' programs
 *
 * The algorithm `paced` needs no schedule: every rank grants in an order of its own, and sizes may differ at every
 * call without any agreement. `distributed` has no schedule either: there senders ask. Nor have `bruck` and `joined`: ranks pass on
 * what others have, few messages instead of many small ones, so every rank has to come to every exchange. The first window / sources
 * bytes of a message go without a grant. `sources` is the most partners that any rank receives from, so all these
 * bytes together fit into a window.
 *
 * Where no algorithm is asked for, a plan between hosts has a few *candidates*, tries them on its first exchanges, and
 * runs the fastest from then on (docs/exchanges.md, "Choosing"). Ranks decide only from what is equal on all of them. It costs a few
 * exchanges that are not the fastest: two of the first four, and later one in dozens, then one in thousands.
 *
 * `paced` finds its window by itself: receivers measure how fast bytes come and how long they take, and tell each
 * other. The window is kept with the communicator, for all plans on it, and the exchanges of a rank that are under
 * way at once share it. A window that is asked for stays as it is, and each exchange has its own.
 *
 * Ranks that share a node need none of this: their messages go through its memory, beside the phases of the others,
 * without any MPI call. Where there is no shared memory, they go by MPI.
 */
#ifndef QUADRILLE_PLAN_H
#define QUADRILLE_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "quadrille/base.h"
#include "quadrille/discover.h"
#include "quadrille/machine.h"
#include "quadrille/pending.h"
#include "quadrille/places.h"
#include "quadrille/schedule.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct qdr_plan qdr_plan;

/* ---- making one ---------------------------------------------------------------------------------------- */

/* One thing that happened in an exchange, for drawing it. */
typedef enum qdr_event_kind {
    QDR_EVENT_START,
    QDR_EVENT_GRANT,
    QDR_EVENT_SEND,
    QDR_EVENT_ARRIVAL,
    QDR_EVENT_END,
    QDR_EVENT_WINDOW, /* `bytes` may be under way to this rank from then on */
} qdr_event_kind;
typedef struct qdr_event {
    qdr_event_kind kind;
    double seconds; /* on this rank's own monotonic clock */
    int64_t exchange;
    int partner; /* -1 for start and end */
    int64_t phase;
    int64_t offset, bytes; /* of the transfer with that partner */
} qdr_event;
/* Must not call the library. */
typedef void qdr_trace_function(void *context, const qdr_event *event);

typedef struct qdr_pacing_info {
    const char *name;
    const char *summary; /* when the next chunk goes */
} qdr_pacing_info;

/* Local. The index-th way of pacing; NULL past the last. */
const qdr_pacing_info *qdr_pacing(int index);

typedef struct qdr_plan_options {
    size_t size; /* sizeof(qdr_plan_options) */
    /* As for qdr_schedule_create(), or "auto": what turns out to be fastest. NULL: QDR_ALGORITHM of the environment, else
     * "auto". */
    const char *algorithm;
    const qdr_machine *machine; /* for algorithms that need one; without an algorithm, what to begin with */
    const char *pacing;         /* a name of qdr_pacing(); NULL: what suits the algorithm */
    int64_t chunk;              /* bytes; 0: QDR_CHUNK, else the default */
    int64_t window;             /* bytes; 0: QDR_WINDOW, else found by measuring */
    const char *transport;     /* "node": memory between ranks that share a node, the rest by schedule; "net":
                                 * everything by schedule; NULL: QDR_TRANSPORT, else "node", but "net" where
                                 * all ranks share a node and an algorithm was asked for by name */
    int barrier;               /* all ranks meet after each phase */
    int in_flight;             /* exchanges of this plan at once, up to 16; 0: 2 */
    double deadline;           /* of a wait in which nothing moves; 0: QDR_DEADLINE, else none */
    qdr_trace_function *trace; /* NULL: none */
    void *trace_context;
    /* How many exchanges are expected, all of them with the partners' own sizes: then, without an algorithm, also those are tried
     * that have to know every size, and that take time to build. 0: unknown, and sizes may differ from call to call. */
    int64_t reuse;
    int64_t item_bytes; /* of an item, as exchanges will say, for what is chosen beforehand; 0: 1 */
} qdr_plan_options;
#ifdef __cplusplus
#define QDR_PLAN_OPTIONS qdr_plan_options_initial()
static inline qdr_plan_options qdr_plan_options_initial(void) {
    qdr_plan_options options = qdr_plan_options();
    options.size = sizeof options;
    return options;
}
#else
#define QDR_PLAN_OPTIONS                                                                                     \
    { .size = sizeof(qdr_plan_options) }
#endif

/* Collective. Options must be the same on all ranks, except tracing and deadline. NULL means defaults, and the
 * environment of rank 0 counts. Gathers the whole matrix if the algorithm needs it; `recursive` and
 * `two-stage` do not, and rehearse the exchange once instead: each rank learns of what passes through it. */
qdr_status qdr_plan_create(qdr_partners *partners, const qdr_plan_options *options, qdr_plan **plan);

/* Collective. The same with a schedule that exists, such as one read from a file. It must be of the partners' pattern
 * and be the same on all ranks. Every rank checks its own share of it. */
qdr_status qdr_plan_create_scheduled(qdr_partners *partners, const qdr_schedule *schedule,
                                     const qdr_plan_options *options, qdr_plan **plan);

/* Local. QDR_ERR_BUSY while an exchange is under way, unless it has stalled or failed; then its memory is left to
 * MPI. Ranks may destroy plans in any order. Safe after MPI_Finalize. Sets the handle to NULL; NULL is accepted. */
qdr_status qdr_plan_destroy(qdr_plan **plan);

typedef struct qdr_plan_info {
    const char *algorithm; /* what runs */
    const char *pacing;
    const char *transport; /* "node" or "net" */
    const char *why;       /* one sentence: how it was chosen */
    int64_t chunk, window;
    int stages;
    int64_t phases;                    /* 0 for algorithms that schedule at run time */
    int64_t messages_out, messages_in; /* of this rank, with others */
    int near_out, near_in;             /* those that go through the node's memory */
    int64_t items_out, items_in;
    int in_flight;
    int64_t exchanges;     /* done so far */
    int64_t staging_items; /* memory for what is forwarded, per exchange under way */
    double build_seconds;
} qdr_plan_info;

/* Local. Texts live as long as the plan. */
static inline qdr_status qdr_plan_look(const qdr_plan *plan, qdr_plan_info *info);

/* One way in which a plan can run its exchanges. */
typedef struct qdr_candidate {
    const char *algorithm;
    const char *pacing;
    double
        seconds; /* of an exchange, from the last rank's start to the last one's end; 0: it was not tried, or is the only one */
    int64_t tries;
    int in_use;
} qdr_candidate;

/* Local. The index-th candidate, as exchanges with items of the last one's size have shown it; QDR_ERR_RANGE past the last.
 * Texts live as long as the plan. */
static inline qdr_status qdr_plan_candidate(const qdr_plan *plan, int index, qdr_candidate *candidate);

/* Collective in that all ranks call it between the same two exchanges; otherwise local, and nobody waits. What candidates
 * have shown is forgotten, and the next exchanges try them again: for a program that knows of a change. */
qdr_status qdr_plan_tune(qdr_plan *plan);

/* Local. The schedule that the plan runs, to be read by row; this rank's row is the communication phase table of
 * NICE. NULL for algorithms that schedule at run time. An algorithm that does not need the whole matrix knows only
 * this rank's messages, and what passes through it: then the schedule has only this rank's row, and is made at the first call
 * unless the plan was made of it. Messages that go
 * through the node's memory are in no phase. Valid as long as the plan. */
const qdr_schedule *qdr_plan_schedule(const qdr_plan *plan);

/* ---- running it ---------------------------------------------------------------------------------------- */

/* Where the data is. Both sides are in the order of qdr_partners_look(). Outgoing and incoming memory must not
 * overlap. Give one pointer per partner (NICE, section 4.2), or a base and offsets in items, as with MPI_Alltoallv;
 * offsets NULL: one after the other. Pointers of empty messages may be NULL. */
typedef struct qdr_buffers {
    int64_t item_bytes; /* of one item, the same on all ranks; must be given by ranks that have items */
    const void *const *outgoing;
    void *const *incoming;
    const void *outgoing_base; /* used when outgoing is NULL */
    void *incoming_base;       /* used when incoming is NULL */
    const int64_t *outgoing_offset, *incoming_offset;
    /* Sizes of this one exchange, if they are not the plan's; with `paced`, `distributed` and `async` only, and where no
     * algorithm was asked for. Both ends must state the same. */
    const int64_t *outgoing_items, *incoming_items;
    /* Bytes from one item to the next: 0 or item_bytes. Other strides are for maps. */
    int64_t outgoing_stride, incoming_stride;
    qdr_memory memory; /* of all buffers */
    void *stream;      /* of a device: must be NULL */
} qdr_buffers;

/* Local. Starts an exchange, to be tested or waited for (quadrille/pending.h). The i-th start of a plan on one rank
 * belongs to the i-th on the others. QDR_ERR_BUSY when as many as `in_flight` are under way.
 *
 * How it ends. QDR_ERR_MISMATCH: a partner sent another size than this rank expects, or a message of another exchange
 * came. Such bytes are never delivered as success, and the incoming memory is undefined. A rank that fails tells the
 * others: ranks that still need something fail with the same status. QDR_ERR_STALLED: the deadline has passed; the
 * sentence says who waits for whom. The exchange is still under way, its buffers are borrowed, and the handle stays.
 * After any other failure the plan can only be destroyed, and the buffers must stay until MPI_Finalize, for MPI may
 * still use them. (MPICH ends the program on errors of messages unless MPI_COMM_WORLD has MPI_ERRORS_RETURN.) */
static inline qdr_status qdr_plan_start(qdr_plan *plan, const qdr_buffers *buffers, qdr_pending **pending);

/* Local. Start and wait. After QDR_ERR_STALLED nobody has the handle, so the plan can only be destroyed. */
static inline qdr_status qdr_plan_exchange(qdr_plan *plan, const qdr_buffers *buffers);

/* Local. This thread's most recent stall as a report of several lines; "" if there was none. */
const char *qdr_stall_report(void);

/* ---- sizes --------------------------------------------------------------------------------------------- */

/* The functions above call these in the library, with the size of the caller's structs added (docs/abi.md). */
qdr_status qdr_plan_look_sized(const qdr_plan *plan, qdr_plan_info *info, size_t info_bytes);
qdr_status qdr_plan_candidate_sized(const qdr_plan *plan, int index, qdr_candidate *candidate,
                                    size_t candidate_bytes);
qdr_status qdr_plan_start_sized(qdr_plan *plan, const qdr_buffers *buffers, size_t buffers_bytes,
                                qdr_pending **pending);
qdr_status qdr_plan_exchange_sized(qdr_plan *plan, const qdr_buffers *buffers, size_t buffers_bytes);

static inline qdr_status qdr_plan_look(const qdr_plan *plan, qdr_plan_info *info) {
    return qdr_plan_look_sized(plan, info, sizeof *info);
}
static inline qdr_status qdr_plan_candidate(const qdr_plan *plan, int index, qdr_candidate *candidate) {
    return qdr_plan_candidate_sized(plan, index, candidate, sizeof *candidate);
}
static inline qdr_status qdr_plan_start(qdr_plan *plan, const qdr_buffers *buffers, qdr_pending **pending) {
    return qdr_plan_start_sized(plan, buffers, sizeof *buffers, pending);
}
static inline qdr_status qdr_plan_exchange(qdr_plan *plan, const qdr_buffers *buffers) {
    return qdr_plan_exchange_sized(plan, buffers, sizeof *buffers);
}

#ifdef __cplusplus
}
#endif
#endif
