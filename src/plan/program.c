/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From rows to programs. A rank starts with its own messages; what it receives for others goes to staging
 * memory, laid out in the order of arrival by the schedule, so a transfer that is passed on as it came is one
 * segment. A list of what is held, (message, offset, length) -> place, sorted, answers where the pieces of a
 * later stage lie; a piece may be a part of one that was received, or several of them. What arrives in a
 * stage is held from the next one on. Cost: O(pieces log pieces) of this rank.
 */
#include "plan/program.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/pile.h"
#include "base/sort.h"

/* A range of a message that this rank keeps in staging memory for others. */
typedef struct holding {
    int64_t message; /* origin * ranks + destination */
    int64_t offset, length;
    int64_t place;
} holding;

typedef struct builder {
    qdri_program *program;
    qdr_partners_view view;
    const char *is_near;
    int *out_index, *in_index; /* [ranks]: places among destinations and sources, -1: none */
    holding *held;
    int64_t holdings, holding_capacity, sorted; /* those below `sorted` can be found */
    int64_t hop_capacity[2], segment_capacity;
    int64_t expected; /* items that have not been received */
    qdr_piece *away;  /* of what this rank has for itself: parts that it sends, */
    int64_t aways, away_capacity;
    int64_t back; /* and items that come back */
} builder;

static qdr_status broken(const builder *build, const qdr_piece *piece, const char *what) {
    return qdri_fail(QDR_ERR_BROKEN, "rank %d: items %lld to %lld of the message from %d to %d: %s",
                     build->view.rank, (long long)piece->offset, (long long)(piece->offset + piece->length),
                     piece->origin, piece->destination, what);
}

/* ---- what is held -------------------------------------------------------------------------------------- */

static int hold(builder *build, const qdr_piece *piece, int64_t place) {
    if (!qdri_grow(&build->held, &build->holding_capacity, build->holdings + 1, sizeof *build->held))
        return 0;
    int64_t message = (int64_t)piece->origin * build->view.ranks + piece->destination;
    build->held[build->holdings++] = (holding){message, piece->offset, piece->length, place};
    return 1;
}

static int compare_holdings(const void *left, const void *right) {
    const holding *a = left, *b = right;
    if (a->message != b->message) return a->message < b->message ? -1 : 1;
    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static void sort_holdings(builder *build) {
    if (build->holdings > build->sorted)
        qsort(build->held, (size_t)build->holdings, sizeof *build->held, compare_holdings);
    build->sorted = build->holdings;
}

/* The last holding that begins at or before (message, offset); -1: none. */
static int64_t find_holding(const builder *build, int64_t message, int64_t offset) {
    int64_t low = 0, high = build->sorted;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        const holding *held = &build->held[middle];
        if (held->message < message || (held->message == message && held->offset <= offset))
            low = middle + 1;
        else
            high = middle;
    }
    return low - 1;
}

/* ---- segments ------------------------------------------------------------------------------------------ */

/* Adds a range to a hop; one that continues the last is joined to it. */
static int add_segment(builder *build, qdri_hop *hop, int region, int index, int64_t offset, int64_t length) {
    qdri_program *program = build->program;
    hop->items += length;
    if (hop->segments > 0) {
        qdri_segment *last = &program->segment[program->segments - 1];
        if (last->region == region && last->index == index && last->offset + last->length == offset) {
            last->length += length;
            return 1;
        }
    }
    if (!qdri_grow(&program->segment, &build->segment_capacity, program->segments + 1,
                   sizeof *program->segment))
        return 0;
    program->segment[program->segments++] = (qdri_segment){region, index, offset, length};
    hop->segments++;
    return 1;
}

static qdr_status add_own_piece(builder *build, qdri_hop *hop, const qdr_piece *piece) {
    int index = build->out_index[piece->destination];
    if (index < 0 || piece->offset + piece->length > build->view.send_items[index])
        return broken(build, piece, "the schedule sends them, but they do not exist");
    if (piece->destination == build->view.rank) {
        if (!qdri_grow(&build->away, &build->away_capacity, build->aways + 1, sizeof *build->away))
            return qdri_fail_memory();
        build->away[build->aways++] = *piece;
    }
    return add_segment(build, hop, QDRI_IN_OUTGOING, index, piece->offset, piece->length)
               ? QDR_OK
               : qdri_fail_memory();
}

