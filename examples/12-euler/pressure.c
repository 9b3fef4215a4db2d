/* SPDX-License-Identifier: BSD-3-Clause */
/* The pressure along the airfoil: two curves, from the trailing edge to the nose and back, below the picture of the flow. */
#include "drawing.h"

#include <math.h>

static double coefficient(const double *u, double mach) {
    state w;
    to_primitive(u, w);
    return (w[3] - 1 / 1.4) / (mach * mach / 2);
}

/* Upwards is suction, as usual; so much of it is at the upper end. */
static double down(double coefficient, double suction) {
    return CAPTION + HEIGHT + CAPTION + CURVES * (coefficient + suction) / (suction + 1.25);
}

/* Points first .. last of the airfoil; the one past the last is the first. */
static void draw_side(const drawing *on, state *u, double mach, double suction, int64_t first, int64_t last,
                      const char *stroke) {
    fprintf(on->file, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" d=\"", stroke);
    for (int64_t i = first; i <= last; i++) {
        int64_t p = i % on->all->wall;
        fprintf(on->file, "%s%.1f %.1f", i == first ? "M" : "L", across(on->all->place[p][0]),
                down(coefficient(u[p], mach), suction));
    }
    fputs("\"/>\n", on->file);
}

void draw_pressure(const drawing *on, state *u, double mach) {
    int64_t nose = on->all->wall / 2;
    double suction = 1.5;
    for (int64_t p = 0; p < on->all->wall; p++) suction = fmax(suction, 0.1 - coefficient(u[p], mach));
    for (int mark = -(int)suction; mark <= 1; mark++) {
        double y = down(mark, suction);
        fprintf(on->file, "<path stroke=\"#bbb\" d=\"M%d %.1fh%d\"/>\n", AXIS, y, WIDTH);
        fprintf(on->file, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%d</text>\n", AXIS - 6, y + 4, mark);
    }
    fprintf(on->file, "<text x=\"%d\" y=\"%d\">pressure coefficient on the airfoil, suction upwards:", AXIS,
            CAPTION + HEIGHT + 20);
    fputs(" <tspan fill=\"#b3122f\">upper side</tspan>, <tspan fill=\"#2c6eb0\">lower side</tspan></text>\n",
          on->file);
    draw_side(on, u, mach, suction, 0, nose, "#b3122f");
    draw_side(on, u, mach, suction, nose, on->all->wall, "#2c6eb0");
}
