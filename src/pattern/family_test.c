/* SPDX-License-Identifier: BSD-3-Clause */
/* The families: exact sums, exact degrees, printed matrices, the same pattern from the same seed, one rank,
 * and the sentence for each wrong combination. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "quadrille/pattern.h"

static qdr_pattern *make(const char *format, ...) __attribute__((format(printf, 1, 2)));

static qdr_pattern *make(const char *format, ...) {
    char spec[256];
    qdr_pattern *pattern = NULL;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(spec, sizeof spec, format, arguments);
    va_end(arguments);
    if (qdr_pattern_from_spec(spec, &pattern) != QDR_OK) fail_msg("%s", qdr_error_message());
    return pattern;
}

static qdr_pattern_statistics measure(qdr_pattern *pattern) {
    qdr_pattern_statistics statistics;
    qdr_pattern_measure(pattern, &statistics);
    qdr_pattern_destroy(&pattern);
    return statistics;
}

static void assert_same(const qdr_pattern *a, const qdr_pattern *b) {
    qdr_pattern_view one = qdr_pattern_look(a), two = qdr_pattern_look(b);
    assert_int_equal(one.ranks, two.ranks);
    assert_int_equal(one.messages, two.messages);
    assert_memory_equal(one.local, two.local, (size_t)one.ranks * sizeof(int64_t));
    if (one.messages == 0) return;
    assert_memory_equal(one.origin, two.origin, (size_t)one.messages * sizeof(int));
    assert_memory_equal(one.destination, two.destination, (size_t)one.messages * sizeof(int));
    assert_memory_equal(one.items, two.items, (size_t)one.messages * sizeof(int64_t));
    assert_memory_equal(one.column_message, two.column_message, (size_t)one.messages * sizeof(int64_t));
}

static int same_structure(const qdr_pattern *a, const qdr_pattern *b) {
    qdr_pattern_view one = qdr_pattern_look(a), two = qdr_pattern_look(b);
    return one.messages == two.messages &&
           !memcmp(one.origin, two.origin, (size_t)one.messages * sizeof(int)) &&
           !memcmp(one.destination, two.destination, (size_t)one.messages * sizeof(int));
}

static void assert_regular(const qdr_pattern *pattern, int64_t degree) {
    qdr_pattern_view view = qdr_pattern_look(pattern);
    for (int i = 0; i < view.ranks; i++) {
        assert_int_equal(view.row_start[i + 1] - view.row_start[i], degree);
        assert_int_equal(view.column_start[i + 1] - view.column_start[i], degree);
        assert_int_equal(view.local[i], 0);
    }
}

/* ---- every family -------------------------------------------------------------------------------------- */

static void examples_repeat_and_survive_a_file(void **state) {
    (void)state;
    const qdr_pattern_family_info *info;
    int count = 0;
    for (; (info = qdr_pattern_family(count)); count++) {
        qdr_pattern *first = make("%s", info->example), *second = make("%s", info->example), *read = NULL;
        assert_same(first, second);
        assert_true(strlen(info->name) > 0 && strlen(info->summary) > 0 && info->source);
        assert_true(strchr(info->options, '\n') != NULL && strstr(info->options, "bytes") != NULL);
        FILE *stream = tmpfile();
        assert_non_null(stream);
        assert_int_equal(qdr_pattern_write(first, stream), QDR_OK);
        rewind(stream);
        assert_int_equal(qdr_pattern_read(stream, info->name, 0, &read), QDR_OK);
        fclose(stream);
        assert_same(first, read);
        assert_true(measure(first).messages > 0);
        qdr_pattern_destroy(&second);
        qdr_pattern_destroy(&read);
    }
    assert_true(count >= 15);
    assert_null(qdr_pattern_family(-1));
}

