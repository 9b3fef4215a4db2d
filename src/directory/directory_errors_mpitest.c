/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Everything that can be done wrong with a directory: each mistake, of all ranks or of one alone, is a status
 * and a sentence, the same on all ranks; nothing has changed by it, and the directory goes on as it was. And
 * what looks like a mistake and is none: nothing at all, ids that nobody has, arrays that nobody wants.
 */
#include <math.h>
#include <stdio.h>

#include "mpi_check.h"

#include "directory/directory_testing.h"
#include "directory/directory_kept_testing.h"

enum { BROUGHT = 4 };

/* ---- making one ---------------------------------------------------------------------------------------- */

typedef void spoil_options(qdr_directory_options *options);

static void wrong_size(qdr_directory_options *options) {
    options->size = 3;
}
static void no_size(qdr_directory_options *options) {
    options->size = 0;
}
static void no_placement(qdr_directory_options *options) {
    options->placement = (qdr_placement)7;
}
static void no_limit(qdr_directory_options *options) {
    options->placement = QDR_PLACE_BLOCK;
    options->limit = 0;
}
static void negative_limit(qdr_directory_options *options) {
    options->placement = QDR_PLACE_BLOCK;
    options->limit = -6;
}
static void no_function(qdr_directory_options *options) {
    options->placement = QDR_PLACE_FUNCTION;
    options->place = NULL;
}
static void negative_payload(qdr_directory_options *options) {
    options->payload_bytes = -9;
}
static void endless_payload(qdr_directory_options *options) {
    options->payload_bytes = INT64_MAX;
}
static void negative_seconds(qdr_directory_options *options) {
    options->deadline = -2;
}
static void no_number_of_seconds(qdr_directory_options *options) {
    options->deadline = NAN;
}

static void test_creation(void) {
    static const struct {
        spoil_options *spoil;
        qdr_status status;
        const char *word;
    } wrong[] = {
        {wrong_size, QDR_ERR_INVALID, "QDR_DIRECTORY_OPTIONS"},
        {no_size, QDR_ERR_INVALID, "QDR_DIRECTORY_OPTIONS"},
        {no_placement, QDR_ERR_RANGE, "7"},
        {no_limit, QDR_ERR_RANGE, "limit"},
        {negative_limit, QDR_ERR_RANGE, "-6"},
        {no_function, QDR_ERR_INVALID, "NULL"},
        {negative_payload, QDR_ERR_RANGE, "-9"},
        {endless_payload, QDR_ERR_RANGE, "9223372036854775807"},
        {negative_seconds, QDR_ERR_RANGE, "-2"},
        {no_number_of_seconds, QDR_ERR_RANGE, "deadline"},
    };
    for (int i = 0; i < (int)(sizeof wrong / sizeof *wrong); i++)
        for (int alone = 0; alone < 2; alone++) {
            qdr_directory_options options = options_of(QDR_PLACE_HASH);
            qdr_directory *directory = NULL;
            if (!alone || rank == last) wrong[i].spoil(&options);
            EXPECT_ALIKE(qdr_directory_create(MPI_COMM_WORLD, &options, &directory), wrong[i].status,
                         wrong[i].word);
            CHECK(directory == NULL);
        }
    qdr_directory *directory = NULL;
    EXPECT_ALIKE(qdr_directory_create(MPI_COMM_WORLD, NULL, rank == last ? NULL : &directory),
                 QDR_ERR_INVALID, "NULL");
    EXPECT(qdr_directory_create(MPI_COMM_NULL, NULL, &directory), QDR_ERR_INVALID, "MPI_COMM_NULL");
    CHECK(directory == NULL);
}

static void differ_in_placement(qdr_directory_options *options) {
    options->placement = QDR_PLACE_HASH;
}
static void differ_in_limit(qdr_directory_options *options) {
    options->limit++;
}
static void differ_in_payload(qdr_directory_options *options) {
    options->payload_bytes = 16;
}
static void differ_in_caches(qdr_directory_options *options) {
    options->caches = 1;
}

