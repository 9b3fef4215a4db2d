/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The pattern object: a sparse matrix by rows, with an index by columns, that never changes once it is made.
 *
 * Messages arrive in any order and must end up by rising (origin, destination). Two counting sorts do it: by
 * destination, then, stably, by origin. The first sort only writes the numbers of the messages, and writes
 * them where the column index will stand, so that apart from one cursor per rank nothing is allocated that
 * does not stay. A pair that is given twice meets itself at the end of its row during the second sort. The
 * column index is a third pass over the sorted messages.
 *
 * Everything lives in one block: 24 bytes per message and 24 per rank. In a list of entries zero items are no
 * message: such an entry is dropped before anything is compared, so it is never the twin of another one. A
 * generator's list has messages, and one of zero items costs its startup like any other: it is kept. Either
 * way the diagonal has no messages, only items; but for schedules that move it, which have a pattern of their own.
 *
 * Cost: O(count + ranks).
 */
#include "pattern.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/owned.h"
#include "base/sized.h"

struct qdr_pattern {
    qdri_owned owned;
    int ranks;
    int64_t messages;
    int *origin, *destination;
    int64_t *items, *row_start, *column_start, *column_message, *local;
    int64_t block[];
};

/* A list; whether zero items in it are a message; and whether what a rank has for itself is. */
typedef struct list {
    int64_t count;
    const qdr_message *messages;
    int keeps_empty, keeps_diagonal;
} list;

static int is_local(const list *list, const qdr_message *entry) {
    return entry->origin == entry->destination && !list->keeps_diagonal;
}

static int is_message(const list *list, const qdr_message *entry) {
    return !is_local(list, entry) && (entry->items > 0 || list->keeps_empty);
}

/* Checks all that can be said of one message alone, and counts those that leave their rank. */
static qdr_status validate(int ranks, const list *list, int64_t *kept) {
    int64_t total = 0;
    *kept = 0;
    for (int64_t m = 0; m < list->count; m++) {
        const qdr_message *message = &list->messages[m];
        int origin = message->origin, destination = message->destination;
        if (origin < 0 || origin >= ranks || destination < 0 || destination >= ranks)
            return qdri_fail(QDR_ERR_RANGE,
                             "message %" PRId64 " goes from rank %d to rank %d; expected ranks 0 to %d", m,
                             origin, destination, ranks - 1);
        if (message->items < 0)
            return qdri_fail(QDR_ERR_RANGE,
                             "the message from rank %d to rank %d has %" PRId64 " items; expected 0 or more",
                             origin, destination, message->items);
        if (message->items > QDRI_ITEMS_LIMIT - total)
            return qdri_fail(QDR_ERR_RANGE,
                             "the total passes 2^62 items with the message from rank %d to rank %d (%" PRId64
                             " items); expected at most 2^62 in all",
                             origin, destination, message->items);
        total += message->items;
        *kept += is_message(list, message);
    }
    return QDR_OK;
}

static qdr_pattern *allocate(int ranks, int64_t messages) {
    int64_t header = (int64_t)(sizeof(qdr_pattern) / sizeof(int64_t)) + 1;
    if (messages > INT64_MAX / 4) return NULL;
    qdr_pattern *pattern = qdri_alloc(header + 3 * messages + 3 * (int64_t)ranks + 2, sizeof(int64_t));
    if (!pattern) return NULL;
    qdri_owned_open(&pattern->owned);
    pattern->ranks = ranks;
    pattern->messages = messages;
    pattern->row_start = pattern->block;
    pattern->column_start = pattern->row_start + ranks + 1;
    pattern->local = pattern->column_start + ranks + 1;
    pattern->items = pattern->local + ranks;
    pattern->column_message = pattern->items + messages;
    pattern->origin = (int *)(pattern->column_message + messages);
    pattern->destination = pattern->origin + messages;
    for (int rank = 0; rank < ranks; rank++) {
        pattern->row_start[rank] = pattern->column_start[rank] = 0;
        pattern->local[rank] = 0;
    }
    return pattern;
}

/* Turns counts per rank into where each rank's share begins, in `start` and, to be moved, in `cursor`. */
static void counts_to_starts(int ranks, int64_t *start, int64_t *cursor) {
    int64_t sum = 0;
    for (int rank = 0; rank < ranks; rank++) {
        int64_t count = start[rank];
        start[rank] = cursor[rank] = sum;
        sum += count;
    }
    start[ranks] = sum;
}

