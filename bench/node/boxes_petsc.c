/* SPDX-License-Identifier: BSD-3-Clause */
/* PetscSF for a regular mesh: all elements are roots, ghosts are leaves at their places in the same array. */
#include "boxes.h"

#include <petscsf.h>
#include <stdlib.h>

#define CHECKED(call)                                                                                        \
    do {                                                                                                     \
        PetscErrorCode code_ = (call);                                                                       \
        if (code_) give_up("%s: PETSc error %d", #call, (int)code_);                                         \
    } while (0)

typedef struct forest {
    PetscSF sf;
    double *data;
} forest;

void boxes_petsc_enter(void) {
    CHECKED(PetscOptionsSetValue(NULL, "-no_signal_handler", "true"));
    CHECKED(PetscInitializeNoArguments());
}

void boxes_petsc_leave(void) {
    CHECKED(PetscFinalize());
}

/* The neighbours have the same extents, so their elements can be named. */
void *forest_open(const block *b) {
    forest *f = room(1, sizeof *f);
    int64_t *here = room((size_t)b->elements, sizeof *here),
            *there = room((size_t)b->elements, sizeof *there);
    PetscInt *leaf = room((size_t)b->elements, sizeof *leaf), leaves = 0;
    PetscSFNode *root = room((size_t)b->elements, sizeof *root);
    f->data = b->data;
    for (int face = 0; face < b->faces; face++) {
        int64_t some = list_face(b, b->in[face], b->count[face], here);
        list_face(b, b->out[face], b->count[face], there);
        for (int64_t k = 0; k < some; k++) {
            leaf[leaves] = (PetscInt)here[k];
            root[leaves++] = (PetscSFNode){.rank = b->in_rank[face], .index = (PetscInt)there[k]};
        }
    }
    CHECKED(PetscSFCreate(MPI_COMM_WORLD, &f->sf));
    CHECKED(PetscSFSetType(f->sf, PETSCSFBASIC));
    CHECKED(PetscSFSetGraph(f->sf, (PetscInt)b->elements, leaves, leaf, PETSC_COPY_VALUES, root,
                            PETSC_COPY_VALUES));
    CHECKED(PetscSFSetUp(f->sf));
    free(here), free(there), free(leaf), free(root);
    return f;
}

void forest_run(void *state) {
    forest *f = state;
    CHECKED(PetscSFBcastBegin(f->sf, MPI_DOUBLE, f->data, f->data, MPI_REPLACE));
    CHECKED(PetscSFBcastEnd(f->sf, MPI_DOUBLE, f->data, f->data, MPI_REPLACE));
}

void forest_close(void *state) {
    forest *f = state;
    CHECKED(PetscSFDestroy(&f->sf));
    free(f);
}
