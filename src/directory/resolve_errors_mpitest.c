/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What can be done wrong in resolving: each mistake, of all ranks or of one alone, is a status and a sentence,
 * the same on all ranks, outputs stay as they were, and the next call is as good as ever; for every method.
 */
#include <stdio.h>

#include "mpi_check.h"

#include "directory/directory_testing.h"

static const char *const methods[] = {"directory", "ring", "torus:2", "alltoall", "hybrid"};

enum { OWNED = 3, NEEDED = 4, UNTOUCHED = 77 };

/* Rank r owns 10 r, 10 r + 1 and 10 r + 2, and needs those of the next rank, the first of them twice. */
typedef struct question {
    int64_t owned, own_id[OWNED], needed, need_id[NEEDED], place[NEEDED], boundary[OWNED];
    int owner[NEEDED];
    const int64_t *own, *need;
    int *owner_of;
    int64_t *place_of;
    qdr_resolve_options options;
} question;

static void set_question(question *one, const char *method) {
    int64_t next = (rank + 1) % ranks;
    *one = (question){.owned = OWNED,
                      .own_id = {10 * rank, 10 * rank + 1, 10 * rank + 2},
                      .needed = NEEDED,
                      .need_id = {10 * next, 10 * next + 1, 10 * next + 2, 10 * next},
                      .boundary = {0, 1, 2},
                      .options = QDR_RESOLVE_OPTIONS};
    for (int i = 0; i < NEEDED; i++) one->place[i] = one->owner[i] = UNTOUCHED;
    one->own = one->own_id;
    one->need = one->need_id;
    one->owner_of = one->owner;
    one->place_of = one->place;
    one->options.method = method;
    one->options.boundaries = OWNED;
    one->options.boundary = one->boundary;
    one->options.limit = 10 * (int64_t)ranks;
}

static qdr_status ask(MPI_Comm comm, question *one) {
    return qdr_resolve(comm, one->owned, one->own, one->needed, one->need, &one->options, one->owner_of,
                       one->place_of, NULL);
}

static void all_is_well(MPI_Comm comm, const char *method) {
    question one;
    set_question(&one, method);
    FINE(ask(comm, &one));
    for (int i = 0; i < NEEDED; i++)
        CHECK_SAYING(one.owner[i] == (rank + 1) % ranks && one.place[i] == i % OWNED, "%s", method);
}

/* ---- mistakes ------------------------------------------------------------------------------------------ */

typedef void spoil(question *one);

static void wrong_size(question *one) {
    one->options.size = 5;
}
static void negative_owned(question *one) {
    one->owned = -4;
}
static void negative_needed(question *one) {
    one->needed = -6;
}
static void endless_owned(question *one) {
    one->owned = INT64_MAX;
}
static void endless_needed(question *one) {
    one->needed = INT64_MAX;
}
static void no_own_ids(question *one) {
    one->own = NULL;
}
static void no_need_ids(question *one) {
    one->need = NULL;
}
static void id_past_the_limit(question *one) {
    one->own_id[1] = one->options.limit;
}
static void need_past_the_limit(question *one) {
    one->need_id[2] = one->options.limit + 3;
}
static void negative_id(question *one) {
    one->need_id[3] = -8;
}
static void negative_limit(question *one) {
    one->options.limit = -9;
}
static void boundary_past_the_end(question *one) {
    one->options.symmetric = 1;
    one->boundary[1] = OWNED;
}
static void negative_boundary(question *one) {
    one->options.symmetric = 1;
    one->boundary[2] = -5;
}
static void negative_boundaries(question *one) {
    one->options.symmetric = 1;
    one->options.boundaries = -7;
}
static void no_boundary(question *one) {
    one->options.symmetric = 1;
    one->options.boundary = NULL;
}

static void test_mistakes(MPI_Comm comm, const char *method) {
    static const struct {
        spoil *act;
        qdr_status status;
        const char *word;
        int symmetric; /* all ranks say that it is */
    } wrong[] = {
        {wrong_size, QDR_ERR_INVALID, "QDR_RESOLVE_OPTIONS", 0},
        {negative_owned, QDR_ERR_RANGE, "-4", 0},
        {negative_needed, QDR_ERR_RANGE, "-6", 0},
        {endless_owned, QDR_ERR_RANGE, "9223372036854775807 own ids; expected 0 to 144115188075855871", 0},
        {endless_needed, QDR_ERR_RANGE, "ids; expected 0 to 144115188075855871", 0},
        {no_own_ids, QDR_ERR_INVALID, "NULL", 0},
        {no_need_ids, QDR_ERR_INVALID, "NULL", 0},
        {id_past_the_limit, QDR_ERR_RANGE, "0", 0},
        {need_past_the_limit, QDR_ERR_RANGE, "3", 0},
        {negative_id, QDR_ERR_RANGE, "-8", 0},
        {negative_limit, QDR_ERR_RANGE, "-9", 0},
        {boundary_past_the_end, QDR_ERR_RANGE, "3", 1},
        {negative_boundary, QDR_ERR_RANGE, "-5", 1},
        {negative_boundaries, QDR_ERR_RANGE, "-7", 1},
        {no_boundary, QDR_ERR_INVALID, "NULL", 1},
    };
    for (int i = 0; i < (int)(sizeof wrong / sizeof *wrong); i++)
        for (int alone = 0; alone < 2; alone++) {
            question one;
            qdr_map *map = NULL;
            set_question(&one, method);
            one.options.symmetric = wrong[i].symmetric;
            if (!alone || rank == last) wrong[i].act(&one);
            qdr_status status = ask(comm, &one);
            expect_at(__FILE__, __LINE__, status, wrong[i].status, wrong[i].word);
            alike_at(__FILE__, __LINE__, status);
            CHECK_SAYING(status == wrong[i].status, "%s: mistake %d%s", method, i, alone ? " alone" : "");
            for (int k = 0; k < NEEDED; k++)
                CHECK_SAYING(one.owner[k] == UNTOUCHED && one.place[k] == UNTOUCHED,
                             "%s: mistake %d%s: outputs were written", method, i, alone ? " alone" : "");
            status =
                qdr_resolve_map(comm, one.owned, one.own, one.needed, one.need, NULL, &one.options, &map);
            expect_at(__FILE__, __LINE__, status, wrong[i].status, wrong[i].word);
            alike_at(__FILE__, __LINE__, status);
            CHECK(map == NULL);
        }
    all_is_well(comm, method);
}

