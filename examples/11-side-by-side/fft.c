/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A Fourier transform in two dimensions: of rows, then of columns, and between them the matrix is transposed, for which
 * everyone sends a block to everyone.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problems.h"

typedef struct matrix {
    fft exchange; /* first: exchangers convert */
    int64_t side, rows;
    double *value; /* [rows][side][2] */
} matrix;

static void *make_fft(int64_t items) {
    matrix *m = room(1, sizeof *m);
    m->side = ranks;
    while (m->side * m->side * 4 <= items) m->side *= 2;
    m->rows = m->side / ranks;
    m->value = room(m->rows * m->side, 2 * sizeof(double));
    m->exchange.block_bytes = m->rows * m->rows * 2 * (int64_t)sizeof(double);
    m->exchange.packed = room(ranks, m->exchange.block_bytes);
    m->exchange.came = room(ranks, m->exchange.block_bytes);
    return m;
}

/* A row, in place; its length is a product of twos, and of the number of ranks. */
static void transform(double *row, int64_t length, int64_t stride, double *out) {
    if (length % 2 || length == 1) {
        for (int64_t k = 0; k < length; k++) {
            out[2 * k] = out[2 * k + 1] = 0;
            for (int64_t j = 0; j < length; j++) {
                double angle = -2 * acos(-1.0) * (double)(j * k % length) / (double)length;
                double c = cos(angle), s = sin(angle), x = row[2 * j * stride], y = row[2 * j * stride + 1];
                out[2 * k] += x * c - y * s;
                out[2 * k + 1] += x * s + y * c;
            }
        }
        return;
    }
    int64_t half = length / 2;
    transform(row, half, 2 * stride, out);
    transform(row + 2 * stride, half, 2 * stride, out + 2 * half);
    for (int64_t k = 0; k < half; k++) {
        double angle = -2 * acos(-1.0) * (double)k / (double)length, c = cos(angle), s = sin(angle);
        double x = out[2 * (half + k)] * c - out[2 * (half + k) + 1] * s;
        double y = out[2 * (half + k)] * s + out[2 * (half + k) + 1] * c;
        out[2 * (half + k)] = out[2 * k] - x;
        out[2 * (half + k) + 1] = out[2 * k + 1] - y;
        out[2 * k] += x;
        out[2 * k + 1] += y;
    }
}

static void transform_rows(matrix *m) {
    double *out = room(m->side, 2 * sizeof(double));
    for (int64_t r = 0; r < m->rows; r++) {
        transform(m->value + 2 * r * m->side, m->side, 1, out);
        memcpy(m->value + 2 * r * m->side, out, (size_t)m->side * 2 * sizeof(double));
    }
    free(out);
}

static void transpose(matrix *m, const exchanger *by, void *self) {
    size_t run = (size_t)m->rows * 2 * sizeof(double);
    for (int to = 0; to < ranks; to++)
        for (int64_t r = 0; r < m->rows; r++)
            memcpy((char *)m->exchange.packed + (size_t)((int64_t)to * m->rows + r) * run,
                   m->value + 2 * (r * m->side + to * m->rows), run);
    by->run(self, &m->exchange);
    const double *came = m->exchange.came;
    for (int64_t column = 0; column < m->side; column++)
        for (int64_t r = 0; r < m->rows; r++)
            memcpy(m->value + 2 * (r * m->side + column), came + 2 * (column * m->rows + r),
                   2 * sizeof(double));
}

static void *run_fft(const exchanger *by, void *problem) {
    matrix *m = problem;
    int64_t items = m->rows * m->side;
    for (int64_t i = 0; i < 2 * items; i++)
        m->value[i] = (double)(draw((uint64_t)(items * rank * 2 + i), 5) % 1000);
    transform_rows(m);
    transpose(m, by, NULL);
    transform_rows(m);
    transpose(m, by, NULL);
    double *result = room(2 * items, sizeof *result);
    memcpy(result, m->value, (size_t)(2 * items) * sizeof *result);
    return result;
}

static int64_t fft_bytes(const void *problem) {
    const matrix *m = problem;
    return m->rows * m->side * 2 * (int64_t)sizeof(double);
}

static void free_fft(void *problem) {
    matrix *m = problem;
    free(m->value);
    free(m->exchange.packed);
    free(m->exchange.came);
    free(m);
}

const program fft_program = {
    .name = "fft",
    .make = make_fft,
    .run = run_fft,
    .bytes = fft_bytes,
    .end = free_fft,
    .by = {&fft_mpi, &fft_quadrille},
};