/* The streams are part of the interface: a spec in a paper or a bug report must mean the same for ever. */
static void streams_are_pinned(void **state) {
    (void)state;
    static const struct {
        const char *spec;
        uint64_t hash;
    } pins[] = {
        {"random:n=40,density=0.3,bytes=1..1000,seed=7", UINT64_C(0x9e7d0736d19bf0c1)},
        {"random:n=40,degree=6,bytes=10..1M,sizes=log,seed=7", UINT64_C(0x2cc32af447c868f9)},
        {"transport:n=40,fanout=10,traffic=12345,skew=1/5,seed=7", UINT64_C(0x7b940f0110da74aa)},
        {"zipf:n=40,density=0.3,exponent=1.1,seed=7", UINT64_C(0x7c5594b4de10406b)},
        {"powerlaw:n=40,exponent=1.7,seed=7", UINT64_C(0x49578d952c75388e)},
        {"moe:n=8,experts=32,tokens=100,top=4,skew=0.9,seed=7", UINT64_C(0xbbbed06da3e902c3)},
    };
    for (size_t i = 0; i < sizeof pins / sizeof pins[0]; i++) {
        qdr_pattern *pattern = make("%s", pins[i].spec);
        qdr_pattern_view view = qdr_pattern_look(pattern);
        uint64_t hash = 0;
        for (int64_t m = 0; m < view.messages; m++) {
            hash = qdri_mix(hash ^ (uint64_t)view.origin[m]);
            hash = qdri_mix(hash ^ (uint64_t)view.destination[m]);
            hash = qdri_mix(hash ^ (uint64_t)view.items[m]);
        }
        if (hash != pins[i].hash)
            fail_msg("%s has the hash 0x%016llx", pins[i].spec, (unsigned long long)hash);
        qdr_pattern_destroy(&pattern);
    }
}

static void one_rank_is_legal(void **state) {
    (void)state;
    static const char *const specs[] = {
        "complete:n=1",
        "random:n=1,density=1",
        "random:n=1,degree=0",
        "transport:n=1,fanout=1,traffic=9",
        "permutation:n=1",
        "shift:n=1,by=5",
        "transpose:n=1",
        "alltoone:n=1",
        "onetoall:n=1",
        "hotspot:n=1",
        "zipf:n=1",
        "powerlaw:n=1",
        "moe:n=1,top=1,tokens=3",
        "halo2d:n=1,periodic",
        "halo3d:n=1",
        "powerlaw:n=1,max=7",
    };
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++)
        assert_int_equal(measure(make("%s", specs[i])).messages, 0);
    assert_int_equal(measure(make("transport:n=1,fanout=1,traffic=9")).local_items, 9);
    assert_int_equal(measure(make("moe:n=1,top=1,tokens=3,bytes=5")).local_items, 15);
    assert_int_equal(measure(make("halo2d:n=1,periodic,points=10,bytes=1")).local_items, 40);
}

/* ---- units --------------------------------------------------------------------------------------------- */

/* Another unit, the same numbers of it: a multiple of the same matrix. */
static void sizes_are_multiples_of_the_unit(void **state) {
    (void)state;
    static const char *const sizes[] = {"uniform", "log"};
    for (int i = 0; i < 2; i++) {
        qdr_pattern *one = make("random:n=32,degree=8,bytes=1..16,sizes=%s,seed=4", sizes[i]),
                    *many = make("random:n=32,degree=8,bytes=256..4Ki,sizes=%s,unit=256,seed=4", sizes[i]);
        qdr_pattern_view a = qdr_pattern_look(one), b = qdr_pattern_look(many);
        assert_int_equal(a.messages, b.messages);
        for (int64_t m = 0; m < a.messages; m++) {
            assert_int_equal(a.destination[m], b.destination[m]);
            assert_int_equal(256 * a.items[m], b.items[m]);
        }
        qdr_pattern_destroy(&one);
        qdr_pattern_destroy(&many);
    }
    qdr_pattern_statistics s = measure(make("complete:n=20,bytes=100..1000,unit=300"));
    assert_int_equal(s.smallest, 300);
    assert_int_equal(s.largest, 900);
    assert_int_equal(measure(make("shift:n=4,bytes=0,unit=8")).messages, 4);
}

