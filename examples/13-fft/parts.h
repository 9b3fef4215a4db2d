/* SPDX-License-Identifier: BSD-3-Clause */
/* Which part of the array a rank has, and how the array goes from one distribution to another. */
#ifndef PARTS_H
#define PARTS_H

#include "fft.h"

enum { ROOT = 2 }; /* as a dimension of the grid: all of it on rank 0 */

/* `cut`: of every axis, by which dimension of the grid, or WHOLE. */
box part_of(const fft *one, const int *cut, int rank);

/* Collective. One map over all ranks, also where ranks exchange in rows or columns of the grid alone. */
qdr_status make_exchange(const fft *one, const int *before, const int *after, const qdr_plan_options *plan,
                         qdr_map **map);

#endif
