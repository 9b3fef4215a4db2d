/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pages: the template of page/page.html with title, style, script and data put in their places. Style and
 * script are files of their own, which the build turns into arrays (page/embed.cmake). The data is JSON
 * inside a <script> that no browser runs; an HTML parser looks there for "</script" and "<!--" only, so a
 * page in whose data every '<' is written as \u003c cannot be broken by any text.
 */
#include "page.h"

#include <stdlib.h>
#include <string.h>

#include "core/complain.h"
#include "core/output.h"
#include "page_files.h"

/* ---- sections ------------------------------------------------------------------------------------------ */

json_t *page_text(const char *heading, const char *text) {
    return json_pack("{s:s, s:o, s:o}", "kind", "text", "heading", json_text(heading), "text",
                     json_text(text));
}

json_t *page_chapter(const char *heading, const char *text) {
    return json_pack("{s:s, s:o, s:o}", "kind", "chapter", "heading", json_text(heading), "text",
                     json_text(text));
}

json_t *page_table(const char *heading, json_t *columns, json_t *rows) {
    return json_pack("{s:s, s:o, s:o, s:o}", "kind", "table", "heading", json_text(heading), "columns",
                     columns, "rows", rows);
}

json_t *page_facts(const char *heading, json_t *facts) {
    return json_pack("{s:s, s:o, s:o}", "kind", "facts", "heading", json_text(heading), "facts", facts);
}

/* ---- the page ------------------------------------------------------------------------------------------ */

static void write_escaped(const char *text, FILE *out) {
    for (; *text; text++) {
        const char *entity = *text == '<'   ? "&lt;"
                             : *text == '>' ? "&gt;"
                             : *text == '&' ? "&amp;"
                             : *text == '"' ? "&quot;"
                                            : NULL;
        if (entity)
            fputs(entity, out);
        else
            fputc((unsigned char)*text < ' ' ? '?' : *text, out);
    }
}

/* Jansson hands over pieces of the document; outside of strings JSON has no '<'. */
static int write_data(const char *bytes, size_t length, void *out) {
    for (size_t i = 0; i < length; i++)
        if (bytes[i] == '<')
            fputs("\\u003c", out);
        else
            fputc(bytes[i], out);
    return 0;
}

static int write_sections(json_t *page, FILE *out) {
    enum { DIGITS = 9 };
    int failed = json_dump_callback(page, write_data, out, JSON_COMPACT | JSON_REAL_PRECISION(DIGITS));
    return failed ? complain("out of memory") : EXIT_GOOD;
}

static int write_place(const char *place, size_t length, json_t *page, FILE *out) {
    if (!strncmp(place, "style", length))
        fwrite(page_css, 1, page_css_size, out);
    else if (!strncmp(place, "script", length))
        fwrite(page_js, 1, page_js_size, out);
    else if (!strncmp(place, "title", length))
        write_escaped(json_string_value(json_object_get(page, "title")), out);
    else
        return write_sections(page, out);
    return EXIT_GOOD;
}

/* The template, in which {{place}} stands for what goes there. */
static int write_template(json_t *page, FILE *out) {
    const char *rest = (const char *)page_html, *end = rest + page_html_size, *open;
    int code = EXIT_GOOD;
    while (!code && (open = memmem(rest, (size_t)(end - rest), "{{", 2))) {
        const char *close = memmem(open, (size_t)(end - open), "}}", 2);
        fwrite(rest, 1, (size_t)(open - rest), out);
        code = write_place(open + 2, (size_t)(close - open - 2), page, out);
        rest = close + 2;
    }
    if (!code) fwrite(rest, 1, (size_t)(end - rest), out);
    return code;
}

int page_write(const char *title, const char *subtitle, json_t *sections, FILE *out) {
    json_t *page = json_made(json_pack("{s:o, s:o, s:s, s:o}", "title", json_text(title), "subtitle",
                                       json_text(subtitle), "version", QDR_VERSION, "sections", sections),
                             "the page");
    int code = write_template(page, out);
    json_decref(page);
    return code;
}

int page_save(const char *title, const char *subtitle, json_t *sections, const char *file) {
    return page_write(title, subtitle, sections, output_open(file));
}
