/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * quadrille migrate-plan: in which phases data gets to where it belongs when memory is short; every method on
 * one pattern and room, or the phases of one. Each schedule is carried out by the checker before it is shown.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/arguments.h"
#include "core/complain.h"
#include "core/input.h"
#include "core/json.h"
#include "core/output.h"
#include "core/progress.h"
#include "quadrille-io.h"
#include "core/table.h"
#include "core/units.h"

typedef struct migration {
    const char *text; /* the operand PATTERN */
    qdr_pattern *pattern;
    int ranks;
    int64_t *room;
} migration;

/* ---- the room of each rank ----------------------------------------------------------------------------- */

enum { WORD = 64 };

/* The next word of a file; 0 at its end. A word too long for a number is cut, and then is none. */
static int next_word(FILE *stream, char word[WORD], int64_t *line) {
    int letter, length = 0;
    while ((letter = getc(stream)) != EOF && isspace(letter)) *line += letter == '\n';
    for (; letter != EOF && !isspace(letter); letter = getc(stream))
        if (length < WORD - 1) word[length++] = (char)letter;
    if (letter != EOF) ungetc(letter, stream);
    word[length] = '\0';
    return length > 0;
}

static int read_rooms(migration *migration, FILE *stream, const char *name) {
    char word[WORD];
    int64_t line = 1;
    int count = 0;
    for (; next_word(stream, word, &line); count++) {
        int64_t room;
        plain_text(word);
        if (!units_read_count(word, &room))
            return complain("%s:%" PRId64
                            ": '%s' is not a count; expected one for each rank, such as 64 or 2Ki",
                            name, line, word);
        if (count == migration->ranks)
            return complain("%s:%" PRId64 ": more numbers than the pattern has ranks, %d", name, line,
                            migration->ranks);
        migration->room[count] = room;
    }
    if (ferror(stream)) return complain("%s: cannot be read", name);
    if (count < migration->ranks)
        return complain("%s: %d numbers; expected one for each of %d ranks", name, count, migration->ranks);
    return EXIT_GOOD;
}

static int find_rooms(migration *migration, const char *text) {
    int64_t room;
    FILE *stream;
    const char *name;
    migration->room = ALLOCATE(int64_t, migration->ranks);
    if (units_read_count(text, &room)) {
        for (int rank = 0; rank < migration->ranks; rank++) migration->room[rank] = room;
        return EXIT_GOOD;
    }
    int code = input_open(text, &stream, &name);
    if (code) return code;
    code = read_rooms(migration, stream, name);
    input_close(stream);
    return code;
}

/* ---- one method ---------------------------------------------------------------------------------------- */

static qdr_status build(const migration *migration, const char *method, qdr_moves **moves) {
    progress_say("%s", method);
    qdr_status status = qdr_moves_create(migration->pattern, migration->room, method, moves);
    if (status) return status;
    status = qdr_moves_check(migration->pattern, migration->room, *moves);
    if (status) qdr_moves_destroy(moves);
    return status;
}

static double parked_percent(const qdr_moves_view *view) {
    return view->total ? 100.0 * (double)view->parked / (double)view->total : 0;
}

static int show_phases(const migration *migration, const char *method, const arguments *arguments,
                       FILE *out) {
    const char *svg = argument(arguments, "svg");
    qdr_moves *moves = NULL;
    if (build(migration, method, &moves)) return complain_library();
    qdr_moves_view view = qdr_moves_look(moves);
    int code = EXIT_GOOD;
    if (argument(arguments, "json")) {
        if (qdr_moves_write_json(moves, out)) code = complain_library();
    } else {
        fprintf(out,
                "# %s: %" PRId64 " units through room for %" PRId64 ": %" PRId64 " phases (at least %" PRId64
                "), %" PRId64 " moves, %.1f%% parked\n",
                view.method, view.total, view.room, view.phases, view.bound, view.phase_start[view.phases],
                parked_percent(&view));
        if (qdr_moves_write_text(moves, out)) code = complain_library();
    }
    if (!code && svg && qdr_moves_write_svg(migration->pattern, migration->room, moves, output_open(svg)))
        code = complain_library();
    qdr_moves_destroy(&moves);
    return code;
}

