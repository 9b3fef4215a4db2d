/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gossip (gossip.h). Every step has a partner of its own, so all messages go under one tag. What is told is a copy:
 * the news grow while it travels. A message may be here before this rank has begun, or before those of earlier steps.
 */
#include "directory/gossip.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"

void qdri_gossip_fail(qdri_news *news, qdr_status status, int64_t key) {
    news->status = status;
    news->key = key;
    snprintf(news->sentence, sizeof news->sentence, "%s", qdr_error_message());
}

static void learn(qdri_news *news, const qdri_news *heard) {
    for (int i = 0; i < QDRI_GOSSIP_MAXIMA; i++)
        if (heard->maximum[i] > news->maximum[i]) news->maximum[i] = heard->maximum[i];
    for (int i = 0; i < QDRI_GOSSIP_SET; i++) news->set[i] |= heard->set[i];
    if (!heard->status || (news->status && news->key <= heard->key)) return;
    news->status = heard->status;
    news->key = heard->key;
    memcpy(news->sentence, heard->sentence, sizeof news->sentence);
}

static void tell(qdri_gossip *gossip, int step) {
    qdri_wire *wire = gossip->flight->wire;
    if (step < gossip->told_to) return; /* it has given up */
    gossip->told_to = step + 1;
    int to = (int)((qdri_wire_rank(wire) + (INT64_C(1) << step)) % qdri_wire_ranks(wire));
    qdri_flight_leg *leg = &gossip->legs[2 * step];
    gossip->told[step] = gossip->news;
    qdri_flight_note(leg, qdri_send(wire, &leg->operation, to, gossip->tag, &gossip->told[step],
                                    (int64_t)sizeof(qdri_news)));
}

void qdri_gossip_give_up(qdri_gossip *gossip, qdr_status status) {
    if (gossip->step > gossip->steps) return; /* all have heard what they wait for */
    qdri_gossip_fail(&gossip->news, status, INT64_MIN);
    while (gossip->told_to < gossip->steps) tell(gossip, gossip->told_to);
}

int qdri_gossip_awaits(const qdri_gossip *gossip) {
    if (gossip->step < 0 || gossip->step >= gossip->steps) return -1;
    return gossip->legs[2 * gossip->step + 1].operation.partner;
}

/* As far as it goes. */
static void advance(qdri_gossip *gossip) {
    while (gossip->step >= 0 && gossip->step < gossip->steps && gossip->came[gossip->step]) {
        const qdri_news *heard = &gossip->heard[gossip->step];
        if (heard->status == QDR_STALLED) {
            qdr_status status = qdri_fail(QDR_STALLED, "%s", heard->sentence);
            qdri_gossip_give_up(gossip, status);
            qdri_flight_fail(gossip->flight, status);
            return;
        }
        learn(&gossip->news, heard);
        if (++gossip->step < gossip->steps) tell(gossip, gossip->step);
    }
    if (gossip->step == gossip->steps) {
        gossip->step++;
        gossip->ended(gossip);
    }
}

static void heard(qdri_flight_leg *leg) {
    qdri_gossip *gossip = leg->context;
    int64_t step = (leg - gossip->legs) / 2;
    qdri_news *news = &gossip->heard[step];
    qdri_decode_text(news->sentence, sizeof news->sentence);
    if (news->status && qdri_decode_failure((qdri_teller){NULL, leg->operation.partner}, news->status)) {
        qdri_flight_fail(leg->flight, QDR_MISMATCH);
        return;
    }
    gossip->came[step] = 1;
    advance(gossip);
}

qdri_gossip *qdri_gossip_prepare(qdri_flight *flight, int tag) {
    qdri_wire *wire = flight->wire;
    int ranks = qdri_wire_ranks(wire), steps = 0;
    while (INT64_C(1) << steps < ranks) steps++;
    qdri_gossip *gossip = QDRI_FLIGHT_ARRAY(flight, qdri_gossip, 1);
    if (!gossip) return NULL;
    gossip->flight = flight;
    gossip->tag = tag;
    gossip->steps = steps;
    gossip->step = -1;
    gossip->legs = qdri_flight_legs(flight, 2 * (int64_t)steps);
    gossip->told = QDRI_FLIGHT_ARRAY(flight, qdri_news, steps);
    gossip->heard = QDRI_FLIGHT_ARRAY(flight, qdri_news, steps);
    gossip->came = QDRI_FLIGHT_ARRAY(flight, char, steps);
    if (!gossip->legs || !gossip->told || !gossip->heard || !gossip->came) return NULL;
    for (int step = 0; step < steps; step++) {
        int from = (int)((qdri_wire_rank(wire) + ranks - (INT64_C(1) << step) % ranks) % ranks);
        qdri_flight_leg *leg = &gossip->legs[2 * step + 1];
        leg->landing = heard;
        leg->context = gossip;
        leg->is_receive = 1;
        leg->expected = (int64_t)sizeof(qdri_news);
        qdri_flight_note(leg, qdri_receive(wire, &leg->operation, from, tag, &gossip->heard[step],
                                           (int64_t)sizeof(qdri_news)));
    }
    return gossip;
}

void qdri_gossip_begin(qdri_gossip *gossip) {
    gossip->step = 0;
    if (gossip->steps > 0) tell(gossip, 0);
    advance(gossip);
}
