/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rounds by messages: the rendezvous of the paper (figure 1), without knowing who will come.
 *
 * Each rank sends its segments so that it learns when they are taken, and when all are, it begins to gossip:
 * when that ends, everybody's have been taken, so no more will come (the consensus of Hoefler, Siebert and Lumsdaine,
 * with gossip for the barrier). On the way all learn whether some rank had wrong arguments: then nobody does
 * anything. Keepers serve what came by rising origin, answer, and gossip a second time about how it went.
 *
 * Cost: one message per keeper with which a rank has business and one back, 2 lg ranks small ones.
 */
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include <stdio.h>

#include "directory/traffic.h"

/* Four rounds' worth of tags: nobody is more than one round ahead. */
enum { ROUNDS_OF_TAGS = 4 };

static int tag_of(const qdri_directory_round *round, int kind) {
    return round->directory->first_tag + (int)(round->number % ROUNDS_OF_TAGS) * QDRI_TAGS_OF_ROUND + kind;
}

static int64_t item_bytes(const qdri_directory_round *round, int carries) {
    if (!qdri_changes(round->call.verb)) return (int64_t)sizeof(int64_t);
    return (int64_t)sizeof(qdri_entry) + (carries ? qdri_padded(round->directory->options.payload_bytes) : 0);
}

/* ---- packing ------------------------------------------------------------------------------------------- */

static int64_t most_items(const qdri_traffic *t) {
    int64_t answer = qdri_answer_bytes(t->round);
    return QDRI_PART / (t->box.each > answer ? t->box.each : answer);
}

/* `segment` NULL: only counts. */
static int64_t cut(const qdri_traffic *t, qdri_box_part *segment) {
    int64_t most = most_items(t), made = 0;
    for (int r = 0; r < t->round->directory->ranks; r++)
        for (int64_t at = t->box.start[r], end = t->box.start[r + 1]; at < end; at += most, made++)
            if (segment)
                segment[made] =
                    (qdri_box_part){.first = at, .count = end - at < most ? end - at : most, .keeper = r};
    return made;
}

static qdr_status pack(qdri_traffic *t) {
    const qdr_directory *directory = t->round->directory;
    qdri_flight *flight = t->flight;
    qdri_box *box = &t->box;
    QDRI_TRY(qdri_questions_ask(t));
    qdri_box_plan(directory, &t->asked, box);
    box->start = qdri_flight_alloc(flight, qdri_box_table(directory, 1), 1);
    box->bytes = QDRI_FLIGHT_SPACE(flight, char, box->count * box->each);
    int64_t answer = qdri_answer_bytes(t->round);
    if (answer) box->place = QDRI_FLIGHT_SPACE(flight, int64_t, box->count);
    t->answers = QDRI_FLIGHT_SPACE(flight, char, box->count *answer);
    if (!box->start || !box->bytes || (answer && !box->place) || !t->answers) return qdri_fail_memory();
    qdri_box_fill(directory, &t->asked, 1, box);
    t->segments = cut(t, NULL);
    t->segment = QDRI_FLIGHT_ARRAY(flight, qdri_box_part, t->segments);
    t->legs = qdri_flight_legs(flight, 2 * t->segments);
    if (!t->segment || !t->legs) return qdri_fail_memory();
    cut(t, t->segment);
    return QDR_OK;
}

/* ---- setting out --------------------------------------------------------------------------------------- */

/* A question to all: a failure to ask it, or the end of all questions, ends the round. */
static void ask(qdri_traffic *t, qdri_agreement *agreement, qdri_answered *answered) {
    qdr_status status = qdri_council_ask(t->round->directory->council, agreement, answered);
    if (status) qdri_flight_fail(t->flight, status);
}

static void has_entered(qdri_agreement *agreement, qdr_status status);

static void enter_if_taken(qdri_traffic *t) {
    if (t->open > 0) return;
    t->verb = QDRI_IS_ALIKE("call of a directory", t->round->call.verb);
    t->enter = (qdri_agreement){.call = "a call of a directory",
                                .status = t->mine ? qdri_fail(t->mine, "%s", t->sentence) : QDR_OK,
                                .term = &t->verb,
                                .terms = 1,
                                .united = t->changed,
                                .united_words = t->round->directory->options.caches ? QDRI_UNITED : 0};
    ask(t, &t->enter, has_entered);
}

