/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a directory costs. An entry takes at most 32 bytes beside its payload, on every rank: after all came at
 * once, after they came a few at a time, and after most have gone again; and what it says of its memory is
 * held against what the system says. An id that is looked for several times in one call is asked for once; one
 * that is remembered not at all, until somebody changes it.
 *
 * directory_account_mpitest [ENTRIES]: of all ranks together.
 */
#include <stdio.h>

#include "mpi_check.h"

#include "directory/directory_testing.h"

enum { BESIDE = 32, EACH_TIME = 250 };

static int64_t entries = 1000000;

static qdr_directory *open_directory(MPI_Comm comm, qdr_placement placement, int64_t payload, int caches,
                                     qdr_place_function *place) {
    qdr_directory_options options = QDR_DIRECTORY_OPTIONS;
    qdr_directory *directory = NULL;
    options.placement = placement;
    options.limit = placement == QDR_PLACE_BLOCK ? entries : 0;
    options.payload_bytes = payload;
    options.place = place;
    options.caches = caches;
    options.deadline = 60;
    FINE(qdr_directory_create(comm, &options, &directory));
    return directory;
}

/* ---- memory -------------------------------------------------------------------------------------------- */

/* Numbers for blocks, anything for the rest. */
static int64_t id_of(qdr_placement placement, int64_t number) {
    return placement == QDR_PLACE_BLOCK ? number : (int64_t)qdri_mix((uint64_t)number);
}

/* Numbers [from, to) of this rank's share of them all: inserts or removes them. */
static void change(qdr_directory *directory, qdr_placement placement, int inserts, int64_t from, int64_t to) {
    int64_t count = to - from, unknown = 0;
    int64_t *id = malloc((size_t)(count + 1) * sizeof *id), *local = malloc((size_t)(count + 1) * 8);
    for (int64_t i = 0; i < count; i++) {
        local[i] = from + i;
        id[i] = id_of(placement, (from + i) * ranks + rank);
    }
    if (inserts)
        FINE(qdr_directory_insert(directory, count, id, NULL, local, NULL));
    else
        FINE(qdr_directory_remove(directory, count, id, &unknown));
    CHECK(unknown == 0);
    free(id);
    free(local);
}

/* Looks for some of the numbers, which are there or are not. */
static void sample(qdr_directory *directory, qdr_placement placement, int64_t each, int64_t first_there) {
    enum { LOOKS = 1000 };
    int64_t id[LOOKS], local[LOOKS], number[LOOKS], wrong = 0;
    int owner[LOOKS];
    for (int i = 0; i < LOOKS; i++) {
        number[i] = (int64_t)(drawn(5, (uint64_t)rank, (uint64_t)i) % (uint64_t)(each * ranks));
        id[i] = id_of(placement, number[i]);
    }
    FINE(qdr_directory_find(directory, LOOKS, id, owner, local, NULL, NULL));
    for (int i = 0; i < LOOKS; i++) {
        int there = number[i] / ranks >= first_there;
        wrong += owner[i] != (there ? (int)(number[i] % ranks) : QDR_NOBODY) ||
                 local[i] != (there ? number[i] / ranks : -1);
    }
    CHECK_SAYING(wrong == 0, "%lld of %d are wrong", (long long)wrong, LOOKS);
}

/* What an entry may cost beside a payload. */
static double beside(int64_t payload) {
    return payload <= 24 ? BESIDE : BESIDE + 0.4 * (double)payload;
}

/* So many finds on so large a directory that ids are brought to their keepers, by some ranks at least: half of
 * them are unknown, and some ranks ask for little, or nothing. */
