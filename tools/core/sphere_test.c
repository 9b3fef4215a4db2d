/* SPDX-License-Identifier: BSD-3-Clause */
/* The mesh is a mesh: exact in size, every tetrahedron positive, closed between two spheres, graded, and the same every time. */
#include "sphere.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const int sizes[] = {SPHERE_FEWEST_POINTS, 101, 545, 2000, 9001};
enum { SIZES = sizeof sizes / sizeof *sizes };

static double distance(const sphere *mesh, int point) {
    const double *at = mesh->coordinate + 3 * point;
    return sqrt(at[0] * at[0] + at[1] * at[1] + at[2] * at[2]);
}

static void every_tetrahedron_is_positive(void **state) {
    (void)state;
    for (int i = 0; i < SIZES; i++) {
        sphere mesh;
        assert_int_equal(sphere_create(sizes[i], 1, &mesh), 0);
        assert_int_equal(mesh.points, sizes[i]);
        for (int t = 0; t < mesh.tetrahedra; t++) assert_true(sphere_volume(&mesh, mesh.corner + 4 * t) > 0);
        sphere_destroy(&mesh);
    }
}

/* ---- faces --------------------------------------------------------------------------------------------- */

typedef struct face {
    int corner[3]; /* rising */
    int sign;      /* whether that is the way round its tetrahedron sees it */
} face;

static int compare_faces(const void *first, const void *second) {
    return memcmp(((const face *)first)->corner, ((const face *)second)->corner,
                  sizeof((const face *)first)->corner);
}

static void swap_corners(face *face, int i, int j) {
    int corner = face->corner[i];
    if (corner < face->corner[j]) return;
    face->corner[i] = face->corner[j];
    face->corner[j] = corner;
    face->sign = -face->sign;
}

/* The face opposite to a corner, turned so that all four of a tetrahedron look out of it, or all in. */
static face face_of(const int *corner, int opposite) {
    face made = {.sign = opposite % 2 ? -1 : 1};
    for (int i = 0, k = 0; i < 4; i++)
        if (i != opposite) made.corner[k++] = corner[i];
    swap_corners(&made, 0, 1);
    swap_corners(&made, 1, 2);
    swap_corners(&made, 0, 1);
    return made;
}

static face *faces_of(const sphere *mesh) {
    face *faces = calloc(4 * (size_t)mesh->tetrahedra, sizeof *faces);
    assert_non_null(faces);
    for (int i = 0; i < 4 * mesh->tetrahedra; i++) faces[i] = face_of(mesh->corner + i - i % 4, i % 4);
    qsort(faces, 4 * (size_t)mesh->tetrahedra, sizeof *faces, compare_faces);
    return faces;
}

/* A face lies between two tetrahedra, one on each side, or on one of the boundaries; and a closed surface of v points has
 * 2 v - 4 triangles. */
static void every_mesh_is_closed_between_two_spheres(void **state) {
    (void)state;
    for (int i = 0; i < SIZES; i++) {
        sphere mesh;
        assert_int_equal(sphere_create(sizes[i], 1, &mesh), 0);
        face *faces = faces_of(&mesh);
        int inner = 0, outer = 0, count = 4 * mesh.tetrahedra;
        for (int f = 0; f < count;) {
            int alike = 1, sign = faces[f].sign;
            for (; f + alike < count && !compare_faces(&faces[f], &faces[f + alike]); alike++)
                sign += faces[f + alike].sign;
            assert_in_range(alike, 1, 2);
            if (alike == 2) assert_int_equal(sign, 0);
            int is_inner = faces[f].corner[2] < mesh.surface, /* rising: the last is the highest */
                is_outer = faces[f].corner[0] >= mesh.points - mesh.far;
            if (alike == 1) assert_true(is_inner || is_outer);
            inner += alike == 1 && is_inner;
            outer += alike == 1 && is_outer;
            f += alike;
        }
        assert_int_equal(inner, 2 * mesh.surface - 4);
        assert_int_equal(outer, 2 * mesh.far - 4);
        free(faces);
        sphere_destroy(&mesh);
    }
}

/* ---- points -------------------------------------------------------------------------------------------- */

static void boundaries_are_spheres(void **state) {
    (void)state;
    sphere mesh;
    assert_int_equal(sphere_create(2000, 3, &mesh), 0);
    for (int i = 0; i < mesh.surface; i++) assert_true(fabs(distance(&mesh, i) - 1) < 1e-12);
    for (int i = 0; i < mesh.far; i++)
        assert_true(fabs(distance(&mesh, mesh.points - 1 - i) - mesh.radius) < 1e-12 * mesh.radius);
    sphere_destroy(&mesh);
}

/* Half of the points lie in a thirtieth of the volume. */
static void points_are_dense_near_the_body(void **state) {
    (void)state;
    sphere mesh;
    int near = 0;
    assert_int_equal(sphere_create(9000, 1, &mesh), 0);
    for (int i = 0; i < mesh.points; i++) near += distance(&mesh, i) < mesh.radius / cbrt(30);
    assert_true(near > mesh.points / 2);
    sphere_destroy(&mesh);
}

static void the_seed_is_the_mesh(void **state) {
    (void)state;
    sphere first, again, other;
    assert_int_equal(sphere_create(1000, 5, &first), 0);
    assert_int_equal(sphere_create(1000, 5, &again), 0);
    assert_int_equal(sphere_create(1000, 6, &other), 0);
    assert_int_equal(first.tetrahedra, again.tetrahedra);
    assert_memory_equal(first.coordinate, again.coordinate, 3000 * sizeof *first.coordinate);
    assert_memory_equal(first.corner, again.corner, 4 * (size_t)first.tetrahedra * sizeof *first.corner);
    assert_memory_not_equal(first.coordinate, other.coordinate, 3000 * sizeof *first.coordinate);
    sphere_destroy(&first);
    sphere_destroy(&again);
    sphere_destroy(&other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_tetrahedron_is_positive),
        cmocka_unit_test(every_mesh_is_closed_between_two_spheres),
        cmocka_unit_test(boundaries_are_spheres),
        cmocka_unit_test(points_are_dense_near_the_body),
        cmocka_unit_test(the_seed_is_the_mesh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
