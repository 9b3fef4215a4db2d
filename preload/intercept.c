/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One call: whether it can be served, by which way, and how long it took. In place and between groups it is
 * MPI's. Ranks of one node have no port that could overflow, so MPI serves them too, unless QDR_PRELOAD names
 * an algorithm; the others go by plans that choose by themselves, as long as trials do not show that the plain way is faster.
 */
#include <stdio.h>

#include "persistent.h"
#include "preload.h"

/* Too little for a plan; MPI_Alltoall says how much it is, and says the same on all ranks. */
static int is_tiny(const qdri_call *call) {
    return call->form == QDRI_SAME && !call->to_neighbors && qdri_same_bytes(call) < QDRI_TINY;
}

static int wants_plan(const qdri_communicator *communicator, const qdri_call *call) {
    if (communicator->terms.plain || communicator->ranks == 1) return 0;
    return communicator->terms.algorithm[0] || (!communicator->one_node && !is_tiny(call));
}

static const char *algorithm_of(const qdri_communicator *communicator) {
    return communicator->terms.algorithm[0] ? communicator->terms.algorithm : "auto";
}

static void explain(const qdri_communicator *communicator, const qdri_call *call, const qdri_path *path) {
    qdr_plan_info info = {.algorithm = "MPI's own"};
    if (!communicator->terms.explains || communicator->rank != 0) return;
    if (path->plan) qdr_plan_look(path->plan, &info);
    qdri_preload_say("%s, %d ranks %s: %s%s%s", call->name, communicator->ranks,
                     communicator->one_node ? "on one node" : "on several nodes", info.algorithm,
                     path->why[0] ? ", because " : "", path->why);
}

static void explain_change(const qdri_communicator *communicator, const qdri_call *call,
                           const qdri_trial *trial) {
    char sizes[64] = "";
    if (!communicator->terms.explains || communicator->rank != 0) return;
    if (call->form == QDRI_SAME && !call->to_neighbors)
        snprintf(sizes, sizeof sizes, ", messages of about %lld bytes", (long long)qdri_same_bytes(call));
    qdri_preload_say("%s, %d ranks%s: %s was faster in a trial, and is used from here on", call->name,
                     communicator->ranks, sizes, trial->plain ? "MPI's own way" : "the plan");
}

/* Collective. The path of such calls, planned when its time has come. */
static qdri_path *path_of(qdri_communicator *communicator, const qdri_call *call, int kind) {
    qdri_path *path = &communicator->path[kind];
    int wanted = wants_plan(communicator, call);
    if (!path->is_open && (wanted || qdri_record_wanted())) {
        qdri_path_open(path, call->comm, kind);
        path->is_open = 1;
    }
    if (!path->is_planned && communicator->calls > communicator->terms.patience) {
        qdri_errands_finish(communicator);
        if (wanted) qdri_path_plan(path, call->comm, algorithm_of(communicator));
        path->is_planned = wanted || !is_tiny(call);
        if (path->is_planned) explain(communicator, call, path);
    }
    return path;
}

static int fail(const qdri_call *call, const qdri_communicator *communicator) {
    qdri_preload_say("%s, rank %d of %d: %s", call->name, communicator->rank, communicator->ranks,
                     qdr_error_message());
    PMPI_Comm_call_errhandler(call->comm, MPI_ERR_OTHER);
    return MPI_ERR_OTHER;
}

/* ---- nonblocking --------------------------------------------------------------------------------------- */

atomic_int qdri_wishes;

static void make_wish(qdri_communicator *communicator, qdri_path *path, const qdri_call *call) {
    int tiny = is_tiny(call);
    if (communicator->has_met && (!communicator->can_start || !wants_plan(communicator, call))) return;
    if (!path->wish) {
        atomic_fetch_add(&qdri_wishes, 1);
        path->wish_is_tiny = 1;
    }
    path->wish = call->name;
    path->wish_is_tiny &= tiny;
}

/* All ranks have the same wishes: those of earlier calls on this communicator. */
void qdri_grant_wishes(MPI_Comm comm) {
    qdri_communicator *communicator = qdri_communicator_seen(comm);
    for (int kind = 0; communicator && kind < QDRI_KINDS; kind++) {
        qdri_path *path = &communicator->path[kind];
        if (!path->wish || !qdri_communicator_meet(communicator)) continue;
        qdri_call wished = {.name = path->wish, .comm = comm, .to_neighbors = kind == QDRI_TO_NEIGHBORS};
        wished.form = path->wish_is_tiny ? QDRI_SAME : QDRI_V; /* what is not tiny has any form */
        if (communicator->can_start) path_of(communicator, &wished, kind);
        if (communicator->can_start && communicator->calls <= communicator->terms.patience) continue;
        path->wish = NULL;
        atomic_fetch_sub(&qdri_wishes, 1);
    }
}

/* Local: what was agreed, and how many calls there were, decides. */
static int start(qdri_communicator *communicator, const qdri_call *call) {
    qdri_path *path = &communicator->path[qdri_kind_of(call)];
    communicator->calls++;
    if (!path->is_planned) make_wish(communicator, path, call);
    if (!path->plan || !communicator->can_start) return call->plain(call);
    if (!communicator->terms.algorithm[0] && qdri_path_trial(path, call)->plain) return call->plain(call);
    return qdri_errand_run(communicator, path, call);
}

/* Collective, and it may wait for others. Nothing is tried: who asks for a persistent exchange repeats it. */
static int prepare(qdri_communicator *communicator, const qdri_call *call) {
    if (!qdri_communicator_meet(communicator) || !communicator->can_start || !wants_plan(communicator, call))
        return call->plain(call);
    const qdri_path *made = qdri_persistent_make(communicator, call, algorithm_of(communicator));
    if (!made) return call->plain(call);
    explain(communicator, call, made);
    return MPI_SUCCESS;
}

/* ---- all ----------------------------------------------------------------------------------------------- */

int qdri_intercept(const qdri_call *call) {
    qdri_communicator *communicator = call->in_place ? NULL : qdri_communicator_of(call->comm);
    if (!communicator || ((call->starts || call->prepares) && !call->request)) return call->plain(call);
    if (call->starts) return start(communicator, call);
    if (call->prepares) return prepare(communicator, call);
    if (!qdri_communicator_meet(communicator)) return call->plain(call);
    communicator->calls++;
    qdri_path *path = path_of(communicator, call, qdri_kind_of(call));
    int records = path->has_lanes && qdri_record_wanted();
    if (!path->plan && !records) return call->plain(call);
    /* Arguments that MPI would refuse are left to it, to say so. */
    int is_good = qdri_path_read(path, call);
    int tries = path->plan && !communicator->terms.algorithm[0];
    qdri_trial *trial = tries ? qdri_path_trial(path, call) : NULL;
    int plain = !path->plan || !is_good || (trial && qdri_trial_way(trial));
    if (!plain) qdri_errands_finish(communicator);
    double begin = qdri_wall_clock() - communicator->zero;
    int code = plain ? call->plain(call) : qdri_path_run(path, call) ? fail(call, communicator) : MPI_SUCCESS;
    double end = qdri_wall_clock() - communicator->zero;
    qdri_call_sizes sizes = trial ? qdri_path_sizes(path) : (qdri_call_sizes){0};
    if (trial && qdri_trial_end(trial, call->comm, begin, end, &sizes))
        explain_change(communicator, call, trial);
    if (records && is_good) qdri_record_call(communicator, call, path, plain, begin, end - begin);
    return code;
}
