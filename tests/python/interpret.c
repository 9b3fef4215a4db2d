/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * interpret DATA OUT: runs the programs of a file, one call a line, and writes what arrives on this rank to OUT.RANK; interpret.py does the
 * same in Python. A line is a seed, from which this rank's values follow, a word, and what it needs:
 *
 *     pattern    spec, algorithm: the steps of the schedule
 *     plan       algorithm, bytes of an item, exchanges, the whole matrix
 *     map        type, width, sum or not, in reverse too or not, elements; for each rank its links: owner, place, place there
 *     directory  with a payload or not; for each rank what it owns, looks for, and removes
 *     migrate    bytes of an item, room for more of them, method; for each rank the destinations
 *     couple     rows, columns; for both sides which axis is dealt out, how, in blocks of what; how times match
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "quadrille-mpi.h"

enum { MOST = 1 << 16 };
static int rank, ranks;
static FILE *out;
static qdr_coupling *coupled;
static const char *name;
static char *rest; /* of the line */
static const qdr_type types[] = {QDR_INT8, QDR_INT32, QDR_INT64, QDR_FLOAT, QDR_DOUBLE};

static int64_t number(void) {
    return strtoll(strtok_r(NULL, " \n", &rest), NULL, 10);
}
static const char *word(void) {
    return strtok_r(NULL, " \n", &rest);
}
static void *room(int64_t count, size_t bytes) {
    void *made = calloc((size_t)count + 1, bytes);
    if (!made) abort();
    return made;
}

static unsigned char value(int64_t seed, int64_t i) {
    uint64_t stream = (uint64_t)(seed * ranks + rank) << 20;
    return (unsigned char)(qdri_mix(stream + (uint64_t)i) % 100);
}
static unsigned char *values(int64_t seed, int64_t count) {
    unsigned char *made = room(count, 1);
    for (int64_t i = 0; i < count; i++) made[i] = value(seed, i);
    return made;
}

