/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What it takes until the first exchange is done, and after how many exchanges that has paid.
 *
 * Ours and PetscSF start from what the ghosts' side knows: the owner of each ghost, and which of its elements
 * it is. The others are given both sides' lists for nothing, which flatters them. Twice: on a communicator
 * that the method has seen before, and on one that it has not, for libraries keep things for a communicator.
 */
#include "halo.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct maker {
    const method *m;
    halo h; /* shares the lists; the communicator may be another */
    void *data, *state;
    int width;
    MPI_Comm parent;
    int fresh; /* a communicator of its own each time */
} maker;

static void make(void *state) {
    maker *k = state;
    k->state = k->m->open(&k->h, k->data, k->width);
    k->m->run(k->state);
}

static void prepare(void *state) {
    maker *k = state;
    if (k->fresh) MPI_Comm_dup(k->parent, &k->h.comm);
}

static void clear(void *state) {
    maker *k = state;
    k->m->close(k->state);
    if (k->fresh) MPI_Comm_free(&k->h.comm);
}

static void measure_setups(const setting *how, const halo *h, const method **chosen, int count, int width,
                           int fresh, subject *subjects) {
    maker makers[MOST_METHODS];
    void *data = room((size_t)(h->owned + h->ghosts) * (size_t)width, sizeof(double));
    for (int i = 0; i < count; i++) {
        makers[i] = (maker){chosen[i], *h, data, NULL, width, h->comm, fresh};
        subjects[i] = (subject){.name = chosen[i]->name,
                                .kind = chosen[i]->kind,
                                .run = make,
                                .before = prepare,
                                .after = clear,
                                .state = &makers[i]};
    }
    measure(&(measuring){how->comm, how->repetitions}, subjects, count);
    free(data);
}

/* After how many exchanges `ours` is ahead of another. */
static void print_amortised(double ours, double other, double ours_each, double other_each) {
    if (ours <= other && ours_each <= other_each)
        printf(" at once |");
    else if (other_each <= ours_each)
        printf(" never |");
    else
        printf(" %.0f |", (ours - other) / (other_each - ours_each));
}

static int find(const table *t, const char *name) {
    for (int i = 0; i < t->rows; i++)
        if (!strcmp(t->name[i], name)) return i;
    return -1;
}

static void print_setups(const table *each, const subject *seen, const subject *fresh, const char *where) {
    int ours = find(each, "ours"), incoming = find(each, "ours-incoming");
    printf("\nset-up with the first exchange, %d ranks, %s, microseconds\n\n", each->ranks, where);
    printf("| method | set-up | on a communicator not seen before | one exchange | `ours` is ahead after | "
           "`ours-incoming` after |\n|---|---:|---:|---:|---:|---:|\n");
    for (int i = 0; i < each->rows; i++) {
        printf("| %s | %.1f (%.0f%%) | %.1f (%.0f%%) | %.2f |", each->name[i], 1e6 * seen[i].median,
               100 * spread(&seen[i]), 1e6 * fresh[i].median, 100 * spread(&fresh[i]),
               1e6 * each->seconds[0][i]);
        for (int k = 0; k < 2; k++) {
            int own = k == 0 ? ours : incoming;
            if (own < 0 || each->kind[i] != OPPONENT)
                printf(" |");
            else
                print_amortised(seen[own].median, seen[i].median, each->seconds[0][own], each->seconds[0][i]);
        }
        printf("\n");
    }
}

void setup_cell(const setting *how, const halo *h, int width, const char *where, int raw) {
    const method *chosen[MOST_METHODS];
    subject seen[MOST_METHODS], fresh[MOST_METHODS];
    int count = choose_methods(how, exchange_tables, chosen);
    table each = {.mode = "exchange", .ranks = h->ranks};
    exchange_cell(how, h, width, where, &each);
    measure_setups(how, h, chosen, count, width, 0, seen);
    measure_setups(how, h, chosen, count, width, 1, fresh);
    if (h->rank > 0) return;
    for (int i = 0; raw && i < count; i++)
        printf("cell mode=setup P=%d %s method=%s kind=%s us=%.4f spread=%.3f fresh=%.4f each=%.4f\n",
               h->ranks, where, seen[i].name, kind_name(seen[i].kind), 1e6 * seen[i].median, spread(&seen[i]),
               1e6 * fresh[i].median, 1e6 * each.seconds[0][i]);
    print_setups(&each, seen, fresh, where);
}
