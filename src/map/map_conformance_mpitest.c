/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Maps of every kind against what must come of them (map_testing.h): algorithms, pacing, transports, one node
 * and two, the ways in which lists are given and shaped, directions, operations, types, widths, fused fields,
 * elements of varying size, several exchanges in flight, incoming memory that is kept, other lists between
 * exchanges. Two nodes are had on one machine by telling the library other names of processors.
 *
 * map_conformance_mpitest cover [SHARE]: cases in which each two levels of each two factors meet, as far as
 * they can; SHARE: every so-manieth of them. Without arguments: the same for many seeds, and the full product
 * of algorithms, pacing, transports, nodes and directions, the other factors going round.
 */
#include "cases.h"
#include "cover.h"
#include "map/map_testing.h"
#include "mpi_check.h"
#include "mpi_pieces.h"
#include "plan/executors/table.h"

#include "map/map_factors_testing.h"

static int rank, ranks;
static MPI_Comm comms[2]; /* by NODES */

/* ---- names of processors ------------------------------------------------------------------------------- */

static int nodes_wanted;

int64_t __wrap_qdri_host_digest(int own_rank, int node_ranks);
int64_t __wrap_qdri_host_digest(int own_rank, int node_ranks) {
    (void)own_rank, (void)node_ranks;
    return nodes_wanted ? rank % 2 : 0;
}

/* ---- one exchange -------------------------------------------------------------------------------------- */

enum { MOST = 3, MOST_JOBS = 6 };

typedef struct job {
    const links *all;
    qdr_direction direction;
    uint64_t key;
    int fields, keeps;
    qdr_field field[MOST];
    values kind[MOST];
    void *source[MOST], *target[MOST], *expected[MOST];
    int64_t target_bytes[MOST];
    int64_t *source_start, *target_start;
    int64_t combined, expects_combined;
    qdr_pending *exchange;
} job;

static int64_t elements_of(const job *one, int is_source) {
    return (one->direction == QDR_FORWARD) == is_source ? one->all->out_elements[rank]
                                                        : one->all->in_elements[rank];
}

/* The links that come from `partner`: how many, which elements there, which here. */
static int64_t incoming_links(const job *one, int partner, const int64_t **there, const int64_t **here) {
    int forward = one->direction == QDR_FORWARD;
    int p = forward ? partner : rank, q = forward ? rank : partner;
    *there = list_of(one->all, p, q, forward);
    *here = list_of(one->all, p, q, !forward);
    return count_of(one->all, p, q);
}

/* Elements of varying size: that of an element in a send list is drawn; at the other end it is the same. */
static int64_t drawn_size(const job *one, int owner, int64_t element) {
    (void)one;
    return (int64_t)(mixed(77, (uint64_t)owner, (uint64_t)element, 0) % 9);
}

static int64_t *make_starts(const job *one, int is_source) {
    int64_t elements = elements_of(one, is_source);
    int is_out = (one->direction == QDR_FORWARD) == is_source;
    int64_t *start = malloc((size_t)(elements + 1) * sizeof *start);
    start[0] = 0;
    for (int64_t e = 0; e < elements; e++) start[e + 1] = is_out ? drawn_size(one, rank, e) : 2;
    for (int p = 0; p < ranks && !is_out; p++)
        for (int64_t k = 0; k < count_of(one->all, p, rank); k++)
            start[list_of(one->all, p, rank, 0)[k] + 1] =
                drawn_size(one, p, list_of(one->all, p, rank, 1)[k]);
    for (int64_t e = 0; e < elements; e++) start[e + 1] += start[e];
    return start;
}

static unsigned char varying_byte(uint64_t key, int owner, int64_t element, int64_t at) {
    return (unsigned char)mixed(key, (uint64_t)owner, (uint64_t)element, (uint64_t)at);
}

