/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who owns what? A million ids lie on the ranks, in no order; each rank then looks for 200,000 of them, drawn
 * at random from all.
 *
 *     mpirun -n 4 directory [--ids N] [--finds N] [--samples N] [--raw]
 *
 * This library's directory against Zoltan's and against a rendezvous written by hand. A sample is a whole
 * life: create and insert (build), then find, with no meeting of the ranks in between but those of the
 * method. `build` ends when the last rank has built, `find` is the rest until the last one has found. What
 * was found is verified in every sample, and the directory is destroyed, both beside the clock. Three cells:
 * sparse ids, the one that counts; with half as many samples the same with a payload of 16 bytes, and dense
 * ids in blocks.
 *
 * The heap keeps what is freed, as the library's shared memory does. Left alone, the C library gives large
 * blocks back to the system after some lives and not after others, and opponents pay for them again.
 */
#include "directory.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "table.h"

enum { MOST_METHODS = 8, PHASES = 3 };

typedef struct cell {
    const char *mode, *word, *title;
    int dense, payload_words;
} cell;

static const cell cells[] = {
    {"directory", "sparse", "sparse ids", 0, 0},
    {"directory-payload", "payload", "sparse ids, payload of 16 bytes", 0, 2},
    {"directory-dense", "dense", "dense ids in blocks", 1, 0},
};

#ifndef WITH_ZOLTAN
const method zoltan_methods[] = {{0}};
#endif
static const method *const tables[] = {zoltan_methods, plain_methods, ours_methods};

/* ---- ids ----------------------------------------------------------------------------------------------- */

/* The generator never repeats itself: ids are distinct. */
static int64_t sparse_id(int item) {
    uint64_t state = 1000 + (uint64_t)item * UINT64_C(0x9e3779b97f4a7c15);
    return (int64_t)random_next(&state);
}

static uint64_t payload_word(int64_t id, int word) {
    return (uint64_t)id * 3 + (uint64_t)word;
}

/* item[i] is what this rank needs as the i-th. */
static void open_scene(scene *s, const cell *c, int *item) {
    size_t words = (size_t)c->payload_words;
    uint64_t seed = 31;
    int *number = room((size_t)s->items, sizeof *number);
    s->dense = c->dense;
    s->payload_words = c->payload_words;
    s->own_id = room((size_t)s->owned, sizeof *s->own_id);
    s->need_id = room((size_t)s->needed, sizeof *s->need_id);
    s->owner = room((size_t)s->needed, sizeof *s->owner);
    s->local = room((size_t)s->needed, sizeof *s->local);
    s->own_payload = words ? room((size_t)s->owned * words, sizeof *s->own_payload) : NULL;
    s->payload = words ? room((size_t)s->needed * words, sizeof *s->payload) : NULL;
    for (int i = 0; i < s->items; i++) number[i] = i;
    if (c->dense) random_shuffle(&seed, number, s->items);
    for (int i = 0; i < s->owned; i++) {
        int own = s->rank * s->owned + i;
        s->own_id[i] = c->dense ? number[own] : sparse_id(own);
        for (int k = 0; k < c->payload_words; k++)
            s->own_payload[(size_t)i * words + (size_t)k] = payload_word(s->own_id[i], k);
    }
    seed = 77 + (uint64_t)s->rank;
    for (int i = 0; i < s->needed; i++) {
        item[i] = random_below(&seed, s->items);
        s->need_id[i] = c->dense ? number[item[i]] : sparse_id(item[i]);
    }
    free(number);
}

static void close_scene(scene *s) {
    free(s->own_id), free(s->need_id), free(s->owner), free(s->local), free(s->own_payload), free(s->payload);
}

