/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages between ranks of a node that are cut as if they were large: so that rings go round with a few hundred bytes.
 * The same on all ranks, and while no plan is alive. */
#ifndef MPI_PIECES_H
#define MPI_PIECES_H

#include "plan/near/channel.h"

/* Pieces of so many bytes; 0: as usual. */
static inline void pieces_are_small(int64_t piece) {
    static qdri_cut_sizes usual;
    if (usual.piece == 0) usual = qdri_cut_at;
    qdri_cut_at = usual;
    if (piece > 0)
        qdri_cut_at = (qdri_cut_sizes){
            .whole = 200, .whole_kept = 1000, .piece = piece, .pieces = 3, .least_read = 100};
}

#endif
