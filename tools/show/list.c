/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * quadrille list: the algorithms, pattern families, machines, methods of migration and of resolving there
 * are, and the variables of the environment.
 * Everything comes from the library's own tables (and the command's own families, the meshes). All kinds are read into
 * one shape, an entry with named facts, so that tables, details, JSON and Markdown are each written once.
 */
#include <stdlib.h>
#include <string.h>

#include "core/arguments.h"
#include "core/complain.h"
#include "core/json.h"
#include "core/mesh.h"
#include "quadrille-mpi.h"
#include "schedule_text.h"
#include "core/table.h"
#include "base/likeness.h"

enum { FACTS = 6 };

typedef struct entry {
    char *name, *options;
    char *fact[FACTS]; /* as named by the group */
} entry;

typedef struct group {
    const char *name;                     /* plural, as on the command line */
    const char *fact[FACTS];              /* headings, NULL after the last */
    unsigned in_table;                    /* bits: facts short enough for a table */
    int alias;                            /* fact that holds more names; -1: none */
    int (*read)(int index, entry *entry); /* 0 past the last */
} group;

/* ---- the kinds ----------------------------------------------------------------------------------------- */

static int read_algorithm(int index, entry *entry) {
    static const char *const knowledge[] = {"own row", "own row and column", "whole pattern"};
    const qdr_algorithm_info *info;
    char promises[PROMISES_TEXT];
    if (!(info = qdr_algorithm(index))) return 0;
    entry->name = copy_text(info->name);
    entry->options = copy_text(info->options);
    entry->fact[0] = copy_text(info->aliases);
    entry->fact[1] = copy_text(info->at_run_time ? "at run time" : info->direct ? "direct" : "staged");
    entry->fact[2] = copy_text(promises_text(info->promises, promises));
    entry->fact[3] = copy_text(info->summary);
    entry->fact[4] =
        print_text("%s%s", knowledge[info->knowledge], info->needs_machine ? ", and the machine" : "");
    entry->fact[5] = copy_text(info->source);
    return 1;
}

static int read_pattern(int index, entry *entry) {
    const qdr_pattern_family_info *info = qdr_pattern_family(index);
    int own = 0;
    while (!info && own < index && !qdr_pattern_family(index - own - 1)) own++;
    if (!info && !(info = mesh_family(own))) return 0; /* right after the library's last */
    entry->name = copy_text(info->name);
    entry->options = copy_text(info->options);
    entry->fact[0] = copy_text(info->summary);
    entry->fact[1] = copy_text(info->example);
    entry->fact[2] = copy_text(info->source);
    return 1;
}

static int read_machine(int index, entry *entry) {
    const qdr_machine_info *info;
    if (!(info = qdr_machine_known(index))) return 0;
    entry->name = copy_text(info->name);
    entry->options = copy_text(info->options);
    entry->fact[0] = copy_text(info->is_preset ? "preset" : "topology");
    entry->fact[1] = copy_text(info->summary);
    entry->fact[2] = copy_text(info->spec);
    entry->fact[3] = copy_text(info->source);
    return 1;
}

static int read_method(int index, entry *entry) {
    const qdr_moves_method_info *info;
    if (!(info = qdr_moves_method(index))) return 0;
    entry->name = copy_text(info->name);
    entry->options = copy_text(info->options);
    entry->fact[0] = copy_text(info->parks ? "yes" : "no");
    entry->fact[1] = copy_text(info->summary);
    entry->fact[2] = copy_text(info->promise);
    return 1;
}

static int read_resolve(int index, entry *entry) {
    const qdr_resolve_method_info *info;
    if (!(info = qdr_resolve_method(index))) return 0;
    entry->name = copy_text(info->name);
    entry->options = copy_text("");
    entry->fact[0] = copy_text(info->summary);
    entry->fact[1] = copy_text(info->memory);
    return 1;
}

static int read_variable(int index, entry *entry) {
    const qdr_environment_info *info;
    if (!(info = qdr_environment(index))) return 0;
    entry->name = copy_text(info->name);
    entry->options = copy_text("");
    entry->fact[0] = copy_text(info->kind);
    entry->fact[1] = copy_text(info->meaning);
    entry->fact[2] = copy_text(info->expected);
    entry->fact[3] = copy_text(info->standard);
    entry->fact[4] = copy_text(info->reader);
    return 1;
}

