/* SPDX-License-Identifier: BSD-3-Clause */
/* Contests and what follows from them: see chooser.h. */
#include "choose/chooser.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A part of the time, by which a challenger must be better: where candidates are new, and where one has proved itself. */
static const double better_early = 0.97, better = 0.94;
/* What counts as half the time where a port holds all of a rank's bytes: single times of short exchanges say little. */
static const double quickly = 0.5;
/* And what holds back bytes, where that is not needed as a rule. */
static const double worth_holding = 1.15;
/* Bytes that any port holds; bytes per second of a fast one. And bytes that go the quick way as soon as they are known, until that has been seen
 * so often: its first exchange says little, for it may be the first at all between some ranks. */
static const double harmless = 32 << 10, fast = 25e6, few = 20 << 10;
/* What passes on more than this would move too much; of less it may flood a port, which a trial shows at the price of one exchange. */
static const double not_many = 128 << 10, brief = 0.005; /* seconds */
enum { SEEN = 3, OFTEN = QDRI_CHOOSER_SAMPLES }; /* and so often whoever may be the best of short exchanges */
/* Times the best, above which a candidate is not tried again; and times what it was, another network. */
static const double hopeless = 1.6, drift = 3;

/* The first two contests come at once. More follow, so many exchanges apart, until all have taken so many seconds, and of short ones
 * everyone who may be the best has been seen often enough, up to a number. Then each is so many times as far as the one before, up to a limit. */
enum {
    FIRST_TWO = 2,
    MOST_EARLY = 12,
    APART = 8,
    CLOSE = 3,
    FIRST_LATE = 16,
    FACTOR = 4,
    LARGEST_STEP = 4096
};
static const double early_seconds = 0.02;

void qdri_chooser_open(qdri_chooser *chooser, int candidates, int in_flight, qdri_care care) {
    *chooser = (qdri_chooser){.candidates = candidates, .in_flight = in_flight, .care = care};
}

int qdri_chooser_class_of(int64_t item_bytes) {
    int size_class = 0;
    while (item_bytes > 1) {
        item_bytes >>= 1;
        size_class++;
    }
    return size_class;
}

/* The class itself, or the next one of which something is known; NULL: there is none. */
static int is_known(const qdri_chooser *chooser, int size_class) {
    return size_class >= 0 && size_class < QDRI_CHOOSER_CLASSES &&
           (chooser->known[size_class].is_tried || chooser->known[size_class].is_hinted);
}

static const qdri_chooser_class *nearest(const qdri_chooser *chooser, int size_class) {
    for (int distance = 0; distance < QDRI_CHOOSER_CLASSES; distance++)
        for (int side = -1; side <= 1; side += 2)
            if (is_known(chooser, size_class + side * distance))
                return &chooser->known[size_class + side * distance];
    return NULL;
}

int qdri_chooser_best(const qdri_chooser *chooser, int size_class) {
    const qdri_chooser_class *known = nearest(chooser, size_class);
    return known ? known->best : 0;
}

/* ---- a challenger -------------------------------------------------------------------------------------- */

static int has(unsigned candidates, int one) {
    return (int)(candidates >> one & 1);
}

static int may_try(const qdri_chooser *chooser, const qdri_chooser_class *known, int candidate) {
    const qdri_care *care = &chooser->care;
    if (!has(care->risky | care->small | care->large, candidate)) return 1;
    if (!known->is_tried) return 0;
    if (has(care->large, candidate)) return known->bytes > harmless;
    if (known->bytes <= harmless) return 1;
    if (has(care->small, candidate)) return known->bytes <= not_many;
    double seconds = known->seconds[known->best];
    return has(care->risky, candidate) && seconds > 0 && known->bytes >= fast * seconds;
}

/* What a candidate's time counts as. */
static double weight(const qdri_chooser *chooser, const qdri_chooser_class *known, int candidate) {
    const qdri_care *care = &chooser->care;
    if (has(care->large, candidate)) return worth_holding;
    return known->bytes <= harmless && has(care->quick, candidate) ? quickly : 1;
}

