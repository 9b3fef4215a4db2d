/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Streams that run: which export answers which import, whoever is ahead; queues, promises, both ways at
 * once, several streams, fields and types; what happens when programs wait for each other. Values follow from
 * time and index, and every one is looked at. Arguments: those of couple_pair_testing.h.
 */
#include <limits.h>
#include <math.h>

#include "mpi_check.h"

#include "couple/stream/couple_values_testing.h"

/* ---- times --------------------------------------------------------------------------------------------- */

static void test_matches(int exporter, int late, qdr_stream_options options) {
    static const double time[] = {1, 2, 3, 5, 8};
    qdr_stream *stream = open_one("matches", exporter, options);
    if (!stream) return;
    if (side == late) nap(0.05);
    for (int i = 0; side == exporter && i < 5; i++) {
        FINE(give(stream, time[i]));
        if (side == late) nap(0.005);
    }
    if (side != exporter) {
        TAKE(stream, -4, QDR_BEFORE, INFINITY, NAN);
        TAKE(stream, 1, QDR_EXACT, 0, 1);
        TAKE(stream, 1, QDR_NEAREST, 0, 1); /* the same again */
        TAKE(stream, 1.5, QDR_EXACT, 7, NAN);
        TAKE(stream, 1.5, QDR_NEAREST, 1, 1); /* of two, the earlier */
        TAKE(stream, 2.5, QDR_BEFORE, 1, 2);
        TAKE(stream, 4.5, QDR_BEFORE, 1, NAN);
        TAKE(stream, 4.5, QDR_AFTER, 0.5, 5);
        TAKE(stream, 4.5, QDR_BEFORE, 2, 3);
        TAKE(stream, 6, QDR_AFTER, 1.5, NAN);
        TAKE(stream, 7, QDR_NEAREST, 2, 8);
        TAKE(stream, 50, QDR_AFTER, INFINITY, NAN); /* the exporter closes */
        TAKE(stream, 50, QDR_BEFORE, INFINITY, 8);
    }
    qdr_stream_view view = qdr_stream_look(stream);
    CHECK_SAYING(side == exporter ? view.exports == 5 : view.imports == 8, "%lld exports, %lld imports",
                 (long long)view.exports, (long long)view.imports);
    FINE(qdr_stream_destroy(&stream));
}

/* Imports that were started ahead, and are waited for in another order. */
static void test_ahead(int exporter) {
    enum { CALLS = 6 };
    qdr_stream *stream = open_one("ahead", exporter, (qdr_stream_options)QDR_STREAM_OPTIONS);
    array arrays[CALLS];
    qdr_pending *call[CALLS] = {NULL};
    double matched[CALLS];
    if (!stream) return;
    if (side == exporter) {
        nap(0.05);
        for (int i = 1; i <= 4 * CALLS; i++) FINE(give(stream, 0.5 * i));
    }
    for (int i = 0; side != exporter && i < CALLS; i++) {
        open_array(&arrays[i], 1, own_ranks, ELEMENTS, QDR_DOUBLE, 1);
        wipe(&arrays[i]);
        matched[i] = NAN;
        FINE(qdr_import_start(stream, 1 + 2 * i, QDR_NEAREST, 1, (void *[]){arrays[i].bytes}, &matched[i],
                              &call[i]));
    }
    for (int i = CALLS - 1; side != exporter && i >= 0; i--) {
        int done = 0;
        if (i % 2) {
            FINE(qdr_wait(&call[i]));
        } else {
            while (call[i]) FINE(qdr_test(&call[i], &done));
            CHECK(done);
        }
        CHECK_SAYING(matched[i] == 1 + 2 * i, "%g for %d", matched[i], 1 + 2 * i);
        inspect(__LINE__, &arrays[i], 1 + 2 * i);
        close_array(&arrays[i]);
    }
    FINE(qdr_stream_destroy(&stream));
}

/* A promise decides what no export has decided: the exporter waits for a signal that comes after the
 * import. */
