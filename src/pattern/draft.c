/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the generators of the families share (family.h).
 *
 * Sizes are drawn as whole numbers and multiplied by the unit, so that patterns which differ in the unit alone
 * are multiples of each other, as in NICE, where msg_unit changes and the matrix does not.
 *
 * Log-uniform sizes need no logarithm. The range low..high is cut into octaves [low 2^a, low 2^(a+1)); one
 * octave is drawn, a size s evenly inside it, and s is kept with probability (bottom of the octave) / s. All
 * octaves weigh the same, and inside each the probability falls as 1 / s, so it does everywhere. At least a
 * quarter of the drawings are kept.
 *
 * Distinct partners are drawn with rejection; when more than half of the ranks are wanted, those left out are
 * drawn instead, so two drawings per partner suffice on average.
 *
 * A power law is the one place that needs libm. pow() may differ between machines in its last bit, 2^-52 of
 * its value. The weights are whole numbers and each drawing is a whole point on their line, so a difference
 * only counts when a point falls into the sliver by which a boundary moved: for one drawing among k numbers
 * with probability below k 2^-52.
 */
#include "family.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

static const qdri_value *find_value(const qdri_spec *spec, const char *key) {
    for (int i = 0; i < spec->option_count; i++)
        if (!strcmp(spec->options[i].key, key)) return &spec->value[i];
    return NULL;
}

qdr_status qdri_draft_expect(qdri_draft *draft, int64_t expected) {
    if (expected > QDRI_MESSAGES_LIMIT)
        return qdri_spec_fail(draft->spec, QDR_ERR_RANGE, "%" PRId64 " messages; expected at most %" PRId64,
                              expected, QDRI_MESSAGES_LIMIT);
    qdri_pattern_abandon(&draft->builder);
    qdri_pattern_begin(&draft->builder, draft->ranks, expected);
    return draft->builder.failed ? qdri_fail_memory() : QDR_OK;
}

/* From bytes to units. */
static qdr_status take_unit(qdri_draft *draft, int64_t unit) {
    int64_t low = draft->low / unit + (draft->low % unit != 0), high = draft->high / unit;
    if (low > high)
        return qdri_spec_fail(draft->spec, QDR_ERR_RANGE,
                              "no multiple of unit=%" PRId64 " is among %" PRId64 "..%" PRId64
                              " bytes; expected bytes such as %" PRId64 "..%" PRId64,
                              unit, draft->low, draft->high, unit, 16 * unit);
    draft->low = low;
    draft->high = high;
    draft->unit = unit;
    return QDR_OK;
}

qdr_status qdri_draft_open(qdri_draft *draft, const qdri_spec *spec, int64_t expected) {
    const qdri_value *seed = find_value(spec, "seed"), *bytes = find_value(spec, "bytes"),
                     *unit = find_value(spec, "unit");
    memset(draft, 0, sizeof *draft);
    draft->spec = spec;
    draft->ranks = (int)qdri_spec_integer(spec, "n");
    draft->random = qdri_random_seed(seed ? (uint64_t)seed->integer : 1);
    if (bytes) {
        draft->low = bytes->integer;
        draft->high = bytes->high > bytes->integer ? bytes->high : bytes->integer;
    }
    QDRI_TRY(take_unit(draft, unit ? unit->integer : 1));
    draft->logarithmic = find_value(spec, "sizes") && qdri_spec_is(spec, "sizes", "log");
    if (draft->logarithmic && draft->low < 1 && draft->high > 0)
        return qdri_spec_fail(spec, QDR_ERR_RANGE,
                              "sizes=log from %" PRId64 " bytes; expected bytes of 1 or more", draft->low);
    return qdri_draft_expect(draft, expected);
}

qdr_status qdri_draft_close(qdri_draft *draft, qdr_status status, qdr_pattern **pattern) {
    if (status == QDR_OK) status = qdri_pattern_finish(&draft->builder, pattern);
    qdri_pattern_abandon(&draft->builder);
    return status;
}

/* ---- sizes --------------------------------------------------------------------------------------------- */

