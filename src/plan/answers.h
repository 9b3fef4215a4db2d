/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How one sender answers, as its receiver sees it: how late, and so how much it may be asked for at once; and whether what is
 * late was lost.
 *
 * A sender with a slow wire is late for everybody. Whatever it is granted beyond that waits in front of its wire, and with
 * it its own grants to others. So who waits for long does not ask again; who was answered late asks for one packet,
 * then for two, and so on while answers come in time, and for half as much when one does not.
 *
 * A sender that began late is busy in the end, since everybody wants from it what is left. It would receive nothing while it
 * sends all that. So who is answered somewhat late, and has something left for that sender, asks it for no more at once than
 * its share of the window: as much as its bytes are of all.
 */
#ifndef QDRI_ANSWERS_H
#define QDRI_ANSWERS_H

#include "plan/port.h"

/* It is kept from exchange to exchange. */
typedef struct qdri_answers {
    double longest;    /* seconds, of late; 0: none came yet */
    int64_t allowance; /* bytes that it may be asked for at once; 0: any number */
} qdri_answers;

/* Whether it has to answer before it is asked for more, `asked` bytes being awaited, and nothing having come since then. */
int qdri_answers_first(const qdri_answers *answers, const qdri_port *port, int64_t asked, double since,
                       double now);

/* How much of a chunk to ask for. */
int64_t qdri_answers_most(const qdri_answers *answers, int64_t asked, int64_t chunk);

/* What was granted then has come, from a sender that may have this share of the window while it is busy. True: bytes are
 * lost on the way to this port. */
int qdri_answers_judge(qdri_answers *answers, qdri_port *port, int from, double share, double granted,
                       double now);

#endif
