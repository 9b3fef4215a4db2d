/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * quadrille schedule: builds a schedule and shows it: as the papers' phase table, as one rank's rows, as
 * JSON, as a picture, or as the curve of a splitting algorithm; or shows a broadcast.
 */
#include <stdlib.h>

#include "core/arguments.h"
#include "core/complain.h"
#include "core/input.h"
#include "core/output.h"
#include "core/progress.h"
#include "quadrille-io.h"
#include "schedule_text.h"
#include "core/units.h"

/* The bound that holds for schedules of this kind. */
static int find_bound(const qdr_schedule *schedule, const qdr_machine *machine, double *bound) {
    qdr_bounds bounds;
    qdr_schedule_info info;
    if (qdr_schedule_look(schedule, &info) ||
        qdr_bounds_compute(qdr_schedule_pattern(schedule), machine, 1, &bounds))
        return complain_library();
    *bound = info.direct ? bounds.direct : bounds.any;
    return EXIT_GOOD;
}

static void write_prediction(const qdr_machine *machine, const qdr_prediction *prediction, double bound,
                             FILE *out) {
    char seconds[UNITS_TEXT], barriers[UNITS_TEXT], least[UNITS_TEXT];
    fprintf(out, "# predicted on %s: %s; with a barrier after each phase %s; bound %s\n",
            qdr_machine_spec(machine), units_seconds(prediction->seconds, seconds),
            units_seconds(prediction->barrier_seconds, barriers), units_seconds(bound, least));
}

static int draw(const qdr_schedule *schedule, const qdr_machine *machine, const char *pattern,
                const qdr_step *steps, int64_t count, double bound, const char *path) {
    qdr_schedule_info info;
    if (qdr_schedule_look(schedule, &info)) return complain_library();
    char *title = print_text("%s: %s on %s", info.spec, pattern, qdr_machine_spec(machine));
    progress_say("drawing");
    qdr_status status = qdr_schedule_write_svg(schedule, count, steps, bound, title, output_open(path));
    free(title);
    return status ? complain_library() : EXIT_GOOD;
}

static int write_heading(const qdr_schedule *schedule, FILE *out) {
    fputs("# ", out);
    return schedule_write_summary(schedule, out);
}

/* The phase table, and what a machine adds to it: the prediction and the picture. */
static int show(const arguments *arguments, const qdr_schedule *schedule, const qdr_machine *machine,
                FILE *out) {
    const char *svg = argument(arguments, "svg");
    qdr_step *steps = NULL;
    qdr_prediction prediction;
    int64_t count;
    double bound = 0;
    int code = write_heading(schedule, out);
    if (!code && machine) code = find_bound(schedule, machine, &bound);
    if (code) return code;
    progress_say("listing the phases");
    if (qdr_schedule_steps(schedule, &count, &steps)) return complain_library();
    progress_say("predicting");
    if (machine && qdr_schedule_predict(schedule, machine, 1, steps, &prediction)) code = complain_library();
    if (!code && machine) write_prediction(machine, &prediction, bound, out);
    if (!code && svg) code = draw(schedule, machine, arguments->operand[0], steps, count, bound, svg);
    if (!code && qdr_steps_write_text(count, steps, out)) code = complain_library();
    free(steps);
    return code;
}

static int show_row(const arguments *arguments, const qdr_schedule *schedule, FILE *out) {
    int64_t rank = 0;
    int ranks = qdr_pattern_look(qdr_schedule_pattern(schedule)).ranks;
    int code = argument_count(arguments, "row", 0, ranks - 1, &rank);
    if (!code) code = write_heading(schedule, out);
    return code ? code : schedule_write_row(schedule, (int)rank, out);
}

static int run_broadcast(const arguments *arguments, FILE *out) {
    static const char *const others[] = {"svg", "row", "curve", "json"};
    const char *algorithm = argument(arguments, "algorithm");
    int64_t items = 0;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (argument_conflict(arguments, "broadcast", others[i])) return EXIT_USE;
    if (arguments->operands)
        return complain("--broadcast takes no PATTERN, but '%s' is given", arguments->operand[0]);
    int code = argument_count(arguments, "bytes", 0, INT64_C(1) << 40, &items);
    return code ? code
                : broadcast_write(argument(arguments, "broadcast"), algorithm ? algorithm : "recursive",
                                  items, argument(arguments, "machine"), out);
}

