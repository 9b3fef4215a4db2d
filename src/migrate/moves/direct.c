/* SPDX-License-Identifier: BSD-3-Clause */
/* direct: everything at once, in one phase. Each rank needs room for all that comes while it still holds all
 * that leaves (section 3). */
#include "migrate/moves/moves.h"

static qdr_status build(const qdri_moves_request *request, qdri_phases *phases, const char **taken) {
    const qdr_pattern_view *view = &request->view;
    (void)taken;
    for (int rank = 0; rank < view->ranks; rank++)
        if (request->in[rank] > request->room[rank])
            return qdri_refuse(request,
                               "direct needs room for %lld units on rank %d, which has room for %lld",
                               (long long)request->in[rank], rank, (long long)request->room[rank]);
    for (int64_t m = 0; m < view->messages; m++)
        if (view->items[m] > 0)
            QDRI_TRY(qdri_phases_add(
                phases, (qdr_move){m, 0, view->items[m], view->origin[m], view->destination[m]}));
    return qdri_phases_end(phases);
}

const qdri_moves_method qdri_moves_direct = {
    .name = "direct",
    .summary = "everything at once",
    .promise = "one phase; refuses where a rank lacks room for all that it receives",
    .build = build,
};
