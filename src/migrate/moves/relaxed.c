/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * relaxed: the continuous relaxation (section 3.1), made exact for whole units. Everything moves in L equal
 * steps, between one phase that prepares for it and one that makes up for it.
 *
 * Let c(r) = room(r) + out(r). Choose whole numbers x(r) >= 0 with sum T and x(r) + ceil(x(r) / L) <= c(r):
 * rank r shall send x(r) units in the L steps, and receive as many. The largest x(r) is floor(c(r) L / (L + 1)),
 * so L is the smallest number for which these add up to T. With M units of room on n ranks they do if
 * L (M - n) >= T; so L <= ceil(T / (M - n)) when M > n, and no schedule has fewer than ceil(T / M) phases.
 *
 *   before  Ranks with out > x give what is beyond x to ranks with x > out: where it can be, data that belongs
 *           there, which has arrived with that. It fits: x - out <= room - ceil(x / L). Then rank r has room for
 *           c - x >= ceil(x / L) units.
 *   L steps Rank r receives its own data as far as x goes, and ranks with x beyond their own data take in that
 *           of others, or keep such as they hold (a flow to oneself, which is none). even.c deals the flows out
 *           so that in each step each rank receives at most ceil(x / L) units and sends as many: room does not
 *           change.
 *   after   What is parked goes home: in - x units to r at most, and in <= c.
 *
 * Of all x those near out save the first phase and those near in the last.
 */
#include "migrate/moves/moves.h"

#include "migrate/moves/even.h"

static int64_t most_through(const qdri_moves_request *request, int rank, int64_t steps) {
    int64_t held = request->room[rank] + request->out[rank];
    return held - (held + steps) / (steps + 1);
}

static int suffices(const qdri_moves_request *request, int64_t steps) {
    int64_t sum = 0;
    for (int rank = 0; rank < request->view.ranks && sum < request->total; rank++)
        sum += most_through(request, rank, steps);
    return sum >= request->total;
}

/* L: schedules have at most L + 2 phases; 0 where there is too little room for that. */
static int64_t find_steps(const qdri_moves_request *request) {
    int64_t fails = request->bound - 1, does = request->bound;
    while (!suffices(request, does)) {
        if (does > QDRI_PHASES_LIMIT) return 0;
        fails = does;
        does *= 2;
    }
    while (does - fails > 1) {
        int64_t middle = fails + (does - fails) / 2;
        if (suffices(request, middle))
            does = middle;
        else
            fails = middle;
    }
    return does;
}

/* ---- the books ----------------------------------------------------------------------------------------- */

typedef struct list {
    qdr_move *move;
    int64_t count, capacity;
} list;

typedef struct relaxed {
    const qdri_moves_request *request;
    qdri_phases *phases;
    int64_t steps;
    int64_t *through; /* [ranks] x, less what arrived in the phase before */
    int64_t *give;    /* [ranks] before: units to be given away */
    int64_t *take;    /* [ranks] before: units to be taken; afterwards: of the data of others, in the steps */
    int64_t *excess;  /* [ranks] units for this rank that do not fit into the steps */
    int64_t *need;    /* [ranks] units for this rank that have not arrived */
    int64_t *gone;    /* [messages] units that left in the phase before, the first ones */
    list held;        /* after that phase: ranges `from` a rank `to` their destination */
    list flow;        /* the steps */
    list parked;      /* the phase after */
} relaxed;

static qdr_status append(relaxed *r, list *list, qdr_move move) {
    if (!qdri_budget_grow(r->request->budget, &list->move, &list->capacity, list->count + 1,
                          sizeof *list->move))
        return qdri_fail_memory();
    list->move[list->count++] = move;
    return QDR_OK;
}

static void raise_to(relaxed *r, int rank, int64_t level, int64_t *rest) {
    int64_t more = qdri_least(level - r->through[rank], *rest);
    if (more <= 0) return;
    r->through[rank] += more;
    *rest -= more;
}

