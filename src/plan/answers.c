/* SPDX-License-Identifier: BSD-3-Clause */
/* How one sender answers: see answers.h. */
#include "plan/answers.h"

#include <math.h>

#include "base/order.h"

/* How long an answer may take before its sender is thought to be slow. What a window takes is usual; and processes have
 * to wait for processors. */
static double patience(const qdri_port *port) {
    const double windows = 6, least = 0.02; /* seconds */
    double rate = fmax(port->best, port->rate);
    return rate > 0 ? fmax(least, windows * (port->window / rate + port->latency)) : INFINITY;
}

int qdri_answers_first(const qdri_answers *answers, const qdri_port *port, int64_t asked, double since,
                       double now) {
    int is_enough = answers->allowance > 0 && asked + QDRI_PACKET > answers->allowance;
    return asked > 0 && (is_enough || now - since > patience(port));
}

int64_t qdri_answers_most(const qdri_answers *answers, int64_t asked, int64_t chunk) {
    return answers->allowance > 0 ? qdri_smaller(chunk, answers->allowance - asked) : chunk;
}

static int64_t next_allowance(const qdri_port *port, int64_t allowance, int was_slow) {
    if (was_slow) return qdri_larger(QDRI_PACKET, allowance / 2);
    if (allowance == 0 || (double)(allowance + QDRI_PACKET) > port->window) return 0;
    return allowance + QDRI_PACKET;
}

int qdri_answers_judge(qdri_answers *answers, qdri_port *port, int from, double granted, double now) {
    const double much = 3, far_more = 8, forgetting = 0.95;
    double taken = now - granted, before = answers->longest;
    int was_late = before > 0 && taken >= much * before && qdri_port_is_late(port, granted, now);
    int was_lost = was_late && (taken > far_more * before || qdri_port_is_suspect(port, from));
    answers->allowance = next_allowance(port, answers->allowance, taken > patience(port));
    answers->longest = was_lost ? forgetting * before : fmax(taken, forgetting * before);
    return was_lost;
}
