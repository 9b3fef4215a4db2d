/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * persistent_calls ROUNDS [SEED] [multiple]: persistent exchanges, where the MPI has them, at random: several requests on
 * several communicators, started in a different order on every rank, alone and together with persistent messages, and
 * completed in any way. What came must be what the profiling name of the blocking function leaves, in the gaps too.
 */
#include <stdio.h>
#include <string.h>

#include "random_side.h"

#if defined(OPEN_MPI) && MPI_VERSION < 4
#include <mpi-ext.h>
#endif
#if defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)
#define MPI_Alltoall_init           MPIX_Alltoall_init
#define MPI_Alltoallv_init          MPIX_Alltoallv_init
#define MPI_Alltoallw_init          MPIX_Alltoallw_init
#define MPI_Neighbor_alltoall_init  MPIX_Neighbor_alltoall_init
#define MPI_Neighbor_alltoallv_init MPIX_Neighbor_alltoallv_init
#define HAS_THEM                    1
#else
#define HAS_THEM (MPI_VERSION >= 4)
#endif

#if HAS_THEM
enum { MOST = 12 };
typedef enum kind { SAME, V, W, NEIGHBOR_SAME, NEIGHBOR_V } kind;
typedef struct exchange {
    kind kind;
    side out, in;
    char *expected;
    MPI_Comm comm;
} exchange;

static exchange made[MOST];
static MPI_Request request[MOST + 2]; /* and a message to the next rank, and one from the last */
static int rank, ranks;

static void initialize(exchange *e, MPI_Request *to) {
    side *o = &e->out, *i = &e->in;
    if (e->kind == SAME)
        MPI_Alltoall_init(o->bytes, o->same, o->one, i->bytes, i->same, i->one, e->comm, MPI_INFO_NULL, to);
    else if (e->kind == V)
        MPI_Alltoallv_init(o->bytes, o->count, o->displacement, o->one, i->bytes, i->count, i->displacement,
                           i->one, e->comm, MPI_INFO_NULL, to);
    else if (e->kind == W)
        MPI_Alltoallw_init(o->bytes, o->count, o->displacement, o->each, i->bytes, i->count, i->displacement,
                           i->each, e->comm, MPI_INFO_NULL, to);
    else if (e->kind == NEIGHBOR_SAME)
        MPI_Neighbor_alltoall_init(o->bytes, o->same, o->one, i->bytes, i->same, i->one, e->comm,
                                   MPI_INFO_NULL, to);
    else
        MPI_Neighbor_alltoallv_init(o->bytes, o->count, o->displacement, o->one, i->bytes, i->count,
                                    i->displacement, i->one, e->comm, MPI_INFO_NULL, to);
}

static void make(exchange *e, MPI_Request *to, stream *all, stream *own, MPI_Comm comm, int neighbors) {
    static int matrix[64][64];
    int pair[2], base = below(all, BASES), largest = below(all, 4) == 0 ? 5000 : 50;
    e->kind = (kind)(neighbors ? NEIGHBOR_SAME + below(all, 2) : below(all, 3));
    for (int i = 0; i < ranks; i++)
        for (int j = 0; j < ranks; j++) matrix[i][j] = below(all, 3) ? below(all, 1 + largest) : 0;
    if (neighbors) PMPI_Cart_shift(comm, 0, 1, &pair[0], &pair[1]);
    e->out.edges = e->in.edges = neighbors ? 2 : ranks;
    e->out.same = e->in.same = matrix[0][0];
    for (int i = 0; i < e->out.edges; i++) {
        int partner = neighbors ? pair[i] : i;
        e->out.count[i] = partner < 0 ? 0 : matrix[rank][partner];
        e->in.count[i] = partner < 0 ? 0 : matrix[partner][rank];
    }
    side *sides[2] = {&e->out, &e->in};
    for (int s = 0; s < 2; s++) {
        int layout = below(own, LAYOUTS);
        PMPI_Type_dup(type[base][layout], &sides[s]->one);
        for (int i = 0; i < sides[s]->edges; i++) PMPI_Type_dup(type[base][layout], &sides[s]->each[i]);
        if (e->kind == SAME || e->kind == NEIGHBOR_SAME)
            lay_out_in_order(sides[s]);
        else
            lay_out(sides[s], own, e->kind != W, s == 0);
    }
    e->comm = comm;
    e->expected = malloc(e->in.size);
    initialize(e, to);
}

static void expect(exchange *e) {
    side *o = &e->out, *i = &e->in;
    memcpy(e->expected, i->bytes, i->size);
    if (e->kind == SAME)
        PMPI_Alltoall(o->bytes, o->same, o->one, e->expected, i->same, i->one, e->comm);
    else if (e->kind == V)
        PMPI_Alltoallv(o->bytes, o->count, o->displacement, o->one, e->expected, i->count, i->displacement,
                       i->one, e->comm);
    else if (e->kind == W)
        PMPI_Alltoallw(o->bytes, o->count, o->displacement, o->each, e->expected, i->count, i->displacement,
                       i->each, e->comm);
    else if (e->kind == NEIGHBOR_SAME)
        PMPI_Neighbor_alltoall(o->bytes, o->same, o->one, e->expected, i->same, i->one, e->comm);
    else
        PMPI_Neighbor_alltoallv(o->bytes, o->count, o->displacement, o->one, e->expected, i->count,
                                i->displacement, i->one, e->comm);
}

