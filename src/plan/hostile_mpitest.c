/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The other program speaks nonsense. This process is one of two ranks of a wire between programs; the other is played
 * here: it echoes what it is sent, so that everything agrees, except for what a case has changed. Where this rank is the
 * first it hears before it speaks: then the other says what a case has prepared. Each of these words was an index, a
 * size, an enumerator or a text without an end; each must come to a status and a sentence.
 */
#include <stdlib.h>
#include <string.h>

#include "discover/partners.h"
#include "mpi_check.h"
#include "plan/settings.h"
#include "wire/paper.h"
#include "wire/tcp/joined.h"

/* ---- the other program --------------------------------------------------------------------------------- */

enum { MOST = 1 << 14, WAITING = 64 };

/* What becomes of the paper that is heard as the one of this number, counted from 0. */
typedef struct change {
    int receive;
    int64_t at, value; /* a word of it; at -1: none */
    int64_t shorter;   /* by so many bytes */
    const void *told;  /* with it; NULL: nothing */
    int64_t told_bytes;
    int text;         /* of a failure: a sentence of this letter without an end; 0: none */
    const char *call; /* that it is about; NULL: as it is */
    int always;       /* and of those after it */
} change;

static struct {
    qdri_poller poller;
    qdri_wire *wire;
    int first;
    qdri_operation *waiting[WAITING];
    struct {
        qdri_operation *operation;
        void *data;
        int64_t bytes;
    } asked; /* a receive; the other says nothing before it has something to echo */
    int count, receives, has_spoken;
    char said[MOST];
    int64_t bytes;
    const change *changes;
    int changed;
} other;

static void finish_later(qdri_operation *operation) {
    operation->parts = 1;
    other.waiting[other.count++] = operation;
}

static void answer(void);

static void poll(qdri_poller *poller) {
    (void)poller;
    if (other.asked.operation && other.has_spoken) answer();
    while (other.count > 0) {
        qdri_operation *done = other.waiting[0];
        memmove(other.waiting, other.waiting + 1, (size_t)--other.count * sizeof *other.waiting);
        qdri_operation_end(other.wire, done, QDR_OK);
    }
}

static qdr_status hear(qdri_wire *wire, qdri_operation *operation, int to, int tag, const void *data,
                       int64_t bytes) {
    (void)wire, (void)tag;
    CHECK_SAYING(to == 1 - other.first, "a message for rank %d", to);
    memcpy(other.said, data, (size_t)bytes);
    other.bytes = bytes;
    other.has_spoken = 1;
    finish_later(operation);
    return QDR_OK;
}

/* Whoever is asked for tags answers with a span of them. */
static void find_tags(char *data, int64_t *bytes) {
    qdri_paper paper;
    CHECK(!qdri_paper_unpack(QDRI_SOMEBODY, data, *bytes, &paper));
    if (paper.head.united == 0) return;
    paper.head.united = 0;
    paper.head.span = 0;
    *bytes = qdri_paper_pack(&paper, data);
}

static void apply(const change *one, char *data, int64_t *bytes) {
    qdri_paper paper;
    CHECK(!qdri_paper_unpack(QDRI_SOMEBODY, data, *bytes, &paper));
    if (one->told) {
        memcpy(paper.text, one->told, (size_t)one->told_bytes);
        paper.head.told = one->told_bytes;
    }
    if (one->text) {
        paper.head.status = QDR_ERR_RANGE;
        memset(paper.text, one->text, sizeof paper.text);
    }
    if (one->call) strcpy(paper.head.call, one->call);
    *bytes = qdri_paper_pack(&paper, data) - one->shorter;
    if (one->at >= 0) memcpy(data + one->at, &one->value, sizeof one->value);
}

static void answer(void) {
    qdri_operation *operation = other.asked.operation;
    char *data = other.asked.data;
    int64_t length = other.asked.bytes < other.bytes ? other.asked.bytes : other.bytes;
    memcpy(data, other.said, (size_t)length);
    other.asked.operation = NULL;
    other.has_spoken = 0;
    find_tags(data, &length);
    for (int i = 0; i < other.changed; i++) {
        const change *one = &other.changes[i];
        if (one->receive == other.receives || (one->always && one->receive < other.receives))
            apply(one, data, &length);
    }
    other.receives++;
    operation->bytes = length;
    other.waiting[other.count++] = operation;
}

