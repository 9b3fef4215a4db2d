/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which way of passing messages on costs least: `bruck` with which radix, or, where ranks share hosts, `levels` with which two, or `joined`.
 * By counting: what a rank begins to send, how often it waits for a stage, and the bytes, in one unit; what ranks of a host send to other hosts
 * goes through one port. A larger radix has more messages and passes on less. Pure.
 */
#ifndef QDRI_RELAYS_H
#define QDRI_RELAYS_H

#include <stdint.h>

typedef struct qdri_relay_facts {
    int64_t ranks, sharing; /* and how many of them share a host */
    double bytes;           /* of a message, in the mean */
    double startup;         /* of a message to another host, in bytes that could go meanwhile */
    double inside;          /* what anything costs that stays on a host, of what it costs between hosts */
} qdri_relay_facts;

/* Where no machine is known. A startup is 16 KiB: 13 us at 10 Gbit/s. And memory costs an eighth of a network. */
static inline qdri_relay_facts qdri_relay_usual(int64_t ranks, int64_t sharing, double bytes) {
    return (qdri_relay_facts){
        .ranks = ranks, .sharing = sharing, .bytes = bytes, .startup = 16384, .inside = 0.125};
}

/* Ways have numbers below QDRI_RELAY_WAYS, and a spec that lasts. */
enum { QDRI_RELAY_RADICES = 6, QDRI_RELAY_WAYS = QDRI_RELAY_RADICES * (QDRI_RELAY_RADICES + 1) + 1 };
int qdri_relay_way(const qdri_relay_facts *facts);
/* What it costs, of what it costs to send everything directly. */
double qdri_relay_part(const qdri_relay_facts *facts, int way);
const char *qdri_relay_spec(int way);

#endif
