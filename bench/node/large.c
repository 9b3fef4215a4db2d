/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages of every size between ranks of a node, from a byte to 64 MB: this library against MPI.
 *
 *     mpirun -n 4 large [--mode plans|maps] [--pattern complete|mesh|zipf] [--least B] [--most B] [--samples N]
 *                       [--first] [--raw]
 *
 *     complete   the same to everyone
 *     mesh       the same to the two ranks above and the two below
 *     zipf       the k-th largest message has 1/k of the largest, in random order
 *
 * Plans have bytes that lie ready, maps elements of 32 bytes at random places of both arrays. --first measures instead
 * the first exchange against the second, each time on a communicator that the library has not seen. Exits with 1 when
 * an opponent is faster by more than 3%, or the first exchange takes more than three times the second.
 */
#include "large.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"

static const int64_t sizes[] = {1,         64,        1 << 10, 8 << 10, 32 << 10, 64 << 10, 128 << 10,
                                256 << 10, 512 << 10, 1 << 20, 2 << 20, 4 << 20,  16 << 20, 64 << 20};

static const int64_t most_in_all = INT64_C(2) << 30; /* bytes that all ranks send */

typedef struct request {
    int samples, first, raw, missed;
    int64_t least, most;
    const char *mode, *pattern;
} request;

/* ---- traffic ------------------------------------------------------------------------------------------- */

static int64_t bytes_of(const char *pattern, int ranks, int from, int to, int64_t largest) {
    int distance = (to - from + ranks) % ranks;
    if (from == to) return 0;
    if (!strcmp(pattern, "mesh")) return distance <= 2 || ranks - distance <= 2 ? largest : 0;
    if (strcmp(pattern, "zipf") != 0) return largest;
    uint64_t seed = 7;
    int pair[MOST_RANKS * MOST_RANKS];
    for (int i = 0; i < ranks * ranks; i++) pair[i] = i;
    random_shuffle(&seed, pair, ranks * ranks);
    int64_t share = largest / (1 + pair[from * ranks + to]);
    return share > 0 ? share : 1;
}

static int64_t whole_elements(const traffic *t, int64_t bytes) {
    return !t->is_map || bytes == 0 ? bytes : (bytes + ELEMENT - 1) / ELEMENT * ELEMENT;
}

static unsigned char content(int from, int to, int64_t at) {
    return (unsigned char)((uint64_t)at * 31 + (uint64_t)(at >> 8) * 7 + (uint64_t)(from * 5 + to * 3) + 1);
}

/* Where byte `at` of what is packed lies in the user's memory. */
static int64_t place_of(const int64_t *list, int64_t at) {
    return list ? list[at / ELEMENT] * ELEMENT + at % ELEMENT : at;
}

static int64_t *random_places(const traffic *t, int64_t bytes, uint64_t seed) {
    if (!t->is_map) return NULL;
    int64_t count = bytes / ELEMENT, *list = room((size_t)count, sizeof *list);
    for (int64_t k = 0; k < count; k++) list[k] = k;
    for (int64_t k = count - 1; k > 0; k--) {
        int64_t other = (int64_t)(random_next(&seed) % (uint64_t)(k + 1)), kept = list[k];
        list[k] = list[other];
        list[other] = kept;
    }
    return list;
}

