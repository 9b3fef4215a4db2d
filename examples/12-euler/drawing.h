/* SPDX-License-Identifier: BSD-3-Clause */
/* What both parts of the picture need: the flow (picture.c), and the pressure below it (pressure.c). */
#ifndef DRAWING_H
#define DRAWING_H

#include <stdio.h>

#include "share.h"

enum { WIDTH = 640, HEIGHT = 400, MARGIN = 16, CAPTION = 28, CURVES = 170, LEGEND = 64, AXIS = 40 };

typedef struct drawing {
    FILE *file;
    const mesh *all;
    double *value; /* of each point */
    double step;   /* from one level to the next */
    int bands;
} drawing;

/* Where x is in the picture. */
double across(double x);

void draw_pressure(const drawing *on, state *u, double mach);

#endif
