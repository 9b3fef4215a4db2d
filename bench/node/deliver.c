/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Items for ranks that do not know of them. Every rank has as many items of 8 bytes for each of up to 8 others, drawn at
 * random, and for itself.
 *
 *     mpirun -n 4 deliver [--samples N] [--raw]
 *
 * qdr_deliver, against a discovery (qdr_partners_from_sends) and an exchange of a plan that is made and destroyed each time,
 * through the node's memory and by messages; and against what is written by hand: MPI_Alltoall of counts, then
 * MPI_Alltoallv.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"
#include "quadrille-mpi.h"
#include "table.h"

enum { DESTINATIONS = 8, MOST_SUBJECTS = 8 };

typedef struct scene {
    MPI_Comm comm;
    int rank, ranks, groups;
    int destination[DESTINATIONS + 1]; /* by rising rank */
    int64_t items[DESTINATIONS + 1];
    int64_t *out;
    int64_t expected; /* the sum of what comes */
    const char *transport;
    qdr_arrivals came;
    int64_t *in, room; /* of the other ways */
    int *counts;       /* [4][ranks] */
    int64_t sum;       /* of what came; 0: not asked for */
    int adds;
} scene;

static int64_t item(int from, int to, int64_t i) {
    return from * 1000003 + to * 1009 + i % 97;
}

static void add_up(scene *s, const int64_t *data, int64_t count) {
    s->sum = 0;
    for (int64_t i = 0; i < count; i++) s->sum += data[i];
}

/* ---- ways ---------------------------------------------------------------------------------------------- */

static void deliver(void *state) {
    scene *s = state;
    qdr_items leaving = {.item_bytes = sizeof *s->out,
                         .data = s->out,
                         .groups = s->groups,
                         .rank = s->destination,
                         .items = s->items};
    if (qdr_deliver(s->comm, &leaving, &s->came)) give_up("qdr_deliver: %s", qdr_error_message());
    if (s->adds) add_up(s, s->came.data, s->came.count);
}

static void make_room(scene *s, int64_t count) {
    if (count <= s->room) return;
    free(s->in);
    s->in = room((size_t)count, sizeof *s->in);
    s->room = count;
}

static void discover_and_exchange(void *state) {
    scene *s = state;
    qdr_partners *partners = NULL;
    qdr_plan *plan = NULL;
    qdr_plan_options options = QDR_PLAN_OPTIONS;
    int64_t come = 0;
    options.transport = s->transport;
    if (qdr_partners_from_sends(s->comm, s->groups, s->destination, s->items, NULL, &partners))
        give_up("qdr_partners_from_sends: %s", qdr_error_message());
    qdr_partners_view view = qdr_partners_look(partners);
    for (int i = 0; i < view.receives; i++) come += view.receive_items[i];
    make_room(s, come);
    if (qdr_plan_create(partners, &options, &plan)) give_up("qdr_plan_create: %s", qdr_error_message());
    qdr_buffers buffers = {.item_bytes = sizeof *s->out, .outgoing_base = s->out, .incoming_base = s->in};
    if (qdr_plan_exchange(plan, &buffers)) give_up("qdr_plan_exchange: %s", qdr_error_message());
    qdr_plan_destroy(&plan);
    qdr_partners_destroy(&partners);
    if (s->adds) add_up(s, s->in, come);
}

static void by_hand(void *state) {
    scene *s = state;
    int *out = s->counts, *in = out + s->ranks, *out_at = in + s->ranks, *in_at = out_at + s->ranks;
    int64_t come = 0, go = 0;
    memset(out, 0, (size_t)s->ranks * sizeof *out);
    for (int i = 0; i < s->groups; i++) {
        out[s->destination[i]] = (int)s->items[i];
        out_at[s->destination[i]] = (int)go;
        go += s->items[i];
    }
    MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, s->comm);
    for (int i = 0; i < s->ranks; come += in[i++]) in_at[i] = (int)come;
    make_room(s, come);
    MPI_Alltoallv(s->out, out, out_at, MPI_INT64_T, s->in, in, in_at, MPI_INT64_T, s->comm);
    if (s->adds) add_up(s, s->in, come);
}

