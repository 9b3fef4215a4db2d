/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A stream that runs: shared by the files that run it.
 *
 *     timeline.c   which export answers which request, and what may be forgotten
 *     export.c     the exporter's calls; queue; answers
 *     import.c     the importer's calls; requests
 *     transfer.c   messages: what is in them, the plan that carries them
 *     wishes.c     how the plan is wished for
 *     notices.c    small messages beside the plan
 *     vote.c       what the ranks of a program have alike
 *     ring.c       the same of calls that do not vote
 *     wait.c       waiting, deadlines
 *     deadlock.c   programs that wait for each other
 *     fault.c      a failure of one rank becomes that of all
 *     run.c        open, step, close
 *
 * All of it is a state machine that a poller of the space's wire steps, so it advances in every wait of
 * the library, whatever that waits for: whoever waits for an import serves the requests of others
 * meanwhile. Everything happens under that wire's lock, which the poller finds taken and the calls of the
 * interface take. A step never waits.
 *
 * Who talks to whom, with M exporters and N importers: importer j sends its requests to the exporters p
 * with p mod N = j, exporter p its answers to the importers j with j mod M = p. So each rank gets each
 * once, and has one correspondent to listen to.
 */
#ifndef QDRI_COUPLE_RUN_H
#define QDRI_COUPLE_RUN_H

#include <string.h>

#include "couple/stream/stream.h"
#include "couple/stream/timeline.h"
#include "plan/held.h"
#include "wire/council.h"
#include "wire/pending.h"

/* ---- small messages ------------------------------------------------------------------------------------ */

enum { QDRI_SENTENCE = 1000, QDRI_WHAT = 400 };

/* Importer to exporter. */
typedef enum qdri_ask_kind { QDRI_ASK_REQUEST, QDRI_ASK_PROMISE, QDRI_ASK_NO_MORE } qdri_ask_kind;
typedef struct qdri_ask {
    int64_t kind;
    qdri_wanted request; /* of a promise: its time */
} qdri_ask;

/* Exporter to importer; and to the next exporter, which compares it with its own. */
typedef struct qdri_answer {
    int64_t number, verdict;
    double time;
} qdri_answer;

typedef enum qdri_wait_kind {
    QDRI_WAIT_OTHER,
    QDRI_WAIT_ANSWER,
    QDRI_WAIT_ROOM,
    QDRI_WAIT_CLOSE
} qdri_wait_kind;

/* A wait that nobody will end. */
typedef struct qdri_stuck {
    int64_t stream;       /* the number of its opening */
    int64_t kind, number; /* QDRI_WAIT_OTHER: there is none */
} qdri_stuck;

/* To the neighbours in the tree of ranks: what happened; or, as QDRI_GOODBYE, that nothing will come any
 * more; or, as QDRI_LINGER, that both programs close what they export, and need not wait for each other. */
enum { QDRI_GOODBYE = -1, QDRI_LINGER = -2 };
typedef struct qdri_fault_note {
    int64_t status;
    int64_t also;        /* the number of another stream that fails with it; 0: none */
    qdri_stuck stuck[2]; /* of a deadlock: what each program waits for */
    char sentence[QDRI_SENTENCE];
} qdri_fault_note;

/* Between roots: what the program waits for, and which wait of the other it knows to be in vain. */
typedef struct qdri_wait_note {
    int64_t stream; /* the number of its opening */
    int64_t serial, kind, number;
    int64_t knows_tag, knows_serial;
    char what[QDRI_WHAT];
} qdri_wait_note;

/* To the next rank of the program: what became of a call. */
typedef enum qdri_call_kind { QDRI_CALL_REFUSED, QDRI_CALL_PROMISED, QDRI_CALL_LAST } qdri_call_kind;
typedef struct qdri_call_note {
    int64_t number, kind;
    double time;          /* of a promise */
    char what[QDRI_WHAT]; /* of a refusal */
} qdri_call_note;

/* Between ranks of one program: words of which the maxima are wanted. */
enum { QDRI_VOTED = 9 };
typedef struct qdri_ballot {
    int64_t word[QDRI_VOTED];
} qdri_ballot;

