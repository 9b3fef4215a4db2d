/* SPDX-License-Identifier: BSD-3-Clause */
/* Who hands over what, message by message: see handed.h. */
#include "schedule/handed.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

void qdri_handed_free(qdri_handed *handed) {
    free(handed->start);
    free(handed->message);
    *handed = (qdri_handed){NULL, NULL};
}

/* Whether walking costs far less than looking at all pairs of ranks. */
static int is_sparse(const qdr_pattern_view *view, int stages) {
    enum { FAR_LESS = 64 };
    return ((int64_t)view->ranks + view->messages) * stages < (int64_t)view->ranks * view->ranks / FAR_LESS;
}

static qdr_status fail(qdri_handed *made) {
    qdri_handed_free(made);
    return qdri_fail_memory();
}

qdr_status qdri_handed_walk(const qdr_pattern_view *view, int stages, qdri_walk *walk, const void *about,
                            qdri_handed *made) {
    int64_t places = (int64_t)stages * view->ranks;
    *made = (qdri_handed){NULL, NULL};
    if (!is_sparse(view, stages)) return QDR_OK;
    made->start = QDRI_ZERO_ARRAY(int64_t, places + 1);
    if (!made->start) return fail(made);
    walk(view, about, made);
    for (int64_t i = 0; i < places; i++) made->start[i + 1] += made->start[i];
    made->message = QDRI_ARRAY(int64_t, made->start[places]);
    if (!made->message) return fail(made);
    walk(view, about, made);
    for (int64_t i = places; i > 0; i--) made->start[i] = made->start[i - 1]; /* back by one place */
    made->start[0] = 0;
    return QDR_OK;
}
