/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rehearsals of all ranks, played together: each rank ends with its row of the schedule of the whole pattern, transfer by
 * transfer and piece by piece. It is told nothing but its own messages, the starts of their parts, and what is handed to it.
 * What is handed to it is not believed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/number.h"
#include "base/random.h"
#include "cases.h"
#include "light.h"
#include "pattern/pattern.h"
#include "schedule/registry.h"
#include "schedule/rehearsal.h"

enum { MOST = 33 };

static int compared;

/* ---- all ranks ----------------------------------------------------------------------------------------- */

typedef struct troupe {
    const qdri_algorithm *algorithm;
    const char *spec;
    qdr_pattern_view view;
    qdri_cutting cutting;
    int32_t *start; /* [messages] */
    qdri_rehearsal *part[MOST];
    qdr_schedule *row[MOST];
} troupe;

/* As each of them finds it: what was extra at those before it, from where a walk of its own goes on. */
static void find_starts(troupe *all) {
    const qdr_pattern_view *view = &all->view;
    int32_t begin = 0;
    for (int r = 0; r < view->ranks; r++) {
        int64_t items[MOST], count = 0, first = view->row_start[r], column = view->column_start[r];
        int32_t start[MOST];
        int by_source = all->cutting.scheme == QDRI_SPREAD_BY_SOURCE;
        int64_t all_of = by_source ? view->row_start[r + 1] - first : view->column_start[r + 1] - column;
        for (; count < all_of; count++)
            items[count] = view->items[by_source ? first + count : view->column_message[column + count]];
        qdri_spread_along(view->ranks, all->cutting.tight ? begin : 0, count, items, start);
        for (int64_t i = 0; i < count; i++)
            all->start[by_source ? first + i : view->column_message[column + i]] = start[i];
        begin = (begin + qdri_spread_extra(view->ranks, count, items)) % view->ranks;
    }
}

static void open_all(troupe *all) {
    const qdri_handing *handing = all->algorithm->handing;
    const qdr_pattern_view *view = &all->view;
    for (int r = 0; r < view->ranks; r++) {
        int64_t first = view->row_start[r];
        qdri_own_messages own = {.rank = r,
                                 .ranks = view->ranks,
                                 .messages = view->row_start[r + 1] - first,
                                 .destination = view->destination + first,
                                 .items = view->items + first,
                                 .start = all->start ? all->start + first : NULL};
        assert_int_equal(
            qdri_rehearsal_open(handing, handing->settle ? &all->cutting : NULL, &own, &all->part[r]),
            QDR_OK);
    }
}

/* Lots are copied, as by messages. */
static void play_stage(troupe *all) {
    static qdri_lot copy[MOST][MOST];
    static int count[MOST];
    int ranks = all->view.ranks;
    for (int r = 0; r < ranks; r++) {
        const qdri_lot *lot;
        assert_int_equal(qdri_rehearsal_give(all->part[r], &count[r], &lot), QDR_OK);
        for (int i = 0; i < count[r]; i++) {
            void *data = malloc((size_t)lot[i].bytes + 1);
            memcpy(data, lot[i].data, (size_t)lot[i].bytes);
            copy[r][i] = (qdri_lot){lot[i].partner, data, lot[i].bytes};
        }
    }
    for (int r = 0; r < ranks; r++)
        for (int i = 0; i < count[r]; i++) {
            qdri_lot came = {r, copy[r][i].data, copy[r][i].bytes};
            if (qdri_rehearsal_take(all->part[copy[r][i].partner], &came))
                fail_msg("%s, rank %d: %s", all->spec, r, qdr_error_message());
            free((void *)copy[r][i].data);
        }
}

static void play(troupe *all, const qdr_pattern *pattern) {
    open_all(all);
    for (int stage = 0; stage < all->algorithm->handing->stages(all->view.ranks); stage++) play_stage(all);
    for (int r = 0; r < all->view.ranks; r++) {
        assert_int_equal(qdri_rehearsal_end(all->part[r], pattern, all->algorithm, all->spec, &all->row[r]),
                         QDR_OK);
        qdri_rehearsal_close(&all->part[r]);
    }
}

