/* SPDX-License-Identifier: BSD-3-Clause */
/* How relays (relay.h) are written down, haul by haul, and what all kinds of them need. What fails for want of memory shows in the end. */
#ifndef QDRI_RELAY_MAKER_H
#define QDRI_RELAY_MAKER_H

#include "schedule/relay.h"

typedef struct qdri_relay_maker {
    qdri_relay *relay;
    int64_t out_capacity, in_capacity, origin_capacity;
    int failed;
} qdri_relay_maker;

qdri_relay_maker qdri_relay_open(qdri_relay *relay, int ranks);
qdr_status qdri_relay_close(const qdri_relay_maker *maker);

/* Begins a haul; NULL without memory. It is the last one until another begins. */
qdri_haul *qdri_haul_begin(qdri_relay_maker *maker, int comes, int stage, int partner);
void qdri_haul_add(qdri_relay_maker *maker, qdri_haul *haul, int place, int origin);

/* A haul without messages is none. */
void qdri_haul_end(qdri_relay_maker *maker, int comes, const qdri_haul *haul);

/* All hosts, by their lowest ranks. */
typedef struct qdri_host_list {
    int hosts;
    int *host;   /* [ranks]: of each */
    int *start;  /* [hosts + 1]: its members begin here */
    int *member; /* [ranks] */
} qdri_host_list;

/* False without memory; free it in any case. */
int qdri_hosts_list(int ranks, const int *node, qdri_host_list *list);
void qdri_hosts_free(qdri_host_list *list);

/* Places on a circle. */
static inline int qdri_around(int count, int64_t place) {
    return (int)((place % count + count) % count);
}

#endif
