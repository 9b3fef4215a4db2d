/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Deadlines. Without arguments: ranks that come too late, in exchanges and in collective calls. The others
 * get a report in time, which names the one that is missing, also at the end of a chain and in a cycle; the
 * exchange goes on when it comes after all, and a communicator on which a collective call was missed is
 * refused from then on.
 *
 * All of this over the network, then through the memory of the node, whose messages nobody waits for in MPI, as a
 * whole and in pieces.
 *
 * stall_mpitest STAGE WAY [EVENTS [TRANSPORT]]: the last rank leaves the program. WAY is `exit`, `kill`
 * (itself, without a word), `stop` (as a debugger would) or `never` (it goes away and does nothing). STAGE is `discovery` (before it),
 * `plan` (before making one), `between` (after some exchanges) or `during` (in the middle of one, after so
 * many events of it). The survivors must find out in time; each prints one line that begins with "survived"
 * when all was as it should be. Nobody can agree on a verdict with the dead, and MPI_Finalize would wait for
 * them, so tests/faults/processes counts lines.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "light.h"
#include "mpi_expect.h"
#include "mpi_content.h"
#include "mpi_events.h"
#include "mpi_pieces.h"
#include "quadrille/plan.h"

/* Seconds; and how much later than that a report may come, on a machine that may be busy. */
static const double shortest = 0.7, patience = 20;
static double deadline; /* that, or longer on a busy machine */

enum { BYTES = 20000, PIECE = 1024 };

static int rank, ranks;
static const char *transport = "net";

static void set_deadline(double seconds) {
    char text[16];
    snprintf(text, sizeof text, "%.1f", seconds);
    setenv("QDR_DEADLINE", text, 1);
}

/* The call must have ended with a deadline that passed, in time, naming a rank. */
static void check_stall(int line, qdr_status status, double begin, const char *word) {
    double took = MPI_Wtime() - begin;
    if (status != QDR_ERR_STALLED || !strstr(qdr_error_message(), word) || took > deadline + patience)
        mpi_check_failed(__FILE__, line, "'%s' after %.1f s, where a stall with '%s' was expected: %s",
                         qdr_status_text(status), took, word, status ? qdr_error_message() : "");
}

/* The same of a wait, which may be repeated: whom a rank misses is known when the others have come as far as they
 * can, and who is slow today may not be as far at the first report. */
static void wait_in_vain(int line, qdr_pending **exchange, const char *word) {
    enum { TIMES = 20 };
    double begin = MPI_Wtime();
    qdr_status status = qdr_wait(exchange);
    for (int i = 1; i < TIMES && status == QDR_ERR_STALLED && !strstr(qdr_error_message(), word); i++) {
        begin = MPI_Wtime();
        status = qdr_wait(exchange);
    }
    check_stall(line, status, begin, word);
}
#define WAITS_IN_VAIN(exchange, word) wait_in_vain(__LINE__, exchange, word)

/* ---- plans and memory ---------------------------------------------------------------------------------- */

/* One message, from a rank to another; or everyone to everyone. */
typedef struct job {
    qdr_partners *partners;
    qdr_plan *plan;
    qdr_partners_view view;
    qdr_pending *exchange;
    unsigned char *out, *in;
} job;

static void open_job(job *work, qdr_partners *partners, qdr_plan_options options) {
    work->partners = partners;
    work->view = qdr_partners_look(partners);
    work->exchange = NULL;
    options.deadline = deadline;
    options.transport = transport;
    FINE(qdr_plan_create(partners, &options, &work->plan));
    work->out = malloc((size_t)ranks * BYTES);
    work->in = malloc((size_t)ranks * BYTES);
}

static job single(int from, int to, const char *algorithm) {
    job work;
    int64_t bytes = BYTES;
    qdr_partners *partners = NULL;
    qdr_plan_options options = QDR_PLAN_OPTIONS;
    options.algorithm = algorithm;
    FINE(qdr_partners_from_sends(MPI_COMM_WORLD, rank == from, &to, &bytes, NULL, &partners));
    open_job(&work, partners, options);
    return work;
}

static qdr_partners *everyone(MPI_Comm comm, qdr_status *status) {
    int *destination = malloc((size_t)ranks * sizeof(int)), count = 0;
    int64_t *items = malloc((size_t)ranks * sizeof(int64_t));
    qdr_partners *partners = NULL;
    for (int r = 0; r < ranks; r++)
        if (r != rank) {
            items[count] = BYTES;
            destination[count++] = r;
        }
    *status = qdr_partners_from_sends(comm, count, destination, items, NULL, &partners);
    free(destination);
    free(items);
    return partners;
}

