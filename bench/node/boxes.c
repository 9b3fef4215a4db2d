/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Halos of a regular mesh: what a map made of boxes is worth, against the same map made of lists, and against what there is
 * for it elsewhere.
 *
 *     mpirun -n 2 boxes [--samples N] [--raw]
 *
 * Blocks of 1024 x 1024 or 128 x 128 x 128 doubles, ghosts one to three layers wide, one neighbour at each face.
 *
 *     isend-types     MPI_Irecv and MPI_Isend of MPI_Type_create_subarray
 *     persistent-types, neighbor-alltoallw    the same types
 *     petscsf         ghosts are leaves, if PETSc is there
 *     ours-list       a map made of lists of all elements
 *     ours            a map made of boxes
 *
 * Exits with 1 when boxes are slower than lists by more than 3%, or less than 1.5 times as fast as the best of the others.
 */
#include "boxes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "quadrille/map.h"
#include "table.h"

static int rank, ranks;

static void check(qdr_status status, const char *what) {
    if (status) give_up("%s: %s", what, qdr_error_message());
}

/* ---- the mesh ------------------------------------------------------------------------------------------ */

static void open_block(block *b, int dimensions, int64_t width) {
    int grid[3] = {0}, own[3] = {0}, rest = rank;
    int64_t cells = dimensions == 2 ? 1024 : 128;
    *b = (block){.dimensions = dimensions, .elements = 1};
    MPI_Dims_create(ranks, dimensions, grid);
    for (int d = dimensions - 1; d >= 0; rest /= grid[d--]) own[d] = rest % grid[d];
    for (int d = 0; d < dimensions; d++) {
        b->extent[d] = cells + 2 * width;
        b->elements *= b->extent[d];
    }
    for (int d = 0; d < dimensions; d++)
        for (int up = 0; up < 2; up++) {
            int face = b->faces++, to = 0, from = 0;
            for (int e = 0; e < dimensions; e++) {
                int step = e != d ? 0 : up ? 1 : grid[e] - 1;
                to = to * grid[e] + (own[e] + step) % grid[e];
                from = from * grid[e] + (own[e] + grid[e] - step) % grid[e];
                b->out[face][e] = e == d && up ? cells : width;
                b->in[face][e] = e != d ? width : up ? 0 : cells + width;
                b->count[face][e] = e == d ? width : cells;
            }
            b->out_rank[face] = to;
            b->in_rank[face] = from;
        }
    b->data = room((size_t)b->elements, sizeof *b->data);
}

int64_t list_face(const block *b, const int64_t *lower, const int64_t *count, int64_t *element) {
    int64_t total = 1;
    for (int d = 0; d < b->dimensions; d++) total *= count[d];
    for (int64_t k = 0; k < total; k++) {
        int64_t rest = k, at = 0, stride = 1;
        for (int d = b->dimensions - 1; d >= 0; d--) {
            at += (lower[d] + rest % count[d]) * stride;
            rest /= count[d];
            stride *= b->extent[d];
        }
        element[k] = at;
    }
    return total;
}

/* ---- ours ---------------------------------------------------------------------------------------------- */

typedef struct ours {
    qdr_map *map;
    qdr_field field;
} ours;

static ours *ours_open(const block *b, int by_lists) {
    ours *o = room(1, sizeof *o);
    if (by_lists) {
        int64_t *local[2], links[2] = {0};
        int *whose[2];
        for (int side = 0; side < 2; side++) {
            local[side] = room((size_t)(b->elements), sizeof **local);
            whose[side] = room((size_t)(b->elements), sizeof **whose);
            for (int f = 0; f < b->faces; f++) {
                int64_t some =
                    list_face(b, side ? b->in[f] : b->out[f], b->count[f], local[side] + links[side]);
                for (int64_t k = 0; k < some; k++)
                    whose[side][links[side]++] = side ? b->in_rank[f] : b->out_rank[f];
            }
        }
        qdr_indices out = {.links = links[0], .link_rank = whose[0], .place = local[0]},
                    in = {.links = links[1], .link_rank = whose[1], .place = local[1]};
        check(qdr_map_create(MPI_COMM_WORLD, &out, &in, NULL, &o->map), "qdr_map_create");
        for (int side = 0; side < 2; side++) free(local[side]), free(whose[side]);
    } else {
        int64_t lower[2][MOST_SIDES * 3], count[MOST_SIDES * 3];
        for (int f = 0; f < b->faces; f++)
            for (int d = 0; d < b->dimensions; d++) {
                lower[0][f * b->dimensions + d] = b->out[f][d];
                lower[1][f * b->dimensions + d] = b->in[f][d];
                count[f * b->dimensions + d] = b->count[f][d];
            }
        qdr_boxes out = {.dimensions = b->dimensions,
                         .extent = b->extent,
                         .boxes = b->faces,
                         .rank = b->out_rank,
                         .lower = lower[0],
                         .count = count},
                  in = {.dimensions = b->dimensions,
                        .extent = b->extent,
                        .boxes = b->faces,
                        .rank = b->in_rank,
                        .lower = lower[1],
                        .count = count};
        check(qdr_map_from_boxes(MPI_COMM_WORLD, &out, &in, NULL, &o->map), "qdr_map_from_boxes");
    }
    o->field = (qdr_field){.source = b->data, .target = b->data, .type = QDR_DOUBLE, .width = 1};
    return o;
}

