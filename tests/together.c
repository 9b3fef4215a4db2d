/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whatever is under way, tested and waited for together, whichever ends first: a delivery, an exchange of a map, a call of
 * a directory, an exchange from all to all.
 */
#include <stdlib.h>

#include "mpi_check.h"
#include "quadrille-mpi.h"

static int rank, ranks;

static void *room(int64_t bytes) {
    void *made = calloc((size_t)bytes + 1, 1);
    if (!made) MPI_Abort(MPI_COMM_WORLD, 1);
    return made;
}

static void test_together(int by) {
    int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    int64_t one = 1, id = rank, wanted = next, unknown = -1;
    int owner = -1;
    double out = rank, in = -1;
    char *all_out = room(ranks), *all_in = room(ranks);
    qdr_indices sends = {.partners = 1, .rank = &next, .count = &one};
    qdr_indices receives = {.partners = 1, .rank = &before, .count = &one};
    qdr_field field = {.source = &out, .target = &in, .type = QDR_DOUBLE, .width = 1};
    qdr_directory_call find = {
        .verb = QDR_DIRECTORY_FIND, .count = 1, .id = &wanted, .found_owner = &owner, .unknown = &unknown};
    qdr_items leaving = {.item_bytes = sizeof out, .data = &out, .count = 1, .destination = &next};
    qdr_arrivals came = {0};
    qdr_map *map = NULL;
    qdr_directory *directory = NULL;
    qdr_pending *all[5] = {NULL};
    for (int r = 0; r < ranks; r++) all_out[r] = (char)(16 * (rank % 8) + r % 16);
    CHECK(qdr_map_create(MPI_COMM_WORLD, &sends, &receives, NULL, &map) == QDR_OK);
    CHECK(qdr_directory_create(MPI_COMM_WORLD, NULL, &directory) == QDR_OK);
    CHECK(qdr_directory_insert(directory, 1, &id, NULL, NULL, NULL) == QDR_OK);
    CHECK(qdr_deliver_start(MPI_COMM_WORLD, &leaving, &came, &all[0]) == QDR_OK);
    CHECK(qdr_map_start(map, QDR_FORWARD, 1, &field, &all[1]) == QDR_OK);
    CHECK(qdr_directory_start(directory, &find, &all[3]) == QDR_OK);
    CHECK(qdr_alltoall_start(MPI_COMM_WORLD, NULL, 1, all_out, all_in, &all[4]) == QDR_OK);
    int64_t which = -1;
    int done = 0, ended = 0;
    if (by == 0) {
        CHECK(qdr_wait_all(5, all) == QDR_OK);
    } else if (by == 1) {
        while (qdr_wait_any(5, all, &which) == QDR_OK && which >= 0) {
            CHECK(which != 2 && !all[which]);
            ended++;
        }
        CHECK(which == -1 && ended == 4);
    } else if (by == 2) {
        while (!done) CHECK(qdr_test_all(5, all, &done) == QDR_OK);
    } else {
        while (ended < 4) {
            CHECK(qdr_test_any(5, all, &which) == QDR_OK);
            ended += which >= 0;
        }
    }
    for (int i = 0; i < 5; i++) CHECK(!all[i]);
    CHECK(qdr_test_all(5, all, &done) == QDR_OK && done);
    CHECK(qdr_wait_any(5, all, &which) == QDR_OK && which == -1);
    CHECK(in == before && owner == next && unknown == 0);
    CHECK(came.count == 1 && *(double *)came.data == before);
    for (int r = 0; r < ranks; r++) CHECK(all_in[r] == (char)(16 * (r % 8) + rank % 16));
    CHECK(qdr_map_destroy(&map) == QDR_OK && qdr_directory_destroy(&directory) == QDR_OK);
    qdr_arrivals_free(&came);
    free(all_out);
    free(all_in);
}

static void test_nothing(void) {
    qdr_pending *none = NULL;
    int done = 0;
    int64_t which = 5;
    CHECK(qdr_wait(&none) == QDR_OK && qdr_test(&none, &done) == QDR_OK && done);
    CHECK(qdr_wait_all(0, NULL) == QDR_OK && qdr_wait_any(0, NULL, &which) == QDR_OK && which == -1);
    CHECK(qdr_wait(NULL) == QDR_ERR_INVALID && qdr_test(&none, NULL) == QDR_ERR_INVALID);
    CHECK(qdr_wait_all(-1, &none) == QDR_ERR_INVALID && qdr_wait_any(1, &none, NULL) == QDR_ERR_INVALID);
    CHECK(qdr_wait_all(1, NULL) == QDR_ERR_INVALID);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    test_nothing();
    for (int by = 0; by < 4; by++) test_together(by);
    int verdict = mpi_check_verdict();
    MPI_Finalize();
    return verdict;
}
