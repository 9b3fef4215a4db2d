/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Planted faults: a sound schedule is damaged in one place, and the checker must name that place. Most faults
 * are written as JSON; what JSON cannot say, two ends that do not agree, goes through rows of the test's own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "quadrille-io.h"
#include "schedule/schedule.h"

/* 0->1: 10 items, 0->2: 4, 1->0: 8, 2->3: 6, 3->0: 5. */
static const qdr_message messages[] = {{0, 1, 10}, {0, 2, 4}, {1, 0, 8}, {2, 3, 6}, {3, 0, 5}};

#define SOUND                                                                                                \
    "[0,0,0,1,[[0,1,0,10]]], [0,1,0,2,[[0,2,0,4]]], [0,0,1,0,[[1,0,0,8]]], [0,0,2,3,[[2,3,0,6]]],"           \
    "[0,1,3,0,[[3,0,0,5]]]"

typedef struct plan {
    const char *promises, *limits;
    int stages;
    const char *transfers;
} plan;

static qdr_pattern *make_pattern(int ranks, int64_t count, const qdr_message *list) {
    qdr_pattern *pattern = NULL;
    if (qdr_pattern_create(ranks, count, list, &pattern)) fail_msg("pattern: %s", qdr_error_message());
    return pattern;
}

static qdr_status load_text(const qdr_pattern *pattern, const char *machine_spec, const char *text,
                            qdr_schedule **schedule) {
    qdr_machine *machine = NULL;
    FILE *stream = fmemopen((void *)text, strlen(text), "r");
    assert_non_null(stream);
    if (machine_spec) assert_int_equal(qdr_machine_create(machine_spec, 4, &machine), QDR_OK);
    qdr_status status = qdr_schedule_read_json(stream, "planted", pattern, machine, schedule);
    qdr_machine_destroy(&machine);
    fclose(stream);
    return status;
}

static qdr_status load(const qdr_pattern *pattern, const char *machine, plan p, qdr_schedule **schedule) {
    qdri_text text = QDRI_TEXT_EMPTY;
    qdri_text_add(
        &text,
        "{\"quadrille\": \"schedule\", \"version\": 1, \"algorithm\": \"x\", \"spec\": \"x\","
        " \"ranks\": %d, \"stages\": %d, \"promises\": [%s], \"limits\": [%s], \"transfers\": [%s]}",
        qdr_pattern_look(pattern).ranks, p.stages ? p.stages : 1, p.promises ? p.promises : "",
        p.limits ? p.limits : "", p.transfers);
    assert_false(text.failed);
    qdr_status status = load_text(pattern, machine, text.bytes, schedule);
    qdri_text_free(&text);
    return status;
}

/* The whole sentence, or "" for a schedule that must be right. */
static void verdict(const qdr_pattern *pattern, const char *machine, plan p, const char *sentence) {
    qdr_schedule *schedule = NULL;
    if (load(pattern, machine, p, &schedule)) fail_msg("not even loaded: %s", qdr_error_message());
    qdr_status status = qdr_schedule_check(schedule);
    if (status != (*sentence ? QDR_ERR_BROKEN : QDR_OK))
        fail_msg("status %d (%s) for: %s", status, status ? qdr_error_message() : "", p.transfers);
    if (*sentence) assert_string_equal(qdr_error_message(), sentence);
    qdr_schedule_destroy(&schedule);
}

static void judge(plan p, const char *sentence) {
    qdr_pattern *pattern = make_pattern(4, 5, messages);
    verdict(pattern, NULL, p, sentence);
    qdr_pattern_destroy(&pattern);
}

/* ---- coverage ------------------------------------------------------------------------------------------ */

static void a_sound_schedule_passes(void **state) {
    (void)state;
    judge((plan){.transfers = SOUND}, "");
    judge((plan){.promises = "\"permutation\"", .transfers = SOUND}, "");
    judge((plan){.promises = "\"permutation\", \"limit\"", .limits = "10, 5", .transfers = SOUND}, "");
    /* in pieces, in any order, split over phases and over transfers that are one */
    judge((plan){.transfers = "[0,7,0,1,[[0,1,5,5],[0,1,0,1]]], [0,3,0,1,[[0,1,1,2]]], [0,3,0,1,[[0,1,3,2]]],"
                              "[0,2147483646,0,2,[[0,2,0,4]]], [0,0,1,0,[[1,0,0,8]]], [0,0,2,3,[[2,3,0,6]]],"
                              "[0,1,3,0,[[3,0,0,5]]]"},
          "");
}

