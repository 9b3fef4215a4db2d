/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Everything that can be done wrong in making a map: each mistake is a status and a sentence, the same on all
 * ranks, whoever made it, and nothing is harmed by it. (map_misuse_mpitest.c: in using one.)
 */
#include <stdio.h>

#include "mpi_check.h"

#include "map/map_ring_testing.h"

/* ---- making maps --------------------------------------------------------------------------------------- */

/* A mistake of all ranks, or of the last alone: all hear of it, and the communicator is as good as before. */
typedef void mistake(ring *made);

static void options_size(ring *made) {
    made->options.size = 3;
}
static void no_reverse(ring *made) {
    made->options.reverse = (qdr_reverse)7;
}
static void too_many_kept(ring *made) {
    made->options.keeps_incoming = 1;
    made->plan.in_flight = 3;
}
static void few_partners(ring *made) {
    made->sends.partners = -1;
}
static void many_partners(ring *made) {
    made->receives.partners = ranks + 1;
}
static void no_ranks(ring *made) {
    made->sends.rank = NULL;
}
static void no_counts(ring *made) {
    made->receives.count = NULL;
}
static void strange_rank(ring *made) {
    made->to = ranks;
}
static void negative_rank(ring *made) {
    made->to = -3;
}
static void negative_count(ring *made) {
    made->count = -5;
}
static void endless_count(ring *made) {
    made->count = INT64_MAX;
    made->sends.place = made->receives.place = NULL;
}
static void negative_element(ring *made) {
    made->out[2] = -9;
}
static void negative_target(ring *made) {
    made->in[1] = INT64_MIN;
}
static void negative_links(ring *made) {
    made->sends = (qdr_indices){.links = -2, .link_rank = &made->to};
}
static void strange_link(ring *made) {
    static const int nobody[1] = {-1};
    made->sends = (qdr_indices){.links = 1, .link_rank = nobody};
}
static void twice_in_reverse(ring *made) {
    made->options.reverse = QDR_REVERSE_REPLACE;
    made->out[3] = 1;
}
static void unknown_algorithm(ring *made) {
    made->plan.algorithm = "no-such";
}
static void unknown_transport(ring *made) {
    made->plan.transport = "pigeon";
}

static const struct {
    mistake *make;
    qdr_status status;
    const char *word;
    int together; /* only if all make it */
} wrong[] = {
    {options_size, QDR_ERR_INVALID, "QDR_MAP_OPTIONS", 0},
    {no_reverse, QDR_ERR_RANGE, "options.reverse is 7", 0},
    {too_many_kept, QDR_ERR_RANGE, "at most 2", 0},
    {few_partners, QDR_ERR_RANGE, "-1 partners", 0},
    {many_partners, QDR_ERR_RANGE, "partners; expected 0 to", 0},
    {no_ranks, QDR_ERR_INVALID, "rank or count is NULL", 0},
    {no_counts, QDR_ERR_INVALID, "rank or count is NULL", 0},
    {strange_rank, QDR_ERR_RANGE, "sends: partner 0 is rank", 0},
    {negative_rank, QDR_ERR_RANGE, "sends: partner 0 is rank -3", 0},
    {negative_count, QDR_ERR_RANGE, "-5", 0},
    {endless_count, QDR_ERR_RANGE, "cannot be counted; expected 0 to 2^56", 0},
    {negative_element, QDR_ERR_RANGE, "-9", 0},
    {negative_target, QDR_ERR_RANGE, "-9223372036854775808", 0},
    {negative_links, QDR_ERR_RANGE, "-2", 0},
    {strange_link, QDR_ERR_RANGE, "-1", 0},
    {twice_in_reverse, QDR_ERR_INVALID, "ask for QDR_REVERSE_COMBINE", 1},
    {unknown_algorithm, QDR_ERR_UNKNOWN, "no-such", 1},
    {unknown_transport, QDR_ERR_UNKNOWN, "pigeon", 1},
};

