/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Large directories: 2^27 entries that come by millions, are all found, and mostly go again; then one call
 * that brings 3 * 10^8 bytes from each rank to the last one. In the memory of the node and by messages.
 *
 * directory_large_mpitest [LOGARITHM]: of the number of entries. 2^27 need 8 GiB.
 */
#include <stdio.h>

#include "mpi_check.h"
#include "mpi_content.h"

#include "directory/directory_testing.h"

enum { SLICE = 1 << 21, PAYLOAD = 100 };

static int64_t id_of(int64_t number) {
    return (int64_t)qdri_mix((uint64_t)number);
}

static void tell(const char *what, int layout, double begin, const qdr_directory *directory) {
    qdr_directory_view view = qdr_directory_look(directory);
    int64_t entries = sum_of(view.entries), bytes = sum_of(view.bytes);
    if (rank == 0)
        printf("%s, %s: %lld entries, %lld bytes, %.1f s\n", is_one_node(layout) ? "node" : "messages", what,
               (long long)entries, (long long)bytes, MPI_Wtime() - begin);
    fflush(stdout);
}

/* ---- many ---------------------------------------------------------------------------------------------- */

/* This rank's next slice of numbers. */
static int64_t next_slice(int64_t at, int64_t each, int64_t *id, int64_t *local) {
    int64_t count = each - at < SLICE ? each - at : SLICE;
    for (int64_t i = 0; i < count; i++) {
        local[i] = at + i;
        id[i] = id_of((at + i) * ranks + rank);
    }
    return count;
}

/* All are there from a number on; looks for those of the next rank, beginning a little before. */
static void look_for(qdr_directory *directory, int64_t each, int64_t first, int64_t *id, int64_t *local,
                     int *owner) {
    int64_t wrong = 0;
    int next = (rank + 1) % ranks;
    for (int64_t at = first > SLICE ? first - SLICE : 0; at < each; at += SLICE) {
        int64_t count = each - at < SLICE ? each - at : SLICE;
        for (int64_t i = 0; i < count; i++) id[i] = id_of((at + i) * ranks + next);
        FINE(qdr_directory_find(directory, count, id, owner, local, NULL, NULL));
        for (int64_t i = 0; i < count; i++)
            wrong += at + i < first ? owner[i] != QDR_NOBODY : owner[i] != next || local[i] != at + i;
    }
    CHECK_SAYING(wrong == 0, "%lld are wrong", (long long)wrong);
}

static void test_many(MPI_Comm comm, int layout, int64_t total) {
    int64_t each = total / ranks, kept = each - each / 16, unknown = 0;
    int64_t *id = malloc(SLICE * sizeof *id), *local = malloc(SLICE * sizeof *local);
    int *owner = malloc(SLICE * sizeof *owner);
    qdr_directory *directory = NULL;
    FINE(qdr_directory_create(comm, NULL, &directory));
    double begin = MPI_Wtime();
    for (int64_t at = 0; at < each; at += SLICE) {
        int64_t count = next_slice(at, each, id, local);
        FINE(qdr_directory_insert(directory, count, id, NULL, local, NULL));
    }
    tell("inserted", layout, begin, directory);
    CHECK(sum_of(qdr_directory_look(directory).entries) == each * ranks);
    CHECK(sum_of(qdr_directory_look(directory).bytes) <= 32 * each * ranks);
    begin = MPI_Wtime();
    look_for(directory, each, 0, id, local, owner);
    tell("found", layout, begin, directory);
    begin = MPI_Wtime();
    for (int64_t at = 0; at < kept; at += SLICE) {
        int64_t count = next_slice(at, kept, id, local);
        FINE(qdr_directory_remove(directory, count, id, &unknown));
        CHECK(unknown == 0);
    }
    tell("removed", layout, begin, directory);
    CHECK(sum_of(qdr_directory_look(directory).bytes) <= 32 * (each - kept) * ranks);
    look_for(directory, each, kept, id, local, owner);
    FINE(qdr_directory_destroy(&directory));
    free(id);
    free(local);
    free(owner);
}

/* ---- much ---------------------------------------------------------------------------------------------- */

static int place_last(void *context, int64_t id) {
    (void)context, (void)id;
    return last;
}

static void test_much(MPI_Comm comm, int layout, int64_t bytes) {
    int64_t count = bytes / PAYLOAD, wrong = 0, unknown = -1;
    int64_t *id = malloc((size_t)count * sizeof *id);
    unsigned char *payload = malloc((size_t)(count * PAYLOAD));
    qdr_directory *directory = NULL;
    qdr_directory_options options = QDR_DIRECTORY_OPTIONS;
    options.placement = QDR_PLACE_FUNCTION;
    options.place = place_last;
    options.payload_bytes = PAYLOAD;
    FINE(qdr_directory_create(comm, &options, &directory));
    for (int64_t i = 0; i < count; i++) {
        id[i] = id_of(i * ranks + rank);
        content_fill(payload + i * PAYLOAD, PAYLOAD, content_key(i, 0, rank, 0));
    }
    double begin = MPI_Wtime();
    FINE(qdr_directory_insert(directory, count, id, NULL, NULL, payload));
    tell("much inserted", layout, begin, directory);
    memset(payload, 0, (size_t)(count * PAYLOAD));
    int next = (rank + 1) % ranks;
    for (int64_t i = 0; i < count; i++) id[i] = id_of(i * ranks + next);
    FINE(qdr_directory_find(directory, count, id, NULL, NULL, payload, &unknown));
    for (int64_t i = 0; i < count; i++)
        wrong += content_wrong(payload + i * PAYLOAD, PAYLOAD, content_key(i, 0, next, 0)) >= 0;
    CHECK_SAYING(wrong == 0 && unknown == 0, "%lld payloads are wrong, %lld unknown", (long long)wrong,
                 (long long)unknown);
    FINE(qdr_directory_destroy(&directory));
    free(id);
    free(payload);
}

int main(int count, char **words) {
    enter_mpi(&count, &words);
    int logarithm = count > 1 ? atoi(words[1]) : 27;
    int64_t much = logarithm < 24 ? 30000000 : 300000000;
    for (int layout = 0; layout < 2; layout++) {
        MPI_Comm comm = comm_on_nodes(layout);
        test_many(comm, layout, (int64_t)1 << logarithm);
        MPI_Comm_free(&comm); /* and with it the memory that was shared */
        comm = comm_on_nodes(layout);
        test_much(comm, layout, much);
        MPI_Comm_free(&comm);
    }
    return leave_mpi();
}
