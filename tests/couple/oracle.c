/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The oracle of coupling: two programs, random arrays on both sides, and every element is known beforehand.
 *
 *     oracle NAME PEER [--seed S] [--streams K] [--first I] [--most R] [--mark I]... [--transport T] [--directory D]
 *
 * Launched once with itself as the other program (mpirun -n 8 oracle a b : -n 8 oracle b a), or twice, with a directory
 * in which the two meet. With --most R, of which each program has as many ranks, all R x R combinations of so many
 * exporting and importing ranks take place, several of them at a time, each on communicators of its own; without, the
 * ranks that there are. (Then few ranks have more streams than many; four and four have K.) PEER equal to NAME: the
 * program redistributes inside itself.
 *
 * Each case is a stream of one to four pairs of fields (cases.h). It is opened once with every way to build schedules,
 * and each must give exactly the schedule that follows from the definitions; the ways take turns in transferring data,
 * which is then looked at byte by byte, gaps and ghosts included. What was scheduled and what arrived is condensed into
 * one line for each combination, on standard output, the same however the programs were launched; for each --mark there
 * is one more line, the same as without it with so many streams.
 */
#include <getopt.h>
#include <time.h>

#include "couple/cases.h"
#include "couple/combinations.h"
#include "mpi_check.h"
#include "quadrille/couple.h"

static const double patience = 60; /* seconds */

static struct {
    const char *name, *peer, *transport, *directory;
    uint64_t seed;
    int64_t first, streams;
    int most;
    int marks;
    int64_t mark[4];
} settings = {.seed = 1, .streams = 10};

/* ---- ways to build ------------------------------------------------------------------------------------- */

typedef struct variant {
    const char *computes, *back, *descriptors;
} variant;

static const variant variants[] = {
    {NULL, NULL, NULL},
    {"both", NULL, "disjoint"},
    {"both", NULL, "representative"},
    {"exporter", "all", "disjoint"},
    {"exporter", "one", "disjoint"},
    {"exporter", "all", "representative"},
    {"exporter", "one", "representative"},
    {"importer", "all", "disjoint"},
    {"importer", "one", "disjoint"},
    {"importer", "all", "representative"},
    {"importer", "one", "representative"},
    {"deref", NULL, NULL},
};
enum { VARIANTS = sizeof variants / sizeof *variants };

/* ---- one case, as one rank has it ---------------------------------------------------------------------- */

typedef struct actor {
    const couple_case *given;
    int64_t number; /* of the case */
    int rank;
    int exports, imports; /* what this program does; both with itself */
    qdr_layout *layout[2][CASE_FIELDS];
    qdr_region *region[2][CASE_FIELDS];
    qdr_coupled coupled[2][CASE_FIELDS]; /* as named */
    unsigned char *memory[2][CASE_FIELDS];
    const variant *way;
    uint64_t digest;
    int is_broken; /* a call failed, here as everywhere */
} actor;

#define SAY(actor, condition, ...) say(__LINE__, actor, condition, __VA_ARGS__)
__attribute__((format(printf, 4, 5))) static int say(int line, const actor *one, int condition,
                                                     const char *format, ...) {
    char sentence[1000];
    va_list arguments;
    if (condition) return 1;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    mpi_check_failed(__FILE__, line,
                     "%s, rank %d, %d to %d ranks, case %lld, computes %s, back %s, descriptors %s: %s",
                     settings.name, one->rank, one->given->ranks[0], one->given->ranks[1],
                     (long long)one->number, one->way && one->way->computes ? one->way->computes : "auto",
                     one->way && one->way->back ? one->way->back : "auto",
                     one->way && one->way->descriptors ? one->way->descriptors : "auto", sentence);
    return 0;
}

/* A call that must work; all that comes after one that does not would be noise. */
#define WORKS(actor, call) works(__LINE__, actor, call, #call)
static int works(int line, actor *one, qdr_status status, const char *call) {
    one->is_broken |= status != QDR_OK;
    return say(line, one, status == QDR_OK, "%.20s ...: %s: %s", call, qdr_status_text(status),
               qdr_error_message());
}

