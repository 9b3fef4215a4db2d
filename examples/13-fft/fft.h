/* SPDX-License-Identifier: BSD-3-Clause */
/* A Fourier transform of an array of two or three dimensions that is spread over ranks: fft.c, and parts.c for who has what. */
#ifndef FFT_H
#define FFT_H

#include <fftw3.h>

#include "quadrille-mpi.h"

enum { MOST_AXES = 3, MOST_STAGES = 3, WHOLE = -1 };

/* Ranks form a grid of two dimensions. In each stage every axis of the array is whole on each rank, or is cut by one
 * dimension of the grid. */
typedef struct shape {
    const char *name;
    int axes, stages;
    int is_flat; /* the grid is a line: all ranks by one */
    int cut[MOST_STAGES][MOST_AXES];
} shape;
extern const shape shapes[];
enum { SHAPES = 3 };

/* A part of the array, and its elements in memory: the last axis runs fastest. */
typedef struct box {
    int64_t lower[MOST_AXES], count[MOST_AXES];
} box;
int64_t elements(const shape *shape, const box *part);

typedef struct fft {
    const shape *shape;
    int64_t side; /* of the array, along every axis */
    int rank, ranks;
    int grid[2];
    double flops;                 /* operations per second of a modelled processor; 0: nothing is modelled */
    box part[MOST_STAGES];        /* of this rank */
    fftw_complex *value[2];       /* stages 0 and 2 work in the first, 1 in the second */
    int stage_of[MOST_AXES];      /* in which an axis is transformed */
    fftw_plan plan[2][MOST_AXES]; /* forward and inverse; NULL if this rank has nothing there */
    qdr_map *exchange[MOST_STAGES - 1]; /* from a stage to the next */
    double exchanging;                  /* seconds in exchanges so far, waiting for others included */
} fft;

/* Collective. `algorithm` NULL lets the library choose. Destroy also what could not be made. */
qdr_status fft_create(const shape *shape, int64_t side, const qdr_plan_options *plan, fft *made);
void fft_destroy(fft *gone);

/* Forward: from value[0], cut as in the first stage, to fft_result(), cut as in the last. Inverse: back again, every
 * element multiplied by their number. */
qdr_status fft_forward(fft *one);
qdr_status fft_inverse(fft *one);
fftw_complex *fft_result(const fft *one);

/* Collective. Brings the result to `whole` on rank 0. */
qdr_status fft_collect(fft *one, fftw_complex *whole);

#endif
