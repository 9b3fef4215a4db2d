/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Points stand on rings, in elliptic coordinates around a slit inside the airfoil,
 *
 *     x = middle + half cosh u cos v,    y = half sinh u sin v.
 *
 * That map keeps angles, so triangles that are good in (u, v) are good in (x, y); it makes them small at nose and
 * trailing edge, where the flow changes most, and large far away. The number of points falls from ring to ring, and
 * all but those of the boundary are shifted a little: points have four to eight neighbours, and no rule tells which.
 */
#include "rings.h"

#include <math.h>
#include <stdlib.h>

/* Between -1/2 and 1/2; looks like chance. */
static double noise(uint64_t number) {
    number = (number + 1) * UINT64_C(0xd1342543de82ef95);
    number = (number ^ (number >> 32)) * UINT64_C(0x9e3779b97f4a7c15);
    return (double)(number >> 11) / 9007199254740992.0 - 0.5;
}

static const double pi = 3.14159265358979323846;
/* The slit begins inside the nose, by half the radius of the nose, and ends at the trailing edge. */
static const double slit_begin = 0.008, slit_end = 1, far_distance = 20;

static void set_place(double u, double v, double *place) {
    double half = (slit_end - slit_begin) / 2;
    place[0] = (slit_end + slit_begin) / 2 + half * cosh(u) * cos(v);
    place[1] = half * sinh(u) * sin(v);
}

/* How far a place is above the upper side (or below the lower one); negative inside the airfoil. */
static double clearance(const double *place) {
    double x = place[0], y = fabs(place[1]);
    if (x <= 0) return y - x;
    if (x >= 1) return y + x - 1;
    return y - 0.6 * (0.2969 * sqrt(x) - x * (0.1260 + x * (0.3516 - x * (0.2843 - x * 0.1036))));
}

/* The u at which the line of this v leaves the airfoil. */
static double surface(double v) {
    double inside = 0, outside = 1;
    vector place;
    for (int i = 0; i < 48; i++) {
        double u = (inside + outside) / 2;
        set_place(u, v, place);
        *(clearance(place) < 0 ? &inside : &outside) = u;
    }
    return outside;
}

typedef struct ring {
    int64_t first, points;
    double height, gap; /* from 0, at the airfoil, to 1; and to the next ring */
    double begin,
        shift; /* where its first point is, and how far each may be from its place: in distances of points */
} ring;

/* The v of its i-th point. The one past the last is the first, a turn later. */
static double turn(const ring *on, int64_t i) {
    int64_t round = i / on->points, number = on->first + i % on->points;
    double moved = on->begin + on->shift * noise((uint64_t)number);
    return 2 * pi * ((double)round + ((double)(i % on->points) + moved) / (double)on->points);
}

/* From the first ring to the last, points fall to 2/5, and the gap grows as the distance of points on the ring. With
 * these numbers triangles are nearly equilateral if there are 1.35 points for the square of the number of rings. */
static ring *lay_rings(int64_t points, int64_t *rings) {
    int64_t count = (int64_t)sqrt((double)points / 1.35);
    ring *all = room(count + 1, sizeof *all);
    double sum = 0, height = 0;
    for (int64_t r = 1; r <= count; r++) {
        sum += 1 - 0.6 * (double)(r - 1) / (double)(count - 1);
        all[r].first = r == count ? points : (int64_t)((double)points * sum / (0.7 * (double)count));
    }
    all[1].first -= all[1].first % 2; /* so that one point is at the nose */
    for (int64_t r = 0; r < count; r++) {
        all[r].points = all[r + 1].first - all[r].first;
        all[r].gap = 1 / (double)all[r].points;
        if (r < count - 1) height += all[r].gap;
    }
    for (int64_t r = 0; r < count; r++) {
        all[r].gap /= height;
        all[r + 1].height = all[r].height + all[r].gap;
    }
    /* The trailing edge is a point of the first ring. Angles are doubled there, and none may become more than half a
     * turn: that point is between two of the second ring. */
    all[1].begin = 0.5;
    for (int64_t r = 2; r < count; r++) {
        all[r].begin = 0.5 + noise((uint64_t)all[r].first);
        all[r].shift = r < count - 1 ? 0.4 : 0;
    }
    *rings = count;
    return all;
}

static void place_ring(mesh *all, const ring *on) {
    double far = acosh(2 * far_distance);
    for (int64_t i = 0; i < on->points; i++) {
        int64_t number = on->first + i;
        double v = turn(on, i), near = surface(v);
        double height = on->height + on->shift * on->gap * noise((uint64_t)(all->points + number));
        set_place(near + height * (far - near), v, all->place[number]);
    }
}

/* Fills the gap between two rings with triangles; of two that are possible, the one with the shorter new edge. */
static void join(mesh *all, const ring *inner, const ring *outer) {
    for (int64_t i = 0, o = 0; i < inner->points || o < outer->points;) {
        double to_inner = turn(inner, i + 1) - turn(outer, o);
        double to_outer = turn(outer, o + 1) - turn(inner, i);
        int64_t *corner = all->corner[all->triangles++];
        corner[0] = inner->first + i % inner->points;
        corner[1] = outer->first + o % outer->points;
        if (o == outer->points || (i < inner->points && fabs(to_inner) < fabs(to_outer)))
            corner[2] = inner->first + ++i % inner->points;
        else
            corner[2] = outer->first + ++o % outer->points;
    }
}

void lay_points(mesh *all) {
    int64_t rings;
    ring *on = lay_rings(all->points, &rings);
    all->wall = on[0].points;
    all->far = on[rings - 1].points;
    all->place = room(all->points, sizeof *all->place);
    all->corner = room(2 * all->points, sizeof *all->corner);
    for (int64_t r = 0; r < rings; r++) {
        place_ring(all, &on[r]);
        if (r > 0) join(all, &on[r - 1], &on[r]);
    }
    free(on);
}
