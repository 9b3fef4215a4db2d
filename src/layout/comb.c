/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Combs and progressions: the arithmetic along one dimension.
 *
 * What a part owns is a comb, what a region selects is a progression. Seen from the region the elements of
 * a part are cuts: ranges of coordinates whose elements lie a fixed step apart in memory. They are found
 * one by one, from any coordinate on, by division: nothing is stored, and nothing depends on the extent.
 *
 * A progression whose stride is a multiple of the period meets every tooth of the comb at the same place:
 * one cut. Where the stride and the period have a common divisor that keeps the progression away from all
 * teeth there is none; else it meets a tooth at least once in period / divisor coordinates.
 */
#include "inside.h"

qdri_comb qdri_comb_interval(int64_t lower, int64_t upper) {
    int64_t length = upper > lower ? upper - lower : 1;
    return (qdri_comb){lower, qdri_most(lower, upper), length, length};
}

int64_t qdri_comb_count(const qdri_comb *comb) {
    if (comb->upper == comb->lower) return 0;
    int64_t last = comb->upper - 1 - comb->lower;
    return last / comb->period * comb->block + last % comb->period + 1;
}

int64_t qdri_comb_local(const qdri_comb *comb, int64_t index) {
    if (index < comb->lower || index >= comb->upper) return -1;
    int64_t distance = index - comb->lower;
    if (distance < comb->block) return distance;
    int64_t within = distance % comb->period;
    return within < comb->block ? distance / comb->period * comb->block + within : -1;
}

int64_t qdri_comb_index(const qdri_comb *comb, int64_t local) {
    return comb->lower + local / comb->block * comb->period + local % comb->block;
}

int64_t qdri_progression_within(const qdri_progression *progression, int64_t lower, int64_t upper,
                                int64_t *first) {
    int64_t from = qdri_most(lower - progression->lower, 0), until = upper - progression->lower;
    *first = qdri_ceiling(from, progression->stride);
    if (until <= from) return 0;
    int64_t end = qdri_least(qdri_ceiling(until, progression->stride), progression->count);
    return qdri_most(end - *first, 0);
}

/* ---- two progressions ---------------------------------------------------------------------------------- */

/* a * b modulo `modulus`, which is at most 2^62; a and b are below it. */
static int64_t multiply_modulo(int64_t a, int64_t b, int64_t modulus) {
    int64_t product = 0;
    for (; b > 0; b >>= 1) {
        if (b & 1) product = (product + a) % modulus;
        a = (a + a) % modulus;
    }
    return product;
}

/* The greatest common divisor of a and b, and x with a * x = divisor modulo b, 0 <= x < b / divisor. */
static int64_t common_divisor(int64_t a, int64_t b, int64_t *x) {
    int64_t before = 1, now = 0, modulus = b;
    while (b != 0) {
        int64_t quotient = a / b, rest = a % b, next = before - quotient * now;
        a = b, b = rest, before = now, now = next;
    }
    modulus /= a;
    *x = (before % modulus + modulus) % modulus;
    return a;
}

int qdri_progressions_intersect(const qdri_progression *a, const qdri_progression *b, int64_t *index) {
    if (a->lower < b->lower) {
        const qdri_progression *kept = a;
        a = b;
        b = kept;
    }
    if (a->count == 0 || b->count == 0) return 0;
    int64_t inverse, distance = a->lower - b->lower, last = (b->count - 1) * b->stride;
    if (distance > last) return 0;
    int64_t divisor = common_divisor(a->stride, b->stride, &inverse);
    if (distance % divisor != 0) return 0;
    /* The least c with a.lower + c * a.stride in b: c * (a.stride / divisor) = -distance / divisor
     * modulo this: */
    int64_t modulus = b->stride / divisor, wanted = distance / divisor % modulus;
    int64_t c = multiply_modulo(wanted ? modulus - wanted : 0, inverse, modulus);
    if (c >= a->count || c * a->stride > last - distance) return 0;
    *index = a->lower + c * a->stride;
    return 1;
}

/* ---- a progression through a comb ---------------------------------------------------------------------- */

static int64_t divisor_of(int64_t a, int64_t b) {
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

qdri_sieve qdri_sieve_open(const qdri_comb *comb, const qdri_progression *progression, int64_t scale) {
    qdri_sieve sieve = {.comb = *comb, .progression = *progression, .scale = scale};
    int64_t lower = progression->lower, stride = progression->stride;
    if (progression->count == 0 || comb->lower == comb->upper || comb->upper <= lower ||
        comb->lower > lower + (progression->count - 1) * stride) {
        sieve.empty = 1;
    } else if (comb->upper - comb->lower > comb->block && stride > 1) {
        int64_t divisor = divisor_of(stride, comb->period);
        int64_t distance = (lower - comb->lower) % divisor;
        sieve.empty = (distance + divisor) % divisor >= comb->block; /* the residue that all indices share */
        sieve.dense = divisor == comb->period;
    }
    return sieve;
}

/* Every coordinate is in a tooth, and in the same place of it. */
static int find_dense(const qdri_sieve *sieve, int64_t from, qdri_cut *cut) {
    const qdri_progression *progression = &sieve->progression;
    int64_t first;
    int64_t count = qdri_progression_within(progression, sieve->comb.lower, sieve->comb.upper, &first);
    if (from > first) {
        count -= from - first;
        first = from;
    }
    if (count <= 0) return 0;
    int64_t local = qdri_comb_local(&sieve->comb, progression->lower + first * progression->stride);
    int64_t teeth = progression->stride / sieve->comb.period;
    int64_t step =
        count > 1 ? teeth * sieve->comb.block * sieve->scale : 1; /* of one it may be beyond bounds */
    *cut = (qdri_cut){first, count, local * sieve->scale, step};
    return 1;
}

int qdri_sieve_find(const qdri_sieve *sieve, int64_t from, qdri_cut *cut) {
    if (sieve->empty) return 0;
    if (sieve->dense) return find_dense(sieve, from, cut);
    const qdri_comb *comb = &sieve->comb;
    int64_t lower = sieve->progression.lower, stride = sieve->progression.stride;
    if (comb->lower > lower) from = qdri_most(from, qdri_ceiling(comb->lower - lower, stride));
    while (from < sieve->progression.count) {
        int64_t index = lower + from * stride, distance = index - comb->lower;
        if (index >= comb->upper) return 0;
        int64_t tooth = distance < comb->block ? 0 : distance / comb->period;
        int64_t begin = comb->lower + tooth * comb->period, within = index - begin;
        if (within < comb->block) {
            int64_t end = qdri_least(begin + comb->block, comb->upper);
            int64_t count = stride == 1 ? end - index : qdri_ceiling(end - index, stride);
            count = qdri_least(count, sieve->progression.count - from);
            *cut = (qdri_cut){from, count, (tooth * comb->block + within) * sieve->scale,
                              count > 1 ? stride * sieve->scale : 1};
            return 1;
        }
        from = qdri_ceiling(begin + comb->period - lower, stride);
    }
    return 0;
}
