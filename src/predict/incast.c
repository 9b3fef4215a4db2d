/* SPDX-License-Identifier: BSD-3-Clause */
/* What is lost at a port: see incast.h. */
#include "predict/incast.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

static const double ethernet = 1514;        /* bytes of a full frame */
enum { FIRST = 10, LONG = 20, FEWEST = 4 }; /* packets */

qdr_status qdri_incast_open(qdri_incast *incast, const qdr_machine *machine, int64_t count,
                            const qdr_step *steps, int64_t item_bytes) {
    const qdr_machine_parameters *p = qdr_machine_look(machine);
    *incast =
        (qdri_incast){.queue = (double)p->queue, .packet = p->packet > 0 ? (double)p->packet : ethernet};
    if (p->queue == 0) return QDR_OK;
    incast->lost = QDRI_ZERO_ARRAY(double, count);
    incast->pushing = QDRI_ZERO_ARRAY(double, count);
    incast->out = QDRI_ZERO_ARRAY(double, p->ranks);
    incast->in = QDRI_ZERO_ARRAY(double, p->ranks);
    incast->held = QDRI_ZERO_ARRAY(double, p->ranks);
    if (!incast->lost || !incast->pushing || !incast->out || !incast->in || !incast->held)
        return qdri_fail_memory();
    for (int64_t i = 0; i < count; i++) {
        incast->out[steps[i].from] += (double)steps[i].items * (double)item_bytes;
        incast->in[steps[i].to] += (double)steps[i].items * (double)item_bytes;
    }
    return QDR_OK;
}

void qdri_incast_close(qdri_incast *incast) {
    free(incast->lost);
    free(incast->pushing);
    free(incast->out);
    free(incast->in);
    free(incast->held);
}

double qdri_incast_pass(qdri_incast *incast, int64_t number, const qdr_step *step, double bytes) {
    const double about = 0.7;
    if (incast->queue == 0) return bytes;
    double packet = incast->packet;
    if (incast->lost[number] > 0) bytes = incast->lost[number];
    int is_long = bytes > LONG * packet;
    double push = (is_long ? FIRST : FEWEST) * packet;
    int has_room = incast->held[step->to] + push <= fmax(push, incast->queue),
        waits_before = !is_long && incast->out[step->from] >= about * incast->in[step->to];
    incast->pushing[number] = has_room ? push : 0;
    incast->held[step->to] += incast->pushing[number];
    double passing = has_room || waits_before ? bytes : fmin(bytes, (is_long ? LONG : FEWEST) * packet);
    incast->lost[number] = bytes - passing;
    return passing;
}

int qdri_incast_passed(qdri_incast *incast, int64_t number, const qdr_step *step) {
    if (incast->queue == 0) return 0;
    incast->held[step->to] -= incast->pushing[number];
    incast->pushing[number] = 0;
    return incast->lost[number] > 0;
}
