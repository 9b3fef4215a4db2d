/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Transfers as the page draws them: one list per property, times as whole numbers of a millionth of the time
 * axis, which no screen can tell apart, so that a bar costs some 25 bytes of the file.
 *
 * A page with millions of bars would take long to load and show nothing more, so then the lanes of the first
 * ranks alone are drawn, each complete with all it sends and receives.
 *
 * Phases overlap in time, because ranks are loosely synchronous. What a phase *adds* is the time between the
 * end of all phases before it and the end of them and itself; so the parts of all phases add up to the whole.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/complain.h"
#include "report.h"

enum { MOST_BARS = 250000, MOST_SEGMENTS = 2048 };
static const double ticks = 1e6; /* of an axis */

static double unit_of(double whole) {
    return whole > 0 ? whole / ticks : 1;
}

/* Clocks that are wildly off must not leave the numbers of the page. */
int64_t report_tick(double seconds, double whole) {
    const double most = 1 << 30;
    return llround(fmax(-most, fmin(most, seconds / unit_of(whole))));
}

/* ---- phases -------------------------------------------------------------------------------------------- */

static int by_phase(const void *first, const void *second) {
    const report_bar *a = first, *b = second;
    if (a->stage != b->stage) return a->stage < b->stage ? -1 : 1;
    if (a->phase != b->phase) return a->phase < b->phase ? -1 : 1;
    if (a->from != b->from) return a->from < b->from ? -1 : 1;
    if (a->to != b->to) return a->to < b->to ? -1 : 1;
    return (a->start > b->start) - (a->start < b->start);
}

int64_t report_number_phases(report_bar *bars, int64_t count) {
    int64_t number = -1, before = 0;
    int stage = 0;
    if (count > 0) qsort(bars, (size_t)count, sizeof *bars, by_phase);
    for (int64_t i = 0; i < count; i++) {
        if (i == 0 || bars[i].stage != stage || bars[i].phase != before) number++;
        stage = bars[i].stage;
        before = bars[i].phase;
        bars[i].phase = number;
    }
    return number + 1;
}

json_t *report_phases_row(const char *name, const report_bar *bars, int64_t count, int64_t phases,
                          double seconds, double bound) {
    int64_t each = (phases + MOST_SEGMENTS - 1) / MOST_SEGMENTS, bytes = 0, transfers = 0;
    json_t *first = json_array(), *ends = json_array(), *sizes = json_array(), *counts = json_array();
    double end = 0;
    for (int64_t i = 0; i < count; i++) {
        end = fmax(end, bars[i].end);
        bytes = bars[i].bytes > INT64_MAX - bytes ? INT64_MAX : bytes + bars[i].bytes;
        transfers++;
        if (i + 1 < count && bars[i].phase / each == bars[i + 1].phase / each) continue;
        report_add_count(first, bars[i].phase / each * each);
        report_add_count(ends, report_tick(end, seconds));
        report_add_count(sizes, bytes);
        report_add_count(counts, transfers);
        bytes = transfers = 0;
    }
    report_add_count(first, phases);
    return json_pack("{s:o, s:f, s:f, s:f, s:I, s:o, s:o, s:o, s:o}", "name", json_text(name), "unit",
                     unit_of(seconds), "seconds", seconds, "bound", bound, "phases", (json_int_t)phases,
                     "first", first, "end", ends, "bytes", sizes, "transfers", counts);
}

/* ---- timelines ----------------------------------------------------------------------------------------- */

/* How many ranks have a lane, so that no panel has too many bars. */
static int count_lanes(const report_panel *panel, int ranks) {
    int64_t *touching = ALLOCATE(int64_t, ranks), sum = 0;
    int lanes = 0;
    for (int64_t i = 0; i < panel->count; i++) {
        const report_bar *bar = &panel->bars[i];
        touching[bar->from < bar->to ? bar->from : bar->to]++;
    }
    while (lanes < ranks && (lanes == 0 || sum + touching[lanes] <= MOST_BARS)) sum += touching[lanes++];
    free(touching);
    return lanes;
}

enum { STAGE = 6, LISTS };
static const char *const list_names[LISTS] = {"from", "to", "start", "end", "phase", "bytes", "stage"};

static json_t *panel_of(const report_panel *panel, int lanes) {
    double whole = panel->seconds;
    int lists = panel->stages > 1 ? LISTS : STAGE;
    json_t *made =
        json_pack("{s:o, s:o, s:f, s:I}", "title", json_text(panel->title), "note", json_text(panel->note),
                  "unit", unit_of(whole), "phases", (json_int_t)panel->phases);
    json_t *list[LISTS];
    for (int k = 0; k < lists; k++) json_put(made, list_names[k], list[k] = json_array());
    for (int64_t i = 0; i < panel->count; i++) {
        const report_bar *bar = &panel->bars[i];
        int64_t value[LISTS] = {
            bar->from,  bar->to,   report_tick(bar->start, whole), report_tick(bar->end, whole), bar->phase,
            bar->bytes, bar->stage};
        if (bar->from >= lanes && bar->to >= lanes) continue;
        for (int k = 0; k < lists; k++) report_add_count(list[k], value[k]);
    }
    if (panel->bound > 0)
        json_put(made, "bound", json_pack("{s:s, s:f}", "name", panel->bound_name, "seconds", panel->bound));
    if (panel->more) json_join(made, panel->more);
    return made;
}

json_t *report_timeline(const char *heading, const char *text, int ranks, int measured, report_panel *panels,
                        int count) {
    json_t *list = json_array();
    double seconds = 0;
    int lanes = ranks;
    for (int i = 0; i < count; i++) {
        int most = count_lanes(&panels[i], ranks);
        lanes = most < lanes ? most : lanes;
        seconds = fmax(seconds, fmax(panels[i].seconds, panels[i].bound));
    }
    for (int i = 0; i < count; i++) json_add(list, panel_of(&panels[i], lanes));
    char *all = lanes == ranks ? copy_text(text)
                               : print_text("%s Of %d ranks, the first %d are shown.", text, ranks, lanes);
    json_t *section = json_pack("{s:s, s:o, s:o, s:i, s:i, s:b, s:f, s:o}", "kind", "timeline", "heading",
                                json_text(heading), "text", json_text(all), "ranks", ranks, "lanes", lanes,
                                "measured", measured, "seconds", seconds, "panels", list);
    free(all);
    return section;
}
