/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The failure of an exchange. Whoever learns of one tells all ranks (wire/news.h), since some of them would wait for what
 * does not come. All later exchanges of the plan fail with it, on every rank. Earlier ones go on, and an exchange that has
 * all it needs ends well, whatever was heard meanwhile.
 */
#include <stddef.h>
#include <stdio.h>

#include "plan/near/near.h"
#include "wire/node.h"

static void end(qdri_exchange *exchange, qdr_status status, const char *sentence) {
    qdri_reads_withdraw(exchange);
    exchange->failed = status;
    exchange->finished = 1;
    snprintf(exchange->sentence, QDRI_NEWS_TEXT, "%s", sentence);
}

/* From this exchange on; the earliest counts. */
static void end_from(qdr_plan *plan, int64_t number, qdr_status status, const char *sentence) {
    if (plan->failed && plan->failed_in <= number) return;
    plan->failed = status;
    plan->failed_in = number;
    snprintf(plan->failure, sizeof plan->failure, "%s", sentence);
    qdri_status_own(plan->wire)->failed = status;
    qdri_wire_leave_messages(plan->wire);
    int next = 0;
    for (qdri_exchange *slot; (slot = qdri_slots_busy(plan, &next));)
        if (!slot->finished && slot->number >= number) end(slot, status, sentence);
}

void qdri_exchange_fail(qdri_exchange *exchange, qdr_status status) {
    qdr_plan *plan = exchange->plan;
    if (exchange->failed || status == QDR_OK) return;
    qdri_news news = {.about = plan->number, .number = exchange->number, .status = status};
    snprintf(news.sentence, sizeof news.sentence, "rank %d: %s", qdri_wire_rank(plan->wire),
             qdr_error_message());
    end(exchange, status, qdr_error_message());
    end_from(plan, exchange->number, status, exchange->sentence);
    qdri_news_tell_all(plan->wire, &news);
}

static int hear(qdri_listener *listener, const qdri_news *news) {
    qdr_plan *plan = (qdr_plan *)((char *)listener - offsetof(qdr_plan, listener));
    if (news->about != plan->number) return 0;
    end_from(plan, news->number, (qdr_status)news->status, news->sentence);
    return 1;
}

void qdri_plan_listen(qdr_plan *plan) {
    plan->listener.hear = hear;
    qdri_listener_add(plan->wire, &plan->listener);
}
