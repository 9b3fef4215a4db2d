/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of crates in arenas: see crate.h. */
#include "plan/near/crate.h"

typedef struct crate_row {
    _Alignas(128) _Atomic int64_t left; /* by the sender */
    qdri_crate crate[];
} crate_row;

static crate_row *row_of(const qdri_wire *wire, int member, int64_t row) {
    return qdri_arena_at(wire, member, row);
}

static int own_member(const qdri_wire *wire) {
    return qdri_node_member(wire, qdri_wire_rank(wire));
}

int64_t qdri_crate_row(qdri_wire *wire, int crates) {
    int64_t row = qdri_arena_take(wire, (int64_t)(sizeof(crate_row) + (size_t)crates * sizeof(qdri_crate)));
    if (!row) return 0;
    crate_row *made = row_of(wire, own_member(wire), row);
    atomic_store(&made->left, 0);
    for (int i = 0; i < crates; i++) {
        atomic_store(&made->crate[i].filled, 0);
        atomic_store(&made->crate[i].emptied, 0);
    }
    return row;
}

qdri_crate *qdri_crate_of(const qdri_wire *wire, int member, int64_t row, int number) {
    return &row_of(wire, member, row)->crate[number];
}

void qdri_crate_row_left(const qdri_wire *wire, int member, int64_t row) {
    atomic_store(&row_of(wire, member, row)->left, 1);
}

void qdri_crate_row_closed(qdri_wire *wire, int64_t row, int is_used) {
    qdri_arena_give_later(wire, row, is_used ? &row_of(wire, own_member(wire), row)->left : NULL);
}
