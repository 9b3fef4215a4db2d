/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The halo of a mesh on one node: this library against what programs do by themselves, against PetscSF and
 * Zoltan, and against the limit of the memory.
 *
 *     mpirun -n 4 halo [OPTION]...
 *         --pattern mesh|all   a mesh in METIS parts, or everybody to everybody (mesh)
 *         --order grouped|shuffled|both   whether ghosts stand grouped by their owners (both)
 *         --size N,N,...       mesh: doubles per vertex (1,8,64); all: doubles to each (16,256,4096,65536)
 *         --rewrite            ghosts are read and what is sent is written between exchanges
 *         --reduce             sums of ghosts into their owners, three fields, instead
 *         --setup              set-up times, instead
 *         --samples N          per method and cell (201); --repetitions N of a set-up (30)
 *         --methods A,B,...    these alone
 *         --raw                one line of figures per method and cell, too
 *
 * `grouped` concerns methods that bring values to the user's array; what stays in the library's memory, or in
 * the window of a limit, has an order of its own. scripts/bench-node runs all of it.
 */
#include "halo.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_SIZES = 8 };

typedef struct options {
    setting how;
    int all, reduce, setup, raw;
    int grouped, shuffled;
    int size[MOST_SIZES], sizes;
} options;

const method *const exchange_tables[] = {
    plain_methods,
#ifdef WITH_PETSC
    petsc_methods,
#endif
#ifdef WITH_ZOLTAN
    zoltan_methods,
#endif
    ours_methods,   limit_methods, NULL,
};

const method *const sum_tables[] = {
    plain_sums,
#ifdef WITH_PETSC
    petsc_sums,
#endif
    ours_sums,
    NULL,
};

static void parse_sizes(const char *text, options *o) {
    char *end;
    o->sizes = 0;
    do {
        long size = strtol(text, &end, 10);
        if (end == text || size < 1 || size > 100000 || o->sizes == MOST_SIZES)
            give_up("--size: '%s' is not a list of up to %d numbers", text, MOST_SIZES);
        o->size[o->sizes++] = (int)size;
        text = end + 1;
    } while (*end == ',');
}

static int parse_count(const char *option, const char *text) {
    int count = atoi(text);
    if (count < 1 || count > 100000) give_up("%s %s; expected 1 to 100000", option, text);
    return count;
}

static void parse_pair(const char *option, const char *value, options *o) {
    if (!strcmp(option, "--pattern") && !strcmp(value, "all"))
        o->all = 1;
    else if (!strcmp(option, "--pattern") && !strcmp(value, "mesh"))
        o->all = 0;
    else if (!strcmp(option, "--order")) {
        o->grouped = !!strcmp(value, "shuffled");
        o->shuffled = !!strcmp(value, "grouped");
    } else if (!strcmp(option, "--size"))
        parse_sizes(value, o);
    else if (!strcmp(option, "--samples"))
        o->how.samples = parse_count(option, value);
    else if (!strcmp(option, "--repetitions"))
        o->how.repetitions = parse_count(option, value);
    else if (!strcmp(option, "--methods"))
        o->how.only = value;
    else
        give_up("%s %s is not an option; halo.c says what there is", option, value);
}

static options parse(int count, char **argument) {
    options o = {
        .how = {.comm = MPI_COMM_WORLD, .samples = 201, .repetitions = 30}, .grouped = 1, .shuffled = 1};
    struct {
        const char *name;
        int *value;
    } switches[] = {
        {"--rewrite", &o.how.rewrite}, {"--reduce", &o.reduce}, {"--setup", &o.setup}, {"--raw", &o.raw}};
    for (int i = 1; i < count; i++) {
        int found = 0;
        for (int k = 0; k < COUNT(switches); k++)
            if (!strcmp(argument[i], switches[k].name)) *switches[k].value = found = 1;
        if (found) continue;
        if (i + 1 == count) give_up("%s is not an option, or needs a value", argument[i]);
        parse_pair(argument[i], argument[i + 1], &o);
        i++;
    }
    if (!o.sizes) parse_sizes(o.all ? "16,256,4096,65536" : "1,8,64", &o);
    return o;
}

static void one_cell(const options *o, const halo *h, const char *order, int size, table *t) {
    char where[64];
    if (o->reduce)
        snprintf(where, sizeof where, "order=%s", order);
    else
        snprintf(where, sizeof where, "order=%s %s=%d", order, o->all ? "k" : "b", size);
    if (o->reduce)
        sums_cell(&o->how, h, where, t);
    else if (o->setup)
        setup_cell(&o->how, h, o->all ? 1 : size, where, o->raw);
    else
        exchange_cell(&o->how, h, o->all ? 1 : size, where, t);
}

static void run_order(const options *o, int grouped, table *t) {
    halo h;
    if (!o->all) halo_mesh(o->how.comm, grouped, &h);
    for (int i = 0; i < (o->reduce ? 1 : o->sizes); i++) {
        if (o->all) halo_all(o->how.comm, o->size[i], grouped, &h);
        one_cell(o, &h, grouped ? "grouped" : "shuffled", o->size[i], t);
        if (o->all) halo_free(&h);
    }
    if (!o->all) halo_free(&h);
}

static void print_all(const table *t) {
    table_print(t);
    table_ratio(t, "best opponent", "ours");
    table_ratio(t, "best opponent", "ours-incoming");
    table_ratio(t, "petscsf", "ours");
    table_ratio(t, "ours", "limit-staged");
    table_ratio(t, "ours-incoming", "limit-pushed");
}

int main(int count, char **argument) {
    MPI_Init(&count, &argument);
    options o = parse(count, argument);
    table t = {.raw = o.raw,
               .mode = o.reduce        ? "reduce"
                       : o.how.rewrite ? "rewrite"
                       : o.all         ? "all"
                                       : "mesh"};
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &t.ranks);
#ifdef WITH_PETSC
    petsc_enter();
#else
    if (rank == 0) puts("built without PetscSF: libpetsc-real-dev was not found");
#endif
#ifndef WITH_ZOLTAN
    if (rank == 0) puts("built without Zoltan: libtrilinos-zoltan-dev was not found");
#endif
    if (o.grouped) run_order(&o, 1, &t);
    if (o.shuffled) run_order(&o, 0, &t);
    if (rank == 0 && t.columns > 0) print_all(&t);
#ifdef WITH_PETSC
    petsc_leave();
#endif
    MPI_Finalize();
    return 0;
}
