/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The life of a plan and of its exchanges, and everything that can be done wrong with them: each mistake is a
 * status and a sentence, the same on all ranks where the call is collective, and nothing is harmed by it. The
 * environment of rank 0 counts, and nobody else's.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/random.h"
#include "plan/plan_ring_testing.h"

/* ---- making plans -------------------------------------------------------------------------------------- */

static void test_options(void) {
    qdr_partners *partners = ring(MPI_COMM_WORLD);
    qdr_plan *plan = NULL;
    const qdr_plan_options good = QDR_PLAN_OPTIONS;
    int last = ranks - 1;
    EXPECT(qdr_plan_create(NULL, &good, &plan), QDR_ERR_INVALID, "NULL");
    EXPECT(qdr_plan_create(partners, &good, rank == last ? NULL : &plan), QDR_ERR_INVALID, "NULL");
    struct {
        qdr_plan_options options;
        int only; /* this rank alone; -1: all */
        qdr_status status;
        const char *word;
    } wrong[] = {
        {{.size = 3}, -1, QDR_ERR_INVALID, "QDR_PLAN_OPTIONS"},
        {{.size = 3}, last, QDR_ERR_INVALID, "options.size"},
        {{.chunk = -1}, -1, QDR_ERR_RANGE, "chunk -1"},
        {{.window = -7}, last, QDR_ERR_RANGE, "window -7"},
        {{.in_flight = 17}, 0, QDR_ERR_RANGE, "in_flight 17"},
        {{.deadline = -3}, last, QDR_ERR_RANGE, "deadline is -3; expected 0 or more seconds"},
        {{.algorithm = "no-such"}, -1, QDR_ERR_UNKNOWN, "no-such"},
        {{.algorithm = "no-such"}, 0, QDR_ERR_UNKNOWN, "no-such"},
        {{.algorithm = "linear:nonsense=1"}, -1, QDR_ERR_SYNTAX, "nonsense"},
        {{.algorithm = "paced", .pacing = "free"}, -1, QDR_ERR_INVALID, "does not go with it"},
        {{.pacing = "sometimes"}, -1, QDR_ERR_UNKNOWN, "sometimes"},
        {{.pacing = "much too long for any way of pacing"}, -1, QDR_ERR_SYNTAX, "too long"},
        {{.algorithm = "paced", .barrier = 1}, -1, QDR_ERR_INVALID, "barrier"},
        {{.algorithm = "greedy", .machine = NULL}, -1, QDR_OK, ""},
    };
    for (int i = 0; i < (int)(sizeof wrong / sizeof wrong[0]); i++) {
        int mine = wrong[i].only < 0 || wrong[i].only == rank;
        if (!wrong[i].options.size) wrong[i].options.size = sizeof good;
        qdr_status status = qdr_plan_create(partners, mine ? &wrong[i].options : &good, &plan);
        expect_at(__FILE__, __LINE__, status, wrong[i].status, status ? wrong[i].word : "");
        CHECK((plan == NULL) == (status != QDR_OK));
        CHECK(qdr_plan_destroy(&plan) == QDR_OK);
    }
    /* Different wishes; rank 0 has none. */
    const qdr_plan_options others[] = {
        {.size = sizeof good, .algorithm = "linear"}, {.size = sizeof good, .pacing = "free"},
        {.size = sizeof good, .chunk = 77},           {.size = sizeof good, .window = 77},
        {.size = sizeof good, .in_flight = 5},        {.size = sizeof good, .barrier = 1},
    };
    for (int i = 0; ranks > 1 && i < (int)(sizeof others / sizeof others[0]); i++)
        EXPECT(qdr_plan_create(partners, rank == last ? &others[i] : &good, &plan), QDR_ERR_MISMATCH,
               "rank 0");
    plan = ring_plan(partners, NULL, 0);
    run_ring(plan, partners);
    FINE(qdr_plan_destroy(&plan));
    FINE(qdr_plan_destroy(&plan));
    FINE(qdr_plan_destroy(NULL));
    qdr_partners_destroy(&partners);
}

