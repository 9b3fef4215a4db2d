/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The limit against the C library: all that the library allocates comes to this test, which knows at any time
 * how much there is. With what came beyond what left, it never exceeds the limit, whatever the library counts
 * by itself; afterwards all of it has been given back. The limit is the least that does, and a few above it.
 *
 * And memory that runs out: one allocation after the other fails, on one rank; all return the same, and
 * nothing is lost.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "migrate/migrate_testing.h"
#include "mpi_check.h"
#include "quadrille/migrate.h"

static int rank, ranks;

/* ---- the C library ------------------------------------------------------------------------------------- */

static int64_t fails_after = -1;  /* so many allocations fail the next; negative: never */
static int64_t live, extra, most; /* bytes allocated; bytes of objects beyond those at first; most of both */

typedef struct head {
    int64_t bytes, unused;
} head;

void *__real_malloc(size_t bytes);
void *__real_realloc(void *block, size_t bytes);
void __real_free(void *block);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *block, size_t bytes);
void __wrap_free(void *block);

static void count(int64_t bytes) {
    live += bytes;
    if (live + extra > most) most = live + extra;
}

static void *counted(head *made, size_t bytes) {
    if (!made) return NULL;
    made->bytes = (int64_t)bytes;
    count(made->bytes);
    return made + 1;
}

static int fails(void) {
    return fails_after >= 0 && fails_after-- == 0;
}

void *__wrap_malloc(size_t bytes) {
    if (fails()) return NULL;
    return counted(__real_malloc(bytes + sizeof(head)), bytes);
}

void *__wrap_calloc(size_t number, size_t bytes) {
    void *made = __wrap_malloc(number * bytes);
    if (made) memset(made, 0, number * bytes);
    return made;
}

void *__wrap_realloc(void *block, size_t bytes) {
    head *held = block ? (head *)block - 1 : NULL;
    if (fails()) return NULL;
    if (held) live -= held->bytes;
    return counted(__real_realloc(held, bytes + sizeof(head)), bytes);
}

void __wrap_free(void *block) {
    if (!block) return;
    live -= ((head *)block - 1)->bytes;
    __real_free((head *)block - 1);
}

/* ---- objects of which only the sizes matter ------------------------------------------------------------ */

static int64_t size_of(const migration_case *what, int origin, int64_t number) {
    uint64_t word = qdri_mix(what->seed ^ (uint64_t)origin << 32 ^ (uint64_t)number);
    return (int64_t)(word % 10 ? word % 300 : word % 4000);
}

static int64_t size(void *context, int64_t object) {
    return size_of(context, rank, object);
}

static int pack(void *context, int64_t object, void *bytes) {
    memset(bytes, (int)object, (size_t)size(context, object));
    return 0;
}

static int release(void *context, int64_t object) {
    extra -= size(context, object);
    return 0;
}

static int unpack(void *context, int from, const void *bytes, int64_t length) {
    (void)context, (void)from, (void)bytes;
    extra += length;
    count(0);
    return 0;
}

/* ---- one call ------------------------------------------------------------------------------------------ */

typedef struct job {
    migration_case what;
    int64_t item_bytes; /* 0: objects */
    int64_t count, capacity;
    char *items;
    int *destination;
} job;

/* In an array what came beyond what left is as the library says: it lies in the array. */
static qdr_status run(job *work, const char *method, int64_t limit, qdr_migration_report *report) {
    qdr_objects objects = {.count = work->count,
                           .destination = work->destination,
                           .size = size,
                           .pack = pack,
                           .release = release,
                           .unpack = unpack,
                           .context = &work->what};
    qdr_migration_options how = QDR_MIGRATION_OPTIONS;
    how.method = method;
    how.memory = limit;
    work->count = objects.count = case_count(&work->what, rank);
    for (int64_t i = 0; i < work->count; i++) work->destination[i] = case_destination(&work->what, rank, i);
    int64_t before = live;
    live = extra = most = 0;
    qdr_status status = work->item_bytes
                            ? qdr_migrate_array(MPI_COMM_WORLD, &work->count, work->capacity, work->items,
                                                work->item_bytes, work->destination, &how, report)
                            : qdr_migrate_objects(MPI_COMM_WORLD, &objects, &how, report);
    CHECK_SAYING(live <= 8192, "%s: %lld bytes were not given back", method, (long long)live);
    live += before;
    return status;
}

