/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ocean ROWS FOLDER RANKS...: a matrix like `ocean` of Pinar and Hendrickson, section 2.2, cut into parts.
 *
 * Theirs has 143,437 rows and 962,623 nonzeros, 6.71 in a row: seven points, less what coast and bottom take
 * away. So this one is a sea: a grid of cells, deep in the middle and shallow at the rim, with an island. Cells
 * are numbered row by row, column by column, from the surface down, and the last ones are left away until ROWS
 * remain: the natural order, in which near numbers are near each other, at least along one axis. METIS cuts it,
 * always in the same way. For each number of ranks a file FOLDER/RANKS (lists.h) says what each rank owns,
 * needs, and has at its boundary.
 *
 * Everything is computed with integers: the same sea everywhere.
 */
#include <inttypes.h>
#include <metis.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lists.h"

enum { LEVELS = 9, MOST_NEAR = 6, MOST_ROWS = 1 << 24 };

static void give_up(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
static void give_up(const char *format, ...) {
    va_list values;
    va_start(values, format);
    fputs("ocean: ", stderr);
    vfprintf(stderr, format, values);
    fputc('\n', stderr);
    va_end(values);
    exit(2);
}

static void *room(int64_t count, size_t bytes) {
    void *made = calloc((size_t)count + 1, bytes);
    if (!made) give_up("out of memory");
    return made;
}

/* ---- the sea ------------------------------------------------------------------------------------------- */

typedef struct sea {
    int64_t wide, high;
    int64_t rows, nonzeros;
    int64_t *number; /* [high * wide * LEVELS] of a cell; -1: it is land */
    idx_t *start, *near;
} sea;

/* In cells, from the surface down. Flat in the middle; 0: land. */
static int64_t depth(int64_t wide, int64_t high, int64_t x, int64_t y) {
    int64_t u = x - wide / 3, v = y - high / 3, radius = high / 12;
    if (u * u + v * v < radius * radius) return 0;
    int64_t bowl = 64 * LEVELS * (x + 1) * (wide - x) / ((wide + 1) * (wide + 1)) * (y + 1) * (high - y) /
                   ((high + 1) * (high + 1));
    return bowl < LEVELS ? bowl : LEVELS;
}

static int64_t cells(int64_t wide, int64_t high) {
    int64_t sum = 0;
    for (int64_t y = 0; y < high; y++)
        for (int64_t x = 0; x < wide; x++) sum += depth(wide, high, x, y);
    return sum;
}

static int64_t *cell(const sea *s, int64_t x, int64_t y, int64_t z) {
    return &s->number[(y * s->wide + x) * LEVELS + z];
}

static void fill(sea *s) {
    int64_t next = 0;
    s->number = room(s->high * s->wide * LEVELS, sizeof *s->number);
    for (int64_t y = 0; y < s->high; y++)
        for (int64_t x = 0; x < s->wide; x++)
            for (int64_t z = 0, bottom = depth(s->wide, s->high, x, y); z < LEVELS; z++)
                *cell(s, x, y, z) = z < bottom && next < s->rows ? next++ : -1;
}

/* In the order of the numbers. */
static void link_cell(sea *s, int64_t x, int64_t y, int64_t z) {
    static const int step[MOST_NEAR][3] = {{0, -1, 0}, {-1, 0, 0}, {0, 0, -1},
                                           {0, 0, 1},  {1, 0, 0},  {0, 1, 0}};
    int64_t row = *cell(s, x, y, z), end = s->start[row];
    for (int i = 0; i < MOST_NEAR; i++) {
        int64_t u = x + step[i][0], v = y + step[i][1], w = z + step[i][2];
        if (u < 0 || u >= s->wide || v < 0 || v >= s->high || w < 0 || w >= LEVELS) continue;
        if (*cell(s, u, v, w) >= 0) s->near[end++] = (idx_t)*cell(s, u, v, w);
    }
    s->start[row + 1] = (idx_t)end;
}

static sea make_sea(int64_t rows) {
    sea s = {.rows = rows, .high = 12};
    while (cells(s.wide = s.high * 4 / 3, s.high) < rows) s.high++;
    fill(&s);
    s.start = room(rows + 1, sizeof *s.start);
    s.near = room(rows * MOST_NEAR, sizeof *s.near);
    for (int64_t y = 0; y < s.high; y++)
        for (int64_t x = 0; x < s.wide; x++)
            for (int64_t z = 0; z < LEVELS && *cell(&s, x, y, z) >= 0; z++) link_cell(&s, x, y, z);
    s.nonzeros = rows + s.start[rows];
    return s;
}

/* ---- its parts ----------------------------------------------------------------------------------------- */

static idx_t *cut(const sea *s, int ranks) {
    idx_t rows = (idx_t)s->rows, constraints = 1, parts = ranks, edges, options[METIS_NOPTIONS];
    idx_t *part = room(s->rows, sizeof *part);
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1;
    if (ranks > 1 && METIS_PartGraphKway(&rows, &constraints, s->start, s->near, NULL, NULL, NULL, &parts,
                                         NULL, NULL, options, &edges, part) != METIS_OK)
        give_up("METIS cannot cut the sea into %d parts", ranks);
    return part;
}

/* The rows of each part one after the other, and the place of a row in its part. */
static void collect(const sea *s, const idx_t *part, int ranks, int64_t *first, int64_t *own,
                    int64_t *place) {
    for (int64_t row = 0; row < s->rows; row++) first[part[row] + 1]++;
    for (int r = 0; r < ranks; r++) first[r + 1] += first[r];
    int64_t *next = room(ranks, sizeof *next);
    for (int64_t row = 0; row < s->rows; row++) {
        place[row] = next[part[row]]++;
        own[first[part[row]] + place[row]] = row;
    }
    free(next);
}

typedef struct lists {
    int64_t needed, boundaries;
    int64_t *need, *boundary; /* room for all rows */
    int *seen;                /* [rows]: the last rank, counted from 1, that needs a row */
} lists;

static int by_number(const void *a, const void *b) {
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

static void find_border(const sea *s, const idx_t *part, int rank, const int64_t *own, int64_t owned,
                        lists *l) {
    l->needed = l->boundaries = 0;
    for (int64_t i = 0; i < owned; i++) {
        int at_border = 0;
        for (idx_t n = s->start[own[i]]; n < s->start[own[i] + 1]; n++) {
            idx_t other = s->near[n];
            if (part[other] == rank) continue;
            at_border = 1;
            if (l->seen[other] == rank + 1) continue;
            l->seen[other] = rank + 1;
            l->need[l->needed++] = other;
        }
        if (at_border) l->boundary[l->boundaries++] = i;
    }
    qsort(l->need, (size_t)l->needed, sizeof *l->need, by_number);
}

/* ---- files --------------------------------------------------------------------------------------------- */

typedef struct output {
    FILE *stream;
    int64_t words;
} output;

static void put(output *o, const int64_t *word, int64_t count) {
    if (fwrite(word, sizeof *word, (size_t)count, o->stream) != (size_t)count)
        give_up("a file is not written");
    o->words += count;
}

static void put_part(output *o, const int64_t *own, int64_t owned, const lists *l, const idx_t *part,
                     const int64_t *place) {
    int64_t count[PART_LISTS] = {
        [PART_OWNED] = owned, [PART_NEEDED] = l->needed, [PART_BOUNDARIES] = l->boundaries};
    int64_t *answer = room(2 * l->needed, sizeof *answer);
    for (int64_t i = 0; i < l->needed; i++) {
        answer[i] = part[l->need[i]];
        answer[l->needed + i] = place[l->need[i]];
    }
    put(o, count, PART_LISTS);
    put(o, own, owned);
    put(o, l->need, l->needed);
    put(o, answer, 2 * l->needed);
    put(o, l->boundary, l->boundaries);
    free(answer);
}

static void put_all(output *o, const sea *s, int ranks) {
    idx_t *part = cut(s, ranks);
    int64_t *first = room(ranks + 1, sizeof *first), *own = room(s->rows, sizeof *own);
    int64_t *place = room(s->rows, sizeof *place), *head = room(FILE_START + ranks + 1, sizeof *head);
    lists l = {.need = room(s->rows, sizeof *l.need),
               .boundary = room(s->rows, sizeof *l.boundary),
               .seen = room(s->rows, sizeof *l.seen)};
    int64_t needed = 0, boundaries = 0;
    collect(s, part, ranks, first, own, place);
    put(o, head, FILE_START + ranks + 1);
    head[FILE_ROWS] = s->rows;
    head[FILE_RANKS] = ranks;
    for (int r = 0; r < ranks; r++) {
        int64_t owned = first[r + 1] - first[r];
        find_border(s, part, r, own + first[r], owned, &l);
        head[FILE_START + r] = o->words;
        put_part(o, own + first[r], owned, &l, part, place);
        needed += l.needed;
        boundaries += l.boundaries;
    }
    head[FILE_START + ranks] = o->words;
    rewind(o->stream);
    put(o, head, FILE_START + ranks + 1);
    printf("# %d ranks: %" PRId64 " rows at boundaries, %" PRId64 " needed\n", ranks, boundaries, needed);
    free(part), free(first), free(own), free(place), free(head), free(l.need), free(l.boundary), free(l.seen);
}

static int64_t number(const char *text, int64_t most) {
    char *end;
    long long value = strtoll(text, &end, 10);
    if (*end || value < 1 || value > most) give_up("'%s'; expected a number from 1 to %" PRId64, text, most);
    return value;
}

int main(int count, char **words) {
    char path[4096];
    if (count < 4) give_up("expected ROWS FOLDER RANKS...");
    sea s = make_sea(number(words[1], MOST_ROWS));
    printf("# a sea of %" PRId64 " x %" PRId64 " x %d cells: %" PRId64 " rows, %" PRId64 " nonzeros\n",
           s.wide, s.high, LEVELS, s.rows, s.nonzeros);
    for (int i = 3; i < count; i++) {
        int ranks = (int)number(words[i], s.rows);
        snprintf(path, sizeof path, "%s/%d", words[2], ranks);
        output o = {.stream = fopen(path, "wb")};
        if (!o.stream) give_up("%s cannot be written", path);
        put_all(&o, &s, ranks);
        if (fclose(o.stream)) give_up("%s is not written", path);
    }
    free(s.number), free(s.start), free(s.near);
    return 0;
}
