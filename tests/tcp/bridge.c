/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One of two programs on a bridge; tests/tcp/run launches both.
 *
 *     bridge_program NAME PEER DIRECTORY SECONDS STAGE [SEED]
 *
 * STAGE says what happens:
 *
 *     all         messages between all pairs, of random sizes, several at once; then every collective
 *     long BYTES  one message of so many bytes between the roots, each way
 *     early       messages without receives, far more than may be kept aside; received in the other order
 *     serve       messages for SEED tenths of seconds, while strangers knock; prints how many were refused
 *     open        opens, and expects to fail: prints the status and the sentence
 *     starve      the same, and rank 1 can have no connections beside its door
 *     again       as `all`, with a contact file that this process has left behind
 *     lose WHERE  opens, then waits for what never comes, until the other program is killed; prints how long
 *                 after the last sign of life it noticed. WHERE: receive, barrier, send, nothing
 *     survive     opens and exchanges for ever, until the other program is killed at any moment
 *     die         opens, says so with its process, and waits to be killed
 *     both PEER   opens a second bridge, with PEER, and does as `all` on each
 *     mismatch    a message that is longer than its room, and many more that nobody has asked for
 *     leave       opens and leaves; the other expects QDR_ERR_PEER from whatever it starts (stage left)
 *
 * For trials by hand: BRIDGE_ADDRESS in the environment is where to listen, and with BRIDGE_COMPUTES=n the
 * receiver of early messages does something else for n seconds first.
 *
 * Every check that fails prints a line; the verdict is the exit code.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/random.h"
#include "mpi_check.h"
#include "wire/agree.h"
#include "wire/node.h"
#include "wire/tcp/mailbox.h"
#include "wire/tcp/tcp.h"

typedef struct message {
    qdri_operation operation;
    int finished, calls;
    qdr_status status;
    unsigned char *data;
    int64_t bytes;
    int partner, tag;
} message;

static qdri_wire *wire;
static qdri_bridge_view view;
static int rank, ranks;
static double patience;

static void finish(qdri_operation *operation, qdr_status status) {
    message *self = (message *)operation;
    self->finished = 1;
    self->calls++;
    self->status = status;
}

static double deadline(void) {
    return qdri_seconds() + patience;
}

static void await(message *self) {
    qdr_status status = qdri_wait_until(wire, &self->finished, deadline());
    CHECK_SAYING(!status && !self->status && self->calls == 1, "partner %d, tag %d: %s", self->partner,
                 self->tag, qdr_error_message());
}

/* ---- messages ------------------------------------------------------------------------------------------ */

/* What both ends know of the i-th message of a round between two ranks. */
static uint64_t seed_of(uint64_t seed, int from, int to, int i) {
    return qdri_mix(qdri_mix(seed) ^ (uint64_t)from << 40 ^ (uint64_t)to << 20 ^ (uint64_t)i);
}

static int64_t size_of(uint64_t seed) {
    static const int64_t most[] = {1, 40, 3000, 70000, 1000001};
    qdri_random random = qdri_random_seed(seed);
    return qdri_random_between(&random, 0, most[qdri_random_below(&random, 5)] - 1);
}

static unsigned char byte_of(uint64_t seed, int64_t at) {
    return (unsigned char)((seed >> (at % 57)) + (uint64_t)at * 31);
}

static void prepare(message *one, uint64_t seed, int partner, int tag, int fills) {
    *one = (message){.operation = {.done = finish}, .partner = partner, .tag = tag, .bytes = size_of(seed)};
    one->data = malloc((size_t)one->bytes + 1);
    for (int64_t at = 0; fills && at < one->bytes; at++) one->data[at] = byte_of(seed, at);
}

static void check_message(const message *one, uint64_t seed) {
    int64_t at = 0;
    CHECK(one->operation.bytes == one->bytes && one->operation.partner == one->partner);
    while (at < one->bytes && one->data[at] == byte_of(seed, at)) at++;
    CHECK_SAYING(at == one->bytes, "from %d, tag %d: byte %lld of %lld is wrong", one->partner, one->tag,
                 (long long)at, (long long)one->bytes);
}

