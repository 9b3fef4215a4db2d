/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings: see settings.h. */
#include "plan/settings.h"

#include <stdio.h>
#include <string.h>

#include "base/environment.h"
#include "base/sized.h"
#include "base/spec.h"
#include "base/text.h"
#include "base/likeness.h"
#include "schedule/registry.h"

/* The environment says what a port holds; only a window that the call asks for is taken to the letter. */
static qdr_status read_sizes(const qdr_plan_options *options, qdri_settings *settings) {
    qdri_setting chunk = {.given = 0}, window = {.given = 0};
    if (!options->chunk) QDRI_TRY(qdri_environment_read(QDRI_ENV_CHUNK, &chunk));
    if (!options->window) QDRI_TRY(qdri_environment_read(QDRI_ENV_WINDOW, &window));
    settings->chunk = chunk.integer;
    settings->window = window.integer;
    return QDR_OK;
}

/* The name of no algorithm: the plan finds the best. */
static const char any_algorithm[] = "auto";

int qdri_settings_are_open(const qdri_settings *settings) {
    return !settings->scheduled && (!*settings->algorithm || !strcmp(settings->algorithm, any_algorithm));
}

int qdri_settings_are_plain(const qdri_settings *settings) {
    return !*settings->algorithm && !*settings->pacing && !*settings->transport && !settings->chunk &&
           !settings->window && !settings->barrier && settings->in_flight == QDRI_USUAL_IN_FLIGHT &&
           !settings->scheduled && !settings->reuse;
}

/* A name of the environment must be right before all act on it, so that the sentence can say where. */
static qdr_status check_algorithm(const char *name) {
    const qdri_algorithm *algorithm;
    qdri_spec spec;
    if (!strcmp(name, any_algorithm) || qdri_algorithm_read(name, &spec, &algorithm) == QDR_OK) return QDR_OK;
    return qdri_fail(QDR_ERR_INVALID, "%s=%.60s is refused: %s", qdri_environment_name(QDRI_ENV_ALGORITHM),
                     name, qdr_error_message());
}

static qdr_status copy_name(char *to, size_t size, const char *from, const char *what) {
    if (!from) return QDR_OK;
    if (strlen(from) >= size)
        return qdri_fail(QDR_ERR_SYNTAX, "the %s '%.40s...' is too long; expected at most %zu characters",
                         what, from, size - 1);
    strcpy(to, from);
    return QDR_OK;
}

qdr_status qdri_settings_resolve(const qdr_plan_options *options, int with_environment,
                                 qdri_settings *settings) {
    *settings = (qdri_settings){.chunk = 0};
    with_environment = with_environment && qdri_environment_speaks();
    QDRI_TRY(qdri_sized_refuse("qdr_plan_options", options->size, sizeof *options));
    if (options->chunk < 0 || options->window < 0 || options->in_flight < 0 ||
        options->in_flight > QDRI_MOST_IN_FLIGHT)
        return qdri_fail(
            QDR_ERR_RANGE,
            "qdr_plan_create: chunk %lld, window %lld, in_flight %d; expected none negative, and at "
            "most %d in flight",
            (long long)options->chunk, (long long)options->window, options->in_flight, QDRI_MOST_IN_FLIGHT);
    if (options->reuse < 0 || options->item_bytes < 0)
        return qdri_fail(QDR_ERR_RANGE,
                         "qdr_plan_create: reuse %lld, item_bytes %lld; expected none negative",
                         (long long)options->reuse, (long long)options->item_bytes);
    QDRI_TRY(qdri_deadline_check("qdr_plan_options.deadline", options->deadline));
    if (with_environment) QDRI_TRY(read_sizes(options, settings));
    if (options->chunk) settings->chunk = options->chunk;
    if (options->window) {
        settings->window = options->window;
        settings->window_exact = 1;
    }
    settings->barrier = options->barrier != 0;
    settings->reuse = options->reuse;
    settings->item_bytes = options->item_bytes ? options->item_bytes : 1;
    settings->in_flight = options->in_flight ? options->in_flight : QDRI_USUAL_IN_FLIGHT;
    const char *name = options->algorithm, *transport = options->transport;
    if (!name && with_environment) {
        QDRI_TRY(qdri_environment_or(NULL, QDRI_ENV_ALGORITHM, &name));
        if (name) QDRI_TRY(check_algorithm(name));
    }
    if (with_environment) QDRI_TRY(qdri_environment_or(transport, QDRI_ENV_TRANSPORT, &transport));
    if (transport && *transport && strcmp(transport, "node") != 0 && strcmp(transport, "net") != 0)
        return qdri_fail(QDR_ERR_UNKNOWN, "unknown transport '%.16s'; expected node or net", transport);
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
        WORD(scheduled, "whether there is a schedule", 0, 1),
        WORD(reuse, "exchanges that are expected", 0, INT64_MAX),
        WORD(item_bytes, "bytes of an item", 0, INT64_MAX),
    };
#undef WORD
    qdri_decode_text(told->algorithm, sizeof told->algorithm);
    qdri_decode_text(told->pacing, sizeof told->pacing);
    qdri_decode_text(told->transport, sizeof told->transport);
    return qdri_decode((qdri_teller){NULL, 0}, expected, QDRI_COUNT_OF(expected), told);
}

/* ---- executors ----------------------------------------------------------------------------------------- */

#define ADDRESS(name) &qdri_executor_##name,
static const qdri_executor *const executors[] = {QDRI_EXECUTORS(ADDRESS)};
#undef ADDRESS

const qdr_pacing_info *qdr_pacing(int index) {
    static _Thread_local qdr_pacing_info info[QDRI_COUNT_OF(executors)];
    if (index < 0 || index >= QDRI_COUNT_OF(executors)) return NULL;
    info[index] = (qdr_pacing_info){executors[index]->pacing, executors[index]->summary};
    return &info[index];
}

qdr_status qdri_executor_find(const char *pacing, const qdri_algorithm *algorithm,
                              const qdri_executor **executor) {
    const char *suits = algorithm->pacing ? algorithm->pacing : "arrivals";
    if (algorithm->at_run_time && *pacing && strcmp(pacing, suits) != 0)
        return qdri_fail(QDR_ERR_INVALID, "%s is pacing by %s; '%.16s' does not go with it", algorithm->name,
                         suits, pacing);
    char names[80] = "";
    for (int i = 0; i < QDRI_COUNT_OF(executors); i++) {
        qdri_list_add(names, sizeof names, executors[i]->pacing);
        if (strcmp(executors[i]->pacing, *pacing ? pacing : suits) != 0) continue;
        *executor = executors[i];
        if (!(*executor)->runs_by_itself || !strcmp((*executor)->pacing, suits)) return QDR_OK;
        return qdri_fail(QDR_ERR_INVALID, "pacing by %s does not go with %s", (*executor)->pacing,
                         algorithm->name);
    }
    return qdri_fail(QDR_ERR_UNKNOWN, "unknown pacing '%.16s'; %s%s", pacing,
                     qdri_did_you_mean(pacing, names), names);
}
