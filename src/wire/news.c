/* SPDX-License-Identifier: BSD-3-Clause */
/* News: see news.h. Each travels as an *item*. One at a time is heard, in memory of the wire. */
#include "wire/news.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "wire/inside.h"

enum { MOST_KEPT = 16 };

static const int64_t head_bytes = offsetof(qdri_news, sentence);

/* ---- telling ------------------------------------------------------------------------------------------- */

static void gone(qdri_operation *operation, qdr_status status) {
    (void)status;
    free(operation);
}

void qdri_news_tell(qdri_wire *wire, int to, const qdri_news *news) {
    qdri_news_item *item = QDRI_ZERO_ARRAY(qdri_news_item, 1);
    if (!item) return;
    item->operation = (qdri_operation){.done = gone, .casual = 1};
    item->news = *news;
    int64_t bytes = head_bytes + (int64_t)strlen(item->news.sentence) + 1;
    if (qdri_send(wire, &item->operation, to, QDRI_TAG_NEWS, &item->news, bytes)) free(item);
}

void qdri_news_tell_all(qdri_wire *wire, const qdri_news *news) {
    for (int rank = 0; rank < wire->ranks; rank++)
        if (rank != wire->rank) qdri_news_tell(wire, rank, news);
}

/* ---- listeners ----------------------------------------------------------------------------------------- */

/* All are shown it: who waited for news to be heard goes on. */
static int show(qdri_wire *wire, const qdri_news *news) {
    int is_wanted = 0;
    wire->listener = wire->listeners;
    while (wire->listener) {
        qdri_listener *listener = wire->listener;
        wire->listener = listener->next;
        is_wanted |= listener->hear(listener, news);
    }
    return is_wanted;
}

/* Without memory it is lost. */
static void keep(qdri_wire *wire, const qdri_news *news) {
    qdri_news_item *item = QDRI_ZERO_ARRAY(qdri_news_item, 1), **link = &wire->kept;
    if (!item) return;
    item->news = *news;
    item->next = wire->kept;
    wire->kept = item;
    for (int count = 0; *link && count < MOST_KEPT; count++) link = &(*link)->next;
    free(*link);
    *link = NULL;
}

void qdri_listener_add(qdri_wire *wire, qdri_listener *listener) {
    listener->next = wire->listeners;
    listener->link = &wire->listeners;
    if (listener->next) listener->next->link = &listener->next;
    wire->listeners = listener;
    for (qdri_news_item **link = &wire->kept; *link;) {
        qdri_news_item *item = *link;
        if (listener->hear(listener, &item->news)) {
            *link = item->next;
            free(item);
        } else {
            link = &item->next;
        }
    }
}

void qdri_listener_remove(qdri_wire *wire, qdri_listener *listener) {
    if (!listener->link) return;
    if (wire->listener == listener) wire->listener = listener->next;
    *listener->link = listener->next;
    if (listener->next) listener->next->link = listener->link;
    listener->link = NULL;
}

/* ---- hearing ------------------------------------------------------------------------------------------- */

static qdr_status decode(const qdri_news_item *item) {
    qdri_teller sender = {NULL, item->operation.partner};
    int64_t text = item->operation.bytes - head_bytes;
    QDRI_TRY(qdri_decode_word(sender, "length of a sentence", text, 1, QDRI_NEWS_TEXT));
    return qdri_decode_failure(sender, item->news.status);
}

static void came(qdri_operation *operation, qdr_status status) {
    qdri_news_item *item = (qdri_news_item *)operation;
    qdri_wire *wire = item->wire;
    item->is_coming = 0;
    if (!status) status = decode(item);
    if (status) {
        qdri_wire_break(wire, status);
        return;
    }
    qdri_decode_text(item->news.sentence, (size_t)(operation->bytes - head_bytes));
    if (!show(wire, &item->news)) keep(wire, &item->news);
}

int qdri_news_look(qdri_wire *wire) {
    qdri_news_item *item = &wire->heard;
    qdri_message found = {.is_there = 0};
    if (item->is_coming) return 1;
    if (wire->gone || wire->failed || !wire->listeners) return 0;
    qdr_status status = qdri_find(wire, QDRI_TAG_NEWS, &found);
    if (!status && !found.is_there) return 0;
    if (found.bytes > (int64_t)sizeof item->news)
        found.bytes = (int64_t)sizeof item->news; /* and it is refused */
    item->operation = (qdri_operation){.done = came};
    item->wire = wire;
    if (!status) status = qdri_receive_found(wire, &item->operation, &found, &item->news);
    item->is_coming = !status;
    if (status) qdri_wire_break(wire, status);
    return 1;
}

int qdri_news_close(qdri_wire *wire) {
    while (wire->kept) {
        qdri_news_item *item = wire->kept;
        wire->kept = item->next;
        free(item);
    }
    return !wire->heard.is_coming || !qdri_cancel(wire, &wire->heard.operation);
}
