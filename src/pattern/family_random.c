/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random patterns without structure, in two laws, and one with a few hot receivers.
 *
 * density=D: exactly round(D n (n - 1)) messages, every set of that many pairs equally likely (the random
 * matrices of the CM-5 paper, table 11). First the messages are thrown into the rows: a row is drawn and
 * takes the message with probability (free places) / (n - 1), which is the law of a set drawn without
 * replacement. Then each row chooses its partners. Above one half the empty places are thrown instead, so two
 * throws per message suffice.
 *
 * degree=d: every row and every column has exactly d messages (NICE, section 6, test set 1). The start is a
 * circulant matrix of d random shifts whose ranks are renamed at random. Then rows trade in random pairs: the
 * destinations that only one of the two has are pooled and dealt again. A trade keeps all row and column
 * sums; destinations that would become diagonal stay. Such trades ("curveball", Strona et al. 2014) mix much
 * faster than swaps of single messages, and touch memory row by row; a few rounds over all rows suffice.
 *
 * hotspot: as density, with the messages to some random receivers made larger.
 *
 * Cost: O(messages + n); degree: O(messages) per round.
 */
#include "family.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

enum { TRADE_ROUNDS = 8 };

/* ---- density ------------------------------------------------------------------------------------------- */

/* How many messages each row has; count[] must be zero. */
static void throw_into_rows(qdri_draft *draft, int64_t messages, int *count) {
    int ranks = draft->ranks, places = ranks - 1;
    int64_t pairs = (int64_t)ranks * places;
    int leave_out = messages > pairs / 2;
    for (int64_t left = leave_out ? pairs - messages : messages; left > 0;) {
        int row = (int)qdri_random_below(&draft->random, (uint64_t)ranks);
        if ((int)qdri_random_below(&draft->random, (uint64_t)places) < count[row]) continue;
        count[row]++;
        left--;
    }
    for (int row = 0; leave_out && row < ranks; row++) count[row] = places - count[row];
}

/* Fills the draft with random pairs; what goes to `destination` is multiplied by factor[destination]. */
static qdr_status scatter(qdri_draft *draft, int64_t messages, const int64_t *factor) {
    qdri_partners partners;
    QDRI_TRY(qdri_partners_open(&partners, draft->ranks));
    int *count = QDRI_ZERO_ARRAY(int, draft->ranks);
    if (count) {
        throw_into_rows(draft, messages, count);
        for (int row = 0; row < draft->ranks; row++) {
            qdri_partners_choose(&partners, &draft->random, row, count[row]);
            for (int k = 0; k < count[row]; k++)
                qdri_draft_add(draft, row, partners.chosen[k], factor ? factor[partners.chosen[k]] : 1);
        }
    }
    qdri_partners_close(&partners);
    if (!count) return qdri_fail_memory();
    free(count);
    return QDR_OK;
}

static int64_t message_count(const qdri_spec *spec) {
    return qdri_density_count((int)qdri_spec_integer(spec, "n"), qdri_spec_real(spec, "density"));
}

static qdr_status by_density(const qdri_spec *spec, qdr_pattern **pattern) {
    qdri_draft draft;
    int64_t messages = message_count(spec);
    QDRI_TRY(qdri_draft_open(&draft, spec, messages));
    return qdri_draft_close(&draft, scatter(&draft, messages, NULL), pattern);
}

/* ---- degree -------------------------------------------------------------------------------------------- */

typedef struct regular {
    int ranks, degree;
    int *destination; /* [ranks][degree] */
    int *pool;        /* [2 * degree] */
    int64_t *mark;    /* [ranks], the trade that saw a destination last, and whether in both rows */
    int64_t trade;
} regular;

/* d random shifts of a ring whose ranks are renamed. */
static void fill_circulant(regular *matrix, const int *name, const int *shift) {
    for (int rank = 0; rank < matrix->ranks; rank++) {
        int *row = matrix->destination + (int64_t)name[rank] * matrix->degree;
        for (int k = 0; k < matrix->degree; k++)
            row[k] = name[(int)(((int64_t)rank + shift[k]) % matrix->ranks)];
    }
}

/* Moves the destinations of `row` that may change hands into the pool, and those that may not to the front;
 * returns how many may not. */
static int pool_row(const regular *matrix, int *row, int other, int *pooled) {
    int kept = 0;
    for (int k = 0; k < matrix->degree; k++) {
        int rank = row[k];
        if (matrix->mark[rank] == 2 * matrix->trade + 1 || rank == other)
            row[kept++] = rank;
        else
            matrix->pool[(*pooled)++] = rank;
    }
    return kept;
}

static void trade(regular *matrix, qdri_random *random, int first, int second) {
    int *one = matrix->destination + (int64_t)first * matrix->degree;
    int *two = matrix->destination + (int64_t)second * matrix->degree;
    int pooled = 0;
    matrix->trade++;
    for (int k = 0; k < matrix->degree; k++) matrix->mark[one[k]] = 2 * matrix->trade;
    for (int k = 0; k < matrix->degree; k++)
        if (matrix->mark[two[k]] == 2 * matrix->trade) matrix->mark[two[k]]++;
    int kept_one = pool_row(matrix, one, second, &pooled);
    int kept_two = pool_row(matrix, two, first, &pooled);
    for (int k = kept_one; k < matrix->degree; k++) {
        int drawn = (int)qdri_random_below(random, (uint64_t)pooled);
        one[k] = matrix->pool[drawn];
        matrix->pool[drawn] = matrix->pool[--pooled];
    }
    for (int k = kept_two; k < matrix->degree; k++) two[k] = matrix->pool[--pooled];
}

