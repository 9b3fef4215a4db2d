/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Everything that can be done wrong with a map that there is: each mistake is a status and a sentence, and
 * the map goes on as it was. The program plays the runtime of a device: it exports the function that the
 * library asks for the kind of a pointer.
 */
#include "mpi_check.h"

#include "map/map_ring_testing.h"

/* ---- a device ------------------------------------------------------------------------------------------ */

static double device_memory[4 * SENT];

int cuPointerGetAttribute(void *data, int attribute, unsigned long long pointer);
int cuPointerGetAttribute(void *data, int attribute, unsigned long long pointer) {
    enum { MEMORY_TYPE = 2, HOST = 1, DEVICE = 2, UNKNOWN = 1 };
    uintptr_t begin = (uintptr_t)device_memory;
    if (attribute != MEMORY_TYPE) return UNKNOWN;
    *(unsigned *)data = pointer >= begin && pointer < begin + sizeof device_memory ? DEVICE : HOST;
    return 0;
}

/* ---- starting ------------------------------------------------------------------------------------------ */

static void test_kinds(qdr_map *map, qdr_field good) {
    int64_t start[4 * SENT + 1];
    qdr_field many[3] = {good, good, good};
    struct {
        qdr_field field;
        qdr_status status;
        const char *word;
    } wrong[] = {
        {{.width = 1}, QDR_ERR_INVALID, "no type 0; set it to"},
        {{.type = (qdr_type)99, .width = 1}, QDR_ERR_INVALID, "no type 99"},
        {{.type = (qdr_type)-1, .width = 1}, QDR_ERR_INVALID, "no type -1"},
        {{.type = QDR_DOUBLE, .width = 1, .operation = (qdr_operation)50},
         QDR_ERR_INVALID,
         "no operation 50"},
        {{.type = QDR_DOUBLE, .width = 1, .operation = QDR_BITWISE_OR},
         QDR_ERR_INVALID,
         "bitwise-or of double"},
        {{.type = QDR_DOUBLE_COMPLEX, .width = 1, .operation = QDR_MINIMUM},
         QDR_ERR_INVALID,
         "is not defined"},
        {{.type = QDR_DOUBLE, .width = 1, .operation = QDR_COMBINE}, QDR_ERR_INVALID, "without a function"},
        {{.type = QDR_DOUBLE, .width = 0}, QDR_ERR_RANGE, "width 0"},
        {{.type = QDR_DOUBLE, .width = -2}, QDR_ERR_RANGE, "width -2"},
        {{.type = QDR_DOUBLE, .width = INT64_MAX},
         QDR_ERR_RANGE,
         "9223372036854775807 of double; expected 1 to 137438953472"},
        {{.type = QDR_BYTE, .width = 1, .source_start = start, .target_start = start},
         QDR_ERR_INVALID,
         "varying"},
        {{.type = QDR_INT8, .source_start = start, .target_start = start}, QDR_ERR_INVALID, "varying"},
        {{.type = QDR_BYTE, .operation = QDR_SUM, .source_start = start, .target_start = start},
         QDR_ERR_INVALID,
         "varying"},
    };
    for (int i = 0; i < (int)(sizeof wrong / sizeof *wrong); i++) {
        wrong[i].field.source = good.source;
        wrong[i].field.target = good.target;
        many[1] = wrong[i].field;
        EXPECT(qdr_map_exchange(map, QDR_FORWARD, 1, &wrong[i].field), wrong[i].status, wrong[i].word);
        EXPECT(qdr_map_exchange(map, QDR_FORWARD, 3, many), wrong[i].status, "field 1: ");
    }
}

