/* SPDX-License-Identifier: BSD-3-Clause */
/* Both halves on one rank, and how they are drawn. */
#ifndef PICTURE_H
#define PICTURE_H

#include <stdint.h>
#include <stdio.h>

#include <quadrille-io.h>

#include "common.h"

typedef struct scene {
    double plate[NODES], plate_capacity[NODES];
    int32_t plate_owner[NODES];
    double mesh[NODES], mesh_capacity[NODES];
    int32_t mesh_owner[NODES];
    double place[NODES][2]; /* of the mesh's vertices */
    int32_t corner[TRIANGLES][3];
} scene;

enum { PANELS = 3 };

/* PANELS panels, one below the other. */
qdr_status picture_open(FILE *file, qdr_picture **picture);
void picture_heat(qdr_picture *picture, int panel, const scene *all, int tick);
void picture_owners(qdr_picture *picture, int panel, const scene *all, int plate_ranks, int mesh_ranks);

#endif