static void choose_through(relaxed *r) {
    const qdri_moves_request *request = r->request;
    int ranks = request->view.ranks;
    int64_t rest = request->total;
    for (int rank = 0; rank < ranks; rank++)
        raise_to(r, rank, qdri_least(request->out[rank], most_through(request, rank, r->steps)), &rest);
    for (int rank = 0; rank < ranks; rank++)
        raise_to(r, rank, qdri_least(request->in[rank], most_through(request, rank, r->steps)), &rest);
    for (int rank = 0; rank < ranks; rank++) raise_to(r, rank, most_through(request, rank, r->steps), &rest);
    for (int rank = 0; rank < ranks; rank++) {
        r->give[rank] = qdri_most(request->out[rank] - r->through[rank], 0);
        r->take[rank] = qdri_most(r->through[rank] - request->out[rank], 0);
        r->need[rank] = request->in[rank];
    }
}

/* ---- before -------------------------------------------------------------------------------------------- */

static qdr_status give(relaxed *r, int64_t m, int64_t units, int to) {
    const qdr_pattern_view *view = &r->request->view;
    int from = view->origin[m], destination = view->destination[m];
    qdr_move move = {m, r->gone[m], units, from, to};
    r->gone[m] += units;
    r->give[from] -= units;
    r->take[to] -= units;
    if (to == destination) {
        r->through[to] -= units;
        r->need[to] -= units;
    } else {
        QDRI_TRY(append(r, &r->held, (qdr_move){m, move.offset, units, to, destination}));
    }
    return qdri_phases_add(r->phases, move);
}

/* First what arrives by it, then the rest, to one rank after the other. */
static qdr_status prepare(relaxed *r) {
    const qdr_pattern_view *view = &r->request->view;
    int taker = 0;
    for (int64_t m = 0; m < view->messages; m++) {
        int to = view->destination[m];
        int64_t units = qdri_least(view->items[m], qdri_least(r->give[view->origin[m]], r->take[to]));
        if (units > 0) QDRI_TRY(give(r, m, units, to));
    }
    for (int64_t m = 0; m < view->messages; m++)
        for (int from = view->origin[m]; r->gone[m] < view->items[m] && r->give[from] > 0;) {
            while (r->take[taker] == 0) taker++;
            int64_t units = qdri_least(view->items[m] - r->gone[m], r->give[from]);
            QDRI_TRY(give(r, m, qdri_least(units, r->take[taker]), taker));
        }
    for (int64_t m = 0; m < view->messages; m++)
        if (r->gone[m] < view->items[m])
            QDRI_TRY(append(r, &r->held,
                            (qdr_move){m, r->gone[m], view->items[m] - r->gone[m], view->origin[m],
                                       view->destination[m]}));
    return qdri_phases_end(r->phases);
}

/* ---- the steps, and after ------------------------------------------------------------------------------ */

/* Cuts the first units off a held range: kept for the phase after, at the rank `at`. */
static qdr_status set_aside(relaxed *r, qdr_move *held, int64_t units, int at) {
    qdr_move cut = *held;
    cut.units = units;
    held->offset += units;
    held->units -= units;
    r->excess[held->to] -= units;
    r->take[at] -= units;
    if (at != held->from)
        QDRI_TRY(append(r, &r->flow, (qdr_move){cut.message, cut.offset, units, cut.from, at}));
    cut.from = at;
    return append(r, &r->parked, cut);
}

static qdr_status make_flows(relaxed *r) {
    int keeper = 0;
    for (int rank = 0; rank < r->request->view.ranks; rank++) {
        r->excess[rank] = qdri_most(r->need[rank] - r->through[rank], 0);
        r->take[rank] = qdri_most(r->through[rank] - r->need[rank], 0);
    }
    for (int64_t i = 0; i < r->held.count; i++) { /* what may stay where it is */
        qdr_move *held = &r->held.move[i];
        int64_t units = qdri_least(held->units, qdri_least(r->excess[held->to], r->take[held->from]));
        if (units > 0) QDRI_TRY(set_aside(r, held, units, held->from));
    }
    for (int64_t i = 0; i < r->held.count; i++) {
        qdr_move *held = &r->held.move[i];
        while (held->units > 0 && r->excess[held->to] > 0) {
            while (r->take[keeper] == 0) keeper++;
            int64_t units = qdri_least(held->units, qdri_least(r->excess[held->to], r->take[keeper]));
            QDRI_TRY(set_aside(r, held, units, keeper));
        }
        if (held->units > 0) QDRI_TRY(append(r, &r->flow, *held));
    }
    return QDR_OK;
}

