/* SPDX-License-Identifier: BSD-3-Clause */
/* Making relays: see relay_maker.h. */
#include "schedule/relay_maker.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

void qdri_relay_free(qdri_relay *relay) {
    free(relay->own);
    free(relay->out);
    free(relay->in);
    free(relay->place);
    free(relay->origin);
    *relay = (qdri_relay){.stages = 0};
}

/* ---- making one ---------------------------------------------------------------------------------------- */

qdri_relay_maker qdri_relay_open(qdri_relay *relay, int ranks) {
    *relay = (qdri_relay){.own = QDRI_ARRAY(int, ranks)};
    return (qdri_relay_maker){.relay = relay, .failed = !relay->own};
}

qdr_status qdri_relay_close(const qdri_relay_maker *maker) {
    if (!maker->failed) return QDR_OK;
    qdri_relay_free(maker->relay);
    return qdri_fail_memory();
}

qdri_haul *qdri_haul_begin(qdri_relay_maker *maker, int comes, int stage, int partner) {
    qdri_relay *relay = maker->relay;
    int *count = comes ? &relay->ins : &relay->outs;
    qdri_haul **haul = comes ? &relay->in : &relay->out;
    int64_t *capacity = comes ? &maker->in_capacity : &maker->out_capacity;
    maker->failed |= !qdri_grow(haul, capacity, *count + 1, sizeof **haul);
    if (maker->failed) return NULL;
    (*haul)[*count] = (qdri_haul){stage, partner, relay->listed, 0};
    return &(*haul)[(*count)++];
}

void qdri_haul_add(qdri_relay_maker *maker, qdri_haul *haul, int place, int origin) {
    qdri_relay *relay = maker->relay;
    maker->failed |=
        !qdri_grow(&relay->place, &relay->capacity, relay->listed + 1, sizeof *relay->place) ||
        !qdri_grow(&relay->origin, &maker->origin_capacity, relay->listed + 1, sizeof *relay->origin);
    if (maker->failed) return;
    relay->place[relay->listed] = place;
    relay->origin[relay->listed++] = origin;
    haul->messages++;
}

void qdri_haul_end(qdri_relay_maker *maker, int comes, const qdri_haul *haul) {
    if (!maker->failed && haul->messages == 0) *(comes ? &maker->relay->ins : &maker->relay->outs) -= 1;
}

/* ---- hosts -------------------------------------------------------------------------------------------- */

void qdri_hosts_free(qdri_host_list *list) {
    free(list->host);
    free(list->start);
    free(list->member);
}

int qdri_hosts_list(int ranks, const int *node, qdri_host_list *list) {
    *list = (qdri_host_list){.host = QDRI_ARRAY(int, ranks),
                             .start = QDRI_ZERO_ARRAY(int, ranks + 2),
                             .member = QDRI_ARRAY(int, ranks)};
    if (!list->host || !list->start || !list->member) return 0;
    for (int r = 0; r < ranks; r++) {
        list->host[r] = node[r] == r ? list->hosts++ : list->host[node[r]];
        list->start[list->host[r] + 2]++;
    }
    for (int h = 0; h < list->hosts; h++) list->start[h + 2] += list->start[h + 1];
    for (int r = 0; r < ranks; r++) list->member[list->start[list->host[r] + 1]++] = r;
    return 1;
}
