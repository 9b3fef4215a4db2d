/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a plan runs at first when nothing is asked for, each rank being a node of its own; and that such a plan takes other sizes at every
 * exchange, whatever was chosen: whether a program may change its sizes must not depend on those that it began with. Plans
 * that are told how often they will be used with the same sizes try more, and refuse others; plans that are told the machine begin
 * with what it predicts.
 */
#include <stdlib.h>
#include <string.h>

#include "mpi_expect.h"
#include "quadrille/plan.h"

static int rank, ranks;

int64_t __wrap_qdri_host_digest(int own_rank, int node_ranks);
int64_t __wrap_qdri_host_digest(int own_rank, int node_ranks) {
    (void)node_ranks;
    return own_rank;
}

typedef int64_t size_function(int from, int to, int round);

/* Round 0 is the plan's. Others differ: some messages are empty, some several times as large. */
static int64_t varied(int64_t items, int from, int to, int round) {
    return round == 0 ? items : (from + 2 * to + round) % 4 * items;
}
static int64_t equal(int from, int to, int round) {
    return varied(1000, from, to, round);
}
static int64_t nearly(int from, int to, int round) {
    return varied(1000 - (from * 7 + to * 3) % 90, from, to, round);
}
static int64_t unlike(int from, int to, int round) {
    return varied(1000 - (from * 7 + to * 3) % 5 * 100, from, to, round);
}
/* The first of two ranks of a node has far more than the other. */
static int64_t lopsided(int from, int to, int round) {
    return varied(from % 2 == 0 && from / 2 != to / 2 ? 90000 : 100, from, to, round);
}
static int64_t large(int from, int to, int round) {
    return varied(60000, from, to, round);
}

static char letter(int from, int to, int64_t place, int round) {
    return (char)(31 * from + 17 * to + 7 * place + round);
}

static char *make_room(const int64_t *items, int64_t *offset) {
    int64_t sum = 0;
    for (int i = 0; i < ranks; i++) {
        offset[i] = sum;
        sum += items[i];
    }
    return calloc((size_t)sum + 1, 1);
}

static void exchange(qdr_plan *plan, size_function *size, int round) {
    int64_t *out = calloc((size_t)ranks, sizeof *out), *in = calloc((size_t)ranks, sizeof *in),
            *from = calloc((size_t)ranks, sizeof *from), *to = calloc((size_t)ranks, sizeof *to);
    for (int other = 0; other < ranks; other++) {
        out[other] = other == rank ? 0 : size(rank, other, round);
        in[other] = other == rank ? 0 : size(other, rank, round);
    }
    char *outgoing = make_room(out, from), *incoming = make_room(in, to);
    for (int other = 0; other < ranks; other++)
        for (int64_t i = 0; i < out[other]; i++) outgoing[from[other] + i] = letter(rank, other, i, round);
    qdr_buffers buffers = {.outgoing_base = outgoing,
                           .incoming_base = incoming,
                           .outgoing_offset = from,
                           .incoming_offset = to,
                           .item_bytes = 1};
    if (round > 0) {
        buffers.outgoing_items = out;
        buffers.incoming_items = in;
    }
    FINE(qdr_plan_exchange(plan, &buffers));
    int64_t wrong = 0;
    for (int other = 0; other < ranks; other++)
        for (int64_t i = 0; i < in[other]; i++)
            wrong += incoming[to[other] + i] != letter(other, rank, i, round);
    CHECK_SAYING(wrong == 0, "%lld bytes of round %d are wrong", (long long)wrong, round);
    free(out);
    free(in);
    free(from);
    free(to);
    free(outgoing);
    free(incoming);
}

/* All ranks are partners, itself with nothing. */
static qdr_partners *make_partners(size_function *size) {
    qdr_partners *partners = NULL;
    int *other = calloc((size_t)ranks, sizeof *other);
    int64_t *out = calloc((size_t)ranks, sizeof *out), *in = calloc((size_t)ranks, sizeof *in);
    for (int i = 0; i < ranks; i++) {
        other[i] = i;
        out[i] = i == rank ? 0 : size(rank, i, 0);
        in[i] = i == rank ? 0 : size(i, rank, 0);
    }
    FINE(qdr_partners_from_both(MPI_COMM_WORLD, ranks, other, out, ranks, other, in, 1, &partners));
    free(other);
    free(out);
    free(in);
    return partners;
}

