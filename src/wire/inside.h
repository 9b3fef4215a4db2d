/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside a wire: shared by the files of this folder only. */
#ifndef QDRI_WIRE_INSIDE_H
#define QDRI_WIRE_INSIDE_H

#include <pthread.h>

#include "base/error.h"
#include "wire/agree.h"
#include "wire/backend.h"
#include "wire/news.h"
#include "wire/node.h"
#include "wire/paper.h"
#include "wire/wire.h"

typedef struct qdri_board qdri_board;
typedef struct qdri_arena qdri_arena;
typedef struct qdri_council qdri_council;
typedef struct qdri_rounds qdri_rounds; /* a collective that is made of messages */
typedef struct qdri_mpi qdri_mpi;       /* mpi/inside.h */
typedef struct qdri_joined qdri_joined; /* tcp/joined.h */

/* News that go, that come, or that are kept. */
typedef struct qdri_news_item qdri_news_item;
struct qdri_news_item {
    qdri_operation operation; /* first */
    qdri_wire *wire;
    int is_coming;
    qdri_news_item *next; /* the one that was kept before it */
    qdri_news news;
};

struct qdri_wire {
    const qdri_backend *backend;
    qdri_mpi *mpi;       /* this program's ranks */
    qdri_joined *joined; /* the other program's; NULL: there is none */
    int rank, ranks;
    int leads;            /* this rank is the first of its program */
    int explains;         /* QDR_EXPLAIN, on the first rank */
    uint32_t explained;   /* what was said once */
    int owners;           /* plans and the like, and the attribute of the user's communicator */
    int gone;             /* the communicator was freed, or MPI is finalised */
    qdr_status failed;    /* MPI could not test, or the other program is gone; nothing gets on any more */
    int broken;           /* a collective failed in a way after which nobody knows what the others do */
    int has_leftovers;    /* messages that nobody receives any more may be on it */
    char failure[1024];   /* the sentence of either */
    int busy;             /* inside its callbacks: progress does not enter twice */
    int ended;            /* operations that ended in this round of progress inside a poller */
    int64_t reserved;     /* operations */
    int round;            /* of discovery */
    unsigned collectives; /* made of messages, so far */
    qdri_rounds *rounds;  /* those under way */
    pthread_mutex_t lock;

    qdri_poller *pollers;
    qdri_listener *listeners, *listener; /* all; the next to be shown news */
    qdri_news_item heard, *kept;
    double looked;   /* when it last looked for news */
    double present;  /* and for messages, by the coarse clock */
    double returned; /* when that was after a pause */
    qdri_keepsake *keepsakes;

    uint64_t tag_span[QDRI_TAG_SPANS / 64]; /* taken on this rank */
    uint64_t tag_digest;                    /* of them */
    int tag_spans, next_span;

    qdri_council *council; /* of all ranks; NULL: there is none yet, or they share a node */

    /* The node. */
    qdri_status_line *line;    /* [members] in the segment; NULL: none */
    qdri_status_line own_line; /* where there is no segment */
    int *member;               /* [ranks]: a rank's place in the segment, -1: not on this node */
    int *node;                 /* [ranks]: the lowest rank of its node */
    int members, one_node, one_host, crowded;
    int node_ranks; /* of QDR_NODE_RANKS; 0: nodes are as they are */
    qdri_reading reading;
    size_t segment_bytes;
    int segment_file;
    uint64_t token;    /* of this rank, for the names of what it shares */
    qdri_board *board; /* in the segment; NULL: none */
    uint64_t board_round;
    const char *board_call; /* of which this is the digest */
    uint64_t board_digest;
    const char *board_text[2]; /* the calls that this rank's rows name */
    int64_t *words;            /* [2 ranks] */
    qdri_arena *arena;

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

/* A wire has room for so many, and it doubles. */
enum { QDRI_LEAST_OPERATIONS = 64 };

/* Before anything of an operation is started. */
qdr_status qdri_operation_ready(qdri_wire *wire, qdri_operation *operation);
/* The same for a collective, which this rank has come to. */
qdr_status qdri_operation_joined(qdri_wire *wire, qdri_operation *operation);
/* From inside a poller: an operation is over. */
void qdri_operation_end(qdri_wire *wire, qdri_operation *operation, qdr_status status);

/* With one owner, in no list, and for no ranks yet; NULL: no memory. */
qdri_wire *qdri_wire_make(void);
/* The process's list knows it from now on. */
void qdri_wire_enlist(qdri_wire *wire);
/* What is kept with it goes; on a broken wire nothing does, for MPI may still write into it. */
void qdri_wire_release_keepsakes(qdri_wire *wire);
/* The communicator goes, or MPI. */
void qdri_wire_part(qdri_wire *wire);
/* Fails for good, with this thread's error message as its sentence. The first failure counts. */
void qdri_wire_fail(qdri_wire *wire, qdr_status status);

/* False: memory of the wire must stay. */
int qdri_news_close(qdri_wire *wire);

/* Collective: finds the ranks of this node and maps their segment. Never fails for want of shared memory, but where any
 * rank's `mine` is a failure. */
qdr_status qdri_node_open(qdri_wire *wire, qdr_status mine, double deadline);
/* Local. Gives up the segment: MPI never has any of it. The rest, which MPI may still have when the wire is broken. */
void qdri_node_leave(qdri_wire *wire);
void qdri_node_close(qdri_wire *wire);

/* Memory that others can map by its name until it is unlinked. `bytes` are behind it, of `size` in all. NULL:
 * there is none. */
void *qdri_share_make(uint64_t token, size_t bytes, size_t size, int *file);
void *qdri_share_find(uint64_t token, size_t size, int *file);
void qdri_share_unlink(uint64_t token);
/* Puts memory behind a part of the file; false: there is none. */
int qdri_share_back(int file, int64_t from, int64_t bytes);

size_t qdri_board_bytes(int members);
/* No rank comes to any further round; the error message says why. */
void qdri_board_end(qdri_wire *wire, qdr_status status, int is_in_next);
/* How it has ended, for a rank that comes to its next round though its wire is broken. */
qdr_status qdri_board_last_word(qdri_wire *wire);
/* False: there is no memory for it. */
int qdri_arena_prepare(qdri_wire *wire);
/* Its part of the segment, `size` bytes for each member, from `at` on in the file; local. */
void qdri_arena_attach(qdri_wire *wire, char *base, int64_t size, int file, int64_t at);
int64_t qdri_arena_size(int members);
void qdri_arena_close(qdri_wire *wire);

/* The failure of a wait for ranks that did not come; `who` ends the sentence where the node does not know them. */
qdr_status qdri_fail_stalled(qdri_wire *wire, const char *call, const char *who);

/* The first free span of tags behind the last one that was taken, so that each rests as long as possible; -1: none. */
int qdri_span_find(const qdri_wire *wire, const uint64_t *taken);
qdr_status qdri_span_take(qdri_wire *wire, int64_t span, int *first_tag);

#endif
