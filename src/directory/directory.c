/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Directories: making and ending them, and calls that are started and waited for at once.
 *
 * All ranks agree on the options, on a span of tags, and on one node on where their counters are.
 */
#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "base/sized.h"
#include "directory/inside.h"
#include "wire/node.h"

/* Slices of all shelves together: as many as a box can be sorted into at the speed of memory. */
enum { SLICES = 128 };

/* ---- making one ---------------------------------------------------------------------------------------- */

static qdr_status check_options(const qdr_directory_options *options) {
    QDRI_TRY(qdri_sized_refuse("qdr_directory_options", options->size, sizeof *options));
    if (options->placement < QDR_PLACE_HASH || options->placement > QDR_PLACE_FUNCTION)
        return qdri_fail(QDR_ERR_RANGE, "qdr_directory_create: options.placement is %d",
                         (int)options->placement);
    if (options->placement == QDR_PLACE_BLOCK && options->limit < 1)
        return qdri_fail(QDR_ERR_RANGE,
                         "qdr_directory_create: blocks of %lld ids; expected a limit of 1 or more",
                         (long long)options->limit);
    if (options->placement == QDR_PLACE_FUNCTION && !options->place)
        return qdri_fail(QDR_ERR_INVALID, "qdr_directory_create: the function that places ids is NULL");
    if (options->payload_bytes < 0 || options->payload_bytes > 1 << 28)
        return qdri_fail(QDR_ERR_RANGE, "qdr_directory_create: a payload has %lld bytes; expected 0 to %d",
                         (long long)options->payload_bytes, 1 << 28);
    return qdri_deadline_check("qdr_directory_options.deadline", options->deadline);
}

static qdr_status open(const qdr_directory_options *options, qdri_wire *wire, qdr_directory **made) {
    QDRI_TRY(check_options(options));
    qdr_directory *directory = QDRI_ZERO_ARRAY(qdr_directory, 1);
    if (!directory) return qdri_fail_memory();
    *made = directory;
    directory->wire = qdri_wire_retain(wire);
    directory->options = *options;
    directory->rank = qdri_wire_rank(wire);
    int ranks = directory->ranks = qdri_wire_ranks(wire);
    while (1 << directory->owner_bits < ranks) directory->owner_bits++;
    directory->blocks = (qdri_placement){.ranks = ranks, .limit = options->limit};
    directory->shelf.payload_bytes = directory->cache.payload_bytes = options->payload_bytes;
    directory->shelf.spread = options->placement == QDR_PLACE_HASH ? (uint64_t)ranks : 1;
    directory->cache.spread = 1;
    directory->buckets = 1;
    while (2 * directory->buckets * ranks <= SLICES) directory->buckets *= 2;
    directory->last = &directory->first;
    directory->counters = QDRI_ZERO_ARRAY(int64_t, ranks);
    directory->view = QDRI_ZERO_ARRAY(qdri_shelf_view, ranks);
    return directory->counters && directory->view ? QDR_OK : qdri_fail_memory();
}

static void shut(qdr_directory **directory) {
    qdr_directory *gone = *directory;
    *directory = NULL;
    if (!gone) return;
    if (!qdri_wire_usable(gone->wire)) gone->shelf.wire = NULL;
    if (!gone->shelf.wire && gone->shelf.offset) gone->shelf = (qdri_shelf){0}; /* went with the arena */
    qdri_shelf_close(&gone->shelf);
    qdri_shelf_close(&gone->cache);
    qdri_round_rest(gone);
    if (gone->counters) qdri_counters_give(gone);
    if (!qdri_council_close(&gone->council) && qdri_wire_usable(gone->wire))
        gone->first_tag = 0; /* it keeps its tags */
    if (gone->first_tag && qdri_wire_usable(gone->wire)) qdri_wire_return_tags(gone->wire, gone->first_tag);
    free(gone->counters);
    free(gone->view);
    qdri_wire_release(&gone->wire);
    free(gone);
}

static void explain(const qdr_directory *directory) {
    static const char *const placements[] = {"hash", "blocks", "a function"};
    const char *why = qdri_wire_one_node(directory->wire) ? "QDR_TRANSPORT=net, or too little shared memory"
                                                          : "its ranks do not all share a node";
    qdri_explain(directory->wire, "directory of %d ranks: entries by %s, %s: %s", directory->ranks,
                 placements[directory->options.placement],
                 directory->is_shared ? "in shared memory" : "by messages",
                 directory->is_shared ? "all share a node" : why);
}