static void test_many(MPI_Comm comm, qdr_placement placement, int64_t total) {
    int64_t each = total / ranks, count = rank % 3 == 1 ? 100 * (rank % 2) : total / 2, wrong = 0,
            unknown = 0;
    int64_t *id = malloc((size_t)(count + 1) * sizeof *id), *local = malloc((size_t)(count + 1) * 8);
    int *owner = malloc((size_t)(count + 1) * sizeof *owner);
    qdr_directory *directory = open_directory(comm, placement, 0, 0, NULL);
    change(directory, placement, 1, 0, each);
    for (int turn = 0; turn < 2; turn++) {
        int64_t first = turn ? each / 3 : 0, absent = 0;
        if (turn) change(directory, placement, 0, 0, first);
        for (int64_t i = 0; i < count; i++) {
            uint64_t number =
                drawn(7 + (uint64_t)turn, (uint64_t)rank, (uint64_t)i) % (uint64_t)(2 * each * ranks);
            id[i] = id_of(placement, (int64_t)number);
            owner[i] = 77;
        }
        FINE(qdr_directory_find(directory, count, id, owner, local, NULL, &unknown));
        for (int64_t i = 0; i < count; i++) {
            int64_t number = (int64_t)(drawn(7 + (uint64_t)turn, (uint64_t)rank, (uint64_t)i) %
                                       (uint64_t)(2 * each * ranks));
            int there = number / ranks >= first && number / ranks < each;
            absent += !there;
            wrong += owner[i] != (there ? (int)(number % ranks) : QDR_NOBODY) ||
                     local[i] != (there ? number / ranks : -1);
        }
        CHECK_SAYING(wrong == 0 && unknown == absent, "%lld wrong of %lld, %lld unknown, not %lld",
                     (long long)wrong, (long long)count, (long long)unknown, (long long)absent);
    }
    FINE(qdr_directory_destroy(&directory));
    free(id);
    free(local);
    free(owner);
}

/* Few entries may have a few bytes more, for there are pages. */
static void check_bytes(const qdr_directory *directory, int64_t payload, int64_t expected, const char *when) {
    qdr_directory_view view = qdr_directory_look(directory);
    int64_t all = sum_of(view.entries), bytes = sum_of(view.bytes);
    CHECK_SAYING(all == expected, "%s: %lld entries, not %lld", when, (long long)all, (long long)expected);
    CHECK_SAYING((double)view.bytes <= (double)view.entries * (beside(payload) + (double)payload) + 4096,
                 "%s: %lld bytes for %lld entries: %.1f each beside %lld of payload", when,
                 (long long)view.bytes, (long long)view.entries,
                 (double)view.bytes / (double)(view.entries + !view.entries) - (double)payload,
                 (long long)payload);
    CHECK_SAYING((double)bytes <= (double)all * (beside(payload) + (double)payload) || all < 50000,
                 "%s: %.1f bytes each", when, (double)bytes / (double)all - (double)payload);
    CHECK(view.bytes >= view.entries * (16 + payload));
}

static void test_memory(MPI_Comm comm, qdr_placement placement, int64_t payload, int64_t total) {
    int64_t each = total / ranks, kept = each - each / 10;
    qdr_directory *directory = open_directory(comm, placement, payload, 0, NULL);
    check_bytes(directory, payload, 0, "empty");
    change(directory, placement, 1, 0, each);
    check_bytes(directory, payload, each * ranks, "at once");
    sample(directory, placement, each, 0);
    change(directory, placement, 0, 0, kept);
    check_bytes(directory, payload, (each - kept) * ranks, "after removing most");
    sample(directory, placement, each, kept);
    change(directory, placement, 0, kept, each);
    check_bytes(directory, payload, 0, "after removing all");
    sample(directory, placement, each, each);
    FINE(qdr_directory_destroy(&directory));
}

static void test_growth(MPI_Comm comm, qdr_placement placement, int64_t payload, int64_t total) {
    int64_t each = total / ranks;
    qdr_directory *directory = open_directory(comm, placement, payload, 0, NULL);
    for (int64_t from = 0; from < each; from += EACH_TIME) {
        int64_t to = from + EACH_TIME < each ? from + EACH_TIME : each;
        change(directory, placement, 1, from, to);
        if (from % (16 * EACH_TIME) == 0) check_bytes(directory, payload, to * ranks, "while growing");
    }
    check_bytes(directory, payload, each * ranks, "after growing");
    sample(directory, placement, each, 0);
    for (int64_t from = 0; from < each; from += 8 * EACH_TIME) {
        int64_t to = from + 8 * EACH_TIME < each ? from + 8 * EACH_TIME : each;
        change(directory, placement, 0, from, to);
        check_bytes(directory, payload, (each - to) * ranks, "while shrinking");
    }
    FINE(qdr_directory_destroy(&directory));
}

