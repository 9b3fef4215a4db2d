/* SPDX-License-Identifier: BSD-3-Clause */
/* The halos of both families: symmetric, the same every time, and in space as dense as those of the CM-5 paper. */
#include "mesh.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static qdr_pattern *make(const char *spec) {
    qdr_pattern *pattern = NULL;
    assert_true(mesh_is_spec(spec));
    assert_int_equal(mesh_pattern(spec, NULL, &pattern), 0);
    return pattern;
}

static qdr_pattern_statistics measure(const char *spec) {
    qdr_pattern *pattern = make(spec);
    qdr_pattern_statistics statistics;
    qdr_pattern_measure(pattern, &statistics);
    qdr_pattern_destroy(&pattern);
    return statistics;
}

static void examples_are_symmetric_halos(void **state) {
    (void)state;
    const qdr_pattern_family_info *family;
    for (int i = 0; (family = mesh_family(i)); i++) {
        qdr_pattern_statistics found = measure(family->example), standard = measure(family->name);
        assert_int_equal(found.ranks, 32);
        assert_true(found.symmetric_structure);
        assert_true(found.messages > 0 && found.local_items == 0);
        assert_int_equal(found.messages, standard.messages); /* the example spells out the defaults */
        assert_int_equal(found.items, standard.items);
    }
}

/* Table 12, Euler solver on 32 processors: 37%, 44%, 29% and 44% of all pairs, for four meshes. */
static void densities_are_those_of_the_paper(void **state) {
    (void)state;
    static const char *const specs[] = {"mesh3d:points=545", "mesh3d:points=2000", "mesh3d:points=3000",
                                        "mesh3d:points=9000"};
    for (int i = 0; i < 4; i++) {
        double density = measure(specs[i]).density;
        assert_true(density >= 0.29 && density <= 0.44);
    }
}

static void the_seed_is_the_pattern(void **state) {
    (void)state;
    qdr_pattern *first = make("mesh3d:n=16,points=700,seed=4"),
                *again = make("mesh3d:n=16,points=700,seed=4");
    qdr_pattern_view a = qdr_pattern_look(first), b = qdr_pattern_look(again);
    assert_int_equal(a.messages, b.messages);
    assert_memory_equal(a.destination, b.destination, (size_t)a.messages * sizeof *a.destination);
    assert_memory_equal(a.items, b.items, (size_t)a.messages * sizeof *a.items);
    qdr_pattern_destroy(&first);
    qdr_pattern_destroy(&again);
    assert_int_not_equal(measure("mesh3d:n=16,points=700,seed=5").items,
                         measure("mesh3d:n=16,points=700,seed=4").items);
}

static void one_part_has_no_halo(void **state) {
    (void)state;
    assert_int_equal(measure("mesh:n=1,points=100").messages, 0);
    assert_int_equal(measure("mesh3d:n=1,points=100").messages, 0);
}

static void other_names_are_no_meshes(void **state) {
    (void)state;
    assert_false(mesh_is_spec("mesh2d:n=4"));
    assert_false(mesh_is_spec("mes"));
    assert_false(mesh_is_spec(""));
    assert_null(mesh_family(-1));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_are_symmetric_halos), cmocka_unit_test(densities_are_those_of_the_paper),
        cmocka_unit_test(the_seed_is_the_pattern),      cmocka_unit_test(one_part_has_no_halo),
        cmocka_unit_test(other_names_are_no_meshes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