/* ---- methods ------------------------------------------------------------------------------------------- */

static void test_names(MPI_Comm comm) {
    static const char *const strange[] = {"no-such",  "",       "torus:x",  "torus:0",
                                          "torus:-2", "ring:2", "torus:2:3"};
    for (int i = 0; i < (int)(sizeof strange / sizeof *strange); i++)
        for (int alone = 0; alone < 2; alone++) {
            question one;
            set_question(&one, !alone || rank == last ? strange[i] : "ring");
            qdr_status status = ask(comm, &one);
            CHECK_SAYING(status == QDR_ERR_UNKNOWN || status == QDR_ERR_SYNTAX || status == QDR_ERR_RANGE ||
                             (alone && status == QDR_ERR_MISMATCH),
                         "'%s': %s", strange[i], qdr_status_text(status));
            alike_at(__FILE__, __LINE__, status);
        }
    for (int i = 0; i < 5 && ranks > 1; i++) {
        question one;
        set_question(&one, methods[rank == last ? (i + 1) % 5 : i]);
        EXPECT_ALIKE(ask(comm, &one), QDR_ERR_MISMATCH, "");
        set_question(&one, rank == last ? "torus:3" : "torus:2");
        EXPECT_ALIKE(ask(comm, &one), QDR_ERR_MISMATCH, "");
        set_question(&one, methods[i]);
        one.options.limit += rank == last;
        EXPECT_ALIKE(ask(comm, &one), QDR_ERR_MISMATCH, "");
        set_question(&one, methods[i]);
        one.options.symmetric = rank == last;
        EXPECT_ALIKE(ask(comm, &one), QDR_ERR_MISMATCH, "");
        all_is_well(comm, methods[i]);
    }
}

/* ---- what is no mistake, and what some methods do not see ---------------------------------------------- */

static void test_nothing(MPI_Comm comm, const char *method) {
    question one;
    qdr_map *map = NULL;
    set_question(&one, method);
    one.owned = one.needed = one.options.boundaries = 0;
    one.own = one.need = one.options.boundary = NULL;
    one.owner_of = NULL;
    one.place_of = NULL;
    FINE(ask(comm, &one));
    FINE(qdr_resolve_map(comm, 0, NULL, 0, NULL, NULL, &one.options, &map));
    FINE(qdr_map_destroy(&map));
    /* Answers that nobody wants. */
    set_question(&one, method);
    one.owner_of = NULL;
    qdr_status status = ask(comm, &one);
    CHECK(status == QDR_OK || status == QDR_ERR_INVALID);
    alike_at(__FILE__, __LINE__, status);
    all_is_well(comm, method);
}

/* The directory notices an id that two own. */
static void test_twice(MPI_Comm comm) {
    question one;
    if (ranks < 2) return;
    set_question(&one, "directory");
    if (rank == last) one.own_id[1] = 2;
    qdr_status status = ask(comm, &one);
    CHECK_SAYING(status == QDR_ERR_MISMATCH && says_number(qdr_error_message(), 2) &&
                     says_number(qdr_error_message(), 0) && says_number(qdr_error_message(), last),
                 "'%s': %s", qdr_status_text(status), status ? qdr_error_message() : "");
    alike_at(__FILE__, __LINE__, status);
    all_is_well(comm, "directory");
}

int main(int count, char **words) {
    enter_mpi(&count, &words);
    for (int layout = 0; layout < LAYOUTS; layout++) {
        MPI_Comm comm = comm_on_nodes(layout);
        for (int i = 0; i < 5; i++) {
            all_is_well(comm, methods[i]);
            test_mistakes(comm, methods[i]);
            test_nothing(comm, methods[i]);
        }
        test_names(comm);
        test_twice(comm);
        MPI_Comm_free(&comm);
    }
    return leave_mpi();
}
