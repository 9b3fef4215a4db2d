/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random calls on two directories of one communicator against a table that every rank replays by itself
 * (directory_table_testing.h). The table is in order; so must be the directory, though several calls are under way at
 * once, and each rank waits for them in an order of its own.
 *
 * Cases are such that each two levels of each two factors meet: placement, payload, caches, nodes, which ids
 * there are, how many come at once, how many calls are under way.
 *
 * directory_stress_mpitest OPERATIONS [SEED [short | refused]]: so many operations of all ranks together. With
 * `short` there may be too little shared memory (tests/short_memory), with `refused` each rank is now and then
 * told that there is no more: any directory may do without then, from the beginning or from some call on.
 */
#include <sched.h>
#include <stdio.h>

#include "cover.h"
#include "mpi_check.h"
#include "mpi_content.h"

#include "directory/directory_testing.h"
#include "directory/directory_table_testing.h"
#include "wire/node.h"
#include "light.h"

enum factor { PLACEMENT, PAYLOAD, CACHES, LAYOUT, IDS, SIZE, FLIGHT, FACTORS };
enum { MOST_IN_FLIGHT = 4, DIRECTORIES = 2, MOST_ROUNDS = 60 };

static const int64_t payloads[] = {0, 1, 16, 100}, sizes[] = {3, 60, 2000};
static const int levels[FACTORS] = {3, 4, 2, LAYOUTS, ID_KINDS, 3, MOST_IN_FLIGHT};

static qdri_random common, own; /* the same on all ranks; each rank's own */
static int64_t done, rounds, conflicts, cases, shared_cases;
static int may_be_short, refuses;
static int64_t refusals;

static void settle(int *level) {
    (void)level;
}

static int one_in(qdri_random *random, uint64_t many) {
    return qdri_random_below(random, many) == 0;
}

int64_t __real_qdri_arena_take(qdri_wire *wire, int64_t bytes);
int64_t __wrap_qdri_arena_take(qdri_wire *wire, int64_t bytes);
int64_t __wrap_qdri_arena_take(qdri_wire *wire, int64_t bytes) {
    if (!refuses || !one_in(&own, 20)) return __real_qdri_arena_take(wire, bytes);
    refusals++;
    return 0;
}

/* ---- one call ------------------------------------------------------------------------------------------ */

typedef struct job {
    round it;
    qdr_pending *round;
    int round_was_split;
    int64_t count, bytes; /* of a payload */
    operation *brought;   /* [count] */
    item *before;         /* [count]: what was there when its turn came */
    int64_t *id, *local;
    int *owner;
    char *payload, *known;
    int64_t unknown, told_unknown;
    int conflicts, conflict_owner[2];
    int64_t conflict_id; /* the smallest; the first conflict of it */
} job;

typedef struct subject {
    qdr_directory *directory;
    int64_t payload_bytes;
    table all;
    job job[MOST_IN_FLIGHT];
} subject;

static void insert_item(table *all, job *one, const operation *what) {
    item *there = &all->item[what->u];
    if (!there->there) {
        *there = what->content;
        there->there = 1;
    } else if (there->owner != what->content.owner || there->local != what->content.local) {
        if (one->conflicts++ && one->conflict_id <= id_of(all, what->u)) return;
        one->conflict_id = id_of(all, what->u);
        one->conflict_owner[0] = there->owner;
        one->conflict_owner[1] = what->content.owner;
    }
}

static void update_item(table *all, const operation *what, int form) {
    item *there = &all->item[what->u];
    if (!there->there) return;
    there->owner = what->content.owner;
    there->local = what->content.local;
    if (!(form & NO_PAYLOAD)) there->payload = what->content.payload;
}

