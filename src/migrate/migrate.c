/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Migration: the calls, from the first agreement to the sums at the end.
 *
 *     weigh what leaves; agree; plan within the limits (limit.c); load; agree; run (run.c); add up (closing.c)
 *
 * A start returns when the run has begun. From there on nothing is agreed on, and everything happens in callbacks of
 * messages; a call that does not return before the end is a start, and a wait. What calls differ in, items of an array
 * or objects, is a *cargo*: how to weigh it, and which stock it is.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/sized.h"
#include "migrate/objects.h"
#include "wire/pending.h"

typedef struct cargo {
    qdr_status (*weigh)(struct cargo *cargo, qdri_migration *job); /* local */
    qdr_status (*load)(struct cargo *cargo, qdri_migration *job, qdri_migration_run *run);
    void (*unload)(struct cargo *cargo);
    qdri_stock *stock;
    int64_t item_bytes; /* 0: objects */
    union {
        qdri_array array;
        qdri_hold hold;
    } as;
    /* The program's. */
    char *items;
    int *destination;
    int64_t count, capacity;
    int64_t *counted; /* where it stands; NULL: nowhere */
    const qdr_objects *given;
    size_t given_bytes;
    qdr_objects objects; /* as this library knows them */
} cargo;

/* One migration, from its start to its end. */
typedef struct call {
    qdr_pending pending;
    qdri_migration job;
    cargo what;
    qdri_migration_run run;
    int moves; /* something does, somewhere */
    qdr_migration_report *report;
    size_t report_bytes;
} call;
_Static_assert(sizeof(call) <= QDRI_CALL_BYTES, "what limit.c reckons with");

/* ---- in common ----------------------------------------------------------------------------------------- */

qdri_flight *qdri_migration_flight(qdri_migration *job) {
    qdri_flight *flight = qdri_flight_create(job->wire, "planning of a migration");
    if (flight) flight->deadline = job->deadline;
    return flight;
}

qdr_status qdri_migration_agree_on(qdri_migration *job, qdr_status status, qdri_term *field, int fields) {
    return qdri_agree(job->wire, &(qdri_agreement){.call = "a migration",
                                                   .status = status,
                                                   .term = field,
                                                   .terms = fields,
                                                   .deadline = job->deadline});
}

qdr_status qdri_migration_agree(qdri_migration *job, qdr_status status) {
    return qdri_migration_agree_on(job, status, NULL, 0);
}

/* ---- the first agreement ------------------------------------------------------------------------------- */

static qdr_status read_options(qdri_migration *job, const qdr_migration_options *given) {
    qdri_spec spec;
    const qdri_moves_method *method;
    job->method = "auto";
    qdri_sized_read(&job->how, sizeof job->how, given);
    QDRI_TRY(qdri_sized_refuse("qdr_migration_options", job->how.size, sizeof job->how));
    if (job->how.method) job->method = job->how.method;
    job->deadline = qdri_deadline(job->how.deadline);
    QDRI_TRY(qdri_deadline_check("qdr_migration_options.deadline", job->how.deadline));
    if (job->how.memory < 0)
        return qdri_fail(QDR_ERR_RANGE, "the limit is %" PRId64 " bytes; expected 0 or more",
                         job->how.memory);
    job->facts.limit = job->how.memory;
    QDRI_TRY(qdri_spec_open(job->method, "method", &spec));
    QDRI_TRY(qdri_moves_method_named(spec.name, &method));
    QDRI_TRY(qdri_spec_read(&spec, method->options, method->option_count));
    job->name = method->name;
    job->planner = strcmp(method->name, "robust") ? &qdri_planner_gathered : &qdri_planner_neighbours;
    return QDR_OK;
}

static int64_t digest(const char *text) {
    uint64_t word = 1;
    for (; *text; text++) word = qdri_mix(word ^ (uint64_t)(unsigned char)*text);
    return (int64_t)(word >> 2);
}