static void test_different_options(void) {
    static spoil_options *const differ[] = {differ_in_placement, differ_in_limit, differ_in_payload,
                                            differ_in_caches};
    for (int i = 0; i < 4 && ranks > 1; i++)
        for (int first = 0; first < 2; first++) {
            qdr_directory_options options = options_of(QDR_PLACE_BLOCK);
            qdr_directory *directory = NULL;
            if (rank == (first ? 0 : last)) differ[i](&options);
            EXPECT_ALIKE(qdr_directory_create(MPI_COMM_WORLD, &options, &directory), QDR_ERR_MISMATCH, "");
            CHECK(directory == NULL);
        }
}

/* ---- calls --------------------------------------------------------------------------------------------- */

/* What a rank brings to a call: nothing is wrong with it yet. Ids are there, apart from those of insert. */
typedef struct attempt {
    qdr_directory_call call;
    int64_t id[BROUGHT], local[BROUGHT];
    int owner[BROUGHT];
    payload data[BROUGHT];
    char known[BROUGHT];
} attempt;

static void set_attempt(attempt *one, qdr_directory_verb verb) {
    *one = (attempt){.call = {.verb = verb, .count = BROUGHT, .id = one->id}};
    for (int i = 0; i < BROUGHT; i++) {
        one->id[i] = verb == QDR_DIRECTORY_INSERT ? KEPT + BROUGHT * rank + i : (BROUGHT * rank + i) % KEPT;
        one->owner[i] = rank;
        one->local[i] = i;
        one->data[i] = -i;
        one->known[i] = 5;
    }
    if (verb == QDR_DIRECTORY_INSERT || verb == QDR_DIRECTORY_UPDATE) {
        one->call.owner = one->owner;
        one->call.place = one->local;
        one->call.payload = one->data;
    } else if (verb == QDR_DIRECTORY_FIND) {
        one->call.found_owner = one->owner;
        one->call.found_place = one->local;
        one->call.found_payload = one->data;
    }
    if (verb != QDR_DIRECTORY_INSERT) one->call.known = one->known;
}

static qdr_status run_call(qdr_directory *directory, const qdr_directory_call *call) {
    qdr_pending *round = NULL;
    int64_t unknown = -77;
    qdr_directory_call counted = *call;
    counted.unknown = &unknown;
    qdr_status status = qdr_directory_start(directory, &counted, &round);
    if (!status) status = qdr_wait(&round);
    CHECK(round == NULL);
    CHECK(!status || unknown == -77);
    return status;
}

typedef void spoil_attempt(attempt *one);

static void no_ids(attempt *one) {
    one->call.id = NULL;
}
static void negative_count(attempt *one) {
    one->call.count = -5;
}
static void endless_count(attempt *one) {
    one->call.count = INT64_MAX;
}
static void strange_owner(attempt *one) {
    one->owner[2] = ranks;
}
static void negative_owner(attempt *one) {
    one->owner[1] = QDR_NOBODY;
}
static void negative_local(attempt *one) {
    one->local[3] = -7;
}
static void large_local(attempt *one) {
    one->local[0] = most_local() < INT64_MAX ? most_local() + 1 : INT64_MIN;
}
static void id_past_the_limit(attempt *one) {
    one->id[2] = LIMIT;
}
static void negative_id(attempt *one) {
    one->id[1] = -3;
}
static void id_without_a_rank(attempt *one) {
    one->id[3] = wrong_id = 55;
}
static void id_before_all_ranks(attempt *one) {
    one->id[0] = wrong_id = -66;
}

enum { SAYS = 1 << QDR_DIRECTORY_INSERT | 1 << QDR_DIRECTORY_UPDATE, ANY = 15 };

