/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What was measured, as a table and as JSON; the fastest method first. Times of the table share one unit.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "bench.h"
#include "core/complain.h"
#include "core/json.h"
#include "core/table.h"
#include "core/units.h"

/* ---- in order ------------------------------------------------------------------------------------------ */

static int by_median(const void *first, const void *second) {
    const bench_method *a = *(const bench_method *const *)first, *b = *(const bench_method *const *)second;
    double one = bench_median(a), other = bench_median(b);
    if (one != other) return one < other ? -1 : 1;
    return a < b ? -1 : 1;
}

static const bench_method **sort_methods(const bench *bench, int *count) {
    const bench_method **sorted = ALLOCATE(const bench_method *, bench->methods);
    *count = 0;
    for (int i = 0; i < bench->methods; i++)
        if (!bench->method[i].refusal) sorted[(*count)++] = &bench->method[i];
    qsort(sorted, (size_t)*count, sizeof *sorted, by_median);
    return sorted;
}

int bench_is_passed_on(const bench_method *method) {
    const qdr_algorithm_info *info;
    const char *name = method->info.algorithm;
    return method->kind == &bench_plan && name && !qdr_algorithm_find(name, &info) && !info->direct;
}

static double ratio_to_bound(const bench *bench, const bench_method *method) {
    double bound = bench_is_passed_on(method) ? bench->any_bound : bench->bound;
    return bound > 0 ? bench_median(method) / bound : NAN;
}

static double ratio_to(double seconds, double other) {
    return other > 0 ? seconds / other : 1;
}

/* ---- text ---------------------------------------------------------------------------------------------- */

static time_unit unit_of(const bench_method **sorted, int count) {
    double *median = ALLOCATE(double, count);
    for (int i = 0; i < count; i++) median[i] = bench_median(sorted[i]);
    time_unit unit = units_for_column(median, count);
    free(median);
    return unit;
}

static int uses_memory(const qdr_plan_info *info) {
    return info->near_out + info->near_in > 0;
}

static void put_note(table *table, const bench_method *method) {
    if (method->kind->call) {
        char *choice = bench_mpi_choice();
        table_cell(table, "%s", choice ? choice : "MPI's own choice");
        free(choice);
    } else if (method->kind != &bench_plan)
        table_cell(table, "%s", "");
    else if (!method->algorithm)
        table_cell(table, "%s, %s%s", method->info.algorithm, method->info.pacing,
                   uses_memory(&method->info) ? ", the node's memory" : "");
    else
        table_cell(table, "%s", method->chosen ? "chosen" : "");
}

static void write_table(const bench *bench, FILE *out) {
    int count;
    const bench_method **sorted = sort_methods(bench, &count);
    time_unit unit = unit_of(sorted, count);
    char *headings = print_text("<method|>median [%s]|>min|>max|>/fastest|>/bound|<", unit.name);
    table table;
    table_open(&table, headings);
    for (int i = 0; i < count; i++) {
        const bench_method *method = sorted[i];
        double ratio = ratio_to_bound(bench, method);
        table_cell(&table, "%s", method->name);
        table_cell(&table, "%.3f", bench_median(method) / unit.seconds);
        table_cell(&table, "%.3f", method->seconds[0] / unit.seconds);
        table_cell(&table, "%.3f", method->seconds[method->samples - 1] / unit.seconds);
        table_cell(&table, "%.2f", ratio_to(bench_median(method), bench_median(sorted[0])));
        table_cell(&table, isnan(ratio) ? "-" : "%.2f", ratio);
        put_note(&table, method);
    }
    table_write(&table, 0, out);
    table_close(&table);
    free(headings);
    free(sorted);
}

static void write_heading(const bench *bench, FILE *out) {
    const qdr_pattern_statistics *s = &bench->statistics;
    char bound[UNITS_TEXT], rate[UNITS_TEXT];
    fprintf(out,
            "# %s: %d rank%s, %" PRId64 " messages, %" PRId64 " bytes, degree %" PRId64 ", traffic %" PRId64
            "\n",
            bench->text, s->ranks, s->ranks == 1 ? "" : "s", s->messages, s->items * bench->item_bytes,
            s->degree, s->traffic * bench->item_bytes);
    fprintf(out, "# %" PRId64 " repetition%s, contents %s", bench->repeat, bench->repeat == 1 ? "" : "s",
            bench->wrong ? "WRONG" : "verified");
    if (isnan(bench->bound))
        fputs("; no bound\n", out);
    else if (bench->rate > 0)
        fprintf(out, "; wire bound at %s %s\n", units_rate(bench->rate, rate),
                units_seconds(bench->bound, bound));
    else
        fprintf(out, "; bound on %s %s\n", qdr_machine_spec(bench->machine),
                units_seconds(bench->bound, bound));
    char *mpi = bench_mpi_told();
    fprintf(out, "# %s\n", mpi);
    free(mpi);
}