static void test_mistakes(void) {
    for (int i = 0; i < (int)(sizeof wrong / sizeof *wrong); i++)
        for (int alone = 0; alone < 2; alone++) {
            ring made;
            qdr_map *map = NULL;
            set_ring(&made);
            if (!alone || wrong[i].together || rank == last) wrong[i].make(&made);
            EXPECT(create(&made, &map), wrong[i].status, wrong[i].word);
            CHECK(map == NULL);
        }
}

static void test_creation(void) {
    ring made;
    qdr_map *map = NULL;
    set_ring(&made);
    EXPECT(qdr_map_create(MPI_COMM_WORLD, NULL, NULL, NULL, &map), QDR_ERR_INVALID,
           "neither sends nor receives");
    EXPECT(qdr_map_create(MPI_COMM_WORLD, &made.sends, &made.receives, NULL, rank == last ? NULL : &map),
           QDR_ERR_INVALID, "nowhere to put the map");
    EXPECT(qdr_map_create(MPI_COMM_WORLD, NULL, &made.receives, NULL, &map), QDR_ERR_INVALID,
           "need partner_place");
    EXPECT(qdr_map_create(MPI_COMM_NULL, NULL, &made.receives, NULL, &map), QDR_ERR_INVALID, "MPI_COMM_NULL");
    made.options.discovery = "no-such";
    made.receives.partner_place = made.out;
    EXPECT(qdr_map_create(MPI_COMM_WORLD, NULL, &made.receives, &made.options, &map), QDR_ERR_UNKNOWN,
           "no-such");
    CHECK(map == NULL);
    /* The element that is sent twice is the last rank's alone, and all are told who it was. */
    char name[40];
    set_ring(&made);
    if (rank == last) twice_in_reverse(&made);
    made.options.reverse = QDR_REVERSE_REPLACE;
    snprintf(name, sizeof name, "rank %d: element 1 is sent", last);
    EXPECT(create(&made, &map), QDR_ERR_INVALID, name);
    map = ring_map(QDR_REVERSE_NONE, NULL, NULL, 0);
    run_ring(map);
    FINE(qdr_map_destroy(&map));
    FINE(qdr_map_destroy(&map));
    FINE(qdr_map_destroy(NULL));
}

/* Lists of 32 bits, grouped and flat; not both of one. */
static void test_narrow_lists(void) {
    static const int32_t out[] = {0, 1, 2, 3}, in[] = {4, 5, 6, 7}, sent = SENT;
    ring made;
    qdr_map *map = NULL;
    int from[SENT];
    set_ring(&made);
    made.sends = (qdr_indices){.partners = 1, .rank = &made.to, .count32 = &sent, .place32 = out};
    made.receives = (qdr_indices){.partners = 1, .rank = &made.from, .count32 = &sent, .place32 = in};
    FINE(create(&made, &map));
    run_ring(map);
    made.receives.place = made.in;
    EXPECT(qdr_map_relist(map, NULL, &made.receives), QDR_ERR_INVALID, "both place and place32");
    FINE(qdr_map_destroy(&map));
    EXPECT(create(&made, &map), QDR_ERR_INVALID, "both place and place32");
    for (int i = 0; i < SENT; i++) from[i] = made.from;
    made.receives = (qdr_indices){.links = SENT, .link_rank = from, .place32 = in, .partner_place32 = out};
    FINE(qdr_map_create(MPI_COMM_WORLD, NULL, &made.receives, &made.options, &map));
    run_ring(map);
    FINE(qdr_map_destroy(&map));
}

