/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * --help and the man pages, both from the tables of arguments.h, so that neither can forget an option.
 */
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "complain.h"
#include "quadrille.h"
#include "stream.h"
#include "table.h"

static const char about[] =
    "Quadrille turns irregular communication (each rank has messages of different\n"
    "sizes for some of the others) into schedules of phases in which no rank is in\n"
    "another's way. This command shows, compares and checks them; only 'bench' runs\n"
    "anything in parallel.\n"
    "\n"
    "PATTERN is a spec such as random:n=64,density=0.25,bytes=512,seed=1 or a\n"
    "Matrix Market file (a name with '/', one that ends in .mtx, or any file that\n"
    "exists; '-' is standard input). MACHINE and the NAME of an algorithm are specs\n"
    "too: cm5, mesh:columns=8,tau=1us, random:seed=7. 'quadrille list' has them all.\n"
    "Names of the papers (RS_NL, BEX) are understood everywhere.\n";

static const char exit_codes[] =
    "0 when all is well, 1 when a check failed, 2 for bad use or bad input, or when\n"
    "memory or disk space runs out (with one line on standard error and nothing on\n"
    "standard output). Files are whole after 0 and 1, and untouched after 2.\n";

static const option help_option = {'h', "help", NULL, "show this help", OPTION_ONCE};

/* ---- help ---------------------------------------------------------------------------------------------- */

static void print_option(const option *option, char *text, size_t size) {
    snprintf(text, size, "%c%c%s--%s%s%s", option->letter ? '-' : ' ', option->letter ? option->letter : ' ',
             option->letter ? ", " : "  ", option->name, option->value ? " " : "",
             option->value ? option->value : "");
}

static void add_word(const char *word, int indent, int *column, FILE *out) {
    int length = (int)strlen(word);
    if (*column + 1 + length > 78) {
        fprintf(out, "\n%*s", indent, "");
        *column = indent;
    }
    fprintf(out, " %s", word);
    *column += 1 + length;
}

void command_write_synopsis(const command *command, int indent, FILE *out) {
    char word[128];
    int column = indent + fprintf(out, "quadrille %s", command->name);
    if (command->operands[0]) add_word(command->operands, indent + 4, &column, out);
    for (const option *option = command->options; option->name; option++) {
        int needed = option->use == OPTION_REQUIRED;
        snprintf(word, sizeof word, "%s%s%.1s%s%s%s%s", needed ? "" : "[", option->letter ? "-" : "--",
                 option->letter ? &option->letter : "", option->letter ? "" : option->name,
                 option->value ? " " : "", option->value ? option->value : "", needed ? "" : "]");
        add_word(word, indent + 4, &column, out);
    }
    fputc('\n', out);
}

static void write_options(const command *command, FILE *out) {
    char text[128];
    table table;
    table_open(&table, "<|<");
    for (const option *option = command->options; option->name; option++) {
        print_option(option, text, sizeof text);
        table_cell(&table, "%s", text);
        table_cell(&table, "%s%s", option->meaning,
                   option->use == OPTION_REPEATS ? " (may be repeated)" : "");
    }
    print_option(&help_option, text, sizeof text);
    table_cell(&table, "%s", text);
    table_cell(&table, "%s", help_option.meaning);
    table_write(&table, 2, out);
    table_close(&table);
}

static void write_indented(const char *lines, FILE *out) {
    while (*lines) {
        size_t span = strcspn(lines, "\n");
        fprintf(out, "  %.*s\n", (int)span, lines);
        lines += span + (lines[span] == '\n');
    }
}

void command_write_help(const command *command, FILE *out) {
    fprintf(out, "quadrille %s - %s\n\nUsage: ", command->name, command->summary);
    command_write_synopsis(command, 7, out);
    fprintf(out, "\n%s\nOptions:\n", command->description);
    write_options(command, out);
    fputs("\nExamples:\n", out);
    write_indented(command->examples, out);
}

void commands_write_help(FILE *out) {
    table table;
    fprintf(out, "Usage: quadrille SUBCOMMAND [ARGUMENTS]\n\n%s\nSubcommands:\n", about);
    table_open(&table, "<|<");
    for (int i = 0; commands[i]; i++) {
        table_cell(&table, "%s", commands[i]->name);
        table_cell(&table, "%s", commands[i]->summary);
    }
    table_write(&table, 2, out);
    table_close(&table);
    fprintf(out,
            "\n'quadrille help SUBCOMMAND' or 'quadrille SUBCOMMAND --help' tells more;\n"
            "'quadrille --version' prints the version.\n\nExit code:\n%s",
            exit_codes);
}