/* With a machine the two bounds differ. */
static void write_other_bound(const bench *bench, FILE *out) {
    char bound[UNITS_TEXT];
    int passes_on = 0;
    for (int i = 0; i < bench->methods; i++)
        passes_on |= !bench->method[i].refusal && bench_is_passed_on(&bench->method[i]);
    if (passes_on && bench->any_bound > 0 && bench->any_bound < bench->bound)
        fprintf(out, "# several stages: /bound is taken to the bound of any schedule, %s\n",
                units_seconds(bench->any_bound, bound));
}

/* Simulated, ranks have done what the machine cannot; measured, the machine is another one. */
static void write_below(const bench *bench, FILE *out) {
    const double slack = 0.001; /* for rounding */
    const qdr_machine_parameters *p = bench->machine ? qdr_machine_look(bench->machine) : NULL;
    const char *hint =
        p && p->sends == QDR_SENDS_SYNCHRONOUS ? "; its sends are synchronous: --pacing turns" : "";
    for (int i = 0; i < bench->methods; i++) {
        const bench_method *method = &bench->method[i];
        double ratio = method->refusal ? NAN : ratio_to_bound(bench, method);
        if (ratio < 1 - slack)
            fprintf(out, "# BELOW THE BOUND: %s took %.2f of the time that nothing can beat on %s%s\n",
                    method->name, ratio, bench->rate > 0 ? "that wire" : qdr_machine_spec(bench->machine),
                    hint);
    }
}

int bench_write_text(const bench *bench, FILE *out) {
    write_heading(bench, out);
    write_table(bench, out);
    write_other_bound(bench, out);
    write_below(bench, out);
    for (int i = 0; i < bench->methods; i++) {
        const bench_method *method = &bench->method[i];
        if (method->refusal) {
            fprintf(out, "# left out: %s: %s\n", method->name, method->refusal);
            continue;
        }
        if (bench->explain && method->kind == &bench_plan)
            fprintf(out, "# %s: %s; chunk %" PRId64 ", window %" PRId64 "\n", method->name, method->info.why,
                    method->info.chunk, method->info.window);
        if (method->samples < bench->repeat)
            fprintf(out, "# %s: %" PRId64 " repetitions in the time there was\n", method->name,
                    method->samples);
    }
    if (bench->wrong) fprintf(out, "# wrong contents: %s\n", bench->wrong);
    return EXIT_GOOD;
}

/* ---- JSON ---------------------------------------------------------------------------------------------- */

static json_t *json_samples(const bench_method *method) {
    json_t *samples = json_array();
    for (int64_t i = 0; i < method->samples; i++) json_add(samples, json_real(method->ran[i]));
    return samples;
}

static json_t *json_method(const bench *bench, const bench_method *method, double fastest) {
    const qdr_plan_info *info = &method->info;
    double median = bench_median(method);
    json_t *object =
        json_pack("{s:o, s:f, s:f, s:f, s:o, s:b, s:f, s:I, s:f, s:o}", "method", json_text(method->name),
                  "median_seconds", median, "min_seconds", method->seconds[0], "max_seconds",
                  method->seconds[method->samples - 1], "ratio_to_bound",
                  json_number_or_null(ratio_to_bound(bench, method)), "chosen", method->chosen,
                  "ratio_to_fastest", ratio_to(median, fastest), "repetitions", (json_int_t)method->samples,
                  "first", method->first, "samples", json_samples(method));
    char *what = bench_what(method);
    json_put(object, "what", json_text(what));
    free(what);
    if (method->kind != &bench_plan) return object;
    json_join(object, json_pack("{s:s?, s:s?, s:s?, s:I, s:I, s:I, s:f}", "algorithm", info->algorithm,
                                "pacing", info->pacing, "transport", info->transport, "chunk",
                                (json_int_t)info->chunk, "window", (json_int_t)info->window, "phases",
                                (json_int_t)info->phases, "build_seconds", info->build_seconds));
    if (bench->explain) json_put(object, "why", json_text(info->why));
    return object;
}

int bench_write_json(const bench *bench, FILE *out) {
    const qdr_pattern_statistics *s = &bench->statistics;
    json_t *methods = json_array();
    int count;
    const bench_method **sorted = sort_methods(bench, &count);
    for (int i = 0; i < count; i++) json_add(methods, json_method(bench, sorted[i], bench_median(sorted[0])));
    free(sorted);
    char *library = bench_mpi_library();
    json_t *mpi = json_pack("{s:o, s:o}", "library", json_text(library), "settings", bench_mpi_settings());
    free(library);
    return json_print(json_pack("{s:{s:o, s:I, s:I, s:I, s:I}, s:i, s:o, s:o, s:b, s:o, s:o}", "pattern",
                                "text", json_text(bench->text), "messages", (json_int_t)s->messages, "bytes",
                                (json_int_t)(s->items * bench->item_bytes), "max_degree",
                                (json_int_t)s->degree, "max_traffic",
                                (json_int_t)(s->traffic * bench->item_bytes), "ranks", bench->ranks,
                                "bound_seconds", json_number_or_null(bench->bound), "bound_any_seconds",
                                json_number_or_null(bench->any_bound), "verified", !bench->wrong, "mpi", mpi,
                                "methods", methods),
                      out);
}