/* Some receives are posted before, some after the sends of all, in a random order; tags come twice, so order
 * counts. */
static void exchange_all(uint64_t seed, int each) {
    int total = ranks * each;
    message *out = calloc((size_t)total, sizeof *out), *in = calloc((size_t)total, sizeof *in);
    int *order = calloc((size_t)total, sizeof *order);
    qdri_random random = qdri_random_seed(seed * 1000 + (uint64_t)rank);
    for (int i = 0; i < total; i++) order[i] = i;
    qdri_random_shuffle(&random, order, ranks);
    int before = (int)qdri_random_between(&random, 0, total);
    for (int step = 0; step <= total; step++) {
        if (step == before)
            for (int i = 0; i < total; i++) {
                int to = i % ranks, n = i / ranks;
                prepare(&out[i], seed_of(seed, rank, to, n), to, 200 + n / 2, 1);
                CHECK(!qdri_send(wire, &out[i].operation, to, 200 + n / 2, out[i].data, out[i].bytes));
            }
        if (step == total) break;
        int from = order[step % ranks], n = step / ranks;
        prepare(&in[step], seed_of(seed, from, rank, n), from, 200 + n / 2, 0);
        /* More room than there are bytes is legal. */
        CHECK(!qdri_receive(wire, &in[step].operation, from, 200 + n / 2, in[step].data,
                            in[step].bytes + n % 2));
    }
    for (int i = 0; i < total; i++) {
        await(&in[i]);
        check_message(&in[i], seed_of(seed, in[i].partner, rank, i / ranks));
        await(&out[i]);
    }
    for (int i = 0; i < total; i++) {
        free(in[i].data);
        free(out[i].data);
    }
    free(in);
    free(out);
    free(order);
}

/* ---- collectives --------------------------------------------------------------------------------------- */

static void check_agreement(void) {
    qdri_term term[] = {QDRI_IS_MOST("a number", rank * 7 % 5, 0, 4),
                        QDRI_IS_LEAST("a rank", rank, 0, ranks),
                        QDRI_IS_SUM("ones", 1),
                        QDRI_IS_PARITY("parity", rank < 2 ? 77 : 0),
                        QDRI_IS_ALIKE("ranks", ranks),
                        QDRI_IS_ALIKE("what one rank says", rank == ranks - 1 ? 5 : QDRI_SILENT)};
    qdri_agreement agreement = {
        .call = "this test", .term = term, .terms = 6, .wants_tags = 1, .deadline = deadline()};
    int64_t expected = 0;
    for (int r = 0; r < ranks; r++) expected = r * 7 % 5 > expected ? r * 7 % 5 : expected;
    CHECK_SAYING(!qdri_agree(wire, &agreement), "%s", qdr_error_message());
    CHECK(term[0].value == expected && term[1].value == 0 && term[2].value == ranks && term[3].value == 0);
    CHECK(term[4].value == ranks && term[5].value == 5 && agreement.first_tag >= QDRI_FREE_TAGS);
    qdri_wire_return_tags(wire, agreement.first_tag);
    for (int failing = 0; failing < ranks; failing++) {
        char expected_sentence[80];
        qdri_agreement failed = {.call = "this test", .deadline = deadline()};
        if (rank >= failing) failed.status = qdri_fail(QDR_ERR_RANGE, "trouble at %d", rank);
        snprintf(expected_sentence, sizeof expected_sentence, "rank %d: trouble at %d", failing, failing);
        CHECK(qdri_agree(wire, &failed) == QDR_ERR_RANGE);
        CHECK_SAYING(strcmp(qdr_error_message(), expected_sentence) == 0, "%s", qdr_error_message());
    }
    int told = rank == 0 ? 4711 : 0;
    qdri_agreement telling = {
        .call = "this test", .told = &told, .told_bytes = sizeof told, .deadline = deadline()};
    CHECK(!qdri_agree(wire, &telling));
    CHECK(told == 4711);
    qdri_term odd = QDRI_IS_ALIKE("favourite number", rank == ranks - 1 ? 6 : 5);
    qdri_agreement differs = {.call = "this test", .term = &odd, .terms = 1, .deadline = deadline()};
    CHECK(qdri_agree(wire, &differs) == QDR_ERR_MISMATCH);
    CHECK_SAYING(strstr(qdr_error_message(), "differ in the favourite number"), "%s", qdr_error_message());
}

