/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every tag of the library. Those of a wire's own protocols need no agreement, and stand here as they are. All others
 * belong to something that lives on the wire: a plan, a directory, a migration, a stream. Each of these has a span
 * of QDRI_TAGS tags, on which its ranks agree when it is made, and counts from the first tag of its span.
 */
#ifndef QDRI_TAGS_H
#define QDRI_TAGS_H

/* Of the wire. */
enum {
    QDRI_TAG_BROADCAST = 0, /* so many for each of two algorithms, in turn */
    QDRI_BROADCAST_TAGS = 8,
    QDRI_TAG_DISCOVER = 2 * QDRI_BROADCAST_TAGS, /* one for each round, in turn */
    QDRI_DISCOVER_ROUNDS = 64,
    QDRI_TAG_DELIVER = QDRI_TAG_DISCOVER + QDRI_DISCOVER_ROUNDS, /* large parcels of discovery */
    QDRI_TAG_PASS = 82,                                          /* lists that go round; two of them */
    QDRI_TAG_GREET = 84,                                         /* two programs find each other */
    QDRI_TAG_MEASURE = 85,                                       /* and measure what messages cost */
    QDRI_TAG_COUNCIL = 88,                                       /* of all ranks */
    QDRI_COUNCIL_TAGS = 2,
    QDRI_TAG_NEWS = QDRI_TAG_COUNCIL + QDRI_COUNCIL_TAGS,
    QDRI_TAG_COLLECTIVE = 96, /* collectives that are made of messages, one for each, in turn */
    QDRI_COLLECTIVE_TAGS = 32,
    QDRI_FREE_TAGS = QDRI_TAG_COLLECTIVE + QDRI_COLLECTIVE_TAGS, /* spans begin here */
};

enum { QDRI_TAGS = 128 };

/* Of a plan: for each slot one for small streams and their marks, two for control messages in turn, and one for what
 * finds no room in the node's memory; then those of large streams, by the number of the exchange. Candidates share them. */
enum {
    QDRI_TAGS_OF_SLOT = 4,
    QDRI_SLOT_TAGS = 64,
    QDRI_BULK_TAGS = 60,
    QDRI_TAG_REFEREE = QDRI_SLOT_TAGS + QDRI_BULK_TAGS, /* what trials have shown */
    QDRI_TAG_KNOCK,                                     /* the first messages between two ranks */
};
_Static_assert((int)QDRI_TAG_KNOCK < (int)QDRI_TAGS, "a plan has one span of tags");

/* Of a directory, in each round. */
enum {
    QDRI_TAG_BARE,  /* items without payloads */
    QDRI_TAG_LADEN, /* items with them */
    QDRI_TAG_FOUND,
    QDRI_TAGS_OF_ROUND,
    QDRI_TAG_DIRECTORY_COUNCIL = QDRI_TAGS / 2, /* behind those of all rounds */
};

/* Of a migration. */
enum {
    QDRI_TAG_WORD = 0,    /* a receiver to a sender */
    QDRI_TAG_DATA = 1,    /* one for each place at the receiver */
    QDRI_TAG_REFUSE = 25, /* one for each place at the sender */
    QDRI_TAG_TELL = 60,
    QDRI_TAG_ASSIGN = 61,
    QDRI_TAG_CLOSING = 62, /* sums at the end, up and down a tree */
};

/* Of a stream between programs. */
enum {
    QDRI_TAG_ASK,
    QDRI_TAG_ANSWER,
    QDRI_TAG_COMPARE,
    QDRI_TAG_FAULT,
    QDRI_TAG_WAITS,
    QDRI_TAG_RING,
    QDRI_TAG_STREAM_COUNCIL,
};

#endif
