/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whom a round by messages misses. A rank waits for keepers that have not taken what it sent them, or have not
 * answered: those it can name. Otherwise it waits, in the gossip, for one rank, which may itself wait for
 * another, and so on to the one that is missing. Nobody sees that from afar; so whoever gives up says whom he
 * missed, as his last word, to those who would still hear from him.
 *
 * In the gossip a rank in step i waits for one that is in an earlier step, or has not begun. So those in a later
 * step wait a little longer for the last word of the others, and it comes to all, step by step.
 */
#include <stdio.h>

#include "directory/traffic.h"

/* The gossip that is under way; NULL: none. */
static const qdri_gossip *gossip_of(const qdri_traffic *t) {
    if (qdri_gossip_awaits(t->enter) >= 0) return t->enter;
    return qdri_gossip_awaits(t->leave) >= 0 ? t->leave : NULL;
}

/* The keepers whose operation of this kind is under way; segments are in their order. */
static int name_keepers(const qdri_traffic *t, int answers, const char *what, char *text, size_t size) {
    enum { MOST = 4 };
    size_t used = 0;
    int named = 0, last = -1, more = 0;
    for (int64_t s = 0; s < t->segments; s++) {
        int keeper = t->segment[s].keeper;
        if (keeper == last || !t->legs[2 * s + answers].under_way) continue;
        last = keeper;
        if (named == MOST || used >= size) {
            more++;
            continue;
        }
        int length = snprintf(text + used, size - used, "; rank %d %s", keeper, what);
        used += length > 0 ? (size_t)length : 0;
        named++;
    }
    if (more && used < size) snprintf(text + used, size - used, "; nor have %d more", more);
    return named;
}

void qdri_messages_absent(const qdr_directory_round *round, char *text, size_t size) {
    const qdri_traffic *t = round->traffic;
    const qdri_gossip *gossip = t ? gossip_of(t) : NULL;
    *text = '\0';
    if (!t || name_keepers(t, 0, "has not taken what was sent to it", text, size)) return;
    if (t->has_entered && name_keepers(t, 1, "has not answered", text, size)) return;
    if (gossip) snprintf(text, size, "; rank %d has not come so far", qdri_gossip_awaits(gossip));
}

int qdri_messages_steps(const qdr_directory_round *round, int *all) {
    const qdri_traffic *t = round->traffic;
    const qdri_gossip *gossip = t ? gossip_of(t) : NULL;
    *all = t ? t->enter->steps : 0;
    return gossip ? gossip->step + 1 : 0;
}

void qdri_messages_last_word(qdr_directory_round *round, qdr_status status) {
    qdri_traffic *t = round->traffic;
    if (!t) return;
    qdri_gossip_give_up(t->enter, status);
    qdri_gossip_give_up(t->leave, status);
}