/* ---- man pages ----------------------------------------------------------------------------------------- */

/* Text as troff takes it: dashes stay dashes, and no line begins with a request. */
static void man_text(const char *text, FILE *out) {
    int at_start = 1;
    for (; *text; text++) {
        if (at_start && (*text == '.' || *text == '\'')) fputs("\\&", out);
        at_start = *text == '\n';
        if (*text == '\n' && text[1] == '\n') {
            fputs("\n.PP", out);
            continue;
        }
        if (*text == '-')
            fputs("\\-", out);
        else if (*text == '\\')
            fputs("\\e", out);
        else if (*text == '\'')
            fputs("\\(aq", out);
        else
            fputc(*text, out);
    }
}

static void man_section(const char *title, FILE *out) {
    fprintf(out, ".SH %s\n", title);
}

static void man_heading(const char *page, const char *summary, const char *version, FILE *out) {
    fprintf(out, ".TH \"%s\" 1 \"\" \"Quadrille %s\" \"Quadrille\"\n.SH NAME\n", page, version);
    man_text(page, out);
    fputs(" \\- ", out);
    man_text(summary, out);
    fputs("\n", out);
}

static void man_item(const char *term, const char *value, const char *text, FILE *out) {
    fputs(".TP\n\\fB", out);
    man_text(term, out);
    fputs("\\fR", out);
    if (value) fprintf(out, " \\fI%s\\fR", value);
    fputc('\n', out);
    man_text(text, out);
    fputc('\n', out);
}

static void man_options(const command *command, FILE *out) {
    char term[128];
    man_section("OPTIONS", out);
    for (const option *option = command->options;; option++) {
        const struct command_option *one = option->name ? option : &help_option;
        if (one->letter)
            snprintf(term, sizeof term, "-%c, --%s", one->letter, one->name);
        else
            snprintf(term, sizeof term, "--%s", one->name);
        man_item(term, one->value, one->meaning, out);
        if (!option->name) break;
    }
}

static void man_synopsis(const command *command, FILE *out) {
    memory_stream memory;
    command_write_synopsis(command, 0, memory_open(&memory));
    if (!memory_close(&memory)) exit(complain("out of memory"));
    man_text(memory.bytes, out);
    free(memory.bytes);
}

static void man_closing(const char *see_also, FILE *out) {
    man_section("EXIT STATUS", out);
    man_text(exit_codes, out);
    man_section("SEE ALSO", out);
    fprintf(out, "%s\n", see_also);
}

void command_write_man(const command *command, const char *version, FILE *out) {
    char page[64];
    snprintf(page, sizeof page, "quadrille-%s", command->name);
    man_heading(page, command->summary, version, out);
    man_section("SYNOPSIS", out);
    fputs(".nf\n", out);
    man_synopsis(command, out);
    fputs(".fi\n", out);
    man_section("DESCRIPTION", out);
    man_text(command->description, out);
    man_options(command, out);
    man_section("EXAMPLES", out);
    fputs(".nf\n", out);
    man_text(command->examples, out);
    fputs(".fi\n", out);
    man_closing(".BR quadrille (1)", out);
}

static void man_environment(FILE *out) {
    const qdr_environment_info *info;
    man_section("ENVIRONMENT", out);
    man_text("Programs that use the library, and the drop-in library, read these. A value that is not as\n"
             "expected is refused by the call that needs it.\n",
             out);
    for (int i = 0; (info = qdr_environment(i)); i++) {
        char *text = print_text("%s. Expected: %s. Default: %s. Read on %s.", info->meaning, info->expected,
                                info->standard, info->reader);
        man_item(info->name, NULL, text, out);
        free(text);
    }
}

void commands_write_man(const char *version, FILE *out) {
    man_heading("quadrille", "schedules for irregular communication: show, compare, check, measure", version,
                out);
    man_section("SYNOPSIS", out);
    fputs(".B quadrille\n.I SUBCOMMAND\n.RI [ ARGUMENTS ]\n", out);
    man_section("DESCRIPTION", out);
    man_text(about, out);
    man_section("SUBCOMMANDS", out);
    for (int i = 0; commands[i]; i++) man_item(commands[i]->name, NULL, commands[i]->summary, out);
    fputs(".PP\n", out);
    man_text(
        "'quadrille SUBCOMMAND --help' tells more; each has a page of its own, such as\nquadrille-stat(1).\n",
        out);
    man_environment(out);
    man_closing(".BR quadrille\\-list (1)", out);
}