static void take_in(uint64_t *digest, const void *bytes, int64_t count) {
    const unsigned char *byte = bytes;
    for (int64_t i = 0; i < count; i++) *digest = (*digest ^ byte[i]) * UINT64_C(0x100000001b3);
}

static int plays(const actor *one, int side) {
    return side == 0 ? one->exports : one->imports;
}

/* What the library says of one array, beside the table. */
static void check_views(const actor *one, const case_field *field, int side, const qdr_layout *layout,
                        const qdr_region *region) {
    const case_array *array = &field->side[side];
    int is_regular = array->kind == CASE_REGULAR;
    int64_t elements = -1, room = -1;
    if (region)
        SAY(one, qdr_region_elements(region) == array->region.count,
            "a region of %lld elements instead of %lld", (long long)qdr_region_elements(region),
            (long long)array->region.count);
    if (array->kind == CASE_ENTRIES) return;
    qdr_status status = qdr_layout_share(layout, is_regular ? one->rank : QDR_HERE, &elements, &room);
    SAY(one, status == QDR_OK, "qdr_layout_share: %s", qdr_error_message());
    SAY(one, elements == array->share[one->rank] && room >= array->room[one->rank],
        "field '%s': a share of %lld elements in a room of %lld, instead of %lld in %lld", field->name,
        (long long)elements, (long long)room, (long long)array->share[one->rank],
        (long long)array->room[one->rank]);
}

static int open_actor(actor *one) {
    int fine = 1;
    for (int s = 0; s < 2; s++)
        for (int i = 0; plays(one, s) && i < one->given->fields; i++) {
            const case_field *field = &one->given->field[one->given->named[s][i]];
            fine &= SAY(one, !make_layout(&field->side[s], one->rank, &one->layout[s][i]), "%s",
                        qdr_error_message());
            fine &=
                SAY(one, !make_region(&field->side[s].region, &one->region[s][i]), "%s", qdr_error_message());
            one->coupled[s][i] = (qdr_coupled){.name = field->name,
                                               .layout = one->layout[s][i],
                                               .region = one->region[s][i],
                                               .type = field->type[s],
                                               .width = field->width,
                                               .operation = s == 1 ? field->operation : QDR_REPLACE};
            one->memory[s][i] = malloc((size_t)memory_bytes(field, s, one->rank));
            if (fine) check_views(one, field, s, one->layout[s][i], one->region[s][i]);
        }
    return fine;
}

static void close_actor(actor *one) {
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < CASE_FIELDS; i++) {
            qdr_layout_destroy(&one->layout[s][i]);
            qdr_region_destroy(&one->region[s][i]);
            free(one->memory[s][i]);
        }
}

/* ---- schedules ----------------------------------------------------------------------------------------- */

/* Where a schedule is not what it must be; 0 if it is. */
static int differs(int partners, const int *rank, const int64_t *start, const int64_t *place,
                   const case_schedule *expected, char *text, size_t size) {
    if (partners != expected->partners)
        return snprintf(text, size, "%d partners instead of %d", partners, expected->partners);
    for (int p = 0; p < partners; p++) {
        int64_t count = expected->start[p + 1] - expected->start[p];
        if (rank[p] != expected->rank[p])
            return snprintf(text, size, "partner %d is rank %d instead of %d", p, rank[p], expected->rank[p]);
        if (start[p + 1] - start[p] != count || start[0] != 0)
            return snprintf(text, size, "%lld elements instead of %lld with rank %d",
                            (long long)(start[p + 1] - start[p]), (long long)count, rank[p]);
        for (int64_t i = start[p]; i < start[p + 1]; i++)
            if (place[i] != expected->place[i])
                return snprintf(text, size,
                                "element %lld of %lld with rank %d is at place %lld instead of %lld",
                                (long long)(i - start[p]), (long long)count, rank[p], (long long)place[i],
                                (long long)expected->place[i]);
    }
    return 0;
}

