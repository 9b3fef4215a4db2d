/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What may overtake what. Exchanges that are under way together come in by different ways and at different
 * speeds; ranks run ahead of others; memory for larger slots is missing at one moment and there at the next.
 * Each case here makes one such meeting happen for certain.
 *
 * Ranks 0 and 2, 1 and 3 are on a node each, by names of processors that are told to the library; and its
 * calls of posix_fallocate come here, so that they fail when they shall. The last case adds up in whatever
 * order ranks come, and by every way: the bits of the sums are the same.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "map/map_testing.h"
#include "mpi_expect.h"

static int rank, ranks, two_nodes, no_memory;

int64_t __wrap_qdri_host_digest(int own_rank, int node_ranks);
int64_t __wrap_qdri_host_digest(int own_rank, int node_ranks) {
    (void)own_rank, (void)node_ranks;
    return two_nodes ? rank % 2 : 0;
}

/* The file has its length already; memory comes when it is touched. */
int __wrap_posix_fallocate(int file, off_t offset, off_t length);
int __wrap_posix_fallocate(int file, off_t offset, off_t length) {
    (void)file, (void)offset, (void)length;
    return no_memory ? ENOSPC : 0;
}

static void rest(double seconds) {
    struct timespec time = {0, (long)(1e9 * seconds)};
    nanosleep(&time, NULL);
}

/* ---- one element from each source ---------------------------------------------------------------------- */

/* A map by which some ranks send their element 0 to element `place` of one rank's. */
static qdr_map *gathering(MPI_Comm comm, int to, int sources, const int *source, int in_flight, int unordered,
                          int spread) {
    qdr_plan_options plan = QDR_PLAN_OPTIONS;
    qdr_map_options options = QDR_MAP_OPTIONS;
    int64_t one = 1, zero = 0, place = 0;
    int sends = 0;
    qdr_map *map = NULL;
    for (int i = 0; i < sources; i++)
        if (source[i] == rank) {
            sends = 1;
            place = spread ? i : 0;
        }
    plan.algorithm = "async";
    plan.transport = "node";
    plan.in_flight = in_flight;
    plan.deadline = 4;
    options.plan = &plan;
    options.unordered = unordered;
    qdr_indices out = {
        .partners = sends, .rank = &to, .count = &one, .place = &zero, .partner_place = &place};
    FINE(qdr_map_create(comm, &out, NULL, &options, &map));
    return map;
}

static unsigned char byte_of(int round, int source, int64_t at) {
    return (unsigned char)mixed(4, (uint64_t)round, (uint64_t)source, (uint64_t)at);
}

/* ---- a later exchange ends before an earlier one ------------------------------------------------------- */

/* Rank 3 gets from rank 0, which is far, and from rank 1, which is near and runs ahead as far as it is let.
 * The first message of rank 0 is large and gets stuck, for rank 0 goes away; its second is small and is there
 * at once. So the second exchange is unpacked before the first, whose message from rank 1 must not be
 * touched. */
static void test_overtaking(void) {
    enum { ROUNDS = 12, LARGE = 300000 };
    static const int source[] = {0, 1};
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    two_nodes = 1;
    qdr_map *map = gathering(comm, 3, 2, source, 2, 0, 0);
    unsigned char *from[ROUNDS], *to[ROUNDS];
    qdr_pending *exchange[ROUNDS] = {NULL};
    qdr_plan_info info;
    FINE(qdr_plan_look(qdr_map_plan(map, QDR_FORWARD), &info));
    if (rank == 3)
        CHECK_SAYING(info.near_in == 1 && info.messages_in == 2, "%d of %lld messages are near", info.near_in,
                     (long long)info.messages_in);
    int64_t combined = 0;
    for (int r = 0; r < ROUNDS; r++) {
        int64_t width = r == 0 ? LARGE : 10;
        from[r] = malloc(LARGE);
        to[r] = calloc(1, LARGE);
        for (int64_t at = 0; at < width; at++) from[r][at] = byte_of(r, rank, at);
        qdr_field field = {.source = from[r],
                           .target = to[r],
                           .type = QDR_BYTE,
                           .width = width,
                           .operation = QDR_COMBINE,
                           .combine = combine_in_order,
                           .context = &combined};
        if (r >= 2 && exchange[r - 2]) FINE(qdr_wait(&exchange[r - 2]));
        FINE(qdr_map_start(map, QDR_FORWARD, 1, &field, &exchange[r]));
        if (rank == 0 && r == 1) rest(0.3);
        if (rank == 3 && r == 1) FINE(qdr_wait(&exchange[1]));
    }
    for (int r = ROUNDS - 2; r < ROUNDS; r++)
        if (exchange[r]) FINE(qdr_wait(&exchange[r]));
    for (int r = 0; r < ROUNDS; r++) {
        int64_t width = r == 0 ? LARGE : 10, wrong = 0;
        for (int64_t at = 0; rank == 3 && at < width; at++)
            wrong += to[r][at] != (unsigned char)(byte_of(r, 0, at) * 31 + byte_of(r, 1, at));
        CHECK_SAYING(wrong == 0, "round %d: %lld bytes are wrong", r, (long long)wrong);
        free(from[r]);
        free(to[r]);
    }
    FINE(qdr_map_destroy(&map));
    MPI_Comm_free(&comm);
}

/* ---- memory that comes too late ------------------------------------------------------------------------ */

/* The receiver has no larger slots for its first message, and has them for its second, before the sender has
 * begun with the first. Both ends must take the same way, whichever. */
