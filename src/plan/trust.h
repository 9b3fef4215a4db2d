/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether partners may come uninvited, found by trying.
 *
 * Invitations keep several senders from meeting at one port (stepped.c). Where ranks keep step by themselves, nothing
 * meets, and they are a message each for nothing. Nobody can tell beforehand; so a rank lets its partners come uninvited
 * in one exchange, and compares. If that was as quick, two more may go so, and then eight in a row: one with invitations
 * between them is enough to notice that things have changed, and to take it back. If it was
 * slower, the next trial has to wait, and longer each time.
 *
 * A network that answers at once holds senders back by itself (base/window.h), and an invitation takes as long as some tens of
 * kilobytes. There all come uninvited from the beginning.
 */
#ifndef QDRI_TRUST_H
#define QDRI_TRUST_H

#include <stdint.h>

enum { QDRI_MOST_TRUSTED = 8 }; /* exchanges in a row */

typedef struct qdri_trust {
    double invited;    /* seconds per byte with invitations, of late; 0: not known */
    int times;         /* how many exchanges in a row may go without, the next time */
    int wait, penalty; /* exchanges with invitations until then; and after the next disappointment */
} qdri_trust;

void qdri_trust_init(qdri_trust *trust);

/* The first exchanges go without. */
void qdri_trust_first(qdri_trust *trust);

/* How many exchanges after one with invitations may go without. */
int qdri_trust_times(const qdri_trust *trust);

/* An exchange has ended, in which this rank sent or received so many bytes, whichever is more. */
void qdri_trust_learn(qdri_trust *trust, int was_invited, double seconds, int64_t bytes);

#endif