static void open_varying(job *one, int f) {
    one->source_start = make_starts(one, 1);
    one->target_start = make_starts(one, 0);
    int64_t from = elements_of(one, 1), to = elements_of(one, 0);
    unsigned char *source = malloc((size_t)one->source_start[from] + 1);
    for (int64_t e = 0; e < from; e++)
        for (int64_t at = one->source_start[e]; at < one->source_start[e + 1]; at++)
            source[at] = varying_byte(one->key, rank, e, at - one->source_start[e]);
    one->source[f] = source;
    one->target_bytes[f] = one->target_start[to];
    one->target[f] = calloc(1, (size_t)one->target_bytes[f] + 1);
    unsigned char *expected = one->expected[f] = calloc(1, (size_t)one->target_bytes[f] + 1);
    for (int p = 0; p < ranks; p++) {
        const int64_t *there, *here;
        int64_t count = incoming_links(one, p, &there, &here);
        for (int64_t k = 0; k < count; k++)
            for (int64_t at = one->target_start[here[k]]; at < one->target_start[here[k] + 1]; at++)
                expected[at] = varying_byte(one->key, p, there[k], at - one->target_start[here[k]]);
    }
    one->field[f] = (qdr_field){.source = one->source[f],
                                .target = one->keeps ? NULL : one->target[f],
                                .type = QDR_BYTE,
                                .source_start = one->source_start,
                                .target_start = one->target_start};
}

/* The order of links inside a message: by rising place in the forward target, where the library chose it. */
static int links_are_sorted;
static int64_t *order_of(const job *one, int64_t count, const int64_t *there, const int64_t *here) {
    const int64_t *place = one->direction == QDR_FORWARD ? here : there;
    int64_t *order = malloc((size_t)(count + 1) * sizeof *order);
    for (int64_t k = 0; k < count; k++) {
        int64_t at = k;
        for (; links_are_sorted && at > 0 && place[order[at - 1]] > place[k]; at--) order[at] = order[at - 1];
        order[at] = k;
    }
    return order;
}

/* What the sequential program leaves in the target. */
static void expect_field(job *one, int f) {
    const values *kind = &one->kind[f];
    int64_t bytes = qdr_type_bytes(kind->type) * kind->width;
    char *value = malloc((size_t)bytes), *expected = one->expected[f];
    qdr_field counted = one->field[f];
    counted.context = &one->expects_combined;
    for (int p = 0; p < ranks; p++) {
        const int64_t *there, *here;
        int64_t count = incoming_links(one, p, &there, &here);
        int64_t *order = order_of(one, count, there, here);
        for (int64_t i = 0; i < count; i++) {
            fill_element(kind, p, there[order[i]], value);
            apply_element(&counted, expected + here[order[i]] * bytes, value);
        }
        free(order);
    }
    free(value);
}

static void open_field(job *one, int f, qdr_type type, int64_t width, qdr_operation operation, int ordered) {
    int64_t bytes = qdr_type_bytes(type) * width, from = elements_of(one, 1), to = elements_of(one, 0);
    one->kind[f] = (values){type, width, one->key + (uint64_t)f, operation == QDR_PRODUCT, ordered};
    values initial = one->kind[f];
    initial.key ^= UINT64_C(1) << 40;
    one->target_bytes[f] = to * bytes;
    one->source[f] = malloc((size_t)(from * bytes) + 1);
    one->target[f] = malloc((size_t)(to * bytes) + 1);
    one->expected[f] = malloc((size_t)(to * bytes) + 1);
    fill_array(&one->kind[f], rank, from, one->source[f]);
    fill_array(&initial, rank, to, one->target[f]);
    memcpy(one->expected[f], one->target[f], (size_t)(to * bytes));
    one->field[f] = (qdr_field){.source = one->source[f],
                                .target = one->keeps ? NULL : one->target[f],
                                .type = type,
                                .width = width,
                                .operation = operation,
                                .combine = ordered ? combine_in_order : combine_any_order,
                                .context = &one->combined};
    if (!one->keeps) expect_field(one, f);
}

/* Another operation that may be used there. */
static qdr_operation allowed(int operation, qdr_type type, int may_replace) {
    while (!qdr_operation_suits((qdr_operation)(operation % (QDR_COMBINE + 1)), type) ||
           (!may_replace && operation % (QDR_COMBINE + 1) == QDR_REPLACE))
        operation++;
    return (qdr_operation)(operation % (QDR_COMBINE + 1));
}