static void test_promise(int exporter) {
    qdr_stream *stream = open_one("promise", exporter, (qdr_stream_options)QDR_STREAM_OPTIONS);
    qdr_stream *back = open_one("back", 1 - exporter, (qdr_stream_options)QDR_STREAM_OPTIONS);
    if (!stream || !back) return;
    if (side == exporter) {
        FINE(give(stream, 1));
        FINE(give(stream, 2));
        FINE(qdr_stream_promise(stream, 6.5));
        TAKE(back, 1, QDR_EXACT, 0, 1);
        FINE(give(stream, 6.5));
        TAKE(back, 2, QDR_EXACT, 0, 2);
        for (int time = 7; time < 50; time++) FINE(give(stream, time)); /* nobody wants them: no queue */
        CHECK(qdr_stream_look(stream).queued <= 1);
        FINE(give(stream, 50));
    } else {
        TAKE(stream, 4, QDR_BEFORE, 10, 2);
        TAKE(stream, 4, QDR_NEAREST, 10, 2);
        TAKE(stream, 4.5, QDR_AFTER, 1, NAN);
        FINE(give(back, 1));
        TAKE(stream, 6, QDR_AFTER, 1, 6.5);
        FINE(qdr_stream_promise(stream, 50));
        FINE(give(back, 2));
        CHECK(qdr_import(stream, 50, QDR_BEFORE, 1, (void *[]){in.bytes}, NULL) == QDR_ERR_INVALID);
        TAKE(stream, 50, QDR_EXACT, 0, 50);
    }
    FINE(qdr_stream_destroy(&stream));
    FINE(qdr_stream_destroy(&back));
}

/* The exporter is held back by the queue, and by nothing else. */
static void test_queue(int exporter) {
    qdr_stream_options options = QDR_STREAM_OPTIONS;
    options.queue = 2;
    qdr_stream *stream = open_one("queue", exporter, options);
    if (!stream) return;
    for (int time = 1; time <= 30; time++) {
        if (side == exporter) {
            FINE(give(stream, time));
            CHECK(qdr_stream_look(stream).queued <= 3);
        } else if (time % 3 == 0) {
            nap(0.002);
            TAKE(stream, time - 0.5, QDR_AFTER, 1, time);
        }
    }
    FINE(qdr_stream_destroy(&stream));
}

/* Fails at once, on all ranks or none. Nothing is imported before the exporter was refused. */
static void test_fails_when_full(int exporter) {
    qdr_stream_options options = QDR_STREAM_OPTIONS;
    options.queue = 3;
    options.fails_when_full = side == exporter;
    qdr_stream *stream = open_one("narrow", exporter, options);
    qdr_stream *signal = open_one("signal", exporter, (qdr_stream_options)QDR_STREAM_OPTIONS);
    if (!stream || !signal) return;
    int last = 0, refused = 0;
    for (int time = 1; side == exporter && last < 150 && time < 20000; time++) {
        qdr_status status = give(stream, time);
        int code = (int)status, first = code;
        MPI_Bcast(&first, 1, MPI_INT, 0, qdr_program_comm(program));
        CHECK_SAYING(code == first && (status == QDR_OK || status == QDR_ERR_FULL), "%s: %s",
                     qdr_status_text(status), qdr_error_message());
        if (status) nap(0.001);
        if (status == QDR_ERR_FULL && refused++ == 0) FINE(give(signal, 1));
        if (!status) last = time;
    }
    if (side != exporter) TAKE(signal, 1, QDR_EXACT, 0, 1);
    for (double time = 1; side != exporter && time < 150; time += 10) {
        double matched = 0;
        wipe(&in);
        nap(0.005);
        FINE(qdr_import(stream, time, QDR_AFTER, INFINITY, (void *[]){in.bytes}, &matched));
        inspect(__LINE__, &in, matched);
    }
    if (side == exporter)
        CHECK_SAYING(last >= 150 && refused > 0, "the last at %d, %d refused", last, refused);
    FINE(qdr_stream_destroy(&stream));
    FINE(qdr_stream_destroy(&signal));
}

/* ---- both ways ----------------------------------------------------------------------------------------- */

static void test_both_ways(void) {
    qdr_stream *forth = open_one("forth", 0, (qdr_stream_options)QDR_STREAM_OPTIONS);
    qdr_stream *back = open_one("back", 1, (qdr_stream_options)QDR_STREAM_OPTIONS);
    qdr_stream *gives = side == 0 ? forth : back, *takes = side == 0 ? back : forth;
    if (!forth || !back) return;
    for (int time = 1; time <= 40; time++) {
        if (side == 0) FINE(give(gives, time)); /* the one exports first, the other imports first */
        TAKE(takes, time, QDR_EXACT, 0, time);
        if (side == 1) FINE(give(gives, time));
        if (time % 10 == 0 && side == 1) nap(0.03);
    }
    FINE(qdr_stream_destroy(&back));
    FINE(qdr_stream_destroy(&forth));
}