static void missing_pieces(void **state) {
    (void)state;
    judge((plan){.transfers = ""},
          "at the end rank 0 holds items 0..9 of message 0->1 1 times instead of not at all");
    judge((plan){.transfers = "[0,0,0,1,[[0,1,0,10]]], [0,1,0,2,[[0,2,0,4]]], [0,0,1,0,[[1,0,0,8]]],"
                              "[0,1,3,0,[[3,0,0,5]]]"},
          "at the end rank 2 holds items 0..5 of message 2->3 1 times instead of not at all");
    judge((plan){.transfers =
                     "[0,0,0,1,[[0,1,0,10]]], [0,1,0,2,[[0,2,0,1],[0,2,3,1]]], [0,0,1,0,[[1,0,0,8]]],"
                     "[0,0,2,3,[[2,3,0,6]]], [0,1,3,0,[[3,0,0,5]]]"},
          "at the end rank 0 holds items 1..2 of message 0->2 1 times instead of not at all");
}

static void doubled_and_overlapping_pieces(void **state) {
    (void)state;
    judge((plan){.transfers = SOUND ", [0,2,0,1,[[0,1,0,10]]]"},
          "stage 0: rank 0 sends items 0..9 of message 0->1, which it does not hold then");
    judge((plan){.transfers = SOUND ", [0,2,2,3,[[2,3,5,1]]]"},
          "stage 0: rank 2 sends items 5..5 of message 2->3, which it does not hold then");
    judge((plan){.transfers = "[0,0,0,1,[[0,1,0,6],[0,1,4,6]]], [0,1,0,2,[[0,2,0,4]]], [0,0,1,0,[[1,0,0,8]]],"
                              "[0,0,2,3,[[2,3,0,6]]], [0,1,3,0,[[3,0,0,5]]]"},
          "stage 0: rank 0 sends items 4..5 of message 0->1, which it does not hold then");
}

static void wrong_destinations(void **state) {
    (void)state;
    judge((plan){.transfers = "[0,0,0,3,[[0,1,0,10]]], [0,1,0,2,[[0,2,0,4]]], [0,0,1,0,[[1,0,0,8]]],"
                              "[0,0,2,3,[[2,3,0,6]]], [0,1,3,0,[[3,0,0,5]]]"},
          "at the end rank 1 holds items 0..9 of message 0->1 0 times instead of once");
    /* somebody else's item, back and forth, is no business of either */
    judge((plan){.transfers = SOUND ", [0,2,1,2,[[3,0,0,5]]]"},
          "stage 0: rank 1 sends items 0..4 of message 3->0, which it does not hold then");
    judge((plan){.transfers = SOUND ", [0,2,2,2,[[2,3,0,6]]]"},
          "stage 0, phase 2: rank 2 sends to rank 2 in 1 pieces, which cannot be");
}

static void pieces_outside_their_message(void **state) {
    (void)state;
    judge((plan){.transfers = "[0,4,0,1,[[0,1,5,6]]]"},
          "stage 0, phase 4: rank 0 sends to rank 1 items 5..10 of a message 0->1 that has 10");
    judge((plan){.transfers = "[0,4,0,3,[[0,3,0,1]]]"},
          "stage 0, phase 4: rank 0 sends to rank 3 items 0..0 of a message 0->3 that has 0");
    judge((plan){.transfers = "[0,4,0,1,[[0,0,0,1]]]"},
          "stage 0, phase 4: rank 0 sends to rank 1 items 0..0 of a message 0->0 that has 0");
    judge((plan){.transfers = "[0,0,0,1,[[0,1,2305843009213693951,2305843009213693951]]]"},
          "stage 0, phase 0: rank 0 sends to rank 1 items 2305843009213693951..4611686018427387901 of a "
          "message "
          "0->1 that has 10");
}

