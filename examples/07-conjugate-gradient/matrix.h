/* SPDX-License-Identifier: BSD-3-Clause */
/* A sparse matrix, as Matrix Market files have it: for the solver of main.c. */
#ifndef MATRIX_H
#define MATRIX_H

#include <stddef.h>
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

/* Memory, all zero. An example may give up when there is none. */
void *room(int64_t count, size_t bytes);

#endif
