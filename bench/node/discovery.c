/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who sends to me, and how much? Every rank has up to 8 destinations, others than itself, drawn at random.
 *
 *     mpirun -n 16 discovery [--samples N] [--raw]
 *
 * Each method of this library and its default (qdr_partners_from_sends), with the objects that they make; the same told with
 * parcels (qdr_discover); against what is written by hand: MPI_Alltoall of counts, nothing but the zeroed array and the call; MPI_Reduce_scatter_block, then
 * messages that carry the counts; and NBX.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"
#include "quadrille/discover.h"
#include "table.h"

enum { DESTINATIONS = 8, TAG = 21, MOST_SUBJECTS = 16 };

typedef struct scene {
    const char *method; /* of the library; NULL: the default */
    MPI_Comm comm;
    int rank, ranks;
    int count, destination[DESTINATIONS];
    int64_t items[DESTINATIONS];
    int64_t *truth; /* [ranks] */
    int64_t *found; /* [ranks]: where a run tells what it found; NULL: it does not */
    int *out, *in;  /* [ranks] */
    int parity;
} scene;

static int64_t items_between(int from, int to) {
    return 1 + (from * 31 + to * 7) % 100;
}

/* ---- methods ------------------------------------------------------------------------------------------- */

static void tell(const scene *s, int source, int64_t items) {
    if (s->found) s->found[source] = items;
}

static void mark(scene *s, int with_items) {
    memset(s->out, 0, (size_t)s->ranks * sizeof *s->out);
    for (int i = 0; i < s->count; i++) s->out[s->destination[i]] = with_items ? (int)s->items[i] : 1;
}

static void alltoall(void *state) {
    scene *s = state;
    mark(s, 1);
    MPI_Alltoall(s->out, 1, MPI_INT, s->in, 1, MPI_INT, s->comm);
    for (int i = 0; s->found && i < s->ranks; i++) tell(s, i, s->in[i]);
}

/* Nobody is through the next round's collective before all are through this round's messages. */
static void reduce_scatter(void *state) {
    scene *s = state;
    int arriving;
    mark(s, 0);
    MPI_Reduce_scatter_block(s->out, &arriving, 1, MPI_INT, MPI_SUM, s->comm);
    MPI_Request sent[DESTINATIONS];
    for (int i = 0; i < s->count; i++)
        MPI_Isend(&s->items[i], 1, MPI_INT64_T, s->destination[i], TAG, s->comm, &sent[i]);
    for (int i = 0; i < arriving; i++) {
        MPI_Status status;
        int64_t items;
        MPI_Recv(&items, 1, MPI_INT64_T, MPI_ANY_SOURCE, TAG, s->comm, &status);
        tell(s, status.MPI_SOURCE, items);
    }
    MPI_Waitall(s->count, sent, MPI_STATUSES_IGNORE);
}

/* Two tags in turn: who is through may send for the next round while another still looks. */
static void nbx(void *state) {
    scene *s = state;
    MPI_Request sent[DESTINATIONS], barrier = MPI_REQUEST_NULL;
    int tag = TAG + 1 + (s->parity ^= 1), met = 0, in_barrier = 0, taken = 0;
    for (int i = 0; i < s->count; i++)
        MPI_Issend(&s->items[i], 1, MPI_INT64_T, s->destination[i], tag, s->comm, &sent[i]);
    while (!met) {
        MPI_Status status;
        int there;
        MPI_Iprobe(MPI_ANY_SOURCE, tag, s->comm, &there, &status);
        if (there) {
            int64_t items;
            MPI_Recv(&items, 1, MPI_INT64_T, status.MPI_SOURCE, tag, s->comm, &status);
            tell(s, status.MPI_SOURCE, items);
        }
        if (in_barrier)
            MPI_Test(&barrier, &met, MPI_STATUS_IGNORE);
        else
            MPI_Testall(s->count, sent, &taken, MPI_STATUSES_IGNORE);
        if (taken && !in_barrier) {
            MPI_Ibarrier(s->comm, &barrier);
            in_barrier = 1;
        }
    }
}

static void ours(void *state) {
    scene *s = state;
    qdr_partners *partners = NULL;
    if (qdr_partners_from_sends(s->comm, s->count, s->destination, s->items, s->method, &partners))
        give_up("qdr_partners_from_sends: %s", qdr_error_message());
    qdr_partners_view view = qdr_partners_look(partners);
    for (int i = 0; s->found && i < view.receives; i++) tell(s, view.source[i], view.receive_items[i]);
    qdr_partners_destroy(&partners);
}