static void taken(qdri_flight_leg *leg) {
    qdri_traffic *t = leg->context;
    t->open--;
    enter_if_taken(t);
}

static qdri_arrival *add_arrival(qdri_traffic *t, int origin, int carries, int64_t count) {
    qdri_arrival *made = QDRI_FLIGHT_ARRAY(t->flight, qdri_arrival, 1);
    if (!made) return NULL;
    *made = (qdri_arrival){.origin = origin, .carries = carries, .count = count, .number = t->arrived++};
    made->next = t->arrivals;
    t->arrivals = made;
    return made;
}

/* What a rank brings to itself is not sent. */
static qdr_status bring(qdri_traffic *t, int64_t s) {
    const qdri_box_part *one = &t->segment[s];
    qdri_directory_round *round = t->round;
    char *items = t->box.bytes + one->first * t->box.each;
    if (one->keeper != round->directory->rank) {
        round->directory->sent_messages++;
        round->directory->sent_bytes += one->count * t->box.each;
        qdri_flight_leg *leg = &t->legs[2 * s];
        leg->landing = taken;
        leg->context = t;
        qdri_flight_note(leg,
                         qdri_send_matched(t->flight->wire, &leg->operation, one->keeper,
                                           tag_of(round, t->box.carries ? QDRI_TAG_LADEN : QDRI_TAG_BARE),
                                           items, one->count * t->box.each));
        return QDR_OK;
    }
    qdri_arrival *own = add_arrival(t, one->keeper, t->box.carries, one->count);
    if (!own) return qdri_fail_memory();
    own->items = items;
    own->answer = t->answers + one->first * qdri_answer_bytes(round);
    t->open--;
    return QDR_OK;
}

/* Not before all know that there will be answers. */
static void expect_answers(qdri_traffic *t) {
    int64_t each = qdri_answer_bytes(t->round);
    for (int64_t s = 0; each && s < t->segments && !t->flight->failed; s++) {
        const qdri_box_part *one = &t->segment[s];
        qdri_flight_leg *leg = &t->legs[2 * s + 1];
        if (one->keeper == t->round->directory->rank) continue;
        leg->is_receive = 1;
        qdri_flight_note(leg, qdri_receive(t->flight->wire, &leg->operation, one->keeper,
                                           tag_of(t->round, QDRI_TAG_FOUND), t->answers + one->first * each,
                                           one->count * each));
    }
}

/* ---- at the keeper ------------------------------------------------------------------------------------- */

static void serve(qdri_traffic *t);
static void leave(qdri_traffic *t, qdr_status status, int64_t key);

static void serve_if_here(qdri_traffic *t) {
    if (t->has_entered && t->arriving == 0 && !t->round->status) serve(t);
}

static void landed(qdri_flight_leg *leg) {
    qdri_traffic *t = leg->context;
    t->arriving--;
    serve_if_here(t);
}

static qdr_status take(qdri_traffic *t, qdri_message *found, int carries) {
    qdri_arrival *made = add_arrival(t, found->from, carries, found->bytes / item_bytes(t->round, carries));
    if (made) made->leg = qdri_flight_legs(t->flight, 1);
    if (made && made->leg) made->items = QDRI_FLIGHT_SPACE(t->flight, char, found->bytes);
    if (!made || !made->items) return qdri_fail_memory();
    made->leg->landing = landed;
    made->leg->context = t;
    t->arriving++;
    qdri_flight_note(made->leg,
                     qdri_receive_found(t->flight->wire, &made->leg->operation, found, made->items));
    return QDR_OK;
}

static void take_what_came(qdri_traffic *t) {
    for (int carries = 0; carries <= 1; carries++)
        for (qdri_message found = {.is_there = 1}; found.is_there && !t->has_entered && !t->flight->failed;) {
            int tag = tag_of(t->round, carries ? QDRI_TAG_LADEN : QDRI_TAG_BARE);
            qdr_status status = qdri_find(t->flight->wire, tag, &found);
            if (!status && found.is_there) status = take(t, &found, carries);
            if (status) qdri_flight_fail(t->flight, status);
        }
}