/* Several at once, waited for in the other order. */
static void check_barriers(void) {
    enum { AT_ONCE = 4 };
    message one[AT_ONCE] = {0};
    for (int k = 0; k < AT_ONCE; k++) {
        one[k].operation.done = finish;
        CHECK(!qdri_barrier(wire, &one[k].operation));
    }
    for (int k = AT_ONCE - 1; k >= 0; k--) await(&one[k]);
}

static void check_gathering(int unit) {
    message one = {.operation = {.done = finish}};
    int64_t *start = calloc((size_t)ranks + 1, sizeof *start);
    for (int r = 0; r < ranks; r++) start[r + 1] = start[r] + (int64_t)unit * ((r * 5 + 1) % 4);
    int64_t bytes = start[rank + 1] - start[rank];
    char *out = malloc((size_t)bytes + 1), *in = malloc((size_t)start[ranks] + 1);
    memset(out, 'a' + rank, (size_t)bytes);
    CHECK(!qdri_gather_all(wire, &one.operation, out, bytes, in, start));
    await(&one);
    for (int r = 0; r < ranks; r++)
        for (int64_t at = start[r]; at < start[r + 1]; at++)
            if (in[at] != 'a' + r) {
                CHECK_SAYING(0, "gathering %d: byte %lld is wrong", unit, (long long)at);
                at = start[r + 1];
            }
    free(out);
    free(in);
    free(start);
}

/* Words from all, taken as they come: by a receive from anyone, or by looking for them. */
static void check_anyone(int tag, int looks) {
    message *out = calloc((size_t)ranks, sizeof *out);
    int64_t *word = calloc((size_t)ranks, sizeof *word);
    char *came = calloc((size_t)ranks, 1);
    for (int to = 0; to < ranks; to++) {
        word[to] = rank * 1000 + to;
        out[to] = (message){.operation = {.done = finish}, .partner = to, .tag = tag};
        CHECK(!qdri_send(wire, &out[to].operation, to, tag, &word[to], 8));
    }
    for (int i = 0; i < ranks; i++) {
        message in = {.operation = {.done = finish}, .partner = QDRI_ANYONE, .tag = tag};
        qdri_message found = {.is_there = !looks};
        int64_t got = -1;
        for (double end = deadline(); !found.is_there && qdri_seconds() < end; qdri_progress(wire))
            CHECK(!qdri_find(wire, tag, &found));
        CHECK(found.is_there);
        CHECK(!(looks ? qdri_receive_found(wire, &in.operation, &found, &got)
                      : qdri_receive(wire, &in.operation, QDRI_ANYONE, tag, &got, 8)));
        await(&in);
        int from = in.operation.partner;
        CHECK_SAYING(from >= 0 && from < ranks && !came[from] && in.operation.bytes == 8, "from %d", from);
        CHECK_SAYING(got == from * 1000 + rank, "from %d: %lld", from, (long long)got);
        came[from] = 1;
    }
    for (int to = 0; to < ranks; to++) await(&out[to]);
    free(came);
    free(word);
    free(out);
}

