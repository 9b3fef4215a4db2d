/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * started_calls CALLS SEED [multiple] [early]: MPI_Ialltoall and its relatives at random, many at once, on several
 * communicators, beside messages of the program's own; each also by the blocking function's profiling name, which
 * no library intercepts. Both must leave the same bytes everywhere, in the gaps too.
 *
 * What is under way is completed by each of the functions that test or wait, chosen by each rank for itself, in any
 * order; types, and with `early` some communicators, are freed as soon as the call has returned. (Open MPI 4.1
 * does not survive early types beside another thread; there they are freed at the end.) Blocking calls come in between.
 * Some programs are played that are right only if MPI makes progress wherever a rank waits: they would hang. With
 * `multiple` another thread plays them at the same time.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "random_side.h"

/* MPICH 4.0 errs in MPI_Ialltoall in place, beside other exchanges. */
#if defined(MPICH)
enum { in_place_works = 0 };
#else
enum { in_place_works = 1 };
#endif

enum { MOST = 40, WORLD = 0, PART, REVERSED, RING, COMMS };
typedef enum kind { SAME, V, W } kind;

/* Something under way: an exchange, or a message with its answer. */
typedef struct started {
    MPI_Request request;
    side out, in;
    char *expected;
    int is_message;
} started;

static started *under_way[MOST]; /* counts and displacements stay where they are */
static int count;
static int rank, ranks, frees_early, has_threads;
static MPI_Comm comms[COMMS];

/* ---- its end ------------------------------------------------------------------------------------------- */

static void free_own_types(side *s) {
    MPI_Type_free(&s->one);
    for (int i = 0; i < s->edges; i++) MPI_Type_free(&s->each[i]);
}

static void free_types_of(started *of) {
    free_own_types(&of->out);
    free_own_types(&of->in);
}

static void check_and_forget(int at) {
    started *ended = under_way[at];
    CHECK(ended->request == MPI_REQUEST_NULL);
    if (!ended->is_message && memcmp(ended->expected, ended->in.bytes, ended->in.size) != 0) {
        fprintf(stderr, "rank %d: bytes of a nonblocking exchange differ\n", rank);
        PMPI_Abort(MPI_COMM_WORLD, 1);
    }
    if (!ended->is_message && has_threads) free_types_of(ended);
    free(ended->expected);
    free(ended->out.bytes);
    free(ended->in.bytes);
    free(ended);
    under_way[at] = under_way[--count];
}

/* The requests, as an array; back into their places, and those that have ended go. */
static void gather(MPI_Request *request) {
    for (int i = 0; i < count; i++) request[i] = under_way[i]->request;
}

static void scatter(const MPI_Request *request) {
    for (int i = 0; i < count; i++) under_way[i]->request = request[i];
    for (int i = count - 1; i >= 0; i--)
        if (under_way[i]->request == MPI_REQUEST_NULL) check_and_forget(i);
}

/* One or more of them, by one of the functions of MPI. */
static void complete_some(stream *own) {
    MPI_Request request[MOST];
    MPI_Status status[MOST];
    int done = 0, index, indices[MOST], which = below(own, 9);
    gather(request);
    int one = below(own, count);
    switch (which) {
    case 0:
        MPI_Wait(&request[one], MPI_STATUS_IGNORE);
        break;
    case 1:
        while (!done) MPI_Test(&request[one], &done, status);
        break;
    case 2:
        MPI_Waitall(count, request, below(own, 2) ? status : MPI_STATUSES_IGNORE);
        break;
    case 3:
        MPI_Waitany(count, request, &index, status);
        CHECK(index >= 0 && index < count);
        break;
    case 4:
        MPI_Waitsome(count, request, &done, indices, status);
        CHECK(done > 0 && done <= count);
        break;
    case 5:
        while (!done) MPI_Testall(count, request, &done, status);
        break;
    case 6:
        while (!done) MPI_Testany(count, request, &index, &done, status);
        break;
    case 7:
        while (!done) MPI_Testsome(count, request, &done, indices, status);
        break;
    default:
        while (!done) MPI_Request_get_status(request[one], &done, status);
        MPI_Wait(&request[one], status);
    }
    scatter(request);
}

/* ---- its beginning ------------------------------------------------------------------------------------- */