static qdr_status start(job *work) {
    qdr_buffers buffers = {0};
    for (int i = 0; i < work->view.sends; i++)
        content_fill(work->out + (int64_t)i * BYTES, BYTES,
                     content_key(0, 0, rank, work->view.destination[i]));
    memset(work->in, 0, (size_t)ranks * BYTES);
    buffers.item_bytes = 1;
    buffers.outgoing_base = work->out;
    buffers.incoming_base = work->in;
    return qdr_plan_start(work->plan, &buffers, &work->exchange);
}

static void check_arrived(const job *work) {
    for (int i = 0; i < work->view.receives; i++)
        CHECK(content_wrong(work->in + (int64_t)i * BYTES, BYTES,
                            content_key(0, 0, work->view.source[i], rank)) < 0);
}

/* Who comes too late may come slowly. */
static void finish(job *work) {
    double until = MPI_Wtime() + mpi_events_patience;
    qdr_status status;
    while ((status = qdr_wait(&work->exchange)) == QDR_ERR_STALLED && MPI_Wtime() < until) continue;
    CHECK_SAYING(status == QDR_OK, "%s", qdr_error_message());
    check_arrived(work);
}

static void close_job(job *work) {
    FINE(qdr_plan_destroy(&work->plan));
    qdr_partners_destroy(&work->partners);
    free(work->out);
    free(work->in);
}

/* ---- who waits for whom -------------------------------------------------------------------------------- */

/* Rank 0 waits for rank 1, which first waits for rank 2, which comes too late: rank 0 is told about rank 2.
 * */
static void test_chain(void) {
    job first = single(2, 1, "paced"), second = single(1, 0, "paced");
    int noticed = event_next();
    if (rank == 0) {
        FINE(start(&second));
        WAITS_IN_VAIN(&second.exchange, "rank 1 waits for rank 2");
        CHECK(strstr(qdr_error_message(), "rank 2 (process") &&
              strstr(qdr_error_message(), "waits in no exchange"));
        CHECK(strstr(qdr_error_message(), "20000 bytes to come"));
        CHECK(strstr(qdr_stall_report(), !strcmp(transport, "net")
                                             ? "from rank 1: 0 of 20000 bytes came"
                                             : "from rank 1, on this node: 20000 bytes"));
        CHECK(second.exchange != NULL);
        qdr_pending *again = second.exchange;
        WAITS_IN_VAIN(&again, "rank 0 waits for rank 1");
        event_say(noticed);
        finish(&second);
    } else if (rank == 1) {
        FINE(start(&first));
        while (qdr_wait(&first.exchange) == QDR_ERR_STALLED)
            CHECK(strstr(qdr_error_message(), "rank 1 waits for rank 2") != NULL);
        check_arrived(&first);
        FINE(start(&second));
        finish(&second);
    } else if (rank == 2) {
        CHECK(event_await(noticed, 1));
        FINE(start(&first));
        finish(&first);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    close_job(&first);
    close_job(&second);
}

/* Two ranks wait for each other, each before it has started what the other needs. */
static void test_cycle(void) {
    job forth = single(0, 1, "paced"), back = single(1, 0, "paced");
    int noticed = event_next();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank < 2) {
        job *mine = rank == 0 ? &back : &forth, *its = rank == 0 ? &forth : &back;
        FINE(start(mine));
        WAITS_IN_VAIN(&mine->exchange, ": a cycle");
        event_say(noticed);
        CHECK(event_await(noticed, 2));
        FINE(start(its));
        finish(its);
        finish(mine);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    close_job(&forth);
    close_job(&back);
}

/* The last rank comes too late to an exchange of all with all; then all goes well, with the right contents.
 * */
static void test_late(const char *algorithm, const char *pacing, int barrier) {
    char late[24];
    job work;
    qdr_status status;
    qdr_plan_options options = QDR_PLAN_OPTIONS;
    options.algorithm = algorithm;
    options.pacing = pacing;
    options.barrier = barrier;
    qdr_partners *partners = everyone(MPI_COMM_WORLD, &status);
    CHECK(status == QDR_OK);
    open_job(&work, partners, options);
    snprintf(late, sizeof late, "rank %d", ranks - 1);
    int noticed = event_next();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == ranks - 1) {
        CHECK(event_await(noticed, ranks - 1));
        FINE(start(&work));
    } else {
        FINE(start(&work));
        WAITS_IN_VAIN(&work.exchange, late);
        event_say(noticed);
    }
    finish(&work);
    close_job(&work);
}

