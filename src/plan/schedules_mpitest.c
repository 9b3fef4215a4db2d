/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Schedules of plans: a rank's own row, of every algorithm that has one, holds exactly its messages; a schedule that was
 * saved and loaded runs; one that is of another pattern, or not the same on all ranks, is refused by all. Messages without items
 * are scheduled, and nothing is sent for them. What ranks send themselves may be scheduled, too.
 */
#include <stdlib.h>

#include "plan/plan_ring_testing.h"
#include "quadrille-io.h"

static qdr_schedule *save_and_load(const qdr_schedule *schedule, const qdr_pattern *pattern) {
    FILE *file = tmpfile();
    qdr_schedule *loaded = NULL;
    if (!file) return NULL;
    FINE(qdr_schedule_write_json(schedule, file));
    rewind(file);
    FINE(qdr_schedule_read_json(file, "saved", pattern, NULL, &loaded));
    fclose(file);
    return loaded;
}

/* This rank's communication phase table holds exactly its messages. */
static void read_table(const qdr_schedule *schedule, qdr_partners_view view) {
    qdr_row_reader *reader = NULL;
    qdr_row row;
    int64_t out = 0, in = 0;
    FINE(qdr_row_reader_create(schedule, &reader));
    FINE(qdr_row_read(reader, rank, 0, &row));
    for (int64_t i = 0; i < row.sends; i++) {
        CHECK(row.send[i].partner == (rank + 1) % ranks);
        out += row.send[i].items;
    }
    for (int64_t i = 0; i < row.receives; i++) {
        CHECK(row.receive[i].partner == (rank + ranks - 1) % ranks);
        in += row.receive[i].items;
    }
    CHECK(out == (view.sends > 1 ? ITEMS : 0) && in == out);
    qdr_row_reader_destroy(&reader);
}

static void test_schedules(void) {
    qdr_partners *partners = ring(MPI_COMM_WORLD), *others = NULL;
    qdr_plan *plan = ring_plan(partners, "greedy", 0), *run = NULL, *none = NULL;
    qdr_pattern *pattern = NULL, *other = NULL;
    qdr_schedule *loaded = NULL;
    qdr_plan_info info;
    static const char *const closed[] = {"AC", "LP", "LS", "PS", "BS"};
    for (int i = 0; i < 5; i++) {
        qdr_plan *one = ring_plan(partners, closed[i], 0);
        CHECK(qdr_plan_schedule(one) != NULL && qdr_plan_schedule(one) == qdr_plan_schedule(one));
        if (qdr_plan_schedule(one)) read_table(qdr_plan_schedule(one), qdr_partners_look(partners));
        FINE(qdr_plan_destroy(&one));
    }
    FINE(qdr_partners_gather(partners, &pattern));
    CHECK(qdr_plan_schedule(plan) != NULL);
    if (qdr_plan_schedule(plan)) {
        read_table(qdr_plan_schedule(plan), qdr_partners_look(partners));
        loaded = save_and_load(qdr_plan_schedule(plan), pattern);
    }
    FINE(qdr_plan_destroy(&plan));
    FINE(qdr_plan_create_scheduled(partners, loaded, NULL, &run));
    FINE(qdr_plan_look(run, &info));
    CHECK(strcmp(info.algorithm, "loaded") == 0);
    run_ring(run, partners);
    /* No schedule on one rank, another call on one rank, partners of another pattern. */
    int last = rank == ranks - 1;
    EXPECT(qdr_plan_create_scheduled(partners, last ? NULL : loaded, NULL, &none), QDR_ERR_INVALID, "NULL");
    if (ranks > 1) {
        qdr_status status = last ? qdr_plan_create(partners, NULL, &none)
                                 : qdr_plan_create_scheduled(partners, loaded, NULL, &none);
        expect_at(__FILE__, __LINE__, status, QDR_ERR_MISMATCH, "qdr_plan_create_scheduled");
        const int destination[] = {(rank + 1) % ranks};
        const int64_t items[] = {last ? ITEMS + 1 : ITEMS};
        FINE(qdr_partners_from_sends(MPI_COMM_WORLD, 1, destination, items, NULL, &others));
        qdr_status refused = qdr_plan_create_scheduled(others, loaded, NULL, &none);
        CHECK_SAYING(refused != QDR_OK && *qdr_error_message(), "a schedule of another pattern was taken");
    }
    CHECK(none == NULL);
    FINE(qdr_plan_destroy(&run));
    qdr_schedule_destroy(&loaded);
    qdr_pattern_destroy(&pattern);
    qdr_pattern_destroy(&other);
    qdr_partners_destroy(&others);
    qdr_partners_destroy(&partners);
}

