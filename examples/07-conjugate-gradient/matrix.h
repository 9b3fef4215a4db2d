/* SPDX-License-Identifier: BSD-3-Clause */
/* A sparse matrix, as Matrix Market files have it, or of a mesh: for the solver of main.c. */
#ifndef MATRIX_H
#define MATRIX_H

#include <stdint.h>

typedef struct entry {
    int64_t row, column;
    double value;
} entry;

typedef struct matrix {
    int64_t rows, entries;
    entry *entry;
} matrix;

/* Collective: rank 0 reads, all others get it, so it is there for all or for none. Whether it is there. */
int share_matrix(const char *path, int rank, matrix *all);

/* The matrix of a mesh of so many points, or a few less; the same on every rank. Whether that is a number of points. */
int mesh_matrix(int64_t points, matrix *all);

#endif