/* ---- against the whole --------------------------------------------------------------------------------- */

/* Pieces without items are handed on by nobody. */
static void compare_side(const qdr_row *whole, const qdr_row *own, int receives) {
    const qdr_transfer *a = receives ? whole->receive : whole->send, *b = receives ? own->receive : own->send;
    int64_t count = receives ? whole->receives : whole->sends, more = receives ? own->receives : own->sends;
    int64_t other = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t piece = 0;
        if (a[i].items == 0) continue;
        assert_true(other < more);
        assert_int_equal(a[i].partner, b[other].partner);
        assert_int_equal(a[i].phase, b[other].phase);
        assert_int_equal(a[i].items, b[other].items);
        for (int64_t k = 0; k < a[i].pieces; k++) {
            const qdr_piece *one = &whole->piece[a[i].first + k], *two = &own->piece[b[other].first + piece];
            if (one->length == 0) continue;
            assert_true(piece++ < b[other].pieces);
            assert_int_equal(one->origin, two->origin);
            assert_int_equal(one->destination, two->destination);
            assert_int_equal(one->offset, two->offset);
            assert_int_equal(one->length, two->length);
        }
        assert_int_equal(piece, b[other++].pieces);
        compared++;
    }
    assert_int_equal(other, more);
}

static void compare(const troupe *all, const qdr_schedule *whole) {
    qdr_schedule_info info;
    qdr_row_reader *reader = NULL, *own = NULL;
    assert_int_equal(qdr_schedule_look(whole, &info), QDR_OK);
    assert_int_equal(qdr_row_reader_create(whole, &reader), QDR_OK);
    assert_int_equal(info.stages, all->algorithm->handing->stages(info.ranks));
    for (int r = 0; r < info.ranks; r++) {
        assert_int_equal(qdr_row_reader_create(all->row[r], &own), QDR_OK);
        for (int stage = 0; stage < info.stages; stage++) {
            qdr_row theirs, mine;
            assert_int_equal(qdr_row_read(reader, r, stage, &theirs), QDR_OK);
            assert_int_equal(qdr_row_read(own, r, stage, &mine), QDR_OK);
            compare_side(&theirs, &mine, 0);
            compare_side(&theirs, &mine, 1);
        }
        qdr_row_reader_destroy(&own);
    }
    qdr_row_reader_destroy(&reader);
}

static void rehearse(const qdr_pattern *pattern, const char *spec) {
    troupe all = {.spec = spec, .view = qdr_pattern_look(pattern)};
    qdri_spec options;
    qdr_schedule *whole = NULL;
    qdr_pattern_statistics facts;
    assert_int_equal(qdri_algorithm_read(spec, &options, &all.algorithm), QDR_OK);
    qdr_pattern_measure(pattern, &facts);
    const qdri_handing *handing = all.algorithm->handing;
    qdr_pattern *moved = NULL;
    if (strstr(spec, "diagonal")) {
        assert_int_equal(qdri_pattern_with_diagonal(pattern, &moved), QDR_OK);
        all.view = qdr_pattern_look(moved);
        qdr_pattern_measure(moved, &facts);
    }
    if (handing->settle) {
        assert_int_equal(
            handing->settle(&options, NULL, facts.ranks, facts.out_traffic, facts.in_traffic, &all.cutting),
            QDR_OK);
        all.start = calloc((size_t)facts.messages + 1, sizeof *all.start);
        find_starts(&all);
    }
    play(&all, moved ? moved : pattern);
    assert_int_equal(qdr_schedule_create(pattern, spec, NULL, &whole), QDR_OK);
    compare(&all, whole);
    for (int r = 0; r < facts.ranks; r++) qdr_schedule_destroy(&all.row[r]);
    qdr_schedule_destroy(&whole);
    qdr_pattern_destroy(&moved);
    free(all.start);
}

static const char *const algorithms[] = {
    "recursive",
    "two-stage",
    "two-stage:scheme=source,tight=yes",
    "two-stage:scheme=source,tight=no",
    "two-stage:scheme=destination,tight=yes",
    "two-stage:scheme=destination,tight=no",
    "two-stage:shuffle,seed=5",
    "two-stage:shuffle,tight=no",
    "two-stage:diagonal,scheme=source",
    "two-stage:diagonal,scheme=destination",
    "two-stage:diagonal,shuffle",
};

