/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * two-stage: every message is spread over all ranks, which send the parts on (the transportation paper,
 * sections 7 and 8). Two exchanges of nearly equal sizes replace one of wildly different sizes; the cost is
 * about (r + c) mu instead of what the unluckiest order of the direct exchange makes of max(r, c) mu.
 *
 *     scheme=source        stage 1 sends at most ceil(r / p), stage 2 at most c / p + p   (good when c >= r)
 *     scheme=destination   stage 2 sends at most ceil(c / p), stage 1 at most r / p + p   (good when r > c)
 *     tight                one scan or sum-combine more, and intermediaries hold at most ceil(all / p); by
 *                          default when the machine's scan costs less than the items it saves
 *     diagonal             what a rank has for itself is spread, too: the papers' matrices have it (figure 9)
 *     shuffle              the appendix: a source's intermediaries are permuted at random among those that
 *                          get equally much, so that extra items of one destination do not pile up; stage 2
 *                          then sends about t / p + sqrt(p / 6) sqrt(2 ln p)
 *
 * Each stage runs in the order of pairwise exchange. Up to n^3 pieces: none is stored. A part is a formula of
 * its message's start (spreading.h), and only parts that exist appear. A row costs O(messages), or O(ranks)
 * for each message of its own.
 *
 * A plan makes no such row. A source cuts its own messages, once it knows their starts, and an intermediary sends on
 * what has come to it (handing.h).
 *
 * The paper also mentions an algorithm based on sorting, O(t) for all t >= p. It moves the data 9 to 12 times
 * instead of twice and sorts nine times locally; the paper calls it impractical, and so it is not built.
 */
#include "schedule/algorithm.h"

#include <stdlib.h>

#include "schedule/algorithms/pairing.h"
#include "schedule/algorithms/spreading.h"

typedef struct two_stage {
    int32_t *start; /* [messages] */
    qdri_cutting cutting;
} two_stage;

/* ---- which intermediary -------------------------------------------------------------------------------- */

/* What the messages of a source come to, and where its extra items begin. */
typedef struct outlay {
    int source, ranks;
    int64_t total;
    int32_t first;
} outlay;

static outlay outlay_of(int source, int ranks, int64_t count, const int64_t *items, const int32_t *start) {
    outlay sum = {.source = source, .ranks = ranks};
    for (int64_t i = 0; i < count; i++) {
        if (sum.total == 0 && items[i] > 0) sum.first = start[i];
        sum.total += items[i];
    }
    return sum;
}

/* place[k]: the part of the source that intermediary k gets. Parts are shuffled inside the group of those that
 * are one item longer and the group of the others. `group` has room for twice as many. */
static void shuffle_parts(const qdri_cutting *cutting, outlay sum, int *place, int *group) {
    int ranks = sum.ranks, extra = (int)(sum.total % ranks);
    for (int k = 0; k < ranks; k++) place[k] = group[k] = (int)(((int64_t)sum.first + k) % ranks);
    qdri_random random = qdri_random_seed(qdri_mix(cutting->seed) + (uint64_t)sum.source);
    qdri_random_shuffle(&random, group, extra);
    qdri_random_shuffle(&random, group + extra, ranks - extra);
    /* group[] is a permutation of place[]: part place[k] goes to intermediary group[k]. Turn it round. */
    int *inverse = group + ranks;
    for (int k = 0; k < ranks; k++) inverse[group[k]] = place[k];
    for (int k = 0; k < ranks; k++) place[k] = inverse[k];
}

/* The same for either way of cutting; work[] has room for three times the ranks. */
static void place_parts(const qdri_cutting *cutting, outlay sum, int *work) {
    if (cutting->shuffled)
        shuffle_parts(cutting, sum, work, work + sum.ranks);
    else
        for (int k = 0; k < sum.ranks; k++) work[k] = k;
}

static outlay outlay_in(const two_stage *state, const qdr_pattern_view *view, int source) {
    int64_t first = view->row_start[source], count = view->row_start[source + 1] - first;
    return outlay_of(source, view->ranks, count, view->items + first, state->start + first);
}

/* The part of every source that intermediary k gets, which[source]; without the shuffle it is k itself. */
static int *parts_of(const two_stage *state, const qdr_pattern_view *view, int intermediary,
                     qdr_row_reader *reader) {
    int ranks = view->ranks;
    int *which = qdri_row_scratch(reader, 0, ranks, sizeof *which);
    int *work = qdri_row_scratch(reader, 1, 3 * (int64_t)ranks, sizeof *work);
    if (!which || !work) return NULL;
    for (int64_t m = 0; m < view->messages; m = view->row_start[view->origin[m] + 1]) {
        int source = view->origin[m];
        which[source] = intermediary;
        if (!state->cutting.shuffled) continue;
        place_parts(&state->cutting, outlay_in(state, view, source), work);
        which[source] = work[intermediary];
    }
    return which;
}

