/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Complete exchange: every rank has a block for every rank (CM-5 paper, sections 3.1 to 3.4). Its pattern is
 * one item from everyone to everyone, and an exchange says how many bytes an item has; so one plan serves all
 * sizes, and a communicator needs one plan per algorithm. The plans are kept with the communicator and go
 * with it. Each rank writes down its own row and column alone: O(n), unless the algorithm has to know the
 * matrix.
 *
 * Where all ranks share a node and no algorithm is asked for, none is named: then the plan is the rule's, and goes
 * through the node's memory, which has no ports to be kept free.
 *
 * The first call of an algorithm agrees on its arguments and builds. The later ones agree on nothing, as the
 * exchanges of any plan; a rank that cannot take part there leaves the others waiting for it.
 */
#include "quadrille/collectives.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "plan/collectives/kept.h"
#include "quadrille/plan.h"
#include "wire/agree.h"
#include "wire/node.h"

/* One communicator's plan for one algorithm. */
typedef struct kept_plan {
    qdri_keepsake keepsake; /* first: release() converts */
    qdr_plan *plan;
    char name[256];
} kept_plan;

/* What a call wants. */
typedef struct request {
    const void *outgoing;
    void *incoming;
    int64_t bytes;
    int is_asked;   /* for an algorithm */
    char name[256]; /* of the table, so that PEX and pairwise are one plan, and the options; "": by rule */
} request;

static void release(qdri_keepsake *keepsake) {
    kept_plan *kept = (kept_plan *)keepsake;
    qdr_plan_destroy(&kept->plan);
    free(kept);
}

/* ---- arguments ----------------------------------------------------------------------------------------- */

static qdr_status set_name(const char *algorithm, request *wanted) {
    const qdr_algorithm_info *info;
    QDRI_TRY(qdr_algorithm_find(algorithm, &info));
    const char *options = strchr(algorithm, ':');
    int length = snprintf(wanted->name, sizeof wanted->name, "%s%s", info->name, options ? options : "");
    if (length >= (int)sizeof wanted->name)
        return qdri_fail(QDR_ERR_SYNTAX,
                         "the algorithm '%.40s...' is too long; expected at most %zu characters", algorithm,
                         sizeof wanted->name - 1);
    return QDR_OK;
}

static qdr_status check(const request *wanted, int ranks) {
    if (wanted->bytes < 0 || wanted->bytes > (INT64_C(1) << 62) / ranks)
        return qdri_fail(QDR_ERR_RANGE, "qdr_alltoall: %lld bytes for each of %d ranks; expected 0 to %lld",
                         (long long)wanted->bytes, ranks, (long long)((INT64_C(1) << 62) / ranks));
    if (wanted->bytes > 0 && (!wanted->outgoing || !wanted->incoming))
        return qdri_fail(QDR_ERR_INVALID, "qdr_alltoall: %s is NULL",
                         wanted->outgoing ? "incoming" : "outgoing");
    return QDR_OK;
}

/* All ranks must be able to go on, with blocks of one size. */
static qdr_status agree(qdri_wire *wire, qdr_status mine, int64_t bytes) {
    qdri_term block = QDRI_IS_ALIKE("bytes of a block", bytes);
    qdri_agreement agreement = {
        .call = "qdr_alltoall", .status = mine, .term = &block, .terms = 1, .deadline = qdri_deadline(0)};
    qdri_lock(wire);
    qdr_status status = qdri_agree(wire, &agreement);
    qdri_unlock(wire);
    return status;
}

/* ---- the plan ------------------------------------------------------------------------------------------ */

static kept_plan *find(qdri_wire *wire, const char *name) {
    qdri_lock(wire);
    kept_plan *found = (kept_plan *)qdri_wire_kept(wire, release, name);
    qdri_unlock(wire);
    return found;
}

static void keep(qdri_wire *wire, kept_plan *made, const char *name) {
    strcpy(made->name, name);
    made->keepsake = (qdri_keepsake){.release = release, .name = made->name};
    qdri_lock(wire);
    qdri_wire_keep(wire, &made->keepsake);
    qdri_unlock(wire);
}