typedef union qdri_body {
    qdri_ask ask;
    qdri_answer answer;
    qdri_fault_note fault;
    qdri_wait_note statement;
    qdri_call_note call;
} qdri_body;

/* A small message that goes; taken from a pool and given back. */
typedef struct qdri_notice qdri_notice;
struct qdri_notice {
    qdri_operation operation; /* first: callbacks convert */
    qdri_running *running;
    qdri_notice *next;  /* in the pool */
    qdri_notice *chain; /* of all */
    qdri_body body;
};

/* A receive that is posted ahead, again and again. */
typedef struct qdri_notice_box qdri_notice_box;
struct qdri_notice_box {
    qdri_operation operation; /* first */
    qdri_running *running;
    int from, tag;
    int64_t bytes;
    /* Whether more is to come. */
    int (*came)(qdri_notice_box *box, const qdri_body *body);
    qdri_body body;
};

void qdri_notice_send(qdri_running *running, int to, int tag, const void *body, int64_t bytes);
/* Listens; failures end up in the stream. */
void qdri_box_post(qdri_notice_box *box);
/* Who writes to it. */
qdri_teller qdri_box_sender(const qdri_notice_box *box);
/* True when MPI may go on with what is under way: then the memory must stay. */
int qdri_memos_cancel(qdri_running *running);

/* ---- votes --------------------------------------------------------------------------------------------- */

typedef struct qdri_vote qdri_vote;
struct qdri_vote {
    qdri_agreement agreement; /* first */
    qdri_term term[QDRI_VOTED];
    qdri_running *running;
    qdri_ballot result; /* the maxima, when it is done */
    qdri_vote *next;    /* of those that are not over */
    int done, is_over, dropped;
};

/* Before the first of them. */
qdr_status qdri_vote_open(qdri_running *running);
/* Collective over the ranks of the program that take part in the stream, in the same order. */
qdr_status qdri_vote_start(qdri_running *running, const qdri_ballot *ballot, qdri_vote **vote);
/* Its result is not wanted any more; it still takes its course. */
void qdri_vote_drop(qdri_vote **vote);
/* False: MPI may go on with some of its memory. */
int qdri_vote_close(qdri_running *running);

/* ---- calls without a vote ------------------------------------------------------------------------------ */

typedef struct qdri_call_notes {
    qdri_call_note *note;
    int64_t count, capacity;
} qdri_call_notes;

void qdri_ring_listen(qdri_running *running);
/* An export was made. */
void qdri_ring_made(qdri_running *running);
void qdri_ring_promised(qdri_running *running, double time);
/* A call was refused, with this status and the thread's sentence, which are returned. */
qdr_status qdri_ring_refused(qdri_running *running, qdr_status status);
/* This rank closes the stream. It may leave when running->heard_last. */
void qdri_ring_end(qdri_running *running);
void qdri_ring_close(qdri_running *running);

/* ---- messages of the plan ------------------------------------------------------------------------------ */

/* Before the data of each; 64 bytes. */
typedef struct qdri_header {
    int64_t request, bytes;
    double time;
    uint64_t digest;   /* of the request */
    uint64_t checksum; /* of what follows; 0: none */
    int64_t reserved[3];
} qdri_header;

/* The elements of one field in one message. */
typedef struct qdri_field_part {
    const qdri_route *route;
    int field;
    int64_t at; /* in the message */
} qdri_field_part;

/* All messages of one direction, one after the other in a block of memory. */
typedef struct qdri_messages {
    int count;
    int *partner;   /* [count]: in the other program, rising */
    int *rank;      /* [count]: on the wire */
    int64_t *at;    /* [count + 1]: in the block */
    int64_t *bytes; /* [count] */
    int *first;     /* [count + 1]: in part[] */
    qdri_field_part *part;
} qdri_messages;

/* ---- a stream that runs -------------------------------------------------------------------------------- */

/* What a call waits for. */
typedef struct qdri_import_call qdri_import_call;

typedef struct qdri_wait {
    qdri_wait_kind kind;
    int64_t number;
    int (*ready)(qdri_running *running, const void *context);
    const void *context;
    char what[QDRI_WHAT]; /* "atmos' export of stream 'b' (BEFORE 3.5)" */
} qdri_wait;

