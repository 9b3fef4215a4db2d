/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The board: how the members of a node tell each other a few words, all at once. Each has two rows, used in
 * turn, and a counter of the rounds it has shown. A round is: write, count, wait until all have counted, read.
 * Two rows are enough: whoever writes the row of round r + 2 has seen everybody count to r + 1, and nobody
 * counts to r + 1 before he has read what he wanted of round r.
 *
 * Cost: one line written, and one read for each member; with more ranks than processors, one turn of each.
 */
#include <sched.h>
#include <stdatomic.h>

#include "wire/inside.h"

/* For each member a counter on lines of its own; behind them the rows. */
struct qdri_board {
    _Alignas(128) _Atomic uint64_t shown;
};

static int64_t row_words(int members) {
    return (QDRI_BOARD_WORDS + members + 15) / 16 * 16;
}

size_t qdri_board_bytes(int members) {
    return (size_t)members * (sizeof(qdri_board) + 2 * (size_t)row_words(members) * sizeof(int64_t));
}

static int64_t *row_of(const qdri_wire *wire, int member, uint64_t round) {
    int64_t *rows = (int64_t *)(wire->board + wire->members);
    return rows + (2 * member + (int64_t)(round % 2)) * row_words(wire->members);
}

int64_t *qdri_board_write(qdri_wire *wire) {
    return wire->board ? row_of(wire, wire->member[wire->rank], wire->board_round + 1) : NULL;
}

const int64_t *qdri_board_read(const qdri_wire *wire, int member) {
    return row_of(wire, member, wire->board_round);
}

static int all_have_shown(const qdri_wire *wire, int *member) {
    for (; *member < wire->members; ++*member)
        if (atomic_load_explicit(&wire->board[*member].shown, memory_order_acquire) < wire->board_round)
            return 0;
    return 1;
}

qdr_status qdri_board_show(qdri_wire *wire, double deadline) {
    enum { LOOKS_BEFORE_YIELDING = 50, LOOKS_BETWEEN_PROGRESS = 8, LOOKS_BETWEEN_CLOCKS = 256 };
    int member = 0;
    QDRI_TRY(qdri_wire_state(wire));
    qdri_status_own(wire)->meetings++;
    atomic_store_explicit(&wire->board[wire->member[wire->rank]].shown, ++wire->board_round,
                          memory_order_release);
    /* Somebody who is late may need this rank's help with an exchange before he can come. */
    for (unsigned looks = 1; !all_have_shown(wire, &member); looks++) {
        if (looks < LOOKS_BEFORE_YIELDING) continue;
        sched_yield();
        if (looks % LOOKS_BETWEEN_PROGRESS == 0) qdri_progress(wire);
        if (wire->gone || wire->failed) return qdri_wire_state(wire);
        if (deadline > 0 && looks % LOOKS_BETWEEN_CLOCKS == 0 && qdri_seconds() > deadline)
            return qdri_status_stalled(wire);
    }
    return QDR_OK;
}