/* ---- all methods --------------------------------------------------------------------------------------- */

typedef struct row {
    char *spec;    /* as asked for */
    char *refusal; /* NULL: it was built */
    char *taken;
    qdr_moves_view view; /* its numbers alone are of use: the moves are gone */
    int64_t moves;
} row;

static int fill_row(const migration *migration, row *row) {
    qdr_moves *moves = NULL;
    qdr_status status = build(migration, row->spec, &moves);
    if (status == QDR_ERR_RANGE) {
        row->refusal = copy_text(qdr_error_message());
        return EXIT_GOOD;
    }
    if (status) return complain_library();
    row->view = qdr_moves_look(moves);
    row->moves = row->view.phase_start[row->view.phases];
    row->taken = copy_text(row->view.method);
    qdr_moves_destroy(&moves);
    return EXIT_GOOD;
}

static void write_table(const row *rows, int count, FILE *out) {
    table table;
    table_open(&table, "<method|>phases|>bound|>parked|>parked %|>moves|<");
    for (int i = 0; i < count; i++) {
        const row *row = &rows[i];
        if (row->refusal) continue;
        table_cell(&table, "%s", row->spec);
        table_cell(&table, "%" PRId64, row->view.phases);
        table_cell(&table, "%" PRId64, row->view.bound);
        table_cell(&table, "%" PRId64, row->view.parked);
        table_cell(&table, "%.1f", parked_percent(&row->view));
        table_cell(&table, "%" PRId64, row->moves);
        table_cell(&table, "%s%s", strncmp(row->spec, row->taken, strlen(row->taken)) ? "took " : "",
                   strncmp(row->spec, row->taken, strlen(row->taken)) ? row->taken : "");
    }
    table_write(&table, 0, out);
    table_close(&table);
    for (int i = 0; i < count; i++)
        if (rows[i].refusal) fprintf(out, "# left out: %s\n", rows[i].refusal);
}

static int write_text(const migration *migration, const row *rows, int count, FILE *out) {
    qdr_pattern_statistics statistics;
    int64_t with, without;
    double room = 0;
    if (qdr_moves_least_room(migration->pattern, &with, &without)) return complain_library();
    qdr_pattern_measure(migration->pattern, &statistics);
    for (int rank = 0; rank < migration->ranks; rank++) room += (double)migration->room[rank];
    fprintf(out, "# %s: %d rank%s, %" PRId64 " messages, %" PRId64 " units; room for %.15g\n",
            migration->text, migration->ranks, migration->ranks == 1 ? "" : "s", statistics.messages,
            statistics.items, room);
    fprintf(out, "# least room of each rank: %" PRId64 " with parking, %" PRId64 " without\n", with, without);
    write_table(rows, count, out);
    return EXIT_GOOD;
}

static int write_json(const migration *migration, const row *rows, int count, FILE *out) {
    int64_t with, without;
    json_t *list = json_array();
    if (qdr_moves_least_room(migration->pattern, &with, &without)) {
        json_decref(list);
        return complain_library();
    }
    for (int i = 0; i < count; i++) {
        const row *row = &rows[i];
        if (row->refusal)
            json_add(list, json_pack("{s:o, s:o}", "method", json_text(row->spec), "refusal",
                                     json_text(row->refusal)));
        else
            json_add(list, json_pack("{s:o, s:o, s:I, s:I, s:I, s:I}", "method", json_text(row->spec),
                                     "taken", json_text(row->taken), "phases", (json_int_t)row->view.phases,
                                     "bound", (json_int_t)row->view.bound, "parked",
                                     (json_int_t)row->view.parked, "moves", (json_int_t)row->moves));
    }
    json_t *object = json_pack("{s:o, s:i, s:I, s:I, s:o}", "pattern", json_text(migration->text), "ranks",
                               migration->ranks, "least_room_with_parking", (json_int_t)with,
                               "least_room_without", (json_int_t)without, "methods", list);
    return json_print(object, out);
}

