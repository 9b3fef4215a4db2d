/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside a wire: shared by the files of this folder only. */
#ifndef QDRI_WIRE_INSIDE_H
#define QDRI_WIRE_INSIDE_H

#include <pthread.h>

#include "base/error.h"
#include "wire/far.h"
#include "wire/node.h"
#include "wire/wire.h"

enum { QDRI_TAG_SPANS = 4096 };

/* A collective that somebody waits for. */
typedef struct qdri_meeting {
    qdri_operation operation;
    int finished;
    qdr_status status;
} qdri_meeting;

/* What an agreement sends and receives. It is part of the wire because, when a deadline passes, MPI may still
 * write into it. */
typedef struct qdri_table {
    int64_t word[1 + QDRI_AGREED];
    int64_t span[QDRI_TAG_SPANS / 64];
    int64_t parity;
    struct {
        int status;
        char sentence[1024];
    } verdict;
    char told[QDRI_TOLD];
    qdri_meeting maxima, spans, balance, spreading;
} qdri_table;

typedef struct qdri_board qdri_board;
typedef struct qdri_arena qdri_arena;
typedef struct qdri_collective qdri_collective; /* of a wire between programs */

struct qdri_wire {
    MPI_Comm comm; /* the duplicate */
    MPI_Request duplicating;
    int rank, ranks;
    int explains;         /* QDR_EXPLAIN, on the first of its ranks */
    uint32_t explained;   /* what was said once */
    int owners;           /* plans and the like, and the attribute of the user's communicator */
    int gone;             /* the communicator was freed, or MPI is finalised */
    qdr_status failed;    /* MPI could not test, or the other program is gone; nothing gets on any more */
    char failure[1024];   /* its sentence; "": MPI's */
    int broken;           /* a deadline passed inside a collective */
    int busy;             /* inside its callbacks: progress does not enter twice */
    int round;            /* of discovery */
    unsigned collectives; /* made of messages */
    pthread_mutex_t lock;

    /* What is under way: request[i] belongs to operation[i]. */
    MPI_Request *request;
    qdri_operation **operation;
    int *index;
    MPI_Status *status;
    struct {
        qdri_operation *operation;
        qdr_status status;
    } * finished;
    int64_t count, capacity, reserved;

    qdri_poller *pollers;
    qdri_keepsake *keepsakes;

    uint64_t tag_span[QDRI_TAG_SPANS / 64]; /* taken on this rank */
    int tag_spans, next_span;

    qdri_table table;
    int *gather; /* [2 ranks]: counts and places of a gather under way; one at a time */

    /* The node. */
    qdri_status_line *line;    /* [members] in the segment; NULL: none */
    qdri_status_line own_line; /* where there is no segment */
    int *member;               /* [ranks]: a rank's place in the segment, -1: not on this node */
    int *node;                 /* [ranks]: the lowest rank of its node */
    int members, one_node, crowded;
    int node_ranks; /* of QDR_NODE_RANKS; 0: nodes are as they are */
    size_t segment_bytes;
    int segment_file;
    uint64_t token;    /* of this rank, for the names of what it shares */
    qdri_board *board; /* in the segment; NULL: none */
    uint64_t board_round;
    int64_t *words; /* [2 ranks] */
    qdri_arena *arena;

    /* The other program; NULL: there is none. */
    const qdri_far *far;
    void *far_state;
    int first, own;              /* the ranks that MPI reaches; 0 and all */
    int stirred;                 /* far operations that ended in this round of progress */
    qdri_collective *collective; /* under way */

    qdri_wire *next; /* in the process's list */
};

/* The process's list of wires, and its lock. */
void qdri_wires_lock(void);
int qdri_wires_trylock(void);
void qdri_wires_unlock(void);
extern qdri_wire *qdri_wires;
/* What qdri_has_threads() said. */
extern int qdri_threads_multiple;

/* Local. Takes the environment in; fails where a value is refused. */
qdr_status qdri_wire_environment(qdri_wire *wire);