/* What all ranks bring, in order; what this rank brings is kept. */
static void replay(table *all, job *one) {
    const round *it = &one->it;
    int only_own = it->verb == QDR_DIRECTORY_FIND;
    for (int who = only_own ? rank : 0; who < (only_own ? rank + 1 : ranks); who++) {
        int form = form_of(it, who);
        int64_t count = count_of(it, who);
        for (int64_t i = 0; i < count; i++) {
            operation what = draw_operation(all, it, who, i, form);
            if (who == rank) {
                one->brought[i] = what;
                one->before[i] = all->item[what.u];
            }
            if (it->verb == QDR_DIRECTORY_INSERT) insert_item(all, one, &what);
            if (it->verb == QDR_DIRECTORY_UPDATE) update_item(all, &what, form);
            if (it->verb == QDR_DIRECTORY_REMOVE) all->item[what.u].owner = QDR_NOBODY;
        }
    }
    /* All that remove an item have removed it, so it goes at the end. */
    for (int64_t u = 0; u < all->ids && it->verb == QDR_DIRECTORY_REMOVE; u++)
        if (all->item[u].owner == QDR_NOBODY) all->item[u] = (item){0};
    for (int64_t i = 0; i < one->count && it->verb != QDR_DIRECTORY_INSERT; i++)
        one->unknown += !one->before[i].there;
}

static void *room(int64_t count, int64_t bytes) {
    return calloc((size_t)(count * bytes) + 1, 1);
}

static void open_job(subject *at, job *one, const round *it) {
    int64_t count = count_of(it, rank);
    *one = (job){.it = *it,
                 .count = count,
                 .bytes = at->payload_bytes,
                 .brought = room(count, (int64_t)sizeof *one->brought),
                 .before = room(count, (int64_t)sizeof *one->before),
                 .id = room(count, 8),
                 .local = room(count, 8),
                 .owner = room(count, (int64_t)sizeof *one->owner),
                 .payload = room(count, at->payload_bytes),
                 .known = room(count, 1)};
    replay(&at->all, one);
    for (int64_t i = 0; i < count; i++) {
        const item *content = &one->brought[i].content;
        one->id[i] = id_of(&at->all, one->brought[i].u);
        one->owner[i] = content->owner;
        one->local[i] = content->local;
        write_payload(one->payload + i * one->bytes, one->bytes, content->payload);
        one->known[i] = 9;
    }
    for (int who = 0; who < ranks; who++) done += count_of(it, who);
    rounds++;
    conflicts += one->conflicts > 0;
}

static void close_job(job *one) {
    free(one->brought);
    free(one->before);
    free(one->id);
    free(one->local);
    free(one->owner);
    free(one->payload);
    free(one->known);
    *one = (job){0};
}

/* ---- what came of it ----------------------------------------------------------------------------------- */

static void check_conflict(const job *one, qdr_status status) {
    const char *sentence = status ? qdr_error_message() : "";
    int good = status == QDR_ERR_MISMATCH && says_number(sentence, one->conflict_id) &&
               says_number(sentence, one->conflict_owner[0]) && says_number(sentence, one->conflict_owner[1]);
    CHECK_SAYING(good, "'%s' (%s) where the smallest id of %d conflicts is %lld, of ranks %d and %d",
                 qdr_status_text(status), sentence, one->conflicts, (long long)one->conflict_id,
                 one->conflict_owner[0], one->conflict_owner[1]);
}

/* Arrays that this rank did not want stay as they were. */
static void check_found(const job *one, int64_t i, int wants) {
    const item *there = &one->before[i];
    int owner = there->there ? there->owner : QDR_NOBODY;
    int64_t local = there->there ? there->local : -1;
    int good = (!(wants & 1) || one->owner[i] == owner) && (!(wants & 2) || one->local[i] == local) &&
               (!(wants & 4) ||
                payload_is(one->payload + i * one->bytes, one->bytes, there->there ? there->payload : 0));
    CHECK_SAYING(good, "round %lld, id %lld: found %d:%lld, expected %d:%lld (wanted: %d), or the payload",
                 (long long)rounds, (long long)one->id[i], one->owner[i], (long long)one->local[i], owner,
                 (long long)local, wants);
}

/* What a rank does not want follows from the round's seed. */
static int wants_of(const job *one) {
    uint64_t word = drawn(one->it.seed, 4000, (uint64_t)rank);
    return word % 2 ? 15 : (int)(word / 2 % 16);
}

