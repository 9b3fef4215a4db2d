/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The chapter of a benchmark: what was measured, and, where the pattern can be made again from its text and a
 * machine is given, what the machine's model predicts for the same schedules. The file holds no items, only
 * bytes; how many bytes an item had follows from the pattern. The flood of MPI's own nonblocking calls is the
 * algorithm `async`.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/complain.h"
#include "core/input.h"
#include "core/progress.h"
#include "report.h"

typedef struct measured {
    const char *name, *algorithm, *pacing, *what; /* of the document; NULL: not told */
    double median, least, most, predicted;        /* predicted: NAN when there is none */
    double bound;                                 /* of its kind; NAN: none */
    int64_t repetitions;
    int chosen;
} measured;

typedef struct results {
    const char *name, *text; /* of the file, of the pattern */
    int ranks, count;
    int64_t messages, bytes;
    double bound; /* NAN: none */
    int verified;
    const json_t *mpi; /* NULL: not told */
    measured *method;
    qdr_pattern *pattern; /* NULL: it cannot be made again */
    int64_t item_bytes;
    qdr_machine *machine; /* NULL: none was given */
} results;

/* ---- reading ------------------------------------------------------------------------------------------- */

static int read_time(const json_t *object, const char *key, double *seconds) {
    const json_t *value = json_object_get(object, key);
    if (!json_is_number(value)) return 0;
    *seconds = json_number_value(value);
    return *seconds >= 0 && *seconds <= 1e9;
}

static int read_count(const json_t *object, const char *key, int64_t most, int64_t *count) {
    const json_t *value = json_object_get(object, key);
    if (!json_is_integer(value)) return 0;
    *count = json_integer_value(value);
    return *count >= 0 && *count <= most;
}

static int read_method(const results *results, int index, const json_t *object, measured *method) {
    *method = (measured){.name = json_string_value(json_object_get(object, "method")),
                         .algorithm = json_string_value(json_object_get(object, "algorithm")),
                         .pacing = json_string_value(json_object_get(object, "pacing")),
                         .what = json_string_value(json_object_get(object, "what")),
                         .predicted = NAN,
                         .chosen = json_is_true(json_object_get(object, "chosen"))};
    if (!method->name || !read_time(object, "median_seconds", &method->median) ||
        !read_time(object, "min_seconds", &method->least) ||
        !read_time(object, "max_seconds", &method->most) ||
        !read_count(object, "repetitions", INT64_MAX, &method->repetitions))
        return complain("%s: methods[%d]: expected method, median_seconds, min_seconds, max_seconds and "
                        "repetitions",
                        results->name, index);
    double ratio; /* to the bound of what sends directly, or of what passes on */
    method->bound =
        read_time(object, "ratio_to_bound", &ratio) && ratio > 0 ? method->median / ratio : results->bound;
    return EXIT_GOOD;
}

static int by_median(const void *first, const void *second) {
    const measured *a = first, *b = second;
    if (a->median != b->median) return a->median < b->median ? -1 : 1;
    return strcmp(a->name, b->name);
}

static int read_results(const json_t *root, results *results) {
    const json_t *pattern = json_object_get(root, "pattern"), *methods = json_object_get(root, "methods");
    int64_t ranks;
    int code = EXIT_GOOD;
    results->text = json_string_value(json_object_get(pattern, "text"));
    if (!results->text || !read_count(root, "ranks", INT32_MAX, &ranks) || ranks < 1 ||
        !json_array_size(methods) || !read_count(pattern, "messages", INT64_MAX, &results->messages) ||
        !read_count(pattern, "bytes", INT64_MAX, &results->bytes))
        return complain("%s: expected a benchmark, as 'quadrille bench --json' writes it", results->name);
    results->ranks = (int)ranks;
    if (!read_time(root, "bound_seconds", &results->bound) || results->bound <= 0) results->bound = NAN;
    results->verified = json_is_true(json_object_get(root, "verified"));
    results->mpi = json_object_get(root, "mpi");
    results->method = ALLOCATE(measured, (int64_t)json_array_size(methods));
    for (size_t i = 0; i < json_array_size(methods) && !code; i++)
        code = read_method(results, (int)i, json_array_get(methods, i), &results->method[results->count++]);
    if (!code) qsort(results->method, (size_t)results->count, sizeof *results->method, by_median);
    return code;
}

/* ---- predicting ---------------------------------------------------------------------------------------- */