/* ---- messages of zero bytes ---------------------------------------------------------------------------- */

/* The same pairs as with bytes, each with nothing. */
static void zero_bytes_are_messages(void **state) {
    (void)state;
    static const char *const specs[] = {
        "complete:n=9",
        "random:n=20,density=0.3",
        "random:n=20,degree=4",
        "permutation:n=12",
        "shift:n=5",
        "transpose:n=16",
        "alltoone:n=8",
        "onetoall:n=8",
        "hotspot:n=16,factor=0",
        "zipf:n=16",
        "powerlaw:n=16",
        "moe:n=8,tokens=9",
        "halo2d:n=12,corners",
        "halo3d:n=27,periodic",
        "paper:matrix=figure9",
    };
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        qdr_pattern_statistics full = measure(make("%s,bytes=8", specs[i])),
                               empty = measure(make("%s,bytes=0", specs[i]));
        assert_true(full.messages > 0);
        assert_int_equal(empty.messages, full.messages);
        assert_int_equal(empty.degree, full.degree);
        assert_int_equal(empty.items, 0);
        assert_int_equal(empty.local_items, 0);
        assert_int_equal(empty.largest, 0);
        assert_true(empty.mean == 0 && empty.deviation == 0 && empty.uniform && empty.equal_traffic);
    }
}

/* A size of zero that is drawn is one too: densities and degrees are exact. Where there is nothing to send,
 * because a halo has no width or a rank no traffic, there is no message. */
static void zeros_that_are_drawn(void **state) {
    (void)state;
    qdr_pattern_statistics s = measure(make("random:n=30,density=0.5,bytes=0..1"));
    assert_int_equal(s.messages, 435);
    assert_true(s.items > 100 && s.items < 335);
    assert_int_equal(s.smallest, 0);
    assert_int_equal(measure(make("random:n=30,degree=7,bytes=0..3")).fan_in, 7);
    assert_int_equal(measure(make("halo2d:n=9,width=0,bytes=0")).messages, 0);
    assert_int_equal(measure(make("transport:n=9,fanout=7,traffic=0")).messages, 0);
}

/* ---- random -------------------------------------------------------------------------------------------- */

static void density_is_exact(void **state) {
    (void)state;
    const double densities[] = {0, 0.01, 0.1, 0.25, 0.5, 0.51, 0.9, 1};
    for (int n = 2; n <= 40; n += 7)
        for (size_t i = 0; i < sizeof densities / sizeof densities[0]; i++) {
            qdr_pattern_statistics s = measure(make("random:n=%d,density=%g,seed=%d", n, densities[i], n));
            assert_int_equal(s.messages, (int64_t)(densities[i] * n * (n - 1) + 0.5));
            assert_int_equal(s.local_items, 0);
        }
}

/* 2000 patterns of half the pairs: each pair must come about 1000 times (standard deviation 22). */
static void density_is_fair(void **state) {
    (void)state;
    int seen[6][6] = {{0}};
    for (int seed = 0; seed < 2000; seed++) {
        qdr_pattern *pattern = make("random:n=6,density=%s,seed=%d", seed % 2 ? "0.3" : "0.7", seed);
        qdr_pattern_view view = qdr_pattern_look(pattern);
        for (int64_t m = 0; m < view.messages; m++) seen[view.origin[m]][view.destination[m]]++;
        qdr_pattern_destroy(&pattern);
    }
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) assert_true(i == j ? seen[i][j] == 0 : abs(seen[i][j] - 1000) < 120);
}

