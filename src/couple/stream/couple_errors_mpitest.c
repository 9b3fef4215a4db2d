/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Everything that can be done wrong in opening streams: each mistake is a status and a sentence, the same on all ranks
 * of both programs, whoever made it, and the coupling goes on as if nothing had happened. (couple_errors_use_mpitest.c:
 * in using programs, couplings and streams.)
 *
 *     couple_errors_mpitest [tcp DIRECTORY [NAME]]
 *
 * Without a name, ranks are those of two programs in turn; with one (ocean or atmos), all are of that program, and the
 * other was launched by itself. Then nobody can compare sentences but those who read what is printed.
 */
#include "mpi_check.h"

#include "couple/stream/couple_pair_testing.h"

/* ---- what a stream is opened with ---------------------------------------------------------------------- */

enum { ELEMENTS = 24, FEWER = 20, TWICE = 5, HOLE = 7 };

typedef struct request {
    const char *stream;
    qdr_coupled field[QDR_MOST_COUPLED + 1];
    int fields;
    int exports, imports;
    qdr_stream_options options;
} request;

static struct {
    qdr_layout *block, *cyclic, *fewer, *square, *twice, *hole, *ranks;
    qdr_region *part, *beyond, *flat, *reversed;
} made;

static qdr_layout *regular(int64_t extent, qdr_spread spread, int parts) {
    qdr_axis axis = {.extent = extent, .spread = spread, .parts = parts, .block = 2};
    qdr_layout *layout = NULL;
    FINE(qdr_layout_regular(1, &axis, NULL, &layout));
    return layout;
}

/* Dealt out in turn; one element is left out, one is the first and the last rank's. */
static qdr_layout *runs(int left_out, int doubled) {
    int64_t extent = ELEMENTS, first[ELEMENTS + 1], count = 0;
    qdr_layout *layout = NULL;
    for (int e = 0; e < ELEMENTS; e++)
        if (e != left_out && e != doubled && e % own_ranks == own_rank) first[count++] = e;
    if (doubled >= 0 && own_rank == 0) first[count++] = doubled;
    if (doubled >= 0 && own_rank == own_ranks - 1) first[count++] = doubled;
    FINE(qdr_layout_runs(1, &extent, count, first, NULL, &layout));
    return layout;
}

static qdr_region *stretch(int64_t lower, int64_t upper) {
    qdr_region *region = NULL;
    FINE(qdr_region_create(1, QDR_ROW_MAJOR, &region));
    FINE(qdr_region_add_box(region, &lower, &upper, NULL));
    return region;
}

static void open_all(void) {
    int64_t lower[2] = {0, 0}, upper[2] = {4, 6}, backward[ELEMENTS];
    qdr_axis axis[2] = {{.extent = 4, .spread = QDR_BLOCK, .parts = own_ranks}, {.extent = 6}};
    made.block = regular(ELEMENTS, QDR_BLOCK, own_ranks);
    made.cyclic = regular(ELEMENTS, QDR_CYCLIC, own_ranks);
    made.fewer = regular(FEWER, QDR_BLOCK, own_ranks);
    made.ranks = regular(ELEMENTS, QDR_CYCLIC, own_ranks + 1);
    FINE(qdr_layout_regular(2, axis, NULL, &made.square));
    made.twice = runs(-1, TWICE);
    made.hole = runs(HOLE, -1);
    made.part = stretch(0, FEWER);
    made.beyond = stretch(6, ELEMENTS + 6);
    FINE(qdr_region_create(2, QDR_ROW_MAJOR, &made.flat));
    FINE(qdr_region_add_box(made.flat, lower, upper, NULL));
    for (int e = 0; e < ELEMENTS; e++) backward[e] = ELEMENTS - 1 - e;
    FINE(qdr_region_create(1, QDR_ROW_MAJOR, &made.reversed));
    FINE(qdr_region_add_list(made.reversed, ELEMENTS, backward));
}