/* A partner given twice, on the side that is given, in every form. */
static void test_twice(void) {
    static const int64_t count[] = {1, 1}, element[] = {0, 1};
    int partner[] = {(rank + 1) % ranks, (rank + 1) % ranks};
    qdr_map *map = NULL;
    if (ranks < 2) return; /* there cannot be so many partners */
    qdr_indices two = {
        .partners = 2, .rank = partner, .count = count, .place = element, .partner_place = element};
    EXPECT(qdr_map_create(MPI_COMM_WORLD, NULL, &two, NULL, &map), QDR_ERR_INVALID, "twice");
    EXPECT(qdr_map_create(MPI_COMM_WORLD, &two, NULL, NULL, &map), QDR_ERR_INVALID, "twice");
    two.partner_place = NULL;
    EXPECT(qdr_map_create(MPI_COMM_WORLD, &two, NULL, NULL, &map), QDR_ERR_INVALID, "twice");
    EXPECT(qdr_map_create(MPI_COMM_WORLD, &two, &two, NULL, &map), QDR_ERR_INVALID, "twice");
    CHECK(map == NULL);
}

/* Ranks that want different things; and lists of which the two ends have different ideas. */
static void test_disagreement(void) {
    if (ranks < 2) return;
    for (int option = 0; option < 4; option++) {
        ring made;
        qdr_map *map = NULL;
        set_ring(&made);
        if (rank == last) {
            if (option == 0) made.options.reverse = QDR_REVERSE_COMBINE;
            if (option == 1) made.options.unordered = 1;
            if (option == 2) made.options.keeps_incoming = 1;
            if (option == 3) made.options.trusted = 1;
        }
        EXPECT(create(&made, &map), QDR_ERR_MISMATCH, "differ in the options reverse");
    }
    ring made;
    qdr_map *map = NULL;
    set_ring(&made);
    EXPECT(qdr_map_create(MPI_COMM_WORLD, &made.sends, rank == last ? NULL : &made.receives, NULL, &map),
           QDR_ERR_MISMATCH, "differ in the sides that are given");
    made.sends.partner_place = rank == last ? NULL : made.in;
    EXPECT(qdr_map_create(MPI_COMM_WORLD, &made.sends, NULL, NULL, &map), QDR_ERR_MISMATCH,
           "differ in the presence of partner_place");
    set_ring(&made);
    made.plan.transport = rank == last ? "net" : "node";
    EXPECT(create(&made, &map), QDR_ERR_MISMATCH, "transport");
    set_ring(&made);
    int64_t fewer = SENT - 1;
    if (rank == last) made.sends.count = &fewer;
    EXPECT(create(&made, &map), QDR_ERR_MISMATCH, "which expects 4");
    CHECK(map == NULL);
}

/* A partner without elements of which only one end knows: whatever comes of it, all ranks say the same, and
 * what can be made can be run. */
static void test_one_sided(const char *transport, int at_sender) {
    ring made;
    qdr_map *map = NULL;
    int64_t zero = 0;
    if (ranks < 2) return;
    set_ring(&made);
    made.plan.transport = transport;
    made.plan.algorithm = "async";
    made.plan.deadline = 3;
    made.sends.count = made.receives.count = &zero;
    *(at_sender ? &made.receives.partners : &made.sends.partners) = 0;
    qdr_status status = create(&made, &map), highest;
    MPI_Allreduce(&status, &highest, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    CHECK_SAYING(status == highest, "'%s' here, '%s' elsewhere", qdr_status_text(status),
                 qdr_status_text(highest));
    if (status) EXPECT(status, QDR_ERR_MISMATCH, "ideas");
    for (int i = 0; !status && i < 10; i++) {
        qdr_field field = {.type = QDR_BYTE, .width = 1};
        FINE(qdr_map_exchange(map, QDR_FORWARD, 1, &field));
    }
    FINE(qdr_map_destroy(&map));
}

int main(int count, char **words) {
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    last = ranks - 1;
    test_mistakes();
    test_creation();
    test_narrow_lists();
    test_twice();
    test_disagreement();
    for (int at_sender = 0; at_sender < 2; at_sender++) {
        test_one_sided("node", at_sender);
        test_one_sided("net", at_sender);
    }
    int verdict = mpi_check_verdict();
    MPI_Finalize();
    return verdict;
}
