/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The wire: a space of ranks that send each other tagged messages without ever blocking.
 *
 * Everything above speaks wire and never MPI. Whatever is under way is an *operation*: its owner embeds a
 * qdri_operation in a structure of its own, starts it, and is called back when it is done, from inside
 * qdri_progress(). A callback may start further operations, so a protocol is a set of callbacks and nothing
 * waits for anything else. Nothing is allocated as long as no more operations are under way than ever before,
 * or than were reserved.
 *
 * One duplicate of each user communicator is made, cached as an attribute of it, and shared by all that is
 * built on it; messages of the library never meet those of the program. Freeing the communicator marks its
 * wire as gone, and so does MPI_Finalize: whatever still uses it gets an error. A wire on which a deadline
 * passed inside a collective is *broken*: the ranks may have different ideas of what happens, so every later
 * collective fails at once.
 *
 * A wire may also reach the ranks of another program (tcp/tcp.h). It is used as any other; what it stands on is a
 * table of functions (backend.h).
 *
 * Threads: one at a time per communicator; different communicators concurrently under MPI_THREAD_MULTIPLE.
 * All that happens on a wire happens under its lock, which is taken only at that level.
 */
#ifndef QDRI_WIRE_H
#define QDRI_WIRE_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decode.h"
#include "quadrille/base.h"
#include "wire/tags.h"

typedef struct qdri_wire qdri_wire;
typedef struct qdri_operation qdri_operation;

/* Called once, when the operation is done or has failed. For a receive, `partner` and `bytes` of the
 * operation say from whom and how much came. */
typedef void qdri_done(qdri_operation *operation, qdr_status status);

/* Of a batch: a message with `partner` has come or gone. It may start nothing. Whoever does not like it says so, with a sentence,
 * and the batch has failed. */
typedef qdr_status qdri_message_done(qdri_operation *operation, int partner, int tag, int64_t bytes);

struct qdri_operation {
    qdri_done *done;
    qdri_message_done *part; /* NULL: nobody asks */
    int partner;             /* of a receive from anyone: who it was */
    int64_t bytes;           /* of a receive: how much it was */
    int parts;               /* private: requests that are not done; 0: not under way */
    int receives;            /* private: it has a source and a length */
    int joined;              /* private: it is a collective */
    int batch;               /* private: 1: it is one; -1: it has failed, and `done` was called */
    /* Nobody waits for it: that a rank of another program has ended, as it said it would, is no failure of this. */
    int casual;
    qdr_status failed;
};

enum { QDRI_ANYONE = -1, QDRI_ANY_TAG = -1 };

/* ---- having one ---------------------------------------------------------------------------------------- */

/* Collective over `comm` the first time, local afterwards. Refuses intercommunicators, MPI_COMM_NULL and a
 * process without MPI. Adds an owner; qdri_wire_release() takes it away. */
qdr_status qdri_wire_open(MPI_Comm comm, qdri_wire **wire);
/* With a deadline so many seconds ahead; 0: as above, that of the environment, else none. */
qdr_status qdri_wire_open_within(MPI_Comm comm, double seconds, qdri_wire **wire);
/* The same, local always: a communicator that has no wire is refused. For calls by a few of its ranks. */
qdr_status qdri_wire_find(MPI_Comm comm, qdri_wire **wire);
qdri_wire *qdri_wire_retain(qdri_wire *wire);
void qdri_wire_release(qdri_wire **wire);

/* Local. A digest of the name and version of what the library stands on: the MPI. */
int64_t qdri_wire_library(void);

int qdri_wire_rank(const qdri_wire *wire);
int qdri_wire_ranks(const qdri_wire *wire);

/* QDR_OK, or QDR_ERR_GONE (the communicator was freed, MPI is finalised) or QDR_ERR_LOST (a deadline passed inside a
 * collective) or QDR_ERR_PEER (the other program is gone), with a sentence. */
qdr_status qdri_wire_state(const qdri_wire *wire);

/* The same without a sentence. */
int qdri_wire_usable(const qdri_wire *wire);

/* Whether its ranks are two programs'. */
int qdri_wire_joins_programs(const qdri_wire *wire);
/* Whether the first message from one rank to another opens a connection, which takes time: not where MPI is simulated. */
int qdri_wire_connects_late(const qdri_wire *wire);

/* Whether it was a wire with another program, which has left, as it said it would: nothing will come from it. */
int qdri_wire_is_alone(const qdri_wire *wire);

/* A failure, whose sentence is the error message, after which nobody knows what the other ranks do: they hear of it, and
 * every later collective fails at once. */
void qdri_wire_break(qdri_wire *wire, qdr_status status);
/* The same inside a call in which all ranks, this one too, have still to agree: then this is what they agree on. */
void qdri_wire_break_midway(qdri_wire *wire, qdr_status status);
/* An exchange on it does not end: some of its messages may never be received. */
void qdri_wire_leave_messages(qdri_wire *wire);

