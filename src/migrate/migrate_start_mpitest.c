/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Migrations that are started. Arrays in phases and objects of the same communicator are under way together; ranks talk to
 * each other by MPI before they look after either, one after the other, so that whoever waited for the others inside a start
 * or a test would wait for ever. What arrives is what should; a callback that fails is heard by all at the end; when a
 * deadline passes, a test says so.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "migrate/migrate_testing.h"
#include "mpi_check.h"
#include "quadrille/migrate.h"

enum { BYTES = 200, OBJECTS = 40, ROUNDS = 12 };

static int rank, ranks;

/* ---- objects ------------------------------------------------------------------------------------------- */

static int64_t arrived, sum, fails_at = -1;

static int64_t size_of(void *context, int64_t object) {
    (void)context;
    return 8 + object % 3 * 400;
}

static int pack(void *context, int64_t object, void *bytes) {
    (void)context;
    if (object == fails_at) return 7;
    memset(bytes, 0, (size_t)size_of(NULL, object));
    memcpy(bytes, &object, sizeof object);
    return 0;
}

static int release(void *context, int64_t object) {
    (void)context, (void)object;
    return 0;
}

static int unpack(void *context, int from, const void *bytes, int64_t size) {
    int64_t object;
    (void)context, (void)from;
    memcpy(&object, bytes, sizeof object);
    arrived++;
    sum += object;
    return size != size_of(NULL, object);
}

/* All objects of this rank go to the next one; `next` has room for their destinations. */
static qdr_objects all_to_next(int *next) {
    for (int i = 0; i < OBJECTS; i++) next[i] = (rank + 1) % ranks;
    return (qdr_objects){.count = OBJECTS,
                         .destination = next,
                         .size = size_of,
                         .pack = pack,
                         .release = release,
                         .unpack = unpack};
}

/* ---- one after the other ------------------------------------------------------------------------------- */

/* A token goes round: a rank looks after its own only when the one before has. */
static void take_turn(qdr_pending **pending, int count) {
    int token = 0, done = 0;
    if (rank > 0) MPI_Recv(&token, 1, MPI_INT, rank - 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < 50; i++) CHECK(qdr_test_all(count, pending, &done) == QDR_OK);
    if (ranks > 1 && rank == 0) CHECK(!done); /* the others have not moved */
    if (rank < ranks - 1) MPI_Send(&token, 1, MPI_INT, rank + 1, 5, MPI_COMM_WORLD);
}

static void test_together(int round) {
    migration_case what = {.pattern = round % 2 ? PATTERN_SHIFT : PATTERN_RANDOM,
                           .ranks = ranks,
                           .items = 3000,
                           .seed = (uint64_t)round};
    int64_t count = case_count(&what, rank), final = case_final(&what, rank);
    int64_t capacity = (count > final ? count : final) + 30, expected = 0;
    unsigned char *items = malloc((size_t)(capacity * BYTES));
    int *destination = malloc((size_t)(count + 1) * sizeof *destination), next[OBJECTS];
    qdr_migration_report report[2];
    qdr_pending *pending[2] = {NULL, NULL};
    qdr_objects objects = all_to_next(next);
    for (int64_t i = 0; i < count; i++) {
        destination[i] = case_destination(&what, rank, i);
        item_write(items + i * BYTES, BYTES, rank, i);
    }
    for (int i = 0; i < OBJECTS; i++) expected += i;
    arrived = sum = 0;
    CHECK(qdr_migrate_array_start(MPI_COMM_WORLD, &count, capacity, items, BYTES, destination, NULL,
                                  &report[0], &pending[0]) == QDR_OK);
    CHECK(qdr_migrate_objects_start(MPI_COMM_WORLD, &objects, NULL, &report[1], &pending[1]) == QDR_OK);
    CHECK(pending[0] && pending[1]);
    take_turn(pending, 2);
    if (round % 3) {
        for (int done = 0; !done;) CHECK(qdr_test_all(2, pending, &done) == QDR_OK);
    } else {
        CHECK(qdr_wait_all(2, pending) == QDR_OK);
    }
    CHECK(!pending[0] && !pending[1]);
    const char *wrong = items_wrong(&what, rank, items, BYTES, count, 1);
    CHECK_SAYING(!wrong, "round %d: %s", round, wrong);
    CHECK(ranks == 1 || (arrived == OBJECTS && sum == expected));
    CHECK(ranks == 1 || (report[1].came == OBJECTS && report[1].left == OBJECTS && report[0].phases > 0));
    free(items);
    free(destination);
}

/* ---- what fails ---------------------------------------------------------------------------------------- */

static void test_callback(void) {
    int next[OBJECTS];
    qdr_pending *pending = NULL;
    qdr_objects objects = all_to_next(next);
    fails_at = rank == ranks - 1 ? 3 : -1;
    CHECK(qdr_migrate_objects_start(MPI_COMM_WORLD, &objects, NULL, NULL, &pending) == QDR_OK);
    qdr_status status = qdr_wait(&pending);
    char words[80];
    snprintf(words, sizeof words, "object 3 of rank %d: pack returned 7", ranks - 1);
    CHECK_SAYING(status == QDR_ERR_INVALID && strstr(qdr_error_message(), words), "%s", qdr_error_message());
    fails_at = -1;
}

static void test_refusals(void) {
    qdr_pending *pending = NULL;
    int64_t count = -1;
    char item[4];
    CHECK(qdr_migrate_array_start(MPI_COMM_WORLD, &count, 4, item, 1, NULL, NULL, NULL, &pending) ==
          QDR_ERR_RANGE);
    CHECK(!pending);
    CHECK(qdr_migrate_array_start(MPI_COMM_WORLD, &count, 4, item, 1, NULL, NULL, NULL, NULL) ==
          QDR_ERR_INVALID);
    count = 0;
    CHECK(qdr_migrate_array_start(MPI_COMM_WORLD, &count, 4, item, 1, NULL, NULL, NULL, &pending) == QDR_OK);
    CHECK(qdr_wait(&pending) == QDR_OK && count == 0);
}

/* The last rank does not look after it in time: rank 0 hears of the deadline from a test. */
static void test_deadline(void) {
    static char items[2 * BYTES];
    int64_t count = 1;
    int destination[1] = {(rank + 1) % ranks}, done = 0;
    MPI_Comm copy;
    qdr_migration_options how = QDR_MIGRATION_OPTIONS;
    qdr_pending *pending = NULL;
    qdr_status status = QDR_OK;
    how.deadline = 0.5;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    CHECK(qdr_migrate_array_start(copy, &count, 2, items, BYTES, destination, &how, NULL, &pending) ==
          QDR_OK);
    if (rank == ranks - 1) {
        MPI_Recv(NULL, 0, MPI_INT, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(qdr_wait(&pending) != QDR_OK);
    } else {
        while (!status && !done) status = qdr_test(&pending, &done);
        CHECK_SAYING(status == QDR_ERR_STALLED || status == QDR_ERR_LOST, "%s: %s", qdr_status_text(status),
                     qdr_error_message());
        if (rank == 0) MPI_Send(NULL, 0, MPI_INT, ranks - 1, 6, MPI_COMM_WORLD);
    }
    CHECK(!pending);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int round = 0; round < ROUNDS; round++) test_together(round);
    test_refusals();
    if (ranks > 1) test_callback();
    if (ranks > 1) test_deadline();
    int verdict = mpi_check_verdict();
    MPI_Finalize();
    return verdict;
}
