/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What MPI itself can do with a load: the opponents. An opponent is three functions and one line in the
 * table. All move every message, also what stays on its rank, between the same buffers as a plan. Most
 * programs go through their partners in the order of ranks, so that everybody begins with rank 0; a careful
 * one begins at the rank after its own. There is an opponent for each.
 *
 * Counts and offsets of MPI end at 2^31 - 1; what goes beyond is refused, on all ranks alike, because all
 * have the whole pattern.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "core/complain.h"
#include "base/likeness.h"

enum { TAG = 1 };

/* ---- what fits ----------------------------------------------------------------------------------------- */

static char *refuse(const bench *bench, const char *what, int64_t items) {
    if (items <= INT_MAX / bench->item_bytes) return NULL;
    return print_text("%s of %" PRId64 " items of %" PRId64 " bytes is beyond the counts of MPI, 2147483647",
                      what, items, bench->item_bytes);
}

static char *refuse_message(const bench *bench) {
    qdr_pattern_view view = qdr_pattern_look(bench->pattern);
    int64_t largest = bench->statistics.largest;
    for (int rank = 0; rank < view.ranks; rank++)
        if (view.local[rank] > largest) largest = view.local[rank];
    return refuse(bench, "a message", largest);
}

/* Offsets count from the begin of a buffer, so all of it must fit. */
static char *refuse_buffer(const bench *bench) {
    qdr_pattern_view view = qdr_pattern_look(bench->pattern);
    int64_t most = 0;
    for (int rank = 0; rank < view.ranks; rank++) {
        int64_t out = view.local[rank], in = view.local[rank];
        for (int64_t k = view.row_start[rank]; k < view.row_start[rank + 1]; k++) out += view.items[k];
        for (int64_t k = view.column_start[rank]; k < view.column_start[rank + 1]; k++)
            in += view.items[view.column_message[k]];
        most = out > most ? out : most;
        most = in > most ? in : most;
    }
    return refuse(bench, "a buffer", most);
}

static void copy_own(const bench *bench, const bench_load *load) {
    for (int i = 0; i < load->out.count; i++)
        for (int k = 0; load->out.partner[i] == bench->rank && k < load->in.count; k++)
            if (load->in.partner[k] == bench->rank)
                memcpy(load->incoming + load->in.offset[k] * bench->item_bytes,
                       load->outgoing + load->out.offset[i] * bench->item_bytes,
                       (size_t)(load->out.items[i] * bench->item_bytes));
}

/* ---- counts and offsets -------------------------------------------------------------------------------- */

typedef struct vectors {
    MPI_Comm comm;
    int *out_count, *out_offset, *in_count, *in_offset;
} vectors;

static void fill_vector(const bench *bench, const bench_side *side, int dense, int **count, int **offset) {
    int length = dense ? bench->ranks : side->count;
    *count = ALLOCATE(int, length);
    *offset = ALLOCATE(int, length);
    for (int i = 0; i < side->count; i++) {
        int place = dense ? side->partner[i] : i;
        (*count)[place] = (int)(side->items[i] * bench->item_bytes);
        (*offset)[place] = (int)(side->offset[i] * bench->item_bytes);
    }
}

static char *create_vectors(const bench *bench, bench_method *method, int dense) {
    char *refusal = refuse_buffer(bench);
    if (refusal) return refusal;
    vectors *v = method->state = ALLOCATE(vectors, 1);
    v->comm = MPI_COMM_WORLD;
    fill_vector(bench, &method->load->out, dense, &v->out_count, &v->out_offset);
    fill_vector(bench, &method->load->in, dense, &v->in_count, &v->in_offset);
    return NULL;
}

static char *create_dense(const bench *bench, bench_method *method) {
    return create_vectors(bench, method, 1);
}

static void destroy_vectors(bench_method *method) {
    vectors *v = method->state;
    if (v->comm != MPI_COMM_WORLD) MPI_Comm_free(&v->comm);
    free(v->out_count);
    free(v->out_offset);
    free(v->in_count);
    free(v->in_offset);
    free(v);
}

/* ---- mpi-alltoallv ------------------------------------------------------------------------------------- */

static void run_alltoallv(const bench *bench, bench_method *method) {
    const vectors *v = method->state;
    (void)bench;
    MPI_Alltoallv(method->load->outgoing, v->out_count, v->out_offset, MPI_BYTE, method->load->incoming,
                  v->in_count, v->in_offset, MPI_BYTE, v->comm);
}