/* ---- stages -------------------------------------------------------------------------------------------- */

static void forwarding(void **state) {
    (void)state;
    static const qdr_message one[] = {{0, 2, 10}};
    qdr_pattern *pattern = make_pattern(3, 1, one);
    verdict(pattern, NULL, (plan){.stages = 2, .transfers = "[0,0,0,1,[[0,2,0,10]]], [1,0,1,2,[[0,2,0,10]]]"},
            "");
    verdict(pattern, NULL, (plan){.stages = 3, .transfers = "[0,0,0,1,[[0,2,0,10]]], [2,0,1,2,[[0,2,0,10]]]"},
            "");
    /* half of it directly, half by way of rank 1 */
    verdict(pattern, NULL,
            (plan){.stages = 2,
                   .transfers = "[0,0,0,1,[[0,2,0,5]]], [0,1,0,2,[[0,2,5,5]]], [1,0,1,2,[[0,2,0,5]]]"},
            "");
    verdict(pattern, NULL, (plan){.stages = 1, .transfers = "[0,0,0,1,[[0,2,0,10]]], [0,1,1,2,[[0,2,0,10]]]"},
            "stage 0: rank 1 sends items 0..9 of message 0->2, which it does not hold then");
    verdict(pattern, NULL, (plan){.stages = 3, .transfers = "[1,0,0,1,[[0,2,0,10]]], [0,0,1,2,[[0,2,0,10]]]"},
            "stage 0: rank 1 sends items 0..9 of message 0->2, which it does not hold then");
    verdict(pattern, NULL, (plan){.stages = 2, .transfers = "[0,0,0,1,[[0,2,0,10]]], [1,0,1,2,[[0,2,0,9]]]"},
            "at the end rank 1 holds items 9..9 of message 0->2 1 times instead of not at all");
    verdict(pattern, NULL,
            (plan){.stages = 2,
                   .transfers = "[0,0,0,1,[[0,2,0,10]]], [1,0,0,2,[[0,2,0,1]]], [1,0,1,2,[[0,2,1,9]]]"},
            "stage 1: rank 0 sends items 0..0 of message 0->2, which it does not hold then");
    qdr_pattern_destroy(&pattern);
}

/* The largest numbers that a file may hold: 4096 stages, each of which brings all pieces one rank further. */
static void many_stages(void **state) {
    (void)state;
    enum { STAGES = 4095, PIECES = 25 };
    static const qdr_message one[] = {{0, 1, PIECES}};
    qdr_pattern *pattern = make_pattern(2, 1, one);
    qdri_text text = QDRI_TEXT_EMPTY;
    for (int stage = 0; stage < STAGES; stage++) {
        qdri_text_add(&text, "%s[%d,2147483646,%d,%d,[", stage ? "," : "", stage, stage % 2, 1 - stage % 2);
        for (int p = 0; p < PIECES; p++)
            qdri_text_add(&text, "%s[0,1,%d,1]", p ? "," : "", (p * 7 + stage) % PIECES);
        qdri_text_add(&text, "]]");
    }
    verdict(pattern, NULL,
            (plan){.stages = 4096, .promises = "\"pairs\", \"permutation\"", .transfers = text.bytes}, "");
    qdri_text_add(&text, ",[4095,0,1,0,[[0,1,3,1]]]");
    verdict(pattern, NULL, (plan){.stages = 4096, .transfers = text.bytes},
            "at the end rank 0 holds items 3..3 of message 0->1 1 times instead of not at all");
    qdri_text_free(&text);
    qdr_pattern_destroy(&pattern);
}

/* ---- promises ------------------------------------------------------------------------------------------ */

