/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Dereferencing, the way of Meta-Chaos: the baseline of the paper.
 *
 * Each program deals its numbers evenly to its own processes, and each process finds out, element by element, who owns
 * its share. A compact layout answers by itself. An explicit one is a translation table that is spread over the program by
 * element (as in Chaos): the process asks the keepers of the elements, and they answer. What the exporters have found goes
 * to the importers, who hold it against their own, and send everybody his part of the schedule. Requests and answers are
 * gathered into one message per pair; otherwise it is what Meta-Chaos does, with elements throughout: nothing is told
 * in runs, and only one program computes.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "couple/schedule/build.h"

/* ---- asking the keepers -------------------------------------------------------------------------------- */

/* The element of a number: its place in the row-major order of the array. */
static qdr_status element_of(const qdri_array_side *side, int64_t number, int64_t *element) {
    int64_t index[QDR_MOST_DIMENSIONS];
    const int64_t *extent = qdri_layout_extent(side->layout);
    QDRI_TRY(qdr_region_index(side->region, number, index));
    *element = 0;
    for (int d = 0; d < qdri_layout_dimensions(side->layout); d++) *element = *element * extent[d] + index[d];
    return QDR_OK;
}

/* The elements of this rank's numbers, in messages to their keepers. */
static qdr_status write_questions(qdri_build *build, const qdri_array_side *side, const qdri_ranges *keepers,
                                  int64_t low, int64_t high, qdri_content *message) {
    int64_t *element = QDRI_ARRAY(int64_t, high - low), *filled = QDRI_ZERO_ARRAY(int64_t, keepers->count);
    qdr_status status = element && filled ? QDR_OK : qdri_fail_memory();
    qdri_budget_take(&build->effort.memory, 8 * (high - low));
    for (int64_t i = low; i < high && !status; i++) {
        status = element_of(side, i, &element[i - low]);
        if (!status) message[element[i - low] / keepers->chunk].bytes += 8;
    }
    for (int i = 0; i < keepers->count && !status; i++) {
        message[i].data = qdri_message_alloc(&build->effort, message[i].bytes);
        if (!message[i].data) status = qdri_fail_memory();
    }
    for (int64_t i = low; i < high && !status; i++) {
        int64_t keeper = element[i - low] / keepers->chunk;
        ((int64_t *)message[keeper].data)[filled[keeper]++] = element[i - low];
    }
    qdri_budget_give(&build->effort.memory, 8 * (high - low));
    free(element);
    free(filled);
    return status;
}

typedef struct answer {
    int64_t place, owner;
} answer;

/* What others say is not believed: it will be an index. */
static int is_sound(const qdri_build *build, int role, const answer *one) {
    return one->place >= 0 && one->owner >= QDRI_OWNED_TWICE && one->owner < build->ranks[role];
}

static qdr_status write_answers(qdri_build *build, const qdri_owners *table, int count,
                                const qdri_content *question, qdri_content *message) {
    for (int i = 0; i < count; i++) {
        int64_t elements = question[i].bytes / 8;
        message[i].bytes = elements * (int64_t)sizeof(answer);
        message[i].data = qdri_message_alloc(&build->effort, message[i].bytes);
        if (!message[i].data) return qdri_fail_memory();
        for (int64_t k = 0; k < elements; k++) {
            int64_t at = ((const int64_t *)question[i].data)[k] - table->low;
            answer *one = (answer *)message[i].data + k;
            if (at < 0 || at >= table->count)
                return qdri_fail(QDR_ERR_MISMATCH, "an element was looked for at the wrong rank");
            *one = (answer){qdri_owners_place(table, at), table->owner[at]};
        }
    }
    return QDR_OK;
}

/* Answers come in the order of the questions, keeper by keeper. */
static qdr_status read_answers(qdri_build *build, int role, const qdri_array_side *side,
                               const qdri_ranges *keepers, const qdri_content *message, qdri_owners *owners,
                               qdri_trouble *trouble) {
    int64_t *taken = QDRI_ZERO_ARRAY(int64_t, keepers->count);
    qdr_status status = taken ? QDR_OK : qdri_fail_memory();
    for (int64_t i = 0; i < owners->count && !status; i++) {
        int64_t element = 0;
        status = element_of(side, owners->low + i, &element);
        int64_t keeper = element / keepers->chunk, at = taken[keeper]++;
        if (status || at >= message[keeper].bytes / (int64_t)sizeof(answer)) {
            build->spoiled = 1;
            continue;
        }
        const answer *one = (const answer *)message[keeper].data + at;
        if (!is_sound(build, role, one)) {
            build->spoiled = 1;
            continue;
        }
        owners->owner[i] = (int32_t)one->owner;
        ((int64_t *)owners->place)[i] = one->place;
        if (one->owner == QDRI_OWNED_TWICE) qdri_note_trouble(trouble, owners->low + i, -1, -1, -1);
    }
    free(taken);
    return status;
}

