/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Mixture of experts: mpirun -n 4 15-experts.
 *
 * In a large model a layer has many experts, spread over the ranks, and a router says for each token which of them are to see it. So in
 * every step every rank has other numbers of tokens for the others, a few experts are popular, and nobody knows what will come:
 *
 *     dispatch   qdr_deliver() brings each token to its experts' ranks, with what it needs to find its way back
 *     compute    here an expert multiplies by its number
 *     combine    qdr_deliver() brings the results home, where those of one token are added up by their weights
 *
 * Sizes are found out anew in each step. What deliveries need is kept with the communicator, and room that is large enough is used
 * again, so after a few steps nothing is allocated.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "quadrille-mpi.h"

enum { TOKENS = 3000, WIDTH = 16, EXPERTS = 16, CHOICES = 2, STEPS = 5 };

typedef struct token {
    int32_t home, place, expert;
    float weight, value[WIDTH];
} token;

static int rank, ranks;

/* The router: a token's experts are two draws, in which low numbers are more frequent; from step to step they change. */
static int expert_of(int place, int choice, int step) {
    uint64_t word = (uint64_t)((((int64_t)rank * TOKENS + place) * STEPS + step) * CHOICES + choice + 1);
    word *= UINT64_C(0x9e3779b97f4a7c15);
    word = (word ^ word >> 31) * UINT64_C(0xbf58476d1ce4e5b9);
    word = (word ^ word >> 29) >> 44;
    return (int)((word * word >> 20) * EXPERTS >> 20);
}

static int rank_of(int expert) {
    return expert % ranks;
}

static void stop(const char *what) {
    fprintf(stderr, "rank %d: %s\n", rank, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void deliver(const token *data, int64_t count, const int *destination, qdr_arrivals *came) {
    const qdr_items leaving = {
        .item_bytes = sizeof *data, .data = data, .count = count, .destination = destination};
    if (qdr_deliver(MPI_COMM_WORLD, &leaving, came)) stop(qdr_error_message());
}

/* Each token once for each of its experts. */
static void dispatch(const float (*input)[WIDTH], int step, token *out, int *to, qdr_arrivals *came) {
    for (int i = 0; i < TOKENS * CHOICES; i++) {
        const int place = i / CHOICES, expert = expert_of(place, i % CHOICES, step);
        out[i] =
            (token){.home = rank, .place = place, .expert = expert, .weight = i % CHOICES ? 0.25f : 0.75f};
        for (int k = 0; k < WIDTH; k++) out[i].value[k] = input[place][k];
        to[i] = rank_of(expert);
    }
    deliver(out, TOKENS * CHOICES, to, came);
}

/* What came is changed where it lies, and leaves again. */
static void compute_and_combine(qdr_arrivals *came, float (*output)[WIDTH], qdr_arrivals *back) {
    token *one = came->data;
    int *home = malloc((size_t)(came->count + 1) * sizeof *home);
    if (!home) abort();
    for (int64_t i = 0; i < came->count; i++) {
        for (int k = 0; k < WIDTH; k++) one[i].value[k] *= (float)(one[i].expert + 1);
        home[i] = one[i].home;
    }
    deliver(one, came->count, home, back);
    one = back->data;
    for (int64_t i = 0; i < back->count; i++)
        for (int k = 0; k < WIDTH; k++) output[one[i].place][k] += one[i].weight * one[i].value[k];
    free(home);
}

static int64_t count_wrong(const float (*input)[WIDTH], const float (*output)[WIDTH], int step) {
    int64_t wrong = 0;
    for (int place = 0; place < TOKENS; place++) {
        const float factor =
            0.75f * (float)(expert_of(place, 0, step) + 1) + 0.25f * (float)(expert_of(place, 1, step) + 1);
        for (int k = 0; k < WIDTH; k++) wrong += output[place][k] != factor * input[place][k];
    }
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    return wrong;
}

int main(int argc, char **argv) {
    static float input[TOKENS][WIDTH], output[TOKENS][WIDTH];
    static token out[TOKENS * CHOICES];
    static int to[TOKENS * CHOICES];
    qdr_arrivals came = {0}, back = {0};
    int64_t all_wrong = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int place = 0; place < TOKENS; place++)
        for (int k = 0; k < WIDTH; k++) input[place][k] = (float)((rank + place + k) % 64);
    for (int step = 0; step < STEPS; step++) {
        for (int place = 0; place < TOKENS; place++)
            for (int k = 0; k < WIDTH; k++) output[place][k] = 0;
        dispatch((const float(*)[WIDTH])input, step, out, to, &came);
        compute_and_combine(&came, output, &back);
        int64_t most = came.count,
                wrong = count_wrong((const float(*)[WIDTH])input, (const float(*)[WIDTH])output, step);
        MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
        all_wrong += wrong;
        if (rank == 0)
            printf("step %d: %d tokens for %d experts, %" PRId64 " on the busiest rank; %" PRId64
                   " numbers wrong\n",
                   step, TOKENS * CHOICES * ranks, EXPERTS, most, wrong);
    }
    qdr_arrivals_free(&came);
    qdr_arrivals_free(&back);
    MPI_Finalize();
    return all_wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
