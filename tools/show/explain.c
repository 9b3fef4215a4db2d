/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * quadrille explain: what a plan of a pattern would run, and why. The candidates and the reason are the library's own; what
 * each takes on a machine is predicted as 'quadrille compare --pacing own' does it, beside all other algorithms, so that
 * it can be said whether one of them would be worth asking for by name.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "core/complain.h"
#include "core/input.h"
#include "core/json.h"
#include "core/table.h"
#include "core/units.h"

/* Times what the best candidate takes, below which another algorithm is worth its name. */
static const double worth_a_name = 0.97;

static int is_candidate(const comparison *comparison, const char *algorithm) {
    const char *name;
    for (int i = 0; (name = qdr_auto_candidate(comparison->pattern, comparison->promised, i)); i++)
        if (!strcmp(name, algorithm)) return 1;
    return 0;
}

/* Rows are sorted: the first that is one of them, or none of them. */
static const compare_row *first_row(const comparison *comparison, int of_candidates) {
    for (int64_t i = 0; i < comparison->kept; i++)
        if (is_candidate(comparison, comparison->row[i].algorithm) == of_candidates)
            return &comparison->row[i];
    return NULL;
}

static const compare_row *better_row(const comparison *comparison) {
    const compare_row *best = first_row(comparison, 1), *other = first_row(comparison, 0);
    return best && other && other->total < worth_a_name * best->total ? other : NULL;
}

/* ---- for people ---------------------------------------------------------------------------------------- */

static void write_candidates(const comparison *comparison, FILE *out) {
    const char *name;
    fprintf(out, "between hosts a plan tries");
    for (int i = 0; (name = qdr_auto_candidate(comparison->pattern, comparison->promised, i)); i++)
        fprintf(out, "%s %s", i ? "," : "", name);
    fprintf(out, "\nbecause %s\n", qdr_auto_reason(comparison->pattern));
    fprintf(out, "where all ranks share a node it runs async, through the node's memory\n");
}

static void write_predictions(const comparison *comparison, FILE *out) {
    enum { OTHERS = 3 };
    table table;
    char seconds[UNITS_TEXT], total[UNITS_TEXT], build[UNITS_TEXT];
    int others = 0;
    table_open(&table, "<algorithm|<candidate|>S|>C|>C/bound|>S/R + C");
    for (int64_t i = 0; i < comparison->kept; i++) {
        const compare_row *row = &comparison->row[i];
        int is_one = is_candidate(comparison, row->algorithm);
        if (!is_one && others++ >= OTHERS) continue;
        table_cell(&table, "%s", row->spec);
        table_cell(&table, "%s", is_one ? "yes" : "no");
        table_cell(&table, "%s", comparison->measures ? units_seconds(row->build, build) : "-");
        table_cell(&table, "%s", units_seconds(row->prediction.seconds, seconds));
        table_cell(&table, "%.2f", row->ratio);
        table_cell(&table, "%s", units_seconds(row->total, total));
    }
    fprintf(out, "\n");
    table_write(&table, 0, out);
    table_close(&table);
}

static void write_verdict(const comparison *comparison, FILE *out) {
    const compare_row *best = first_row(comparison, 1), *other = better_row(comparison);
    char seconds[UNITS_TEXT], less[UNITS_TEXT];
    if (!best) return;
    fprintf(out, "\npredicted for this machine: %s, %s an exchange, %.2f of the bound\n", best->spec,
            units_seconds(best->prediction.seconds, seconds), best->ratio);
    if (other)
        fprintf(out, "worth asking for by name: %s, %s with its building spread over %" PRId64 " exchanges\n",
                other->spec, units_seconds(other->total, less), comparison->reuse);
    else
        fprintf(out, "no other algorithm is worth asking for by name\n");
}