/* ---- the scene ----------------------------------------------------------------------------------------- */

static int is_destination(int from, int to, int ranks) {
    int order[1024], others = 0;
    uint64_t seed = 77 + (uint64_t)from;
    for (int i = 0; i < ranks; i++)
        if (i != from) order[others++] = i;
    random_shuffle(&seed, order, others);
    for (int i = 0; i < others && i < DESTINATIONS; i++)
        if (order[i] == to) return 1;
    return to == from;
}

static void open_scene(scene *s, int64_t each) {
    MPI_Comm_rank(s->comm, &s->rank);
    MPI_Comm_size(s->comm, &s->ranks);
    if (s->ranks > 1024) give_up("more than 1024 ranks");
    s->out = room((size_t)((DESTINATIONS + 1) * each), sizeof *s->out);
    s->counts = room(4 * (size_t)s->ranks, sizeof *s->counts);
    for (int p = 0; p < s->ranks; p++) {
        if (is_destination(s->rank, p, s->ranks)) {
            for (int64_t i = 0; i < each; i++) s->out[s->groups * each + i] = item(s->rank, p, i);
            s->destination[s->groups] = p;
            s->items[s->groups++] = each;
        }
        for (int64_t i = 0; is_destination(p, s->rank, s->ranks) && i < each; i++) {
            s->expected += item(p, s->rank, i);
        }
    }
}

static void check(const subject *subject) {
    scene *s = subject->state;
    s->adds = 1;
    subject->run(s);
    s->adds = 0;
    if (s->sum != s->expected)
        give_up("%s: the items of rank %d add up to %lld; expected %lld", subject->name, s->rank,
                (long long)s->sum, (long long)s->expected);
}

static void measure_size(table *t, int64_t each, int samples) {
    static scene scenes[MOST_SUBJECTS];
    subject subjects[] = {
        {.name = "deliver", .kind = OURS, .run = deliver},
        {.name = "discovery and plan", .kind = OURS, .run = discover_and_exchange},
        {.name = "discovery and plan, messages", .kind = OURS, .run = discover_and_exchange},
        {.name = "Alltoall, Alltoallv", .kind = OPPONENT, .run = by_hand}};
    char where[40];
    for (int i = 0; i < COUNT(subjects); i++) {
        scenes[i] = (scene){.comm = MPI_COMM_WORLD, .transport = i == 2 ? "net" : NULL};
        open_scene(&scenes[i], each);
        subjects[i].state = &scenes[i];
        check(&subjects[i]);
    }
    measure(&(measuring){MPI_COMM_WORLD, samples}, subjects, COUNT(subjects));
    snprintf(where, sizeof where, "items=%lld", (long long)each);
    t->ranks = scenes[0].ranks;
    table_add(t, where, subjects, COUNT(subjects));
    for (int i = 0; i < COUNT(subjects); i++) {
        check(&subjects[i]);
        qdr_arrivals_free(&scenes[i].came);
        free(scenes[i].out), free(scenes[i].in), free(scenes[i].counts);
    }
}

int main(int count, char **argument) {
    static const int64_t sizes[] = {1, 16, 256, 2048, 16384, 131072};
    table t = {.mode = "deliver"};
    int samples = 51, rank;
    MPI_Init(&count, &argument);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 1; i < count; i++)
        if (!strcmp(argument[i], "--raw"))
            t.raw = rank == 0;
        else if (!strcmp(argument[i], "--samples") && i + 1 < count && atoi(argument[i + 1]) > 0)
            samples = atoi(argument[++i]);
        else
            give_up("'%s': expected --samples N or --raw", argument[i]);
    for (int i = 0; i < COUNT(sizes); i++) measure_size(&t, sizes[i], samples);
    if (rank == 0) {
        table_print(&t);
        table_ratio(&t, "deliver", "discovery and plan");
        table_ratio(&t, "Alltoall, Alltoallv", "deliver");
    }
    MPI_Finalize();
    return 0;
}
