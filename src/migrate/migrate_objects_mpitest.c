/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Objects of any size, with callbacks that keep books: every object is packed once and released once where it
 * was, and unpacked once where it shall be; where callbacks fail, each is still at exactly one
 * place, and all ranks get a sentence that says who failed. What the limit counts is held against the
 * books.
 *
 * migrate_objects_mpitest [ROUNDS]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "migrate/migrate_testing.h"
#include "mpi_check.h"
#include "quadrille/migrate.h"
#include "light.h"

static int rank, ranks;
static int64_t with_phases, with_parking, with_loss, with_astray; /* what the cases led to */

enum { FAILS_NOT, FAILS_PACK, FAILS_UNPACK, FAILS_RELEASE };

/* The objects of this rank, by origin and number. */
typedef struct store {
    migration_case what;
    int64_t most;         /* numbers of a rank */
    unsigned char *there; /* [ranks * most] how often it is here */
    int64_t count;
    int *destination;
    int64_t bytes, bytes_first, bytes_most; /* of objects that are here */
    int64_t packed, released, unpacked;
    int fails, fails_of; /* which callback, and of how many objects one */
    int everywhere;      /* also where an object is parked */
    int64_t failed;
} store;

/* Sizes are none, small and large; of some cases all large, so that few of them are a phase. */
static int64_t size_of(const store *here, int origin, int64_t number) {
    uint64_t word = qdri_mix(here->what.seed * 31 ^ (uint64_t)origin << 20 ^ (uint64_t)number);
    if (here->what.seed % 5 == 4) return (int64_t)(3000 + word % 3000);
    switch (word % 4) {
    case 0:
        return 0;
    case 1:
        return (int64_t)(word / 4 % 40);
    case 2:
        return (int64_t)(word / 4 % 700);
    default:
        return word / 4 % 50 || here->what.seed % 3 ? (int64_t)(word / 200 % 100)
                                                    : (int64_t)(word / 200 % 20000);
    }
}

static int fails(store *here, int callback, int origin, int64_t number) {
    int failed =
        here->fails == callback &&
        qdri_mix(here->what.seed + 77 * (uint64_t)number + (uint64_t)origin) % (uint64_t)here->fails_of == 0;
    here->failed += failed;
    return failed ? 7 : 0;
}

static int64_t size(void *context, int64_t object) {
    return size_of(context, rank, object);
}

static void content(const store *here, int origin, int64_t number, unsigned char *bytes) {
    uint64_t key = qdri_mix(here->what.seed ^ (uint64_t)origin << 32 ^ (uint64_t)number);
    for (int64_t i = 0, all = size_of(here, origin, number); i < all; i++)
        bytes[i] = (unsigned char)((key >> 8 * (i % 8)) + (uint64_t)i / 8);
}

/* Without bytes to say who it is, an object is told by its turn among those of no bytes. So the name goes
 * along. */
typedef struct name {
    int64_t number;
    int origin, size;
} name;

static int64_t size_named(void *context, int64_t object) {
    int64_t bytes = size(context, object);
    return bytes ? bytes + (int64_t)sizeof(name) : 0;
}

static int pack(void *context, int64_t object, void *bytes) {
    store *here = context;
    int64_t own = size_of(here, rank, object);
    CHECK((uintptr_t)bytes % 8 == 0);
    CHECK(here->there[rank * here->most + object] == 1);
    if (fails(here, FAILS_PACK, rank, object)) return 7;
    here->packed++;
    if (!own) return 0;
    memcpy(bytes, &(name){object, rank, (int)own}, sizeof(name));
    content(here, rank, object, (unsigned char *)bytes + sizeof(name));
    return 0;
}

static void count_bytes(store *here, int64_t bytes) {
    here->bytes += bytes;
    if (here->bytes > here->bytes_most) here->bytes_most = here->bytes;
}

static int release(void *context, int64_t object) {
    store *here = context;
    CHECK(here->there[rank * here->most + object] == 1);
    if (fails(here, FAILS_RELEASE, rank, object)) return 7;
    here->there[rank * here->most + object]--;
    here->released++;
    count_bytes(here, -size_named(here, object));
    return 0;
}

static int unpack(void *context, int from, const void *bytes, int64_t length) {
    store *here = context;
    name who;
    static unsigned char right[20000];
    CHECK((uintptr_t)bytes % 8 == 0);
    if (length == 0) {
        here->unpacked++;
        return 0;
    }
    memcpy(&who, bytes, sizeof who);
    if (who.origin != from || who.number < 0 || who.number >= here->most ||
        length != who.size + (int64_t)sizeof who || who.size != size_of(here, from, who.number)) {
        CHECK_SAYING(0, "an object of %lld bytes from rank %d says that it is %lld of rank %d",
                     (long long)length, from, (long long)who.number, who.origin);
        return 1;
    }
    if ((here->everywhere || case_destination(&here->what, from, who.number) == rank) &&
        fails(here, FAILS_UNPACK, from, who.number))
        return 7;
    content(here, from, who.number, right);
    CHECK(memcmp((const char *)bytes + sizeof who, right, (size_t)who.size) == 0);
    CHECK(here->there[from * here->most + who.number] == 0);
    here->there[from * here->most + who.number] = 1;
    here->unpacked++;
    count_bytes(here, length);
    return 0;
}

