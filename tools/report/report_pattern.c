/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The chapter of a pattern: its numbers, its matrix, and what the algorithms make of it on a machine. Every
 * algorithm is built and predicted once; its phases become one row of a chart at once, and its steps are kept
 * only while it may still be drawn as a timeline: those asked for, or the fastest.
 */
#include <stdlib.h>
#include <string.h>

#include "core/complain.h"
#include "core/input.h"
#include "core/progress.h"
#include "report.h"

enum { MOST_TIMELINES = 4 };

typedef struct candidate {
    char *spec, *refusal; /* refusal: why there is no schedule */
    int order;
    qdr_schedule_info info; /* its texts: `name` and the table of algorithms */
    char *name, *aliases;
    qdr_prediction prediction;
    double bound;
    report_bar *bars; /* NULL: not kept */
    int64_t count, phases;
    json_t *row;
} candidate;

typedef struct study {
    const char *text;
    qdr_pattern *pattern;
    qdr_machine *machine;
    qdr_pattern_statistics statistics;
    qdr_bounds bounds;
    candidate *candidate;
    int candidates, asked, kept;
} study;

/* ---- one algorithm ------------------------------------------------------------------------------------- */

static report_bar *bars_of(const qdr_step *steps, int64_t count) {
    report_bar *bars = ALLOCATE(report_bar, count);
    for (int64_t i = 0; i < count; i++)
        bars[i] = (report_bar){steps[i].from,  steps[i].to,    steps[i].stage, steps[i].phase,
                               steps[i].items, steps[i].start, steps[i].end};
    return bars;
}

static qdr_status predict(const study *study, const qdr_schedule *schedule, candidate *candidate) {
    const qdr_algorithm_info *algorithm;
    qdr_step *steps = NULL;
    int64_t count;
    qdr_status status = qdr_schedule_look(schedule, &candidate->info);
    if (!status) status = qdr_schedule_steps(schedule, &count, &steps);
    if (!status) status = qdr_schedule_predict(schedule, study->machine, 1, steps, &candidate->prediction);
    if (!status) {
        candidate->name =
            copy_text(strchr(candidate->spec, ':') ? candidate->spec : candidate->info.algorithm);
        candidate->aliases =
            copy_text(qdr_algorithm_find(candidate->info.algorithm, &algorithm) ? "" : algorithm->aliases);
        candidate->bound = candidate->info.direct ? study->bounds.direct : study->bounds.any;
        candidate->bars = bars_of(steps, count);
        candidate->count = count;
        candidate->phases = report_number_phases(candidate->bars, count);
        candidate->row = report_phases_row(candidate->name, candidate->bars, count, candidate->phases,
                                           candidate->prediction.seconds, candidate->bound);
    }
    free(steps);
    return status;
}

static qdr_status evaluate(const study *study, candidate *candidate) {
    qdr_schedule *schedule = NULL;
    qdr_status status = qdr_schedule_create(study->pattern, candidate->spec, study->machine, &schedule);
    if (!status) status = predict(study, schedule, candidate);
    qdr_schedule_destroy(&schedule);
    return status;
}

static void drop_bars(candidate *candidate) {
    free(candidate->bars);
    candidate->bars = NULL;
}

/* ---- all of them --------------------------------------------------------------------------------------- */

static void add_candidate(study *study, char *spec) {
    study->candidate = reallocate(study->candidate, study->candidates + 1, sizeof *study->candidate);
    study->candidate[study->candidates] = (candidate){.spec = spec, .order = study->candidates};
    study->candidates++;
}

static void choose_candidates(const arguments *arguments, study *study) {
    const qdr_algorithm_info *info;
    const char *text;
    char *name;
    for (int i = 0; (text = argument_nth(arguments, "algorithm", i)); i++)
        while ((name = next_name(&text))) add_candidate(study, name);
    study->asked = study->candidates;
    int has_nodes = qdr_machine_look(study->machine)->node_ranks > 1;
    for (int i = 0; !study->asked && (info = qdr_algorithm(i)); i++)
        if (!info->at_run_time && (has_nodes || !info->by_nodes)) add_candidate(study, copy_text(info->name));
}

static int is_faster(const candidate *a, const candidate *b) {
    return !b || a->prediction.seconds < b->prediction.seconds;
}

