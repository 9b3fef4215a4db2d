/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An unstructured mesh around an airfoil, as each rank makes it for itself: the same everywhere. Where its points are, and
 * which of them are joined, says rings.c.
 *
 * The solver needs cells rather than triangles. The cell of a point is bounded by lines from the middle of each of
 * its edges to the centre of the triangles beside that edge: a third of every triangle around it (median dual).
 */
#include "mesh.h"

#include <stdlib.h>

#include "rings.h"

void *room(int64_t count, size_t bytes) {
    void *memory = calloc(count > 0 ? (size_t)count : 1, bytes);
    if (!memory) abort();
    return memory;
}

typedef struct side {
    int64_t low, high, triangle;
    int corner; /* it goes from this one to the next */
} side;

static int by_ends(const void *one, const void *other) {
    const side *a = one, *b = other;
    if (a->low != b->low) return a->low < b->low ? -1 : 1;
    if (a->high != b->high) return a->high < b->high ? -1 : 1;
    return a->triangle < b->triangle ? -1 : a->triangle > b->triangle;
}

/* What a triangle adds to the wall that crosses its side, as a normal that points along the side. */
static void add_wall(const mesh *all, const side *of, edge *to) {
    const int64_t *corner = all->corner[of->triangle];
    const double *from = all->place[corner[of->corner]], *next = all->place[corner[(of->corner + 1) % 3]];
    const double *opposite = all->place[corner[(of->corner + 2) % 3]];
    double sign = corner[of->corner] == of->low ? 1 : -1, inwards[2];
    for (int k = 0; k < 2; k++) inwards[k] = (from[k] + next[k] + opposite[k]) / 3 - (from[k] + next[k]) / 2;
    to->normal[0] += sign * inwards[1];
    to->normal[1] -= sign * inwards[0];
}

/* A side with one triangle is the boundary's; each of its ends has half of it. */
static void add_boundary(mesh *all, const side *of) {
    const int64_t *corner = all->corner[of->triangle];
    int64_t from = corner[of->corner], next = corner[(of->corner + 1) % 3], end[] = {from, next};
    for (int k = 0; k < 2; k++) {
        all->outward[end[k]][0] += (all->place[next][1] - all->place[from][1]) / 2;
        all->outward[end[k]][1] -= (all->place[next][0] - all->place[from][0]) / 2;
    }
}

static void add_volumes(mesh *all) {
    for (int64_t t = 0; t < all->triangles; t++) {
        const int64_t *corner = all->corner[t];
        const double *a = all->place[corner[0]], *b = all->place[corner[1]], *c = all->place[corner[2]];
        double twice = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]);
        for (int k = 0; k < 3; k++) all->volume[corner[k]] += twice / 6;
    }
}

static void make_cells(mesh *all) {
    int64_t sides = 3 * all->triangles;
    side *list = room(sides, sizeof *list);
    all->edge = room(sides, sizeof *all->edge);
    all->volume = room(all->points, sizeof *all->volume);
    all->outward = room(all->points, sizeof *all->outward);
    for (int64_t s = 0; s < sides; s++) {
        const int64_t *corner = all->corner[s / 3];
        int64_t from = corner[s % 3], next = corner[(s % 3 + 1) % 3];
        list[s] = (side){from < next ? from : next, from < next ? next : from, s / 3, (int)(s % 3)};
    }
    qsort(list, (size_t)sides, sizeof *list, by_ends);
    for (int64_t s = 0, end; s < sides; s = end) {
        edge *one = &all->edge[all->edges++];
        one->end[0] = list[s].low;
        one->end[1] = list[s].high;
        for (end = s; end < sides && list[end].low == list[s].low && list[end].high == list[s].high; end++)
            add_wall(all, &list[end], one);
        if (end == s + 1) add_boundary(all, &list[s]);
    }
    add_volumes(all);
    free(list);
}

mesh make_mesh(int64_t points) {
    mesh all = {.points = points};
    lay_points(&all);
    make_cells(&all);
    return all;
}

void free_mesh(mesh *all) {
    free(all->place);
    free(all->corner);
    free(all->edge);
    free(all->volume);
    free(all->outward);
}