/* This rank's part of the memory that is in use, as the system sees it. */
static int64_t resident(void) {
    FILE *file = fopen("/proc/self/smaps_rollup", "r");
    char line[200];
    long long kilobytes = 0;
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "Pss: %lld", &kilobytes) == 1) break;
    if (file) fclose(file);
    return kilobytes * 1024;
}

/* On a communicator that has not had a directory before: what others had may be taken again. */
static void test_resident(int layout, int64_t total) {
    int64_t each = total / ranks;
    MPI_Comm comm = comm_on_nodes(layout);
    MPI_Barrier(MPI_COMM_WORLD);
    int64_t before = sum_of(resident());
    qdr_directory *directory = open_directory(comm, QDR_PLACE_HASH, 16, 0, NULL);
    for (int64_t from = 0; from < each; from += each / 8 + 1)
        change(directory, QDR_PLACE_HASH, 1, from, from + each / 8 + 1 < each ? from + each / 8 + 1 : each);
    int64_t said = sum_of(qdr_directory_look(directory).bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    int64_t taken = sum_of(resident()) - before;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("%lld entries with 16 bytes: %lld bytes, it says; %lld, the system says\n",
               (long long)each * ranks, (long long)said, (long long)taken);
    if (before > 0)
        CHECK_SAYING(taken < 2 * said + (16 << 20), "%lld bytes are in use, %lld said", (long long)taken,
                     (long long)said);
    FINE(qdr_directory_destroy(&directory));
    MPI_Comm_free(&comm);
}

/* ---- questions ----------------------------------------------------------------------------------------- */

static int place_by_number(void *context, int64_t id) {
    (void)context;
    return (int)(id % ranks);
}

enum { DIFFERENT = 600, TIMES = 7, ASKED_FOR = DIFFERENT * TIMES };

/* The i-th id that this rank looks for: others keep it, and it comes several times. */
static int64_t wanted_id(int i) {
    int64_t number = i % DIFFERENT;
    int64_t keeper = (rank + 1 + number % (ranks - 1)) % ranks;
    return number * ranks + keeper;
}

static int64_t local_of(int64_t id, int64_t version) {
    return 3 * id + version;
}

/* Rank 0 has inserted them all; or says something else of some. */
static void say_all(qdr_directory *directory, int64_t version, int64_t step) {
    int64_t all = (int64_t)DIFFERENT * ranks, count = 0, unknown = 0;
    int64_t *id = malloc((size_t)all * sizeof *id), *local = malloc((size_t)all * sizeof *local);
    for (int64_t i = 0; i < all && rank == 0; i += step) {
        id[count] = i;
        local[count++] = local_of(i, version);
    }
    if (version == 0)
        FINE(qdr_directory_insert(directory, count, id, NULL, local, NULL));
    else
        FINE(qdr_directory_update(directory, count, id, NULL, local, NULL, &unknown));
    CHECK(unknown == 0);
    free(id);
    free(local);
}

/* Looks for all; the ids that are multiples of `step` have this version. How much was asked. */
static qdr_directory_view look_for(qdr_directory *directory, int64_t version, int64_t step) {
    static int64_t id[ASKED_FOR], local[ASKED_FOR];
    static int owner[ASKED_FOR];
    int64_t wrong = 0;
    for (int i = 0; i < ASKED_FOR; i++) id[i] = wanted_id(i);
    qdr_directory_view before = qdr_directory_look(directory);
    FINE(qdr_directory_find(directory, ASKED_FOR, id, owner, local, NULL, NULL));
    qdr_directory_view after = qdr_directory_look(directory);
    for (int i = 0; i < ASKED_FOR; i++)
        wrong += owner[i] != 0 || local[i] != local_of(id[i], id[i] % step ? 0 : version);
    CHECK_SAYING(wrong == 0, "version %lld: %lld of %d are wrong", (long long)version, (long long)wrong,
                 ASKED_FOR);
    after.asked -= before.asked;
    after.spared -= before.spared;
    return after;
}

static void test_repeated(MPI_Comm comm, int layout) {
    qdr_directory *directory = open_directory(comm, QDR_PLACE_FUNCTION, 0, 0, place_by_number);
    say_all(directory, 0, 1);
    for (int i = 0; i < 2; i++) {
        qdr_directory_view view = look_for(directory, 0, 1);
        /* Where all read the shelves themselves, there is nothing to be spared by sorting out. */
        CHECK_SAYING(view.asked == DIFFERENT || view.shared, "%lld were asked for, not %d",
                     (long long)view.asked, DIFFERENT);
        CHECK_SAYING(view.asked + view.spared == ASKED_FOR || view.shared, "%lld asked, %lld spared",
                     (long long)view.asked, (long long)view.spared);
        CHECK(view.cached == 0 && view.shared == is_one_node(layout));
    }
    FINE(qdr_directory_destroy(&directory));
}

static void test_cache(MPI_Comm comm) {
    enum { MANY = 50 };
    qdr_directory *directory = open_directory(comm, QDR_PLACE_FUNCTION, 0, 1, place_by_number);
    say_all(directory, 0, 1);
    qdr_directory_view view = look_for(directory, 0, 1);
    CHECK_SAYING(view.shared || (view.asked == DIFFERENT && view.cached >= DIFFERENT),
                 "%lld were asked for, %lld are remembered", (long long)view.asked, (long long)view.cached);
    for (int i = 0; i < 3; i++) {
        view = look_for(directory, 0, 1);
        CHECK_SAYING(view.asked == 0 || view.shared, "%lld were asked for again", (long long)view.asked);
        CHECK(view.spared == ASKED_FOR || view.shared);
    }
    /* Rank 0 changes one in so many: these are asked for again, and only few others. */
    for (int64_t version = 1; version < 4; version++) {
        say_all(directory, version, MANY);
        int64_t changed = 0;
        for (int i = 0; i < DIFFERENT; i++) changed += wanted_id(i) % MANY == 0;
        view = look_for(directory, version, MANY);
        CHECK_SAYING((view.asked >= changed && view.asked < changed + DIFFERENT / 4) || view.shared,
                     "%lld were asked for after %lld had changed", (long long)view.asked, (long long)changed);
        view = look_for(directory, version, MANY);
        CHECK(view.asked == 0 || view.shared);
    }
    FINE(qdr_directory_destroy(&directory));
}

int main(int count, char **words) {
    enter_mpi(&count, &words);
    if (count > 1) entries = atoll(words[1]);
    for (int layout = 0; layout < LAYOUTS; layout++) {
        MPI_Comm comm = comm_on_nodes(layout);
        int64_t few = entries / 10;
        test_memory(comm, QDR_PLACE_HASH, 0, layout == 0 ? entries : few);
        test_memory(comm, QDR_PLACE_BLOCK, 16, few);
        test_memory(comm, QDR_PLACE_HASH, 100, few);
        test_growth(comm, QDR_PLACE_HASH, 0, few);
        test_growth(comm, QDR_PLACE_BLOCK, 24, few / 4);
        if (layout < 2) test_resident(layout, entries / 2);
        if (ranks > 1) {
            test_repeated(comm, layout);
            test_cache(comm);
        }
        MPI_Comm_free(&comm);
    }
    for (int layout = 0; layout < LAYOUTS; layout++) {
        MPI_Comm comm = comm_on_nodes(layout);
        test_many(comm, QDR_PLACE_HASH, entries / 2);
        test_many(comm, QDR_PLACE_BLOCK, entries / 4);
        MPI_Comm_free(&comm);
    }
    return leave_mpi();
}
