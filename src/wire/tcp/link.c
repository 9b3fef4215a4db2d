/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A link: the messages between this rank and one of the other program.
 *
 * A message goes as soon as it is sent, whether a receive for it is posted or not, as long as the other side
 * could keep it: each side may have QDRI_WINDOW bytes of early messages at the other, and gets credit back as
 * they are received. Beyond that, and when it is long, a message is announced, and goes when a receive for it
 * is posted. So memory is bounded, no message stands in the way of another that is waited for, and mostly
 * nothing waits for a round trip. Receives and messages, announced or not, meet in their order by tag. Data
 * goes from the sender's memory to the socket and from the socket to the receiver's; only what came early is
 * copied.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "wire/tcp/inside.h"

static const int64_t longest_early = QDRI_WINDOW / 4;

/* ---- sending ------------------------------------------------------------------------------------------- */

/* Puts a frame into the queue of those to be written; urgent ones go before all that have not begun. */
static void submit(qdri_link *link, qdri_link_message *message, int urgent) {
    qdri_link_message *first = link->queue[QDRI_OUT].first;
    qdri_frame_write(&message->frame, message->head);
    message->head_at = 0;
    message->at = 0;
    if (!urgent || !first) {
        qdri_queue_add(&link->queue[QDRI_OUT], message);
    } else {
        qdri_link_message **place = first->head_at > 0 ? &first->next : &link->queue[QDRI_OUT].first;
        message->next = *place;
        *place = message;
        if (!message->next) link->queue[QDRI_OUT].last = &message->next;
    }
    if (link->stage == QDRI_LINK_OPEN && !link->wants_room) qdri_link_write(link);
}

/* A frame of its own, without bytes. */
void qdri_link_say(qdri_link *link, qdri_link_frame frame, int urgent) {
    qdri_link_message *message = qdri_link_message_make(link->bridge);
    if (!message) {
        qdri_bridge_fail(link->bridge, qdri_fail_memory());
        return;
    }
    message->frame = frame;
    submit(link, message, urgent);
}

static void finish(qdri_link *link, qdri_link_message *message, qdr_status status) {
    message->status = status;
    qdri_queue_add(&link->bridge->finished, message);
}

qdr_status qdri_link_send(qdri_link *link, qdri_operation *operation, int tag, const void *data,
                          int64_t bytes) {
    qdri_link_message *message = qdri_link_message_make(link->bridge);
    if (!message) return qdri_fail_memory();
    if (link->heard_goodbye && operation->casual) {
        message->operation = operation;
        operation->parts = 1;
        finish(link, message, QDR_OK);
        return QDR_OK;
    }
    int announce = bytes > longest_early || qdri_frame_cost(bytes) > link->credit;
    if (announce && link->announced_out == QDRI_ANNOUNCEMENTS) {
        qdri_link_message_free(link->bridge, message);
        return qdri_fail(QDR_ERR_RANGE, "more than %d messages for rank %d of %s wait for their receives",
                         QDRI_ANNOUNCEMENTS, link->rank, qdri_bridge_far_name(link->bridge));
    }
    message->operation = operation;
    message->data = (char *)(uintptr_t)data;
    message->frame = (qdri_link_frame){announce ? QDRI_FRAME_ANNOUNCE : QDRI_FRAME_MESSAGE, tag, bytes, 0};
    if (announce) {
        message->frame.id = ++link->next_id;
        link->announced_out++;
    } else {
        link->credit -= qdri_frame_cost(bytes);
    }
    operation->parts = 1;
    submit(link, message, 0);
    return QDR_OK;
}

/* ---- receiving ----------------------------------------------------------------------------------------- */

/* The other side may send so much more early. */
static void give_credit(qdri_link *link, int64_t bytes) {
    link->used += qdri_frame_cost(bytes);
    if (link->used < QDRI_WINDOW / 4) return;
    qdri_link_frame frame = {QDRI_FRAME_CREDIT, 0, link->used, 0};
    link->used = 0;
    qdri_link_say(link, frame, 1);
}

static qdri_link_message **find_tag(qdri_queue *queue, int64_t tag) {
    qdri_link_message **place = &queue->first;
    while (*place && (*place)->frame.tag != tag) place = &(*place)->next;
    return place;
}

static qdri_link_message **find_id(qdri_queue *queue, int64_t id) {
    qdri_link_message **place = &queue->first;
    while (*place && (*place)->frame.id != id) place = &(*place)->next;
    return place;
}

/* A receive and a message of this length have met. False: there is no room for it, and the bridge has
 * failed. */