static void end_job(job *one, qdr_status status, int64_t unknown) {
    int wants = wants_of(one), learns = one->it.verb != QDR_DIRECTORY_INSERT;
    if (one->conflicts)
        check_conflict(one, status);
    else
        CHECK_SAYING(status == QDR_OK, "verb %d: '%s': %s", (int)one->it.verb, qdr_status_text(status),
                     qdr_error_message());
    if (learns)
        CHECK_SAYING(unknown == one->unknown, "verb %d: %lld unknown ids, not %lld", (int)one->it.verb,
                     (long long)unknown, (long long)one->unknown);
    for (int64_t i = 0; i < one->count && learns; i++) {
        if (wants & 8 && one->round_was_split)
            CHECK_SAYING(one->known[i] == (char)one->before[i].there, "verb %d: id %lld is known %d, not %d",
                         (int)one->it.verb, (long long)one->id[i], one->known[i], one->before[i].there);
        if (one->it.verb == QDR_DIRECTORY_FIND) check_found(one, i, wants);
    }
    close_job(one);
}

/* ---- calls --------------------------------------------------------------------------------------------- */

static qdr_directory_call describe(job *one) {
    int form = form_of(&one->it, rank), wants = wants_of(one);
    qdr_directory_call call = {.verb = one->it.verb, .count = one->count, .id = one->id};
    switch (call.verb) {
    case QDR_DIRECTORY_FIND:
        call.found_owner = wants & 1 ? one->owner : NULL;
        call.found_place = wants & 2 ? one->local : NULL;
        call.found_payload = wants & 4 ? one->payload : NULL;
        break;
    case QDR_DIRECTORY_REMOVE:
        break;
    default:
        call.owner = form & OWN ? NULL : one->owner;
        call.place = form & IN_ORDER ? NULL : one->local;
        call.payload = form & NO_PAYLOAD ? NULL : one->payload;
    }
    if (call.verb != QDR_DIRECTORY_INSERT && wants & 8) call.known = one->known;
    return call;
}

static void run_at_once(subject *at, job *one) {
    qdr_directory *directory = at->directory;
    qdr_directory_call call = describe(one);
    int64_t unknown = 0;
    qdr_status status = QDR_OK;
    switch (call.verb) {
    case QDR_DIRECTORY_INSERT:
        status = qdr_directory_insert(directory, call.count, call.id, call.owner, call.place, call.payload);
        break;
    case QDR_DIRECTORY_UPDATE:
        status = qdr_directory_update(directory, call.count, call.id, call.owner, call.place, call.payload,
                                      &unknown);
        break;
    case QDR_DIRECTORY_REMOVE:
        status = qdr_directory_remove(directory, call.count, call.id, &unknown);
        break;
    default:
        status = qdr_directory_find(directory, call.count, call.id, call.found_owner, call.found_place,
                                    call.found_payload, &unknown);
    }
    end_job(one, status, unknown);
}

static void wait_job(job *one) {
    if (!one->round) return;
    qdr_status status = qdr_wait(&one->round);
    CHECK(one->round == NULL);
    end_job(one, status, one->told_unknown);
}

static void test_job(job *one) {
    int ended = 0;
    if (!one->round) return;
    qdr_status status = qdr_test(&one->round, &ended);
    CHECK(ended == !one->round);
    if (ended)
        end_job(one, status, one->told_unknown);
    else
        CHECK_SAYING(status == QDR_OK, "test: %s", qdr_error_message());
}

static void test_until_done(job *one) {
    while (one->round) {
        test_job(one);
        if (one->round) sched_yield();
    }
}

/* ---- cases --------------------------------------------------------------------------------------------- */

