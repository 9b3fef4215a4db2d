/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * random_calls CALLS [SEED]: MPI_Alltoall and its relatives at random, each also by its profiling name,
 * which no library intercepts; both must leave the same bytes everywhere, in the gaps too. A pure MPI
 * program: what it tests is preloaded.
 *
 * All ranks draw from one stream, so each knows the sizes of all; what only a rank itself must know (layout,
 * displacements) comes from a stream of its own. Calls are on the world, on parts of it, on reordered copies,
 * on communicators that live for one call and on graphs with loops, grids and repeated neighbors. Types have
 * gaps and change the order of their elements, and differ between sender and receiver. Some calls are in
 * place, and some between two groups.
 */
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_check.h"
#include "random_side.h"

/* ---- calls --------------------------------------------------------------------------------------------- */

typedef enum kind { SAME, V, W, NEIGHBOR_SAME, NEIGHBOR_V, NEIGHBOR_W } kind;

static int call(kind k, int profiling, const side *out, char *to, const side *in, int in_place,
                MPI_Comm comm) {
    const void *from = in_place ? MPI_IN_PLACE : out->bytes;
    switch (k) {
    case SAME:
        return (profiling ? PMPI_Alltoall : MPI_Alltoall)(from, out->same, out->one, to, in->same, in->one,
                                                          comm);
    case NEIGHBOR_SAME:
        return (profiling ? PMPI_Neighbor_alltoall : MPI_Neighbor_alltoall)(from, out->same, out->one, to,
                                                                            in->same, in->one, comm);
    case V:
        return (profiling ? PMPI_Alltoallv : MPI_Alltoallv)(from, out->count, out->displacement, out->one, to,
                                                            in->count, in->displacement, in->one, comm);
    case W:
        return (profiling ? PMPI_Alltoallw : MPI_Alltoallw)(from, out->count, out->displacement, out->each,
                                                            to, in->count, in->displacement, in->each, comm);
    case NEIGHBOR_V:
        return (profiling ? PMPI_Neighbor_alltoallv : MPI_Neighbor_alltoallv)(
            from, out->count, out->displacement, out->one, to, in->count, in->displacement, in->one, comm);
    default:
        return (profiling ? PMPI_Neighbor_alltoallw : MPI_Neighbor_alltoallw)(
            from, out->count, out->address, out->each, to, in->count, in->address, in->each, comm);
    }
}

/* Elements of a message; most calls are small, some ranks have nothing at all. */
static int elements(stream *all, int largest) {
    if (below(all, 3) == 0) return 0;
    return below(all, 1 + below(all, 1 + largest));
}

/* Both ways, on the edges that the sides have. */
static void compare(kind k, stream *own, side *out, side *in, int base, int in_place, MPI_Comm comm,
                    int64_t number) {
    int by_extent = k == V || k == NEIGHBOR_V;
    out->one = type[base][below(own, LAYOUTS)];
    in->one = type[base][below(own, LAYOUTS)];
    for (int i = 0; i < out->edges; i++) out->each[i] = type[base][below(own, LAYOUTS)];
    for (int i = 0; i < in->edges; i++) in->each[i] = type[base][below(own, LAYOUTS)];
    if (k == SAME || k == NEIGHBOR_SAME) {
        lay_out_in_order(out);
        lay_out_in_order(in);
    } else {
        lay_out(out, own, by_extent, 1);
        lay_out(in, own, by_extent, 0);
    }
    fill(out, own);
    fill(in, own);
    char *expected = malloc(in->size);
    CHECK(expected != NULL);
    memcpy(expected, in->bytes, in->size);
    CHECK(call(k, 1, out, expected, in, in_place, comm) == MPI_SUCCESS);
    CHECK(call(k, 0, out, in->bytes, in, in_place, comm) == MPI_SUCCESS);
    if (memcmp(expected, in->bytes, in->size) != 0) {
        size_t at = 0;
        while (expected[at] == in->bytes[at]) at++;
        fprintf(stderr, "call %lld of kind %d: byte %zu of %zu differs\n", (long long)number, (int)k, at,
                in->size);
        PMPI_Abort(MPI_COMM_WORLD, 1);
    }
    free(expected);
    free(out->bytes);
    free(in->bytes);
}