static qdr_status add_held_piece(builder *build, qdri_hop *hop, const qdr_piece *piece) {
    int64_t message = (int64_t)piece->origin * build->view.ranks + piece->destination;
    int64_t offset = piece->offset, left = piece->length;
    for (int64_t i = find_holding(build, message, offset); left > 0; i++) {
        if (i < 0 || i >= build->sorted || build->held[i].message != message ||
            build->held[i].offset > offset || build->held[i].offset + build->held[i].length <= offset)
            return broken(build, piece, "the schedule passes them on, but this rank does not have them");
        const holding *held = &build->held[i];
        int64_t inside = offset - held->offset,
                length = held->length - inside < left ? held->length - inside : left;
        if (!add_segment(build, hop, QDRI_IN_STAGING, 0, held->place + inside, length))
            return qdri_fail_memory();
        offset += length;
        left -= length;
    }
    return QDR_OK;
}

static qdr_status add_sent_piece(builder *build, qdri_hop *hop, const qdr_piece *piece) {
    return piece->origin == build->view.rank ? add_own_piece(build, hop, piece)
                                             : add_held_piece(build, hop, piece);
}

static qdr_status add_received_piece(builder *build, qdri_hop *hop, const qdr_piece *piece) {
    qdri_program *program = build->program;
    if (piece->destination == build->view.rank) {
        int index = build->in_index[piece->origin];
        if (index < 0 || piece->offset + piece->length > build->view.receive_items[index])
            return broken(build, piece, "the schedule delivers them, but they are not expected");
        *(piece->origin == build->view.rank ? &build->back : &build->expected) -= piece->length;
        return add_segment(build, hop, QDRI_IN_INCOMING, index, piece->offset, piece->length)
                   ? QDR_OK
                   : qdri_fail_memory();
    }
    if (!hold(build, piece, program->staging_items) ||
        !add_segment(build, hop, QDRI_IN_STAGING, 0, program->staging_items, piece->length))
        return qdri_fail_memory();
    program->staging_items += piece->length;
    return QDR_OK;
}

/* ---- hops and lanes ------------------------------------------------------------------------------------ */

static qdri_hop *add_hop(builder *build, int receives, int partner, int stage, int64_t phase) {
    qdri_side *side = receives ? &build->program->in : &build->program->out;
    if (!qdri_grow(&side->hop, &build->hop_capacity[receives], side->hops + 1, sizeof *side->hop))
        return NULL;
    qdri_hop *hop = &side->hop[side->hops++];
    *hop = (qdri_hop){.partner = partner, .stage = stage, .phase = phase, .first = build->program->segments};
    return hop;
}

/* Messages without items are scheduled, but nothing has to travel: no hop, no piece. */
static qdr_status add_transfers(builder *build, const qdr_row *row, int receives) {
    const qdr_transfer *list = receives ? row->receive : row->send;
    int64_t count = receives ? row->receives : row->sends;
    for (int64_t i = 0; i < count; i++) {
        if (list[i].items == 0) continue;
        qdri_hop *hop = add_hop(build, receives, list[i].partner, row->stage, list[i].phase);
        if (!hop) return qdri_fail_memory();
        for (int64_t k = 0; k < list[i].pieces; k++) {
            const qdr_piece *piece = &row->piece[list[i].first + k];
            if (piece->length == 0) continue;
            QDRI_TRY(receives ? add_received_piece(build, hop, piece) : add_sent_piece(build, hop, piece));
        }
    }
    return QDR_OK;
}

static void lay_out_side(qdri_side *side, int ranks, int stages, qdri_pile *pile) {
    side->lane_of = QDRI_PILE_ARRAY(pile, int, ranks);
    side->lane_hop = QDRI_PILE_ARRAY(pile, int64_t, side->hops);
    side->stage_start = QDRI_PILE_ARRAY(pile, int64_t, (int64_t)stages + 1);
    side->lane = QDRI_PILE_ARRAY(pile, qdri_lane, side->hops < ranks ? side->hops : ranks);
}