static int64_t number_before(const char *sentence, const char *words) {
    const char *end = strstr(sentence, words);
    if (!end) return -1;
    while (end > sentence && end[-1] >= '0' && end[-1] <= '9') end--;
    return strtoll(end, NULL, 10);
}

static void test(case_pattern pattern, int64_t items, int64_t item_bytes, const char *method, uint64_t seed) {
    job work = {.what = {pattern, ranks, items, seed}, .item_bytes = item_bytes};
    qdr_migration_report report;
    int64_t first = case_count(&work.what, rank), final = case_final(&work.what, rank);
    work.capacity = (first > final ? first : final) + items;
    work.items = calloc((size_t)(work.capacity * item_bytes) + 1, 1);
    work.destination = malloc((size_t)(first + 1) * sizeof *work.destination);
    qdr_status status = run(&work, method, 1, &report);
    int64_t least = status ? number_before(qdr_error_message(), " bytes suffice") : -1;
    CHECK_SAYING(status == QDR_ERR_RANGE && least > 0, "%s, %s: %s", method, pattern_names[pattern],
                 qdr_error_message());
    for (int64_t limit = least; least > 0 && limit < 2 * least; limit += least / 5) {
        status = run(&work, method, limit, &report);
        CHECK_SAYING(status == QDR_OK, "%s, %lld bytes: %s", method, (long long)limit, qdr_error_message());
        CHECK_SAYING(most <= report.peak && report.peak <= limit,
                     "%s, %s, items of %lld bytes: a limit of %lld, in use %lld, counted %lld", method,
                     pattern_names[pattern], (long long)item_bytes, (long long)limit, (long long)most,
                     (long long)report.peak);
    }
    free(work.items);
    free(work.destination);
}

/* ---- memory that runs out -------------------------------------------------------------------------------
 * */

static void test_failing(int64_t item_bytes, const char *method, int64_t limit) {
    job work = {.what = {PATTERN_RANDOM, ranks, 60, 5}, .item_bytes = item_bytes};
    int64_t first = case_count(&work.what, rank), final = case_final(&work.what, rank), tries = 0;
    work.capacity = (first > final ? first : final) + 5;
    work.items = calloc((size_t)(work.capacity * item_bytes) + 1, 1);
    work.destination = malloc((size_t)(first + 1) * sizeof *work.destination);
    for (int on = 1; on; tries++) {
        int same[2], all[2];
        fails_after = rank == tries % ranks ? tries / ranks : -1;
        qdr_status status = run(&work, method, limit, NULL);
        on = fails_after < 0 && rank == tries % ranks; /* it did fail */
        fails_after = -1;
        CHECK_SAYING(status == QDR_OK || status == QDR_ERR_MEMORY || status == QDR_ERR_RANGE, "%s: %s",
                     method, qdr_error_message());
        same[0] = (int)status;
        same[1] = -(int)status;
        MPI_Allreduce(same, all, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        CHECK_SAYING(all[0] == -all[1], "%s: failures after %lld allocations are not agreed on", method,
                     (long long)(tries / ranks));
        MPI_Allreduce(MPI_IN_PLACE, &on, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    }
    CHECK(tries > 10);
    free(work.items);
    free(work.destination);
}

int main(int argc, char **argv) {
    static const char *const methods[] = {"auto", "robust", "greedy", "direct", "relaxed"};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    /* What is made once for a communicator. */
    int64_t none = 0;
    CHECK(qdr_migrate_array(MPI_COMM_WORLD, &none, 0, NULL, 1, NULL, NULL, NULL) == QDR_OK);
    for (int i = 0; ranks > 1 && i < 5; i++) {
        for (int pattern = PATTERN_SHIFT; pattern < PATTERNS; pattern++)
            test((case_pattern)pattern, 100 + 200 * i, pattern % 2 ? 0 : 1 + 37 * i, methods[i], (uint64_t)i);
        test(PATTERN_RANDOM, 300, 0, methods[i], 99);
        test(PATTERN_SWAP, 300, 8, methods[i], 98);
    }
    for (int i = 0; ranks > 1 && i < 5; i++) {
        test_failing(24, methods[i], 0);
        test_failing(0, methods[i], i % 2 ? 0 : 100000);
    }
    int verdict = mpi_check_verdict();
    MPI_Finalize();
    return verdict;
}
