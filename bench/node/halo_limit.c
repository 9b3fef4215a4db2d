/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The limits: the least code that does it in shared memory, without any library, for ranks of one node.
 *
 *     limit-staged   gathered into the receiver's window, scattered from there: any array of the user
 *     limit-pushed   gathered into the receiver's window, and used there
 *
 * A window holds two sets of incoming elements, which take turns, and for each source a sequence number in
 * cache lines of its own. Nobody waits for memory to be free: every edge goes both ways, so who has got the
 * neighbour's (n+1)-st message knows that it is done with the n-th, and may write the (n+2)-nd in its place.
 */
#include "halo.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Two lines, for processors that fetch pairs of them. With more ranks than cores few spins are best. */
enum { LINE = 128, SPINS = 50 };

typedef struct flag {
    _Atomic uint64_t number;
    char rest[LINE - sizeof(uint64_t)];
} flag;

/* Where a source finds its place in a receiver's window. */
typedef struct place {
    int64_t flag, first; /* the flag's number; its first element in a set */
} place;

typedef struct window {
    const halo *h;
    double *array;
    int width, scatters;
    MPI_Win memory;
    uint64_t number; /* of the exchange */
    flag *flags;     /* [sources], in this rank's window */
    double *set[2];
    flag **there;       /* [destinations]: this rank's flag over there */
    double **target[2]; /* [destinations]: its place over there */
} window;

static void check_both_ways(const halo *h) {
    int same = h->send.partners == h->receive.partners;
    for (int i = 0; same && i < h->send.partners; i++) same = h->send.rank[i] == h->receive.rank[i];
    if (!same)
        give_up("the limits are for edges that go both ways, but rank %d has one that does not", h->rank);
}

/* Flags, then the two sets, from the first whole line on; pages are the same in all address spaces. */
static void lay_out(char *base, int sources, size_t set_doubles, flag **flags, double *set[2]) {
    base += (LINE - (uintptr_t)base % LINE) % LINE;
    *flags = (flag *)(void *)base;
    set[0] = (double *)(void *)(base + (size_t)sources * sizeof(flag));
    set[1] = set[0] + set_doubles;
}

/* Sets begin on a line. */
static size_t set_size(int ghosts, int width) {
    size_t per_line = LINE / sizeof(double);
    return ((size_t)ghosts * (size_t)width + per_line - 1) / per_line * per_line;
}

static void allocate(window *w) {
    MPI_Info info;
    void *base;
    size_t doubles = set_size(w->h->ghosts, w->width);
    size_t bytes = (size_t)w->h->receive.partners * sizeof(flag) + 2 * doubles * sizeof(double);
    MPI_Info_create(&info);
    MPI_Info_set(info, "alloc_shared_noncontig", "true");
    MPI_Win_allocate_shared((MPI_Aint)(bytes + LINE), 1, info, w->h->comm, &base, &w->memory);
    MPI_Info_free(&info);
    memset(base, 0, bytes + LINE); /* first touched by its receiver */
    lay_out(base, w->h->receive.partners, doubles, &w->flags, w->set);
}

/* Sources tell where their messages belong; the sizes of windows are known from the numbers of ghosts. */
static void connect(window *w) {
    const halo *h = w->h;
    size_t ranks = (size_t)h->ranks;
    place *tell = room(ranks, sizeof *tell), *told = room(ranks, sizeof *told);
    int shape[2] = {h->receive.partners, h->ghosts}, *shapes = room(2 * ranks, sizeof *shapes);
    for (int i = 0; i < h->receive.partners; i++)
        tell[h->receive.rank[i]] = (place){.flag = i, .first = h->receive.start[i]};
    MPI_Alltoall(tell, 2, MPI_INT64_T, told, 2, MPI_INT64_T, h->comm);
    MPI_Allgather(shape, 2, MPI_INT, shapes, 2, MPI_INT, h->comm);
    w->there = room((size_t)h->send.partners, sizeof *w->there);
    for (int s = 0; s < 2; s++) w->target[s] = room((size_t)h->send.partners, sizeof *w->target[s]);
    for (int i = 0; i < h->send.partners; i++) {
        int to = h->send.rank[i], unit;
        MPI_Aint bytes;
        void *base;
        flag *flags;
        double *set[2];
        MPI_Win_shared_query(w->memory, to, &bytes, &unit, &base);
        lay_out(base, shapes[2 * to], set_size(shapes[2 * to + 1], w->width), &flags, set);
        w->there[i] = flags + told[to].flag;
        for (int s = 0; s < 2; s++) w->target[s][i] = set[s] + told[to].first * w->width;
    }
    free(tell), free(told), free(shapes);
}

static window *window_open(const halo *h, void *data, int width) {
    window *w = room(1, sizeof *w);
    check_both_ways(h);
    *w = (window){.h = h, .array = data, .width = width};
    allocate(w);
    connect(w);
    MPI_Barrier(h->comm); /* nobody writes before all is zeroed */
    return w;
}

static void *pushed_open(const halo *h, void *data, int width) {
    return window_open(h, data, width);
}

static void *staged_open(const halo *h, void *data, int width) {
    window *w = window_open(h, data, width);
    w->scatters = 1;
    return w;
}

static void await(flag *f, uint64_t number) {
    for (int spins = 0; atomic_load_explicit(&f->number, memory_order_acquire) < number;)
        if (++spins > SPINS) sched_yield();
}

static const double *window_incoming(void *state, int source) {
    const window *w = state;
    return w->set[w->number % 2] + (size_t)w->h->receive.start[source] * (size_t)w->width;
}

static void window_run(void *state) {
    window *w = state;
    const halo *h = w->h;
    uint64_t number = ++w->number;
    for (int i = 0; i < h->send.partners; i++) {
        gather(&h->send, i, w->width, w->array, w->target[number % 2][i]);
        atomic_store_explicit(&w->there[i]->number, number, memory_order_release);
    }
    for (int i = 0; i < h->receive.partners; i++) {
        await(&w->flags[i], number);
        if (!w->scatters) continue;
        const double *came = window_incoming(w, i);
        if (h->grouped)
            memcpy(w->array + (size_t)h->receive.index[h->receive.start[i]] * (size_t)w->width, came,
                   (size_t)h->receive.count[i] * (size_t)w->width * sizeof(double));
        else
            scatter(&h->receive, i, w->width, came, w->array);
    }
}

static void window_close(void *state) {
    window *w = state;
    MPI_Win_free(&w->memory);
    free(w->there), free(w->target[0]), free(w->target[1]);
    free(w);
}

const method limit_methods[] = {
    {"limit-staged", LIMIT, staged_open, window_run, window_close, NULL},
    {"limit-pushed", LIMIT, pushed_open, window_run, window_close, window_incoming},
    {0},
};