/* Counters are put where all can see them, if all have some. */
static qdr_status agree_on_all(qdri_wire *wire, qdr_directory *directory,
                               const qdr_directory_options *options, qdr_status mine) {
    int64_t counters = mine ? 0 : qdri_counters_take(directory);
    const char *transport = NULL;
    if (!mine && qdri_wire_rank(wire) == 0) /* for all */
        mine = qdri_environment_or(NULL, QDRI_ENV_TRANSPORT, &transport);
    int64_t avoids = transport && !strcmp(transport, "net"), lacks = !counters || avoids;
    int64_t number = mine ? 0 : qdri_counters_number(directory), caches = options->caches != 0;
    enum { LACKS, NUMBER, FIELDS = 6 };
    qdri_term field[FIELDS] = {
        [LACKS] = QDRI_IS_MOST("whether a rank has no counters", lacks, 0, 1),
        [NUMBER] = QDRI_IS_MOST("number of a round", number, 0, INT64_MAX),
        QDRI_IS_ALIKE("placement", options->placement),
        QDRI_IS_ALIKE("limit", options->limit),
        QDRI_IS_ALIKE("bytes of a payload", options->payload_bytes),
        QDRI_IS_ALIKE("use of caches", caches),
    };
    int on_node = qdri_wire_one_node(wire);
    int64_t *words = on_node ? qdri_board_words(wire) : NULL;
    for (int r = 0; on_node && r < qdri_wire_ranks(wire); r++) words[r] = counters;
    qdri_agreement agreement = {.call = "qdr_directory_create",
                                .status = mine,
                                .term = field,
                                .terms = FIELDS,
                                .word_for = words,
                                .word_from = on_node ? words + qdri_wire_ranks(wire) : NULL,
                                .wants_tags = 1,
                                .deadline = qdri_deadline(mine ? 0 : options->deadline)};
    if (counters) directory->counters[directory->rank] = counters;
    QDRI_TRY(qdri_agree(wire, &agreement));
    directory->first_tag = agreement.first_tag;
    directory->number = field[NUMBER].value;
    directory->is_shared = !field[LACKS].value;
    for (int r = 0; directory->is_shared && r < directory->ranks; r++)
        directory->counters[r] = agreement.word_from[r];
    if (directory->is_shared) directory->shelf.wire = wire;
    for (int r = 0; r < directory->ranks; r++)
        directory->view[r] = (qdri_shelf_view){qdri_nothing, NULL, QDRI_LINE};
    return QDR_OK;
}

qdr_status qdr_directory_create(MPI_Comm comm, const qdr_directory_options *options,
                                qdr_directory **directory) {
    qdr_directory_options standard = QDR_DIRECTORY_OPTIONS, known;
    qdri_wire *wire;
    qdr_directory *made = NULL;
    QDRI_TRY(qdri_wire_open(comm, &wire));
    qdri_lock(wire);
    qdri_sized_read(&known, sizeof known, options);
    qdr_status status = directory
                            ? open(&known, wire, &made)
                            : qdri_fail(QDR_ERR_INVALID,
                                        "there is nowhere to put the directory; expected a handle, not NULL");
    status = agree_on_all(wire, made, status ? &standard : &known, status);
    if (!status) explain(made);
    /* Whoever has not seen the end of a round of an old directory, whose counters is used again, sees it here. */
    if (status)
        shut(&made);
    else
        qdri_progress(wire);
    if (!status) *directory = made;
    qdri_unlock(wire);
    qdri_wire_release(&wire);
    return status;
}

qdr_status qdr_directory_destroy(qdr_directory **directory) {
    if (!directory || !*directory) return QDR_OK;
    qdri_wire *wire = qdri_wire_retain((*directory)->wire);
    qdr_status status = QDR_OK;
    qdri_lock(wire);
    if ((*directory)->outstanding > 0)
        status = qdri_fail(QDR_ERR_BUSY, "%d calls of the directory have not been waited for",
                           (*directory)->outstanding);
    else
        shut(directory);
    qdri_unlock(wire);
    qdri_wire_release(&wire);
    return status;
}

void qdr_directory_look_sized(const qdr_directory *directory, qdr_directory_view *view, size_t view_bytes) {
    qdri_lock(directory->wire);
    qdr_directory_view known = {.entries = directory->shelf.count,
                                .bytes = qdri_shelf_bytes(&directory->shelf),
                                .cached = directory->cache.count,
                                .asked = directory->asked,
                                .spared = directory->spared,
                                .shared = directory->is_shared};
    qdri_unlock(directory->wire);
    qdri_sized_fill(view, view_bytes, &known, sizeof known);
}

/* ---- at once ------------------------------------------------------------------------------------------- */

static qdr_status run(qdr_directory *directory, const qdr_directory_call *call) {
    qdr_pending *pending;
    QDRI_TRY(qdr_directory_start(directory, call, &pending));
    return qdr_wait(&pending);
}

qdr_status qdr_directory_insert(qdr_directory *directory, int64_t count, const int64_t *id, const int *owner,
                                const int64_t *place, const void *payload) {
    qdr_directory_call call = {.verb = QDR_DIRECTORY_INSERT,
                               .count = count,
                               .id = id,
                               .owner = owner,
                               .place = place,
                               .payload = payload};
    return run(directory, &call);
}

qdr_status qdr_directory_update(qdr_directory *directory, int64_t count, const int64_t *id, const int *owner,
                                const int64_t *place, const void *payload, int64_t *unknown) {
    qdr_directory_call call = {.verb = QDR_DIRECTORY_UPDATE,
                               .count = count,
                               .id = id,
                               .owner = owner,
                               .place = place,
                               .payload = payload,
                               .unknown = unknown};
    return run(directory, &call);
}

qdr_status qdr_directory_remove(qdr_directory *directory, int64_t count, const int64_t *id,
                                int64_t *unknown) {
    qdr_directory_call call = {.verb = QDR_DIRECTORY_REMOVE, .count = count, .id = id, .unknown = unknown};
    return run(directory, &call);
}

qdr_status qdr_directory_find(qdr_directory *directory, int64_t count, const int64_t *id, int *owner,
                              int64_t *place, void *payload, int64_t *unknown) {
    qdr_directory_call call = {.verb = QDR_DIRECTORY_FIND,
                               .count = count,
                               .id = id,
                               .found_owner = owner,
                               .found_place = place,
                               .found_payload = payload,
                               .unknown = unknown};
    return run(directory, &call);
}
