/* SPDX-License-Identifier: BSD-3-Clause */
/* Ways that are tried, and what follows: see ways.h. */
#include "plan/near/ways.h"

#include <stdlib.h>
#include <string.h>

#include "wire/node.h"

/* The first exchange finds its pages; of the others some may be disturbed, the more likely the shorter they are. Where partners do
 * not get into step, so that an exchange goes both ways again and again, the race ends some time. */
enum { FEWEST = 3, MOST = QDRI_RACE_TIMES, LONGEST = 8 * MOST, FIRST_AGAIN = 32 };
static const double enough = 5e-3; /* seconds */

static void release(qdri_keepsake *keepsake) {
    free(keepsake);
}

qdri_ways *qdri_ways_of(qdri_wire *wire) {
    size_t members = (size_t)qdri_node_members(wire);
    return qdri_wire_kept_or_made(wire, release, "ways", sizeof(qdri_ways) + members * sizeof(int64_t));
}

static double median(const double *time, int64_t times) {
    double sorted[QDRI_RACE_TIMES];
    int count = times < QDRI_RACE_TIMES ? (int)times : QDRI_RACE_TIMES;
    for (int i = 0; i < count; i++) {
        int at = i;
        for (; at > 0 && sorted[at - 1] > time[i]; at--) sorted[at] = sorted[at - 1];
        sorted[at] = time[i];
    }
    return sorted[(count - 1) / 2];
}

qdri_way qdri_race_best(const qdri_race *race) {
    const double clearly = 0.97; /* what was measured is not exact, and the arena needs nobody's permission */
    if (!race->times[QDRI_WAY_ARENA] || !race->times[QDRI_WAY_READ]) return QDRI_WAY_ARENA;
    double arena = median(race->time[QDRI_WAY_ARENA], race->times[QDRI_WAY_ARENA]);
    double read = median(race->time[QDRI_WAY_READ], race->times[QDRI_WAY_READ]);
    return read < clearly * arena ? QDRI_WAY_READ : QDRI_WAY_ARENA;
}

/* Whether each of the last two took clearly less one way than the other. */
static int is_clear(const qdri_race *race) {
    const double clearly = 0.85;
    double least[QDRI_WAYS], most[QDRI_WAYS];
    for (int way = 0; way < QDRI_WAYS; way++) {
        int64_t last = race->times[way] - 1;
        if (race->times[way] - race->before[way] < 2) return 0;
        double one = race->time[way][last % QDRI_RACE_TIMES],
               other = race->time[way][(last - 1) % QDRI_RACE_TIMES];
        least[way] = one < other ? one : other;
        most[way] = one < other ? other : one;
    }
    return most[0] < clearly * least[1] || most[1] < clearly * least[0];
}

/* The first race is longer than those that only look whether anything has changed. */
static int is_over(const qdri_race *race) {
    if (is_clear(race)) return 1;
    int64_t wanted = race->seconds < enough && race->begun == 0 ? MOST : FEWEST, fewest = wanted;
    for (int way = 0; way < QDRI_WAYS; way++)
        if (race->times[way] - race->before[way] < fewest) fewest = race->times[way] - race->before[way];
    return fewest >= wanted || race->exchanges - race->begun > LONGEST;
}

/* Times grow as sizes do. */
static void take_over(qdri_race *race, const qdri_race *from, double factor) {
    *race = *from;
    race->exchanges = race->begun = 0;
    race->again = FIRST_AGAIN;
    for (int way = 0; way < QDRI_WAYS; way++)
        for (int i = 0; i < QDRI_RACE_TIMES; i++) race->time[way][i] *= factor;
}

qdri_race *qdri_race_of(qdri_ways *ways, int size_class) {
    enum { NEAR = 4 };
    qdri_race *race = &ways->of[size_class];
    if (race->exchanges > 0 || race->again) return race;
    for (int away = 1; away <= NEAR; away++) {
        const qdri_race *smaller = size_class >= away ? &ways->of[size_class - away] : NULL;
        const qdri_race *larger = size_class + away < QDRI_SIZE_CLASSES ? &ways->of[size_class + away] : NULL;
        if (smaller && smaller->again && smaller->exchanges > 0) {
            take_over(race, smaller, (double)(1 << away));
            return race;
        }
        if (larger && larger->again && larger->exchanges > 0) {
            take_over(race, larger, 1.0 / (1 << away));
            return race;
        }
    }
    return race;
}

int qdri_race_goes_on(qdri_race *race) {
    race->exchanges++;
    if (race->again && race->exchanges >= race->again) {
        race->begun = race->again;
        race->again = 0;
        memcpy(race->before, race->times, sizeof race->before);
    }
    if (!race->again && is_over(race)) race->again = 2 * race->exchanges + FIRST_AGAIN;
    return !race->again;
}

qdri_way qdri_race_next(const qdri_race *race, qdri_way way) {
    if (race->again) return qdri_race_best(race);
    return way == QDRI_WAY_READ ? QDRI_WAY_ARENA : QDRI_WAY_READ;
}

void qdri_race_measured(qdri_race *race, qdri_way way, double seconds) {
    race->seconds += seconds;
    race->time[way][race->times[way]++ % QDRI_RACE_TIMES] = seconds;
}
