/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A mesh of triangles around an airfoil, and who owns what of it. Points stand on rings around the airfoil, at
 * uneven distances, fewer on each ring than on the one inside it; so points have three to eight neighbours, and
 * no rule tells which. The same on every rank.
 */
#include "mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void *room(int64_t count, size_t bytes) {
    void *memory = calloc(count > 0 ? (size_t)count : 1, bytes);
    if (!memory) abort();
    return memory;
}

double noise(int64_t number) {
    uint64_t bits = ((uint64_t)number + 1) * UINT64_C(0x9e3779b97f4a7c15);
    bits = (bits ^ (bits >> 31)) * UINT64_C(0xbf58476d1ce4e5b9);
    return (double)((bits ^ (bits >> 29)) >> 11) / 9007199254740992.0;
}

/* ---- the mesh ------------------------------------------------------------------------------------------ */

typedef struct ring {
    int64_t first, points;
} ring;

/* Where a point stands on its ring, in turns; the one past the last is the first, a turn later. */
static double turn(ring on, int64_t i) {
    int64_t whole = i / on.points, rest = i % on.points;
    return (double)whole + ((double)rest + 0.5 * noise(on.first + rest)) / (double)on.points;
}

/* Circles around (-0.1, 0.1), of which the innermost passes through (1, 0); Joukowski's map z + 1/z makes that
 * one an airfoil, and the others curves around it. */
static void set_place(point *one, double turns, double distance) {
    double angle = 2 * acos(-1) * turns, radius = hypot(1.1, 0.1) * (1 + 3 * distance * distance);
    double x = radius * cos(angle) - 0.1, y = radius * sin(angle) + 0.1, square = x * x + y * y;
    one->place[0] = x * (1 + 1 / square);
    one->place[1] = y * (1 - 1 / square);
}

static void add_edge(mesh *all, int64_t first, int64_t second) {
    all->edge[all->edges][0] = first;
    all->edge[all->edges++][1] = second;
}

/* Fills the gap between two rings with triangles: the next one's corner is on the ring that is behind. */
static void join(mesh *all, ring inner, ring outer) {
    int64_t i = 0, o = 0;
    while (i < inner.points || o < outer.points) {
        if (o == outer.points || (i < inner.points && turn(inner, i + 1) < turn(outer, o + 1)))
            i++;
        else
            o++;
        add_edge(all, inner.first + i % inner.points, outer.first + o % outer.points);
    }
}

mesh make_mesh(int64_t points) {
    int64_t rings = 2;
    while (3 * (rings + 1) * (rings + 1) + (rings + 1) <= points) rings++;
    mesh all = {.point = room(3 * rings * rings + rings, sizeof *all.point)};
    all.edge = room(3 * (3 * rings * rings + rings), sizeof *all.edge);
    ring inner = {0, 0};
    for (int64_t r = 0; r < rings; r++) {
        ring on = {all.points, 4 * rings - 2 * r};
        for (int64_t i = 0; i < on.points; i++) {
            point *one = &all.point[all.points];
            one->number = all.points++;
            set_place(one, turn(on, i), (double)r / (double)(rings - 1));
            add_edge(&all, one->number, on.first + (i + 1) % on.points);
        }
        if (r > 0) join(&all, inner, on);
        inner = on;
    }
    return all;
}

/* ---- who owns what ------------------------------------------------------------------------------------- */

static int compare_by(const point *one, const point *other, int axis) {
    if (one->place[axis] != other->place[axis]) return one->place[axis] < other->place[axis] ? -1 : 1;
    return one->number < other->number ? -1 : one->number > other->number;
}

static int by_x(const void *one, const void *other) {
    return compare_by(one, other, 0);
}

static int by_y(const void *one, const void *other) {
    return compare_by(one, other, 1);
}

/* Recursive bisection: cuts a set of points across its longer side, until each rank has a part. */
static void bisect(point *some, int64_t count, int first_rank, int ranks, int *owner) {
    if (ranks == 1) {
        for (int64_t i = 0; i < count; i++) owner[some[i].number] = first_rank;
        return;
    }
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int64_t i = 0; i < count; i++)
        for (int axis = 0; axis < 2; axis++) {
            low[axis] = fmin(low[axis], some[i].place[axis]);
            high[axis] = fmax(high[axis], some[i].place[axis]);
        }
    int64_t half = count * (ranks / 2) / ranks;
    qsort(some, (size_t)count, sizeof *some, high[0] - low[0] > high[1] - low[1] ? by_x : by_y);
    bisect(some, half, first_rank, ranks / 2, owner);
    bisect(some + half, count - half, first_rank + ranks / 2, ranks - ranks / 2, owner);
}

int *deal_out(const mesh *all, int ranks) {
    int *owner = room(all->points, sizeof *owner);
    point *some = room(all->points, sizeof *some);
    memcpy(some, all->point, (size_t)all->points * sizeof *some);
    bisect(some, all->points, 0, ranks, owner);
    free(some);
    return owner;
}
