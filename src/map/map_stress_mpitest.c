/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Maps at random: map_stress_mpitest EXCHANGES SEED [pieces].
 *
 * Maps of random links, directions, algorithms and transports live on two communicators, one on a node, one
 * on two (by names of processors that the library is told), and byte-level plans beside them. They come and
 * go, and get other lists. Several exchanges of each are under way; ranks start, test and wait in an order of
 * their own, so that some run ahead, on one-way patterns as far as they are let. Messages have from one byte
 * to 200 KB, so slots grow, or with `pieces` rings go round; and sometimes there is no memory for that, on one rank or another.
 *
 * What all ranks must decide alike comes from a stream of random numbers that they share, the rest from
 * streams of their own. Exchanges are started in rounds: whatever a rank waits for before it has started its
 * share of a round was started in an earlier one, by everybody.
 */
#include <stdio.h>

#include "cases.h"
#include "map/map_testing.h"
#include "mpi_check.h"
#include "mpi_content.h"
#include "mpi_pieces.h"
#include "wire/node.h"
#include "light.h"

/* Keeps the modules of MPI in the process to its end: see tests/openmpi.supp. */
int dlclose(void *handle);
int dlclose(void *handle) {
    (void)handle;
    return 0;
}

enum { RECORDS = 8, MAPS = 6, COMMS = 2, MOST_IN_FLIGHT = 4, RANKS = 16 };

static int rank, ranks;
static MPI_Comm comms[COMMS];
static qdri_random common, own;

static int one_in(qdri_random *random, int n) {
    return qdri_random_below(random, (uint64_t)n) == 0;
}