static void check_schedule(actor *one, const qdr_stream *stream, int side, int f) {
    const case_field *field = &one->given->field[one->given->named[side][f]];
    case_schedule expected = expect_schedule(field, side, one->rank);
    int partners = -1, *rank = NULL;
    int64_t *start = NULL, *place = NULL;
    char what[200];
    qdr_status status = qdr_stream_schedule(stream, side == 0, f, &partners, &rank, &start, &place);
    if (SAY(one, status == QDR_OK, "qdr_stream_schedule: %s", qdr_error_message()) &&
        SAY(one, !differs(partners, rank, start, place, &expected, what, sizeof what),
            "field '%s', %s to %s: %s", field->name, kind_names[field->side[0].kind],
            kind_names[field->side[1].kind], what)) {
        take_in(&one->digest, rank, partners * (int64_t)sizeof *rank);
        take_in(&one->digest, start, (partners + 1) * (int64_t)sizeof *start);
        take_in(&one->digest, place, start[partners] * (int64_t)sizeof *place);
    }
    free(expected.place);
    free(rank);
    free(start);
    free(place);
}

/* Fields share messages: there is one for every partner that any of them has. */
static int64_t expect_messages(const actor *one, int side) {
    int has[CASE_RANKS] = {0};
    int64_t messages = 0;
    for (int f = 0; f < one->given->fields; f++) {
        case_schedule expected = expect_schedule(&one->given->field[f], side, one->rank);
        for (int p = 0; p < expected.partners; p++) has[expected.rank[p]] = 1;
        free(expected.place);
    }
    for (int r = 0; r < CASE_RANKS; r++) messages += has[r];
    return messages;
}

/* What was asked for is what was done. Only where one layout is explicit and one compact there is no choice between the
 * programs: what is explicit stays where it is, and its program computes. */
static const char *expect_computes(const actor *one) {
    const char *asked = one->way->computes;
    int mixed = -1;
    for (int f = 0; asked && f < one->given->fields; f++) {
        const case_field *field = &one->given->field[f];
        int kinds = 2 * is_explicit(&field->side[0]) + is_explicit(&field->side[1]);
        if (f > 0 && mixed != kinds) return NULL; /* each field has its own */
        mixed = kinds;
    }
    if (!asked || !strcmp(asked, "both") || !strcmp(asked, "deref")) return asked;
    return mixed == 2 ? "exporter" : mixed == 1 ? "importer" : asked;
}

static void check_view(const actor *one, const qdr_stream *stream) {
    qdr_stream_view view = qdr_stream_look(stream);
    int64_t elements = 0;
    for (int f = 0; f < one->given->fields; f++) elements += one->given->field[f].side[0].region.count;
    SAY(one, view.fields == one->given->fields && view.elements == elements,
        "the view has %d fields and %lld elements", view.fields, (long long)view.elements);
    const char *computes = expect_computes(one);
    SAY(one, !computes || !strcmp(view.computed, computes), "computed by %s instead of %s: %s", view.computed,
        computes, view.why);
    for (int s = 0; s < 2; s++) {
        int64_t said = s == 0 ? view.messages_out : view.messages_in;
        if (!plays(one, s)) continue;
        SAY(one, said == expect_messages(one, s), "the view has %lld messages, expected %lld",
            (long long)said, (long long)expect_messages(one, s));
    }
}

/* ---- transfers ----------------------------------------------------------------------------------------- */