/* Gives back a span of tags (tags.h), which came from qdri_agree() (agree.h). */
void qdri_wire_return_tags(qdri_wire *wire, int first_tag);
/* The same, on all ranks, where nobody has used them: they are the next again. */
void qdri_wire_spare_tags(qdri_wire *wire, int first_tag);

/* The number of this wire's next collective round of discovery, which makes its tag a fresh one. */
int qdri_wire_next_round(qdri_wire *wire);

/* A number for the next plan on this wire: larger than that of any plan that this process was part of, as far as the
 * largest that ranks of a plan propose is agreed on, and told here. */
int64_t qdri_wire_next_plan(const qdri_wire *wire);
void qdri_wire_plan_agreed(const qdri_wire *wire, int64_t number);

/* Local. A line about a choice: to whoever set a log, on every rank; else, with QDR_EXPLAIN, from rank 0 to
 * standard error. The other says whether anybody would hear it. */
void qdri_explain(const qdri_wire *wire, const char *format, ...) __attribute__((format(printf, 2, 3)));
int qdri_explains(const qdri_wire *wire);
/* The same, but true once on this wire for each number below 32: for choices that are made again and again.
 * */
int qdri_explains_first(qdri_wire *wire, int number);

/* Something that is made once for a communicator and kept with it: its owner embeds one. It is released when
 * the communicator is freed or MPI is finalised, before the wire is gone. So it may own the wire it is kept
 * with: the communicator holds both, and lets go of this first. */
typedef struct qdri_keepsake qdri_keepsake;
typedef void qdri_release(qdri_keepsake *keepsake);
struct qdri_keepsake {
    qdri_release *release; /* also says of which kind it is */
    const char *name;
    qdri_keepsake *next; /* private */
};
void qdri_wire_keep(qdri_wire *wire, qdri_keepsake *keepsake);
/* The one of this kind and name; NULL: none. */
qdri_keepsake *qdri_wire_kept(const qdri_wire *wire, qdri_release *kind, const char *name);
/* The same, made if there is none: so many bytes, zero behind the keepsake; NULL: no memory. */
void *qdri_wire_kept_or_made(qdri_wire *wire, qdri_release *kind, const char *name, int64_t bytes);

/* ---- communicators of the library's own ---------------------------------------------------------------- */

/* Collective over `comm`: the ranks of each part have one of their own, in the order that is said. */
qdr_status qdri_comm_split(MPI_Comm comm, int part, int order, MPI_Comm *made);
/* Collective over these ranks of `comm`. */
qdr_status qdri_comm_of_some(MPI_Comm comm, int members, const int *member, MPI_Comm *made);
/* Collective, except after MPI_Finalize, when nothing is left to be freed. */
void qdri_comm_free(MPI_Comm *comm);

/* ---- operations ---------------------------------------------------------------------------------------- */

/* Each sets operation->done beforehand. A failure is returned, and then `done` is not called. Any number of
 * bytes: more than QDRI_PART goes as several messages (both ends must state the same number then).
 * `data` is borrowed until done. */
qdr_status qdri_send(qdri_wire *wire, qdri_operation *operation, int to, int tag, const void *data,
                     int64_t bytes);
#define QDRI_PART (INT64_C(1) << 30)
/* Done when the receiver has matched it. At most 2^31 - 1 bytes. */
qdr_status qdri_send_matched(qdri_wire *wire, qdri_operation *operation, int to, int tag, const void *data,
                             int64_t bytes);
/* From a rank, or from QDRI_ANYONE (then at most 2^31 - 1 bytes). `bytes` is the room there is. */
qdr_status qdri_receive(qdri_wire *wire, qdri_operation *operation, int from, int tag, void *data,
                        int64_t bytes);

/* A batch: messages with several partners as one operation, which ends with the last of them, or with the first that fails.
 * It is opened, and messages of one kind, sends or receives, are added to it; what has none never ends. Only where
 * qdri_has_batches(). */
int qdri_has_batches(const qdri_wire *wire);
qdr_status qdri_batch_open(qdri_wire *wire, qdri_operation *operation);
qdr_status qdri_batch_send(qdri_wire *wire, qdri_operation *operation, int to, int tag, const void *data,
                           int64_t bytes);
qdr_status qdri_batch_receive(qdri_wire *wire, qdri_operation *operation, int from, int tag, void *data,
                              int64_t bytes);

/* A message that was found, and must be received. */
typedef struct qdri_message {
    int is_there;
    int from, tag;
    int64_t bytes;   /* at most 2^31 - 1 */
    uint64_t handle; /* private */
} qdri_message;

