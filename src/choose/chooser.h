/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which of a few candidates runs an exchange, found by trying them.
 *
 * A contest is a pair of exchanges, one after the other: the first runs the candidate in use, the second a challenger. When
 * the second has ended, all ranks learn what both took; so one noise, one size and one state of the network stand on both
 * sides of the comparison. The first two contests come at once, so that a program whose candidates differ by much soon has
 * the best. Short exchanges, whose times say little, are compared a few times more, and the least of each counts; of few bytes the
 * median, for what everyone sends at once may be there before the last rank has come. Later
 * contests come at the 16th exchange, the 64th and so on: a network that has changed is noticed, and a wrong guess does
 * not last, at a price that goes to nothing.
 *
 * What is learned is equal on all ranks, and so is the number of an exchange; who runs it follows from the two alone. An
 * exchange may begin before an earlier one has ended, but not before the one `in_flight` exchanges earlier: so what a contest
 * has shown counts from that many exchanges later on, and nobody ever waits for it.
 *
 * An exchange takes from when the last rank has come to when the last has gone. Of few bytes half the time for which the first
 * has waited for the last counts, too: where ranks share processors, what one does to send keeps another from coming. Clocks of the ranks do not agree; each
 * counts from the end of an agreement that all left at about the same time. What they differ by is the same at both ends
 * of an exchange, and mostly cancels out.
 *
 * Risk. Plain sends can overflow a port, which costs a time-out, of 200 ms and more. A risky candidate is tried only where
 * that cannot happen, because all that comes to a rank fits into any port; or where it is unlikely, because ports turned
 * out to be fast: what they hold is gone within a millisecond or two. On slow wires there is nothing to gain, either: the
 * wire itself takes most of the time. What passes on messages of others moves bytes several times, and is tried where a rank
 * has few; what holds back bytes, where a rank has more than any port holds anyway.
 *
 * Few bytes. Single times of short exchanges say little: medians count there, and half the waiting before them. Whoever is thought to have the least to
 * do is taken there, as soon as that is known, unless another takes half the time. Where messages may be passed on, exchanges of more bytes, but of a few
 * milliseconds, are short, too, and nobody is taken before it has been seen.
 *
 * Sizes. An exchange belongs to the class of its item's bytes, a power of two. What was learned counts for its class, and
 * for others until they have been tried themselves. Where sizes change from one exchange to the next, times are held against the bytes
 * of the busiest rank, if these are so many that its wire sets the pace; else there is nothing to compare.
 */
#ifndef QDRI_CHOOSER_H
#define QDRI_CHOOSER_H

#include <stdint.h>

enum { QDRI_CHOOSER_MOST = 4, QDRI_CHOOSER_CLASSES = 64, QDRI_CHOOSER_SAMPLES = 5 };

/* Candidates that need care, a bit for each. */
typedef struct qdri_care {
    unsigned risky; /* may overflow a port */
    unsigned small; /* is for small messages alone */
    unsigned large; /* has nothing to gain with those */
    unsigned quick; /* is thought to have the least to do for those */
} qdri_care;

/* What all ranks learn of a contest, of its two exchanges; seconds. */
typedef struct qdri_contest_result {
    double seconds[2]; /* from when the last rank had come */
    double late[2];    /* it came so much after the first */
    int size_class[2];
    double bytes[2]; /* most that a rank sent or received */
    int is_unlike;   /* some rank had other sizes in the second */
    int is_void;     /* some rank cannot tell */
} qdri_contest_result;

/* Of one class. */
typedef struct qdri_chooser_class {
    int best;      /* of those that were tried, here or in an earlier run */
    int is_hinted; /* in an earlier run */
    double bytes;  /* as in the last contest */
    int is_short;  /* single times say little */
    double seconds
        [QDRI_CHOOSER_MOST]; /* when last tried, at first the least, of short exchanges the median; 0: not yet */
    float sample[QDRI_CHOOSER_MOST][QDRI_CHOOSER_SAMPLES]; /* the last of them, at first */
    int tries[QDRI_CHOOSER_MOST];
    int is_tried; /* anything was */
} qdri_chooser_class;

/* A contest, from its first exchange to when its result counts. */
typedef struct qdri_contest {
    int64_t begin; /* its first exchange */
    int runs[2];   /* who runs its two */
    qdri_contest_result result;
} qdri_contest;

typedef struct qdri_chooser {
    int candidates, in_flight;
    qdri_care care;
    int opened, counted;     /* contests that have begun; whose results count */
    int first;               /* of them, since the chooser knew nothing */
    int forgets;             /* all, when no contest is under way */
    int64_t next;            /* the exchange with which another one begins */
    double spent;            /* seconds, in contests */
    int is_late;             /* they come rarely */
    qdri_contest contest[2]; /* the last two, by turns */
    qdri_chooser_class known[QDRI_CHOOSER_CLASSES];
} qdri_chooser;

/* Candidates come by how good they are thought to be; with one there is nothing to choose. */
void qdri_chooser_open(qdri_chooser *chooser, int candidates, int in_flight, qdri_care care);

/* The class of exchanges with items of so many bytes. */
int qdri_chooser_class_of(int64_t item_bytes);

/* Who runs the exchange with this number, of this class. Numbers come in their order; one may come again. All contests that
 * ended `in_flight` exchanges earlier must have been learned of. */
int qdri_chooser_candidate(qdri_chooser *chooser, int64_t number, int size_class);

/* The place in its contest of the exchange that came last: 0 or 1; -1: it is no trial. And which contest that is. */
int qdri_chooser_place(const qdri_chooser *chooser, int64_t number, int *contest);

/* Both exchanges of a contest have ended; who ran them, as those say that have a part in them. */
void qdri_chooser_learn(qdri_chooser *chooser, int contest, const int runs[2],
                        const qdri_contest_result *result);

/* Before the first exchange: who was the best of a class in an earlier run. Then contests are rare from the beginning. */
void qdri_chooser_hint(qdri_chooser *chooser, int size_class, int best);

/* Forgets all, and begins anew with the next exchange, or when the result of the contest that is under way counts. */
void qdri_chooser_restart(qdri_chooser *chooser);

/* The candidate that exchanges of a class run, as far as is known. */
int qdri_chooser_best(const qdri_chooser *chooser, int size_class);

#endif