/* Fails with MPI's own text. */
qdr_status qdri_fail_mpi(int code, const char *call);

/* Before anything of an operation is started: room for so many requests. */
qdr_status qdri_operation_ready(qdri_wire *wire, qdri_operation *operation, int64_t parts);
/* The same for a collective, which this rank has come to. */
qdr_status qdri_operation_joined(qdri_wire *wire, qdri_operation *operation);
/* Notes a request that MPI has accepted; `code` is what MPI said. */
qdr_status qdri_operation_note(qdri_wire *wire, qdri_operation *operation, MPI_Request request, int code,
                               const char *call);

/* ---- two programs -------------------------------------------------------------------------------------- */

/* Whether the other program has this rank. */
static inline int qdri_wire_reaches(const qdri_wire *wire, int rank) {
    return wire->far && (rank < wire->first || rank >= wire->first + wire->own);
}

/* What cannot be had between two programs. */
qdr_status qdri_fail_far(const char *what);

qdr_status qdri_bridged_reduce(qdri_wire *wire, qdri_operation *operation, qdri_reduction reduction,
                               int64_t *value, int count);
qdr_status qdri_bridged_spread(qdri_wire *wire, qdri_operation *operation, int root, void *data, int bytes);
qdr_status qdri_bridged_gather(qdri_wire *wire, qdri_operation *operation, const void *out, int64_t bytes,
                               void *in, const int64_t *start);
/* True when its memory must stay. */
int qdri_collective_cancel(qdri_wire *wire, qdri_operation *operation);
void qdri_collectives_close(qdri_wire *wire);
int64_t qdri_reduce_words(qdri_reduction reduction, int64_t a, int64_t b);

/* What a real MPI and a simulated one do differently, beside the collectives and messages of unknown length of
 * wire.h: native.c or simulated.c. */

/* Whether several threads may be in MPI at once. */
int qdri_has_threads(void);
/* Whether memory is a way between the ranks of a node. */
int qdri_shares_memory(void);
int qdri_duplicate(MPI_Comm comm, MPI_Comm *duplicate, MPI_Request *request);
/* As MPI_Testsome over the wire's requests. `may_wait`: nothing else can happen to this rank meanwhile. */
int qdri_look_for_done(qdri_wire *wire, int may_wait, int *done);
/* Nothing to do. */
void qdri_yield(void);

/* For operations that somebody waits for. Marks the wire as broken when the deadline passes. */
void qdri_meeting_prepare(qdri_meeting *meeting);
qdr_status qdri_meeting_wait(qdri_wire *wire, qdri_meeting *meeting, double deadline);

/* Collective: finds the ranks of this node and maps their segment. Never fails for want of shared memory. */
qdr_status qdri_node_open(qdri_wire *wire, double deadline);
void qdri_node_close(qdri_wire *wire);

/* Memory that others can map by its name until it is unlinked. `bytes` are behind it, of `size` in all. NULL:
 * there is none. */
void *qdri_share_make(uint64_t token, size_t bytes, size_t size, int *file);
void *qdri_share_find(uint64_t token, size_t size, int *file);
void qdri_share_unlink(uint64_t token);
/* Puts memory behind a part of the file; false: there is none. */
int qdri_share_back(int file, int64_t from, int64_t bytes);

size_t qdri_board_bytes(int members);
/* This rank comes to no further round. */
void qdri_board_leave(qdri_wire *wire);
/* False: there is no memory for it. */
int qdri_arena_prepare(qdri_wire *wire);
/* Its part of the segment, `size` bytes for each member, from `at` on in the file; local. */
void qdri_arena_attach(qdri_wire *wire, char *base, int64_t size, int file, int64_t at);
int64_t qdri_arena_size(int members);
void qdri_arena_close(qdri_wire *wire);

/* Not all came before the deadline: the wire is broken. */
qdr_status qdri_status_stalled(qdri_wire *wire);

#endif