static int write_text(const comparison *comparison, FILE *out) {
    qdr_pattern_statistics statistics;
    qdr_pattern_measure(comparison->pattern, &statistics);
    fprintf(out, "# %s: %d ranks, %" PRId64 " messages, %" PRId64 " bytes, degree %" PRId64 "\n",
            comparison->text, statistics.ranks, statistics.messages, statistics.items, statistics.degree);
    write_candidates(comparison, out);
    if (comparison->machine) {
        write_predictions(comparison, out);
        write_verdict(comparison, out);
    } else {
        fprintf(out, "with -m MACHINE their times are predicted\n");
    }
    return EXIT_GOOD;
}

/* ---- for programs -------------------------------------------------------------------------------------- */

static json_t *json_of_row(const comparison *comparison, const compare_row *row) {
    json_t *made = json_pack("{s:s, s:b, s:f, s:f, s:f}", "algorithm", row->spec, "candidate",
                             is_candidate(comparison, row->algorithm), "seconds", row->prediction.seconds,
                             "ratio", row->ratio, "total", row->total);
    if (comparison->measures) json_put(made, "build", json_real(row->build));
    return made;
}

static int write_json(const comparison *comparison, FILE *out) {
    json_t *candidates = json_array(), *rows = json_array();
    const compare_row *best = comparison->machine ? first_row(comparison, 1) : NULL,
                      *other = comparison->machine ? better_row(comparison) : NULL;
    const char *name;
    for (int i = 0; (name = qdr_auto_candidate(comparison->pattern, comparison->promised, i)); i++)
        json_add(candidates, json_string(name));
    for (int64_t i = 0; i < comparison->kept; i++)
        json_add(rows, json_of_row(comparison, &comparison->row[i]));
    json_t *all = json_pack("{s:s, s:o, s:s, s:o}", "pattern", comparison->text, "candidates", candidates,
                            "why", qdr_auto_reason(comparison->pattern), "predictions", rows);
    if (best) json_put(all, "best", json_string(best->spec));
    if (other) json_put(all, "worth_asking_for", json_string(other->spec));
    return json_print(all, out);
}

/* ---- the command --------------------------------------------------------------------------------------- */

static int run(const arguments *arguments, FILE *out) {
    comparison comparison = {.text = arguments->operand[0]};
    int code = compare_read(arguments, &comparison);
    if (!code) code = input_pattern(arguments, comparison.text, &comparison.pattern);
    if (!comparison.pacing) comparison.pacing = "";
    if (!code && argument(arguments, "machine")) {
        code =
            input_machine(arguments, NULL, qdr_pattern_look(comparison.pattern).ranks, &comparison.machine);
        if (!code) code = compare_all(arguments, &comparison);
    }
    if (!code)
        code = argument(arguments, "json") ? write_json(&comparison, out) : write_text(&comparison, out);
    compare_close(&comparison);
    return code;
}

static const option options[] = {
    {'m', "machine", "MACHINE", "the machine to predict on", OPTION_ONCE},
    OPTIONS_OF_COMPARISON,
    OPTION_JSON,
    OPTION_BYTES,
    OPTIONS_END,
};

const command explain_command = {
    .name = "explain",
    .summary = "what a plan chooses by itself for a pattern, and why",
    .operands = "PATTERN",
    .fewest = 1,
    .most = 1,
    .options = options,
    .description =
        "A plan whose algorithm nobody asked for tries a few candidates on its first exchanges,\n"
        "and keeps the fastest. This says which, and why in this order. With a machine it also\n"
        "predicts what they take there, as plans run them, beside the best of the others, and says\n"
        "whether one of those is worth asking for by name. With --reuse it is a plan that will be\n"
        "used so often with the same sizes (reuse of its options): then it tries more.\n"
        "\n"
        "A running program says the same of its own plans with QDR_EXPLAIN=1.\n",
    .examples = "quadrille explain zipf:n=16,density=0.5,bytes=64K\n"
                "quadrille explain mesh:n=32,points=2800 -m ethernet --reuse 100\n",
    .run = run,
};
