/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All methods of resolving, against what must come of it (resolve_testing.h), and with it against each other:
 * any ownership, needs with repetition and of nobody's ids, ranks with nothing, symmetric and not, by blocks
 * and by hash, on one node and on several. Then the maps that come of it, which must bring to everyone the
 * items he asked for: the value of an item is its id. And what the reports say of steps and memory.
 */
#include <stdio.h>

#include "cover.h"
#include "mpi_check.h"

#include "directory/directory_testing.h"
#include "directory/resolve_testing.h"

static const char *const methods[] = {NULL,      "directory", "ring",     "torus:2",
                                      "torus:3", "torus:20",  "alltoall", "hybrid"};
enum { METHODS = (int)(sizeof methods / sizeof *methods) };

enum factor { OWNED, NEEDED, LIMIT, STRANGE, SYMMETRIC, LAYOUT, SIZE, FACTORS };
static const int64_t sizes[] = {1, 40, 900};
static const int levels[FACTORS] = {OWNED_KINDS, NEEDED_KINDS, LIMIT_KINDS, 2, 2, LAYOUTS, 3};

static int64_t resolved;

static void settle(int *level) {
    (void)level;
}

static const char *name_of(int method) {
    return methods[method] ? methods[method] : "default";
}

/* ---- steps --------------------------------------------------------------------------------------------- */

/* The fewest steps in a torus of so many dimensions that has room for all ranks: the sum of its lengths less
 * one. */
static int fewest_steps(int many, int dimensions) {
    int best = many - 1;
    for (int length = 2; dimensions > 1 && length < many; length++) {
        int steps = length - 1 + fewest_steps((many + length - 1) / length, dimensions - 1);
        if (steps < best) best = steps;
    }
    return best;
}

static int steps_of(const char *method) {
    if (!method || !strcmp(method, "directory")) return 0;
    if (!strcmp(method, "ring")) return ranks - 1;
    if (!strncmp(method, "torus:", 6)) return fewest_steps(ranks, atoi(method + 6));
    return -1; /* as it likes */
}

static void check_report(const char *method, const qdr_resolve_report *report) {
    int steps = steps_of(method);
    CHECK_SAYING(steps < 0 || report->steps == steps, "%s: %d steps, not %d", method, report->steps, steps);
    CHECK(report->steps >= 0 && report->lists >= 0 && report->sent >= 0 && report->memory >= 0);
    CHECK_SAYING(ranks > 1 || report->lists == 0 || steps == 0, "%s: %lld lists to nobody", method,
                 (long long)report->lists);
}

/* ---- one case ------------------------------------------------------------------------------------------ */

typedef struct boundary {
    int64_t count, *position;
} boundary;

static qdr_resolve_options options_of(const scene *all, int method, int symmetric, const boundary *edge) {
    qdr_resolve_options options = QDR_RESOLVE_OPTIONS;
    options.method = methods[method];
    options.symmetric = symmetric;
    options.limit = scene_limit(all);
    options.boundaries = edge->count;
    options.boundary = edge->position;
    return options;
}

static void check_places(const scene *all, const char *method, const int *owner, const int64_t *place) {
    int64_t wrong = 0, first = -1;
    for (int64_t i = 0; i < all->need_count; i++) {
        int64_t item = all->need_item[i];
        int expected = all->owner[item];
        if (owner[i] == expected && (expected == QDR_NOBODY || place[i] == all->place[item])) continue;
        if (wrong++ == 0) first = i;
    }
    resolved += all->need_count;
    if (wrong == 0) return;
    int64_t item = all->need_item[first];
    CHECK_SAYING(0, "%s: %lld of %lld are wrong; id %lld is %d:%lld, not %d:%lld", method, (long long)wrong,
                 (long long)all->need_count, (long long)all->need_id[first], owner[first],
                 (long long)place[first], all->owner[item], (long long)all->place[item]);
}

static void run_resolve(const scene *all, const qdr_resolve_options *options, MPI_Comm comm, int method) {
    size_t room = (size_t)all->need_count + 1;
    int *owner = malloc(room * sizeof *owner);
    int64_t *place = malloc(room * sizeof *place);
    qdr_resolve_report report = {-1, -1, -1, -1};
    memset(owner, 0x55, room * sizeof *owner);
    memset(place, 0x55, room * sizeof *place);
    qdr_status status = qdr_resolve(comm, all->own_count, all->own_id, all->need_count, all->need_id, options,
                                    owner, place, &report);
    CHECK_SAYING(status == QDR_OK, "%s: %s", name_of(method), qdr_error_message());
    if (!status) check_places(all, name_of(method), owner, place);
    if (!status) check_report(methods[method], &report);
    CHECK(owner[all->need_count] == 0x55555555); /* not past the end */
    free(owner);
    free(place);
}

