/* SPDX-License-Identifier: BSD-3-Clause */
/* The proof that a benchmark moved its bytes must notice every wrong one; changed sizes keep the bound. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bench.h"
#include "core/complain.h"

static void every_byte_counts(void **state) {
    (void)state;
    enum { MOST = 41 };
    unsigned char data[MOST + 1];
    for (int64_t bytes = 0; bytes <= MOST; bytes++) {
        data[bytes] = 99;
        contents_fill(data, bytes, 7);
        assert_int_equal(data[bytes], 99);
        assert_int_equal(contents_check(data, bytes, 7), -1);
        for (int64_t i = 0; i < bytes; i++) {
            data[i] ^= 0x10;
            assert_int_equal(contents_check(data, bytes, 7), i);
            data[i] ^= 0x10;
        }
        if (bytes >= 8) assert_true(contents_check(data, bytes, 8) >= 0);
    }
}

static void open_bench(bench *bench, const char *spec, int rank) {
    memset(bench, 0, sizeof *bench);
    bench->item_bytes = 3;
    bench->seed = 1;
    bench->rank = rank;
    assert_int_equal(qdr_pattern_from_spec(spec, &bench->pattern), QDR_OK);
    bench->ranks = qdr_pattern_look(bench->pattern).ranks;
    bench_load_open(bench, &bench->fixed);
}

static void close_bench(bench *bench) {
    bench_load_close(&bench->fixed);
    qdr_pattern_destroy(&bench->pattern);
}

/* Carries the outgoing bytes of `from` for `to` over, the way an exchange would. */
static void carry(const bench *from, bench *to) {
    const bench_side *out = &from->fixed.out, *in = &to->fixed.in;
    for (int i = 0; i < out->count; i++)
        for (int k = 0; k < in->count; k++)
            if (out->partner[i] == to->rank && in->partner[k] == from->rank) {
                assert_int_equal(out->items[i], in->items[k]);
                memcpy(to->fixed.incoming + in->offset[k] * 3, from->fixed.outgoing + out->offset[i] * 3,
                       (size_t)(3 * out->items[i]));
            }
}

/* Bytes of the exchange beside it are noticed, and so is one that did not come at all. */
static void loads_at_once_are_apart(void **state) {
    (void)state;
    bench bench = {.item_bytes = 3, .rank = 1, .ranks = 3, .round = 4, .together = 2};
    char *sentence;
    assert_int_equal(qdr_pattern_from_spec("complete:n=3,bytes=10", &bench.pattern), QDR_OK);
    bench_load_open(&bench, &bench.fixed);
    bench_load *beside = bench.fixed.next;
    assert_non_null(beside);
    assert_null(beside->next);
    bench_load_fill(&bench, &bench.fixed);
    assert_memory_not_equal(bench.fixed.outgoing, beside->outgoing, 30);
    bench_load_change(&bench, 0, &bench.fixed);
    assert_memory_equal(bench.fixed.in.items, beside->in.items, sizeof(int64_t) * (size_t)beside->in.count);
    sentence = bench_load_check(&bench, beside);
    assert_non_null(sentence);
    free(sentence);
    close_bench(&bench);
}

static void contents_are_of_their_place_and_time(void **state) {
    (void)state;
    enum { RANKS = 5 };
    bench rank[RANKS];
    char *sentence;
    for (int i = 0; i < RANKS; i++) open_bench(&rank[i], "complete:n=5,bytes=10", i);
    for (int round = 1; round <= 2; round++) {
        for (int i = 0; i < RANKS; i++) {
            rank[i].round = round;
            bench_load_fill(&rank[i], &rank[i].fixed);
        }
        sentence = bench_load_check(&rank[2], &rank[2].fixed); /* nothing has come */
        assert_non_null(sentence);
        assert_non_null(strstr(sentence, "from rank 0 to rank 2"));
        free(sentence);
        for (int i = 0; i < RANKS; i++)
            for (int k = 0; k < RANKS; k++) carry(&rank[i], &rank[k]);
        for (int i = 0; i < RANKS; i++) assert_null(bench_load_check(&rank[i], &rank[i].fixed));
    }
    rank[3].round = 1; /* the bytes of the exchange before are wrong ones */
    sentence = bench_load_check(&rank[3], &rank[3].fixed);
    assert_non_null(sentence);
    free(sentence);
    for (int i = 0; i < RANKS; i++) close_bench(&rank[i]);
}

static void the_diagonal_is_at_its_place(void **state) {
    (void)state;
    static const qdr_message messages[] = {{1, 0, 4}, {1, 1, 5}, {1, 2, 6}, {0, 1, 7}, {2, 2, 8}};
    bench bench = {.item_bytes = 1, .rank = 1, .ranks = 3};
    assert_int_equal(qdr_pattern_create(3, 5, messages, &bench.pattern), QDR_OK);
    bench_load_open(&bench, &bench.fixed);
    assert_int_equal(bench.fixed.out.count, 3);
    assert_int_equal(bench.fixed.out.partner[1], 1);
    assert_int_equal(bench.fixed.out.offset[2], 9);
    assert_int_equal(bench.fixed.out.total, 15);
    assert_int_equal(bench.fixed.in.count, 2);
    assert_int_equal(bench.fixed.in.partner[1], 1);
    assert_int_equal(bench.fixed.in.total, 12);
    close_bench(&bench);
}

static void changed_sizes_keep_the_bound(void **state) {
    (void)state;
    static const char spec[] = "random:n=12,density=0.6,bytes=2K..200K,seed=3";
    for (int i = 0; i < 12; i++) {
        bench bench;
        open_bench(&bench, spec, i);
        double out = (double)bench.fixed.out.total, in = (double)bench.fixed.in.total;
        int count = bench.fixed.out.count;
        int64_t first = count ? bench.fixed.out.items[0] : 0;
        bench_load_change(&bench, 0, &bench.fixed);
        int64_t other = count ? bench.fixed.out.items[0] : 0;
        bench_load_change(&bench, 1, &bench.fixed);
        assert_int_equal(bench.fixed.out.count, count);
        assert_true((double)bench.fixed.out.total > 0.97 * out && (double)bench.fixed.out.total < 1.03 * out);
        assert_true((double)bench.fixed.in.total > 0.97 * in && (double)bench.fixed.in.total < 1.03 * in);
        if (count > 1) assert_true(other != first && bench.fixed.out.items[0] != other);
        close_bench(&bench);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_byte_counts),
        cmocka_unit_test(contents_are_of_their_place_and_time),
        cmocka_unit_test(loads_at_once_are_apart),
        cmocka_unit_test(the_diagonal_is_at_its_place),
        cmocka_unit_test(changed_sizes_keep_the_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
