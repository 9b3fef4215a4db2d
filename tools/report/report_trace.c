/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The chapter of a trace: what was recorded, the slowest method on top, all on one time axis. How deep a
 * receiver was flooded is counted: the most messages that were on their way to one rank at the same time.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/complain.h"
#include "draw/draw.h"
#include "core/progress.h"
#include "report.h"

typedef struct recorded {
    const trace_method *method;
    report_bar *bars;
    int64_t count, phases;
    double last;     /* moment */
    int64_t deepest; /* messages on their way to one rank at once */
    char *note;
} recorded;

/* ---- one method ---------------------------------------------------------------------------------------- */

typedef struct change {
    int rank, step; /* +1: one more on its way to the rank, -1: one less */
    double seconds;
} change;

static int by_rank_and_time(const void *first, const void *second) {
    const change *a = first, *b = second;
    if (a->rank != b->rank) return a->rank < b->rank ? -1 : 1;
    if (a->seconds != b->seconds) return a->seconds < b->seconds ? -1 : 1;
    return a->step - b->step;
}

static int64_t find_deepest(const report_bar *bars, int64_t count) {
    change *changes = ALLOCATE(change, 2 * count);
    int64_t depth = 0, deepest = 0;
    for (int64_t i = 0; i < count; i++) {
        changes[2 * i] = (change){bars[i].to, 1, bars[i].start};
        changes[2 * i + 1] = (change){bars[i].to, -1, bars[i].end};
    }
    if (count > 0) qsort(changes, (size_t)(2 * count), sizeof *changes, by_rank_and_time);
    for (int64_t i = 0; i < 2 * count; i++) {
        if (i == 0 || changes[i].rank != changes[i - 1].rank) depth = 0;
        depth += changes[i].step;
        deepest = depth > deepest ? depth : deepest;
    }
    free(changes);
    return deepest;
}

static void prepare(const trace *trace, const trace_method *method, recorded *recorded) {
    char seconds[UNITS_TEXT];
    transfer *transfers = draw_match(method, &recorded->count);
    recorded->method = method;
    recorded->bars = ALLOCATE(report_bar, recorded->count);
    for (int64_t i = 0; i < recorded->count; i++)
        recorded->bars[i] =
            (report_bar){transfers[i].from,  transfers[i].to, 0, transfers[i].phase, transfers[i].bytes,
                         transfers[i].start, transfers[i].end};
    free(transfers);
    recorded->phases = report_number_phases(recorded->bars, recorded->count);
    recorded->last = method->seconds;
    for (int64_t i = 0; i < method->events; i++)
        recorded->last = fmax(recorded->last, method->event[i].seconds);
    recorded->deepest = find_deepest(recorded->bars, recorded->count);
    report_seconds(method->seconds, seconds);
    recorded->note = trace->bound > 0
                         ? print_text("%s, %.2f times the bound", seconds, method->seconds / trace->bound)
                         : copy_text(seconds);
}

static int by_seconds(const void *first, const void *second) {
    const recorded *a = first, *b = second;
    if (a->method->seconds != b->method->seconds) return a->method->seconds > b->method->seconds ? -1 : 1;
    return (a->method > b->method) - (a->method < b->method);
}

/* ---- sections ------------------------------------------------------------------------------------------ */

/* How much might be under way to each rank, and since when. */
static json_t *windows_of(const recorded *recorded) {
    json_t *rank = json_array(), *time = json_array(), *bytes = json_array();
    for (int64_t i = 0; i < recorded->method->events; i++) {
        const trace_event *event = &recorded->method->event[i];
        if (event->kind != TRACE_WINDOW) continue;
        report_add_count(rank, event->rank);
        report_add_count(time, report_tick(event->seconds, recorded->last));
        report_add_count(bytes, event->bytes);
    }
    return json_pack("{s:o, s:o, s:o}", "rank", rank, "time", time, "bytes", bytes);
}

/* Why there are no bars. */
static const char *reason(const recorded *recorded) {
    if (recorded->count) return "";
    return trace_is_call(recorded->method) ? "Empty: this is one call of MPI, which does not tell what it "
                                             "sends when. Known is how long each "
                                             "rank was in it, which is grey."
                                           : "Empty: no message was recorded.";
}