/* ---- maps ---------------------------------------------------------------------------------------------- */

/* The k-th need goes to element target[k]: to any, in any order, with gaps. */
static void check_values(const scene *all, qdr_map *map, const int64_t *target, const char *method) {
    size_t room = 2 * (size_t)all->need_count + 2;
    int64_t *value = malloc(room * sizeof *value), wrong = 0;
    qdr_field field = {.source = all->own_id, .target = value, .type = QDR_INT64, .width = 1};
    for (int turn = 0; turn < 2; turn++) {
        for (size_t i = 0; i < room; i++) value[i] = -99;
        CHECK_SAYING(qdr_map_exchange(map, QDR_FORWARD, 1, &field) == QDR_OK, "%s: %s", method,
                     qdr_error_message());
        for (int64_t k = 0; k < all->need_count; k++)
            wrong += value[target ? target[k] : k] != all->need_id[k];
        wrong += value[room - 1] != -99;
    }
    CHECK_SAYING(wrong == 0, "%s: the map brings %lld wrong values", method, (long long)wrong);
    free(value);
}

/* In 32 bits; NULL: some number does not fit. */
static int32_t *narrowed(int64_t count, const int64_t *number) {
    int32_t *narrow = malloc(((size_t)count + 1) * sizeof *narrow);
    for (int64_t i = 0; i < count; i++) {
        narrow[i] = (int32_t)number[i];
        if (narrow[i] == number[i]) continue;
        free(narrow);
        return NULL;
    }
    return narrow;
}

/* Some ranks have their numbers in 32 bits, where they fit. */
static qdr_status make_map(const scene *all, const qdr_resolve_options *options, MPI_Comm comm,
                           const int64_t *target, qdr_map **map) {
    int32_t *own = narrowed(all->own_count, all->own_id), *need = narrowed(all->need_count, all->need_id),
            *into = target ? narrowed(all->need_count, target) : NULL;
    qdr_resolve_options narrow = *options;
    narrow.own_id32 = own;
    narrow.need_id32 = need;
    narrow.target32 = into;
    int is_narrow = own && need && !into == !target && (rank + all->seed) % 2;
    qdr_status status =
        is_narrow ? qdr_resolve_map(comm, all->own_count, NULL, all->need_count, NULL, NULL, &narrow, map)
                  : qdr_resolve_map(comm, all->own_count, all->own_id, all->need_count, all->need_id, target,
                                    options, map);
    free(own);
    free(need);
    free(into);
    return status;
}

static void run_map(const scene *all, const qdr_resolve_options *options, MPI_Comm comm, int method) {
    int64_t *target = malloc(((size_t)all->need_count + 1) * sizeof *target), id = 0;
    int who = 0, spreads = method % 2;
    qdr_map *map = NULL;
    for (int64_t k = 0; k < all->need_count; k++) target[k] = 2 * (all->need_count - 1 - k);
    qdr_status status = make_map(all, options, comm, spreads ? target : NULL, &map);
    if (first_unknown(all, &id, &who)) {
        const char *sentence = status ? qdr_error_message() : "";
        CHECK_SAYING(status == QDR_ERR_UNKNOWN && says_number(sentence, id) && says_number(sentence, who) &&
                         !map,
                     "%s: '%s' (%s) where rank %d needs %lld, which nobody owns", name_of(method),
                     qdr_status_text(status), sentence, who, (long long)id);
        alike_at(__FILE__, __LINE__, status);
    } else {
        CHECK_SAYING(status == QDR_OK, "%s: %s", name_of(method), qdr_error_message());
        if (!status) check_values(all, map, spreads ? target : NULL, name_of(method));
    }
    FINE(qdr_map_destroy(&map));
    free(target);
}