/* A table with wide places, as deref needs it. */
static qdr_status open_wide(qdri_build *build, int64_t low, int64_t count, qdri_owners *owners) {
    QDRI_TRY(qdri_owners_open(&build->effort, low, count, owners));
    qdri_owners_widen(&build->effort, owners);
    return owners->wide ? QDR_OK : qdri_fail_memory();
}

/* Two rounds of messages among the ranks of a role. */
static qdr_status ask(qdri_build *build, int role, const qdri_array_side *side, const qdri_ranges *keepers,
                      const qdri_owners *table, qdri_owners *owners) {
    int count = keepers->count;
    qdri_content *box = QDRI_ZERO_ARRAY(qdri_content, 4 * (int64_t)count);
    if (!box) return qdri_fail_memory();
    qdri_content *question = box, *asked = box + count, *given = box + 2 * count, *answered = box + 3 * count;
    for (int i = 0; i < 4 * count; i++) box[i].rank = keepers->rank[i % count];
    qdri_conversation conversation = qdri_build_conversation(build, "asking who owns what");
    qdri_build_works(build);
    qdr_status status =
        write_questions(build, side, keepers, owners->low, owners->low + owners->count, question);
    if (status) qdri_messages_spoil(&build->effort, count, question);
    qdri_build_waits(build);
    qdr_status sent = qdri_messages_swap(&conversation, count, question, count, asked);
    if (!status) status = sent;
    qdri_build_works(build);
    if (!sent && !status) status = write_answers(build, table, count, asked, given);
    if (status) qdri_messages_spoil(&build->effort, count, given);
    qdri_messages_free(&build->effort, count, asked);
    qdri_build_waits(build);
    if (!sent) sent = qdri_messages_swap(&conversation, count, given, count, answered);
    if (!status) status = sent;
    qdri_build_works(build);
    if (!status) status = read_answers(build, role, side, keepers, answered, owners, &build->trouble[role]);
    if (!sent) qdri_messages_free(&build->effort, count, answered);
    free(box);
    return status;
}

/* ---- one program --------------------------------------------------------------------------------------- */

/* Finds out who owns this rank's share of the numbers of its program. */
static qdr_status dereference(qdri_build *build, int role, const qdri_ranges *own, qdri_owners *owners) {
    const qdri_array_side side = {build->field->layout[role], build->field->region[role]};
    int64_t low = qdri_ranges_low(own, own->own), high = qdri_ranges_high(own, own->own);
    qdri_build_works(build);
    qdr_status status = open_wide(build, low, high - low, owners);
    if (build->field->compact[role]) {
        if (!status) status = qdri_owners_walk(build, &side, owners);
    } else {
        qdri_trouble elsewhere[2] = {{-1, -1, {-1, -1}}, {-1, -1, {-1, -1}}};
        qdri_owners table[2] = {{.low = 0}, {.low = 0}};
        qdri_ranges keepers;
        qdr_region *all = NULL;
        int64_t elements = 1;
        for (int d = 0; d < qdri_layout_dimensions(side.layout); d++)
            elements *= qdri_layout_extent(side.layout)[d];
        qdr_status opened = qdri_ranges_open(build, role == 0, role == 1, elements, &keepers);
        if (opened) return opened;
        if (!status) status = qdr_region_all(side.layout, QDR_ROW_MAJOR, &all);
        const qdri_array_side whole = {side.layout, all};
        if (all) {
            qdri_statement stated[2] = {{0, NULL}, {0, NULL}};
            stated[role] = (qdri_statement){1, &whole};
            qdr_status told = qdri_owners_collect(build, stated, &keepers, table, elsewhere);
            if (!status) status = told;
            qdr_status asked = ask(build, role, &side, &keepers, &table[role], owners);
            if (!status) status = asked;
        }
        qdr_region_destroy(&all);
        qdri_owners_close(&build->effort, &table[role]);
        qdri_ranges_close(&keepers);
    }
    if (!status) qdri_owners_check(owners, &build->trouble[role]);
    build->effort.computed += owners->count;
    qdri_build_waits(build);
    return status;
}

/* ---- from the exporters to the importers --------------------------------------------------------------- */

