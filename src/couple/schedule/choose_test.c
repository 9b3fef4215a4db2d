/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which way is chosen, from costs of machines whose ways were all measured (experiments/couple), and what has to hold
 * on any machine: dearer computing never speaks for one program alone, nor a longer way for both.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "couple/schedule/build.h"

static const qdri_choice open_choice = {QDRI_OPEN, QDRI_OPEN, QDRI_OPEN};

/* Seconds of an element, of a message, of a byte inside and across, and there and back. */
static qdri_costs costs_of(double element, double message, double inside, double across, double latency) {
    return (qdri_costs){.latency = latency,
                        .element = {element, element},
                        .link = {{message, message, inside}, {latency / 2, message, across}}};
}

static qdri_costs cluster(void) {
    return costs_of(110e-9, 160e-6, 40e-9, 40e-9, 330e-6);
}

static qdri_costs cluster_today(void) {
    return costs_of(5.6e-9, 7e-6, 0.32e-9, 0.32e-9, 15e-6);
}

static qdri_costs grid(void) {
    return costs_of(110e-9, 160e-6, 40e-9, 40e-9, 24e-3);
}

static qdri_costs grid_today(void) {
    return costs_of(5.6e-9, 7e-6, 0.32e-9, 2.4e-9, 24e-3);
}

/* Compact to explicit. */
static qdri_case mixed(int exporters, int importers, qdri_costs costs) {
    return (qdri_case){
        .compact = {1, 0}, .elements = 1 << 19, .ranks = {exporters, importers}, .costs = costs};
}

static qdri_choice choose(const qdri_case *about) {
    qdri_choice made;
    char why[200];
    qdri_choose(about, &open_choice, &made, why, sizeof why);
    assert_true(strlen(why) > 0 && strlen(why) < sizeof why - 1);
    return made;
}

static void expect_computes(qdri_case about, int computes) {
    assert_int_equal(choose(&about).computes, computes);
    /* The same the other way round. */
    qdri_case turned = about;
    turned.root = !about.root;
    for (int role = 0; role < 2; role++) {
        turned.compact[role] = about.compact[!role];
        turned.ranks[role] = about.ranks[!role];
        turned.costs.element[role] = about.costs.element[!role];
    }
    int swapped = computes == QDRI_BY_EXPORTER   ? QDRI_BY_IMPORTER
                  : computes == QDRI_BY_IMPORTER ? QDRI_BY_EXPORTER
                                                 : computes;
    assert_int_equal(choose(&turned).computes, swapped);
}

/* ---- machines that were measured ----------------------------------------------------------------------- */

static void test_of_slow_processors(void **state) {
    (void)state;
    static const int ranks[][2] = {{2, 2}, {4, 2}, {4, 4}, {8, 4}, {16, 4}, {8, 8}, {2, 4}};
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++)
        expect_computes(mixed(ranks[i][0], ranks[i][1], cluster()), QDRI_BY_BOTH);
    qdri_case all = mixed(4, 4, cluster());
    all.elements = 1 << 20;
    expect_computes(all, QDRI_BY_BOTH);
}

static void test_of_many_ranks(void **state) {
    (void)state;
    qdri_costs busy = cluster_today();
    busy.link[QDRI_INSIDE].message = busy.link[QDRI_ACROSS].message = 11e-6;
    expect_computes(mixed(4, 4, cluster_today()), QDRI_BY_BOTH);
    expect_computes(mixed(16, 4, busy), QDRI_BY_BOTH);
    expect_computes(mixed(16, 16, busy), QDRI_BY_IMPORTER);
}

static void test_far_apart(void **state) {
    (void)state;
    expect_computes(mixed(4, 4, grid()), QDRI_BY_BOTH);
    expect_computes(mixed(4, 2, grid()), QDRI_BY_BOTH);
    expect_computes(mixed(16, 4, grid()), QDRI_BY_BOTH);
    qdri_costs shared = grid();
    shared.link[QDRI_ACROSS].byte = 128e-9;
    expect_computes(mixed(16, 16, shared), QDRI_BY_IMPORTER);
    expect_computes(mixed(4, 4, grid_today()), QDRI_BY_IMPORTER);
    expect_computes(mixed(16, 4, grid_today()), QDRI_BY_IMPORTER);
}

/* ---- any machine --------------------------------------------------------------------------------------- */