static void degree_is_exact_everywhere(void **state) {
    (void)state;
    for (int n = 1; n <= 33; n++)
        for (int degree = 0; degree < n; degree++) {
            qdr_pattern *pattern = make("random:n=%d,degree=%d,bytes=1..9,seed=%d", n, degree, n + degree);
            assert_regular(pattern, degree);
            qdr_pattern_destroy(&pattern);
        }
    qdr_pattern *large = make("random:n=2000,degree=50");
    assert_regular(large, 50);
    qdr_pattern_destroy(&large);
}

/* In a random 4-regular pattern of 8 ranks every pair has probability 4/7. */
static void degree_is_fair(void **state) {
    (void)state;
    int seen[8][8] = {{0}}, reciprocal = 0;
    for (int seed = 0; seed < 2100; seed++) {
        qdr_pattern *pattern = make("random:n=8,degree=4,seed=%d", seed);
        qdr_pattern_view view = qdr_pattern_look(pattern);
        int has[8][8] = {{0}};
        for (int64_t m = 0; m < view.messages; m++) has[view.origin[m]][view.destination[m]] = 1;
        for (int i = 0; i < 8; i++)
            for (int j = 0; j < 8; j++) {
                seen[i][j] += has[i][j];
                reciprocal += has[i][j] && has[j][i];
            }
        qdr_pattern_destroy(&pattern);
    }
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) assert_true(i == j ? seen[i][j] == 0 : abs(seen[i][j] - 1200) < 130);
    /* Circulants would show more or fewer answers than the square of the density. */
    double share = (double)reciprocal / (2100.0 * 56);
    assert_true(share > 0.29 && share < 0.36);
    qdr_pattern *one = make("random:n=64,degree=8,seed=1"), *two = make("random:n=64,degree=8,seed=2");
    assert_false(same_structure(one, two));
    qdr_pattern_destroy(&one);
    qdr_pattern_destroy(&two);
}

static void sizes_follow_their_law(void **state) {
    (void)state;
    qdr_pattern_statistics even = measure(make("complete:n=200,bytes=1000..2000"));
    assert_true(even.smallest >= 1000 && even.largest <= 2000 && even.smallest < 1010 && even.largest > 1990);
    assert_true(even.mean > 1490 && even.mean < 1510);
    qdr_pattern *octaves = make("complete:n=200,bytes=16..4095,sizes=log");
    qdr_pattern_view view = qdr_pattern_look(octaves);
    int count[12] = {0};
    for (int64_t m = 0; m < view.messages; m++) {
        int octave = 0;
        while (view.items[m] >> (octave + 1)) octave++;
        assert_in_range(octave, 4, 11);
        count[octave]++;
    }
    for (int octave = 4; octave < 12; octave++) /* 39800 / 8 each, deviation 66 */
        assert_true(abs(count[octave] - 4975) < 400);
    qdr_pattern_destroy(&octaves);
    qdr_pattern_statistics narrow = measure(make("complete:n=20,bytes=1000000..1000001,sizes=log"));
    assert_true(narrow.smallest == 1000000 && narrow.largest == 1000001);
}

/* ---- transport ----------------------------------------------------------------------------------------- */

static void check_transport(int ranks, int fanout, int few, int64_t traffic) {
    qdr_pattern *pattern = make("transport:n=%d,fanout=%d,traffic=%lld,skew=%d/%d,seed=%d", ranks, fanout,
                                (long long)traffic, few, fanout, fanout);
    qdr_pattern_view view = qdr_pattern_look(pattern);
    for (int i = 0; i < ranks; i++) {
        int64_t out = view.local[i], in = view.local[i], large = 0;
        for (int64_t m = view.row_start[i]; m < view.row_start[i + 1]; m++) out += view.items[m];
        for (int64_t k = view.column_start[i]; k < view.column_start[i + 1]; k++)
            in += view.items[view.column_message[k]];
        assert_int_equal(out, traffic);
        assert_int_equal(in, traffic);
        assert_int_equal(view.row_start[i + 1] - view.row_start[i], fanout - (fanout == ranks));
        if (2 * few >= fanout || fanout == ranks) continue;
        double favoured = (1 - (double)few / fanout) * (double)traffic / few;
        for (int64_t m = view.row_start[i]; m < view.row_start[i + 1]; m++)
            large += (double)view.items[m] > favoured - 2 && (double)view.items[m] < favoured + 2;
        assert_int_equal(large, few);
    }
    qdr_pattern_destroy(&pattern);
}