static void test_nulls(void) {
    qdr_plan_info info;
    qdr_pending *none = NULL;
    int done;
    qdr_buffers buffers = {0};
    EXPECT(qdr_plan_look(NULL, &info), QDR_ERR_INVALID, "NULL");
    EXPECT(qdr_plan_start(NULL, &buffers, &none), QDR_ERR_INVALID, "NULL");
    EXPECT(qdr_plan_exchange(NULL, &buffers), QDR_ERR_INVALID, "NULL");
    EXPECT(qdr_test(NULL, &done), QDR_ERR_INVALID, "NULL");
    EXPECT(qdr_wait(NULL), QDR_ERR_INVALID, "NULL");
    CHECK(qdr_plan_schedule(NULL) == NULL);
    qdr_progress();
}

static void test_communicators(void) {
    qdr_partners *partners = NULL;
    EXPECT(qdr_partners_from_sends(MPI_COMM_NULL, 0, NULL, NULL, NULL, &partners), QDR_ERR_INVALID,
           "MPI_COMM_NULL");
    if (ranks < 2) return;
    MPI_Comm half, across;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 5, &across);
    EXPECT(qdr_partners_from_sends(across, 0, NULL, NULL, NULL, &partners), QDR_ERR_INVALID,
           "intercommunicator");
    MPI_Comm_free(&across);
    MPI_Comm_free(&half);
}

/* ---- starting ------------------------------------------------------------------------------------------ */

static void test_buffers(void) {
    qdr_partners *partners = ring(MPI_COMM_WORLD);
    qdr_plan *plan = ring_plan(partners, "linear", 0), *paced = ring_plan(partners, "paced", 0);
    qdr_partners_view view = qdr_partners_look(partners);
    ring_memory memory;
    const qdr_buffers good = ring_buffers(&memory);
    qdr_buffers buffers = good;
    qdr_pending *exchange = NULL;
    int64_t sizes[2] = {1, 1}, far[2] = {0, INT64_MAX};
    EXPECT(qdr_plan_start(plan, &buffers, NULL), QDR_ERR_INVALID, "handle");
    EXPECT(qdr_plan_start(plan, NULL, &exchange), QDR_ERR_INVALID, "NULL");
    buffers.item_bytes = -1;
    EXPECT(qdr_plan_start(plan, &buffers, &exchange), QDR_ERR_RANGE, "item_bytes is -1");
    buffers.item_bytes = 0;
    EXPECT(qdr_plan_start(plan, &buffers, &exchange), QDR_ERR_RANGE,
           "item_bytes is 0; expected the bytes of one");
    buffers.outgoing_items = buffers.incoming_items = sizes;
    EXPECT(qdr_plan_start(paced, &buffers, &exchange), QDR_ERR_RANGE,
           "item_bytes is 0; expected the bytes of one");
    buffers = good;
    buffers.item_bytes = INT64_MAX / 4;
    EXPECT(qdr_plan_start(plan, &buffers, &exchange), QDR_ERR_RANGE, "cannot be counted");
    buffers = good;
    buffers.outgoing_base = NULL;
    EXPECT(qdr_plan_start(plan, &buffers, &exchange), QDR_ERR_INVALID, "have no memory");
    buffers = good;
    buffers.incoming_base = memory.out + 3;
    EXPECT(qdr_plan_start(plan, &buffers, &exchange), QDR_ERR_INVALID, "overlaps");
    buffers = good;
    buffers.outgoing_items = sizes;
    EXPECT(qdr_plan_start(plan, &buffers, &exchange), QDR_ERR_INVALID, "this plan was asked to run linear");
    buffers = good;
    buffers.incoming_offset = far + 1;
    if (view.receives == 1)
        EXPECT(qdr_plan_start(plan, &buffers, &exchange), QDR_ERR_RANGE, "cannot be counted");
    buffers.incoming_offset = far;
    if (view.receives == 2)
        EXPECT(qdr_plan_start(plan, &buffers, &exchange), QDR_ERR_RANGE, "cannot be counted");
    buffers = good;
    buffers.outgoing_items = buffers.incoming_items = sizes;
    sizes[0] = sizes[1] = -5;
    EXPECT(qdr_plan_start(paced, &buffers, &exchange), QDR_ERR_RANGE, "-5 items");
    sizes[0] = sizes[1] = INT64_MAX;
    EXPECT(qdr_plan_start(paced, &buffers, &exchange), QDR_ERR_RANGE, "cannot be counted");
    sizes[0] = sizes[1] = 1;
    buffers.incoming_items = NULL;
    EXPECT(qdr_plan_start(paced, &buffers, &exchange), QDR_ERR_MISMATCH, "sends itself 1 bytes");
    CHECK(exchange == NULL);
    /* Nothing was begun by any of that. */
    run_ring(plan, partners);
    run_ring(paced, partners);
    FINE(qdr_plan_destroy(&plan));
    FINE(qdr_plan_destroy(&paced));
    qdr_partners_destroy(&partners);
}

