/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * greedy: the 3/2-approximation with parking (section 3.1). In each phase
 *
 *   1. every rank takes in as much as it has room for, from origins before what is parked;
 *   2. unless the next phase ends it all, ranks that lack room for what they still wait for park data of their
 *      own with ranks that have room and wait for nothing.
 *
 * At most half of the data is parked because each unit that rank r parks is paid for by another one that comes
 * to r from its origin in the next phase. So r parks no more than it has units to come from origins, and nobody
 * parks a unit on its way to r that r counts on: `committed` never exceeds `direct`. Then T + T/2 units are
 * moved at most, and the bound of ceil(3T / 2M) + 1 phases follows if all but the last two fill the room M.
 * When is room left?
 *
 *   - When all that is lacking was parked: then the next phase is the last.
 *   - When it could have been parked, but not paid for. Two full ranks that swap a unit, beside a third with
 *     plenty of room, need three phases if one unit is parked and two if both are; so neither half of the paper's
 *     claim can be had always together with the other. Here the number of phases holds: beyond T/2 is parked, in
 *     the phase before the last, if the bound is missed otherwise, or if it is asked for (most=all), and never
 *     else.
 *   - When more is lacking than there is room for, and still room is left that nobody can pay for. Then each
 *     rank that lacks room, and each that it has data for, gets all that is to come from origins in the next
 *     phase (else one of them could pay). If that holds for all of them only parked data is left after it, every
 *     rank has sent all it had and so has room for the rest: three phases that move more than M units, for more
 *     than the room left was lacking. That is within the bound. (A rank that does not get all from origins has
 *     data for such ranks alone; then one phase more may be needed, for which there is no proof. The tests have
 *     not met a case beyond the bound.)
 *
 * Some phase always moves something: a rank that is full and waits for data from an origin has, since it will
 * be able to hold all of its own in the end, data for others; and they have it to come. Cost: O(ranks + messages
 * that are left) per phase.
 */
#include "migrate/moves/ledger.h"

typedef enum park_first { PARK_STARVED, PARK_LARGEST, PARK_RANK } park_first; /* as the words of the option */

typedef struct greedy {
    qdri_ledger ledger;
    qdri_first first;
    park_first park;
    int parks_all;      /* the option `most` */
    int64_t *committed; /* [ranks] units parked in this phase, to be paid for in the next */
    qdri_heap waiting;  /* [ranks] those that lack room, by who parks first */
    int64_t space;      /* units of room on ranks that wait for nothing */
    int64_t lacking;    /* units for which the others have no room in the next phase */
    int keeper;         /* no rank before this one has such room */
} greedy;

static int64_t to_receive(const greedy *g, int rank) {
    return g->ledger.direct[rank] + g->ledger.parked[rank];
}

static int64_t lack(const greedy *g, int rank) {
    return qdri_most(to_receive(g, rank) - g->ledger.next[rank], 0);
}

static int64_t spare(const greedy *g, int rank) {
    return g->ledger.direct[rank] - g->committed[rank];
}

static qdr_status receive(greedy *g) {
    qdri_ledger *ledger = &g->ledger;
    qdri_ledger_tell(ledger);
    for (int rank = 0; rank < ledger->request->view.ranks; rank++) {
        QDRI_TRY(qdri_ledger_receive(ledger, rank, g->first, 0));
        QDRI_TRY(qdri_ledger_forward(ledger, rank, qdri_least(ledger->room[rank], ledger->parked[rank])));
        g->committed[rank] = 0;
    }
    return QDR_OK;
}

/* ---- parking ------------------------------------------------------------------------------------------- */

static void survey(greedy *g) {
    g->space = g->lacking = 0;
    for (int rank = 0; rank < g->ledger.request->view.ranks; rank++) {
        if (to_receive(g, rank) == 0) g->space += g->ledger.room[rank];
        g->lacking += lack(g, rank);
    }
    g->keeper = 0;
}

static qdr_status park_units(greedy *g, int64_t message, int64_t units) {
    qdri_ledger *ledger = &g->ledger;
    g->committed[ledger->request->view.origin[message]] += units;
    g->space -= units;
    g->lacking -= units;
    while (units > 0) {
        while (ledger->room[g->keeper] == 0 || to_receive(g, g->keeper) > 0) g->keeper++;
        int64_t here = qdri_least(units, ledger->room[g->keeper]);
        QDRI_TRY(qdri_ledger_send(ledger, message, here, g->keeper));
        units -= here;
    }
    return QDR_OK;
}

/* Data for those that have room for it is gone in the next phase; so it is parked before that for others. */
enum { TO_THOSE_WITH_ROOM, TO_ALL, PASSES };

