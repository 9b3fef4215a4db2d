/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * quadrille compare: every algorithm on one pattern and machine. NICE (section 7) chooses by S/R + C: the
 * cost S of building a schedule, spread over the R exchanges that use it, plus the cost C of one exchange. S
 * is measured here, C is predicted. A ratio is taken to the bound that holds for the schedule: direct ones to
 * the bound of direct schedules, staged ones, which save startups by forwarding, to the bound of all.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/arguments.h"
#include "compare.h"
#include "core/complain.h"
#include "core/hosts.h"
#include "core/input.h"
#include "core/progress.h"

/* ---- which algorithms ---------------------------------------------------------------------------------- */

static void add_candidate(comparison *comparison, char *spec) {
    comparison->row = reallocate(comparison->row, comparison->rows + 1, sizeof *comparison->row);
    comparison->row[comparison->rows] = (compare_row){.spec = spec, .order = (int)comparison->rows};
    comparison->rows++;
}

/* All that have a schedule beforehand, and with a pacing the others too; or the ones asked for. Those that differ from others
 * only where ranks share nodes need a machine with such nodes. */
static void choose_candidates(const arguments *arguments, comparison *comparison) {
    const qdr_algorithm_info *info;
    const char *text;
    char *name;
    for (int i = 0; (text = argument_nth(arguments, "algorithm", i)); i++)
        while ((name = next_name(&text))) add_candidate(comparison, name);
    int has_nodes = comparison->machine && qdr_machine_look(comparison->machine)->node_ranks > 1;
    comparison->asked = comparison->rows > 0;
    for (int i = 0; !comparison->asked && (info = qdr_algorithm(i)); i++)
        if ((!info->at_run_time || (comparison->pacing && !*comparison->pacing)) &&
            (has_nodes || !info->by_nodes))
            add_candidate(comparison, copy_text(info->name));
}

/* ---- one algorithm ------------------------------------------------------------------------------------- */

/* Builds, and builds again while that is so fast that a single measurement says little. */
static qdr_status build(const comparison *comparison, compare_row *row, qdr_schedule **schedule) {
    enum { BUILDS = 3 };
    const double fast = 0.010;
    for (int i = 0; i < BUILDS && (i == 0 || row->build < fast); i++) {
        qdr_schedule_destroy(schedule);
        double start = clock_seconds();
        qdr_status status =
            qdr_schedule_create(comparison->pattern, row->spec, comparison->machine, schedule);
        double seconds = clock_seconds() - start;
        if (status) return status;
        if (i == 0 || seconds < row->build) row->build = seconds;
        if (!comparison->measures) break;
    }
    return QDR_OK;
}

static void rate(const comparison *comparison, compare_row *row) {
    double bound = row->direct ? comparison->bounds.direct : comparison->bounds.any;
    row->ratio = bound > 0 ? row->prediction.seconds / bound : 1;
    row->total =
        row->prediction.seconds + (comparison->measures ? row->build / (double)comparison->reuse : 0);
}

static qdr_status predict_paced(const comparison *comparison, compare_row *row) {
    qdr_way way = {.algorithm = row->spec, .pacing = comparison->pacing};
    return qdr_way_predict(comparison->pattern, &way, comparison->machine, 1, &row->prediction.seconds);
}

/* There is nothing to build, and one phase. */
static qdr_status evaluate_unscheduled(const comparison *comparison, compare_row *row,
                                       const qdr_algorithm_info *algorithm) {
    qdr_status status = predict_paced(comparison, row);
    row->algorithm = algorithm->name;
    row->aliases = algorithm->aliases;
    row->direct = row->stages = 1;
    row->phases = 1;
    row->transfers = comparison->statistics.messages;
    if (!status) rate(comparison, row);
    return status;
}