/* By rising origin; the parts of one in the order in which they came. NULL: no memory. */
static qdri_arrival **in_order(qdri_traffic *t) {
    qdri_arrival **list = QDRI_FLIGHT_ARRAY(t->flight, qdri_arrival *, 2 * t->arrived);
    int64_t *key = QDRI_FLIGHT_ARRAY(t->flight, int64_t, t->arrived);
    int64_t *order = QDRI_FLIGHT_ARRAY(t->flight, int64_t, t->arrived);
    if (!list || !key || !order) return NULL;
    for (qdri_arrival *one = t->arrivals; one; one = one->next) {
        list[t->arrived + one->number] = one;
        key[one->number] = one->origin;
    }
    if (!qdri_sort_order(key, t->arrived, order)) return NULL;
    for (int64_t i = 0; i < t->arrived; i++) list[i] = list[t->arrived + order[i]];
    return list;
}

static qdri_batch batch_of(const qdri_directory_round *round, const qdri_arrival *one) {
    return (qdri_batch){.count = one->count,
                        .each = item_bytes(round, one->carries),
                        .item = one->items,
                        .carries = one->carries,
                        .known = one->answer};
}

static qdr_status serve_all(qdri_traffic *t, qdri_arrival **list, qdri_conflict *conflict) {
    qdri_directory_round *round = t->round;
    qdr_directory *directory = round->directory;
    int64_t more = 0, each = qdri_answer_bytes(round);
    for (int64_t i = 0; i < t->arrived; i++) more += list[i]->count;
    if (round->call.verb == QDR_DIRECTORY_INSERT && !qdri_shelf_reserve(&directory->shelf, more))
        return qdri_fail_memory();
    for (int64_t i = 0; each && i < t->arrived; i++) {
        if (!list[i]->answer) list[i]->answer = QDRI_FLIGHT_SPACE(t->flight, char, list[i]->count *each);
        if (!list[i]->answer) return qdri_fail_memory();
        qdri_batch batch = batch_of(round, list[i]);
        if (round->call.verb == QDR_DIRECTORY_REMOVE) qdri_serve_known(&directory->shelf, &batch);
    }
    for (int64_t i = 0; i < t->arrived; i++) {
        qdri_batch batch = batch_of(round, list[i]);
        if (qdri_changes(round->call.verb))
            qdri_serve(&directory->shelf, round->call.verb, &batch, conflict);
        else
            qdri_questions_answer(directory, list[i], each);
    }
    if (qdri_changes(round->call.verb)) qdri_shelf_trim(&directory->shelf);
    return QDR_OK;
}

/* Without a result every answer is empty. */
static void send_answers(qdri_traffic *t, qdr_status status) {
    int64_t each = qdri_answer_bytes(t->round);
    for (qdri_arrival *one = t->arrivals; each && one && !t->flight->failed; one = one->next) {
        if (!one->leg) continue;
        one->leg->landing = NULL;
        qdri_flight_note(one->leg, qdri_send(t->flight->wire, &one->leg->operation, one->origin,
                                             tag_of(t->round, QDRI_TAG_FOUND), one->answer,
                                             status ? 0 : one->count * each));
    }
}

static void serve(qdri_traffic *t) {
    qdri_conflict conflict = {0};
    qdri_arrival **list = in_order(t);
    qdr_status status = list ? serve_all(t, list, &conflict) : qdri_fail_memory();
    qdr_status said = !status && conflict.there ? qdri_conflict_fail(t->round->directory, &conflict) : status;
    if (said) snprintf(t->sentence, sizeof t->sentence, "%s", qdr_error_message());
    send_answers(t, status);
    leave(t, said, status ? INT64_MIN / 2 : conflict.id);
}

/* ---- coming and going ---------------------------------------------------------------------------------- */

/* The agreement of a traffic. */
static qdri_traffic *traffic_of(qdri_agreement *agreement, size_t place) {
    return (qdri_traffic *)(void *)((char *)agreement - place);
}

static void adopt(qdri_traffic *t, qdr_status status) {
    if (!status) return;
    if (qdri_council_is_over(t->round->directory->council))
        qdri_flight_fail(t->flight, status);
    else
        qdri_round_fail(t->round, status);
}

static void has_left(qdri_agreement *agreement, qdr_status status) {
    qdri_traffic *t = traffic_of(agreement, offsetof(qdri_traffic, leave));
    adopt(t, status);
    t->has_left = 1;
}

/* `status` has its sentence in t->sentence. */
static void leave(qdri_traffic *t, qdr_status status, int64_t key) {
    t->leave = (qdri_agreement){.call = "the end of a call of a directory",
                                .status = status ? qdri_fail(status, "%s", t->sentence) : QDR_OK,
                                .has_key = 1,
                                .key = key};
    ask(t, &t->leave, has_left);
}