static void fine(qdr_status status, const char *what) {
    if (!status) return;
    mpi_check_failed(__FILE__, __LINE__, "%s: %s", what, qdr_error_message());
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* ---- nodes and memory ---------------------------------------------------------------------------------- */

static int two_nodes, may_refuse;
static int64_t large_block = 15000;
static int64_t refusals;

int64_t __wrap_qdri_host_digest(int own_rank, int node_ranks);
int64_t __wrap_qdri_host_digest(int own_rank, int node_ranks) {
    (void)own_rank, (void)node_ranks;
    return two_nodes ? rank % 2 : 0;
}

/* Large blocks, for slots that grow and for rings, are often refused; small ones, without which a plan has no
 * channels, rarely. */
int64_t __real_qdri_arena_take(qdri_wire *wire, int64_t bytes);
int64_t __wrap_qdri_arena_take(qdri_wire *wire, int64_t bytes);
int64_t __wrap_qdri_arena_take(qdri_wire *wire, int64_t bytes) {
    if (!may_refuse || !one_in(&own, bytes > large_block ? 3 : 300))
        return __real_qdri_arena_take(wire, bytes);
    refusals++;
    return 0;
}

/* ---- records ------------------------------------------------------------------------------------------- */

/* One exchange under way. */
typedef struct run {
    qdr_pending *exchange; /* NULL: none */
    qdr_direction direction;
    uint64_t key;
    int64_t width;
    qdr_field field;
    char *source, *target, *expected;
    int64_t bytes; /* of the target */
} run;

/* A map, or a plan of bytes. */
typedef struct record {
    qdr_map *map;
    qdr_plan *plan;
    qdr_partners *partners;
    qdr_partners_view view;
    links *all, *mask;
    link_seeds seeds;
    list_kind source, target;
    int64_t most;
    int any_size, in_flight, keeps, unordered, ways;
    int64_t started[2], number;
    run run[2][MOST_IN_FLIGHT];
} record;

static record records[RECORDS];
static int64_t made, begun, done, largest;

/* Who may have something for whom: everyone, or one way only. */
static links *draw_mask(void) {
    if (!one_in(&common, 3)) return NULL;
    links *mask = calloc(1, sizeof *mask);
    int upwards = one_in(&common, 2);
    mask->count = malloc((size_t)ranks * (size_t)ranks * sizeof(int64_t));
    for (int p = 0; p < ranks; p++)
        for (int q = 0; q < ranks; q++) mask->count[p * ranks + q] = (p < q) == upwards && p != q ? 1 : -1;
    return mask;
}

static qdr_plan_options draw_plan(void) {
    static const char *const algorithms[] = {
        NULL,           NULL,        "async",        "paced", "paced",  "distributed", "linear",
        "coloring",     "two-stage", "random-split", "bruck", "joined", "levels",      "levels:3,inside=2",
        "rails:waves=3"};
    static const char *const transports[] = {"node", "node", "node", NULL, "net"};
    static const int64_t chunks[] = {0, 0, 4096, 100000};
    qdr_plan_options options = QDR_PLAN_OPTIONS;
    options.algorithm = algorithms[qdri_random_below(&common, COUNT(algorithms))];
    options.transport = transports[qdri_random_below(&common, COUNT(transports))];
    options.chunk = chunks[qdri_random_below(&common, COUNT(chunks))];
    options.in_flight = 1 + (int)qdri_random_below(&common, MOST_IN_FLIGHT);
    options.deadline = 30;
    return options;
}

static void note_plan(record *one, const qdr_plan *plan) {
    qdr_plan_info info;
    fine(qdr_plan_look(plan, &info), "look");
    one->any_size = !strcmp(info.algorithm, "paced") || !strcmp(info.algorithm, "async") ||
                    !strcmp(info.algorithm, "distributed") || !strcmp(info.pacing, "stages");
    one->in_flight = info.in_flight;
}

static void make_map(record *one, MPI_Comm comm) {
    side out = make_whole_side(one->all, rank, 0, &own), in = make_whole_side(one->all, rank, 1, &own);
    qdr_plan_options plan = draw_plan();
    qdr_map_options options = QDR_MAP_OPTIONS;
    qdr_machine *machine = NULL;
    options.plan = &plan;
    options.reverse = one->ways == 2 ? QDR_REVERSE_COMBINE : QDR_REVERSE_NONE;
    options.unordered = one->unordered = one_in(&common, 3);
    options.keeps_incoming = one->keeps = one_in(&common, 4);
    if (one->keeps && plan.in_flight > 2) plan.in_flight = 2;
    fine(qdr_machine_create("infiniband", ranks, &machine), "machine");
    plan.machine = machine;
    switch (qdri_random_below(&common, 3)) {
    case 0:
        fine(qdr_map_create(comm, &out.indices, NULL, &options, &one->map), "create");
        break;
    case 1:
        fine(qdr_map_create(comm, NULL, &in.indices, &options, &one->map), "create");
        break;
    default:
        out.indices.partner_place = in.indices.partner_place = NULL;
        fine(qdr_map_create(comm, &out.indices, &in.indices, &options, &one->map), "create");
    }
    qdr_machine_destroy(&machine);
    free_side(&out);
    free_side(&in);
    one->view = qdr_map_look(one->map);
    note_plan(one, qdr_map_plan(one->map, QDR_FORWARD));
}

static void make_plan(record *one, MPI_Comm comm) {
    int destination[RANKS], count = 0;
    int64_t items[RANKS];
    qdr_plan_options options = draw_plan();
    options.transport = "node";
    if (options.algorithm && !strcmp(options.algorithm, "random-split")) options.algorithm = "async";
    for (int q = 0; q < ranks; q++)
        if (one->all->count[rank * ranks + q] >= 0) {
            destination[count] = q;
            items[count++] = count_of(one->all, rank, q);
        }
    fine(qdr_partners_from_sends(comm, count, destination, items, NULL, &one->partners), "partners");
    fine(qdr_plan_create(one->partners, &options, &one->plan), "plan");
    one->ways = 1;
    one->view = qdr_partners_look(one->partners);
    note_plan(one, one->plan);
}

static void make_record(record *one, int is_map) {
    *one = (record){.number = made++};
    one->seeds =
        (link_seeds){qdri_random_next(&common), qdri_random_next(&common), qdri_random_next(&common)};
    one->source = (list_kind)qdri_random_below(&common, LIST_KINDS);
    one->target = (list_kind)qdri_random_below(&common, LIST_KINDS);
    one->most = one_in(&common, 6) ? 60 : 6;
    one->ways = 1 + one_in(&common, 2);
    one->mask = draw_mask();
    one->all = open_links(ranks, one->seeds, one->most, one->source, one->target, one->mask);
    two_nodes = (int)qdri_random_below(&common, COMMS);
    (is_map ? make_map : make_plan)(one, comms[two_nodes]);
}

/* ---- what an exchange brings --------------------------------------------------------------------------- */

/* Values are words, or bytes, that rise by a step. */
static uint64_t base_of(const run *it, int owner, int64_t element) {
    return mixed(it->key, (uint64_t)owner, (uint64_t)element, 5);
}

static void write_element(const run *it, int owner, int64_t element, char *place) {
    uint64_t base = base_of(it, owner, element);
    if (it->field.type == QDR_UINT64)
        for (int64_t c = 0; c < it->width; c++) ((uint64_t *)(void *)place)[c] = base + (uint64_t)c;
    else
        for (int64_t c = 0; c < it->width; c++) place[c] = (char)(base + (uint64_t)c);
}

static int64_t element_bytes(const run *it) {
    return it->width * qdr_type_bytes(it->field.type);
}

static int64_t links_from(const record *one, const run *it, int partner, const int64_t **there,
                          const int64_t **here) {
    int forward = it->direction == QDR_FORWARD, p = forward ? partner : rank, q = forward ? rank : partner;
    *there = list_of(one->all, p, q, forward);
    *here = list_of(one->all, p, q, !forward);
    return count_of(one->all, p, q);
}

static void expect_target(const record *one, run *it) {
    int64_t bytes = element_bytes(it);
    char *value = malloc((size_t)bytes);
    for (int p = 0; p < ranks; p++) {
        const int64_t *there, *here;
        int64_t count = links_from(one, it, p, &there, &here);
        for (int64_t k = 0; k < count; k++) {
            write_element(it, p, there[k], value);
            apply_element(&it->field, it->expected + here[k] * bytes, value);
        }
    }
    free(value);
}

/* Mostly small; now and then as much as makes 200 KB of the longest list. */
static int64_t draw_width(const record *one, uint64_t word, qdr_type type) {
    int64_t size = qdr_type_bytes(type), most = 200000 / one->most / size;
    static const int64_t limits[] = {1, 1, 2, 4, 8, 8, 30, 100};
    int64_t limit = word % 64 == 0 ? most : word % 16 == 1 ? most / 20 : limits[word / 64 % COUNT(limits)];
    if (limit < 1) limit = 1;
    return 1 + (int64_t)(word / 1024 % (uint64_t)limit);
}

static void open_map_run(record *one, run *it, uint64_t word) {
    static const qdr_operation operations[] = {QDR_REPLACE, QDR_SUM, QDR_BITWISE_XOR, QDR_MAXIMUM};
    int forward = it->direction == QDR_FORWARD;
    int crowded = (forward ? one->target : one->source) == LIST_CROWDED && !one->keeps;
    int64_t from = (forward ? one->all->out_elements : one->all->in_elements)[rank];
    int64_t to = (forward ? one->all->in_elements : one->all->out_elements)[rank];
    it->field = (qdr_field){.type = word >> 40 & 1 ? QDR_BYTE : QDR_UINT64,
                            .operation = operations[(word >> 41) % 3 + (unsigned)crowded]};
    it->width = it->field.width = draw_width(one, word, it->field.type);
    int64_t bytes = element_bytes(it);
    it->bytes = to * bytes;
    it->source = malloc((size_t)(from * bytes) + 8);
    for (int64_t e = 0; e < from; e++) write_element(it, rank, e, it->source + e * bytes);
    it->field.source = it->source;
    if (one->keeps) return;
    it->target = calloc(1, (size_t)it->bytes + 8);
    it->expected = calloc(1, (size_t)it->bytes + 8);
    it->field.target = it->target;
    expect_target(one, it);
}

static void note_size(const record *one, const run *it) {
    for (int q = 0; q < ranks; q++) {
        int64_t bytes = count_of(one->all, rank, q) * (one->map ? element_bytes(it) : it->width);
        if (bytes > largest) largest = bytes;
    }
}

static void start_map_run(record *one, run *it, uint64_t word) {
    open_map_run(one, it, word);
    fine(qdr_map_start(one->map, it->direction, 1, &it->field, &it->exchange), "start");
}

/* Plans: one message after the other in the order of the partners. */
static void start_plan_run(record *one, run *it, uint64_t word) {
    int64_t room = 0, in = 0, at = 0;
    it->width = draw_width(one, word, QDR_BYTE);
    for (int i = 0; i < one->view.sends; i++) room += one->view.send_items[i] * it->width;
    for (int i = 0; i < one->view.receives; i++) in += one->view.receive_items[i] * it->width;
    it->source = malloc((size_t)room + 1);
    it->target = calloc(1, (size_t)in + 1);
    for (int i = 0; i < one->view.sends; i++) {
        int64_t bytes = one->view.send_items[i] * it->width;
        content_fill(it->source + at, bytes,
                     content_key((int64_t)it->key, 0, rank, one->view.destination[i]));
        at += bytes;
    }
    qdr_buffers buffers = {0};
    buffers.item_bytes = it->width;
    buffers.outgoing_base = it->source;
    buffers.incoming_base = it->target;
    fine(qdr_plan_start(one->plan, &buffers, &it->exchange), "plan start");
}

static void check_plan_run(const record *one, const run *it) {
    int64_t at = 0;
    for (int i = 0; i < one->view.receives; i++) {
        int64_t bytes = one->view.receive_items[i] * it->width;
        uint64_t key = content_key((int64_t)it->key, 0, one->view.source[i], rank);
        CHECK_SAYING(content_wrong(it->target + at, bytes, key) < 0, "plan %lld: wrong bytes from rank %d",
                     (long long)one->number, one->view.source[i]);
        at += bytes;
    }
}

static void check_kept_run(const record *one, const run *it) {
    int forward = it->direction == QDR_FORWARD;
    int partners = forward ? one->view.receives : one->view.sends;
    int64_t bytes = element_bytes(it);
    char *value = malloc((size_t)bytes);
    for (int i = 0; i < partners; i++) {
        const int64_t *there, *here;
        int partner = forward ? one->view.source[i] : one->view.destination[i];
        int64_t count = links_from(one, it, partner, &there, &here), wrong = 0;
        const char *kept = qdr_map_incoming(one->map, it->direction, i, 0);
        for (int64_t k = 0; k < count; k++) {
            write_element(it, partner, there[k], value);
            wrong += !kept || memcmp(kept + k * bytes, value, (size_t)bytes) != 0;
        }
        CHECK_SAYING(wrong == 0, "map %lld: %lld elements kept from rank %d are wrong",
                     (long long)one->number, (long long)wrong, partner);
    }
    free(value);
}

static void end_run(record *one, run *it) {
    if (one->plan)
        check_plan_run(one, it);
    else if (one->keeps)
        check_kept_run(one, it);
    else
        CHECK_SAYING(!memcmp(it->target, it->expected, (size_t)it->bytes),
                     "map %lld: %s of width %lld is wrong", (long long)one->number,
                     qdr_operation_name(it->field.operation), (long long)it->width);
    free(it->source);
    free(it->target);
    free(it->expected);
    it->source = it->target = it->expected = NULL;
    done++;
}

/* ---- rounds -------------------------------------------------------------------------------------------- */

static void wait_run(record *one, run *it) {
    if (!it->exchange) return;
    fine(qdr_wait(&it->exchange), "wait");
    end_run(one, it);
}

static void test_run(record *one, run *it) {
    int ended = 0;
    if (!it->exchange) return;
    fine(qdr_test(&it->exchange, &ended), "test");
    if (ended) end_run(one, it);
}

static void start_run(record *one, int way) {
    run *it = &one->run[way][one->started[way] % one->in_flight];
    wait_run(one, it);
    it->direction = (qdr_direction)way;
    it->key = mixed(9, (uint64_t)one->number, (uint64_t)way, (uint64_t)one->started[way]++);
    (one->map ? start_map_run : start_plan_run)(one, it, qdri_mix(it->key));
    note_size(one, it);
}

static void visit(void (*act)(record *, run *)) {
    record *one = &records[qdri_random_below(&own, RECORDS)];
    act(one, &one->run[qdri_random_below(&own, 2)][qdri_random_below(&own, (uint64_t)one->in_flight)]);
}

static void wait_all(record *one) {
    int order[MOST_IN_FLIGHT] = {0, 1, 2, 3};
    qdri_random_shuffle(&own, order, one->in_flight);
    for (int i = 0; i < one->in_flight; i++)
        for (int way = 0; way < 2; way++) wait_run(one, &one->run[way][order[i]]);
}

static void exchange_round(void) {
    enum { MOST = 2 * RECORDS * MOST_IN_FLIGHT };
    int start[MOST], count = 0;
    for (int r = 0; r < RECORDS; r++)
        for (int way = 0; way < records[r].ways; way++) {
            int times = (int)qdri_random_below(&common, (uint64_t)records[r].in_flight + 1);
            for (int i = 0; i < times; i++) start[count++] = 2 * r + way;
        }
    qdri_random_shuffle(&own, start, count);
    begun += count;
    for (int i = 0; i < count; i++) {
        start_run(&records[start[i] / 2], start[i] % 2);
        if (one_in(&own, 3)) visit(test_run);
    }
    int waits = (int)qdri_random_below(&own, 2 * RECORDS);
    for (int i = 0; i < waits; i++) visit(one_in(&own, 4) ? wait_run : test_run);
}

/* Other lists; where any size will do, of other lengths. */
static void relist(record *one) {
    wait_all(one);
    one->seeds.lists = qdri_random_next(&common);
    if (one_in(&common, 2) && one->any_size) one->seeds.counts = qdri_random_next(&common);
    close_links(one->all);
    one->all = open_links(ranks, one->seeds, one->most, one->source, one->target, one->mask);
    side out = make_side(one->all, rank, 0, one->view.sends, one->view.destination);
    side in = make_side(one->all, rank, 1, one->view.receives, one->view.source);
    if (one_in(&own, 2)) flatten(&out, &own);
    fine(qdr_map_relist(one->map, &out.indices, &in.indices), "relist");
    free_side(&out);
    free_side(&in);
    one->view = qdr_map_look(one->map);
}

static void end_record(record *one) {
    wait_all(one);
    fine(qdr_map_destroy(&one->map), "destroy");
    fine(qdr_plan_destroy(&one->plan), "destroy");
    qdr_partners_destroy(&one->partners);
    close_links(one->all);
    if (one->mask) free(one->mask->count);
    free(one->mask);
}

static void renew(void) {
    for (int r = 0; r < RECORDS; r++) {
        if (one_in(&common, 8)) {
            end_record(&records[r]);
            make_record(&records[r], r < MAPS);
        } else if (r < MAPS && one_in(&common, 4)) {
            relist(&records[r]);
        }
    }
}

int main(int count, char **words) {
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int64_t wanted = count > 1 ? atoll(words[1]) : 1000, seed = count > 2 ? atoll(words[2]) : 1;
    if (is_light()) wanted /= 10;
    pieces_are_small(count > 3 ? 1024 : 0);
    if (count > 3) large_block = 3000; /* a ring has more */
    common = qdri_random_seed((uint64_t)seed);
    own = qdri_random_seed(qdri_mix((uint64_t)seed) ^ (uint64_t)(rank + 1));
    for (int c = 0; c < COMMS; c++) MPI_Comm_dup(MPI_COMM_WORLD, &comms[c]);
    for (int r = 0; r < RECORDS; r++) make_record(&records[r], r < MAPS);
    may_refuse = 1;
    /* All ranks start alike, so they stop alike. */
    for (int64_t round = 0; begun < wanted; round++) {
        exchange_round();
        if (round % 4 == 3) renew();
    }
    may_refuse = 0;
    for (int r = 0; r < RECORDS; r++) end_record(&records[r]);
    for (int c = 0; c < COMMS; c++) MPI_Comm_free(&comms[c]);
    memset(records, 0, sizeof records); /* no leak hides behind a pointer here */
    CHECK_SAYING(done >= wanted, "only %lld exchanges", (long long)done);
    if (rank == 0)
        printf(
            "%lld exchanges of %lld maps and plans, messages up to %lld bytes, memory refused %lld times\n",
            (long long)done, (long long)made, (long long)largest, (long long)refusals);
    int verdict = mpi_check_verdict();
    MPI_Finalize();
    return verdict;
}
