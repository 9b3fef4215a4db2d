/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Knocking: MPI opens a connection when the first message goes from one process to another, and that takes longer than many
 * an exchange. So when a plan is made, partners on other hosts who have not met on its communicator send each other an
 * empty message; the plan's first exchange finds all doors open, and takes as long as any other. Where messages are passed on, those
 * meet who hand on to each other: lg n and not n of them.
 */
#ifndef QDRI_KNOCK_H
#define QDRI_KNOCK_H

#include "plan/plan.h"

/* Collective, when the ranks have agreed that both ends of each message have the same idea of it. Nothing depends on it: who gets
 * no answer within the deadline, or within a few seconds, goes on. */
void qdri_plan_knock(qdr_plan *plan, double deadline);

#endif
