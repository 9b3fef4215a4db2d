/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a rank has of the system: a block of rows, their entries sorted by column, so that those in the columns of one owner
 * stand together; and the map of the ghosts that they need.
 */
#include <stdlib.h>

#include "mesh.h"
#include "solver.h"

static int64_t first_row(const matrix *all, int rank, int ranks) {
    return all->rows * rank / ranks;
}

static int by_column(const void *one, const void *other) {
    const entry *a = one, *b = other;
    if (a->column != b->column) return a->column < b->column ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

piece take_rows(const matrix *all, MPI_Comm comm) {
    piece own = {.comm = comm, .entry = room(all->entries, sizeof *own.entry)};
    int64_t entries = 0;
    MPI_Comm_rank(comm, &own.rank);
    MPI_Comm_size(comm, &own.ranks);
    own.begin = room(own.ranks + 1, sizeof *own.begin);
    own.first = first_row(all, own.rank, own.ranks);
    own.rows = first_row(all, own.rank + 1, own.ranks) - own.first;
    for (int64_t e = 0; e < all->entries; e++) {
        entry one = all->entry[e];
        one.row -= own.first;
        if (one.row >= 0 && one.row < own.rows) own.entry[entries++] = one;
    }
    qsort(own.entry, (size_t)entries, sizeof *own.entry, by_column);
    for (int r = 0; r < own.ranks; r++) {
        int64_t end = own.begin[r], limit = first_row(all, r + 1, own.ranks);
        while (end < entries && own.entry[end].column < limit) end++;
        own.begin[r + 1] = end;
    }
    return own;
}

void release(piece *own) {
    qdr_map_destroy(&own->map);
    free(own->entry);
    free(own->begin);
}

/* Gives columns of others their new names, and lists them: remote[] is where they are at their owner. */
static int64_t list_ghosts(piece *own, int owner, int64_t first, int64_t *remote) {
    int64_t count = 0;
    for (int64_t e = own->begin[owner]; e < own->begin[owner + 1]; e++) {
        int64_t place = own->entry[e].column - first;
        if (count == 0 || remote[count - 1] != place) remote[count++] = place;
        own->entry[e].column = count - 1;
    }
    return count;
}

qdr_status make_map(const matrix *all, piece *own) {
    int *rank = room(own->ranks, sizeof *rank), partners = 0;
    int64_t *count = room(own->ranks, sizeof *count);
    int64_t *remote = room(own->begin[own->ranks], sizeof *remote);
    for (int64_t e = own->begin[own->rank]; e < own->begin[own->rank + 1]; e++)
        own->entry[e].column -= own->first;
    for (int r = 0; r < own->ranks; r++) {
        if (r == own->rank || own->begin[r] == own->begin[r + 1]) continue;
        rank[partners] = r;
        count[partners] = list_ghosts(own, r, first_row(all, r, own->ranks), remote + own->ghosts);
        own->ghosts += count[partners++];
    }
    qdr_indices needs = {.partners = partners, .rank = rank, .count = count, .partner_place = remote};
    qdr_map_options options = QDR_MAP_OPTIONS;
    options.keeps_incoming = 1; /* so `local` is not needed: there is no array for them to stand in */
    qdr_status status = qdr_map_create(own->comm, NULL, &needs, &options, &own->map);
    free(rank);
    free(count);
    free(remote);
    return status;
}