/* Makes the pattern again, quietly: the file may have come from another machine. */
static void rebuild(const arguments *arguments, results *results) {
    qdr_pattern_statistics s;
    int silent = is_silent();
    if (input_is_file(results->text) && (!strcmp(results->text, "-") || access(results->text, R_OK))) return;
    set_silent(1);
    int code = input_pattern(arguments, results->text, &results->pattern);
    set_silent(silent);
    if (code) return;
    qdr_pattern_measure(results->pattern, &s);
    results->item_bytes = s.items > 0 ? results->bytes / s.items : 1;
    if (s.ranks == results->ranks && s.messages == results->messages && results->item_bytes > 0 &&
        s.items * results->item_bytes == results->bytes)
        return;
    qdr_pattern_destroy(&results->pattern);
}

static void predict(const results *results, measured *method) {
    const char *algorithm = method->algorithm               ? method->algorithm
                            : strstr(method->name, "isend") ? "async"
                                                            : NULL;
    const qdr_algorithm_info *info;
    qdr_prediction prediction;
    qdr_schedule *schedule = NULL;
    if (!algorithm || qdr_algorithm_find(algorithm, &info) || info->at_run_time) return;
    progress_say("predicting %s", method->name);
    if (!qdr_schedule_create(results->pattern, algorithm, results->machine, &schedule) &&
        !qdr_schedule_predict(schedule, results->machine, results->item_bytes, NULL, &prediction))
        method->predicted = prediction.seconds;
    qdr_schedule_destroy(&schedule);
}

static int predict_all(const arguments *arguments, results *results) {
    int code = input_machine(arguments, NULL, results->ranks, &results->machine);
    if (code || !results->machine || !results->pattern) return code;
    for (int i = 0; i < results->count; i++) predict(results, &results->method[i]);
    return EXIT_GOOD;
}

/* ---- sections ------------------------------------------------------------------------------------------ */

static int has_predictions(const results *results) {
    for (int i = 0; i < results->count; i++)
        if (!isnan(results->method[i].predicted)) return 1;
    return 0;
}

static double longest(const results *results) {
    double most = isnan(results->bound) ? 0 : results->bound;
    for (int i = 0; i < results->count; i++)
        most = fmax(most, fmax(results->method[i].most, results->method[i].predicted));
    return most;
}

static json_t *ranges_of(const results *results) {
    json_t *rows = json_array(), *bounds = json_array();
    int predicted = has_predictions(results);
    for (int i = 0; i < results->count; i++) {
        const measured *method = &results->method[i];
        json_add(rows, json_pack("{s:o, s:f, s:f, s:f, s:o}", "name", json_text(method->name), "low",
                                 method->least, "middle", method->median, "high", method->most, "predicted",
                                 isnan(method->predicted) ? json_null() : json_real(method->predicted)));
    }
    if (results->bound > 0)
        json_add(bounds, json_pack("{s:s, s:f}", "name", "bound", "seconds", results->bound));
    char *text = predicted
                     ? print_text("Each row is a method: what its exchanges took, and, as a diamond, what "
                                  "the model of %s predicts. Where there is no diamond, the order is decided "
                                  "at run time or inside MPI.",
                                  qdr_machine_spec(results->machine))
                     : copy_text("Each row is a method: what its exchanges took.");
    json_t *section = json_pack("{s:s, s:s, s:o, s:f, s:o, s:o}", "kind", "ranges", "heading",
                                predicted ? "Predicted against measured" : "What was measured", "text",
                                json_text(text), "seconds", longest(results), "bounds", bounds, "rows", rows);
    free(text);
    return section;
}

static json_t *ratio_cell(double value, double other) {
    char text[UNITS_TEXT];
    if (!(other > 0) || isnan(value)) return json_null();
    snprintf(text, sizeof text, "%.2f", value / other);
    return json_string(text);
}

/* Files of older releases say less. */
static char *what_ran(const measured *method) {
    if (method->what) return copy_text(method->what);
    return print_text("%s%s%s%s", method->algorithm ? method->algorithm : "", method->pacing ? ", " : "",
                      method->pacing ? method->pacing : "",
                      method->chosen ? " (the default rule's choice)" : "");
}

static json_t *table_row(const results *results, const measured *method, double slowest, int predicted) {
    json_t *row = json_array();
    char text[UNITS_TEXT];
    json_add(row, json_text(method->name));
    json_add(row,
             report_bar_cell(report_seconds(method->median, text), method->median, slowest, method->bound));
    json_add(row, json_string(report_seconds(method->least, text)));
    json_add(row, json_string(report_seconds(method->most, text)));
    json_add(row, ratio_cell(method->median, results->method[0].median));
    json_add(row, ratio_cell(method->median, method->bound));
    if (predicted) {
        json_add(row, isnan(method->predicted) ? json_null()
                                               : json_string(report_seconds(method->predicted, text)));
        json_add(row, ratio_cell(method->median, method->predicted));
    }
    report_add_count(row, method->repetitions);
    char *what = what_ran(method);
    json_add(row, json_text(what));
    free(what);
    return row;
}