static double weighed(const qdri_chooser *chooser, const qdri_chooser_class *known, int candidate) {
    return weight(chooser, known, candidate) * known->seconds[candidate];
}

/* Not the best, but near enough to it that it may turn out to be. */
static int is_rival(const qdri_chooser *chooser, const qdri_chooser_class *known, int best, int candidate) {
    double least = known->seconds[best] > 0 ? weighed(chooser, known, best) : INFINITY;
    return candidate != best && known->seconds[candidate] > 0 &&
           weighed(chooser, known, candidate) < hopeless * least && may_try(chooser, known, candidate);
}

/* Who has not been tried and may be; else the rival who was tried least; else nobody: the best itself. */
static int challenger(const qdri_chooser *chooser, int size_class, int reference) {
    const qdri_chooser_class *known = &chooser->known[size_class];
    int best = qdri_chooser_best(chooser, size_class), next = best;
    for (int i = 0; i < chooser->candidates; i++)
        if (i != reference && i != best && known->seconds[i] == 0 && may_try(chooser, known, i)) return i;
    for (int i = 0; i < chooser->candidates; i++)
        if (is_rival(chooser, known, best, i) && (next == best || known->tries[i] < known->tries[next]))
            next = i;
    return next;
}

/* ---- what a contest has shown ---------------------------------------------------------------------------- */

/* What an exchange counts as: a short one with the waiting before it, and of other sizes as if it had those that are known. */
static double seconds_of(const qdri_chooser_class *known, const qdri_contest_result *result, int place) {
    double waiting = known->is_short ? result->late[place] / 2 : 0,
           part = result->is_unlike ? known->bytes / result->bytes[place] : 1;
    return part * result->seconds[place] + waiting;
}

static int by_size(const void *a, const void *b) {
    return (*(const float *)a > *(const float *)b) - (*(const float *)a < *(const float *)b);
}

/* Of the last few, with what it took this time. */
static double median(qdri_chooser_class *known, int candidate, double took) {
    int tries = known->tries[candidate], count = tries < OFTEN ? tries + 1 : OFTEN;
    float sorted[OFTEN];
    known->sample[candidate][tries % OFTEN] = (float)took;
    memcpy(sorted, known->sample[candidate], sizeof sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, by_size);
    return (double)sorted[(count - 1) / 2];
}

/* At first the least that each has taken counts, or of short ones the median, and the least of these is the best. */
static void take_in_early(const qdri_chooser *chooser, const qdri_contest *contest,
                          qdri_chooser_class *known) {
    for (int i = 0; i < 2; i++) {
        int runs = contest->runs[i];
        double *seconds = &known->seconds[runs], took = seconds_of(known, &contest->result, i),
               middle = median(known, runs, took);
        if (known->is_short)
            *seconds = middle;
        else if (*seconds == 0 || took < *seconds)
            *seconds = took;
    }
    if (!known->is_tried && !known->is_hinted) known->best = contest->runs[0];
    for (int i = 0; i < chooser->candidates; i++)
        if (known->seconds[i] > 0 &&
            weighed(chooser, known, i) < better_early * weighed(chooser, known, known->best))
            known->best = i;
}

/* Later the two are held against each other alone; where they are short, what they took before has to say the same, unless much has changed. What
 * others took is thought to have changed as the reference has; if that is much, they have to show it. */
