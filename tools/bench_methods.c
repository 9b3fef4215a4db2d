/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A plan of the library in the shape of a method, and what all methods share. The partners were made from
 * both sides of the load, in its order, so the load's arrays are what an exchange takes. Offsets do not
 * change with the call unless sizes do, and those the load has too.
 */
#include <stdlib.h>

#include "bench.h"
#include "complain.h"
#include "progress.h"

/* ---- events -------------------------------------------------------------------------------------------- */

static void keep(bench_recorder *recorder, const qdr_event *event) {
    if (recorder->count < recorder->capacity) recorder->event[recorder->count] = *event;
    recorder->count++;
}

void bench_record(bench_method *method, int kind, int partner, int64_t offset, int64_t bytes) {
    if (!method->recorder) return;
    qdr_event event = {.seconds = clock_seconds(), .partner = partner, .offset = offset, .bytes = bytes};
    event.kind = kind;
    keep(method->recorder, &event);
}

/* Begin and end are recorded around each run, the same for all methods. */
static void take_event(void *context, const qdr_event *event) {
    if (event->kind != QDR_EVENT_START && event->kind != QDR_EVENT_END) keep(context, event);
}

_Static_assert((int)QDR_EVENT_START == TRACE_START && (int)QDR_EVENT_GRANT == TRACE_GRANT &&
                   (int)QDR_EVENT_SEND == TRACE_SEND && (int)QDR_EVENT_ARRIVAL == TRACE_ARRIVAL &&
                   (int)QDR_EVENT_END == TRACE_END && (int)QDR_EVENT_WINDOW == TRACE_WINDOW,
               "kinds of events are numbered alike");

void bench_fail(const bench *bench, const bench_method *method, const char *sentence) {
    set_silent(0);
    complain("rank %d, %s: %s", bench->rank, method->name, sentence);
    MPI_Abort(MPI_COMM_WORLD, EXIT_USE);
    exit(EXIT_USE);
}

/* ---- plans --------------------------------------------------------------------------------------------- */

static char *create_plan(const bench *bench, bench_method *method) {
    qdr_plan_options options = bench->options;
    qdr_plan *plan = NULL;
    options.algorithm = method->algorithm;
    options.machine = bench->machine;
    if (method->recorder) {
        options.trace = take_event;
        options.trace_context = method->recorder;
    }
    if (qdr_plan_create(bench->partners, &options, &plan)) return copy_text(qdr_error_message());
    if (qdr_plan_look(plan, &method->info)) bench_fail(bench, method, qdr_error_message());
    method->state = plan;
    return NULL;
}

static void run_plan(const bench *bench, bench_method *method) {
    const bench_load *load = method->load;
    qdr_buffers buffers = QDR_BUFFERS;
    buffers.item_bytes = bench->item_bytes;
    buffers.outgoing_base = load->outgoing;
    buffers.incoming_base = load->incoming;
    buffers.outgoing_offset = load->out.offset;
    buffers.incoming_offset = load->in.offset;
    if (load == &bench->changed) {
        buffers.outgoing_items = load->out.items;
        buffers.incoming_items = load->in.items;
    }
    if (qdr_plan_exchange(method->state, &buffers)) bench_fail(bench, method, qdr_error_message());
}

static void destroy_plan(bench_method *method) {
    qdr_plan *plan = method->state;
    qdr_plan_destroy(&plan);
}

const bench_kind bench_plan = {
    .name = "plan",
    .summary = "an algorithm of the library",
    .create = create_plan,
    .run = run_plan,
    .destroy = destroy_plan,
};
