/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Resolving by a directory that lives as long as the call (Pinar and Hendrickson, figure 1): owners insert, the
 * others find. Where communication is symmetric, only the items of the boundary can be asked for, and only these are
 * inserted. Memory per rank: the entries it keeps, and its own list.
 *
 * `hybrid`: what is symmetric goes this way, with the boundary alone; what nobody has inserted, because the
 * need is one-sided, goes round by the ring of the paper's section 2.1, and that is little; when it is nothing
 * anywhere, nothing goes round.
 */
#include <stdlib.h>

#include "base/error.h"
#include "directory/inside.h"
#include "directory/resolve_lists.h"

/* The ids that are inserted, and where they are. */
static qdr_status insert(qdri_query *query, qdr_directory *directory, int boundary_only) {
    const qdr_resolve_options *options = &query->options;
    if (!boundary_only) return qdr_directory_insert(directory, query->owned, query->own_id, NULL, NULL, NULL);
    int64_t *id = QDRI_ARRAY(int64_t, options->boundaries);
    for (int64_t i = 0; id && i < options->boundaries; i++) id[i] = query->own_id[options->boundary[i]];
    /* Without memory it makes a call that fails for all. */
    qdr_status status =
        qdr_directory_insert(directory, id ? options->boundaries : -1, id, NULL, options->boundary, NULL);
    free(id);
    return status;
}

/* What this rank needs and owns itself, though it is not on its boundary. Local; fails without memory. */
static qdr_status know_own(qdri_query *query) {
    qdri_answer_list own;
    if (qdri_questions_count(query) == 0) return QDR_OK;
    qdr_status status = qdri_answers_open(query, &own);
    for (int64_t i = 0; status == QDR_OK && i < query->needed; i++) {
        int64_t place =
            query->found.owner[i] == QDR_NOBODY ? qdri_shelf_find(&own.own, query->need_id[i]) : -1;
        if (place < 0) continue;
        query->found.owner[i] = query->rank;
        query->found.place[i] = (int64_t)own.own.entry[place].word - 1;
    }
    qdri_answers_close(&own);
    return status;
}

qdr_status qdri_resolve_by_directory(qdri_query *query, int boundary_only) {
    qdr_directory_options options = QDR_DIRECTORY_OPTIONS;
    qdr_directory *directory = NULL;
    if (query->options.limit) {
        options.placement = QDR_PLACE_BLOCK;
        options.limit = query->options.limit;
    }
    /* The calls of the directory take the lock by themselves. */
    qdri_unlock(query->wire);
    qdr_status status = qdr_directory_create(query->comm, &options, &directory);
    if (status == QDR_OK) status = insert(query, directory, boundary_only);
    if (status == QDR_OK)
        status = qdr_directory_find(directory, query->needed, query->need_id, query->found.owner,
                                    query->found.place, NULL, NULL);
    if (directory) {
        int64_t told = boundary_only ? query->options.boundaries : query->owned;
        qdr_directory_view view = qdr_directory_look(directory);
        query->report.lists += directory->sent_messages;
        query->report.sent += directory->sent_bytes;
        qdri_report_memory(query, view.bytes + told * (int64_t)sizeof(qdri_entry) +
                                      query->needed * (int64_t)(2 * sizeof(int64_t)));
    }
    (void)qdr_directory_destroy(&directory);
    qdri_lock(query->wire);
    return status;
}

static qdr_status by_directory(qdri_query *query) {
    QDRI_TRY(qdri_resolve_by_directory(query, query->options.symmetric));
    if (!query->options.symmetric) return QDR_OK;
    return qdri_agree_status(query->wire, "qdr_resolve", know_own(query), qdri_deadline(0));
}

const qdri_resolution qdri_resolve_directory = {
    .name = "directory",
    .summary = "owners and askers meet at the rank that keeps an id",
    .memory = "the entries of 1/n of all ids (symmetric: of those on boundaries), and its own list",
    .run = by_directory,
};

static qdr_status by_both(qdri_query *query) {
    QDRI_TRY(qdri_resolve_by_directory(query, 1));
    qdri_term left = QDRI_IS_MOST("questions that are left", qdri_questions_count(query), 0, INT64_MAX);
    QDRI_TRY(qdri_agree(
        query->wire,
        &(qdri_agreement){.call = "qdr_resolve", .term = &left, .terms = 1, .deadline = qdri_deadline(0)}));
    return left.value > 0 ? qdri_resolve_by_torus(query, 1) : QDR_OK;
}

const qdri_resolution qdri_resolve_hybrid = {
    .name = "hybrid",
    .summary = "the boundary by the directory, what is left by the ring",
    .memory = "as the directory of the boundary; then two lists of what is left",
    .run = by_both,
};
