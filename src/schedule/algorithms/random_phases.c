/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random scheduling (NICE, section 3.3, figure 6). Every row's messages are shuffled once. Then phase after
 * phase: from a random sender on, each sender in turn takes the first message on its list whose receiver is
 * still free; a message taken gives its place to the last of the list. On regular random patterns of degree d
 * that needs about d + log2 d phases, and about 3 probes per message.
 *
 *     links   a message is taken only if no link of its route would carry more than it can in this phase
 *             (RS_NL)
 *     split   of the messages taken in a phase, those longer than a limit send only so much of what they have
 *             left and stay on the list (RS_NH), so that nobody waits for the longest. The limit is a
 *             quantile of the sizes in the phase, or fixed.
 *
 * Both together are RS_NLH. All ranks build the same schedule from one seed.
 */
#include "schedule/algorithms/random_phases.h"

#include <stdlib.h>
#include <string.h>

typedef struct candidate {
    int destination;
    int32_t place; /* of the message in its row */
} candidate;

typedef struct draft {
    qdr_pattern_view view;
    const qdr_machine *machine; /* NULL: links do not matter */
    qdri_random random;
    candidate *list; /* row i: list[row_start[i]] .. , left[i] of them */
    int32_t *left;   /* [ranks] */
    int *sender;     /* the ranks that have messages left, senders of them */
    int *seat;       /* [ranks] where a rank sits in sender[] */
    int senders;
    int32_t *due;    /* [ranks] messages that are still to come to a rank */
    int receivers;   /* ranks that something is still to come to */
    int32_t *taken;  /* [ranks] the last phase + 1 in which it received */
    int64_t *chosen; /* [ranks] messages of the phase, in the order taken */
    int64_t chosen_count;
    int64_t unsent; /* messages on the lists */
    /* links */
    int64_t *route;
    int32_t *link_phase; /* [links] the last phase + 1 that loaded it */
    int32_t *link_load;
    /* whole messages */
    int32_t *phase_of;
    /* pieces */
    double quantile;
    int64_t fixed_limit; /* 0: by quantile */
    int64_t *rest;       /* [messages] items left to send */
    int64_t *size;       /* [ranks] scratch */
    int64_t *limit;      /* [phases] */
    int64_t limit_capacity;
    qdri_piece_entry *entry;
    int64_t entries, entry_capacity;
} draft;

/* ---- links --------------------------------------------------------------------------------------------- */

static int route_is_free(draft *d, int length, int32_t mark) {
    for (int i = 0; i < length; i++) {
        int64_t link = d->route[i];
        if (d->link_phase[link] == mark && d->link_load[link] >= qdr_machine_link_streams(d->machine, link))
            return 0;
    }
    return 1;
}

static void load_route(draft *d, int length, int32_t mark) {
    for (int i = 0; i < length; i++) {
        int64_t link = d->route[i];
        if (d->link_phase[link] != mark) d->link_load[link] = 0;
        d->link_phase[link] = mark;
        d->link_load[link]++;
    }
}

static int links_allow(draft *d, int from, int to, int32_t mark) {
    if (!d->machine) return 1;
    int length = qdr_machine_route(d->machine, from, to, d->route);
    if (!route_is_free(d, length, mark)) return 0;
    load_route(d, length, mark);
    return 1;
}

/* ---- one phase ----------------------------------------------------------------------------------------- */

/* Rank i takes its first possible message and moves it to the front of its list. */
static int take(draft *d, int i, int32_t mark) {
    candidate *row = d->list + d->view.row_start[i];
    for (int32_t k = 0; k < d->left[i]; k++) {
        candidate found = row[k];
        if (d->taken[found.destination] == mark || !links_allow(d, i, found.destination, mark)) continue;
        d->taken[found.destination] = mark;
        row[k] = row[0];
        row[0] = found;
        return 1;
    }
    return 0;
}