/* Sums up and agrees on what there is to do. */
static qdr_status begin(call *own, qdr_status status) {
    qdri_migration *job = &own->job;
    cargo *what = &own->what;
    job->budget.limit = 0; /* held against the limit by the planning */
    (void)qdri_budget_take(&job->budget, QDRI_CALL_BYTES);
    if (!status) status = what->weigh(what, job);
    for (int rank = 0; !status && rank < job->ranks; rank++)
        if (rank != job->rank && job->going[rank] > 0) job->facts.messages++;
    enum { LARGEST, MOVES, FIELDS = 5 };
    qdri_term field[FIELDS] = {
        [LARGEST] = QDRI_IS_MOST("units of the largest message", job->largest, 0, INT64_MAX),
        [MOVES] = QDRI_IS_MOST("whether anything moves", job->facts.messages > 0, 0, 1),
        QDRI_IS_SAME("kind of what migrates, an array or objects", what->item_bytes == 0),
        QDRI_IS_ALIKE("bytes of an item", what->item_bytes),
        QDRI_IS_SAME("method", digest(job->method)),
    };
    qdri_agreement agreement = {.call = "a migration",
                                .status = status,
                                .term = field,
                                .terms = FIELDS,
                                .wants_tags = 1,
                                .deadline = job->deadline};
    QDRI_TRY(qdri_agree(job->wire, &agreement));
    job->first_tag = agreement.first_tag;
    job->largest = field[LARGEST].value;
    own->moves = field[MOVES].value > 0;
    return QDR_OK;
}

/* ---- start and end ------------------------------------------------------------------------------------- */

static qdr_status load(call *own) {
    qdri_migration *job = &own->job;
    int64_t tables = qdri_run_bytes(job, job->itinerary.out.lanes, job->facts.limit);
    job->budget.limit = job->facts.limit;
    qdr_status status = own->what.load(&own->what, job, &own->run);
    qdri_budget_free(&job->budget, job->going);
    job->going = NULL;
    if (!status && !qdri_budget_take(&job->budget, tables)) status = qdri_fail_memory();
    return qdri_migration_agree(job, status);
}

static qdr_status set_out(call *own) {
    qdri_migration *job = &own->job;
    QDRI_TRY(qdri_plan_within(job));
    qdri_explain(job->wire, "migration among %d ranks: %s, %" PRId64 " phases of at least %" PRId64 ": %s %s",
                 job->ranks, job->itinerary.method, job->itinerary.phases, job->itinerary.bound,
                 job->how.method ? "asked for" : "chosen by", job->how.method ? job->method : "auto");
    QDRI_TRY(load(own));
    qdri_run_start(&own->run);
    return QDR_OK;
}

/* What all ranks say of all failures together. Without any, objects may have found no place to be parked. */
static qdr_status judge(const call *own) {
    const qdri_closing_word *word = &own->run.closing->word;
    const int64_t *sum = word->sum;
    int64_t leaving = sum[QDRI_CLOSING_LEAVING], came = sum[QDRI_CLOSING_CAME],
            astray = sum[QDRI_CLOSING_ASTRAY], lost = sum[QDRI_CLOSING_LOST];
    char on_the_way[120] = "", nowhere[80] = "";
    if (own->what.item_bytes > 0 || (sum[QDRI_CLOSING_FAILURES] == 0 && came == leaving)) return QDR_OK;
    if (sum[QDRI_CLOSING_FAILURES] == 0)
        return qdri_fail(QDR_ERR_MEMORY,
                         "of %" PRId64 " objects %" PRId64 " moved; there is no memory for the rest", leaving,
                         came);
    if (astray > 0)
        snprintf(on_the_way, sizeof on_the_way, ", %" PRId64 " are on the rank where they were parked",
                 astray);
    if (lost > 0)
        snprintf(nowhere, sizeof nowhere, ", %" PRId64 " could be unpacked nowhere and are lost", lost);
    return qdri_fail(QDR_ERR_INVALID,
                     "%s; of %" PRId64 " objects %" PRId64 " moved, %" PRId64 " stayed%s%s (%" PRId64
                     " failures)",
                     word->failure, leaving, came, leaving - came - astray - lost, on_the_way, nowhere,
                     sum[QDRI_CLOSING_FAILURES]);
}