/* One that was asked for must work; of the whole table, one that refuses the pattern is left out. */
static int evaluate_all(study *study) {
    candidate *best = NULL;
    for (int i = 0; i < study->candidates; i++) {
        candidate *candidate = &study->candidate[i];
        progress_say("%d of %d: %s", i + 1, study->candidates, candidate->spec);
        qdr_status status = evaluate(study, candidate);
        if (status && study->asked) return complain_library();
        if (status) {
            candidate->refusal = copy_text(qdr_error_message());
            continue;
        }
        study->kept++;
        if (study->asked ? i >= MOST_TIMELINES : !is_faster(candidate, best)) drop_bars(candidate);
        if (study->asked || !is_faster(candidate, best)) continue;
        if (best) drop_bars(best);
        best = candidate;
    }
    return EXIT_GOOD;
}

/* The fastest first, those that were refused last; ties in the order of the table. */
static int by_seconds(const void *first, const void *second) {
    const candidate *a = first, *b = second;
    if (!a->refusal != !b->refusal) return a->refusal ? 1 : -1;
    if (a->prediction.seconds != b->prediction.seconds)
        return a->prediction.seconds < b->prediction.seconds ? -1 : 1;
    return a->order - b->order;
}

/* ---- sections ------------------------------------------------------------------------------------------ */

static json_t *facts_of(const study *study) {
    const qdr_pattern_statistics *s = &study->statistics;
    json_t *facts = json_array();
    char one[UNITS_TEXT];
    report_fact(facts, "ranks", "", "%s", report_count(s->ranks, one));
    report_fact(facts, "messages", "between different ranks", "%s", report_count(s->messages, one));
    report_fact(facts, "density", "of all pairs of ranks", "%.3g %%", 100 * s->density);
    report_fact(facts, "class", "", "%s", qdr_pattern_class_text(s->kind));
    report_fact(facts, "bytes", "in all messages", "%s", report_bytes(s->items, one));
    if (s->local_items > 0)
        report_fact(facts, "local bytes", "copies inside a rank", "%s", report_bytes(s->local_items, one));
    report_fact(facts, "smallest message", "", "%s", report_bytes(s->smallest, one));
    report_fact(facts, "largest message", s->uniform && s->messages ? "all have the same size" : "", "%s",
                report_bytes(s->largest, one));
    report_fact(facts, "most messages out", "of one rank: fan-out f", "%s", report_count(s->fan_out, one));
    report_fact(facts, "most messages in", "into one rank: fan-in g", "%s", report_count(s->fan_in, one));
    report_fact(facts, "degree", "max(f, g): the fewest phases", "%s", report_count(s->degree, one));
    report_fact(facts, "most bytes out", "of one rank: r", "%s", report_bytes(s->out_traffic, one));
    report_fact(facts, "most bytes in", "into one rank: c", "%s", report_bytes(s->in_traffic, one));
    report_fact(facts, "traffic", "max(r, c): through the busiest port", "%s", report_bytes(s->traffic, one));
    report_fact(facts, "direct bound", "no direct schedule is faster", "%s",
                report_seconds(study->bounds.direct, one));
    if (qdr_machine_look(study->machine)->node_ranks > 1) {
        report_fact(facts, "bound of ports", "of ranks: direct schedules", "%s",
                    report_seconds(study->bounds.ports, one));
        report_fact(facts, "bound of hosts", "cards, memory and links of hosts: direct schedules", "%s",
                    report_seconds(study->bounds.link, one));
    }
    report_fact(facts, "bound of all", "no schedule at all is faster", "%s",
                report_seconds(study->bounds.any, one));
    return page_facts("The pattern in numbers", facts);
}

static const char *remark(const candidate *candidate) {
    return candidate->prediction.unsafe ? "unsafe: more bytes under way to one rank than buffers hold" : "";
}

/* Schedules of several stages have another bound than direct ones, and both are in this study. */
static int has_two_bounds(const study *study) {
    int direct = 0, staged = 0;
    for (int i = 0; i < study->kept; i++) {
        direct |= study->candidate[i].info.direct;
        staged |= !study->candidate[i].info.direct;
    }
    return direct && staged && study->bounds.any < study->bounds.direct;
}

static const char *bound_name(const study *study, const candidate *candidate) {
    return !has_two_bounds(study) ? "bound" : candidate->info.direct ? "direct bound" : "bound of all";
}

static json_t *ratio_cell(const candidate *candidate, double bound) {
    char text[UNITS_TEXT];
    snprintf(text, sizeof text, "%.2f", bound > 0 ? candidate->prediction.seconds / bound : 1);
    return json_string(text);
}