/* The part of one source that every intermediary gets. */
static int *parts_from(const two_stage *state, const qdr_pattern_view *view, int source,
                       qdr_row_reader *reader) {
    int *work = qdri_row_scratch(reader, 1, 3 * (int64_t)view->ranks, sizeof *work);
    if (work) place_parts(&state->cutting, outlay_in(state, view, source), work);
    return work;
}

static void add_part(const two_stage *state, const qdr_pattern_view *view, int64_t m, int part,
                     qdr_row_reader *reader) {
    if (!qdri_part_exists(view->ranks, view->items[m], state->start[m], part)) return;
    qdri_row_piece(reader, view->origin[m], view->destination[m],
                   qdri_part_offset(view->ranks, view->items[m], state->start[m], part),
                   qdri_part_length(view->ranks, view->items[m], state->start[m], part));
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

/* Stage 1, from source to intermediary: a part of each of the source's messages. */
static void add_first(const two_stage *state, const qdr_pattern_view *view, int source, int part,
                      qdr_row_reader *reader) {
    for (int64_t m = view->row_start[source]; m < view->row_start[source + 1]; m++)
        add_part(state, view, m, part, reader);
}

static void send_first(const two_stage *state, const qdr_pattern_view *view, int rank,
                       qdr_row_reader *reader) {
    if (view->row_start[rank] == view->row_start[rank + 1]) return;
    const int *part = parts_from(state, view, rank, reader);
    for (int k = 0; part && k < view->ranks; k++) {
        if (k == rank) continue;
        qdri_row_send(reader, qdri_meeting(view->ranks, rank, k), k);
        add_first(state, view, rank, part[k], reader);
    }
}

/* Sources without messages are passed over: from one message to the next row that has one. */
static void receive_first(const two_stage *state, const qdr_pattern_view *view, int rank,
                          qdr_row_reader *reader) {
    const int *part = parts_of(state, view, rank, reader);
    for (int64_t m = 0; part && m < view->messages; m = view->row_start[view->origin[m] + 1]) {
        int source = view->origin[m];
        if (source == rank) continue;
        qdri_row_receive(reader, qdri_meeting(view->ranks, rank, source), source);
        add_first(state, view, source, part[source], reader);
    }
}

/* Stage 2, from intermediary to destination: its part of each of the destination's messages. */
static void send_second(const two_stage *state, const qdr_pattern_view *view, int rank,
                        qdr_row_reader *reader) {
    const int *part = parts_of(state, view, rank, reader);
    for (int64_t c = 0, next; part && c < view->messages; c = next) {
        int to = view->destination[view->column_message[c]];
        next = view->column_start[to + 1];
        if (to == rank) continue;
        qdri_row_send(reader, qdri_meeting(view->ranks, rank, to), to);
        for (; c < next; c++) {
            int64_t m = view->column_message[c];
            add_part(state, view, m, part[view->origin[m]], reader);
        }
    }
}

/* The table part[source in column][intermediary] is made once; then each intermediary reads its column of it.
 */
static void receive_second(const two_stage *state, const qdr_pattern_view *view, int rank,
                           qdr_row_reader *reader) {
    int64_t first = view->column_start[rank], sources = view->column_start[rank + 1] - first;
    int *table = NULL;
    if (sources == 0) return;
    if (state->cutting.shuffled) {
        table = qdri_row_scratch(reader, 2, sources * view->ranks, sizeof *table);
        for (int64_t s = 0; table && s < sources; s++) {
            const int *part = parts_from(state, view, view->origin[view->column_message[first + s]], reader);
            for (int k = 0; part && k < view->ranks; k++) table[s * view->ranks + k] = part[k];
        }
        if (!table) return;
    }
    for (int k = 0; k < view->ranks; k++) {
        if (k == rank) continue;
        qdri_row_receive(reader, qdri_meeting(view->ranks, rank, k), k);
        for (int64_t s = 0; s < sources; s++)
            add_part(state, view, view->column_message[first + s], table ? table[s * view->ranks + k] : k,
                     reader);
    }
}

static qdr_status read_row(const qdr_schedule *schedule, int rank, int stage, qdr_row_reader *reader) {
    const two_stage *state = schedule->state;
    qdr_pattern_view view = qdr_pattern_look(schedule->pattern);
    if (reader->wants & QDRI_WANT_SENDS) (stage == 0 ? send_first : send_second)(state, &view, rank, reader);
    if (reader->wants & QDRI_WANT_RECEIVES)
        (stage == 0 ? receive_first : receive_second)(state, &view, rank, reader);
    return QDR_OK;
}

static void release(void *state) {
    if (state) free(((two_stage *)state)->start);
    free(state);
}

static const qdri_rows rows = {read_row, release};

/* ---- building ------------------------------------------------------------------------------------------ */

static const qdri_option options[] = {
    {"scheme", QDRI_WORD, "auto", 0, 0, "auto source destination",
     "which splitting: auto takes source unless r > c", 0},
    {"tight", QDRI_WORD, "auto", 0, 0, "auto yes no", "a scan or combine to even out the intermediaries", 0},
    {"shuffle", QDRI_FLAG, "no", 0, 0, NULL, "permute the intermediaries at random (scheme=source)", 0},
    {"diagonal", QDRI_FLAG, "no", 0, 0, NULL, "spread what a rank has for itself, too, as the paper does", 0},
    QDRI_SEED_OPTION,
    QDRI_PACE_OPTIONS,
};

static int stages_of(int ranks) {
    (void)ranks;
    return 2;
}

/* Without the extra step an intermediary may hold up to one item too many from each other rank. The scan
 * moves one number, the papers' combine a vector of one per rank. */
static int scan_pays(const qdr_machine *machine, int ranks, qdri_spreading scheme) {
    if (!machine) return 1;
    const qdr_machine_parameters *parameters = qdr_machine_look(machine);
    double step = scheme == QDRI_SPREAD_BY_SOURCE ? parameters->scan : parameters->combine * ranks;
    return step < parameters->mu * (ranks - 1);
}

static qdr_status settle(const qdri_spec *spec, const qdr_machine *machine, int ranks, int64_t out,
                         int64_t in, qdri_cutting *cutting) {
    int shuffled = qdri_spec_flag(spec, "shuffle");
    int by_destination = qdri_spec_is(spec, "scheme", "destination") ||
                         (qdri_spec_is(spec, "scheme", "auto") && !shuffled && out > in);
    if (shuffled && by_destination)
        return qdri_spec_fail(spec, QDR_ERR_SYNTAX,
                              "shuffle needs scheme=source: it would undo the other scheme's bound");
    qdri_spreading scheme = by_destination ? QDRI_SPREAD_BY_DESTINATION : QDRI_SPREAD_BY_SOURCE;
    *cutting =
        (qdri_cutting){.scheme = scheme,
                       .tight = qdri_spec_is(spec, "tight", "auto") ? scan_pays(machine, ranks, scheme)
                                                                    : qdri_spec_is(spec, "tight", "yes"),
                       .shuffled = shuffled,
                       .diagonal = qdri_spec_flag(spec, "diagonal"),
                       .seed = (uint64_t)qdri_spec_integer(spec, "seed")};
    return QDR_OK;
}

static qdr_status build(const qdri_request *request, qdr_schedule *schedule) {
    qdr_pattern_statistics statistics;
    qdri_cutting cutting;
    if (qdri_spec_flag(request->options, "diagonal")) QDRI_TRY(qdri_schedule_move_diagonal(schedule));
    qdr_pattern_view own = qdr_pattern_look(schedule->pattern), *view = &own;
    qdr_pattern_measure(schedule->pattern, &statistics);
    QDRI_TRY(settle(request->options, request->machine, view->ranks, statistics.out_traffic,
                    statistics.in_traffic, &cutting));
    two_stage *state = QDRI_ZERO_ARRAY(two_stage, 1);
    if (!state) return qdri_fail_memory();
    schedule->stages = stages_of(view->ranks);
    schedule->rows = &rows;
    schedule->state = state;
    state->cutting = cutting;
    state->start = QDRI_ARRAY(int32_t, view->messages);
    if (!state->start || !qdri_spread(view->ranks, view->messages, view->origin, view->destination,
                                      view->items, cutting.scheme, cutting.tight, state->start))
        return qdri_fail_memory();
    return QDR_OK;
}

/* ---- handing on ---------------------------------------------------------------------------------------- */

/* What was cut goes to where it is wanted. */
static int next_of(int ranks, int stage, int at, int destination) {
    (void)ranks;
    return stage == 0 ? at : destination;
}

static int64_t phase_of(int ranks, int stage, int from, int to) {
    (void)stage;
    return qdri_meeting(ranks, from, to);
}

static qdr_status cut(const qdri_cutting *cutting, const qdri_own_messages *own, qdri_put_part *put,
                      void *context) {
    int *work = QDRI_ARRAY(int, 3 * (int64_t)own->ranks), good = work != NULL;
    if (work)
        place_parts(cutting, outlay_of(own->rank, own->ranks, own->messages, own->items, own->start), work);
    for (int k = 0; good && k < own->ranks; k++)
        for (int64_t m = 0; good && m < own->messages; m++) {
            int64_t length = qdri_part_length(own->ranks, own->items[m], own->start[m], work[k]);
            if (length > 0)
                good = put(context, m, qdri_part_offset(own->ranks, own->items[m], own->start[m], work[k]),
                           length, k);
        }
    free(work);
    return good ? QDR_OK : qdri_fail_memory();
}

static const qdri_handing handing = {
    .stages = stages_of, .next = next_of, .phase = phase_of, .settle = settle, .cut = cut};

const qdri_algorithm qdri_algorithm_two_stage = {
    .name = "two-stage",
    .aliases = "Transportation",
    .summary = "spread evenly over all ranks, then send on: sizes stop mattering",
    .source = "Transportation 7, 8, appendix",
    .knowledge = QDR_KNOWS_ROW_AND_COLUMN,
    .promises = QDR_PROMISES_PERMUTATION | QDR_PROMISES_PAIRS,
    .staged = 1,
    .handing = &handing,
    QDRI_OPTIONS(options),
    .build = build,
};