/* Looks for a message of this tag from anyone; if found->is_there, qdri_receive_found() must receive it. */
qdr_status qdri_find(qdri_wire *wire, int tag, qdri_message *found);
qdr_status qdri_receive_found(qdri_wire *wire, qdri_operation *operation, qdri_message *found, void *data);

/* Whether a message with this tag, or QDRI_ANY_TAG, waits for a receive, from rank *from, or from QDRI_ANYONE; says from whom
 * it is, and how long. Of another program's messages nothing is known. */
int qdri_is_there(qdri_wire *wire, int *from, int tag, int64_t *bytes);
/* Takes that message away; false where it could not be. */
int qdri_discard(qdri_wire *wire, int from, int tag, int64_t bytes);

/* Gives up an operation; `done` is not called. True when MPI may go on with it: then its memory must stay. */
int qdri_cancel(qdri_wire *wire, qdri_operation *operation);

/* Collectives, in the same order on all ranks, as operations. */
qdr_status qdri_barrier(qdri_wire *wire, qdri_operation *operation);
/* One 64-bit word for every rank, one from every rank. */
qdr_status qdri_swap_words(qdri_wire *wire, qdri_operation *operation, const int64_t *out, int64_t *in);
/* out[r] summed over all ranks comes to rank r. */
qdr_status qdri_sum_for_each(qdri_wire *wire, qdri_operation *operation, const int64_t *out, int64_t *in);
/* *out summed over the ranks before this one comes to *in; 0 for the first. */
qdr_status qdri_sum_before(qdri_wire *wire, qdri_operation *operation, const int64_t *out, int64_t *in);
/* `bytes` bytes of each rank's come to all, in the order of ranks: at [start[r], start[r + 1]); up to 2 GiB,
 * or 16 GiB in whole words. */
qdr_status qdri_gather_all(qdri_wire *wire, qdri_operation *operation, const void *out, int64_t bytes,
                           void *in, const int64_t *start);

/* So many operations may be under way at once without any allocation; adds to what was reserved before.
 * A negative number gives back. */
qdr_status qdri_wire_reserve(qdri_wire *wire, int64_t operations);
/* The memory that room for so many takes at most; the same on all ranks. */
int64_t qdri_wire_reserve_bytes(const qdri_wire *wire, int64_t operations);

/* ---- progress ------------------------------------------------------------------------------------------ */

/* Something that has to be looked at regularly although no operation of it is under way: a sleeper of
 * `distributed`, a probe of discovery. In the wire's list between add and remove. */
typedef struct qdri_poller qdri_poller;
struct qdri_poller {
    void (*poll)(qdri_poller *poller);
    int is_awaited; /* what it looks at is all that anybody waits for, as far as it knows: the network may be looked at more rarely */
    qdri_poller *next, **link; /* private */
};
void qdri_poller_add(qdri_wire *wire, qdri_poller *poller);
void qdri_poller_remove(qdri_wire *wire, qdri_poller *poller);

/* Lets everything advance, on every wire of the process; returns how many operations were done. `held` is the
 * wire whose lock the caller has; NULL: none. */
int qdri_progress(qdri_wire *held);

/* For who waits without qdri_wait_until(), whenever he has seen the clock: looks for news (news.h), if that is long ago. */
void qdri_look_around(qdri_wire *wire, double now);

/* Seconds on a clock that only goes forward. */
double qdri_seconds(void);
/* The same, a few milliseconds late at most, at a tenth of the cost: for reports. */
double qdri_seconds_about(void);

/* Progresses everything until *finished is not 0, or QDR_ERR_STALLED when `deadline` (in qdri_seconds(); 0: none; less than 0: so many
 * seconds from the first look at the clock, which is not at once)
 * has passed. Yields the processor while there is nothing to do. */
qdr_status qdri_wait_until(qdri_wire *wire, const int *finished, double deadline);

/* The lock. All functions that take a wire, except open, retain, release and those that only look, expect
 * it to be held. */
void qdri_lock(qdri_wire *wire);
void qdri_unlock(qdri_wire *wire);

/* When this process, having done something else for 10 ms or more, last began to look for messages again. What seems to have come late may
 * have been there since before. */
double qdri_returned(const qdri_wire *wire);

/* ---- deadlines ----------------------------------------------------------------------------------------- */

/* How long to wait: `seconds`, or QDR_DEADLINE of the environment when it is 0 or less, else 0: for
 * ever. The environment was read, and checked on all ranks, when a wire was made. */
double qdri_patience(double seconds);

/* A deadline so many seconds ahead; `seconds` 0 or less: QDR_DEADLINE of the environment, else none
 * (0). */
double qdri_deadline(double seconds);

/* Whether a caller's number of seconds can be one; `what` is its name. */
qdr_status qdri_deadline_check(const char *what, double seconds);

#endif