static void take_in_late(const qdri_chooser *chooser, const qdri_contest *contest,
                         qdri_chooser_class *known) {
    int first = contest->runs[0], second = contest->runs[1];
    const double took[2] = {seconds_of(known, &contest->result, 0), seconds_of(known, &contest->result, 1)};
    double change = known->seconds[first] > 0 ? took[0] / known->seconds[first] : 1;
    int is_other = change > drift || change < 1 / drift;
    for (int i = 0; i < chooser->candidates; i++) {
        known->seconds[i] = is_other ? 0 : change * known->seconds[i];
        if (is_other) known->tries[i] = 0;
    }
    known->seconds[first] = took[0];
    if (second != first) known->seconds[second] = took[1];
    double old = weight(chooser, known, first), other = weight(chooser, known, second);
    double usual[2] = {median(known, first, took[0]), median(known, second, took[1])};
    int is_usual = !known->is_short || is_other || other * usual[1] < better * old * usual[0];
    known->best = is_usual && other * took[1] < better * old * took[0] ? second : first;
}

/* Bytes have changed: what is not for so many, or so few, gives way to the best of the others. */
static void shun_risk(const qdri_chooser *chooser, qdri_chooser_class *known) {
    int safe = -1;
    if (may_try(chooser, known, known->best)) return;
    for (int i = 0; i < chooser->candidates; i++)
        if (known->seconds[i] > 0 && may_try(chooser, known, i) &&
            (safe < 0 || known->seconds[i] < known->seconds[safe]))
            safe = i;
    known->best = safe < 0 ? 0 : safe;
}

/* Few bytes go the quick way, unless that has been seen to be slow. */
static void go_quickly(const qdri_chooser *chooser, qdri_chooser_class *known) {
    if (known->bytes > few || known->is_hinted) return;
    for (int i = 0; i < chooser->candidates; i++)
        if (has(chooser->care.quick, i) && known->tries[i] < SEEN) known->best = i;
}

/* Whether single times say little: of few bytes, or where what passes messages on competes, and all of it takes a few milliseconds. */
static int is_short(const qdri_chooser *chooser, const qdri_chooser_class *known,
                    const qdri_contest_result *result) {
    if (known->bytes <= harmless) return 1;
    return chooser->care.small && known->bytes <= not_many && result->seconds[0] < brief;
}

static void take_in(const qdri_chooser *chooser, const qdri_contest *contest, qdri_chooser_class *known) {
    int is_late = chooser->is_late && known->is_tried;
    if (!contest->result.is_unlike || !known->is_tried)
        known->bytes = contest->result.bytes[contest->result.is_unlike ? 0 : 1];
    known->is_short = is_short(chooser, known, &contest->result);
    (is_late ? take_in_late : take_in_early)(chooser, contest, known);
    for (int i = 0; i < 2; i++) known->tries[contest->runs[i]]++;
    known->is_tried = 1;
    go_quickly(chooser, known);
    shun_risk(chooser, known);
}

static int has_untried(const qdri_chooser *chooser, int size_class) {
    for (int i = 0; i < chooser->candidates; i++)
        if (chooser->known[size_class].seconds[i] == 0 && may_try(chooser, &chooser->known[size_class], i))
            return 1;
    return 0;
}

/* Whether anybody else may be tried. */
static int has_rival(const qdri_chooser *chooser, int size_class) {
    int best = qdri_chooser_best(chooser, size_class);
    return challenger(chooser, size_class, best) != best;
}

/* Short exchanges, and the best or a rival has not been seen often enough. */
static int is_unsure(const qdri_chooser *chooser, int size_class) {
    const qdri_chooser_class *known = &chooser->known[size_class];
    for (int i = 0; i < chooser->candidates && known->is_short; i++)
        if (is_rival(chooser, known, known->best, i) &&
            (known->tries[i] < OFTEN || known->tries[known->best] < OFTEN))
            return 1;
    return 0;
}

static int64_t next_late(int64_t after) {
    int64_t number = FIRST_LATE;
    while (number < after)
        number += number * (FACTOR - 1) < LARGEST_STEP ? number * (FACTOR - 1) : LARGEST_STEP;
    return number;
}

static int64_t adopts(const qdri_chooser *chooser, const qdri_contest *contest) {
    return contest->begin + 1 + chooser->in_flight;
}

