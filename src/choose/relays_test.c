/* SPDX-License-Identifier: BSD-3-Clause */
/* Ways of passing on: all specs are of algorithms; and what is counted is what goes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "choose/relays.h"
#include "quadrille/schedule.h"

static const char *way(int64_t ranks, int64_t sharing, double bytes) {
    qdri_relay_facts facts = qdri_relay_usual(ranks, sharing, bytes);
    return qdri_relay_spec(qdri_relay_way(&facts));
}

static void specs_are_algorithms(void **state) {
    qdr_pattern *pattern;
    (void)state;
    assert_int_equal(qdr_pattern_from_spec("complete:n=6,bytes=8", &pattern), QDR_OK);
    for (int i = 0; i < QDRI_RELAY_WAYS; i++) {
        qdr_schedule *schedule = NULL;
        assert_int_equal(qdr_schedule_create(pattern, qdri_relay_spec(i), NULL, &schedule), QDR_OK);
        qdr_schedule_destroy(&schedule);
    }
    qdr_pattern_destroy(&pattern);
}

/* The radix grows with the bytes; and many nodes want levels, few want what is joined. */
static void radices_grow_with_bytes(void **state) {
    (void)state;
    assert_string_equal(way(16, 1, 8), "bruck:4");
    assert_string_equal(way(1024, 1, 8), "bruck:4");
    assert_string_equal(way(1024, 1, 256), "bruck:8");
    assert_string_equal(way(1024, 1, 1024), "bruck:32");
    assert_string_equal(way(32, 4, 8), "joined");
    assert_string_equal(way(32, 4, 512), "joined");
    assert_string_equal(way(32, 2, 8), "levels:4,inside=2");
    assert_string_equal(way(4096, 4, 8), "levels:4,inside=4");
    assert_string_equal(way(4096, 4, 64), "levels:32,inside=4");
    assert_string_equal(way(4096, 4, 256), "joined");
}

/* Where memory costs what a network does, as in a machine's description. */
static void memory_may_cost_as_much(void **state) {
    (void)state;
    qdri_relay_facts facts = {.ranks = 1024, .sharing = 32, .bytes = 256, .startup = 75000, .inside = 1};
    assert_string_equal(qdri_relay_spec(qdri_relay_way(&facts)), "levels:32,inside=4");
    facts.startup = 0;
    assert_string_equal(qdri_relay_spec(qdri_relay_way(&facts)), "levels:32,inside=32");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(specs_are_algorithms),
        cmocka_unit_test(radices_grow_with_bytes),
        cmocka_unit_test(memory_may_cost_as_much),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