/* When each rank was in the exchange, its grants and its window. */
static json_t *more_of(const trace *trace, const recorded *recorded) {
    json_t *began = json_array(), *ended = json_array(), *rank = json_array(), *time = json_array();
    double *start = ALLOCATE(double, trace->ranks), *end = ALLOCATE(double, trace->ranks);
    for (int64_t i = 0; i < recorded->method->events; i++) {
        const trace_event *event = &recorded->method->event[i];
        if (event->kind == TRACE_START) start[event->rank] = event->seconds;
        if (event->kind == TRACE_END) end[event->rank] = event->seconds;
        if (event->kind != TRACE_GRANT) continue;
        report_add_count(rank, event->rank);
        report_add_count(time, report_tick(event->seconds, recorded->last));
    }
    for (int i = 0; i < trace->ranks; i++) {
        report_add_number(began, start[i]);
        report_add_number(ended, end[i]);
    }
    free(start);
    free(end);
    return json_pack("{s:o, s:o, s:{s:o, s:o}, s:o, s:o, s:s}", "began", began, "ended", ended, "grants",
                     "rank", rank, "time", time, "windows", windows_of(recorded), "what",
                     json_text(recorded->method->what ? recorded->method->what : ""), "empty",
                     reason(recorded));
}

static json_t *timeline_of(const trace *trace, recorded *recorded) {
    report_panel *panels = ALLOCATE(report_panel, trace->methods);
    for (int i = 0; i < trace->methods; i++)
        panels[i] = (report_panel){.title = recorded[i].method->name,
                                   .note = recorded[i].note,
                                   .bars = recorded[i].bars,
                                   .count = recorded[i].count,
                                   .phases = recorded[i].phases,
                                   .stages = 1,
                                   .seconds = recorded[i].last,
                                   .bound = trace->bound,
                                   .bound_name = "bound",
                                   .more = more_of(trace, &recorded[i])};
    json_t *section = report_timeline(
        "What happened, rank by rank",
        "Each line is a rank, grey while it is in the exchange. A bar is a message on its way to the rank, "
        "from "
        "its sending to its arrival; messages under way at once share the height, so a flooded rank has many "
        "thin long bars. The thin line above is what the rank sends; small ticks below are its grants. A "
        "line across, "
        "where there is one, is the window of the rank: how many bytes may be under way to it.",
        trace->ranks, 1, panels, trace->methods);
    free(panels);
    return section;
}

static json_t *table_row(const trace *trace, const recorded *recorded, double slowest) {
    const trace_method *method = recorded->method;
    json_t *row = json_array();
    char text[UNITS_TEXT], ratio[UNITS_TEXT];
    double under_way = 0;
    for (int64_t i = 0; i < recorded->count; i++)
        under_way += recorded->bars[i].end - recorded->bars[i].start;
    snprintf(ratio, sizeof ratio, "%.2f", method->seconds / trace->bound);
    json_add(row, json_text(method->name));
    json_add(row,
             report_bar_cell(report_seconds(method->seconds, text), method->seconds, slowest, trace->bound));
    json_add(row, trace->bound > 0 ? json_string(ratio) : json_null());
    json_add(row, recorded->count         ? json_integer(recorded->count)
                  : trace_is_call(method) ? json_string("not told")
                                          : json_null());
    json_add(row, recorded->count ? json_integer(recorded->deepest) : json_null());
    json_add(row, recorded->count ? json_string(report_seconds(under_way / (double)recorded->count, text))
                                  : json_null());
    json_add(row, method->what ? json_text(method->what) : json_null());
    return row;
}

static json_t *table_of(const trace *trace, const recorded *recorded) {
    json_t *columns = json_array(), *rows = json_array();
    report_column(columns, REPORT_LEFT, "method", "");
    report_column(columns, REPORT_RIGHT, "time", "One exchange, of the slowest rank.");
    report_column(columns, REPORT_RIGHT, "/ bound", "");
    report_column(columns, REPORT_RIGHT, "messages", "Recorded messages; calls inside MPI are not recorded.");
    report_column(
        columns, REPORT_RIGHT, "most at once",
        "Messages on their way to one rank at the same time: what its port and buffers have to bear.");
    report_column(columns, REPORT_RIGHT, "mean time under way", "From the sending to the arrival.");
    int told = 0;
    for (int i = 0; i < trace->methods; i++) {
        told |= recorded[i].method->what != NULL;
        json_add(rows, table_row(trace, &recorded[i], fmax(recorded[0].method->seconds, trace->bound)));
    }
    if (told)
        report_column(columns, REPORT_LEFT, "what ran",
                      "Plans: algorithm and pacing. MPI: the call, and what MPI was told.");
    json_t *section = page_table("The methods in numbers", columns, rows);
    if (trace->bound > 0) json_put(section, "mark", json_string("the bound"));
    return section;
}

