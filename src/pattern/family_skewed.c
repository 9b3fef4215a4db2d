/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Skewed patterns: some ranks are far more popular, or far busier, than others.
 *
 * zipf: round(D n (n - 1)) messages, shared among the receivers so that the k-th most popular one (which rank
 * that is, is random) gets a share proportional to k^-exponent, at most n - 1; its senders are random. Shares
 * are handed out from the most popular one down, each the rounded up part of what is left; since the weights
 * fall, what is left always fits the ranks that are left.
 *
 * powerlaw: the number of messages of each sender is drawn from 1..max with probability proportional to
 * d^-exponent; its receivers are random.
 *
 * moe: the dispatch of a mixture-of-experts layer. Every rank holds `tokens` tokens; each goes to `top`
 * different experts, drawn by popularity k^-skew (which expert is the k-th most popular, is random). Experts
 * are spread over the ranks in blocks. A token that chooses two experts of one rank is sent to it twice, as
 * without fusion. Drawing without repetition is exact: the weights already drawn are cut out of the line.
 *
 * Cost: zipf and powerlaw O(messages + n log n), moe O(n tokens top (top + log experts)).
 */
#include "family.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

#define OPTION_EXPONENT(key, standard, meaning)                                                              \
    { key, QDRI_REAL, standard, 0, 8, NULL, meaning, 0 }

/* ---- zipf ---------------------------------------------------------------------------------------------- */

enum { SHARE_BITS = 32 }; /* so that a weight times the messages, at most 2^31, fits */

/* The rounded up part `weight` / `whole` of `amount`. */
static int64_t part_of(int64_t amount, uint64_t weight, uint64_t whole) {
    uint64_t product = (uint64_t)amount * weight;
    return (int64_t)(product / whole + (product % whole > 0));
}

static qdr_status fill_zipf(qdri_draft *draft, int64_t messages, const uint64_t *start, const int *rank_of,
                            qdri_partners *senders) {
    uint64_t whole = start[draft->ranks];
    for (int k = 1; k <= draft->ranks; k++) {
        int receiver = rank_of[k - 1];
        int64_t fan_in = part_of(messages, start[k] - start[k - 1], whole - start[k - 1]);
        if (fan_in > draft->ranks - 1) fan_in = draft->ranks - 1;
        qdri_partners_choose(senders, &draft->random, receiver, (int)fan_in);
        for (int s = 0; s < fan_in; s++) qdri_draft_add(draft, senders->chosen[s], receiver, 1);
        messages -= fan_in;
    }
    return QDR_OK;
}

static qdr_status zipf(const qdri_spec *spec, qdr_pattern **pattern) {
    qdri_draft draft;
    qdri_partners senders;
    int64_t messages = qdri_density_count((int)qdri_spec_integer(spec, "n"), qdri_spec_real(spec, "density"));
    QDRI_TRY(qdri_draft_open(&draft, spec, messages));
    uint64_t *start = qdri_power_law(draft.ranks, qdri_spec_real(spec, "exponent"), SHARE_BITS);
    int *rank_of = qdri_random_order(&draft.random, draft.ranks);
    qdr_status status = qdri_partners_open(&senders, draft.ranks);
    if (!start || !rank_of) status = qdri_fail_memory();
    if (status == QDR_OK) status = fill_zipf(&draft, messages, start, rank_of, &senders);
    qdri_partners_close(&senders);
    free(start);
    free(rank_of);
    return qdri_draft_close(&draft, status, pattern);
}

static const qdri_option zipf_options[] = {
    QDRI_OPTION_RANKS,
    {"density", QDRI_REAL, "0.25", 0, 1, NULL, "messages / (n (n - 1)); exactly that many, rounded", 0},
    OPTION_EXPONENT("exponent", "1", "the k-th receiver's share falls as k^-exponent"),
    QDRI_OPTIONS_DRAWN,
};

const qdri_family qdri_family_zipf = {
    .name = "zipf",
    .summary = "random senders, receivers whose popularity follows Zipf's law",
    .source = "",
    .example = "zipf:n=64,density=0.2,exponent=1,bytes=4K",
    QDRI_OPTIONS(zipf_options),
    .generate = zipf,
};