static const bench_kind alltoallv = {
    .name = "mpi-alltoallv",
    .summary = "MPI_Alltoallv, with the algorithm that MPI chooses",
    .call = "MPI_Alltoallv",
    .create = create_dense,
    .run = run_alltoallv,
    .destroy = destroy_vectors,
};

/* ---- mpi-alltoallv-pairwise ---------------------------------------------------------------------------- */

static void run_pairwise(const bench *bench, bench_method *method) {
    const vectors *v = method->state;
    const bench_load *load = method->load;
    copy_own(bench, load);
    for (int step = 1; step < bench->ranks; step++) {
        int to = (bench->rank + step) % bench->ranks,
            from = (bench->rank + bench->ranks - step) % bench->ranks;
        int out = v->out_count[to], in = v->in_count[from];
        if (out) bench_record(method, TRACE_SEND, to, 0, out);
        MPI_Sendrecv(load->outgoing + v->out_offset[to], out, MPI_BYTE, out ? to : MPI_PROC_NULL, TAG,
                     load->incoming + v->in_offset[from], in, MPI_BYTE, in ? from : MPI_PROC_NULL, TAG,
                     v->comm, MPI_STATUS_IGNORE);
        if (in) bench_record(method, TRACE_ARRIVAL, from, 0, in);
    }
}

static const bench_kind pairwise = {
    .name = "mpi-alltoallv-pairwise",
    .summary = "whole messages by MPI_Sendrecv in n - 1 steps, as Open MPI's pairwise MPI_Alltoallv does",
    .create = create_dense,
    .run = run_pairwise,
    .destroy = destroy_vectors,
};

/* ---- mpi-neighbor -------------------------------------------------------------------------------------- */

static char *create_neighbor(const bench *bench, bench_method *method) {
    const bench_load *load = method->load;
    char *refusal = create_vectors(bench, method, 0);
    if (refusal) return refusal;
    vectors *v = method->state;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, load->in.count, load->in.partner, v->in_count,
                                   load->out.count, load->out.partner, v->out_count, MPI_INFO_NULL, 0,
                                   &v->comm);
    return NULL;
}

static void run_neighbor(const bench *bench, bench_method *method) {
    const vectors *v = method->state;
    (void)bench;
    MPI_Neighbor_alltoallv(method->load->outgoing, v->out_count, v->out_offset, MPI_BYTE,
                           method->load->incoming, v->in_count, v->in_offset, MPI_BYTE, v->comm);
}

static const bench_kind neighbor = {
    .name = "mpi-neighbor",
    .summary = "MPI_Neighbor_alltoallv on a graph of the partners",
    .call = "MPI_Neighbor_alltoallv",
    .create = create_neighbor,
    .run = run_neighbor,
    .destroy = destroy_vectors,
};

/* ---- isend, isend-shifted, persistent: everything at once ---------------------------------------------- */

typedef struct flood {
    int receives, count; /* the receives come first */
    MPI_Request *request;
    MPI_Status *status;
    int *place; /* of each request in its side of the load */
} flood;

/* The places of a side's partners other than this rank, from rank `begin` on. */
static int list_places(const bench *bench, const bench_side *side, int begin, int *place) {
    int first = 0, count = 0;
    while (first < side->count && side->partner[first] < begin) first++;
    for (int k = 0; k < side->count; k++) {
        int i = (first + k) % side->count;
        if (side->partner[i] != bench->rank) place[count++] = i;
    }
    return count;
}

static char *create_flood(const bench *bench, bench_method *method, int begin) {
    const bench_load *load = method->load;
    char *refusal = refuse_message(bench);
    if (refusal) return refusal;
    flood *f = method->state = ALLOCATE(flood, 1);
    f->request = ALLOCATE(MPI_Request, (int64_t)load->in.count + load->out.count);
    f->status = ALLOCATE(MPI_Status, (int64_t)load->in.count + load->out.count);
    f->place = ALLOCATE(int, (int64_t)load->in.count + load->out.count);
    f->receives = list_places(bench, &load->in, begin, f->place);
    f->count = f->receives + list_places(bench, &load->out, begin, f->place + f->receives);
    return NULL;
}

static char *create_isend(const bench *bench, bench_method *method) {
    return create_flood(bench, method, 0);
}

static char *create_shifted(const bench *bench, bench_method *method) {
    return create_flood(bench, method, bench->rank + 1);
}

static void destroy_flood(bench_method *method) {
    flood *f = method->state;
    free(f->request);
    free(f->status);
    free(f->place);
    free(f);
}

