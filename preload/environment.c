/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the environment asks of the drop-in. A program that knows nothing of the library cannot be told of a
 * mistake by a status; so a value that is refused is said on standard error, once, and MPI serves all calls
 * instead. Only the agreement of communicator.c makes that the same on all ranks.
 */
#include <stdio.h>
#include <string.h>

#include "base/environment.h"
#include "preload.h"

/* True when it is as it should be; else it is said, if `says`. */
static int is_fine(qdri_variable which, qdri_setting *setting, int says) {
    if (!qdri_environment_read(which, setting)) return 1;
    if (says) qdri_preload_say("%s; MPI's own way is used instead", qdr_error_message());
    return 0;
}

static int is_known(const char *algorithm, int says) {
    char name[64];
    const qdr_algorithm_info *info;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(algorithm, ":"), algorithm);
    if (!qdr_algorithm_find(name, &info)) return 1;
    if (says)
        qdri_preload_say("%s=%s is refused: %s; MPI's own way is used instead",
                         qdri_environment_name(QDRI_ENV_PRELOAD), algorithm, qdr_error_message());
    return 0;
}

int qdri_preload_terms(qdri_terms *terms, int says) {
    qdri_setting asked, explain, other;
    int good = is_fine(QDRI_ENV_EXPLAIN, &explain, says) & is_fine(QDRI_ENV_PRELOAD, &asked, says) &
               is_fine(QDRI_ENV_WINDOW, &other, says) & is_fine(QDRI_ENV_CHUNK, &other, says) &
               is_fine(QDRI_ENV_TRANSPORT, &other, says);
    terms->explains = explain.integer != 0;
    terms->plain = asked.given && !strcmp(asked.text, "plain");
    if (!asked.given || terms->plain || !strcmp(asked.text, "auto")) return good;
    snprintf(terms->algorithm, sizeof terms->algorithm, "%s", asked.text);
    return is_known(asked.text, says) && good;
}

int qdri_preload_own(int says) {
    qdri_setting other;
    return is_fine(QDRI_ENV_DEADLINE, &other, says) & is_fine(QDRI_ENV_NODE_RANKS, &other, says);
}

const char *qdri_preload_record(int says) {
    qdri_setting folder;
    if (qdri_environment_read(QDRI_ENV_RECORD, &folder) && says)
        qdri_preload_say("%s; nothing is recorded", qdr_error_message());
    return folder.text;
}
