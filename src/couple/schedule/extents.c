/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The room that a rank has by entries. Of such a layout any rank of a program may state what another owns, so no rank
 * knows by itself which places it has; and with the other program computing, those that it is to read and write
 * come from outside. So the ranks of the program tell each other how far they have stated each one's memory to reach:
 * one message of a word to each, inside the program. Other layouts answer for themselves, and pay nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "couple/schedule/build.h"

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

/* A message for each rank of the program, with what this one has stated of it. */
static qdr_status write_messages(qdri_build *build, int role, const int64_t *room, qdri_content *message) {
    for (int i = 0; i < build->ranks[role]; i++) {
        message[i].data = qdri_message_alloc(&build->effort, sizeof *room);
        if (!message[i].data) return qdri_fail_memory();
        message[i].bytes = sizeof *room;
        memcpy(message[i].data, &room[i], sizeof *room);
    }
    return QDR_OK;
}

static qdr_status read_messages(qdri_build *build, int role, const qdri_content *message, int64_t *most) {
    *most = 0;
    for (int i = 0; i < build->ranks[role]; i++) {
        qdri_cursor cursor = {qdri_space_sender(build->space, message[i].rank), "the room of a rank",
                              message[i].data, message[i].bytes};
        int64_t room;
        build->spoiled |= message[i].bytes == 0;
        if (message[i].bytes == 0) continue;
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
    qdri_content *box = QDRI_ZERO_ARRAY(qdri_content, 2 * (int64_t)ranks);
    qdr_status status = self.room && box ? qdri_side_stated(&side, note_run, &self) : qdri_fail_memory();
    for (int i = 0; box && i < 2 * ranks; i++) box[i].rank = build->rank[role][i % ranks];
    if (!status) status = write_messages(build, role, self.room, box);
    free(self.room);
    if (!box) return status;
    if (status) qdri_messages_spoil(&build->effort, ranks, box);
    qdri_conversation conversation = qdri_build_conversation(build, "telling how far memory reaches");
    qdr_status sent = qdri_messages_swap(&conversation, ranks, box, ranks, box + ranks);
    if (!status) status = sent;
    if (!status) status = read_messages(build, role, box + ranks, &field->room[role]);
    if (!sent) qdri_messages_free(&build->effort, ranks, box + ranks);
    free(box);
    return status;
}

qdr_status qdri_build_rooms(qdri_build *build) {
    qdr_status status = QDR_OK;
    for (int f = 0; f < build->fields; f++)
        for (int role = 0; role < 2; role++) {
            qdri_field *field = &build->list[f];
            field->room[role] = INT64_MAX;
            if (build->space->is_self || !build->has[role]) continue;
            if (qdri_layout_kind_of(field->layout[role]) != QDRI_ENTRIES) continue;
            qdr_status found = find_room(build, field, role);
            if (!status) status = found;
        }
    return status;
}
