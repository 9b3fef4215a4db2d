/* SPDX-License-Identifier: BSD-3-Clause */
/* How one sender answers: see answers.h. */
#include "plan/answers.h"

#include <math.h>

#include "base/order.h"

/* In how long so many windows come. What one takes is usual; and processes have to wait for processors. */
static double time_of(const qdri_port *port, double windows, double least) {
    double rate = fmax(port->best, port->rate);
    return rate > 0 ? fmax(least, windows * (port->window / rate + port->latency)) : INFINITY;
}

/* How long an answer may take before its sender is thought to be busy, and before it is thought to be slow. */
static double tolerance(const qdri_port *port) {
    return time_of(port, 1.5, 0.005);
}

static double patience(const qdri_port *port) {
    return time_of(port, 6, 0.02);
}

int qdri_answers_first(const qdri_answers *answers, const qdri_port *port, int64_t asked, double since,
                       double now) {
    int is_enough = answers->allowance > 0 && asked + QDRI_PACKET > answers->allowance;
    return asked > 0 && (is_enough || now - since > patience(port));
}

int64_t qdri_answers_most(const qdri_answers *answers, int64_t asked, int64_t chunk) {
    return answers->allowance > 0 ? qdri_smaller(chunk, answers->allowance - asked) : chunk;
}

static int64_t next_allowance(const qdri_port *port, int64_t allowance, double share, double taken) {
    int64_t most = qdri_larger(QDRI_PACKET, (int64_t)(share * port->window));
    if (taken > patience(port)) return qdri_larger(QDRI_PACKET, allowance / 2);
    if (taken > tolerance(port)) return allowance == 0 ? most : qdri_smaller(2 * allowance, most);
    if (allowance == 0 || (double)(allowance + QDRI_PACKET) > port->window) return 0;
    return allowance + QDRI_PACKET;
}

int qdri_answers_judge(qdri_answers *answers, qdri_port *port, int from, double share, double granted,
                       double now) {
    const double much = 3, far_more = 8, forgetting = 0.95;
    double taken = now - granted, before = answers->longest;
    int was_late = before > 0 && taken >= much * before && qdri_port_is_late(port, granted, now);
    int was_lost = was_late && (taken > far_more * before || qdri_port_is_suspect(port, from));
    answers->allowance = next_allowance(port, answers->allowance, share, taken);
    answers->longest = was_lost ? forgetting * before : fmax(taken, forgetting * before);
    return was_lost;
}
