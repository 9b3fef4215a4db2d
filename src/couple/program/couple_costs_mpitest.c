/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What two programs have measured when they meet: the same on all ranks of both, within bounds, and nothing is left on the
 * wire. A rank that claims more than anybody believes is refused by all, with the name of the figure.
 */
#include "mpi_expect.h"

#include <math.h>

#include "couple/program/measure.h"

static int rank, ranks;

static qdr_program *start(MPI_Comm comm, int exporters) {
    qdr_program *program = NULL;
    FINE(qdr_program_create(comm, rank < exporters ? "first" : "second", 20, &program));
    return program;
}

/* Each figure on this rank is what it is on all. */
static void check_alike(const qdri_costs *costs, int exporters) {
    double mine[9] = {costs->latency, costs->element[0], costs->element[1]}, least[9], most[9];
    for (int i = 0; i < 2; i++) {
        mine[3 + 3 * i] = costs->link[i].way;
        mine[4 + 3 * i] = costs->link[i].message;
        mine[5 + 3 * i] = costs->link[i].byte;
    }
    MPI_Allreduce(mine, least, 9, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(mine, most, 9, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    for (int i = 0; i < 9; i++)
        CHECK_SAYING(least[i] == most[i] && least[i] >= 0, "figure %d is %g on one rank, %g on another", i,
                     least[i], most[i]);
    /* Whatever the machine does, it computes and sends at some speed. */
    for (int side = 0; side < 2; side++)
        CHECK_SAYING(costs->element[side] > 1e-11 && costs->element[side] < 1e-4, "%g s for an element",
                     costs->element[side]);
    CHECK_SAYING(costs->link[QDRI_ACROSS].way > 0, "%g s for a way", costs->link[QDRI_ACROSS].way);
    int has_pairs = exporters > 1 || ranks - exporters > 1;
    CHECK_SAYING((costs->link[QDRI_INSIDE].way > 0) == has_pairs,
                 "%g s for a way inside with %d and %d ranks", costs->link[QDRI_INSIDE].way, exporters,
                 ranks - exporters);
}

static void test_meeting(int exporters) {
    qdr_program *program = start(MPI_COMM_WORLD, exporters);
    for (int again = 0; program && again < 3; again++) {
        qdr_coupling *coupling = NULL;
        FINE(qdr_coupling_create(program, rank < exporters ? "second" : "first", NULL, &coupling));
        if (!coupling) break;
        check_alike(&coupling->costs, exporters);
        FINE(qdr_coupling_destroy(&coupling));
    }
    FINE(qdr_program_destroy(&program));
}

/* What a clock may have said: nothing of it reaches the agreement. */
static void test_own_words(void) {
    static const double said[] = {-1, NAN, INFINITY, -INFINITY, 1e300, 0, 1e-300};
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        qdri_costs mine = {.element = {said[i], said[i]},
                           .link = {{said[i], said[i], said[i]}, {said[i], said[i], said[i]}}};
        qdri_term term[QDRI_COST_TERMS];
        qdri_costs_ask(&mine, 1, term);
        for (int t = 0; t < QDRI_COST_TERMS; t++)
            CHECK_SAYING(term[t].value >= term[t].least && term[t].value <= term[t].most, "%s: %lld of %g s",
                         term[t].name, (long long)term[t].value, said[i]);
    }
}

/* One rank says what no rank of this library would: it is refused everywhere. */
static void test_hostile_words(void) {
    qdri_wire *wire = NULL;
    FINE(qdri_wire_open(MPI_COMM_WORLD, &wire));
    qdri_lock(wire);
    for (int t = 0; t < QDRI_COST_TERMS; t++)
        for (int i = 0; i < 2; i++) {
            qdri_costs mine = {.element = {1e-9, 1e-9}};
            qdri_term term[QDRI_COST_TERMS];
            qdri_costs_ask(&mine, rank == 0, term);
            const char *name = term[t].name;
            if (rank == ranks - 1) term[t].value = i ? INT64_MAX : term[t].most + 1;
            qdri_agreement agreement = {.call = "a test", .term = term, .terms = QDRI_COST_TERMS};
            qdr_status status = qdri_agree(wire, &agreement);
            EXPECT(status ? status : qdri_costs_keep(term, &mine), QDR_ERR_MISMATCH, name);
            CHECK(mine.link[QDRI_ACROSS].byte == 0 && mine.element[0] == 1e-9); /* nothing of it is kept */
        }
    qdri_unlock(wire);
    qdri_wire_release(&wire);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int exporters = 1; exporters<ranks; exporters += ranks> 4 ? 3 : 1) test_meeting(exporters);
    test_own_words();
    test_hostile_words();
    int verdict = mpi_check_verdict();
    MPI_Finalize();
    return verdict;
}
