/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Equal traffic with uneven messages: the generator of the transportation paper, section 9.
 *
 * Every rank sends exactly t and receives exactly t, in k messages each. Of the k partners l k get (1 - l) t
 * together and the other (1 - l) k get l t; l = 1/2 is uniform, l = 1/k the most uneven.
 *
 * The matrix is a sum of k permutations, each with one size for all its messages; so the sizes of every row
 * and of every column are the same k numbers, and remainders are handed out once for all of them. The
 * permutations are different shifts of a ring whose ranks are renamed at random, so no two share a pair. With
 * k = n one of the shifts is zero, and each rank's share for itself is local.
 *
 * Cost: O(n k).
 */
#include "family.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"

/* `partners` partners share `traffic` as evenly as whole items allow. */
typedef struct share {
    int64_t partners, traffic;
} share;

static int64_t part_of(share group, int64_t index) {
    return group.traffic / group.partners + (index < group.traffic % group.partners);
}

/* The favoured partners and the others; for a uniform pattern all are favoured. */
static qdr_status split(const qdri_spec *spec, share *favoured, share *others) {
    int64_t fanout = qdri_spec_integer(spec, "fanout"), traffic = qdri_spec_integer(spec, "traffic");
    double skew = qdri_spec_real(spec, "skew"), few = skew * (double)fanout;
    int64_t rounded = llround(few);
    *favoured = (share){fanout, traffic};
    *others = (share){0, 0};
    if (skew != 0.5) {
        if (fabs(few - (double)rounded) > 1e-6 * few || rounded < 1 || rounded >= fanout)
            return qdri_spec_fail(spec, QDR_ERR_RANGE,
                                  "skew=%.6g of fanout=%" PRId64
                                  " is %.6g partners; expected a whole number of them, "
                                  "such as skew=1/%" PRId64 ", or skew=1/2 for a uniform pattern",
                                  skew, fanout, few, fanout);
        *others = (share){fanout - rounded, llround(skew * (double)traffic)};
        *favoured = (share){rounded, traffic - others->traffic};
    }
    if (traffic > 0 && (favoured->traffic < favoured->partners || others->traffic < others->partners))
        return qdri_spec_fail(spec, QDR_ERR_RANGE,
                              "traffic=%" PRId64 " leaves some of the %" PRId64
                              " partners without an item; expected more",
                              traffic, fanout);
    return QDR_OK;
}

/* Different shifts in random order; 0 is among them only when all ranks are wanted. */
static void choose_shifts(qdri_draft *draft, qdri_partners *shifts, int fanout) {
    int count = fanout < draft->ranks ? fanout : draft->ranks - 1;
    qdri_partners_choose(shifts, &draft->random, 0, count);
    if (fanout == draft->ranks) shifts->chosen[count] = 0;
    qdri_random_shuffle(&draft->random, shifts->chosen, fanout);
}

static qdr_status fill(qdri_draft *draft, int fanout, share favoured, share others) {
    qdri_partners shifts;
    QDRI_TRY(qdri_partners_open(&shifts, draft->ranks));
    int *name = qdri_random_order(&draft->random, draft->ranks);
    if (name) {
        choose_shifts(draft, &shifts, fanout);
        for (int k = 0; k < fanout; k++) {
            int64_t items =
                k < favoured.partners ? part_of(favoured, k) : part_of(others, k - favoured.partners);
            for (int rank = 0; items > 0 && rank < draft->ranks; rank++) {
                int target = (int)(((int64_t)rank + shifts.chosen[k]) % draft->ranks);
                qdri_pattern_add(&draft->builder, name[rank], name[target], items);
            }
        }
    }
    qdri_partners_close(&shifts);
    if (!name) return qdri_fail_memory();
    free(name);
    return QDR_OK;
}

static qdr_status generate(const qdri_spec *spec, qdr_pattern **pattern) {
    qdri_draft draft;
    share favoured, others;
    int64_t ranks = qdri_spec_integer(spec, "n"), fanout = qdri_spec_integer(spec, "fanout");
    if (fanout > ranks)
        return qdri_spec_fail(spec, QDR_ERR_RANGE,
                              "fanout=%" PRId64 " of %" PRId64 " ranks; expected 1 to %" PRId64, fanout,
                              ranks, ranks);
    QDRI_TRY(split(spec, &favoured, &others));
    QDRI_TRY(qdri_draft_open(&draft, spec, ranks * fanout));
    return qdri_draft_close(&draft, fill(&draft, (int)fanout, favoured, others), pattern);
}

static const qdri_option options[] = {
    QDRI_OPTION_RANKS,
    {"fanout", QDRI_INTEGER, NULL, 1, QDRI_RANKS_LIMIT, NULL,
     "k: partners of a rank; n includes the rank itself", 0},
    {"traffic", QDRI_INTEGER, NULL, 0, 1125899906842624.0, NULL, "t: bytes out of and into every rank", 0},
    {"skew", QDRI_REAL, "1/2", 1e-9, 1, NULL, "l: l k partners get (1 - l) t, the others l t; 1/2 is uniform",
     0},
    QDRI_OPTION_SEED,
};

const qdri_family qdri_family_transport = {
    .name = "transport",
    .summary = "every rank sends and receives the same traffic, in messages of two very different sizes",
    .source = "Transportation, section 9",
    .example = "transport:n=64,fanout=32,traffic=1Mi,skew=1/32",
    QDRI_OPTIONS(options),
    .generate = generate,
};
