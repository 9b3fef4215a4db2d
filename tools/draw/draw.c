/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * quadrille draw: the picture of a trace. Which methods, in which order, and which arrival belongs to which
 * send; the drawing itself is in draw_svg.c.
 */
#include "draw.h"

#include <stdlib.h>
#include <string.h>

#include "core/arguments.h"
#include "core/complain.h"
#include "core/progress.h"

/* ---- transfers ----------------------------------------------------------------------------------------- */

typedef struct half {
    int from, to;
    int64_t phase, offset, bytes;
    double seconds;
} half;

static int by_pair(const half *a, const half *b) {
    return a->from != b->from ? (a->from > b->from) - (a->from < b->from) : (a->to > b->to) - (a->to < b->to);
}

static int by_place(const void *first, const void *second) {
    const half *a = first, *b = second;
    int pair = by_pair(a, b);
    if (pair) return pair;
    if (a->phase != b->phase) return a->phase < b->phase ? -1 : 1;
    if (a->offset != b->offset) return a->offset < b->offset ? -1 : 1;
    return (a->seconds > b->seconds) - (a->seconds < b->seconds);
}

static half *list_halves(const trace_method *method, int kind, int64_t *count) {
    half *halves = ALLOCATE(half, method->events);
    *count = 0;
    for (int64_t i = 0; i < method->events; i++) {
        const trace_event *event = &method->event[i];
        int arrived = kind == TRACE_ARRIVAL;
        if (event->kind != kind) continue;
        halves[(*count)++] = (half){arrived ? event->partner : event->rank,
                                    arrived ? event->rank : event->partner,
                                    event->phase,
                                    event->offset,
                                    event->bytes,
                                    event->seconds};
    }
    if (*count > 0) qsort(halves, (size_t)*count, sizeof *halves, by_place);
    return halves;
}

transfer *draw_match(const trace_method *method, int64_t *count) {
    int64_t sends, arrivals, a = 0, b = 0;
    half *send = list_halves(method, TRACE_SEND, &sends),
         *arrival = list_halves(method, TRACE_ARRIVAL, &arrivals);
    transfer *transfers = ALLOCATE(transfer, sends < arrivals ? sends : arrivals);
    *count = 0;
    while (a < sends && b < arrivals) {
        int order = by_pair(&send[a], &arrival[b]);
        if (order == 0) {
            double start = send[a].seconds, end = arrival[b].seconds; /* clocks may be off by a little */
            transfers[(*count)++] = (transfer){send[a].from,  send[a].to,   start, end < start ? start : end,
                                               send[a].phase, send[a].bytes};
        }
        a += order <= 0;
        b += order >= 0;
    }
    free(send);
    free(arrival);
    return transfers;
}

/* ---- the command --------------------------------------------------------------------------------------- */

static int by_seconds(const void *first, const void *second) {
    const trace_method *a = *(const trace_method *const *)first, *b = *(const trace_method *const *)second;
    if (a->seconds != b->seconds) return a->seconds > b->seconds ? -1 : 1;
    return (a > b) - (a < b);
}

static int find_method(const trace *trace, const char *name, const trace_method **method) {
    char list[512] = "";
    size_t used = 0;
    for (int i = 0; i < trace->methods; i++) {
        *method = &trace->method[i];
        if (!strcmp((*method)->name, name)) return EXIT_GOOD;
        if (used < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", (*method)->name);
    }
    return complain("the trace has no method '%.60s'; it has %s", name, list);
}

/* The ones asked for, in that order; else all, the slowest on top. */
static int choose(const arguments *arguments, const trace *trace, const trace_method ***chosen, int *count) {
    const char *text;
    char *name;
    int code = EXIT_GOOD;
    *chosen = NULL;
    *count = 0;
    for (int i = 0; (text = argument_nth(arguments, "method", i)); i++)
        while (!code && (name = next_name(&text))) {
            *chosen = reallocate(*chosen, *count + 1, sizeof **chosen);
            code = find_method(trace, name, &(*chosen)[(*count)++]);
            free(name);
        }
    if (code || *count) return code;
    *chosen = ALLOCATE(const trace_method *, trace->methods);
    for (int i = 0; i < trace->methods; i++) (*chosen)[(*count)++] = &trace->method[i];
    if (*count > 0) qsort(*chosen, (size_t)*count, sizeof **chosen, by_seconds);
    return *count ? EXIT_GOOD : complain("the trace has no methods");
}

static int run(const arguments *arguments, FILE *out) {
    trace trace;
    const trace_method **chosen;
    int count;
    progress_say("reading %.100s", arguments->operand[0]);
    int code = trace_read(arguments->operand[0], &trace);
    if (code) return code;
    code = choose(arguments, &trace, &chosen, &count);
    progress_say("drawing");
    if (!code) code = draw_timelines(&trace, chosen, count, out);
    free(chosen);
    trace_clear(&trace);
    return code;
}

static const option options[] = {
    OPTION_OUTPUT,
    {0, "method", "NAMES", "only these, from top to bottom: A,B,C", OPTION_REPEATS},
    OPTIONS_END,
};

const command draw_command = {
    .name = "draw",
    .summary = "draw the timelines of a trace as SVG",
    .operands = "TRACE",
    .fewest = 1,
    .most = 1,
    .options = options,
    .description =
        "Draws what 'quadrille bench --trace' recorded: one panel per method, the slowest on top,\n"
        "all on one time axis. Every rank has a lane. In it each message on its way to the rank\n"
        "is a bar from its sending to its arrival, in the colour of the sender; messages under\n"
        "way at once share the height of the lane. The thin line above shows what the rank sends,\n"
        "in the colour of the receiver; ticks below are its grants, and the black line is its\n"
        "window. A lane is grey while its rank is in the exchange. The dashed line is the bound.\n",
    .examples = "mpirun -n 16 quadrille bench complete:bytes=64Ki --with isend --trace trace.json\n"
                "quadrille draw trace.json -o trace.svg --method isend,paced\n",
    .run = run,
};
