/* SPDX-License-Identifier: BSD-3-Clause */
/* The heap of claims: see claims.h. */
#include "plan/executors/claims.h"

#include <stdlib.h>

#include "base/memory.h"

int qdri_claims_open(qdri_claims *claims, int lanes) {
    *claims = (qdri_claims){.heap = QDRI_ARRAY(int, lanes),
                            .place = QDRI_ARRAY(int, lanes),
                            .claim = QDRI_ARRAY(double, lanes),
                            .turn = QDRI_ARRAY(int64_t, lanes)};
    return claims->heap && claims->place && claims->claim && claims->turn;
}

void qdri_claims_close(qdri_claims *claims) {
    free(claims->heap);
    free(claims->place);
    free(claims->claim);
    free(claims->turn);
    *claims = (qdri_claims){.count = 0};
}

void qdri_claims_reset(qdri_claims *claims, int lanes) {
    claims->count = 0;
    claims->turns = lanes;
    for (int i = 0; i < lanes; i++) {
        claims->place[i] = -1;
        claims->turn[i] = i;
    }
}

static int comes_first(const qdri_claims *claims, int a, int b) {
    if (claims->claim[a] != claims->claim[b]) return claims->claim[a] > claims->claim[b];
    return claims->turn[a] < claims->turn[b];
}

static void put(qdri_claims *claims, int lane, int place) {
    claims->heap[place] = lane;
    claims->place[lane] = place;
}

static int rise(qdri_claims *claims, int lane, int place) {
    for (; place > 0 && comes_first(claims, lane, claims->heap[(place - 1) / 2]); place = (place - 1) / 2)
        put(claims, claims->heap[(place - 1) / 2], place);
    return place;
}

static int sink(qdri_claims *claims, int lane, int place) {
    for (int child; (child = 2 * place + 1) < claims->count; place = child) {
        if (child + 1 < claims->count && comes_first(claims, claims->heap[child + 1], claims->heap[child]))
            child++;
        if (!comes_first(claims, claims->heap[child], lane)) break;
        put(claims, claims->heap[child], place);
    }
    return place;
}

/* A lane belongs somewhere near this place. */
static void settle(qdri_claims *claims, int lane, int place) {
    put(claims, lane, sink(claims, lane, rise(claims, lane, place)));
}

void qdri_claims_set(qdri_claims *claims, int lane, double claim) {
    int place = claims->place[lane];
    claims->claim[lane] = claim;
    if (claim > 0) {
        settle(claims, lane, place < 0 ? claims->count++ : place);
    } else if (place >= 0) {
        int last = claims->heap[--claims->count];
        claims->place[lane] = -1;
        if (last != lane) settle(claims, last, place);
    }
}

int qdri_claims_first(const qdri_claims *claims) {
    return claims->count > 0 ? claims->heap[0] : -1;
}

void qdri_claims_served(qdri_claims *claims, int lane) {
    claims->turn[lane] = claims->turns++;
    if (claims->place[lane] >= 0) settle(claims, lane, claims->place[lane]);
}