static void has_entered(qdri_agreement *agreement, qdr_status status) {
    qdri_traffic *t = traffic_of(agreement, offsetof(qdri_traffic, enter));
    t->has_entered = 1;
    adopt(t, status);
    if (t->flight->failed) return;
    if (t->round->status) {
        leave(t, QDR_OK, 0); /* all do */
        return;
    }
    expect_answers(t);
    serve_if_here(t);
}

/* The first round by messages opens the council. */
static qdr_status prepare(const qdri_traffic *t) {
    qdr_directory *directory = t->round->directory;
    if (!directory->council)
        directory->council = qdri_council_open(
            directory->wire,
            &(qdri_council_shape){.members = directory->ranks,
                                  .place = directory->rank,
                                  .first_tag = directory->first_tag + QDRI_TAG_DIRECTORY_COUNCIL});
    return directory->council ? QDR_OK : qdri_fail_memory();
}

static void set_out(qdri_traffic *t) {
    qdri_directory_round *round = t->round;
    qdr_status status = round->status ? qdri_fail(round->status, "%s", round->sentence) : pack(t);
    if (status) {
        t->segments = 0;
        t->mine = status;
        snprintf(t->sentence, sizeof t->sentence, "%s", qdr_error_message());
    } else if (qdri_changes(round->call.verb) && round->call.verb != QDR_DIRECTORY_INSERT &&
               round->directory->options.caches) {
        qdri_cache_changed(&round->call, t->changed);
    }
    t->open = t->segments;
    for (int64_t s = 0; s < t->segments && !t->flight->failed; s++) {
        status = bring(t, s);
        if (status) qdri_flight_fail(t->flight, status);
    }
}

void qdri_messages_begin(qdri_directory_round *round) {
    qdri_flight *flight = qdri_flight_create(round->directory->wire, "round of a directory");
    qdri_traffic *t = flight ? QDRI_FLIGHT_ARRAY(flight, qdri_traffic, 1) : NULL;
    round->state = QDRI_POSTED;
    if (t) {
        *t = (qdri_traffic){.round = round, .flight = flight};
        round->traffic = t;
    }
    if (!t || prepare(t)) {
        /* It cannot even say so. */
        qdri_round_fail(round, qdri_fail_memory());
        qdri_wire_break(round->directory->wire, QDR_ERR_MEMORY);
        qdri_messages_abandon(round);
        if (!t) qdri_flight_end(&flight);
        qdri_round_end(round);
        return;
    }
    set_out(t);
    /* Alone, a rank has its answer at once. */
    if (!flight->failed) enter_if_taken(t);
    qdri_messages_advance(round);
}

/* ---- home ---------------------------------------------------------------------------------------------- */

static void come_home(qdri_traffic *t) {
    qdri_directory_round *round = t->round;
    qdr_directory *directory = round->directory;
    if (directory->options.caches && !round->status) qdri_cache_forget(directory, t->changed);
    if (!round->status && round->call.verb == QDR_DIRECTORY_FIND) qdri_questions_read(t);
    if (!round->status && round->call.verb != QDR_DIRECTORY_FIND && t->box.place)
        qdri_knew(round, t->box.place, t->answers);
    round->traffic = NULL;
    qdri_flight_end(&t->flight);
    if (directory->is_shared) {
        qdri_shared_rejoin(round);
        qdri_shared_advance(round);
        return;
    }
    directory->number = round->number;
    qdri_round_end(round);
}

void qdri_messages_abandon(qdri_directory_round *round) {
    qdri_traffic *t = round->traffic;
    round->traffic = NULL;
    if (!t) return;
    if (round->directory->council) {
        qdri_council_drop(round->directory->council, &t->enter);
        qdri_council_drop(round->directory->council, &t->leave);
    }
    qdri_flight_end(&t->flight);
}

void qdri_messages_advance(qdri_directory_round *round) {
    qdri_traffic *t = round->traffic;
    if (!t) return;
    take_what_came(t);
    if (t->flight->failed) {
        qdri_round_fail(round, qdri_fail(t->flight->failed, "%s", t->flight->sentence));
        qdri_wire_break(round->directory->wire, t->flight->failed);
        qdri_messages_abandon(round);
        qdri_round_end(round);
    } else if (t->has_left && t->flight->under_way == 0) {
        come_home(t);
    }
}
