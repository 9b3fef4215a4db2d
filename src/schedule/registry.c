/* SPDX-License-Identifier: BSD-3-Clause */
/* The algorithm table, and looking things up in it. */
#include "schedule/registry.h"

#include <string.h>

#include "base/text.h"
#include "base/likeness.h"
#include "schedule/table.h"

#define DECLARE(name) extern const qdri_algorithm qdri_algorithm_##name;
QDRI_ALGORITHM_TABLE(DECLARE)

#define ENTRY(name) &qdri_algorithm_##name,
static const qdri_algorithm *const table[] = {QDRI_ALGORITHM_TABLE(ENTRY)};

qdr_status qdri_algorithm_named(const char *name, const qdri_algorithm **algorithm) {
    char list[512] = "";
    for (int i = 0; i < QDRI_COUNT_OF(table); i++)
        if (qdri_word_in(name, table[i]->name) || qdri_word_in(name, table[i]->aliases) ||
            (table[i]->spellings && qdri_word_in(name, table[i]->spellings))) {
            *algorithm = table[i];
            return QDR_OK;
        }
    for (int i = 0; i < QDRI_COUNT_OF(table); i++) qdri_list_add(list, sizeof list, table[i]->name);
    return qdri_fail(QDR_ERR_UNKNOWN, "unknown algorithm '%.60s'; %s%s", name, qdri_did_you_mean(name, list),
                     list);
}

static const qdri_option pace_options[] = {QDRI_PACE_OPTIONS};

static const qdri_option *options_of(const qdri_algorithm *algorithm, int *count) {
    *count = algorithm->options ? algorithm->option_count : QDRI_COUNT_OF(pace_options);
    return algorithm->options ? algorithm->options : pace_options;
}

qdr_status qdri_algorithm_read(const char *text, qdri_spec *spec, const qdri_algorithm **algorithm) {
    int count;
    QDRI_TRY(qdri_spec_open(text, "algorithm", spec));
    QDRI_TRY(qdri_algorithm_named(spec->name, algorithm));
    const qdri_option *options = options_of(*algorithm, &count);
    return qdri_spec_read(spec, options, count);
}

const qdr_algorithm_info *qdr_algorithm(int index) {
    static _Thread_local qdr_algorithm_info info[QDRI_COUNT_OF(table)];
    int count;
    if (index < 0 || index >= QDRI_COUNT_OF(table)) return NULL;
    const qdri_algorithm *algorithm = table[index];
    const qdri_option *options = options_of(algorithm, &count);
    info[index] = (qdr_algorithm_info){
        .name = algorithm->name,
        .aliases = algorithm->aliases,
        .summary = algorithm->summary,
        .source = algorithm->source,
        .options = qdri_options_text(options, count),
        .knowledge = algorithm->knowledge,
        .promises = algorithm->promises,
        .direct = !algorithm->staged,
        .at_run_time = algorithm->at_run_time,
        .by_nodes = algorithm->by_nodes,
        .needs_machine = algorithm->needs_machine,
    };
    return &info[index];
}

qdr_status qdr_algorithm_find(const char *name, const qdr_algorithm_info **info) {
    const qdri_algorithm *found;
    qdri_spec spec;
    if (!name || !info) return qdri_fail(QDR_ERR_INVALID, "qdr_algorithm_find: an argument is NULL");
    QDRI_TRY(qdri_spec_open(name, "algorithm", &spec)); /* options may follow the name */
    QDRI_TRY(qdri_algorithm_named(spec.name, &found));
    int index = 0;
    while (table[index] != found) index++;
    *info = qdr_algorithm(index);
    return QDR_OK;
}
