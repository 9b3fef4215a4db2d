/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The other program speaks nonsense. This process is one of two ranks of a wire between programs; the other is played
 * here: it echoes what it is sent, so that everything agrees, except for what a case has changed. Each of these words
 * was an index, a size, an enumerator or a text without an end; each must come to a status and a sentence.
 */
#include <stdlib.h>
#include <string.h>

#include "discover/partners.h"
#include "mpi_check.h"
#include "plan/settings.h"
#include "wire/far.h"

/* ---- the other program --------------------------------------------------------------------------------- */

enum { MOST = 1 << 14, WAITING = 64 };

/* What becomes of the receive of this number, counted from 0. */
typedef struct change {
    int receive;
    int64_t at, value;   /* a word; at -1: none */
    int64_t shorter;     /* by so many bytes */
    const void *instead; /* of an echo; NULL: an echo */
    int64_t bytes;
    int always; /* and of those after it */
} change;

static struct {
    qdri_poller poller;
    qdri_wire *wire;
    int first;
    qdri_operation *waiting[WAITING];
    int count, receives;
    char said[MOST];
    int64_t bytes;
    const change *changes;
    int changed;
} other;

static void finish_later(qdri_operation *operation) {
    operation->parts = 1;
    other.waiting[other.count++] = operation;
}

static void poll(qdri_poller *poller) {
    (void)poller;
    while (other.count > 0) {
        qdri_operation *done = other.waiting[0];
        memmove(other.waiting, other.waiting + 1, (size_t)--other.count * sizeof *other.waiting);
        qdri_far_end(other.wire, done, QDR_OK);
    }
}

static qdr_status hear(qdri_wire *wire, qdri_operation *operation, int to, int tag, const void *data,
                       int64_t bytes) {
    (void)wire, (void)tag;
    CHECK_SAYING(to == 1 - other.first, "a message for rank %d", to);
    memcpy(other.said, data, (size_t)bytes);
    other.bytes = bytes;
    finish_later(operation);
    return QDR_OK;
}

static void apply(const change *one, char *data, int64_t *bytes) {
    if (one->instead) {
        memcpy(data, one->instead, (size_t)one->bytes);
        *bytes = one->bytes;
    }
    if (one->at >= 0) memcpy(data + one->at, &one->value, sizeof one->value);
    *bytes -= one->shorter;
}

static qdr_status tell(qdri_wire *wire, qdri_operation *operation, int from, int tag, void *data,
                       int64_t bytes) {
    int64_t length = bytes < other.bytes ? bytes : other.bytes;
    (void)wire, (void)tag;
    CHECK_SAYING(from == 1 - other.first, "a message from rank %d", from);
    memcpy(data, other.said, (size_t)length);
    for (int i = 0; i < other.changed; i++) {
        const change *one = &other.changes[i];
        if (one->receive == other.receives || (one->always && one->receive < other.receives))
            apply(one, data, &length);
    }
    other.receives++;
    operation->bytes = length;
    finish_later(operation);
    return QDR_OK;
}

static qdr_status reserve(qdri_wire *wire, int64_t operations) {
    (void)wire, (void)operations;
    return QDR_OK;
}

static int cancel(qdri_wire *wire, qdri_operation *operation) {
    (void)wire;
    for (int i = 0; i < other.count; i++)
        if (other.waiting[i] == operation) other.waiting[i] = other.waiting[--other.count];
    return 0;
}

static void nothing(qdri_wire *wire) {
    (void)wire;
}

static int is_alone(const qdri_wire *wire) {
    (void)wire;
    return 0;
}

static const qdri_far functions = {.send = hear,
                                   .receive = tell,
                                   .reserve = reserve,
                                   .cancel = cancel,
                                   .rest = nothing,
                                   .is_alone = is_alone,
                                   .leave = nothing,
                                   .close = nothing};

