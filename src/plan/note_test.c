/* SPDX-License-Identifier: BSD-3-Clause */
/* Notes: what must be exact comes back so, what is weighed loses less than a thousandth, and nothing that a stranger could
 * send is out of bounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "plan/note.h"

static int64_t draw(qdri_random *random, int most_bits) {
    int64_t bits = qdri_random_below(random, most_bits + 1);
    return bits == 0 ? 0 : qdri_random_below(random, INT64_C(1) << (bits < 62 ? bits : 62));
}

static void comes_back(void **state) {
    qdri_random random = qdri_random_seed(1);
    (void)state;
    for (int i = 0; i < 100000; i++) {
        qdri_note note = {.plan = draw(&random, 62),
                          .exchange = draw(&random, 62),
                          .kind = draw(&random, 15) - (i % 2 ? 32768 : 0),
                          .offset = draw(&random, 62),
                          .bytes = draw(&random, 46),
                          .promise = draw(&random, 62)};
        int64_t plan = note.plan + draw(&random, 30) - draw(&random, 30),
                exchange = note.exchange + draw(&random, 30) - draw(&random, 30);
        qdri_packed_note packed = qdri_note_pack(&note);
        qdri_note came = qdri_note_unpack(&packed, plan, exchange);
        assert_true(came.plan == note.plan && came.exchange == note.exchange && came.kind == note.kind);
        assert_true(came.offset == note.offset && came.bytes == note.bytes);
        assert_true(came.promise == qdri_note_about(note.promise));
        assert_true(came.promise <= note.promise &&
                    (double)(note.promise - came.promise) <= 1e-3 * (double)note.promise);
        assert_true(qdri_note_about(came.promise) == came.promise);
    }
}

static void keeps_order(void **state) {
    (void)state;
    int64_t last = 0;
    for (int64_t value = 0; value < 5000; value++) {
        assert_true(qdri_note_about(value) >= last && (value >= 2048 || qdri_note_about(value) == value));
        last = qdri_note_about(value);
    }
    assert_true(qdri_note_about(INT64_MAX) == qdri_note_about(INT64_MAX / 2));
    assert_true(qdri_note_about(INT64_MAX) > qdri_note_about(INT64_MAX / 4));
    assert_true(qdri_note_about(-5) == 0);
}

/* Every 16 bits that may come. */
static void stands_anything(void **state) {
    (void)state;
    for (int bits = 0; bits <= UINT16_MAX; bits++) {
        qdri_packed_note packed;
        memset(&packed, 0xff, sizeof packed);
        packed.about[0] = packed.about[5] = (uint16_t)bits;
        qdri_note came = qdri_note_unpack(&packed, INT64_MAX / 2, 0);
        assert_true(came.load >= 0 && came.load <= INT64_MAX / 2 && came.word.best == came.load &&
                    came.bytes == -1 && came.kind == -1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(comes_back), cmocka_unit_test(keeps_order),
                                       cmocka_unit_test(stands_anything)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