/* Those asked for, or all there are. */
static int list_methods(const arguments *arguments, row rows[ARGUMENTS]) {
    const qdr_moves_method_info *info;
    int count = 0;
    for (const char *text; (text = argument_nth(arguments, "method", count)); count++)
        rows[count] = (row){.spec = copy_text(text)};
    for (int asked = count; !asked && count < ARGUMENTS && (info = qdr_moves_method(count)); count++)
        rows[count] = (row){.spec = copy_text(info->name)};
    return count;
}

static int all_refused(const row *rows, int count) {
    for (int i = 0; i < count; i++)
        if (!rows[i].refusal) return 0;
    return 1;
}

static int compare(const migration *migration, const arguments *arguments, FILE *out) {
    row rows[ARGUMENTS];
    int count = list_methods(arguments, rows), code = EXIT_GOOD;
    for (int i = 0; i < count && !code; i++) code = fill_row(migration, &rows[i]);
    if (!code && all_refused(rows, count)) code = complain("%s", rows[0].refusal);
    if (!code)
        code = argument(arguments, "json") ? write_json(migration, rows, count, out)
                                           : write_text(migration, rows, count, out);
    for (int i = 0; i < count; i++) {
        free(rows[i].spec);
        free(rows[i].refusal);
        free(rows[i].taken);
    }
    return code;
}

/* ---- the command --------------------------------------------------------------------------------------- */

static int run(const arguments *arguments, FILE *out) {
    migration migration = {.text = arguments->operand[0]};
    const char *method = argument(arguments, "method");
    int several = argument_nth(arguments, "method", 1) != NULL;
    int code = argument_conflict(arguments, "compare", "svg");
    if (!code && several && argument(arguments, "svg"))
        code = complain("--svg draws one method; several are given");
    if (!code) code = input_pattern(arguments, migration.text, &migration.pattern);
    if (!code) {
        migration.ranks = qdr_pattern_look(migration.pattern).ranks;
        code = find_rooms(&migration, argument(arguments, "room"));
    }
    if (!code && !argument(arguments, "compare") && !several && (method || argument(arguments, "svg")))
        code = show_phases(&migration, method ? method : "auto", arguments, out);
    else if (!code)
        code = compare(&migration, arguments, out);
    free(migration.room);
    qdr_pattern_destroy(&migration.pattern);
    return code;
}

static const option options[] = {
    {0, "room", "N|FILE", "units each rank has room for; or a file with a number for each rank",
     OPTION_REQUIRED},
    {'a', "method", "METHOD", "show its phases; with options if wanted: greedy:first=largest",
     OPTION_REPEATS},
    {0, "compare", NULL, "print the table even if a method is given", OPTION_ONCE},
    OPTION_OUTPUT,
    OPTION_JSON,
    {0, "svg", "FILE", "also draw the memory of each rank over the phases (auto unless -a is given)",
     OPTION_ONCE},
    OPTION_BYTES,
    OPTIONS_END,
};

const command migrate_plan_command = {
    .name = "migrate-plan",
    .summary = "the phases in which data reaches its owners when memory is short",
    .operands = "PATTERN",
    .fewest = 1,
    .most = 1,
    .options = options,
    .description = "PATTERN is what each rank holds for each other rank, in units (bytes, or items\n"
                   "of one size). What a rank takes in during a phase must fit into the room it\n"
                   "had before the phase. Prints one row per method: its phases, the fewest there\n"
                   "could be, how much is parked (kept for a while by a rank that has room and is\n"
                   "not its destination), and the moves. Methods that cannot do it are left out,\n"
                   "with the reason.\n"
                   "\n"
                   "With one METHOD it prints its phases, one line for each: 3->5:40 brings 40\n"
                   "units of rank 3 to rank 5; 3->7:40(5) parks 40 for rank 5 at rank 7;\n"
                   "7->5:40(3) brings those, from rank 3, to rank 5. 'quadrille list methods'\n"
                   "has the methods and their options.\n",
    .examples = "quadrille migrate-plan shift:n=8,bytes=1Mi --room 64Ki\n"
                "quadrille migrate-plan random:n=16,density=0.3,seed=1 --room 100 -a greedy\n"
                "quadrille migrate-plan matrix.mtx --room rooms.txt -a auto --svg memory.svg\n"
                "quadrille migrate-plan matrix.mtx --room 1Mi --compare -a robust -a robust:first=rank\n",
    .run = run,
};
