/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The board: how the members of a node tell each other a few words, all at once. Each has two rows, used in
 * turn, and each row says which round it shows. A round is: write, show, wait until all have shown, read. Two
 * rows are enough: whoever writes the row of round r + 2 has seen everybody show r + 1, and nobody shows r +
 * 1 before he has read what he wanted of round r.
 *
 * Cost: one line written, and one read for each member; with more ranks than processors, one turn of each.
 */
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

#include "wire/inside.h"

/* A row: which round it shows, and of which kind, then its words; on cache lines of its own, and what is read together lies
 * together. */
struct qdri_board {
    _Alignas(128) _Atomic uint64_t shown;
    uint64_t kind;
    int64_t word[];
};

static size_t row_bytes(int members) {
    size_t words = QDRI_BOARD_WORDS + (size_t)members;
    return (offsetof(qdri_board, word) + words * sizeof(int64_t) + 127) / 128 * 128;
}

size_t qdri_board_bytes(int members) {
    return 2 * (size_t)members * row_bytes(members);
}

static qdri_board *row_of(const qdri_wire *wire, int member, uint64_t round) {
    return (qdri_board *)((char *)wire->board + (2 * (size_t)member + round % 2) * row_bytes(wire->members));
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

/* Instead of a round: this member waited in vain, or cannot go on, and comes no more. So whoever is late hears
 * of it. */
static const uint64_t gave_up = UINT64_MAX;

void qdri_board_leave(qdri_wire *wire) {
    for (uint64_t i = 0; wire->board && i < 2; i++)
        atomic_store_explicit(&row_of(wire, wire->member[wire->rank], i)->shown, gave_up,
                              memory_order_release);
}

static qdr_status stalled(qdri_wire *wire) {
    qdri_board_leave(wire);
    return qdri_status_stalled(wire);
}

static qdr_status differ(qdri_wire *wire) {
    qdri_wire_break(wire);
    return qdri_fail(QDR_MISMATCH, "rank %d: ranks are in different collective calls of the library",
                     wire->rank);
}

typedef enum progress { NOT_YET, ALL_SHOWN, NEVER, DIFFERENT } progress;

static progress look_at_all(const qdri_wire *wire, uint64_t kind, int *member) {
    for (; *member < wire->members; ++*member) {
        const qdri_board *row = row_of(wire, *member, wire->board_round);
        uint64_t shown = atomic_load_explicit(&row->shown, memory_order_acquire);
        if (shown != wire->board_round) return shown == gave_up ? NEVER : NOT_YET;
        if (row->kind != kind) return DIFFERENT;
    }
    return ALL_SHOWN;
}

qdr_status qdri_board_show(qdri_wire *wire, uint64_t kind, double deadline) {
    enum { LOOKS_BETWEEN_PROGRESS = 8, LOOKS_BETWEEN_CLOCKS = 16 }; /* each is a yield */
    unsigned before_yielding = wire->crowded ? 4 : 200;
    int member = 0;
    progress seen;
    QDRI_TRY(qdri_wire_state(wire));
    qdri_status_own(wire)->meetings++;
    qdri_board *own = row_of(wire, wire->member[wire->rank], ++wire->board_round);
    own->kind = kind;
    atomic_store_explicit(&own->shown, wire->board_round, memory_order_release);
    /* Somebody who is late may need this rank's help with an exchange before he can come. */
    for (unsigned looks = 1; (seen = look_at_all(wire, kind, &member)) == NOT_YET; looks++) {
        if (looks < before_yielding) continue;
        sched_yield();
        if (looks % LOOKS_BETWEEN_PROGRESS == 0) qdri_progress(wire);
        if (wire->gone || wire->failed) {
            qdri_board_leave(wire);
            return qdri_wire_state(wire);
        }
        if (looks % LOOKS_BETWEEN_CLOCKS) continue;
        if (deadline < 0) deadline = qdri_deadline(0);
        double now = qdri_seconds();
        qdri_status_own(wire)->seen = now;
        if (deadline > 0 && now > deadline) return stalled(wire);
    }
    return seen == ALL_SHOWN ? QDR_OK : seen == NEVER ? stalled(wire) : differ(wire);
}