static void ours_run(void *state) {
    ours *o = state;
    check(qdr_map_exchange(o->map, QDR_FORWARD, 1, &o->field), "qdr_map_exchange");
}

static void ours_close(ours *o) {
    check(qdr_map_destroy(&o->map), "qdr_map_destroy");
    free(o);
}

/* ---- MPI's types --------------------------------------------------------------------------------------- */

typedef struct types {
    const block *b;
    MPI_Datatype out[MOST_SIDES], in[MOST_SIDES];
    MPI_Request request[MOST_FACES], kept[MOST_FACES];
    MPI_Comm graph;
    int one[MOST_SIDES];
    MPI_Aint zero[MOST_SIDES];
} types;

static MPI_Datatype subarray(const block *b, const int64_t *lower, const int64_t *count) {
    int extent[3], low[3], some[3];
    MPI_Datatype made;
    for (int d = 0; d < b->dimensions; d++) {
        extent[d] = (int)b->extent[d];
        low[d] = (int)lower[d];
        some[d] = (int)count[d];
    }
    MPI_Type_create_subarray(b->dimensions, extent, some, low, MPI_ORDER_C, MPI_DOUBLE, &made);
    MPI_Type_commit(&made);
    return made;
}

static void types_open(types *t, const block *b) {
    *t = (types){.b = b};
    for (int f = 0; f < b->faces; f++) {
        t->out[f] = subarray(b, b->out[f], b->count[f]);
        t->in[f] = subarray(b, b->in[f], b->count[f]);
        t->one[f] = 1;
        MPI_Recv_init(b->data, 1, t->in[f], b->in_rank[f], f, MPI_COMM_WORLD, &t->kept[f]);
        MPI_Send_init(b->data, 1, t->out[f], b->out_rank[f], f, MPI_COMM_WORLD, &t->kept[b->faces + f]);
    }
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, b->faces, b->in_rank, t->one, b->faces, b->out_rank,
                                   t->one, MPI_INFO_NULL, 0, &t->graph);
}

static void isend_run(void *state) {
    types *t = state;
    const block *b = t->b;
    for (int f = 0; f < b->faces; f++)
        MPI_Irecv(b->data, 1, t->in[f], b->in_rank[f], f, MPI_COMM_WORLD, &t->request[f]);
    for (int f = 0; f < b->faces; f++)
        MPI_Isend(b->data, 1, t->out[f], b->out_rank[f], f, MPI_COMM_WORLD, &t->request[b->faces + f]);
    MPI_Waitall(2 * b->faces, t->request, MPI_STATUSES_IGNORE);
}

static void persistent_run(void *state) {
    types *t = state;
    MPI_Startall(2 * t->b->faces, t->kept);
    MPI_Waitall(2 * t->b->faces, t->kept, MPI_STATUSES_IGNORE);
}

static void neighbor_run(void *state) {
    types *t = state;
    MPI_Neighbor_alltoallw(t->b->data, t->one, t->zero, t->out, t->b->data, t->one, t->zero, t->in, t->graph);
}

static void types_close(types *t) {
    for (int f = 0; f < t->b->faces; f++) {
        MPI_Type_free(&t->out[f]);
        MPI_Type_free(&t->in[f]);
        MPI_Request_free(&t->kept[f]);
        MPI_Request_free(&t->kept[t->b->faces + f]);
    }
    MPI_Comm_free(&t->graph);
}

/* ---- side by side -------------------------------------------------------------------------------------- */

