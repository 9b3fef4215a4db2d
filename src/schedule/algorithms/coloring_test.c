/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exact colouring: as many phases as the largest degree, always. Random patterns of every shape, multigraphs,
 * and one of 10^7 messages; a colouring is checked by marking, rank by rank.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "quadrille.h"
#include "schedule/algorithms/edge_coloring.h"
#include "light.h"

/* Fails when two edges with a common end have the same colour, or when there are not exactly as many as the
 * degree. */
static void check_colouring(int vertices, int64_t edges, const int *left, const int *right) {
    int32_t colours = 0, *colour = malloc((size_t)(edges + 1) * sizeof *colour);
    int64_t largest = 0, *seen, *degree = calloc(2 * (size_t)vertices, sizeof *degree);
    for (int64_t e = 0; e < edges; e++) {
        if (++degree[left[e]] > largest) largest = degree[left[e]];
        if (++degree[vertices + right[e]] > largest) largest = degree[vertices + right[e]];
    }
    if (qdri_edge_coloring(vertices, edges, left, right, colour, &colours))
        fail_msg("%s", qdr_error_message());
    assert_int_equal(colours, largest);
    /* Bitmaps per vertex would need degree * vertices bits on both sides; one side after the other is enough.
     */
    for (int side = 0; side < 2; side++) {
        int64_t words = (colours + 63) / 64;
        seen = calloc((size_t)(words * vertices + 1), sizeof *seen);
        for (int64_t e = 0; e < edges; e++) {
            int64_t place = (side ? right[e] : left[e]) * words + colour[e] / 64;
            uint64_t bit = UINT64_C(1) << (colour[e] % 64);
            if (colour[e] < 0 || colour[e] >= colours || ((uint64_t)seen[place] & bit))
                fail_msg("edge %lld, %d-%d, colour %d of %d", (long long)e, left[e], right[e], colour[e],
                         colours);
            seen[place] |= (int64_t)bit;
        }
        free(seen);
    }
    free(degree);
    free(colour);
}

static void check_spec(const char *spec) {
    qdr_pattern *pattern = NULL;
    if (qdr_pattern_from_spec(spec, &pattern)) fail_msg("%s", qdr_error_message());
    qdr_pattern_view view = qdr_pattern_look(pattern);
    check_colouring(view.ranks, view.messages, view.origin, view.destination);
    qdr_pattern_destroy(&pattern);
}

static void random_patterns(void **state) {
    (void)state;
    for (int seed = 1; seed <= light_or(40, 400); seed++) {
        char spec[96];
        snprintf(spec, sizeof spec, "random:n=%d,density=0.%02d,seed=%d", 1 + seed % 150, seed % 100, seed);
        check_spec(spec);
        snprintf(spec, sizeof spec, "powerlaw:n=%d,exponent=1.5,seed=%d", 2 + seed % 300, seed);
        check_spec(spec);
        snprintf(spec, sizeof spec, "random:n=%d,degree=%d,seed=%d", 40 + seed % 90, seed % 40, seed);
        if (seed % 40) check_spec(spec);
    }
}

/* Edges may repeat: the multigraphs that cutting into chunks makes. */
static void random_multigraphs(void **state) {
    (void)state;
    qdri_random random = qdri_random_seed(4);
    for (int round = 0; round < light_or(30, 300); round++) {
        int vertices = 1 + (int)qdri_random_below(&random, 30);
        int64_t edges = qdri_random_between(&random, 0, 600);
        int *left = malloc((size_t)(edges + 1) * sizeof *left),
            *right = malloc((size_t)(edges + 1) * sizeof *right);
        int64_t made = 0;
        for (int v = 0; v < vertices; v++) {
            int64_t here =
                v + 1 == vertices ? edges - made : qdri_random_between(&random, 0, (edges - made) / 2);
            for (int64_t k = 0; k < here; k++) {
                left[made] = v;
                right[made++] = (int)qdri_random_below(&random, (uint64_t)vertices);
            }
        }
        check_colouring(vertices, made, left, right);
        free(left);
        free(right);
    }
}

static void large_patterns(void **state) {
    (void)state;
    static const char *const specs[] = {"random:n=62500,degree=16",  "random:n=43479,degree=23",
                                        "random:n=1025,degree=1024", "random:n=2000,density=0.25",
                                        "alltoone:n=300000",         "zipf:n=20000,density=0.002"};
    static const char *const lighter[] = {"random:n=8000,degree=16", "random:n=6000,degree=23",
                                          "random:n=257,degree=256", "random:n=500,density=0.25",
                                          "alltoone:n=40000",        "zipf:n=5000,density=0.002"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) check_spec(is_light() ? lighter[i] : specs[i]);
}

static void ten_million_messages(void **state) {
    (void)state;
    check_spec(is_light() ? "random:n=31250,degree=32" : "random:n=312500,degree=32");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_patterns),
        cmocka_unit_test(random_multigraphs),
        cmocka_unit_test(large_patterns),
        cmocka_unit_test(ten_million_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
