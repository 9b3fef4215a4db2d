/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The matrix of an unstructured mesh: what a rank's rows need of others is then no rule of a grid, but comes from the
 * mesh. Each edge couples its two ends, as in a time step of the heat equation; the diagonal outweighs the couplings, so
 * that the matrix is positive definite.
 *
 * The order of unknowns decides who talks to whom, for ranks own blocks of consecutive rows. Points are numbered from
 * left to right, which makes the matrix banded and blocks upright strips of the mesh: few partners, and long messages.
 * Where the mesh is fine strips are thin, and some edges reach over the next one to the one after it. That is what the
 * CM-5 paper (table 12) seems to have had on 32 ranks, for 16K unknowns: 9% of a complete exchange, 643 bytes each.
 * Parts as round as possible, which bisection makes, would have more partners and much shorter messages.
 */
#include <stdlib.h>

#include "matrix.h"
#include "mesh.h"

static int from_left(const void *one, const void *other) {
    const point *a = one, *b = other;
    if (a->place[0] != b->place[0]) return a->place[0] < b->place[0] ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

int mesh_matrix(int64_t points, matrix *all) {
    if (points < FEWEST_POINTS || points > MOST_POINTS) return 0;
    mesh made = make_mesh(points);
    int64_t *row = room(made.points, sizeof *row);
    qsort(made.point, (size_t)made.points, sizeof *made.point, from_left);
    for (int64_t i = 0; i < made.points; i++) row[made.point[i].number] = i;
    *all = (matrix){.rows = made.points, .entries = made.points};
    all->entry = room(made.points + 2 * made.edges, sizeof *all->entry);
    for (int64_t i = 0; i < made.points; i++) all->entry[i] = (entry){i, i, 1};
    for (int64_t e = 0; e < made.edges; e++) {
        int64_t one = row[made.edge[e][0]], other = row[made.edge[e][1]];
        all->entry[one].value += 1;
        all->entry[other].value += 1;
        all->entry[all->entries++] = (entry){one, other, -1};
        all->entry[all->entries++] = (entry){other, one, -1};
    }
    free(row);
    free(made.point);
    free(made.edge);
    return 1;
}