static const group groups[] = {
    {"algorithms", {"papers", "kind", "promises", "summary", "knows", "source"}, 0xf, 0, read_algorithm},
    {"patterns", {"summary", "example", "source", NULL}, 0x3, -1, read_pattern},
    {"machines", {"kind", "summary", "spec", "source", NULL}, 0x3, -1, read_machine},
    {"methods", {"parks", "summary", "promise", NULL}, 0x3, -1, read_method},
    {"resolve", {"summary", "memory", NULL}, 0x1, -1, read_resolve},
    {"environment", {"kind", "meaning", "expected", "default", "read on", NULL}, 0x3, -1, read_variable},
};

#define GROUP_NAMES "algorithms, patterns, machines, methods, resolve or environment"

enum { GROUPS = sizeof groups / sizeof *groups };

static int read_entry(const group *group, int index, entry *entry) {
    memset(entry, 0, sizeof *entry);
    return group->read(index, entry);
}

static void free_entry(entry *entry) {
    free(entry->name);
    free(entry->options);
    for (int i = 0; i < FACTS; i++) free(entry->fact[i]);
}

/* ---- the ways of writing them -------------------------------------------------------------------------- */

static void write_table(const group *group, int markdown, FILE *out) {
    char headings[256] = "<name";
    entry entry;
    table table;
    for (int i = 0; i < FACTS && group->fact[i]; i++)
        if (markdown || group->in_table & 1U << i) strcat(strcat(headings, "|<"), group->fact[i]);
    table_open(&table, headings);
    for (int index = 0; read_entry(group, index, &entry); index++) {
        table_cell(&table, markdown ? "`%s`" : "%s", entry.name);
        for (int i = 0; i < FACTS && group->fact[i]; i++)
            if (markdown || group->in_table & 1U << i) table_cell(&table, "%s", entry.fact[i]);
        free_entry(&entry);
    }
    if (markdown)
        table_write_markdown(&table, out);
    else
        table_write(&table, 0, out);
    table_close(&table);
}

/* "key=default  meaning" per line, as a table. */
static void write_options(const char *lines, int indent, FILE *out) {
    table table;
    if (!lines[0]) return;
    table_open(&table, "<|<");
    while (*lines) {
        size_t span = strcspn(lines, "\n");
        const char *gap = strstr(lines, "  ");
        size_t key = gap && gap < lines + span ? (size_t)(gap - lines) : span;
        size_t meaning = key + strspn(lines + key, " ");
        table_cell(&table, "%.*s", (int)key, lines);
        table_cell(&table, "%.*s", (int)(span - meaning), lines + meaning);
        lines += span + (lines[span] == '\n');
    }
    fputs("options\n", out);
    table_write(&table, indent, out);
    table_close(&table);
}

static void write_details(const group *group, const entry *entry, FILE *out) {
    table table;
    table_open(&table, "<|<");
    table_cell(&table, "name");
    table_cell(&table, "%s", entry->name);
    for (int i = 0; i < FACTS && group->fact[i]; i++)
        if (entry->fact[i][0]) {
            table_cell(&table, "%s", group->fact[i]);
            table_cell(&table, "%s", entry->fact[i]);
        }
    table_write(&table, 0, out);
    table_close(&table);
    write_options(entry->options, 2, out);
}

static json_t *json_entry(const group *group, const entry *entry) {
    json_t *object = json_pack("{s:s}", "name", entry->name);
    for (int i = 0; i < FACTS && group->fact[i]; i++)
        json_put(object, group->fact[i], json_string(entry->fact[i]));
    json_t *options = json_array();
    for (const char *line = entry->options; *line;) {
        size_t span = strcspn(line, "\n");
        json_add(options, json_stringn(line, span));
        line += span + (line[span] == '\n');
    }
    json_put(object, "options", options);
    return object;
}

static json_t *json_group(const group *group) {
    json_t *list = json_array();
    entry entry;
    for (int index = 0; read_entry(group, index, &entry); index++) {
        json_add(list, json_entry(group, &entry));
        free_entry(&entry);
    }
    return list;
}

/* ---- finding ------------------------------------------------------------------------------------------- */

static const group *find_group(const char *name) {
    for (int i = 0; i < GROUPS; i++)
        if (!strcmp(groups[i].name, name)) return &groups[i];
    return NULL;
}

static int has_name(const group *group, const entry *entry, const char *name) {
    const qdr_algorithm_info *info;
    if (!strcmp(entry->name, name)) return 1;
    return group->alias >= 0 && qdr_algorithm_find(name, &info) == QDR_OK && !strcmp(entry->name, info->name);
}

