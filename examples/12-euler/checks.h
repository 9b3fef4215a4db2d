/* SPDX-License-Identifier: BSD-3-Clause */
/* How the solver finds out that it is right. */
#ifndef CHECKS_H
#define CHECKS_H

#include "flow.h"

/* Collective. Each runs the flow by these rules, but for what it wants otherwise; `u` has own->places points. Rank 0 prints
 * a line. */
qdr_status check_free_stream(const share *own, const mesh *all, rules rules, state *u, int *is_good);
qdr_status check_conservation(const share *own, const mesh *all, rules rules, state *u, int *is_good);

/* On rank 0, which repeats everything by itself. `everything` is what all ranks have found together. */
qdr_status check_alone(const mesh *all, const rules *rules, state *everything, int *is_good);

#endif
