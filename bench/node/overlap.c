/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Computing while a halo is under way: a computation about as long as the exchange, between its start and its
 * wait.
 *
 *     mpirun -n 4 overlap [--samples N] [--raw]
 *
 *     isend, ours                  nothing but the computation
 *     isend-tested, ours-progress  with MPI_Testall, or qdr_progress(), ten times in it
 *
 * Beside them the computation by itself and the exchanges by themselves. The computation works on a few
 * private kilobytes; how much of it fits into the time of the exchange by Isend is measured first.
 */
#include "halo.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "quadrille/plan.h"

enum { CALLS = 10, PRIVATE = 512, TRIAL = 1000, TRIALS = 100 };

typedef struct overlapped {
    void *state;
    void (*begin)(void *), (*end)(void *), (*close)(void *);
    void (*call)(void *); /* ten times meanwhile; NULL: never */
    int64_t units;        /* of the computation; 0: none */
} overlapped;

static double private_data[PRIVATE];

static void compute(int64_t units) {
    for (int64_t u = 0; u < units; u++) {
        double *part = private_data + u % (PRIVATE / 16) * 16;
        for (int i = 0; i < 16; i++) part[i] = part[i] * 0.999 + 1;
    }
}

static void run(void *state) {
    overlapped *o = state;
    int pieces = o->call ? CALLS : 1;
    if (o->begin) o->begin(o->state);
    for (int i = 0; i < pieces; i++) {
        compute((o->units + pieces - 1) / pieces);
        if (o->call) o->call(o->state);
    }
    if (o->end) o->end(o->state);
}

static void progress(void *state) {
    (void)state;
    qdr_progress();
}

/* Seconds of one unit, undisturbed. */
static double unit_length(MPI_Comm comm) {
    double best = 1e9;
    for (int i = 0; i < TRIALS; i++) {
        double begin = seconds_now();
        compute(TRIAL);
        double seconds = (seconds_now() - begin) / TRIAL;
        if (seconds < best) best = seconds;
    }
    MPI_Allreduce(MPI_IN_PLACE, &best, 1, MPI_DOUBLE, MPI_MIN, comm);
    return best;
}

/* The units that all ranks together, on the cores that there are, compute while the exchange takes place. */
static int64_t calibrate(const halo *h, overlapped *exchange) {
    subject s = {.name = "exchange", .run = run, .state = exchange};
    double cores = (double)sysconf(_SC_NPROCESSORS_ONLN), share = h->ranks > cores ? cores / h->ranks : 1;
    measure(&(measuring){h->comm, 31}, &s, 1);
    return (int64_t)(share * s.median / unit_length(h->comm)) + 1;
}

static void cell(const halo *h, int width, int samples, const char *where, table *t) {
    double *array = room((size_t)(h->owned + h->ghosts) * (size_t)width, sizeof *array);
    overlapped isend = {isend_open(h, array, width), isend_begin, isend_end, isend_close, NULL, 0};
    overlapped ours = {ours_open(h, array, width), ours_begin, ours_end, ours_close, NULL, 0};
    int64_t units = calibrate(h, &isend);
    overlapped cases[] = {isend, isend, ours, ours, {.units = units}, isend, ours};
    static const method names[] = {{"isend", OPPONENT, NULL, run, NULL, NULL},
                                   {"isend-tested", OPPONENT, NULL, run, NULL, NULL},
                                   {"ours", OURS, NULL, run, NULL, NULL},
                                   {"ours-progress", OURS, NULL, run, NULL, NULL},
                                   {"computation-alone", LIMIT, NULL, run, NULL, NULL},
                                   {"isend-alone", LIMIT, NULL, run, NULL, NULL},
                                   {"ours-alone", LIMIT, NULL, run, NULL, NULL}};
    subject subjects[COUNT(names)];
    cases[1].call = isend_test;
    cases[3].call = progress;
    for (int i = 0; i < COUNT(names); i++) {
        if (i < 4) cases[i].units = units;
        subjects[i] = (subject){.name = names[i].name, .kind = names[i].kind, .run = run, .state = &cases[i]};
        if (cases[i].begin) check_exchanges(h, &names[i], &cases[i], array, width);
    }
    measure(&(measuring){h->comm, samples}, subjects, COUNT(subjects));
    isend.close(isend.state);
    ours.close(ours.state);
    if (h->rank == 0) table_add(t, where, subjects, COUNT(subjects));
    free(array);
}

int main(int count, char **argument) {
    static const int width[] = {8, 64};
    int samples = 201, rank;
    table t = {.mode = "overlap"};
    MPI_Init(&count, &argument);
    for (int i = 1; i < count; i++)
        if (!strcmp(argument[i], "--raw"))
            t.raw = 1;
        else if (!strcmp(argument[i], "--samples") && i + 1 < count && atoi(argument[i + 1]) > 0)
            samples = atoi(argument[++i]);
        else
            give_up("'%s': expected --samples N or --raw", argument[i]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &t.ranks);
    for (int grouped = 1; grouped >= 0; grouped--) {
        halo h;
        halo_mesh(MPI_COMM_WORLD, grouped, &h);
        for (int i = 0; i < COUNT(width); i++) {
            char where[64];
            snprintf(where, sizeof where, "order=%s b=%d", grouped ? "grouped" : "shuffled", width[i]);
            cell(&h, width[i], samples, where, &t);
        }
        halo_free(&h);
    }
    if (rank == 0) {
        table_print(&t);
        table_ratio(&t, "ours", "isend");
        table_ratio(&t, "ours-progress", "isend-tested");
    }
    MPI_Finalize();
    return 0;
}