static void report(const call *own) {
    const qdri_migration *job = &own->job;
    const qdri_stock *stock = own->what.stock;
    qdr_migration_report made = {.memory = job->facts.limit, .peak = job->budget.peak};
    if (own->moves) {
        made.bytes = own->run.closing->word.sum[QDRI_CLOSING_BYTES];
        made.parked_bytes = own->run.closing->word.sum[QDRI_CLOSING_PARKED];
        made.left = stock->left;
        made.came = stock->came;
        made.phases = job->itinerary.phases;
        made.bound = job->itinerary.bound;
        memcpy(made.method, job->itinerary.method, sizeof made.method);
    } else {
        snprintf(made.method, sizeof made.method, "%s", job->name);
    }
    if (own->report) qdri_sized_fill(own->report, own->report_bytes, &made, sizeof made);
}

/* It has ended, well or not; the call itself is left. */
static qdr_status end(call *own, qdr_status status) {
    qdri_migration *job = &own->job;
    if (!status && own->moves) {
        status = judge(own);
        if (own->what.item_bytes) *own->what.counted = own->what.as.array.count;
    }
    if (!status) report(own);
    qdri_run_close(&own->run);
    if (own->what.stock) own->what.unload(&own->what);
    if (job->first_tag && qdri_wire_usable(job->wire)) qdri_wire_return_tags(job->wire, job->first_tag);
    qdri_itinerary_free(&job->itinerary, &job->budget);
    qdri_budget_free(&job->budget, job->going);
    qdri_unlock(job->wire);
    qdri_wire_release(&job->wire);
    return status;
}

static qdr_status start(MPI_Comm comm, call *own, const qdr_migration_options *options, int is_short) {
    qdri_migration *job = &own->job;
    job->unit_name = own->what.item_bytes ? "items" : "bytes";
    QDRI_TRY(qdri_wire_open(comm, &job->wire));
    qdri_lock(job->wire);
    job->rank = qdri_wire_rank(job->wire);
    job->ranks = qdri_wire_ranks(job->wire);
    qdr_status status = read_options(job, options);
    status = begin(own, is_short && !status ? qdri_fail_memory() : status);
    if (!status && own->moves) status = set_out(own);
    if (!status && !own->moves)
        qdri_explain(job->wire, "migration among %d ranks: nothing moves", job->ranks);
    if (status) return end(own, status);
    qdri_unlock(job->wire);
    return QDR_OK;
}

static qdr_status free_call(qdr_pending **pending, qdr_status status) {
    free(*pending);
    *pending = NULL;
    return status;
}

static qdr_status wait(qdr_pending **pending) {
    call *own = (call *)*pending;
    qdri_lock(own->job.wire);
    return free_call(pending, end(own, own->moves ? qdri_run_wait(&own->run) : QDR_OK));
}

static qdr_status test(qdr_pending **pending, int *done) {
    call *own = (call *)*pending;
    qdri_lock(own->job.wire);
    *done = 1;
    qdr_status status = own->moves ? qdri_run_test(&own->run, done) : QDR_OK;
    if (*done) return free_call(pending, end(own, status));
    qdri_unlock(own->job.wire);
    return QDR_OK;
}

static const qdri_pending_kind migration_kind = {test, wait};

/* A rank that has no memory for the call tells the others, in their first agreement. */
static qdr_status migrate(MPI_Comm comm, const cargo *what, const qdr_migration_options *options,
                          qdr_migration_report *report, size_t report_bytes, qdr_pending **pending) {
    call spare = {.moves = 0}, *made = QDRI_ZERO_ARRAY(call, 1), *own = made ? made : &spare;
    own->pending.kind = &migration_kind;
    own->what = *what;
    own->report = report;
    own->report_bytes = report_bytes;
    qdr_status status = start(comm, own, options, !made);
    if (status)
        free(made);
    else
        *pending = &made->pending;
    return status;
}

