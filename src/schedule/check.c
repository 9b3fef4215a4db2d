/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The checker. It believes nothing but the pattern, and reads the schedule as an executor would: row by row.
 *
 * Coverage, rank by rank and exactly. What a rank holds of a message is a function of the position in it: 1
 * where it holds an item, else 0. It begins with its own messages; each stage takes away what it sends and
 * then adds what it receives. Held against every position of every message that passes the rank: after each
 * stage's sends the function is nowhere negative (nothing is sent that was not there), and at the end it is 1
 * on the messages for this rank and 0 elsewhere. Since ranks are taken one at a time, memory is one rank's
 * pieces. Going along a message, every begin or end of a piece changes the function at one time only; a tree
 * over the times knows the lowest value of all, so that many stages cost no more than their logarithm. A
 * message without items travels as one empty piece, and is followed as if it had one item.
 *
 * Both ends agree: a hash of every transfer, its pieces in order, is added by its sender and subtracted by
 * its receiver. Only if the sum is not zero are rows compared one with another to name the culprit.
 *
 * Promises: permutation, pairs and limits show inside a row; links need the phases and the machine's routes.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/sort.h"
#include "pattern/pattern.h"
#include "schedule/schedule.h"

/* A range of a message that appears (+1) or disappears (-1) at a rank, at a time: 0 for the beginning, then
 * 2 stage + 1 for sends and 2 stage + 2 for receives. */
typedef struct change {
    int64_t message, offset, length;
    int time, sign;
} change;

typedef struct endpoint {
    int64_t position;
    int time, sign;
} endpoint;

/* A binary tree over the times, the root at 1, the leaf of time t at leaves + t: the sum of the signs below a
 * node, and the lowest of their partial sums. */
typedef struct held_tree {
    int64_t *sum, *lowest; /* [2 leaves] */
    int leaves;
} held_tree;

typedef struct checker {
    const qdr_schedule *schedule;
    qdr_pattern_view view;
    qdr_row_reader *reader;
    uint64_t balance; /* hashes of sends minus hashes of receives */
    change *change;
    int64_t changes, change_capacity;
    int64_t *key, *order;
    int64_t key_capacity, order_capacity;
    endpoint *end;
    int64_t ends, end_capacity;
    held_tree held;
} checker;

#define BROKEN(...) qdri_fail(QDR_ERR_BROKEN, __VA_ARGS__)

/* ---- well-formed transfers and promises inside a row --------------------------------------------------- */

static qdr_status check_transfer(const checker *c, const qdr_row *row, const qdr_transfer *t,
                                 const char *way) {
    if (t->partner < 0 || t->partner >= c->view.ranks || t->partner == row->rank || t->phase < 0 ||
        t->pieces < 1)
        return BROKEN("stage %d, phase %lld: rank %d %s rank %d in %lld pieces, which cannot be", row->stage,
                      (long long)t->phase, row->rank, way, t->partner, (long long)t->pieces);
    if (!(c->schedule->promises & QDR_PROMISES_LIMIT)) return QDR_OK;
    if (row->stage > 0 || t->phase >= c->schedule->limits)
        return BROKEN("stage %d, phase %lld: rank %d %s rank %d; a limit is promised, but the phase has none",
                      row->stage, (long long)t->phase, row->rank, way, t->partner);
    if (t->items > c->schedule->limit[t->phase])
        return BROKEN("stage %d, phase %lld: rank %d %s rank %d %lld items; the limit of the phase is %lld",
                      row->stage, (long long)t->phase, row->rank, way, t->partner, (long long)t->items,
                      (long long)c->schedule->limit[t->phase]);
    return QDR_OK;
}

static qdr_status check_order(const checker *c, const qdr_row *row, const qdr_transfer *list, int64_t count,
                              const char *way) {
    int once = (c->schedule->promises & (QDR_PROMISES_PERMUTATION | QDR_PROMISES_PAIRS)) != 0;
    for (int64_t i = 0; i < count; i++) {
        QDRI_TRY(check_transfer(c, row, &list[i], way));
        if (i == 0 || list[i].phase > list[i - 1].phase) continue;
        if (list[i].phase < list[i - 1].phase)
            return BROKEN("stage %d: the row of rank %d is not in the order of phases", row->stage,
                          row->rank);
        if (once)
            return BROKEN("stage %d, phase %lld: rank %d %s rank %d and rank %d in one phase", row->stage,
                          (long long)list[i].phase, row->rank, way, list[i - 1].partner, list[i].partner);
    }
    return QDR_OK;
}

