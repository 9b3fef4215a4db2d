/* SPDX-License-Identifier: BSD-3-Clause */
/* A gas: what its state is, and what flows through a wall between two states. */
#ifndef GAS_H
#define GAS_H

enum { VARIABLES = 4 };
typedef double state[VARIABLES]; /* of one point: mass, momentum in x and y, energy, of a unit of volume */

/* The state of a gas of this density, velocity in x and y, and pressure, and the other way round. */
void to_state(const double *primitive, double *u);
void to_primitive(const double *u, double *primitive);
double mach_number(const double *u);

/* HLLC. The flux from left to right, both primitive, through a wall whose normal is as long as the wall. Gives the fastest
 * wave, times the length of the wall. */
double find_flux(const double *left, const double *right, const double *normal, double *flux);

#endif