static void test_calls(qdr_directory *directory, qdr_placement placement) {
    static const struct {
        spoil_attempt *spoil;
        int verbs;
        int placement; /* -1: any */
        qdr_status status;
        const char *word;
    } wrong[] = {
        {no_ids, ANY, -1, QDR_ERR_INVALID, "NULL"},
        {negative_count, ANY, -1, QDR_ERR_RANGE, "-5"},
        {endless_count, ANY, -1, QDR_ERR_RANGE, "9223372036854775807 ids; expected 0 to "},
        {strange_owner, SAYS, -1, QDR_ERR_RANGE, "owner"},
        {negative_owner, SAYS, -1, QDR_ERR_RANGE, "-1"},
        {negative_local, SAYS, -1, QDR_ERR_RANGE, "-7"},
        {large_local, SAYS, -1, QDR_ERR_RANGE, ""},
        {id_past_the_limit, ANY, QDR_PLACE_BLOCK, QDR_ERR_RANGE, "100"},
        {negative_id, ANY, QDR_PLACE_BLOCK, QDR_ERR_RANGE, "-3"},
        {id_without_a_rank, ANY, QDR_PLACE_FUNCTION, QDR_ERR_RANGE, "55"},
        {id_before_all_ranks, ANY, QDR_PLACE_FUNCTION, QDR_ERR_RANGE, "-66"},
    };
    for (int i = 0; i < (int)(sizeof wrong / sizeof *wrong); i++)
        for (int verb = 0; verb < 4; verb++)
            for (int alone = 0; alone < 2; alone++) {
                attempt one, before;
                set_attempt(&one, (qdr_directory_verb)verb);
                if (!(wrong[i].verbs >> verb & 1)) continue;
                if (wrong[i].placement >= 0 && wrong[i].placement != (int)placement) continue;
                if (!alone || rank == last) wrong[i].spoil(&one);
                memcpy(&before, &one, sizeof one);
                EXPECT_ALIKE(run_call(directory, &one.call), wrong[i].status, wrong[i].word);
                CHECK_SAYING(!memcmp(&before, &one, sizeof one), "verb %d, mistake %d: outputs were written",
                             verb, i);
                wrong_id = 0;
                UNCHANGED(directory);
            }
}

/* Of several mistakes that of the lowest rank is told. */
static void test_first_mistake(qdr_directory *directory) {
    attempt one;
    char word[40];
    set_attempt(&one, QDR_DIRECTORY_UPDATE);
    one.local[1] = -1000 - rank;
    if (rank == 0 && ranks > 1) one.local[1] = 1;
    snprintf(word, sizeof word, "%d", -1000 - (ranks > 1));
    EXPECT_ALIKE(run_call(directory, &one.call), QDR_ERR_RANGE, word);
    UNCHANGED(directory);
}

/* The others bring so much that it is still on its way when the mistake is known: nothing of it is done. */
static void test_large_mistake(qdr_directory *directory, qdr_directory_verb verb, qdr_placement placement) {
    enum { MANY = 40000 };
    int64_t *id = malloc(MANY * sizeof *id), *local = malloc(MANY * sizeof *local);
    payload *data = malloc(MANY * sizeof *data);
    int *owner = malloc(MANY * sizeof *owner);
    for (int i = 0; i < MANY; i++) {
        id[i] = verb != QDR_DIRECTORY_INSERT   ? i % KEPT
                : placement == QDR_PLACE_BLOCK ? KEPT + i % (LIMIT - KEPT)
                                               : 1000 + i;
        local[i] = 5;
        data[i] = -i;
        owner[i] = rank;
    }
    qdr_directory_call call = {.verb = verb, .count = rank == last ? -5 : MANY, .id = id};
    if (verb == QDR_DIRECTORY_INSERT || verb == QDR_DIRECTORY_UPDATE) {
        call.owner = owner;
        call.place = local;
        call.payload = data;
    }
    EXPECT_ALIKE(run_call(directory, &call), QDR_ERR_RANGE, "-5");
    UNCHANGED(directory);
    free(id);
    free(local);
    free(data);
    free(owner);
}

/* Ranks in different calls. */
static void test_verbs(qdr_directory *directory) {
    for (int verb = 0; verb < 4; verb++)
        for (int other = 0; other < 4 && ranks > 1; other++) {
            attempt one, before;
            if (other == verb) continue;
            set_attempt(&one, (qdr_directory_verb)(rank == last ? other : verb));
            memcpy(&before, &one, sizeof one);
            EXPECT_ALIKE(run_call(directory, &one.call), QDR_ERR_MISMATCH, "");
            CHECK_SAYING(!memcmp(&before, &one, sizeof one), "verbs %d and %d: outputs were written", verb,
                         other);
            UNCHANGED(directory);
        }
    static const int strange[] = {4, -1, 1 << 20};
    for (int i = 0; i < 3; i++)
        for (int alone = 0; alone < 2; alone++) {
            attempt one;
            set_attempt(&one, QDR_DIRECTORY_FIND);
            if (!alone || rank == last) one.call.verb = (qdr_directory_verb)strange[i];
            qdr_status status = run_call(directory, &one.call);
            CHECK_SAYING(status == QDR_ERR_RANGE || status == QDR_ERR_INVALID ||
                             (alone && status == QDR_ERR_MISMATCH),
                         "verb %d: '%s'", strange[i], qdr_status_text(status));
            alike_at(__FILE__, __LINE__, status);
            UNCHANGED(directory);
        }
}