static qdr_status check_pairs(const checker *c, const qdr_row *row) {
    if (!(c->schedule->promises & QDR_PROMISES_PAIRS)) return QDR_OK;
    for (int64_t s = 0, r = 0; s < row->sends && r < row->receives;) {
        const qdr_transfer *send = &row->send[s], *receive = &row->receive[r];
        if (send->phase == receive->phase && send->partner != receive->partner)
            return BROKEN("stage %d, phase %lld: rank %d sends to rank %d and receives from rank %d; one "
                          "partner is promised",
                          row->stage, (long long)send->phase, row->rank, send->partner, receive->partner);
        if (send->phase <= receive->phase)
            s++;
        else
            r++;
    }
    return QDR_OK;
}

/* ---- coverage ------------------------------------------------------------------------------------------ */

static int64_t find_message(const qdr_pattern_view *view, int origin, int destination) {
    if (origin < 0 || origin >= view->ranks) return -1;
    int64_t place = qdri_pattern_position(view, origin, destination);
    return place < view->row_start[origin + 1] && view->destination[place] == destination ? place : -1;
}

/* How many positions of a message are followed. */
static int64_t extent_of(const checker *c, int64_t m) {
    return c->view.items[m] > 0 ? c->view.items[m] : 1;
}

/* Whether a piece is a range of message m. */
static int is_range(const checker *c, int64_t m, const qdr_piece *piece) {
    int64_t items = c->view.items[m], shortest = items > 0;
    return piece->offset >= 0 && piece->length >= shortest && piece->length <= items &&
           piece->offset <= items - piece->length;
}

static qdr_status add_change(checker *c, change entry) {
    if (!qdri_grow(&c->change, &c->change_capacity, c->changes + 1, sizeof *c->change))
        return qdri_fail_memory();
    c->change[c->changes++] = entry;
    return QDR_OK;
}

static uint64_t begin_hash(const qdr_row *row, const qdr_transfer *t, int sending) {
    int from = sending ? row->rank : t->partner, to = sending ? t->partner : row->rank;
    uint64_t hash = qdri_mix(((uint64_t)(uint32_t)from << 32) | (uint32_t)to);
    return qdri_mix(hash ^ ((uint64_t)row->stage << 48) ^ (uint64_t)t->phase);
}

static qdr_status add_pieces(checker *c, const qdr_row *row, const qdr_transfer *t, int sending) {
    uint64_t hash = begin_hash(row, t, sending);
    int64_t items = 0;
    for (int64_t i = t->first; i < t->first + t->pieces; i++) {
        const qdr_piece *piece = &row->piece[i];
        int64_t m = find_message(&c->view, piece->origin, piece->destination);
        if (m < 0 || !is_range(c, m, piece))
            return BROKEN(
                "stage %d, phase %lld: rank %d %s rank %d items %lld..%lld of a message %d->%d that has %lld",
                row->stage, (long long)t->phase, row->rank, sending ? "sends to" : "receives from",
                t->partner, (long long)piece->offset, (long long)piece->offset + piece->length - 1,
                piece->origin, piece->destination, (long long)(m < 0 ? 0 : c->view.items[m]));
        int64_t length = piece->length > 0 ? piece->length : extent_of(c, m);
        QDRI_TRY(add_change(
            c, (change){m, piece->offset, length, 2 * row->stage + (sending ? 1 : 2), sending ? -1 : 1}));
        hash = qdri_mix(hash + (uint64_t)m);
        hash = qdri_mix(hash + (uint64_t)piece->offset);
        hash = qdri_mix(hash + (uint64_t)piece->length);
        items += piece->length;
    }
    if (items != t->items)
        return BROKEN(
            "stage %d, phase %lld: rank %d and rank %d: the pieces have %lld items, the transfer says %lld",
            row->stage, (long long)t->phase, row->rank, t->partner, (long long)items, (long long)t->items);
    c->balance += sending ? hash : -hash;
    return QDR_OK;
}

