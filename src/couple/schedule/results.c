/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Results on their way from responsible processes to those they are for.
 *
 * A section is what one responsible process has for one process. `all`: each goes straight there, so every responsible
 * process writes to everybody (figure 6a). `one`: across programs, a responsible process writes one message, with the
 * sections for all, to one process of the other program, which passes them on inside (figure 6b): m messages cross
 * instead of m n, which pays where crossing is dear.
 *
 * A message is a row of sections, each behind its label.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "couple/schedule/build.h"

typedef struct label {
    int32_t from, role;
    int64_t place, bytes;
} label;

/* ---- who writes to whom -------------------------------------------------------------------------------- */

/* The program of a rank of the wire: 0 or 1; of a program with itself always 0. */
static int program_of(const qdri_space *space, int rank) {
    return !space->is_self && space->place[rank] < 0;
}

static int place_of(const qdri_space *space, int rank) {
    int place = space->place[rank];
    return place < 0 ? -1 - place : place;
}

/* The rank that a section for `rank` goes to first, from the responsible process `from`. */
static int first_stop(const qdri_build *build, int from, int rank) {
    const qdri_space *space = build->space;
    int program = program_of(space, rank);
    if (build->choice.back == QDRI_BACK_ALL || program == program_of(space, from)) return rank;
    return space->rank[program][place_of(space, from) % space->count[program]];
}

/* Whether somebody who gets something is on this rank. */
static int is_wanted(const qdri_outbox *outbox, int rank) {
    const qdri_build *build = outbox->build;
    for (int role = 0; role < 2; role++)
        for (int i = 0; i < build->ranks[role] && outbox->wanted[role]; i++)
            if (build->rank[role][i] == rank) return 1;
    return 0;
}

/* ---- writing ------------------------------------------------------------------------------------------- */

static qdri_content *message_to(qdri_outbox *outbox, int rank) {
    for (int i = 0; i < outbox->messages; i++)
        if (outbox->message[i].rank == rank) return &outbox->message[i];
    qdri_content *added = &outbox->message[outbox->messages++];
    *added = (qdri_content){.rank = rank};
    return added;
}

static qdr_status open_messages(qdri_outbox *outbox) {
    qdri_build *build = outbox->build;
    int own = qdri_wire_rank(build->space->wire);
    for (int role = 0; role < 2; role++)
        for (int i = 0; i < build->ranks[role] && outbox->wanted[role]; i++)
            message_to(outbox, first_stop(build, own, build->rank[role][i]))->bytes +=
                (int64_t)sizeof(label) + outbox->bytes[role][i];
    char **end = QDRI_ARRAY(char *, outbox->messages);
    if (!end) return qdri_fail_memory();
    qdr_status status = QDR_OK;
    for (int i = 0; i < outbox->messages && !status; i++) {
        end[i] = outbox->message[i].data = qdri_message_alloc(&build->effort, outbox->message[i].bytes);
        if (!end[i]) status = qdri_fail_memory();
    }
    for (int role = 0; role < 2 && !status; role++)
        for (int i = 0; i < build->ranks[role] && outbox->wanted[role]; i++) {
            int64_t which =
                message_to(outbox, first_stop(build, own, build->rank[role][i])) - outbox->message;
            label head = {outbox->by->own, role, i, outbox->bytes[role][i]};
            memcpy(end[which], &head, sizeof head);
            outbox->data[role][i] = end[which] + sizeof head;
            end[which] += (int64_t)sizeof head + head.bytes;
        }
    free(end);
    return status;
}

qdr_status qdri_outbox_open(qdri_build *build, const qdri_ranges *by, const int64_t *const bytes[2],
                            const int wanted[2], qdri_outbox *outbox) {
    *outbox = (qdri_outbox){.build = build, .by = by, .wanted = {wanted[0], wanted[1]}};
    if (by->own < 0) return QDR_OK;
    outbox->message = QDRI_ZERO_ARRAY(qdri_content, build->ranks[0] + build->ranks[1]);
    int is_short = !outbox->message;
    for (int role = 0; role < 2; role++) {
        outbox->bytes[role] = QDRI_ZERO_ARRAY(int64_t, build->ranks[role]);
        outbox->data[role] = QDRI_ZERO_ARRAY(char *, build->ranks[role]);
        is_short |= !outbox->bytes[role] || !outbox->data[role];
        if (!is_short && bytes && bytes[role])
            memcpy(outbox->bytes[role], bytes[role], (size_t)build->ranks[role] * sizeof **bytes);
    }
    qdr_status status = is_short ? qdri_fail_memory() : open_messages(outbox);
    if (status && outbox->message) qdri_messages_spoil(&build->effort, outbox->messages, outbox->message);
    return status;
}