/* Whether all was found; it is wiped out, so that nobody is praised for what another has left. */
static void check(scene *s, const int *item, const char *name) {
    for (int i = 0; i < s->needed; i++) {
        int owner = item[i] / s->owned, local = item[i] % s->owned, right;
        right = s->owner[i] == owner && s->local[i] == local;
        for (int k = 0; k < s->payload_words; k++) {
            uint64_t *word = &s->payload[i * s->payload_words + k];
            right &= *word == payload_word(s->need_id[i], k);
            *word = 0;
        }
        if (!right)
            give_up(
                "%s: rank %d finds id %lld as element %lld of rank %d; expected %d of %d, and its payload",
                name, s->rank, (long long)s->need_id[i], (long long)s->local[i], s->owner[i], local, owner);
        s->owner[i] = -2;
        s->local[i] = -2;
    }
}

/* ---- lives --------------------------------------------------------------------------------------------- */

typedef struct lives {
    const method *method;
    scene *s;
    const int *item;
    void *state;
    int sample;
    double *built, *found; /* [samples]: seconds since the beginning */
    double entry_bytes;
} lives;

static void live(void *state) {
    lives *l = state;
    double begin = seconds_now();
    l->method->build(l->state);
    l->built[l->sample] = seconds_now() - begin;
    l->method->find(l->state);
    l->found[l->sample] = seconds_now() - begin;
}