/* Both wait in imports; an import that is only started is no wait. */
static void test_deadlock(int really) {
    static const char *const word[] = {"ocean waits for", "atmos waits for", "'forth'", "'back'"};
    qdr_stream *forth = open_one("forth", 0, (qdr_stream_options)QDR_STREAM_OPTIONS);
    qdr_stream *back = open_one("back", 1, (qdr_stream_options)QDR_STREAM_OPTIONS);
    qdr_stream *gives = side == 0 ? forth : back, *takes = side == 0 ? back : forth;
    qdr_pending *call = NULL;
    if (!forth || !back) return;
    FINE(give(gives, 1));
    TAKE(takes, 1, QDR_EXACT, 0, 1);
    if (really) {
        double begin = MPI_Wtime();
        EXPECT(
            "deadlock",
            qdr_import(takes, side ? 3 : 2.5, side ? QDR_EXACT : QDR_BEFORE, 0.5, (void *[]){in.bytes}, NULL),
            QDR_ERR_DEADLOCK, word);
        CHECK_SAYING(MPI_Wtime() - begin < 5, "it took %.1f s", MPI_Wtime() - begin);
        CHECK(give(gives, 7) == QDR_ERR_DEADLOCK);
        CHECK(qdr_stream_promise(takes, 7) == QDR_ERR_DEADLOCK);
        CHECK(qdr_stream_destroy(&forth) == QDR_ERR_DEADLOCK && forth == NULL);
        CHECK(qdr_stream_destroy(&back) == QDR_ERR_DEADLOCK && back == NULL);
        return;
    }
    wipe(&in);
    FINE(qdr_import_start(takes, 2, QDR_EXACT, 0, (void *[]){in.bytes}, NULL, &call));
    for (int i = 0, done; side == 0 && i < 20; i++) {
        FINE(qdr_test(&call, &done));
        CHECK(!done);
        nap(0.01);
    }
    if (side == 0) FINE(give(gives, 2));
    FINE(qdr_wait(&call));
    inspect(__LINE__, &in, 2);
    if (side == 1) FINE(give(gives, 2));
    FINE(qdr_stream_destroy(&back));
    FINE(qdr_stream_destroy(&forth));
}

/* One rank of each program comes back late to an import that ends well for all. Meanwhile the others find a deadlock; it
 * hears of that first, but it is not about this import. */
static void test_deadlock_too_early(void) {
    qdr_plan_options plan = QDR_PLAN_OPTIONS;
    qdr_stream_options options = QDR_STREAM_OPTIONS;
    plan.transport = "net"; /* data and news go the same way */
    options.plan = &plan;
    close_array(&in);
    open_array(&in, 0, own_ranks, ELEMENTS, QDR_DOUBLE,
               1); /* blocks: the first ranks need nothing of the last */
    qdr_stream *forth = open_one("forth", 0, options), *back = open_one("back", 1, options);
    qdr_stream *gives = side == 0 ? forth : back, *takes = side == 0 ? back : forth;
    qdr_pending *call = NULL;
    if (!forth || !back) return;
    wipe(&in);
    FINE(give(gives, 1));
    FINE(qdr_import_start(takes, 1, QDR_EXACT, 0, (void *[]){in.bytes}, NULL, &call));
    if (own_ranks > 1 && own_rank == own_ranks - 1) nap(0.1);
    FINE(qdr_wait(&call));
    inspect(__LINE__, &in, 1);
    CHECK(qdr_import(takes, 2, QDR_EXACT, 0, (void *[]){in.bytes}, NULL) == QDR_ERR_DEADLOCK);
    CHECK(qdr_stream_destroy(&forth) == QDR_ERR_DEADLOCK);
    CHECK(qdr_stream_destroy(&back) == QDR_ERR_DEADLOCK);
    close_array(&in);
    open_array(&in, 1, own_ranks, ELEMENTS, QDR_DOUBLE, 1);
}

/* A program that waited on a stream and has closed it waits on another: what it said before is forgotten. */
static void test_deadlock_after_closing(void) {
    static const char *const word[] = {"ocean waits for", "atmos waits for", "'forth'", "'back'"};
    qdr_stream *forth = open_one("forth", 0, (qdr_stream_options)QDR_STREAM_OPTIONS);
    qdr_stream *back = open_one("back", 1, (qdr_stream_options)QDR_STREAM_OPTIONS);
    qdr_stream *third = open_one("third", 0, (qdr_stream_options)QDR_STREAM_OPTIONS);
    if (!forth || !back || !third) return;
    if (side == 0) {
        nap(0.1);
        FINE(give(third, 1));
    } else {
        TAKE(third, 1, QDR_EXACT, 0, 1);
        FINE(qdr_stream_destroy(&third));
    }
    EXPECT("deadlock after closing",
           qdr_import(side == 0 ? back : forth, 1, QDR_EXACT, 0, (void *[]){in.bytes}, NULL),
           QDR_ERR_DEADLOCK, word);
    FINE(qdr_stream_destroy(&third));
    CHECK(qdr_stream_destroy(&forth) == QDR_ERR_DEADLOCK);
    CHECK(qdr_stream_destroy(&back) == QDR_ERR_DEADLOCK);
}

