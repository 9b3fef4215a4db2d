/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sharing (Lee and Sussman, section 2.3.1). All ranks of a program have the same descriptors, so any of them may send
 * them. Disjoint sets: each sends to its share of the other program's ranks, at the same time; as many messages cross as
 * the other program has ranks. Representatives: one message crosses, and is spread inside.
 */
#include "couple/schedule/share.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* A copy for each of several messages. */
static int copy_message(qdri_build *build, const qdri_content *from, int rank, qdri_content *to) {
    *to = (qdri_content){rank, from->bytes, qdri_message_alloc(&build->effort, from->bytes)};
    if (to->data && from->bytes > 0) memcpy(to->data, from->data, (size_t)from->bytes);
    if (!to->data) to->bytes = 0;
    return to->data != NULL;
}

/* Copies of `from` to the ranks that `picks` picks; returns how many. */
static int copies(qdri_build *build, const qdri_content *from, const int *rank, int count, int first,
                  int step, qdri_content *out, int *is_short) {
    int made = 0;
    for (int i = first; i < count; i += step) *is_short |= !copy_message(build, from, rank[i], &out[made++]);
    return made;
}

static qdr_status by_disjoint_sets(qdri_build *build, const qdri_conversation *conversation,
                                   const int gives[2], const qdri_content *own, qdri_content *box,
                                   qdri_content *in) {
    const qdri_space *space = build->space;
    int side = space->side, others = space->count[!side], is_short = 0;
    int sends = gives[side] ? copies(build, own, space->rank[!side], others, space->own, space->count[side],
                                     box, &is_short)
                            : 0;
    in->rank = space->rank[!side][space->own % others];
    qdr_status status = qdri_messages_swap(conversation, sends, box, gives[!side] ? 1 : 0, in);
    return status ? status : is_short ? qdri_fail_memory() : QDR_OK;
}

static qdr_status by_representatives(qdri_build *build, const qdri_conversation *conversation,
                                     const int gives[2], const qdri_content *own, qdri_content *box,
                                     qdri_content *in) {
    const qdri_space *space = build->space;
    int side = space->side, is_root = space->own == 0, is_short = 0;
    int sends = is_root && gives[side] ? copies(build, own, space->rank[!side], 1, 0, 1, box, &is_short) : 0;
    in->rank = is_root ? space->rank[!side][0] : space->rank[side][0];
    if (is_root) QDRI_TRY(qdri_messages_swap(conversation, sends, box, gives[!side] ? 1 : 0, in));
    if (!gives[!side]) return is_short ? qdri_fail_memory() : QDR_OK;
    sends = is_root ? copies(build, in, space->rank[side], space->count[side], 1, 1, box, &is_short) : 0;
    QDRI_TRY(qdri_messages_swap(conversation, sends, box, is_root ? 0 : 1, in));
    return is_short ? qdri_fail_memory() : QDR_OK;
}

qdr_status qdri_share(qdri_build *build, const char *what, int way, const int gives[2], qdri_content out,
                      qdri_content *in) {
    const qdri_space *space = build->space;
    qdri_conversation conversation = qdri_build_conversation(build, what);
    *in = (qdri_content){.rank = 0};
    qdri_content *box = QDRI_ZERO_ARRAY(qdri_content, space->count[0] + space->count[1]);
    qdr_status status = QDR_OK;
    if (!box)
        status = qdri_fail_memory();
    else if (way == QDRI_DISJOINT)
        status = by_disjoint_sets(build, &conversation, gives, &out, box, in);
    else
        status = by_representatives(build, &conversation, gives, &out, box, in);
    qdri_messages_free(&build->effort, 1, &out);
    free(box);
    return status;
}

qdr_status qdri_share_inside(qdri_build *build, const char *what, qdri_content out, qdri_content *in) {
    const qdri_space *space = build->space;
    int members = space->count[space->side], is_short = 0;
    const int *rank = space->rank[space->side];
    qdri_conversation conversation = qdri_build_conversation(build, what);
    qdri_content *box = QDRI_ZERO_ARRAY(qdri_content, members);
    if (!box) {
        qdri_messages_free(&build->effort, 1, &out);
        return qdri_fail_memory();
    }
    for (int i = 0; i < members; i++) in[i].rank = rank[i];
    int sends = copies(build, &out, rank, members, 0, 1, box, &is_short);
    qdri_messages_free(&build->effort, 1, &out);
    qdr_status status = qdri_messages_swap(&conversation, sends, box, members, in);
    free(box);
    return status ? status : is_short ? qdri_fail_memory() : QDR_OK;
}
