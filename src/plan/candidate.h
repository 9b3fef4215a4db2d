/* SPDX-License-Identifier: BSD-3-Clause */
/* The candidates of a plan: an algorithm with all that one rank needs to run it. */
#ifndef QDRI_CANDIDATE_H
#define QDRI_CANDIDATE_H

#include "plan/settings.h"

/* Collective where the algorithm needs the whole matrix, or is rehearsed (rehearse.h), else local. Builds what `candidate->spec` names, or what a
 * schedule says; all but the slots. */
qdr_status qdri_candidate_build(qdr_plan *plan, qdri_candidate *candidate, const qdri_settings *settings,
                                const qdr_machine *machine, const qdr_schedule *schedule, double deadline);
void qdri_candidate_free(qdri_candidate *candidate);

/* Of its transfers; over all ranks it is 0 if the two ends of each have the same idea of it. */
uint64_t qdri_candidate_parity(const qdri_candidate *candidate);

/* As qdr_plan_schedule(). */
const qdr_schedule *qdri_candidate_schedule(const qdr_plan *plan, qdri_candidate *candidate);

#endif