static void traffic_is_exact(void **state) {
    (void)state;
    for (int ranks = 2; ranks <= 34; ranks += 4)
        for (int fanout = 2; fanout <= ranks; fanout++)
            for (int few = 1; few < fanout; few += 1 + fanout / 5)
                check_transport(ranks, fanout, few, 100003 + 17 * few);
    check_transport(64, 32, 1, 1 << 20);
    check_transport(64, 32, 16, (INT64_C(1) << 40) + 1);
    qdr_pattern_statistics odd = measure(make("transport:n=9,fanout=7,traffic=700"));
    assert_true(odd.uniform && odd.equal_traffic && odd.traffic == 700 && odd.largest == 100);
    assert_int_equal(measure(make("transport:n=9,fanout=7,traffic=0")).messages, 0);
}

/* ---- the others ---------------------------------------------------------------------------------------- */

static void table_6_exactly(void **state) {
    (void)state;
    static const char *const rows[8] = {"01010110", "10101111", "01010000", "10101110",
                                        "01110101", "01001010", "10110101", "11001010"};
    qdr_pattern *pattern = make("paper:P,bytes=256");
    qdr_pattern_view view = qdr_pattern_look(pattern);
    int64_t m = 0;
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) {
            if (rows[i][j] == '0') continue;
            assert_int_equal(view.origin[m], i);
            assert_int_equal(view.destination[m], j);
            assert_int_equal(view.items[m++], 256);
        }
    assert_int_equal(m, view.messages);
    qdr_pattern_destroy(&pattern);
}

static void closed_forms(void **state) {
    (void)state;
    qdr_pattern *shifted = make("shift:n=7,by=-2"), *turned = make("transpose:n=9"),
                *root = make("alltoone:n=4,root=2");
    qdr_pattern_view shift = qdr_pattern_look(shifted), transpose = qdr_pattern_look(turned);
    for (int i = 0; i < 7; i++) assert_int_equal(shift.destination[i], (i + 5) % 7);
    assert_int_equal(transpose.messages, 6);
    assert_int_equal(transpose.destination[0], 3);
    assert_int_equal(transpose.local[4], 1024);
    assert_int_equal(qdr_pattern_look(root).column_start[3] - qdr_pattern_look(root).column_start[2], 3);
    qdr_pattern_destroy(&shifted);
    qdr_pattern_destroy(&turned);
    qdr_pattern_destroy(&root);
    for (int n = 2; n < 40; n++) {
        qdr_pattern *pattern = make("permutation:n=%d,seed=%d", n, n);
        assert_regular(pattern, 1);
        qdr_pattern_destroy(&pattern);
    }
    assert_int_equal(measure(make("complete:n=17")).messages, 17 * 16);
}

static void hot_receivers_get_more(void **state) {
    (void)state;
    qdr_pattern *pattern = make("hotspot:n=50,hot=3,factor=16,density=0.5,bytes=100");
    qdr_pattern_view view = qdr_pattern_look(pattern);
    int hot = 0;
    for (int j = 0; j < 50; j++) {
        int64_t first = view.column_start[j], last = view.column_start[j + 1];
        int64_t size = view.items[view.column_message[first]];
        assert_true(size == 100 || size == 1600);
        hot += size == 1600;
        for (int64_t k = first; k < last; k++) assert_int_equal(view.items[view.column_message[k]], size);
    }
    assert_int_equal(hot, 3);
    assert_int_equal(view.messages, 1225);
    qdr_pattern_destroy(&pattern);
}

