/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * quadrille: the command. A subcommand is one file and one line in the table below; reading its arguments,
 * its help, its man page, holding its output back until it has succeeded and its exit code are common to all.
 */
#include <stdlib.h>
#include <string.h>

#include "core/arguments.h"
#include "core/complain.h"
#include "core/json.h"
#include "core/output.h"
#include "core/progress.h"
#include "quadrille.h"
#include "base/likeness.h"

extern const command list_command, generate_command, stat_command, schedule_command, compare_command,
    check_command, machine_command, bench_command, draw_command, report_command, advise_command,
    migrate_plan_command, regions_command, explain_command, calibrate_command;

const command *const commands[] = {
    &list_command,    &generate_command,     &stat_command,      &schedule_command,
    &compare_command, &regions_command,      &explain_command,   &check_command,
    &machine_command, &bench_command,        &draw_command,      &report_command,
    &advise_command,  &migrate_plan_command, &calibrate_command, NULL,
};

static const command *find_command(const char *name) {
    for (int i = 0; commands[i]; i++)
        if (!strcmp(commands[i]->name, name)) return commands[i];
    return NULL;
}

static int complain_unknown(const char *name) {
    char list[256] = "";
    size_t used = 0;
    for (int i = 0; commands[i] && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s, ", commands[i]->name);
    return complain("unknown subcommand '%.60s'; %s%shelp", name, qdri_did_you_mean(name, list), list);
}

/* help, help SUB; and what the build makes with it: help --man, help --man SUB, help --completion. */
static int run_help(int count, char **words, FILE *out) {
    int man = count > 0 && !strcmp(words[0], "--man");
    if (count == 1 && !strcmp(words[0], "--completion")) {
        commands_write_completion(out);
        return EXIT_GOOD;
    }
    const char *name = count > man ? words[man] : NULL;
    const command *command = name ? find_command(name) : NULL;
    if (name && !command) return complain_unknown(name);
    if (man && command)
        command_write_man(command, QDR_VERSION, out);
    else if (man)
        commands_write_man(QDR_VERSION, out);
    else if (command)
        command_write_help(command, out);
    else
        commands_write_help(out);
    return EXIT_GOOD;
}

static int has_output_option(const command *command) {
    for (const option *option = command->options; option->name; option++)
        if (!strcmp(option->name, "output")) return 1;
    return 0;
}

static int run_command(const command *command, int count, char **words) {
    arguments arguments;
    complain_as(command->name);
    if (command->prepare) command->prepare();
    int code = arguments_read(command, count, words, &arguments);
    if (code) return code;
    if (arguments.help) {
        command_write_help(command, output_open(NULL));
        return EXIT_GOOD;
    }
    const char *path = has_output_option(command) ? argument(&arguments, "output") : NULL;
    return command->run(&arguments, output_open(path));
}

static int run(int count, char **words) {
    if (count == 0) return complain("a subcommand is missing; 'quadrille --help' lists them");
    const command *command = find_command(words[0]);
    if (command) return run_command(command, count - 1, words + 1);
    if (!strcmp(words[0], "help") || !strcmp(words[0], "--help") || !strcmp(words[0], "-h"))
        return run_help(count - 1, words + 1, output_open(NULL));
    if (!strcmp(words[0], "--version")) {
        fprintf(output_open(NULL), "quadrille %s\n", QDR_VERSION);
        return EXIT_GOOD;
    }
    return complain_unknown(words[0]);
}

int main(int count, char **words) {
    json_prepare();
    int code = run(count - 1, words + 1);
    progress_end();
    if (code != EXIT_USE) {
        int written = output_commit();
        if (written) code = written;
    }
    output_discard();
    return code;
}