struct qdri_running {
    qdr_stream *stream;
    qdri_running *next; /* of the coupling's */
    qdri_wire *wire;
    qdri_poller poller;
    int own;                /* this rank's place in its program */
    int fellows;            /* ranks of that */
    const int *fellow_rank; /* on the wire */
    const char *own_name;
    int exporters, importers;                 /* how many */
    const int *exporter_rank, *importer_rank; /* on the wire */
    const char *exporter_name, *importer_name;
    char label[2 * QDRI_NAME + 100]; /* "stream 'a' from ocean to atmos" */
    int first_tag;
    int64_t nonce; /* the number of the stream: no other of the two programs has it, before or after */
    qdr_status failed;
    char sentence[QDRI_SENTENCE]; /* of the failure */
    qdri_fault_note doom;         /* a deadlock that this rank has heard of, and may not have come to */
    double doomed_since;

    qdri_notice *notices, *unused_notices; /* all, and those in the pool */
    int notices_under_way;
    qdri_notice_box ask, answer, compare, waits, fault[3], ring;
    int faults;       /* boxes of fault[] in use */
    int goodbyes_due; /* of importers that this rank listens to */
    int lingers;      /* the exporter may close it and go on; its end comes with that of the coupling */

    /* The transfer. */
    qdri_messages out, in;
    qdr_partners *partners;
    int plan_is_wished, plan_wished_by_exporter; /* in some way */
    qdr_plan *plan;
    qdri_exchange *exchange;
    int lost;              /* an exchange failed: MPI may still use its memory */
    const void **outgoing; /* [out.count] */
    void **incoming;       /* [in.count] */
    char *staging;         /* what comes; from the first import on */
    char *converted;       /* one part of it, in the importer's type */

    /* Exporting. */
    qdri_timeline timeline;
    char **snapshot; /* [snapshots]: NULL, or a block */
    int64_t snapshots;
    int64_t asks;               /* notices that came from the correspondent */
    int64_t asked_for;          /* requests among them */
    int no_more_asks;           /* it said so */
    qdri_answer *mine, *theirs; /* answers that wait for being compared with the neighbour's */
    int64_t mines, mine_capacity, their, their_capacity;

    /* Importing. */
    qdri_import_call *calls; /* in order of requests, those that are not over first */
    int64_t requests;        /* made */
    int64_t said;            /* notices of each correspondent */
    double asked, spared;    /* the last request's time, and the promise */

    qdri_council *council; /* of the ranks of this program that take part */
    qdri_vote *votes;      /* that are not over */

    int64_t numbered; /* exports and promises that were made or refused */
    qdri_call_notes calls_told, calls_heard;
    int closes, heard_last;

    int64_t exported, imported;

    /* Waiting. */
    const qdri_wait *wait; /* of the call that this rank is in; NULL: none */
    int ready;
    int64_t serial; /* of the wait */
    double waits_since;
    qdri_wait_note told, heard; /* to and from the other root about this stream */
};

struct qdri_import_call {
    qdr_pending pending;   /* first: handles convert */
    double *matched;       /* the caller's, for the time; NULL: not wanted */
    qdri_running *running; /* NULL: it failed, and is closed */
    qdri_import_call *next;
    qdri_wanted request;
    qdri_verdict verdict; /* as answered */
    double time;
    qdri_vote *vote; /* whether all ranks mean the same; NULL: they do */
    int over;        /* the data has come, or none will */
    int is_right;    /* both, whatever has happened to the stream since */
    int finished;    /* that, or the stream failed */
    int orphaned;    /* nobody has the handle */
    qdr_status left; /* without a stream: its failure */
    void *data[];    /* [fields]: in the order of stream->field */
};

static inline int qdri_running_is_root(const qdri_running *running) {
    return running->own == 0;
}

/* A number in the order of doubles. */
static inline int64_t qdri_ordered(double value) {
    int64_t word;
    memcpy(&word, &value, sizeof word);
    return word < 0 ? word ^ INT64_MAX : word;
}