static void send_out(actor *one, qdr_stream *stream, int number) {
    const void *data[CASE_FIELDS];
    for (int i = 0; i < one->given->fields; i++) {
        const case_field *field = &one->given->field[one->given->named[0][i]];
        fill_memory(one->given, field, 0, one->rank, number, one->memory[0][i]);
        data[i] = field->side[0].room[one->rank] == 0 && one->number % 2 ? NULL : one->memory[0][i];
    }
    WORKS(one, qdr_export(stream, 10 + number, data));
    for (int i = 0; i < one->given->fields; i++) /* it has been copied */
        memset(one->memory[0][i], 0xee,
               (size_t)memory_bytes(&one->given->field[one->given->named[0][i]], 0, one->rank));
}

static void check_arrived(actor *one, int i, int number) {
    const case_field *field = &one->given->field[one->given->named[1][i]];
    int64_t bytes = memory_bytes(field, 1, one->rank), wrong = 0;
    unsigned char *expected = malloc((size_t)bytes), *memory = one->memory[1][i];
    expect_memory(one->given, field, one->rank, number, expected);
    while (wrong < bytes && memory[wrong] == expected[wrong]) wrong++;
    SAY(one, wrong == bytes, "field '%s', export %d: byte %lld of place %lld is %#x instead of %#x",
        field->name, number, (long long)(wrong % field_bytes(field, 1)),
        (long long)(wrong / field_bytes(field, 1)), wrong < bytes ? memory[wrong] : 0,
        wrong < bytes ? expected[wrong] : 0);
    take_in(&one->digest, memory, bytes);
    free(expected);
}

static void take_back(actor *one, qdr_stream *stream, int number) {
    void *data[CASE_FIELDS];
    double matched = -1;
    for (int i = 0; i < one->given->fields; i++) {
        prepare_memory(one->given, &one->given->field[one->given->named[1][i]], one->rank, one->memory[1][i]);
        data[i] = one->memory[1][i];
    }
    if (WORKS(one, qdr_import(stream, 10 + number, QDR_EXACT, 0, data, &matched)) &&
        SAY(one, matched == 10 + number, "export %g came instead of %d", matched, 10 + number))
        for (int i = 0; i < one->given->fields; i++) check_arrived(one, i, number);
}

/* ---- a case, in every way ------------------------------------------------------------------------------ */

static void run_variant(actor *one, qdr_coupling *coupling, int way, int transfers) {
    qdr_stream_options options = QDR_STREAM_OPTIONS;
    qdr_stream *stream = NULL;
    const couple_case *given = one->given;
    char name[40];
    int asks = way % 3; /* both programs, or one of them, ask for it */
    one->way = &variants[way];
    if (asks == 0 || (asks == 1 ? one->exports : one->imports)) {
        options.computes = one->way->computes;
        options.back = one->way->back;
        options.descriptors = one->way->descriptors;
    }
    options.converts = one->imports && given->converts;
    options.checksums = given->checked && one->number % 2 == one->exports;
    snprintf(name, sizeof name, "s%lld.%d", (long long)one->number, way);
    qdr_status status = qdr_stream_create(
        coupling, name, one->exports ? given->fields : 0, one->exports ? one->coupled[0] : NULL,
        one->imports ? given->fields : 0, one->imports ? one->coupled[1] : NULL, &options, &stream);
    if (!WORKS(one, status)) return;
    for (int s = 0; s < 2; s++)
        for (int f = 0; plays(one, s) && f < given->fields; f++) check_schedule(one, stream, s, f);
    check_view(one, stream);
    for (int number = 0; transfers && !one->is_broken && number < given->exports; number++) {
        if (one->exports) send_out(one, stream, number);
        if (one->imports) take_back(one, stream, number);
    }
    WORKS(one, qdr_stream_destroy(&stream));
}