static json_t *table_row(const study *study, const candidate *candidate, double slowest, int unsafe) {
    json_t *row = json_array();
    char text[UNITS_TEXT];
    json_add(row, json_text(candidate->name));
    json_add(row, json_text(candidate->aliases));
    report_add_count(row, candidate->info.stages);
    report_add_count(row, candidate->phases);
    report_add_count(row, candidate->count);
    json_add(row, report_bar_cell(report_seconds(candidate->prediction.seconds, text),
                                  candidate->prediction.seconds, slowest, candidate->bound));
    if (has_two_bounds(study)) {
        json_add(row, candidate->info.direct ? ratio_cell(candidate, study->bounds.direct) : json_null());
        json_add(row, ratio_cell(candidate, study->bounds.any));
    } else
        json_add(row, ratio_cell(candidate, candidate->bound));
    if (unsafe) json_add(row, json_string(remark(candidate)));
    return row;
}

static json_t *table_of(const study *study) {
    json_t *columns = json_array(), *rows = json_array();
    const candidate *best = &study->candidate[0];
    double slowest = study->candidate[study->kept - 1].prediction.seconds,
           ratio = best->bound > 0 ? best->prediction.seconds / best->bound : 1;
    int unsafe = 0;
    report_column(columns, REPORT_LEFT, "algorithm", "");
    report_column(columns, REPORT_LEFT, "papers", "Its names in the papers.");
    report_column(columns, REPORT_RIGHT, "stages", "Data is forwarded between stages; one stage is direct.");
    report_column(columns, REPORT_RIGHT, "phases", "That are not empty.");
    report_column(columns, REPORT_RIGHT, "transfers", "");
    report_column(columns, REPORT_RIGHT, "predicted time", "");
    if (has_two_bounds(study)) {
        report_column(columns, REPORT_RIGHT, "/ direct bound",
                      "Of schedules with one stage. No direct schedule is faster than this bound.");
        report_column(columns, REPORT_RIGHT, "/ bound of all",
                      "No schedule at all is faster than this bound.");
    } else
        report_column(columns, REPORT_RIGHT, "/ bound", "");
    for (int i = 0; i < study->kept; i++) unsafe |= study->candidate[i].prediction.unsafe;
    if (unsafe) report_column(columns, REPORT_LEFT, "remark", "");
    for (int i = 0; i < study->kept; i++)
        json_add(rows, table_row(study, &study->candidate[i], slowest, unsafe));
    char *heading =
        study->kept == 1
            ? print_text("%s: %.2f times the bound", best->name, ratio)
            : print_text("%d algorithms compared: %s is predicted to be the fastest, %.2f times the %s",
                         study->kept, best->name, ratio, bound_name(study, best));
    json_t *section = page_table(heading, columns, rows);
    json_put(section, "mark",
             json_string(has_two_bounds(study)
                             ? "the bound: the direct one for one stage, that of all for several"
                             : "the bound"));
    free(heading);
    return section;
}

static void add_bound(json_t *list, const char *name, double seconds) {
    if (seconds > 0) json_add(list, json_pack("{s:s, s:f}", "name", name, "seconds", seconds));
}

static json_t *phases_of(study *study) {
    json_t *rows = json_array(), *bounds = json_array();
    double slowest = study->candidate[study->kept - 1].prediction.seconds;
    int two = has_two_bounds(study);
    for (int i = 0; i < study->kept; i++) {
        json_t *row = study->candidate[i].row;
        if (two) json_put(row, "against", json_string(bound_name(study, &study->candidate[i])));
        json_add(rows, row);
        study->candidate[i].row = NULL;
    }
    if (two) add_bound(bounds, "bound of all", study->bounds.any);
    add_bound(bounds, two ? "direct bound" : "bound", two ? study->bounds.direct : study->candidate[0].bound);
    if (study->bounds.direct > slowest) slowest = study->bounds.direct;
    return json_pack(
        "{s:s, s:s, s:s, s:f, s:o, s:o}", "kind", "phases", "heading",
        "What each phase adds, against the bound", "text",
        "Each row is a schedule, each segment the time that one more phase adds to it; phases "
        "overlap, because ranks do not wait for one another. Dashed lines are bounds, times that "
        "the wires need in any case.",
        "seconds", slowest, "bounds", bounds, "rows", rows);
}

static char *panel_note(const study *study, const candidate *candidate) {
    char seconds[UNITS_TEXT];
    report_seconds(candidate->prediction.seconds, seconds);
    if (!(candidate->bound > 0)) return print_text("%s", seconds);
    return print_text("%s, %.2f times the %s", seconds, candidate->prediction.seconds / candidate->bound,
                      bound_name(study, candidate));
}