static qdr_status park_rank(greedy *g, int rank, int pass, int paid) {
    const qdr_pattern_view *view = &g->ledger.request->view;
    for (int64_t m = view->row_start[rank]; m < view->row_start[rank + 1]; m++) {
        int to = view->destination[m];
        int64_t units = qdri_least(qdri_least(g->ledger.left[m], g->space), lack(g, rank));
        if (units > 0 && paid) units = qdri_least(units, qdri_least(spare(g, rank), spare(g, to)));
        if (units <= 0 || (pass == TO_THOSE_WITH_ROOM && lack(g, to) > 0)) continue;
        QDRI_TRY(park_units(g, m, units));
    }
    return QDR_OK;
}

static double urgency(const greedy *g, int rank) {
    switch (g->park) {
    case PARK_STARVED:
        return -(double)lack(g, rank);
    case PARK_LARGEST:
        return -(double)g->ledger.outgoing[rank];
    case PARK_RANK:
        break;
    }
    return 0;
}

static qdr_status park_all(greedy *g, int paid) {
    for (int pass = 0; pass < PASSES; pass++) {
        g->waiting.count = 0;
        for (int rank = 0; rank < g->ledger.request->view.ranks; rank++)
            if (lack(g, rank) > 0) qdri_heap_push(&g->waiting, urgency(g, rank), rank);
        while (g->waiting.count > 0 && g->space > 0)
            QDRI_TRY(park_rank(g, (int)qdri_heap_pop(&g->waiting).id, pass, paid));
    }
    return QDR_OK;
}

/* Whether to park what is not paid for, given that the next phase is the last if so and else the one after. */
static int unpaid_is_right(const greedy *g) {
    const qdri_moves_request *request = g->ledger.request;
    int64_t phase = g->ledger.phases->count + 1;
    return g->parks_all || g->ledger.total_parked + g->lacking <= request->total / 2 ||
           phase + 2 > qdri_greedy_bound(request);
}

static qdr_status park(greedy *g) {
    survey(g);
    int can_end = g->lacking <= g->space;
    if (g->lacking == 0 || g->space == 0) return QDR_OK;
    QDRI_TRY(park_all(g, 1));
    return can_end && g->lacking > 0 && unpaid_is_right(g) ? park_all(g, 0) : QDR_OK;
}

/* ---- the method ---------------------------------------------------------------------------------------- */

static qdr_status run(greedy *g) {
    qdri_ledger *ledger = &g->ledger;
    while (ledger->remaining > 0) {
        int64_t before = ledger->phases->count;
        QDRI_TRY(receive(g));
        QDRI_TRY(park(g));
        QDRI_TRY(qdri_ledger_turn(ledger));
        if (ledger->phases->count == before)
            return qdri_fail(QDR_ERR_BROKEN, "greedy moves nothing in phase %lld", (long long)before);
    }
    return QDR_OK;
}

static qdr_status build(const qdri_moves_request *request, qdri_phases *phases, const char **taken) {
    greedy g = {.first = (qdri_first)qdri_spec_integer(request->options, "first"),
                .park = (park_first)qdri_spec_integer(request->options, "park"),
                .parks_all = qdri_spec_integer(request->options, "most") == 1};
    qdri_budget *budget = request->budget;
    (void)taken;
    QDRI_TRY(qdri_ledger_open(&g.ledger, request, phases));
    g.committed = QDRI_BUDGET_ZERO_ARRAY(budget, int64_t, request->view.ranks);
    g.waiting.entry = QDRI_BUDGET_ARRAY(budget, qdri_heap_entry, request->view.ranks);
    qdr_status status = g.committed && g.waiting.entry ? run(&g) : qdri_fail_memory();
    qdri_budget_free(budget, g.committed);
    qdri_budget_free(budget, g.waiting.entry);
    qdri_ledger_close(&g.ledger);
    return status;
}

static const qdri_option options[] = {
    QDRI_FIRST_OPTION,
    {"park", QDRI_WORD, "starved", 0, 0, "starved largest rank", "which rank parks first", 0},
    {"most", QDRI_WORD, "half", 0, 0, "half all", "how much of T is parked to end a phase sooner", 0},
};

const qdri_moves_method qdri_moves_greedy = {
    .name = "greedy",
    .summary = "as robust; and ranks that lack room park data where room has no other use",
    .promise =
        "at most ceil(3T / 2M) + 1 phases, half of T parked unless that bound takes more; never refuses",
    QDRI_OPTIONS(options),
    .parks = 1,
    .build = build,
};
