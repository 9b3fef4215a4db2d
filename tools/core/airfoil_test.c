/* SPDX-License-Identifier: BSD-3-Clause */
/* The mesh is a mesh: exact in size, closed, graded, without holes or overlaps, and the same every time. */
#include "airfoil.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const int sizes[] = {AIRFOIL_FEWEST_POINTS, 101, 333, 2800, 9428, 53961};
enum { SIZES = sizeof sizes / sizeof *sizes };

static double area_of(const airfoil *mesh, int triangle) {
    const int *corner = mesh->corner + 3 * triangle;
    double ax = mesh->x[corner[1]] - mesh->x[corner[0]], ay = mesh->y[corner[1]] - mesh->y[corner[0]];
    double bx = mesh->x[corner[2]] - mesh->x[corner[0]], by = mesh->y[corner[2]] - mesh->y[corner[0]];
    return fabs(ax * by - ay * bx) / 2;
}

/* The polygon through the points that `first` .. `last` - 1 list in order. */
static double polygon_area(const airfoil *mesh, int first, int last) {
    double sum = 0;
    for (int i = first; i < last; i++) {
        int next = i + 1 < last ? i + 1 : first;
        sum += mesh->x[i] * mesh->y[next] - mesh->x[next] * mesh->y[i];
    }
    return fabs(sum) / 2;
}

static int far_points(const airfoil *mesh) {
    int count = 0;
    for (int i = 0; i < mesh->points; i++)
        count += fabs(hypot(mesh->x[i] - 0.5, mesh->y[i]) - mesh->radius) < 1e-6;
    return count;
}

/* A triangulated ring with b boundary points and v points in all has 2 v - b triangles; and they fill it. */
static void every_mesh_fills_the_ring(void **state) {
    (void)state;
    for (int i = 0; i < SIZES; i++) {
        airfoil mesh;
        assert_int_equal(airfoil_create(sizes[i], 1, &mesh), 0);
        assert_int_equal(mesh.points, sizes[i]);
        int far = far_points(&mesh);
        assert_int_equal(mesh.triangles, 2 * mesh.points - mesh.surface - far);
        double area = 0;
        for (int t = 0; t < mesh.triangles; t++) area += area_of(&mesh, t);
        double ring =
            polygon_area(&mesh, mesh.points - far, mesh.points) - polygon_area(&mesh, 0, mesh.surface);
        assert_true(fabs(area - ring) < 1e-9 * ring);
        airfoil_destroy(&mesh);
    }
}

static void every_point_is_used(void **state) {
    (void)state;
    airfoil mesh;
    assert_int_equal(airfoil_create(2800, 7, &mesh), 0);
    char *used = calloc(2800, 1);
    assert_non_null(used);
    for (int i = 0; i < 3 * mesh.triangles; i++) {
        assert_in_range(mesh.corner[i], 0, 2799);
        used[mesh.corner[i]] = 1;
    }
    for (int i = 0; i < 2800; i++) assert_true(used[i]);
    free(used);
    airfoil_destroy(&mesh);
}

/* Half of the points lie within a chord of the airfoil, which is below a hundredth of the area. */
static void points_are_dense_near_the_airfoil(void **state) {
    (void)state;
    airfoil mesh;
    int near = 0;
    assert_int_equal(airfoil_create(9428, 1, &mesh), 0);
    for (int i = 0; i < mesh.points; i++) near += hypot(mesh.x[i] - 0.5, mesh.y[i]) < 1;
    assert_true(near > mesh.points / 2);
    airfoil_destroy(&mesh);
}

static void the_seed_is_the_mesh(void **state) {
    (void)state;
    airfoil first, again, other;
    assert_int_equal(airfoil_create(1000, 5, &first), 0);
    assert_int_equal(airfoil_create(1000, 5, &again), 0);
    assert_int_equal(airfoil_create(1000, 6, &other), 0);
    assert_int_equal(first.triangles, again.triangles);
    assert_memory_equal(first.x, again.x, 1000 * sizeof *first.x);
    assert_memory_equal(first.corner, again.corner, 3 * (size_t)first.triangles * sizeof *first.corner);
    assert_memory_not_equal(first.x, other.x, 1000 * sizeof *first.x);
    airfoil_destroy(&first);
    airfoil_destroy(&again);
    airfoil_destroy(&other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mesh_fills_the_ring),
        cmocka_unit_test(every_point_is_used),
        cmocka_unit_test(points_are_dense_near_the_airfoil),
        cmocka_unit_test(the_seed_is_the_mesh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