static void open_traffic(traffic *t, MPI_Comm comm, const request *asked, int64_t largest) {
    memset(t, 0, sizeof *t);
    t->comm = comm;
    MPI_Comm_rank(comm, &t->rank);
    MPI_Comm_size(comm, &t->ranks);
    t->is_map = !strcmp(asked->mode, "maps");
    for (int r = 0; r < t->ranks; r++) {
        t->out[r] = whole_elements(t, bytes_of(asked->pattern, t->ranks, t->rank, r, largest));
        t->in[r] = whole_elements(t, bytes_of(asked->pattern, t->ranks, r, t->rank, largest));
        t->out_at[r + 1] = t->out_at[r] + t->out[r];
        t->in_at[r + 1] = t->in_at[r] + t->in[r];
    }
    t->outgoing = room((size_t)t->out_at[t->ranks], 1);
    t->incoming = room((size_t)t->in_at[t->ranks], 1);
    t->from = random_places(t, t->out_at[t->ranks], 3 + (uint64_t)t->rank);
    t->to = random_places(t, t->in_at[t->ranks], 300 + (uint64_t)t->rank);
    for (int r = 0; r < t->ranks; r++)
        for (int64_t k = 0; k < t->out[r]; k++)
            t->outgoing[place_of(t->from, t->out_at[r] + k)] = (char)content(t->rank, r, k);
    memset(t->incoming, 1, (size_t)t->in_at[t->ranks]);
}

static void close_traffic(traffic *t) {
    free(t->outgoing);
    free(t->incoming);
    free(t->from);
    free(t->to);
}

static void verify(const traffic *t, const char *name) {
    for (int r = 0; r < t->ranks; r++)
        for (int64_t k = 0; k < t->in[r]; k++)
            if ((unsigned char)t->incoming[place_of(t->to, t->in_at[r] + k)] != content(r, t->rank, k))
                give_up("%s: byte %lld from rank %d is wrong", name, (long long)k, r);
    memset(t->incoming, 0, (size_t)t->in_at[t->ranks]);
    MPI_Barrier(t->comm);
}

static int64_t bytes_in_all(const request *asked, int ranks, int64_t largest) {
    int64_t all = 0;
    for (int i = 0; i < ranks; i++)
        for (int k = 0; k < ranks; k++) all += bytes_of(asked->pattern, ranks, i, k, largest);
    return all;
}

/* ---- measuring ----------------------------------------------------------------------------------------- */

/* Its being there makes a sample one run: long ones need no more. */
static void nothing(void *state) {
    (void)state;
}