static qdr_status tell(qdri_wire *wire, qdri_operation *operation, int from, int tag, void *data,
                       int64_t bytes) {
    (void)wire, (void)tag;
    CHECK_SAYING(from == 1 - other.first && !other.asked.operation, "a message from rank %d", from);
    operation->parts = 1;
    other.asked.operation = operation;
    other.asked.data = data;
    other.asked.bytes = bytes;
    return QDR_OK;
}

static qdr_status reserve(qdri_wire *wire, int64_t operations) {
    (void)wire, (void)operations;
    return QDR_OK;
}

static int cancel(qdri_wire *wire, qdri_operation *operation) {
    (void)wire;
    if (other.asked.operation == operation) other.asked.operation = NULL;
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
    const qdri_joined_shape shape = {.first = first, .own = 1, .ranks = 2, .tag_spans = qdri_tag_spans()};
    memset(&other, 0, sizeof other);
    other.first = first;
    other.changes = changes;
    other.changed = changed;
    other.poller.poll = poll;
    CHECK(!qdri_wire_join(MPI_COMM_SELF, &shape, &functions, NULL, 0, &other.wire));
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

static const char *const call = "a call of this test";

static qdr_status agree(void) {
    qdri_term term = QDRI_IS_MOST("a number", 7, 0, 10);
    qdri_agreement agreement = {.call = call, .term = &term, .terms = 1, .deadline = qdri_seconds() + 5};
    qdri_lock(other.wire);
    qdr_status status = qdri_agree(other.wire, &agreement);
    qdri_unlock(other.wire);
    if (!status) CHECK(term.value == 7);
    return status;
}

/* Before this rank has said anything, where it is the first. */
static void prepare_to_say(const char *about) {
    qdri_paper paper = {.head = {.number = 0, .terms = 1, .span = -1}, .entry = {{7, 1}}};
    strcpy(paper.head.call, about);
    other.bytes = qdri_paper_pack(&paper, other.said);
    other.has_spoken = 1;
}

static void begin(int first, const change *changes, int changed) {
    open_wire(first, changes, changed);
    if (first == 0) prepare_to_say(call);
}

/* Counts and numbers would be sizes and indices; the status would be an enumerator. */
static void test_heads(void) {
    static const struct {
        size_t at;
        int64_t value;
        const char *word;
    } hostile[] = {
        {offsetof(qdri_paper_head, number), 1, "number of a question"},
        {offsetof(qdri_paper_head, number), -2, "number of a question"},
        {offsetof(qdri_paper_head, status), -1, "status of a failure"},
        {offsetof(qdri_paper_head, status), QDR_ERR_FULL + 1, "status of a failure"},
        {offsetof(qdri_paper_head, status), INT64_C(1) << 40, "status of a failure"},
        {offsetof(qdri_paper_head, status), QDR_ERR_RANGE, "a paper"},
        {offsetof(qdri_paper_head, kind), 4, "kind of a failure"},
        {offsetof(qdri_paper_head, terms), 25, "number of terms"},
        {offsetof(qdri_paper_head, terms), -1, "number of terms"},
        {offsetof(qdri_paper_head, terms), 2, "a paper"},
        {offsetof(qdri_paper_head, united), 65, "words of united"},
        {offsetof(qdri_paper_head, told), 1025, "bytes that are told"},
        {offsetof(qdri_paper_head, told), -8, "bytes that are told"},
        {offsetof(qdri_paper_head, span), 4096, "a span of tags"},
        {sizeof(qdri_paper_head), 11, "a number"},
    };
    for (int first = 0; first < 2; first++)
        for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
            begin(first, &(change){.receive = 0, .at = (int64_t)hostile[i].at, .value = hostile[i].value}, 1);
            expect(agree(), QDR_ERR_MISMATCH, hostile[i].word);
            close_wire();
        }
    for (int first = 0; first < 2; first++) {
        begin(first, NULL, 0);
        expect(agree(), QDR_OK, "");
        close_wire();
    }
}