static void mix(regular *matrix, qdri_random *random, int *order) {
    if (matrix->degree == matrix->ranks - 1) return; /* there is only one such matrix */
    for (int round = 0; round < TRADE_ROUNDS; round++) {
        qdri_random_shuffle(random, order, matrix->ranks);
        for (int k = 0; k + 1 < matrix->ranks; k += 2) trade(matrix, random, order[k], order[k + 1]);
    }
}

static qdr_status generate_regular(qdri_draft *draft, regular *matrix) {
    qdri_partners shifts;
    QDRI_TRY(qdri_partners_open(&shifts, draft->ranks));
    int *name = qdri_random_order(&draft->random, draft->ranks);
    matrix->destination = QDRI_ARRAY(int, (int64_t)matrix->ranks * matrix->degree);
    matrix->pool = QDRI_ARRAY(int, 2 * (int64_t)matrix->degree);
    matrix->mark = QDRI_ZERO_ARRAY(int64_t, matrix->ranks);
    int ready = name && matrix->destination && matrix->pool && matrix->mark;
    if (ready) {
        qdri_partners_choose(&shifts, &draft->random, 0, matrix->degree);
        fill_circulant(matrix, name, shifts.chosen);
        mix(matrix, &draft->random, name);
        for (int origin = 0; origin < matrix->ranks; origin++)
            for (int k = 0; k < matrix->degree; k++)
                qdri_draft_add(draft, origin, matrix->destination[(int64_t)origin * matrix->degree + k], 1);
    }
    free(matrix->destination);
    free(matrix->pool);
    free(matrix->mark);
    free(name);
    qdri_partners_close(&shifts);
    return ready ? QDR_OK : qdri_fail_memory();
}

static qdr_status by_degree(const qdri_spec *spec, qdr_pattern **pattern) {
    qdri_draft draft;
    int64_t ranks = qdri_spec_integer(spec, "n"), degree = qdri_spec_integer(spec, "degree");
    if (degree >= ranks)
        return qdri_spec_fail(spec, QDR_ERR_RANGE,
                              "degree=%" PRId64 " of %" PRId64 " ranks; expected 0 to %" PRId64
                              ", the other ranks",
                              degree, ranks, ranks - 1);
    QDRI_TRY(qdri_draft_open(&draft, spec, ranks * degree));
    regular matrix = {.ranks = (int)ranks, .degree = (int)degree};
    return qdri_draft_close(&draft, generate_regular(&draft, &matrix), pattern);
}

/* ---- the families -------------------------------------------------------------------------------------- */

static qdr_status generate(const qdri_spec *spec, qdr_pattern **pattern) {
    int density = qdri_spec_given(spec, "density"), degree = qdri_spec_given(spec, "degree");
    if (density == degree)
        return qdri_spec_fail(spec, QDR_ERR_SYNTAX, "%s of density and degree; expected exactly one of them",
                              density ? "both" : "neither");
    return density ? by_density(spec, pattern) : by_degree(spec, pattern);
}

static const qdri_option options[] = {
    QDRI_OPTION_RANKS,
    {"density", QDRI_REAL, "", 0, 1, NULL, "messages / (n (n - 1)); exactly that many, rounded", 0},
    {"degree", QDRI_INTEGER, "", 0, QDRI_RANKS_LIMIT, NULL, "messages out of and into every rank, exactly",
     0},
    QDRI_OPTIONS_DRAWN,
};

const qdri_family qdri_family_random = {
    .name = "random",
    .summary = "random pairs, with a given density or the same degree everywhere",
    .source = "CM-5 scheduling, table 11; NICE, section 6, test set 1",
    .example = "random:n=64,density=0.25,bytes=512,seed=1",
    QDRI_OPTIONS(options),
    .generate = generate,
};

static qdr_status hotspot(const qdri_spec *spec, qdr_pattern **pattern) {
    qdri_draft draft;
    int64_t messages = message_count(spec), hot = qdri_spec_integer(spec, "hot"),
            ranks = qdri_spec_integer(spec, "n");
    if (hot > ranks)
        return qdri_spec_fail(spec, QDR_ERR_RANGE,
                              "hot=%" PRId64 " of %" PRId64 " ranks; expected 0 to %" PRId64, hot, ranks,
                              ranks);
    QDRI_TRY(qdri_draft_open(&draft, spec, messages));
    int *order = qdri_random_order(&draft.random, draft.ranks);
    int64_t *factor = QDRI_ARRAY(int64_t, draft.ranks);
    qdr_status status = order && factor ? QDR_OK : qdri_fail_memory();
    if (status == QDR_OK) {
        for (int k = 0; k < draft.ranks; k++)
            factor[order[k]] = k < hot ? qdri_spec_integer(spec, "factor") : 1;
        status = scatter(&draft, messages, factor);
    }
    free(order);
    free(factor);
    return qdri_draft_close(&draft, status, pattern);
}

static const qdri_option hotspot_options[] = {
    QDRI_OPTION_RANKS,
    {"density", QDRI_REAL, "0.25", 0, 1, NULL, "messages / (n (n - 1)); exactly that many, rounded", 0},
    {"hot", QDRI_INTEGER, "1", 0, QDRI_RANKS_LIMIT, NULL, "hot receivers, drawn at random", 0},
    {"factor", QDRI_INTEGER, "16", 0, 1048576, NULL, "how many times larger the messages to them are", 0},
    QDRI_OPTIONS_DRAWN,
};

const qdri_family qdri_family_hotspot = {
    .name = "hotspot",
    .summary = "random pairs, with larger messages to a few hot receivers",
    .source = "Transportation, section 3",
    .example = "hotspot:n=64,hot=2,factor=16,density=0.25,bytes=1K..4K",
    QDRI_OPTIONS(hotspot_options),
    .generate = hotspot,
};