static void rows_of_the_whole(void **state) {
    (void)state;
    for (int ranks = 1; ranks <= MOST; ranks++)
        for (int p = 0; p < COUNT(case_patterns); p += light_or(5, 1)) {
            qdr_pattern *pattern = NULL;
            int a = (ranks + p) % COUNT(algorithms);
            if (qdr_pattern_from_spec(case_pattern(p, ranks), &pattern)) continue; /* not for this number */
            for (int i = 0; i < (ranks < 10 ? COUNT(algorithms) : 2); i++)
                rehearse(pattern, algorithms[(a + 3 * i) % COUNT(algorithms)]);
            qdr_pattern_destroy(&pattern);
        }
    print_message("%d transfers compared\n", compared);
    assert_true(compared > 1000);
}

/* Where few have messages the rows of the whole are made another way (handed.h), in the same order. */
static void few_messages_of_many(void **state) {
    (void)state;
    enum { RANKS = 1500, FEW = 7 };
    const qdri_algorithm *algorithm;
    qdri_spec options;
    qdr_message message[FEW];
    qdr_pattern *pattern = NULL;
    qdr_schedule *whole = NULL;
    qdr_row_reader *reader = NULL;
    for (int i = 0; i < FEW; i++) message[i] = (qdr_message){i * 211 % RANKS, (i * 977 + 5) % RANKS, 1 + i};
    assert_int_equal(qdr_pattern_create(RANKS, FEW, message, &pattern), QDR_OK);
    assert_int_equal(qdr_schedule_create(pattern, "recursive", NULL, &whole), QDR_OK);
    assert_int_equal(qdri_algorithm_read("recursive", &options, &algorithm), QDR_OK);
    assert_int_equal(qdr_row_reader_create(whole, &reader), QDR_OK);
    const qdri_handing *handing = algorithm->handing;
    for (int i = 0; i < FEW; i++) {
        int at = message[i].origin;
        for (int stage = 0; stage < handing->stages(RANKS); stage++) {
            int to = handing->next(RANKS, stage, at, message[i].destination), found = 0;
            qdr_row row;
            assert_int_equal(qdr_row_read(reader, at, stage, &row), QDR_OK);
            for (int64_t t = 0; t < row.sends; t++)
                for (int64_t k = 0; k < row.send[t].pieces; k++) {
                    const qdr_piece *piece = &row.piece[row.send[t].first + k];
                    if (piece->origin != message[i].origin || piece->destination != message[i].destination)
                        continue;
                    assert_int_equal(row.send[t].partner, to);
                    assert_int_equal(row.send[t].phase, handing->phase(RANKS, stage, at, to));
                    found++;
                }
            assert_int_equal(found, to != at);
            at = to;
        }
        assert_int_equal(at, message[i].destination);
    }
    qdr_row_reader_destroy(&reader);
    qdr_schedule_destroy(&whole);
    qdr_pattern_destroy(&pattern);
}

/* ---- nothing is believed ------------------------------------------------------------------------------- */

enum { RANKS = 4 };

static int64_t spell(const uint64_t *number, int count, unsigned char *bytes) {
    int64_t size = 0;
    for (int i = 0; i < count; i++) size += qdri_number_write(number[i], bytes + size);
    return size;
}

static qdri_rehearsal *open_one(const char *name) {
    const qdri_algorithm *algorithm;
    const qdri_cutting cutting = {.tight = 1};
    const qdri_own_messages none = {.rank = 2, .ranks = RANKS};
    qdri_rehearsal *made = NULL;
    int count;
    const qdri_lot *lot;
    assert_int_equal(qdri_algorithm_named(name, &algorithm), QDR_OK);
    assert_int_equal(
        qdri_rehearsal_open(algorithm->handing, algorithm->handing->settle ? &cutting : NULL, &none, &made),
        QDR_OK);
    assert_int_equal(qdri_rehearsal_give(made, &count, &lot), QDR_OK);
    assert_int_equal(count, 0);
    return made;
}

