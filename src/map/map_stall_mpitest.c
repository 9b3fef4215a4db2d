/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Deadlines of maps, whose messages go through the memory of the node. Without arguments: the last rank comes
 * too late; the others get a report in time that names it, and all goes well when it comes after all, in both
 * directions, also where contributions wait for their turn or are kept.
 *
 * map_stall_mpitest STAGE WAY [EVENTS]: the last rank leaves the program, as in src/plan/stall_mpitest.c;
 * STAGE is `map` (before making one), `between` or `during`.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "mpi_expect.h"
#include "mpi_content.h"
#include "mpi_events.h"
#include "quadrille/map.h"

/* Seconds; and how much later than that a report may come, on a machine that may be busy. */
static const double shortest = 0.7, patience = 20;
static double deadline; /* that, or longer on a busy machine */

enum { BYTES = 20000 };

static int rank, ranks;

/* ---- everyone to everyone ------------------------------------------------------------------------------ */

typedef struct job {
    qdr_map *map;
    int64_t round;
    int keeps;
    unsigned char *out, *in;
} job;

/* Element r of each rank is for rank r, and comes to the element that has the sender's number. */
static qdr_status open_job(job *work, qdr_plan_options plan, int unordered, int keeps) {
    int *partner = malloc((size_t)ranks * sizeof *partner), count = 0;
    int64_t *one = malloc((size_t)ranks * sizeof *one), *place = malloc((size_t)ranks * sizeof *place);
    qdr_map_options options = QDR_MAP_OPTIONS;
    for (int r = 0; r < ranks; r++)
        if (r != rank) {
            place[count] = r;
            one[count] = 1;
            partner[count++] = r;
        }
    qdr_indices side = {.partners = count, .rank = partner, .count = one, .place = place};
    plan.deadline = deadline;
    plan.transport = "node";
    options.plan = &plan;
    options.reverse = QDR_REVERSE_REPLACE;
    options.unordered = unordered;
    options.keeps_incoming = keeps;
    *work = (job){.keeps = keeps, .out = malloc((size_t)ranks * BYTES), .in = malloc((size_t)ranks * BYTES)};
    qdr_status status = qdr_map_create(MPI_COMM_WORLD, &side, &side, &options, &work->map);
    free(partner);
    free(one);
    free(place);
    return status;
}

static qdr_status start(job *work, qdr_direction direction, qdr_pending **exchange) {
    work->round++;
    memset(work->in, 0, (size_t)ranks * BYTES);
    for (int r = 0; r < ranks; r++)
        content_fill(work->out + (int64_t)r * BYTES, BYTES, content_key(work->round, 0, rank, r));
    qdr_field field = {
        .source = work->out, .target = work->keeps ? NULL : work->in, .type = QDR_BYTE, .width = BYTES};
    return qdr_map_start(work->map, direction, 1, &field, exchange);
}

static void check(const job *work, qdr_direction direction) {
    for (int r = 0, place = 0; r < ranks; r++) {
        if (r == rank) continue;
        const void *at =
            work->keeps ? qdr_map_incoming(work->map, direction, place++, 0) : work->in + (int64_t)r * BYTES;
        CHECK_SAYING(at && content_wrong(at, BYTES, content_key(work->round, 0, r, rank)) < 0,
                     "wrong bytes from rank %d", r);
    }
}

/* However slow the others are. */
static qdr_status wait_patiently(qdr_pending **exchange) {
    double until = MPI_Wtime() + mpi_events_patience;
    qdr_status status;
    while ((status = qdr_wait(exchange)) == QDR_ERR_STALLED && MPI_Wtime() < until) continue;
    return status;
}

static void close_job(job *work) {
    FINE(qdr_map_destroy(&work->map));
    free(work->out);
    free(work->in);
}

/* ---- ranks that come too late -------------------------------------------------------------------------- */