/* Claims of one id by several: the first holds, the rest is inserted. */
static void test_conflict(qdr_directory *directory) {
    int64_t id[3] = {KEPT + 5, 3, KEPT + 6 + rank}, local[3] = {rank, local_of(3), 8}, found = 0;
    int owner[3] = {rank, owner_of(3), rank}, first = -1;
    char sentence[400];
    qdr_status status = qdr_directory_insert(directory, 3, id, owner, local, NULL);
    if (ranks > 1) {
        snprintf(sentence, sizeof sentence, "%s", qdr_error_message());
        alike_at(__FILE__, __LINE__, status);
        CHECK_SAYING(status == QDR_ERR_MISMATCH && says_number(sentence, KEPT + 5) &&
                         says_number(sentence, 0) && says_number(sentence, 1),
                     "'%s' where id %d of ranks 0 and 1 was expected: %s", qdr_status_text(status), KEPT + 5,
                     sentence);
    } else {
        CHECK(status == QDR_OK);
    }
    FINE(qdr_directory_find(directory, 1, id, &first, &found, NULL, NULL));
    CHECK(first == 0 && found == 0);
    CHECK(sum_of(qdr_directory_look(directory).entries) == KEPT + 1 + ranks);
    /* One rank may say twice what is the case, or something else. */
    id[0] = id[1] = KEPT + 30;
    owner[0] = owner[1] = 0;
    local[0] = local[1] = 4;
    FINE(qdr_directory_insert(directory, 2, id, owner, local, NULL));
    local[1] = rank == last ? 5 : 4;
    EXPECT_ALIKE(qdr_directory_insert(directory, 2, id, owner, local, NULL), QDR_ERR_MISMATCH, "70");
    int64_t all[2] = {KEPT + 5, KEPT + 30}, mine = KEPT + 6 + rank, unknown = -1;
    FINE(qdr_directory_remove(directory, 2, all, &unknown));
    CHECK(unknown == 0);
    FINE(qdr_directory_remove(directory, 1, &mine, &unknown));
    CHECK(unknown == 0);
    UNCHANGED(directory);
}

/* ---- what is no mistake -------------------------------------------------------------------------------- */

static void test_nothing(qdr_directory *directory) {
    int64_t unknown = -1;
    FINE(qdr_directory_insert(directory, 0, NULL, NULL, NULL, NULL));
    FINE(qdr_directory_update(directory, 0, NULL, NULL, NULL, NULL, &unknown));
    CHECK(unknown == 0);
    FINE(qdr_directory_remove(directory, 0, NULL, NULL));
    unknown = -1;
    FINE(qdr_directory_find(directory, 0, NULL, NULL, NULL, NULL, &unknown));
    CHECK(unknown == 0);
    UNCHANGED(directory);
}

/* Every id is judged by itself; on the last rank alone, the others bring nothing. */
static void test_unknown(qdr_directory *directory) {
    static const int64_t id[] = {5, KEPT, 6, KEPT + 7, KEPT, 5};
    static const char there[] = {1, 0, 1, 0, 0, 1};
    int64_t count = rank == last ? 6 : 0, local[6] = {9, 9, 9, 9, 9, 9}, unknown = -1;
    int owner[6] = {9, 9, 9, 9, 9, 9};
    payload data[6] = {9, 9, 9, 9, 9, 9};
    char known[6] = {9, 9, 9, 9, 9, 9};
    qdr_pending *round = NULL;
    qdr_directory_call call = {.verb = QDR_DIRECTORY_FIND, .count = count, .id = id, .known = known};
    call.unknown = &unknown;
    call.found_owner = owner;
    call.found_place = local;
    call.found_payload = data;
    FINE(qdr_directory_start(directory, &call, &round));
    FINE(qdr_wait(&round));
    CHECK(unknown == count / 2);
    for (int i = 0; i < count; i++)
        CHECK(there[i] ? known[i] == 1 && owner[i] == owner_of(id[i]) && local[i] == local_of(id[i]) &&
                             data[i] == payload_of(id[i])
                       : known[i] == 0 && owner[i] == QDR_NOBODY && local[i] == -1 && data[i] == 0);
    memset(known, 9, sizeof known);
    call = (qdr_directory_call){.verb = QDR_DIRECTORY_UPDATE, .count = count, .id = id, .known = known};
    call.unknown = &unknown;
    int own[6];
    int64_t place[6];
    for (int i = 0; i < 6; i++) {
        own[i] = owner_of(id[i]);
        place[i] = local_of(id[i]);
    }
    call.owner = own;
    call.place = place;
    FINE(qdr_directory_start(directory, &call, &round));
    FINE(qdr_wait(&round));
    CHECK(unknown == count / 2);
    for (int i = 0; i < count; i++) CHECK(known[i] == there[i]);
    UNCHANGED(directory);
    /* All that remove an id have removed it. */
    int64_t twice[2] = {KEPT, KEPT}, more[3] = {KEPT, KEPT + 1, KEPT};
    FINE(qdr_directory_insert(directory, rank == 0 ? 1 : 0, twice, NULL, NULL, NULL));
    FINE(qdr_directory_remove(directory, 3, more, &unknown));
    CHECK(unknown == 1);
    FINE(qdr_directory_remove(directory, 3, more, &unknown));
    CHECK(unknown == 3);
    UNCHANGED(directory);
}

