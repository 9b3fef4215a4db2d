/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * alltoallv_plain FILE.mtx [REPETITIONS [PAUSE-MS]]: times MPI_Alltoallv on a pattern, with nothing but MPI:
 * a program as others write it, on which the drop-in library is tried.
 *
 *     quadrille generate random:n=16,density=0.5,bytes=2K..200K -o pattern.mtx
 *     mpirun -n 16 alltoallv_plain pattern.mtx
 *     mpirun -n 16 -x LD_PRELOAD=libquadrille-mpi-openmpi.so alltoallv_plain pattern.mtx
 *
 * Before each exchange all ranks rest, then meet; its time is that of the slowest rank, the figure the median
 * over the repetitions. The contents are checked after each.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct exchange {
    int *out_count, *out_place, *in_count, *in_place;
    unsigned char *out, *in;
    int out_bytes, in_bytes;
} exchange;

static int rank, ranks;

static void stop(const char *what, const char *detail) {
    if (rank == 0) fprintf(stderr, "alltoallv_plain: %s%s\n", what, detail);
    MPI_Finalize();
    exit(2);
}

static void *room(size_t bytes) {
    void *memory = calloc(bytes + 1, 1);
    if (!memory) MPI_Abort(MPI_COMM_WORLD, 2);
    return memory;
}

/* This rank's row and column of a Matrix Market file. */
static exchange read_pattern(const char *path) {
    char line[256];
    int rows, columns, from, to;
    double bytes;
    FILE *file = fopen(path, "r");
    if (!file) stop("cannot read ", path);
    do {
        if (!fgets(line, sizeof line, file)) stop("not a Matrix Market file: ", path);
    } while (line[0] == '%');
    if (sscanf(line, "%d %d", &rows, &columns) != 2 || rows != ranks || columns != ranks)
        stop("the pattern is for another number of ranks: ", path);
    exchange e = {.out_count = room((size_t)ranks * sizeof(int)),
                  .out_place = room((size_t)ranks * sizeof(int)),
                  .in_count = room((size_t)ranks * sizeof(int)),
                  .in_place = room((size_t)ranks * sizeof(int))};
    while (fscanf(file, "%d %d %lf", &from, &to, &bytes) == 3) {
        if (from - 1 == rank) e.out_count[to - 1] = (int)bytes;
        if (to - 1 == rank) e.in_count[from - 1] = (int)bytes;
    }
    fclose(file);
    for (int i = 0; i < ranks; i++) {
        e.out_place[i] = e.out_bytes;
        e.in_place[i] = e.in_bytes;
        e.out_bytes += e.out_count[i];
        e.in_bytes += e.in_count[i];
    }
    e.out = room((size_t)e.out_bytes);
    e.in = room((size_t)e.in_bytes);
    return e;
}

static unsigned char content(int from, int to, int at, int round) {
    return (unsigned char)(31 * from + 17 * to + at + at / 251 + 7 * round);
}

static void fill(exchange *e, int round) {
    for (int d = 0; d < ranks; d++)
        for (int i = 0; i < e->out_count[d]; i++) e->out[e->out_place[d] + i] = content(rank, d, i, round);
    memset(e->in, 0, (size_t)e->in_bytes);
}

static int is_right(const exchange *e, int round) {
    for (int s = 0; s < ranks; s++)
        for (int i = 0; i < e->in_count[s]; i++)
            if (e->in[e->in_place[s] + i] != content(s, rank, i, round)) return 0;
    return 1;
}

static double timed(exchange *e, int round, int pause) {
    double longest;
    fill(e, round);
    nanosleep(&(struct timespec){pause / 1000, pause % 1000 * 1000000L}, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    MPI_Alltoallv(e->out, e->out_count, e->out_place, MPI_BYTE, e->in, e->in_count, e->in_place, MPI_BYTE,
                  MPI_COMM_WORLD);
    double seconds = MPI_Wtime() - begin;
    int good = is_right(e, round), all;
    MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (!all) stop("what came is not what was sent", "");
    MPI_Allreduce(&seconds, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return longest;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc < 2) stop("alltoallv_plain FILE.mtx [REPETITIONS [PAUSE-MS]]", "");
    int repetitions = argc > 2 ? atoi(argv[2]) : 9, pause = argc > 3 ? atoi(argv[3]) : 20;
    if (repetitions < 1 || repetitions > 100000 || pause < 0) stop("repetitions from 1, pause from 0", "");
    exchange e = read_pattern(argv[1]);
    double *seconds = room((size_t)repetitions * sizeof *seconds);
    timed(&e, 0, pause); /* connections are made */
    for (int i = 0; i < repetitions; i++) seconds[i] = timed(&e, i + 1, pause);
    qsort(seconds, (size_t)repetitions, sizeof *seconds, by_size);
    if (rank == 0)
        printf("%.3f ms  (%.3f .. %.3f, %d repetitions, verified)\n", 1e3 * seconds[repetitions / 2],
               1e3 * seconds[0], 1e3 * seconds[repetitions - 1], repetitions);
    free(seconds);
    free(e.out_count), free(e.out_place), free(e.in_count), free(e.in_place), free(e.out), free(e.in);
    MPI_Finalize();
    return 0;
}
