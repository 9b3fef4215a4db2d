/* SPDX-License-Identifier: BSD-3-Clause */
/* The step in which two ranks of n meet, so that in each step everybody has at most one partner. */
#ifndef QDRI_PAIRING_H
#define QDRI_PAIRING_H

#include <stdint.h>

/* From 1 to n - 1 for even n, from 0 to n - 1 for odd n. */
int64_t qdri_meeting(int ranks, int one, int other);

#endif
