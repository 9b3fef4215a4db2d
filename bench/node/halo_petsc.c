/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PetscSF, the star forest of PETSc: owned elements are roots, ghosts are leaves. It is made from what the
 * ghosts' side knows alone. An element of several doubles is one contiguous type, for which it packs whole
 * blocks; leaves that are contiguous it receives in place.
 */
#include "halo.h"

#include <petscsf.h>
#include <stdlib.h>

/* As PetscCall() does in PETSc's own functions, for functions that return nothing. */
#define CHECKED(call)                                                                                        \
    do {                                                                                                     \
        PetscErrorCode code_ = (call);                                                                       \
        if (code_) give_up("%s: PETSc error %d", #call, (int)code_);                                         \
    } while (0)

enum { MOST_FIELDS = 3 };

typedef struct forest {
    PetscSF sf;
    int fields;
    MPI_Datatype unit[MOST_FIELDS];
    int made[MOST_FIELDS]; /* whether the unit is ours to free */
    void *root[MOST_FIELDS], *leaf[MOST_FIELDS];
} forest;

/* PETSc duplicates a communicator for its objects and frees that with the last of them. A program always has
 * some, so one reference is kept. */
static MPI_Comm kept;

void petsc_enter(void) {
    CHECKED(PetscOptionsSetValue(NULL, "-no_signal_handler", "true"));
    CHECKED(PetscInitializeNoArguments());
    CHECKED(PetscCommDuplicate(MPI_COMM_WORLD, &kept, NULL));
}

void petsc_leave(void) {
    CHECKED(PetscCommDestroy(&kept));
    CHECKED(PetscFinalize());
}

static forest *forest_open(const halo *h) {
    forest *f = room(1, sizeof *f);
    PetscInt *leaf = room((size_t)h->ghosts, sizeof *leaf);
    PetscSFNode *root = room((size_t)h->ghosts, sizeof *root);
    for (int i = 0; i < h->receive.partners; i++)
        for (int k = h->receive.start[i]; k < h->receive.start[i + 1]; k++) {
            leaf[k] = h->receive.index[k] - h->owned;
            root[k] = (PetscSFNode){.rank = h->receive.rank[i], .index = h->remote[k]};
        }
    CHECKED(PetscSFCreate(h->comm, &f->sf));
    CHECKED(PetscSFSetType(f->sf, PETSCSFBASIC));
    CHECKED(PetscSFSetGraph(f->sf, h->owned, h->ghosts, h->grouped ? NULL : leaf, PETSC_COPY_VALUES, root,
                            PETSC_COPY_VALUES));
    CHECKED(PetscSFSetUp(f->sf));
    free(leaf), free(root);
    return f;
}

/* Roots and leaves of a field are the two parts of one array. */
static void add_field(forest *f, const halo *h, void *array, MPI_Datatype type, size_t bytes, int width) {
    int i = f->fields++;
    f->root[i] = array;
    f->leaf[i] = (char *)array + (size_t)h->owned * bytes * (size_t)width;
    f->unit[i] = type;
    f->made[i] = width > 1;
    if (width == 1) return;
    MPI_Type_contiguous(width, type, &f->unit[i]);
    MPI_Type_commit(&f->unit[i]);
}

static void forest_close(void *state) {
    forest *f = state;
    for (int i = 0; i < f->fields; i++)
        if (f->made[i]) MPI_Type_free(&f->unit[i]);
    CHECKED(PetscSFDestroy(&f->sf));
    free(f);
}

static void *bcast_open(const halo *h, void *data, int width) {
    forest *f = forest_open(h);
    add_field(f, h, data, MPI_DOUBLE, sizeof(double), width);
    return f;
}

static void bcast_run(void *state) {
    forest *f = state;
    CHECKED(PetscSFBcastBegin(f->sf, f->unit[0], f->root[0], f->leaf[0], MPI_REPLACE));
    CHECKED(PetscSFBcastEnd(f->sf, f->unit[0], f->root[0], f->leaf[0], MPI_REPLACE));
}

const method petsc_methods[] = {
    {"petscsf", OPPONENT, bcast_open, bcast_run, forest_close, NULL},
    {0},
};

/* ---- sums ---------------------------------------------------------------------------------------------- */

static forest *sums_open(const halo *h, const sum_fields *fields) {
    forest *f = forest_open(h);
    add_field(f, h, fields->one, MPI_DOUBLE, sizeof(double), 1);
    add_field(f, h, fields->three, MPI_DOUBLE, sizeof(double), 3);
    return f;
}

static void *whole_open(const halo *h, void *data, int width) {
    forest *f = sums_open(h, data);
    add_field(f, h, ((sum_fields *)data)->whole, MPI_INT64_T, sizeof(int64_t), width);
    return f;
}

static void *real_open(const halo *h, void *data, int width) {
    forest *f = sums_open(h, data);
    add_field(f, h, ((sum_fields *)data)->real, MPI_DOUBLE, sizeof(double), width);
    return f;
}

static void reduce_run(void *state) {
    forest *f = state;
    for (int i = 0; i < f->fields; i++)
        CHECKED(PetscSFReduceBegin(f->sf, f->unit[i], f->leaf[i], f->root[i], MPI_SUM));
    for (int i = 0; i < f->fields; i++)
        CHECKED(PetscSFReduceEnd(f->sf, f->unit[i], f->leaf[i], f->root[i], MPI_SUM));
}

/* It has no kernel of its own for 64-bit integers when its own are 32-bit: so also with a double instead. */
const method petsc_sums[] = {
    {"petscsf", OPPONENT, whole_open, reduce_run, forest_close, NULL},
    {"petscsf-doubles", OPPONENT, real_open, reduce_run, forest_close, NULL},
    {0},
};
