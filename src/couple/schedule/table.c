/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tables of owners: for a range of numbers, who owns each element and where it lies.
 *
 * What is stated explicitly is told to the responsible ranks in messages of columns: numbers, places, and owners where
 * these are not the teller himself; and lengths, where several elements at a time pay. Numbers count from the beginning of
 * the range and take four bytes unless they need eight, so a single element costs eight bytes. The places and numbers are
 * gone through twice, once to count and once to write, so that messages have exactly their length.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "couple/schedule/build.h"

/* ---- ranges -------------------------------------------------------------------------------------------- */

static int compare_ints(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

qdr_status qdri_ranges_open(const qdri_build *build, int with_exporters, int with_importers, int64_t elements,
                            qdri_ranges *ranges) {
    const int with[2] = {with_exporters, with_importers && !(with_exporters && build->space->is_self)};
    *ranges = (qdri_ranges){.own = -1, .elements = elements};
    ranges->rank = QDRI_ARRAY(int, build->ranks[0] + build->ranks[1]);
    if (!ranges->rank) return qdri_fail_memory();
    for (int role = 0; role < 2; role++)
        for (int i = 0; i < build->ranks[role] && with[role]; i++)
            ranges->rank[ranges->count++] = build->rank[role][i];
    qsort(ranges->rank, (size_t)ranges->count, sizeof *ranges->rank, compare_ints);
    for (int i = 0; i < ranges->count; i++)
        if (ranges->rank[i] == qdri_wire_rank(build->space->wire)) ranges->own = i;
    ranges->chunk = elements / ranges->count + (elements % ranges->count > 0);
    if (ranges->chunk == 0) ranges->chunk = 1;
    return QDR_OK;
}

void qdri_ranges_close(qdri_ranges *ranges) {
    free(ranges->rank);
    ranges->rank = NULL;
}

int64_t qdri_ranges_low(const qdri_ranges *ranges, int range) {
    int64_t low = ranges->chunk * range;
    return low < ranges->elements ? low : ranges->elements;
}

int64_t qdri_ranges_high(const qdri_ranges *ranges, int range) {
    return qdri_ranges_low(ranges, range + 1);
}

/* ---- tables -------------------------------------------------------------------------------------------- */

static int64_t table_bytes(const qdri_owners *owners) {
    return owners->count * (int64_t)(sizeof(int32_t) + (owners->wide ? sizeof(int64_t) : sizeof(uint32_t)));
}

/* Narrow until a place does not fit. */
qdr_status qdri_owners_open(qdri_effort *effort, int64_t low, int64_t count, qdri_owners *owners) {
    *owners = (qdri_owners){.low = low, .count = count};
    owners->owner = QDRI_ARRAY(int32_t, count);
    owners->place = QDRI_ARRAY(uint32_t, count);
    if (!owners->owner || !owners->place) {
        free(owners->owner);
        free(owners->place);
        *owners = (qdri_owners){.low = 0};
        return qdri_fail_memory();
    }
    memset(owners->owner, 0xff, (size_t)count * sizeof *owners->owner);
    qdri_budget_take(&effort->memory, table_bytes(owners));
    return QDR_OK;
}

void qdri_owners_close(qdri_effort *effort, qdri_owners *owners) {
    if (owners->owner) qdri_budget_give(&effort->memory, table_bytes(owners));
    free(owners->owner);
    free(owners->place);
    *owners = (qdri_owners){.low = 0};
}

qdr_status qdri_owners_widen(qdri_effort *effort, qdri_owners *owners) {
    int64_t *wide = QDRI_ARRAY(int64_t, owners->count);
    if (!wide) return qdri_fail_memory();
    for (int64_t i = 0; i < owners->count; i++) wide[i] = ((const uint32_t *)owners->place)[i];
    free(owners->place);
    owners->place = wide;
    qdri_budget_take(&effort->memory, owners->count * 4);
    owners->wide = 1;
    return QDR_OK;
}

/* Elements number [number, number + count) lie at place, place + step ... of `owner`. */
static inline void enter(qdri_owners *owners, int64_t number, int64_t count, int owner, int64_t place,
                         int64_t step) {
    int32_t *who = owners->owner + (number - owners->low);
    if (owners->wide) {
        int64_t *where = (int64_t *)owners->place + (number - owners->low);
        for (int64_t i = 0; i < count; i++) who[i] = owner, where[i] = place + i * step;
    } else {
        uint32_t *where = (uint32_t *)owners->place + (number - owners->low);
        for (int64_t i = 0; i < count; i++) who[i] = owner, where[i] = (uint32_t)(place + i * step);
    }
}

void qdri_owners_check(const qdri_owners *owners, qdri_trouble *trouble) {
    for (int64_t i = 0; i < owners->count; i++)
        if (owners->owner[i] == -1) {
            qdri_note_trouble(trouble, -1, 0, 0, owners->low + i);
            return;
        }
}

/* ---- from a layout ------------------------------------------------------------------------------------- */

typedef struct filler {
    qdri_effort *effort;
    qdri_owners *owners;
} filler;

static qdr_status fill_run(void *context, int64_t number, int64_t count, int rank, int64_t place,
                           int64_t step) {
    filler *self = context;
    if (rank < 0) return QDR_OK;
    int64_t last = place + (count - 1) * step;
    if (!self->owners->wide && (place > UINT32_MAX || last > UINT32_MAX))
        QDRI_TRY(qdri_owners_widen(self->effort, self->owners));
    enter(self->owners, number, count, rank, place, step);
    return QDR_OK;
}

qdr_status qdri_owners_walk(qdri_build *build, const qdri_array_side *side, qdri_owners *owners) {
    filler self = {&build->effort, owners};
    return qdri_side_walk(side, owners->low, owners->low + owners->count, fill_run, &self);
}

/* ---- telling ------------------------------------------------------------------------------------------- */

/* A message: this, then columns of numbers, places, owners if any, lengths if any; each of `entries`. */
typedef struct stated {
    int64_t entries;
    int32_t number_bytes, place_bytes; /* 4 or 8 */
    int32_t has_owner, has_length;
} stated;

typedef struct teller {
    const qdri_ranges *ranges;
    double inverse; /* of the chunk */
    int own;        /* in his program */
    int64_t *entries, *elements;
    int64_t highest; /* place */
    int foreign;     /* somebody else owns something */
    stated form;
    char **number, **place, **owner, **length; /* [ranges]: where the next goes */
} teller;

/* The range of a number, without a division. */
static inline int range_of(const teller *self, int64_t number) {
    int range = (int)((double)number * self->inverse);
    if (range > 0 && number < self->ranges->chunk * range) return range - 1;
    if (number >= self->ranges->chunk * (range + 1)) return range + 1;
    return range;
}

static qdr_status count_run(void *context, int64_t number, int64_t count, int rank, int64_t place,
                            int64_t step) {
    teller *self = context;
    int64_t last = place + (count - 1) * step;
    if (last > self->highest) self->highest = last;
    if (place > self->highest) self->highest = place;
    self->foreign |= rank >= 0 && rank != self->own;
    while (count > 0) {
        int range = range_of(self, number);
        int64_t here = self->ranges->chunk * (range + 1) - number;
        if (here > count) here = count;
        self->entries[range] += step == 1 ? 1 : here;
        self->elements[range] += here;
        number += here;
        count -= here;
    }
    return QDR_OK;
}

static inline char *put(char *at, int bytes, int64_t value) {
    if (bytes == 4) {
        uint32_t narrow = (uint32_t)value;
        memcpy(at, &narrow, 4);
    } else {
        memcpy(at, &value, 8);
    }
    return at + bytes;
}

static inline int64_t get(const char *from, int bytes, int64_t i) {
    if (bytes == 4) {
        uint32_t narrow;
        memcpy(&narrow, from + 4 * i, 4);
        return narrow;
    }
    int64_t value;
    memcpy(&value, from + 8 * i, 8);
    return value;
}

/* One entry of `here` elements; several where lengths are not told, or places are apart. */
static inline void tell(teller *self, int range, int64_t relative, int64_t here, int rank, int64_t place,
                        int64_t step) {
    const stated *form = &self->form;
    int64_t times = form->has_length && step == 1 ? 1 : here;
    for (int64_t i = 0; i < times; i++) {
        self->number[range] = put(self->number[range], form->number_bytes, relative + i);
        self->place[range] = put(self->place[range], form->place_bytes, place + i * step);
        if (form->has_owner) self->owner[range] = put(self->owner[range], 4, rank < 0 ? self->own : rank);
        if (form->has_length)
            self->length[range] = put(self->length[range], form->number_bytes, here / times);
    }
}

static qdr_status tell_run(void *context, int64_t number, int64_t count, int rank, int64_t place,
                           int64_t step) {
    teller *self = context;
    if (count == 1) { /* mostly so: nothing to be cut */
        int range = range_of(self, number);
        tell(self, range, number - self->ranges->chunk * range, 1, rank, place, 1);
        return QDR_OK;
    }
    while (count > 0) {
        int range = range_of(self, number);
        int64_t low = self->ranges->chunk * range, here = low + self->ranges->chunk - number;
        if (here > count) here = count;
        tell(self, range, number - low, here, rank, place, step);
        number += here;
        place += here * step;
        count -= here;
    }
    return QDR_OK;
}

/* Lengths pay where they spare more than they cost. */
static void choose_form(teller *self) {
    int64_t entries = 0, elements = 0;
    stated *form = &self->form;
    for (int i = 0; i < self->ranges->count; i++) {
        entries += self->entries[i];
        elements += self->elements[i];
    }
    form->number_bytes = self->ranges->chunk > UINT32_MAX ? 8 : 4;
    form->place_bytes = self->highest > UINT32_MAX ? 8 : 4;
    form->has_owner = self->foreign;
    int64_t plain = form->number_bytes + form->place_bytes + 4 * form->has_owner;
    form->has_length = entries * (plain + form->number_bytes) < elements * plain;
}

static qdr_status make_messages(qdri_build *build, teller *self, qdri_content *message) {
    const stated *form = &self->form;
    for (int i = 0; i < self->ranges->count; i++) {
        stated head = *form;
        head.entries = form->has_length ? self->entries[i] : self->elements[i];
        int64_t entry = form->number_bytes + form->place_bytes + (form->has_owner ? 4 : 0) +
                        (form->has_length ? form->number_bytes : 0);
        message[i].rank = self->ranges->rank[i];
        message[i].bytes = (int64_t)sizeof head + head.entries * entry;
        message[i].data = qdri_message_alloc(&build->effort, message[i].bytes);
        if (!message[i].data) return qdri_fail_memory();
        memcpy(message[i].data, &head, sizeof head);
        self->number[i] = (char *)message[i].data + sizeof head;
        self->place[i] = self->number[i] + head.entries * form->number_bytes;
        self->owner[i] = self->place[i] + head.entries * form->place_bytes;
        self->length[i] = self->owner[i] + (form->has_owner ? 4 * head.entries : 0);
    }
    return QDR_OK;
}

static qdr_status write_messages(qdri_build *build, int role, const qdri_array_side *side,
                                 const qdri_ranges *ranges, qdri_content *message) {
    int count = ranges->count;
    teller self = {.ranges = ranges, .inverse = 1.0 / (double)ranges->chunk, .own = build->own[role]};
    int64_t *counts = QDRI_ZERO_ARRAY(int64_t, 2 * (int64_t)count);
    char **at = QDRI_ZERO_ARRAY(char *, 4 * (int64_t)count);
    qdr_status status = counts && at ? QDR_OK : qdri_fail_memory();
    self.entries = counts, self.elements = counts + count;
    self.number = at, self.place = at + count, self.owner = at + 2 * count, self.length = at + 3 * count;
    if (!status) status = qdri_side_stated(side, count_run, &self);
    if (!status) choose_form(&self);
    if (!status) status = make_messages(build, &self, message);
    if (!status) status = qdri_side_stated(side, tell_run, &self);
    free(counts);
    free(at);
    return status;
}

/* ---- hearing ------------------------------------------------------------------------------------------- */

/* The columns of a message. */
typedef struct columns {
    stated form;
    const char *number, *place, *owner, *length;
} columns;

/* Whether the message is what it says: nothing of it is believed before. */
static qdr_status open_columns(qdri_teller sender, const qdri_content *message, columns *self) {
    qdri_cursor cursor = {sender, "a message about owners", message->data, message->bytes};
    stated *form = &self->form;
    QDRI_TRY(qdri_cursor_copy(&cursor, "its head", form, sizeof *form));
    if (form->number_bytes != 4)
        QDRI_TRY(qdri_decode_word(sender, "bytes of a number", form->number_bytes, 8, 8));
    if (form->place_bytes != 4)
        QDRI_TRY(qdri_decode_word(sender, "bytes of a place", form->place_bytes, 8, 8));
    QDRI_TRY(qdri_decode_word(sender, "whether there are owners", form->has_owner, 0, 1));
    QDRI_TRY(qdri_decode_word(sender, "whether there are lengths", form->has_length, 0, 1));
    QDRI_TRY(qdri_cursor_take(&cursor, "numbers", form->entries, form->number_bytes, &self->number));
    QDRI_TRY(qdri_cursor_take(&cursor, "places", form->entries, form->place_bytes, &self->place));
    QDRI_TRY(qdri_cursor_take(&cursor, "owners", form->entries, 4 * form->has_owner, &self->owner));
    QDRI_TRY(qdri_cursor_take(&cursor, "lengths", form->entries, form->number_bytes * form->has_length,
                              &self->length));
    return qdri_cursor_end(&cursor);
}

/* Single elements of the teller's own, in four bytes: almost all that is ever told. Returns how many were taken; the rest
 * needs a closer look. */
static int64_t hear_plain(const char *number, const char *place, int64_t entries, int who,
                          qdri_owners *owners) {
    uint32_t *where = owners->place;
    for (int64_t i = 0; i < entries; i++) {
        uint32_t at, its;
        memcpy(&at, number + 4 * i, 4);
        memcpy(&its, place + 4 * i, 4);
        if (at >= owners->count || owners->owner[at] != -1) return i;
        owners->owner[at] = who;
        where[at] = its;
    }
    return entries;
}

/* One entry of a message. */
typedef struct entry {
    int64_t first, count, where, who;
} entry;

static qdr_status read_entry(const qdri_build *build, int role, int teller_place, qdri_teller sender,
                             const columns *from, int64_t i, const qdri_owners *owners, entry *one) {
    const stated *form = &from->form;
    *one = (entry){.first = get(from->number, form->number_bytes, i),
                   .count = form->has_length ? get(from->length, form->number_bytes, i) : 1,
                   .where = get(from->place, form->place_bytes, i),
                   .who = form->has_owner ? get(from->owner, 4, i) : teller_place};
    int64_t highest = owners->wide ? INT64_MAX / 2 : UINT32_MAX;
    QDRI_TRY(qdri_decode_word(sender, "elements of an entry", one->count, 0, owners->count));
    QDRI_TRY(qdri_decode_word(sender, "number of an element", one->first, 0, owners->count - one->count));
    QDRI_TRY(qdri_decode_word(sender, "place of an element", one->where, 0, highest + 1 - one->count));
    return qdri_decode_word(sender, "owner of an element", one->who, 0, build->ranks[role] - 1);
}

static qdr_status hear(qdri_build *build, int role, int teller_place, const qdri_content *message,
                       qdri_owners *owners, qdri_trouble *trouble) {
    qdri_teller sender = qdri_space_sender(build->space, message->rank);
    columns from;
    if (message->bytes == 0) {
        build->spoiled = 1;
        return QDR_OK;
    }
    QDRI_TRY(open_columns(sender, message, &from));
    const stated *form = &from.form;
    if (form->place_bytes == 8 && !owners->wide) QDRI_TRY(qdri_owners_widen(&build->effort, owners));
    int is_plain = form->number_bytes == 4 && form->place_bytes == 4 && !form->has_owner && !form->has_length;
    int64_t heard = is_plain && !owners->wide
                        ? hear_plain(from.number, from.place, form->entries, teller_place, owners)
                        : 0;
    for (int64_t i = heard; i < form->entries; i++) {
        entry one;
        int spoilt = 0;
        QDRI_TRY(read_entry(build, role, teller_place, sender, &from, i, owners, &one));
        for (int64_t k = 0; k < one.count; k++) {
            int32_t known = owners->owner[one.first + k];
            if (known == -1) continue;
            qdri_note_trouble(trouble, owners->low + one.first + k, known < 0 ? (int)one.who : known,
                              (int)one.who, -1);
            spoilt = 1;
        }
        enter(owners, owners->low + one.first, one.count, spoilt ? QDRI_OWNED_TWICE : (int)one.who, one.where,
              1);
    }
    return QDR_OK;
}

/* The messages of a role have come: the table from them. */
static qdr_status hear_all(qdri_build *build, int role, const qdri_ranges *ranges, const qdri_content *in,
                           qdri_owners *owners, qdri_trouble *trouble) {
    int64_t low = qdri_ranges_low(ranges, ranges->own), high = qdri_ranges_high(ranges, ranges->own);
    QDRI_TRY(qdri_owners_open(&build->effort, low, high - low, owners));
    for (int i = 0; i < build->ranks[role]; i++) QDRI_TRY(hear(build, role, i, &in[i], owners, trouble));
    qdri_owners_check(owners, trouble);
    build->effort.computed += owners->count;
    return QDR_OK;
}

static qdr_status collect(qdri_build *build, const qdri_statement told[2], const qdri_ranges *ranges,
                          qdri_owners owners[2], qdri_trouble trouble[2]) {
    int hears = ranges->own >= 0, sends = 0, receives = 0, first[2];
    qdri_content *out = QDRI_ZERO_ARRAY(qdri_content, 2 * (int64_t)ranges->count);
    qdri_content *in = QDRI_ZERO_ARRAY(qdri_content, (int64_t)build->ranks[0] + build->ranks[1]);
    qdr_status status = QDR_OK;
    if (!out || !in) {
        free(out);
        free(in);
        return qdri_fail_memory();
    }
    qdri_build_works(build);
    for (int role = 0; role < 2; role++) {
        first[role] = receives;
        if (!told[role].is_told) continue;
        if (told[role].side && !status)
            status = write_messages(build, role, told[role].side, ranges, out + sends);
        for (int i = 0; i < ranges->count && told[role].side; i++) out[sends++].rank = ranges->rank[i];
        for (int i = 0; i < build->ranks[role] && hears; i++) in[receives++].rank = build->rank[role][i];
    }
    if (status) qdri_messages_spoil(&build->effort, sends, out);
    qdri_build_waits(build);
    qdri_conversation conversation = qdri_build_conversation(build, "telling who owns what");
    qdr_status sent = qdri_messages_swap(&conversation, sends, out, receives, in);
    if (!status) status = sent;
    qdri_build_works(build);
    for (int role = 0; role < 2; role++) {
        if (!told[role].is_told || !hears) continue;
        if (!status) status = hear_all(build, role, ranges, in + first[role], &owners[role], &trouble[role]);
        qdri_messages_free(&build->effort, build->ranks[role], in + first[role]);
    }
    qdri_build_waits(build);
    free(out);
    free(in);
    return status;
}

/* With itself a rank would have two messages for another at once, and a conversation has one. */
qdr_status qdri_owners_collect(qdri_build *build, const qdri_statement told[2], const qdri_ranges *ranges,
                               qdri_owners owners[2], qdri_trouble trouble[2]) {
    if (!build->space->is_self) return collect(build, told, ranges, owners, trouble);
    const qdri_statement first[2] = {told[0], {0, NULL}}, second[2] = {{0, NULL}, told[1]};
    qdr_status status = collect(build, first, ranges, owners, trouble);
    qdr_status later = collect(build, second, ranges, owners, trouble);
    return status ? status : later;
}