static void test_addresses(qdr_map *map, qdr_field good) {
    double *array = (double *)(uintptr_t)good.source, *other = good.target;
    qdr_field field = good;
    field.source = NULL;
    EXPECT(qdr_map_exchange(map, QDR_FORWARD, 1, &field), QDR_ERR_INVALID, "source is NULL");
    field = good;
    field.target = NULL;
    EXPECT(qdr_map_exchange(map, QDR_FORWARD, 1, &field), QDR_ERR_INVALID, "target is NULL");
    field = good;
    field.source = (const char *)array + 4;
    EXPECT(qdr_map_exchange(map, QDR_FORWARD, 1, &field), QDR_ERR_INVALID, "not aligned to 8 bytes");
    field = good;
    field.target = (char *)other + 1;
    EXPECT(qdr_map_exchange(map, QDR_FORWARD, 1, &field), QDR_ERR_INVALID, "not aligned to 8 bytes");
    field.type = QDR_FLOAT_COMPLEX;
    field.target = (char *)other + 2;
    EXPECT(qdr_map_exchange(map, QDR_FORWARD, 1, &field), QDR_ERR_INVALID, "not aligned to 4 bytes");
    field = good;
    field.source = device_memory;
    EXPECT(qdr_map_exchange(map, QDR_FORWARD, 1, &field), QDR_ERR_INVALID, "memory of a device");
    field = good;
    field.target = device_memory + 2;
    EXPECT(qdr_map_exchange(map, QDR_FORWARD, 1, &field), QDR_ERR_INVALID, "memory of a device");
    field = good;
    field.target = array + 1; /* its elements 4 to 7 and those of the source, 0 to 3, lie apart */
    FINE(qdr_map_exchange(map, QDR_FORWARD, 1, &field));
    field.source = array + 3;
    EXPECT(qdr_map_exchange(map, QDR_FORWARD, 1, &field), QDR_ERR_INVALID, "lie in the same memory");
}

static void test_fields(const char *transport) {
    qdr_map *map = ring_map(QDR_REVERSE_NONE, "async", transport, 1);
    double array[4 * SENT], other[4 * SENT];
    const qdr_field good = {.source = array, .target = other, .type = QDR_DOUBLE, .width = 1};
    qdr_field many[QDR_MOST_FIELDS + 1];
    qdr_pending *exchange = NULL;
    memset(array, 0, sizeof array);
    memset(other, 0, sizeof other);
    EXPECT(qdr_map_start(NULL, QDR_FORWARD, 1, &good, &exchange), QDR_ERR_INVALID, "the map is NULL");
    EXPECT(qdr_map_exchange(NULL, QDR_FORWARD, 1, &good), QDR_ERR_INVALID, "the map is NULL");
    EXPECT(qdr_map_relist(NULL, NULL, NULL), QDR_ERR_INVALID, "the map is NULL");
    EXPECT(qdr_map_start(map, QDR_FORWARD, 1, &good, NULL), QDR_ERR_INVALID, "nowhere to put the handle");
    EXPECT(qdr_map_exchange(map, (qdr_direction)5, 1, &good), QDR_ERR_RANGE, "no direction 5");
    EXPECT(qdr_map_exchange(map, QDR_REVERSE, 1, &good), QDR_ERR_INVALID, "no reverse; ask for it");
    CHECK(qdr_map_plan(map, QDR_REVERSE) == NULL && qdr_map_plan(NULL, QDR_FORWARD) == NULL);
    CHECK(qdr_map_plan(map, (qdr_direction)9) == NULL);
    int64_t sent = 0, received = 0;
    qdr_map_reach(map, &sent, &received);
    CHECK(sent == SENT && received == 2 * SENT);
    EXPECT(qdr_map_exchange(map, QDR_FORWARD, 0, &good), QDR_ERR_RANGE, "0 fields");
    EXPECT(qdr_map_exchange(map, QDR_FORWARD, 1, NULL), QDR_ERR_RANGE, "fields");
    for (int i = 0; i <= QDR_MOST_FIELDS; i++) many[i] = good;
    EXPECT(qdr_map_exchange(map, QDR_FORWARD, QDR_MOST_FIELDS + 1, many), QDR_ERR_RANGE, "65 fields");
    test_kinds(map, good);
    test_addresses(map, good);
    run_ring(map);
    FINE(qdr_map_destroy(&map));
}

/* Elements of varying size. */
static void test_varying(void) {
    qdr_map *map = ring_map(QDR_REVERSE_NONE, "async", NULL, 1),
            *linear = ring_map(QDR_REVERSE_NONE, "coloring", "net", 1);
    char source[100] = "", target[100] = "";
    int64_t good[2 * SENT + 1], bad[2 * SENT + 1];
    for (int i = 0; i <= 2 * SENT; i++) good[i] = bad[i] = 5 * i;
    const qdr_field field = {
        .source = source, .target = target, .type = QDR_BYTE, .source_start = good, .target_start = good};
    qdr_field wrong = field;
    EXPECT(qdr_map_exchange(linear, QDR_FORWARD, 1, &field), QDR_ERR_INVALID,
           "paced, async, distributed, bruck, joined and levels");
    bad[2] = 40;
    wrong.source_start = bad;
    EXPECT(qdr_map_exchange(map, QDR_FORWARD, 1, &wrong), QDR_ERR_RANGE, "negative or too large");
    wrong = field;
    wrong.target_start = NULL;
    EXPECT(qdr_map_exchange(map, QDR_FORWARD, 1, &wrong), QDR_ERR_INVALID, "sizes of the target are missing");
    wrong = field;
    wrong.source_start = NULL;
    EXPECT(qdr_map_exchange(map, QDR_FORWARD, 1, &wrong), QDR_ERR_INVALID, "sizes of the source are missing");
    FINE(qdr_map_exchange(map, QDR_FORWARD, 1, &field));
    run_ring(map);
    run_ring(linear);
    FINE(qdr_map_destroy(&map));
    FINE(qdr_map_destroy(&linear));
}