/* A fresh wire, on which this process is rank `first`. */
static void open_wire(int first, const change *changes, int changed) {
    const qdri_far_shape shape = {first, 1, 2, qdri_tag_spans()};
    memset(&other, 0, sizeof other);
    other.first = first;
    other.changes = changes;
    other.changed = changed;
    other.poller.poll = poll;
    CHECK(!qdri_wire_open_far(MPI_COMM_SELF, &shape, &functions, NULL, 0, &other.wire));
    qdri_lock(other.wire);
    qdri_poller_add(other.wire, &other.poller);
    qdri_unlock(other.wire);
}

static void close_wire(void) {
    qdri_lock(other.wire);
    qdri_poller_remove(other.wire, &other.poller);
    qdri_unlock(other.wire);
    qdri_wire_release(&other.wire);
}

static void expect(qdr_status found, qdr_status wanted, const char *word) {
    CHECK_SAYING(found == wanted && strstr(qdr_error_message(), word), "%d instead of %d, '%s', without '%s'",
                 (int)found, (int)wanted, qdr_error_message(), word);
}

/* ---- agreements ---------------------------------------------------------------------------------------- */

static qdr_status agree(void) {
    int64_t word = 7;
    qdri_agreement agreement = {.maximum = &word, .count = 1, .deadline = qdri_seconds() + 5};
    qdri_lock(other.wire);
    qdr_status status = qdri_agree(other.wire, &agreement);
    qdri_unlock(other.wire);
    if (!status) CHECK(word == 7);
    return status;
}

/* The rank that failed would be an index. */
static void test_failed_rank(void) {
    static const int64_t hostile[] = {3, 99, INT64_MAX, INT64_C(1) << 32 | 1};
    for (int first = 0; first < 2; first++)
        for (int i = 0; i < 4; i++) {
            open_wire(first, &(change){.receive = 0, .value = hostile[i]}, 1);
            expect(agree(), QDR_MISMATCH, "the first rank that failed");
            expect(agree(), QDR_LOST, "");
            close_wire();
        }
    open_wire(0, NULL, 0);
    expect(agree(), QDR_OK, "");
    close_wire();
}

typedef struct verdict {
    int status;
    char sentence[1024];
} verdict;

/* Its status would be an enumerator, and its sentence may have no end. */
static void test_verdicts(void) {
    static const int hostile[] = {0, -1, QDR_FULL + 1, 1 << 30, QDR_RANGE};
    for (int i = 0; i < 5; i++) {
        verdict told = {.status = hostile[i]};
        memset(told.sentence, i % 2 ? '\n' : 'x', sizeof told.sentence);
        const change changes[] = {{.receive = 0, .value = 2},
                                  {.receive = 1, .at = -1, .instead = &told, .bytes = sizeof told}};
        open_wire(1, changes, 2);
        if (hostile[i] == QDR_RANGE)
            expect(agree(), QDR_RANGE, "xxx");
        else
            expect(agree(), QDR_MISMATCH, "status of a failure");
        CHECK(!strchr(qdr_error_message(), '\n'));
        close_wire();
    }
}

/* What did not come would be left as it was. */
static void test_short_messages(void) {
    open_wire(0, &(change){.receive = 0, .at = -1, .shorter = 1}, 1);
    expect(agree(), QDR_MISMATCH, "15 bytes as its part of a collective; expected 16");
    close_wire();
}

/* ---- partners and plans -------------------------------------------------------------------------------- */

static qdr_status make_partners(qdr_partners **partners) {
    return qdri_partners_on(other.wire, 0, NULL, NULL, 0, NULL, NULL, qdri_seconds() + 5, partners);
}

/* The number of the call would be an index into its names; so would that of the method. */
static void test_calls(void) {
    static const struct {
        int word;
        int64_t value;
    } hostile[] = {{2, 100}, {2, INT64_MAX}, {3, 100}, {3, INT64_MAX}, {4, INT64_MAX}, {5, 100}};
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        qdr_partners *partners = NULL;
        open_wire(0, &(change){.receive = 0, .at = 8 * hostile[i].word, .value = hostile[i].value}, 1);
        expect(make_partners(&partners), QDR_MISMATCH, "; expected");
        qdr_partners_destroy(&partners);
        close_wire();
    }
}