void qdri_outbox_close(qdri_outbox *outbox) {
    if (outbox->message) qdri_messages_free(&outbox->build->effort, outbox->messages, outbox->message);
    free(outbox->message);
    for (int role = 0; role < 2; role++) {
        free(outbox->bytes[role]);
        free(outbox->data[role]);
    }
    *outbox = (qdri_outbox){.messages = 0};
}

/* ---- reading ------------------------------------------------------------------------------------------- */

static qdri_cursor open_message(const qdri_build *build, const qdri_content *message) {
    return (qdri_cursor){qdri_space_sender(build->space, message->rank), "a message of schedules",
                         message->data, message->bytes};
}

/* The next section of a message, of which there is one; `by` are the responsible ones. */
static qdr_status next_section(const qdri_build *build, const qdri_ranges *by, qdri_cursor *message,
                               label *head, const char **data) {
    QDRI_TRY(qdri_cursor_copy(message, "a label", head, sizeof *head));
    QDRI_TRY(
        qdri_decode_word(message->sender, "number of a responsible process", head->from, 0, by->count - 1));
    QDRI_TRY(qdri_decode_word(message->sender, "a role", head->role, 0, 1));
    QDRI_TRY(qdri_decode_word(message->sender, "the place of a process in its program", head->place, 0,
                              build->ranks[head->role] - 1));
    return qdri_cursor_take(message, "a schedule", head->bytes, 1, data);
}

static int compare_sections(const void *a, const void *b) {
    const qdri_section *x = a, *y = b;
    int by_role = x->role - y->role;
    return by_role ? by_role : (x->from > y->from) - (x->from < y->from);
}

/* A message has no more sections than its bytes hold labels. */
static qdr_status read_messages(qdri_build *build, const qdri_ranges *by, int messages,
                                const qdri_content *message, qdri_inbox *inbox) {
    int64_t most = 0;
    for (int i = 0; i < messages; i++) {
        build->spoiled |= message[i].bytes == 0;
        most += message[i].bytes / (int64_t)sizeof(label);
    }
    if (most > 2 * (int64_t)by->count) most = 2 * (int64_t)by->count;
    inbox->section = QDRI_ARRAY(qdri_section, most);
    if (!inbox->section) return qdri_fail_memory();
    for (int i = 0; i < messages; i++)
        for (qdri_cursor cursor = open_message(build, &message[i]); cursor.left > 0;) {
            label head;
            const char *data;
            QDRI_TRY(next_section(build, by, &cursor, &head, &data));
            if (!build->has[head.role] || build->own[head.role] != head.place) continue;
            QDRI_TRY(qdri_decode_word(cursor.sender, "number of schedules", inbox->sections + 1, 1, most));
            inbox->section[inbox->sections++] = (qdri_section){head.from, head.role, head.bytes, data};
        }
    if (inbox->sections > 0)
        qsort(inbox->section, (size_t)inbox->sections, sizeof *inbox->section, compare_sections);
    for (int i = 1; i < inbox->sections; i++)
        if (compare_sections(&inbox->section[i - 1], &inbox->section[i]) == 0)
            return qdri_fail(QDR_ERR_MISMATCH, "two schedules came from responsible process %d; expected one",
                             inbox->section[i].from);
    return QDR_OK;
}

void qdri_inbox_close(qdri_build *build, qdri_inbox *inbox) {
    free(inbox->section);
    if (inbox->message) qdri_messages_free(&build->effort, inbox->messages, inbox->message);
    free(inbox->message);
    *inbox = (qdri_inbox){.sections = 0};
}

/* ---- passing on ---------------------------------------------------------------------------------------- */

/* Whether this responsible process writes across to a process of the other program that passes on. */
static int crosses_to(const qdri_outbox *outbox, int from, int program) {
    const qdri_space *space = outbox->build->space;
    return outbox->build->choice.back == QDRI_BACK_ONE && program_of(space, from) != program;
}

/* One message for each process of this program, of all that came for it in messages from across. */
static qdr_status sort_messages(qdri_outbox *outbox, int messages, const qdri_content *message,
                                qdri_content *sorted) {
    qdri_build *build = outbox->build;
    const qdri_space *space = build->space;
    int program = space->side, members = space->count[program];
    int64_t *end = QDRI_ZERO_ARRAY(int64_t, members);
    if (!end) return qdri_fail_memory();
    qdr_status status = QDR_OK;
    for (int pass = 0; pass < 2 && !status; pass++) {
        for (int i = 0; i < messages; i++)
            for (qdri_cursor cursor = open_message(build, &message[i]); cursor.left > 0 && !status;) {
                label head;
                const char *begin = cursor.at, *data;
                status = next_section(build, outbox->by, &cursor, &head, &data);
                if (status || head.place >= members) continue;
                int64_t length = cursor.at - begin;
                if (pass)
                    memcpy((char *)sorted[head.place].data + end[head.place], begin, (size_t)length);
                else
                    sorted[head.place].bytes += length;
                end[head.place] += length;
            }
        for (int i = 0; i < members && !pass && !status; i++) {
            end[i] = 0;
            sorted[i].data = qdri_message_alloc(&build->effort, sorted[i].bytes);
            if (!sorted[i].data) status = qdri_fail_memory();
        }
    }
    if (status) qdri_messages_spoil(&build->effort, members, sorted);
    free(end);
    return status;
}