static void expect(const char *name, const uint64_t *number, int count, int64_t shorter, qdr_status status) {
    unsigned char bytes[8 * QDRI_LONGEST_NUMBER];
    int64_t size = spell(number, count, bytes) - shorter;
    qdri_rehearsal *one = open_one(name);
    assert_int_equal(qdri_rehearsal_take(one, &(qdri_lot){0, bytes, size}), status);
    if (status) assert_non_null(strstr(qdr_error_message(), "rank 0"));
    qdri_rehearsal_close(&one);
}

/* From rank 0 to rank 2, in the first stage: pieces of 0's messages for 2 and 3, or with two-stage for anyone but itself. */
static void hostile_lots(void **state) {
    (void)state;
    expect("recursive", (const uint64_t[]){0, 3, 0, 5}, 4, 0, QDR_OK);
    expect("recursive", (const uint64_t[]){0, 2, 0, 5, 0, 1, 0, 6}, 8, 0, QDR_OK);
    expect("two-stage", (const uint64_t[]){0, 1, 9, 5, 0, 2, 8, 1}, 8, 0, QDR_OK);
    expect("two-stage", (const uint64_t[]){0, 2, 0, 5}, 4, 0, QDR_OK);
    const uint64_t hostile[][4] = {
        {4, 3, 0, 5},                       /* there is no such origin, */
        {0, 4, 0, 5},                       /* nor destination, */
        {UINT64_MAX, 3, 0, 5},              /* or even number */
        {0, UINT64_C(1) << 32, 0, 5},       /* an int */
        {0, 3, 0, 0},                       /* nothing */
        {0, 3, (UINT64_C(1) << 62) + 1, 5}, /* beyond what a pattern may have */
        {0, 3, UINT64_C(1) << 62, 1},       /* together, too */
        {0, 3, 0, (UINT64_C(1) << 62) + 1}, /* likewise */
        {1, 3, 0, 5},                       /* not its own, in the first stage */
        {0, 0, 0, 5},                       /* for itself */
    };
    for (int i = 0; i < COUNT(hostile); i++) {
        expect("recursive", hostile[i], 4, 0, QDR_ERR_MISMATCH);
        expect("two-stage", hostile[i], 4, 0, QDR_ERR_MISMATCH);
    }
    expect("recursive", (const uint64_t[]){0, 1, 0, 5}, 4, 0, QDR_ERR_MISMATCH); /* it goes another way */
    for (int64_t shorter = 1; shorter < 4; shorter++)
        expect("two-stage", (const uint64_t[]){0, 3, 0, 5}, 4, shorter, QDR_ERR_MISMATCH);
    /* Sums do not overflow. */
    expect("two-stage", (const uint64_t[]){0, 1, 0, UINT64_C(1) << 62, 0, 2, 0, 1}, 8, 0, QDR_ERR_MISMATCH);
}

/* Whatever comes has an end: damaged bytes are taken or refused. */
static void damaged_lots(void **state) {
    (void)state;
    qdri_random random = qdri_random_seed(3);
    int taken = 0;
    for (int round = 0; round < light_or(20000, 200000); round++) {
        unsigned char bytes[24];
        int64_t size = (int64_t)qdri_random_below(&random, sizeof bytes);
        for (int64_t i = 0; i < size; i++)
            bytes[i] = (unsigned char)qdri_random_below(&random, qdri_random_below(&random, 8) ? 5 : 256);
        qdri_rehearsal *one = open_one(round % 2 ? "two-stage" : "recursive");
        int count;
        const qdri_lot *lot;
        qdr_status status = qdri_rehearsal_take(one, &(qdri_lot){0, bytes, size});
        assert_true(status == QDR_OK || status == QDR_ERR_MISMATCH);
        taken += status == QDR_OK;
        if (!status) assert_int_equal(qdri_rehearsal_give(one, &count, &lot), QDR_OK);
        qdri_rehearsal_close(&one);
    }
    assert_true(taken > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_the_whole),
        cmocka_unit_test(few_messages_of_many),
        cmocka_unit_test(hostile_lots),
        cmocka_unit_test(damaged_lots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
