/* SPDX-License-Identifier: BSD-3-Clause */
/* Patterns of a partitioned airfoil mesh: "mesh:n=32,points=2800,bytes=8,seed=1". */
#ifndef MESH_H
#define MESH_H

#include <stdio.h>

#include "airfoil.h"
#include "quadrille.h"

/* Listed beside the library's families. */
extern const qdr_pattern_family_info mesh_family;

int mesh_is_spec(const char *text);

/* The pattern of a mesh spec; `drawing`, when it is not NULL, gets a picture of the mesh and its parts (SVG).
 * Complains and returns an exit code. */
int mesh_pattern(const char *spec, FILE *drawing, qdr_pattern **pattern);

/* The picture: the whole mesh and the airfoil in it, one colour per part. */
int mesh_draw(const airfoil *mesh, const int *part, int parts, const char *title, FILE *out);

#endif
