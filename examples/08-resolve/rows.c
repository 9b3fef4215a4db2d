/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each rank goes through the Matrix Market file and keeps what it owns. A hash stands for the partitioner: a
 * rank asks it "is this mine?", and nothing outside this file asks it at all.
 */
#include "rows.h"

#include <inttypes.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *room(void *old, int64_t count, size_t bytes) {
    void *memory = realloc(old, (size_t)(count > 0 ? count : 1) * bytes);
    if (!memory) abort();
    return memory;
}

/* Room for one more, doubled when it is full. */
static void *grown(void *list, int64_t count, size_t bytes) {
    return (count & (count - 1)) == 0 ? room(list, 2 * count, bytes) : list;
}

/* Runs of rows, dealt out by chance. */
static int is_mine(int64_t row, int rank, int ranks) {
    uint64_t word = ((uint64_t)row / 30 + 1) * UINT64_C(0x9e3779b97f4a7c15);
    word = (word ^ word >> 31) * UINT64_C(0xbf58476d1ce4e5b9);
    return (word >> 33) % (uint64_t)ranks == (uint64_t)rank;
}

static void add_entry(rows *own, entry one) {
    own->entry = grown(own->entry, own->entries, sizeof one);
    own->entry[own->entries++] = one;
}

static int is_good(const rows *own, entry one) {
    return one.row > 0 && one.row <= own->all && one.column > 0 && one.column <= own->all;
}

/* The file has one triangle of the matrix. */
static int read_entries(FILE *file, int64_t count, int rank, int ranks, rows *own) {
    for (int64_t i = 0; i < count; i++) {
        entry one;
        if (fscanf(file, "%" SCNd64 "%" SCNd64 "%lf", &one.row, &one.column, &one.value) != 3) return 0;
        if (!is_good(own, one)) return 0;
        if (is_mine(one.row, rank, ranks)) add_entry(own, one);
        if (one.row != one.column && is_mine(one.column, rank, ranks))
            add_entry(own, (entry){one.column, one.row, one.value});
    }
    return 1;
}

int read_rows(const char *path, int rank, int ranks, rows *own) {
    static const char banner[] = "%%MatrixMarket matrix coordinate real symmetric";
    char line[1025] = "";
    int64_t columns = 0, count = 0;
    FILE *file = fopen(path, "r");
    if (!file && rank == 0) perror(path);
    int good = file && fgets(line, sizeof line, file) && !strncmp(line, banner, strlen(banner));
    while (good && line[0] == '%') good = fgets(line, sizeof line, file) != NULL;
    good = good && sscanf(line, "%" SCNd64 "%" SCNd64 "%" SCNd64, &own->all, &columns, &count) == 3 &&
           own->all > 0 && columns == own->all && read_entries(file, count, rank, ranks, own);
    if (file) fclose(file);
    for (int64_t row = 1; good && row <= own->all; row++) {
        if (!is_mine(row, rank, ranks)) continue;
        own->id = grown(own->id, own->count, sizeof row);
        own->id[own->count++] = row;
    }
    if (!good && rank == 0) fprintf(stderr, "%s: expected a file that begins with %s\n", path, banner);
    MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return good;
}