static void after(void *state) {
    lives *l = state;
    l->s->entry_bytes = 0;
    l->method->end(l->state);
    l->entry_bytes = l->s->entry_bytes;
    check(l->s, l->item, l->method->name);
    l->sample++;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void summarize(subject *phase, double *seconds, int samples) {
    qsort(seconds, (size_t)samples, sizeof *seconds, by_size);
    phase->low = seconds[samples / 4];
    phase->median = seconds[samples / 2];
    phase->high = seconds[samples * 3 / 4];
}

/* Collective. The phases of one method: build, find, both. */
static void divide(lives *l, const subject *both, int samples, char name[PHASES - 1][64], subject *phases) {
    MPI_Allreduce(MPI_IN_PLACE, l->built, samples, MPI_DOUBLE, MPI_MAX, l->s->comm);
    MPI_Allreduce(MPI_IN_PLACE, l->found, samples, MPI_DOUBLE, MPI_MAX, l->s->comm);
    MPI_Allreduce(MPI_IN_PLACE, &l->entry_bytes, 1, MPI_DOUBLE, MPI_MAX, l->s->comm);
    for (int i = 0; i < samples; i++) l->found[i] -= l->built[i];
    snprintf(name[0], sizeof name[0], "%s:build", both->name);
    snprintf(name[1], sizeof name[1], "%s:find", both->name);
    phases[0] = phases[1] = phases[2] = *both;
    for (int i = 0; i < PHASES - 1; i++) phases[i].name = name[i];
    summarize(&phases[0], l->built, samples);
    summarize(&phases[1], l->found, samples);
}

/* ---- cells --------------------------------------------------------------------------------------------- */

/* A figure that there may not be. */
static void print_figure(double value, int digits) {
    if (value > 0)
        printf(" %.*f |", digits, value);
    else
        printf(" |");
}

static void print_cell(const cell *c, const scene *s, const subject *phases, const lives *methods,
                       int count) {
    double ours = 0;
    for (int i = 0; i < count; i++)
        if (!strcmp(methods[i].method->name, "ours")) ours = phases[i * PHASES + 2].median;
    printf(
        "\n%s, %d of them, %d finds per rank, %d ranks, milliseconds (distance of the quartiles)\n\n"
        "| method | build | find | both | both / ours | bytes per entry |\n|---|---:|---:|---:|---:|---:|\n",
        c->title, s->items, s->needed, s->ranks);
    for (int i = 0; i < count; i++) {
        printf("| %s |", methods[i].method->name);
        for (int k = i * PHASES; k < (i + 1) * PHASES; k++)
            printf(" %.2f (%.0f%%) |", 1e3 * phases[k].median, 100 * spread(&phases[k]));
        print_figure(ours > 0 ? phases[i * PHASES + 2].median / ours : 0, 2);
        print_figure(methods[i].entry_bytes, 1);
        printf("\n");
    }
}

static void print_raw(const cell *c, const scene *s, const subject *phases, const lives *methods, int count) {
    table t = {.mode = c->mode, .raw = 1, .ranks = s->ranks};
    table_add(&t, "", phases, count * PHASES);
    for (int i = 0; i < count; i++)
        if (methods[i].entry_bytes > 0)
            printf("cell mode=directory-memory P=%d entry=%s method=%s kind=%s bytes=%.2f\n", s->ranks,
                   c->word, methods[i].method->name, kind_name(methods[i].method->kind),
                   methods[i].entry_bytes);
}

/* Those that are to be had, each after one life that warms up. */
static int open_lives(scene *s, const int *item, int samples, lives *methods, subject *subjects) {
    int count = 0;
    for (int i = 0; i < COUNT(tables); i++)
        for (const method *m = tables[i]; m->name; m++) {
            void *state = m->open(s);
            if (!state) continue;
            if (count == MOST_METHODS) give_up("more than %d methods", MOST_METHODS);
            lives *l = &methods[count];
            *l = (lives){.method = m,
                         .s = s,
                         .item = item,
                         .state = state,
                         .built = room((size_t)samples, sizeof *l->built),
                         .found = room((size_t)samples, sizeof *l->found)};
            subjects[count++] =
                (subject){.name = m->name, .kind = m->kind, .run = live, .after = after, .state = l};
            live(l);
            after(l);
            l->sample = 0;
        }
    return count;
}

static void run_cell(const cell *c, scene *s, int samples, int raw) {
    lives methods[MOST_METHODS];
    subject subjects[MOST_METHODS], phases[MOST_METHODS * PHASES];
    char name[MOST_METHODS][PHASES - 1][64];
    int *item = room((size_t)s->needed, sizeof *item);
    open_scene(s, c, item);
    int count = open_lives(s, item, samples, methods, subjects);
    measure(&(measuring){s->comm, samples}, subjects, count);
    for (int i = 0; i < count; i++) divide(&methods[i], &subjects[i], samples, name[i], &phases[i * PHASES]);
    if (s->rank == 0) print_cell(c, s, phases, methods, count);
    if (s->rank == 0 && raw) print_raw(c, s, phases, methods, count);
    for (int i = 0; i < count; i++) {
        methods[i].method->close(methods[i].state);
        free(methods[i].built), free(methods[i].found);
    }
    close_scene(s);
    free(item);
}

static void keep_memory(void) {
#if defined(__GLIBC__)
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
#endif
}

int main(int count, char **argument) {
    scene s = {.comm = MPI_COMM_WORLD, .needed = 200000};
    int samples = 9, items = 1000000, raw = 0;
    keep_memory();
    MPI_Init(&count, &argument);
    MPI_Comm_rank(s.comm, &s.rank);
    MPI_Comm_size(s.comm, &s.ranks);
    for (int i = 1; i < count; i++) {
        int value = i + 1 < count ? atoi(argument[i + 1]) : 0;
        if (!strcmp(argument[i], "--raw"))
            raw = 1;
        else if (!strcmp(argument[i], "--samples") && value > 0)
            samples = value, i++;
        else if (!strcmp(argument[i], "--ids") && value >= s.ranks)
            items = value, i++;
        else if (!strcmp(argument[i], "--finds") && value > 0)
            s.needed = value, i++;
        else
            give_up("'%s': expected --ids N, --finds N, --samples N or --raw", argument[i]);
    }
#ifndef WITH_ZOLTAN
    if (s.rank == 0) puts("built without Zoltan: libtrilinos-zoltan-dev was not found");
#endif
    s.owned = items / s.ranks;
    s.items = s.owned * s.ranks;
    for (int i = 0; i < COUNT(cells); i++)
        run_cell(&cells[i], &s, i && samples > 1 ? samples / 2 : samples, raw);
    MPI_Finalize();
    return 0;
}
