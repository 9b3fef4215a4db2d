/* SPDX-License-Identifier: BSD-3-Clause */
/* Variables of the environment: see environment.h. Reading one costs a search of the environment and
 * O(length). */
#include "base/environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/spec.h"
#include "base/text.h"
#include "base/likeness.h"

typedef enum kind { SECONDS, BYTES, COUNT, WORD, NAME, PATH, FLAG } kind;

static const char *const kind_names[] = {"seconds", "bytes", "count", "word", "name", "path", "flag"};

typedef struct variable {
    const char *name;
    kind kind;
    double least, most;  /* of a number; of a name or path, most is its length */
    const char *words;   /* of a WORD: the choices, separated by blanks */
    const char *example; /* what follows "expected" */
    const char *standard, *reader, *meaning;
} variable;

/* The largest number of bytes is that of the options of specs; a deadline of 30 years is none. */
static const variable table[QDRI_VARIABLES] = {
    [QDRI_ENV_ALGORITHM] = {"QDR_ALGORITHM", NAME, 0, 255, NULL,
                            "an algorithm, such as paced or paced:window=64Ki", "auto", "rank 0",
                            "the algorithm of plans that do not name one"},
    [QDRI_ENV_WINDOW] = {"QDR_WINDOW", BYTES, 1, 1e15, NULL, "bytes, such as 262144 or 256Ki, from 1 to 1e15",
                         "found by measuring", "rank 0",
                         "bytes that may be under way to one rank, for plans that do not set it"},
    [QDRI_ENV_CHUNK] = {"QDR_CHUNK", BYTES, 0, 1e15, NULL, "bytes, such as 4096 or 4Ki, from 0 to 1e15",
                        "0: a share of the window", "rank 0",
                        "bytes that go as one message, for plans that do not set it"},
    [QDRI_ENV_TRANSPORT] =
        {"QDR_TRANSPORT", WORD, 0, 0, "node net", "node or net", "by rule", "rank 0",
         "how ranks of one node exchange, for plans that do not set it: by shared memory (node), or by "
         "messages as between nodes (net)"},
    [QDRI_ENV_DEADLINE] = {"QDR_DEADLINE", SECONDS, 0, 1e9, NULL,
                           "seconds, such as 2.5, 500ms, 30s, 5m or 1h, from 0 to 1e9", "0: no deadline",
                           "every rank",
                           "how long a wait may see nothing move, and how long a collective call may take, "
                           "before it gives up"},
    [QDRI_ENV_EXPLAIN] = {"QDR_EXPLAIN", FLAG, 0, 0, NULL, "1 or 0, yes or no, on or off, true or false", "0",
                          "rank 0", "say on standard error what was chosen, and why"},
    [QDRI_ENV_WISDOM] = {"QDR_WISDOM", PATH, 1, 4095, NULL, "a file, or none",
                         "quadrille/wisdom in the user's cache folder", "rank 0",
                         "what earlier runs have learned, for plans that choose by themselves"},
    [QDRI_ENV_WISDOM_SAVE] = {"QDR_WISDOM_SAVE", FLAG, 0, 0, NULL,
                              "1 or 0, yes or no, on or off, true or false", "0", "rank 0",
                              "keep what this run learns in that file"},
    [QDRI_ENV_NODE_RANKS] = {"QDR_NODE_RANKS", COUNT, 1, 2147483647, NULL,
                             "a number of ranks from 1 to 2147483647", "the real nodes", "every rank",
                             "treat each group of this many ranks as a node, to try on one machine what "
                             "runs on several"},
    [QDRI_ENV_NODE_READ] = {"QDR_NODE_READ", WORD, 0, 0, "auto never always", "auto, never or always", "auto",
                            "every rank",
                            "whether a rank lets the system read large messages straight from their sender's "
                            "memory: when that is faster (auto), never, or always"},
    [QDRI_ENV_COUPLE_DIRECTORY] = {"QDR_COUPLE_DIRECTORY", PATH, 1, 4095, NULL,
                                   "a folder of at most 4095 characters", "the current folder", "every rank",
                                   "where coupled programs leave the files by which they find each other"},
    [QDRI_ENV_COUPLE_ADDRESS] =
        {"QDR_COUPLE_ADDRESS", NAME, 1, 255, NULL, "an address, a host name or an interface of this host",
         "loopback if the folder is local to the host, else the address of the host's name", "every rank",
         "where coupled programs listen"},
    [QDRI_ENV_PRELOAD] = {"QDR_PRELOAD", NAME, 1, 63, NULL, "auto, plain or an algorithm that takes any size",
                          "auto", "rank 0",
                          "for the drop-in library: always MPI's own way (plain), or always one algorithm"},
    [QDRI_ENV_RECORD] = {"QDR_RECORD", PATH, 1, 4000, NULL, "a folder of at most 4000 characters",
                         "no record", "every rank",
                         "for the drop-in library: the folder for a record of the program's exchanges"},
};

/* ---- values -------------------------------------------------------------------------------------------- */

static int read_flag(const char *text, int64_t *value) {
    *value = qdri_word_in(text, "1 yes on true");
    return *value || qdri_word_in(text, "0 no off false");
}

static int is_word_of(const char *words, const char *text) {
    size_t length = strlen(text);
    for (const char *word = words; *word; word += strcspn(word, " "), word += *word == ' ')
        if (strcspn(word, " ") == length && strncmp(word, text, length) == 0) return 1;
    return 0;
}

