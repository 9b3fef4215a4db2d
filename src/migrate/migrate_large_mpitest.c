/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Much data and little memory: every rank gives all it has away and gets as much, with room for a fraction
 * of it. Contents are verified; what the library says it used is within the limit; and so is what the
 * system says: the process has no more resident memory at its worst than it had before, when all its
 * buffers were touched and every pair had exchanged a message of the same size, so that MPI has what it
 * keeps for itself.
 *
 * migrate_large_mpitest [MEGABYTES ROOM [ITEM-BYTES [METHOD...]]]: of each rank. Prints a table.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "mpi_check.h"
#include "quadrille/migrate.h"

static int rank, ranks;

typedef struct job {
    int64_t bytes, count, capacity, room;
    char *items;
    int *destination;
} job;

/* ---- contents ------------------------------------------------------------------------------------------ */

/* Words that follow from the first, which says whose item it is and which; the last ones may be missing. */
static void write_item(char *item, int64_t bytes, uint64_t name) {
    for (int64_t at = 0; at + 8 <= bytes; at += 8) {
        uint64_t word = at == 0 ? name : name * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)at;
        memcpy(item + at, &word, 8);
    }
}

static int item_right(const char *item, int64_t bytes, uint64_t *name) {
    uint64_t word;
    memcpy(name, item, 8);
    for (int64_t at = 8; at + 8 <= bytes; at += 8) {
        memcpy(&word, item + at, 8);
        if (word != *name * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)at) return 0;
    }
    return 1;
}

static int destination_of(uint64_t name) {
    int own = (int)(name >> 40), other = (int)(qdri_mix(name) % (uint64_t)(ranks > 1 ? ranks - 1 : 1));
    return ranks > 1 && other >= own ? other + 1 : other;
}

static void fill(job *work, int64_t count) {
    work->count = count;
    for (int64_t i = 0; i < work->count; i++) {
        uint64_t name = (uint64_t)rank << 40 | (uint64_t)i;
        write_item(work->items + i * work->bytes, work->bytes, name);
        work->destination[i] = destination_of(name);
    }
}

/* Of how many items there are, and of the sum of their names; both are compared over all ranks. */
static void verify(const job *work, int64_t first_count) {
    int64_t sum[2] = {work->count, 0}, all[2];
    for (int64_t i = 0; i < work->count; i++) {
        uint64_t name;
        if (!item_right(work->items + i * work->bytes, work->bytes, &name) || destination_of(name) != rank) {
            CHECK_SAYING(0, "item %lld is wrong", (long long)i);
            break;
        }
        sum[1] += (int64_t)(qdri_mix(name) >> 20);
    }
    MPI_Allreduce(sum, all, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    int64_t due[2] = {first_count, 0}, all_due[2];
    for (int64_t i = 0; i < first_count; i++)
        due[1] += (int64_t)(qdri_mix((uint64_t)rank << 40 | (uint64_t)i) >> 20);
    MPI_Allreduce(due, all_due, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    CHECK(all[0] == all_due[0]);
    CHECK(all[1] == all_due[1]);
}

/* ---- what the system says ------------------------------------------------------------------------------ */

static double resident(void) {
    char line[256];
    double kilobytes = 0;
    FILE *file = fopen("/proc/self/status", "r");
    if (!file) return 0;
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "VmHWM: %lf", &kilobytes) == 1) break;
    fclose(file);
    return kilobytes * 1024;
}

/* Every pair exchanges messages of the size that the migration sends, all at once. */
static void warm(job *work) {
    enum { BYTES = 1 << 20, TIMES = 16 };
    int64_t half = work->capacity * work->bytes / 2, places = half / BYTES;
    MPI_Request *request = malloc((size_t)ranks * 2 * TIMES * sizeof *request);
    int requests = 0;
    for (int i = 0; i < TIMES * ranks && places > 0; i++) {
        int partner = (rank + i) % ranks;
        int64_t at = i % places * (int64_t)BYTES;
        MPI_Irecv(work->items + half + at, BYTES, MPI_BYTE, partner, 0, MPI_COMM_WORLD, &request[requests++]);
        MPI_Isend(work->items + at, BYTES, MPI_BYTE, partner, 0, MPI_COMM_WORLD, &request[requests++]);
    }
    for (int i = 0; i < requests; i++) MPI_Wait(&request[i], MPI_STATUS_IGNORE);
    free(request);
}