static void close_all(void) {
    qdr_layout **layout[] = {&made.block, &made.cyclic, &made.fewer, &made.square,
                             &made.twice, &made.hole,   &made.ranks};
    qdr_region **region[] = {&made.part, &made.beyond, &made.flat, &made.reversed};
    for (int i = 0; i < 7; i++) qdr_layout_destroy(layout[i]);
    for (int i = 0; i < 4; i++) qdr_region_destroy(region[i]);
}

/* Two fields, all of two arrays. */
static void set_request(request *asked, int exports) {
    *asked = (request){.stream = "surface", .fields = 2, .exports = exports, .imports = !exports};
    asked->field[0] = (qdr_coupled){
        .name = "heat", .layout = exports ? made.block : made.cyclic, .type = QDR_DOUBLE, .width = 1};
    asked->field[1] = (qdr_coupled){
        .name = "wind", .layout = exports ? made.cyclic : made.block, .type = QDR_FLOAT, .width = 2};
    asked->options = (qdr_stream_options)QDR_STREAM_OPTIONS;
}

static qdr_status open_request(const request *asked, qdr_stream **stream) {
    return qdr_stream_create(coupling, asked->stream, asked->exports ? asked->fields : 0,
                             asked->exports ? asked->field : NULL, asked->imports ? asked->fields : 0,
                             asked->imports ? asked->field : NULL, &asked->options, stream);
}

/* What was asked for rightly is done: the coupling lives. */
static void run_request(const request *asked) {
    qdr_stream *stream = NULL;
    double heat[ELEMENTS];
    float wind[2 * ELEMENTS];
    FINE(open_request(asked, &stream));
    if (!stream) return;
    if (asked->exports) {
        const void *data[] = {heat, wind};
        for (int i = 0; i < ELEMENTS; i++) {
            heat[i] = wind[2 * i] = (float)(100 + i + 30 * own_rank);
            wind[2 * i + 1] = 5;
        }
        FINE(qdr_export(stream, 1, data));
    } else {
        void *data[] = {heat, wind};
        int64_t share = 0, index[1], places[2] = {0};
        for (int i = 0; i < ELEMENTS; i++) heat[i] = wind[2 * i] = wind[2 * i + 1] = -1;
        FINE(qdr_import(stream, 1, QDR_EXACT, 0, data, NULL));
        for (int f = 0; f < 2; f++) {
            const qdr_layout *layout = f ? made.block : made.cyclic;
            const int64_t chunk = (ELEMENTS + peer_ranks - 1) / peer_ranks;
            FINE(qdr_layout_share(layout, own_rank, &share, &places[f]));
            for (int64_t place = 0; place < places[f]; place++) {
                FINE(qdr_layout_index(layout, own_rank, place, index));
                /* where it came from: blocks of `chunk`, or pairs in turn */
                int64_t owner = f ? index[0] / 2 % peer_ranks : index[0] / chunk;
                int64_t there = f ? index[0] / 2 / peer_ranks * 2 + index[0] % 2 : index[0] % chunk;
                double expected = (double)(100 + there + 30 * owner);
                CHECK(f ? wind[2 * place] == (float)expected && wind[2 * place + 1] == 5
                        : heat[place] == expected);
            }
        }
    }
    FINE(qdr_stream_destroy(&stream));
    CHECK(stream == NULL);
}

/* ---- mistakes ------------------------------------------------------------------------------------------ */

typedef void mistake(request *asked);