static int64_t logarithmic_size(qdri_draft *draft) {
    int octaves = 0;
    while (draft->low << octaves <= draft->high) octaves++;
    for (;;) {
        int64_t bottom = draft->low << qdri_random_below(&draft->random, (uint64_t)octaves);
        int64_t top = octaves == 1 ? draft->high : 2 * bottom - 1;
        int64_t size = qdri_random_between(&draft->random, bottom, top);
        if (size <= draft->high && qdri_random_between(&draft->random, 0, size - 1) < bottom) return size;
    }
}

static int64_t units(qdri_draft *draft) {
    if (draft->low == draft->high) return draft->low;
    if (draft->logarithmic) return logarithmic_size(draft);
    return qdri_random_between(&draft->random, draft->low, draft->high);
}

int64_t qdri_draft_size(qdri_draft *draft) {
    return units(draft) * draft->unit;
}

int64_t qdri_product(int64_t a, int64_t b) {
    return a > 0 && b > QDRI_ITEMS_LIMIT / a ? QDRI_ITEMS_LIMIT + 1 : a * b;
}

void qdri_draft_add(qdri_draft *draft, int origin, int destination, int64_t factor) {
    qdri_pattern_add(&draft->builder, origin, destination, qdri_product(qdri_draft_size(draft), factor));
}

int *qdri_random_order(qdri_random *random, int count) {
    int *order = QDRI_ARRAY(int, count);
    if (!order) return NULL;
    for (int i = 0; i < count; i++) order[i] = i;
    qdri_random_shuffle(random, order, count);
    return order;
}

int64_t qdri_density_count(int ranks, double density) {
    return llround(density * ((double)ranks * (ranks - 1)));
}

/* ---- distinct partners --------------------------------------------------------------------------------- */

qdr_status qdri_partners_open(qdri_partners *partners, int ranks) {
    *partners = (qdri_partners){.ranks = ranks};
    partners->mark = QDRI_ZERO_ARRAY(int64_t, ranks);
    partners->chosen = QDRI_ARRAY(int, ranks);
    if (partners->mark && partners->chosen) return QDR_OK;
    qdri_partners_close(partners);
    return qdri_fail_memory();
}

void qdri_partners_choose(qdri_partners *partners, qdri_random *random, int self, int count) {
    int leave_out = count > (partners->ranks - 1) / 2;
    int wanted = leave_out ? partners->ranks - 1 - count : count;
    int64_t round = ++partners->round;
    partners->mark[self] = round;
    for (int found = 0; found < wanted;) {
        int rank = (int)qdri_random_below(random, (uint64_t)partners->ranks);
        if (partners->mark[rank] == round) continue;
        partners->mark[rank] = round;
        partners->chosen[found++] = rank;
    }
    if (!leave_out) return;
    for (int rank = 0, found = 0; rank < partners->ranks; rank++)
        if (partners->mark[rank] != round) partners->chosen[found++] = rank;
}

void qdri_partners_close(qdri_partners *partners) {
    free(partners->mark);
    free(partners->chosen);
    *partners = (qdri_partners){0};
}

/* ---- power laws ---------------------------------------------------------------------------------------- */

uint64_t *qdri_power_law(int count, double exponent, int bits) {
    double sum = 0;
    uint64_t *start = QDRI_ARRAY(uint64_t, (int64_t)count + 1);
    if (!start) return NULL;
    for (int number = 1; number <= count; number++) sum += pow(number, -exponent);
    double scale = ldexp(1, bits) / sum;
    start[0] = 0;
    for (int number = 1; number <= count; number++) {
        uint64_t weight = (uint64_t)(pow(number, -exponent) * scale);
        start[number] = start[number - 1] + (weight > 0 ? weight : 1);
    }
    return start;
}

int qdri_power_law_find(const uint64_t *start, int count, uint64_t point) {
    int below = 0, above = count; /* start[below] <= point < start[above] */
    while (above - below > 1) {
        int middle = below + (above - below) / 2;
        if (start[middle] <= point)
            below = middle;
        else
            above = middle;
    }
    return above;
}
