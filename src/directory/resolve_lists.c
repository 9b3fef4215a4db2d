/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of questions and their answers (resolve_lists.h). Going home is one round of discovery. */
#include "directory/resolve_lists.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sort.h"

enum { POSITION_BITS = 40 };

static const uint64_t position_mask = (UINT64_C(1) << POSITION_BITS) - 1;

static int rank_of(uint64_t whose) {
    return (int)(whose >> POSITION_BITS);
}

qdr_status qdri_answers_open(qdri_query *query, qdri_answer_list *answers) {
    *answers = (qdri_answer_list){.query = query, .own = {.spread = 1}};
    if (query->needed > (int64_t)position_mask || query->ranks > 1 << 24)
        return qdri_fail(QDR_ERR_RANGE,
                         "more ids or ranks than lists can name, %" PRId64
                         " and %d; use the method 'directory'",
                         (int64_t)position_mask, 1 << 24);
    if (!qdri_shelf_reserve(&answers->own, query->owned)) return qdri_fail_memory();
    for (int64_t i = 0; i < query->owned; i++) {
        int64_t id = query->own_id[i], capacity = answers->own.capacity;
        int64_t place = qdri_seek(answers->own.entry, capacity, id, qdri_home(qdri_scatter(id, 1), capacity));
        if (answers->own.entry[place].word)
            return qdri_fail(QDR_ERR_MISMATCH,
                             "id %" PRId64 " is owned twice by rank %d: as item %" PRId64 " and %" PRId64, id,
                             query->rank, (int64_t)answers->own.entry[place].word - 1, i);
        qdri_shelf_put(&answers->own, place, (qdri_entry){id, (uint64_t)i + 1}, NULL);
    }
    return QDR_OK;
}

void qdri_answers_close(qdri_answer_list *answers) {
    qdri_shelf_close(&answers->own);
    free(answers->note);
}

/* ---- questions ----------------------------------------------------------------------------------------- */

int64_t qdri_questions_count(const qdri_query *query) {
    int64_t count = 0;
    for (int64_t i = 0; i < query->needed; i++) count += query->found.owner[i] == QDR_NOBODY;
    return count;
}

void qdri_questions_list(const qdri_query *query, qdri_question *list) {
    for (int64_t i = 0; i < query->needed; i++)
        if (query->found.owner[i] == QDR_NOBODY)
            *list++ =
                (qdri_question){query->need_id[i], (uint64_t)query->rank << POSITION_BITS | (uint64_t)i};
}

static void note(qdri_answer_list *answers, uint64_t whose, int64_t place) {
    if (!qdri_grow(&answers->note, &answers->capacity, answers->count + 1, sizeof *answers->note)) {
        answers->status = QDR_ERR_MEMORY;
        return;
    }
    answers->note[answers->count++] = (qdri_answer_note){whose, place};
}

int64_t qdri_answers_take(qdri_answer_list *answers, qdri_question *list, int64_t count) {
    int64_t left = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t place = qdri_shelf_find(&answers->own, list[i].id);
        if (place < 0)
            list[left++] = list[i];
        else
            note(answers, list[i].whose, (int64_t)answers->own.entry[place].word - 1);
    }
    return left;
}

/* ---- answers ------------------------------------------------------------------------------------------- */

/* By rising rank, each rank's as one parcel. */
static qdr_status pack(const qdri_answer_list *answers, qdri_answer_note *sorted, qdr_parcel *parcel,
                       int *parcels) {
    int64_t *key = QDRI_ARRAY(int64_t, 2 * answers->count);
    if (!key) return qdri_fail_memory();
    int64_t *order = key + answers->count;
    for (int64_t i = 0; i < answers->count; i++) key[i] = rank_of(answers->note[i].whose);
    int good = qdri_sort_order(key, answers->count, order);
    for (int64_t i = 0; good && i < answers->count; i++) {
        sorted[i] = answers->note[order[i]];
        int rank = rank_of(sorted[i].whose);
        if (i == 0 || rank != parcel[*parcels - 1].rank)
            parcel[(*parcels)++] = (qdr_parcel){.rank = rank, .data = &sorted[i]};
        parcel[*parcels - 1].bytes += (int64_t)sizeof *sorted;
    }
    free(key);
    return good ? QDR_OK : qdri_fail_memory();
}

static int partners(const qdri_answer_list *answers) {
    return (int)(answers->count < answers->query->ranks ? answers->count : answers->query->ranks);
}

qdr_status qdri_answers_deliver(qdri_answer_list *answers) {
    qdri_query *query = answers->query;
    qdri_answer_note *sorted = QDRI_ARRAY(qdri_answer_note, answers->count);
    qdr_parcel *out = QDRI_ZERO_ARRAY(qdr_parcel, partners(answers)), *in = NULL;
    int parcels = 0, arrived = 0;
    int good = sorted && out && !answers->status && !pack(answers, sorted, out, &parcels);
    /* Without memory it makes a call that fails for all. */
    qdri_unlock(query->wire);
    qdr_status status = qdr_discover(query->comm, NULL, good ? parcels : -1, out, &arrived, &in);
    qdri_lock(query->wire);
    for (int p = 0; status == QDR_OK && p < arrived; p++) {
        const qdri_answer_note *came = in[p].data;
        for (int64_t i = 0; i < in[p].bytes / (int64_t)sizeof *came; i++) {
            query->found.owner[came[i].whose & position_mask] = in[p].rank;
            query->found.place[came[i].whose & position_mask] = came[i].place;
        }
    }
    free(in);
    free(out);
    free(sorted);
    return status;
}
