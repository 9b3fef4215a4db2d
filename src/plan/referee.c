/* SPDX-License-Identifier: BSD-3-Clause */
/* Words about contests, and what they come to: see referee.h. */
#include "plan/referee.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "plan/plan.h"

/* ---- reading ------------------------------------------------------------------------------------------- */

/* A rank without items knows neither the class nor, perhaps, the candidate, and has no part in the exchange. */
enum { SILENT = -1 };

static int64_t sort_of(int size_class, int candidate) {
    return (int64_t)size_class * QDRI_CHOOSER_MOST + candidate;
}

/* From the last that came to the last that went, or from the first that came to the last. */
static double seconds_between(int64_t began, int64_t ended) {
    const int64_t most = INT64_C(1) << 61;
    if (began < 0 || began > most || ended < began || ended > most) return -1;
    return 1e-9 * (double)(ended - began) + 1e-9;
}

/* All who know it say the same. */
static int is_one_sort(int64_t most, int64_t most_negative) {
    return most >= 0 && most == -most_negative && most < QDRI_CHOOSER_CLASSES * QDRI_CHOOSER_MOST;
}

/* Of the busiest rank, from which on they set the pace: only then can exchanges of different sizes be compared. */
static const double enough_bytes = 64 << 10;

qdri_contest_result qdri_referee_read(const int64_t *word, int runs[2]) {
    qdri_contest_result result = {.is_void = 1};
    for (int i = 0; i < 2; i++) {
        const int64_t *time = &word[i ? QDRI_BEGAN_SECOND : QDRI_BEGAN_FIRST];
        const int64_t *sort = &word[i ? QDRI_SORT_SECOND : QDRI_SORT_FIRST];
        result.seconds[i] = seconds_between(time[0], time[1]);
        if (word[QDRI_IS_VOID] || result.seconds[i] <= 0 || !is_one_sort(sort[0], sort[1])) return result;
        int64_t came = word[i ? QDRI_CAME_SECOND : QDRI_CAME_FIRST];
        result.late[i] = came < -INT64_MAX ? -1 : seconds_between(-came, time[0]);
        if (result.late[i] < 0) return result;
        result.size_class[i] = (int)(sort[0] / QDRI_CHOOSER_MOST);
        runs[i] = (int)(sort[0] % QDRI_CHOOSER_MOST);
    }
    for (int i = 0; i < 2; i++) result.bytes[i] = (double)word[i ? QDRI_BUSIEST_SECOND : QDRI_BUSIEST_FIRST];
    result.is_unlike = word[QDRI_IS_UNLIKE] != 0;
    double least = result.bytes[0] < result.bytes[1] ? result.bytes[0] : result.bytes[1];
    if (least < (result.is_unlike ? enough_bytes : 0)) return result;
    result.is_void = 0;
    return result;
}

/* ---- an exchange of a contest -------------------------------------------------------------------------- */

void qdri_referee_choose(qdr_plan *plan, int64_t item_bytes) {
    qdri_referee *referee = plan->referee;
    referee->size_class = qdri_chooser_class_of(item_bytes);
    plan->chosen = qdri_chooser_candidate(&referee->chooser, plan->started, referee->size_class);
}

const qdri_chooser_class *qdri_referee_shown(const qdr_plan *plan) {
    return &plan->referee->chooser.known[plan->referee->size_class];
}

int qdri_referee_best(const qdr_plan *plan) {
    return qdri_chooser_best(&plan->referee->chooser, plan->referee->size_class);
}

static int64_t nanoseconds(const qdri_referee *referee) {
    return (int64_t)(1e9 * (qdri_seconds() - referee->zero));
}

static int64_t *words_of(const qdri_exchange *exchange) {
    return exchange->plan->referee->mine[exchange->contest % 2];
}

static int64_t far_bytes(const qdri_exchange *exchange, const qdri_half *half) {
    return exchange->candidate->is_far ? half->bytes : 0;
}