static const char *transport; /* that this rank asks for */

/* As rank 1, after partners: rank 0 tells the settings of a plan. */
static qdr_status make_plan(const change *changes, int changed) {
    qdr_plan_options options = QDR_PLAN_OPTIONS;
    qdr_partners *partners = NULL;
    qdr_plan *plan = NULL;
    options.stall_seconds = 5;
    options.transport = transport;
    open_wire(1, NULL, 0);
    expect(make_partners(&partners), QDR_OK, "");
    other.receives = 0;
    other.changes = changes;
    other.changed = changed;
    qdr_status status = qdr_plan_create(partners, &options, &plan);
    qdr_plan_destroy(&plan);
    qdr_partners_destroy(&partners);
    return status;
}

static void test_settings(void) {
    static const struct {
        size_t at;
        int64_t value;
        const char *word;
    } hostile[] = {
        {offsetof(qdri_settings, scheduled), 7, "whether there is a schedule"},
        {offsetof(qdri_settings, scheduled), INT64_MIN, "whether there is a schedule"},
        {offsetof(qdri_settings, in_flight), INT32_MAX, "exchanges in flight"},
        {offsetof(qdri_settings, in_flight), -1, "exchanges in flight"},
        {offsetof(qdri_settings, chunk), -1, "bytes of a chunk"},
        {offsetof(qdri_settings, window), INT64_MIN, "bytes of the window"},
        {offsetof(qdri_settings, barrier), 2, "whether there is a barrier"},
    };
    qdri_settings told;
    CHECK(!qdri_settings_resolve(NULL, 0, &told));
    strcpy(told.algorithm, "async");
    strcpy(told.transport, "net");
    change one = {.receive = 0, .at = -1, .instead = &told, .bytes = sizeof told};
    expect(make_plan(&one, 1), QDR_OK, "");
    close_wire();
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        one.at = (int64_t)hostile[i].at;
        one.value = hostile[i].value;
        expect(make_plan(&one, 1), QDR_MISMATCH, hostile[i].word);
        close_wire();
    }
    one.at = -1;
    memset(told.algorithm, 'x', sizeof told.algorithm);
    memset(told.pacing, 'y', sizeof told.pacing);
    memset(told.transport, 'z', sizeof told.transport);
    expect(make_plan(&one, 1), QDR_UNKNOWN, "xxx");
    close_wire();
    CHECK(!qdri_settings_resolve(NULL, 0, &told));
    memset(told.transport, 'n', sizeof told.transport);
    told.chunk = INT64_C(0x4141414141414141); /* "AAAAAAAA" stands behind it */
    transport = "net";
    expect(make_plan(&one, 1), QDR_MISMATCH, "'nnnnnnn'");
    transport = NULL;
    close_wire();
}

/* Who has no memory of a node where none was wanted would be asked again for ever. */
static void test_facts(void) {
    enum { REFUSED = 7, SHARING = 8, SOURCES = 5 }; /* behind the rank that failed */
    qdri_settings told;
    CHECK(!qdri_settings_resolve(NULL, 0, &told));
    strcpy(told.algorithm, "async");
    strcpy(told.transport, "net");
    const int word[] = {REFUSED, SHARING, SOURCES};
    for (int i = 0; i < 3; i++) {
        const change changes[] = {{.receive = 0, .at = -1, .instead = &told, .bytes = sizeof told},
                                  {.receive = 1, .at = 8 * word[i], .value = i ? 1000 : 1, .always = 1}};
        expect(make_plan(changes, 2), QDR_MISMATCH, "; expected");
        close_wire();
    }
}

int main(int count, char **argument) {
    MPI_Init(&count, &argument);
    test_failed_rank();
    test_verdicts();
    test_short_messages();
    test_calls();
    test_settings();
    test_facts();
    int verdict = mpi_check_verdict();
    MPI_Finalize();
    return verdict;
}
