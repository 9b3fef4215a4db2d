/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether partners may come uninvited: see trust.h. */
#include "plan/trust.h"

enum { FIRST_PENALTY = 4, MOST_PENALTY = 1024 };
static const double much = 1.1;   /* times as slow: a disappointment */
static const double share = 0.25; /* of what a slower exchange with invitations tells */

void qdri_trust_init(qdri_trust *trust) {
    *trust = (qdri_trust){.times = 1, .penalty = FIRST_PENALTY};
}

void qdri_trust_first(qdri_trust *trust) {
    trust->times = QDRI_MOST_TRUSTED;
}

int qdri_trust_times(const qdri_trust *trust) {
    return trust->invited > 0 && trust->wait == 0 ? trust->times : 0;
}

/* Once in a row of exchanges that go uninvited: the rest of it was agreed before. */
static void disappoint(qdri_trust *trust) {
    if (trust->wait > 0) return;
    trust->times = 1;
    trust->wait = trust->penalty;
    if (trust->penalty < MOST_PENALTY) trust->penalty *= 2;
}

void qdri_trust_learn(qdri_trust *trust, int was_invited, double seconds, int64_t bytes) {
    if (bytes <= 0) return;
    double pace = seconds / (double)bytes;
    if (!was_invited) {
        if (trust->invited == 0) return; /* there is nothing to compare */
        if (pace > much * trust->invited)
            disappoint(trust);
        else if (trust->times < QDRI_MOST_TRUSTED)
            trust->times *= 2;
        return;
    }
    if (trust->wait > 0) trust->wait--;
    trust->invited = trust->invited == 0 || pace < trust->invited
                         ? pace
                         : trust->invited + share * (pace - trust->invited);
}