/* Sizes may differ from call to call. */
static int is_alike(int64_t first, int64_t second) {
    enum { PART = 16 };
    int64_t larger = first > second ? first : second, smaller = first > second ? second : first;
    return smaller >= larger - larger / PART;
}

void qdri_referee_began(qdri_exchange *exchange) {
    qdr_plan *plan = exchange->plan;
    exchange->trial = qdri_chooser_place(&plan->referee->chooser, exchange->number, &exchange->contest);
    if (exchange->trial < 0) return;
    int64_t *mine = words_of(exchange);
    if (exchange->trial == 0) {
        memset(mine, 0, QDRI_REFEREE_WORDS * sizeof *mine);
        mine[QDRI_CAME_FIRST] = mine[QDRI_CAME_SECOND] = INT64_MIN;
        plan->referee->first_out[exchange->contest % 2] = far_bytes(exchange, &exchange->out);
        plan->referee->first_in[exchange->contest % 2] = far_bytes(exchange, &exchange->in);
    }
    int64_t sort = exchange->item_bytes == 0
                       ? SILENT
                       : sort_of(qdri_chooser_class_of(exchange->item_bytes), plan->chosen);
    int64_t *place = &mine[exchange->trial ? QDRI_SORT_SECOND : QDRI_SORT_FIRST];
    place[0] = sort;
    place[1] = sort == SILENT ? INT64_MIN : -sort;
    if (sort == SILENT) return;
    int64_t now = nanoseconds(plan->referee);
    mine[exchange->trial ? QDRI_BEGAN_SECOND : QDRI_BEGAN_FIRST] = now;
    mine[exchange->trial ? QDRI_CAME_SECOND : QDRI_CAME_FIRST] = -now;
}

/* Of the ranks of a host all together, as far as this one knows. */
static int64_t busiest(const qdri_exchange *exchange, int64_t out, int64_t in) {
    int64_t bytes = in > out ? in : out;
    return bytes < INT64_MAX / exchange->plan->sharing ? bytes * exchange->plan->sharing : INT64_MAX;
}

static void step(qdri_referee *referee);

/* All ranks have the same words: what follows from them. */
static void settle(qdri_referee *referee) {
    qdri_exchange *exchange = referee->exchange;
    qdr_plan *plan = exchange->plan;
    int runs[2] = {0, 0};
    qdri_contest_result result = qdri_referee_read(words_of(exchange), runs);
    if (runs[0] >= plan->candidates || runs[1] >= plan->candidates) result.is_void = 1;
    qdri_chooser_learn(&plan->referee->chooser, exchange->contest, runs, &result);
    if (result.is_void)
        qdri_explain(plan->wire, "plan %lld, exchanges %lld and before: nothing to compare",
                     (long long)plan->number, (long long)exchange->number);
    else
        qdri_explain(plan->wire, "plan %lld, exchange %lld: %s took %.3g ms, then %s %.3g ms",
                     (long long)plan->number, (long long)exchange->number, plan->candidate[runs[0]].algorithm,
                     1e3 * result.seconds[0], plan->candidate[runs[1]].algorithm, 1e3 * result.seconds[1]);
    referee->exchange = NULL;
    qdri_exchange_part_ended(exchange);
}

static void ended(qdri_referee *referee, qdr_status status) {
    qdri_exchange *exchange = referee->exchange;
    if (!exchange || exchange->failed) return;
    if (status) {
        qdri_exchange_fail(exchange, status);
        return;
    }
    if (--referee->left > 0) return;
    int64_t *mine = words_of(exchange);
    for (int i = 0; i < QDRI_REFEREE_WORDS; i++)
        if (referee->in[i] > mine[i]) mine[i] = referee->in[i];
    referee->distance *= 2;
    step(referee);
}

static void sent(qdri_operation *operation, qdr_status status) {
    ended((qdri_referee *)((char *)operation - offsetof(qdri_referee, send)), status);
}

