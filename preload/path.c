/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A plan for the calls of one kind on one communicator, and one exchange of it. Its partners are all ranks,
 * or the neighbors of the communicator's topology; the sizes come with each call, which plans that choose by themselves allow
 * without any agreement. Where all messages are alike, each is an item of that size, so that every size has a choice of its
 * own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "preload.h"

/* ---- who ----------------------------------------------------------------------------------------------- */

static int lanes_everyone(qdri_lanes *lanes, int ranks) {
    if (!qdri_lanes_open(lanes, ranks)) return 0;
    for (int i = 0; i < ranks; i++) lanes->rank[i] = lanes->index[i] = i;
    return 1;
}

/* Edges that lead nowhere have no lane. */
static void lanes_drop_null(qdri_lanes *lanes) {
    int kept = 0;
    for (int i = 0; i < lanes->count; i++) {
        if (lanes->rank[i] == MPI_PROC_NULL) continue;
        lanes->rank[kept] = lanes->rank[i];
        lanes->index[kept++] = i;
    }
    lanes->count = kept;
}

/* Of a rank that is named twice the messages would have to be told apart. */
static int lanes_are_unique(const qdri_lanes *lanes, int ranks) {
    char *seen = QDRI_ZERO_ARRAY(char, ranks);
    int unique = seen != NULL;
    for (int i = 0; unique && i < lanes->count; i++) {
        unique = !seen[lanes->rank[i]];
        seen[lanes->rank[i]] = 1;
    }
    free(seen);
    return unique;
}

void qdri_neighbor_edges(MPI_Comm comm, int *out, int *in) {
    int kind, rank, weighted;
    *out = *in = 0;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Topo_test(comm, &kind);
    if (kind == MPI_DIST_GRAPH) {
        PMPI_Dist_graph_neighbors_count(comm, in, out, &weighted);
        return;
    }
    if (kind == MPI_GRAPH) PMPI_Graph_neighbors_count(comm, rank, out);
    if (kind == MPI_CART) PMPI_Cartdim_get(comm, out);
    if (kind == MPI_CART) *out *= 2;
    *in = *out;
}

/* In each dimension the one below, then the one above. */
static int list_grid(MPI_Comm comm, int edges, int *rank) {
    for (int d = 0; 2 * d < edges; d++)
        if (PMPI_Cart_shift(comm, d, 1, &rank[2 * d], &rank[2 * d + 1])) return 0;
    return 1;
}

static int list_neighbors(MPI_Comm comm, qdri_lanes *out, qdri_lanes *in) {
    int kind, rank;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Topo_test(comm, &kind);
    switch (kind) {
    case MPI_DIST_GRAPH: /* weights go where indices will be */
        return !PMPI_Dist_graph_neighbors(comm, in->count, in->rank, in->index, out->count, out->rank,
                                          out->index);
    case MPI_GRAPH:
        return !PMPI_Graph_neighbors(comm, rank, out->count, out->rank) &&
               !PMPI_Graph_neighbors(comm, rank, in->count, in->rank);
    case MPI_CART:
        return list_grid(comm, out->count, out->rank) && list_grid(comm, in->count, in->rank);
    default:
        return 0;
    }
}

static int find_neighbors(qdri_path *path, MPI_Comm comm) {
    int outs, ins;
    qdri_neighbor_edges(comm, &outs, &ins);
    if (!qdri_lanes_open(&path->out, outs) || !qdri_lanes_open(&path->in, ins) ||
        !list_neighbors(comm, &path->out, &path->in))
        return 0;
    lanes_drop_null(&path->out);
    lanes_drop_null(&path->in);
    return 1;
}

/* ---- the plan ------------------------------------------------------------------------------------------ */

/* An exchange of nothing, which tells whether sizes may come with the call. */
static qdr_status try_sizes(qdri_path *path) {
    qdr_buffers buffers = {0};
    memset(path->out.bytes, 0, (size_t)path->out.count * sizeof *path->out.bytes);
    memset(path->in.bytes, 0, (size_t)path->in.count * sizeof *path->in.bytes);
    buffers.item_bytes = 1;
    buffers.outgoing_items = path->out.bytes;
    buffers.incoming_items = path->in.bytes;
    return qdr_plan_exchange(path->plan, &buffers);
}

/* Sizes of every call are its own; the plan's only say that there may be a message, and whether sizes differ. */
static void set_sizes(const qdri_path *path, const qdri_lanes *lanes, int rank) {
    for (int i = 0; i < lanes->count; i++)
        lanes->bytes[i] = path->is_alike ? 1 : 1 + (lanes->rank[i] + rank) % 2;
}

