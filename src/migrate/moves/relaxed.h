/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef QDRI_MOVES_RELAXED_H
#define QDRI_MOVES_RELAXED_H

#include "migrate/moves/moves.h"

/* The L of relaxed, whose schedules have at most L + 2 phases; 0 where there is too little room for it. */
int64_t qdri_relaxed_steps(const qdri_moves_request *request);

#endif