/* A rank without any message holds up a barrier: it is its word that is missing. */
static void test_late_at_barrier(void) {
    job work;
    qdr_status status;
    qdr_plan_options options = QDR_PLAN_OPTIONS;
    int64_t bytes = BYTES;
    int to = 1;
    qdr_partners *partners = NULL;
    options.algorithm = "linear";
    options.barrier = 1;
    status = qdr_partners_from_sends(MPI_COMM_WORLD, rank == 0, &to, &bytes, NULL, &partners);
    CHECK(status == QDR_OK);
    open_job(&work, partners, options);
    int noticed = event_next();
    if (rank == ranks - 1) CHECK(event_await(noticed, 1));
    FINE(start(&work));
    if (rank == 0) {
        char late[24];
        snprintf(late, sizeof late, "rank %d", ranks - 1);
        WAITS_IN_VAIN(&work.exchange, late);
        event_say(noticed);
    }
    while ((status = qdr_wait(&work.exchange)) == QDR_ERR_STALLED) continue;
    CHECK(status == QDR_OK);
    check_arrived(&work);
    MPI_Barrier(MPI_COMM_WORLD);
    close_job(&work);
}

/* A sender was let go and does not send; others ask its receiver again and again, which is no progress. */
static void test_refused(void) {
    job work;
    qdr_plan_options options = QDR_PLAN_OPTIONS;
    qdr_status status;
    int64_t bytes = BYTES;
    int to = 0;
    qdr_partners *partners = NULL;
    options.algorithm = "distributed:busy-for=no";
    FINE(qdr_partners_from_sends(MPI_COMM_WORLD, rank > 0, &to, &bytes, NULL, &partners));
    open_job(&work, partners, options);
    int asked = event_next(), granted = event_next(), noticed = event_next();
    if (rank == 1) {
        FINE(start(&work));
        event_say(asked);
        CHECK(event_await(noticed, ranks - 1));
    } else {
        CHECK(rank > 1 ? event_await(granted, 1) : event_await(asked, 1));
        FINE(start(&work));
        for (int i = 0; rank == 0 && i < 1000; i++) qdr_progress();
        if (rank == 0) event_say(granted);
        double begin = MPI_Wtime();
        status = qdr_wait(&work.exchange);
        CHECK_SAYING(status == QDR_ERR_STALLED && MPI_Wtime() - begin < deadline + patience,
                     "%s after %.1f s: a refused sender saw no deadline", qdr_status_text(status),
                     MPI_Wtime() - begin);
        event_say(noticed);
    }
    while (work.exchange && (status = qdr_wait(&work.exchange)) == QDR_ERR_STALLED) continue;
    check_arrived(&work);
    close_job(&work);
}