static started *add(int is_message) {
    started *made = calloc(1, sizeof *made);
    if (!made) PMPI_Abort(MPI_COMM_WORLD, 1);
    made->is_message = is_message;
    return under_way[count++] = made;
}

static int elements(stream *all, int largest) {
    return below(all, 3) == 0 ? 0 : below(all, 1 + below(all, 1 + largest));
}

static void expect(kind k, const side *out, char *to, const side *in, int neighbors, MPI_Comm comm) {
    if (k == SAME)
        (neighbors ? PMPI_Neighbor_alltoall : PMPI_Alltoall)(out->bytes, out->same, out->one, to, in->same,
                                                             in->one, comm);
    else if (k == V)
        (neighbors ? PMPI_Neighbor_alltoallv : PMPI_Alltoallv)(out->bytes, out->count, out->displacement,
                                                               out->one, to, in->count, in->displacement,
                                                               in->one, comm);
    else if (neighbors)
        PMPI_Neighbor_alltoallw(out->bytes, out->count, out->address, out->each, to, in->count, in->address,
                                in->each, comm);
    else
        PMPI_Alltoallw(out->bytes, out->count, out->displacement, out->each, to, in->count, in->displacement,
                       in->each, comm);
}

static int begin(kind k, started *made, int neighbors, int in_place, MPI_Comm comm) {
    const side *out = &made->out, *in = &made->in;
    const void *from = in_place ? MPI_IN_PLACE : out->bytes;
    if (k == SAME)
        return (neighbors ? MPI_Ineighbor_alltoall : MPI_Ialltoall)(from, out->same, out->one, in->bytes,
                                                                    in->same, in->one, comm, &made->request);
    if (k == V)
        return (neighbors ? MPI_Ineighbor_alltoallv
                          : MPI_Ialltoallv)(from, out->count, out->displacement, out->one, in->bytes,
                                            in->count, in->displacement, in->one, comm, &made->request);
    if (neighbors)
        return MPI_Ineighbor_alltoallw(from, out->count, out->address, out->each, in->bytes, in->count,
                                       in->address, in->each, comm, &made->request);
    return MPI_Ialltoallw(from, out->count, out->displacement, out->each, in->bytes, in->count,
                          in->displacement, in->each, comm, &made->request);
}

/* Types of their own, for they are freed early. */
static void draw_types(side *s, stream *own, int base) {
    /* Without a stream all ranks have the same: MPICH 4.0 wants one layout in place. */
    PMPI_Type_dup(type[base][own ? below(own, LAYOUTS) : 0], &s->one);
    for (int i = 0; i < s->edges; i++) PMPI_Type_dup(type[base][own ? below(own, LAYOUTS) : 0], &s->each[i]);
}

/* Sizes from all to all; on the ring only those with the neighbors count. */
static void draw_sizes(stream *all, started *made, int neighbors, MPI_Comm comm) {
    static int matrix[64][64];
    int own, size, pair[2], largest = below(all, 20) == 0 ? 20000 : below(all, 4) == 0 ? 2000 : 40;
    PMPI_Comm_rank(comm, &own);
    PMPI_Comm_size(comm, &size);
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++) matrix[i][j] = elements(all, largest);
    made->out.same = made->in.same = matrix[0][0];
    made->out.edges = made->in.edges = neighbors ? 2 : size;
    if (neighbors) PMPI_Cart_shift(comm, 0, 1, &pair[0], &pair[1]);
    for (int i = 0; i < made->out.edges; i++) {
        int partner = neighbors ? pair[i] : i;
        made->out.count[i] = partner == MPI_PROC_NULL ? 0 : matrix[own][partner];
        made->in.count[i] = partner == MPI_PROC_NULL ? 0 : matrix[partner][own];
    }
}