static void fewer_elements(request *asked) {
    asked->field[0].layout = made.fewer;
}
static void smaller_region(request *asked) {
    asked->field[1].region = made.part;
}
static void owned_twice(request *asked) {
    asked->field[0].layout = made.twice;
}
static void owned_by_nobody(request *asked) {
    asked->field[0].layout = made.hole;
}
static void out_of_bounds(request *asked) {
    asked->field[0].region = made.beyond;
}
static void other_dimensions(request *asked) {
    asked->field[0].region = made.flat;
}
static void more_ranks(request *asked) {
    asked->field[0].layout = made.ranks;
}
static void other_type(request *asked) {
    asked->field[0].type = QDR_FLOAT;
}
static void no_type(request *asked) {
    asked->field[0].type = (qdr_type)99;
}
static void other_width(request *asked) {
    asked->field[1].width = 3;
}
static void negative_width(request *asked) {
    asked->field[1].width = -2;
}
static void endless_width(request *asked) {
    asked->field[1].width = INT64_MAX / 2;
}
static void no_operation(request *asked) {
    asked->field[1].operation = QDR_BITWISE_OR; /* of an export nothing is an operation */
}
static void other_operation(request *asked) {
    if (asked->imports) asked->field[1].operation = QDR_SUM;
    if (asked->exports) asked->field[1].width = 3;
}
static void other_field(request *asked) {
    asked->field[1].name = "rain";
}
static void same_field(request *asked) {
    asked->field[1].name = "heat";
}
static void no_field_name(request *asked) {
    asked->field[1].name = NULL;
}
static void long_field_name(request *asked) {
    asked->field[1].name = "a-name-that-goes-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on";
}
static void one_field(request *asked) {
    asked->fields = 1;
}
static void no_fields(request *asked) {
    asked->fields = 0;
}
static void minus_one_field(request *asked) {
    asked->fields = -1;
}
static void too_many_fields(request *asked) {
    asked->fields = QDR_MOST_COUPLED + 1;
}
static void no_layout(request *asked) {
    asked->field[1].layout = NULL;
}
static void other_stream(request *asked) {
    asked->stream = "bottom";
}
static void no_stream(request *asked) {
    asked->stream = NULL;
}
static void other_direction(request *asked) {
    asked->exports = !asked->exports;
    asked->imports = !asked->imports;
}
static void both_directions(request *asked) {
    asked->exports = asked->imports = 1;
}
static void options_size(request *asked) {
    asked->options.size = 7;
}
static void computes_nobody(request *asked) {
    asked->options.computes = "nobody";
}
static void back_nowhere(request *asked) {
    asked->options.back = "nowhere";
}
static void no_descriptors(request *asked) {
    asked->options.descriptors = "vague";
}
static void negative_queue(request *asked) {
    asked->options.queue = -4;
}
static void negative_deadline(request *asked) {
    asked->options.deadline = -9;
}
static void unknown_algorithm(request *asked) {
    static qdr_plan_options plan = QDR_PLAN_OPTIONS;
    plan.algorithm = "no-such";
    asked->options.plan = &plan;
}

/* Of one rank only. */
static void other_layout(request *asked) {
    asked->field[0].layout = asked->field[0].layout == made.block ? made.cyclic : made.block;
}
static void other_order(request *asked) {
    asked->field[0].region = made.reversed;
}
static void other_queue(request *asked) {
    asked->options.queue = 3;
}
static void other_checks(request *asked) {
    asked->options.checksums = 1;
}
static void other_builder(request *asked) {
    asked->options.computes = "both";
}

enum { ALL = 1, ONE = 2 }; /* who makes it: all ranks of a program, its last alone */