static json_t *timeline_of(const study *study) {
    report_panel panels[MOST_TIMELINES];
    char *notes[MOST_TIMELINES];
    int count = 0;
    for (int order = 0; order < study->candidates; order++)
        for (int i = 0; i < study->kept; i++) {
            candidate *candidate = &study->candidate[i];
            if (candidate->order != order || !candidate->bars) continue;
            notes[count] = panel_note(study, candidate);
            panels[count] = (report_panel){.title = candidate->name,
                                           .note = notes[count],
                                           .bars = candidate->bars,
                                           .count = candidate->count,
                                           .phases = candidate->phases,
                                           .stages = candidate->info.stages,
                                           .seconds = candidate->prediction.seconds,
                                           .bound = candidate->bound,
                                           .bound_name = bound_name(study, candidate)};
            count++;
        }
    json_t *section = report_timeline(count == 1 ? "The schedule in time, as predicted"
                                                 : "The schedules in time, as predicted",
                                      "Each line is a rank; the upper bars are what it sends, the lower ones "
                                      "what it receives. Empty places are "
                                      "waiting. Hover over a bar to see partner, bytes and phase.",
                                      study->statistics.ranks, 0, panels, count);
    while (count > 0) free(notes[--count]);
    return section;
}

static json_t *refusals_of(const study *study) {
    char *text = copy_text("");
    for (int i = study->kept; i < study->candidates; i++) {
        char *longer = print_text("%s%s%s.", text, text[0] ? "\n\n" : "", study->candidate[i].refusal);
        free(text);
        text = longer;
    }
    json_t *section = page_text("Algorithms that were left out", text);
    free(text);
    return section;
}

/* ---- the chapter --------------------------------------------------------------------------------------- */

static void add_heading(const study *study, report_chapter *chapter) {
    const qdr_pattern_statistics *s = &study->statistics;
    char ranks[UNITS_TEXT], messages[UNITS_TEXT], size[UNITS_TEXT], bound[UNITS_TEXT];
    report_count(s->ranks, ranks);
    chapter->title = copy_text(study->text);
    chapter->kind = "predicted";
    chapter->text =
        s->messages == 0
            ? print_text("%s rank%s, and no message between different ones: there is nothing to schedule.",
                         ranks, s->ranks == 1 ? "" : "s")
            : print_text(
                  "%s rank%s, %s message%s, %s in all. On %s no direct schedule can exchange them in less "
                  "than %s.",
                  ranks, s->ranks == 1 ? "" : "s", report_count(s->messages, messages),
                  s->messages == 1 ? "" : "s", report_bytes(s->items, size), qdr_machine_spec(study->machine),
                  report_seconds(study->bounds.direct, bound));
}

static int add_sections(study *study, report_chapter *chapter) {
    json_t *choice;
    add_heading(study, chapter);
    json_add(chapter->sections, facts_of(study));
    json_add(chapter->sections, page_heat("Who sends how much to whom", study->pattern));
    if (study->statistics.messages == 0) return EXIT_GOOD;
    int code = report_choice(study->pattern, study->machine, study->bounds.direct, &choice);
    if (code) return code;
    json_add(chapter->sections, table_of(study));
    json_add(chapter->sections, choice);
    json_add(chapter->sections, phases_of(study));
    json_add(chapter->sections, timeline_of(study));
    if (study->kept < study->candidates) json_add(chapter->sections, refusals_of(study));
    return EXIT_GOOD;
}

static int make_chapter(const arguments *arguments, study *study, report_chapter *chapter) {
    qdr_pattern_measure(study->pattern, &study->statistics);
    if (qdr_bounds_compute(study->pattern, study->machine, 1, &study->bounds)) return complain_library();
    choose_candidates(arguments, study);
    int code = evaluate_all(study);
    if (code) return code;
    if (!study->kept) return complain("no algorithm takes the pattern '%.200s'", study->text);
    qsort(study->candidate, (size_t)study->candidates, sizeof *study->candidate, by_seconds);
    progress_say("drawing");
    return add_sections(study, chapter);
}

int report_pattern(const arguments *arguments, const char *text, report_chapter *chapter) {
    study study = {.text = text};
    int code = input_pattern(arguments, text, &study.pattern);
    if (!code)
        code =
            input_machine(arguments, default_machine, qdr_pattern_look(study.pattern).ranks, &study.machine);
    if (!code) code = make_chapter(arguments, &study, chapter);
    for (int i = 0; i < study.candidates; i++) {
        free(study.candidate[i].spec);
        free(study.candidate[i].refusal);
        free(study.candidate[i].name);
        free(study.candidate[i].aliases);
        free(study.candidate[i].bars);
        json_decref(study.candidate[i].row);
    }
    free(study.candidate);
    qdr_machine_destroy(&study.machine);
    qdr_pattern_destroy(&study.pattern);
    return code;
}
