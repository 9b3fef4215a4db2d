/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * quadrille check: builds a schedule, or reads one, and holds it to what it promises.
 */
#include <string.h>

#include "core/arguments.h"
#include "core/complain.h"
#include "core/input.h"
#include "core/progress.h"
#include "quadrille-io.h"
#include "schedule_text.h"

static int load(const char *path, const qdr_pattern *pattern, const qdr_machine *machine,
                qdr_schedule **schedule) {
    FILE *stream;
    const char *name;
    int code = input_open(path, &stream, &name);
    if (code) return code;
    progress_say("reading %s", name);
    qdr_status status = qdr_schedule_read_json(stream, name, pattern, machine, schedule);
    input_close(stream);
    return status ? complain_library() : EXIT_GOOD;
}

static int judge(const qdr_schedule *schedule, FILE *out) {
    progress_say("checking");
    qdr_status status = qdr_schedule_check(schedule);
    if (status == QDR_ERR_BROKEN) {
        fprintf(out, "failed: %s\n", qdr_error_message());
        return EXIT_CHECK;
    }
    if (status) return complain_library();
    fputs("ok: ", out);
    return schedule_write_summary(schedule, out);
}

static int run(const arguments *arguments, FILE *out) {
    const char *algorithm = argument(arguments, "algorithm"), *file = argument(arguments, "schedule");
    qdr_pattern *pattern = NULL;
    qdr_machine *machine = NULL;
    qdr_schedule *schedule = NULL;
    int code = argument_conflict(arguments, "algorithm", "schedule");
    if (!code && !algorithm && !file) code = complain("expected --algorithm NAME or --schedule FILE");
    if (!code && file && !strcmp(file, "-") && !strcmp(arguments->operand[0], "-"))
        code = complain("PATTERN and --schedule cannot both be standard input");
    if (!code) code = input_pattern(arguments, arguments->operand[0], &pattern);
    if (!code) code = input_machine(arguments, NULL, qdr_pattern_look(pattern).ranks, &machine);
    if (!code && file) code = load(file, pattern, machine, &schedule);
    if (!code && algorithm) code = schedule_build(pattern, algorithm, machine, &schedule);
    if (!code) code = judge(schedule, out);
    qdr_schedule_destroy(&schedule);
    qdr_machine_destroy(&machine);
    qdr_pattern_destroy(&pattern);
    return code;
}

static const option options[] = {
    {'a', "algorithm", "NAME", "build the schedule with this algorithm", OPTION_ONCE},
    {0, "schedule", "FILE", "read the schedule from a JSON file ('-': standard input)", OPTION_ONCE},
    OPTION_MACHINE("the machine, for algorithms and promises that need one"),
    OPTION_BYTES,
    OPTIONS_END,
};

const command check_command = {
    .name = "check",
    .summary = "check that a schedule delivers its pattern and keeps its promises",
    .operands = "PATTERN",
    .fewest = 1,
    .most = 1,
    .options = options,
    .description = "Every item must go from its origin to its destination exactly once, no rank may\n"
                   "send what it does not hold, both ends of each transfer must agree, and every phase\n"
                   "must keep what the algorithm promises. Prints one line that begins with 'ok:' or,\n"
                   "with exit code 1, one that begins with 'failed:' and says where.\n",
    .examples = "quadrille check complete:n=8 -a BEX\n"
                "quadrille schedule paper:P -a GS --json -o gs.json\n"
                "quadrille check paper:P --schedule gs.json\n",
    .run = run,
};
