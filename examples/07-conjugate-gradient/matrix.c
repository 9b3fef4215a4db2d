/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading a Matrix Market file: a line that says what follows, comments, the size, and one line per entry. */
#include "matrix.h"

#include <inttypes.h>
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "mesh.h"

static int read_entries(FILE *file, int64_t count, int symmetric, matrix *all) {
    all->entry = room(2 * count, sizeof *all->entry);
    for (int64_t i = 0; i < count; i++) {
        entry one;
        if (fscanf(file, "%" SCNd64 "%" SCNd64 "%lf", &one.row, &one.column, &one.value) != 3) return 0;
        if (one.row < 1 || one.row > all->rows || one.column < 1 || one.column > all->rows) return 0;
        one.row--; /* files count from 1 */
        one.column--;
        all->entry[all->entries++] = one;
        if (symmetric && one.row != one.column)
            all->entry[all->entries++] = (entry){one.column, one.row, one.value};
    }
    return 1;
}

/* Whether it could be read. No more entries than one broadcast takes. */
static int read_matrix(const char *path, matrix *all) {
    char line[1025] = "", form[16] = "", kind[16] = "", symmetry[16] = "";
    int64_t columns = 0, count = 0;
    FILE *file = fopen(path, "r");
    if (!file) perror(path);
    int good = file && fgets(line, sizeof line, file) &&
               sscanf(line, "%%%%MatrixMarket matrix %15s %15s %15s", form, kind, symmetry) == 3;
    int symmetric = strcmp(symmetry, "symmetric") == 0;
    good = good && strcmp(form, "coordinate") == 0 &&
           (strcmp(kind, "real") == 0 || strcmp(kind, "integer") == 0) &&
           (symmetric || strcmp(symmetry, "general") == 0);
    while (good && line[0] == '%') good = fgets(line, sizeof line, file) != NULL; /* comments */
    good = good && sscanf(line, "%" SCNd64 "%" SCNd64 "%" SCNd64, &all->rows, &columns, &count) == 3;
    good = good && all->rows > 0 && all->rows <= INT_MAX && columns == all->rows && count >= 0 &&
           count <= INT_MAX / (2 * (int64_t)sizeof *all->entry) && read_entries(file, count, symmetric, all);
    if (file) fclose(file);
    return good;
}

int share_matrix(const char *path, int rank, matrix *all) {
    int64_t size[3] = {0};
    if (rank == 0) {
        size[0] = read_matrix(path, all);
        if (!size[0])
            fprintf(stderr, "%s: expected a square matrix, \"coordinate real symmetric\" or \"general\"\n",
                    path);
        size[1] = all->rows;
        size[2] = all->entries;
    }
    MPI_Bcast(size, 3, MPI_INT64_T, 0, MPI_COMM_WORLD);
    all->rows = size[1];
    all->entries = size[2];
    if (rank != 0) all->entry = room(all->entries, sizeof *all->entry);
    MPI_Bcast(all->entry, (int)(size[0] * size[2]) * (int)sizeof *all->entry, MPI_BYTE, 0, MPI_COMM_WORLD);
    return (int)size[0];
}
