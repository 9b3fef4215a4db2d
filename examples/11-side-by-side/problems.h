/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Four programs whose ranks exchange something, each with its exchange written twice: with MPI alone, NAME_mpi.c, and with
 * Quadrille, NAME_quadrille.c. Everything else is the same: NAME.c.
 *
 *     heat        the heat equation on a graph: each step needs the values of neighbours that other ranks own
 *     sort        a sample sort: keys in buckets go to the ranks of their ranges
 *     fft         a two-dimensional FFT: the matrix is transposed between rows and columns
 *     particles   particles that have left their box go to the rank of their new one
 */
#ifndef PROBLEMS_H
#define PROBLEMS_H

#include <mpi.h>
#include <stdint.h>

/* How one of them exchanges. What `open` makes is the version's own. */
typedef struct exchanger {
    void *(*open)(const void *problem);
    void (*run)(void *self, void *problem);
    void (*close)(void *self);
} exchanger;

/* Own cells are 0 .. owned-1 of `value`, ghosts behind them, by rising owner. */
typedef struct heat {
    int64_t owned, ghosts;
    int *ghost_owner;    /* [ghosts] */
    int64_t *ghost_at;   /* [ghosts]: which cell of its owner */
    int64_t *ghost_here; /* [ghosts]: which element of `value` */
    double *value, *next;
    int *neighbour; /* [owned][DEGREE]: elements of `value` */
} heat;

/* Keys by rising bucket, a bucket for each rank; and what came for this rank's. */
typedef struct sorting {
    int64_t *bucket; /* [ranks]: how many */
    uint64_t *key;
    int64_t came;
    uint64_t *own;
} sorting;

/* A block of rows; blocks of it, packed, go to everyone. */
typedef struct fft {
    int64_t block_bytes;
    void *packed, *came;
} fft;

typedef struct particle {
    double x, y, z;
    int64_t number;
} particle;

/* Those that leave, each with its rank; and those that came. */
typedef struct particles {
    int64_t leaving;
    const int *rank;
    const particle *left;
    int64_t came;
    particle *arrived;
} particles;

extern const exchanger heat_mpi, heat_quadrille, sort_mpi, sort_quadrille, fft_mpi, fft_quadrille,
    particles_mpi, particles_quadrille;

enum { VERSIONS = 2 };

typedef struct program {
    const char *name;
    void *(*make)(int64_t items);
    void *(*run)(const exchanger *by, void *problem); /* all of it; gives the result */
    int64_t (*bytes)(const void *problem);            /* of the result */
    void (*end)(void *problem);
    const exchanger *by[VERSIONS]; /* MPI, Quadrille */
} program;

/* One for each of the four, from a file of its own. */
extern const program heat_program, sort_program, fft_program, particles_program;

extern int rank, ranks;

/* Memory that is there, or the end. */
void *room(int64_t count, int64_t bytes);

/* A status of Quadrille: success, or the end, with its sentence. (MPI ends a program by itself.) */
void fine(int status);

/* A number for each purpose, the same on every machine. */
uint64_t draw(uint64_t number, uint64_t purpose);

#endif