static void test_late_memory(void) {
    enum { ROUNDS = 4 };
    static const int source[] = {0};
    static const int64_t widths[ROUNDS] = {60000, 120000, 200000, 60000};
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    two_nodes = 0;
    int to = ranks - 1;
    qdr_map *map = gathering(comm, to, 1, source, ROUNDS, 1, 0);
    unsigned char *memory[ROUNDS];
    qdr_pending *exchange[ROUNDS];
    if (rank == 0) MPI_Barrier(MPI_COMM_WORLD);
    for (int r = 0; r < ROUNDS; r++) {
        memory[r] = calloc(1, (size_t)widths[r]);
        for (int64_t at = 0; rank == 0 && at < widths[r]; at++) memory[r][at] = byte_of(r, 0, at);
        no_memory = r == 0 || r == 2;
        qdr_field field = {.source = rank == 0 ? memory[r] : NULL,
                           .target = rank == to ? memory[r] : NULL,
                           .type = QDR_BYTE,
                           .width = widths[r]};
        FINE(qdr_map_start(map, QDR_FORWARD, 1, &field, &exchange[r]));
    }
    no_memory = 0;
    if (rank != 0) MPI_Barrier(MPI_COMM_WORLD);
    for (int r = 0; r < ROUNDS; r++) {
        FINE(qdr_wait(&exchange[r]));
        int64_t wrong = 0;
        for (int64_t at = 0; rank == to && at < widths[r]; at++) wrong += memory[r][at] != byte_of(r, 0, at);
        CHECK_SAYING(wrong == 0, "round %d: %lld bytes are wrong", r, (long long)wrong);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int r = 0; r < ROUNDS; r++) free(memory[r]);
    FINE(qdr_map_destroy(&map));
    MPI_Comm_free(&comm);
}

/* ---- sums ---------------------------------------------------------------------------------------------- */

enum { SUMMED = 3, WIDTH = 40 };

/* Everyone needs elements 0 to 2 of everyone else, and in reverse adds to them; 2 is needed twice. */
static qdr_map *everyone(MPI_Comm comm, const char *algorithm, const char *transport, int64_t window) {
    enum { LINKS = SUMMED + 1 };
    static const int64_t place[LINKS] = {2, 0, 2, 1};
    int link_rank[16 * LINKS];
    int64_t local[16 * LINKS], remote[16 * LINKS], links = 0;
    qdr_plan_options plan = QDR_PLAN_OPTIONS;
    qdr_map_options options = QDR_MAP_OPTIONS;
    qdr_map *map = NULL;
    for (int r = 0; r < ranks; r++)
        for (int k = 0; r != rank && k < LINKS; k++, links++) {
            link_rank[links] = r;
            local[links] = SUMMED + (links * 5 + 3) % (LINKS * (ranks - 1)); /* in no order */
            remote[links] = place[k];
        }
    plan.algorithm = algorithm;
    plan.transport = transport;
    plan.window = window;
    plan.chunk = window ? 64 : 0;
    options.plan = &plan;
    options.reverse = QDR_REVERSE_COMBINE;
    qdr_indices needs = {.links = links, .link_rank = link_rank, .place = local, .partner_place = remote};
    FINE(qdr_map_create(comm, NULL, &needs, &options, &map));
    return map;
}

/* Values so different that no two orders give one sum. */
static void sum_up(qdr_map *map, int round, double *sum) {
    static const double values[] = {1e16, 1, -1e16, 3.7, 1e-9, -7e15};
    double array[(SUMMED + 4 * 16) * WIDTH];
    for (int i = 0; i < (SUMMED + 4 * ranks) * WIDTH; i++)
        array[i] = values[(i / WIDTH + rank * 5 + i) % 6] * (1 + 0.37 * rank);
    for (int i = 0; i < SUMMED * WIDTH; i++) array[i] = 0.1;
    qdr_field field = {
        .source = array, .target = array, .type = QDR_DOUBLE, .width = WIDTH, .operation = QDR_SUM};
    MPI_Barrier(MPI_COMM_WORLD);
    rest(round ? 0.002 * (ranks - 1 - rank) : 0.002 * rank);
    FINE(qdr_map_exchange(map, QDR_REVERSE, 1, &field));
    memcpy(sum, array, SUMMED * WIDTH * sizeof *sum);
}

/* Nobody asked for anything: the bits are the same, whoever comes first and whatever the way. */
static void test_same_bits(void) {
    static const char *const algorithms[] = {"async",  "paced",    "distributed",
                                             "linear", "coloring", "two-stage"};
    static double first[SUMMED * WIDTH], sum[SUMMED * WIDTH];
    int made = 0;
    two_nodes = 0;
    for (int nodes = 1; nodes <= 2; nodes++) {
        MPI_Comm comm;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        two_nodes = nodes == 2;
        for (int a = 0; a < 6; a++)
            for (int way = 0; way < 3; way++) {
                qdr_map *map = everyone(comm, algorithms[a], way == 0 ? "node" : "net", way == 2 ? 128 : 0);
                for (int round = 0; round < 2; round++) {
                    sum_up(map, round, made++ ? sum : first);
                    CHECK_SAYING(made == 1 || memcmp(sum, first, sizeof sum) == 0,
                                 "%s, way %d, %d nodes, round %d: other bits", algorithms[a], way, nodes,
                                 round);
                }
                FINE(qdr_map_destroy(&map));
            }
        MPI_Comm_free(&comm);
    }
}

int main(int count, char **words) {
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks == 4) test_overtaking();
    if (ranks > 1) test_late_memory();
    test_same_bits();
    int verdict = mpi_check_verdict();
    MPI_Finalize();
    return verdict;
}