/* The part of a table that falls into a range. */
static int64_t overlap(const qdri_ranges *a, int i, const qdri_ranges *b, int k, int64_t *low) {
    int64_t a_low = qdri_ranges_low(a, i), b_low = qdri_ranges_low(b, k);
    int64_t a_high = qdri_ranges_high(a, i), b_high = qdri_ranges_high(b, k);
    int64_t high = a_high < b_high ? a_high : b_high;
    *low = a_low > b_low ? a_low : b_low;
    return high > *low ? high - *low : 0;
}

static qdr_status write_findings(qdri_build *build, const qdri_owners *found, const qdri_ranges *from,
                                 const qdri_ranges *to, qdri_content *message) {
    for (int i = 0; i < to->count; i++) {
        int64_t low, count = overlap(from, from->own, to, i, &low);
        message[i].bytes = count * (int64_t)sizeof(answer);
        message[i].data = qdri_message_alloc(&build->effort, message[i].bytes);
        if (!message[i].data) return qdri_fail_memory();
        for (int64_t k = 0; k < count; k++)
            ((answer *)message[i].data)[k] =
                (answer){qdri_owners_place(found, low - found->low + k), found->owner[low - found->low + k]};
    }
    return QDR_OK;
}

static void read_findings(qdri_build *build, const qdri_ranges *from, const qdri_ranges *to,
                          const qdri_content *message, qdri_owners *owners) {
    for (int i = 0; i < from->count; i++) {
        int64_t low, count = overlap(from, i, to, to->own, &low);
        if (message[i].bytes != count * (int64_t)sizeof(answer)) {
            build->spoiled = 1;
            continue;
        }
        for (int64_t k = 0; k < count; k++) {
            const answer *one = (const answer *)message[i].data + k;
            if (!is_sound(build, 0, one)) {
                build->spoiled = 1;
                continue;
            }
            owners->owner[low - owners->low + k] = (int32_t)one->owner;
            ((int64_t *)owners->place)[low - owners->low + k] = one->place;
        }
    }
}

/* What the exporters found comes to the importers' ranges. */
static qdr_status hand_over(qdri_build *build, const qdri_ranges *from, const qdri_ranges *to,
                            qdr_status so_far, qdri_owners owners[2]) {
    qdri_content *out = QDRI_ZERO_ARRAY(qdri_content, to->count),
                 *in = QDRI_ZERO_ARRAY(qdri_content, from->count);
    if (!out || !in) {
        free(out);
        free(in);
        return qdri_fail_memory();
    }
    for (int i = 0; i < to->count; i++) out[i].rank = to->rank[i];
    for (int i = 0; i < from->count; i++) in[i].rank = from->rank[i];
    qdr_status status = so_far;
    qdri_build_works(build);
    if (build->has[0] && !status) status = write_findings(build, &owners[0], from, to, out);
    if (status) qdri_messages_spoil(&build->effort, to->count, out);
    qdri_owners_close(&build->effort, &owners[0]);
    qdri_build_waits(build);
    qdri_conversation conversation = qdri_build_conversation(build, "telling the importers who owns what");
    qdr_status sent = qdri_messages_swap(&conversation, build->has[0] ? to->count : 0, out,
                                         build->has[1] ? from->count : 0, in);
    if (!status) status = sent;
    qdri_build_works(build);
    if (build->has[1] && !status) {
        int64_t low = qdri_ranges_low(to, to->own), high = qdri_ranges_high(to, to->own);
        status = open_wide(build, low, high - low, &owners[0]);
        if (!status) read_findings(build, from, to, in, &owners[0]);
    }
    if (!sent) qdri_messages_free(&build->effort, from->count, in);
    qdri_build_waits(build);
    free(out);
    free(in);
    return status;
}

qdr_status qdri_build_deref(qdri_build *build) {
    qdri_ranges ranges[2] = {{.rank = NULL}, {.rank = NULL}};
    qdri_owners owners[2] = {{.low = 0}, {.low = 0}};
    qdr_status status = QDR_OK;
    for (int role = 0; role < 2; role++) {
        qdr_status opened =
            qdri_ranges_open(build, role == 0, role == 1, build->field->elements, &ranges[role]);
        if (opened) {
            qdri_ranges_close(&ranges[0]);
            return opened;
        }
    }
    for (int role = 0; role < 2; role++)
        if (build->has[role]) {
            qdr_status found = dereference(build, role, &ranges[role], &owners[role]);
            if (!status) status = found;
        }
    qdr_status handed = hand_over(build, &ranges[0], &ranges[1], status, owners);
    if (!status) status = handed;
    qdr_status matched = qdri_build_from_tables(build, &ranges[1], owners);
    for (int role = 0; role < 2; role++) qdri_ranges_close(&ranges[role]);
    return status ? status : matched;
}