/* The same by parcels: what comes is theirs who sent it, and how much is what it says. */
static void parcels(void *state) {
    scene *s = state;
    qdr_parcel out[DESTINATIONS], *in = NULL;
    int arrived = 0;
    for (int i = 0; i < s->count; i++)
        out[i] = (qdr_parcel){s->destination[i], sizeof(int64_t), &s->items[i]};
    if (qdr_discover(s->comm, NULL, s->count, out, &arrived, &in))
        give_up("qdr_discover: %s", qdr_error_message());
    for (int i = 0; s->found && i < arrived; i++) tell(s, in[i].rank, *(const int64_t *)in[i].data);
    free(in);
}

/* ---- the scene ----------------------------------------------------------------------------------------- */

/* The destinations of a rank: the first of its random order of the others. */
static int draw(int rank, int ranks, int *order) {
    uint64_t seed = 77 + (uint64_t)rank;
    int others = 0;
    for (int i = 0; i < ranks; i++)
        if (i != rank) order[others++] = i;
    random_shuffle(&seed, order, others);
    return others < DESTINATIONS ? others : DESTINATIONS;
}

static void open_scene(scene *s) {
    MPI_Comm_rank(s->comm, &s->rank);
    MPI_Comm_size(s->comm, &s->ranks);
    size_t ranks = (size_t)s->ranks;
    int *order = room(ranks, sizeof *order);
    s->truth = room(ranks, sizeof *s->truth);
    s->out = room(ranks, sizeof *s->out);
    s->in = room(ranks, sizeof *s->in);
    for (int p = 0; p < s->ranks; p++) {
        int count = draw(p, s->ranks, order);
        for (int i = 0; i < count; i++) {
            if (order[i] == s->rank) s->truth[p] = items_between(p, s->rank);
            if (p != s->rank) continue;
            s->destination[s->count] = order[i];
            s->items[s->count++] = items_between(p, order[i]);
        }
    }
    free(order);
}

static void check(const subject *subject) {
    scene *s = subject->state;
    for (int round = 0; round < 3; round++) {
        s->found = room((size_t)s->ranks, sizeof *s->found);
        subject->run(s);
        for (int i = 0; i < s->ranks; i++)
            if (s->found[i] != s->truth[i])
                give_up("%s: rank %d gets %lld from rank %d; expected %lld", subject->name, s->rank,
                        (long long)s->found[i], i, (long long)s->truth[i]);
        free(s->found);
        s->found = NULL;
    }
}

static int add(subject *subjects, int count, scene *scenes, const scene *model, const char *name,
               subject_kind kind, void (*run)(void *), const char *method) {
    if (count == MOST_SUBJECTS) give_up("more than %d methods", MOST_SUBJECTS);
    scenes[count] = *model;
    scenes[count].method = method;
    subjects[count] = (subject){.name = name, .kind = kind, .run = run, .state = &scenes[count]};
    return count + 1;
}

int main(int count, char **argument) {
    scene model = {.comm = MPI_COMM_WORLD}, scenes[MOST_SUBJECTS];
    subject subjects[MOST_SUBJECTS];
    table t = {.mode = "discovery"};
    const qdr_discovery_info *info;
    char own[MOST_SUBJECTS][64];
    int samples = 201, n = 0;
    MPI_Init(&count, &argument);
    for (int i = 1; i < count; i++)
        if (!strcmp(argument[i], "--raw"))
            t.raw = 1;
        else if (!strcmp(argument[i], "--samples") && i + 1 < count && atoi(argument[i + 1]) > 0)
            samples = atoi(argument[++i]);
        else
            give_up("'%s': expected --samples N or --raw", argument[i]);
    open_scene(&model);
    t.ranks = model.ranks;
    n = add(subjects, n, scenes, &model, "MPI_Alltoall", OPPONENT, alltoall, NULL);
    n = add(subjects, n, scenes, &model, "MPI_Reduce_scatter_block", OPPONENT, reduce_scatter, NULL);
    n = add(subjects, n, scenes, &model, "NBX", OPPONENT, nbx, NULL);
    n = add(subjects, n, scenes, &model, "default", OURS, ours, NULL);
    n = add(subjects, n, scenes, &model, "qdr_discover", OURS, parcels, NULL);
    for (int i = 0; (info = qdr_discovery(i)); i++) {
        snprintf(own[n], sizeof own[n], "ours:%s", info->name);
        n = add(subjects, n, scenes, &model, own[n], OURS, ours, info->name);
    }
    for (int i = 0; i < n; i++) check(&subjects[i]);
    measure(&(measuring){model.comm, samples}, subjects, n);
    for (int i = 0; i < n; i++) check(&subjects[i]);
    char where[32];
    snprintf(where, sizeof where, "destinations=%d", model.count);
    if (model.rank == 0) {
        table_add(&t, where, subjects, n);
        table_print(&t);
        table_ratio(&t, "default", "best");
        table_ratio(&t, "MPI_Alltoall", "default");
        table_ratio(&t, "qdr_discover", "default");
    }
    free(model.truth), free(model.out), free(model.in);
    MPI_Finalize();
    return 0;
}