typedef struct operation {
    unsigned char *data;
    int bytes, partner;
} operation;

static operation look_up(const bench *bench, const bench_load *load, const flood *f, int i) {
    const bench_side *side = i < f->receives ? &load->in : &load->out;
    unsigned char *base = i < f->receives ? load->incoming : load->outgoing;
    int place = f->place[i];
    return (operation){base + side->offset[place] * bench->item_bytes,
                       (int)(side->items[place] * bench->item_bytes), side->partner[place]};
}

static void record_send(bench_method *method, const flood *f, int i, operation o) {
    if (i >= f->receives) bench_record(method, TRACE_SEND, o.partner, 0, o.bytes);
}

/* Who records has to be told of every arrival by itself. */
static void complete(const bench *bench, bench_method *method, flood *f) {
    if (!method->recorder) {
        MPI_Waitall(f->count, f->request, f->status);
        return;
    }
    for (int done = 0, i; done < f->count; done++) {
        MPI_Waitany(f->count, f->request, &i, MPI_STATUS_IGNORE);
        operation o = look_up(bench, method->load, f, i);
        if (i < f->receives) bench_record(method, TRACE_ARRIVAL, o.partner, 0, o.bytes);
    }
}

static void run_isend(const bench *bench, bench_method *method) {
    flood *f = method->state;
    for (int i = 0; i < f->count; i++) {
        operation o = look_up(bench, method->load, f, i);
        record_send(method, f, i, o);
        if (i < f->receives)
            MPI_Irecv(o.data, o.bytes, MPI_BYTE, o.partner, TAG, MPI_COMM_WORLD, &f->request[i]);
        else
            MPI_Isend(o.data, o.bytes, MPI_BYTE, o.partner, TAG, MPI_COMM_WORLD, &f->request[i]);
    }
    copy_own(bench, method->load);
    complete(bench, method, f);
}

static const bench_kind isend = {
    .name = "isend",
    .summary = "all MPI_Irecv, all MPI_Isend, in the order of ranks; MPI_Waitall",
    .create = create_isend,
    .run = run_isend,
    .destroy = destroy_flood,
};

static const bench_kind isend_shifted = {
    .name = "isend-shifted",
    .summary = "the same, beginning at the rank after one's own",
    .create = create_shifted,
    .run = run_isend,
    .destroy = destroy_flood,
};

static char *create_persistent(const bench *bench, bench_method *method) {
    char *refusal = create_isend(bench, method);
    if (refusal) return refusal;
    flood *f = method->state;
    for (int i = 0; i < f->count; i++) {
        operation o = look_up(bench, method->load, f, i);
        if (i < f->receives)
            MPI_Recv_init(o.data, o.bytes, MPI_BYTE, o.partner, TAG, MPI_COMM_WORLD, &f->request[i]);
        else
            MPI_Send_init(o.data, o.bytes, MPI_BYTE, o.partner, TAG, MPI_COMM_WORLD, &f->request[i]);
    }
    return NULL;
}

static void run_persistent(const bench *bench, bench_method *method) {
    flood *f = method->state;
    for (int i = 0; method->recorder && i < f->count; i++)
        record_send(method, f, i, look_up(bench, method->load, f, i));
    MPI_Startall(f->count, f->request);
    copy_own(bench, method->load);
    complete(bench, method, f);
}

static void destroy_persistent(bench_method *method) {
    flood *f = method->state;
    for (int i = 0; i < f->count; i++) MPI_Request_free(&f->request[i]);
    destroy_flood(method);
}

static const bench_kind persistent = {
    .name = "persistent",
    .summary = "as isend, with persistent requests: MPI_Startall, MPI_Waitall",
    .create = create_persistent,
    .run = run_persistent,
    .destroy = destroy_persistent,
};

/* ---- the table ----------------------------------------------------------------------------------------- */

const bench_kind *const bench_opponents[] = {&alltoallv,     &pairwise,   &neighbor, &isend,
                                             &isend_shifted, &persistent, NULL};

int bench_find_opponent(const char *name, const bench_kind **kind) {
    char list[256] = "";
    size_t used = 0;
    for (int i = 0; bench_opponents[i]; i++) {
        *kind = bench_opponents[i];
        if (!strcmp((*kind)->name, name)) return EXIT_GOOD;
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", (*kind)->name);
    }
    return complain("--with %.60s is unknown; %s%s", name, qdri_did_you_mean(name, list), list);
}
