/* SPDX-License-Identifier: BSD-3-Clause */
/* The lists of a schedule that is played: see player.h. */
#include "predict/player.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "schedule/schedule.h"
#include "schedule/turns.h"

enum { NONE = -1 };

static void number_phases(qdri_player *play) {
    int64_t last = 0;
    for (int64_t i = 0; i < play->count; i++)
        if (play->step[i].phase > last) last = play->step[i].phase;
    play->phases = 0;
    for (int64_t first = 0, next; first < play->count; first = next, play->phases++) {
        next = qdri_phase_end(play->step, play->count, first);
        play->meeting[play->phases] = play->step[first].stage * (last + 1) + play->step[first].phase;
        play->left[play->phases] = (int32_t)(next - first);
        for (int64_t i = first; i < next; i++) play->phase[i] = play->phases;
    }
}

/* In phases in which somebody sends or receives twice, buffered sends do not hold their ends; nor do those that nobody waits
 * for. */
static void find_overlaps(qdri_player *play) {
    int is_free = play->p->sends == QDR_SENDS_BUFFERED || play->how->manner == QDRI_FREE;
    int may = is_free && play->p->switching == QDR_SWITCHING_PACKET && play->how->manner != QDRI_TURNS;
    for (int rank = 0; rank < play->p->ranks; rank++) play->actor[rank].send = play->actor[rank].sends = NONE;
    for (int64_t first = 0, next; first < play->count; first = next) {
        int twice = play->how->manner == QDRI_FREE;
        next = qdri_phase_end(play->step, play->count, first);
        for (int64_t i = first; i < next; i++) {
            qdri_play_actor *from = &play->actor[play->step[i].from], *to = &play->actor[play->step[i].to];
            twice |= from->send == play->phase[i] || to->sends == play->phase[i];
            from->send = to->sends = play->phase[i];
        }
        for (int64_t i = first; i < next; i++) play->overlaps[i] = (char)(may && twice);
    }
}

/* Which steps have a way back in their phase, as far as each rank sends once in it. */
static void find_exchanges(qdri_player *play) {
    for (int rank = 0; rank < play->p->ranks; rank++) play->actor[rank].send = NONE;
    for (int64_t first = 0, next; first < play->count; first = next) {
        next = qdri_phase_end(play->step, play->count, first);
        for (int64_t i = first; i < next; i++) play->actor[play->step[i].from].send = (int32_t)i;
        for (int64_t i = first; i < next; i++) {
            int32_t back = play->actor[play->step[i].to].send;
            play->exchanges[i] = back >= first && play->step[back].from == play->step[i].to &&
                                 play->step[back].to == play->step[i].from;
        }
    }
}

/* Where the lists of each rank begin; they are filled from there. */
static void lay_lists(qdri_player *play) {
    int32_t listed = 0, sent = 0, received = 0;
    for (int rank = 0; rank < play->p->ranks; rank++)
        play->actor[rank] =
            (qdri_play_actor){.first_parked = NONE, .last_parked = NONE, .ahead = NONE, .prepared = NONE};
    for (int32_t i = 0; i < play->count; i++) {
        qdri_play_line *lines[4];
        int count = qdri_lines_of(play, i, lines);
        for (int l = 0; l < count; l++) lines[l]->end++;
        play->actor[play->step[i].from].sends++;
        play->actor[play->step[i].to].receives++;
    }
    for (int rank = 0; rank < play->p->ranks; rank++) {
        qdri_play_actor *actor = &play->actor[rank];
        for (int l = 0; l < 2; l++) {
            int32_t length = actor->line[l].end;
            actor->line[l] = (qdri_play_line){listed, listed, NONE, 0};
            listed += length;
        }
        int32_t sends = actor->sends, receives = actor->receives;
        actor->send = actor->sends = sent;
        actor->receive = actor->receives = received;
        sent += sends;
        received += receives;
    }
}

static qdr_status order_turns(qdri_player *play, int rank) {
    const qdri_play_line *line = &play->actor[rank].line[0];
    int32_t *listed = play->listed + line->first, count = line->end - line->first, sent = 0;
    qdri_turn *turns = QDRI_ARRAY(qdri_turn, count);
    if (!turns) return qdri_fail_memory();
    for (int32_t i = 0; i < count; i++) {
        const qdr_step *step = &play->step[listed[i]];
        turns[i] = (qdri_turn){.stage = step->stage,
                               .from = step->from,
                               .to = step->to,
                               .phase = step->phase,
                               .number = listed[i]};
    }
    qdri_turns_sort(play->p->ranks, play->how->promises, count, turns);
    for (int32_t i = 0; i < count; i++) {
        listed[i] = (int32_t)turns[i].number;
        if (turns[i].from == rank) play->sent[play->actor[rank].send + sent++] = listed[i];
    }
    free(turns);
    return QDR_OK;
}

static qdr_status fill_lists(qdri_player *play) {
    lay_lists(play);
    for (int32_t i = 0; i < play->count; i++) {
        qdri_play_line *lines[4];
        int count = qdri_lines_of(play, i, lines);
        for (int l = 0; l < count; l++) play->listed[lines[l]->end++] = i;
        play->sent[play->actor[play->step[i].from].sends++] = i;
        play->received[play->actor[play->step[i].to].receives++] = i;
    }
    for (int rank = 0; play->how->manner == QDRI_TURNS && rank < play->p->ranks; rank++)
        QDRI_TRY(order_turns(play, rank));
    return QDR_OK;
}

qdr_status qdri_player_list(qdri_player *play) {
    number_phases(play);
    find_overlaps(play);
    if (play->exchanges) find_exchanges(play);
    return fill_lists(play);
}
