/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings and the rule: see settings.h. */
#include "plan/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/spec.h"
#include "base/text.h"

/* What a shallow switch buffer holds (docs/performance.md says how to find one's own). */
#define WINDOW "40Ki"

static const qdri_option pacing_options[] = {
    {"chunk", QDRI_INTEGER, "0", 0, 1e15, NULL, "bytes of a message; 0: a share of the window", 0},
    {"window", QDRI_INTEGER, WINDOW, 1, 1e15, NULL, "bytes under way to one rank", 0},
};

/* QDR_CHUNK and QDR_WINDOW, in the mini-language of specs. The environment says what a port holds; only a
 * window that the call asks for is taken to the letter. */
static qdr_status read_sizes(int with_environment, qdri_settings *settings) {
    const char *chunk = with_environment ? getenv("QDR_CHUNK") : NULL;
    const char *window = with_environment ? getenv("QDR_WINDOW") : NULL;
    char text[200];
    qdri_spec spec;
    int length = snprintf(text, sizeof text, "QDR_CHUNK/QDR_WINDOW:chunk=%s,window=%s",
                          chunk && *chunk ? chunk : "0", window && *window ? window : WINDOW);
    if (length >= (int)sizeof text) return qdri_fail(QDR_SYNTAX, "QDR_CHUNK or QDR_WINDOW is too long");
    QDRI_TRY(qdri_spec_open(text, "environment", &spec));
    QDRI_TRY(qdri_spec_read(&spec, pacing_options, QDRI_COUNT_OF(pacing_options)));
    settings->chunk = qdri_spec_integer(&spec, "chunk");
    settings->window = qdri_spec_integer(&spec, "window");
    return QDR_OK;
}

static qdr_status copy_name(char *to, size_t size, const char *from, const char *what) {
    if (!from) return QDR_OK;
    if (strlen(from) >= size) return qdri_fail(QDR_SYNTAX, "the %s '%.40s...' is too long", what, from);
    strcpy(to, from);
    return QDR_OK;
}

qdr_status qdri_settings_resolve(const qdr_plan_options *options, int with_environment,
                                 qdri_settings *settings) {
    static const qdr_plan_options defaults = QDR_PLAN_OPTIONS;
    *settings = (qdri_settings){.chunk = 0};
    if (!options) options = &defaults;
    if (options->size != sizeof *options)
        return qdri_fail(QDR_INVALID,
                         "qdr_plan_create: options.size is %zu, expected %zu; begin with QDR_PLAN_OPTIONS",
                         options->size, sizeof *options);
    if (options->chunk < 0 || options->window < 0 || options->in_flight < 0 ||
        options->in_flight > QDRI_MOST_IN_FLIGHT)
        return qdri_fail(
            QDR_RANGE,
            "qdr_plan_create: chunk %lld, window %lld, in_flight %d; expected none negative, and at "
            "most %d in flight",
            (long long)options->chunk, (long long)options->window, options->in_flight, QDRI_MOST_IN_FLIGHT);
    QDRI_TRY(read_sizes(with_environment, settings));
    if (options->chunk) settings->chunk = options->chunk;
    if (options->window) {
        settings->window = options->window;
        settings->window_exact = 1;
    }
    settings->barrier = options->barrier != 0;
    settings->in_flight = options->in_flight ? options->in_flight : 2;
    const char *name = options->algorithm;
    if (!name && with_environment) name = getenv("QDR_ALGORITHM");
    const char *explain = with_environment ? getenv("QDR_EXPLAIN") : NULL;
    settings->explain = explain && *explain && strcmp(explain, "0") != 0;
    const char *transport = options->transport;
    if (!transport && with_environment) transport = getenv("QDR_TRANSPORT");
    if (transport && *transport && strcmp(transport, "node") != 0 && strcmp(transport, "net") != 0)
        return qdri_fail(QDR_UNKNOWN, "unknown transport '%.16s'; there are node and net", transport);
    if (transport) strcpy(settings->transport, transport);
    QDRI_TRY(copy_name(settings->algorithm, sizeof settings->algorithm, name, "algorithm"));
    return copy_name(settings->pacing, sizeof settings->pacing, options->pacing, "pacing");
}

qdr_status qdri_settings_decode(qdri_settings *told) {
#define WORD(member, name, least, most) QDRI_MEMBER(qdri_settings, member, name, least, most)
    static const qdri_expected expected[] = {
        WORD(chunk, "bytes of a chunk", 0, INT64_MAX),
        WORD(window, "bytes of the window", 0, INT64_MAX),
        WORD(window_exact, "whether the window is exact", 0, 1),
        WORD(barrier, "whether there is a barrier", 0, 1),
        WORD(in_flight, "exchanges in flight", 0, QDRI_MOST_IN_FLIGHT),
        WORD(explain, "whether to explain", 0, 1),
        WORD(scheduled, "whether there is a schedule", 0, 1),
    };
#undef WORD
    qdri_decode_text(told->algorithm, sizeof told->algorithm);
    qdri_decode_text(told->pacing, sizeof told->pacing);
    qdri_decode_text(told->transport, sizeof told->transport);
    return qdri_decode((qdri_teller){NULL, 0}, expected, QDRI_COUNT_OF(expected), told);
}

/* ---- the rule ------------------------------------------------------------------------------------------ */

/* One small rule, at the place where measured choice will grow. Small messages need none of it: `paced`
 * sends them at once, as the plain exchange does. */
const char *qdri_rule(const qdri_facts *facts, char *why, size_t size) {
    if (facts->one_node) {
        snprintf(why, size, "all %d ranks share a node: no schedule", facts->ranks);
        return "async";
    }
    if (facts->fan_in <= 1) {
        snprintf(why, size, "nobody receives from more than one rank: the plain exchange");
        return "async";
    }
    if (facts->uniform_complete) {
        snprintf(why, size, "everyone sends the same to everyone across a network: in pairs");
        return "pairwise";
    }
    snprintf(why, size, "up to %lld ranks send to one across a network: receivers grant",
             (long long)facts->fan_in);
    return "paced";
}

/* ---- executors ----------------------------------------------------------------------------------------- */

static const qdri_executor *const executors[] = {&qdri_executor_free, &qdri_executor_arrivals,
                                                 &qdri_executor_grants, &qdri_executor_requests};

qdr_status qdri_executor_find(const char *pacing, const qdri_algorithm *algorithm,
                              const qdri_executor **executor) {
    const char *suits = algorithm->pacing ? algorithm->pacing : "arrivals";
    if (algorithm->at_run_time && *pacing && strcmp(pacing, suits) != 0)
        return qdri_fail(QDR_INVALID, "%s is pacing by %s; '%.16s' does not go with it", algorithm->name,
                         suits, pacing);
    char names[80] = "";
    for (int i = 0; i < QDRI_COUNT_OF(executors); i++) {
        if (!strcmp(executors[i]->pacing, *pacing ? pacing : suits)) {
            *executor = executors[i];
            return QDR_OK;
        }
        qdri_list_add(names, sizeof names, executors[i]->pacing);
    }
    return qdri_fail(QDR_UNKNOWN, "unknown pacing '%.16s'; there are %s", pacing, names);
}
