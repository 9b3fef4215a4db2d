/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A round of discovery: every rank has parcels for some others, and learns what came for it.
 *
 * A *method* is how the ranks find each other: one file that defines a qdri_discovery, and one line in the
 * table of discover.c. It starts operations on the round's flight and never waits. Small parcels may travel
 * along with the news (`carries`); larger ones follow once both ends know their size, from the sender's
 * memory straight into their final place.
 *
 * Everything that can fail on one rank alone is agreed on by all: the arguments and the memory before the
 * first message, the memory for what comes before the large parcels, and the caller's own judgement at the
 * end. Words that come by a `bounded` method have their memory beforehand, and without a judge nothing is
 * left to agree on.
 */
#ifndef QDRI_ROUND_H
#define QDRI_ROUND_H

#include <stdint.h>

#include "quadrille/base.h"
#include "quadrille/discover.h"
#include "wire/flight.h"
#include "wire/wire.h"

typedef struct qdri_round qdri_round;

typedef struct qdri_discovery {
    const char *name;
    const char *summary;
    int scratch;      /* 64-bit words per rank that it works with, and one more */
    int carries;      /* bytes of the largest parcel that travels along; 0: none do */
    int carries_more; /* the caller may say another number */
    int at_once;      /* all it does is `start`, before the first agreement, which shows the words */
    int bounded;      /* no more than one word, or one parcel that travels along, per rank is learned */
    int by_envelopes; /* it sends those of envelopes.c */
    void (*start)(qdri_round *round); /* failures go to the flight */
    void (*poll)(qdri_round *round);  /* called again and again until the flight is over; NULL: no need */
    qdr_status (*learn)(qdri_round *round); /* local, afterwards: fills came and arrived */
} qdri_discovery;

/* Something that all ranks must have given alike. */
typedef struct qdri_alike {
    const char *what;
    int64_t value;
} qdri_alike;
enum { QDRI_ROUND_ALIKE = 3 };

struct qdri_round {
    /* The caller's: */
    const char *call; /* ranks that are in different ones find out in the first agreement */
    qdri_wire *wire;
    qdri_flight *flight;          /* NULL: there was no memory for one */
    qdr_status status;            /* of his own checks; its sentence is the error message */
    const qdri_discovery *method; /* NULL: nothing but the first agreement */
    int words; /* on all ranks: every parcel is one 64-bit word, not negative and below INT64_MAX */
    int count;
    const qdr_parcel *out; /* data in memory of the flight, unless they are words, or: */
    int borrows;           /* it is the caller's, and is copied where it must outlive a deadline */
    qdri_alike alike[QDRI_ROUND_ALIKE];
    int alikes;
    qdr_status (*judge)(
        qdri_round *round); /* at the end: what it says counts as this rank's; NULL: content */
    /* Parcels: the caller takes them out of `came` himself. What did not travel along has no data there, and follows in a
     * way of his own. Where all of it travels along, by a method that is at once, taking it cannot fail, and nothing is agreed
     * on afterwards. NULL: they become the result. */
    qdr_status (*take)(qdri_round *round);
    int64_t
        most_carried; /* bytes of the largest parcel that should travel along; the same on all ranks; 0: as usual */
    int takes_its_time; /* taking may fail on this rank, whatever comes: so all agree afterwards */
    void *context;

    /* The result, in one block that qdri_flight_take_result() gives: */
    int arrived;
    qdr_parcel *in;    /* [arrived] by rising rank; NULL for words */
    int64_t *in_word;  /* [arrived], the beginning of the block; NULL for parcels */
    int *in_word_rank; /* [arrived] */

    /* For methods: */
    int tag; /* fresh: no message of another round can be taken for one of this */
    int64_t
        *scratch; /* [method->scratch * ranks + 1], zero at first; of a method that is at once [2 * ranks] */
    qdri_flight_leg *legs; /* [count + 1]; NULL for a method that is at once */
    int64_t open;          /* a number for the method's own use */
    qdr_parcel *came;      /* what is known of what came, by rising rank; data NULL: still to be delivered */

    int64_t carries; /* bytes of the largest parcel of this rank that travels along: most_carried, or less */

    int64_t largest; /* parcel of all ranks; above most_carried: some did not travel along */

    /* private */
    int64_t *envelopes;
    struct qdri_envelope_arrival *arrivals, *spare;
    qdri_poller poller;
};

/* Collective. Runs the round; the same status on all ranks unless the wire failed. */
qdr_status qdri_discover(qdri_round *round);

/* Collective, where all ranks share a node: the first agreement of a round of words by the method `node`, and
 * with it all of the round. It needs no flight, for MPI has no part in it. A word for each rank goes, one more
 * than it is, 0 for none; and so they come. */
qdr_status qdri_discover_at_once(qdri_round *round, const int64_t *word_for, int64_t *word_from);

/* The method of this name, or the one that suits the wire; an unknown name lists the valid ones. */
qdr_status qdri_discovery_named(const char *name, qdri_wire *wire, const qdri_discovery **method);

/* ---- for methods by a word for each rank (alltoall.c) -------------------------------------------------- */

/* The words that go, in the first half of scratch; what came, from the second half. */
void qdri_words_fill(qdri_round *round);
qdr_status qdri_words_learn(qdri_round *round);

/* ---- for methods by envelopes (envelopes.c)
 * -------------------------------------------------------------- */

/* Room for the envelopes of this rank, before anything is sent. */
qdr_status qdri_envelopes_prepare(qdri_round *round);

/* Sends them. `landing` may be NULL; `matched`: each is done when its receiver has begun to take it. */
void qdri_envelopes_send(qdri_round *round, int matched, void (*landing)(qdri_flight_leg *leg));

/* Takes those that have come; how many it began to take. */
int qdri_envelopes_take(qdri_round *round);

/* qdri_discovery.learn for them. */
qdr_status qdri_envelopes_learn(qdri_round *round);

#endif