/* ---- one migration ------------------------------------------------------------------------------------- */

static void run(job *work, const char *method, int64_t count) {
    qdr_migration_options how = QDR_MIGRATION_OPTIONS;
    qdr_migration_report report = {.phases = 0};
    how.method = method;
    how.memory = work->room;
    fill(work, count);
    double before = resident();
    MPI_Barrier(MPI_COMM_WORLD);
    double seconds = -MPI_Wtime();
    qdr_status status = qdr_migrate_array(MPI_COMM_WORLD, &work->count, work->capacity, work->items,
                                          work->bytes, work->destination, &how, &report);
    MPI_Barrier(MPI_COMM_WORLD);
    seconds += MPI_Wtime();
    CHECK_SAYING(status == QDR_OK || (status == QDR_ERR_RANGE && !strcmp(method, "direct")), "%s: %s", method,
                 qdr_error_message());
    if (status) return;
    double ratio = before > 0 ? resident() / before : 1, worst;
    int64_t peak;
    MPI_Allreduce(&ratio, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(&report.peak, &peak, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    CHECK_SAYING(worst <= 1.05, "%s: resident memory grew to %.3f of what it was", method, worst);
    CHECK_SAYING(report.peak <= how.memory, "%s: peak %lld", method, (long long)report.peak);
    verify(work, count);
    if (rank == 0)
        printf("%-10s %-10s %6lld %6lld %7.2f %9.2f %8.2f %11.2f %9.3f\n", method, report.method,
               (long long)report.phases, (long long)report.bound,
               report.bytes ? 100.0 * (double)report.parked_bytes / (double)report.bytes : 0, seconds,
               (double)report.bytes / seconds / 1e9, (double)peak / (1 << 20), worst);
}

static void open_job(job *work, int64_t megabytes, int64_t room) {
    int64_t count = (megabytes << 20) / work->bytes;
    work->room = room << 20;
    work->capacity = count + work->room / work->bytes;
    work->items = malloc((size_t)(work->capacity * work->bytes));
    work->destination = malloc((size_t)work->capacity * sizeof *work->destination);
    if (!work->items || !work->destination) MPI_Abort(MPI_COMM_WORLD, 1);
    memset(work->items, 1, (size_t)(work->capacity * work->bytes));
    memset(work->destination, 0, (size_t)work->capacity * sizeof *work->destination);
}

int main(int argc, char **argv) {
    static const char *const standard[] = {"auto", "greedy", "relaxed", "robust"};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int64_t megabytes = argc > 1 ? atoll(argv[1]) : 32, room = argc > 2 ? atoll(argv[2]) : 8;
    job work = {.bytes = argc > 3 ? atoll(argv[3]) : 1000};
    open_job(&work, megabytes, room);
    int64_t count = (megabytes << 20) / work.bytes;
    warm(&work);
    /* The first call makes what the library keeps for a communicator. */
    int64_t none = 0;
    CHECK(qdr_migrate_array(MPI_COMM_WORLD, &none, work.capacity, work.items, work.bytes, NULL, NULL, NULL) ==
          QDR_OK);
    if (rank == 0) {
        printf("%d ranks, %lld MiB each, limit %lld MiB, items of %lld bytes\n", ranks, (long long)megabytes,
               (long long)room, (long long)work.bytes);
        printf("%-10s %-10s %6s %6s %7s %9s %8s %11s %9s\n", "method", "taken", "phases", "bound", "parked%",
               "seconds", "GB/s", "peak MiB", "resident");
    }
    for (int i = 4; i < argc; i++) run(&work, argv[i], count);
    for (int i = 0; argc <= 4 && i < (int)(sizeof standard / sizeof *standard); i++)
        run(&work, standard[i], count);
    free(work.items);
    free(work.destination);
    int verdict = mpi_check_verdict();
    MPI_Finalize();
    return verdict;
}