static qdr_status check_handle(const char *call, qdr_pending **pending) {
    return pending ? QDR_OK : qdri_fail(QDR_ERR_INVALID, "%s: there is nowhere to put the handle", call);
}

/* ---- arrays -------------------------------------------------------------------------------------------- */

static qdr_status check_array(const cargo *what) {
    if (!what->counted) return qdri_fail(QDR_ERR_INVALID, "the number of items is NULL");
    if (what->item_bytes < 1)
        return qdri_fail(QDR_ERR_RANGE, "an item has %" PRId64 " bytes; expected 1 or more",
                         what->item_bytes);
    if (what->count < 0 || what->count > what->capacity)
        return qdri_fail(QDR_ERR_RANGE,
                         "there are %" PRId64 " items in an array for %" PRId64
                         "; expected 0 to its capacity",
                         what->count, what->capacity);
    if (what->capacity > INT64_MAX / 4 / what->item_bytes)
        return qdri_fail(QDR_ERR_RANGE,
                         "%" PRId64 " items of %" PRId64
                         " bytes are more than any memory has; expected at most %" PRId64 " of them",
                         what->capacity, what->item_bytes, INT64_MAX / 4 / what->item_bytes);
    if ((what->count > 0 && !what->destination) || (what->capacity > 0 && !what->items))
        return qdri_fail(QDR_ERR_INVALID, "the items or their destinations are NULL");
    return QDR_OK;
}

static qdr_status check_destination(const char *what, int64_t number, int destination, int ranks) {
    return destination >= 0 && destination < ranks
               ? QDR_OK
               : qdri_fail(QDR_ERR_RANGE, "%s %" PRId64 " goes to rank %d; expected 0 to %d", what, number,
                           destination, ranks - 1);
}

static qdr_status weigh_array(cargo *what, qdri_migration *job) {
    QDRI_TRY(check_array(what));
    job->unit_bytes = what->item_bytes;
    job->facts.place = what->capacity - what->count;
    job->going = QDRI_BUDGET_ZERO_ARRAY(&job->budget, int64_t, job->ranks);
    if (!job->going) return qdri_fail_memory();
    for (int64_t i = 0; i < what->count; i++) {
        QDRI_TRY(check_destination("item", i, what->destination[i], job->ranks));
        job->going[what->destination[i]]++;
    }
    return QDR_OK;
}

static qdr_status load_array(cargo *what, qdri_migration *job, qdri_migration_run *run) {
    what->stock = &what->as.array.stock;
    QDRI_TRY(qdri_array_open(&what->as.array, job, what->items, what->count, what->destination));
    qdri_array_make_room(&what->as.array, job->room);
    return qdri_run_open(run, job, what->stock);
}

static void unload_array(cargo *what) {
    qdri_array_close(&what->as.array);
}

qdr_status qdr_migrate_array_start_sized(MPI_Comm comm, int64_t *count, int64_t capacity, void *items,
                                         int64_t item_bytes, int *destination,
                                         const qdr_migration_options *options, qdr_migration_report *report,
                                         size_t report_bytes, qdr_pending **pending) {
    cargo what = {.weigh = weigh_array,
                  .load = load_array,
                  .unload = unload_array,
                  .item_bytes = item_bytes,
                  .items = items,
                  .destination = destination,
                  .count = count ? *count : 0,
                  .counted = count,
                  .capacity = capacity};
    QDRI_TRY(check_handle("qdr_migrate_array_start", pending));
    return migrate(comm, &what, options, report, report_bytes, pending);
}

qdr_status qdr_migrate_array_sized(MPI_Comm comm, int64_t *count, int64_t capacity, void *items,
                                   int64_t item_bytes, int *destination, const qdr_migration_options *options,
                                   qdr_migration_report *report, size_t report_bytes) {
    qdr_pending *pending = NULL;
    QDRI_TRY(qdr_migrate_array_start_sized(comm, count, capacity, items, item_bytes, destination, options,
                                           report, report_bytes, &pending));
    return wait(&pending);
}