static int is_within(const variable *line, double value) {
    return value >= line->least && value <= line->most;
}

/* Whether `text`, which is not empty, is what the line allows; then its value. */
static int read_value(const variable *line, const char *text, qdri_setting *setting) {
    switch (line->kind) {
    case SECONDS:
        return qdri_read_duration(text, &setting->seconds) && is_within(line, setting->seconds);
    case BYTES:
    case COUNT:
        return qdri_read_integer(text, &setting->integer) && is_within(line, (double)setting->integer);
    case WORD:
        return is_word_of(line->words, text);
    case FLAG:
        return read_flag(text, &setting->integer);
    case NAME:
    case PATH:
        return strlen(text) <= (size_t)line->most;
    }
    return 0;
}

int qdri_environment_speaks(void) {
    extern char **environ;
    for (char **at = environ; at && *at; at++)
        if ((*at)[0] == 'Q' && (*at)[1] == 'D' && (*at)[2] == 'R' && (*at)[3] == '_') return 1;
    return 0;
}

qdr_status qdri_environment_read(qdri_variable which, qdri_setting *setting) {
    const variable *line = &table[which];
    const char *text = getenv(line->name);
    qdri_setting read = {.given = 1, .text = text};
    *setting = (qdri_setting){.given = 0};
    if (!text) return QDR_OK;
    if (!*text)
        return qdri_fail(QDR_ERR_INVALID, "%s is set, but empty; expected %s; unset it for the default",
                         line->name, line->example);
    if (!read_value(line, text, &read))
        return qdri_fail(QDR_ERR_INVALID, "%s=%.60s%s is refused; expected %s", line->name, text,
                         strlen(text) > 60 ? "..." : "", line->example);
    *setting = read;
    return QDR_OK;
}

qdr_status qdri_environment_or(const char *option, qdri_variable which, const char **text) {
    qdri_setting setting;
    *text = option;
    if (option) return QDR_OK;
    QDRI_TRY(qdri_environment_read(which, &setting));
    *text = setting.text;
    return QDR_OK;
}

/* ---- the table ----------------------------------------------------------------------------------------- */

const char *qdri_environment_name(qdri_variable which) {
    return table[which].name;
}

const qdr_environment_info *qdr_environment(int index) {
    static _Thread_local qdr_environment_info info[QDRI_VARIABLES];
    if (index < 0 || index >= QDRI_VARIABLES) return NULL;
    const variable *line = &table[index];
    info[index] = (qdr_environment_info){.name = line->name,
                                         .kind = kind_names[line->kind],
                                         .expected = line->example,
                                         .standard = line->standard,
                                         .reader = line->reader,
                                         .meaning = line->meaning};
    return &info[index];
}

/* ---- strangers ----------------------------------------------------------------------------------------- */

extern char **environ;

/* The name of the table that comes nearest; NULL: none is near, or it is one itself. */
static const char *nearest(const char *name, size_t length, int *is_known) {
    enum { NEAR = 4 };
    const char *found = NULL;
    int least = NEAR;
    *is_known = 0;
    for (int i = 0; i < QDRI_VARIABLES; i++) {
        int away = qdri_likeness(name, length, table[i].name, strlen(table[i].name));
        *is_known |= away == 0;
        if (away >= least) continue;
        least = away;
        found = table[i].name;
    }
    return found;
}

int qdri_environment_stranger(int index, char *sentence, size_t size) {
    static const char begin[] = "QDR_";
    for (char **entry = environ; entry && *entry; entry++) {
        size_t length = strcspn(*entry, "=");
        int is_known;
        if (strncmp(*entry, begin, sizeof begin - 1) != 0) continue;
        const char *meant = nearest(*entry, length, &is_known);
        if (is_known || index-- > 0) continue;
        snprintf(sentence, size, "%.*s is not a variable of Quadrille%s%s%s",
                 (int)(length < 60 ? length : 60), *entry, meant ? "; did you mean " : "", meant ? meant : "",
                 meant ? "?" : "");
        return 1;
    }
    return 0;
}

/* ---- the user's files ---------------------------------------------------------------------------------- */

qdr_status qdri_environment_wisdom(char *path, size_t size) {
    const char *text = NULL, *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int length = 0;
    *path = 0;
    QDRI_TRY(qdri_environment_or(NULL, QDRI_ENV_WISDOM, &text));
    if (text && !strcmp(text, "none")) return QDR_OK;
    if (text)
        length = snprintf(path, size, "%s", text);
    else if (cache && *cache == '/')
        length = snprintf(path, size, "%s/quadrille/wisdom", cache);
    else if (home && *home == '/')
        length = snprintf(path, size, "%s/.cache/quadrille/wisdom", home);
    if (length < (int)size) return QDR_OK;
    *path = 0;
    return qdri_fail(QDR_ERR_RANGE, "the path of the user's cache folder is too long");
}

/* ---- launchers ----------------------------------------------------------------------------------------- */

static int first_number(const char *const *names, int missing) {
    for (; *names; names++) {
        const char *value = getenv(*names);
        if (value && *value >= '0' && *value <= '9') return atoi(value);
    }
    return missing;
}

int qdri_launcher_rank(int missing) {
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID",
                                        NULL};
    return first_number(names, missing);
}

int qdri_launcher_ranks(int missing) {
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS", NULL};
    return first_number(names, missing);
}
