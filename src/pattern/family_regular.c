/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Families with a closed form: every rank's partners follow from its number, apart from one random
 * permutation.
 *
 *     complete      i to every j          CM-5 paper, section 3; NICE, linear permutation
 *     permutation   i to pi(i)            NICE, section 2.2; no fixed point, all such pi are equally likely
 *     shift         i to i + by mod n
 *     transpose     (r, c) to (c, r)      of a square grid of ranks
 *     alltoone      i to the root         gather
 *     onetoall      the root to i         scatter
 *
 * Messages of a rank to itself (transpose, shift by 0, a permutation of one rank) are local.
 * Cost: O(messages).
 */
#include "family.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"

static const qdri_option drawn_options[] = {QDRI_OPTION_RANKS, QDRI_OPTIONS_DRAWN};

static qdr_status complete(const qdri_spec *spec, qdr_pattern **pattern) {
    qdri_draft draft;
    int64_t ranks = qdri_spec_integer(spec, "n");
    QDRI_TRY(qdri_draft_open(&draft, spec, ranks * (ranks - 1)));
    for (int origin = 0; origin < draft.ranks; origin++)
        for (int destination = 0; destination < draft.ranks; destination++)
            if (origin != destination) qdri_draft_add(&draft, origin, destination, 1);
    return qdri_draft_close(&draft, QDR_OK, pattern);
}

const qdri_family qdri_family_complete = {
    .name = "complete",
    .summary = "every rank sends to every other one",
    .source = "CM-5 scheduling, section 3",
    .example = "complete:n=16,bytes=512",
    QDRI_OPTIONS(drawn_options),
    .generate = complete,
};

/* ---- one message per rank ------------------------------------------------------------------------------ */

static int has_fixed_point(const int *order, int ranks) {
    for (int rank = 0; rank < ranks; rank++)
        if (order[rank] == rank) return 1;
    return 0;
}

static qdr_status permutation(const qdri_spec *spec, qdr_pattern **pattern) {
    qdri_draft draft;
    QDRI_TRY(qdri_draft_open(&draft, spec, qdri_spec_integer(spec, "n")));
    int *target = qdri_random_order(&draft.random, draft.ranks);
    if (!target) return qdri_draft_close(&draft, qdri_fail_memory(), pattern);
    while (draft.ranks > 1 && has_fixed_point(target, draft.ranks)) /* one shuffle in e has none */
        qdri_random_shuffle(&draft.random, target, draft.ranks);
    for (int rank = 0; rank < draft.ranks; rank++) qdri_draft_add(&draft, rank, target[rank], 1);
    free(target);
    return qdri_draft_close(&draft, QDR_OK, pattern);
}

const qdri_family qdri_family_permutation = {
    .name = "permutation",
    .summary = "every rank sends to one other rank and receives from one, at random",
    .source = "NICE, section 2.2",
    .example = "permutation:n=32,bytes=1Ki,seed=7",
    QDRI_OPTIONS(drawn_options),
    .generate = permutation,
};

static qdr_status shift(const qdri_spec *spec, qdr_pattern **pattern) {
    qdri_draft draft;
    QDRI_TRY(qdri_draft_open(&draft, spec, qdri_spec_integer(spec, "n")));
    int64_t by = qdri_spec_integer(spec, "by") % draft.ranks + draft.ranks;
    for (int rank = 0; rank < draft.ranks; rank++)
        qdri_draft_add(&draft, rank, (int)((rank + by) % draft.ranks), 1);
    return qdri_draft_close(&draft, QDR_OK, pattern);
}

static const qdri_option shift_options[] = {
    QDRI_OPTION_RANKS,
    {"by", QDRI_INTEGER, "1", 0, 0, NULL, "distance from origin to destination, modulo n", 0},
    QDRI_OPTIONS_DRAWN,
};

const qdri_family qdri_family_shift = {
    .name = "shift",
    .summary = "every rank sends to the rank a fixed distance away, around a ring",
    .source = "",
    .example = "shift:n=16,by=5,bytes=64Ki",
    QDRI_OPTIONS(shift_options),
    .generate = shift,
};

static qdr_status transpose(const qdri_spec *spec, qdr_pattern **pattern) {
    qdri_draft draft;
    int ranks = (int)qdri_spec_integer(spec, "n"), side = 1;
    while ((int64_t)side * side < ranks) side++;
    if (side * side != ranks)
        return qdri_spec_fail(spec, QDR_ERR_RANGE,
                              "%d ranks are no square grid; expected a square such as %d or %d", ranks,
                              (side - 1) * (side - 1), side * side);
    QDRI_TRY(qdri_draft_open(&draft, spec, ranks));
    for (int row = 0; row < side; row++)
        for (int column = 0; column < side; column++)
            qdri_draft_add(&draft, row * side + column, column * side + row, 1);
    return qdri_draft_close(&draft, QDR_OK, pattern);
}

const qdri_family qdri_family_transpose = {
    .name = "transpose",
    .summary = "rank (r, c) of a square grid sends to rank (c, r)",
    .source = "Transportation, section 3",
    .example = "transpose:n=64,bytes=4Ki",
    QDRI_OPTIONS(drawn_options),
    .generate = transpose,
};

/* ---- stars --------------------------------------------------------------------------------------------- */

static qdr_status star(const qdri_spec *spec, int inward, qdr_pattern **pattern) {
    qdri_draft draft;
    int64_t root = qdri_spec_integer(spec, "root"), ranks = qdri_spec_integer(spec, "n");
    if (root >= ranks)
        return qdri_spec_fail(spec, QDR_ERR_RANGE, "root=%" PRId64 " is no rank; expected 0 to %" PRId64,
                              root, ranks - 1);
    QDRI_TRY(qdri_draft_open(&draft, spec, ranks - 1));
    for (int rank = 0; rank < draft.ranks; rank++)
        if (rank != root) qdri_draft_add(&draft, inward ? rank : (int)root, inward ? (int)root : rank, 1);
    return qdri_draft_close(&draft, QDR_OK, pattern);
}

static qdr_status all_to_one(const qdri_spec *spec, qdr_pattern **pattern) {
    return star(spec, 1, pattern);
}

static qdr_status one_to_all(const qdri_spec *spec, qdr_pattern **pattern) {
    return star(spec, 0, pattern);
}

static const qdri_option star_options[] = {
    QDRI_OPTION_RANKS,
    {"root", QDRI_INTEGER, "0", 0, QDRI_RANKS_LIMIT, NULL, "the rank in the middle", 0},
    QDRI_OPTIONS_DRAWN,
};

const qdri_family qdri_family_alltoone = {
    .name = "alltoone",
    .summary = "every other rank sends to the root",
    .source = "Transportation, section 1",
    .example = "alltoone:n=16,root=3,bytes=64Ki",
    QDRI_OPTIONS(star_options),
    .generate = all_to_one,
};

const qdri_family qdri_family_onetoall = {
    .name = "onetoall",
    .summary = "the root sends to every other rank",
    .source = "Transportation, section 1",
    .example = "onetoall:n=16,bytes=1K..64K",
    QDRI_OPTIONS(star_options),
    .generate = one_to_all,
};
