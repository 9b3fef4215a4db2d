/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A calendar of phases: who is busy when. Pairs take the first phase in which both are free.
 *
 * A party of small degree, as most are, keeps one word for the first 64 phases and a short list of the later
 * ones, which it has only because of busy partners. The others keep bitmaps that grow with the phases they
 * take. So memory is O(pairs), also where one party has a million partners.
 */
#ifndef QDRI_FIRST_FIT_H
#define QDRI_FIRST_FIT_H

#include <stdint.h>

/* What a party has from phase 64 on. */
typedef struct qdri_calendar_party {
    uint64_t *word; /* large parties: one bit a phase */
    int32_t *later; /* small parties: the same, as numbers */
    int32_t words;  /* of a large party; -1: a small one */
    int32_t count;  /* of later[] */
    int32_t full;   /* large parties: words before this one have no free phase left */
} qdri_calendar_party;

typedef struct qdri_calendar {
    int64_t parties;
    uint64_t *first; /* [parties] the phases below 64; apart, so that most pairs touch nothing else */
    qdri_calendar_party *party;
    int32_t *later; /* all lists */
} qdri_calendar;

/* degree[parties]: how many pairs each party will have, at most. 0 without memory. */
int qdri_calendar_open(qdri_calendar *calendar, int64_t parties, const int32_t *degree);
void qdri_calendar_close(qdri_calendar *calendar);

/* Takes the first phase in which both are free; -1 without memory. Cost: one word for small parties, else
 * O(degree / 64) words. */
int32_t qdri_calendar_take(qdri_calendar *calendar, int one, int other);

#endif