static qdr_status refuse_pair(int origin, int destination, int64_t first, int64_t second,
                              qdr_message *duplicate) {
    if (duplicate) *duplicate = (qdr_message){origin, destination, second};
    return qdri_fail(QDR_ERR_INVALID,
                     "the message from rank %d to rank %d is given twice (%" PRId64 " and %" PRId64
                     " items); expected each pair once",
                     origin, destination, first, second);
}

static qdr_status count_ranks(qdr_pattern *pattern, const list *list, qdr_message *duplicate) {
    for (int64_t m = 0; m < list->count; m++) {
        const qdr_message *message = &list->messages[m];
        if (is_local(list, message) && message->items > 0) {
            int64_t *local = &pattern->local[message->origin];
            if (*local)
                return refuse_pair(message->origin, message->origin, *local, message->items, duplicate);
            *local = message->items;
        } else if (is_message(list, message)) {
            pattern->row_start[message->origin]++;
            pattern->column_start[message->destination]++;
        }
    }
    return QDR_OK;
}

/* The two counting sorts, and the column index in the place of the first one's result. */
static qdr_status sort(qdr_pattern *pattern, const list *list, int64_t *cursor, qdr_message *duplicate) {
    const qdr_message *messages = list->messages;
    int64_t *by_column = pattern->column_message;
    counts_to_starts(pattern->ranks, pattern->column_start, cursor);
    for (int64_t m = 0; m < list->count; m++)
        if (is_message(list, &messages[m])) by_column[cursor[messages[m].destination]++] = m;

    counts_to_starts(pattern->ranks, pattern->row_start, cursor);
    for (int64_t k = 0; k < pattern->messages; k++) {
        const qdr_message *message = &messages[by_column[k]];
        int origin = message->origin;
        int64_t place = cursor[origin]++;
        if (place > pattern->row_start[origin] && pattern->destination[place - 1] == message->destination)
            return refuse_pair(origin, message->destination, pattern->items[place - 1], message->items,
                               duplicate);
        pattern->origin[place] = origin;
        pattern->destination[place] = message->destination;
        pattern->items[place] = message->items;
    }

    for (int rank = 0; rank < pattern->ranks; rank++) cursor[rank] = pattern->column_start[rank];
    for (int64_t m = 0; m < pattern->messages; m++)
        pattern->column_message[cursor[pattern->destination[m]]++] = m;
    return QDR_OK;
}

static qdr_status build(int ranks, list list, qdr_message *duplicate, qdr_pattern **pattern) {
    int64_t kept;
    if (duplicate) *duplicate = (qdr_message){-1, -1, 0};
    if (!pattern)
        return qdri_fail(QDR_ERR_INVALID, "there is nowhere to put the pattern; expected a handle, not NULL");
    if (ranks < 1 || ranks > QDRI_RANKS_LIMIT)
        return qdri_fail(QDR_ERR_RANGE, "a pattern of %d ranks; expected 1 to %d", ranks, QDRI_RANKS_LIMIT);
    if (list.count < 0)
        return qdri_fail(QDR_ERR_RANGE, "a list of %" PRId64 " messages; expected 0 or more", list.count);
    if (list.count > 0 && !list.messages)
        return qdri_fail(QDR_ERR_INVALID, "the list of %" PRId64 " messages is NULL; expected the messages",
                         list.count);
    QDRI_TRY(validate(ranks, &list, &kept));

    qdr_pattern *made = allocate(ranks, kept);
    int64_t *cursor = QDRI_ARRAY(int64_t, ranks);
    qdr_status status = made && cursor ? count_ranks(made, &list, duplicate) : qdri_fail_memory();
    if (status == QDR_OK) status = sort(made, &list, cursor, duplicate);
    free(cursor);
    if (status == QDR_OK)
        *pattern = made;
    else
        free(made);
    return status;
}

qdr_status qdri_pattern_build(int ranks, int64_t count, const qdr_message *messages, qdr_message *duplicate,
                              qdr_pattern **pattern) {
    return build(ranks, (list){.count = count, .messages = messages}, duplicate, pattern);
}

