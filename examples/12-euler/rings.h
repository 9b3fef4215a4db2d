/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the points of the mesh are, and which of them are joined. */
#ifndef RINGS_H
#define RINGS_H

#include "mesh.h"

/* Of a mesh with nothing but its number of points: their places, which of them are boundary, and the triangles. */
void lay_points(mesh *all);

#endif