/* The result of the oldest contest counts from here on. */
static void adopt(qdri_chooser *chooser) {
    const qdri_contest *contest = &chooser->contest[chooser->counted % 2];
    int size_class = contest->result.size_class[0],
        is_good = !contest->result.is_void && size_class == contest->result.size_class[1];
    int before = qdri_chooser_best(chooser, size_class), was_late = chooser->is_late;
    if (is_good) take_in(chooser, contest, &chooser->known[size_class]);
    chooser->counted++;
    if (is_good) chooser->spent += contest->result.seconds[0] + contest->result.seconds[1];
    if (chooser->counted - chooser->first < FIRST_TWO) return;
    int more = is_good && is_unsure(chooser, size_class);
    chooser->is_late |= !is_good || (chooser->spent >= early_seconds && !more) ||
                        chooser->counted - chooser->first >= MOST_EARLY || !has_rival(chooser, size_class);
    /* Who takes over from one that has proved itself has to prove itself at once. */
    int is_new = was_late && before != qdri_chooser_best(chooser, size_class);
    int is_soon = is_new || (is_good && has_untried(chooser, size_class));
    int64_t soon = adopts(chooser, contest);
    chooser->next = is_soon ? soon : chooser->is_late ? next_late(soon) : soon + (more ? CLOSE : APART);
}

/* ---- exchange by exchange ------------------------------------------------------------------------------ */

/* The second contest may begin before the first one counts, but its challenger comes after that. Later ones follow from what
 * counts. */
static void open_contest(qdri_chooser *chooser) {
    chooser->contest[chooser->opened % 2] = (qdri_contest){.begin = chooser->next, .result.is_void = 1};
    chooser->opened++;
    int64_t gap = chooser->in_flight > 2 ? chooser->in_flight : 2;
    chooser->next = chooser->opened - chooser->first < FIRST_TWO ? chooser->next + gap : INT64_MAX;
}

static void forget(qdri_chooser *chooser, int64_t number) {
    memset(chooser->known, 0, sizeof chooser->known);
    chooser->first = chooser->counted;
    chooser->forgets = chooser->is_late = 0;
    chooser->spent = 0;
    chooser->next = number;
}

void qdri_chooser_hint(qdri_chooser *chooser, int size_class, int best) {
    chooser->known[size_class].best = best;
    chooser->known[size_class].is_hinted = chooser->is_late = 1;
    chooser->first = -FIRST_TWO;
    chooser->next = FIRST_LATE;
}

void qdri_chooser_restart(qdri_chooser *chooser) {
    chooser->forgets = 1;
}

int qdri_chooser_place(const qdri_chooser *chooser, int64_t number, int *contest) {
    if (chooser->opened == 0) return -1;
    *contest = chooser->opened - 1;
    int64_t place = number - chooser->contest[*contest % 2].begin;
    return place < 2 ? (int)place : -1;
}

int qdri_chooser_candidate(qdri_chooser *chooser, int64_t number, int size_class) {
    int last;
    if (chooser->candidates < 2) return 0;
    while (chooser->counted < chooser->opened &&
           number >= adopts(chooser, &chooser->contest[chooser->counted % 2]))
        adopt(chooser);
    if (chooser->forgets && chooser->counted == chooser->opened) forget(chooser, number);
    if (number == chooser->next) open_contest(chooser);
    int best = qdri_chooser_best(chooser, size_class), place = qdri_chooser_place(chooser, number, &last);
    if (place < 0) return best;
    qdri_contest *contest = &chooser->contest[last % 2];
    return contest->runs[place] = place == 0 ? best : challenger(chooser, size_class, contest->runs[0]);
}

void qdri_chooser_learn(qdri_chooser *chooser, int contest, const int runs[2],
                        const qdri_contest_result *result) {
    qdri_contest *learned = &chooser->contest[contest % 2];
    learned->result = *result;
    for (int i = 0; i < 2 && !result->is_void; i++) learned->runs[i] = runs[i];
}