static void came(qdri_operation *operation, qdr_status status) {
    if (!status && operation->bytes != (int64_t)(QDRI_REFEREE_WORDS * sizeof(int64_t)))
        status = qdri_fail(QDR_ERR_MISMATCH, "rank %d sent %lld bytes about an exchange that it compared",
                           operation->partner, (long long)operation->bytes);
    ended((qdri_referee *)((char *)operation - offsetof(qdri_referee, receive)), status);
}

static void step(qdri_referee *referee) {
    qdri_wire *wire = referee->exchange->wire;
    int rank = qdri_wire_rank(wire), ranks = qdri_wire_ranks(wire);
    int tag = referee->exchange->plan->first_tag + QDRI_TAG_REFEREE;
    if (referee->distance >= ranks) {
        settle(referee);
        return;
    }
    memcpy(referee->out, words_of(referee->exchange), sizeof referee->out);
    referee->left = 2;
    referee->send.done = sent;
    referee->receive.done = came;
    qdr_status status = qdri_receive(wire, &referee->receive, (rank - referee->distance + ranks) % ranks, tag,
                                     referee->in, sizeof referee->in);
    if (!status)
        status = qdri_send(wire, &referee->send, (rank + referee->distance) % ranks, tag, referee->out,
                           sizeof referee->out);
    if (status) qdri_exchange_fail(referee->exchange, status);
}

int qdri_referee_ended(qdri_exchange *exchange) {
    qdri_referee *referee = exchange->plan->referee;
    if (exchange->trial < 0) return 0;
    int64_t *mine = words_of(exchange);
    int is_second = exchange->trial == 1, is_silent = exchange->item_bytes == 0;
    mine[is_second ? QDRI_ENDED_SECOND : QDRI_ENDED_FIRST] = is_silent ? 0 : nanoseconds(referee);
    exchange->trial = -1;
    if (!is_second) return 0;
    /* The first may be under way still. */
    mine[QDRI_IS_VOID] = mine[QDRI_ENDED_FIRST] == 0 && mine[QDRI_SORT_FIRST] != SILENT;
    int64_t out = far_bytes(exchange, &exchange->out), in = far_bytes(exchange, &exchange->in),
            first_out = referee->first_out[exchange->contest % 2],
            first_in = referee->first_in[exchange->contest % 2];
    mine[QDRI_IS_UNLIKE] = !is_alike(first_out, out) || !is_alike(first_in, in);
    mine[QDRI_BUSIEST_FIRST] = busiest(exchange, first_out, first_in);
    mine[QDRI_BUSIEST_SECOND] = busiest(exchange, out, in);
    referee->exchange = exchange;
    referee->distance = 1;
    exchange->parts = 1;
    step(referee);
    return 1;
}

int qdri_referee_awaits(const qdri_exchange *exchange) {
    const qdri_referee *referee = exchange->plan->referee;
    if (!referee || referee->exchange != exchange || referee->receive.parts == 0) return -1;
    int ranks = qdri_wire_ranks(exchange->wire);
    return (qdri_wire_rank(exchange->wire) - referee->distance + ranks) % ranks;
}

/* ---- a plan's ------------------------------------------------------------------------------------------ */

enum { OPERATIONS = 2 };

qdr_status qdri_referee_open(qdr_plan *plan) {
    if (plan->candidates < 2) return QDR_OK;
    plan->referee = QDRI_ZERO_ARRAY(qdri_referee, 1);
    if (!plan->referee) return qdri_fail_memory();
    qdri_chooser_open(&plan->referee->chooser, plan->candidates, plan->in_flight, plan->care);
    plan->referee->zero = qdri_seconds();
    return qdri_wire_reserve(plan->wire, OPERATIONS);
}

void qdri_referee_close(qdr_plan *plan) {
    qdri_referee *referee = plan->referee;
    if (!referee) return;
    referee->exchange = NULL;
    int stays = qdri_cancel(plan->wire, &referee->send);
    stays |= qdri_cancel(plan->wire, &referee->receive);
    qdri_wire_reserve(plan->wire, -OPERATIONS);
    plan->referee = NULL;
    if (!stays) free(referee);
}
