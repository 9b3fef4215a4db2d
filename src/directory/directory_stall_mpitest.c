/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Deadlines of directories, in the memory of a node and by messages. Without arguments: the last rank comes
 * too late to a call, or to several that are under way; the others hear of it in time, every later call fails
 * at once, what is left can be destroyed, and other communicators are not harmed.
 *
 * directory_stall_mpitest STAGE WAY NODES [EVENTS]: the last rank leaves the program, as in
 * src/plan/stall_mpitest.c. STAGE is `create`, `insert`, `update`, `remove` or `find` (before it), `posted`
 * (after it has started one) or `during` (while it says where ids belong, for the EVENTS-th time); NODES is 0
 * for one node, 1 for one of each rank.
 */
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "mpi_check.h"
#include "mpi_events.h"

#include "directory/directory_testing.h"

/* Seconds; and how much later than that a report may come, on a machine that may be busy. */
static const double shortest = 0.7, patience = 20;
static double deadline; /* that, or longer on a busy machine */

enum { IDS = 5000 };

static int64_t id[IDS], found_local[IDS];
static int found_owner[IDS];
static int calls_left = -1, reported; /* an event */

static void set_deadline(double seconds) {
    char text[16];
    snprintf(text, sizeof text, "%.1f", seconds);
    setenv("QDR_DEADLINE", text, 1);
}

static void leave(void);

static int place_by_number(void *context, int64_t number) {
    (void)context;
    if (calls_left > 0 && --calls_left == 0) leave();
    return (int)((uint64_t)number % (uint64_t)ranks);
}

static qdr_status open_directory(MPI_Comm comm, qdr_placement placement, qdr_directory **directory) {
    qdr_directory_options options = QDR_DIRECTORY_OPTIONS;
    options.placement = placement;
    options.place = placement == QDR_PLACE_FUNCTION ? place_by_number : NULL;
    options.deadline = deadline;
    return qdr_directory_create(comm, &options, directory);
}

/* Each rank inserts, updates or removes ids of its own, and looks for those of the next rank. */
static qdr_directory_call call_of(qdr_directory_verb verb) {
    int64_t first = (int64_t)IDS * (verb == QDR_DIRECTORY_FIND ? (rank + 1) % ranks : rank);
    for (int64_t i = 0; i < IDS; i++) id[i] = first + i;
    return (qdr_directory_call){.verb = verb,
                                .count = IDS,
                                .id = id,
                                .found_owner = verb == QDR_DIRECTORY_FIND ? found_owner : NULL,
                                .found_place = verb == QDR_DIRECTORY_FIND ? found_local : NULL};
}

static qdr_status run(qdr_directory *directory, qdr_directory_verb verb) {
    qdr_directory_call call = call_of(verb);
    qdr_pending *round = NULL;
    qdr_status status = qdr_directory_start(directory, &call, &round);
    if (!status) status = qdr_wait(&round);
    CHECK(round == NULL);
    for (int i = 0; i < IDS && !status && verb == QDR_DIRECTORY_FIND; i++)
        CHECK(found_owner[i] == (rank + 1) % ranks && found_local[i] == i);
    return status;
}

/* ---- ranks that come too late -------------------------------------------------------------------------- */

static void check_stall(int line, qdr_status status, double begin, const char *word) {
    double took = MPI_Wtime() - begin;
    if (status != QDR_ERR_STALLED || !strstr(qdr_error_message(), word) || took > deadline + patience)
        mpi_check_failed(__FILE__, line, "'%s' after %.1f s, where a stall with '%s' was expected: %s",
                         qdr_status_text(status), took, word, status ? qdr_error_message() : "");
}

/* After a stall: nothing waits any more, and everything can be given up. */
static void check_lost(int line, qdr_directory *directory, MPI_Comm comm) {
    set_deadline(10 * patience); /* at once is less than a deadline, on a busy machine too */
    double begin = MPI_Wtime();
    qdr_directory *other = NULL;
    qdr_status again = run(directory, QDR_DIRECTORY_FIND), made;
    if (again != QDR_ERR_LOST) mpi_check_failed(__FILE__, line, "'%s' after a stall", qdr_status_text(again));
    made = open_directory(comm, QDR_PLACE_HASH, &other);
    if (made != QDR_ERR_LOST || other)
        mpi_check_failed(__FILE__, line, "create: '%s' after a stall", qdr_status_text(made));
    if (MPI_Wtime() - begin > patience)
        mpi_check_failed(__FILE__, line, "%.1f s for calls after a stall", MPI_Wtime() - begin);
    set_deadline(deadline);
    if (qdr_directory_destroy(&directory) || directory)
        mpi_check_failed(__FILE__, line, "destroy after a stall: %s", qdr_error_message());
}

static void name_late(char *word, size_t size, int layout) {
    snprintf(word, size, is_one_node(layout) ? "rank %d did not come" : "rank %d has not", last);
}