/* A partial permutation: chosen[] lists the messages taken, in the order of the senders from a random one
 * on. When every receiver that waits for something is taken, the others need not be asked: without that, a
 * hub of degree d would cost d^2. */
static void draw(draft *d, int32_t phase) {
    int seat = (int)qdri_random_below(&d->random, (uint64_t)d->senders);
    d->chosen_count = 0;
    for (int asked = 0; asked < d->senders && d->chosen_count < d->receivers; asked++) {
        int i = d->sender[seat];
        if (take(d, i, phase + 1))
            d->chosen[d->chosen_count++] = d->view.row_start[i] + d->list[d->view.row_start[i]].place;
        if (++seat == d->senders) seat = 0;
    }
}

/* The front of rank i's list is sent: the last of the list takes its place, and the last of the senders
 * the seat of one who has finished. */
static void drop(draft *d, int i) {
    candidate *row = d->list + d->view.row_start[i];
    d->receivers -= --d->due[row[0].destination] == 0;
    row[0] = row[--d->left[i]];
    d->unsent--;
    if (d->left[i] > 0) return;
    int last = d->sender[--d->senders];
    d->sender[d->seat[i]] = last;
    d->seat[last] = d->seat[i];
}

static void send_whole(draft *d, int32_t phase) {
    for (int64_t c = 0; c < d->chosen_count; c++) {
        d->phase_of[d->chosen[c]] = phase;
        drop(d, d->view.origin[d->chosen[c]]);
    }
}