static void arrived(const void *data, int64_t bytes) {
    fprintf(out, "%s %lld\n", name, (long long)bytes);
    fwrite(data, 1, (size_t)bytes, out);
    fputc('\n', out);
}
static void failed(qdr_status status) {
    fprintf(out, "%s failed: %d\n", name, (int)status);
}
static void must(qdr_status status) {
    if (!status) return;
    fprintf(stderr, "interpret: %s: %s\n", name, qdr_error_message());
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void run_pattern(void) {
    qdr_pattern *pattern = NULL;
    qdr_schedule *schedule = NULL;
    qdr_step *steps = NULL;
    int64_t count = 0;
    const char *spec = word(), *algorithm = word();
    qdr_status status = qdr_pattern_from_spec(spec, &pattern);
    if (!status) status = qdr_schedule_create(pattern, algorithm, NULL, &schedule);
    if (!status) status = qdr_schedule_steps(schedule, &count, &steps);
    int64_t(*all)[5] = room(count, sizeof *all);
    for (int64_t i = 0; i < count; i++) {
        const int64_t one[] = {steps[i].stage, steps[i].from, steps[i].to, steps[i].phase, steps[i].items};
        memcpy(all[i], one, sizeof one);
    }
    status ? failed(status) : arrived(all, count * (int64_t)sizeof *all);
    free(all);
    free(steps);
    qdr_schedule_destroy(&schedule);
    qdr_pattern_destroy(&pattern);
}

static void run_plan(int64_t seed) {
    qdr_partners *partners = NULL;
    qdr_plan *plan = NULL;
    qdr_plan_options options = QDR_PLAN_OPTIONS;
    options.algorithm = word();
    const int64_t bytes = number(), times = number();
    int64_t *amount = room(ranks, sizeof *amount), leaving = 0, coming = 0;
    int *other = room(ranks, sizeof *other), count = 0;
    for (int from = 0; from < ranks; from++)
        for (int to = 0; to < ranks; to++) {
            int64_t items = number();
            if (from != rank || items == 0) continue;
            other[count] = to;
            amount[count++] = items;
            leaving += items > 0 ? items : 0;
        }
    qdr_status status = qdr_partners_from_sends(MPI_COMM_WORLD, count, other, amount, NULL, &partners);
    if (!status) status = qdr_plan_create(partners, &options, &plan);
    if (!status) {
        qdr_partners_view view = qdr_partners_look(partners);
        for (int i = 0; i < view.receives; i++) coming += view.receive_items[i];
        unsigned char *from = values(seed, leaving * bytes), *to = room(coming * bytes, 1);
        qdr_buffers buffers = {.item_bytes = bytes, .outgoing_base = from, .incoming_base = to};
        for (int64_t i = 0; i < times; i++) must(qdr_plan_exchange(plan, &buffers));
        arrived(to, coming * bytes);
        free(from);
        free(to);
    } else {
        failed(status);
    }
    must(qdr_plan_destroy(&plan));
    qdr_partners_destroy(&partners);
    free(amount);
    free(other);
}

static void set(void *array, int64_t i, qdr_type type, int value) {
    switch (type) {
    case QDR_INT8:
        ((int8_t *)array)[i] = (int8_t)value;
        break;
    case QDR_INT32:
        ((int32_t *)array)[i] = value;
        break;
    case QDR_INT64:
        ((int64_t *)array)[i] = value;
        break;
    case QDR_FLOAT:
        ((float *)array)[i] = (float)value;
        break;
    default:
        ((double *)array)[i] = value;
    }
}

static void run_map(int64_t seed) {
    const qdr_type type = types[number()];
    const int64_t width = number(), sums = number(), reverse = number(), elements = number();
    int *owner = NULL;
    int64_t *here = NULL, *there = NULL, links = 0;
    for (int r = 0; r < ranks; r++) {
        int64_t count = number();
        int *owners = room(count, sizeof *owners);
        int64_t *places = room(count, sizeof *places), *partners = room(count, sizeof *partners);
        for (int64_t k = 0; k < count; k++) {
            owners[k] = (int)number();
            places[k] = number();
            partners[k] = number();
        }
        if (r == rank) {
            owner = owners, here = places, there = partners, links = count;
        } else {
            free(owners), free(places), free(partners);
        }
    }
    qdr_map *map = NULL;
    qdr_map_options options = QDR_MAP_OPTIONS;
    options.reverse = reverse ? QDR_REVERSE_COMBINE : QDR_REVERSE_NONE;
    const qdr_indices needs = {.links = links, .link_rank = owner, .place = here, .partner_place = there};
    qdr_status status = qdr_map_create(MPI_COMM_WORLD, NULL, &needs, &options, &map);
    if (!status) {
        const int64_t count = elements * width, bytes = count * qdr_type_bytes(type);
        char *both = room(2 * count, (size_t)qdr_type_bytes(type)), *source = both, *target = both + bytes;
        for (int64_t i = 0; i < count; i++) {
            set(source, i, type, value(seed, i));
            set(target, i, type, 1);
        }
        qdr_field field = {.source = source,
                           .target = target,
                           .type = type,
                           .width = width,
                           .operation = sums ? QDR_SUM : QDR_REPLACE};
        must(qdr_map_exchange(map, QDR_FORWARD, 1, &field));
        if (reverse) {
            field = (qdr_field){
                .source = target, .target = source, .type = type, .width = width, .operation = QDR_SUM};
            must(qdr_map_exchange(map, QDR_REVERSE, 1, &field));
        }
        arrived(reverse ? both : target, reverse ? 2 * bytes : bytes);
        free(both);
    } else {
        failed(status);
    }
    must(qdr_map_destroy(&map));
    free(owner), free(here), free(there);
}

static void run_directory(void) {
    qdr_directory *directory = NULL;
    qdr_directory_options options = QDR_DIRECTORY_OPTIONS;
    const int64_t with_payload = number();
    int64_t *list[3] = {NULL}, count[3] = {0}, unknown[3] = {0};
    options.payload_bytes = with_payload ? 8 : 0;
    for (int r = 0; r < ranks; r++)
        for (int l = 0; l < 3; l++) {
            int64_t length = number(), *ids = room(length, sizeof *ids);
            for (int64_t i = 0; i < length; i++) ids[i] = number();
            if (r == rank) {
                list[l] = ids;
                count[l] = length;
            } else {
                free(ids);
            }
        }
    int64_t *payload = room(count[0], sizeof *payload), needed = count[1];
    int *owner = room(2 * needed, sizeof *owner);
    int64_t *place = room(needed, sizeof *place), *found = room(needed, sizeof *found);
    for (int64_t i = 0; i < count[0]; i++) payload[i] = 3 * list[0][i];
    must(qdr_directory_create(MPI_COMM_WORLD, &options, &directory));
    const int64_t said =
        qdr_directory_insert(directory, count[0], list[0], NULL, NULL, with_payload ? payload : NULL);
    must(qdr_directory_find(directory, needed, list[1], owner, place, with_payload ? found : NULL,
                            &unknown[0]));
    must(qdr_directory_remove(directory, count[2], list[2], &unknown[1]));
    must(qdr_directory_find(directory, needed, list[1], owner + needed, NULL, NULL, &unknown[2]));
    int64_t *all = room(3 + 4 * needed, sizeof *all), *next = all;
    *next++ = said;
    *next++ = unknown[0];
    *next++ = unknown[1];
    for (int64_t i = 0; i < needed; i++) *next++ = owner[i];
    for (int64_t i = 0; i < needed; i++) *next++ = place[i];
    for (int64_t i = 0; i < needed; i++) *next++ = owner[needed + i];
    for (int64_t i = 0; i < needed && with_payload; i++) *next++ = found[i];
    arrived(all, (next - all) * (int64_t)sizeof *all);
    must(qdr_directory_destroy(&directory));
    for (int l = 0; l < 3; l++) free(list[l]);
    free(payload), free(owner), free(place), free(found), free(all);
}

static int64_t item_bytes;
static int by_bytes(const void *one, const void *other) {
    return memcmp(one, other, (size_t)item_bytes);
}

static void run_migration(int64_t seed) {
    qdr_migration_options options = QDR_MIGRATION_OPTIONS;
    item_bytes = number();
    const int64_t more = number();
    options.method = word();
    int *destination = NULL;
    int64_t count = 0;
    for (int r = 0; r < ranks; r++) {
        int64_t items = number();
        int *ranks_of = room(items, sizeof *ranks_of);
        for (int64_t i = 0; i < items; i++) ranks_of[i] = (int)number();
        if (r == rank) {
            destination = ranks_of;
            count = items;
        } else {
            free(ranks_of);
        }
    }
    const int64_t capacity = count + more;
    unsigned char *mine = values(seed, count * item_bytes), *items = room(capacity, (size_t)item_bytes);
    memcpy(items, mine, (size_t)(count * item_bytes));
    qdr_status status =
        qdr_migrate_array(MPI_COMM_WORLD, &count, capacity, items, item_bytes, destination, &options, NULL);
    qsort(items, (size_t)count, (size_t)item_bytes, by_bytes);
    status ? failed(status) : arrived(items, count * item_bytes);
    free(mine), free(items), free(destination);
}

static void run_coupling(int64_t seed) {
    const int64_t extent[] = {number(), number()};
    qdr_layout *layout[2];
    int64_t elements, size[2];
    for (int side = 0; side < 2; side++) {
        qdr_axis axis[] = {{.extent = extent[0]}, {.extent = extent[1]}};
        qdr_axis *dealt = &axis[number()];
        dealt->spread = strcmp(word(), "block") ? QDR_CYCLIC : QDR_BLOCK;
        dealt->parts = ranks;
        dealt->block = number();
        if (dealt->spread == QDR_BLOCK) dealt->block = 0;
        must(qdr_layout_regular(2, axis, NULL, &layout[side]));
        must(qdr_layout_share(layout[side], rank, &elements, &size[side]));
    }
    const qdr_match match = (qdr_match)number();
    int32_t *from = room(size[0], sizeof *from), *to = room(size[1] + 1, sizeof *to);
    double matched = 0;
    qdr_stream *stream = NULL;
    const qdr_coupled leaves = {.name = "x", .layout = layout[0], .type = QDR_INT32},
                      comes = {.name = "x", .layout = layout[1], .type = QDR_INT32};
    must(qdr_stream_create(coupled, "s", 1, &leaves, 1, &comes, NULL, &stream));
    for (int64_t i = 0; i < size[1]; i++) to[i] = -1;
    for (int time = 1; time <= 3; time++) {
        for (int64_t i = 0; i < size[0]; i++) from[i] = value(seed, i) + time;
        must(qdr_export(stream, time, (const void *const[]){from}));
    }
    must(qdr_stream_promise(stream, 9));
    qdr_status status = qdr_import(stream, 2.5, match, 0.7, (void *const[]){to}, &matched);
    if (status != QDR_ERR_UNMATCHED) must(status);
    must(qdr_stream_destroy(&stream));
    to[size[1]] = (int32_t)matched;
    arrived(to, (size[1] + 1) * (int64_t)sizeof *to);
    for (int side = 0; side < 2; side++) qdr_layout_destroy(&layout[side]);
    free(from), free(to);
}

static void run(char *line) {
    if (!strncmp(line, "program", 7)) {
        fputs(line, out);
        return;
    }
    const int64_t seed = strtoll(strtok_r(line, " ", &rest), NULL, 10);
    name = word();
    if (!strcmp(name, "pattern")) run_pattern();
    if (!strcmp(name, "plan")) run_plan(seed);
    if (!strcmp(name, "map")) run_map(seed);
    if (!strcmp(name, "directory")) run_directory();
    if (!strcmp(name, "migrate")) run_migration(seed);
    if (!strcmp(name, "couple")) run_coupling(seed);
}

int main(int count, char **words) {
    static char line[MOST];
    char path[200];
    qdr_program *program = NULL;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (count != 3) MPI_Abort(MPI_COMM_WORLD, 2);
    snprintf(path, sizeof path, "%s.%d", words[2], rank);
    FILE *data = fopen(words[1], "r");
    out = fopen(path, "w");
    if (!data || !out) MPI_Abort(MPI_COMM_WORLD, 2);
    name = "program";
    must(qdr_program_create(MPI_COMM_WORLD, "random", 0, &program));
    must(qdr_coupling_create(program, "random", NULL, &coupled));
    while (fgets(line, sizeof line, data)) run(line);
    must(qdr_coupling_destroy(&coupled));
    must(qdr_program_destroy(&program));
    fclose(data);
    fclose(out);
    MPI_Finalize();
    return 0;
}