/* All move the same: cells get numbers, ghosts none, and afterwards all are compared with the first. */
static void verify(const block *b, subject *subjects, int count) {
    double *right = room((size_t)b->elements, sizeof *right);
    for (int s = 0; s < count; s++) {
        for (int64_t i = 0; i < b->elements; i++) b->data[i] = -1;
        for (int f = 0; f < b->faces; f++) {
            int64_t *element = room((size_t)b->elements, sizeof *element);
            int64_t some = list_face(b, b->out[f], b->count[f], element);
            for (int64_t k = 0; k < some; k++)
                b->data[element[k]] = (double)(rank * b->elements + element[k]);
            free(element);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        subjects[s].run(subjects[s].state);
        MPI_Barrier(MPI_COMM_WORLD);
        if (s == 0) memcpy(right, b->data, (size_t)b->elements * sizeof *right);
        if (memcmp(right, b->data, (size_t)b->elements * sizeof *right) != 0)
            give_up("%s moves something else than %s", subjects[s].name, subjects[0].name);
    }
    free(right);
}

/* With two ranks along a dimension both faces have one neighbour, and its graph would mix them up. */
static int has_doubles(const block *b) {
    int doubles = 0;
    for (int f = 1; f < b->faces; f += 2) doubles |= b->out_rank[f] == b->out_rank[f - 1];
    return doubles;
}

static void one_case(int dimensions, int64_t width, int samples, table *t, int *missed) {
    block b;
    types mpi;
    char where[64];
    open_block(&b, dimensions, width);
    types_open(&mpi, &b);
    ours *lists = ours_open(&b, 1), *boxes = ours_open(&b, 0);
    subject subjects[8] = {
        {.name = "isend-types", .kind = OPPONENT, .run = isend_run, .state = &mpi},
        {.name = "persistent-types", .kind = OPPONENT, .run = persistent_run, .state = &mpi},
        {.name = "ours-list", .kind = OURS, .run = ours_run, .state = lists},
        {.name = "ours", .kind = OURS, .run = ours_run, .state = boxes}};
    int count = 4;
    if (!has_doubles(&b))
        subjects[count++] =
            (subject){.name = "neighbor-alltoallw", .kind = OPPONENT, .run = neighbor_run, .state = &mpi};
#ifdef WITH_PETSC
    void *forest = forest_open(&b);
    subjects[count++] = (subject){.name = "petscsf", .kind = OPPONENT, .run = forest_run, .state = forest};
#endif
    verify(&b, subjects, count);
    measure(&(measuring){MPI_COMM_WORLD, samples}, subjects, count);
    snprintf(where, sizeof where, "pattern=%dD size=%d", dimensions, (int)width);
    table_add(t, where, subjects, count);
    double best = 0, list = subjects[2].median, box = subjects[3].median;
    for (int s = 0; s < count; s++)
        if (subjects[s].kind == OPPONENT && (best == 0 || subjects[s].median < best))
            best = subjects[s].median;
    *missed |= box > 1.03 * list || best < 1.5 * box;
#ifdef WITH_PETSC
    forest_close(forest);
#endif
    ours_close(lists);
    ours_close(boxes);
    types_close(&mpi);
    free(b.data);
}

int main(int count, char **argument) {
    int samples = 61, raw = 0, missed = 0;
    MPI_Init(&count, &argument);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 1; i < count; i++) {
        if (!strcmp(argument[i], "--raw"))
            raw = 1;
        else if (!strcmp(argument[i], "--samples") && i + 1 < count && atoi(argument[i + 1]) > 0)
            samples = atoi(argument[++i]);
        else
            give_up("'%s'; expected --samples N or --raw", argument[i]);
    }
#ifdef WITH_PETSC
    boxes_petsc_enter();
#else
    if (rank == 0) printf("built without PetscSF: libpetsc-real-dev was not found\n");
#endif
    table t = {.mode = "boxes", .raw = raw && rank == 0, .ranks = ranks};
    for (int dimensions = 2; dimensions <= 3; dimensions++)
        for (int width = 1; width <= 3; width++) one_case(dimensions, width, samples, &t, &missed);
    if (rank == 0 && !raw) {
        table_print(&t);
        table_ratio(&t, "ours-list", "ours");
        table_ratio(&t, "best opponent", "ours");
    }
#ifdef WITH_PETSC
    boxes_petsc_leave();
#endif
    MPI_Finalize();
    return rank == 0 && missed;
}
