/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whom a round by messages misses. A rank waits for keepers that have not taken what it sent them, or have not
 * answered: those it can name. Otherwise it waits, in the council, for one rank, which may itself wait for another,
 * and so on to the one that is missing. Nobody sees that from afar; so whoever gives up says whom he missed, as his
 * last word, to all; and whoever may only have been kept waiting by others gives them a moment to say so.
 */
#include <stdio.h>

#include "directory/traffic.h"

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

/* What this rank knows of by itself. */
static int name_known(const qdri_traffic *t, char *text, size_t size) {
    return name_keepers(t, 0, "has not taken what was sent to it", text, size) ||
           (t->has_entered && name_keepers(t, 1, "has not answered", text, size));
}

void qdri_messages_absent(const qdri_directory_round *round, char *text, size_t size) {
    const qdri_traffic *t = round->traffic;
    int awaited = t ? qdri_council_awaits(round->directory->council) : -1;
    *text = '\0';
    if (t && !name_known(t, text, size) && awaited >= 0)
        snprintf(text, size, "; rank %d has not come this far", awaited);
}

double qdri_messages_moment(const qdri_directory_round *round, double most) {
    char text[200];
    if (!round->traffic || name_known(round->traffic, text, sizeof text)) return 0;
    return qdri_council_knows(round->directory->council) ? 0.5 * most : most;
}

void qdri_messages_last_word(const qdri_directory_round *round, qdr_status status) {
    if (round->traffic) qdri_council_fail(round->directory->council, status);
}
