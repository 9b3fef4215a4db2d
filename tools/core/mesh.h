/* SPDX-License-Identifier: BSD-3-Clause */
/* Patterns of partitioned meshes: "mesh:n=32,points=2800,bytes=8,seed=1", "mesh3d:n=32,points=2000,bytes=20". */
#ifndef MESH_H
#define MESH_H

#include <stdio.h>

#include "quadrille.h"

/* The families, which are listed beside the library's; NULL past the last. */
const qdr_pattern_family_info *mesh_family(int index);

int mesh_is_spec(const char *text);

/* The pattern of a mesh spec; `drawing`, when it is not NULL, gets a picture of the mesh and its parts (SVG).
 * Complains and returns an exit code. */
int mesh_pattern(const char *spec, FILE *drawing, qdr_pattern **pattern);

#endif
