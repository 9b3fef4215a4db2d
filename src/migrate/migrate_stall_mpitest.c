/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Deadlines of migrations. Without arguments: the last rank comes too late; the others get a report in time
 * that names it, and the communicator is of no further use to anybody, while another one still is.
 *
 * migrate_stall_mpitest STAGE WAY: the last rank leaves the program, `before` the call or `during` it; WAY is
 * `kill`, `exit` or `never` (it only stays away). The survivors say so (tests/faults/processes).
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "mpi_check.h"
#include "mpi_events.h"
#include "quadrille/migrate.h"

/* Seconds; and how much later than that a report may come, on a machine that may be busy. */
static const double shortest = 0.7, patience = 20;
static double deadline; /* that, or longer on a busy machine */

enum { ITEMS = 2000, BYTES = 4000, ROOM = 200 };

static int rank, ranks;
static const char *way;
static int reported; /* an event */

static void leave(void) {
    if (!strcmp(way, "kill")) raise(SIGKILL);
    if (!strcmp(way, "never")) (void)event_await(reported, ranks - 1);
    _exit(0);
}

static void progress(void *context, int64_t phase, int64_t phases, int64_t moved, int64_t bytes) {
    (void)context, (void)phases, (void)moved, (void)bytes;
    if (way && rank == ranks - 1 && phase >= 3) leave();
}

/* The memory is MPI's once a deadline has passed. */
static qdr_status migrate(MPI_Comm comm, double seconds) {
    char *items = malloc((size_t)(ITEMS + ROOM) * BYTES);
    int *destination = malloc(ITEMS * sizeof *destination);
    int64_t count = ITEMS;
    qdr_migration_options how = QDR_MIGRATION_OPTIONS;
    how.deadline = seconds;
    how.progress = progress;
    for (int i = 0; i < ITEMS; i++) destination[i] = (rank + 1 + i % (ranks - 1)) % ranks;
    memset(items, rank, (size_t)(ITEMS + ROOM) * BYTES);
    qdr_status status = qdr_migrate_array(comm, &count, ITEMS + ROOM, items, BYTES, destination, &how, NULL);
    if (status == QDR_OK) free(items);
    free(destination);
    return status;
}

static void test_late(void) {
    MPI_Comm copy;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    CHECK(migrate(copy, 0) == QDR_OK); /* so that the node is known */
    int noticed = event_next();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == ranks - 1) CHECK(event_await(noticed, ranks - 1));
    double begin = MPI_Wtime();
    qdr_status status = migrate(copy, deadline);
    if (rank < ranks - 1) {
        CHECK_SAYING(status == QDR_ERR_STALLED && MPI_Wtime() - begin < deadline + patience,
                     "%s after %.1f s: %s", qdr_status_text(status), MPI_Wtime() - begin,
                     status ? qdr_error_message() : "");
        CHECK(migrate(copy, deadline) == QDR_ERR_LOST);
        event_say(noticed);
    } else {
        CHECK_SAYING(status == QDR_ERR_STALLED || status == QDR_ERR_LOST, "%s", qdr_status_text(status));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(migrate(MPI_COMM_WORLD, 0) == QDR_OK);
}

/* What a survivor has to say. */
static void report(qdr_status status, double begin) {
    double took = MPI_Wtime() - begin;
    int good = status == QDR_ERR_STALLED && took < deadline + patience && !mpi_check_failures;
    printf("%s: rank %d, %.1f s, %s: %s\n", good ? "survived" : "failed", rank, took, qdr_status_text(status),
           status ? qdr_error_message() : "nothing was noticed");
    fflush(stdout);
    event_say(reported);
    (void)event_await(reported, ranks - 1); /* others may still look at its process */
    _exit(!good);
}

static void lose_a_rank(const char *stage) {
    const char *later = way;
    way = NULL;
    CHECK(migrate(MPI_COMM_WORLD, 0) == QDR_OK);
    way = later;
    double begin = MPI_Wtime();
    if (rank == ranks - 1 && !strcmp(stage, "before")) leave();
    report(migrate(MPI_COMM_WORLD, deadline), begin);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    events_open();
    deadline = events_deadline(shortest);
    reported = event_next();
    if (argc > 2) {
        way = argv[2];
        lose_a_rank(argv[1]);
    }
    test_late();
    int verdict = mpi_check_verdict();
    MPI_Finalize();
    return verdict;
}
