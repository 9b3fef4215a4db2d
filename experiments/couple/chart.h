/* SPDX-License-Identifier: BSD-3-Clause */
/* A chart of lines over a few named places, as a file of SVG. The axis of values is logarithmic. */
#ifndef COUPLE_CHART_H
#define COUPLE_CHART_H

enum { MOST_PLACES = 8, MOST_LINES = 10 };

typedef struct chart {
    const char *title, *unit, *along; /* unit: of the values; along: what the places are */
    int places, lines;
    char place[MOST_PLACES][16];
    struct {
        const char *name;
        double value[MOST_PLACES]; /* NAN: none */
    } line[MOST_LINES];
} chart;

/* 0: the file could not be written. */
int draw_chart(const chart *chart, const char *path);

#endif