static void permutation(void **state) {
    (void)state;
    judge((plan){.promises = "\"permutation\"",
                 .transfers = "[0,0,0,1,[[0,1,0,10]]], [0,0,0,2,[[0,2,0,4]]], [0,0,1,0,[[1,0,0,8]]],"
                              "[0,0,2,3,[[2,3,0,6]]], [0,1,3,0,[[3,0,0,5]]]"},
          "stage 0, phase 0: rank 0 sends to rank 1 and rank 2 in one phase");
    judge((plan){.promises = "\"permutation\"",
                 .transfers = "[0,0,0,1,[[0,1,0,10]]], [0,1,0,2,[[0,2,0,4]]], [0,1,1,0,[[1,0,0,8]]],"
                              "[0,0,2,3,[[2,3,0,6]]], [0,1,3,0,[[3,0,0,5]]]"},
          "stage 0, phase 1: rank 0 receives from rank 1 and rank 3 in one phase");
}

static void pairs(void **state) {
    (void)state;
    judge((plan){.promises = "\"pairs\"", .transfers = SOUND},
          "stage 0, phase 1: rank 0 sends to rank 2 and receives from rank 3; one partner is promised");
    judge((plan){.promises = "\"pairs\"",
                 .transfers = "[0,0,0,1,[[0,1,0,10]]], [0,2,0,2,[[0,2,0,4]]], [0,0,1,0,[[1,0,0,8]]],"
                              "[0,0,2,3,[[2,3,0,6]]], [0,1,3,0,[[3,0,0,5]]]"},
          "");
    judge((plan){.promises = "\"pairs\"",
                 .transfers = "[0,0,0,1,[[0,1,0,10]]], [0,0,0,2,[[0,2,0,4]]], [0,0,1,0,[[1,0,0,8]]],"
                              "[0,0,2,3,[[2,3,0,6]]], [0,1,3,0,[[3,0,0,5]]]"},
          "stage 0, phase 0: rank 0 sends to rank 1 and rank 2 in one phase");
}

static void limits(void **state) {
    (void)state;
    plan p = {.promises = "\"limit\"", .limits = "9, 5", .transfers = SOUND};
    judge(p, "stage 0, phase 0: rank 0 sends to rank 1 10 items; the limit of the phase is 9");
    p.limits = "10, 4";
    judge(p, "stage 0, phase 1: rank 0 receives from rank 3 5 items; the limit of the phase is 4");
    p.limits = "10";
    judge(p, "stage 0, phase 1: rank 0 sends to rank 2; a limit is promised, but the phase has none");
    p.limits = "";
    judge(p, "stage 0, phase 0: rank 0 sends to rank 1; a limit is promised, but the phase has none");
    p.promises = "";
    p.limits = "1, 1"; /* not promised, so nobody's business */
    judge(p, "");
}

static void links(void **state) {
    (void)state;
    static const qdr_message across[] = {{0, 2, 5}, {1, 3, 5}};
    qdr_pattern *pattern = make_pattern(4, 2, across);
    plan shared = {.promises = "\"links\"", .transfers = "[0,3,0,2,[[0,2,0,5]]], [0,3,1,3,[[1,3,0,5]]]"};
    plan apart = {.promises = "\"links\"", .transfers = "[0,3,0,2,[[0,2,0,5]]], [0,4,1,3,[[1,3,0,5]]]"};
    plan silent = {.transfers = shared.transfers};
    qdr_schedule *schedule = NULL;
    const char *line = "mesh:columns=4"; /* 0 - 1 - 2 - 3 */
    assert_int_equal(load(pattern, line, shared, &schedule), QDR_OK);
    assert_int_equal(qdr_schedule_check(schedule), QDR_ERR_BROKEN);
    assert_non_null(strstr(qdr_error_message(), "stage 0, phase 3: 1->3 shares link "));
    assert_non_null(strstr(qdr_error_message(), " with others; it carries 1 at once"));
    qdr_schedule_destroy(&schedule);
    verdict(pattern, line, apart, "");
    verdict(pattern, line, silent, "");
    verdict(pattern, "crossbar", shared, "");
    verdict(pattern, NULL, apart, "no shared link is promised, but there is no machine to check it on");
    qdr_pattern_destroy(&pattern);
}