/* A sentence may have no end, or spoil a line. */
static void test_sentences(void) {
    for (int i = 0; i < 2; i++) {
        begin(1, &(change){.receive = 0, .at = -1, .text = i ? '\n' : 'x'}, 1);
        expect(agree(), QDR_ERR_RANGE, i ? "" : "xxx");
        CHECK(!strchr(qdr_error_message(), '\n'));
        close_wire();
    }
}

/* What did not come would be left as it was. */
static void test_short_papers(void) {
    for (int first = 0; first < 2; first++) {
        begin(first, &(change){.receive = 0, .at = -1, .shorter = 1}, 1);
        expect(agree(), QDR_ERR_MISMATCH, "bytes as a paper; expected");
        expect(agree(), QDR_ERR_LOST, "");
        close_wire();
    }
}

/* Whoever is in another call may do anything next. */
static void test_calls(void) {
    begin(0, &(change){.receive = 0, .at = -1, .call = "another call"}, 1);
    expect(agree(), QDR_ERR_MISMATCH, "rank 0 in a call of this test, rank 1 in another call");
    expect(agree(), QDR_ERR_LOST, "");
    close_wire();
}

/* ---- partners and plans -------------------------------------------------------------------------------- */

static qdr_status make_partners(qdr_partners **partners) {
    return qdri_partners_on(other.wire, 0, NULL, NULL, 0, NULL, NULL, partners);
}

static const char *transport; /* that this rank asks for */

/* As rank 1, after partners: rank 0 tells the settings of a plan. */
static qdr_status make_plan(const change *changes, int changed) {
    qdr_plan_options options = QDR_PLAN_OPTIONS;
    qdr_partners *partners = NULL;
    qdr_plan *plan = NULL;
    options.deadline = 5;
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
    CHECK(!qdri_settings_resolve(&(qdr_plan_options)QDR_PLAN_OPTIONS, 0, &told));
    strcpy(told.algorithm, "async");
    strcpy(told.transport, "net");
    change one = {.receive = 0, .at = -1, .told = &told, .told_bytes = sizeof told};
    expect(make_plan(&one, 1), QDR_OK, "");
    close_wire();
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        one.at = (int64_t)(sizeof(qdri_paper_head) + hostile[i].at);
        one.value = hostile[i].value;
        expect(make_plan(&one, 1), QDR_ERR_MISMATCH, hostile[i].word);
        close_wire();
    }
    one.at = -1;
    memset(told.algorithm, 'x', sizeof told.algorithm);
    memset(told.pacing, 'y', sizeof told.pacing);
    memset(told.transport, 'z', sizeof told.transport);
    expect(make_plan(&one, 1), QDR_ERR_UNKNOWN, "xxx");
    close_wire();
    CHECK(!qdri_settings_resolve(&(qdr_plan_options)QDR_PLAN_OPTIONS, 0, &told));
    memset(told.transport, 'n', sizeof told.transport);
    told.chunk = INT64_C(0x4141414141414141); /* "AAAAAAAA" stands behind it */
    transport = "net";
    expect(make_plan(&one, 1), QDR_ERR_MISMATCH, "'nnnnnnn'");
    transport = NULL;
    close_wire();
}

/* Who has no memory of a node where none was wanted would be asked again for ever. */
static void test_facts(void) {
    enum { REFUSED = 6, SHARING = 7, SOURCES = 4 };
    qdri_settings told;
    CHECK(!qdri_settings_resolve(&(qdr_plan_options)QDR_PLAN_OPTIONS, 0, &told));
    strcpy(told.algorithm, "async");
    strcpy(told.transport, "net");
    const int word[] = {REFUSED, SHARING, SOURCES};
    for (int i = 0; i < 3; i++) {
        int64_t at = (int64_t)(sizeof(qdri_paper_head) + (size_t)word[i] * sizeof(qdri_paper_entry));
        const change changes[] = {{.receive = 0, .at = -1, .told = &told, .told_bytes = sizeof told},
                                  {.receive = 1, .at = at, .value = i ? 1000 : 1}};
        expect(make_plan(changes, 2), QDR_ERR_MISMATCH, "; expected");
        close_wire();
    }
}

int main(int count, char **argument) {
    MPI_Init(&count, &argument);
    test_heads();
    test_sentences();
    test_short_papers();
    test_calls();
    test_settings();
    test_facts();
    int verdict = mpi_check_verdict();
    MPI_Finalize();
    return verdict;
}
