/* SPDX-License-Identifier: BSD-3-Clause */
/* A trace that is written is read back as it was, and each send meets its own arrival. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/complain.h"
#include "draw.h"
#include "core/trace.h"

static void set_events(trace_method *method, const trace_event *events, int64_t count) {
    method->event = ALLOCATE(trace_event, count);
    memcpy(method->event, events, (size_t)count * sizeof *events);
    method->events = count;
}

static void is_read_back(double bound) {
    static const trace_event events[] = {{0, TRACE_START, 0, -1, 0, 0, 0},
                                         {0, TRACE_GRANT, 0.25, 1, 3, 8192, 4096},
                                         {1, TRACE_SEND, 0.5, 0, 3, 8192, 4096},
                                         {0, TRACE_ARRIVAL, 0.625, 1, 3, 8192, INT64_C(1) << 60},
                                         {0, TRACE_END, 1, -1, 0, 0, 0}};
    char path[] = "/tmp/quadrille-trace.XXXXXX";
    trace written = {.pattern = copy_text("a \"b\" \\ c"),
                     .mpi = copy_text("Open MPI 4, told a=1"),
                     .ranks = 2,
                     .bound = bound},
          read;
    set_events(trace_add(&written, "isend", "all \"at once\"", 1), events, 5);
    trace_add(&written, "paced", NULL, 0.5);
    FILE *stream = fdopen(mkstemp(path), "w");
    assert_non_null(stream);
    trace_write(&written, stream);
    assert_int_equal(fclose(stream), 0);
    assert_int_equal(trace_read(path, &read), EXIT_GOOD);
    remove(path);
    assert_string_equal(read.pattern, written.pattern);
    assert_string_equal(read.mpi, written.mpi);
    assert_int_equal(read.ranks, 2);
    assert_true(read.bound == bound || (isnan(read.bound) && isnan(bound)));
    assert_int_equal(read.methods, 2);
    assert_string_equal(read.method[1].name, "paced");
    assert_int_equal(read.method[1].events, 0);
    assert_string_equal(read.method[0].what, "all \"at once\"");
    assert_null(read.method[1].what);
    assert_int_equal(read.method[0].events, 5);
    for (int i = 0; i < 5; i++) {
        const trace_event *got = &read.method[0].event[i], *want = &events[i];
        assert_int_equal(got->rank, want->rank);
        assert_int_equal(got->kind, want->kind);
        assert_true(got->seconds == want->seconds);
        assert_int_equal(got->partner, want->partner);
        assert_int_equal(got->phase, want->phase);
        assert_true(got->offset == want->offset && got->bytes == want->bytes);
    }
    trace_clear(&read);
    trace_clear(&written);
}

static void traces_are_read_back(void **state) {
    (void)state;
    is_read_back(0.75);
    is_read_back(NAN);
}

/* Chunks may overtake each other; clocks may be off, and then a transfer takes no time rather than less. */
static void sends_meet_their_arrivals(void **state) {
    (void)state;
    static const trace_event events[] = {
        {0, TRACE_SEND, 1, 1, 0, 0, 10},     {0, TRACE_SEND, 2, 1, 0, 10, 10},
        {1, TRACE_ARRIVAL, 5, 0, 0, 10, 10}, {1, TRACE_ARRIVAL, 6, 0, 0, 0, 10},
        {1, TRACE_SEND, 3, 0, 0, 0, 4},      {0, TRACE_ARRIVAL, 2.5, 1, 0, 0, 4},
        {2, TRACE_SEND, 3, 0, 0, 0, 4},      {0, TRACE_ARRIVAL, 9, 3, 0, 0, 4},
        {0, TRACE_SEND, 4, 1, 7, 0, 5},
    };
    trace_method method = {.events = 9, .event = (trace_event *)events};
    int64_t count;
    transfer *transfers = draw_match(&method, &count);
    assert_int_equal(count, 3);
    assert_true(transfers[0].start == 1 && transfers[0].end == 6 && transfers[0].bytes == 10);
    assert_true(transfers[1].start == 2 && transfers[1].end == 5);
    assert_int_equal(transfers[1].from, 0);
    assert_int_equal(transfers[1].to, 1);
    assert_true(transfers[2].start == 3 && transfers[2].end == 3);
    assert_int_equal(transfers[2].from, 1);
    free(transfers);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(traces_are_read_back),
        cmocka_unit_test(sends_meet_their_arrivals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