/* What buffers have room for, and the library cannot do. */
static void test_kinds_of_memory(void) {
    qdr_partners *partners = ring(MPI_COMM_WORLD);
    qdr_plan *plan = ring_plan(partners, "linear", 0);
    ring_memory memory;
    qdr_buffers device = ring_buffers(&memory), apart = device, behind = device;
    qdr_pending *exchange = NULL;
    device.memory = QDR_MEMORY_DEVICE;
    EXPECT(qdr_plan_start(plan, &device, &exchange), QDR_ERR_INVALID, "memory of a device");
    behind.stream = &memory;
    EXPECT(qdr_plan_start(plan, &behind, &exchange), QDR_ERR_INVALID, "a stream");
    apart.incoming_stride = 2 * apart.item_bytes;
    EXPECT(qdr_plan_start(plan, &apart, &exchange), QDR_ERR_INVALID, "strides of 0 and");
    apart.incoming_stride = apart.outgoing_stride = apart.item_bytes;
    FINE(qdr_plan_exchange(plan, &apart));
    FINE(qdr_plan_destroy(&plan));
    qdr_partners_destroy(&partners);
}

static void test_busy(void) {
    qdr_partners *partners = ring(MPI_COMM_WORLD);
    qdr_plan *plan = ring_plan(partners, "paced", 2);
    ring_memory memory[3];
    qdr_buffers buffers[3] = {ring_buffers(&memory[0]), ring_buffers(&memory[1]), ring_buffers(&memory[2])};
    qdr_pending *exchange[3] = {NULL, NULL, NULL};
    qdr_plan_info info;
    int done;
    FINE(qdr_plan_start(plan, &buffers[0], &exchange[0]));
    FINE(qdr_plan_start(plan, &buffers[1], &exchange[1]));
    EXPECT(qdr_plan_start(plan, &buffers[2], &exchange[2]), QDR_ERR_BUSY, "in_flight");
    EXPECT(qdr_plan_destroy(&plan), QDR_ERR_BUSY, "exchange 0 is under way");
    CHECK(plan != NULL);
    EXPECT(qdr_test(&exchange[0], NULL), QDR_ERR_INVALID, "NULL");
    qdr_pending *copy = exchange[1];
    FINE(qdr_wait(&exchange[1]));
    CHECK(exchange[1] == NULL);
    check_ring(&memory[1], partners);
    EXPECT(qdr_wait(&copy), QDR_ERR_INVALID, "ended already");
    EXPECT(qdr_test(&copy, &done), QDR_ERR_INVALID, "ended already");
    /* The second is over, but the third takes the place of the first. */
    EXPECT(qdr_plan_start(plan, &buffers[2], &exchange[2]), QDR_ERR_BUSY, "2 before this one");
    for (done = 0; !done;) FINE(qdr_test(&exchange[0], &done));
    CHECK(exchange[0] == NULL);
    check_ring(&memory[0], partners);
    FINE(qdr_plan_start(plan, &buffers[2], &exchange[2]));
    FINE(qdr_wait(&exchange[2]));
    FINE(qdr_plan_look(plan, &info));
    CHECK(info.exchanges == 3 && info.in_flight == 2 && info.messages_out == (ranks > 1));
    FINE(qdr_plan_destroy(&plan));
    qdr_partners_destroy(&partners);
}