static void check_words(void) {
    message one = {.operation = {.done = finish}}, two = one, three = one;
    int64_t *out = calloc((size_t)ranks, sizeof *out), *in = calloc((size_t)ranks, sizeof *in), sum = 0;
    int64_t before = -1;
    for (int r = 0; r < ranks; r++) out[r] = rank * 1000 + r;
    CHECK(!qdri_swap_words(wire, &one.operation, out, in));
    await(&one);
    CHECK(!qdri_sum_for_each(wire, &two.operation, out, &sum));
    await(&two);
    CHECK(!qdri_sum_before(wire, &three.operation, &out[0], &before));
    await(&three);
    CHECK_SAYING(before == rank * (rank - 1) / 2 * 1000, "%lld", (long long)before);
    for (int r = 0; r < ranks; r++) {
        CHECK(in[r] == r * 1000 + rank);
        sum -= r * 1000 + rank;
    }
    CHECK(sum == 0);
    free(out);
    free(in);
}

/* A receive that nothing matches, and a send that nobody has begun to receive, can be taken back or not;
 * either way what follows is right. */
static void check_cancelling(void) {
    int far = view.side == 0 ? view.ranks[0] : 0;
    if (rank != 0 && rank != view.ranks[0]) return;
    message one = {.operation = {.done = finish}}, two = one, three = one;
    int64_t a = 1, b = 2, c = 3 + rank;
    CHECK(!qdri_receive(wire, &one.operation, far, 191, &a, 8));
    CHECK(!qdri_cancel(wire, &one.operation));
    CHECK(!qdri_receive(wire, &two.operation, far, 192, &b, 8));
    CHECK(!qdri_send(wire, &three.operation, far, 192, &c, 8));
    await(&two);
    await(&three);
    CHECK(b == 3 + far && one.calls == 0 && a == 1);
}

static void stage_all(uint64_t seed) {
    for (int round = 0; round < 6; round++) {
        exchange_all(seed + (uint64_t)round, 1 + round % 4);
        if (round % 2) check_agreement();
        check_barriers();
    }
    for (int unit = 0; unit < 100000; unit = 10 * unit + 1) check_gathering(unit);
    check_cancelling();
    check_anyone(150, 0);
    check_anyone(151, 1);
    check_words();
    CHECK(view.latency > 0 && view.latency < 10 && strstr(view.how, "TCP"));
    CHECK(qdri_bridge_refused(wire) == 0);
}

/* ---- large, early -------------------------------------------------------------------------------------- */

static void stage_long(int64_t bytes) {
    int far = view.side == 0 ? view.ranks[0] : 0;
    message out = {.operation = {.done = finish}}, in = out;
    if (rank != 0 && rank != view.ranks[0]) return;
    unsigned char *data = malloc((size_t)bytes), *got = malloc((size_t)bytes);
    CHECK(data && got);
    for (int64_t i = 0; i < bytes; i += 4093) data[i] = byte_of((uint64_t)rank, i);
    double begin = qdri_seconds();
    CHECK(!qdri_receive(wire, &in.operation, far, 150, got, bytes));
    CHECK(!qdri_send(wire, &out.operation, far, 150, data, bytes));
    await(&in);
    await(&out);
    double seconds = qdri_seconds() - begin;
    CHECK(in.operation.bytes == bytes);
    for (int64_t i = 0; i < bytes; i += 4093)
        if (got[i] != byte_of((uint64_t)far, i)) {
            CHECK_SAYING(0, "byte %lld is wrong", (long long)i);
            break;
        }
    if (bytes > 100000000) printf("%lld bytes each way at once in %.2f s\n", (long long)bytes, seconds);
    free(data);
    free(got);
}

/* 300 messages of a megabyte are more than may come early; the receiver wants the last first. */
static void stage_early(void) {
    enum { MESSAGES = 300, BYTES = 1000000 };
    int far = view.side == 0 ? view.ranks[0] : 0;
    if (rank != 0 && rank != view.ranks[0]) return;
    if (view.side == 1 && getenv("BRIDGE_COMPUTES")) sleep((unsigned)atoi(getenv("BRIDGE_COMPUTES")));
    message *all = calloc(MESSAGES, sizeof *all);
    unsigned char *data = calloc(BYTES, 1);
    for (int i = 0; i < MESSAGES; i++) {
        int n = view.side == 0 ? i : MESSAGES - 1 - i;
        all[i] = (message){.operation = {.done = finish}, .partner = far, .tag = 200 + n};
        CHECK(!(view.side == 0 ? qdri_send(wire, &all[i].operation, far, 200 + n, data, BYTES)
                               : qdri_receive(wire, &all[i].operation, far, 200 + n, data, BYTES)));
        if (view.side == 1) await(&all[i]);
    }
    for (int i = 0; i < MESSAGES && view.side == 0; i++) await(&all[i]);
    free(all);
    free(data);
}