/* A machine that is too small has no links for some ranks: it must not be asked. */
static void a_machine_that_is_too_small(void **state) {
    (void)state;
    static const qdr_message far[] = {{0, 7, 1}, {1, 6, 1}};
    qdr_pattern *pattern = make_pattern(8, 2, far);
    qdr_schedule *schedule = NULL;
    plan p = {.promises = "\"links\"", .transfers = "[0,0,0,7,[[0,7,0,1]]], [0,0,1,6,[[1,6,0,1]]]"};
    assert_int_equal(load(pattern, "mesh", p, &schedule), QDR_ERR_RANGE);
    assert_string_equal(qdr_error_message(), "the machine has 4 ranks, the pattern 8");
    assert_null(schedule);
    qdr_pattern_destroy(&pattern);
}

/* ---- messages without items ---------------------------------------------------------------------------- */

static void a_message_without_items(void **state) {
    (void)state;
    qdr_pattern *pattern = NULL;
    assert_int_equal(qdr_pattern_from_spec("shift:n=3,bytes=0", &pattern), QDR_OK);
#define TWO "[0,0,0,1,[[0,1,0,0]]], [0,0,1,2,[[1,2,0,0]]]"
    verdict(pattern, NULL, (plan){.transfers = TWO ", [0,0,2,0,[[2,0,0,0]]]"}, "");
    verdict(pattern, NULL, (plan){.transfers = TWO},
            "at the end rank 0 holds the empty message 2->0 0 times instead of once");
    verdict(pattern, NULL, (plan){.transfers = TWO ", [0,0,2,0,[[2,0,0,0],[2,0,0,0]]]"},
            "at the end rank 0 holds the empty message 2->0 2 times instead of once");
    verdict(pattern, NULL, (plan){.transfers = TWO ", [0,0,2,0,[[2,0,1,0]]]"},
            "stage 0, phase 0: rank 0 receives from rank 2 items 1..0 of a message 2->0 that has 0");
    verdict(pattern, NULL, (plan){.transfers = TWO ", [0,0,2,0,[[2,0,0,1]]]"},
            "stage 0, phase 0: rank 0 receives from rank 2 items 0..0 of a message 2->0 that has 0");
    verdict(pattern, NULL,
            (plan){.stages = 2, .transfers = TWO ", [0,0,2,1,[[2,0,0,0]]], [1,0,1,0,[[2,0,0,0]]]"}, "");
    verdict(pattern, NULL, (plan){.transfers = TWO ", [0,0,2,1,[[2,0,0,0]]], [0,1,1,0,[[2,0,0,0]]]"},
            "stage 0: rank 1 sends the empty message 2->0, which it does not hold then");
#undef TWO
    qdr_pattern_destroy(&pattern);
}

/* ---- what does not get as far as the checker ----------------------------------------------------------- */

static void refused_by_the_reader(void **state) {
    (void)state;
    static const struct {
        const char *transfers, *part;
    } cases[] = {
        {"[0,0,0,1,[[0,1,0,0]]]", "a piece"},
        {"[0,0,0,1,[[0,1,0,-5]]]", "a piece"},
        {"[0,0,0,1,[[0,1,-1,5]]]", "a piece"},
        {"[0,0,0,1,[[0,4,0,5]]]", "a piece"},
        {"[0,0,0,1,[[-1,1,0,5]]]", "a piece"},
        {"[0,0,0,1,[[0,1,0,5,7]]]", "a piece"},
        {"[0,0,0,1,[7]]", "a piece"},
        {"[0,0,0,1,[]]", "a transfer"},
        {"[0,0,0,1,7]", "a transfer"},
        {"[1,0,0,1,[[0,1,0,10]]]", "a transfer"},
        {"[-1,0,0,1,[[0,1,0,10]]]", "a transfer"},
        {"[0,-1,0,1,[[0,1,0,10]]]", "a transfer"},
        {"[0,2147483647,0,1,[[0,1,0,10]]]", "a transfer"},
        {"[0,0,4,1,[[0,1,0,10]]]", "a transfer"},
        {"[0,0,0,-1,[[0,1,0,10]]]", "a transfer"},
        {"[0,0,0,1.0,[[0,1,0,10]]]", "a transfer"},
        {"[0,0,0,1]", "a transfer"},
        {"{}", "a transfer"},
    };
    qdr_pattern *pattern = make_pattern(4, 5, messages);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        qdr_schedule *schedule = NULL;
        if (load(pattern, NULL, (plan){.transfers = cases[i].transfers}, &schedule) != QDR_ERR_SYNTAX)
            fail_msg("accepted: %s", cases[i].transfers);
        assert_null(schedule);
        if (strncmp(qdr_error_message(), "planted: ", 9) || !strstr(qdr_error_message(), cases[i].part))
            fail_msg("%s: %s", cases[i].transfers, qdr_error_message());
    }
    qdr_pattern_destroy(&pattern);
}