static int fits(qdri_link *link, const qdri_link_message *receive, int64_t bytes) {
    qdri_bridge *bridge = link->bridge;
    if (bytes <= receive->room) return 1;
    qdri_bridge_fail(
        bridge,
        qdri_fail(QDR_ERR_MISMATCH,
                  "rank %d of %s has room for %lld bytes in a message of tag %lld from rank %d of "
                  "%s, which has %lld",
                  bridge->own_rank, bridge->name[bridge->side], (long long)receive->room,
                  (long long)receive->frame.tag, link->rank, qdri_bridge_far_name(bridge), (long long)bytes));
    return 0;
}

/* Asks for an announced message. */
static void grant(qdri_link *link, qdri_link_message *receive, const qdri_link_frame *announced) {
    receive->frame = *announced;
    qdri_queue_add(&link->queue[QDRI_GRANTED], receive);
    qdri_link_say(link, (qdri_link_frame){QDRI_FRAME_GO, 0, 0, announced->id}, 1);
}

/* What came early goes where it is wanted; the rest of it, if it is still coming, goes there directly. */
static void take_early(qdri_link *link, qdri_link_message *receive, qdri_link_message **place) {
    qdri_link_message *early = qdri_queue_take(&link->queue[QDRI_EARLY], place);
    qdri_link_frame frame = early->frame;
    if (frame.kind == QDRI_FRAME_ANNOUNCE) {
        link->announced--;
        grant(link, receive, &frame);
    } else {
        if (early->at > 0) memcpy(receive->data, early->data, (size_t)early->at);
        receive->frame = frame;
        receive->at = early->at;
        link->held -= qdri_frame_cost(frame.length);
        if (link->current == early)
            link->current = receive;
        else
            finish(link, receive, QDR_OK);
        give_credit(link, frame.length);
    }
    qdri_link_message_free(link->bridge, early);
}

qdr_status qdri_link_receive(qdri_link *link, qdri_operation *operation, int tag, void *data, int64_t bytes) {
    qdri_link_message **early = find_tag(&link->queue[QDRI_EARLY], tag);
    qdri_link_message *message = qdri_link_message_make(link->bridge);
    if (!message) return qdri_fail_memory();
    message->operation = operation;
    message->data = data;
    message->room = bytes;
    message->frame.tag = tag;
    operation->parts = 1;
    if (!*early || !fits(link, message, (*early)->frame.length))
        qdri_queue_add(&link->queue[QDRI_AWAITED], message); /* where a failure finds it */
    else
        take_early(link, message, early);
    return QDR_OK;
}

int64_t qdri_link_find(const qdri_link *link, int tag) {
    const qdri_link_message *early = link->queue[QDRI_EARLY].first;
    while (early && early->frame.tag != tag) early = early->next;
    return early ? early->frame.length : -1;
}

/* ---- what has come ------------------------------------------------------------------------------------- */

static qdri_teller sender_of(const qdri_link *link) {
    return (qdri_teller){qdri_bridge_far_name(link->bridge), link->rank};
}

static void garbage(qdri_link *link, const char *what) {
    qdri_bridge *bridge = link->bridge;
    char sentence[400];
    snprintf(sentence, sizeof sentence, "%s", what); /* which may be the error message itself */
    qdri_bridge_fail(bridge, qdri_fail(QDR_ERR_PEER,
                                       "rank %d of %s: what comes from rank %d of %s makes no sense: %s",
                                       bridge->own_rank, bridge->name[bridge->side], link->rank,
                                       qdri_bridge_far_name(bridge), sentence));
}

/* Memory for bytes that nobody has asked for yet. */
static qdri_link_message *keep(qdri_link *link, const qdri_link_frame *frame, int64_t bytes) {
    qdri_link_message *kept = qdri_link_message_make(link->bridge);
    if (!kept) return NULL;
    kept->frame = *frame;
    kept->owns_data = 1;
    kept->data = QDRI_ARRAY(char, bytes);
    if (kept->data) return kept;
    qdri_link_message_free(link->bridge, kept);
    return NULL;
}