static void stage_serve(int tenths) {
    double until = qdri_seconds() + 0.1 * tenths;
    int64_t refused, rounds = 0;
    qdri_term over = QDRI_IS_MOST("whether it is over", 0, 0, 1);
    qdri_agreement agreement = {.call = "this test", .term = &over, .terms = 1};
    for (uint64_t seed = 1; !over.value; seed++, rounds++) {
        exchange_all(seed, 2);
        over.value = rank == 0 && qdri_seconds() > until;
        agreement.deadline = deadline();
        CHECK(!qdri_agree(wire, &agreement));
    }
    refused = qdri_bridge_refused(wire);
    if (refused > 0)
        printf("rank %d of %d: refused %lld in %lld rounds\n", rank, ranks, (long long)refused,
               (long long)rounds);
}

/* ---- losing the other ---------------------------------------------------------------------------------- */

/* The one that will be killed says when it is ready, and does nothing more. */
static void stage_die(void) {
    int never = 0;
    if (rank == 0 || rank == view.ranks[0]) {
        printf("ready %d\n", (int)getpid());
        fflush(stdout);
    }
    (void)qdri_wait_until(wire, &never, deadline());
}

/* What a rank waits for when the other program dies; it never comes. */
static qdr_status begin_waiting(const char *where, message *one, char *data, int64_t bytes) {
    int far = view.side == 0 ? view.ranks[0] : 0;
    if (strcmp(where, "barrier") == 0) return qdri_barrier(wire, &one->operation);
    if (strcmp(where, "send") == 0) return qdri_send(wire, &one->operation, far, 170, data, bytes);
    if (strcmp(where, "receive") == 0) return qdri_receive(wire, &one->operation, far, 170, data, bytes);
    return QDR_OK;
}

static void stage_lose(const char *where) {
    static char data[1 << 25];
    int far = view.side == 0 ? view.ranks[0] : 0, waits = strcmp(where, "nothing") != 0;
    message one = {.operation = {.done = finish}}, two = one;
    CHECK(!begin_waiting(where, &one, data, sizeof data));
    qdr_status status = qdri_wait_until(wire, &one.finished, deadline());
    if (!status) status = one.status;
    CHECK_SAYING(status == QDR_ERR_PEER && strstr(qdr_error_message(), "lost rank"), "status %d: %s", status,
                 qdr_error_message());
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    printf("noticed %lld%03ld %s\n", (long long)now.tv_sec, now.tv_nsec / 1000000, qdr_error_message());
    fflush(stdout);
    qdri_progress(wire);
    CHECK_SAYING(one.calls == waits && one.status == (waits ? QDR_ERR_PEER : QDR_OK),
                 "called %d times, status %d", one.calls, one.status);
    CHECK(qdri_wire_state(wire) == QDR_ERR_PEER && !qdri_wire_usable(wire));
    CHECK(qdri_send(wire, &two.operation, far, 171, data, 1) == QDR_ERR_PEER);
    CHECK(qdri_receive(wire, &two.operation, far, 171, data, 1) == QDR_ERR_PEER);
    CHECK(qdri_barrier(wire, &two.operation) == QDR_ERR_PEER);
    CHECK(qdri_agree_status(wire, "this test", QDR_OK, deadline()) == QDR_ERR_PEER);
}

