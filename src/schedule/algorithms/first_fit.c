/* SPDX-License-Identifier: BSD-3-Clause */
/* The calendar (first_fit.h). */
#include "schedule/algorithms/first_fit.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/memory.h"

/* Two small parties have a free phase among the first 64, because together they take at most 62 others. */
enum { SMALL = 32 };

int qdri_calendar_open(qdri_calendar *calendar, int64_t parties, const int32_t *degree) {
    int64_t listed = 0;
    for (int64_t p = 0; p < parties; p++)
        if (degree[p] <= SMALL) listed += degree[p];
    *calendar = (qdri_calendar){.parties = parties};
    calendar->first = QDRI_ZERO_ARRAY(uint64_t, parties);
    calendar->party = QDRI_ZERO_ARRAY(qdri_calendar_party, parties);
    calendar->later = QDRI_ARRAY(int32_t, listed);
    if (!calendar->first || !calendar->party || !calendar->later) {
        qdri_calendar_close(calendar);
        return 0;
    }
    listed = 0;
    for (int64_t p = 0; p < parties; p++) {
        if (degree[p] > SMALL) continue;
        calendar->party[p].words = -1;
        calendar->party[p].later = calendar->later + listed;
        listed += degree[p];
    }
    return 1;
}

void qdri_calendar_close(qdri_calendar *calendar) {
    for (int64_t p = 0; calendar->party && p < calendar->parties; p++) free(calendar->party[p].word);
    free(calendar->first);
    free(calendar->party);
    free(calendar->later);
    *calendar = (qdri_calendar){.parties = 0};
}

static int is_small(const qdri_calendar_party *party) {
    return party->words < 0;
}

static int is_later(const qdri_calendar_party *party, int32_t phase) {
    for (int32_t i = 0; i < party->count; i++)
        if (party->later[i] == phase) return 1;
    return 0;
}

static uint64_t word_of(const qdri_calendar_party *party, int32_t word) {
    return word < party->words ? party->word[word] : 0;
}

/* ---- the first phase from 64 on that is free in both --------------------------------------------------- */

static int32_t free_in_large(const qdri_calendar_party *one, const qdri_calendar_party *other) {
    int32_t word = one->full > other->full ? one->full : other->full;
    while ((word_of(one, word) | word_of(other, word)) == UINT64_MAX) word++;
    return 64 + 64 * word + qdri_lowest_bit(~(word_of(one, word) | word_of(other, word)));
}

static int32_t free_with_small(const qdri_calendar_party *large, const qdri_calendar_party *small) {
    for (int32_t word = large->full;; word++)
        for (uint64_t open = ~word_of(large, word); open; open &= open - 1) {
            int32_t phase = 64 + 64 * word + qdri_lowest_bit(open);
            if (!is_later(small, phase)) return phase;
        }
}

/* ---- taking it ----------------------------------------------------------------------------------------- */

static int mark_word(qdri_calendar_party *party, int32_t phase) {
    int32_t word = (phase - 64) / 64;
    if (word >= party->words) {
        int64_t capacity = party->words;
        if (!qdri_grow(&party->word, &capacity, (int64_t)word + 1, sizeof *party->word)) return 0;
        memset(party->word + party->words, 0, (size_t)(capacity - party->words) * sizeof *party->word);
        party->words = (int32_t)capacity;
    }
    party->word[word] |= UINT64_C(1) << ((phase - 64) % 64);
    while (party->full < party->words && party->word[party->full] == UINT64_MAX) party->full++;
    return 1;
}

static int mark(qdri_calendar_party *party, int32_t phase) {
    if (!is_small(party)) return mark_word(party, phase);
    party->later[party->count++] = phase;
    return 1;
}

static int32_t take_later(qdri_calendar_party *mine, qdri_calendar_party *theirs) {
    int32_t phase;
    if (is_small(mine))
        phase = free_with_small(theirs, mine);
    else
        phase = is_small(theirs) ? free_with_small(mine, theirs) : free_in_large(mine, theirs);
    return mark(mine, phase) && mark(theirs, phase) ? phase : -1;
}

int32_t qdri_calendar_take(qdri_calendar *calendar, int one, int other) {
    uint64_t busy = calendar->first[one] | calendar->first[other];
    if (busy == UINT64_MAX) return take_later(&calendar->party[one], &calendar->party[other]);
    int phase = qdri_lowest_bit(~busy);
    calendar->first[one] |= UINT64_C(1) << phase;
    calendar->first[other] |= UINT64_C(1) << phase;
    return phase;
}
