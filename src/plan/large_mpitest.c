/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A message of more than 2^31 bytes (3 GiB and a few), from rank 0 to the last: whole, which MPI's counts
 * cannot say in one, and in chunks by arrivals and by grants. large_mpitest [MEGABYTES]. Two ranks need twice
 * that much memory.
 */
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "mpi_check.h"
#include "quadrille/plan.h"

static int rank, ranks;

/* Words, so that gigabytes are filled and looked through in seconds; the bytes beyond the last word are zero.
 * */
static uint64_t word_at(int64_t at, int round) {
    return (uint64_t)at * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)round;
}

static void exchange(qdr_partners *partners, const char *algorithm, const char *pacing, uint64_t *memory,
                     int64_t bytes, int round) {
    qdr_plan *plan = NULL;
    qdr_plan_options options = QDR_PLAN_OPTIONS;
    qdr_buffers buffers = {0};
    options.algorithm = algorithm;
    options.pacing = pacing;
    options.chunk = 1 << 20;
    options.window = 8 << 20;
    buffers.item_bytes = 1;
    if (rank == 0) {
        for (int64_t i = 0; i < bytes / 8; i++) memory[i] = word_at(i, round);
        buffers.outgoing_base = memory;
    } else if (rank == ranks - 1) {
        memset(memory, 0, (size_t)bytes);
        buffers.incoming_base = memory;
    }
    CHECK_SAYING(qdr_plan_create(partners, &options, &plan) == QDR_OK, "%s", qdr_error_message());
    double begin = MPI_Wtime();
    CHECK_SAYING(qdr_plan_exchange(plan, &buffers) == QDR_OK, "%s", qdr_error_message());
    double took = MPI_Wtime() - begin;
    if (rank == ranks - 1) {
        int64_t wrong = 0;
        for (int64_t i = 0; i < bytes / 8; i++) wrong += memory[i] != word_at(i, round);
        CHECK_SAYING(wrong == 0, "%s, %s: %lld words are wrong", algorithm, pacing, (long long)wrong);
        printf("%lld bytes, %s, %s: %.2f s\n", (long long)bytes, algorithm, pacing, took);
    }
    CHECK(qdr_plan_destroy(&plan) == QDR_OK);
}

int main(int count, char **words) {
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int64_t bytes = ((int64_t)(count > 1 ? atoi(words[1]) : 3072) << 20) + 24;
    int destination = ranks - 1, has_memory = rank == 0 || rank == ranks - 1;
    qdr_partners *partners = NULL;
    uint64_t *memory = has_memory ? malloc((size_t)bytes) : NULL;
    CHECK(qdr_partners_from_sends(MPI_COMM_WORLD, rank == 0, &destination, &bytes, NULL, &partners) ==
          QDR_OK);
    CHECK(ranks > 1 && memory);
    if (!mpi_check_verdict()) {
        exchange(partners, "async", "free", memory, bytes, 1);
        exchange(partners, "linear", "arrivals", memory, bytes, 2);
        exchange(partners, "paced", "grants", memory, bytes, 3);
        exchange(partners, "distributed", "requests", memory, bytes, 4);
    }
    free(memory);
    qdr_partners_destroy(&partners);
    int verdict = mpi_check_verdict();
    MPI_Finalize();
    return verdict;
}