/* ---- handles ------------------------------------------------------------------------------------------- */

static void test_handles(qdr_directory *directory) {
    attempt one;
    qdr_pending *round = NULL;
    qdr_directory *nobody = NULL;
    int done = 0;
    set_attempt(&one, QDR_DIRECTORY_FIND);
    EXPECT(qdr_directory_start(NULL, &one.call, &round), QDR_ERR_INVALID, "NULL");
    EXPECT(qdr_directory_start(directory, NULL, &round), QDR_ERR_INVALID, "NULL");
    EXPECT(qdr_directory_start(directory, &one.call, NULL), QDR_ERR_INVALID, "NULL");
    EXPECT(qdr_directory_insert(NULL, 0, NULL, NULL, NULL, NULL), QDR_ERR_INVALID, "NULL");
    EXPECT(qdr_directory_find(NULL, 0, NULL, NULL, NULL, NULL, NULL), QDR_ERR_INVALID, "NULL");
    EXPECT(qdr_wait(NULL), QDR_ERR_INVALID, "NULL");
    CHECK(!qdr_wait(&round) && !qdr_test(&round, &done) && done);
    FINE(qdr_directory_destroy(NULL));
    FINE(qdr_directory_destroy(&nobody));
    UNCHANGED(directory);
}

static void test_busy(MPI_Comm comm, qdr_placement placement) {
    qdr_directory *directory = open_directory(comm, placement, 0);
    attempt one, other;
    qdr_pending *round = NULL, *second = NULL;
    int done = 0;
    set_attempt(&one, QDR_DIRECTORY_FIND);
    set_attempt(&other, QDR_DIRECTORY_FIND);
    FINE(qdr_directory_start(directory, &one.call, &round));
    EXPECT(qdr_directory_destroy(&directory), QDR_ERR_BUSY, "");
    CHECK(directory != NULL);
    FINE(qdr_directory_start(directory, &other.call, &second));
    FINE(qdr_wait(&second));
    EXPECT(qdr_directory_destroy(&directory), QDR_ERR_BUSY, "");
    EXPECT(qdr_test(&round, NULL), QDR_ERR_INVALID, "NULL");
    while (!done) FINE(qdr_test(&round, &done));
    CHECK(round == NULL);
    for (int i = 0; i < BROUGHT; i++) {
        CHECK(one.owner[i] == owner_of(one.id[i]) && one.local[i] == local_of(one.id[i]));
        CHECK(other.owner[i] == owner_of(one.id[i]) && other.local[i] == local_of(one.id[i]));
    }
    UNCHANGED(directory);
    FINE(qdr_directory_destroy(&directory));
    CHECK(directory == NULL);
}

