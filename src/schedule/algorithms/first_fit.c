/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/algorithms/first_fit.h"

#include <stdlib.h>

#include "base/bits.h"
#include "base/memory.h"

int qdri_calendar_open(qdri_calendar *calendar, int64_t parties, int64_t degree) {
    calendar->words = 2 * degree / 64 + 1;
    int64_t size = calendar->words <= INT64_MAX / parties ? calendar->words * parties : -1;
    calendar->busy = QDRI_ZERO_ARRAY(uint64_t, size);
    calendar->full = QDRI_ZERO_ARRAY(int32_t, parties);
    if (calendar->busy && calendar->full) return 1;
    qdri_calendar_close(calendar);
    return 0;
}

void qdri_calendar_close(qdri_calendar *calendar) {
    free(calendar->busy);
    free(calendar->full);
    calendar->busy = NULL;
    calendar->full = NULL;
}

static void pass_full_words(qdri_calendar *calendar, int party, const uint64_t *busy) {
    int32_t *full = &calendar->full[party];
    while (*full < calendar->words && busy[*full] == UINT64_MAX) ++*full;
}

int32_t qdri_calendar_take(qdri_calendar *calendar, int one, int other) {
    uint64_t *mine = calendar->busy + one * calendar->words,
             *theirs = calendar->busy + other * calendar->words;
    int64_t word = calendar->full[one] > calendar->full[other] ? calendar->full[one] : calendar->full[other];
    while ((mine[word] | theirs[word]) == UINT64_MAX) word++;
    int bit = qdri_lowest_bit(~(mine[word] | theirs[word]));
    mine[word] |= UINT64_C(1) << bit;
    theirs[word] |= UINT64_C(1) << bit;
    pass_full_words(calendar, one, mine);
    pass_full_words(calendar, other, theirs);
    return (int32_t)(word * 64 + bit);
}