static void start_exchange(stream *all, stream *own, MPI_Comm comm, int neighbors, int may_be_mpis) {
    started *made = add(0);
    kind k = (kind)below(all, 3);
    int base = below(all, BASES),
        in_place = in_place_works && may_be_mpis && !neighbors && k == SAME && below(all, 10) == 0;
    draw_sizes(all, made, neighbors, comm);
    if (!neighbors && made->out.edges == 1) k = V; /* Open MPI 4.1 errs in MPI_Alltoallw of one rank */
    draw_types(&made->out, own, base);
    draw_types(&made->in, in_place ? NULL : own, base);
    side *sides[2] = {&made->out, &made->in};
    for (int i = 0; i < 2; i++) {
        if (k == SAME)
            lay_out_in_order(sides[i]);
        else
            lay_out(sides[i], own, k == V, i == 0);
        fill(sides[i], own);
    }
    made->expected = malloc(made->in.size);
    CHECK(made->expected != NULL);
    memcpy(made->expected, made->in.bytes, made->in.size);
    if (in_place)
        PMPI_Alltoall(made->in.bytes, made->in.same, made->in.one, made->expected, made->in.same,
                      made->in.one, comm);
    else
        expect(k, &made->out, made->expected, &made->in, neighbors, comm);
    CHECK(begin(k, made, neighbors, in_place, comm) == MPI_SUCCESS);
    if (!has_threads) free_types_of(made);
}

/* Around the ring of all ranks; both ends among the requests. */
static void start_messages(int tag) {
    for (int i = 0; i < 2; i++) {
        started *made = add(1);
        int partner = (rank + (i ? ranks - 1 : 1)) % ranks;
        static int word[2];
        if (i)
            MPI_Irecv(&word[1], 1, MPI_INT, partner, tag % 1000, MPI_COMM_WORLD, &made->request);
        else
            MPI_Isend(&word[0], 1, MPI_INT, partner, tag % 1000, MPI_COMM_WORLD, &made->request);
    }
}

/* A communicator that is freed while it is in use. Open MPI 4.1 does not survive that; so where MPI may serve, the
 * exchanges end first. */
static void use_and_free(stream *all, stream *own) {
    MPI_Comm brief;
    MPI_Comm_dup(comms[REVERSED], &brief);
    for (int i = 0, calls = 1 + below(all, 6); i < calls; i++) {
        while (count > MOST - 3) complete_some(own);
        start_exchange(all, own, brief, 0, !frees_early);
        MPI_Barrier(brief);
        int is_mpis = i < 3; /* smaller communicators have a plan from the fourth on */
        while ((!frees_early || is_mpis) && count > 0) complete_some(own);
    }
    MPI_Comm_free(&brief);
    CHECK(brief == MPI_COMM_NULL);
}

static void one_step(stream *all, stream *own, int64_t number) {
    int choice = below(all, 100), which = below(all, COMMS), value = 1, sum = 0;
    stream drawn = {draw(all)}; /* parts of the world draw different numbers of numbers from it */
    while (count > MOST - 3) complete_some(own);
    if (choice < 5) {
        start_messages((int)number);
    } else if (choice < 10) {
        use_and_free(&drawn, own);
    } else if (choice < 15) { /* blocking, in between */
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comms[which]);
        MPI_Bcast(&value, 1, MPI_INT, 0, comms[which]);
        int out[64] = {0}, in[64] = {0};
        if (which != PART) MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, comms[which]);
    } else {
        start_exchange(&drawn, own, comms[which], which == RING && choice % 2, 1);
    }
    if (count > 0 && below(own, 6) == 0) complete_some(own);
}

/* ---- programs that need progress ----------------------------------------------------------------------- */

enum { ROOM = 30000 };
static char *out_bytes[30], *in_bytes[30];

static void start_plain(MPI_Comm comm, int at, MPI_Request *request) {
    static int counts[64], places[64];
    for (int i = 0; i < ranks; i++) {
        counts[i] = ROOM;
        places[i] = i * ROOM;
    }
    memset(out_bytes[at], 1 + at + rank, (size_t)ranks * ROOM);
    MPI_Ialltoallv(out_bytes[at], counts, places, MPI_BYTE, in_bytes[at], counts, places, MPI_BYTE, comm,
                   request);
}

static void check_plain(int at) {
    for (int r = 0; r < ranks; r++)
        CHECK(in_bytes[at][r * ROOM] == 1 + at + r && in_bytes[at][(r + 1) * ROOM - 1] == 1 + at + r);
}