/* Loaded, and asked for by name: what each rank sends itself goes through the others, but for a part. */
static void test_diagonal(void) {
    static const char name[] = "two-stage:diagonal,tight=yes";
    qdr_partners *partners = ring(MPI_COMM_WORLD), *others = NULL;
    qdr_pattern *pattern = NULL;
    qdr_schedule *schedule = NULL, *loaded = NULL;
    qdr_plan *plan = NULL;
    FINE(qdr_partners_gather(partners, &pattern));
    FINE(qdr_schedule_create(pattern, name, NULL, &schedule));
    FINE(qdr_schedule_check(schedule));
    loaded = save_and_load(schedule, pattern);
    FINE(qdr_schedule_check(loaded));
    FINE(qdr_plan_create_scheduled(partners, loaded, NULL, &plan));
    for (int i = 0; i < 3; i++) run_ring(plan, partners);
    FINE(qdr_plan_destroy(&plan));
    plan = ring_plan(partners, name, 0);
    for (int i = 0; i < 3; i++) run_ring(plan, partners);
    FINE(qdr_plan_destroy(&plan));
    if (ranks > 1) { /* of partners that have nothing for themselves */
        const int destination[] = {(rank + 1) % ranks};
        const int64_t items[] = {ITEMS};
        FINE(qdr_partners_from_sends(MPI_COMM_WORLD, 1, destination, items, NULL, &others));
        EXPECT(qdr_plan_create_scheduled(others, loaded, NULL, &plan), QDR_ERR_BROKEN, "do not exist");
        qdr_partners_destroy(&others);
    }
    qdr_schedule_destroy(&loaded);
    qdr_schedule_destroy(&schedule);
    qdr_pattern_destroy(&pattern);
    qdr_partners_destroy(&partners);
}

/* The partners need not even know of them. */
static void test_empty_messages(void) {
    static const char *const algorithms[] = {"greedy", "recursive", "two-stage"};
    qdr_partners *partners = NULL;
    qdr_pattern *pattern = NULL;
    char spec[64];
    snprintf(spec, sizeof spec, "complete:n=%d,bytes=0", ranks);
    FINE(qdr_pattern_from_spec(spec, &pattern));
    FINE(qdr_partners_from_sends(MPI_COMM_WORLD, 0, NULL, NULL, NULL, &partners));
    for (int i = 0; i < 3; i++) {
        qdr_schedule *schedule = NULL;
        qdr_plan *plan = NULL;
        qdr_plan_info info;
        qdr_buffers buffers = {.item_bytes = 1};
        FINE(qdr_schedule_create(pattern, algorithms[i], NULL, &schedule));
        FINE(qdr_plan_create_scheduled(partners, schedule, NULL, &plan));
        FINE(qdr_plan_look(plan, &info));
        CHECK(info.messages_out == 0 && info.messages_in == 0);
        FINE(qdr_plan_exchange(plan, &buffers));
        FINE(qdr_plan_destroy(&plan));
        qdr_schedule_destroy(&schedule);
    }
    qdr_pattern_destroy(&pattern);
    qdr_partners_destroy(&partners);
}

int main(int count, char **words) {
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    test_schedules();
    test_diagonal();
    test_empty_messages();
    int verdict = mpi_check_verdict();
    MPI_Finalize();
    return verdict;
}