static int descending(const void *a, const void *b) {
    int64_t one = *(const int64_t *)a, two = *(const int64_t *)b;
    return (one < two) - (one > two);
}

static void popularity_follows_zipf(void **state) {
    (void)state;
    int64_t fan_in[200];
    qdr_pattern *pattern = make("zipf:n=200,density=0.1,exponent=1");
    qdr_pattern_view view = qdr_pattern_look(pattern);
    assert_int_equal(view.messages, 3980);
    for (int j = 0; j < 200; j++) fan_in[j] = view.column_start[j + 1] - view.column_start[j];
    qsort(fan_in, 200, sizeof fan_in[0], descending);
    assert_int_equal(fan_in[0], 199); /* its share is more than there are senders */
    assert_true(fan_in[9] > 1.8 * (double)fan_in[19] && fan_in[9] < 2.2 * (double)fan_in[19]);
    qdr_pattern_destroy(&pattern);
    assert_int_equal(measure(make("zipf:n=30,density=1,exponent=3")).messages, 870);
    qdr_pattern_statistics even = measure(make("zipf:n=31,density=0.5,exponent=0"));
    assert_int_equal(even.messages, 465);
    assert_int_equal(even.fan_in, 15);
}

static void degrees_follow_a_power_law(void **state) {
    (void)state;
    int ones = 0, twos = 0;
    qdr_pattern *pattern = make("powerlaw:n=5000,exponent=2,max=100");
    qdr_pattern_view view = qdr_pattern_look(pattern);
    for (int i = 0; i < 5000; i++) {
        int64_t degree = view.row_start[i + 1] - view.row_start[i];
        assert_true(degree >= 1 && degree <= 100);
        ones += degree == 1;
        twos += degree == 2;
    }
    assert_true(ones > 2800 && ones < 3400); /* 1 / 1.635 of them */
    assert_true(twos > 620 && twos < 920);
    qdr_pattern_destroy(&pattern);
}

static void tokens_are_all_dispatched(void **state) {
    (void)state;
    qdr_pattern *pattern = make("moe:n=10,experts=25,tokens=100,top=3,skew=1,bytes=7");
    qdr_pattern_view view = qdr_pattern_look(pattern);
    for (int i = 0; i < 10; i++) {
        int64_t sum = view.local[i];
        for (int64_t m = view.row_start[i]; m < view.row_start[i + 1]; m++) sum += view.items[m];
        assert_int_equal(sum, 100 * 3 * 7);
    }
    qdr_pattern_destroy(&pattern);
    /* All experts are chosen when top is their number, however unpopular they are. */
    qdr_pattern_statistics all = measure(make("moe:n=6,experts=6,tokens=5,top=6,skew=8,bytes=1"));
    assert_true(all.uniform && all.largest == 5 && all.messages == 30);
    qdr_pattern_statistics even = measure(make("moe:n=16,tokens=4096,top=1,bytes=1"));
    qdr_pattern_statistics uneven = measure(make("moe:n=16,tokens=4096,top=1,skew=1,bytes=1"));
    assert_true(even.in_traffic < 1.1 * 4096 && uneven.in_traffic > 3 * 4096);
}