/* ---- objects ------------------------------------------------------------------------------------------- */

static qdr_status check_objects(const qdr_objects *objects) {
    if (objects->count < 0)
        return qdri_fail(QDR_ERR_RANGE, "there are %" PRId64 " objects; expected 0 or more", objects->count);
    if (!objects->size || !objects->pack || !objects->release || !objects->unpack ||
        (objects->count > 0 && !objects->destination))
        return qdri_fail(QDR_ERR_INVALID, "a callback of the objects, or their destinations, are NULL");
    return QDR_OK;
}

static qdr_status weigh_object(const qdr_objects *objects, qdri_migration *job, int64_t number) {
    int64_t size = objects->size(objects->context, number);
    if (size < 0 || size > QDRI_UNITS_LIMIT / 4)
        return qdri_fail(QDR_ERR_INVALID,
                         "object %" PRId64 ": size returned %" PRId64 "; expected 0 to %" PRId64, number,
                         size, (int64_t)QDRI_UNITS_LIMIT / 4);
    int64_t bytes = qdri_object_bytes(size), *going = &job->going[objects->destination[number]];
    if (bytes > job->largest) job->largest = bytes;
    job->facts.objects++;
    job->facts.padding += bytes - size - (int64_t)sizeof(qdri_object_entry);
    *going += bytes;
    return *going > QDRI_UNITS_LIMIT / 2
               ? qdri_fail(QDR_ERR_RANGE, "the objects have more than 2^59 bytes in all")
               : QDR_OK;
}

static qdr_status weigh_objects(cargo *what, qdri_migration *job) {
    const qdr_objects *objects = &what->objects;
    if (!what->given) return qdri_fail(QDR_ERR_INVALID, "the objects are NULL");
    QDRI_TRY(qdri_element_read("qdr_objects", &what->objects, sizeof what->objects, what->given,
                               what->given_bytes, 0));
    QDRI_TRY(check_objects(objects));
    job->unit_bytes = 1;
    job->facts.place = QDRI_UNITS_LIMIT;
    job->going = QDRI_BUDGET_ZERO_ARRAY(&job->budget, int64_t, job->ranks);
    if (!job->going) return qdri_fail_memory();
    for (int64_t i = 0; i < objects->count; i++) {
        QDRI_TRY(check_destination("object", i, objects->destination[i], job->ranks));
        if (objects->destination[i] != job->rank) QDRI_TRY(weigh_object(objects, job, i));
    }
    return QDR_OK;
}

static qdr_status load_objects(cargo *what, qdri_migration *job, qdri_migration_run *run) {
    what->stock = &what->as.hold.stock;
    QDRI_TRY(qdri_hold_open(&what->as.hold, job, &what->objects));
    QDRI_TRY(qdri_run_open(run, job, what->stock));
    return qdri_hold_stage(&what->as.hold);
}

static void unload_objects(cargo *what) {
    qdri_hold_close(&what->as.hold);
}

qdr_status qdr_migrate_objects_start_sized(MPI_Comm comm, const qdr_objects *objects, size_t objects_bytes,
                                           const qdr_migration_options *options, qdr_migration_report *report,
                                           size_t report_bytes, qdr_pending **pending) {
    cargo what = {.weigh = weigh_objects,
                  .load = load_objects,
                  .unload = unload_objects,
                  .given = objects,
                  .given_bytes = objects_bytes};
    QDRI_TRY(check_handle("qdr_migrate_objects_start", pending));
    return migrate(comm, &what, options, report, report_bytes, pending);
}

qdr_status qdr_migrate_objects_sized(MPI_Comm comm, const qdr_objects *objects, size_t objects_bytes,
                                     const qdr_migration_options *options, qdr_migration_report *report,
                                     size_t report_bytes) {
    qdr_pending *pending = NULL;
    QDRI_TRY(qdr_migrate_objects_start_sized(comm, objects, objects_bytes, options, report, report_bytes,
                                             &pending));
    return wait(&pending);
}
