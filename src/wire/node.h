/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The node: what ranks that share memory have in common, for each wire.
 *
 * Two ranks are on one node when they are on one host (base/host.h) *and* both see the same segment of shared
 * memory. QDR_NODE_RANKS=k cuts a host into several nodes of k ranks each, which use MPI between them: for tests, and
 * for seeing on one machine how a program would run on several. Three things stand on that:
 *
 *     status lines   what each rank waits for, for reports about stalls
 *     the board      each shows a row of words, all read all rows: agreement without a message
 *     the arena      memory of each rank into which the others write
 *
 * Where shared memory is missing on one node, nobody has it, and everything goes by MPI.
 */
#ifndef QDRI_NODE_H
#define QDRI_NODE_H

#include <stddef.h>
#include <stdint.h>

#include "wire/wire.h"

/* ---- who is here --------------------------------------------------------------------------------------- */

/* The members of this node, by rising rank; 0 where there is no shared memory. */
int qdri_node_members(const qdri_wire *wire);

/* A rank's place among the members; -1: it is not on this node. */
int qdri_node_member(const qdri_wire *wire, int rank);

/* Whether two ranks, of whatever node, share one; the same answer on all ranks. */
int qdri_node_shared(const qdri_wire *wire, int rank, int other);

/* The lowest rank of those that are on a rank's host, as far as is known; the same answer on all ranks. */
int qdri_node_of(const qdri_wire *wire, int rank);

/* Whether all ranks of the wire are on this rank's node; the same on all. */
int qdri_wire_one_node(const qdri_wire *wire);

/* Whether all ranks are known to be on one host, though they may share no memory: there is no network between them. The
 * same on all. */
int qdri_wire_one_host(const qdri_wire *wire);

/* Whether the members outnumber the processors they may use: whoever waits should yield at once. */
int qdri_node_crowded(const qdri_wire *wire);

/* ---- status lines -------------------------------------------------------------------------------------- */

/* What a rank says about itself to the others of its node, for the reports about stalls; in shared memory,
 * written without any lock (a reader takes what it sees with a grain of salt). */
typedef struct qdri_status_line {
    int64_t pid;
    int64_t plan, exchange; /* numbers of the plan on this wire, and of the exchange of it; -1: in none */
    int64_t phase;
    int64_t waits_for; /* a rank; -1: nobody */
    int64_t bytes;     /* that it waits for */
    double since;      /* qdri_seconds() when it last got on */
    double seen;       /* when it last looked after anything here; 0: it did so since without a clock */
    int64_t meetings;  /* collectives that it has begun */
    int64_t failed;    /* the status of an exchange that it gave up; 0: none */
    int64_t in, in_left, out, out_left; /* bytes from and to other nodes (plan/demand.h) */
    int64_t is_under_way;               /* some exchange that these are of */
    int64_t padding[1];                 /* a line has its cache lines for itself */
} qdri_status_line;

/* This rank's own line, to write; points to private memory where there is no node segment. */
qdri_status_line *qdri_status_own(qdri_wire *wire);

/* Another rank's line; NULL when it is not on this node (as MPI says, and as a test of the memory showed). */
const qdri_status_line *qdri_status_of(qdri_wire *wire, int rank);

/* Whether the process behind a line is known not to exist any more. */
int qdri_status_gone(const qdri_status_line *line);

/* What the system says of the process behind a line, as the end of "rank 3": " has gone: there is no process
 * 4711", " is stopped: process 4711"; "": it lives, and may run. */
void qdri_status_life(const qdri_status_line *line, char *text, size_t size);

/* Which ranks did not come to the collective that this one waits in, as far as this node knows: the end of a
 * sentence, "" if none is known. */
void qdri_status_absent(qdri_wire *wire, char *text, size_t size);

/* ---- the board ----------------------------------------------------------------------------------------- */

/* Words of a row: so many, and then one for each member. */
enum { QDRI_BOARD_WORDS = 224 };

/* This rank's row of the next round, to be written; NULL: there is no board. Its contents are undefined. */
int64_t *qdri_board_write(qdri_wire *wire);

/* Memory for a word to and from each rank, kept with the wire. */
int64_t *qdri_board_words(qdri_wire *wire);

/* Collective over the node. Shows the row, and waits until all have shown theirs. `call` and `shape` must be alike; where
 * they are not: QDR_ERR_MISMATCH; when the deadline (0: none) passes: QDR_ERR_STALLED. All members get the same, and after a
 * failure the wire is broken for all of them. */
qdr_status qdri_board_show(qdri_wire *wire, const char *call, uint64_t shape, double deadline);

/* A failure after which nothing goes on among all members, of which one has learned: this rank's wire is broken then, too. */
qdr_status qdri_board_verdict(qdri_wire *wire);

/* A member's row of the round that was shown last; valid until this rank shows the next. */
const int64_t *qdri_board_read(const qdri_wire *wire, int member);

/* ---- the arena ----------------------------------------------------------------------------------------- */

/* Whether there is one; the same on all ranks. */
int qdri_arena_there(const qdri_wire *wire);

/* Local. Memory of this rank's own, zero where it was never used, aligned to 128 bytes; backed, so touching
 * it is safe. 0 when there is no more: offsets are never 0. */
int64_t qdri_arena_take(qdri_wire *wire, int64_t bytes);
void qdri_arena_give(qdri_wire *wire, int64_t offset);
/* The same as soon as *left is not 0: until then somebody may write there still. NULL: at once. `left` lies in the arena, in the
 * block that is given last of all with the same. */
void qdri_arena_give_later(qdri_wire *wire, int64_t offset, const _Atomic int64_t *left);

/* Where a member's memory at an offset is mapped here. */
void *qdri_arena_at(const qdri_wire *wire, int member, int64_t offset);
/* Finds the pages of some of it, of whichever member, so that nobody has to wait for them later. */
void qdri_arena_warm(qdri_wire *wire, const void *from, int64_t bytes);

/* ---- memory of other processes ------------------------------------------------------------------------- */

/* Whether large messages may be read where they lie: QDR_NODE_READ. */
typedef enum qdri_reading { QDRI_READS_IF_FASTER, QDRI_READS_ALWAYS, QDRI_READS_NEVER } qdri_reading;
qdri_reading qdri_node_reading(const qdri_wire *wire);

/* Local. What a process shows of itself, so that others of its node know that it is the one whose memory they read. */
typedef struct qdri_own_word {
    uint64_t place, word; /* where the word lies, in memory of that process; 0: it has shown none */
} qdri_own_word;
qdri_own_word qdri_own_word_here(void);
/* Whether the system lets this process read the memory of another, and it is the one that was meant. */
int qdri_foreign_is(int64_t process, qdri_own_word expected);
/* Copies from there. False: not all of it could be read. */
int qdri_foreign_read(int64_t process, uint64_t place, void *into, int64_t bytes);

#endif