/* Each closes first what it exports: neither waits, and what was exported can still be had. */
static void test_closing_both(void) {
    qdr_stream *forth = open_one("forth", 0, (qdr_stream_options)QDR_STREAM_OPTIONS);
    qdr_stream *back = open_one("back", 1, (qdr_stream_options)QDR_STREAM_OPTIONS);
    qdr_stream **gives = side == 0 ? &forth : &back, **takes = side == 0 ? &back : &forth;
    double begin = MPI_Wtime();
    if (!forth || !back) return;
    FINE(give(*gives, 1));
    FINE(qdr_stream_destroy(gives));
    CHECK_SAYING(MPI_Wtime() - begin < 5, "it took %.1f s", MPI_Wtime() - begin);
    TAKE(*takes, 1, QDR_EXACT, 0, 1);
    TAKE(*takes, 2, QDR_AFTER, INFINITY, NAN);
    FINE(qdr_stream_destroy(takes));
}

/* A stream stays while its imports have handles; after a failure they outlive it. */
static void test_handles(int exporter) {
    qdr_stream_options options = QDR_STREAM_OPTIONS;
    options.queue = INT_MAX; /* as many as come */
    qdr_stream *stream = open_one("held", exporter, options);
    qdr_pending *call[2] = {NULL, NULL};
    int done = 0;
    if (!stream) return;
    if (side == exporter) {
        nap(0.02);
        for (int time = 1; time <= 20; time++) FINE(give(stream, time));
        CHECK(qdr_stream_look(stream).queued <= 20);
    } else {
        wipe(&in);
        FINE(qdr_import_start(stream, 20, QDR_EXACT, 0, (void *[]){in.bytes}, NULL, &call[0]));
        CHECK(qdr_stream_destroy(&stream) == QDR_ERR_BUSY && stream);
        FINE(qdr_wait(&call[0]));
        inspect(__LINE__, &in, 20);
    }
    FINE(qdr_stream_destroy(&stream));

    qdr_coupling *self = NULL;
    qdr_coupled from = {.name = "heat", .layout = out.layout, .type = QDR_DOUBLE};
    qdr_coupled to = {.name = "heat", .layout = in.layout, .type = QDR_DOUBLE};
    FINE(qdr_coupling_create(program, pair_name[side], &pair_options, &self));
    if (!self) return;
    FINE(qdr_stream_create(self, "held", 1, &from, 1, &to, NULL, &stream));
    for (int i = 0; stream && i < 2; i++)
        FINE(qdr_import_start(stream, 1 + i, QDR_EXACT, 0, (void *[]){in.bytes}, NULL, &call[i]));
    CHECK(qdr_import(stream, 3, QDR_EXACT, 0, (void *[]){in.bytes}, NULL) == QDR_ERR_DEADLOCK);
    CHECK(qdr_stream_destroy(&stream) == QDR_ERR_DEADLOCK && !stream);
    CHECK(qdr_wait(&call[0]) == QDR_ERR_DEADLOCK && !call[0]);
    CHECK(qdr_test(&call[1], &done) == QDR_ERR_DEADLOCK && done && !call[1]);
    FINE(qdr_coupling_destroy(&self));
}

/* ---- fields and types ---------------------------------------------------------------------------------- */