static int run_schedule(const arguments *arguments, const qdr_pattern *pattern, FILE *out) {
    const char *algorithm = argument(arguments, "algorithm");
    int draws = argument(arguments, "svg") != NULL, curve = argument(arguments, "curve") != NULL;
    qdr_machine *machine = NULL;
    qdr_schedule *schedule = NULL;
    int code = input_machine(arguments, draws || curve ? default_machine : NULL,
                             qdr_pattern_look(pattern).ranks, &machine);
    if (!code && curve) {
        code = schedule_write_curve(pattern, algorithm ? algorithm : "random-split", machine, out);
        qdr_machine_destroy(&machine);
        return code;
    }
    if (!code) code = schedule_build(pattern, algorithm, machine, &schedule);
    if (!code && argument(arguments, "row"))
        code = show_row(arguments, schedule, out);
    else if (!code && argument(arguments, "json"))
        code = qdr_schedule_write_json(schedule, out) ? complain_library() : EXIT_GOOD;
    else if (!code)
        code = show(arguments, schedule, machine, out);
    qdr_schedule_destroy(&schedule);
    qdr_machine_destroy(&machine);
    return code;
}

/* At most one way of showing it. */
static int check_options(const arguments *arguments) {
    static const char *const ways[] = {"json", "svg", "row", "curve"};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < i; j++)
            if (argument_conflict(arguments, ways[j], ways[i])) return EXIT_USE;
    if (!arguments->operands) return complain("PATTERN is missing; see 'quadrille help schedule'");
    if (!argument(arguments, "algorithm") && !argument(arguments, "curve"))
        return complain("--algorithm NAME is missing; 'quadrille list algorithms' has them");
    return EXIT_GOOD;
}

static int run(const arguments *arguments, FILE *out) {
    qdr_pattern *pattern = NULL;
    if (argument(arguments, "broadcast")) return run_broadcast(arguments, out);
    int code = check_options(arguments);
    if (!code) code = input_pattern(arguments, arguments->operand[0], &pattern);
    if (!code) code = run_schedule(arguments, pattern, out);
    qdr_pattern_destroy(&pattern);
    return code;
}

static const option options[] = {
    {'a', "algorithm", "NAME", "the algorithm, with options if wanted: random:seed=7", OPTION_ONCE},
    OPTION_MACHINE("build for and predict on this machine"),
    OPTION_OUTPUT,
    OPTION_JSON,
    {0, "svg", "FILE", "also draw matrix and schedule (on ethernet unless -m is given)", OPTION_ONCE},
    {0, "row", "RANK", "what one rank sends and receives, phase by phase", OPTION_ONCE},
    {0, "curve", NULL, "phases against variance for the limits of random-split", OPTION_ONCE},
    {0, "broadcast", "GROUP", "a broadcast to N ranks, or from ROOT to RANKs: ROOT,RANK,RANK,...",
     OPTION_ONCE},
    {0, "bytes", "B", "of each entry of a file without values; of a broadcast (default 0)", OPTION_ONCE},
    OPTIONS_END,
};

const command schedule_command = {
    .name = "schedule",
    .summary = "build a schedule and show its phases",
    .operands = "[PATTERN]",
    .fewest = 0,
    .most = 1,
    .options = options,
    .description = "Prints one line per phase that is not empty, as the papers do: 0<->1 is an exchange,\n"
                   "2->3 a message one way. With --row it prints the communication phase table of one\n"
                   "rank: partner, length and offset to send and to receive. With --json it prints every\n"
                   "transfer and piece, which 'quadrille check --schedule' reads back.\n"
                   "\n"
                   "With --broadcast there is no PATTERN; the algorithms are linear (LIB) and recursive\n"
                   "(REB, the default).\n",
    .examples = "quadrille schedule complete:n=8 -a BEX\n"
                "quadrille schedule paper:P -a GS --row 3\n"
                "quadrille schedule mesh:n=32 -a coloring -m cm5 --svg schedule.svg\n"
                "quadrille schedule mesh:n=32 --curve -m cm5\n"
                "quadrille schedule --broadcast 3,0,1,7 -a recursive --bytes 1Ki -m cm5\n",
    .run = run,
};