static qdr_status make_plan(qdri_path *path, MPI_Comm comm, const char *algorithm) {
    qdr_partners *partners = NULL;
    int rank;
    PMPI_Comm_rank(comm, &rank);
    set_sizes(path, &path->out, rank);
    set_sizes(path, &path->in, rank);
    qdr_status status = qdr_partners_from_both(comm, path->out.count, path->out.rank, path->out.bytes,
                                               path->in.count, path->in.rank, path->in.bytes, 1, &partners);
    if (status) return status;
    qdr_plan_options options = QDR_PLAN_OPTIONS;
    options.algorithm = algorithm;
    options.in_flight = QDRI_IN_FLIGHT;
    status = qdr_plan_create(partners, &options, &path->plan);
    qdr_partners_destroy(&partners);
    return status ? status : try_sizes(path);
}

int qdri_path_open(qdri_path *path, MPI_Comm comm, int kind) {
    int ranks;
    PMPI_Comm_size(comm, &ranks);
    path->is_alike = kind == QDRI_TO_ALL_ALIKE;
    path->has_lanes = kind == QDRI_TO_NEIGHBORS
                          ? find_neighbors(path, comm)
                          : lanes_everyone(&path->out, ranks) && lanes_everyone(&path->in, ranks);
    return path->has_lanes;
}

/* With so little to send no port overflows, so MPI's own way goes first; where it is tiny, always. */
static void begin_trials(qdri_path *path, int ranks) {
    const int64_t little = 64 * 1024; /* bytes of a rank */
    for (int i = 0; i < QDRI_CHOICES; i++) qdri_trial_begin(&path->trial[i]);
    for (int i = 0; i < QDRI_SIZES; i++) {
        int64_t bytes = INT64_C(1) << i;
        path->trial[i].plain = bytes * ranks <= little;
        if (bytes < QDRI_TINY) path->trial[i] = (qdri_trial){.plain = 1, .next = 0};
    }
}

void qdri_path_plan(qdri_path *path, MPI_Comm comm, const char *algorithm) {
    int ranks, all_can = 0;
    PMPI_Comm_size(comm, &ranks);
    path->trial = QDRI_ARRAY(qdri_trial, QDRI_CHOICES);
    int can = path->trial && path->has_lanes && lanes_are_unique(&path->out, ranks) &&
              lanes_are_unique(&path->in, ranks);
    path->is_planned = 1;
    if (PMPI_Allreduce(&can, &all_can, 1, MPI_INT, MPI_MIN, comm) || !all_can) {
        snprintf(path->why, sizeof path->why, "some rank has a neighbor twice, or too little memory");
        return;
    }
    qdri_enter();
    if (make_plan(path, comm, algorithm)) {
        snprintf(path->why, sizeof path->why, "%s", qdr_error_message());
        qdr_plan_destroy(&path->plan);
    } else {
        begin_trials(path, ranks);
    }
    qdri_leave();
}

void qdri_path_close(qdri_path *path) {
    qdri_enter();
    qdr_plan_destroy(&path->plan);
    qdri_leave();
    qdri_lanes_close(&path->out);
    qdri_lanes_close(&path->in);
    free(path->trial);
    path->trial = NULL;
}

/* ---- one call ------------------------------------------------------------------------------------------ */

/* For the record alone, what goes out is enough. */
int qdri_path_read(qdri_path *path, const qdri_call *call) {
    return path->plan ? qdri_lanes_read(&path->out, &path->in, call)
                      : qdri_lanes_read(&path->out, NULL, call);
}

qdri_call_sizes qdri_path_sizes(const qdri_path *path) {
    qdri_call_sizes sizes = {.digest = UINT64_C(14695981039346656037)}; /* FNV-1a, by words */
    const qdri_lanes *sides[] = {&path->out, &path->in};
    for (int s = 0; s < 2; s++) {
        int64_t bytes = 0;
        for (int i = 0; i < sides[s]->count; i++) {
            bytes += sides[s]->bytes[i];
            sizes.digest = (sizes.digest ^ (uint64_t)sides[s]->bytes[i]) * UINT64_C(1099511628211);
        }
        if (bytes > sizes.busiest) sizes.busiest = bytes;
    }
    return sizes;
}

/* All ranks make the same call. In MPI_Alltoall all messages have as many bytes, on all ranks; among neighbors
 * only those between two that meet, and in the other forms every message has its own. */
qdri_trial *qdri_path_trial(const qdri_path *path, const qdri_call *call) {
    if (call->form != QDRI_SAME) return &path->trial[call->form == QDRI_V ? QDRI_SIZES : QDRI_SIZES + 1];
    if (call->to_neighbors) return &path->trial[QDRI_SIZES - 1];
    int size = 0;
    for (int64_t bytes = qdri_same_bytes(call); bytes > 1 && size < QDRI_SIZES - 1; bytes /= 2) size++;
    return &path->trial[size];
}

qdr_status qdri_path_run(qdri_path *path, const qdri_call *call) {
    qdr_status status = qdri_lanes_pack(&path->out, call);
    if (status) return status;
    qdr_buffers buffers = qdri_lanes_buffers(&path->out, &path->in, path->is_alike);
    qdri_enter();
    status = qdr_plan_exchange(path->plan, &buffers);
    qdri_leave();
    return status ? status : qdri_lanes_unpack(&path->in, call);
}