static void run_case(const int *level, MPI_Comm comm, uint64_t seed) {
    scene all = {.seed = seed,
                 .owned = sizes[level[SIZE]],
                 .items = sizes[level[SIZE]] + (level[STRANGE] ? 17 : 0),
                 .owned_kind = (enum owned)level[OWNED],
                 .needed_kind = (enum needed)level[NEEDED],
                 .limit_kind = (enum limits)level[LIMIT],
                 .strange = level[STRANGE]};
    open_scene(&all);
    boundary edge = {.position = malloc(((size_t)all.own_count + 1) * sizeof *edge.position)};
    edge.count = list_boundary(&all, edge.position);
    /* Where it is not symmetric, only some of them are known. */
    if (!level[SYMMETRIC]) edge.count /= 2;
    for (int method = 0; method < METHODS; method++) {
        qdr_resolve_options options = options_of(&all, method, level[SYMMETRIC], &edge);
        run_resolve(&all, &options, comm, method);
        run_map(&all, &options, comm, method);
    }
    free(edge.position);
    close_scene(&all);
}

/* ---- memory -------------------------------------------------------------------------------------------- */

/* The fewer steps, the more lists are held at once (section 2 of the paper). Where ranks do not fill the torus
 * some do the work of two: these are compared with the ring alone. */
static void test_memory(MPI_Comm comm) {
    static const int order[] = {2, 3, 4, 5}; /* ring, torus:2, torus:3, torus:20 */
    scene all = {.seed = 3, .items = 4000, .owned = 4000, .needed_kind = NEEDED_BY_ALL};
    int64_t before = 0;
    int steps = ranks, fills = (ranks & (ranks - 1)) == 0;
    open_scene(&all);
    int *owner = malloc((size_t)all.need_count * sizeof *owner);
    int64_t *place = malloc((size_t)all.need_count * sizeof *place);
    for (int i = 0; i < 4; i++) {
        qdr_resolve_options options = QDR_RESOLVE_OPTIONS;
        qdr_resolve_report report = {0};
        int64_t most = 0;
        options.method = methods[order[i]];
        FINE(qdr_resolve(comm, all.own_count, all.own_id, all.need_count, all.need_id, &options, owner, place,
                         &report));
        MPI_Allreduce(&report.memory, &most, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
        CHECK_SAYING(i == 1 && report.steps < steps ? most > before : most >= before,
                     "%s: %lld bytes in %d steps, %lld in %d before", options.method, (long long)most,
                     report.steps, (long long)before, steps);
        CHECK_SAYING(most >= 8 * all.need_count, "%s: %lld bytes for %lld ids", options.method,
                     (long long)most, (long long)all.need_count);
        if (i > 0 && !fills) continue;
        before = most;
        steps = report.steps;
    }
    free(owner);
    free(place);
    close_scene(&all);
}

/* ---- the table ----------------------------------------------------------------------------------------- */

static void test_methods(void) {
    static const char *const expected[] = {"directory", "ring", "torus", "alltoall", "hybrid"};
    int count = 0, found = 0;
    for (const qdr_resolve_method_info *info; (info = qdr_resolve_method(count)); count++) {
        CHECK(info->name && *info->name && info->summary && *info->summary && info->memory && *info->memory);
        for (int i = 0; i < 5; i++) found += !strcmp(info->name, expected[i]);
    }
    CHECK_SAYING(count == 5 && found == 5, "%d methods, %d of them expected", count, found);
    CHECK(!qdr_resolve_method(-1));
    CHECK(!qdr_resolve_method(count));
}

int main(int count, char **words) {
    int level[FACTORS], rounds = count > 1 ? atoi(words[1]) : 1;
    MPI_Comm comms[LAYOUTS];
    enter_mpi(&count, &words);
    test_methods();
    for (int i = 0; i < LAYOUTS; i++) comms[i] = comm_on_nodes(i);
    for (int round = 0; round < rounds; round++) {
        cover all = cover_open(FACTORS, levels, settle, (uint64_t)round + 1);
        /* Many ranks on few processors have a part of the cases, each number of them another. */
        for (int share = ranks / 6 + 1, at = ranks; cover_next(&all, level); at++)
            if (at % share == 0) run_case(level, comms[level[LAYOUT]], (uint64_t)at);
        cover_close(&all);
    }
    for (int i = 0; i < LAYOUTS; i++) {
        test_memory(comms[i]);
        MPI_Comm_free(&comms[i]);
    }
    CHECK(sum_of(resolved) > 1000);
    return leave_mpi();
}