static json_t *table_of(const results *results) {
    json_t *columns = json_array(), *rows = json_array();
    int predicted = has_predictions(results);
    double slowest = results->method[results->count - 1].median;
    report_column(columns, REPORT_LEFT, "method", "");
    report_column(columns, REPORT_RIGHT, "median",
                  "Of all repetitions, each of which lasts until the slowest rank is done.");
    report_column(columns, REPORT_RIGHT, "fastest", "");
    report_column(columns, REPORT_RIGHT, "slowest", "");
    report_column(columns, REPORT_RIGHT, "/ best", "Median to the best median.");
    report_column(columns, REPORT_RIGHT, "/ bound", "Median to the bound.");
    if (predicted) {
        report_column(columns, REPORT_RIGHT, "predicted", "");
        report_column(columns, REPORT_RIGHT, "/ predicted", "Median to the prediction.");
    }
    report_column(columns, REPORT_RIGHT, "runs", "Repetitions that count.");
    report_column(columns, REPORT_LEFT, "what ran",
                  "Plans: algorithm and pacing. MPI: the call, and what MPI was told.");
    if (results->bound > slowest) slowest = results->bound;
    for (int i = 0; i < results->count; i++)
        json_add(rows, table_row(results, &results->method[i], slowest, predicted));
    char *heading = results->count == 1 ? print_text("%s in numbers", results->method[0].name)
                                        : print_text("%d methods side by side: %s is the fastest",
                                                     results->count, results->method[0].name);
    json_t *section = page_table(heading, columns, rows);
    if (results->bound > 0) json_put(section, "mark", json_string("the bound"));
    free(heading);
    return section;
}

/* " MPI was Open MPI 4.1.4, told A=1, B=2.", or nothing when the file does not tell. */
static char *mpi_text(const results *results) {
    const char *library = json_string_value(json_object_get(results->mpi, "library"));
    const json_t *settings = json_object_get(results->mpi, "settings");
    if (!library) return copy_text("");
    char *text = print_text(" MPI was %s, told %s", library, json_array_size(settings) ? "" : "nothing");
    for (size_t i = 0; i < json_array_size(settings); i++) {
        const char *setting = json_string_value(json_array_get(settings, i));
        char *longer = print_text("%s%s%s", text, i ? ", " : "", setting ? setting : "?");
        free(text);
        text = longer;
    }
    char *sentence = print_text("%s.", text);
    free(text);
    return sentence;
}

/* Why there is no prediction although a machine is given; NULL when there is nothing to say. */
static const char *missing(const results *results) {
    if (!results->machine || has_predictions(results)) return NULL;
    if (!results->pattern)
        return "The pattern of this benchmark could not be made again from its text, so nothing is "
               "predicted.";
    return "None of these methods has a schedule beforehand, so nothing is predicted.";
}

/* ---- the chapter --------------------------------------------------------------------------------------- */

static void make_chapter(const results *results, report_chapter *chapter) {
    char messages[UNITS_TEXT], size[UNITS_TEXT], bound[UNITS_TEXT];
    char *least = results->bound > 0 ? print_text(" The bound is %s.", report_seconds(results->bound, bound))
                                     : copy_text("");
    char *mpi = mpi_text(results);
    chapter->title = copy_text(results->text);
    chapter->kind = "measured";
    chapter->text =
        print_text("Measured on %d rank%s: %s message%s, %s in all.%s %s%s", results->ranks,
                   results->ranks == 1 ? "" : "s", report_count(results->messages, messages),
                   results->messages == 1 ? "" : "s", report_bytes(results->bytes, size), least,
                   results->verified ? "All contents were verified." : "SOME CONTENTS WERE WRONG.", mpi);
    free(least);
    free(mpi);
    json_add(chapter->sections, ranges_of(results));
    json_add(chapter->sections, table_of(results));
    if (missing(results)) json_add(chapter->sections, page_text("", missing(results)));
    if (results->pattern)
        json_add(chapter->sections, page_heat("Who sends how much to whom", results->pattern));
}

int report_bench(const arguments *arguments, const json_t *root, const char *name, report_chapter *chapter) {
    results results = {.name = name};
    int code = read_results(root, &results);
    if (!code) {
        rebuild(arguments, &results);
        code = predict_all(arguments, &results);
    }
    if (!code) make_chapter(&results, chapter);
    free(results.method);
    qdr_pattern_destroy(&results.pattern);
    qdr_machine_destroy(&results.machine);
    return code;
}
