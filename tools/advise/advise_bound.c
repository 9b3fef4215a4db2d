/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an exchange could have taken. With a machine it is the bound of direct schedules on it. Without one
 * the record itself is the witness: a call that moved t bytes through its busiest rank in s seconds shows
 * that the network has the rate t / s, and no other call need be slower than its own t over the best rate
 * seen. Calls with little traffic are weak witnesses, and so are those in which ranks waited long: the ones
 * that were there may have been done with each other when the last one came. They are heard only where there
 * are no others. One call in a hundred may be a freak: the rate is the one that the best hundredth reached.
 *
 * The rate seen knows no startups; so a call whose messages are small, and which took far longer than its
 * bytes need, is called small and is not measured by it.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "advise.h"
#include "core/complain.h"
#include "core/progress.h"

static const int64_t small_message = 4096, large_traffic = 65536;

/* ---- the rate seen ------------------------------------------------------------------------------------- */

static int by_falling(const void *first, const void *second) {
    double a = *(const double *)first, b = *(const double *)second;
    return (a < b) - (a > b);
}

enum { GOOD_WITNESSES, LARGE_WITNESSES, ALL_WITNESSES, WITNESSES };

static int is_witness(const advice *advice, const advice_call *call, int one_node, int kind) {
    const advice_pattern *pattern = &advice->pattern[call->pattern];
    if (advice->record->comm[call->comm].one_node != one_node) return 0;
    if (!(call->exchange > 0) || pattern->traffic == 0) return 0;
    if (kind < ALL_WITNESSES && pattern->traffic < large_traffic) return 0;
    return kind > GOOD_WITNESSES || call->waiting <= 0.25 * call->mean;
}

static double rate_seen(const advice *advice, int one_node) {
    double *rate = ALLOCATE(double, advice->calls), seen = NAN;
    int64_t count = 0;
    for (int kind = 0; kind < WITNESSES && count == 0; kind++)
        for (int64_t i = 0; i < advice->calls; i++) {
            const advice_call *call = &advice->call[i];
            if (is_witness(advice, call, one_node, kind))
                rate[count++] = (double)advice->pattern[call->pattern].traffic / call->exchange;
        }
    if (count > 0) {
        qsort(rate, (size_t)count, sizeof *rate, by_falling);
        seen = rate[count / 100];
    }
    free(rate);
    return seen;
}

static void bound_by_rate(advice *advice) {
    for (int one_node = 0; one_node < 2; one_node++) advice->rate[one_node] = rate_seen(advice, one_node);
    for (int64_t i = 0; i < advice->patterns; i++) {
        advice_pattern *pattern = &advice->pattern[i];
        double rate = advice->rate[advice->record->comm[pattern->comm].one_node];
        pattern->bound = isnan(rate) ? 0 : (double)pattern->traffic / rate;
    }
}

/* ---- a machine ----------------------------------------------------------------------------------------- */

static int find_machine(advice *advice, int ranks, const qdr_machine **machine) {
    qdr_machine *made = NULL;
    for (int i = 0; i < advice->machines; i++)
        if (advice->of_size[i].ranks == ranks) {
            *machine = advice->of_size[i].machine;
            return EXIT_GOOD;
        }
    if (qdr_machine_create(advice->machine, ranks, &made)) return complain_library();
    advice->of_size = reallocate(advice->of_size, advice->machines + 1, sizeof *advice->of_size);
    advice->of_size[advice->machines++] = (advice_machine){ranks, made};
    *machine = made;
    return EXIT_GOOD;
}

/* Ranks of one node do not use the machine's network; they have no bound. */
static int bound_by_machine(advice *advice, advice_pattern *pattern) {
    const qdr_machine *machine;
    qdr_pattern *matrix = NULL;
    qdr_bounds bounds;
    if (advice->record->comm[pattern->comm].one_node || pattern->traffic == 0) return EXIT_GOOD;
    int code = find_machine(advice, pattern->ranks, &machine);
    if (code) return code;
    if (record_pattern(advice->record, pattern->comm, pattern->call, &matrix) ||
        qdr_bounds_compute(matrix, machine, 1, &bounds))
        code = complain_library();
    else {
        pattern->bound = bounds.direct;
        pattern->startup = qdr_machine_look(machine)->tau * (double)pattern->degree;
    }
    qdr_pattern_destroy(&matrix);
    return code;
}

static void find_small(advice *advice) {
    for (int64_t i = 0; i < advice->calls; i++) {
        advice_call *call = &advice->call[i];
        const advice_pattern *pattern = &advice->pattern[call->pattern];
        int small = pattern->bytes < small_message * pattern->messages;
        call->small = small && (advice->machine ? 2 * pattern->startup > pattern->bound && pattern->bound > 0
                                                : 2 * pattern->bound < call->exchange);
    }
}

int advice_bound(advice *advice) {
    int code = EXIT_GOOD;
    advice->rate[0] = advice->rate[1] = NAN;
    progress_say("finding the bounds of %" PRId64 " patterns", advice->patterns);
    if (!advice->machine) bound_by_rate(advice);
    for (int64_t i = 0; advice->machine && i < advice->patterns && !code; i++)
        code = bound_by_machine(advice, &advice->pattern[i]);
    if (!code) find_small(advice);
    return code;
}

/* ---- predictions --------------------------------------------------------------------------------------- */

/* Of the candidates of a plan that chooses by itself (the drop-in library's does) the first, unless another takes clearly less:
 * hardly any machine says what a port holds, so that plain sends look as good as any. Those whose way is not predicted are
 * left out. */
static int choose_way(const qdr_pattern *matrix, const qdr_machine *machine, advice_group *group) {
    const double clearly = 0.9;
    const char *name;
    double seconds;
    for (int i = 0; (name = qdr_auto_candidate(matrix, 0, i)); i++) {
        qdr_status status = qdr_way_predict(matrix, &(qdr_way){.algorithm = name}, machine, 1, &seconds);
        if (status == QDR_ERR_INVALID) continue;
        if (status) return complain_library();
        if (group->chosen && seconds >= clearly * group->predicted) continue;
        group->chosen = name;
        group->predicted = seconds;
    }
    return EXIT_GOOD;
}

static int predict(advice *advice, advice_group *group) {
    const advice_pattern *pattern = &advice->pattern[group->heavy_pattern[0].pattern];
    const qdr_machine *machine;
    const int64_t most_messages = 100000; /* that are predicted in a second or so */
    qdr_pattern *matrix = NULL;
    if (group->one_node || pattern->traffic == 0 || pattern->messages > most_messages) return EXIT_GOOD;
    int code = find_machine(advice, pattern->ranks, &machine);
    if (code) return code;
    if (record_pattern(advice->record, pattern->comm, pattern->call, &matrix))
        code = complain_library();
    else
        code = choose_way(matrix, machine, group);
    qdr_pattern_destroy(&matrix);
    return code;
}

int advice_predict(advice *advice) {
    enum { PREDICTED = 32 }; /* the ones that matter */
    int code = EXIT_GOOD;
    for (int64_t i = 0; advice->machine && i < advice->groups && i < PREDICTED && !code; i++) {
        progress_say("predicting site %" PRId64, i + 1);
        code = predict(advice, &advice->group[i]);
    }
    return code;
}
