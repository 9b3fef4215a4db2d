/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A plan of the library in the shape of a method, and what all methods share. The partners were made from
 * both sides of the load, in its order, so the load's arrays are what an exchange takes. Offsets do not
 * change with the call unless sizes do, and those the load has too. Exchanges under way at once are as many
 * plans.
 */
#include <stdlib.h>

#include "bench.h"
#include "core/complain.h"
#include "core/progress.h"

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

char *bench_what(const bench_method *method) {
    const qdr_plan_info *info = &method->info;
    if (method->kind == &bench_plan)
        return print_text("%s, %s%s%s", info->algorithm, info->pacing,
                          info->near_out + info->near_in > 0 ? ", the node's memory" : "",
                          method->chosen ? " (the default rule's choice)" : "");
    if (!method->kind->call) return copy_text(method->kind->summary);
    char *choice = bench_mpi_choice(),
         *what =
             print_text("%s, %s", method->kind->call, choice ? choice : "by the algorithm that MPI chooses");
    free(choice);
    return what;
}

/* ---- plans --------------------------------------------------------------------------------------------- */

/* As many plans as exchanges are under way at once, each with a load of its own. */
typedef struct plans {
    int count;
    qdr_plan **plan;
    qdr_pending **exchange;
} plans;

static void destroy_plan(bench_method *method) {
    plans *all = method->state;
    for (int i = 0; i < all->count; i++) qdr_plan_destroy(&all->plan[i]);
    free(all->plan);
    free(all->exchange);
    free(all);
}

static char *create_plan(const bench *bench, bench_method *method) {
    qdr_plan_options options = bench->options;
    plans *all = method->state = ALLOCATE(plans, 1);
    all->plan = ALLOCATE(qdr_plan *, bench->together);
    all->exchange = ALLOCATE(qdr_pending *, bench->together);
    options.algorithm = method->algorithm;
    options.machine = bench->machine;
    if (method->recorder) {
        options.trace = take_event;
        options.trace_context = method->recorder;
    }
    for (; all->count < bench->together; all->count++)
        if (qdr_plan_create(bench->partners, &options, &all->plan[all->count]))
            return copy_text(qdr_error_message());
    return NULL;
}

/* What it runs may change while it runs. */
static void look_at_plan(const bench *bench, bench_method *method) {
    const plans *all = method->state;
    if (qdr_plan_look(all->plan[0], &method->info)) bench_fail(bench, method, qdr_error_message());
}

static qdr_buffers buffers_of(const bench *bench, const bench_load *load, int changed) {
    qdr_buffers buffers = {0};
    buffers.item_bytes = bench->item_bytes;
    buffers.outgoing_base = load->outgoing;
    buffers.incoming_base = load->incoming;
    buffers.outgoing_offset = load->out.offset;
    buffers.incoming_offset = load->in.offset;
    if (changed) {
        buffers.outgoing_items = load->out.items;
        buffers.incoming_items = load->in.items;
    }
    return buffers;
}

static void run_plan(const bench *bench, bench_method *method) {
    plans *all = method->state;
    const bench_load *load = method->load;
    int changed = load == &bench->changed;
    if (all->count == 1) {
        qdr_buffers buffers = buffers_of(bench, load, changed);
        if (qdr_plan_exchange(all->plan[0], &buffers)) bench_fail(bench, method, qdr_error_message());
        return;
    }
    for (int i = 0; i < all->count; i++, load = load->next) {
        qdr_buffers buffers = buffers_of(bench, load, changed);
        if (qdr_plan_start(all->plan[i], &buffers, &all->exchange[i]))
            bench_fail(bench, method, qdr_error_message());
    }
    for (int i = 0; i < all->count; i++)
        if (qdr_wait(&all->exchange[i])) bench_fail(bench, method, qdr_error_message());
}

const bench_kind bench_plan = {
    .name = "plan",
    .summary = "an algorithm of the library",
    .create = create_plan,
    .run = run_plan,
    .look = look_at_plan,
    .destroy = destroy_plan,
};