static void expect(size_function *size, const char *algorithm) {
    enum { ROUNDS = 6 };
    qdr_partners *partners = make_partners(size);
    qdr_plan *plan = NULL;
    qdr_candidate first;
    FINE(qdr_plan_create(partners, NULL, &plan));
    FINE(qdr_plan_candidate(plan, 0, &first));
    CHECK_SAYING(!strcmp(first.algorithm, algorithm), "%s, where %s was expected", first.algorithm,
                 algorithm);
    for (int round = 0; round < ROUNDS; round++) {
        exchange(plan, size, round);
        exchange(plan, size, 0);
    }
    FINE(qdr_plan_destroy(&plan));
    qdr_partners_destroy(&partners);
}

static int has_candidate(const qdr_plan *plan, const char *algorithm) {
    qdr_candidate one;
    for (int i = 0; !qdr_plan_candidate(plan, i, &one); i++)
        if (!strcmp(one.algorithm, algorithm)) return 1;
    return 0;
}

/* Whichever candidate runs, the same bytes arrive; and other sizes are refused, as they would be by some. */
static void keeps_sizes(size_function *size, const char *more) {
    enum { EXCHANGES = 40 };
    qdr_partners *partners = make_partners(size);
    qdr_plan *plan = NULL;
    qdr_plan_options options = QDR_PLAN_OPTIONS;
    options.reuse = 1000;
    FINE(qdr_plan_create(partners, &options, &plan));
    CHECK_SAYING(has_candidate(plan, more) == (ranks > 3), "%s is not tried, or in vain", more);
    for (int i = 0; i < EXCHANGES; i++) exchange(plan, size, 0);
    int64_t *items = calloc((size_t)ranks, sizeof *items);
    qdr_buffers buffers = {.outgoing_items = items, .incoming_items = items};
    EXPECT(qdr_plan_exchange(plan, &buffers), QDR_ERR_INVALID, "reuse");
    free(items);
    FINE(qdr_plan_destroy(&plan));
    options.reuse = rank + 1;
    if (ranks > 1) EXPECT(qdr_plan_create(partners, &options, &plan), QDR_ERR_MISMATCH, "reuse");
    options.reuse = -1;
    EXPECT(qdr_plan_create(partners, &options, &plan), QDR_ERR_RANGE, "reuse");
    qdr_partners_destroy(&partners);
}

static void foresees(size_function *size, const char *spec, int64_t item_bytes, const char *algorithm) {
    qdr_partners *partners = make_partners(size);
    qdr_machine *machine = NULL, *other = NULL;
    qdr_plan *plan = NULL;
    qdr_candidate first;
    qdr_plan_info info;
    qdr_plan_options options = QDR_PLAN_OPTIONS;
    FINE(qdr_machine_create(spec, ranks, &machine));
    FINE(qdr_machine_create(spec, ranks + 1, &other));
    options.machine = machine;
    options.reuse = 1000;
    options.item_bytes = item_bytes;
    FINE(qdr_plan_create(partners, &options, &plan));
    FINE(qdr_plan_candidate(plan, 0, &first));
    FINE(qdr_plan_look(plan, &info));
    if (ranks > 2) {
        CHECK_SAYING(!strcmp(first.algorithm, algorithm), "%s, where %s was predicted", first.algorithm,
                     algorithm);
        CHECK_SAYING(strstr(info.why, "predicted") != NULL, "%s", info.why);
        options.machine = other;
        EXPECT(qdr_plan_create(partners, &options, &(qdr_plan *){NULL}), QDR_ERR_INVALID, "machine");
        /* Where not all have one, nobody foresees anything. */
        options.machine = rank ? machine : NULL;
        qdr_plan *usual = NULL;
        FINE(qdr_plan_create(partners, &options, &usual));
        FINE(qdr_plan_candidate(usual, 0, &first));
        CHECK(!strcmp(first.algorithm, size == equal ? "pairwise" : "paced"));
        FINE(qdr_plan_destroy(&usual));
    }
    for (int i = 0; i < 6; i++) exchange(plan, size, 0);
    FINE(qdr_plan_destroy(&plan));
    qdr_machine_destroy(&machine);
    qdr_machine_destroy(&other);
    qdr_partners_destroy(&partners);
}

int main(int count, char **words) {
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int several = ranks > 2;
    expect(equal, several ? "pairwise" : "async");
    expect(nearly, several ? "pairwise" : "async");
    expect(unlike, several ? "paced" : "async");
    expect(large, several ? "pairwise" : "async");
    keeps_sizes(equal, "bruck");
    keeps_sizes(unlike, "bruck");
    foresees(equal, "crossbar:tau=1us,rate=10GB/s", 1000, "async");
    foresees(equal, "crossbar:tau=100us,rate=50Mbit/s,queue=4K", 400, "paced");
    if (ranks % 2 == 0) foresees(lopsided, "node:k=2,cards=2,rate=400GB/s,nic=1GB/s,tau=1us", 1, "rails");
    int verdict = mpi_check_verdict();
    MPI_Finalize();
    return verdict;
}