static const struct {
    const char *what;
    mistake *make;
    int who;
    qdr_status status;
    const char *word[4];
} wrong[] = {
    {"sizes of arrays", fewer_elements, ALL, QDR_ERR_MISMATCH, {"heat", "24", "20", "surface"}},
    {"sizes of regions", smaller_region, ALL, QDR_ERR_MISMATCH, {"wind", "24", "20", "surface"}},
    {"owned twice", owned_twice, ALL, QDR_ERR_MISMATCH, {"heat", "5"}},
    {"a hole", owned_by_nobody, ALL, QDR_ERR_MISMATCH, {"heat", "7"}},
    {"out of bounds", out_of_bounds, ALL | ONE, QDR_ERR_RANGE, {"heat", "24"}},
    {"dimensions", other_dimensions, ALL | ONE, QDR_ERR_INVALID, {"heat", "2", "1"}},
    {"more ranks than there are", more_ranks, ALL, QDR_ERR_RANGE, {"heat"}},
    {"types", other_type, ALL, QDR_ERR_MISMATCH, {"heat", "double", "float"}},
    {"no such type", no_type, ALL | ONE, QDR_ERR_INVALID, {"heat", "99"}},
    {"widths", other_width, ALL, QDR_ERR_MISMATCH, {"wind", "2", "3"}},
    {"negative width", negative_width, ALL | ONE, QDR_ERR_INVALID, {"wind", "-2"}},
    {"endless width", endless_width, ALL | ONE, QDR_ERR_INVALID, {"wind", "expected 0 to 2147483647"}},
    {"names of fields", other_field, ALL, QDR_ERR_MISMATCH, {"rain"}},
    {"a field twice", same_field, ALL | ONE, QDR_ERR_INVALID, {"heat", "twice"}},
    {"a field without a name", no_field_name, ALL | ONE, QDR_ERR_INVALID, {"name"}},
    {"a long name", long_field_name, ALL | ONE, QDR_ERR_INVALID, {"63"}},
    {"one field", one_field, ALL, QDR_ERR_MISMATCH, {"wind"}},
    {"no fields", no_fields, ALL, QDR_ERR_MISMATCH, {"surface"}},
    {"-1 fields", minus_one_field, ALL | ONE, QDR_ERR_INVALID, {"-1"}},
    {"65 fields", too_many_fields, ALL | ONE, QDR_ERR_INVALID, {"65", "64"}},
    {"no layout", no_layout, ALL | ONE, QDR_ERR_INVALID, {"wind", "layout", "NULL"}},
    {"names of streams", other_stream, ALL, QDR_ERR_MISMATCH, {"surface", "bottom"}},
    {"no name", no_stream, ALL | ONE, QDR_ERR_INVALID, {"NULL"}},
    {"both export, or import", other_direction, ALL, QDR_ERR_MISMATCH, {"surface", "ocean", "atmos", "both"}},
    {"both directions", both_directions, ALL | ONE, QDR_ERR_INVALID, {"surface"}},
    {"size of options", options_size, ALL | ONE, QDR_ERR_INVALID, {"QDR_STREAM_OPTIONS"}},
    {"computes", computes_nobody, ALL | ONE, QDR_ERR_UNKNOWN, {"nobody", "both", "deref"}},
    {"back", back_nowhere, ALL | ONE, QDR_ERR_UNKNOWN, {"nowhere", "all", "one"}},
    {"descriptors", no_descriptors, ALL | ONE, QDR_ERR_UNKNOWN, {"vague", "disjoint", "representative"}},
    {"queue", negative_queue, ALL | ONE, QDR_ERR_INVALID, {"-4"}},
    {"deadline", negative_deadline, ALL | ONE, QDR_ERR_RANGE, {"deadline is -9"}},
    {"algorithm", unknown_algorithm, ALL, QDR_ERR_UNKNOWN, {"no-such"}},
    {"layouts of ranks", other_layout, ONE, QDR_ERR_MISMATCH, {"differ in", "of a stream"}},
    {"regions of ranks", other_order, ONE, QDR_ERR_MISMATCH, {"differ in", "of a stream"}},
    {"types of ranks", other_type, ONE, QDR_ERR_MISMATCH, {"differ in", "of a stream"}},
    {"widths of ranks", other_width, ONE, QDR_ERR_MISMATCH, {"differ in", "of a stream"}},
    {"operations", no_operation, ALL | ONE, QDR_ERR_INVALID, {"wind"}},
    {"operations of ranks", other_operation, ONE, QDR_ERR_MISMATCH, {"differ in", "operations"}},
    {"fields of ranks", other_field, ONE, QDR_ERR_MISMATCH, {"differ in", "of a stream"}},
    {"numbers of ranks", one_field, ONE, QDR_ERR_MISMATCH, {"differ in", "of a stream"}},
    {"names of ranks", other_stream, ONE, QDR_ERR_MISMATCH, {"differ in", "of a stream"}},
    {"queues of ranks", other_queue, ONE, QDR_ERR_MISMATCH, {"differ in", "of a stream"}},
    {"checks of ranks", other_checks, ONE, QDR_ERR_MISMATCH, {"differ in", "of a stream"}},
    {"builders of ranks", other_builder, ONE, QDR_ERR_MISMATCH, {"differ in", "of a stream"}},
};