static void cell(const request *asked, int64_t largest, table *t) {
    const large_method *const lists[] = {large_plain, large_ours, large_limits};
    const large_method *method[MOST_ROWS];
    subject subjects[MOST_ROWS];
    traffic moved;
    int count = 0;
    char where[64];
    open_traffic(&moved, MPI_COMM_WORLD, asked, largest);
    int is_long = bytes_in_all(asked, moved.ranks, largest) > INT64_C(16) << 20;
    for (int l = 0; l < COUNT(lists); l++)
        for (const large_method *m = lists[l]; m->name; m++) {
            method[count] = m;
            subjects[count++] = (subject){.name = m->name,
                                          .kind = m->kind,
                                          .run = m->run,
                                          .state = m->open(&moved),
                                          .before = is_long ? nothing : NULL};
        }
    for (int turn = 0; turn < 2; turn++)
        for (int i = 0; i < count; i++) {
            subjects[i].run(subjects[i].state);
            MPI_Barrier(moved.comm);
            if (subjects[i].kind != LIMIT) verify(&moved, subjects[i].name);
        }
    measure(&(measuring){moved.comm, asked->samples}, subjects, count);
    snprintf(where, sizeof where, "pattern=%s size=%lld", asked->pattern, (long long)largest);
    if (moved.rank == 0) table_add(t, where, subjects, count);
    for (int i = 0; i < count; i++) method[i]->close(subjects[i].state);
    close_traffic(&moved);
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The first exchange and the second, medians of a few communicators. */
static void first_exchange(request *asked, int64_t largest) {
    enum { TIMES = 5 };
    double seconds[2][TIMES];
    traffic moved;
    for (int i = 0; i < TIMES; i++) {
        MPI_Comm comm;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        open_traffic(&moved, comm, asked, largest);
        void *state = large_ours[0].open(&moved);
        for (int turn = 0; turn < 2; turn++) {
            MPI_Barrier(comm);
            double begin = seconds_now();
            large_ours[0].run(state);
            seconds[turn][i] = seconds_now() - begin;
            MPI_Allreduce(MPI_IN_PLACE, &seconds[turn][i], 1, MPI_DOUBLE, MPI_MAX, comm);
        }
        large_ours[0].close(state);
        close_traffic(&moved);
        MPI_Comm_free(&comm);
    }
    for (int turn = 0; turn < 2; turn++) qsort(seconds[turn], TIMES, sizeof(double), by_size);
    double first = seconds[0][TIMES / 2], second = seconds[1][TIMES / 2];
    if (largest >= 64 << 10) asked->missed |= first > 3 * second;
    if (moved.rank == 0)
        for (int turn = 0; turn < 2; turn++)
            printf("first mode=%s P=%d pattern=%s size=%lld method=%s kind=ours us=%.1f\n", asked->mode,
                   moved.ranks, asked->pattern, (long long)largest, turn ? "second" : "first",
                   1e6 * seconds[turn][TIMES / 2]);
}

/* ---- the program --------------------------------------------------------------------------------------- */

static void read_arguments(int count, char **argument, request *asked) {
    for (int i = 1; i < count; i++) {
        const char *name = argument[i], *value = i + 1 < count ? argument[i + 1] : "";
        if (!strcmp(name, "--raw"))
            asked->raw = 1;
        else if (!strcmp(name, "--first"))
            asked->first = 1;
        else if (!strcmp(name, "--samples") && atoi(value) > 0)
            asked->samples = atoi(value), i++;
        else if (!strcmp(name, "--least") && atoll(value) > 0)
            asked->least = atoll(value), i++;
        else if (!strcmp(name, "--most") && atoll(value) > 0)
            asked->most = atoll(value), i++;
        else if (!strcmp(name, "--mode") && (!strcmp(value, "plans") || !strcmp(value, "maps")))
            asked->mode = value, i++;
        else if (!strcmp(name, "--pattern") &&
                 (!strcmp(value, "complete") || !strcmp(value, "mesh") || !strcmp(value, "zipf")))
            asked->pattern = value, i++;
        else
            give_up("'%s': expected --mode plans|maps, --pattern complete|mesh|zipf, --least B, --most B, "
                    "--samples N, "
                    "--first or --raw",
                    name);
    }
}

/* Whether ours is slower than the best opponent by more than 3% anywhere. */
static int is_behind(const table *t) {
    int behind = 0;
    for (int c = 0; c < t->columns; c++) {
        double best = 0, ours = 0;
        for (int i = 0; i < t->rows; i++) {
            if (t->kind[i] == OURS) ours = t->seconds[c][i];
            if (t->kind[i] == OPPONENT && (best == 0 || t->seconds[c][i] < best)) best = t->seconds[c][i];
        }
        behind |= ours > 1.03 * best;
    }
    return behind;
}

int main(int count, char **argument) {
    request asked = {
        .samples = 21, .least = 1, .most = INT64_C(64) << 20, .mode = "plans", .pattern = "complete"};
    table t = {.mode = ""};
    int rank;
    MPI_Init(&count, &argument);
    read_arguments(count, argument, &asked);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &t.ranks);
    if (t.ranks > MOST_RANKS) give_up("%d ranks; expected at most %d", t.ranks, MOST_RANKS);
    t.mode = asked.mode;
    t.raw = asked.raw;
    for (int i = 0; i < COUNT(sizes); i++) {
        if (sizes[i] < asked.least || sizes[i] > asked.most ||
            bytes_in_all(&asked, t.ranks, sizes[i]) > most_in_all)
            continue;
        if (asked.first)
            first_exchange(&asked, sizes[i]);
        else
            cell(&asked, sizes[i], &t);
    }
    if (rank == 0 && !asked.first) {
        table_print(&t);
        table_ratio(&t, "best opponent", "ours");
        table_ratio(&t, "ours", "copied-once");
        table_ratio(&t, "ours", "read-by-system");
        asked.missed = is_behind(&t);
    }
    MPI_Bcast(&asked.missed, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return asked.missed;
}