static int compare_ends(const void *a, const void *b) {
    int64_t x = ((const endpoint *)a)->position, y = ((const endpoint *)b)->position;
    return (x > y) - (x < y);
}

/* Most messages pass a rank in a handful of pieces. */
static void sort_ends(endpoint *end, int64_t count) {
    enum { FEW = 24 };
    if (count > FEW) {
        qsort(end, (size_t)count, sizeof *end, compare_ends);
        return;
    }
    for (int64_t i = 1; i < count; i++) {
        endpoint moved = end[i];
        int64_t place = i;
        for (; place > 0 && end[place - 1].position > moved.position; place--) end[place] = end[place - 1];
        end[place] = moved;
    }
}

static qdr_status add_ends(checker *c, const change *entry) {
    if (!qdri_grow(&c->end, &c->end_capacity, c->ends + 2, sizeof *c->end)) return qdri_fail_memory();
    c->end[c->ends++] = (endpoint){entry->offset, entry->time, entry->sign};
    c->end[c->ends++] = (endpoint){entry->offset + entry->length, entry->time, -entry->sign};
    return QDR_OK;
}

static void change_held(held_tree *tree, int time, int sign) {
    int node = tree->leaves + time;
    tree->sum[node] += sign;
    tree->lowest[node] = tree->sum[node];
    while ((node /= 2) > 0) {
        int64_t left = tree->sum[2 * node], below = left + tree->lowest[2 * node + 1];
        tree->sum[node] = left + tree->sum[2 * node + 1];
        tree->lowest[node] = below < tree->lowest[2 * node] ? below : tree->lowest[2 * node];
    }
}

/* The first time at which less than nothing is held. Receives only add, so that it is one of sending. */
static int first_lack(const held_tree *tree) {
    int64_t held = 0;
    int time = 0;
    for (; time < tree->leaves - 1; time++)
        if ((held += tree->sum[tree->leaves + time]) < 0) break;
    return time;
}

/* "items 3..7 of message 0->1" */
static void name_segment(const checker *c, int64_t m, int64_t from, int64_t to, char *text, size_t size) {
    if (c->view.items[m] > 0)
        snprintf(text, size, "items %lld..%lld of message %d->%d", (long long)from, (long long)to - 1,
                 c->view.origin[m], c->view.destination[m]);
    else
        snprintf(text, size, "the empty message %d->%d", c->view.origin[m], c->view.destination[m]);
}

/* What the rank holds of message m between two positions. */
static qdr_status check_segment(const checker *c, int rank, int64_t m, int64_t from, int64_t to) {
    int wanted = c->view.destination[m] == rank;
    int64_t held = c->held.sum[1];
    char what[128];
    if (c->held.lowest[1] >= 0 && held == wanted) return QDR_OK;
    name_segment(c, m, from, to, what, sizeof what);
    if (c->held.lowest[1] < 0)
        return BROKEN("stage %d: rank %d sends %s, which it does not hold then", first_lack(&c->held) / 2,
                      rank, what);
    return BROKEN("at the end rank %d holds %s %lld times instead of %s", rank, what, (long long)held,
                  wanted ? "once" : "not at all");
}

/* The changes order[first] .. order[last-1] are those of one message. Each leaves the tree as it found it: at
 * the end of a piece its sign is taken back. */
static qdr_status check_message(checker *c, int rank, int64_t first, int64_t last) {
    int64_t m = c->change[c->order[first]].message;
    c->ends = 0;
    for (int64_t i = first; i < last; i++) QDRI_TRY(add_ends(c, &c->change[c->order[i]]));
    sort_ends(c->end, c->ends);
    for (int64_t i = 0; i < c->ends; i++) {
        change_held(&c->held, c->end[i].time, c->end[i].sign);
        if (i + 1 < c->ends && c->end[i + 1].position > c->end[i].position)
            QDRI_TRY(check_segment(c, rank, m, c->end[i].position, c->end[i + 1].position));
    }
    return QDR_OK;
}