/* By sender, in place of what is held, which is needed no more; counted in `give`. */
static qdr_status sort_flows(relaxed *r) {
    int ranks = r->request->view.ranks;
    int64_t sum = 0;
    qdri_budget *budget = r->request->budget;
    qdr_move *sorted = QDRI_BUDGET_ARRAY(budget, qdr_move, r->flow.count);
    if (!sorted) return qdri_fail_memory();
    for (int rank = 0; rank < ranks; rank++) r->give[rank] = 0;
    for (int64_t i = 0; i < r->flow.count; i++) r->give[r->flow.move[i].from]++;
    for (int rank = 0; rank < ranks; rank++) {
        int64_t count = r->give[rank];
        r->give[rank] = sum;
        sum += count;
    }
    for (int64_t i = 0; i < r->flow.count; i++) sorted[r->give[r->flow.move[i].from]++] = r->flow.move[i];
    qdri_budget_free(budget, r->flow.move);
    r->flow.move = sorted;
    r->flow.capacity = r->flow.count;
    return QDR_OK;
}

static qdr_status run(relaxed *r) {
    const qdri_moves_request *request = r->request;
    qdri_budget *budget = request->budget;
    int ranks = request->view.ranks;
    r->through = QDRI_BUDGET_ZERO_ARRAY(budget, int64_t, ranks);
    r->give = QDRI_BUDGET_ARRAY(budget, int64_t, ranks);
    r->take = QDRI_BUDGET_ARRAY(budget, int64_t, ranks);
    r->excess = QDRI_BUDGET_ARRAY(budget, int64_t, ranks);
    r->need = QDRI_BUDGET_ARRAY(budget, int64_t, ranks);
    r->gone = QDRI_BUDGET_ZERO_ARRAY(budget, int64_t, request->view.messages);
    if (!r->through || !r->give || !r->take || !r->excess || !r->need || !r->gone) return qdri_fail_memory();
    choose_through(r);
    QDRI_TRY(prepare(r));
    QDRI_TRY(make_flows(r));
    QDRI_TRY(sort_flows(r));
    QDRI_TRY(qdri_deal_evenly(request, r->flow.move, r->flow.count, r->steps, r->phases));
    for (int64_t i = 0; i < r->parked.count; i++) QDRI_TRY(qdri_phases_add(r->phases, r->parked.move[i]));
    return qdri_phases_end(r->phases);
}

static qdr_status build(const qdri_moves_request *request, qdri_phases *phases, const char **taken) {
    relaxed r = {.request = request, .phases = phases, .steps = find_steps(request)};
    qdri_budget *budget = request->budget;
    (void)taken;
    if (r.steps == 0)
        return qdri_refuse(
            request, "relaxed needs about one unit of room for each of %d ranks, and there is room for %lld",
            request->view.ranks, (long long)request->free);
    qdr_status status = run(&r);
    qdri_budget_free(budget, r.through);
    qdri_budget_free(budget, r.give);
    qdri_budget_free(budget, r.take);
    qdri_budget_free(budget, r.excess);
    qdri_budget_free(budget, r.need);
    qdri_budget_free(budget, r.gone);
    qdri_budget_free(budget, r.held.move);
    qdri_budget_free(budget, r.flow.move);
    qdri_budget_free(budget, r.parked.move);
    return status;
}

const qdri_moves_method qdri_moves_relaxed = {
    .name = "relaxed",
    .summary =
        "equal shares of everything in each phase, after one that prepares and before one that makes up",
    .promise =
        "at most ceil(T / (M - ranks)) + 2 phases; refuses with less room than about one unit per rank",
    .parks = 1,
    .build = build,
};