/* Returns the number of pairs of fields; 0: the coupling is broken. */
static int run_case(qdr_coupling *coupling, int side, int is_self, const int *ranks, int rank, int64_t number,
                    uint64_t *digest) {
    int exporter = is_self ? side : (int)((number + number / VARIANTS) % 2); /* each way in both directions */
    couple_case *given =
        open_case(settings.seed, ranks[exporter], ranks[is_self ? exporter : 1 - exporter], number);
    actor one = {.given = given,
                 .number = number,
                 .rank = rank,
                 .exports = is_self || side == exporter,
                 .imports = is_self || side != exporter,
                 .digest = UINT64_C(0xcbf29ce484222325)};
    int pairs = given->fields;
    if (open_actor(&one))
        for (int way = 0; way < VARIANTS && !one.is_broken; way++) {
            run_variant(&one, coupling, way, way == (int)(number % VARIANTS));
        }
    *digest = qdri_mix(*digest ^ one.digest);
    close_actor(&one);
    close_case(given);
    return one.is_broken ? 0 : pairs;
}

/* ---- combinations of ranks ----------------------------------------------------------------------------- */

/* On a communicator of both programs, or of this one alone. Programs of a combination have its name. */
static qdr_coupling *open_coupling(MPI_Comm comm, const combination *one, qdr_program **program) {
    char suffix[40] = "", name[80], peer[80];
    qdr_coupling_options options = QDR_COUPLING_OPTIONS;
    qdr_coupling *coupling = NULL;
    if (one) snprintf(suffix, sizeof suffix, "-%dx%d", one->ranks[0], one->ranks[1]);
    snprintf(name, sizeof name, "%.30s%s", settings.name, suffix);
    snprintf(peer, sizeof peer, "%.30s%s", settings.peer, suffix);
    options.transport = settings.transport;
    options.directory = settings.directory;
    options.deadline = patience;
    if (qdr_program_create(comm, name, patience, program)) {
        CHECK_SAYING(0, "qdr_program_create: %s", qdr_error_message());
    } else if (qdr_coupling_create(*program, peer, &options, &coupling)) {
        CHECK_SAYING(0, "qdr_coupling_create: %s", qdr_error_message());
        qdr_program_destroy(program);
    }
    return coupling;
}

static void print_digest(MPI_Comm comm, int rank, const int *ranks, int64_t streams, uint64_t digest) {
    uint64_t own = qdri_mix(digest), sum = 0;
    MPI_Reduce(&own, &sum, 1, MPI_UINT64_T, MPI_SUM, 0, comm);
    if (rank == 0)
        printf("%s %dx%d %lld digest %016llx\n", settings.name, ranks[0], ranks[1], (long long)streams,
               (unsigned long long)sum);
}

static int64_t streams_of(const combination *one, int64_t usual) {
    return one ? share_of_work(one, usual) : usual;
}

/* Returns the pairs of fields, on one rank of the two programs. */
static int64_t run_coupling(MPI_Comm comm, int side, const combination *one) {
    qdr_program *program = NULL;
    qdr_coupling *coupling = open_coupling(comm, one, &program);
    int is_self = !strcmp(settings.name, settings.peer), rank;
    int64_t pairs = 0;
    if (!coupling) return 0;
    qdr_coupling_view view = qdr_coupling_look(coupling);
    int ranks[2] = {side ? view.peer_ranks : view.ranks, side ? view.ranks : view.peer_ranks};
    MPI_Comm_rank(qdr_program_comm(program), &rank);
    if (one)
        CHECK_SAYING(ranks[0] == one->ranks[0] && ranks[1] == one->ranks[1], "%dx%d ranks instead of %dx%d",
                     ranks[0], ranks[1], one->ranks[0], one->ranks[1]);
    if (settings.transport) CHECK(!strcmp(view.transport, settings.transport));
    uint64_t digest = (uint64_t)rank;
    int64_t streams = streams_of(one, settings.streams);
    for (int64_t i = 0, more = 1; i < streams && more; i++) {
        more = run_case(coupling, side, is_self, ranks, rank, settings.first + i, &digest);
        pairs += more;
        for (int m = 0; m < settings.marks; m++)
            if (i + 1 == streams_of(one, settings.mark[m]))
                print_digest(qdr_program_comm(program), rank, ranks, settings.mark[m], digest);
    }
    CHECK_SAYING(qdr_coupling_destroy(&coupling) == QDR_OK, "%s", qdr_error_message());
    print_digest(qdr_program_comm(program), rank, ranks, settings.streams, digest);
    CHECK_SAYING(qdr_program_destroy(&program) == QDR_OK, "%s", qdr_error_message());
    return rank == 0 ? pairs : 0;
}