/* Rank 0 has destroyed a plan with which a partner goes on. */
static void test_one_destroys(void) {
    ring_memory memory;
    qdr_pending *exchange = NULL;
    qdr_plan_options options = {.size = sizeof options, .deadline = 0.1};
    qdr_partners *partners = ring(MPI_COMM_WORLD);
    qdr_plan *old = NULL;
    FINE(qdr_plan_create(partners, &options, &old));
    if (rank == 0) FINE(qdr_plan_destroy(&old));
    qdr_plan *plan = ring_plan(partners, NULL, 0);
    qdr_buffers buffers = ring_buffers(&memory);
    memory.out[0] ^= 1;
    if (rank == ranks - 1) FINE(qdr_plan_start(old, &buffers, &exchange));
    for (int i = 0; i < 6; i++) run_ring(plan, partners);
    if (exchange) EXPECT(qdr_wait(&exchange), QDR_ERR_STALLED, "waits for");
    FINE(qdr_plan_destroy(&plan));
    FINE(qdr_plan_destroy(&old));
    qdr_partners_destroy(&partners);
}

/* ---- communicators that go ----------------------------------------------------------------------------- */

static void test_gone(void) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    qdr_partners *partners = ring(comm);
    qdr_plan *plan = ring_plan(partners, NULL, 0), *other = NULL, *open = ring_plan(partners, "paced", 0);
    ring_memory memory;
    qdr_buffers buffers = ring_buffers(&memory);
    qdr_pending *exchange = NULL, *copy = NULL;
    qdr_plan_info info;
    run_ring(plan, partners);
    /* The last rank never starts this one, so it ends on nobody that waits for it. */
    if (rank < ranks - 1) FINE(qdr_plan_start(open, &buffers, &exchange));
    copy = exchange;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_free(&comm);
    EXPECT(qdr_plan_exchange(plan, &buffers), QDR_ERR_GONE, "freed");
    EXPECT(qdr_plan_create(partners, NULL, &other), QDR_ERR_GONE, "freed");
    FINE(qdr_plan_look(plan, &info));
    if (exchange && rank == 0) EXPECT(qdr_wait(&exchange), QDR_ERR_GONE, "freed");
    FINE(qdr_plan_destroy(&plan));
    FINE(qdr_plan_destroy(&open));
    if (copy && rank == 0) EXPECT(qdr_wait(&copy), QDR_ERR_INVALID, "ended already");
    qdr_partners_destroy(&partners);
    partners = ring(MPI_COMM_WORLD);
    plan = ring_plan(partners, NULL, 0);
    run_ring(plan, partners);
    FINE(qdr_plan_destroy(&plan));
    qdr_partners_destroy(&partners);
}

/* ---- errors of MPI ------------------------------------------------------------------------------------- */

static int handler_calls;

static void count_call(MPI_Comm *comm, int *code, ...) {
    (void)comm, (void)code;
    handler_calls++;
}

/* For this exchange, rank 0 states more for rank 1 than that one does. It is returned, in the library's words and not in
 * MPI's, and the program's own error handler hears nothing of it. Of a large message, more comes than MPI has room for.
 * (MPICH asks the handler of MPI_COMM_WORLD about what it finds in MPI_Testsome, whatever the communicator: so that
 * one must not be fatal.) */