/* More bytes than can be counted are refused before anything happens. */
static void test_sizes(const char *transport) {
    ring made;
    qdr_map *map = NULL;
    static double array[1];
    qdr_field many[QDR_MOST_FIELDS];
    set_ring(&made);
    made.count = INT64_C(1) << 20;
    made.sends.place = made.receives.place = NULL;
    made.plan.transport = transport;
    made.plan.algorithm = "async";
    made.options.keeps_incoming = 1;
    FINE(create(&made, &map));
    for (int i = 0; i < QDR_MOST_FIELDS; i++)
        many[i] = (qdr_field){.source = array, .type = QDR_DOUBLE, .width = INT64_C(1) << 37};
    qdr_pending *exchange = NULL;
    EXPECT(qdr_map_start(map, QDR_FORWARD, QDR_MOST_FIELDS, many, &exchange), QDR_ERR_RANGE, "counted");
    FINE(qdr_map_destroy(&map));
}

/* An element that is both sent and received; and one that comes from several places. */
static void test_meeting_elements(void) {
    ring made;
    qdr_map *map = NULL;
    double array[3 * SENT] = {0}, other[3 * SENT] = {0};
    set_ring(&made);
    made.in[2] = 3;
    FINE(create(&made, &map));
    qdr_field field = {.source = array, .target = array, .type = QDR_DOUBLE, .width = 1};
    EXPECT(qdr_map_exchange(map, QDR_FORWARD, 1, &field), QDR_ERR_INVALID, "element 3 is both sent and");
    field.target = other;
    FINE(qdr_map_exchange(map, QDR_FORWARD, 1, &field));
    FINE(qdr_map_destroy(&map));
    set_ring(&made);
    made.in[3] = 5;
    made.options.reverse = QDR_REVERSE_COMBINE;
    made.options.unordered = 1;
    FINE(create(&made, &map));
    EXPECT(qdr_map_exchange(map, QDR_FORWARD, 1, &field), QDR_ERR_INVALID, "element 5 comes from ranks");
    field.operation = QDR_SUM;
    FINE(qdr_map_exchange(map, QDR_FORWARD, 1, &field));
    field.operation = QDR_REPLACE;
    FINE(qdr_map_exchange(map, QDR_REVERSE, 1, &field)); /* 0 to 3 come from one place each */
    FINE(qdr_map_destroy(&map));
    made.options.unordered = 0;
    FINE(create(&made, &map));
    FINE(qdr_map_exchange(map, QDR_FORWARD, 1, &field)); /* the last of the list stays */
    FINE(qdr_map_destroy(&map));
    set_ring(&made);
    made.out[1] = 0;
    made.options.reverse = QDR_REVERSE_COMBINE;
    FINE(create(&made, &map));
    EXPECT(qdr_map_exchange(map, QDR_REVERSE, 1, &field), QDR_ERR_INVALID, "element 0 comes from ranks");
    field.operation = QDR_MAXIMUM;
    FINE(qdr_map_exchange(map, QDR_REVERSE, 1, &field));
    FINE(qdr_map_destroy(&map));
}

/* ---- other lists --------------------------------------------------------------------------------------- */

