/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the two programs have agreed on, and what both need: how they meet, and how heat flows through what a
 * rank owns.
 *
 * Agreed are the numbers below and the names of streams and fields, and that the nodes of the interface come
 * by rising y. Neither knows on how many ranks the other runs, nor which of them has what.
 */
#ifndef COMMON_H
#define COMMON_H

#include <stddef.h>
#include <stdint.h>

#include "quadrille-mpi.h"

/* Two unit squares beside each other, x from 0 to 1 and 1 to 2. The interface, x = 1, belongs to both. */
enum { SIDE = 40, NODES = SIDE * SIDE, TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1) };
#define SPACING (1.0 / (SIDE - 1))

/* Times are counted in ticks, and each program has steps of its own: 0, 10, 20 ... and 0, 3, 6, 9 ... */
enum { PLATE_STEP = 10, MESH_STEP = 3, LAST = 2400 };
#define TICK (0.02 * SPACING * SPACING)

/* The temperature that a hot spot in insulated walls leads to, known exactly. */
double exact(double x, double y, int tick);

/* ---- a program and the other one ----------------------------------------------------------------------- */

typedef struct side {
    const char *name;
    qdr_program *program;
    qdr_coupling *coupling;
    MPI_Comm comm; /* of this program's ranks alone */
    int rank, ranks;
} side;

side meet(int *argc, char ***argv, const char *name, const char *other);
void leave(side *self);

/* A line of this program, printed once. */
void say(const side *self, const char *format, ...) __attribute__((format(printf, 2, 3)));
void say_stream(const side *self, const qdr_stream *stream);

/* Ends everything if it failed. All ranks call it, with the same status. */
void check(const side *self, qdr_status status);

/* Memory, all zero. An example may give up when there is none. */
void *room(int64_t count, size_t bytes);

/* ---- what a rank owns ---------------------------------------------------------------------------------- */

/* Heat flows along bonds: conductance x (temperature there - temperature here) per time. */
typedef struct bond {
    int64_t here, there; /* ids of nodes; after attach() places in `temperature` */
    double conductance;
} bond;

typedef struct piece {
    int64_t own, ghosts, bonds;
    int64_t *id;         /* [own]: rising */
    double *temperature; /* [own + ghosts] */
    double *capacity;    /* [own]: heat for a degree; here the area that belongs to a node */
    double *flow;        /* [own]: heat that comes per time */
    bond *bond;          /* of own nodes, in any order */
    qdr_map *map;        /* brings the ghosts */
} piece;

piece make_piece(int64_t own, int64_t most_bonds);
void add_bond(piece *all, int64_t here, int64_t there, double conductance);
void attach(const side *self, piece *all);

/* Fetches the ghosts and computes `flow`. */
void let_flow(const side *self, piece *all);
void free_piece(piece *all);

#endif