static void test_late(int unordered, int keeps, qdr_direction direction) {
    char late[40];
    job work;
    qdr_pending *exchange = NULL;
    qdr_plan_options plan = QDR_PLAN_OPTIONS;
    FINE(open_job(&work, plan, unordered, keeps));
    snprintf(late, sizeof late, "rank %d (process", ranks - 1);
    FINE(start(&work, direction, &exchange));
    FINE(wait_patiently(&exchange));
    int noticed = event_next();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == ranks - 1) CHECK(event_await(noticed, ranks - 1));
    FINE(start(&work, direction, &exchange));
    double begin = MPI_Wtime();
    qdr_status status = QDR_OK;
    /* Whom a rank misses is known when the others have come as far as they can. */
    for (int i = 0; rank < ranks - 1 && i < 20; i++) {
        begin = MPI_Wtime();
        status = qdr_wait(&exchange);
        if (status != QDR_ERR_STALLED || strstr(qdr_error_message(), late)) break;
    }
    if (rank < ranks - 1)
        CHECK_SAYING(status == QDR_ERR_STALLED && strstr(qdr_error_message(), late) &&
                         strstr(qdr_error_message(), "20000 bytes to come") &&
                         MPI_Wtime() - begin < deadline + patience,
                     "'%s' after %.1f s: %s", qdr_status_text(status), MPI_Wtime() - begin,
                     status ? qdr_error_message() : "");
    if (status == QDR_ERR_STALLED) CHECK(strstr(qdr_stall_report(), "on this node") != NULL);
    if (rank < ranks - 1) event_say(noticed);
    FINE(wait_patiently(&exchange));
    check(&work, direction);
    close_job(&work);
}

/* What has stalled may be given up; others are not harmed. */
static void test_given_up(void) {
    job work;
    qdr_pending *exchange = NULL;
    qdr_plan_options plan = QDR_PLAN_OPTIONS;
    FINE(open_job(&work, plan, 0, 0));
    if (rank < ranks - 1) {
        FINE(start(&work, QDR_FORWARD, &exchange));
        CHECK(qdr_wait(&exchange) == QDR_ERR_STALLED);
    }
    close_job(&work);
    MPI_Barrier(MPI_COMM_WORLD);
    FINE(open_job(&work, plan, 0, 0));
    for (int i = 0; i < 20; i++) {
        FINE(start(&work, QDR_FORWARD, &exchange));
        FINE(wait_patiently(&exchange));
        check(&work, QDR_FORWARD);
    }
    close_job(&work);
}

/* ---- ranks that die ------------------------------------------------------------------------------------ */

static const char *way;
static int events_left = -1, reported; /* an event */

static void leave(void) {
    if (!strcmp(way, "kill")) raise(SIGKILL);
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
    int good = status == QDR_ERR_STALLED && took < deadline + patience &&
               strstr(qdr_error_message(), word) != NULL && !mpi_check_failures;
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
    job work;
    qdr_plan_options plan = QDR_PLAN_OPTIONS;
    snprintf(lost, sizeof lost, strcmp(way, "never") ? "rank %d has gone" : "rank %d (process", ranks - 1);
    FINE(open_job(&work, plan, 0, 0)); /* so that the node is known */
    double begin = MPI_Wtime();
    if (!strcmp(stage, "map")) {
        if (dies) leave();
        report(open_job(&work, plan, 0, 0), begin, lost);
    }
    if (dies && !strcmp(stage, "during")) {
        plan.trace = count_event;
        events_left = events;
    }
    FINE(open_job(&work, plan, 0, 0));
    /* Some may end one more exchange than others before they notice. */
    for (int i = 0;; i++) {
        qdr_pending *exchange = NULL;
        qdr_direction direction = (qdr_direction)(i % 2);
        if (dies && i == EXCHANGES) leave();
        begin = MPI_Wtime();
        qdr_status status = start(&work, direction, &exchange);
        if (!status) status = qdr_wait(&exchange);
        if (status || i == EXCHANGES + 1) report(status, begin, lost);
        check(&work, direction);
    }
}

int main(int count, char **words) {
    char seconds[16];
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    events_open();
    deadline = events_deadline(shortest);
    snprintf(seconds, sizeof seconds, "%.1f", deadline);
    setenv("QDR_DEADLINE", seconds, 1);
    reported = event_next();
    if (count > 2) {
        way = words[2];
        lose_a_rank(words[1], count > 3 ? atoi(words[3]) : 0);
    }
    test_late(1, 0, QDR_FORWARD);
    test_late(0, 0, QDR_REVERSE);
    test_late(1, 1, QDR_FORWARD);
    test_given_up();
    int verdict = mpi_check_verdict();
    MPI_Finalize();
    return verdict;
}