static void halos_have_their_neighbours(void **state) {
    (void)state;
    qdr_pattern_statistics faces = measure(make("halo2d:n=9,points=10,width=2,bytes=1"));
    assert_int_equal(faces.messages, 24);
    assert_true(faces.uniform && faces.largest == 20);
    qdr_pattern_statistics corners = measure(make("halo2d:n=9,points=10,width=2,bytes=1,corners"));
    assert_int_equal(corners.messages, 40);
    assert_int_equal(corners.smallest, 4);
    qdr_pattern_statistics torus = measure(make("halo2d:n=9,points=10,width=2,bytes=1,corners,periodic"));
    assert_int_equal(torus.messages, 72);
    assert_true(torus.equal_traffic && torus.traffic == 4 * 20 + 4 * 4);
    qdr_pattern_statistics pair = measure(make("halo2d:n=4,points=10,bytes=1,periodic"));
    assert_true(pair.messages == 8 && pair.largest == 20); /* left and right are the same rank */
    qdr_pattern_statistics line = measure(make("halo2d:n=12,columns=12,points=10,bytes=1,periodic"));
    assert_true(line.messages == 24 && line.local_items == 12 * 20);
    qdr_pattern_statistics cube = measure(make("halo3d:n=27,points=4,bytes=1,corners,periodic"));
    assert_true(cube.messages == 27 * 26 && cube.traffic == 6 * 16 + 12 * 4 + 8);
    qdr_pattern_statistics box = measure(make("halo3d:n=24,points=4,bytes=1"));
    assert_int_equal(box.messages, 2 * (12 + 16 + 18)); /* 2 x 3 x 4 ranks */
    assert_int_equal(measure(make("halo3d:n=24,columns=2,rows=12,points=4,bytes=1")).messages, 2 * (12 + 22));
}

/* ---- mistakes ------------------------------------------------------------------------------------------ */

static const struct {
    const char *spec;
    qdr_status status;
    const char *message;
} mistakes[] = {
    {"", QDR_ERR_SYNTAX, "expected NAME"},
    {"tornado:n=3", QDR_ERR_UNKNOWN,
     "'tornado' is not a family; there are complete, random, transport, permutation, shift, "
     "transpose, "
     "alltoone, onetoall, hotspot, zipf, powerlaw, moe, halo2d, halo3d, paper"},
    {"complete", QDR_ERR_SYNTAX, "'n' is missing (ranks)"},
    {"complete:n=0", QDR_ERR_RANGE, "expected 1 to 16777216"},
    {"complete:n=-4", QDR_ERR_RANGE, "expected 1 to 16777216"},
    {"complete:n=2000000000", QDR_ERR_RANGE, "expected 1 to 16777216"},
    {"complete:n=1000000", QDR_ERR_RANGE, "999999000000 messages; expected at most 2147483648"},
    {"complete:n=4,bytes=-1", QDR_ERR_RANGE, "'bytes=-1' is out of range"},
    {"complete:n=4,bytes=100,unit=64", QDR_ERR_RANGE,
     "no multiple of unit=64 is among 100..100 bytes; expected bytes such as 64..1024"},
    {"complete:n=4,bytes=0..5,sizes=log", QDR_ERR_RANGE,
     "sizes=log from 0 bytes; expected bytes of 1 or more"},
    {"complete:n=4\n", QDR_ERR_SYNTAX, "byte 13 of the text has the code 10; expected printable text"},
    {"random:n=4", QDR_ERR_SYNTAX, "neither of density and degree; expected exactly one of them"},
    {"random:n=4,density=1,degree=2", QDR_ERR_SYNTAX,
     "both of density and degree; expected exactly one of them"},
    {"random:n=4,degree=4", QDR_ERR_RANGE, "degree=4 of 4 ranks; expected 0 to 3, the other ranks"},
    {"random:n=4,density=1.5", QDR_ERR_RANGE, "'density=1.5' is out of range; expected 0 to 1"},
    {"transport:n=4,fanout=5,traffic=9", QDR_ERR_RANGE, "fanout=5 of 4 ranks; expected 1 to 4"},
    {"transport:n=9,fanout=8,traffic=90,skew=1/3", QDR_ERR_RANGE,
     "skew=0.333333 of fanout=8 is 2.66667 partners; expected"},
    {"transport:n=9,fanout=8,traffic=90,skew=1", QDR_ERR_RANGE,
     "such as skew=1/8, or skew=1/2 for a uniform pattern"},
    {"transport:n=9,fanout=8,traffic=7", QDR_ERR_RANGE,
     "traffic=7 leaves some of the 8 partners without an item"},
    {"transport:n=9,fanout=8", QDR_ERR_SYNTAX, "'traffic' is missing"},
    {"transpose:n=10", QDR_ERR_RANGE, "10 ranks are no square grid; expected a square such as 9 or 16"},
    {"alltoone:n=4,root=4", QDR_ERR_RANGE, "root=4 is no rank; expected 0 to 3"},
    {"hotspot:n=4,hot=5", QDR_ERR_RANGE, "hot=5 of 4 ranks; expected 0 to 4"},
    {"powerlaw:n=4,max=4", QDR_ERR_RANGE, "max=4 of 4 ranks; expected 1 to 3"},
    {"powerlaw:n=1M,exponent=0", QDR_ERR_RANGE, "messages; expected at most 2147483648"},
    {"moe:n=1", QDR_ERR_RANGE, "top=2 of 1 experts; expected 1 to 1"},
    {"moe:n=16M,tokens=16M,top=64,experts=99", QDR_ERR_RANGE, "steps; expected at most 2147483648"},
    {"halo2d:n=12,columns=5", QDR_ERR_RANGE, "columns=5 does not divide 12 ranks; expected a divisor of 12"},
    {"halo3d:n=12,columns=2,rows=4", QDR_ERR_RANGE,
     "rows=4 does not divide 6 ranks; expected a divisor of 6"},
    {"halo3d:n=12,rows=4", QDR_ERR_SYNTAX, "rows without columns; expected both, or columns alone"},
    {"halo2d:n=12,points=3,width=4", QDR_ERR_RANGE, "width=4 of 3 points; expected 0 to 3"},
    {"halo3d:n=27,points=262144,width=262144,bytes=1G", QDR_ERR_RANGE, "2^62 items"},
    {"paper:Q", QDR_ERR_SYNTAX, "expected one of P figure1 figure2 figure9"},
    {"paper", QDR_ERR_SYNTAX, "'matrix' is missing (which one)"},
    {"shift:n=4,bye=2", QDR_ERR_SYNTAX, "'bye' is not a key; shift takes n, by, bytes, sizes, unit, seed"},
};

