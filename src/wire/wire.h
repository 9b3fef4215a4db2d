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
 * A wire may also reach the ranks of another program (far.h). Its collectives, messages to and from known ranks,
 * and agreement are the same; messages from anyone, or of unknown length, are refused there.
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

typedef struct qdri_wire qdri_wire;
typedef struct qdri_operation qdri_operation;

/* Called once, when the operation is done or has failed. For a receive, `partner` and `bytes` of the
 * operation say from whom and how much came. */
typedef void qdri_done(qdri_operation *operation, qdr_status status);

struct qdri_operation {
    qdri_done *done;
    int partner;   /* of a receive from anyone: who it was */
    int64_t bytes; /* of a receive: how much it was */
    int parts;     /* private: requests that are not done; 0: not under way */
    int receives;  /* private: it has a source and a length */
    int joined;    /* private: it is a collective */
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

int qdri_wire_rank(const qdri_wire *wire);
int qdri_wire_ranks(const qdri_wire *wire);

/* QDR_OK, or QDR_GONE (the communicator was freed, MPI is finalised) or QDR_LOST (a deadline passed inside a
 * collective) or QDR_PEER (the other program is gone), with a sentence. */
qdr_status qdri_wire_state(const qdri_wire *wire);

/* The same without a sentence. */
int qdri_wire_usable(const qdri_wire *wire);

/* Whether it was a wire with another program, which has left, as it said it would: nothing will come from it. */
int qdri_wire_is_alone(const qdri_wire *wire);

/* Marks it as broken: a deadline passed where all ranks were needed. */
void qdri_wire_break(qdri_wire *wire);

/* A span of QDRI_TAGS tags that no rank uses; collective, by agreement inside qdri_agree(). */
enum { QDRI_TAGS = 128 };
void qdri_wire_return_tags(qdri_wire *wire, int first_tag);

/* Tags below QDRI_FREE_TAGS are for protocols that need no agreement. */
enum {
    QDRI_TAG_BROADCAST = 0,
    QDRI_TAG_DISCOVER = 16, /* one for each round, in turn */
    QDRI_DISCOVER_ROUNDS = 64,
    QDRI_TAG_DELIVER = 80, /* large parcels of discovery */
    QDRI_TAG_PASS = 82,    /* lists that go round; two of them */
    QDRI_TAG_MEET = 84,    /* two programs find each other */
    QDRI_FREE_TAGS = 128,
};

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

/* Looks for a message of this tag from anyone; *found says whether there is one, and then *message, *from and
 * *bytes describe it, and qdri_receive_found() must receive it. At most 2^31 - 1 bytes. */
qdr_status qdri_find(qdri_wire *wire, int tag, int *found, MPI_Message *message, int *from, int64_t *bytes);
qdr_status qdri_receive_found(qdri_wire *wire, qdri_operation *operation, MPI_Message *message, int from,
                              void *data, int64_t bytes);

/* Whether a message with this tag, or QDRI_ANY_TAG, waits for a receive, from rank *from, or from QDRI_ANYONE; says from whom
 * it is, and how long. Of another program's messages nothing is known. */
int qdri_is_there(qdri_wire *wire, int *from, int tag, int64_t *bytes);
/* Takes that message away; false where it could not be. */
int qdri_discard(qdri_wire *wire, int from, int tag, int64_t bytes);

/* Gives up an operation; `done` is not called. True when MPI may go on with it: then its memory must stay. */
int qdri_cancel(qdri_wire *wire, qdri_operation *operation);

/* Collectives, in the same order on all ranks, as operations. Reductions are in place over 64-bit words. */
typedef enum qdri_reduction { QDRI_MAXIMUM, QDRI_SUM, QDRI_UNION, QDRI_PARITY } qdri_reduction;
qdr_status qdri_barrier(qdri_wire *wire, qdri_operation *operation);
qdr_status qdri_reduce(qdri_wire *wire, qdri_operation *operation, qdri_reduction kind, int64_t *value,
                       int count);
qdr_status qdri_spread_from(qdri_wire *wire, qdri_operation *operation, int root, void *data, int bytes);
/* One 64-bit word for every rank, one from every rank. */
qdr_status qdri_swap_words(qdri_wire *wire, qdri_operation *operation, const int64_t *out, int64_t *in);
/* out[r] summed over all ranks comes to rank r. */
qdr_status qdri_sum_for_each(qdri_wire *wire, qdri_operation *operation, const int64_t *out, int64_t *in);
/* `bytes` bytes of each rank's come to all, in the order of ranks: at [start[r], start[r + 1]); up to 2 GiB,
 * or 16 GiB in whole words. */
qdr_status qdri_gather_all(qdri_wire *wire, qdri_operation *operation, const void *out, int64_t bytes,
                           void *in, const int64_t *start);

/* So many operations may be under way at once without any allocation; adds to what was reserved before.
 * A negative number gives back. */
qdr_status qdri_wire_reserve(qdri_wire *wire, int64_t operations);

/* ---- progress ------------------------------------------------------------------------------------------ */

/* Something that has to be looked at regularly although no operation of it is under way: a sleeper of
 * `distributed`, a probe of discovery. In the wire's list between add and remove. */
typedef struct qdri_poller qdri_poller;
struct qdri_poller {
    void (*poll)(qdri_poller *poller);
    qdri_poller *next, **link; /* private */
};
void qdri_poller_add(qdri_wire *wire, qdri_poller *poller);
void qdri_poller_remove(qdri_wire *wire, qdri_poller *poller);

/* Lets everything advance, on every wire of the process; returns how many operations were done. `held` is the
 * wire whose lock the caller has; NULL: none. */
int qdri_progress(qdri_wire *held);

/* Seconds on a clock that only goes forward. */
double qdri_seconds(void);
/* The same, a few milliseconds late at most, at a tenth of the cost: for reports. */
double qdri_seconds_about(void);

/* Progresses everything until *finished is not 0, or QDR_STALLED when `deadline` (in qdri_seconds(); 0: none; less than 0: so many
 * seconds from the first look at the clock, which is not at once)
 * has passed. Yields the processor while there is nothing to do. */
qdr_status qdri_wait_until(qdri_wire *wire, const int *finished, double deadline);

/* The lock. All functions that take a wire, except open, retain, release and those that only look, expect
 * it to be held. */
void qdri_lock(qdri_wire *wire);
void qdri_unlock(qdri_wire *wire);

/* ---- agreement ----------------------------------------------------------------------------------------- */

/* What the ranks of a collective call agree on, in one step: whether all can go on, the maxima of a few
 * numbers, and a span of tags if wanted. */
typedef struct qdri_agreement {
    qdr_status status; /* mine; its sentence is this thread's error message */
    int64_t *maximum;  /* [count], in and out */
    int count;         /* at most QDRI_AGREED */
    /* NULL, or [count]: what the maxima may be. Between ranks that share a node, which are one program's, nobody
     * looks; elsewhere the wire is broken when one is refused, since others may have gone on. */
    const qdri_expected *expected;
    const int64_t *parity;   /* NULL, or words that must cancel out over all ranks, by exclusive or */
    const int64_t *word_for; /* NULL, or on one node: [ranks], a word for each; */
    int64_t *word_from;      /* and out: [ranks], what each had for this rank */
    int wants_tags;          /* the same on all ranks */
    int first_tag;           /* out */
    double deadline;         /* 0: none */
} qdri_agreement;
enum { QDRI_AGREED = 24 };

/* A deadline that is looked up, as qdri_deadline(0), only when somebody has to wait for long; on one node. */
#define QDRI_DEADLINE_LATER (-1.0)

/* Collective. When any rank fails, all return the status of the lowest such rank, with its sentence. When the
 * deadline passes: QDR_STALLED, and the wire is broken. */
qdr_status qdri_agree(qdri_wire *wire, qdri_agreement *agreement);

/* How long to wait: `seconds`, or QDR_STALL_SECONDS of the environment when it is 0 or less, else 0: for
 * ever. The environment was read, and checked on all ranks, when a wire was made. */
double qdri_patience(double seconds);

/* Collective. Rank 0 tells the others; at most QDRI_TOLD bytes. */
enum { QDRI_TOLD = 1024 };
qdr_status qdri_tell(qdri_wire *wire, void *data, int bytes, double deadline);

/* A deadline so many seconds ahead; `seconds` 0 or less: QDR_STALL_SECONDS of the environment, else none
 * (0). */
double qdri_deadline(double seconds);

#endif