static round draw_round(int64_t most) {
    static const qdr_directory_verb verbs[] = {
        QDR_DIRECTORY_INSERT, QDR_DIRECTORY_INSERT, QDR_DIRECTORY_UPDATE, QDR_DIRECTORY_REMOVE,
        QDR_DIRECTORY_FIND,   QDR_DIRECTORY_FIND,   QDR_DIRECTORY_FIND};
    round made = {.verb = verbs[qdri_random_below(&common, 7)], .seed = qdri_random_next(&common)};
    made.disagrees = one_in(&common, 6);
    /* Most of what is there stays. */
    made.most = made.verb == QDR_DIRECTORY_REMOVE ? (most + 4) / 5 : most;
    return made;
}

static job *free_job(subject *at, int in_flight) {
    for (int i = 0; i < in_flight; i++)
        if (!at->job[i].round) return &at->job[i];
    job *one = &at->job[qdri_random_below(&own, (uint64_t)in_flight)];
    wait_job(one);
    return one;
}

static void call_once(subject *at, const int *level) {
    int in_flight = level[FLIGHT] + 1, at_once = in_flight == 1 && one_in(&common, 2);
    round it = draw_round(sizes[level[SIZE]]);
    job *one = free_job(at, in_flight);
    open_job(at, one, &it);
    if (at_once) {
        run_at_once(at, one);
        return;
    }
    qdr_directory_call call = describe(one);
    one->round_was_split = 1;
    one->told_unknown = -1;
    call.unknown = &one->told_unknown;
    qdr_status status = qdr_directory_start(at->directory, &call, &one->round);
    memset(&call, 0x55, sizeof call); /* it was copied */
    CHECK_SAYING(status == QDR_OK, "start: %s", qdr_error_message());
    if (status) close_job(one);
}

/* Looks after some calls, as this rank likes. */
static void look_after(subject *at) {
    int times = (int)qdri_random_below(&own, 4);
    for (int i = 0; i < times; i++) {
        job *one = &at[qdri_random_below(&own, DIRECTORIES)].job[qdri_random_below(&own, MOST_IN_FLIGHT)];
        uint32_t how = qdri_random_below(&own, 8);
        (how == 0 ? wait_job : how == 1 ? test_until_done : test_job)(one);
    }
}

static void wait_all(subject *at) {
    int order[DIRECTORIES * MOST_IN_FLIGHT];
    for (int i = 0; i < DIRECTORIES * MOST_IN_FLIGHT; i++) order[i] = i;
    qdri_random_shuffle(&own, order, DIRECTORIES * MOST_IN_FLIGHT);
    for (int i = 0; i < DIRECTORIES * MOST_IN_FLIGHT; i++)
        (one_in(&own, 3) ? test_until_done
                         : wait_job)(&at[order[i] % DIRECTORIES].job[order[i] / DIRECTORIES]);
}

/* Every rank's answer differs in its memory, not in its value. */
static int place_there(void *context, int64_t id) {
    const int *many = context;
    return (int)(((uint64_t)id >> 20 ^ (uint64_t)id) % (uint64_t)(*many + 1) * (uint64_t)*many /
                 (uint64_t)(*many + 1));
}

static void open_subject(subject *at, const int *level, MPI_Comm comm) {
    static int many;
    qdr_directory_options options = QDR_DIRECTORY_OPTIONS;
    int blocks = level[PLACEMENT] == QDR_PLACE_BLOCK, kind = level[IDS];
    *at = (subject){.payload_bytes = payloads[level[PAYLOAD]]};
    at->all.kind = kind;
    at->all.blocks = blocks;
    at->all.ids = blocks && block_limit(kind) < MOST_IDS ? block_limit(kind) : MOST_IDS;
    many = ranks;
    options.placement = (qdr_placement)level[PLACEMENT];
    options.limit = blocks ? block_limit(kind) : 0;
    options.place = level[PLACEMENT] == QDR_PLACE_FUNCTION ? place_there : NULL;
    options.context = &many;
    options.payload_bytes = at->payload_bytes;
    options.caches = level[CACHES];
    options.deadline = 60;
    FINE(qdr_directory_create(comm, &options, &at->directory));
}

