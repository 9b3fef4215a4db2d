/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The board: how the members of a node tell each other a few words, all at once. Each has two rows, used in
 * turn, and each row says which round it shows. A round is: write, show, wait until all have shown, read. Two
 * rows are enough: whoever writes the row of round r + 2 has seen everybody show r + 1, and nobody shows r +
 * 1 before he has read what he wanted of round r.
 *
 * Beside the rows stands the verdict, of which there is none as long as all goes well. A round is decided when a member
 * has seen all come, and says so in a line of its own; whoever waits no longer, because his deadline has passed or somebody is in
 * another call, first claims the verdict, and then looks whether anybody has decided the round. A member that has said
 * so, and then finds no claim, was seen by any later one; who finds one waits for the verdict. So a round ends in one
 * way for all, also when the last member comes at the moment when another gives up.
 *
 * Cost: one line written, and one read for each member; with more ranks than processors, one turn of each.
 */
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "wire/inside.h"
#include "wire/paper.h"

/* A row: which round it shows, and of which kind, then its words; on cache lines of its own, and what is read together
 * lies together. */
typedef struct row {
    _Alignas(128) _Atomic uint64_t shown;
    uint64_t kind;
    int64_t word[];
} row;

/* Which round a member has seen decided, and the calls that its rows are of: nobody reads them as long as all goes well, so
 * writing them takes nobody's time. */
typedef struct sight {
    _Alignas(128) _Atomic uint64_t decided;
    char call[2][QDRI_PAPER_CALL];
} sight;

/* In front of all: the verdict. */
enum { NONE, CLAIMED, ENDED };
struct qdri_board {
    _Alignas(128) _Atomic int verdict;
    uint64_t decided,
        failed; /* when it has ended: the last round that was decided, and the one that failed; 0: none */
    int64_t status;
    char sentence[QDRI_PAPER_TEXT];
};

static size_t row_bytes(int members) {
    size_t words = QDRI_BOARD_WORDS + (size_t)members;
    return (offsetof(row, word) + words * sizeof(int64_t) + 127) / 128 * 128;
}

size_t qdri_board_bytes(int members) {
    return sizeof(qdri_board) + (size_t)members * (sizeof(sight) + 2 * row_bytes(members));
}

static sight *sight_of(const qdri_wire *wire, int member) {
    return (sight *)(wire->board + 1) + member;
}

static row *row_of(const qdri_wire *wire, int member, uint64_t round) {
    return (row *)((char *)sight_of(wire, wire->members) +
                   (2 * (size_t)member + round % 2) * row_bytes(wire->members));
}

int64_t *qdri_board_write(qdri_wire *wire) {
    return wire->board ? row_of(wire, wire->member[wire->rank], wire->board_round + 1)->word : NULL;
}

const int64_t *qdri_board_read(const qdri_wire *wire, int member) {
    return row_of(wire, member, wire->board_round)->word;
}

int64_t *qdri_board_words(qdri_wire *wire) {
    return wire->words;
}

/* ---- the verdict --------------------------------------------------------------------------------------- */

/* When nobody is just about to give it, which takes no time unless he dies. */
static int verdict_of(const qdri_board *board) {
    enum { LOOKS = 1 << 20 };
    int verdict = atomic_load(&board->verdict);
    for (int i = 0; verdict == CLAIMED && i < LOOKS; i++) {
        sched_yield();
        verdict = atomic_load(&board->verdict);
    }
    return verdict;
}

/* The last round that any member has seen decided. */
static uint64_t last_decided(const qdri_wire *wire) {
    uint64_t last = 0;
    for (int member = 0; member < wire->members; member++) {
        uint64_t decided = atomic_load(&sight_of(wire, member)->decided);
        if (decided > last) last = decided;
    }
    return last;
}

/* Ends the board with this thread's error message, unless it has ended, or this round, if there is one, is decided. */
static void end_unless_decided(const qdri_wire *wire, qdr_status status, uint64_t round) {
    qdri_board *board = wire->board;
    int none = NONE;
    while (!atomic_compare_exchange_strong(&board->verdict, &none, CLAIMED)) {
        if (verdict_of(board) != NONE) return;
        none = NONE;
    }
    uint64_t decided = last_decided(wire);
    if (round > 0 && decided >= round) {
        atomic_store(&board->verdict, NONE);
        return;
    }
    board->decided = decided;
    board->failed = round;
    board->status = status;
    snprintf(board->sentence, sizeof board->sentence, "%s", qdr_error_message());
    atomic_store(&board->verdict, ENDED);
}

/* Nobody can have seen the next round decided, because this rank has not shown it. */
void qdri_board_end(qdri_wire *wire, qdr_status status, int is_in_next) {
    if (wire->board) end_unless_decided(wire, status, is_in_next ? wire->board_round + 1 : 0);
}

qdr_status qdri_board_verdict(qdri_wire *wire) {
    const qdri_board *board = wire->board;
    if (!board || atomic_load_explicit(&board->verdict, memory_order_acquire) != ENDED) return QDR_OK;
    qdr_status status = qdri_fail((qdr_status)board->status, "%s", board->sentence);
    qdri_wire_break(wire, status);
    return status;
}

