/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One call: whether it can be served, by which way, and how long it took. In place and between groups it is
 * MPI's. Ranks of one node have no port that could overflow, so MPI serves them too, unless QDR_PRELOAD names
 * an algorithm; the others are paced, as long as trials do not show that the plain way is faster.
 */
#include <stdio.h>

#include "preload.h"

/* Too little for a plan; MPI_Alltoall says how much it is, and says the same on all ranks. */
static int is_tiny(const qdri_call *call) {
    if (call->form != QDRI_SAME || call->to_neighbors || call->out.type == MPI_DATATYPE_NULL) return 0;
    return call->out.same * qdri_type_bytes(call->out.type) < QDRI_TINY;
}

static int wants_plan(const qdri_communicator *communicator, const qdri_call *call) {
    if (communicator->terms.plain || communicator->ranks == 1) return 0;
    return communicator->terms.algorithm[0] || (!communicator->one_node && !is_tiny(call));
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
        snprintf(sizes, sizeof sizes, ", messages of about %lld bytes",
                 (long long)(call->out.same * qdri_type_bytes(call->out.type)));
    qdri_preload_say("%s, %d ranks%s: %s was faster in a trial, and is used from here on", call->name,
                     communicator->ranks, sizes, trial->plain ? "MPI's own way" : "pacing");
}

/* Collective. The path of such calls, planned when its time has come. */
static qdri_path *path_of(qdri_communicator *communicator, const qdri_call *call) {
    qdri_path *path = call->to_neighbors ? &communicator->neighbors : &communicator->whole;
    int wanted = wants_plan(communicator, call);
    if (!path->is_open && (wanted || qdri_record_wanted())) {
        qdri_path_open(path, call->comm, call->to_neighbors);
        path->is_open = 1;
    }
    if (!path->is_planned && communicator->calls > communicator->terms.patience) {
        if (wanted)
            qdri_path_plan(path, call->comm,
                           communicator->terms.algorithm[0] ? communicator->terms.algorithm : "paced");
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

int qdri_intercept(const qdri_call *call) {
    qdri_communicator *communicator = call->in_place ? NULL : qdri_communicator_of(call->comm);
    if (!communicator) return call->plain(call);
    communicator->calls++;
    qdri_path *path = path_of(communicator, call);
    int records = path->has_lanes && qdri_record_wanted();
    if (!path->plan && !records) return call->plain(call);
    /* Arguments that MPI would refuse are left to it, to say so. */
    int is_good = qdri_path_read(path, call);
    int tries = path->plan && !communicator->terms.algorithm[0];
    qdri_trial *trial = tries ? qdri_path_trial(path, call) : NULL;
    int plain = !path->plan || !is_good || (trial && qdri_trial_way(trial));
    double begin = qdri_wall_clock() - communicator->zero;
    int code = plain ? call->plain(call) : qdri_path_run(path, call) ? fail(call, communicator) : MPI_SUCCESS;
    double end = qdri_wall_clock() - communicator->zero;
    if (trial && qdri_trial_end(trial, call->comm, begin, end, qdri_path_digest(path)))
        explain_change(communicator, call, trial);
    if (records && is_good) qdri_record_call(communicator, call, path, plain, begin, end - begin);
    return code;
}