/* Hops with one partner, in their order; lanes in that of their first hops. */
static void make_lanes(qdri_side *side, int ranks, int stages) {
    for (int r = 0; r < ranks; r++) side->lane_of[r] = -1;
    for (int64_t i = 0; i < side->hops; i++) {
        qdri_hop *hop = &side->hop[i];
        int *lane = &side->lane_of[hop->partner];
        if (*lane < 0) {
            *lane = side->lanes++;
            side->lane[*lane].partner = hop->partner;
        }
        hop->lane = *lane;
        side->lane[*lane].hops++;
        side->stage_start[hop->stage + 1]++;
    }
    for (int s = 0; s < stages; s++) side->stage_start[s + 1] += side->stage_start[s];
    for (int i = 1; i < side->lanes; i++)
        side->lane[i].first = side->lane[i - 1].first + side->lane[i - 1].hops;
    /* Counted again, as places of a lane's next hop. */
    for (int i = 0; i < side->lanes; i++) side->lane[i].hops = 0;
    for (int64_t i = 0; i < side->hops; i++) {
        qdri_lane *lane = &side->lane[side->hop[i].lane];
        side->lane_hop[lane->first + lane->hops++] = i;
    }
}

static void lay_out(qdri_program *program, qdri_pile *pile) {
    lay_out_side(&program->out, program->ranks, program->stages, pile);
    lay_out_side(&program->in, program->ranks, program->stages, pile);
}

static qdr_status make_all_lanes(qdri_program *program) {
    qdri_pile pile = {NULL, 0};
    lay_out(program, &pile);
    pile.memory = program->block = qdri_alloc_zero(pile.used, 1);
    pile.used = 0;
    if (!pile.memory) return qdri_fail_memory();
    lay_out(program, &pile);
    make_lanes(&program->out, program->ranks, program->stages);
    make_lanes(&program->in, program->ranks, program->stages);
    return QDR_OK;
}

