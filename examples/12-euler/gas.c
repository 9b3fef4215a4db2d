/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Between two different states waves run; how much they carry through a wall says HLLC, a solver that knows the two outer
 * waves and the contact between them.
 */
#include "gas.h"

#include <math.h>

static const double heat_ratio = 1.4;

void to_state(const double *primitive, double *u) {
    double density = primitive[0], x = primitive[1], y = primitive[2];
    u[0] = density;
    u[1] = density * x;
    u[2] = density * y;
    u[3] = primitive[3] / (heat_ratio - 1) + density * (x * x + y * y) / 2;
}

void to_primitive(const double *u, double *primitive) {
    primitive[0] = u[0];
    primitive[1] = u[1] / u[0];
    primitive[2] = u[2] / u[0];
    primitive[3] = (heat_ratio - 1) * (u[3] - (u[1] * u[1] + u[2] * u[2]) / u[0] / 2);
}

double mach_number(const double *u) {
    state w;
    to_primitive(u, w);
    return hypot(w[1], w[2]) / sqrt(heat_ratio * w[3] / w[0]);
}

/* What one side of a wall sends through it: the flux of its own state, or if the wall is between the side's outer wave
 * and the contact, that plus what the outer wave changes. */
static void one_sided(const double *w, const double *unit, double wave, double contact, int is_outside,
                      double *flux) {
    double along = w[1] * unit[0] + w[2] * unit[1], u[VARIABLES];
    to_state(w, u);
    for (int v = 0; v < VARIABLES; v++) flux[v] = along * u[v];
    flux[1] += w[3] * unit[0];
    flux[2] += w[3] * unit[1];
    flux[3] += w[3] * along;
    if (is_outside) return;
    double squeeze = (wave - along) / (wave - contact), density = w[0] * squeeze, change = contact - along;
    double beyond[] = {density, density * (w[1] + change * unit[0]), density * (w[2] + change * unit[1]),
                       squeeze * (u[3] + change * (w[0] * contact + w[3] / (wave - along)))};
    for (int v = 0; v < VARIABLES; v++) flux[v] += wave * (beyond[v] - u[v]);
}

double find_flux(const double *left, const double *right, const double *normal, double *flux) {
    double length = hypot(normal[0], normal[1]), unit[] = {normal[0] / length, normal[1] / length};
    double from = left[1] * unit[0] + left[2] * unit[1], to = right[1] * unit[0] + right[2] * unit[1];
    double left_sound = sqrt(heat_ratio * left[3] / left[0]);
    double right_sound = sqrt(heat_ratio * right[3] / right[0]);
    double slow = fmin(from - left_sound, to - right_sound), fast = fmax(from + left_sound, to + right_sound);
    double left_mass = left[0] * (slow - from), right_mass = right[0] * (fast - to);
    double contact = (right[3] - left[3] + left_mass * from - right_mass * to) / (left_mass - right_mass);
    if (contact >= 0)
        one_sided(left, unit, slow, contact, slow >= 0, flux);
    else
        one_sided(right, unit, fast, contact, fast <= 0, flux);
    for (int v = 0; v < VARIABLES; v++) flux[v] *= length;
    return fmax(-slow, fast) * length;
}