static void test_relist(void) {
    ring made;
    qdr_map *map = ring_map(QDR_REVERSE_REPLACE, "async", "node", 1);
    qdr_map *fixed = ring_map(QDR_REVERSE_NONE, "coloring", "net", 1);
    double array[4 * SENT] = {0};
    qdr_field field = {.source = array, .target = array, .type = QDR_DOUBLE, .width = 1};
    qdr_pending *exchange = NULL;
    set_ring(&made);
    made.to = made.from = ranks; /* nobody */
    EXPECT(qdr_map_relist(map, &made.sends, NULL), QDR_ERR_RANGE, "sends: partner 0 is rank");
    set_ring(&made);
    made.sends.partners = 0;
    EXPECT(qdr_map_relist(map, &made.sends, NULL), QDR_ERR_INVALID, "0 partners of sends, but the map has 1");
    if (ranks > 1) {
        set_ring(&made);
        made.from = rank;
        EXPECT(qdr_map_relist(map, NULL, &made.receives), QDR_ERR_INVALID, "but the map has");
    }
    set_ring(&made);
    made.out[0] = -1;
    EXPECT(qdr_map_relist(map, &made.sends, NULL), QDR_ERR_RANGE, "-1");
    set_ring(&made);
    made.out[0] = 2;
    EXPECT(qdr_map_relist(map, &made.sends, NULL), QDR_ERR_INVALID, "sent twice");
    set_ring(&made);
    made.count = SENT - 1;
    EXPECT(qdr_map_relist(fixed, &made.sends, &made.receives), QDR_ERR_INVALID, "scheduled for its own");
    /* A good side and a bad one: neither is taken. */
    set_ring(&made);
    for (int i = 0; i < SENT; i++) made.out[i] = SENT + i;
    made.in[1] = -4;
    EXPECT(qdr_map_relist(map, &made.sends, &made.receives), QDR_ERR_RANGE, "-4");
    FINE(qdr_map_start(map, QDR_FORWARD, 1, &field, &exchange));
    set_ring(&made);
    EXPECT(qdr_map_relist(map, &made.sends, &made.receives), QDR_ERR_BUSY, "under way");
    EXPECT(qdr_map_destroy(&map), QDR_ERR_BUSY, "under way");
    qdr_pending *second = NULL;
    EXPECT(qdr_map_start(map, QDR_FORWARD, 1, &field, &second), QDR_ERR_BUSY, "in_flight");
    FINE(qdr_wait(&exchange));
    run_ring(map);
    run_ring(fixed);
    /* Whether one array may be both depends on the lists of the moment. */
    made.in[2] = 3;
    FINE(qdr_map_relist(map, NULL, &made.receives));
    EXPECT(qdr_map_exchange(map, QDR_FORWARD, 1, &field), QDR_ERR_INVALID, "element 3 is both sent and");
    set_ring(&made);
    FINE(qdr_map_relist(map, NULL, &made.receives));
    run_ring(map);
    FINE(qdr_map_relist(fixed, &made.sends, &made.receives));
    run_ring(fixed);
    FINE(qdr_map_destroy(&map));
    FINE(qdr_map_destroy(&fixed));
}

/* ---- what is kept -------------------------------------------------------------------------------------- */

/* What was kept is not touched by a start that fails, nor by a question for what there is not. */
static void test_kept(const char *transport, int in_flight) {
    ring made;
    qdr_map *map = NULL;
    int32_t first[SENT], second[SENT];
    set_ring(&made);
    made.plan.transport = transport;
    made.plan.in_flight = in_flight;
    made.options.keeps_incoming = 1;
    FINE(create(&made, &map));
    for (int i = 0; i < SENT; i++) {
        first[i] = 10 * rank + i;
        second[i] = -first[i];
    }
    const qdr_field field[] = {{.source = first, .type = QDR_INT32, .width = 1},
                               {.source = second, .type = QDR_INT32, .width = 1}};
    const qdr_field wrong = {.source = NULL, .type = QDR_INT32, .width = 1};
    CHECK(qdr_map_incoming(map, QDR_FORWARD, 0, 0) == NULL);
    for (int turn = 0; turn < 3; turn++) {
        qdr_pending *exchange[3] = {NULL}, *more = NULL;
        FINE(qdr_map_exchange(map, QDR_FORWARD, 2, field));
        FINE(qdr_map_start(map, QDR_FORWARD, 2, field, &exchange[0]));
        EXPECT(qdr_map_start(map, QDR_FORWARD, 1, &wrong, &more), QDR_ERR_INVALID, "NULL");
        if (in_flight == 1)
            EXPECT(qdr_map_start(map, QDR_FORWARD, 1, field, &more), QDR_ERR_BUSY, "under way");
        for (int f = 0; f < 2; f++) {
            const int32_t *kept = qdr_map_incoming(map, QDR_FORWARD, 0, f);
            CHECK_SAYING(kept != NULL, "field %d is lost after a start that failed", f);
            for (int i = 0; kept && i < SENT; i++) CHECK(kept[i] == (f ? -1 : 1) * (10 * made.from + i));
        }
        CHECK(qdr_map_incoming(map, QDR_FORWARD, 0, 2) == NULL);
        CHECK(qdr_map_incoming(map, QDR_FORWARD, 0, -1) == NULL);
        CHECK(qdr_map_incoming(map, QDR_FORWARD, 1, 0) == NULL);
        CHECK(qdr_map_incoming(map, QDR_FORWARD, -1, 0) == NULL);
        CHECK(qdr_map_incoming(map, QDR_REVERSE, 0, 0) == NULL);
        CHECK(qdr_map_incoming(NULL, QDR_FORWARD, 0, 0) == NULL);
        FINE(qdr_wait(&exchange[0]));
    }
    FINE(qdr_map_destroy(&map));
    map = ring_map(QDR_REVERSE_NONE, NULL, NULL, 0);
    run_ring(map);
    CHECK(qdr_map_incoming(map, QDR_FORWARD, 0, 0) == NULL);
    FINE(qdr_map_destroy(&map));
}