static void lay_out_bounce(qdri_program *program, qdri_side *side) {
    for (int64_t i = 0; i < side->hops; i++)
        if (side->hop[i].segments > 1) {
            side->hop[i].bounce = program->bounce_items;
            program->bounce_items += side->hop[i].items;
        }
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

static int compare_offsets(const void *left, const void *right) {
    const qdr_piece *a = left, *b = right;
    return (a->offset > b->offset) - (a->offset < b->offset);
}

/* What a rank sends of its own message comes back; the rest, one range of it, stays. */
static qdr_status find_kept(builder *build, qdri_self *self) {
    int64_t at = 0;
    if (build->aways > 0) qsort(build->away, (size_t)build->aways, sizeof *build->away, compare_offsets);
    for (int64_t i = 0; i <= build->aways; i++) {
        int64_t next = i < build->aways ? build->away[i].offset : self->items;
        if (next < at || (next > at && self->length > 0))
            return qdri_fail(
                QDR_ERR_BROKEN,
                "rank %d: the schedule sends parts of what it has for itself twice, or keeps several",
                build->view.rank);
        if (next > at) *self = (qdri_self){self->outgoing, self->incoming, self->items, 1, at, next - at};
        if (i < build->aways) at = next + build->away[i].length;
    }
    self->travels = build->aways > 0;
    build->back += self->items - self->length;
    return QDR_OK;
}

static qdr_status find_self(builder *build) {
    qdr_partners_view view = build->view;
    qdri_self self = {-1, -1, 0, 0, 0, 0};
    for (int i = 0; i < view.sends; i++)
        if (view.destination[i] == view.rank) {
            self.outgoing = i;
            self.items = view.send_items[i];
        }
    for (int i = 0; i < view.receives; i++)
        if (view.source[i] == view.rank) self.incoming = i;
    QDRI_TRY(find_kept(build, &self));
    build->program->self = self;
    if (build->back == 0) return QDR_OK;
    return qdri_fail(QDR_ERR_BROKEN, "rank %d: %lld items of what it sends itself do not come back",
                     view.rank, (long long)build->back);
}

static int is_near(const builder *build, int rank, int way) {
    return build->is_near && build->is_near[rank] & way;
}

static qdr_status open_builder(builder *build) {
    qdr_partners_view view = build->view;
    build->out_index = QDRI_ARRAY(int, 2 * (int64_t)view.ranks);
    if (!build->out_index) return qdri_fail_memory();
    build->in_index = build->out_index + view.ranks;
    for (int r = 0; r < view.ranks; r++) build->out_index[r] = build->in_index[r] = -1;
    for (int i = 0; i < view.sends; i++)
        if (!is_near(build, view.destination[i], QDRI_NEAR_OUT)) build->out_index[view.destination[i]] = i;
    for (int i = 0; i < view.receives; i++) {
        if (is_near(build, view.source[i], QDRI_NEAR_IN)) continue;
        build->in_index[view.source[i]] = i;
        if (view.source[i] != view.rank) build->expected += view.receive_items[i];
    }
    return QDR_OK;
}

static qdr_status close_builder(builder *build, qdr_status status) {
    qdri_program *program = build->program;
    if (!status) status = find_self(build);
    if (!status) status = make_all_lanes(program);
    if (!status) {
        lay_out_bounce(program, &program->out);
        lay_out_bounce(program, &program->in);
    } else {
        qdri_program_free(program);
    }
    free(build->out_index);
    free(build->held);
    free(build->away);
    return status;
}

static qdr_status read_rows(builder *build, const qdr_schedule *schedule) {
    qdr_row_reader *reader = NULL;
    qdr_row row;
    QDRI_TRY(qdr_row_reader_create(schedule, &reader));
    qdr_status status = QDR_OK;
    for (int stage = 0; !status && stage < build->program->stages; stage++) {
        sort_holdings(build);
        status = qdr_row_read(reader, build->view.rank, stage, &row);
        if (!status) status = add_transfers(build, &row, 0);
        if (!status) status = add_transfers(build, &row, 1);
    }
    qdr_row_reader_destroy(&reader);
    if (!status && build->expected != 0)
        status = qdri_fail(QDR_ERR_BROKEN,
                           "rank %d: the schedule leaves out %lld of the items that it should receive",
                           build->view.rank, (long long)build->expected);
    return status;
}

qdr_status qdri_program_from_schedule(const qdr_schedule *schedule, qdr_partners_view view,
                                      const char *is_near, qdri_program *program) {
    qdr_schedule_info info;
    QDRI_TRY(qdr_schedule_look(schedule, &info));
    if (info.ranks != view.ranks)
        return qdri_fail(QDR_ERR_INVALID, "the schedule is for %d ranks, the communicator has %d", info.ranks,
                         view.ranks);
    *program = (qdri_program){.rank = view.rank, .ranks = view.ranks, .stages = info.stages};
    builder build = {.program = program, .view = view, .is_near = is_near};
    qdr_status status = open_builder(&build);
    if (!status) status = read_rows(&build, schedule);
    return close_builder(&build, status);
}

/* `paced` serves its partners in the order of their distance, so that ranks which start together do not all
 * begin with the same one. */
static qdr_status add_partners(builder *build, int receives) {
    qdr_partners_view view = build->view;
    for (int distance = 1; distance < view.ranks; distance++) {
        int partner = (view.rank + (receives ? view.ranks - distance : distance)) % view.ranks;
        int index = receives ? build->in_index[partner] : build->out_index[partner];
        if (index < 0) continue;
        qdri_hop *hop = add_hop(build, receives, partner, 0, 0);
        int64_t items = receives ? view.receive_items[index] : view.send_items[index];
        if (!hop || !add_segment(build, hop, receives ? QDRI_IN_INCOMING : QDRI_IN_OUTGOING, index, 0, items))
            return qdri_fail_memory();
    }
    return QDR_OK;
}

qdr_status qdri_program_from_partners(qdr_partners_view view, const char *is_near, qdri_program *program) {
    *program = (qdri_program){.rank = view.rank, .ranks = view.ranks, .stages = 1};
    builder build = {.program = program, .view = view, .is_near = is_near};
    qdr_status status = open_builder(&build);
    if (!status) status = add_partners(&build, 0);
    if (!status) status = add_partners(&build, 1);
    return close_builder(&build, status);
}

void qdri_program_free(qdri_program *program) {
    free(program->block);
    free(program->out.hop);
    free(program->in.hop);
    free(program->segment);
    *program = (qdri_program){.rank = program->rank};
}