/* Those who have nothing to do must not take the processor from the others. */
static void meet(MPI_Comm comm) {
    static const struct timespec nap = {0, 2000000};
    MPI_Request request;
    int done = 0;
    MPI_Ibarrier(comm, &request);
    for (MPI_Test(&request, &done, MPI_STATUS_IGNORE); !done; MPI_Test(&request, &done, MPI_STATUS_IGNORE))
        nanosleep(&nap, NULL);
}

/* All combinations, in rounds: those of one round take place at the same time. */
static int64_t run_all(int side, int place) {
    combinations plan = plan_combinations(settings.most);
    int64_t pairs = 0;
    for (int round = 0; round < plan.rounds; round++) {
        const combination *mine = find_combination(&plan, round, side, place);
        MPI_Comm comm;
        MPI_Comm_split(MPI_COMM_WORLD, mine ? (int)(mine - plan.all) : MPI_UNDEFINED, 0, &comm);
        if (mine) {
            pairs += run_coupling(comm, side, mine);
            MPI_Comm_free(&comm);
        }
        meet(MPI_COMM_WORLD);
    }
    return pairs;
}

static void read_arguments(int argc, char **argv) {
    static const struct option known[] = {{"seed", 1, NULL, 's'},      {"streams", 1, NULL, 'k'},
                                          {"first", 1, NULL, 'f'},     {"most", 1, NULL, 'm'},
                                          {"transport", 1, NULL, 't'}, {"directory", 1, NULL, 'd'},
                                          {"mark", 1, NULL, 'i'},      {NULL, 0, NULL, 0}};
    for (int c; (c = getopt_long(argc, argv, "", known, NULL)) >= 0;) {
        if (c == 's') settings.seed = strtoull(optarg, NULL, 10);
        if (c == 'k') settings.streams = atoll(optarg);
        if (c == 'f') settings.first = atoll(optarg);
        if (c == 'm') settings.most = atoi(optarg);
        if (c == 't') settings.transport = optarg;
        if (c == 'd') settings.directory = optarg;
        if (c == 'i' && settings.marks < 4) settings.mark[settings.marks++] = atoll(optarg);
    }
    settings.name = optind < argc ? argv[optind] : "a";
    settings.peer = optind + 1 < argc ? argv[optind + 1] : "b";
}

int main(int argc, char **argv) {
    int side, place, ranks, world;
    int64_t pairs, all = 0;
    MPI_Comm own;
    MPI_Init(&argc, &argv);
    read_arguments(argc, argv);
    side = strcmp(settings.name, settings.peer) > 0;
    double begin = MPI_Wtime();
    MPI_Comm_rank(MPI_COMM_WORLD, &world);
    MPI_Comm_split(MPI_COMM_WORLD, side, 0, &own);
    MPI_Comm_rank(own, &place);
    MPI_Comm_size(own, &ranks);
    MPI_Comm_free(&own);
    CHECK_SAYING(settings.most == 0 || settings.most == ranks, "--most %d with %d ranks", settings.most,
                 ranks);
    pairs = settings.most ? run_all(side, place) : run_coupling(MPI_COMM_WORLD, side, NULL);
    if (side == 1) pairs = 0; /* the other program counts them too */
    MPI_Reduce(&pairs, &all, 1, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (world == 0 && side == 0)
        fprintf(stderr, "%lld pairs of fields in %.1f s\n", (long long)all, MPI_Wtime() - begin);
    int failed = mpi_check_verdict();
    MPI_Finalize();
    return failed;
}
