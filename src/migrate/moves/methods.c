/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of methods, and looking things up in it. */
#include "base/text.h"
#include "migrate/moves/moves.h"

/* One line per method, in the order of the documentation. */
#define METHOD_TABLE(X)                                                                                      \
    X(auto)                                                                                                  \
    X(direct)                                                                                                \
    X(robust)                                                                                                \
    X(greedy)                                                                                                \
    X(relaxed)

#define DECLARE(name) extern const qdri_moves_method qdri_moves_##name;
METHOD_TABLE(DECLARE)

#define ENTRY(name) &qdri_moves_##name,
static const qdri_moves_method *const table[] = {METHOD_TABLE(ENTRY)};

qdr_status qdri_moves_method_named(const char *name, const qdri_moves_method **method) {
    char list[256] = "";
    for (int i = 0; i < QDRI_COUNT_OF(table); i++)
        if (qdri_word_in(name, table[i]->name)) {
            *method = table[i];
            return QDR_OK;
        }
    for (int i = 0; i < QDRI_COUNT_OF(table); i++) qdri_list_add(list, sizeof list, table[i]->name);
    return qdri_fail(QDR_UNKNOWN, "unknown method '%.60s'; there are %s", name, list);
}

qdr_status qdr_moves_method(int index, qdr_moves_method_info *info) {
    if (!info) return qdri_fail(QDR_INVALID, "qdr_moves_method: info is NULL");
    if (index < 0 || index >= QDRI_COUNT_OF(table))
        return qdri_fail(QDR_RANGE, "there are %d methods", QDRI_COUNT_OF(table));
    const qdri_moves_method *method = table[index];
    *info = (qdr_moves_method_info){
        .name = method->name,
        .summary = method->summary,
        .promise = method->promise,
        .options = qdri_options_text(method->options, method->option_count),
        .parks = method->parks,
    };
    return QDR_OK;
}