static qdr_status evaluate(const comparison *comparison, compare_row *row) {
    qdr_schedule *schedule = NULL;
    qdr_schedule_info info;
    const qdr_algorithm_info *algorithm;
    if (comparison->pacing && !qdr_algorithm_find(row->spec, &algorithm) && algorithm->at_run_time)
        return evaluate_unscheduled(comparison, row, algorithm);
    qdr_status status = build(comparison, row, &schedule);
    if (!status) status = qdr_schedule_look(schedule, &info);
    if (!status) status = qdr_schedule_predict(schedule, comparison->machine, 1, NULL, &row->prediction);
    if (!status && comparison->pacing) status = predict_paced(comparison, row);
    if (!status && comparison->checks) {
        qdr_status check = qdr_schedule_check(schedule);
        if (check == QDR_ERR_BROKEN)
            row->broken = copy_text(qdr_error_message());
        else
            status = check;
    }
    if (!status) {
        row->algorithm = info.algorithm;
        row->direct = info.direct;
        row->stages = info.stages;
        row->phases = info.phases;
        row->transfers = info.transfers;
        row->aliases = qdr_algorithm_find(info.algorithm, &algorithm) ? "" : algorithm->aliases;
        rate(comparison, row);
    }
    qdr_schedule_destroy(&schedule);
    return status;
}

/* An algorithm that was asked for must work; of the whole table, one that refuses the pattern is left out. */
static int evaluate_all(comparison *comparison) {
    int64_t kept = 0;
    for (int64_t i = 0; i < comparison->rows; i++) {
        compare_row row = comparison->row[i];
        progress_say("%" PRId64 " of %" PRId64 ": %s", i + 1, comparison->rows, row.spec);
        qdr_status status = evaluate(comparison, &row);
        if (status && comparison->asked) return complain_library();
        if (status) {
            row.refusal = copy_text(qdr_error_message());
            comparison->refused++;
        }
        comparison->row[i] = row;
        kept += !status;
    }
    comparison->kept = kept;
    return EXIT_GOOD;
}

/* Refused ones last; ties in the order of the table. */
static int by_total(const void *first, const void *second) {
    const compare_row *a = first, *b = second;
    if (!a->refusal != !b->refusal) return a->refusal ? 1 : -1;
    if (a->total != b->total) return a->total < b->total ? -1 : 1;
    return a->order - b->order;
}

/* ---- the command --------------------------------------------------------------------------------------- */

static int broken_rows(const comparison *comparison) {
    int broken = 0;
    for (int64_t i = 0; i < comparison->rows; i++) broken += comparison->row[i].broken != NULL;
    return broken;
}

/* Plans wait for no send, so that startups of several messages may be under way at once, also on machines whose own sends are
 * synchronous; only pacing by turns takes one after the other. What holds then is that of bytes, and of one startup. */
static int find_bounds(comparison *comparison) {
    const char *spec = qdr_machine_spec(comparison->machine), *pacing = comparison->pacing;
    const qdr_machine_parameters *p = qdr_machine_look(comparison->machine);
    qdr_machine *machine = NULL;
    char text[400];
    if (qdr_bounds_compute(comparison->pattern, comparison->machine, 1, &comparison->bounds))
        return complain_library();
    if (!pacing || !strcmp(pacing, "turns") || p->sends != QDR_SENDS_SYNCHRONOUS) return EXIT_GOOD;
    snprintf(text, sizeof text, "%s%ctau=0us", spec, strchr(spec, ':') ? ',' : ':');
    qdr_status status = qdr_machine_create(text, p->ranks, &machine);
    if (!status) status = qdr_bounds_compute(comparison->pattern, machine, 1, &comparison->bounds);
    comparison->bounds.direct += p->tau;
    comparison->bounds.ports += p->tau;
    comparison->bounds.any += p->tau;
    qdr_machine_destroy(&machine);
    return status ? complain_library() : EXIT_GOOD;
}

int compare_all(const arguments *arguments, comparison *comparison) {
    qdr_pattern_measure(comparison->pattern, &comparison->statistics);
    int bounded = find_bounds(comparison);
    if (bounded) return bounded;
    choose_candidates(arguments, comparison);
    int code = evaluate_all(comparison);
    if (!code) qsort(comparison->row, (size_t)comparison->rows, sizeof *comparison->row, by_total);
    return code;
}