static void mistakes_are_explained(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        qdr_pattern *pattern = NULL;
        qdr_status status = qdr_pattern_from_spec(mistakes[i].spec, &pattern);
        if (status == QDR_OK || !strstr(qdr_error_message(), mistakes[i].message))
            fail_msg("%s: '%s' is not '%s'", mistakes[i].spec, qdr_error_message(), mistakes[i].message);
        assert_int_equal(status, mistakes[i].status);
        assert_null(pattern);
        assert_null(strchr(qdr_error_message(), '\n'));
    }
    qdr_pattern *pattern = NULL;
    assert_int_equal(qdr_pattern_from_spec(NULL, &pattern), QDR_ERR_INVALID);
    assert_int_equal(qdr_pattern_from_spec("complete:n=2", NULL), QDR_ERR_INVALID);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_repeat_and_survive_a_file),
        cmocka_unit_test(streams_are_pinned),
        cmocka_unit_test(one_rank_is_legal),
        cmocka_unit_test(sizes_are_multiples_of_the_unit),
        cmocka_unit_test(zero_bytes_are_messages),
        cmocka_unit_test(zeros_that_are_drawn),
        cmocka_unit_test(density_is_exact),
        cmocka_unit_test(density_is_fair),
        cmocka_unit_test(degree_is_exact_everywhere),
        cmocka_unit_test(degree_is_fair),
        cmocka_unit_test(sizes_follow_their_law),
        cmocka_unit_test(traffic_is_exact),
        cmocka_unit_test(table_6_exactly),
        cmocka_unit_test(closed_forms),
        cmocka_unit_test(hot_receivers_get_more),
        cmocka_unit_test(popularity_follows_zipf),
        cmocka_unit_test(degrees_follow_a_power_law),
        cmocka_unit_test(tokens_are_all_dispatched),
        cmocka_unit_test(halos_have_their_neighbours),
        cmocka_unit_test(mistakes_are_explained),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