/* What has ended it, to those who are in the round that failed; to those who come later, that it has. */
static qdr_status last_word(qdri_wire *wire) {
    const qdri_board *board = wire->board;
    qdr_status status = verdict_of(board) == CLAIMED
                            ? qdri_fail(QDR_ERR_STALLED, "a rank of this node died while it gave up")
                            : qdri_fail((qdr_status)board->status, "%s", board->sentence);
    qdri_wire_break(wire, status);
    return board->failed == wire->board_round ? status : qdri_wire_state(wire);
}

qdr_status qdri_board_last_word(qdri_wire *wire) {
    if (!wire->board) return qdri_wire_state(wire);
    wire->board_round++;
    return last_word(wire);
}

/* ---- rounds -------------------------------------------------------------------------------------------- */

typedef enum progress { NOT_YET, ALL_SHOWN, DIFFERENT } progress;

/* *member is the first that has not been seen to come. */
static progress look_at_all(const qdri_wire *wire, uint64_t kind, int *member) {
    for (; *member < wire->members; ++*member) {
        const row *one = row_of(wire, *member, wire->board_round);
        if (atomic_load_explicit(&one->shown, memory_order_acquire) != wire->board_round) return NOT_YET;
        if (one->kind != kind) return DIFFERENT;
    }
    return ALL_SHOWN;
}

static int rank_of(const qdri_wire *wire, int member) {
    for (int rank = 0; rank < wire->ranks; rank++)
        if (wire->member[rank] == member) return rank;
    return -1;
}

static qdr_status differ(const qdri_wire *wire, const char *call, int member) {
    const char *other = sight_of(wire, member)->call[wire->board_round % 2];
    int rank = rank_of(wire, member), own_first = wire->rank < rank;
    return qdri_fail(QDR_ERR_MISMATCH,
                     "ranks are in different collective calls: rank %d in %.*s, rank %d in %.*s",
                     own_first ? wire->rank : rank, QDRI_PAPER_CALL - 1, own_first ? call : other,
                     own_first ? rank : wire->rank, QDRI_PAPER_CALL - 1, own_first ? other : call);
}

/* Until all have come; false: the board has ended, or somebody else has decided. */
static int wait_for_all(qdri_wire *wire, const char *call, uint64_t kind, double deadline) {
    enum { LOOKS_BETWEEN_PROGRESS = 8, LOOKS_BETWEEN_CLOCKS = 16 }; /* each is a yield */
    unsigned before_yielding = wire->crowded ? 4 : 200;
    uint64_t round = wire->board_round;
    int member = 0;
    progress seen;
    /* Somebody who is late may need this rank's help with an exchange before he can come. */
    for (unsigned looks = 1; (seen = look_at_all(wire, kind, &member)) == NOT_YET; looks++) {
        if (looks < before_yielding) continue;
        sched_yield();
        if (atomic_load_explicit(&wire->board->verdict, memory_order_acquire) == ENDED) return 0;
        if (looks % LOOKS_BETWEEN_PROGRESS == 0) qdri_progress(wire);
        if (wire->gone || wire->failed) {
            end_unless_decided(wire, qdri_wire_state(wire), round);
            return 0;
        }
        if (looks % LOOKS_BETWEEN_CLOCKS) continue;
        if (deadline < 0) deadline = qdri_deadline(0);
        double now = qdri_seconds();
        qdri_status_own(wire)->seen = now;
        if (deadline > 0 && now > deadline) {
            end_unless_decided(wire, qdri_fail_stalled(wire, call, ""), round);
            return 0;
        }
    }
    if (seen == DIFFERENT) end_unless_decided(wire, differ(wire, call, member), round);
    return seen == ALL_SHOWN;
}

/* Texts are mostly the same as the last time, and then not looked at. */
static uint64_t digest_of(qdri_wire *wire, const char *call) {
    if (wire->board_call == call) return wire->board_digest;
    uint64_t digest = 1;
    for (const char *at = call; *at; at++) digest = (digest ^ (unsigned char)*at) * UINT64_C(0x100000001b3);
    wire->board_call = call;
    return wire->board_digest = digest;
}

qdr_status qdri_board_show(qdri_wire *wire, const char *call, uint64_t shape, double deadline) {
    QDRI_TRY(qdri_wire_state(wire));
    qdri_status_own(wire)->meetings++;
    uint64_t round = ++wire->board_round,
             kind = (digest_of(wire, call) ^ shape) * UINT64_C(0x9e3779b97f4a7c15);
    row *own = row_of(wire, wire->member[wire->rank], round);
    sight *aside = sight_of(wire, wire->member[wire->rank]);
    if (wire->board_text[round % 2] != call) {
        wire->board_text[round % 2] = call;
        strncpy(aside->call[round % 2], call, QDRI_PAPER_CALL - 1);
    }
    own->kind = kind;
    atomic_store_explicit(&own->shown, round, memory_order_release);
    if (wait_for_all(wire, call, kind, deadline)) {
        atomic_store(&aside->decided, round);
        if (atomic_load(&wire->board->verdict) == NONE) return QDR_OK;
    }
    int verdict = verdict_of(wire->board);
    if (verdict == NONE || (verdict == ENDED && wire->board->decided >= round)) return QDR_OK;
    return last_word(wire);
}