/* Five quarters of 2^63 in one transfer: no count may overflow. */
static void more_items_than_can_be_counted(void **state) {
    (void)state;
    qdri_text text = QDRI_TEXT_EMPTY;
    qdr_pattern *pattern = make_pattern(4, 5, messages);
    qdr_schedule *schedule = NULL;
    for (int i = 0; i < 5; i++) qdri_text_add(&text, "%s[0,1,0,2305843009213693951]", i ? "," : "[0,6,0,1,[");
    qdri_text_add(&text, "]]");
    assert_int_equal(load(pattern, NULL, (plan){.transfers = text.bytes}, &schedule), QDR_ERR_RANGE);
    assert_string_equal(qdr_error_message(), "phase 6: a transfer with rank 1 has more than 2^63 items");
    assert_null(schedule);
    qdri_text_free(&text);
    qdr_pattern_destroy(&pattern);
}

/* ---- two ends that do not agree ------------------------------------------------------------------------ */

typedef struct line {
    int rank, sending, partner;
    int64_t phase;
    qdr_piece piece;
} line;

typedef struct script {
    const line *lines;
    int count;
} script;

static qdr_status read_script(const qdr_schedule *schedule, int rank, int stage, qdr_row_reader *reader) {
    const script *s = schedule->state;
    (void)stage;
    for (int i = 0; i < s->count; i++) {
        const line *l = &s->lines[i];
        if (l->rank != rank) continue;
        if (i > 0 && l[-1].rank == rank && l[-1].sending == l->sending && l[-1].phase == l->phase) {
            /* a further piece of the same transfer */
        } else if (l->sending) {
            qdri_row_send(reader, l->phase, l->partner);
        } else {
            qdri_row_receive(reader, l->phase, l->partner);
        }
        qdri_row_piece(reader, l->piece.origin, l->piece.destination, l->piece.offset, l->piece.length);
    }
    return QDR_OK;
}

static void release_script(void *state) {
    (void)state;
}

static void judge_script(const line *lines, int count, const char *sentence) {
    static const qdri_rows rows = {read_script, release_script};
    static const qdr_message one[] = {{0, 1, 10}};
    qdr_pattern *pattern = make_pattern(3, 1, one);
    qdr_schedule *schedule = NULL;
    script s = {lines, count};
    assert_int_equal(qdri_schedule_open(pattern, NULL, "script", "script", &schedule), QDR_OK);
    schedule->rows = &rows;
    schedule->state = &s;
    qdr_status status = qdr_schedule_check(schedule);
    assert_int_equal(status, *sentence ? QDR_ERR_BROKEN : QDR_OK);
    if (*sentence) assert_string_equal(qdr_error_message(), sentence);
    qdr_schedule_destroy(&schedule);
    qdr_pattern_destroy(&pattern);
}

#define JUDGE_SCRIPT(sentence, ...)                                                                          \
    do {                                                                                                     \
        static const line lines[] = {__VA_ARGS__};                                                           \
        judge_script(lines, (int)(sizeof lines / sizeof lines[0]), sentence);                                \
    } while (0)