/* ---- powerlaw ------------------------------------------------------------------------------------------ */

/* Draws every sender's number of messages into `degree` and returns their sum. */
static int64_t draw_degrees(qdri_draft *draft, const uint64_t *start, int most, int *degree) {
    int64_t sum = 0;
    for (int rank = 0; rank < draft->ranks; rank++) {
        uint64_t point = qdri_random_next(&draft->random) % start[most];
        degree[rank] = qdri_power_law_find(start, most, point);
        sum += degree[rank];
    }
    return sum;
}

static qdr_status fill_powerlaw(qdri_draft *draft, const uint64_t *start, int most, int *degree) {
    qdri_partners receivers;
    QDRI_TRY(qdri_draft_expect(draft, draw_degrees(draft, start, most, degree)));
    QDRI_TRY(qdri_partners_open(&receivers, draft->ranks));
    for (int rank = 0; rank < draft->ranks; rank++) {
        qdri_partners_choose(&receivers, &draft->random, rank, degree[rank]);
        for (int k = 0; k < degree[rank]; k++) qdri_draft_add(draft, rank, receivers.chosen[k], 1);
    }
    qdri_partners_close(&receivers);
    return QDR_OK;
}

static qdr_status powerlaw(const qdri_spec *spec, qdr_pattern **pattern) {
    qdri_draft draft;
    int64_t ranks = qdri_spec_integer(spec, "n");
    int64_t most = qdri_spec_given(spec, "max") ? qdri_spec_integer(spec, "max") : ranks - 1;
    if (most >= ranks && ranks > 1)
        return qdri_spec_fail(spec, QDR_ERR_RANGE,
                              "max=%" PRId64 " of %" PRId64 " ranks; expected 1 to %" PRId64, most, ranks,
                              ranks - 1);
    QDRI_TRY(qdri_draft_open(&draft, spec, 0));
    if (ranks == 1) return qdri_draft_close(&draft, QDR_OK, pattern);
    uint64_t *start = qdri_power_law((int)most, qdri_spec_real(spec, "exponent"), QDRI_POWER_BITS);
    int *degree = QDRI_ARRAY(int, draft.ranks);
    qdr_status status =
        start && degree ? fill_powerlaw(&draft, start, (int)most, degree) : qdri_fail_memory();
    free(start);
    free(degree);
    return qdri_draft_close(&draft, status, pattern);
}

static const qdri_option powerlaw_options[] = {
    QDRI_OPTION_RANKS,
    OPTION_EXPONENT("exponent", "2", "a sender has d messages with probability ~ d^-exponent"),
    {"max", QDRI_INTEGER, "", 1, QDRI_RANKS_LIMIT, NULL, "the most messages of a sender; n - 1 if absent", 0},
    QDRI_OPTIONS_DRAWN,
};

const qdri_family qdri_family_powerlaw = {
    .name = "powerlaw",
    .summary = "senders whose number of messages follows a power law, random receivers",
    .source = "",
    .example = "powerlaw:n=64,exponent=2,bytes=1K..64K,sizes=log",
    QDRI_OPTIONS(powerlaw_options),
    .generate = powerlaw,
};

/* ---- moe ----------------------------------------------------------------------------------------------- */

enum { TOP_LIMIT = 64 };

typedef struct experts {
    int count, top;
    uint64_t *start; /* weights by popularity */
    int *expert_of;  /* the expert of each popularity */
    int64_t *tokens; /* [ranks] of the row in hand */
    int drawn[TOP_LIMIT];
} experts;

/* Draws the popularities of one token's experts, rising, into drawn[]. */
static void draw_experts(experts *layer, qdri_random *random) {
    uint64_t left = layer->start[layer->count];
    for (int found = 0; found < layer->top; found++) {
        uint64_t point = qdri_random_next(random) % left;
        int place = 0;
        for (; place < found; place++) { /* step over the weights that are gone */
            int gone = layer->drawn[place];
            if (point < layer->start[gone - 1]) break;
            point += layer->start[gone] - layer->start[gone - 1];
        }
        int popularity = qdri_power_law_find(layer->start, layer->count, point);
        for (int k = found; k > place; k--) layer->drawn[k] = layer->drawn[k - 1];
        layer->drawn[place] = popularity;
        left -= layer->start[popularity] - layer->start[popularity - 1];
    }
}

