/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is refused, and how: every rank gets the same sentence, which names the rank and the numbers; nothing
 * has moved, and the communicator can be used on. And what is reported of a call that went well.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_check.h"
#include "quadrille/migrate.h"

enum { ITEMS = 40, CAPACITY = 100 };

static int rank, ranks;

typedef struct call {
    int64_t item_bytes, count, capacity;
    int64_t items[2 * CAPACITY];
    int destination[2 * CAPACITY];
    qdr_migration_options how;
    int without_count, without_items, without_options, as_objects;
} call;

static call fine(void) {
    call made = {.item_bytes = 8, .count = ITEMS, .capacity = CAPACITY, .how = QDR_MIGRATION_OPTIONS};
    for (int i = 0; i < ITEMS; i++) {
        made.items[i] = rank * ITEMS + i;
        made.destination[i] = (rank + i) % ranks;
    }
    return made;
}

/* ---- objects that are only there to be refused --------------------------------------------------------- */

static int64_t size(void *context, int64_t object) {
    const call *made = context;
    return object == 7 && made->items[0] < 0 ? -5 : 8;
}

static int pack(void *context, int64_t object, void *bytes) {
    (void)context, (void)object, (void)bytes;
    return 0;
}

static int release(void *context, int64_t object) {
    (void)context, (void)object;
    return 0;
}

static int unpack(void *context, int from, const void *bytes, int64_t bytes_size) {
    (void)context, (void)from, (void)bytes, (void)bytes_size;
    return 0;
}

static qdr_status run(call *made, qdr_migration_report *report) {
    qdr_objects objects = {.count = made->count,
                           .destination = made->destination,
                           .size = size,
                           .pack = made->without_items ? NULL : pack,
                           .release = release,
                           .unpack = unpack,
                           .context = made};
    const qdr_migration_options *how = made->without_options ? NULL : &made->how;
    if (made->as_objects) return qdr_migrate_objects(MPI_COMM_WORLD, &objects, how, report);
    return qdr_migrate_array(MPI_COMM_WORLD, made->without_count ? NULL : &made->count, made->capacity,
                             made->without_items ? NULL : made->items, made->item_bytes, made->destination,
                             how, report);
}

/* ---- refusals ------------------------------------------------------------------------------------------ */

static void refused(call *made, qdr_status due, const char *words) {
    qdr_migration_report report = {.phases = -1};
    int64_t count = made->count;
    qdr_status status = run(made, &report);
    CHECK_SAYING(status == due && strstr(qdr_error_message(), words), "expected '%s', got %s: %s", words,
                 qdr_status_text(status), status ? qdr_error_message() : "");
    CHECK(report.phases == -1 && made->count == count);
    for (int i = 0; i < ITEMS && count == ITEMS && made->item_bytes == 8; i++)
        CHECK(made->items[i] / ITEMS == rank || made->items[0] < 0);
    call next = fine();
    status = run(&next, NULL);
    CHECK_SAYING(status == QDR_OK, "after a refusal: %s", qdr_error_message());
}

static void test_arguments(void) {
    int last = rank == ranks - 1;
    char words[80];
    call made = fine();
    if (last) made.destination[17] = ranks;
    snprintf(words, sizeof words, "rank %d: item 17 goes to rank %d; expected 0 to %d", ranks - 1, ranks,
             ranks - 1);
    refused(&made, QDR_ERR_RANGE, words);
    made = fine();
    if (last) made.destination[3] = -1;
    refused(&made, QDR_ERR_RANGE, "item 3 goes to rank -1");
    made = fine();
    if (last) made.count = CAPACITY + 1;
    refused(&made, QDR_ERR_RANGE, "there are 101 items in an array for 100");
    made = fine();
    if (last) made.how.deadline = -2;
    refused(&made, QDR_ERR_RANGE, "deadline is -2; expected 0 or more seconds");
    made = fine();
    if (last) made.count = -1;
    refused(&made, QDR_ERR_RANGE, "there are -1 items");
    made = fine();
    if (last) made.item_bytes = 0;
    refused(&made, QDR_ERR_RANGE, "an item has 0 bytes");
    made = fine();
    if (last) made.capacity = INT64_MAX / 8;
    refused(&made, QDR_ERR_RANGE, "more than any memory has");
    made = fine();
    if (last) made.without_items = 1;
    refused(&made, QDR_ERR_INVALID, "the items or their destinations are NULL");
    made = fine();
    if (last) made.without_count = 1;
    refused(&made, QDR_ERR_INVALID, "the number of items is NULL");
}

static void test_options(void) {
    int last = rank == ranks - 1;
    call made = fine();
    if (last) made.how.size = 4;
    refused(&made, QDR_ERR_INVALID, "options.size is 4");
    made = fine();
    if (last) made.how.memory = -1;
    refused(&made, QDR_ERR_RANGE, "the limit is -1 bytes");
    made = fine();
    if (last) made.how.method = "swiftly";
    refused(&made, QDR_ERR_UNKNOWN, "unknown method 'swiftly'; there are auto, direct");
    made = fine();
    if (last) made.how.method = "greedy:first=second";
    refused(&made, QDR_ERR_SYNTAX, "second");
    if (ranks == 1) return;
    made = fine();
    made.how.method = last ? "greedy" : "robust";
    refused(&made, QDR_ERR_MISMATCH, "differ in the method");
    made = fine();
    made.item_bytes = last ? 16 : 8;
    refused(&made, QDR_ERR_MISMATCH, "differ in the bytes of an item: ");
    made = fine();
    made.as_objects = last;
    refused(&made, QDR_ERR_MISMATCH, "differ in the kind of what migrates");
}

