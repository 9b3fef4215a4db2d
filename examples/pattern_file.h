/* SPDX-License-Identifier: BSD-3-Clause */
/* The pattern behind a map, for the examples that show theirs. */
#ifndef PATTERN_FILE_H
#define PATTERN_FILE_H

#include "quadrille-mpi.h"

/* Collective. Rank 0 prints how many messages the map has, how dense they are and how long, an element having
 * so many bytes. With a path it also writes them as a Matrix Market file, which `quadrille compare` and the other
 * subcommands take for a pattern. */
qdr_status show_pattern(MPI_Comm comm, const qdr_map *map, int64_t element_bytes, const char *path);

#endif
