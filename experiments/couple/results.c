/* SPDX-License-Identifier: BSD-3-Clause */
/* Results are a few thousand at most: they are looked for one after the other. */
#include "results.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNREADABLE = 2, FIELDS = 9 + COLUMNS };

static result *results;
static int count, capacity;

static void refuse(const char *why, const char *line) {
    fprintf(stderr, "couple_findings: %s: %s\n", why, line);
    exit(UNREADABLE);
}

static int find_name(const char *const *names, int many, const char *name) {
    for (int i = 0; i < many; i++)
        if (!strcmp(names[i], name)) return i;
    return -1;
}

static void copy_name(char *to, size_t size, const char *from, const char *line) {
    if (strlen(from) >= size) refuse("too long a word", line);
    strcpy(to, from);
}

/* Cuts the line at its commas; how many fields it has. */
static int cut(char *line, char **field) {
    int fields = 0;
    line[strcspn(line, "\r\n")] = 0;
    for (char *at = line; at && fields <= FIELDS; fields++) {
        char *comma = strchr(at, ',');
        if (fields < FIELDS) field[fields] = at;
        if (comma) *comma++ = 0;
        at = comma;
    }
    return fields;
}

static result parse(const char *line) {
    char copy[1024], *field[FIELDS], *end;
    result r = {.kind = 0};
    copy_name(copy, sizeof copy, line, line);
    if (cut(copy, field) != FIELDS) refuse("not a line of couple_ranks", line);
    copy_name(r.machine, sizeof r.machine, field[0], line);
    r.kind = find_name(kind_names, KINDS, field[1]);
    r.at = (point){atoi(field[2]), atoi(field[3]), atoi(field[4])};
    r.way = find_name(way_names, WAYS, field[5]);
    copy_name(r.built, sizeof r.built, field[6], line);
    r.elements = atof(field[7]);
    copy_name(r.digest, sizeof r.digest, field[8], line);
    if (r.kind < 0 || r.way < 0) refuse("an unknown case or way", line);
    for (int c = 0; c < COLUMNS; c++) {
        r.value[c] = strtod(field[9 + c], &end);
        if (*end || end == field[9 + c] || !(r.value[c] >= 0)) refuse("not a number", line);
    }
    return r;
}

void read_results(void) {
    char line[1024];
    while (fgets(line, sizeof line, stdin)) {
        if (line[0] == '#') {
            fputs(line, stdout);
            continue;
        }
        if (!strncmp(line, LINE_TITLES, strlen(LINE_TITLES))) continue;
        if (count == capacity) {
            capacity = capacity ? 2 * capacity : 1024;
            results = realloc(results, (size_t)capacity * sizeof *results);
            if (!results) refuse("out of memory", "");
        }
        results[count++] = parse(line);
    }
    if (count == 0) refuse("there are no results", "");
}

int result_count(void) {
    return count;
}

const result *result_at(int number) {
    return &results[number];
}

const result *find_result(const char *machine, int kind, point at, int way) {
    for (int i = 0; i < count; i++) {
        const result *r = &results[i];
        if (r->kind == kind && r->way == way && r->at.exporters == at.exporters &&
            r->at.importers == at.importers && r->at.part == at.part && !strcmp(r->machine, machine))
            return r;
    }
    return NULL;
}

double value_of(const char *machine, int kind, point at, int way, int column) {
    const result *found = find_result(machine, kind, at, way);
    return found ? found->value[column] : NAN;
}