/* A stalled exchange may be given up; its handle is worth nothing then. */
static void test_given_up(void) {
    job work = single(1, 0, "paced");
    if (rank == 0) {
        FINE(start(&work));
        WAITS_IN_VAIN(&work.exchange, "rank 1");
        FINE(qdr_plan_destroy(&work.plan));
        CHECK(qdr_wait(&work.exchange) == QDR_ERR_INVALID);
        CHECK(strstr(qdr_error_message(), "ended already") != NULL);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    close_job(&work);
    work = single(1, 0, "paced");
    FINE(start(&work));
    finish(&work);
    close_job(&work);
}

/* ---- collective calls ---------------------------------------------------------------------------------- */

/* The last rank misses a collective call: the others are told in time, and this communicator is refused from
 * then on, at once, also to the one that comes late; others are not. With `used`, the call is not the first
 * one on it. */
static void test_missed_call(int used, int makes_plan) {
    MPI_Comm comm;
    qdr_status status = QDR_OK;
    qdr_plan *plan = NULL;
    qdr_partners *partners = NULL;
    char late[24];
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (used) partners = everyone(comm, &status);
    CHECK(status == QDR_OK);
    snprintf(late, sizeof late, used ? "rank %d (process" : "not all ranks came", ranks - 1);
    int noticed = event_next();
    double begin = MPI_Wtime();
    if (rank == ranks - 1) CHECK(event_await(noticed, ranks - 1));
    if (makes_plan)
        status = qdr_plan_create(partners, NULL, &plan);
    else
        qdr_partners_destroy(&partners), partners = everyone(comm, &status);
    if (rank < ranks - 1)
        check_stall(__LINE__, status, begin, late);
    else
        CHECK(status == QDR_ERR_STALLED);
    CHECK(plan == NULL);
    event_say(noticed);
    set_deadline(10 * patience); /* at once is less than a deadline, on a busy machine too */
    begin = MPI_Wtime();
    qdr_partners *none = everyone(comm, &status);
    CHECK_SAYING(status == QDR_ERR_LOST && !none && MPI_Wtime() - begin < patience,
                 "'%s' on a broken communicator", qdr_status_text(status));
    set_deadline(deadline);
    qdr_partners_destroy(&partners);
    if (used) MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_free(&comm);
    MPI_Barrier(MPI_COMM_WORLD);
    job work = single(1, 0, "async");
    FINE(start(&work));
    finish(&work);
    close_job(&work);
}

/* What does not depend on a schedule, between ranks of a node. */
static void test_late_on_node(void) {
    transport = "node";
    test_chain();
    test_cycle();
    pieces_are_small(PIECE);
    test_late("async", NULL, 0);
    test_given_up();
    pieces_are_small(0);
    transport = "net";
}

static void test_late_ranks(void) {
    static const char *const late[][2] = {
        {"async", NULL},        {"paced", NULL},        {"distributed", NULL},
        {"linear", "arrivals"}, {"pairwise", "grants"}, {"two-stage", NULL},
        {"bruck", NULL},        {"joined", NULL},       {"levels", NULL}};
    test_chain();
    test_cycle();
    for (int i = 0; i < (int)(sizeof late / sizeof late[0]); i += light_or(2, 1))
        test_late(late[i][0], late[i][1], 0);
    test_late("linear", "free", 1);
    test_late_at_barrier();
    test_refused();
    test_given_up();
    test_late_on_node();
    test_missed_call(0, 0);
    test_missed_call(1, 0);
    test_missed_call(1, 1);
}

/* ---- ranks that die ------------------------------------------------------------------------------------ */

static const char *way;
static int events_left = -1, reported; /* an event */

/* Until the others have noticed; then somebody must end it. */
static void stop(void) {
    pid_t self = getpid();
    if (fork() == 0) {
        for (int file = 0; file < 3; file++) close(file);
        (void)event_await(reported, ranks - 1);
        kill(self, SIGKILL);
        _exit(0);
    }
    raise(SIGSTOP);
}

static void leave(void) {
    if (!strcmp(way, "kill")) raise(SIGKILL);
    if (!strcmp(way, "stop")) stop();
    if (!strcmp(way, "never")) (void)event_await(reported, ranks - 1);
    _exit(0);
}

static void count_event(void *context, const qdr_event *event) {
    (void)context, (void)event;
    if (--events_left == 0) leave();
}

/* What a survivor has to say about the call in which it noticed. */
static void report(qdr_status status, double begin, const char *word) {
    double took = MPI_Wtime() - begin;
    int good = (status == QDR_ERR_STALLED || status == QDR_ERR_LOST) && took < deadline + patience &&
               strstr(qdr_error_message(), word) && !strstr(qdr_error_message(), " 0.0 s ago") &&
               !mpi_check_failures;
    printf("%s: rank %d, %.1f s, %s: %s\n", good ? "survived" : "failed", rank, took, qdr_status_text(status),
           status ? qdr_error_message() : "nothing was noticed");
    fflush(stdout);
    event_say(reported);
    (void)event_await(reported, ranks - 1); /* others may still look at its process */
    _exit(!good);
}

static void lose_a_rank(const char *stage, int events) {
    enum { EXCHANGES = 3 };
    int dies = rank == ranks - 1;
    char lost[40];
    qdr_status status = QDR_OK;
    job work = {.exchange = NULL};
    qdr_plan_options options = QDR_PLAN_OPTIONS;
    snprintf(lost, sizeof lost,
             !strcmp(way, "stop")    ? "rank %d is stopped: process"
             : !strcmp(way, "never") ? "rank %d (process"
                                     : "rank %d has gone",
             ranks - 1);
    if (!strcmp(stage, "discovery")) {
        if (dies) leave();
        double begin = MPI_Wtime();
        everyone(MPI_COMM_WORLD, &status);
        report(status, begin, "not all ranks came");
    }
    qdr_partners *partners = everyone(MPI_COMM_WORLD, &status);
    if (!strcmp(stage, "plan")) {
        if (dies) leave();
        double begin = MPI_Wtime();
        report(qdr_plan_create(partners, NULL, &work.plan), begin, lost);
    }
    options.algorithm = "paced";
    options.chunk = 1000;
    options.window = 3000;
    if (dies && !strcmp(stage, "during")) {
        options.trace = count_event;
        events_left = events;
    }
    open_job(&work, partners, options);
    /* Some may end one more exchange than others before they notice. */
    for (int i = 0;; i++) {
        if (dies && i == EXCHANGES) leave();
        double begin = MPI_Wtime();
        status = start(&work);
        if (!status) status = qdr_wait(&work.exchange);
        if (status || i == EXCHANGES + 1) report(status, begin, lost);
        check_arrived(&work);
    }
}

int main(int count, char **words) {
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    events_open();
    deadline = events_deadline(shortest);
    set_deadline(deadline);
    reported = event_next();
    if (count > 2) {
        way = words[2];
        if (count > 4) transport = words[4];
        pieces_are_small(PIECE);
        lose_a_rank(words[1], count > 3 ? atoi(words[3]) : 0);
    }
    test_late_ranks();
    int verdict = mpi_check_verdict();
    MPI_Finalize();
    return verdict;
}