/* Another communicator is as good as before, also while the one that stalled is there. Nobody is late here, however busy the machine. */
static void test_others(int layout) {
    MPI_Comm comm = comm_on_nodes(layout);
    qdr_directory *directory = NULL;
    double usual = deadline;
    deadline = patience;
    set_deadline(deadline);
    FINE(open_directory(comm, QDR_PLACE_HASH, &directory));
    FINE(run(directory, QDR_DIRECTORY_INSERT));
    FINE(run(directory, QDR_DIRECTORY_UPDATE));
    FINE(run(directory, QDR_DIRECTORY_FIND));
    FINE(run(directory, QDR_DIRECTORY_REMOVE));
    CHECK(qdr_directory_look(directory).entries == 0);
    FINE(qdr_directory_destroy(&directory));
    MPI_Comm_free(&comm);
    deadline = usual;
    set_deadline(deadline);
}

/* `count` ids; without any, nobody sends the last rank something, and most wait for others that wait for it. */
static void test_late(int layout, qdr_directory_verb verb, int64_t count) {
    MPI_Comm comm = comm_on_nodes(layout);
    qdr_directory *directory = NULL;
    qdr_pending *round = NULL;
    char late[40];
    name_late(late, sizeof late, layout);
    /* On a busy machine a last word may come too late; then a rank names the one that it waits for itself. */
    if (count == 0 && deadline > shortest) strcpy(late, " has not");
    FINE(open_directory(comm, QDR_PLACE_HASH, &directory));
    FINE(run(directory, QDR_DIRECTORY_INSERT));
    FINE(run(directory, QDR_DIRECTORY_FIND));
    int noticed = event_next();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == last) CHECK(event_await(noticed, last));
    double begin = MPI_Wtime();
    qdr_directory_call call = call_of(verb);
    call.count = count;
    qdr_status status = qdr_directory_start(directory, &call, &round);
    if (!status) status = qdr_wait(&round);
    if (rank < last) {
        check_stall(__LINE__, status, begin, late);
        event_say(noticed);
        check_lost(__LINE__, directory, comm);
    } else {
        /* The others have left: whatever it is told, it is told in time. */
        CHECK(MPI_Wtime() - begin < deadline + patience);
        FINE(qdr_directory_destroy(&directory));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    test_others(layout);
    MPI_Comm_free(&comm);
}

/* Several calls are under way; the last rank has come to the first only. */
static void test_several(int layout) {
    enum { CALLS = 4 };
    MPI_Comm comm = comm_on_nodes(layout);
    qdr_directory *directory = NULL;
    qdr_pending *round[CALLS] = {NULL};
    static int64_t mine[CALLS][IDS];
    char late[40];
    name_late(late, sizeof late, layout);
    FINE(open_directory(comm, QDR_PLACE_HASH, &directory));
    FINE(run(directory, QDR_DIRECTORY_INSERT));
    int noticed = event_next();
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < (rank == last ? 1 : CALLS); i++) {
        qdr_directory_call call = call_of(i % 2 ? QDR_DIRECTORY_FIND : QDR_DIRECTORY_UPDATE);
        memcpy(mine[i], id, sizeof id);
        call.id = mine[i];
        FINE(qdr_directory_start(directory, &call, &round[i]));
    }
    if (rank == last) {
        FINE(qdr_wait(&round[0]));
        CHECK(event_await(noticed, last));
        FINE(qdr_directory_destroy(&directory));
    } else {
        double begin = MPI_Wtime();
        static const int order[CALLS] = {0, 2, 3, 1};
        for (int i = 0; i < CALLS; i++) {
            int done = 1;
            qdr_status status = i == 2 ? qdr_test(&round[order[i]], &done) : qdr_wait(&round[order[i]]);
            CHECK(done && !round[order[i]]);
            if (i == 0)
                CHECK_SAYING(status == QDR_OK, "%s", qdr_error_message());
            else if (i == 1)
                check_stall(__LINE__, status, begin, late);
            else
                CHECK_SAYING(status == QDR_ERR_STALLED || status == QDR_ERR_LOST, "'%s' after a stall",
                             qdr_status_text(status));
        }
        CHECK(MPI_Wtime() - begin < deadline + patience);
        event_say(noticed);
        check_lost(__LINE__, directory, comm);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    test_others(layout);
    MPI_Comm_free(&comm);
}

/* One rank has destroyed a directory, and is in a call of its successor; the others are in one of the first. Nobody reads what
 * is not meant for it. */
