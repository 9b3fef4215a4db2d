/* SPDX-License-Identifier: BSD-3-Clause */
/* The picture of a partitioned mesh: all of it and the airfoil in it, one colour per part. */
#ifndef MESH_DRAW_H
#define MESH_DRAW_H

#include <stdio.h>

#include "airfoil.h"

/* Complains and returns an exit code. */
int mesh_draw(const airfoil *mesh, const int *part, int parts, const char *title, FILE *out);

#endif