static void forget(exchange *e) {
    side *sides[2] = {&e->out, &e->in};
    for (int s = 0; s < 2; s++) {
        PMPI_Type_free(&sides[s]->one);
        for (int i = 0; i < sides[s]->edges; i++) PMPI_Type_free(&sides[s]->each[i]);
        free(sides[s]->bytes);
    }
    free(e->expected);
}

/* Each rank in an order of its own, some of them together. */
static void start_all(stream *own, int count) {
    int order[MOST + 2], begin = 0;
    MPI_Request together[MOST + 2];
    for (int i = 0; i < count; i++) order[i] = i;
    for (int i = count - 1; i > 0; i--) {
        int k = below(own, i + 1), moved = order[i];
        order[i] = order[k];
        order[k] = moved;
    }
    while (begin < count) {
        int some = 1 + below(own, count - begin);
        if (some == 1) MPI_Start(&request[order[begin]]);
        for (int i = 0; i < some; i++) together[i] = request[order[begin + i]];
        if (some > 1) MPI_Startall(some, together);
        for (int i = 0; i < some; i++) CHECK(together[i] == request[order[begin + i]]);
        begin += some;
    }
}

static void complete_all(stream *own, int count) {
    MPI_Status status[MOST + 2];
    int done = 0, index, way = below(own, 4);
    if (way == 0) MPI_Waitall(count, request, status);
    while (way == 1 && !done) MPI_Testall(count, request, &done, status);
    for (int i = count - 1; way == 2 && i >= 0; i--) MPI_Wait(&request[i], status);
    for (index = 0; way == 3 && index != MPI_UNDEFINED;) MPI_Waitany(count, request, &index, status);
}

static void round_once(stream *own, int exchanges) {
    for (int i = 0; i < exchanges; i++) {
        fill(&made[i].out, own);
        fill(&made[i].in, own);
        expect(&made[i]);
    }
    start_all(own, exchanges + 2);
    if (below(own, 2)) { /* something else meanwhile */
        int flag;
        MPI_Iprobe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    }
    complete_all(own, exchanges + 2);
    for (int i = 0; i < exchanges; i++)
        CHECK_SAYING(memcmp(made[i].expected, made[i].in.bytes, made[i].in.size) == 0,
                     "request %d of kind %d: bytes differ", i, (int)made[i].kind);
}

/* Started on some ranks before another is initialized, and on others after that, which must not wait for it; freed
 * without a start. */
static void play(stream *all, stream *own) {
    exchange e = {.kind = SAME}, other = {.kind = SAME};
    MPI_Request first, second;
    MPI_Comm comm;
    PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
    make(&e, &first, all, own, comm, 0);
    fill(&e.out, own);
    fill(&e.in, own);
    expect(&e);
    if (rank % 2) MPI_Start(&first);
    make(&other, &second, all, own, comm, 0);
    if (rank % 2 == 0) MPI_Start(&first);
    MPI_Wait(&first, MPI_STATUS_IGNORE);
    CHECK(memcmp(e.expected, e.in.bytes, e.in.size) == 0);
    MPI_Request_free(&second);
    CHECK(second == MPI_REQUEST_NULL);
    MPI_Request_free(&first);
    MPI_Comm_free(&comm);
    exchange *both[2] = {&e, &other};
    for (int b = 0; b < 2; b++) forget(both[b]);
}

static void run(int64_t rounds, stream *all, stream *own) {
    MPI_Comm comms[3];
    int exchanges = 2 + below(all, MOST - 2);
    comms[0] = MPI_COMM_WORLD;
    PMPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
    PMPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, (int[]){ranks > 2}, 0, &comms[2]);
    for (int i = 0; i < exchanges; i++) {
        int which = below(all, 3);
        make(&made[i], &request[i], all, own, comms[which], which == 2);
    }
    static int words[2];
    MPI_Send_init(&words[0], 1, MPI_INT, (rank + 1) % ranks, 3, MPI_COMM_WORLD, &request[exchanges]);
    MPI_Recv_init(&words[1], 1, MPI_INT, (rank + ranks - 1) % ranks, 3, MPI_COMM_WORLD,
                  &request[exchanges + 1]);
    for (int64_t r = 0; r < rounds; r++) round_once(own, exchanges);
    for (int i = 0; i < exchanges + 2; i++) MPI_Request_free(&request[i]);
    for (int i = 0; i < exchanges; i++) forget(&made[i]);
    MPI_Comm_free(&comms[1]);
    MPI_Comm_free(&comms[2]);
}
#endif

int main(int argc, char **argv) {
    int level, wanted = argc > 3 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, wanted, &level);
    make_types();
#if HAS_THEM
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    stream all = {argc > 2 ? (uint64_t)atoll(argv[2]) : 1},
           own = {UINT64_C(77) * (uint64_t)(rank + 1) + all.state};
    int64_t rounds = argc > 1 ? atoll(argv[1]) : 20;
    for (int i = 0; i < 5; i++) play(&all, &own);
    for (int i = 0; i < 4; i++) run(rounds, &all, &own);
    if (rank == 0) printf("persistent exchanges on %d ranks, the same bytes as MPI's\n", ranks);
#else
    printf("this MPI has no persistent exchanges\n");
#endif
    free_types();
    int verdict = mpi_check_verdict();
    MPI_Finalize();
    return verdict;
}
