/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The same exchange twice, with MPI alone and with Quadrille: mpirun -n 4 11-side-by-side [--time [MOST [SAMPLES]]]
 *
 * Four programs, in problems.h: heat.c, sort.c, fft.c, particles.c. Each runs with both of its exchanges from the same
 * beginning, and the results must be the same, bit by bit. With --time the exchanges are timed, in turn, for 1000 items to
 * MOST of all ranks together (10^7), and the table has the medians; exits with 1 when Quadrille took more than 3% longer
 * anywhere.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problems.h"
#include "quadrille-mpi.h"

int rank, ranks;

enum { MOST_SAMPLES = 401 };

void *room(int64_t count, int64_t bytes) {
    void *made = calloc((size_t)(count > 0 ? count : 1), (size_t)bytes);
    if (!made) MPI_Abort(MPI_COMM_WORLD, 1);
    return made;
}

void fine(int status) {
    if (status == QDR_OK) return;
    fprintf(stderr, "rank %d: %s\n", rank, qdr_error_message());
    MPI_Abort(MPI_COMM_WORLD, 1);
}

uint64_t draw(uint64_t number, uint64_t purpose) {
    uint64_t word = (number * 8 + purpose + 1) * UINT64_C(0x9e3779b97f4a7c15);
    word = (word ^ word >> 31) * UINT64_C(0xbf58476d1ce4e5b9);
    return word ^ word >> 29;
}

static const program *const programs[] = {&heat_program, &sort_program, &fft_program, &particles_program};
enum { PROGRAMS = sizeof programs / sizeof *programs };

/* Whether both give the same, on all ranks. */
static int same(const program *one, int64_t items) {
    void *problem = one->make(items), *result[VERSIONS];
    int64_t bytes[VERSIONS];
    for (int v = 0; v < VERSIONS; v++) {
        result[v] = one->run(one->by[v], problem);
        bytes[v] = one->bytes(problem);
    }
    int differs = bytes[0] != bytes[1] || memcmp(result[0], result[1], (size_t)bytes[0]) != 0, any = 0;
    MPI_Allreduce(&differs, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    for (int v = 0; v < VERSIONS; v++) free(result[v]);
    one->end(problem);
    return !any;
}

static int compare_seconds(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Medians of the slowest rank, in turn. */
static void measure(const program *one, int64_t items, int samples, double median[VERSIONS]) {
    static double taken[VERSIONS][MOST_SAMPLES];
    void *problem = one->make(items), *self[VERSIONS] = {NULL};
    int repeats = items < 20000 ? 50 : items < 500000 ? 5 : 1;
    for (int v = 0; v < VERSIONS; v++)
        if (one->by[v]->open) self[v] = one->by[v]->open(problem);
    for (int sample = -3; sample < samples; sample++)
        for (int turn = 0; turn < VERSIONS; turn++) {
            int v = (turn + sample + 3) % VERSIONS;
            MPI_Barrier(MPI_COMM_WORLD);
            double begin = MPI_Wtime();
            for (int i = 0; i < repeats; i++) one->by[v]->run(self[v], problem);
            double seconds = (MPI_Wtime() - begin) / repeats, most = 0;
            MPI_Allreduce(&seconds, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
            if (sample >= 0) taken[v][sample] = most;
        }
    for (int v = 0; v < VERSIONS; v++) {
        qsort(taken[v], (size_t)samples, sizeof(double), compare_seconds);
        median[v] = taken[v][samples / 2];
        if (one->by[v]->close) one->by[v]->close(self[v]);
    }
    one->end(problem);
}

static int time_all(int64_t most, int samples) {
    int slower = 0;
    if (rank == 0)
        printf("| exchange of | items | MPI, us | Quadrille, us | ratio |\n|---|--:|--:|--:|--:|\n");
    for (int p = 0; p < PROGRAMS; p++)
        for (int64_t items = 1000; items <= most; items *= 10) {
            double median[VERSIONS];
            measure(programs[p], items, items > 1000000 ? samples / 4 + 1 : samples, median);
            slower |= median[1] > 1.03 * median[0];
            if (rank == 0)
                printf("| %s | %lld | %.1f | %.1f | %.2f |\n", programs[p]->name, (long long)items,
                       1e6 * median[0], 1e6 * median[1], median[1] / median[0]);
            fflush(stdout);
        }
    return slower;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int failed = 0;
    if (argc > 1 && strcmp(argv[1], "--time") == 0) {
        int samples = argc > 3 ? atoi(argv[3]) : 41;
        failed =
            time_all(argc > 2 ? atoll(argv[2]) : 10000000, samples < MOST_SAMPLES ? samples : MOST_SAMPLES);
    } else {
        for (int p = 0; p < PROGRAMS; p++) {
            int is_same = same(programs[p], 1000) && same(programs[p], 30000);
            if (rank == 0)
                printf("%-10s %s\n", programs[p]->name, is_same ? "the same, bit by bit" : "differs");
            failed |= !is_same;
        }
    }
    MPI_Finalize();
    return failed;
}
