/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program of an earlier release. It is compiled with headers in which every struct that a caller fills, or has filled,
 * ends one member earlier (tests/abi/older), and runs with the library as it is. What stands behind a struct of its own is
 * guarded: the library must neither read nor write there.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "quadrille-mpi.h"

static int rank, ranks, failures;

static void expect(int holds, const char *what) {
    if (holds) return;
    failures++;
    fprintf(stderr, "rank %d: %s: %s\n", rank, what, qdr_error_message());
}

#define OK(call) expect((call) == QDR_OK, #call)

/* A struct with bytes behind it that are not 0. */
enum { GUARD = 0x5a, GUARDS = 64 };
#define GUARDED(type, name)                                                                                  \
    struct {                                                                                                 \
        type it;                                                                                             \
        unsigned char behind[GUARDS];                                                                        \
    } name;                                                                                                  \
    memset(&name, 0, sizeof name.it);                                                                        \
    memset(name.behind, GUARD, GUARDS)

static void intact(const unsigned char *behind, const char *what) {
    for (int i = 0; i < GUARDS; i++)
        if (behind[i] != GUARD) {
            expect(0, what);
            return;
        }
}

static void plans(void) {
    GUARDED(qdr_plan_options, how);
    GUARDED(qdr_plan_info, info);
    GUARDED(qdr_buffers, buffers);
    int to = (rank + 1) % ranks;
    int64_t one = 1, out = 100 + rank, in = -1;
    qdr_partners *partners = NULL;
    qdr_plan *plan = NULL;
    how.it.size = sizeof how.it;
    how.it.algorithm = "paced";
    OK(qdr_partners_from_sends(MPI_COMM_WORLD, 1, &to, &one, NULL, &partners));
    OK(qdr_plan_create(partners, &how.it, &plan));
    OK(qdr_plan_look(plan, &info.it));
    expect(!strcmp(info.it.algorithm, "paced"), "the plan has the algorithm that was asked for");
    buffers.it.item_bytes = sizeof out;
    buffers.it.outgoing_base = &out;
    buffers.it.incoming_base = &in;
    OK(qdr_plan_exchange(plan, &buffers.it));
    expect(in == 100 + (rank + ranks - 1) % ranks, "the exchange brought its item");
    intact(info.behind, "behind qdr_plan_info");
    OK(qdr_plan_destroy(&plan));
    qdr_partners_destroy(&partners);
}

static void maps(void) {
    GUARDED(qdr_indices, out);
    GUARDED(qdr_indices, in);
    GUARDED(qdr_map_options, how);
    int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
    int64_t two = 2, taken[] = {0, 2}, put[] = {1, 3};
    double value[] = {rank, -1, rank + 0.5, -1};
    qdr_field field[2];
    qdr_map *map = NULL;
    out.it.partners = in.it.partners = 1;
    out.it.rank = &to, in.it.rank = &from;
    out.it.count = in.it.count = &two;
    out.it.place = taken, in.it.place = put;
    how.it.size = sizeof how.it;
    OK(qdr_map_create(MPI_COMM_WORLD, &out.it, &in.it, &how.it, &map));
    float other[] = {(float)rank, -1, (float)rank, -1};
    memset(field, 0, sizeof field);
    field[0].source = field[0].target = value;
    field[0].type = QDR_DOUBLE;
    field[1].source = field[1].target = other;
    field[1].type = QDR_FLOAT;
    field[0].width = field[1].width = 1;
    OK(qdr_map_exchange(map, QDR_FORWARD, 2, field));
    expect(value[1] == from && value[3] == from + 0.5, "the map brought its first field");
    expect(other[1] == (float)from && other[3] == (float)from, "the map brought its second field");
    OK(qdr_map_destroy(&map));
}