static qdr_status check_holdings(checker *c, int rank) {
    if (!qdri_grow(&c->key, &c->key_capacity, c->changes, sizeof *c->key) ||
        !qdri_grow(&c->order, &c->order_capacity, c->changes, sizeof *c->order))
        return qdri_fail_memory();
    for (int64_t i = 0; i < c->changes; i++) c->key[i] = c->change[i].message;
    if (!qdri_sort_order(c->key, c->changes, c->order)) return qdri_fail_memory();
    for (int64_t i = 0, last; i < c->changes; i = last) {
        for (last = i; last < c->changes && c->key[c->order[last]] == c->key[c->order[i]];) last++;
        QDRI_TRY(check_message(c, rank, i, last));
    }
    return QDR_OK;
}

/* A message for this rank of which nothing ever arrives would leave no trace: entered with weight 0, it is
 * looked at. */
static qdr_status add_beginning(checker *c, int rank) {
    c->changes = 0;
    for (int64_t m = c->view.row_start[rank]; m < c->view.row_start[rank + 1]; m++)
        QDRI_TRY(add_change(c, (change){m, 0, extent_of(c, m), 0, 1}));
    for (int64_t k = c->view.column_start[rank]; k < c->view.column_start[rank + 1]; k++) {
        int64_t m = c->view.column_message[k];
        QDRI_TRY(add_change(c, (change){m, 0, extent_of(c, m), 0, 0}));
    }
    return QDR_OK;
}

static qdr_status check_rank(checker *c, int rank) {
    QDRI_TRY(add_beginning(c, rank));
    for (int stage = 0; stage < c->schedule->stages; stage++) {
        qdr_row row;
        QDRI_TRY(qdr_row_read(c->reader, rank, stage, &row));
        QDRI_TRY(check_order(c, &row, row.send, row.sends, "sends to"));
        QDRI_TRY(check_order(c, &row, row.receive, row.receives, "receives from"));
        QDRI_TRY(check_pairs(c, &row));
        for (int64_t i = 0; i < row.sends; i++) QDRI_TRY(add_pieces(c, &row, &row.send[i], 1));
        for (int64_t i = 0; i < row.receives; i++) QDRI_TRY(add_pieces(c, &row, &row.receive[i], 0));
    }
    return check_holdings(c, rank);
}

/* ---- both ends ----------------------------------------------------------------------------------------- */

static int same_transfer(const qdr_row *a, const qdr_transfer *x, const qdr_row *b, const qdr_transfer *y) {
    if (x->phase != y->phase || x->items != y->items || x->pieces != y->pieces) return 0;
    for (int64_t i = 0; i < x->pieces; i++) {
        const qdr_piece *p = &a->piece[x->first + i], *q = &b->piece[y->first + i];
        if (p->origin != q->origin || p->destination != q->destination || p->offset != q->offset ||
            p->length != q->length)
            return 0;
    }
    return 1;
}

static int has_counterpart(const qdr_row *mine, const qdr_transfer *t, const qdr_row *theirs, int sending) {
    const qdr_transfer *list = sending ? theirs->receive : theirs->send;
    int64_t count = sending ? theirs->receives : theirs->sends;
    for (int64_t i = 0; i < count; i++)
        if (list[i].partner == mine->rank && same_transfer(mine, t, theirs, &list[i])) return 1;
    return 0;
}

static qdr_status compare_ends_of(const checker *c, qdr_row_reader *other, int rank, int stage, int sending) {
    qdr_row mine, theirs;
    QDRI_TRY(qdr_row_read(c->reader, rank, stage, &mine));
    const qdr_transfer *list = sending ? mine.send : mine.receive;
    for (int64_t i = 0; i < (sending ? mine.sends : mine.receives); i++) {
        QDRI_TRY(qdr_row_read(other, list[i].partner, stage, &theirs));
        if (!has_counterpart(&mine, &list[i], &theirs, sending))
            return BROKEN(
                "stage %d, phase %lld: rank %d %s rank %d (%lld items), but rank %d's row does not say so",
                stage, (long long)list[i].phase, rank, sending ? "sends to" : "receives from",
                list[i].partner, (long long)list[i].items, list[i].partner);
    }
    return QDR_OK;
}