/* ---- the matrix that was moved ------------------------------------------------------------------------- */

static int by_message(const void *first, const void *second) {
    const qdr_message *a = first, *b = second;
    if (a->origin != b->origin) return a->origin < b->origin ? -1 : 1;
    return (a->destination > b->destination) - (a->destination < b->destination);
}

/* From the method that moved the most bytes in most pieces; NULL when nothing was seen. */
static qdr_pattern *pattern_of(const trace *trace, const recorded *recorded) {
    const int64_t limit = INT64_C(1) << 62;
    const struct recorded *most = &recorded[0];
    qdr_pattern *pattern = NULL;
    int64_t count = 0, total = 0;
    for (int i = 1; i < trace->methods; i++)
        if (recorded[i].count > most->count) most = &recorded[i];
    qdr_message *messages = ALLOCATE(qdr_message, most->count);
    for (int64_t i = 0; i < most->count; i++) {
        messages[i] = (qdr_message){most->bars[i].from, most->bars[i].to, most->bars[i].bytes};
        if (most->bars[i].bytes > limit - total) count = -1;
        if (count < 0) break;
        total += most->bars[i].bytes;
    }
    if (most->count && count == 0) {
        qsort(messages, (size_t)most->count, sizeof *messages, by_message);
        for (int64_t i = 0; i < most->count; i++)
            if (count && !by_message(&messages[count - 1], &messages[i]))
                messages[count - 1].items += messages[i].items;
            else
                messages[count++] = messages[i];
        if (qdr_pattern_create(trace->ranks, count, messages, &pattern)) pattern = NULL;
    }
    free(messages);
    return pattern;
}

/* ---- the chapter --------------------------------------------------------------------------------------- */

static void make_chapter(const trace *trace, recorded *recorded, report_chapter *chapter) {
    char slow[UNITS_TEXT], fast[UNITS_TEXT], bound[UNITS_TEXT];
    const trace_method *slowest = recorded[0].method, *fastest = recorded[trace->methods - 1].method;
    report_seconds(slowest->seconds, slow);
    report_seconds(fastest->seconds, fast);
    chapter->title = copy_text(trace->pattern);
    chapter->kind = "recorded";
    char *others = trace->methods > 1 ? print_text(", %s %s", fastest->name, fast) : copy_text("");
    char *least = trace->bound > 0 ? print_text(" The bound is %s.", report_seconds(trace->bound, bound))
                                   : copy_text("");
    char *mpi = trace->mpi ? print_text(" MPI was %s.", trace->mpi) : copy_text("");
    chapter->text = print_text("Recorded on %d rank%s: %s took %s%s.%s%s", trace->ranks,
                               trace->ranks == 1 ? "" : "s", slowest->name, slow, others, least, mpi);
    free(mpi);
    free(others);
    free(least);
    json_add(chapter->sections, table_of(trace, recorded));
    json_add(chapter->sections, timeline_of(trace, recorded));
    qdr_pattern *pattern = pattern_of(trace, recorded);
    if (pattern) json_add(chapter->sections, page_heat("Who sent how much to whom", pattern));
    qdr_pattern_destroy(&pattern);
}

int report_trace(const json_t *root, const char *name, report_chapter *chapter) {
    trace trace;
    int code = trace_from_json(root, name, &trace);
    if (code) return code;
    if (!trace.methods) {
        trace_clear(&trace);
        return complain("%s: the trace has no methods", name);
    }
    recorded *recorded = ALLOCATE(struct recorded, trace.methods);
    progress_say("drawing %.100s", name);
    for (int i = 0; i < trace.methods; i++) prepare(&trace, &trace.method[i], &recorded[i]);
    qsort(recorded, (size_t)trace.methods, sizeof *recorded, by_seconds);
    make_chapter(&trace, recorded, chapter);
    for (int i = 0; i < trace.methods; i++) {
        free(recorded[i].bars);
        free(recorded[i].note);
    }
    free(recorded);
    trace_clear(&trace);
    return code;
}