static void directories(void) {
    GUARDED(qdr_directory_options, how);
    GUARDED(qdr_directory_call, call);
    GUARDED(qdr_resolve_options, resolving);
    GUARDED(qdr_resolve_report, report);
    int64_t mine = 7 * rank, wanted = 7 * ((rank + 1) % ranks), place = -1;
    int owner = -1;
    qdr_directory *directory = NULL;
    qdr_pending *pending = NULL;
    how.it.size = sizeof how.it;
    OK(qdr_directory_create(MPI_COMM_WORLD, &how.it, &directory));
    OK(qdr_directory_insert(directory, 1, &mine, NULL, NULL, NULL));
    call.it.verb = QDR_DIRECTORY_FIND;
    call.it.count = 1;
    call.it.id = &wanted;
    call.it.found_owner = &owner;
    call.it.found_place = &place;
    OK(qdr_directory_start(directory, &call.it, &pending));
    OK(qdr_wait(&pending));
    expect(owner == (rank + 1) % ranks && place == 0, "the directory knows the owner");
    expect(qdr_directory_look(directory).entries >= 0, "the directory can be looked at");
    OK(qdr_directory_destroy(&directory));
    resolving.it.size = sizeof resolving.it;
    owner = -1;
    OK(qdr_resolve(MPI_COMM_WORLD, 1, &mine, 1, &wanted, &resolving.it, &owner, &place, &report.it));
    expect(owner == (rank + 1) % ranks, "resolving finds the owner");
    intact(report.behind, "behind qdr_resolve_report");
}

static int64_t eight(void *context, int64_t object) {
    (void)context, (void)object;
    return 8;
}
static int pack(void *context, int64_t object, void *bytes) {
    (void)context, (void)object;
    memcpy(bytes, &rank, sizeof rank);
    return 0;
}
static int release(void *context, int64_t object) {
    (void)context, (void)object;
    return 0;
}
static int64_t unpacked;
static int unpack(void *context, int from, const void *bytes, int64_t size) {
    (void)context;
    unpacked += size == 8 && !memcmp(bytes, &from, sizeof from);
    return 0;
}

static void migrations(void) {
    GUARDED(qdr_migration_options, how);
    GUARDED(qdr_migration_report, report);
    GUARDED(qdr_objects, objects);
    int64_t item[4] = {rank, rank}, count = 2;
    int destination[4] = {(rank + 1) % ranks, rank}, next = (rank + 1) % ranks;
    how.it.size = sizeof how.it;
    OK(qdr_migrate_array(MPI_COMM_WORLD, &count, 4, item, sizeof *item, destination, &how.it, &report.it));
    expect(count == 2 && item[0] + item[1] == rank + (rank + ranks - 1) % ranks, "the array has its items");
    intact(report.behind, "behind qdr_migration_report");
    objects.it.count = 1;
    objects.it.destination = &next;
    objects.it.size = eight;
    objects.it.pack = pack;
    objects.it.release = release;
    objects.it.unpack = unpack;
    OK(qdr_migrate_objects(MPI_COMM_WORLD, &objects.it, &how.it, &report.it));
    expect(unpacked == (ranks > 1), "the object has come");
}

static void deliveries(void) {
    GUARDED(qdr_items, leaving);
    GUARDED(qdr_arrivals, came);
    double value = rank;
    int next = (rank + 1) % ranks;
    leaving.it.item_bytes = sizeof value;
    leaving.it.data = &value;
    leaving.it.count = 1;
    leaving.it.destination = &next;
    OK(qdr_deliver(MPI_COMM_WORLD, &leaving.it, &came.it));
    expect(came.it.count == 1 && *(double *)came.it.data == (rank + ranks - 1) % ranks,
           "the item was delivered");
    intact(came.behind, "behind qdr_arrivals");
    qdr_arrivals_free(&came.it);
    intact(came.behind, "behind qdr_arrivals that were freed");
}

