/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Everything that can be done wrong in using programs, couplings and streams: nothing is harmed by it, and whatever was
 * right before still works. (couple_errors_mpitest.c: in opening streams; the arguments are those of that program.)
 */
#include <math.h>

#include "mpi_check.h"

#include "couple/stream/couple_pair_testing.h"

/* A failure of this program's ranks alone, whatever the other does. */
static void expect_own(int line, qdr_status got, qdr_status status, const char *first, const char *second) {
    const char *sentence = got ? qdr_error_message() : "success";
    char said[1200];
    if (got != status || !strstr(sentence, first) || !strstr(sentence, second))
        mpi_check_failed(__FILE__, line, "'%s' where '%s' with '%s' and '%s' was expected: %s",
                         qdr_status_text(got), qdr_status_text(status), first, second, sentence);
    snprintf(said, sizeof said, "%s", sentence);
    MPI_Bcast(said, sizeof said, MPI_CHAR, 0, qdr_program_comm(program));
    if (strcmp(said, sentence) != 0)
        mpi_check_failed(__FILE__, line, "rank 0 of this program says '%s', this one '%s'", said, sentence);
}
#define OWN(call, status, first, second) expect_own(__LINE__, call, status, first, second)

static double seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int signals; /* so far, in both programs alike */

/* ---- streams of one number ----------------------------------------------------------------------------- */

static qdr_layout *number_layout;

static qdr_stream *open_number(const char *name, int exports, qdr_stream_options options) {
    qdr_coupled field = {.name = "number", .layout = number_layout, .type = QDR_DOUBLE};
    qdr_stream *stream = NULL;
    FINE(qdr_stream_create(coupling, name, exports, exports ? &field : NULL, !exports,
                           exports ? NULL : &field, &options, &stream));
    return stream;
}

static qdr_status give(qdr_stream *stream, double time) {
    double value = 10 * time;
    return qdr_export(stream, time, (const void *[]){&value});
}

static qdr_status take(qdr_stream *stream, double time, double *value) {
    double matched = NAN;
    *value = NAN;
    qdr_status status = qdr_import(stream, time, QDR_EXACT, 0, (void *[]){value}, &matched);
    if (!status) CHECK_SAYING(matched == time, "%g came for %g", matched, time);
    if (!status && own_rank == 0) CHECK_SAYING(*value == 10 * time, "%g came, not %g", *value, 10 * time);
    return status;
}

/* ---- arguments that are missing ------------------------------------------------------------------------ */

static void test_null(void) {
    qdr_program *no_program = NULL;
    qdr_coupling *no_coupling = NULL;
    qdr_stream *no_stream = NULL;
    qdr_pending *no_call = NULL;
    int done, partners, *rank;
    int64_t *start, *place;
    double value;
    void *in[] = {&value};
    const void *out[] = {&value};
    OWN(qdr_program_create(MPI_COMM_WORLD, "x", 1, NULL), QDR_ERR_INVALID, "NULL", "qdr_program_create");
    OWN(qdr_coupling_create(NULL, "x", NULL, &no_coupling), QDR_ERR_INVALID, "NULL", "qdr_coupling_create");
    OWN(qdr_coupling_create(program, "x", NULL, NULL), QDR_ERR_INVALID, "NULL", "qdr_coupling_create");
    OWN(qdr_stream_create(NULL, "x", 0, NULL, 0, NULL, NULL, &no_stream), QDR_ERR_INVALID, "NULL",
        "qdr_stream_create");
    OWN(qdr_export(NULL, 1, out), QDR_ERR_INVALID, "NULL", "qdr_export");
    OWN(qdr_import(NULL, 1, QDR_EXACT, 0, in, NULL), QDR_ERR_INVALID, "NULL", "qdr_import");
    OWN(qdr_import_start(NULL, 1, QDR_EXACT, 0, in, NULL, &no_call), QDR_ERR_INVALID, "NULL", "qdr_import");
    OWN(qdr_stream_promise(NULL, 1), QDR_ERR_INVALID, "NULL", "qdr_stream_promise");
    OWN(qdr_stream_schedule(NULL, 1, 0, &partners, &rank, &start, &place), QDR_ERR_INVALID, "NULL", "");
    OWN(qdr_wait(NULL), QDR_ERR_INVALID, "NULL", "");
    FINE(qdr_wait(&no_call));
    FINE(qdr_test(&no_call, &done));
    CHECK(done);
    FINE(qdr_stream_destroy(NULL));
    FINE(qdr_stream_destroy(&no_stream));
    FINE(qdr_coupling_destroy(NULL));
    FINE(qdr_coupling_destroy(&no_coupling));
    FINE(qdr_program_destroy(NULL));
    FINE(qdr_program_destroy(&no_program));
    CHECK(qdr_program_comm(NULL) == MPI_COMM_NULL);
}

