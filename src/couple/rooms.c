/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The room that a rank has by entries. Of such a layout any rank of a program may state what another owns, so no rank
 * knows by itself which places it has; and with the other program computing, those that it is to read and write
 * come from outside. So the ranks of the program tell each other how far they have stated each one's memory to reach:
 * one letter of a word to each, inside the program. Other layouts answer for themselves, and pay nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "couple/build.h"

typedef struct survey {
    int own;       /* in its program */
    int64_t *room; /* [ranks of the program]: one more than the highest place */
} survey;

static qdr_status note_run(void *context, int64_t number, int64_t count, int rank, int64_t place,
                           int64_t step) {
    const survey *self = context;
    int64_t last = place + (count - 1) * step, *room = &self->room[rank < 0 ? self->own : rank];
    (void)number;
    if (count > 0 && place >= *room) *room = place + 1;
    if (count > 0 && last >= *room) *room = last + 1;
    return QDR_OK;
}

/* A letter for each rank of the program, with what this one has stated of it. */
static qdr_status write_letters(qdri_build *build, int role, const int64_t *room, qdri_letter *letter) {
    for (int i = 0; i < build->ranks[role]; i++) {
        letter[i].data = qdri_letter_alloc(&build->effort, sizeof *room);
        if (!letter[i].data) return qdri_fail_memory();
        letter[i].bytes = sizeof *room;
        memcpy(letter[i].data, &room[i], sizeof *room);
    }
    return QDR_OK;
}

static qdr_status read_letters(qdri_build *build, int role, const qdri_letter *letter, int64_t *most) {
    *most = 0;
    for (int i = 0; i < build->ranks[role]; i++) {
        qdri_cursor cursor = {qdri_space_sender(build->space, letter[i].rank), "the room of a rank",
                              letter[i].data, letter[i].bytes};
        int64_t room;
        build->spoiled |= letter[i].bytes == 0;
        if (letter[i].bytes == 0) continue;
        QDRI_TRY(qdri_cursor_copy(&cursor, "a word", &room, sizeof room));
        QDRI_TRY(qdri_cursor_end(&cursor));
        if (room > *most) *most = room;
    }
    return QDR_OK;
}

static qdr_status find_room(qdri_build *build, qdri_field *field, int role) {
    int ranks = build->ranks[role];
    const qdri_array_side side = {field->layout[role], field->region[role]};
    survey self = {build->own[role], QDRI_ZERO_ARRAY(int64_t, ranks)};
    qdri_letter *box = QDRI_ZERO_ARRAY(qdri_letter, 2 * (int64_t)ranks);
    qdr_status status = self.room && box ? qdri_side_stated(&side, note_run, &self) : qdri_fail_memory();
    for (int i = 0; box && i < 2 * ranks; i++) box[i].rank = build->rank[role][i % ranks];
    if (!status) status = write_letters(build, role, self.room, box);
    free(self.room);
    if (!box) return status;
    if (status) qdri_letters_spoil(&build->effort, ranks, box);
    qdri_mail mail = qdri_build_mail(build, "telling how far memory reaches");
    qdr_status sent = qdri_mail_swap(&mail, ranks, box, ranks, box + ranks);
    if (!status) status = sent;
    if (!status) status = read_letters(build, role, box + ranks, &field->room[role]);
    if (!sent) qdri_letters_free(&build->effort, ranks, box + ranks);
    free(box);
    return status;
}

qdr_status qdri_build_rooms(qdri_build *build) {
    qdr_stream *stream = build->stream;
    qdr_status status = QDR_OK;
    for (int f = 0; f < stream->fields; f++)
        for (int role = 0; role < 2; role++) {
            qdri_field *field = &stream->field[f];
            field->room[role] = INT64_MAX;
            if (build->space->is_self || !build->has[role]) continue;
            if (qdri_layout_kind_of(field->layout[role]) != QDRI_ENTRIES) continue;
            qdr_status found = find_room(build, field, role);
            if (!status) status = found;
        }
    return status;
}
