/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Questions of a find by messages: each id once, and none that is cached; the keeper's answers; and what the
 * answers say, for every id that was asked for.
 */
#include <string.h>

#include "directory/traffic.h"

int64_t qdri_answer_bytes(const qdri_directory_round *round) {
    if (round->call.verb == QDR_DIRECTORY_INSERT) return 0;
    if (round->call.verb != QDR_DIRECTORY_FIND) return 1;
    return (int64_t)sizeof(uint64_t) + qdri_padded(round->directory->options.payload_bytes);
}

/* ---- questions ----------------------------------------------------------------------------------------- */

/* The number of the question about an id: one that was asked, or the next. `seen` has room. */
static int64_t question_about(qdri_shelf *seen, int64_t id, uint64_t spot, int64_t *questions) {
    int64_t place = qdri_seek(seen->entry, seen->capacity, id, qdri_home(spot, seen->capacity));
    if (!seen->entry[place].word) {
        uint64_t next = (uint64_t)++ * questions;
        qdri_shelf_put(seen, place, (qdri_entry){id, next}, NULL);
    }
    return (int64_t)seen->entry[place].word - 1;
}

/* Each id once: a shelf of the numbers of questions. */
static int64_t list_questions(qdri_traffic *t, qdri_shelf *seen, int64_t *id, int64_t *question) {
    const qdr_directory_call *call = &t->round->call;
    const qdri_shelf *cache = &t->round->directory->cache;
    uint64_t spot[QDRI_AHEAD];
    int64_t questions = 0;
    for (int64_t base = 0; base < call->count; base += QDRI_AHEAD) {
        int some = call->count - base < QDRI_AHEAD ? (int)(call->count - base) : QDRI_AHEAD;
        const int64_t *one = call->id + base;
        for (int i = 0; i < some; i++) {
            spot[i] = qdri_scatter(one[i], 1);
            QDRI_PREFETCH(&seen->entry[qdri_home(spot[i], seen->capacity)]);
        }
        for (int i = 0; i < some; i++) {
            int is_cached = cache->count > 0 && qdri_shelf_find(cache, one[i]) >= 0;
            int64_t number = is_cached ? -1 : question_about(seen, one[i], spot[i], &questions);
            question[base + i] = number;
            if (number >= 0) id[number] = one[i];
        }
    }
    return questions;
}

qdr_status qdri_questions_ask(qdri_traffic *t) {
    qdri_directory_round *round = t->round;
    t->asked = round->call;
    if (qdri_changes(round->call.verb)) return QDR_OK;
    int64_t *id = QDRI_FLIGHT_SPACE(t->flight, int64_t, round->call.count);
    t->question = QDRI_FLIGHT_SPACE(t->flight, int64_t, round->call.count);
    qdri_shelf seen = {.spread = 1};
    if (!id || !t->question || !qdri_shelf_reserve(&seen, round->call.count)) return qdri_fail_memory();
    t->asked.count = list_questions(t, &seen, id, t->question);
    t->asked.id = id;
    qdri_shelf_close(&seen);
    round->directory->asked += t->asked.count;
    round->directory->spared += round->call.count - t->asked.count;
    return QDR_OK;
}

void qdri_questions_answer(const qdr_directory *directory, const qdri_arrival *one, int64_t each) {
    qdri_shelf_view view = qdri_shelf_look(&directory->shelf);
    uint64_t spot[QDRI_TOGETHER], word[QDRI_TOGETHER], spread = directory->shelf.spread;
    const char *payload[QDRI_TOGETHER];
    int64_t bytes = directory->options.payload_bytes;
    char *answer = one->answer;
    for (int64_t base = 0; base < one->count; base += QDRI_TOGETHER) {
        int some = one->count - base < QDRI_TOGETHER ? (int)(one->count - base) : QDRI_TOGETHER;
        const int64_t *id = (const int64_t *)one->items + base;
        for (int i = 0; i < some; i++) spot[i] = qdri_scatter(id[i], spread) & UINT32_MAX;
        qdri_look_up(&view, id, spot, some, bytes, word, payload);
        for (int i = 0; i < some; i++, answer += each) {
            *(uint64_t *)answer = word[i];
            if (bytes && word[i]) memcpy(answer + sizeof *word, payload[i], (size_t)bytes);
        }
    }
}

/* ---- reading ------------------------------------------------------------------------------------------- */

/* What is known of the id of a question, or of one that is cached. */
static const char *answer_to(const qdri_traffic *t, int64_t i, int64_t each) {
    return t->answers + t->box.place[t->question[i]] * each;
}

static void read_some(qdri_traffic *t, int64_t base, int some) {
    qdri_directory_round *round = t->round;
    const qdri_shelf *cache = &round->directory->cache;
    int64_t each = qdri_answer_bytes(round);
    uint64_t word[QDRI_AHEAD];
    const char *payload[QDRI_AHEAD];
    for (int i = 0; i < some; i++)
        if (t->question[base + i] >= 0) QDRI_PREFETCH(answer_to(t, base + i, each));
    for (int i = 0; i < some; i++) {
        if (t->question[base + i] >= 0) {
            const char *answer = answer_to(t, base + i, each);
            word[i] = *(const uint64_t *)answer;
            payload[i] = answer + sizeof *word;
        } else {
            int64_t place = qdri_shelf_find(cache, round->call.id[base + i]);
            word[i] = cache->entry[place].word;
            payload[i] = cache->payload + place * cache->payload_bytes;
        }
    }
    qdri_found(round, base, some, word, payload);
}

void qdri_questions_read(qdri_traffic *t) {
    qdri_directory_round *round = t->round;
    int64_t each = qdri_answer_bytes(round), count = round->call.count;
    for (int64_t base = 0; base < count; base += QDRI_AHEAD)
        read_some(t, base, count - base < QDRI_AHEAD ? (int)(count - base) : QDRI_AHEAD);
    for (int64_t q = 0; round->directory->options.caches && q < t->asked.count; q++) {
        const char *answer = t->answers + t->box.place[q] * each;
        qdri_cache_add(round->directory, t->asked.id[q], *(const uint64_t *)answer,
                       answer + sizeof(uint64_t));
    }
}
