/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recording one exchange of each method. Every rank has a clock of its own, so rank 0 exchanges small
 * messages with each of the others before and after: half-way between sending and answer its own clock
 * showed the time of the other one. The fastest of several round trips counts, since its error is at most
 * half of it; in between offsets are interpolated. The method runs twice: the first time its events are
 * only counted, so that the second time their memory is there.
 */
#include <stdlib.h>

#include "bench.h"
#include "core/complain.h"
#include "core/output.h"
#include "core/progress.h"

enum { TAG = 2, ROUND_TRIPS = 20 };

/* ---- one clock ----------------------------------------------------------------------------------------- */

/* At `local` on this rank's clock, rank 0's showed local + offset. */
typedef struct clock_mark {
    double local, offset;
} clock_mark;

static clock_mark ask(int rank) {
    clock_mark best = {0, 0};
    double shortest = -1;
    for (int i = 0; i < ROUND_TRIPS; i++) {
        double theirs, start = clock_seconds();
        MPI_Send(&start, 1, MPI_DOUBLE, rank, TAG, MPI_COMM_WORLD);
        MPI_Recv(&theirs, 1, MPI_DOUBLE, rank, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        double end = clock_seconds();
        if (shortest >= 0 && end - start >= shortest) continue;
        shortest = end - start;
        best = (clock_mark){theirs, (start + end) / 2 - theirs};
    }
    return best;
}

static void answer(void) {
    for (int i = 0; i < ROUND_TRIPS; i++) {
        double time;
        MPI_Recv(&time, 1, MPI_DOUBLE, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        time = clock_seconds();
        MPI_Send(&time, 1, MPI_DOUBLE, 0, TAG, MPI_COMM_WORLD);
    }
}

static clock_mark mark_clock(const bench *bench) {
    clock_mark mark = {clock_seconds(), 0};
    if (bench->rank > 0) {
        answer();
        MPI_Recv(&mark, 2, MPI_DOUBLE, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    for (int rank = 1; bench->rank == 0 && rank < bench->ranks; rank++) {
        clock_mark theirs = ask(rank);
        MPI_Send(&theirs, 2, MPI_DOUBLE, rank, TAG, MPI_COMM_WORLD);
    }
    return mark;
}

static double common_time(clock_mark before, clock_mark after, double local) {
    double span = after.local - before.local;
    double part = span > 0 ? (local - before.local) / span : 0;
    return local + before.offset + part * (after.offset - before.offset);
}

/* ---- one method ---------------------------------------------------------------------------------------- */

static void reopen(const bench *bench, bench_method *method, bench_recorder *recorder) {
    method->kind->destroy(method);
    method->recorder = recorder;
    char *refusal = method->kind->create(bench, method);
    if (refusal) bench_fail(bench, method, refusal);
}

/* This rank's events as the file has them, on rank 0's clock, from the first begin of all ranks on. */
static trace_event *convert(const bench *bench, const bench_recorder *recorder, clock_mark before,
                            clock_mark after, int64_t *count) {
    double begin, first;
    *count = recorder->count < recorder->capacity ? recorder->count : recorder->capacity;
    trace_event *events = ALLOCATE(trace_event, *count);
    for (int64_t i = 0; i < *count; i++) {
        const qdr_event *event = &recorder->event[i];
        events[i] =
            (trace_event){bench->rank,    (int)event->kind, common_time(before, after, event->seconds),
                          event->partner, event->phase,     event->offset,
                          event->bytes};
    }
    begin = events[0].seconds; /* recorded before anything else */
    MPI_Allreduce(&begin, &first, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    for (int64_t i = 0; i < *count; i++) events[i].seconds -= first;
    return events;
}

static int by_time(const void *first, const void *second) {
    const trace_event *a = first, *b = second;
    if (a->seconds != b->seconds) return a->seconds < b->seconds ? -1 : 1;
    return a->rank != b->rank ? a->rank - b->rank : a->kind - b->kind;
}

/* All ranks' events come to rank 0. */
static void gather(const bench *bench, trace_event *mine, int64_t count, trace_method *method) {
    const MPI_Datatype bytes = MPI_BYTE;
    int part = (int)(count * (int64_t)sizeof *mine);
    if (bench->rank > 0) {
        MPI_Send(mine, part, bytes, 0, TAG, MPI_COMM_WORLD);
        return;
    }
    for (int rank = 0; rank < bench->ranks; rank++) {
        MPI_Status status;
        if (rank > 0) {
            MPI_Probe(rank, TAG, MPI_COMM_WORLD, &status);
            MPI_Get_count(&status, bytes, &part);
        }
        int64_t more = part / (int64_t)sizeof *mine;
        method->event = reallocate(method->event, method->events + more, sizeof *method->event);
        trace_event *place = method->event + method->events;
        if (rank > 0) MPI_Recv(place, part, bytes, rank, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int64_t i = 0; rank == 0 && i < more; i++) place[i] = mine[i];
        method->events += more;
    }
    if (method->events > 0) qsort(method->event, (size_t)method->events, sizeof *method->event, by_time);
}

static void trace_one(bench *bench, bench_method *method, trace *trace) {
    enum { MOST_EVENTS = 1 << 24 }; /* of one rank: they go to rank 0 as one message */
    bench_recorder recorder = {NULL, 0, 0};
    int64_t count;
    reopen(bench, method, &recorder);
    bench_run(bench, method);
    recorder.capacity = 2 * recorder.count + 64; /* grants may fall otherwise the next time */
    if (recorder.capacity > MOST_EVENTS) recorder.capacity = MOST_EVENTS;
    recorder.event = ALLOCATE(qdr_event, recorder.capacity);
    recorder.count = 0;
    clock_mark before = mark_clock(bench);
    double seconds = bench_run(bench, method);
    clock_mark after = mark_clock(bench);
    trace_event *mine = convert(bench, &recorder, before, after, &count);
    char *what = bench_what(method);
    trace_method *traced = bench->rank == 0 ? trace_add(trace, method->name, what, seconds) : NULL;
    free(what);
    gather(bench, mine, count, traced);
    free(mine);
    free(recorder.event);
    method->recorder = NULL;
}

/* One that holds for all methods. */
static double bound_of_all(const bench *bench) {
    for (int i = 0; i < bench->methods; i++)
        if (!bench->method[i].refusal && bench_is_passed_on(&bench->method[i])) return bench->any_bound;
    return bench->bound;
}

void bench_write_trace(bench *bench) {
    trace trace = {.pattern = copy_text(bench->text),
                   .mpi = bench_mpi_told(),
                   .ranks = bench->ranks,
                   .bound = bound_of_all(bench)};
    for (int i = 0; i < bench->methods; i++) {
        if (bench->method[i].refusal) continue;
        progress_say("recording %s", bench->method[i].name);
        trace_one(bench, &bench->method[i], &trace);
    }
    if (bench->rank == 0) trace_write(&trace, output_open(bench->trace));
    trace_clear(&trace);
}