static void ends_that_do_not_agree(void **state) {
    (void)state;
    JUDGE_SCRIPT("", {0, 1, 1, 3, {0, 1, 0, 10}}, {1, 0, 0, 3, {0, 1, 0, 10}});
    JUDGE_SCRIPT("at the end rank 1 holds items 0..9 of message 0->1 0 times instead of once",
                 {0, 1, 1, 3, {0, 1, 0, 10}});
    JUDGE_SCRIPT("at the end rank 0 holds items 0..9 of message 0->1 1 times instead of not at all",
                 {1, 0, 0, 3, {0, 1, 0, 10}});
    JUDGE_SCRIPT("stage 0, phase 3: rank 0 sends to rank 1 (10 items), but rank 1's row does not say so",
                 {0, 1, 1, 3, {0, 1, 0, 10}}, {1, 0, 0, 4, {0, 1, 0, 10}});
    JUDGE_SCRIPT("stage 0, phase 3: rank 0 sends to rank 2 (10 items), but rank 2's row does not say so",
                 {0, 1, 2, 3, {0, 1, 0, 10}}, {1, 0, 0, 3, {0, 1, 0, 10}});
    /* the same items in another order would be unpacked into the wrong places */
    JUDGE_SCRIPT("stage 0, phase 3: rank 0 sends to rank 1 (10 items), but rank 1's row does not say so",
                 {0, 1, 1, 3, {0, 1, 0, 4}}, {0, 1, 1, 3, {0, 1, 4, 6}}, {1, 0, 0, 3, {0, 1, 4, 6}},
                 {1, 0, 0, 3, {0, 1, 0, 4}});
    JUDGE_SCRIPT("stage 0, phase 3: rank 0 sends to rank 1 (10 items), but rank 1's row does not say so",
                 {0, 1, 1, 3, {0, 1, 0, 5}}, {0, 1, 1, 3, {0, 1, 5, 5}}, {1, 0, 0, 3, {0, 1, 5, 5}},
                 {1, 0, 0, 3, {0, 1, 0, 5}});
    JUDGE_SCRIPT("stage 0, phase 3: rank 0 sends to rank 1 (10 items), but rank 1's row does not say so",
                 {0, 1, 1, 3, {0, 1, 0, 10}}, {1, 0, 0, 3, {0, 1, 0, 4}}, {1, 0, 0, 3, {0, 1, 4, 6}});
}

static void partners_that_do_not_exist(void **state) {
    (void)state;
    JUDGE_SCRIPT("stage 0, phase 3: rank 0 sends to rank 3 in 1 pieces, which cannot be",
                 {0, 1, 3, 3, {0, 1, 0, 10}});
    JUDGE_SCRIPT("stage 0, phase 3: rank 1 receives from rank -1 in 1 pieces, which cannot be",
                 {0, 1, 1, 3, {0, 1, 0, 10}}, {1, 0, -1, 3, {0, 1, 0, 10}});
    JUDGE_SCRIPT("stage 0, phase -1: rank 0 sends to rank 1 in 1 pieces, which cannot be",
                 {0, 1, 1, -1, {0, 1, 0, 10}}, {1, 0, 0, -1, {0, 1, 0, 10}});
    JUDGE_SCRIPT("stage 0, phase 0: rank 0 sends to rank 1 items 0..9 of a message -1->1 that has 0",
                 {0, 1, 1, 0, {-1, 1, 0, 10}});
    JUDGE_SCRIPT("stage 0, phase 0: rank 0 sends to rank 1 items -3..6 of a message 0->1 that has 10",
                 {0, 1, 1, 0, {0, 1, -3, 10}});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sound_schedule_passes),
        cmocka_unit_test(missing_pieces),
        cmocka_unit_test(doubled_and_overlapping_pieces),
        cmocka_unit_test(wrong_destinations),
        cmocka_unit_test(pieces_outside_their_message),
        cmocka_unit_test(forwarding),
        cmocka_unit_test(many_stages),
        cmocka_unit_test(permutation),
        cmocka_unit_test(pairs),
        cmocka_unit_test(limits),
        cmocka_unit_test(links),
        cmocka_unit_test(a_machine_that_is_too_small),
        cmocka_unit_test(a_message_without_items),
        cmocka_unit_test(refused_by_the_reader),
        cmocka_unit_test(more_items_than_can_be_counted),
        cmocka_unit_test(ends_that_do_not_agree),
        cmocka_unit_test(partners_that_do_not_exist),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