static void test_objects(void) {
    int last = rank == ranks - 1;
    call made = fine();
    made.as_objects = 1;
    if (last) made.without_items = 1;
    refused(&made, QDR_ERR_INVALID, "a callback of the objects, or their destinations, are NULL");
    if (ranks == 1) return;
    made = fine();
    made.as_objects = 1;
    made.destination[7] = (rank + 1) % ranks;
    if (last) made.items[0] = -1;
    refused(&made, QDR_ERR_INVALID, "object 7: size returned -5");
    made = fine();
    made.as_objects = 1;
    if (last) made.destination[9] = ranks + 5;
    refused(&made, QDR_ERR_RANGE, "object 9 goes to rank");
}

/* All go to rank 0, which has place for some. By every method, for it is not the method's fault. */
static void test_capacity(void) {
    static const char *const methods[] = {"auto", "direct", "robust", "greedy", "relaxed"};
    char words[80];
    if (ranks < 4) return;
    snprintf(words, sizeof words, "rank 0: %d items come and 0 leave", ITEMS * (ranks - 1));
    for (int i = 0; i < 5; i++) {
        call made = fine();
        made.how.method = methods[i];
        for (int k = 0; k < ITEMS; k++) made.destination[k] = 0;
        refused(&made, QDR_ERR_RANGE, words);
    }
}

/* Two full ranks that exchange all they have, and no place anywhere. */
static void test_no_room(void) {
    if (ranks != 2) return;
    static const char *const methods[] = {"auto", "greedy", "robust", "direct"};
    for (int i = 0; i < 4; i++) {
        call made = fine();
        made.how.method = methods[i];
        made.capacity = ITEMS;
        for (int k = 0; k < ITEMS; k++) made.destination[k] = 1 - rank;
        refused(&made, QDR_ERR_RANGE, "room");
    }
}

/* One rank's limit is too small: the others' are not, and only it is named. */
static void test_one_limit(void) {
    if (ranks == 1) return;
    char words[80];
    call made = fine();
    if (rank == 1) made.how.memory = 100;
    snprintf(words, sizeof words, "rank 1: a limit of 100 bytes is too small for the method auto; ");
    refused(&made, QDR_ERR_RANGE, words);
}

/* ---- reports ------------------------------------------------------------------------------------------- */

typedef struct told {
    int64_t times, phase, phases, moved, bytes;
} told;

static void progress(void *context, int64_t phase, int64_t phases, int64_t moved, int64_t bytes) {
    told *heard = context;
    CHECK(phase >= heard->phase && moved > heard->moved && moved <= bytes && phase >= 1 && phase <= phases);
    *heard = (told){heard->times + 1, phase, phases, moved, bytes};
}

static void test_report(const char *method) {
    qdr_migration_report report;
    told heard = {0};
    call made = fine();
    int64_t left = 0;
    for (int i = 0; i < ITEMS; i++) left += made.destination[i] != rank;
    made.how.method = method;
    made.how.progress = progress;
    made.how.context = &heard;
    made.how.memory = 1 << 20;
    qdr_status status = run(&made, &report);
    CHECK_SAYING(status == QDR_OK, "%s: %s", method, qdr_error_message());
    int64_t sum = 8 * left, all;
    MPI_Allreduce(&sum, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    CHECK(report.bytes == all && report.parked_bytes == 0);
    CHECK(report.left == left && report.came == made.count - ITEMS + left);
    CHECK(report.memory == 1 << 20 && report.peak <= report.memory && (report.peak > 0 || ranks == 1));
    CHECK(report.phases >= report.bound && (report.bound > 0) == (all > 0));
    CHECK(strlen(report.method) > 0);
    CHECK(heard.moved == heard.bytes && heard.bytes == 8 * (report.left + report.came));
    CHECK(heard.phases == (all ? report.phases : 0));
}

static void test_nothing(void) {
    qdr_migration_report report;
    call made = fine();
    made.count = made.capacity = 0;
    made.without_items = 1;
    CHECK(run(&made, &report) == QDR_OK && report.bytes == 0 && made.count == 0);
    made = fine();
    made.without_options = 1;
    CHECK(run(&made, NULL) == QDR_OK);
    made = fine();
    made.count = 0;
    made.as_objects = 1;
    CHECK(run(&made, &report) == QDR_OK && report.bytes == 0 && report.phases == 0);
    /* Only some have anything. */
    made = fine();
    if (rank > 0) made.count = 0;
    CHECK(run(&made, &report) == QDR_OK && report.bytes == 8 * (ITEMS - (ITEMS + ranks - 1) / ranks));
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    test_arguments();
    test_options();
    test_objects();
    test_capacity();
    test_no_room();
    test_one_limit();
    test_report("auto");
    test_report("robust");
    test_report("greedy");
    test_nothing();
    int verdict = mpi_check_verdict();
    MPI_Finalize();
    return verdict;
}
