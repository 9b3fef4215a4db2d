/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of methods, and looking things up in it. */
#include "base/text.h"
#include "base/likeness.h"
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
    return qdri_fail(QDR_ERR_UNKNOWN, "unknown method '%.60s'; %s%s", name, qdri_did_you_mean(name, list),
                     list);
}

const qdr_moves_method_info *qdr_moves_method(int index) {
    static _Thread_local qdr_moves_method_info info[QDRI_COUNT_OF(table)];
    if (index < 0 || index >= QDRI_COUNT_OF(table)) return NULL;
    const qdri_moves_method *method = table[index];
    info[index] = (qdr_moves_method_info){
        .name = method->name,
        .summary = method->summary,
        .promise = method->promise,
        .options = qdri_options_text(method->options, method->option_count),
        .parks = method->parks,
    };
    return &info[index];
}