void compare_close(comparison *comparison) {
    for (int64_t i = 0; i < comparison->rows; i++) {
        free(comparison->row[i].spec);
        free(comparison->row[i].refusal);
        free(comparison->row[i].broken);
    }
    free(comparison->row);
    qdr_machine_destroy(&comparison->machine);
    qdr_pattern_destroy(&comparison->pattern);
}

static int compare(const arguments *arguments, comparison *comparison, FILE *out) {
    int code = compare_all(arguments, comparison);
    if (code) return code;
    code = argument(arguments, "json") ? compare_write_json(comparison, out)
                                       : compare_write_text(comparison, out);
    return code ? code : broken_rows(comparison) ? EXIT_CHECK : EXIT_GOOD;
}

static int is_pacing(const char *word) {
    static const char *const words[] = {"own", "free", "arrivals", "grants", "turns"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(word, words[i])) return 1;
    return 0;
}

int compare_read(const arguments *arguments, comparison *comparison) {
    comparison->reuse = 1000;
    comparison->measures = argument(arguments, "no-build-time") == NULL;
    comparison->pacing = argument(arguments, "pacing");
    if (comparison->pacing && !is_pacing(comparison->pacing))
        return complain("--pacing '%s' is not valid; expected one of own, free, arrivals, grants, turns",
                        comparison->pacing);
    if (comparison->pacing && !strcmp(comparison->pacing, "own")) comparison->pacing = "";
    int code = argument_count(arguments, "reuse", 1, INT64_C(1) << 40, &comparison->reuse);
    comparison->promised = argument(arguments, "reuse") ? comparison->reuse : 0;
    return code;
}

static int run(const arguments *arguments, FILE *out) {
    comparison comparison = {.text = arguments->operand[0], .checks = argument(arguments, "check") != NULL};
    int code = compare_read(arguments, &comparison);
    if (!code) code = input_pattern(arguments, comparison.text, &comparison.pattern);
    if (!code)
        code =
            input_machine(arguments, NULL, qdr_pattern_look(comparison.pattern).ranks, &comparison.machine);
    if (!code) code = compare(arguments, &comparison, out);
    compare_close(&comparison);
    return code;
}

static const option options[] = {
    {'m', "machine", "MACHINE", "the machine to predict on", OPTION_REQUIRED},
    OPTION_RANKS_PER_HOST,
    OPTIONS_OF_COMPARISON,
    {0, "check", NULL, "also check every schedule; exit code 1 when one fails", OPTION_ONCE},
    OPTION_JSON,
    OPTION_BYTES,
    OPTIONS_END,
};

const command compare_command = {
    .name = "compare",
    .summary = "one row per algorithm: phases, build time, predicted time, ratio to the bound",
    .operands = "PATTERN",
    .fewest = 1,
    .most = 1,
    .options = options,
    .description =
        "Rows are sorted by S/R + C: the time S that building the schedule took here, spread\n"
        "over R exchanges, plus the predicted time C of one exchange. 'load' is the number of\n"
        "senders that share the most loaded link in one phase, as a multiple of what it\n"
        "carries at full speed. A schedule is marked unsafe where the bytes on their way to\n"
        "one rank exceed what the machine's buffers hold.\n"
        "\n"
        "C is what the phases of a schedule allow. With --pacing it is what plans make of them: in\n"
        "chunks, with windows as their ports find them, and everything at once where that is the way;\n"
        "'paced', which has no schedule, is then among them.\n"
        "\n"
        "Names may be joined by commas. Options (random:seed=7) reach to the end of a value: repeat -a\n"
        "for more.\n",
    .examples = "quadrille compare mesh:n=32,points=2800 -m cm5\n"
                "quadrille compare complete:n=32,bytes=1Ki -m cm5 -a LEX,PEX,REX,BEX\n"
                "quadrille compare zipf:n=16,density=0.5,bytes=64K --pacing own -m ethernet:queue=200K\n"
                "quadrille compare matrix.mtx -m ethernet -a random:seed=1 -a random:seed=2 --json\n",
    .run = run,
};