static int compare_sizes(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int64_t choose_limit(draft *d) {
    if (d->fixed_limit) return d->fixed_limit;
    for (int64_t i = 0; i < d->chosen_count; i++) d->size[i] = d->rest[d->chosen[i]];
    qsort(d->size, (size_t)d->chosen_count, sizeof *d->size, compare_sizes);
    int64_t limit = d->size[(int64_t)(d->quantile * (double)(d->chosen_count - 1))];
    return limit > 0 ? limit : 1; /* beside messages without items the others must get on */
}

static qdr_status send_piece(draft *d, int64_t m, int32_t phase, int64_t limit) {
    int64_t length = d->rest[m] < limit ? d->rest[m] : limit;
    int from = d->view.origin[m], to = d->view.destination[m];
    if (!qdri_grow(&d->entry, &d->entry_capacity, d->entries + 1, sizeof *d->entry))
        return qdri_fail_memory();
    d->entry[d->entries++] =
        (qdri_piece_entry){0, phase, from, to, {from, to, d->view.items[m] - d->rest[m], length}};
    d->rest[m] -= length;
    return QDR_OK;
}

static qdr_status send_pieces(draft *d, int32_t phase) {
    int64_t limit = choose_limit(d);
    if (!qdri_grow(&d->limit, &d->limit_capacity, (int64_t)phase + 1, sizeof *d->limit))
        return qdri_fail_memory();
    d->limit[phase] = limit;
    for (int64_t c = 0; c < d->chosen_count; c++) {
        int64_t m = d->chosen[c];
        int i = d->view.origin[m];
        QDRI_TRY(send_piece(d, m, phase, limit));
        if (d->rest[m] == 0) {
            drop(d, i);
        } else { /* to the end of the list, so that the others get their turn */
            candidate *row = d->list + d->view.row_start[i], kept = row[0];
            row[0] = row[d->left[i] - 1];
            row[d->left[i] - 1] = kept;
        }
    }
    return QDR_OK;
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

static void shuffle_rows(draft *d) {
    for (int i = 0; i < d->view.ranks; i++) {
        candidate *row = d->list + d->view.row_start[i];
        int32_t count = (int32_t)(d->view.row_start[i + 1] - d->view.row_start[i]);
        for (int32_t k = 0; k < count; k++) { /* inside out */
            int32_t other = (int32_t)qdri_random_below(&d->random, (uint64_t)k + 1);
            row[k] = row[other];
            row[other] = (candidate){d->view.destination[d->view.row_start[i] + k], k};
        }
        d->left[i] = count;
        if (count == 0) continue;
        d->seat[i] = d->senders;
        d->sender[d->senders++] = i;
    }
    for (int64_t m = 0; m < d->view.messages; m++) d->receivers += d->due[d->view.destination[m]]++ == 0;
}

static int allocate(draft *d, int split) {
    int64_t ranks = d->view.ranks, messages = d->view.messages;
    d->list = QDRI_ARRAY(candidate, messages);
    d->left = QDRI_ARRAY(int32_t, ranks);
    d->taken = QDRI_ZERO_ARRAY(int32_t, ranks);
    d->sender = QDRI_ARRAY(int, ranks);
    d->seat = QDRI_ARRAY(int, ranks);
    d->due = QDRI_ZERO_ARRAY(int32_t, ranks);
    d->chosen = QDRI_ARRAY(int64_t, ranks);
    int good = d->list && d->left && d->taken && d->chosen && d->sender && d->seat && d->due;
    if (split) {
        d->size = QDRI_ARRAY(int64_t, ranks);
        d->rest = QDRI_ARRAY(int64_t, messages);
        good = good && d->size && d->rest;
    } else {
        d->phase_of = QDRI_ARRAY(int32_t, messages);
        good = good && d->phase_of;
    }
    if (d->machine) {
        int64_t links = qdr_machine_links(d->machine);
        d->route = QDRI_ARRAY(int64_t, qdr_machine_route_limit(d->machine));
        d->link_phase = QDRI_ZERO_ARRAY(int32_t, links);
        d->link_load = QDRI_ZERO_ARRAY(int32_t, links);
        good = good && d->route && d->link_phase && d->link_load;
    }
    return good;
}

static void free_draft(draft *d) {
    free(d->list);
    free(d->left);
    free(d->taken);
    free(d->sender);
    free(d->seat);
    free(d->due);
    free(d->chosen);
    free(d->size);
    free(d->rest);
    free(d->route);
    free(d->link_phase);
    free(d->link_load);
    free(d->phase_of);
    free(d->limit);
    free(d->entry);
}

static qdr_status run(draft *d, int split, int32_t *phases) {
    int32_t phase = 0;
    if (split) memcpy(d->rest, d->view.items, (size_t)d->view.messages * sizeof *d->rest);
    shuffle_rows(d);
    for (d->unsent = d->view.messages; d->unsent > 0; phase++) {
        if (phase == INT32_MAX - 1)
            return qdri_fail(QDR_ERR_RANGE, "the limit cuts the messages into more than %d phases",
                             INT32_MAX - 1);
        draw(d, phase);
        if (split)
            QDRI_TRY(send_pieces(d, phase));
        else
            send_whole(d, phase);
    }
    *phases = phase;
    return QDR_OK;
}

qdr_status qdri_random_build(const qdri_request *request, int variant, qdr_schedule *schedule) {
    int split = variant & QDRI_RANDOM_SPLIT;
    int32_t phases = 0;
    draft d = {.view = request->view, .machine = variant & QDRI_RANDOM_LINKS ? request->machine : NULL};
    d.random = qdri_random_seed((uint64_t)qdri_spec_integer(request->options, "seed"));
    if (split) {
        d.quantile = qdri_spec_real(request->options, "limit");
        d.fixed_limit = qdri_spec_integer(request->options, "items");
    }
    qdr_status status = allocate(&d, split) ? run(&d, split, &phases) : qdri_fail_memory();
    if (status == QDR_OK && split) {
        schedule->phases = phases;
        schedule->transfers = d.entries;
        schedule->limit = d.limit;
        schedule->limits = phases;
        d.limit = NULL;
        status = qdri_rows_from_entries(schedule, d.entry, d.entries);
        d.entry = NULL;
    } else if (status == QDR_OK) {
        status = qdri_rows_from_array(schedule, d.phase_of, phases);
        d.phase_of = NULL;
    }
    free_draft(&d);
    return status;
}