static void test_fields(int exporter, int checked, const char *algorithm) {
    enum { FIELDS = 4 };
    static const char *const name[2][FIELDS] = {{"d", "b", "a", "c"}, {"a", "d", "c", "b"}};
    static const qdr_type type[2][FIELDS] = {{QDR_INT32, QDR_DOUBLE, QDR_FLOAT, QDR_DOUBLE},
                                             {QDR_DOUBLE, QDR_INT32, QDR_DOUBLE_COMPLEX, QDR_INT16}};
    static const int64_t width[2][FIELDS] = {{1, 3, 2, 1}, {2, 1, 1, 3}},
                         extent[2][FIELDS] = {{97, 1, 40, 5}, {40, 97, 5, 1}};
    int exports = side == exporter, use = !exports;
    array arrays[FIELDS];
    qdr_coupled field[FIELDS];
    void *data[FIELDS];
    qdr_stream *stream = NULL;
    qdr_plan_options plan = QDR_PLAN_OPTIONS;
    qdr_stream_options options = QDR_STREAM_OPTIONS;
    plan.algorithm = algorithm;
    options.plan = algorithm && !exports ? &plan : NULL;
    options.converts = !exports;
    options.checksums = exports && checked;
    options.deadline = 20;
    for (int f = 0; f < FIELDS; f++) {
        open_array(&arrays[f], use, own_ranks, extent[use][f], type[use][f], width[use][f]);
        field[f] = (qdr_coupled){
            .name = name[use][f], .layout = arrays[f].layout, .type = type[use][f], .width = width[use][f]};
        data[f] = arrays[f].bytes;
    }
    FINE(qdr_stream_create(coupling, "fields", exports ? FIELDS : 0, exports ? field : NULL,
                           exports ? 0 : FIELDS, exports ? NULL : field, &options, &stream));
    for (int time = 1; stream && time <= 5; time++) {
        for (int f = 0; f < FIELDS; f++) exports ? fill(&arrays[f], time) : wipe(&arrays[f]);
        if (exports)
            FINE(qdr_export(stream, time, (const void *const *)data));
        else
            FINE(qdr_import(stream, time, QDR_EXACT, 0, data, NULL));
        for (int f = 0; f < FIELDS && !exports; f++) inspect(__LINE__, &arrays[f], time);
    }
    FINE(qdr_stream_destroy(&stream));
    for (int f = 0; f < FIELDS; f++) close_array(&arrays[f]);
}

/* ---- a program with itself ----------------------------------------------------------------------------- */

static void test_self(void) {
    qdr_coupling *self = NULL;
    qdr_stream *stream = NULL;
    qdr_stream_options options = QDR_STREAM_OPTIONS;
    options.deadline = 20;
    options.queue = 2;
    FINE(qdr_coupling_create(program, pair_name[side], &pair_options, &self));
    if (!self) return;
    qdr_coupled from = {.name = "heat", .layout = out.layout, .type = QDR_DOUBLE};
    qdr_coupled to = {.name = "heat", .layout = in.layout, .type = QDR_DOUBLE};
    FINE(qdr_stream_create(self, "inside", 1, &from, 1, &to, &options, &stream));
    for (int time = 1; stream && time <= 5; time++) {
        FINE(give(stream, time));
        TAKE(stream, time, QDR_EXACT, 0, time);
    }
    if (stream) {
        TAKE(stream, 5, QDR_BEFORE, 3, 5);
        qdr_status status = qdr_import(stream, 6, QDR_EXACT, 0, (void *[]){in.bytes}, NULL);
        CHECK_SAYING(status == QDR_ERR_DEADLOCK && strstr(qdr_error_message(), "itself"), "%s: %s",
                     qdr_status_text(status), qdr_error_message());
        CHECK(qdr_stream_destroy(&stream) == QDR_ERR_DEADLOCK);
    }
    FINE(qdr_stream_create(self, "inside", 1, &from, 1, &to, &options, &stream));
    FINE(qdr_stream_destroy(&stream));
    FINE(qdr_coupling_destroy(&self));
}

int main(int argc, char **argv) {
    open_pair(argc, argv);
    if (coupling) {
        open_array(&out, 0, own_ranks, ELEMENTS, QDR_DOUBLE, 1);
        open_array(&in, 1, own_ranks, ELEMENTS, QDR_DOUBLE, 1);
        for (int exporter = 0; exporter < 2; exporter++) {
            qdr_stream_options options = QDR_STREAM_OPTIONS;
            test_matches(exporter, 0, options);
            options.queue = 1;
            test_matches(exporter, 1, options);
            test_ahead(exporter);
            test_promise(exporter);
            test_queue(exporter);
            test_fails_when_full(exporter);
            test_fields(exporter, 0, NULL);
            test_fields(exporter, 1, "pairwise");
            test_handles(exporter);
        }
        test_both_ways();
        test_deadlock(0);
        for (int i = 0; i < 8; i++)
            test_deadlock(1); /* whose note comes first differs from one to the next */
        test_deadlock_too_early();
        test_deadlock_after_closing();
        test_closing_both();
        test_self();
        test_both_ways(); /* after all that */
        close_array(&out);
        close_array(&in);
    }
    return close_pair();
}