static void test_short_count(MPI_Comm comm, int64_t sent) {
    int destination = 1, source = 0;
    int64_t items = sent, expected = sent / 2;
    char *out = calloc(1, (size_t)sent), *in = calloc(1, (size_t)sent), said[100];
    qdr_partners *partners = NULL;
    FINE(qdr_partners_from_both(comm, rank == 0, &destination, &items, rank == 1, &source, &items, 1,
                                &partners));
    qdr_plan_options options = QDR_PLAN_OPTIONS;
    options.algorithm = "async";
    options.deadline = 2;
    qdr_plan *plan = NULL;
    FINE(qdr_plan_create(partners, &options, &plan));
    qdr_buffers buffers = {0};
    buffers.item_bytes = 1;
    buffers.outgoing_base = out;
    buffers.incoming_base = in;
    buffers.outgoing_items = &sent;
    buffers.incoming_items = &expected;
    if (rank == 1) {
        snprintf(said, sizeof said, "rank 0 sent %lld bytes where %lld were expected", (long long)sent,
                 (long long)expected);
        EXPECT(qdr_plan_exchange(plan, &buffers), QDR_ERR_MISMATCH, said);
        EXPECT(qdr_plan_exchange(plan, &buffers), QDR_ERR_MISMATCH, "an exchange of this plan failed");
    } else {
        qdr_status status =
            qdr_plan_exchange(plan, &buffers); /* MPI may want to know that a large one is taken */
        CHECK(status == QDR_OK || (status == QDR_ERR_MISMATCH && sent > 1000));
    }
    FINE(qdr_plan_destroy(&plan));
    qdr_partners_destroy(&partners);
    partners = ring(comm);
    plan = ring_plan(partners, NULL, 0);
    run_ring(plan, partners);
    FINE(qdr_plan_destroy(&plan));
    qdr_partners_destroy(&partners);
    if (sent > 1000) return; /* MPI may have both buffers still */
    free(out);
    free(in);
}

static void test_errors_of_mpi(void) {
    MPI_Comm comm;
    MPI_Errhandler handler, found, of_world;
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &of_world);
#ifndef OPEN_MPI
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
#endif
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_errhandler(count_call, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    test_short_count(comm, 100);
    test_short_count(comm, 30000);
    MPI_Comm_get_errhandler(comm, &found);
    CHECK(found == handler && handler_calls == 0);
    MPI_Errhandler_free(&found);
    MPI_Errhandler_free(&handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, of_world);
    MPI_Errhandler_free(&of_world);
    MPI_Comm_free(&comm);
}

/* ---- the environment ----------------------------------------------------------------------------------- */

static void set_environment(int here, const char *algorithm, const char *chunk, const char *window) {
    const char *const name[] = {"QDR_ALGORITHM", "QDR_CHUNK", "QDR_WINDOW"};
    const char *const value[] = {algorithm, chunk, window};
    for (int i = 0; i < 3; i++)
        if (here && value[i])
            setenv(name[i], value[i], 1);
        else
            unsetenv(name[i]);
}