static void schedules(void) {
    GUARDED(qdr_pattern_statistics, statistics);
    GUARDED(qdr_schedule_info, info);
    GUARDED(qdr_bounds, bounds);
    GUARDED(qdr_prediction, prediction);
    GUARDED(qdr_row, row);
    qdr_pattern *pattern = NULL;
    qdr_machine *machine = NULL;
    qdr_schedule *schedule = NULL;
    qdr_row_reader *reader = NULL;
    qdr_message message[] = {{0, 1, 10}, {1, 2, 20}, {2, 0, 30}};
    OK(qdr_pattern_create(3, 3, message, &pattern));
    expect(qdr_pattern_look(pattern).messages == 3, "the pattern can be looked at");
    qdr_pattern_measure(pattern, &statistics.it);
    expect(statistics.it.traffic == 30, "the pattern is measured");
    OK(qdr_machine_create("cm5", 3, &machine));
    OK(qdr_schedule_create(pattern, "pairwise", NULL, &schedule));
    OK(qdr_schedule_look(schedule, &info.it));
    expect(info.it.transfers == 3, "the schedule can be looked at");
    OK(qdr_bounds_compute(pattern, machine, 1, &bounds.it));
    OK(qdr_schedule_predict(schedule, machine, 1, NULL, &prediction.it));
    expect(prediction.it.seconds > 0 && bounds.it.full_duplex > 0, "the schedule is predicted");
    OK(qdr_row_reader_create(schedule, &reader));
    OK(qdr_row_read(reader, 1, 0, &row.it));
    expect(row.it.sends == 1 && row.it.receives == 1, "the row can be read");
    intact(statistics.behind, "behind qdr_pattern_statistics");
    intact(info.behind, "behind qdr_schedule_info");
    intact(bounds.behind, "behind qdr_bounds");
    intact(prediction.behind, "behind qdr_prediction");
    intact(row.behind, "behind qdr_row");
    qdr_row_reader_destroy(&reader);
    qdr_schedule_destroy(&schedule);
    qdr_machine_destroy(&machine);
    qdr_pattern_destroy(&pattern);
}

/* A program that is coupled with itself. */
static void couplings(void) {
    GUARDED(qdr_coupling_options, meeting);
    GUARDED(qdr_stream_options, how);
    qdr_axis axis[1];
    qdr_coupled given[1], wanted[1];
    qdr_program *program = NULL;
    qdr_coupling *coupling = NULL;
    qdr_stream *stream = NULL;
    qdr_layout *layout = NULL;
    double own[] = {rank + 0.25, rank + 0.75}, got[] = {-1, -1};
    const void *out = own;
    void *in = got;
    memset(axis, 0, sizeof axis);
    memset(given, 0, sizeof given);
    axis[0].extent = 2 * ranks;
    axis[0].spread = QDR_BLOCK;
    axis[0].parts = ranks;
    meeting.it.size = sizeof meeting.it;
    how.it.size = sizeof how.it;
    OK(qdr_layout_regular(1, axis, NULL, &layout));
    given[0].name = "u";
    given[0].layout = layout;
    given[0].type = QDR_DOUBLE;
    memcpy(wanted, given, sizeof given);
    OK(qdr_program_create(MPI_COMM_WORLD, "older", 0, &program));
    OK(qdr_coupling_create(program, "older", &meeting.it, &coupling));
    OK(qdr_stream_create(coupling, "u", 1, given, 1, wanted, &how.it, &stream));
    expect(qdr_stream_look(stream).fields == 1 && qdr_coupling_look(coupling).ranks == ranks,
           "both can be looked at");
    OK(qdr_export(stream, 1, &out));
    OK(qdr_import(stream, 1, QDR_EXACT, 0, &in, NULL));
    expect(got[0] == own[0] && got[1] == own[1], "the import brought what was exported");
    OK(qdr_stream_destroy(&stream));
    OK(qdr_coupling_destroy(&coupling));
    OK(qdr_program_destroy(&program));
    qdr_layout_destroy(&layout);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    plans();
    maps();
    directories();
    migrations();
    deliveries();
    schedules();
    couplings();
    MPI_Finalize();
    return failures != 0;
}
