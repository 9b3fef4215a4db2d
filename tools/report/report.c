/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * quadrille report: one HTML page about patterns, traces and benchmarks, a chapter for each. What an operand
 * is, its contents tell: a document that begins with a brace is JSON, and says what it is; everything else is
 * a pattern.
 */
#include "report.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/complain.h"
#include "core/hosts.h"
#include "core/input.h"
#include "core/progress.h"

/* ---- which kind ---------------------------------------------------------------------------------------- */

/* The first byte that is not blank, which stays in the stream; EOF when there is none. */
static int peek(FILE *stream) {
    int byte;
    while ((byte = getc(stream)) != EOF && isspace(byte)) {
    }
    return ungetc(byte, stream);
}

static int report_document(const arguments *arguments, FILE *stream, const char *name,
                           report_chapter *chapter) {
    json_error_t error;
    json_t *root = json_loadf(stream, JSON_REJECT_DUPLICATES, &error);
    int code;
    if (!root) return complain("%s:%d: %s", name, error.line > 0 ? error.line : 1, error.text);
    if (json_object_get(root, "quadrille"))
        code = report_trace(root, name, chapter);
    else if (json_object_get(root, "methods"))
        code = report_bench(arguments, root, name, chapter);
    else
        code = complain("%s: expected a pattern, a trace ('quadrille bench --trace') or a benchmark "
                        "('quadrille bench --json')",
                        name);
    json_decref(root);
    return code;
}

static int report_operand(const arguments *arguments, const char *text, report_chapter *chapter) {
    FILE *stream;
    const char *name;
    if (!input_is_file(text)) return report_pattern(arguments, text, chapter);
    int code = input_open(text, &stream, &name);
    if (code) return code;
    progress_say("reading %.100s", name);
    int is_document = peek(stream) == '{';
    if (is_document) code = report_document(arguments, stream, name, chapter);
    input_close(stream);
    return code || is_document ? code : report_pattern(arguments, text, chapter);
}

/* ---- the page ------------------------------------------------------------------------------------------ */

static int is_like(const report_chapter *a, const report_chapter *b) {
    return !strcmp(a->title, b->title) && !strcmp(a->kind, b->kind);
}

/* A title that no other chapter has: one pattern may be predicted, measured and recorded, and each of it more than once. */
static char *own_title(const report_chapter *chapters, int count, int number) {
    const report_chapter *chapter = &chapters[number];
    int before = 0, all = 0;
    for (int i = 0; i < count; i++) {
        int alike = is_like(&chapters[i], chapter);
        before += alike && i < number;
        all += alike;
    }
    return all == 1 ? print_text("%s, %s", chapter->title, chapter->kind)
                    : print_text("%s, %s (%d of %d)", chapter->title, chapter->kind, before + 1, all);
}

static json_t *join(report_chapter *chapters, int count) {
    json_t *sections = json_array();
    for (int i = 0; i < count; i++) {
        char *title = own_title(chapters, count, i);
        if (count > 1) json_add(sections, page_chapter(title, chapters[i].text));
        json_array_extend(sections, chapters[i].sections);
        free(title);
    }
    return sections;
}

static int write_page(const arguments *arguments, report_chapter *chapters, FILE *out) {
    int count = arguments->operands;
    const char *asked = argument(arguments, "title"), *title = chapters[0].title, *text = chapters[0].text;
    if (count > 1) {
        title = "Report";
        text = "Patterns, schedules, traces and benchmarks, a chapter for each.";
    }
    progress_say("writing");
    return page_write(asked ? asked : title, text, join(chapters, count), out);
}

static int run(const arguments *arguments, FILE *out) {
    report_chapter *chapters = ALLOCATE(report_chapter, arguments->operands);
    int code = EXIT_GOOD;
    for (int i = 0; i < arguments->operands && !code; i++) {
        chapters[i].sections = json_array();
        code = report_operand(arguments, arguments->operand[i], &chapters[i]);
    }
    if (!code) code = write_page(arguments, chapters, out);
    for (int i = 0; i < arguments->operands; i++) {
        json_decref(chapters[i].sections);
        free(chapters[i].title);
        free(chapters[i].text);
    }
    free(chapters);
    return code;
}

static const option options[] = {
    OPTION_OUTPUT,
    {'a', "algorithm", "NAMES", "of patterns, only these: A,B,C; the first 4 are drawn in time",
     OPTION_REPEATS},
    OPTION_MACHINE("predict on this machine (default ethernet; for benchmarks: none)"),
    OPTION_RANKS_PER_HOST,
    {0, "title", "TEXT", "the title of the page", OPTION_ONCE},
    OPTION_BYTES,
    OPTIONS_END,
};

const command report_command = {
    .name = "report",
    .summary = "one HTML page about patterns, traces and benchmarks",
    .operands = "PATTERN|TRACE|BENCH...",
    .fewest = 1,
    .most = ARGUMENTS,
    .options = options,
    .description = "Writes a self-contained page: any browser shows it, without a network. Pointing at a\n"
                   "bar or a cell shows partner, bytes and phase. Each operand becomes a chapter, and is\n"
                   "recognised by its contents:\n"
                   "\n"
                   "PATTERN: its numbers, its matrix as a heat map, the algorithms compared, what each of\n"
                   "their phases adds against the bound, and the fastest schedule (or those of -a) as a\n"
                   "timeline, all predicted.\n"
                   "\n"
                   "TRACE, from 'quadrille bench --trace': what happened on every rank, the slowest method\n"
                   "on top, all on one time axis.\n"
                   "\n"
                   "BENCH, from 'quadrille bench --json': medians, spread and ratios to the bound; with -m\n"
                   "also the predictions of what has a schedule beforehand.\n",
    .examples = "quadrille report mesh:n=32,points=2800 -m cm5 -o mesh.html\n"
                "quadrille report moe:n=16 -a async,coloring -o moe.html\n"
                "quadrille report trace.json bench.json -m ethernet -o measured.html\n",
    .run = run,
};