/* Made by all or by one, of the exporter or of the importer; who exports changes. */
static void test_mistakes(void) {
    int direction = 0, is_tcp = !strcmp(qdr_coupling_look(coupling).transport, "tcp");
    for (int i = 0; i < (int)(sizeof wrong / sizeof *wrong); i++)
        for (int who = ALL; who <= ONE; who++)
            for (int by = 0; by < 2; by++) {
                request asked;
                qdr_stream *stream = NULL;
                int mine = by == side, alone = who == ONE;
                if (!(wrong[i].who & who)) continue;
                if (wrong[i].make == unknown_algorithm && is_tcp) continue; /* where there is but one */
                if (alone && (by == side ? own_ranks : peer_ranks) < 2) continue;
                direction = !direction;
                set_request(&asked, side == direction);
                if (mine && (!alone || own_rank == own_ranks - 1)) wrong[i].make(&asked);
                EXPECT(wrong[i].what, open_request(&asked, &stream), wrong[i].status, wrong[i].word);
                CHECK(stream == NULL);
                set_request(&asked, side == direction);
                run_request(&asked);
            }
}

/* What one asks for the other must not refuse. */
static void test_conflicts(void) {
    static const char *const word[] = {"surface", "computes", "ocean", "atmos"};
    request asked;
    qdr_stream *stream = NULL;
    set_request(&asked, side == 0);
    asked.options.computes = side == 0 ? "both" : "deref";
    EXPECT("conflict", open_request(&asked, &stream), QDR_ERR_MISMATCH, word);
    set_request(&asked, side == 0);
    run_request(&asked);
}

/* Types differ, and that is wanted: by the importer alone. */
static void test_conversion(void) {
    static const char *const word[] = {"heat", "double", "float", NULL};
    request asked;
    qdr_stream *stream = NULL;
    float heat[ELEMENTS];
    double given[ELEMENTS];
    set_request(&asked, side == 0);
    asked.fields = 1;
    if (side == 1) asked.field[0].type = QDR_FLOAT;
    asked.options.converts = side == 0; /* does not help */
    EXPECT("conversion not asked for", open_request(&asked, &stream), QDR_ERR_MISMATCH, word);
    asked.options.converts = side == 1;
    FINE(open_request(&asked, &stream));
    if (!stream) return;
    if (side == 0) {
        for (int i = 0; i < ELEMENTS; i++) given[i] = 0.5;
        FINE(qdr_export(stream, 1, (const void *[]){given}));
    } else {
        int64_t share = 0, room = 0;
        FINE(qdr_import(stream, 1, QDR_EXACT, 0, (void *[]){heat}, NULL));
        FINE(qdr_layout_share(made.cyclic, own_rank, &share, &room));
        for (int64_t i = 0; i < room; i++) CHECK(heat[i] == 0.5F);
    }
    FINE(qdr_stream_destroy(&stream));
}

int main(int argc, char **argv) {
    open_pair(argc, argv);
    if (coupling) {
        open_all();
        request asked;
        set_request(&asked, side == 0);
        run_request(&asked);
        test_mistakes();
        test_conflicts();
        test_conversion();
        close_all();
    }
    return close_pair();
}
