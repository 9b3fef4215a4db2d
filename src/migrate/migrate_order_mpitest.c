/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where and in which order the callbacks of objects are called, as quadrille/migrate.h says it: `size`, `pack` and
 * `release` at the origin, `unpack` at the destination, none for an object that stays. An object that travels
 * straight is packed, unpacked, released; one that is parked may be released before it is unpacked.
 *
 * All ranks are processes of one machine and have one clock. Each notes when it was called; afterwards all know
 * all of it.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mpi_check.h"
#include "quadrille/migrate.h"

enum { OBJECTS = 60, BYTES = 3000 }; /* of a rank; of an object */

typedef struct stamp {
    int64_t packed, unpacked, released; /* when, in nanoseconds; 0: not called */
    int64_t packs, unpacks, releases, sizes;
    int64_t unpacked_at; /* rank + 1 */
} stamp;
enum { STAMP_WORDS = sizeof(stamp) / sizeof(int64_t) };

static int rank, ranks;
static stamp *book; /* [ranks][OBJECTS] of this rank's calls */

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static int64_t size(void *context, int64_t object) {
    (void)context;
    book[rank * OBJECTS + object].sizes++;
    return BYTES;
}

static int pack(void *context, int64_t object, void *bytes) {
    stamp *mine = &book[rank * OBJECTS + object];
    (void)context;
    mine->packed = now();
    mine->packs++;
    memset(bytes, 0, BYTES);
    memcpy(bytes, &object, sizeof object);
    return 0;
}

static int release(void *context, int64_t object) {
    stamp *mine = &book[rank * OBJECTS + object];
    (void)context;
    mine->released = now();
    mine->releases++;
    return 0;
}

static int unpack(void *context, int from, const void *bytes, int64_t length) {
    int64_t object;
    (void)context;
    memcpy(&object, bytes, sizeof object);
    if (length != BYTES || object < 0 || object >= OBJECTS) return 1;
    stamp *mine = &book[from * OBJECTS + object];
    mine->unpacked = now();
    mine->unpacks++;
    mine->unpacked_at = rank + 1;
    return 0;
}

/* Every sixth stays. */
static int destination_of(int origin, int64_t object) {
    return object % 6 == 5 ? origin : (origin + 1 + (int)(object % 2) * (ranks > 2)) % ranks;
}

static qdr_status run(const qdr_migration_options *how, qdr_migration_report *report) {
    int destination[OBJECTS];
    for (int i = 0; i < OBJECTS; i++) destination[i] = destination_of(rank, i);
    qdr_objects objects = {.count = OBJECTS,
                           .destination = destination,
                           .size = size,
                           .pack = pack,
                           .release = release,
                           .unpack = unpack};
    memset(book, 0, (size_t)(ranks * OBJECTS) * sizeof *book);
    return qdr_migrate_objects(MPI_COMM_WORLD, &objects, how, report);
}

/* How many were released before they were unpacked. */
static int64_t check_order(const char *label) {
    int words = ranks * OBJECTS * STAMP_WORDS;
    int64_t early = 0;
    MPI_Allreduce(MPI_IN_PLACE, book, words, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD); /* each has one writer */
    for (int i = 0; i < ranks * OBJECTS; i++) {
        const stamp *it = &book[i];
        int origin = i / OBJECTS, destination = destination_of(origin, i % OBJECTS),
            once = destination != origin;
        CHECK_SAYING(
            it->sizes == 2 * once && it->packs == once && it->unpacks == once && it->releases == once,
            "%s: object %d of rank %d for rank %d: %lld sizes, %lld packs, %lld unpacks, %lld releases",
            label, i % OBJECTS, origin, destination, (long long)it->sizes, (long long)it->packs,
            (long long)it->unpacks, (long long)it->releases);
        if (!once) continue;
        CHECK(it->unpacked_at == destination + 1);
        CHECK(it->packed <= it->unpacked && it->packed <= it->released);
        early += it->released < it->unpacked;
    }
    return early;
}

/* The least limit that does, as the refusal says it. */
static int64_t least_limit(qdr_migration_options how) {
    how.memory = rank < ranks - 1;
    CHECK(run(&how, NULL) == QDR_ERR_RANGE);
    const char *end = strstr(qdr_error_message(), " bytes suffice");
    CHECK_SAYING(end, "%s", qdr_error_message());
    while (end && end > qdr_error_message() && end[-1] >= '0' && end[-1] <= '9') end--;
    return end ? strtoll(end, NULL, 10) : 0;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    book = calloc((size_t)(ranks * OBJECTS), sizeof *book);
    static const char *const methods[] = {"direct", "robust", "greedy", "relaxed", "greedy"};
    for (int i = 0; i < 5; i++) {
        qdr_migration_options how = QDR_MIGRATION_OPTIONS;
        qdr_migration_report report = {.bytes = 0};
        how.method = methods[i];
        if (i == 4) { /* the last rank has room to park */
            int64_t least = least_limit(how);
            how.memory = rank < ranks - 1 ? least : 0;
        }
        qdr_status status = run(&how, &report);
        CHECK_SAYING(status == QDR_OK, "%s: %s", how.method, qdr_error_message());
        int64_t early = check_order(how.method);
        if (report.parked_bytes == 0)
            CHECK_SAYING(early == 0, "%s: %lld were released before they were unpacked", how.method,
                         (long long)early);
        CHECK_SAYING(i < 4 || ranks < 3 || (report.parked_bytes > 0 && early > 0),
                     "parked: %lld bytes; released before they were unpacked: %lld",
                     (long long)report.parked_bytes, (long long)early);
    }
    free(book);
    int verdict = mpi_check_verdict();
    MPI_Finalize();
    return verdict;
}