static void open_store(store *here, const migration_case *what) {
    *here = (store){.what = *what, .most = what->items * what->ranks * 2 + 2};
    here->count = case_count(what, rank);
    here->there = calloc((size_t)ranks, (size_t)here->most);
    here->destination = malloc((size_t)(here->count + 1) * sizeof *here->destination);
    for (int64_t i = 0; i < here->count; i++) {
        here->destination[i] = case_destination(what, rank, i);
        here->there[rank * here->most + i] = 1;
        here->bytes += size_named(here, i);
    }
    here->bytes_first = here->bytes_most = here->bytes;
}

static void close_store(store *here) {
    free(here->there);
    free(here->destination);
}

static qdr_status run(store *here, const qdr_migration_options *how, qdr_migration_report *report) {
    qdr_objects objects = {.count = here->count,
                           .destination = here->destination,
                           .size = size_named,
                           .pack = pack,
                           .release = release,
                           .unpack = unpack,
                           .context = here};
    return qdr_migrate_objects(MPI_COMM_WORLD, &objects, how, report);
}

/* Everything is where it belongs. */
static void check_home(const store *here, const char *label) {
    for (int origin = 0; origin < ranks; origin++)
        for (int64_t i = 0, count = case_count(&here->what, origin); i < count; i++) {
            int due = case_destination(&here->what, origin, i) == rank;
            if (size_of(here, origin, i) == 0 && origin != rank) continue; /* it has no name */
            CHECK_SAYING(here->there[origin * here->most + i] == due,
                         "%s: object %lld of rank %d is here %d times, expected %d", label, (long long)i,
                         origin, here->there[origin * here->most + i], due);
        }
}

/* Each object that has a name is at one place in all; those whose release failed at two. */
static void check_once(const store *here, const char *label) {
    size_t cells = (size_t)(ranks * here->most);
    unsigned char *sum = malloc(cells);
    MPI_Allreduce(here->there, sum, (int)cells, MPI_UNSIGNED_CHAR, MPI_SUM, MPI_COMM_WORLD);
    for (int origin = 0; origin < ranks; origin++)
        for (int64_t i = 0, count = case_count(&here->what, origin); i < count; i++) {
            int places = sum[origin * here->most + i];
            if (size_of(here, origin, i) == 0) continue;
            CHECK_SAYING(places == 1 || (places == 2 && here->fails == FAILS_RELEASE),
                         "%s: object %lld of rank %d is at %d places", label, (long long)i, origin, places);
        }
    free(sum);
}

static int64_t number_before(const char *sentence, const char *words) {
    const char *end = strstr(sentence, words);
    if (!end) return -1;
    while (end > sentence && end[-1] >= '0' && end[-1] <= '9') end--;
    return strtoll(end, NULL, 10);
}

static void check_limit(const store *here, const qdr_migration_options *how,
                        const qdr_migration_report *report, const char *label) {
    CHECK_SAYING(how->memory == 0 || report->peak <= how->memory, "%s: peak %lld, limit %lld", label,
                 (long long)report->peak, (long long)how->memory);
    CHECK_SAYING(how->memory == 0 || here->bytes_most - here->bytes_first <= how->memory,
                 "%s: %lld bytes more than at first, limit %lld", label,
                 (long long)(here->bytes_most - here->bytes_first), (long long)how->memory);
}

/* The limit that a sentence names does; and some more does too. With one rank that has none, and room to
 * park. */
static void test_limits(const migration_case *what, qdr_migration_options how, const char *label) {
    qdr_migration_report report;
    store here;
    int unlimited = what->seed % 8 == 4 && rank == ranks - 1;
    open_store(&here, what);
    how.memory = !unlimited;
    qdr_status status = run(&here, &how, &report);
    int64_t least = status ? number_before(qdr_error_message(), " bytes suffice") : 0;
    CHECK_SAYING(status == QDR_OK || (status == QDR_ERR_RANGE && least > 1), "%s: %s", label,
                 qdr_error_message());
    CHECK(here.packed + here.unpacked + here.released == 0);
    close_store(&here);
    int times =
        strstr(how.method, "relaxed") ? 1 : 3; /* it may refuse with more room what it does with less */
    for (int more = 0; more < times && status && least > 0; more++) {
        open_store(&here, what);
        how.memory = unlimited ? 0 : least + more * (least / 3);
        status = run(&here, &how, &report);
        CHECK_SAYING(status == QDR_OK, "%s, %lld bytes: %s", label, (long long)how.memory,
                     qdr_error_message());
        if (!status) check_home(&here, label);
        if (!status) check_limit(&here, &how, &report, label);
        with_phases += !status && report.phases > 1;
        with_parking += !status && report.parked_bytes > 0;
        close_store(&here);
        status = QDR_ERR_RANGE;
    }
}