static void test_different_directories(int layout) {
    qdr_directory *first = NULL, *second = NULL;
    qdr_directory_options options = QDR_DIRECTORY_OPTIONS;
    int64_t id = rank;
    int owner;
    options.deadline = 0.3;
    MPI_Comm comm = comm_on_nodes(layout);
    FINE(qdr_directory_create(comm, &options, &first));
    FINE(qdr_directory_insert(first, 1, &id, NULL, NULL, NULL));
    if (rank == 0) FINE(qdr_directory_destroy(&first));
    FINE(qdr_directory_create(comm, &options, &second));
    id = 1000 + rank;
    qdr_status status = rank == 0 ? qdr_directory_insert(second, 1, &id, NULL, NULL, NULL)
                                  : qdr_directory_find(first, 1, &id, &owner, NULL, NULL, NULL);
    CHECK_SAYING(status == QDR_ERR_MISMATCH || status == QDR_ERR_STALLED || status == QDR_ERR_LOST, "%s",
                 status ? qdr_error_message() : "all is well");
    FINE(qdr_directory_destroy(&first));
    FINE(qdr_directory_destroy(&second));
    MPI_Comm_free(&comm);
}

/* ---- ranks that die ------------------------------------------------------------------------------------ */

static const char *way = "";

static void leave(void) {
    if (!strcmp(way, "kill")) raise(SIGKILL);
    if (!strcmp(way, "never")) (void)event_await(reported, ranks - 1);
    _exit(0);
}

/* What a survivor has to say about the call in which it noticed. */
static void report(qdr_status status, double begin, const char *word, qdr_directory *directory,
                   MPI_Comm comm) {
    double took = MPI_Wtime() - begin;
    int good = status == QDR_ERR_STALLED && took < deadline + patience && strstr(qdr_error_message(), word);
    printf("%s: rank %d, %.1f s, %s: %s\n", good ? "noticed" : "failed", rank, took, qdr_status_text(status),
           status ? qdr_error_message() : "nothing was noticed");
    if (directory) check_lost(__LINE__, directory, comm);
    good = good && !mpi_check_failures;
    if (good) printf("survived: rank %d\n", rank);
    fflush(stdout);
    event_say(reported);
    (void)event_await(reported, ranks - 1); /* others may still look at its process */
    _exit(!good);
}

static void lose_a_rank(const char *stage, int layout, int events) {
    static const char *const verbs[] = {"insert", "update", "remove", "find"};
    enum { ROUNDS = 3 };
    int dies = rank == last, before = -1;
    char lost[40] = "";
    MPI_Comm comm = comm_on_nodes(layout);
    qdr_directory *directory = NULL;
    for (int v = 0; v < 4; v++)
        if (!strcmp(stage, verbs[v])) before = v;
    if (is_one_node(layout))
        snprintf(lost, sizeof lost, strcmp(way, "never") ? "process" : "rank %d", last);
    else if (strcmp(stage, "create") != 0)
        snprintf(lost, sizeof lost, "rank %d has not", last);
    double begin = MPI_Wtime();
    if (!strcmp(stage, "create")) {
        if (dies) leave();
        qdr_status status = open_directory(comm, QDR_PLACE_FUNCTION, &directory);
        report(status, begin, lost, NULL, comm);
    }
    FINE(open_directory(comm, QDR_PLACE_FUNCTION, &directory));
    for (int i = 0; i < ROUNDS; i++) {
        FINE(run(directory, QDR_DIRECTORY_INSERT));
        FINE(run(directory, QDR_DIRECTORY_FIND));
    }
    if (dies && !strcmp(stage, "posted")) {
        qdr_directory_call call = call_of(QDR_DIRECTORY_UPDATE);
        qdr_pending *round = NULL;
        FINE(qdr_directory_start(directory, &call, &round));
        leave();
    }
    if (dies && !strcmp(stage, "during")) calls_left = events;
    if (dies && before >= 0) leave();
    /* Some may end one more call than others before they notice. */
    for (int i = 0;; i++) {
        qdr_directory_verb verb = before >= 0 ? (qdr_directory_verb)before
                                  : i % 2     ? QDR_DIRECTORY_FIND
                                              : QDR_DIRECTORY_UPDATE;
        begin = MPI_Wtime();
        qdr_status status = run(directory, verb);
        if (status || i == 8) report(status, begin, lost, directory, comm);
    }
}

int main(int count, char **words) {
    enter_mpi(&count, &words);
    events_open();
    deadline = events_deadline(shortest);
    set_deadline(deadline);
    reported = event_next();
    if (count > 3) {
        way = words[2];
        lose_a_rank(words[1], atoi(words[3]), count > 4 ? atoi(words[4]) : 0);
    }
    for (int layout = 0; layout < LAYOUTS; layout++) {
        if (layout < 2) test_late(layout, layout ? QDR_DIRECTORY_FIND : QDR_DIRECTORY_INSERT, IDS);
        if (layout == 1) test_late(layout, QDR_DIRECTORY_FIND, 0);
        test_several(layout);
        test_different_directories(layout);
        test_others(layout);
    }
    return leave_mpi();
}
