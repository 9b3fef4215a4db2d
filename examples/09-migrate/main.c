/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Particles that change their ranks when memory is short: mpirun -n 4 09-migrate.
 *
 * Each rank owns a stripe of the unit square, and the particles in it. At first they lie as they were read,
 * dealt out like cards; then they drift, and some leave their stripe. Both times they have to be brought to
 * their owners, and there is place for 5 % more than a rank has at first: nowhere near enough for what comes
 * while what leaves is still there. qdr_migrate_array() moves them in phases, in place:
 *
 *     destination[i]        which rank particle i shall be on: that is all it wants to know
 *     "direct"              everything at once, as one would write it by hand: refused, and nothing has moved
 *     "auto"                as few phases as it can find
 *     how.memory            a limit for all that is in use, room and tables; here the array is the limit
 *
 * The last step has a limit that is smaller than the array; the report says what was used of it.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "quadrille-mpi.h"

enum { PARTICLES = 20000, CAPACITY = 21000, STEPS = 3, LIMIT = 24 * 1024 };

typedef struct particle {
    double x, y, speed[2];
    int64_t number;
} particle;

static int rank, ranks;

/* A number between 0 and 1 for each particle and purpose, the same on every machine. */
static double chance(int64_t number, int purpose) {
    uint64_t word = ((uint64_t)number * 4 + (uint64_t)purpose + 1) * UINT64_C(0x9e3779b97f4a7c15);
    word = (word ^ word >> 31) * UINT64_C(0xbf58476d1ce4e5b9);
    return (double)((word ^ word >> 29) >> 11) * 0x1p-53;
}

static particle *read_particles(int64_t *count) {
    particle *own = malloc(CAPACITY * sizeof *own);
    if (!own) abort();
    for (*count = 0; *count < PARTICLES; ++*count) {
        int64_t number = *count * ranks + rank;
        own[*count] = (particle){chance(number, 0), chance(number, 1), {0, 0}, number};
        own[*count].speed[0] = 0.1 * (chance(number, 2) - 0.3);
        own[*count].speed[1] = 0.1 * (chance(number, 3) - 0.5);
    }
    return own;
}

static int owner(const particle *one) {
    int stripe = (int)(one->x * ranks);
    return stripe < ranks ? stripe : ranks - 1;
}

static void drift(particle *own, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        own[i].x += own[i].speed[0];
        own[i].y += own[i].speed[1];
        own[i].x -= floor(own[i].x);
        own[i].y -= floor(own[i].y);
    }
}

static void stop(const char *what) {
    fprintf(stderr, "rank %d: %s\n", rank, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Every particle is in its stripe, and none is missing. */
static void check(const particle *own, int64_t count) {
    int64_t sum[2] = {count, 0}, all[2], total = (int64_t)PARTICLES * ranks;
    for (int64_t i = 0; i < count; i++) {
        if (owner(&own[i]) != rank) stop("a particle is where it does not belong");
        sum[1] += own[i].number;
    }
    MPI_Allreduce(sum, all, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (all[0] != total || all[1] != total * (total - 1) / 2) stop("particles are missing");
}

static void migrate(particle *own, int64_t *count, const char *label, int64_t limit) {
    int *destination = malloc(CAPACITY * sizeof *destination);
    qdr_migration_options how = QDR_MIGRATION_OPTIONS;
    qdr_migration_report report;
    if (!destination) abort();
    for (int64_t i = 0; i < *count; i++) destination[i] = owner(&own[i]);
    how.memory = limit;
    if (qdr_migrate_array(MPI_COMM_WORLD, count, CAPACITY, own, sizeof *own, destination, &how, &report))
        stop(qdr_error_message());
    check(own, *count);
    if (limit && report.peak > limit) stop("more was in use than the limit");
    if (rank == 0)
        printf("%-12s %6lld particles moved", label, (long long)(report.bytes / (int64_t)sizeof *own));
    if (rank == 0 && !limit)
        printf(", in %lld phases; none can do with fewer than %lld\n", (long long)report.phases,
               (long long)report.bound);
    if (rank == 0 && limit)
        printf(", with no more than %lld KiB in use on any rank\n", (long long)limit / 1024);
    free(destination);
}

/* What a program would do that has memory enough. */
static void try_at_once(particle *own, int64_t count) {
    int *destination = malloc(CAPACITY * sizeof *destination);
    qdr_migration_options how = QDR_MIGRATION_OPTIONS;
    if (!destination) abort();
    for (int64_t i = 0; i < count; i++) destination[i] = owner(&own[i]);
    how.method = "direct";
    qdr_status status =
        qdr_migrate_array(MPI_COMM_WORLD, &count, CAPACITY, own, sizeof *own, destination, &how, NULL);
    if (rank == 0) printf("%-12s %s\n", "all at once", status ? "does not fit" : "fits");
    free(destination);
}

int main(int argc, char **argv) {
    int64_t count;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    particle *own = read_particles(&count);
    if (rank == 0)
        printf("%d ranks with %d particles each, and place for %d\n\n", ranks, PARTICLES, CAPACITY);
    try_at_once(own, count);
    migrate(own, &count, "as read", 0);
    for (int step = 1; step <= STEPS; step++) {
        char label[32];
        drift(own, count);
        snprintf(label, sizeof label, "step %d", step);
        migrate(own, &count, label, step == STEPS ? LIMIT : 0);
    }
    free(own);
    MPI_Finalize();
    return 0;
}
