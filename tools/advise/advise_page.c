/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Advice as a page: what was recorded, the table with bars, the advice, and for the first sites the matrix
 * that took most of their time.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "advise.h"
#include "core/complain.h"
#include "report/page.h"
#include "core/stream.h"
#include "core/units.h"

enum { ROWS = 100, HEAT_MAPS = 8, FRAME = 60 };

static json_t *column(const char *name, int is_number, const char *note) {
    json_t *object = json_pack("{s:s}", "name", name);
    if (is_number) json_put(object, "align", json_string("right"));
    if (note) json_put(object, "note", json_string(note));
    return object;
}

static json_t *columns(void) {
    return json_pack("[o, o, o, o, o, o, o, o, o, o, o]", column("#", 1, NULL),
                     column("call site", 0, "the innermost function that is not MPI's"),
                     column("ranks", 1, "of the communicator"),
                     column("calls", 1, "on all communicators of this size"),
                     column("bytes", 1, "that a call moves between ranks, median"),
                     column("served", 0, "plain: by MPI; paced: by the drop-in library"),
                     column("time", 1, "of one rank in the whole run, mean"), column("of run", 1, NULL),
                     column("waiting", 1, "for ranks that came later: their share of the time"),
                     column("x bound", 1, "time of the exchange over its bound, median by time"),
                     column("gain", 1, "if each plain call took 1.1 times its bound"));
}

static json_t *bar_cell(const char *text, double part, const char *note) {
    json_t *cell = json_pack("{s:o}", "text", json_text(text));
    if (isfinite(part)) json_put(cell, "bar", json_real(part < 0 ? 0 : part > 1 ? 1 : part));
    if (note) json_put(cell, "note", json_text(note));
    return cell;
}

static json_t *percent_cell(double part, int has_bar) {
    char text[32];
    if (!isfinite(part)) return json_null();
    snprintf(text, sizeof text, "%.1f%%", 100 * part);
    return bar_cell(text, has_bar ? part : NAN, NULL);
}

static json_t *row(const advice *advice, int64_t number) {
    const advice_group *group = &advice->group[number];
    char frame[FRAME + 1], bytes[ADVICE_TEXT], served[ADVICE_TEXT], time[UNITS_TEXT], gain[ADVICE_TEXT],
        ratio[32];
    advice_frame(advice, group, frame, FRAME);
    snprintf(ratio, sizeof ratio, "%.2f", group->ratio);
    return json_pack("[I, o, i, I, s, s, s, o, o, o, o]", (json_int_t)number + 1,
                     bar_cell(frame, NAN, advice_site(advice, group)), group->ranks, (json_int_t)group->calls,
                     advice_bytes((double)group->bytes_median, bytes), advice_served(group, served),
                     units_seconds(group->seconds, time), percent_cell(group->share, 1),
                     percent_cell(group->seconds > 0 ? group->waiting / group->seconds : NAN, 0),
                     isfinite(group->ratio) ? json_string(ratio) : json_null(),
                     group->gain > 0
                         ? bar_cell(advice_gain(group, gain), group->gain / advice->group[0].gain, NULL)
                         : json_null());
}

static json_t *table_section(const advice *advice) {
    json_t *rows = json_array();
    for (int64_t i = 0; i < advice->groups && i < ROWS; i++) json_add(rows, row(advice, i));
    return page_table("Call sites, those with most to gain first", columns(), rows);
}

static json_t *summary_section(const advice *advice) {
    char *method = advice_method(advice);
    memory_stream memory;
    FILE *text = memory_open(&memory);
    fprintf(
        text,
        "What a rank spends in a call is the exchange itself and waiting for ranks that come later. Only the "
        "exchange can be scheduled; it is compared with a bound that no order of messages can beat. Here %s.",
        method);
    for (int i = 0; i < advice->notes; i++) fprintf(text, "\n\nNote: %s.", advice->note[i]);
    if (!memory_close(&memory)) exit(complain("out of memory"));
    json_t *section = page_text("What was recorded", memory.bytes);
    free(memory.bytes);
    free(method);
    return section;
}

static json_t *advice_section(const advice *advice, int64_t number) {
    const advice_group *group = &advice->group[number];
    char frame[FRAME + 1];
    advice_frame(advice, group, frame, FRAME);
    char *heading = print_text("%" PRId64 ". %s", number + 1, frame);
    char *text = print_text("%s, %d ranks: %s", advice->record->site[group->site].call, group->ranks,
                            advice_site(advice, group));
    json_t *section = page_chapter(heading, text);
    free(heading);
    free(text);
    return section;
}

/* NULL when the pattern cannot be made; then the page goes without. */
static json_t *heat_section(const advice *advice, const advice_group *group) {
    const advice_heavy *heavy = &group->heavy_pattern[0];
    const advice_pattern *of = &advice->pattern[heavy->pattern];
    char bytes[ADVICE_TEXT], seconds[UNITS_TEXT];
    qdr_pattern *pattern = NULL;
    if (of->bytes == 0 || record_pattern(advice->record, of->comm, of->call, &pattern)) return NULL;
    char *heading = print_text(
        "Its heaviest pattern, in %" PRId64 " of %" PRId64 " calls: %" PRId64 " messages, %s, %s each time",
        heavy->calls, group->calls, of->messages, advice_bytes((double)of->bytes, bytes),
        units_seconds(heavy->seconds / (double)heavy->calls, seconds));
    json_t *section = page_heat(heading, pattern);
    qdr_pattern_destroy(&pattern);
    free(heading);
    return section;
}

/* The first site with the same heaviest pattern. */
static int64_t first_with_pattern(const advice *advice, int64_t number) {
    int64_t first = 0;
    while (advice->group[first].heavy_pattern[0].pattern != advice->group[number].heavy_pattern[0].pattern)
        first++;
    return first;
}

static void add_site(const advice *advice, int64_t number, json_t *sections) {
    const advice_group *group = &advice->group[number];
    int64_t first = number < HEAT_MAPS ? first_with_pattern(advice, number) : number;
    json_add(sections, advice_section(advice, number));
    char *text = first < number ? print_text("%s\n\nIts heaviest pattern is that of site %" PRId64 ".",
                                             group->sentence, first + 1)
                                : copy_text(group->sentence);
    json_add(sections, page_text("Advice", text));
    if (group->how[0]) json_add(sections, page_text("How", group->how));
    json_t *heat = number < HEAT_MAPS && first == number ? heat_section(advice, group) : NULL;
    if (heat) json_add(sections, heat);
    free(text);
}

int advice_write_page(const advice *advice, const char *file) {
    json_t *sections = json_array();
    char *title = advice_title(advice);
    json_add(sections, summary_section(advice));
    json_add(sections, table_section(advice));
    for (int64_t i = 0; i < advice->groups && i < ROWS; i++) add_site(advice, i, sections);
    int code = page_save("Exchanges: where time goes", title, sections, file);
    free(title);
    return code;
}
