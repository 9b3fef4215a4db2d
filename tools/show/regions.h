/* SPDX-License-Identifier: BSD-3-Clause */
/* What `quadrille regions` found, and the ways of writing it. */
#ifndef REGIONS_H
#define REGIONS_H

#include <stdint.h>
#include <stdio.h>

enum { MOST_STEPS = 64 };

/* A key of the pattern, and its values. */
typedef struct axis {
    char key[32];
    int steps;
    double value[MOST_STEPS];
    int is_whole;
} axis;

enum { AXIS_TEXT = 32 };

/* A value as it stands in a spec, and for people: 65536 is 64Ki. Both return `text`. */
const char *axis_spec(const axis *axis, int step, char text[AXIS_TEXT]);
const char *axis_label(const axis *axis, int step, char text[AXIS_TEXT]);

typedef struct region_cell {
    int winner, next;      /* numbers of algorithms; next: the best of the others; -1: there is none */
    double seconds, other; /* what they take */
} region_cell;

typedef struct regions {
    const char *pattern;
    const char *machine; /* or the folder of what was measured */
    axis x, y;
    region_cell cell[MOST_STEPS][MOST_STEPS]; /* [y][x] */
    char **algorithm;                         /* the names, in the order of how many cells they win */
    int algorithms;
} regions;

/* The pattern of a cell; the caller frees it. */
char *regions_cell_spec(const regions *regions, int y, int x);

/* The number of an algorithm, which it gets when it is first asked for. */
int regions_number_of(regions *regions, const char *algorithm);

/* From the folder's file of this cell. Complains and returns an exit code. */
int regions_read_cell(const char *folder, regions *regions, int y, int x);

/* A line for each cell: its file, its pattern. */
int regions_write_cells(const regions *regions, FILE *out);

/* How many cells an algorithm wins. */
int regions_won(const regions *regions, int algorithm);

/* Whether the winner is clearly ahead. */
int region_is_clear(const region_cell *cell);

int regions_write_text(const regions *regions, FILE *out);
int regions_write_json(const regions *regions, FILE *out);
int regions_write_svg(const regions *regions, FILE *out);

#endif
