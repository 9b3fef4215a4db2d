/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sample sort: mpirun -n 4 14-sample-sort.
 *
 * Every rank has keys, and in the end rank 0 is to have the smallest, rank 1 the next, and so on. Each sorts its own and shows a few
 * of them to all; from these come the splitters, the limits between ranks. Then each key goes where it belongs, and that is one call:
 *
 *     items.groups, items.items    so many to rank 0, so many to rank 1 ...: sorted keys lie in the right order already
 *     qdr_deliver()                nobody knows what will come: sizes are found out, room is made, and it comes
 *
 * What came is a sorted run from each rank; a last sort makes one of them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "quadrille-mpi.h"

enum { KEYS = 100000, SAMPLES = 64 };

/* A key for each number, the same on every machine; small ones are more frequent. */
static int64_t key_of(int64_t number) {
    uint64_t word = (uint64_t)(number + 1) * UINT64_C(0x9e3779b97f4a7c15);
    word = (word ^ word >> 31) * UINT64_C(0xbf58476d1ce4e5b9);
    word = (word ^ word >> 29) >> 33;
    return (int64_t)(word * word >> 31);
}

static int by_key(const void *one, const void *other) {
    const int64_t *a = one, *b = other;
    return (*a > *b) - (*a < *b);
}

static int64_t *room(int64_t count) {
    int64_t *made = malloc((size_t)(count + 1) * sizeof *made);
    if (!made) abort();
    return made;
}

/* Rank r takes the keys below limit[r] that no rank before it takes; the last one takes the rest. */
static int64_t *choose_limits(const int64_t *key, int ranks) {
    int64_t shown[SAMPLES], *all = room((int64_t)SAMPLES * ranks), *limit = room(ranks);
    for (int s = 0; s < SAMPLES; s++) shown[s] = key[(int64_t)KEYS * s / SAMPLES];
    MPI_Allgather(shown, SAMPLES, MPI_INT64_T, all, SAMPLES, MPI_INT64_T, MPI_COMM_WORLD);
    qsort(all, (size_t)SAMPLES * (size_t)ranks, sizeof *all, by_key);
    for (int r = 1; r < ranks; r++) limit[r - 1] = all[SAMPLES * r];
    limit[ranks - 1] = INT64_MAX;
    free(all);
    return limit;
}

static void count_groups(const int64_t *key, const int64_t *limit, int ranks, int64_t *items) {
    int64_t k = 0;
    for (int r = 0; r < ranks; r++) {
        int64_t first = k;
        while (k < KEYS && key[k] < limit[r]) k++;
        items[r] = k - first;
    }
}

/* Nothing is missing, and ranks follow one another. */
static int is_sorted(const int64_t *key, int64_t count, int ranks) {
    int64_t sum[2] = {count, 0}, own[2] = {count ? key[0] : 0, count ? key[count - 1] : 0},
            *ends = room(2 * (int64_t)ranks);
    for (int64_t k = 0; k < count; k++) sum[1] += key[k];
    MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allgather(own, 2, MPI_INT64_T, ends, 2, MPI_INT64_T, MPI_COMM_WORLD);
    for (int64_t n = 0; n < (int64_t)KEYS * ranks; n++) sum[1] -= key_of(n);
    int is_right = sum[0] == (int64_t)KEYS * ranks && sum[1] == 0;
    for (int r = 1; r < ranks; r++) is_right = is_right && ends[2 * r - 1] <= ends[2 * r];
    free(ends);
    return is_right;
}

int main(int argc, char **argv) {
    int rank, ranks, is_right = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int64_t *key = room(KEYS), *items = room(ranks);
    for (int64_t k = 0; k < KEYS; k++) key[k] = key_of(k * ranks + rank);
    qsort(key, KEYS, sizeof *key, by_key);
    int64_t *limit = choose_limits(key, ranks);
    count_groups(key, limit, ranks, items);

    const qdr_items leaving = {.item_bytes = sizeof *key, .data = key, .groups = ranks, .items = items};
    qdr_arrivals came = {0};
    qdr_status status = qdr_deliver(MPI_COMM_WORLD, &leaving, &came);
    if (!status) {
        qsort(came.data, (size_t)came.count, sizeof *key, by_key);
        is_right = is_sorted(came.data, came.count, ranks);
        int64_t most = came.count;
        MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
        if (rank == 0)
            printf("%d ranks, %d keys each: %s; the busiest rank has %" PRId64 " of them\n", ranks, KEYS,
                   is_right ? "sorted" : "not sorted", most);
    } else if (rank == 0) {
        fprintf(stderr, "%s: %s\n", qdr_status_text(status), qdr_error_message());
    }
    qdr_arrivals_free(&came);
    free(key), free(items), free(limit);
    MPI_Finalize();
    return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}