/* Messages as another release has them. */
static qdr_status read_messages(int64_t count, const qdr_message *messages, size_t bytes,
                                qdr_message **known) {
    *known = QDRI_ARRAY(qdr_message, count);
    if (!*known) return qdri_fail_memory();
    for (int64_t i = 0; i < count; i++)
        QDRI_TRY(qdri_element_read("qdr_message", &(*known)[i], sizeof **known, messages, bytes, i));
    return QDR_OK;
}

qdr_status qdr_pattern_create_sized(int ranks, int64_t count, const qdr_message *messages,
                                    size_t message_bytes, qdr_pattern **pattern) {
    qdr_message *known = NULL;
    qdr_status status = QDR_OK;
    if (message_bytes != sizeof *messages && messages && count > 0)
        status = read_messages(count, messages, message_bytes, &known);
    if (status == QDR_OK) status = qdri_pattern_build(ranks, count, known ? known : messages, NULL, pattern);
    free(known);
    return status;
}

void qdr_pattern_look_sized(const qdr_pattern *pattern, qdr_pattern_view *view, size_t view_bytes) {
    qdr_pattern_view known = {.ranks = pattern->ranks,
                              .messages = pattern->messages,
                              .origin = pattern->origin,
                              .destination = pattern->destination,
                              .items = pattern->items,
                              .row_start = pattern->row_start,
                              .column_start = pattern->column_start,
                              .column_message = pattern->column_message,
                              .local = pattern->local};
    qdri_sized_fill(view, view_bytes, &known, sizeof known);
}

/* ---- owners -------------------------------------------------------------------------------------------- */

qdr_pattern *qdri_pattern_retain(const qdr_pattern *pattern) {
    qdri_owned_keep(&pattern->owned);
    return (qdr_pattern *)pattern;
}

void qdr_pattern_destroy(qdr_pattern **pattern) {
    if (!pattern || !*pattern) return;
    if (qdri_owned_leave(&(*pattern)->owned)) free(*pattern);
    *pattern = NULL;
}

/* ---- the list that grows ------------------------------------------------------------------------------- */

static int reserve(qdri_pattern_builder *builder, int64_t needed) {
    void *messages = builder->messages;
    int done = qdri_grow(&messages, &builder->capacity, needed, sizeof *builder->messages);
    builder->messages = messages;
    return done;
}

void qdri_pattern_begin(qdri_pattern_builder *builder, int ranks, int64_t expected) {
    *builder = (qdri_pattern_builder){.ranks = ranks};
    builder->failed = !reserve(builder, expected);
}

void qdri_pattern_add(qdri_pattern_builder *builder, int origin, int destination, int64_t items) {
    if (builder->failed) return;
    if (builder->count == builder->capacity && !reserve(builder, builder->count + 1)) {
        builder->failed = 1;
        return;
    }
    builder->messages[builder->count++] = (qdr_message){origin, destination, items};
}

qdr_status qdri_pattern_finish(qdri_pattern_builder *builder, qdr_pattern **pattern) {
    qdr_status status =
        builder->failed
            ? qdri_fail_memory()
            : build(builder->ranks,
                    (list){.count = builder->count, .messages = builder->messages, .keeps_empty = 1}, NULL,
                    pattern);
    qdri_pattern_abandon(builder);
    return status;
}

void qdri_pattern_abandon(qdri_pattern_builder *builder) {
    free(builder->messages);
    *builder = (qdri_pattern_builder){0};
}

qdr_status qdri_pattern_with_diagonal(const qdr_pattern *pattern, qdr_pattern **whole) {
    qdr_message *message = QDRI_ARRAY(qdr_message, pattern->messages + pattern->ranks);
    int64_t count = 0;
    if (!message) return qdri_fail_memory();
    for (int64_t m = 0; m < pattern->messages; m++)
        message[count++] = (qdr_message){pattern->origin[m], pattern->destination[m], pattern->items[m]};
    for (int rank = 0; rank < pattern->ranks; rank++)
        if (pattern->local[rank] > 0) message[count++] = (qdr_message){rank, rank, pattern->local[rank]};
    list all = {.count = count, .messages = message, .keeps_empty = 1, .keeps_diagonal = 1};
    qdr_status status = build(pattern->ranks, all, NULL, whole);
    free(message);
    return status;
}

int64_t qdri_pattern_position(const qdr_pattern_view *view, int row, int destination) {
    int64_t low = view->row_start[row], high = view->row_start[row + 1];
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (view->destination[middle] < destination)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