/* Everything, looked for by everyone. */
static void check_whole(subject *at, const int *level) {
    int64_t there = 0, unknown = -1, count = at->all.ids;
    job all = {.count = count,
               .bytes = at->payload_bytes,
               .before = at->all.item,
               .id = room(count, 8),
               .local = room(count, 8),
               .owner = room(count, (int64_t)sizeof *all.owner),
               .payload = room(count, at->payload_bytes)};
    for (int64_t u = 0; u < count; u++) {
        all.id[u] = id_of(&at->all, u);
        there += at->all.item[u].there;
    }
    FINE(qdr_directory_find(at->directory, count, all.id, all.owner, all.local, all.payload, &unknown));
    for (int64_t u = 0; u < count; u++) check_found(&all, u, 7);
    CHECK(unknown == count - there);
    qdr_directory_view view = qdr_directory_look(at->directory);
    CHECK_SAYING(sum_of(view.entries) == there, "%lld entries are kept in all, not %lld",
                 (long long)sum_of(view.entries), (long long)there);
    CHECK(view.bytes >= view.entries * (16 + at->payload_bytes) && (level[CACHES] || view.cached == 0));
    if (!may_be_short)
        CHECK_SAYING(view.shared == is_one_node(level[LAYOUT]), "shared: %d, layout %d", view.shared,
                     level[LAYOUT]);
    shared_cases += view.shared;
    all.before = NULL;
    close_job(&all);
}

static void run_case(const int *level, MPI_Comm comm) {
    static subject at[DIRECTORIES];
    int64_t most = done + 20000;
    for (int d = 0; d < DIRECTORIES; d++) open_subject(&at[d], level, comm);
    for (int i = 0; i < MOST_ROUNDS && done < most; i++) {
        call_once(&at[qdri_random_below(&common, DIRECTORIES)], level);
        look_after(at);
    }
    wait_all(at);
    for (int d = 0; d < DIRECTORIES; d++) check_whole(&at[d], level);
    for (int d = 0; d < DIRECTORIES; d++) FINE(qdr_directory_destroy(&at[d].directory));
    cases++;
}

static void print_case(const int *level) {
    printf("placement %d, payload %d, caches %d, layout %d, ids %d, size %d, in flight %d\n",
           level[PLACEMENT], (int)payloads[level[PAYLOAD]], level[CACHES], level[LAYOUT], level[IDS],
           (int)sizes[level[SIZE]], level[FLIGHT] + 1);
}

/* True: a check failed on some rank. */
static int any_failed(void) {
    return sum_of(mpi_check_failures) > 0;
}

int main(int count, char **words) {
    enter_mpi(&count, &words);
    int64_t wanted = count > 1 ? atoll(words[1]) : 20000, seed = count > 2 ? atoll(words[2]) : 1;
    if (is_light()) wanted /= 10;
    int failed = 0, level[FACTORS];
    MPI_Comm comms[LAYOUTS];
    refuses = count > 3 && !strcmp(words[3], "refused");
    may_be_short = count > 3;
    common = qdri_random_seed((uint64_t)seed);
    own = qdri_random_seed(qdri_mix((uint64_t)seed) ^ (uint64_t)(rank + 1));
    CHECK(qdri_mix(unmixed(12345)) == 12345);
    for (int i = 0; i < LAYOUTS; i++) comms[i] = comm_on_nodes(i);
    while (done < wanted && !failed) {
        cover all = cover_open(FACTORS, levels, settle, qdri_random_next(&common));
        while (!failed && cover_next(&all, level)) {
            run_case(level, comms[level[LAYOUT]]);
            failed = any_failed();
            if (failed && rank == 0) print_case(level);
        }
        cover_close(&all);
    }
    for (int i = 0; i < LAYOUTS; i++) MPI_Comm_free(&comms[i]);
    CHECK(failed || !refuses || refusals > 0);
    CHECK(failed || (conflicts > 0 && (may_be_short || shared_cases > 0)));
    if (rank == 0)
        printf("%lld operations in %lld calls, %lld with conflicts, %lld cases\n", (long long)done,
               (long long)rounds, (long long)conflicts, (long long)cases);
    return leave_mpi();
}
