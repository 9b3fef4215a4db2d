/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fftw_transforms [SIDE]: Fourier transforms by FFTW's own MPI library, of which nothing knows this project: in two and three
 * dimensions, complex and real, with the result in FFTW's order and transposed. Each is undone, and must then be what it was
 * before. FFTW transposes with MPI_Alltoall or MPI_Alltoallv where it may destroy its input. Prints a digest of the bits of all
 * results, which are the same at every run, for plans are estimated: measured ones round differently from run to run.
 */
#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <fftw3-mpi.h>

#include "mpi_check.h"

static uint64_t digest = 1;

static void mix(const void *bytes, size_t count) {
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < count; i++) digest = (digest ^ byte[i]) * UINT64_C(1099511628211);
}

static double value(ptrdiff_t at) {
    return (double)((at * 2654435761) % 1009) / 1009;
}

static void complex_one(int dimensions, const ptrdiff_t *n, unsigned out_flag, unsigned in_flag) {
    ptrdiff_t first, count, first_transposed, count_transposed, all = 1;
    for (int d = 0; d < dimensions; d++) all *= n[d];
    ptrdiff_t room = fftw_mpi_local_size_transposed(dimensions, n, MPI_COMM_WORLD, &count, &first,
                                                    &count_transposed, &first_transposed);
    ptrdiff_t here = count * (all / n[0]);
    fftw_complex *data = fftw_alloc_complex((size_t)room), *far = fftw_alloc_complex((size_t)room);
    fftw_plan forth = fftw_mpi_plan_dft(dimensions, n, data, far, MPI_COMM_WORLD, FFTW_FORWARD,
                                        FFTW_ESTIMATE | FFTW_DESTROY_INPUT | out_flag);
    fftw_plan back = fftw_mpi_plan_dft(dimensions, n, far, data, MPI_COMM_WORLD, FFTW_BACKWARD,
                                       FFTW_ESTIMATE | FFTW_DESTROY_INPUT | in_flag);
    ptrdiff_t begin = first * (all / n[0]);
    for (ptrdiff_t i = 0; i < here; i++) data[i] = value(begin + i) + value(3 * (begin + i)) * I;
    fftw_execute(forth);
    mix(far, (size_t)(out_flag ? count_transposed * (all / n[1]) : here) * sizeof *data);
    fftw_execute(back);
    double worst = 0;
    for (ptrdiff_t i = 0; i < here; i++) {
        double off = cabs(data[i] / (double)all - (value(begin + i) + value(3 * (begin + i)) * I));
        if (off > worst) worst = off;
    }
    CHECK_SAYING(worst < 1e-12, "off by %g", worst);
    fftw_destroy_plan(forth);
    fftw_destroy_plan(back);
    fftw_free(data);
    fftw_free(far);
}

static void real_one(int dimensions, const ptrdiff_t *n) {
    ptrdiff_t half[3], first, count, rows = 1, last = n[dimensions - 1];
    memcpy(half, n, (size_t)dimensions * sizeof *n);
    half[dimensions - 1] = last / 2 + 1;
    ptrdiff_t room = fftw_mpi_local_size(dimensions, half, MPI_COMM_WORLD, &count, &first);
    for (int d = 1; d < dimensions - 1; d++) rows *= n[d];
    double *in = fftw_alloc_real((size_t)(2 * room));
    fftw_complex *out = fftw_alloc_complex((size_t)room);
    fftw_plan forth =
        fftw_mpi_plan_dft_r2c(dimensions, n, in, out, MPI_COMM_WORLD, FFTW_ESTIMATE | FFTW_DESTROY_INPUT);
    ptrdiff_t width = 2 * half[dimensions - 1];
    for (ptrdiff_t r = 0; r < count * rows; r++)
        for (ptrdiff_t i = 0; i < last; i++) in[r * width + i] = value((first * rows + r) * last + i);
    fftw_execute(forth);
    mix(out, (size_t)(count * rows * half[dimensions - 1]) * sizeof *out);
    fftw_destroy_plan(forth);
    fftw_free(in);
    fftw_free(out);
}

/* Moves data, and computes nothing. */
static void transpose_one(ptrdiff_t rows, ptrdiff_t columns) {
    ptrdiff_t shape[2] = {rows, columns}, count, first, count_transposed, first_transposed;
    ptrdiff_t room = fftw_mpi_local_size_many_transposed(2, shape, 1, FFTW_MPI_DEFAULT_BLOCK,
                                                         FFTW_MPI_DEFAULT_BLOCK, MPI_COMM_WORLD, &count,
                                                         &first, &count_transposed, &first_transposed);
    double *from = fftw_alloc_real((size_t)room + 1), *data = fftw_alloc_real((size_t)room + 1);
    fftw_plan plan = fftw_mpi_plan_transpose(rows, columns, from, data, MPI_COMM_WORLD,
                                             FFTW_ESTIMATE | FFTW_DESTROY_INPUT);
    for (ptrdiff_t i = 0; i < count * columns; i++) from[i] = (double)(first * columns + i);
    fftw_execute(plan);
    for (ptrdiff_t c = 0; c < count_transposed; c++)
        for (ptrdiff_t r = 0; r < rows; r++)
            CHECK(data[c * rows + r] == (double)(r * columns + first_transposed + c));
    mix(data, (size_t)(count_transposed * rows) * sizeof *data);
    fftw_destroy_plan(plan);
    fftw_free(from);
    fftw_free(data);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    fftw_mpi_init();
    ptrdiff_t side = argc > 1 ? atoi(argv[1]) : 24;
    ptrdiff_t shapes[4][3] = {
        {4 * side, 4 * side}, {3 * side + 1, 5 * side}, {side, side, side}, {side + 3, side - 1, side}};
    for (int i = 0; i < 4; i++) {
        int dimensions = i < 2 ? 2 : 3;
        complex_one(dimensions, shapes[i], 0, 0);
        complex_one(dimensions, shapes[i], FFTW_MPI_TRANSPOSED_OUT, FFTW_MPI_TRANSPOSED_IN);
        transpose_one(shapes[i][0], shapes[i][1]);
        real_one(dimensions, shapes[i]);
    }
    uint64_t all = 0;
    MPI_Reduce(&digest, &all, 1, MPI_UINT64_T, MPI_BXOR, 0, MPI_COMM_WORLD);
    int rank, verdict = mpi_check_verdict();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) printf("digest %016llx\n", (unsigned long long)all);
    fftw_mpi_cleanup();
    MPI_Finalize();
    return verdict;
}
