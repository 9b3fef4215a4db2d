/* SPDX-License-Identifier: BSD-3-Clause */
/* The left half and its streams, and what rank 0 makes of both halves in the end: result.c. */
#ifndef PLATE_H
#define PLATE_H

#include "picture.h"

/* What this rank has. Layout and region serve every array of the grid. */
typedef struct half {
    piece heat;
    qdr_layout *layout;
    qdr_region *interface; /* the last column */
    double *inflow;        /* [own]: heat that has come from the mesh since the beginning */
    double *before;        /* [own]: what of it is in the temperatures already */
    int32_t *owner;        /* [own]: this rank */
} half;

typedef struct streams {
    qdr_stream *temperature, *heat, *picture;
    qdr_coupling *inside; /* of the plate with itself */
    qdr_stream *gather;
} streams;

/* Collective. The streams that bring everything to rank 0: of the mesh, and of the plate itself. */
void open_gathering(const side *self, const half *all, streams *to);

/* NULL on other ranks than 0. */
qdr_picture *open_picture(const side *self, const char *path, FILE **file);

/* Collective. Brings everything to rank 0, which draws it, too, if there is a picture. */
void show(const side *self, const half *all, const streams *to, int tick, scene *whole, qdr_picture *picture);

double total_heat(const scene *whole);

/* Of rank 0. Returns what the program shall. */
int report(const side *self, const scene *whole, double heat_before);

#endif