static void test_monotony(void **state) {
    (void)state;
    static const int ranks[][2] = {{1, 1}, {1, 7}, {7, 1}, {4, 4}, {3, 16}, {64, 64}};
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
        qdri_case about = mixed(ranks[i][0], ranks[i][1], cluster_today());
        int was_both = 0, switches = 0;
        for (double element = 1e-12; element < 1e-3; element *= 1.3) {
            about.costs.element[0] = about.costs.element[1] = element;
            int both = choose(&about).computes == QDRI_BY_BOTH;
            assert_true(both || !was_both);
            switches += both != was_both;
            was_both = both;
        }
        assert_true(was_both && switches == 1);
        about = mixed(ranks[i][0], ranks[i][1], cluster());
        was_both = 1;
        for (double latency = 1e-9; latency < 60; latency *= 1.3) {
            about.costs.latency = latency;
            int both = choose(&about).computes == QDRI_BY_BOTH;
            assert_true(was_both || !both);
            was_both = both;
        }
        assert_false(was_both);
    }
}

/* One slow program: even ranges would make the other wait for it. */
static void test_unequal_programs(void **state) {
    (void)state;
    qdri_case about = mixed(4, 4, cluster_today());
    about.costs.element[0] *= 100;
    expect_computes(about, QDRI_BY_IMPORTER);
    about = mixed(4, 4, grid_today());
    about.costs.element[1] *= 1000;
    about.costs.element[0] = about.costs.element[1] / 1000;
    expect_computes(about, QDRI_BY_BOTH); /* half of the work is still better than all of it */
}

static void test_no_choice(void **state) {
    (void)state;
    for (int compact = 0; compact < 2; compact++) {
        qdri_case about = mixed(5, 3, grid());
        about.compact[0] = about.compact[1] = compact;
        assert_int_equal(choose(&about).computes, QDRI_BY_BOTH);
    }
    qdri_case free = mixed(4, 4, (qdri_costs){.latency = 0}); /* as with itself */
    qdri_choice made = choose(&free);
    assert_int_equal(made.computes, QDRI_BY_BOTH);
    assert_int_equal(made.back, QDRI_BACK_ALL);
    assert_int_equal(made.descriptors, QDRI_DISJOINT);
    free.elements = 0;
    assert_int_equal(choose(&free).computes, QDRI_BY_BOTH);
    /* The most that is believed. */
    qdri_costs dear = costs_of(1e-3, 10, 1e-3, 1e-3, 60);
    qdri_case most = mixed(1 << 20, 1 << 20, dear);
    most.elements = INT64_MAX;
    choose(&most);
}

static void test_as_asked(void **state) {
    (void)state;
    qdri_case about = mixed(4, 4, grid());
    qdri_choice asked = {QDRI_BY_EXPORTER, QDRI_BACK_ONE, QDRI_REPRESENTATIVE}, made;
    char why[200];
    qdri_choose(&about, &asked, &made, why, sizeof why);
    assert_int_equal(made.computes, QDRI_BY_IMPORTER); /* what is explicit stays where it is */
    assert_int_equal(made.back, QDRI_BACK_ONE);
    assert_int_equal(made.descriptors, QDRI_REPRESENTATIVE);
}

/* ---- steps inside in place of messages across ---------------------------------------------------------- */

static void test_through_one(void **state) {
    (void)state;
    qdri_case about = mixed(16, 4, grid());
    assert_int_equal(choose(&about).back,
                     QDRI_BACK_ALL); /* a long way, but messages cost what they do inside */
    about.elements = 1000;
    about.costs.link[QDRI_ACROSS].message = 100 * about.costs.link[QDRI_INSIDE].message;
    assert_int_equal(choose(&about).back, QDRI_BACK_ONE);
    about.elements = (int64_t)1 << 40; /* what passes on would be too much */
    assert_int_equal(choose(&about).back, QDRI_BACK_ALL);
    about = mixed(1, 1, grid());
    about.costs.link[QDRI_ACROSS].message = 1;
    assert_int_equal(choose(&about).back, QDRI_BACK_ALL); /* nobody to pass it on to */
}

static void test_representatives(void **state) {
    (void)state;
    qdri_costs costs = grid();
    assert_int_equal(qdri_choose_descriptors(&costs, (const int[]){4, 64}), QDRI_DISJOINT);
    costs.link[QDRI_ACROSS].message *= 100;
    assert_int_equal(qdri_choose_descriptors(&costs, (const int[]){4, 64}), QDRI_REPRESENTATIVE);
    assert_int_equal(qdri_choose_descriptors(&costs, (const int[]){64, 4}), QDRI_REPRESENTATIVE);
    assert_int_equal(qdri_choose_descriptors(&costs, (const int[]){64, 64}), QDRI_DISJOINT); /* one each */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_of_slow_processors), cmocka_unit_test(test_of_many_ranks),
        cmocka_unit_test(test_far_apart),          cmocka_unit_test(test_monotony),
        cmocka_unit_test(test_unequal_programs),   cmocka_unit_test(test_no_choice),
        cmocka_unit_test(test_as_asked),           cmocka_unit_test(test_through_one),
        cmocka_unit_test(test_representatives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