static void dispatch(qdri_draft *draft, experts *layer, int64_t tokens) {
    for (int origin = 0; origin < draft->ranks; origin++) {
        for (int rank = 0; rank < draft->ranks; rank++) layer->tokens[rank] = 0;
        for (int64_t token = 0; token < tokens; token++) {
            draw_experts(layer, &draft->random);
            for (int k = 0; k < layer->top; k++) {
                int64_t expert = layer->expert_of[layer->drawn[k] - 1];
                layer->tokens[expert * draft->ranks / layer->count]++;
            }
        }
        for (int rank = 0; rank < draft->ranks; rank++)
            if (layer->tokens[rank]) qdri_draft_add(draft, origin, rank, layer->tokens[rank]);
    }
}

static qdr_status check_moe(const qdri_spec *spec, int64_t expert_count) {
    int64_t ranks = qdri_spec_integer(spec, "n"), top = qdri_spec_integer(spec, "top");
    int64_t choices = qdri_product(ranks, qdri_spec_integer(spec, "tokens") * top);
    int64_t work = choices + qdri_product(ranks, ranks);
    if (top > expert_count)
        return qdri_spec_fail(spec, QDR_ERR_RANGE,
                              "top=%" PRId64 " of %" PRId64 " experts; expected 1 to %" PRId64, top,
                              expert_count, expert_count);
    if (work > QDRI_MESSAGES_LIMIT)
        return qdri_spec_fail(spec, QDR_ERR_RANGE,
                              "n (n + tokens top) is %" PRId64 " steps; expected at most %" PRId64, work,
                              QDRI_MESSAGES_LIMIT);
    return QDR_OK;
}

static qdr_status moe(const qdri_spec *spec, qdr_pattern **pattern) {
    qdri_draft draft;
    experts layer = {.top = (int)qdri_spec_integer(spec, "top")};
    layer.count = (int)qdri_spec_integer(spec, qdri_spec_given(spec, "experts") ? "experts" : "n");
    QDRI_TRY(check_moe(spec, layer.count));
    QDRI_TRY(qdri_draft_open(&draft, spec, 0));
    layer.start = qdri_power_law(layer.count, qdri_spec_real(spec, "skew"), QDRI_POWER_BITS);
    layer.expert_of = qdri_random_order(&draft.random, layer.count);
    layer.tokens = QDRI_ARRAY(int64_t, draft.ranks);
    int ready = layer.start && layer.expert_of && layer.tokens;
    if (ready) dispatch(&draft, &layer, qdri_spec_integer(spec, "tokens"));
    free(layer.start);
    free(layer.expert_of);
    free(layer.tokens);
    return qdri_draft_close(&draft, ready ? QDR_OK : qdri_fail_memory(), pattern);
}

static const qdri_option moe_options[] = {
    QDRI_OPTION_RANKS,
    {"experts", QDRI_INTEGER, "", 1, QDRI_RANKS_LIMIT, NULL, "experts, in blocks over the ranks; n if absent",
     0},
    {"tokens", QDRI_INTEGER, "1024", 0, 16777216, NULL, "tokens of each rank", 0},
    {"top", QDRI_INTEGER, "2", 1, TOP_LIMIT, NULL, "experts that each token goes to", 0},
    OPTION_EXPONENT("skew", "0", "the k-th expert's popularity falls as k^-skew; 0 is even"),
    {"bytes", QDRI_INTEGER, "1024", 0, QDRI_BYTES_LIMIT, NULL, "bytes of a token", 0},
    QDRI_OPTION_SEED,
};

const qdri_family qdri_family_moe = {
    .name = "moe",
    .summary = "mixture-of-experts dispatch: tokens to the ranks of their experts",
    .source = "",
    .example = "moe:n=16,experts=64,tokens=512,top=2,skew=0.8,bytes=4Ki",
    QDRI_OPTIONS(moe_options),
    .generate = moe,
};