/* ---- programs and couplings ---------------------------------------------------------------------------- */

static void test_names(void) {
    static const char *const bad[] = {"", "two words", "a/b", "a\nb",
                                      "a-name-that-goes-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on"};
    MPI_Comm comm = qdr_program_comm(program);
    qdr_program *other = NULL;
    qdr_coupling *second = NULL;
    for (int i = 0; i < 5; i++) {
        OWN(qdr_program_create(comm, bad[i], 5, &other), QDR_ERR_INVALID, "name of the program", "");
        OWN(qdr_coupling_create(program, bad[i], NULL, &second), QDR_ERR_INVALID, "name of the other program",
            "");
    }
    OWN(qdr_program_create(comm, NULL, 5, &other), QDR_ERR_INVALID, "NULL", "");
    OWN(qdr_coupling_create(program, NULL, NULL, &second), QDR_ERR_INVALID, "NULL", "");
    OWN(qdr_program_create(comm, "x", -5, &other), QDR_ERR_RANGE, "the deadline is -5", "0 or more seconds");
    OWN(qdr_program_create(MPI_COMM_NULL, "x", 5, &other), QDR_ERR_INVALID, "MPI_COMM_NULL", "");
    CHECK(other == NULL && second == NULL);
    qdr_coupling_options options = pair_options;
    options.transport = "pigeon";
    OWN(qdr_coupling_create(program, pair_name[1 - side], &options, &second), QDR_ERR_UNKNOWN, "pigeon",
        "mpi, tcp");
    options.transport = "mpi";
    OWN(qdr_coupling_create(program, "nobody", &options, &second), QDR_ERR_INVALID, "nobody", "MPI");
    options = pair_options;
    options.size = 4;
    OWN(qdr_coupling_create(program, pair_name[1 - side], &options, &second), QDR_ERR_INVALID,
        "QDR_COUPLING_OPTIONS", "");
    options = pair_options;
    options.deadline = -1;
    OWN(qdr_coupling_create(program, pair_name[1 - side], &options, &second), QDR_ERR_RANGE,
        "qdr_coupling_options.deadline is -1", "");
    if (own_ranks > 1)
        OWN(qdr_coupling_create(program, own_rank ? "one" : "two", NULL, &second), QDR_ERR_MISMATCH,
            "differ in the program", "directory");
    CHECK(second == NULL);
}

/* Nobody comes: it is said who, where, and that nothing was there. */
static void test_nobody(void) {
    qdr_coupling_options options = pair_options;
    qdr_coupling *second = NULL;
    options.transport = NULL;
    options.deadline = 0.4;
    double begin = seconds();
    OWN(qdr_coupling_create(program, "nobody", &options, &second), QDR_ERR_STALLED, "nobody",
        options.directory);
    CHECK(strstr(qdr_error_message(), pair_name[side]));
    double took = seconds() - begin;
    CHECK_SAYING(took >= 0.3 && took < 3, "a deadline of 0.4 s took %.1f s", took);
    options.directory = "/no/such/folder";
    OWN(qdr_coupling_create(program, "nobody", &options, &second), QDR_ERR_FILE, "/no/such/folder", "");
    CHECK(second == NULL);
}

static void test_order_of_closing(void) {
    qdr_stream *stream = open_number("open", side == 0, (qdr_stream_options)QDR_STREAM_OPTIONS);
    qdr_program *kept = program;
    qdr_coupling *kept_coupling = coupling;
    OWN(qdr_coupling_destroy(&coupling), QDR_ERR_BUSY, "streams are open (1", pair_name[1 - side]);
    OWN(qdr_program_destroy(&program), QDR_ERR_BUSY, "couplings are open (1", pair_name[side]);
    CHECK(program == kept && coupling == kept_coupling);
    FINE(qdr_stream_destroy(&stream));
    OWN(qdr_program_destroy(&program), QDR_ERR_BUSY, "couplings are open (1", pair_name[side]);
}

