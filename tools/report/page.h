/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One HTML page that needs nothing else: no network, no library, no second file. A page is a list of sections;
 * a section is a JSON object with a `kind`, which the script in page/ draws. Every function below returns a
 * section. Texts are shown as they are: there is no markup in them, and bytes that are
 * not UTF-8 become question marks.
 */
#ifndef PAGE_H
#define PAGE_H

#include <stdio.h>

#include "core/json.h"
#include "quadrille.h"

/* Paragraphs divided by empty lines. */
json_t *page_text(const char *heading, const char *text);

/* Begins a chapter: what follows, up to the next one, belongs to it. */
json_t *page_chapter(const char *heading, const char *text);

/* Steals both. columns: [{"name", "unit"?, "align"?: "right", "note"?}], rows: arrays of cells: string, number,
 * null, or {"text", "bar"?: 0..1, "mark"?: 0..1, "note"?}: a bar of that length, a tick at that place of it,
 * and a sentence that hovering shows. */
json_t *page_table(const char *heading, json_t *columns, json_t *rows);

/* A few numbers with their names, in a narrow list. Steals `facts`: [{"name", "text", "note"?}]. */
json_t *page_facts(const char *heading, json_t *facts);

/* The matrix as a heat map, with what each rank sends and receives in all beside it. Matrices beyond 512 ranks
 * are added up in square blocks. */
json_t *page_heat(const char *heading, const qdr_pattern *pattern);

/* Both write the page, steal `sections` (an array) and return an exit code. page_write() is for subcommands that
 * write a page where others write text; page_save() opens the file, or standard output for NULL. Nothing is
 * written before the subcommand has succeeded (output.h). */
int page_write(const char *title, const char *subtitle, json_t *sections, FILE *out);
int page_save(const char *title, const char *subtitle, json_t *sections, const char *file);

#endif