static void open_job(job *one, const int *level, const links *all, qdr_direction direction, uint64_t key,
                     int varies) {
    *one = (job){.all = all, .direction = direction, .key = key, .keeps = level[KEEPS]};
    int crowded = level[direction == QDR_FORWARD ? TARGET_LISTS : SOURCE_LISTS] == LIST_CROWDED;
    int may_replace = !crowded || level[KEEPS] || (direction == QDR_FORWARD && !level[UNORDERED]);
    qdr_type type = (qdr_type)(level[TYPE] + QDR_BYTE),
             other = (qdr_type)((level[TYPE] + 5) % levels[TYPE] + QDR_BYTE);
    int ordered = !level[UNORDERED];
    one->fields = level[FIELDS] == FIELDS_ONE ? 1 : 3;
    open_field(one, 0, type, sizes[level[WIDTH]].width, allowed(level[OPERATION], type, may_replace),
               ordered);
    if (one->fields == 1) return;
    open_field(one, 1, other, 1, allowed(level[OPERATION] + 3, other, may_replace), ordered);
    if (varies)
        open_varying(one, 2);
    else
        open_field(one, 2, QDR_INT16, 3, allowed(level[OPERATION] + 7, QDR_INT16, may_replace), ordered);
}

static void close_job(job *one) {
    for (int f = 0; f < one->fields; f++) {
        free(one->source[f]);
        free(one->target[f]);
        free(one->expected[f]);
    }
    free(one->source_start);
    free(one->target_start);
}

static void check_job(const job *one, const char *what) {
    for (int f = 0; f < one->fields; f++) {
        /* Whole numbers may be added in any order, but a zero may have either sign. */
        int64_t wrong = first_difference(one->field[f].type, one->target[f], one->expected[f],
                                         one->target_bytes[f], !one->kind[f].is_real);
        CHECK_SAYING(wrong < 0, "%s: %s, field %d (%s of %s, width %lld): value %lld is wrong", what,
                     one->direction ? "reverse" : "forward", f, qdr_operation_name(one->field[f].operation),
                     qdr_type_name(one->field[f].type), (long long)one->field[f].width, (long long)wrong);
    }
    CHECK_SAYING(one->combined == one->expects_combined, "%s: %lld elements were combined, not %lld", what,
                 (long long)one->combined, (long long)one->expects_combined);
}

/* What was kept of one partner: its elements one after the other. */
static void check_kept_field(const qdr_map *map, const job *one, int place, int partner, int f,
                             const char *what) {
    const int64_t *there, *here;
    int64_t count = incoming_links(one, partner, &there, &here);
    int64_t bytes = qdr_type_bytes(one->field[f].type) * one->field[f].width, at = 0;
    const unsigned char *kept = qdr_map_incoming(map, one->direction, place, f);
    if (count == 0) return;
    CHECK_SAYING(kept != NULL, "%s: nothing was kept from rank %d", what, partner);
    if (!kept) return;
    int64_t alignment = qdr_type_bytes(one->field[f].type) / type_parts(one->field[f].type);
    CHECK_SAYING((uintptr_t)kept % (uintptr_t)alignment == 0, "%s: what was kept of field %d is misaligned",
                 what, f);
    char *value = malloc((size_t)bytes + 64);
    for (int64_t k = 0; k < count; k++) {
        int64_t length = bytes;
        if (bytes > 0) {
            fill_element(&one->kind[f], partner, there[k], value);
        } else {
            length = one->target_start[here[k] + 1] - one->target_start[here[k]];
            for (int64_t i = 0; i < length; i++)
                value[i] = (char)varying_byte(one->key, partner, there[k], i);
        }
        int same = !memcmp(kept + at, value, (size_t)length);
        CHECK_SAYING(same, "%s: element %lld of field %d kept from rank %d is wrong", what, (long long)k, f,
                     partner);
        at += length;
    }
    free(value);
}

static void check_kept(const qdr_map *map, const job *one, const char *what) {
    qdr_partners_view view = qdr_map_look(map);
    int partners = one->direction == QDR_FORWARD ? view.receives : view.sends;
    const int *partner = one->direction == QDR_FORWARD ? view.source : view.destination;
    for (int i = 0; i < partners; i++)
        for (int f = 0; f < one->fields; f++) check_kept_field(map, one, i, partner[i], f, what);
}

/* ---- running ------------------------------------------------------------------------------------------- */