/* Rank 0 waits for a message of rank 1, which waits for the exchange, which needs rank 0. */
static void wait_elsewhere(MPI_Comm comm, int way) {
    MPI_Request request;
    int word = 0, flag = 0;
    start_plain(comm, 0, &request);
    if (rank == 0 && ranks > 1) {
        if (way == 0) MPI_Recv(&word, 1, MPI_INT, 1, 7, comm, MPI_STATUS_IGNORE);
        if (way == 1) MPI_Probe(1, 7, comm, MPI_STATUS_IGNORE);
        while (way == 2 && !flag) MPI_Iprobe(1, 7, comm, &flag, MPI_STATUS_IGNORE);
        if (way) MPI_Recv(&word, 1, MPI_INT, 1, 7, comm, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (rank == 1) MPI_Ssend(&word, 1, MPI_INT, 0, 7, comm);
    }
    check_plain(0);
}

/* More exchanges at once than any plan has room for, while some ranks are in the first call on another communicator,
 * which the others make only after these exchanges were started, or have ended. */
static void cross(MPI_Comm comm, int waits) {
    enum { MANY = 30 };
    MPI_Request request[MANY];
    MPI_Status status[MANY];
    int out[64] = {0}, in[64] = {0};
    MPI_Comm other;
    PMPI_Comm_dup(comm, &other);
    for (int i = 0; i < MANY && (rank % 2 == 0 || waits); i++) start_plain(comm, i, &request[i]);
    if (waits && rank % 2 == 1) MPI_Waitall(MANY, request, status);
    for (int i = 0; i < 4; i++) MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, other);
    for (int i = 0; i < MANY && !(rank % 2 == 0 || waits); i++) start_plain(comm, i, &request[i]);
    if (!waits || rank % 2 == 0) MPI_Waitall(MANY, request, status);
    for (int i = 0; i < MANY; i++) check_plain(i);
    MPI_Comm_free(&other);
}

static void *play(void *state) {
    for (int i = 0; i < 30; i++) {
        out_bytes[i] = malloc((size_t)ranks * ROOM);
        in_bytes[i] = malloc((size_t)ranks * ROOM);
    }
    MPI_Request request;
    MPI_Comm comm = *(MPI_Comm *)state;
    start_plain(comm, 0, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(comm); /* where plans are made for it */
    for (int i = 0; i < 9; i++) wait_elsewhere(comm, i % 3);
    for (int i = 0; i < 4; i++) cross(comm, i % 2);
    for (int i = 0; i < 30; i++) {
        free(out_bytes[i]);
        free(in_bytes[i]);
    }
    return NULL;
}

int main(int argc, char **argv) {
    int level, wanted = MPI_THREAD_SINGLE;
    MPI_Comm stage;
    pthread_t player;
    for (int i = 3; i < argc; i++) {
        if (!strcmp(argv[i], "multiple")) wanted = MPI_THREAD_MULTIPLE;
        frees_early |= !strcmp(argv[i], "early");
    }
    MPI_Init_thread(&argc, &argv, wanted, &level);
    has_threads = level == MPI_THREAD_MULTIPLE;
    int64_t calls = argc > 1 ? atoll(argv[1]) : 1000;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    stream all = {argc > 2 ? (uint64_t)atoll(argv[2]) : 1},
           own = {UINT64_C(77) * (uint64_t)(rank + 1) + all.state};
    make_types();
    comms[WORLD] = MPI_COMM_WORLD;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 3 == 0, rank, &comms[PART]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comms[REVERSED]);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, (int[]){ranks > 2}, 0, &comms[RING]);
    MPI_Comm_dup(MPI_COMM_WORLD, &stage);
    if (level < MPI_THREAD_MULTIPLE || pthread_create(&player, NULL, play, &stage)) play(&stage);
    for (int64_t i = 0; i < calls; i++) one_step(&all, &own, i);
    while (count > 0) complete_some(&own);
    if (level == MPI_THREAD_MULTIPLE) pthread_join(player, NULL);
    MPI_Comm_free(&stage);
    for (int i = PART; i < COMMS; i++) MPI_Comm_free(&comms[i]);
    free_types();
    if (rank == 0) printf("%lld steps on %d ranks, the same bytes as MPI's\n", (long long)calls, ranks);
    int verdict = mpi_check_verdict();
    MPI_Finalize();
    return verdict;
}
