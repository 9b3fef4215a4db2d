/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading lines of key=value words into tables: see node.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge.h"
#include "node.h"

enum { MOST_WORDS = 32 };

typedef struct line {
    int count;
    char *key[MOST_WORDS], *value[MOST_WORDS];
} line;

static line split(char *text) {
    line words = {.count = 0};
    for (char *rest = NULL, *word = strtok_r(text, " \n", &rest); word && words.count < MOST_WORDS;
         word = strtok_r(NULL, " \n", &rest)) {
        char *equals = strchr(word, '=');
        if (!equals) continue;
        *equals = '\0';
        words.key[words.count] = word;
        words.value[words.count++] = equals + 1;
    }
    return words;
}

static const char *get(const line *words, const char *key) {
    for (int i = 0; i < words->count; i++)
        if (!strcmp(words->key[i], key)) return words->value[i];
    return NULL;
}

/* ---- finding, or adding -------------------------------------------------------------------------------- */

#define GROWN(list, count) checked(realloc((list), (size_t)((count) + 1) * sizeof *(list)))

static table *find_table(measured *all, const line *words) {
    const char *order = get(words, "order"), *pattern = get(words, "pattern"), *mode = get(words, "mode");
    char *name = print_text("%s%s%s%s%s", mode, order ? ", " : "", order ? order : "", pattern ? ", " : "",
                            pattern ? pattern : "");
    for (int i = 0; i < all->tables; i++)
        if (!strcmp(all->table[i].name, name)) {
            free(name);
            return &all->table[i];
        }
    all->table = GROWN(all->table, all->tables);
    all->table[all->tables] = (table){.name = name, .mode = print_text("%s", mode)};
    return &all->table[all->tables++];
}

static int find_column(table *table, const line *words) {
    const char *b = get(words, "b"), *k = get(words, "k"), *size = get(words, "size"),
               *entry = get(words, "entry"), *ranks = get(words, "P");
    char *name =
        print_text("P=%s%s%s%s%s%s%s%s%s", ranks, b ? " b=" : "", b ? b : "", k ? " k=" : "", k ? k : "",
                   size ? " " : "", size ? size : "", entry ? " " : "", entry ? entry : "");
    for (int i = 0; i < table->columns; i++)
        if (!strcmp(table->column[i].name, name)) {
            free(name);
            return i;
        }
    table->column = GROWN(table->column, table->columns);
    table->column[table->columns] = (column){name, atoi(ranks), size ? atoll(size) : 0};
    return table->columns++;
}

int node_method(const table *table, const char *name) {
    for (int i = 0; i < table->methods; i++)
        if (!strcmp(table->method[i].name, name)) return i;
    return -1;
}

static int find_method(table *table, const line *words) {
    const char *name = get(words, "method"), *kind = get(words, "kind");
    int found = node_method(table, name);
    if (found >= 0) return found;
    table->method = GROWN(table->method, table->methods);
    table->method[table->methods] =
        (method){print_text("%s", name), !strcmp(kind, "ours"), !strcmp(kind, "opponent")};
    return table->methods++;
}

static runs *find_runs(table *table, int column, int method, int config) {
    for (int i = 0; i < table->cells; i++) {
        runs *one = &table->runs[i];
        if (one->column == column && one->method == method && one->config == config) return one;
    }
    table->runs = GROWN(table->runs, table->cells);
    table->runs[table->cells] = (runs){.column = column, .method = method, .config = config};
    return &table->runs[table->cells++];
}

/* ---- reading ------------------------------------------------------------------------------------------- */

static int add(measured *all, const char *path, char *text) {
    line words = split(text);
    static const char *const needed[] = {"config", "mode", "P", "method", "kind"};
    for (int i = 0; i < COUNT(needed); i++)
        if (!get(&words, needed[i])) return refuse(path, "a line without config, mode, P, method or kind");
    const char *figure = get(&words, "bytes") ? get(&words, "bytes") : get(&words, "us");
    if (!figure) return refuse(path, "a line without us or bytes");
    table *table = find_table(all, &words);
    int column = find_column(table, &words), method = find_method(table, &words);
    runs *one = find_runs(table, column, method, !strcmp(get(&words, "config"), "tuned"));
    one->value = GROWN(one->value, one->count);
    one->value[one->count++] = atof(figure);
    return REACHED;
}

int node_read(const char *path, measured *all) {
    char *text = NULL;
    size_t room = 0;
    int code = REACHED;
    FILE *file = fopen(path, "r");
    if (!file) return refuse(path, "cannot be read");
    while (!code && getline(&text, &room, file) > 0)
        if (strspn(text, " \n") < strlen(text)) code = add(all, path, text);
    free(text);
    fclose(file);
    return code;
}

double node_median(const table *table, int column, int method, int config) {
    for (int i = 0; i < table->cells; i++) {
        const runs *one = &table->runs[i];
        if (one->column == column && one->method == method && one->config == config)
            return median_of(one->value, one->count);
    }
    return NAN;
}

void node_clear(measured *all) {
    for (int t = 0; t < all->tables; t++) {
        table *table = &all->table[t];
        for (int i = 0; i < table->columns; i++) free(table->column[i].name);
        for (int i = 0; i < table->methods; i++) free(table->method[i].name);
        for (int i = 0; i < table->cells; i++) free(table->runs[i].value);
        free(table->column);
        free(table->method);
        free(table->runs);
        free(table->name);
        free(table->mode);
    }
    free(all->table);
}