static void message_begins(qdri_link *link, const qdri_link_frame *frame) {
    int announced = frame->kind == QDRI_FRAME_ANNOUNCE;
    qdri_link_message **place = find_tag(&link->queue[QDRI_AWAITED], frame->tag), *kept;
    if (*place) {
        if (!fits(link, *place, frame->length)) return;
        qdri_link_message *receive = qdri_queue_take(&link->queue[QDRI_AWAITED], place);
        receive->at = 0;
        receive->frame = *frame;
        if (announced) {
            grant(link, receive, frame);
            return;
        }
        link->current = receive;
        link->left = frame->length;
        give_credit(link, frame->length);
        return;
    }
    if (announced ? link->announced == QDRI_ANNOUNCEMENTS
                  : qdri_frame_cost(frame->length) > QDRI_WINDOW - link->held) {
        garbage(link, "more came than may come early");
        return;
    }
    kept = keep(link, frame, announced ? 0 : frame->length);
    if (!kept) {
        qdri_bridge_fail(link->bridge, qdri_fail_memory());
        return;
    }
    qdri_queue_add(&link->queue[QDRI_EARLY], kept);
    link->announced += announced;
    if (announced) return;
    link->held += qdri_frame_cost(frame->length);
    link->current = kept;
    link->left = frame->length;
}

static void go(qdri_link *link, int64_t id) {
    qdri_link_message **place = find_id(&link->queue[QDRI_ANNOUNCED], id);
    if (!*place) {
        garbage(link, "it asks for a message that was not announced");
        return;
    }
    qdri_link_message *message = qdri_queue_take(&link->queue[QDRI_ANNOUNCED], place);
    link->announced_out--;
    message->frame.kind = QDRI_FRAME_DATA;
    submit(link, message, 0);
}

/* Of a receive that was given up, the bytes go nowhere. */
static void data_begins(qdri_link *link, const qdri_link_frame *frame) {
    qdri_link_message **place = find_id(&link->queue[QDRI_GRANTED], frame->id);
    if (!*place || (*place)->frame.length != frame->length) {
        garbage(link, "a message comes that was not asked for");
        return;
    }
    qdri_link_message *receive = qdri_queue_take(&link->queue[QDRI_GRANTED], place);
    link->left = frame->length;
    if (receive->operation)
        link->current = receive;
    else
        qdri_link_message_free(link->bridge, receive);
}

/* No more than was used. */
static void credit_comes(qdri_link *link, int64_t bytes) {
    if (bytes > QDRI_WINDOW - link->credit)
        garbage(link, "it gives more credit than there is");
    else
        link->credit += bytes;
}

static void goodbye(qdri_link *link) {
    if (!link->heard_goodbye) link->bridge->goodbyes++;
    link->heard_goodbye = 1;
}

/* All bytes of what came are there. */
static void complete(qdri_link *link) {
    qdri_link_message *whole = link->current;
    link->current = NULL;
    if (!whole) return;
    if (whole->frame.kind == QDRI_FRAME_TROUBLE) {
        whole->data[whole->frame.length] = '\0';
        qdri_decode_text(whole->data, (size_t)whole->frame.length + 1);
        qdri_bridge_fail(link->bridge, qdri_fail((qdr_status)whole->frame.tag, "%s", whole->data));
        qdri_link_message_free(link->bridge, whole);
    } else if (whole->operation) {
        finish(link, whole, QDR_OK);
    } /* else it came early, and stands in that queue */
}

static void trouble_begins(qdri_link *link, const qdri_link_frame *frame) {
    link->current = keep(link, frame, frame->length + 1);
    link->left = frame->length;
}

static void frame_begins(qdri_link *link, const qdri_link_frame *frame) {
    switch (frame->kind) {
    case QDRI_FRAME_MESSAGE:
    case QDRI_FRAME_ANNOUNCE:
        message_begins(link, frame);
        break;
    case QDRI_FRAME_GO:
        go(link, frame->id);
        break;
    case QDRI_FRAME_DATA:
        data_begins(link, frame);
        break;
    case QDRI_FRAME_CREDIT:
        credit_comes(link, frame->length);
        break;
    case QDRI_FRAME_GOODBYE:
        goodbye(link);
        break;
    default:
        trouble_begins(link, frame);
    }
    if (link->current && link->left == 0) complete(link);
}

void qdri_link_parse(qdri_link *link) {
    while (link->begin < link->end && !link->bridge->failed) {
        int there = link->end - link->begin;
        const unsigned char *at = link->buffer + link->begin;
        qdri_link_frame frame;
        if (link->left > 0) {
            int part = link->left < there ? (int)link->left : there;
            if (link->current) memcpy(link->current->data + link->current->at, at, (size_t)part);
            link->begin += part;
            qdri_link_came(link, part);
        } else if (there < QDRI_HEAD) {
            return;
        } else if (qdri_frame_read(sender_of(link), at, &frame)) {
            garbage(link, qdr_error_message());
        } else {
            link->begin += QDRI_HEAD;
            frame_begins(link, &frame);
        }
    }
}

void qdri_link_came(qdri_link *link, int64_t bytes) {
    if (link->current) link->current->at += bytes;
    link->left -= bytes;
    if (link->left == 0) complete(link);
}
