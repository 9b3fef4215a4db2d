/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The environment: one table of all variables that Quadrille reads, and the one place that reads them. What a
 * variable may say is in its line of the table; the documentation, the man page and `quadrille list
 * environment` print the same lines. Whoever needs a variable gets its value, that it is not set, or
 * QDR_ERR_INVALID with a sentence that names the variable, what it says and what was expected. Nothing is
 * guessed: an empty value, trailing characters, a decimal comma, a number out of range are refused.
 */
#ifndef QDRI_ENVIRONMENT_H
#define QDRI_ENVIRONMENT_H

#include <stddef.h>
#include <stdint.h>

#include "quadrille/base.h"

typedef enum qdri_variable {
    QDRI_ENV_ALGORITHM,
    QDRI_ENV_WINDOW,
    QDRI_ENV_CHUNK,
    QDRI_ENV_TRANSPORT,
    QDRI_ENV_DEADLINE,
    QDRI_ENV_EXPLAIN,
    QDRI_ENV_WISDOM,
    QDRI_ENV_WISDOM_SAVE,
    QDRI_ENV_NODE_RANKS,
    QDRI_ENV_NODE_READ,
    QDRI_ENV_COUPLE_DIRECTORY,
    QDRI_ENV_COUPLE_ADDRESS,
    QDRI_ENV_PRELOAD,
    QDRI_ENV_RECORD,
    QDRI_VARIABLES,
} qdri_variable;

/* What one says. */
typedef struct qdri_setting {
    int given;        /* 0: it is not set, and the rest is 0 and NULL */
    int64_t integer;  /* bytes, a count, a flag (0 or 1) */
    double seconds;   /* of a time */
    const char *text; /* as it stands in the environment: borrowed, until the program changes it */
} qdri_setting;

/* Local. *setting is written always; where the value is refused, as if the variable were not set. */
qdr_status qdri_environment_read(qdri_variable which, qdri_setting *setting);

/* Whether any variable begins with QDR_: mostly none does, and then none has to be looked for. */
int qdri_environment_speaks(void);

/* Local. A path or a name that an option may say instead: the option, else the variable, else NULL. */
qdr_status qdri_environment_or(const char *option, qdri_variable which, const char **text);

/* Local. The file of what earlier runs have learned: QDR_WISDOM, else one in the user's cache; "": none is wanted, or nobody
 * says where the cache is. */
qdr_status qdri_environment_wisdom(char *path, size_t size);

const char *qdri_environment_name(qdri_variable which);

/* Local. The index-th variable of the environment that begins with QDR_ and is none of the table, as a
 * sentence with what may have been meant; 0 past the last. */
int qdri_environment_stranger(int index, char *sentence, size_t size);

/* Local. The number of this process, and how many there are, as the launcher told it; `missing` when it did not. For when MPI
 * cannot be asked. */
int qdri_launcher_rank(int missing);
int qdri_launcher_ranks(int missing);

#endif