static void test_environment(void) {
    qdr_partners *partners = ring(MPI_COMM_WORLD);
    qdr_plan *plan = NULL;
    qdr_plan_info info;
    set_environment(rank == 0, "paced", "1Ki", "8Ki");
    plan = ring_plan(partners, NULL, 0);
    FINE(qdr_plan_look(plan, &info));
    CHECK_SAYING(!strcmp(info.algorithm, "paced") && info.chunk == 1024 && info.window == 8192,
                 "%s, chunk %lld, window %lld", info.algorithm, (long long)info.chunk,
                 (long long)info.window);
    run_ring(plan, partners);
    FINE(qdr_plan_destroy(&plan));
    /* The call goes first. */
    qdr_plan_options options = QDR_PLAN_OPTIONS;
    options.algorithm = "pairwise";
    options.chunk = 99;
    FINE(qdr_plan_create(partners, &options, &plan));
    FINE(qdr_plan_look(plan, &info));
    CHECK(!strcmp(info.algorithm, "pairwise") && info.chunk == 99);
    FINE(qdr_plan_destroy(&plan));
    set_environment(rank == ranks - 1 && rank > 0, "linear", "nonsense", NULL);
    plan = ring_plan(partners, NULL, 0);
    FINE(qdr_plan_look(plan, &info));
    CHECK(strcmp(info.algorithm, "linear") != 0);
    FINE(qdr_plan_destroy(&plan));
    set_environment(rank == 0, NULL, "nonsense", NULL);
    EXPECT(qdr_plan_create(partners, NULL, &plan), QDR_ERR_INVALID,
           "QDR_CHUNK=nonsense is refused; expected bytes");
    set_environment(rank == 0, "nonsense", NULL, NULL);
    EXPECT(qdr_plan_create(partners, NULL, &plan), QDR_ERR_INVALID, "QDR_ALGORITHM=nonsense is refused");
    set_environment(rank == 0, "paced:windows=3", NULL, NULL);
    EXPECT(qdr_plan_create(partners, NULL, &plan), QDR_ERR_INVALID,
           "QDR_ALGORITHM=paced:windows=3 is refused");
    set_environment(rank == 0, NULL, NULL, "99999999999999999999");
    EXPECT(qdr_plan_create(partners, NULL, &plan), QDR_ERR_INVALID, "from 1 to 1e15");
    set_environment(0, NULL, NULL, NULL);
    qdr_partners_destroy(&partners);
}

/* ---- limits -------------------------------------------------------------------------------------------- */

/* More plans at once than there are tags for: refused; and when some are destroyed, there is room again. */
static void test_tags(void) {
    enum { MOST = 5000 };
    static qdr_plan *plans[MOST];
    int count = 0;
    qdr_partners *partners = NULL;
    qdr_status status = QDR_OK;
    FINE(qdr_partners_from_sends(MPI_COMM_WORLD, 0, NULL, NULL, NULL, &partners));
    qdr_plan_options options = QDR_PLAN_OPTIONS;
    options.in_flight = 1;
    while (count < MOST && (status = qdr_plan_create(partners, &options, &plans[count])) == QDR_OK) count++;
    expect_at(__FILE__, __LINE__, status, QDR_ERR_RANGE, "tags");
    FINE(qdr_plan_destroy(&plans[rank % count])); /* another on every rank */
    FINE(qdr_plan_destroy(&plans[count / 2]));
    FINE(qdr_plan_create(partners, &options, &plans[count / 2]));
    for (int i = 0; i < count; i++) FINE(qdr_plan_destroy(&plans[i]));
    qdr_partners_destroy(&partners);
}

/* Rank 1 sends half of what rank 0 expects, and rank 2 nothing: that is told when the half has come, though the other never does. */
static void test_told_at_once(int64_t expected) {
    if (ranks < 3) return;
    int destination = 0, source[] = {1, 2};
    int64_t items = expected, sent = rank == 2 ? 0 : expected / 2, each[] = {expected, expected};
    char *out = calloc(1, (size_t)expected), *in = calloc(2, (size_t)expected);
    qdr_partners *partners = NULL;
    qdr_plan *plan = NULL;
    qdr_plan_options options = QDR_PLAN_OPTIONS;
    qdr_buffers buffers = {
        .item_bytes = 1, .outgoing_base = out, .incoming_base = in, .outgoing_items = &sent};
    options.algorithm = "async";
    options.deadline = 20;
    FINE(qdr_partners_from_both(MPI_COMM_WORLD, rank == 1 || rank == 2, &destination, &items,
                                rank == 0 ? 2 : 0, source, each, 1, &partners));
    FINE(qdr_plan_create(partners, &options, &plan));
    if (rank == 0)
        EXPECT(qdr_plan_exchange(plan, &buffers), QDR_ERR_MISMATCH, "rank 1 sent");
    else
        FINE(qdr_plan_exchange(plan, &buffers));
    FINE(qdr_plan_destroy(&plan));
    qdr_partners_destroy(&partners);
    free(out);
    free(in);
}