/* The entry of that name in the group; 0 when there is none. The caller frees it. */
static int find_entry(const group *group, const char *name, entry *entry) {
    for (int index = 0; read_entry(group, index, entry); index++) {
        if (has_name(group, entry, name)) return 1;
        free_entry(entry);
    }
    return 0;
}

/* Adds the group's names to a list in a sentence. */
static void add_names(const group *group, char *list, size_t size) {
    entry entry;
    for (int index = 0; read_entry(group, index, &entry); index++) {
        size_t used = strlen(list);
        snprintf(list + used, size - used, "%s%s", used ? ", " : "", entry.name);
        free_entry(&entry);
    }
}

/* `only` is NULL when the name could have been in any group. */
static int complain_unknown(const group *only, const char *name) {
    char list[2048] = "";
    for (int i = 0; i < GROUPS; i++)
        if (!only || only == &groups[i]) add_names(&groups[i], list, sizeof list);
    return complain("'%.60s' is not among the %s; %s%s", name,
                    only ? only->name
                         : "groups (algorithms, patterns, machines, methods, resolve, environment) and names",
                    qdri_did_you_mean(name, list), list);
}

/* ---- the command --------------------------------------------------------------------------------------- */

static int show_entry(const arguments *arguments, const group *only, const char *name, FILE *out) {
    int found = 0;
    json_t *list = argument(arguments, "json") ? json_object() : NULL;
    for (int i = 0; i < GROUPS; i++) {
        entry entry;
        if ((only && only != &groups[i]) || !find_entry(&groups[i], name, &entry)) continue;
        if (list)
            json_put(list, groups[i].name, json_pack("[o]", json_entry(&groups[i], &entry)));
        else {
            if (found) fputc('\n', out);
            write_details(&groups[i], &entry, out);
        }
        found = 1;
        free_entry(&entry);
    }
    if (found) return list ? json_print(list, out) : EXIT_GOOD;
    json_decref(list);
    return complain_unknown(only, name);
}

static int show_groups(const arguments *arguments, const group *only, FILE *out) {
    int markdown = argument(arguments, "markdown") != NULL;
    json_t *object = argument(arguments, "json") ? json_object() : NULL;
    for (int i = 0; i < GROUPS; i++) {
        if (only && only != &groups[i]) continue;
        if (object) {
            json_put(object, groups[i].name, json_group(&groups[i]));
            continue;
        }
        if (!only)
            fprintf(out, "%s%s%s\n%s", i ? "\n" : "", markdown ? "## " : "# ", groups[i].name,
                    markdown ? "\n" : "");
        write_table(&groups[i], markdown, out);
    }
    if (object) return json_print(object, out);
    if (!only && !markdown) fputs("\n'quadrille list NAME' tells more about one of them.\n", out);
    return EXIT_GOOD;
}

static int run(const arguments *arguments, FILE *out) {
    const char *first = arguments->operands > 0 ? arguments->operand[0] : NULL;
    const group *group = first ? find_group(first) : NULL;
    int code = argument_conflict(arguments, "json", "markdown");
    if (code) return code;
    if (arguments->operands == 2 && !group)
        return complain("'%.60s' is not a group; expected " GROUP_NAMES, first);
    if (argument(arguments, "markdown") && first && (!group || arguments->operands == 2))
        return complain("--markdown is for whole groups; expected " GROUP_NAMES);
    if (arguments->operands == 2) return show_entry(arguments, group, arguments->operand[1], out);
    if (first && !group) return show_entry(arguments, NULL, first, out);
    return show_groups(arguments, group, out);
}

static const option options[] = {
    OPTION_JSON,
    {0, "markdown", NULL, "print Markdown tables, for the documentation", OPTION_ONCE},
    OPTIONS_END,
};

const command list_command = {
    .name = "list",
    .summary = "list algorithms, patterns, machines, methods and variables of the environment",
    .operands = "[algorithms|patterns|machines|methods|resolve|environment] [NAME]",
    .fewest = 0,
    .most = 2,
    .options = options,
    .description = "Without a group it lists them all. With a NAME it shows one entry with its options,\n"
                   "each with its default. What an algorithm promises holds for every phase: 'coverage'\n"
                   "is nothing more than delivery; 'permutation': a rank sends at most once and receives at\n"
                   "most once; 'pairs': a rank has at most one partner; 'links': no link is loaded beyond\n"
                   "its capacity; 'limit': no transfer is larger than the phase's limit.\n",
    .examples = "quadrille list algorithms\n"
                "quadrille list RS_NL\n"
                "quadrille list machines cm5\n"
                "quadrille list environment\n",
    .run = run,
};