/* A mistake between calls that are under way harms neither of them. */
static void test_mistake_between(qdr_directory *directory) {
    attempt one[3];
    qdr_pending *round[3] = {NULL, NULL, NULL};
    qdr_status status;
    for (int i = 0; i < 3; i++) set_attempt(&one[i], i == 1 ? QDR_DIRECTORY_UPDATE : QDR_DIRECTORY_FIND);
    if (rank == last) one[1].owner[0] = -8;
    for (int i = 0; i < 3; i++) {
        status = qdr_directory_start(directory, &one[i].call, &round[i]);
        if (status) EXPECT(i == 1 ? QDR_OK : status, QDR_OK, "");
        if (!round[i] && i == 1) EXPECT(status, QDR_ERR_RANGE, "-8");
    }
    FINE(qdr_wait(&round[2]));
    if (round[1]) EXPECT_ALIKE(qdr_wait(&round[1]), QDR_ERR_RANGE, "-8");
    FINE(qdr_wait(&round[0]));
    for (int i = 0; i < BROUGHT; i++)
        CHECK(one[0].owner[i] == owner_of(one[0].id[i]) && one[2].owner[i] == owner_of(one[2].id[i]));
    UNCHANGED(directory);
}

/* The communicator goes first. */
static void test_gone(int layout) {
    MPI_Comm comm = comm_on_nodes(layout);
    qdr_directory *directory = open_directory(comm, QDR_PLACE_HASH, 0);
    int64_t id = 1;
    int owner = 5;
    UNCHANGED(directory);
    MPI_Barrier(comm);
    MPI_Comm_free(&comm);
    EXPECT(qdr_directory_find(directory, 1, &id, &owner, NULL, NULL, NULL), QDR_ERR_GONE, "freed");
    CHECK(owner == 5);
    FINE(qdr_directory_destroy(&directory));
}

/* A round that has failed, of which some ranks hear only when its directory is gone on others, and another one
 * has taken its place there. */
static void test_successor(MPI_Comm comm) {
    qdr_directory *first = NULL, *second = NULL;
    qdr_pending *round = NULL, *later = NULL;
    int64_t shared = 7, own = 100 + rank, others[3];
    int owner[3];
    FINE(qdr_directory_create(comm, NULL, &first));
    qdr_directory_call claim = {.verb = QDR_DIRECTORY_INSERT, .count = 1, .id = &shared};
    FINE(qdr_directory_start(first, &claim, &round));
    qdr_status expected = ranks > 1 ? QDR_ERR_MISMATCH : QDR_OK;
    if (rank == 0) {
        EXPECT(qdr_wait(&round), expected, ranks > 1 ? "7" : "");
        FINE(qdr_directory_destroy(&first));
    }
    FINE(qdr_directory_create(comm, NULL, &second));
    for (int i = 0; i < 3; i++) {
        others[i] = 100 + (rank + i) % ranks;
        owner[i] = 5;
    }
    qdr_directory_call add = {.verb = QDR_DIRECTORY_INSERT, .count = 1, .id = &own};
    FINE(qdr_directory_start(second, &add, &later));
    FINE(qdr_wait(&later));
    for (int i = 0; i < 4; i++) FINE(qdr_directory_find(second, 3, others, owner, NULL, NULL, NULL));
    for (int i = 0; i < 3; i++) CHECK(owner[i] == (rank + i) % ranks);
    if (rank > 0) {
        EXPECT(qdr_wait(&round), expected, "7");
        FINE(qdr_directory_destroy(&first));
    }
    FINE(qdr_directory_destroy(&second));
}

int main(int count, char **words) {
    enter_mpi(&count, &words);
    test_creation();
    test_different_options();
    for (int layout = 0; layout < LAYOUTS; layout++) {
        MPI_Comm comm = comm_on_nodes(layout);
        for (int placement = 0; placement < 3; placement++) {
            qdr_directory *directory =
                open_directory(comm, (qdr_placement)placement, (layout + placement) % 2);
            UNCHANGED(directory);
            test_calls(directory, (qdr_placement)placement);
            test_first_mistake(directory);
            for (int verb = 0; verb < 4; verb++)
                test_large_mistake(directory, (qdr_directory_verb)verb, (qdr_placement)placement);
            test_verbs(directory);
            test_conflict(directory);
            test_nothing(directory);
            test_unknown(directory);
            test_handles(directory);
            test_mistake_between(directory);
            test_busy(comm, (qdr_placement)placement);
            FINE(qdr_directory_destroy(&directory));
        }
        for (int i = 0; i < 20; i++) test_successor(comm);
        MPI_Comm_free(&comm);
        test_gone(layout);
    }
    return leave_mpi();
}
