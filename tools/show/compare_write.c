/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The comparison as a table and as JSON. Times of a column share one unit, so that they can be compared by
 * eye.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "core/complain.h"
#include "core/json.h"
#include "core/table.h"
#include "core/units.h"

enum { BUILD, PREDICTED, TOTAL, TIMES };

static double time_of(const compare_row *row, int which) {
    return which == BUILD ? row->build : which == PREDICTED ? row->prediction.seconds : row->total;
}

static void find_units(const comparison *comparison, time_unit unit[TIMES]) {
    double *column = ALLOCATE(double, comparison->kept);
    for (int which = 0; which < TIMES; which++) {
        for (int64_t i = 0; i < comparison->kept; i++) column[i] = time_of(&comparison->row[i], which);
        unit[which] = units_for_column(column, comparison->kept);
    }
    free(column);
}

static void put_row(table *table, const comparison *comparison, const compare_row *row,
                    const time_unit *unit) {
    char build[UNITS_TEXT]; /* build times differ by orders of magnitude: each has its own unit */
    table_cell(table, "%s", strchr(row->spec, ':') ? row->spec : row->algorithm);
    table_cell(table, "%s", row->aliases);
    table_cell(table, "%d", row->stages);
    table_cell(table, "%" PRId64, row->phases);
    table_cell(table, "%" PRId64, row->transfers);
    for (int which = 0; which < TIMES; which++) {
        if (which == TOTAL) {
            table_cell(table, "%.2f", row->ratio);
            table_cell(table, row->prediction.max_link_load > 0 ? "%.2f" : "-",
                       row->prediction.max_link_load);
        }
        if (which != PREDICTED && !comparison->measures) continue;
        if (which == BUILD)
            table_cell(table, "%s", units_seconds(row->build, build));
        else
            table_cell(table, "%.2f", time_of(row, which) / unit[which].seconds);
    }
    table_cell(table, "%s%s%s", row->prediction.unsafe ? "unsafe" : "",
               row->prediction.unsafe && row->broken ? ", " : "", row->broken ? "failed the check" : "");
}

static void write_table(const comparison *comparison, FILE *out) {
    time_unit unit[TIMES];
    table table;
    char *headings;
    find_units(comparison, unit);
    if (comparison->measures)
        headings = print_text("<algorithm|<papers|>stages|>phases|>transfers|>S|>C [%s]|>C/bound|>load|"
                              ">S/R+C [%s]|<",
                              unit[PREDICTED].name, unit[TOTAL].name);
    else
        headings = print_text("<algorithm|<papers|>stages|>phases|>transfers|>C [%s]|>C/bound|>load|<",
                              unit[PREDICTED].name);
    table_open(&table, headings);
    for (int64_t i = 0; i < comparison->kept; i++) put_row(&table, comparison, &comparison->row[i], unit);
    table_write(&table, 0, out);
    table_close(&table);
    free(headings);
}

static void write_footer(const comparison *comparison, FILE *out) {
    int staged = 0;
    for (int64_t i = 0; i < comparison->kept; i++) staged |= !comparison->row[i].direct;
    if (staged) {
        char any[UNITS_TEXT];
        fprintf(out, "# several stages: C/bound is taken to the bound of any schedule, %s\n",
                units_seconds(comparison->bounds.any, any));
    }
    for (int64_t i = 0; i < comparison->rows; i++) {
        const compare_row *row = &comparison->row[i];
        if (row->prediction.unsafe && i < comparison->kept)
            fprintf(out,
                    "# %s is unsafe: up to %" PRId64
                    " bytes on their way to one rank, the buffer holds %" PRId64 "\n",
                    row->spec, row->prediction.unconfirmed, qdr_machine_look(comparison->machine)->buffer);
        if (row->ratio < 1 - 1e-6 && i < comparison->kept)
            fprintf(out,
                    "# BELOW THE BOUND: %s is predicted to take %.4f of what nothing can beat, which is a "
                    "mistake of "
                    "the prediction\n",
                    row->spec, row->ratio);
        if (row->broken) fprintf(out, "# %s failed the check: %s\n", row->spec, row->broken);
        if (row->refusal) fprintf(out, "# left out: %s\n", row->refusal);
    }
    if (comparison->checks && comparison->kept) {
        int broken = 0;
        for (int64_t i = 0; i < comparison->kept; i++) broken += comparison->row[i].broken != NULL;
        if (!broken) fprintf(out, "# all %" PRId64 " schedules pass the check\n", comparison->kept);
    }
}

