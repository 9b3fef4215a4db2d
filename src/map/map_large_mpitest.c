/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages of more than 2^31 bytes (3 GiB and a few) between ranks of a node, from rank 0 to the last:
 * through a plan; through a map, whose list is not in order, added to what is there; and back through one in
 * reverse. map_large_mpitest [MEGABYTES]. Two ranks need four times that much memory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_check.h"
#include "quadrille/map.h"

enum { WIDTH = 128, ELEMENT = WIDTH * sizeof(uint64_t) };

static int rank, ranks;

static uint64_t word_at(int64_t at, int round) {
    return (uint64_t)at * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)round;
}

static void fill(uint64_t *memory, int64_t words, int round) {
    for (int64_t i = 0; i < words; i++) memory[i] = word_at(i, round);
}

static void tell(const char *what, int64_t bytes, double begin) {
    if (rank == ranks - 1) printf("%lld bytes, %s: %.2f s\n", (long long)bytes, what, MPI_Wtime() - begin);
}

static void through_plan(int64_t elements, uint64_t *memory) {
    int64_t bytes = elements * ELEMENT, wrong = 0;
    int destination = ranks - 1;
    qdr_partners *partners = NULL;
    qdr_plan *plan = NULL;
    qdr_plan_options options = QDR_PLAN_OPTIONS;
    qdr_buffers buffers = {0};
    options.transport = "node";
    CHECK(qdr_partners_from_sends(MPI_COMM_WORLD, rank == 0, &destination, &bytes, NULL, &partners) ==
          QDR_OK);
    CHECK_SAYING(qdr_plan_create(partners, &options, &plan) == QDR_OK, "%s", qdr_error_message());
    buffers.item_bytes = 1;
    if (rank == 0) fill(memory, elements * WIDTH, 1);
    *(rank == 0 ? (void **)(void *)&buffers.outgoing_base : &buffers.incoming_base) = memory;
    double begin = MPI_Wtime();
    CHECK_SAYING(qdr_plan_exchange(plan, &buffers) == QDR_OK, "%s", qdr_error_message());
    tell("a plan", bytes, begin);
    for (int64_t i = 0; rank == ranks - 1 && i < elements * WIDTH; i++) wrong += memory[i] != word_at(i, 1);
    CHECK_SAYING(wrong == 0, "plan: %lld words are wrong", (long long)wrong);
    CHECK(qdr_plan_destroy(&plan) == QDR_OK);
    qdr_partners_destroy(&partners);
}

/* The elements of rank 0 stand one after the other; the last rank has the second half of them first. */
static int64_t place_of(int64_t k, int64_t elements) {
    return (k + elements / 2) % elements;
}

static qdr_map *make_map(int64_t elements) {
    int zero = 0, other = ranks - 1;
    int64_t *place = malloc((size_t)elements * sizeof *place);
    qdr_map *map = NULL;
    qdr_plan_options plan = QDR_PLAN_OPTIONS;
    qdr_map_options options = QDR_MAP_OPTIONS;
    plan.transport = "node";
    options.plan = &plan;
    options.reverse = QDR_REVERSE_REPLACE;
    for (int64_t k = 0; k < elements; k++) place[k] = place_of(k, elements);
    qdr_indices sends = {.partners = rank == 0, .rank = &other, .count = &elements};
    qdr_indices receives = {.partners = rank == other, .rank = &zero, .count = &elements, .place = place};
    CHECK_SAYING(qdr_map_create(MPI_COMM_WORLD, &sends, &receives, &options, &map) == QDR_OK, "%s",
                 qdr_error_message());
    free(place);
    return map;
}

/* A map for each direction, so that the memory of the other is free. */
static void through_map(int64_t elements, uint64_t *memory, qdr_direction direction) {
    int from = direction == QDR_FORWARD ? 0 : ranks - 1, to = direction == QDR_FORWARD ? ranks - 1 : 0;
    int64_t wrong = 0, words = elements * WIDTH;
    qdr_map *map = make_map(elements);
    qdr_field field = {.source = rank == from ? memory : NULL,
                       .target = rank == to ? memory : NULL,
                       .type = QDR_UINT64,
                       .width = WIDTH,
                       .operation = QDR_SUM};
    if (rank == from || rank == to) fill(memory, words, rank == from ? 2 : 3);
    double begin = MPI_Wtime();
    CHECK_SAYING(qdr_map_exchange(map, direction, 1, &field) == QDR_OK, "%s", qdr_error_message());
    tell(direction == QDR_FORWARD ? "a map, forward" : "a map, in reverse", words * 8, begin);
    for (int64_t k = 0; rank == to && k < elements; k++) {
        int64_t there = direction == QDR_FORWARD ? k : place_of(k, elements);
        int64_t here = direction == QDR_FORWARD ? place_of(k, elements) : k;
        for (int64_t c = 0; c < WIDTH; c++)
            wrong += memory[here * WIDTH + c] != word_at(here * WIDTH + c, 3) + word_at(there * WIDTH + c, 2);
    }
    CHECK_SAYING(wrong == 0, "map: %lld words are wrong", (long long)wrong);
    CHECK(qdr_map_destroy(&map) == QDR_OK);
}

int main(int count, char **words) {
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int64_t bytes = (int64_t)(count > 1 ? atoi(words[1]) : 3072) << 20, elements = bytes / ELEMENT + 3;
    int has_memory = rank == 0 || rank == ranks - 1;
    uint64_t *memory = has_memory ? malloc((size_t)(elements * ELEMENT)) : NULL;
    CHECK(ranks > 1 && (memory || !has_memory));
    if (!mpi_check_verdict()) {
        through_plan(elements, memory);
        through_map(elements, memory, QDR_FORWARD);
        through_map(elements, memory, QDR_REVERSE);
    }
    free(memory);
    int verdict = mpi_check_verdict();
    MPI_Finalize();
    return verdict;
}