/* ---- streams ------------------------------------------------------------------------------------------- */

static void test_exporting(qdr_stream *stream) {
    double value = 0;
    OWN(give(stream, NAN), QDR_ERR_INVALID, "nan", "order");
    OWN(give(stream, INFINITY), QDR_ERR_INVALID, "inf", "order");
    FINE(give(stream, 1));
    OWN(give(stream, 1), QDR_ERR_INVALID, "1", "order");
    OWN(give(stream, 0.5), QDR_ERR_INVALID, "0.5", "1");
    FINE(qdr_stream_promise(stream, 3));
    OWN(give(stream, 2.5), QDR_ERR_INVALID, "2.5", "3");
    OWN(qdr_export(stream, 4, NULL), QDR_ERR_INVALID, "NULL", "order");
    OWN(qdr_import(stream, 4, QDR_EXACT, 0, (void *[]){&value}, NULL), QDR_ERR_INVALID, "order", "export");
    FINE(give(stream, 3));
    FINE(give(stream, 4));
}

static void test_importing(qdr_stream *stream) {
    double value = 0;
    void *in[] = {&value};
    OWN(give(stream, 1), QDR_ERR_INVALID, "order", "import");
    OWN(qdr_import(stream, NAN, QDR_EXACT, 0, in, NULL), QDR_ERR_INVALID, "nan", "order");
    OWN(qdr_import(stream, 1, QDR_BEFORE, -1, in, NULL), QDR_ERR_INVALID, "-1", "order");
    OWN(qdr_import(stream, 1, QDR_NEAREST, NAN, in, NULL), QDR_ERR_INVALID, "nan", "order");
    OWN(qdr_import(stream, 1, (qdr_match)9, 0, in, NULL), QDR_ERR_INVALID, "9", "order");
    OWN(qdr_import(stream, 1, QDR_EXACT, 0, NULL, NULL), QDR_ERR_INVALID, "NULL", "order");
    FINE(take(stream, 1, &value));
    OWN(take(stream, 2, &value), QDR_ERR_UNMATCHED, "order", "2");
    CHECK(isnan(value));
    FINE(take(stream, 3, &value));
    OWN(take(stream, 2.5, &value), QDR_ERR_INVALID, "2.5", "3");
    FINE(take(stream, 4, &value));
}

static void test_order_of_times(int exporter) {
    qdr_stream *stream = open_number("order", side == exporter, (qdr_stream_options)QDR_STREAM_OPTIONS);
    if (!stream) return;
    if (side == exporter)
        test_exporting(stream);
    else
        test_importing(stream);
    FINE(qdr_stream_destroy(&stream));
}

/* A full queue: an export fails at once, or after the deadline; when there is room again it goes on. Until it has
 * failed the importer does nothing. */
static void test_full(int exporter, int fails) {
    qdr_stream_options options = QDR_STREAM_OPTIONS;
    options.queue = 2;
    options.fails_when_full = side == exporter && fails;
    options.deadline = side == exporter && !fails ? 0.4 : 10;
    qdr_stream *stream = open_number("narrow", side == exporter, options);
    double value;
    if (!stream) return;
    if (side == exporter) {
        FINE(give(stream, 1));
        FINE(give(stream, 2));
        double begin = seconds();
        OWN(give(stream, 3), fails ? QDR_ERR_FULL : QDR_ERR_STALLED, "narrow", "2");
        double took = seconds() - begin;
        CHECK_SAYING(took < 3 && (fails || took > 0.3), "it took %.1f s", took);
        give_signal("full", ++signals);
        qdr_status status = give(stream, 3);
        for (double end = seconds() + 10;
             (status == QDR_ERR_FULL || status == QDR_ERR_STALLED) && seconds() < end;)
            status = give(stream, 3);
        CHECK_SAYING(status == QDR_OK, "%s", qdr_error_message());
    } else {
        await_signal("full", ++signals);
        for (int time = 1; time <= 3; time++) FINE(take(stream, time, &value));
    }
    FINE(qdr_stream_destroy(&stream));
}

