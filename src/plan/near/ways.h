/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which way of large messages between ranks of a node is the faster one, as measured.
 *
 * A message that lies ready can be written into the receiver's arena and copied out of it, or read by the system where it
 * lies (channel.h). The system copies once, and looks up every page; how long that takes against two copies, and how well
 * caches are shared, differs by more than two from machine to machine, in either direction, and with the size. So nobody
 * guesses: exchanges of a size race, those with odd numbers the one way and those with even numbers the other, two of each where
 * they leave no doubt, else three or, while they are short, a few more; and the medians of what they took decide. Exchanges have the same number on all ranks, so
 * all ranks try the same way at a time. Later there is a short race now and then, ever more rarely, so that no mistake is for
 * ever. A size that comes for the first time goes the way of the nearest one that is known, and races later.
 *
 * The first exchange of a plan comes before its receivers could say anything in it. So a plan's channels are opened with what was
 * learned of each size; and where plans are made for one exchange each, their first exchanges race.
 *
 * What was learned belongs to a communicator: its plans learn from each other. Each rank decides for what it receives, alone.
 */
#ifndef QDRI_WAYS_H
#define QDRI_WAYS_H

#include "wire/wire.h"

typedef enum qdri_way { QDRI_WAY_ARENA, QDRI_WAY_READ, QDRI_WAYS } qdri_way;

/* What is known of exchanges of one size. */
enum { QDRI_RACE_TIMES = 7 };
typedef struct qdri_race {
    double time[QDRI_WAYS][QDRI_RACE_TIMES]; /* seconds, of the last exchanges that were measured */
    int64_t times[QDRI_WAYS];                /* how many there were */
    int64_t before[QDRI_WAYS];               /* the same, when this race began */
    double seconds;                          /* of all that were measured */
    int64_t exchanges;                       /* measured or not */
    int64_t begun, again; /* when this race began, and when there will be another; 0: it goes on */
} qdri_race;

enum { QDRI_SIZE_CLASSES = 64 }; /* see qdri_size_class() */
typedef struct qdri_ways {
    qdri_keepsake keepsake; /* first: it is kept with the wire */
    qdri_race of[QDRI_SIZE_CLASSES];
    uint64_t first;    /* bit k: in the first exchange of a plan, messages of class k are to be read */
    int64_t process[]; /* [members]: whose memory is known to be theirs, and can be read; 0: none */
} qdri_ways;

/* Those of a wire; NULL: no memory. */
qdri_ways *qdri_ways_of(qdri_wire *wire);

/* One more exchange: whether it is part of the race, in which odd numbers read; else all go the best way. */
int qdri_race_goes_on(qdri_race *race);
/* The race of this size. When it is the first exchange of it, and a size near it has been decided, that is taken over until there
 * have been a few. */
qdri_race *qdri_race_of(qdri_ways *ways, int size_class);
/* Which way the first exchange of the next plan goes, after one that went `way`. */
qdri_way qdri_race_next(const qdri_race *race, qdri_way way);
/* The faster one, as far as is known. */
qdri_way qdri_race_best(const qdri_race *race);
/* An exchange took so long, in which all large messages went one way. */
void qdri_race_measured(qdri_race *race, qdri_way way, double seconds);

#endif
