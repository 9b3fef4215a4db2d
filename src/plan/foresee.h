/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Foreseeing: where a machine is given and no algorithm, rank 0 predicts what each candidate takes on it, and tells the others the
 * order, so that the first exchange already runs the one that is thought to be the best. Those that are thought to be
 * hopeless are left out. Trials go on as ever: a prediction is as good as the description of the machine.
 */
#ifndef QDRI_FORESEE_H
#define QDRI_FORESEE_H

#include "choose/rule.h"
#include "plan/settings.h"

/* Collective. Gathers the matrix of all messages. Who makes no sense of what rank 0 tells has a failure of his own, *mine, which
 * the next agreement is for. */
qdr_status qdri_foresee(qdr_plan *plan, const qdri_settings *settings, const qdr_machine *machine,
                        double deadline, qdri_rule_result *rule, qdr_status *mine);

#endif