/* An import for which nothing comes ends with the deadline, and may be waited for again. */
static void test_patience(int exporter) {
    qdr_stream_options options = QDR_STREAM_OPTIONS;
    options.deadline = side == exporter ? 10 : 0.4;
    qdr_stream *stream = open_number("late", side == exporter, options);
    double value = NAN;
    if (!stream) return;
    if (side == exporter) {
        await_signal("late", ++signals);
        FINE(give(stream, 5));
    } else {
        qdr_pending *call = NULL;
        FINE(qdr_import_start(stream, 5, QDR_EXACT, 0, (void *[]){&value}, NULL, &call));
        double begin = seconds();
        OWN(qdr_wait(&call), QDR_ERR_STALLED, "late", "5");
        double took = seconds() - begin;
        CHECK_SAYING(took > 0.3 && took < 3, "a deadline of 0.4 s took %.1f s", took);
        CHECK(call != NULL && isnan(value));
        give_signal("late", ++signals);
        qdr_status status = qdr_wait(&call);
        for (double end = seconds() + 10; status == QDR_ERR_STALLED && seconds() < end;)
            status = qdr_wait(&call);
        CHECK_SAYING(status == QDR_OK, "%s", qdr_error_message());
        CHECK(call == NULL && (own_rank > 0 || value == 50));
    }
    FINE(qdr_stream_destroy(&stream));
}

/* Each waits for what the other would do next: room in a queue, and an export. Both are told, with both streams and
 * times, long before any deadline; the coupling outlives it. */
static void test_deadlock(int exporter) {
    static const char *const word[] = {"narrow", "signal", "atmos", "ocean"};
    qdr_stream_options options = QDR_STREAM_OPTIONS;
    qdr_stream *signal = open_number("signal", side == exporter, options);
    options.queue = 2;
    qdr_stream *stream = open_number("narrow", side == exporter, options);
    double value, begin = seconds();
    qdr_status status;
    if (!stream || !signal) return;
    if (side == exporter) {
        FINE(give(stream, 1));
        FINE(give(stream, 2));
        status = give(stream, 3);
    } else {
        status = take(signal, 1, &value);
    }
    EXPECT("deadlock", status, QDR_ERR_DEADLOCK, word);
    CHECK_SAYING(seconds() - begin < 3, "it took %.1f s", seconds() - begin);
    qdr_stream_destroy(&stream);
    qdr_stream_destroy(&signal);
    CHECK(stream == NULL && signal == NULL);
}

/* The other program opens no stream: each rank says whom it missed. What comes of the coupling is nobody's promise,
 * except that it can be closed. */
static void test_alone(void) {
    qdr_stream_options options = QDR_STREAM_OPTIONS;
    qdr_coupled field = {.name = "number", .layout = number_layout, .type = QDR_DOUBLE};
    qdr_stream *stream = NULL;
    options.deadline = 0.5;
    if (side == 0) {
        double begin = seconds();
        qdr_status status = qdr_stream_create(coupling, "alone", 1, &field, 0, NULL, &options, &stream);
        CHECK_SAYING(status == QDR_ERR_STALLED, "%s: %s", qdr_status_text(status), qdr_error_message());
        CHECK_SAYING(seconds() - begin < 3, "a deadline of 0.5 s took %.1f s", seconds() - begin);
        CHECK(stream == NULL);
        give_signal("alone", ++signals);
    } else {
        await_signal("alone", ++signals);
    }
}

int main(int argc, char **argv) {
    qdr_axis axis = {.extent = 1};
    open_pair(argc, argv);
    FINE(qdr_layout_regular(1, &axis, NULL, &number_layout));
    if (coupling && number_layout) {
        test_null();
        test_names();
        test_nobody();
        test_order_of_closing();
        for (int exporter = 0; exporter < 2; exporter++) {
            test_order_of_times(exporter);
            test_full(exporter, 0);
            test_full(exporter, 1);
            test_patience(exporter);
            test_deadlock(exporter);
        }
        test_alone();
    }
    qdr_layout_destroy(&number_layout);
    return close_pair();
}