/* Messages, agreement and collectives in turn, until one fails. */
static void stage_survive(void) {
    int far = view.side == 0 ? view.ranks[0] : 0;
    static char out[200000], in[200000];
    qdr_status status = QDR_OK;
    double until = deadline();
    for (int round = 0; !status && qdri_seconds() < until; round++) {
        message one = {.operation = {.done = finish}}, two = one;
        int partner = far + (view.side == 0 ? rank : rank - view.ranks[0]), bytes = round * 977 % 200000;
        if (partner < far + view.ranks[1 - view.side]) {
            status = qdri_receive(wire, &one.operation, partner, 180, in, sizeof in);
            if (!status) status = qdri_send(wire, &two.operation, partner, 180, out, bytes);
            if (!status) status = qdri_wait_until(wire, &one.finished, until);
            if (!status) status = one.status;
            if (!status) status = qdri_wait_until(wire, &two.finished, until);
            if (!status) status = two.status;
            (void)qdri_cancel(wire, &one.operation);
            (void)qdri_cancel(wire, &two.operation);
        }
        if (!status) status = qdri_agree(wire, &(qdri_agreement){.call = "this test", .deadline = until});
    }
    CHECK_SAYING(status == QDR_ERR_PEER, "status %d: %s", status, qdr_error_message());
}

/* The other has left: that is harmless as long as nothing is wanted of it. */
static void stage_left(void) {
    int never = 0, far = view.side == 0 ? view.ranks[0] : 0;
    char byte = 0;
    message one = {.operation = {.done = finish}};
    CHECK(qdri_wait_until(wire, &never, qdri_seconds() + 0.5) == QDR_ERR_STALLED);
    CHECK_SAYING(!qdri_wire_state(wire), "%s", qdr_error_message());
    qdr_status status = qdri_receive(wire, &one.operation, far + (rank - far) % 1, 170, &byte, 1);
    if (!status) status = qdri_wait_until(wire, &one.finished, deadline());
    if (!status) status = one.status;
    CHECK_SAYING(status == QDR_ERR_PEER && strstr(qdr_error_message(), "ended"), "status %d: %s", status,
                 qdr_error_message());
}

/* Longer than the room there is: both programs get the same sentence, although much is unread then. */
static void stage_mismatch(void) {
    enum { MORE = 8 };
    static char data[1 << 20];
    int far = view.side == 0 ? view.ranks[0] : 0;
    message one = {.operation = {.done = finish}}, more[MORE];
    qdr_status status = view.side == 0 && rank == 0 ? qdri_send(wire, &one.operation, far, 170, data, 1000)
                        : rank == view.ranks[0]     ? qdri_receive(wire, &one.operation, far, 170, data, 999)
                                                    : QDR_OK;
    CHECK(!status);
    for (int i = 0; i < MORE && view.side == 0 && rank == 0; i++) {
        more[i] = one;
        CHECK(!qdri_send(wire, &more[i].operation, far, 171, data, sizeof data));
    }
    int never = 0;
    status = qdri_wait_until(wire, &never, deadline());
    CHECK_SAYING(status == QDR_ERR_MISMATCH && strstr(qdr_error_message(), "has room for 999 bytes"),
                 "status %d: %s", status, qdr_error_message());
}

/* ---- stages -------------------------------------------------------------------------------------------- */

static void run(const char *stage, const char *argument) {
    if (strcmp(stage, "all") == 0 || strcmp(stage, "again") == 0) stage_all((uint64_t)atoll(argument));
    if (strcmp(stage, "long") == 0) stage_long(atoll(argument));
    if (strcmp(stage, "early") == 0) stage_early();
    if (strcmp(stage, "serve") == 0) stage_serve(atoi(argument));
    if (strcmp(stage, "die") == 0) stage_die();
    if (strcmp(stage, "survive") == 0) stage_survive();
    if (strcmp(stage, "lose") == 0) stage_lose(argument);
    if (strcmp(stage, "left") == 0) stage_left();
    if (strcmp(stage, "mismatch") == 0) stage_mismatch();
}

static void log_line(void *context, const char *line) {
    (void)context;
    printf("log: %s\n", line);
}