/* ---- after the communicator ---------------------------------------------------------------------------- */

static void test_gone(void) {
    ring made;
    qdr_map *map = NULL;
    MPI_Comm comm;
    double array[2 * SENT];
    fill_ring(array);
    qdr_field field = {.source = array, .target = array, .type = QDR_DOUBLE, .width = 1};
    set_ring(&made);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    FINE(qdr_map_create(comm, &made.sends, &made.receives, NULL, &map));
    FINE(qdr_map_exchange(map, QDR_FORWARD, 1, &field));
    MPI_Barrier(comm);
    MPI_Comm_free(&comm);
    EXPECT(qdr_map_exchange(map, QDR_FORWARD, 1, &field), QDR_ERR_GONE, "communicator was freed");
    FINE(qdr_map_destroy(&map));
}

/* ---- ranks that differ --------------------------------------------------------------------------------- */

/* The first rank has wider elements than the others: both ends of its messages say so, though one of them
 * waits for room that the other never makes. */
static void test_different_widths(const char *transport) {
    qdr_map *map = ring_map(QDR_REVERSE_NONE, "async", transport, 1);
    static double array[2 * SENT * 1000];
    qdr_field field = {.source = array, .target = array, .type = QDR_DOUBLE, .width = rank == 0 ? 1000 : 1};
    if (rank <= 1)
        EXPECT(qdr_map_exchange(map, QDR_FORWARD, 1, &field), QDR_ERR_MISMATCH, "bytes");
    else
        FINE(qdr_map_exchange(map, QDR_FORWARD, 1, &field));
    MPI_Barrier(MPI_COMM_WORLD); /* nobody leaves while another may look */
    FINE(qdr_map_destroy(&map));
}

/* Trusted lists that do not fit are found when the plan is made. */
static void test_trusted(const char *transport) {
    ring made;
    qdr_map *map = NULL;
    set_ring(&made);
    int64_t fewer = SENT - 1;
    if (rank == 0) made.sends.count = &fewer;
    made.options.trusted = 1;
    made.plan.transport = transport;
    EXPECT(create(&made, &map), QDR_ERR_MISMATCH, "different ideas");
    CHECK(map == NULL);
}

/* A map that cannot be destroyed stays whole. */
static void test_busy(void) {
    qdr_map *map = ring_map(QDR_REVERSE_COMBINE, "async", "node", 1);
    double array[2 * SENT];
    fill_ring(array);
    qdr_field field = {
        .source = array, .target = array, .type = QDR_DOUBLE, .width = 1, .operation = QDR_SUM};
    qdr_pending *exchange = NULL;
    FINE(qdr_map_start(map, QDR_REVERSE, 1, &field, &exchange));
    EXPECT(qdr_map_destroy(&map), QDR_ERR_BUSY, "is under way");
    FINE(qdr_wait(&exchange));
    run_ring(map);
    FINE(qdr_map_destroy(&map));
}

int main(int count, char **words) {
    static const char *const transports[] = {"node", "net"};
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    last = ranks - 1;
    for (int i = 0; i < 2; i++) {
        test_fields(transports[i]);
        test_sizes(transports[i]);
        test_kept(transports[i], 1);
        test_kept(transports[i], 2);
    }
    test_varying();
    test_meeting_elements();
    test_relist();
    test_busy();
    for (int i = 0; i < 2 && ranks > 2; i++) {
        test_trusted(transports[i]);
        if (i == 0) test_different_widths(transports[i]);
    }
    test_gone();
    int verdict = mpi_check_verdict();
    MPI_Finalize();
    return verdict;
}