static inline double qdri_from_ordered(int64_t word) {
    double value;
    if (word < 0) word ^= INT64_MAX;
    memcpy(&value, &word, sizeof value);
    return value;
}

/* ---- between the files --------------------------------------------------------------------------------- */

/* Takes every step that can be taken. */
void qdri_running_step(qdri_running *running);
/* The failure of the stream, if it has failed; else that of the wire. */
qdr_status qdri_running_state(qdri_running *running);
/* Waits until it is ready, or QDR_ERR_STALLED after stream->seconds. Returns the stream's failure if it has
 * one. */
qdr_status qdri_running_wait(qdri_running *running, const qdri_wait *wait);
/* Looks whether the wait is in vain; fails the streams then. */
void qdri_deadlock_look(qdri_running *running);
/* Whether this rank, which waits, has come to the deadlock that it has heard of. */
int qdri_deadlock_has_come(const qdri_running *running);
/* Whether all that it has exported and the other program has asked for is there. */
int qdri_deadlock_owes_nothing(const qdri_running *running);
/* A root listens to the other. */
void qdri_deadlock_listen(qdri_running *running);
/* An importer leaves: nobody need listen to it. */
void qdri_deadlock_goodbye(qdri_running *running);

/* This rank has found a failure, whose sentence is the thread's: all ranks of both programs will have it. */
void qdri_fault_raise(qdri_running *running, qdr_status status);
/* Programs wait for each other: two streams of a coupling, which may be one, fail on each rank when it comes to the wait
 * that is stuck, and has done what others expect of it before. */
void qdri_fault_raise_deadlock(qdri_running *running, qdri_running *other, const qdri_stuck stuck[2]);
/* The same on this rank, if it has come so far. */
void qdri_fault_strike(qdri_running *running);
/* Both programs wait for each other in closing what they export: neither has to. */
void qdri_fault_linger(qdri_running *running, qdri_running *other);
/* Opens the boxes of the tree. */
void qdri_fault_listen(qdri_running *running);
/* An importer leaves: the same. */
void qdri_fault_goodbye(qdri_running *running);

qdr_status qdri_messages_open(const qdr_stream *stream, int outgoing, qdri_messages *messages);
void qdri_messages_close(qdri_messages *messages);
int64_t qdri_messages_total(const qdri_messages *messages);
/* Both. */
qdr_status qdri_plan_open(qdri_running *running);
void qdri_transfer_close(qdri_running *running);
/* Fills the block of an export. */
void qdri_transfer_pack(qdri_running *running, const void *const *data, double time, char *block);
/* One exchange: of the snapshot in this slot (-1: this rank exports nothing), for this request. */
qdr_status qdri_transfer_start(qdri_running *running, const qdri_wanted *request, int slot);
/* What came, into the arrays of the call. */
qdr_status qdri_transfer_unpack(qdri_running *running, const qdri_import_call *call);

/* `count` values; whole numbers beyond the range become its end, and what is no number 0. */
void qdri_convert(qdr_type from, qdr_type to, int64_t count, const void *in, void *out);

/* The exporter's part of a step; whether anything happened. */
int qdri_export_announce(qdri_running *running);
int qdri_export_asked(qdri_notice_box *box, const qdri_body *body);
int qdri_export_compared(qdri_notice_box *box, const qdri_body *body);
/* The importer's. */
int qdri_import_answered(qdri_notice_box *box, const qdri_body *body);
/* The first call whose data has not come; NULL: none. */
qdri_import_call *qdri_import_next(const qdri_running *running);
/* Ends what has ended. */
void qdri_import_settle(qdri_running *running);
/* To all exporters that listen to this rank. */
void qdri_import_say(qdri_running *running, const qdri_ask *ask);
/* How many calls there are whose handles the program has. */
int64_t qdri_import_held(const qdri_running *running);
/* Frees the calls, but for those: they stay, with the stream's failure, until they are waited for. */
void qdri_import_close(qdri_running *running);

/* Of what is asked for; with its number. */
uint64_t qdri_wanted_digest(const qdri_wanted *request);
/* "BEFORE 3.5, tolerance 1". */
void qdri_wanted_text(const qdri_wanted *request, char *text, size_t size);

#endif
