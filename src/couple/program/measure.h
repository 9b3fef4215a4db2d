/* SPDX-License-Identifier: BSD-3-Clause */
/* What computing and messages cost where two programs met: measure.c. */
#ifndef QDRI_COUPLE_MEASURE_H
#define QDRI_COUPLE_MEASURE_H

#include "couple/program/program.h"

/* Collective over both programs, whose space and latency are known. Writes the coupling's costs, the same on all ranks of
 * both; the same status everywhere. */
qdr_status qdri_measure(qdr_coupling *coupling, double deadline);

/* What the ranks of both programs agree on: this rank's costs as terms, those of computing for its side alone; and the costs
 * from what the terms came to, unless that is out of bounds. */
enum { QDRI_COST_TERMS = 8 };
void qdri_costs_ask(const qdri_costs *mine, int side, qdri_term term[QDRI_COST_TERMS]);
qdr_status qdri_costs_keep(const qdri_term term[QDRI_COST_TERMS], qdri_costs *costs);

/* Local. Seconds of this rank for one element of a table: the least of several small ones; 0: no memory. */
double qdri_measure_element(void);

#endif
