/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What bash offers behind a Tab: a script from the tables of arguments.h and of the library, so that it can forget nothing
 * that the command knows. Names come from these tables; whatever else a value may be, files are offered.
 */
#include <string.h>

#include "arguments.h"
#include "quadrille.h"

static void write_algorithms(FILE *out) {
    const qdr_algorithm_info *info;
    for (int i = 0; (info = qdr_algorithm(i)); i++) fprintf(out, " %s", info->name);
}

static void write_machines(FILE *out) {
    const qdr_machine_info *info;
    for (int i = 0; (info = qdr_machine_known(i)); i++) fprintf(out, " %s", info->name);
}

static void write_families(FILE *out) {
    const qdr_pattern_family_info *info;
    for (int i = 0; (info = qdr_pattern_family(i)); i++) fprintf(out, " %s", info->name);
}

static void write_methods(FILE *out) {
    const qdr_moves_method_info *info;
    for (int i = 0; (info = qdr_moves_method(i)); i++) fprintf(out, " %s", info->name);
}

/* What may stand where the help says WORD. */
static const struct {
    const char *word;
    void (*write)(FILE *out);
} values[] = {{"MACHINE", write_machines}, {"METHOD", write_methods}, {"PATTERN", write_families}};
enum { VALUES = sizeof values / sizeof *values };

static void write_value(const char *word, FILE *out) {
    for (int i = 0; i < VALUES; i++)
        if (strstr(word, values[i].word)) values[i].write(out);
}

/* An option's pattern in a case: -m|--machine. */
static void write_case(const option *option, FILE *out) {
    fputs("        ", out);
    if (option->letter) fprintf(out, "-%c|", option->letter);
    fprintf(out, "--%s) words=\"", option->name);
    if (!strcmp(option->name, "algorithm"))
        write_algorithms(out);
    else
        write_value(option->value, out);
    fputs("\" ;;\n", out);
}

static void write_command(const command *command, FILE *out) {
    fprintf(out, "    %s)\n        words=\"", command->name);
    for (const option *option = command->options; option->name; option++) fprintf(out, "--%s ", option->name);
    fputs("--help", out);
    write_value(command->operands, out);
    fputs("\"\n        case $before in\n", out);
    for (const option *option = command->options; option->name; option++)
        if (option->value) write_case(option, out);
    fputs("        esac ;;\n", out);
}

void commands_write_completion(FILE *out) {
    fputs("# What bash offers behind a Tab. Written by 'quadrille help --completion'.\n"
          "_quadrille() {\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words=\n"
          "    case ${COMP_WORDS[1]} in\n",
          out);
    for (int i = 0; commands[i]; i++) write_command(commands[i], out);
    fputs("    esac\n    if ((COMP_CWORD == 1)); then words=\"", out);
    for (int i = 0; commands[i]; i++) fprintf(out, "%s ", commands[i]->name);
    fputs("help --version\"; fi\n"
          "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
          "    ((${#COMPREPLY[@]})) || mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
          "}\n"
          "complete -o filenames -F _quadrille quadrille\n",
          out);
}