/* MPICH 4.0 truncates messages of calls in place, with some sizes. */
#if defined(MPICH)
enum { in_place_works = 0 };
#else
enum { in_place_works = 1 };
#endif

/* Everyone to everyone. In place the matrix must be symmetric, and the same layout serves both ways. */
static void whole_call(stream *all, stream *own, MPI_Comm comm, int64_t number) {
    static int matrix[64][64];
    int rank, ranks, largest = below(all, 40) == 0 ? 20000 : below(all, 4) == 0 ? 2000 : 40;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &ranks);
    kind k = ranks == 1 ? V : (kind)below(all, 3); /* Open MPI 4.1 errs in MPI_Alltoallw of one rank */
    int base = below(all, BASES), in_place = in_place_works && k != W && below(all, 20) == 0;
    for (int i = 0; i < ranks; i++)
        for (int j = 0; j < ranks; j++)
            matrix[i][j] = in_place && j < i ? matrix[j][i] : elements(all, largest);
    side out = {.edges = ranks}, in = {.edges = ranks};
    out.same = in.same = matrix[0][0];
    for (int i = 0; i < ranks; i++) {
        out.count[i] = matrix[rank][i];
        in.count[i] = matrix[i][rank];
    }
    compare(k, own, &out, &in, base, in_place, comm, number);
}

/* MPICH 4.0 reads beyond its own arrays in MPI_Neighbor_alltoallw where ranks have more edges in than out. */
#if defined(MPICH)
enum { graph_w_works = 0 };
#else
enum { graph_w_works = 1 };
#endif

/* Along the edges of a graph, drawn edge by edge; some are there twice. */
static void graph_call(stream *all, stream *own, MPI_Comm comm, int64_t number) {
    int rank, ranks, source[64], target[64];
    MPI_Comm graph;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &ranks);
    side out = {.edges = 0}, in = {.edges = 0};
    int edges = 1 + below(all, 3 * ranks), twice = below(all, 4) == 0;
    static char seen[64][64];
    memset(seen, 0, sizeof seen);
    for (int e = 0; e < edges; e++) {
        int from = below(all, ranks), to = below(all, ranks);
        if (seen[from][to]++ && !twice) continue;
        if (from == rank && out.edges < 60) target[out.edges++] = to;
        if (to == rank && in.edges < 60) source[in.edges++] = from;
    }
    int weight[64] = {0};
    PMPI_Dist_graph_create_adjacent(comm, in.edges, source, weight, out.edges, target, weight, MPI_INFO_NULL,
                                    0, &graph);
    int calls = 1 + below(all, 6);
    for (int c = 0; c < calls; c++) {
        /* Sizes by sender and receiver, so that both ends know them; the same for repeated edges. */
        static int matrix[64][64];
        int largest = below(all, 4) == 0 ? 2000 : 40, base = below(all, BASES);
        for (int i = 0; i < ranks; i++)
            for (int j = 0; j < ranks; j++) matrix[i][j] = elements(all, largest);
        for (int i = 0; i < out.edges; i++) out.count[i] = matrix[rank][target[i]];
        for (int i = 0; i < in.edges; i++) in.count[i] = matrix[source[i]][rank];
        out.same = in.same = matrix[0][0];
        kind k = (kind)(NEIGHBOR_SAME + below(all, 3));
        compare(k == NEIGHBOR_W && !graph_w_works ? NEIGHBOR_V : k, own, &out, &in, base, 0, graph, number);
    }
    PMPI_Comm_free(&graph);
}

