/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of a symmetric matrix that lie where a partitioner has put them: nobody can tell who owns a row. */
#ifndef ROWS_H
#define ROWS_H

#include <stddef.h>
#include <stdint.h>

typedef struct entry {
    int64_t row, column;
    double value;
} entry;

/* A rank's rows. */
typedef struct rows {
    int64_t all; /* rows of the matrix */
    int64_t count, entries;
    int64_t *id;  /* [count]: their numbers in the file, from 1, rising */
    entry *entry; /* [entries]: theirs, in the order of the file */
} rows;

/* Collective over all ranks: whether the file could be read. Each rank keeps its own rows only. */
int read_rows(const char *path, int rank, int ranks, rows *own);

/* realloc() that never fails, also of nothing. */
void *room(void *old, int64_t count, size_t bytes);

#endif