/* Where ranks share hosts: which of the two is what bounds. */
static void write_hosts(const comparison *comparison, FILE *out) {
    char ports[UNITS_TEXT], links[UNITS_TEXT];
    int sharing = qdr_machine_look(comparison->machine)->node_ranks;
    if (sharing > 1)
        fprintf(out, "# hosts of %d ranks: ports of ranks %s; cards of hosts, their memory and links %s\n",
                sharing, units_seconds(comparison->bounds.ports, ports),
                units_seconds(comparison->bounds.link, links));
}

int compare_write_text(const comparison *comparison, FILE *out) {
    const qdr_pattern_statistics *s = &comparison->statistics;
    char bound[UNITS_TEXT];
    fprintf(
        out,
        "# %s: %d rank%s, %" PRId64 " messages, %" PRId64 " bytes, degree %" PRId64 ", traffic %" PRId64 "\n",
        comparison->text, s->ranks, s->ranks == 1 ? "" : "s", s->messages, s->items, s->degree, s->traffic);
    fprintf(out, "# %s: bound of direct schedules %s", qdr_machine_spec(comparison->machine),
            units_seconds(comparison->bounds.direct, bound));
    if (comparison->pacing)
        fprintf(out, "; pacing: %s", *comparison->pacing ? comparison->pacing : "what suits each");
    if (comparison->measures) fprintf(out, "; R = %" PRId64, comparison->reuse);
    fputs("\n", out);
    write_hosts(comparison, out);
    write_table(comparison, out);
    write_footer(comparison, out);
    return EXIT_GOOD;
}

static json_t *json_row(const comparison *comparison, const compare_row *row) {
    json_t *object = json_pack(
        "{s:o, s:i, s:I, s:I, s:o, s:o, s:o, s:o, s:b, s:o}", "algorithm", json_text(row->algorithm),
        "stages", row->stages, "phases", (json_int_t)row->phases, "transfers", (json_int_t)row->transfers,
        "build_seconds", comparison->measures ? json_number_or_null(row->build) : json_null(),
        "predicted_seconds", json_number_or_null(row->prediction.seconds), "ratio_to_bound",
        json_number_or_null(row->ratio), "max_link_load", json_number_or_null(row->prediction.max_link_load),
        "unsafe", row->prediction.unsafe, "spec", json_text(row->spec));
    if (comparison->checks) json_put(object, "correct", json_boolean(!row->broken));
    return object;
}

int compare_write_json(const comparison *comparison, FILE *out) {
    const qdr_pattern_statistics *s = &comparison->statistics;
    json_t *rows = json_array();
    for (int64_t i = 0; i < comparison->kept; i++) json_add(rows, json_row(comparison, &comparison->row[i]));
    json_t *all =
        json_made(json_pack("{s:{s:i, s:I, s:I, s:I, s:I}, s:o, s:f, s:o, s:I, s:f}", "pattern", "ranks",
                            s->ranks, "messages", (json_int_t)s->messages, "bytes", (json_int_t)s->items,
                            "max_degree", (json_int_t)s->degree, "max_traffic", (json_int_t)s->traffic,
                            "machine", json_text(qdr_machine_spec(comparison->machine)), "bound_seconds",
                            comparison->bounds.direct, "schedules", rows, "reuse",
                            (json_int_t)comparison->reuse, "bound_any_seconds", comparison->bounds.any),
                  "the comparison");
    if (comparison->pacing)
        json_put(all, "pacing", json_text(*comparison->pacing ? comparison->pacing : "own"));
    return json_print(all, out);
}