/* The processes of a program that pass on: those to whom responsible ones of the other write. */
static int passes_on(const qdri_outbox *outbox, int place, int program) {
    const qdri_space *space = outbox->build->space;
    for (int i = 0; i < outbox->by->count; i++)
        if (crosses_to(outbox, outbox->by->rank[i], program) &&
            place_of(space, outbox->by->rank[i]) % space->count[program] == place)
            return 1;
    return 0;
}

/* Messages from across have come in `message`; the processes of this program swap what was in them. `more` gets as many
 * messages as there are processes that pass on. */
static qdr_status pass_on(qdri_outbox *outbox, int messages, const qdri_content *message, int *mores,
                          qdri_content *more) {
    qdri_build *build = outbox->build;
    const qdri_space *space = build->space;
    int program = space->side, members = space->count[program],
        passes = passes_on(outbox, space->own, program);
    qdri_content *sorted = QDRI_ZERO_ARRAY(qdri_content, members);
    if (!sorted) return qdri_fail_memory();
    qdr_status status = passes ? sort_messages(outbox, messages, message, sorted) : QDR_OK;
    *mores = 0;
    for (int i = 0; i < members; i++) {
        sorted[i].rank = space->rank[program][i];
        if (passes_on(outbox, i, program)) more[(*mores)++].rank = space->rank[program][i];
    }
    qdri_conversation conversation = qdri_build_conversation(build, "passing results on");
    qdr_status sent = qdri_messages_swap(&conversation, passes ? members : 0, sorted, *mores, more);
    free(sorted);
    return status ? status : sent;
}

/* ---- sending ------------------------------------------------------------------------------------------- */

/* Who writes to this rank first: the responsible ones that have it as a first stop. */
static int expect(const qdri_outbox *outbox, qdri_content *in) {
    const qdri_build *build = outbox->build;
    int own = qdri_wire_rank(build->space->wire), program = program_of(build->space, own), count = 0;
    int own_wanted = is_wanted(outbox, own), program_wanted = 0;
    for (int i = 0; i < build->space->count[program]; i++)
        program_wanted |= is_wanted(outbox, build->space->rank[program][i]);
    for (int i = 0; i < outbox->by->count; i++) {
        int from = outbox->by->rank[i];
        int crosses = crosses_to(outbox, from, program);
        if (crosses ? program_wanted && first_stop(build, from, own) == own : own_wanted)
            in[count++] = (qdri_content){.rank = from};
    }
    return count;
}

static int anybody_crosses(const qdri_outbox *outbox) {
    int program = outbox->build->space->side, any = 0, wanted = 0;
    for (int i = 0; i < outbox->build->space->count[program]; i++)
        wanted |= is_wanted(outbox, outbox->build->space->rank[program][i]);
    for (int i = 0; i < outbox->by->count; i++) any |= crosses_to(outbox, outbox->by->rank[i], program);
    return any && wanted;
}

qdr_status qdri_outbox_send(qdri_outbox *outbox, qdri_inbox *inbox) {
    qdri_build *build = outbox->build;
    int most = outbox->by->count + build->space->count[build->space->side], more = 0, across = 0;
    *inbox = (qdri_inbox){.message = QDRI_ZERO_ARRAY(qdri_content, most)};
    if (!inbox->message) return qdri_fail_memory();
    qdri_build_waits(build);
    inbox->messages = expect(outbox, inbox->message);
    qdri_conversation conversation = qdri_build_conversation(build, "sending schedules back");
    qdr_status status =
        qdri_messages_swap(&conversation, outbox->messages, outbox->message, inbox->messages, inbox->message);
    outbox->messages = status ? 0 : outbox->messages;
    if (!status && anybody_crosses(outbox)) {
        qdri_content *from_across = QDRI_ZERO_ARRAY(qdri_content, inbox->messages);
        int kept = 0;
        for (int i = 0; from_across && i < inbox->messages; i++)
            if (crosses_to(outbox, inbox->message[i].rank, build->space->side))
                from_across[across++] = inbox->message[i];
            else
                inbox->message[kept++] = inbox->message[i];
        status = from_across ? pass_on(outbox, across, from_across, &more, inbox->message + kept)
                             : qdri_fail_memory();
        inbox->messages = kept + more;
        if (from_across) qdri_messages_free(&build->effort, across, from_across);
        free(from_across);
    }
    const qdri_ranges *by = outbox->by;
    qdri_outbox_close(outbox);
    qdri_build_works(build);
    return status ? status : read_messages(build, by, inbox->messages, inbox->message, inbox);
}