/* More chunks in a message than are under way at once, and the least of windows. */
static void test_tiny_chunks(void) {
    static const char *const ways[][2] = {{"distributed", NULL},  {"paced", NULL},
                                          {"linear", "requests"}, {"linear", "grants"},
                                          {"async", "arrivals"},  {"two-stage", "requests"}};
    enum { BYTES = 6000 };
    qdr_pattern *pattern = NULL;
    qdr_partners *partners = NULL;
    char text[80];
    snprintf(text, sizeof text, "complete:n=%d,bytes=%d", ranks, BYTES);
    FINE(qdr_pattern_from_spec(text, &pattern));
    FINE(qdr_partners_from_pattern(MPI_COMM_WORLD, pattern, &partners));
    unsigned char *out = calloc((size_t)ranks, BYTES), *in = calloc((size_t)ranks, BYTES);
    qdr_partners_view view = qdr_partners_look(partners);
    qdr_buffers buffers = {0};
    buffers.item_bytes = 1;
    buffers.outgoing_base = out;
    buffers.incoming_base = in;
    for (int i = 0; i < view.sends; i++)
        content_fill(out + i * BYTES, BYTES, content_key(1, 0, rank, view.destination[i]));
    for (int w = 0; w < (int)(sizeof ways / sizeof ways[0]); w++) {
        qdr_plan *plan = NULL;
        qdr_plan_options options = QDR_PLAN_OPTIONS;
        options.algorithm = ways[w][0];
        options.pacing = ways[w][1];
        options.chunk = options.window = 1;
        FINE(qdr_plan_create(partners, &options, &plan));
        memset(in, 0, (size_t)ranks * BYTES);
        FINE(qdr_plan_exchange(plan, &buffers));
        for (int i = 0; i < view.receives; i++)
            CHECK(content_wrong(in + i * BYTES, BYTES, content_key(1, 0, view.source[i], rank)) < 0);
        FINE(qdr_plan_destroy(&plan));
    }
    free(out);
    free(in);
    qdr_partners_destroy(&partners);
    qdr_pattern_destroy(&pattern);
}

int main(int count, char **words) {
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    test_nulls();
    test_options();
    test_communicators();
    test_buffers();
    test_kinds_of_memory();
    test_busy();
    if (ranks > 1) test_one_destroys();
    test_gone();
    if (ranks > 1) test_errors_of_mpi();
    test_environment();
    if (ranks <= 2) test_tags();
    test_told_at_once(100);
    test_told_at_once(1000);
    if (ranks > 1 && ranks <= 4) test_tiny_chunks();
    /* What outlives MPI can be destroyed, and nothing else. */
    qdr_partners *partners = ring(MPI_COMM_WORLD);
    qdr_plan *plan = ring_plan(partners, NULL, 0);
    ring_memory memory;
    qdr_buffers buffers = ring_buffers(&memory);
    run_ring(plan, partners);
    int verdict = mpi_check_verdict();
    MPI_Finalize();
    if (qdr_plan_exchange(plan, &buffers) != QDR_ERR_GONE) verdict = 1;
    if (qdr_partners_from_sends(MPI_COMM_WORLD, 0, NULL, NULL, NULL, &partners) != QDR_ERR_INVALID)
        verdict = 1;
    if (qdr_plan_destroy(&plan) != QDR_OK || plan) verdict = 1;
    qdr_partners_destroy(&partners);
    return verdict;
}
