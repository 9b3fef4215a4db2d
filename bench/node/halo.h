/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the methods of bench/halo share: the lists of a halo, and how a method looks.
 *
 * An array has `owned` elements, then `ghosts`, each of `width` doubles. An exchange brings the owners'
 * values to the ghosts. Partners stand by rising rank; lists of one pair have the same order at both ends.
 */
#ifndef BENCH_HALO_H
#define BENCH_HALO_H

#include <mpi.h>
#include <stdint.h>
#include <string.h>

#include "measure.h"
#include "table.h"

/* What leaves, or what comes. */
typedef struct halo_side {
    int partners;
    int *rank;  /* [partners] */
    int *count; /* [partners] */
    int *start; /* [partners + 1]: where the list of a partner begins */
    int *index; /* elements of this rank's array, list after list */
} halo_side;

typedef struct halo {
    MPI_Comm comm;
    int rank, ranks;
    int owned, ghosts;
    int grouped; /* what comes from one rank, and from all, stands in one piece, in the order of the lists */
    halo_side send, receive;
    int *remote;     /* beside receive.index: which element of its owner */
    int64_t *global; /* [owned + ghosts]: the number of an element in the whole */
} halo;

/* Collective. A triangulated grid of 200,000 vertices in METIS parts, numbered at random inside a part. */
void halo_mesh(MPI_Comm comm, int grouped, halo *h);

/* Every rank sends `count` elements, from random places, to every other. */
void halo_all(MPI_Comm comm, int count, int grouped, halo *h);

void halo_free(halo *h);

/* One way to do it: `run` is one exchange. What `data` is, the table says in which the method stands. A
 * method that leaves what came elsewhere than in the array says where: `incoming` gives the elements of the
 * i-th source, in the order of the list. */
typedef struct method {
    const char *name;
    subject_kind kind;
    void *(*open)(const halo *h, void *data, int width);
    void (*run)(void *state);
    void (*close)(void *state);
    const double *(*incoming)(void *state, int source);
} method;

/* Exchanges; data is the array of doubles. Tables end with an empty entry. */
extern const method plain_methods[], petsc_methods[], zoltan_methods[], ours_methods[], limit_methods[];

/* Sums of ghosts into their owners, three fields; data is this. */
typedef struct sum_fields {
    double *one, *three; /* 1 and 3 doubles per element */
    int64_t *whole;      /* 1 integer per element */
    double *real;        /* instead of `whole`, for a method that says so */
} sum_fields;
extern const method plain_sums[], petsc_sums[], ours_sums[];

/* Library-wide beginning and end. */
void petsc_enter(void);
void petsc_leave(void);

/* ---- cells: one halo, one width, all methods ----------------------------------------------------------- */

typedef struct setting {
    MPI_Comm comm;
    int samples, repetitions; /* repetitions: of a set-up */
    int rewrite;              /* ghosts are read and what is sent is written between exchanges */
    const char *only;         /* methods, with commas between; NULL: all */
} setting;

enum { MOST_METHODS = 24 };

/* The methods of several tables, a NULL after the last, that the setting wants; returns their number. */
int choose_methods(const setting *how, const method *const *tables, const method *chosen[MOST_METHODS]);
extern const method *const exchange_tables[], *const sum_tables[];

/* Collective. Each checks every method's results, measures, checks again, and adds a column. */
void exchange_cell(const setting *how, const halo *h, int width, const char *where, table *t);
void sums_cell(const setting *how, const halo *h, const char *where, table *t);
void setup_cell(const setting *how, const halo *h, int width, const char *where, int raw);

/* Owned elements have values of this round, ghosts none. */
void fill_array(const halo *h, double *array, int width, int round);

/* Collective. Runs a method a few times, each with other values, and gives up if what came is wrong. */
void check_exchanges(const halo *h, const method *m, void *state, double *array, int width);

/* ---- exchanges in two halves, for overlap -------------------------------------------------------------- */

void *isend_open(const halo *h, void *data, int width);
void isend_begin(void *state);
void isend_test(void *state);
void isend_end(void *state);
void isend_close(void *state);

void *ours_open(const halo *h, void *data, int width);
void ours_begin(void *state);
void ours_end(void *state);
void ours_close(void *state);

/* `width` is a constant where this is called, so the copy of an element is a few instructions. */
static inline void gather_fixed(const int *restrict index, int count, size_t width,
                                const double *restrict array, double *restrict packed) {
    for (int k = 0; k < count; k++)
        memcpy(packed + (size_t)k * width, array + (size_t)index[k] * width, width * sizeof(double));
}

static inline void scatter_fixed(const int *restrict index, int count, size_t width,
                                 const double *restrict packed, double *restrict array) {
    for (int k = 0; k < count; k++)
        memcpy(array + (size_t)index[k] * width, packed + (size_t)k * width, width * sizeof(double));
}

/* The elements for one partner, one after the other. */
static inline void gather(const halo_side *side, int partner, int width, const double *array,
                          double *packed) {
    const int *index = side->index + side->start[partner];
    int count = side->count[partner];
    switch (width) {
    case 1:
        gather_fixed(index, count, 1, array, packed);
        break;
    case 8:
        gather_fixed(index, count, 8, array, packed);
        break;
    case 64:
        gather_fixed(index, count, 64, array, packed);
        break;
    default:
        gather_fixed(index, count, (size_t)width, array, packed);
    }
}

static inline void scatter(const halo_side *side, int partner, int width, const double *packed,
                           double *array) {
    const int *index = side->index + side->start[partner];
    int count = side->count[partner];
    switch (width) {
    case 1:
        scatter_fixed(index, count, 1, packed, array);
        break;
    case 8:
        scatter_fixed(index, count, 8, packed, array);
        break;
    case 64:
        scatter_fixed(index, count, 64, packed, array);
        break;
    default:
        scatter_fixed(index, count, (size_t)width, packed, array);
    }
}

#endif
