/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a transform is right: check.c. */
#ifndef CHECK_H
#define CHECK_H

#include "fft.h"

/* Values that look like chance, the same on any number of ranks. */
void fill(fft *one);

/* Collective. Transforms and judges; rank 0 prints a line. Sets whether it is right, on all ranks alike. */
qdr_status check(fft *one, int *good);

#endif