static qdr_status open_bridge(const char *name, const char *peer, const char *directory) {
    qdri_bridge_request request = {
        .name = name, .peer = peer, .directory = directory, .deadline = deadline()};
    request.address = getenv("BRIDGE_ADDRESS");
    qdr_status status = qdri_bridge_open(MPI_COMM_WORLD, &request, &wire, &view);
    if (status) return status;
    rank = qdri_wire_rank(wire);
    ranks = qdri_wire_ranks(wire);
    /* Who listens where no other host can call knows that both programs are on one. */
    if (!request.address) CHECK(qdri_wire_one_host(wire) && !qdri_wire_one_node(wire));
    return QDR_OK;
}

/* Two more files can be open: that is enough to listen. */
static void starve(void) {
    qdri_wire *own = NULL;
    struct rlimit limit;
    CHECK(!qdri_wire_open(MPI_COMM_WORLD, &own)); /* it needs some for itself */
    qdri_wire_release(&own);
    int first = dup(0), second = dup(0);
    CHECK(first >= 0 && second > first && !getrlimit(RLIMIT_NOFILE, &limit));
    limit.rlim_cur = (rlim_t)second + 1;
    close(first);
    close(second);
    CHECK(!setrlimit(RLIMIT_NOFILE, &limit));
}

static void leave_behind(const char *name, const char *peer, const char *directory) {
    qdri_contact contact = {.ranks = 1, .address = "127.0.0.1", .port = 1};
    qdri_mailbox box;
    snprintf(contact.name, sizeof contact.name, "%s", name);
    snprintf(contact.peer, sizeof contact.peer, "%s", peer);
    qdri_contact_introduce(&contact);
    CHECK(!qdri_mailbox_open(directory, &contact, &box) && !qdri_mailbox_publish(&box));
}

static void leave_bridge(void) {
    qdri_lock(wire);
    qdri_bridge_leave(wire);
    qdri_unlock(wire);
    qdri_wire_release(&wire);
}

/* A second bridge beside the first. */
static void run_both(char **argv) {
    qdri_wire *first = wire;
    qdri_bridge_view first_view = view;
    CHECK_SAYING(!open_bridge(argv[1], argv[6], argv[3]), "%s", qdr_error_message());
    if (!wire || wire == first) return;
    stage_all(1);
    leave_bridge();
    wire = first;
    view = first_view;
    rank = qdri_wire_rank(wire);
    ranks = qdri_wire_ranks(wire);
    stage_all(1);
}

/* An opening that is expected to fail, or may. */
static void report(const char *stage, qdr_status status, int world) {
    int may = strcmp(stage, "survive") == 0 && (status == QDR_ERR_PEER || status == QDR_ERR_STALLED);
    if (strcmp(stage, "open") == 0 || strcmp(stage, "starve") == 0 || may) {
        if (world == 0) printf("%s: %s\n", qdr_status_text(status), qdr_error_message());
    } else {
        CHECK_SAYING(!status, "%s", qdr_error_message());
    }
}

int main(int argc, char **argv) {
    if (argc < 6) return 2;
    int world;
    patience = atof(argv[4]);
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &world);
    qdr_set_log(log_line, NULL);
    if (strcmp(argv[5], "again") == 0) leave_behind(argv[1], argv[2], argv[3]);
    if (strcmp(argv[5], "starve") == 0 && world == 1) starve();
    qdr_status status = open_bridge(argv[1], argv[2], argv[3]);
    report(argv[5], status, world);
    if (!status) {
        CHECK(ranks == view.ranks[0] + view.ranks[1] && rank == world + (view.side ? view.ranks[0] : 0));
        qdri_lock(wire);
        run(argv[5], argc > 6 ? argv[6] : "");
        qdri_unlock(wire);
        if (strcmp(argv[5], "both") == 0) run_both(argv);
        leave_bridge();
    }
    int verdict = mpi_check_verdict();
    MPI_Finalize();
    return verdict;
}