/* A grid with ends, where some neighbors are not there, or a ring, where both may be the same. */
static void grid_call(stream *all, stream *own, MPI_Comm comm, int64_t number) {
    int ranks, rank, sides[2] = {0, 0}, periods[2] = {below(all, 2), below(all, 2)}, pair[4];
    MPI_Comm grid;
    PMPI_Comm_size(comm, &ranks);
    PMPI_Dims_create(ranks, 2, sides);
    PMPI_Cart_create(comm, 2, sides, periods, 0, &grid);
    PMPI_Comm_rank(grid, &rank);
    static int matrix[64][64];
    for (int i = 0; i < ranks; i++)
        for (int j = 0; j <= i; j++) matrix[i][j] = matrix[j][i] = elements(all, 200);
    side out = {.edges = 4}, in = {.edges = 4};
    for (int d = 0; d < 2; d++) PMPI_Cart_shift(grid, d, 1, &pair[2 * d], &pair[2 * d + 1]);
    for (int i = 0; i < 4; i++)
        out.count[i] = in.count[i] = pair[i] == MPI_PROC_NULL ? 0 : matrix[rank][pair[i]];
    out.same = in.same = matrix[0][0];
    kind k = (kind)(NEIGHBOR_SAME + below(all, 3));
    compare(k, own, &out, &in, below(all, BASES), 0, grid, number);
    PMPI_Comm_free(&grid);
}

/* Between two groups: MPI's. */
static void intercommunicator_call(stream *all, stream *own, int64_t number) {
    int rank, ranks, remote;
    MPI_Comm half, both;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks < 2) return;
    PMPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    PMPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 1, &both);
    PMPI_Comm_remote_size(both, &remote);
    side out = {.edges = remote}, in = {.edges = remote};
    int items = below(all, 50), base = below(all, BASES);
    for (int i = 0; i < remote; i++) out.count[i] = in.count[i] = items;
    out.same = in.same = items;
    compare(below(all, 2) ? V : SAME, own, &out, &in, base, 0, both, number);
    PMPI_Comm_free(&both);
    PMPI_Comm_free(&half);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int64_t calls = argc > 1 ? atoll(argv[1]) : 10000;
    int rank, ranks;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    stream all = {argc > 2 ? (uint64_t)atoll(argv[2]) : 1},
           own = {UINT64_C(77) * (uint64_t)(rank + 1) + all.state};
    Dl_info where;
    int preloaded =
        dladdr(dlsym(RTLD_DEFAULT, "MPI_Alltoallv"), &where) && strstr(where.dli_fname, "quadrille");
    make_types();
    MPI_Comm part, reversed;
    PMPI_Comm_split(MPI_COMM_WORLD, rank % 3 == 0, rank, &part);
    PMPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    for (int64_t i = 0; i < calls; i++) {
        int choice = below(&all, 100);
        stream drawn = {draw(&all)}; /* parts of the world draw different numbers of numbers from it */
        if (choice < 2) {
            intercommunicator_call(&drawn, &own, i);
        } else if (choice < 5) {
            MPI_Comm brief;
            PMPI_Comm_dup(reversed, &brief);
            whole_call(&drawn, &own, brief, i);
            PMPI_Comm_free(&brief);
        } else if (choice < 10) {
            graph_call(&drawn, &own, MPI_COMM_WORLD, i);
        } else if (choice < 12) {
            grid_call(&drawn, &own, MPI_COMM_WORLD, i);
        } else if (choice < 30) {
            whole_call(&drawn, &own, part, i);
        } else {
            whole_call(&drawn, &own, choice < 50 ? reversed : MPI_COMM_WORLD, i);
        }
    }
    PMPI_Comm_free(&part);
    PMPI_Comm_free(&reversed);
    free_types();
    if (rank == 0)
        printf("%lld calls on %d ranks, the same bytes as MPI's; %s\n", (long long)calls, ranks,
               preloaded ? "preloaded" : "nothing was preloaded");
    int verdict = mpi_check_verdict();
    MPI_Finalize();
    return verdict;
}