/* `one` has room for the items and the ranks of a side. */
static qdr_status plan_for_all(MPI_Comm comm, int ranks, int64_t *one, const char *name, qdr_plan **plan) {
    int *rank = (int *)(one + ranks);
    qdr_partners *partners = NULL;
    qdr_plan_options options = QDR_PLAN_OPTIONS;
    options.algorithm = *name ? name : NULL;
    for (int r = 0; r < ranks; r++) {
        rank[r] = r;
        one[r] = 1;
    }
    qdr_status status = qdr_partners_from_both(comm, ranks, rank, one, ranks, rank, one, 1, &partners);
    if (!status) status = qdr_plan_create(partners, &options, plan);
    qdr_partners_destroy(&partners);
    return status;
}

/* Memory comes first, so that a rank without it can say so in the agreement. */
static qdr_status build(MPI_Comm comm, qdri_wire *wire, const request *wanted, qdr_status mine,
                        kept_plan **plan) {
    int ranks = qdri_wire_ranks(wire);
    kept_plan *made = QDRI_ZERO_ARRAY(kept_plan, 1);
    int64_t *one = QDRI_ARRAY(int64_t, 2 * (int64_t)ranks);
    if (!mine && (!made || !one)) mine = qdri_fail_memory();
    qdr_status status = agree(wire, mine, wanted->bytes);
    if (!status) status = plan_for_all(comm, ranks, one, wanted->name, &made->plan);
    free(one);
    if (status) {
        free(made);
        return status;
    }
    qdri_explain(wire, "all to all of %d ranks: %s, kept with the communicator: %s", ranks,
                 *wanted->name ? wanted->name : "by rule",
                 wanted->is_asked ? "asked for"
                 : *wanted->name  ? "in pairs, the default"
                                  : "all ranks share a node");
    keep(wire, made, wanted->name);
    *plan = made;
    return QDR_OK;
}

/* ---- the call ------------------------------------------------------------------------------------------ */

/* The plan for it, on a wire that the caller releases. */
static qdr_status prepare(MPI_Comm comm, const char *algorithm, request *wanted, qdri_wire **wire,
                          kept_plan **plan) {
    QDRI_TRY(qdri_wire_open(comm, wire));
    wanted->is_asked = algorithm != NULL;
    qdr_status status = QDR_OK;
    if (algorithm || !qdri_wire_one_node(*wire)) status = set_name(algorithm ? algorithm : "PEX", wanted);
    if (!status) {
        *plan = find(*wire, wanted->name);
        if (*plan) status = qdri_wire_state(*wire);
        if (!status) status = check(wanted, qdri_wire_ranks(*wire));
        if (!*plan) status = build(comm, *wire, wanted, status, plan);
    }
    if (status) qdri_wire_release(wire);
    return status;
}

/* NULL: there are no bytes. */
static const qdr_buffers *buffers_of(const request *wanted, qdr_buffers *buffers) {
    *buffers = (qdr_buffers){
        .item_bytes = wanted->bytes, .outgoing_base = wanted->outgoing, .incoming_base = wanted->incoming};
    return wanted->bytes > 0 ? buffers : NULL;
}

qdr_status qdr_alltoall(MPI_Comm comm, const char *algorithm, int64_t bytes, const void *outgoing,
                        void *incoming) {
    qdri_wire *wire;
    kept_plan *plan;
    qdr_buffers buffers;
    request wanted = {.outgoing = outgoing, .incoming = incoming, .bytes = bytes};
    QDRI_TRY(prepare(comm, algorithm, &wanted, &wire, &plan));
    qdr_status status = qdri_kept_run(wire, plan->plan, buffers_of(&wanted, &buffers));
    qdri_wire_release(&wire);
    return status;
}

qdr_status qdr_alltoall_start(MPI_Comm comm, const char *algorithm, int64_t bytes, const void *outgoing,
                              void *incoming, qdr_pending **pending) {
    qdri_wire *wire = NULL;
    kept_plan *plan;
    qdr_buffers buffers;
    request wanted = {.outgoing = outgoing, .incoming = incoming, .bytes = bytes};
    if (!pending) return qdri_fail(QDR_ERR_INVALID, "qdr_alltoall_start: there is nowhere to put the handle");
    qdri_kept_exchange *made = qdri_kept_make();
    if (!made) return qdri_fail_memory();
    qdr_status status = prepare(comm, algorithm, &wanted, &wire, &plan);
    if (!status) {
        status = qdri_kept_start(made, wire, plan->plan, buffers_of(&wanted, &buffers), pending);
        if (status) qdri_wire_release(&wire);
    }
    if (status) free(made);
    return status;
}
