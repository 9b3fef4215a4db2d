/* SPDX-License-Identifier: BSD-3-Clause */
/* A calendar of phases: who is busy when. Pairs take the first phase in which both are free. */
#ifndef QDRI_FIRST_FIT_H
#define QDRI_FIRST_FIT_H

#include <stdint.h>

typedef struct qdri_calendar {
    uint64_t *busy; /* [parties][words], one bit a phase */
    int32_t *full;  /* [parties]: words before this one have no free phase left */
    int64_t words;
} qdri_calendar;

/* For parties of at most `degree` pairs each: first fit needs at most 2 degree - 1 phases. 0 without memory.
 */
int qdri_calendar_open(qdri_calendar *calendar, int64_t parties, int64_t degree);
void qdri_calendar_close(qdri_calendar *calendar);

/* Takes the first phase in which both are free. Cost: one word for degrees up to 32, O(degree / 64) at worst.
 */
int32_t qdri_calendar_take(qdri_calendar *calendar, int one, int other);

#endif