static qdr_status name_disagreement(const checker *c) {
    qdr_row_reader *other;
    qdr_status status = QDR_OK;
    QDRI_TRY(qdr_row_reader_create(c->schedule, &other));
    for (int stage = 0; status == QDR_OK && stage < c->schedule->stages; stage++)
        for (int rank = 0; status == QDR_OK && rank < c->view.ranks; rank++) {
            status = compare_ends_of(c, other, rank, stage, 1);
            if (status == QDR_OK) status = compare_ends_of(c, other, rank, stage, 0);
        }
    qdr_row_reader_destroy(&other);
    return status != QDR_OK ? status : BROKEN("senders and receivers do not agree");
}

/* ---- links --------------------------------------------------------------------------------------------- */

typedef struct link_loads {
    int64_t *route, *load, *phase_of; /* phase_of: the phase that load[] belongs to */
} link_loads;

static qdr_status load_step(const qdr_machine *machine, const qdr_step *step, int64_t phase,
                            link_loads *loads) {
    int length = qdr_machine_route(machine, step->from, step->to, loads->route);
    for (int i = 0; i < length; i++) {
        int64_t link = loads->route[i];
        if (loads->phase_of[link] != phase) loads->load[link] = 0;
        loads->phase_of[link] = phase;
        if (++loads->load[link] > qdr_machine_link_streams(machine, link))
            return BROKEN(
                "stage %d, phase %lld: %d->%d shares link %lld with others; it carries %lld at once",
                step->stage, (long long)step->phase, step->from, step->to, (long long)link,
                (long long)qdr_machine_link_streams(machine, link));
    }
    return QDR_OK;
}

static qdr_status check_links(const qdr_schedule *schedule) {
    const qdr_machine *machine = schedule->machine;
    qdr_step *steps;
    int64_t count, phase = 0;
    if (!(schedule->promises & QDR_PROMISES_LINKS)) return QDR_OK;
    if (!machine) return BROKEN("no shared link is promised, but there is no machine to check it on");
    QDRI_TRY(qdr_schedule_steps(schedule, &count, &steps));
    link_loads loads = {QDRI_ARRAY(int64_t, qdr_machine_route_limit(machine)),
                        QDRI_ZERO_ARRAY(int64_t, qdr_machine_links(machine)),
                        QDRI_ZERO_ARRAY(int64_t, qdr_machine_links(machine))};
    qdr_status status = loads.route && loads.load && loads.phase_of ? QDR_OK : qdri_fail_memory();
    for (int64_t first = 0, next; status == QDR_OK && first < count; first = next) {
        next = qdri_phase_end(steps, count, first);
        phase++;
        for (int64_t i = first; status == QDR_OK && i < next; i++)
            status = load_step(machine, &steps[i], phase, &loads);
    }
    free(loads.route);
    free(loads.load);
    free(loads.phase_of);
    free(steps);
    return status;
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

qdr_status qdr_schedule_check(const qdr_schedule *schedule) {
    if (!schedule) return qdri_fail(QDR_ERR_INVALID, "qdr_schedule_check: the schedule is NULL");
    checker c = {.schedule = schedule, .view = qdr_pattern_look(schedule->pattern)};
    qdr_status status = qdr_row_reader_create(schedule, &c.reader);
    for (c.held.leaves = 1; c.held.leaves < 2 * schedule->stages + 1;) c.held.leaves *= 2;
    c.held.sum = QDRI_ZERO_ARRAY(int64_t, 2 * (int64_t)c.held.leaves);
    c.held.lowest = QDRI_ZERO_ARRAY(int64_t, 2 * (int64_t)c.held.leaves);
    if (status == QDR_OK && (!c.held.sum || !c.held.lowest)) status = qdri_fail_memory();
    for (int rank = 0; status == QDR_OK && rank < c.view.ranks; rank++) status = check_rank(&c, rank);
    if (status == QDR_OK && c.balance != 0) status = name_disagreement(&c);
    if (status == QDR_OK) status = check_links(schedule);
    qdr_row_reader_destroy(&c.reader);
    free(c.held.sum);
    free(c.held.lowest);
    free(c.change);
    free(c.key);
    free(c.order);
    free(c.end);
    return status;
}