/* The least limit that does, with one rank that has none; 0: there is nothing to move. */
static int64_t least_limit(const migration_case *what, qdr_migration_options how) {
    store here;
    open_store(&here, what);
    how.memory = rank < ranks - 1;
    qdr_status status = run(&here, &how, NULL);
    close_store(&here);
    return status ? number_before(qdr_error_message(), " bytes suffice") : 0;
}

/* With little memory, so that there are phases and parked objects when it happens; `everywhere`, objects
 * can be unpacked nowhere, and those that were parked are lost. */
static void test_failures(const migration_case *what, qdr_migration_options how, int callback, int everywhere,
                          const char *label) {
    static const char *const names[] = {"", "pack", "unpack", "release"};
    char words[64];
    store here;
    int64_t least = least_limit(what, how);
    open_store(&here, what);
    here.fails = callback;
    here.fails_of = 1 + (int)(what->seed % 90);
    here.everywhere = everywhere;
    how.memory = rank < ranks - 1 ? least : 0;
    snprintf(words, sizeof words, ": %s returned 7; of ", names[callback]);
    qdr_status status = run(&here, &how, NULL);
    int64_t mine[2] = {here.failed, here.packed}, all[2];
    MPI_Allreduce(mine, all, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (all[0] > 0)
        CHECK_SAYING(status == QDR_ERR_INVALID && strstr(qdr_error_message(), words), "%s: %s", label,
                     status ? qdr_error_message() : "nothing was noticed");
    else
        CHECK_SAYING(status == QDR_OK, "%s: %s", label, qdr_error_message());
    CHECK(how.memory == 0 || here.bytes_most - here.bytes_first <= how.memory);
    with_loss += everywhere && status && strstr(qdr_error_message(), " are lost") != NULL;
    with_astray += status && strstr(qdr_error_message(), "where they were parked") != NULL;
    if (!everywhere) check_once(&here, label);
    if (all[0] == 0) check_home(&here, label);
    close_store(&here);
}

static const char *const methods[] = {"greedy", "auto", "relaxed", "robust", "greedy:park=largest", "direct"};

static void test(const migration_case *what, const char *method, int part) {
    char label[160];
    qdr_migration_options how = QDR_MIGRATION_OPTIONS;
    qdr_migration_report report;
    store here;
    snprintf(label, sizeof label, "%s, %s, %lld objects, seed %llu", method, pattern_names[what->pattern],
             (long long)what->items, (unsigned long long)what->seed);
    how.method = method;
    open_store(&here, what);
    qdr_status status = run(&here, &how, &report);
    CHECK_SAYING(status == QDR_OK, "%s: %s", label, qdr_error_message());
    if (!status) check_home(&here, label);
    close_store(&here);
    if (part == 0) test_limits(what, how, label);
    if (part > 0) test_failures(what, how, part, 0, label);
    if (part == FAILS_UNPACK) test_failures(what, how, part, 1, label);
}

/* Phases of a few objects each: what does not follow the schedule to the byte must have been kept back. */
static void test_few_at_a_time(void) {
    static const case_pattern patterns[] = {PATTERN_SWAP, PATTERN_SHIFT, PATTERN_RANDOM};
    qdr_migration_options how = QDR_MIGRATION_OPTIONS;
    for (int i = 0; i < 9; i++) {
        char label[80];
        migration_case what = {patterns[i % 3], ranks, 150 + 30 * i, (uint64_t)(14 + 50 * i)};
        how.method = methods[i / 3 * 3 % 5];
        snprintf(label, sizeof label, "few at a time: %s, %s", how.method, pattern_names[what.pattern]);
        test_limits(&what, how, label);
    }
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int rounds = argc > 1 ? atoi(argv[1]) : 100;
    if (is_light()) rounds /= 10;
    qdri_random random = qdri_random_seed(815);
    test_few_at_a_time();
    for (int round = 0; round < rounds; round++) {
        migration_case what = {.pattern = (case_pattern)(round % PATTERNS),
                               .ranks = ranks,
                               .items = 1 + qdri_random_below(&random, 1200),
                               .seed = (uint64_t)round};
        test(&what, methods[qdri_random_below(&random, 6)], round % 4);
    }
    if (rounds >= 60 && ranks > 2)
        CHECK_SAYING(with_phases > 5 && with_parking > 2 && with_loss + with_astray > 1,
                     "%lld, %lld, %lld, %lld cases", (long long)with_phases, (long long)with_parking,
                     (long long)with_loss, (long long)with_astray);
    int verdict = mpi_check_verdict();
    MPI_Finalize();
    return verdict;
}