static void fine(qdr_status status, const char *what, const char *call) {
    if (!status) return;
    mpi_check_failed(__FILE__, __LINE__, "%s: %s: %s", what, call, qdr_error_message());
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* As many as may be, of both directions; started and waited for in this rank's own order. */
static void run_together(qdr_map *map, const int *level, const links *all, uint64_t key, int varies,
                         const char *what) {
    job one[MOST_JOBS];
    int count = 0, order[MOST_JOBS], in_flight = level[IN_FLIGHT] + 1;
    qdri_random own = qdri_random_seed(key + (uint64_t)rank);
    for (int d = 0; d < (level[REVERSE] ? 2 : 1); d++)
        for (int i = 0; i < in_flight; i++, count++)
            open_job(&one[count], level, all, (qdr_direction)d, qdri_mix(key + (uint64_t)count), varies);
    for (int i = 0; i < count; i++) {
        fine(qdr_map_start(map, one[i].direction, one[i].fields, one[i].field, &one[i].exchange), what,
             "start");
        order[i] = i;
    }
    qdri_random_shuffle(&own, order, count);
    for (int i = 0; i < count; i++) {
        job *waited = &one[order[i]];
        int done = 0;
        if (qdri_random_below(&own, 2)) fine(qdr_test(&waited->exchange, &done), what, "test");
        if (!done) fine(qdr_wait(&waited->exchange), what, "wait");
        check_job(waited, what);
    }
    for (int i = 0; i < count; i++) close_job(&one[i]);
}

/* One after the other: what came stays where it is while the next exchange is under way. */
static void run_keeping(qdr_map *map, const int *level, const links *all, uint64_t key, int varies,
                        const char *what) {
    for (int d = 0; d < (level[REVERSE] ? 2 : 1); d++) {
        job last = {.fields = 0};
        for (int i = 0; i < 4; i++) {
            job one;
            open_job(&one, level, all, (qdr_direction)d, qdri_mix(key + (uint64_t)(d * 4 + i)), varies);
            fine(qdr_map_start(map, one.direction, one.fields, one.field, &one.exchange), what, "start");
            if (i > 0) check_kept(map, &last, what);
            fine(qdr_wait(&one.exchange), what, "wait");
            check_kept(map, &one, what);
            close_job(&last);
            last = one;
        }
        close_job(&last);
    }
}

/* ---- making -------------------------------------------------------------------------------------------- */

static int is_flat(const int *level) {
    return level[FLAT] == FLAT_ALL || (level[FLAT] == FLAT_SOME && rank % 2);
}

static qdr_map *make_map(const int *level, const links *all, uint64_t seed, const char *what) {
    qdri_random own = qdri_random_seed(seed + (uint64_t)rank);
    side out = make_whole_side(all, rank, 0, &own), in = make_whole_side(all, rank, 1, &own);
    if (is_flat(level)) {
        flatten(&out, &own);
        flatten(&in, &own);
    }
    const pace *way = &paces[level[PACE]];
    qdr_plan_options plan = QDR_PLAN_OPTIONS;
    qdr_map_options options = QDR_MAP_OPTIONS;
    qdr_machine *machine = NULL;
    qdr_map *map = NULL;
    fine(qdr_machine_create("infiniband", ranks, &machine), what, "machine");
    plan.algorithm = algorithm_at(level[ALGORITHM]);
    plan.machine = machine;
    plan.pacing = way->pacing;
    plan.chunk = way->chunk;
    plan.window = way->window;
    plan.barrier = way->barrier;
    plan.transport = transports[level[TRANSPORT]];
    plan.in_flight = level[IN_FLIGHT] + 1;
    options.plan = &plan;
    options.discovery = methods[level[DISCOVERY]];
    options.reverse = (qdr_reverse)level[REVERSE];
    options.unordered = level[UNORDERED];
    options.keeps_incoming = level[KEEPS];
    options.trusted = level[GIVEN] == GIVEN_TRUSTED;
    int both = level[GIVEN] == GIVEN_BOTH || level[GIVEN] == GIVEN_TRUSTED;
    if (both || level[GIVEN] == GIVEN_SENDS_ALONE) out.indices.partner_place = NULL;
    if (both) in.indices.partner_place = NULL;
    nodes_wanted = level[NODES];
    fine(qdr_map_create(comms[level[NODES]], level[GIVEN] == GIVEN_RECEIVES ? NULL : &out.indices,
                        both || level[GIVEN] == GIVEN_RECEIVES ? &in.indices : NULL, &options, &map),
         what, "create");
    qdr_machine_destroy(&machine);
    free_side(&out);
    free_side(&in);
    return map;
}

/* The schedules are those of the pattern and of the transposed, without what stays on a node. */
static void check_schedule(const qdr_map *map, const int *level, const links *all, qdr_direction direction,
                           const char *what) {
    const qdr_plan *plan = qdr_map_plan(map, direction);
    const qdr_schedule *schedule = qdr_plan_schedule(plan);
    qdr_plan_info info;
    const qdr_algorithm_info *algorithm = NULL;
    fine(qdr_plan_look(plan, &info), what, "look");
    fine(qdr_algorithm_find(info.algorithm, &algorithm), what, "algorithm");
    CHECK((schedule == NULL) == (algorithm->at_run_time || !strcmp(info.pacing, "stages")));
    if (!schedule || algorithm->knowledge != QDR_KNOWS_MATRIX) return;
    CHECK_SAYING(qdr_schedule_check(schedule) == QDR_OK, "%s: %s", what, qdr_error_message());
    int has_nodes = !strcmp(info.transport, "node");
    qdr_pattern_view view = qdr_pattern_look(qdr_schedule_pattern(schedule));
    int64_t messages = 0;
    for (int p = 0; p < ranks; p++)
        for (int q = 0; q < ranks; q++) {
            int64_t items = direction == QDR_FORWARD ? count_of(all, p, q) : count_of(all, q, p), found = 0;
            int is_near = has_nodes && (!level[NODES] || p % 2 == q % 2);
            if (p == q || items == 0 || is_near) continue;
            for (int64_t m = view.row_start[p]; m < view.row_start[p + 1]; m++)
                if (view.destination[m] == q) found = view.items[m];
            CHECK_SAYING(found == items, "%s: the schedule has %lld items from %d to %d, not %lld", what,
                         (long long)found, p, q, (long long)items);
            messages++;
        }
    CHECK_SAYING(view.messages == messages, "%s: the schedule has %lld messages, not %lld", what,
                 (long long)view.messages, (long long)messages);
}

/* ---- one case ------------------------------------------------------------------------------------------ */

static links *relisted(qdr_map *map, const int *level, const links *before, link_seeds seed,
                       const char *what) {
    qdr_partners_view view = qdr_map_look(map);
    links *all = open_links(ranks, seed, sizes[level[WIDTH]].most, (list_kind)level[SOURCE_LISTS],
                            (list_kind)level[TARGET_LISTS],
                            level[FLAT] == FLAT_NONE ? NULL : before); /* flat lists know no empty partners */
    side out = make_side(all, rank, 0, view.sends, view.destination);
    side in = make_side(all, rank, 1, view.receives, view.source);
    /* A side that stays as it is need not be given, if its order is known: where one rank states both ends,
     * it may not be. */
    int same = level[SOURCE_LISTS] == LIST_CONTIGUOUS && level[RELIST] == RELIST_SAME &&
               level[GIVEN] != GIVEN_RECEIVES && level[GIVEN] != GIVEN_SENDS;
    qdri_random own = qdri_random_seed(seed.lists + (uint64_t)rank);
    if (is_flat(level)) {
        flatten(&out, &own);
        flatten(&in, &own);
    }
    fine(qdr_map_relist(map, same ? NULL : &out.indices, &in.indices), what, "relist");
    free_side(&out);
    free_side(&in);
    return all;
}

static void describe(const int *level, uint64_t seed, char *what, size_t room) {
    const char *algorithm = algorithm_at(level[ALGORITHM]);
    const pace *way = &paces[level[PACE]];
    int used = snprintf(
        what, room, "%s, %s %lld %lld %d, %s, seed %llu, levels", algorithm ? algorithm : "default",
        way->pacing ? way->pacing : "default", (long long)way->chunk, (long long)way->window, way->barrier,
        transports[level[TRANSPORT]] ? transports[level[TRANSPORT]] : "default", (unsigned long long)seed);
    for (int f = 0; f < FACTORS; f++) used += snprintf(what + used, room - (size_t)used, " %d", level[f]);
}

static void run_case(const int *level, uint64_t seed) {
    char what[400];
    describe(level, seed, what, sizeof what);
    link_seeds seeds = {qdri_mix(seed), qdri_mix(seed + 1), qdri_mix(seed + 2)};
    links *all = open_links(ranks, seeds, sizes[level[WIDTH]].most, (list_kind)level[SOURCE_LISTS],
                            (list_kind)level[TARGET_LISTS], NULL);
    qdr_map *map = make_map(level, all, seed, what);
    qdr_plan_info info;
    fine(qdr_plan_look(qdr_map_plan(map, QDR_FORWARD), &info), what, "look");
    CHECK_SAYING((qdr_map_plan(map, QDR_REVERSE) != NULL) == (level[REVERSE] != 0), "%s", what);
    for (int d = 0; d < (level[REVERSE] ? 2 : 1); d++)
        check_schedule(map, level, all, (qdr_direction)d, what);
    int varies = level[FIELDS] == FIELDS_VARYING && any_size(info.algorithm, info.pacing);
    links_are_sorted = !level[KEEPS] && (level[GIVEN] == GIVEN_RECEIVES || level[GIVEN] == GIVEN_SENDS);
    for (int round = 0; round < 2; round++) {
        (level[KEEPS] ? run_keeping : run_together)(map, level, all, mixed(seed, 9, (uint64_t)round, 0),
                                                    varies, what);
        if (round == 1 || level[RELIST] == RELIST_NONE) continue;
        seeds.lists = qdri_mix(seed + 3);
        if (level[RELIST] == RELIST_COUNTS && any_size(info.algorithm, info.pacing))
            seeds.counts = qdri_mix(seed + 4);
        links *other = relisted(map, level, all, seeds, what);
        close_links(all);
        all = other, links_are_sorted = 0;
    }
    fine(qdr_map_destroy(&map), what, "destroy");
    close_links(all);
}

/* ---- the cover ----------------------------------------------------------------------------------------- */

static int run_cover(uint64_t seed, int share) {
    cover all = cover_open(FACTORS, levels, settle, seed);
    int level[FACTORS], cases = 0, run = 0;
    for (; cover_next(&all, level); cases++) {
        if ((cases + ranks) % share) continue;
        run_case(level, seed + (uint64_t)cases);
        run++;
    }
    cover_close(&all);
    return run;
}

static int run_product(uint64_t seed) {
    int cases = 0, level[FACTORS];
    qdri_random random = qdri_random_seed(seed);
    for (int a = 0; a < levels[ALGORITHM]; a++)
        for (int p = 0; p < levels[PACE]; p++)
            for (int t = 0; t < levels[TRANSPORT]; t++)
                for (int n = 0; n < levels[NODES]; n++)
                    for (int r = 0; r < levels[REVERSE]; r++) {
                        for (int i = 0; i < FACTORS; i++)
                            level[i] = (int)qdri_random_below(&random, (uint64_t)levels[i]);
                        level[ALGORITHM] = a, level[PACE] = p, level[TRANSPORT] = t, level[NODES] = n;
                        level[REVERSE] = r;
                        settle(level);
                        run_case(level, seed + (uint64_t)cases++);
                    }
    return cases;
}

int main(int count, char **words) {
    int level, cases = 0;
    MPI_Init_thread(&count, &words, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    pieces_are_small(ranks % 2 ? 128 : 0);
    for (int i = 0; i < COUNT(comms); i++) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    int covers = count > 1 && !strcmp(words[1], "cover");
    if (covers) cases = run_cover(1000 * (uint64_t)ranks, count > 2 ? atoi(words[2]) : 1);
    for (uint64_t seed = 1; !covers && seed <= 5; seed++) cases += run_cover(1000000 * seed, 1);
    if (!covers) cases += run_product(9);
    for (int i = 0; i < COUNT(comms); i++) MPI_Comm_free(&comms[i]);
    if (rank == 0) printf("%d cases\n", cases);
    int verdict = mpi_check_verdict() || cases == 0;
    MPI_Finalize();
    return verdict;
}
