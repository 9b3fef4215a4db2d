/* SPDX-License-Identifier: BSD-3-Clause */
/* The user's file of wisdom, and plans: see lore.h. */
#include "plan/lore.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/file.h"
#include "base/host.h"
#include "base/memory.h"
#include "base/random.h"
#include "choose/wisdom.h"
#include "plan/plan.h"

enum { LARGEST_FILE = 1 << 20, LONGEST_PATH = 4400 };

/* Of a communicator, on its rank 0. */
typedef struct lore {
    qdri_keepsake kept; /* first */
    qdri_wisdom wisdom;
    int is_read;
    char path[LONGEST_PATH]; /* "": there is none */
} lore;

static void release(qdri_keepsake *kept) {
    lore *it = (lore *)kept;
    qdri_wisdom_free(&it->wisdom);
    free(it);
}

/* ---- the key ------------------------------------------------------------------------------------------- */

static uint64_t digest_text(uint64_t digest, const char *text) {
    for (; *text; text++) digest = qdri_mix(digest ^ (unsigned char)*text);
    return digest;
}

int64_t qdri_lore_host(void) {
    char name[256];
    qdri_host_name(name, sizeof name);
    return (int64_t)(digest_text(1, name) >> 24);
}

static uint64_t key_of(const qdr_plan *plan) {
    uint64_t key = digest_text(2, qdr_version());
    key = qdri_mix(key ^ (uint64_t)qdri_wire_library());
    return qdri_mix(key ^ (uint64_t)plan->hosts);
}

/* ---- the file ------------------------------------------------------------------------------------------ */

static char *read_file(const char *path, size_t *bytes, int *code) {
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat about;
    *code = descriptor < 0 ? errno : 0;
    if (descriptor < 0) return NULL;
    char *text = NULL;
    *bytes = 0;
    if (fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode) && about.st_size <= LARGEST_FILE)
        text = qdri_alloc((int64_t)about.st_size + 1, 1);
    *code = text ? 0 : EINVAL;
    for (ssize_t came = 1; text && came > 0;) {
        came = read(descriptor, text + *bytes, (size_t)about.st_size - *bytes);
        *bytes += came > 0 ? (size_t)came : 0;
    }
    close(descriptor);
    return text;
}

/* Into `wisdom`, beside what it has; what cannot be read is said, but for a file that is not there. */
static void read_wisdom(const qdri_wire *wire, const char *path, qdri_wisdom *wisdom) {
    size_t bytes;
    int code;
    char *text = read_file(path, &bytes, &code);
    if (text && qdri_wisdom_read(wisdom, text, bytes))
        qdri_explain(wire, "%s is ignored: %s", path, qdr_error_message());
    else if (!text && code != ENOENT)
        qdri_explain(wire, "%s is ignored: %s", path,
                     code == EINVAL ? "it is no small file" : strerror(code));
    free(text);
}

static lore *lore_of(const qdr_plan *plan) {
    lore *it = qdri_wire_kept_or_made(plan->wire, release, "lore", sizeof *it);
    if (!it || it->is_read) return it;
    it->is_read = 1;
    if (qdri_environment_wisdom(it->path, sizeof it->path))
        qdri_explain(plan->wire, "wisdom is not used: %s", qdr_error_message());
    if (*it->path) read_wisdom(plan->wire, it->path, &it->wisdom);
    return it;
}

/* The folder of the cache may not be there yet. */
static void make_folders(const char *path) {
    char folder[LONGEST_PATH];
    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
        mkdir(folder, 0700);
    }
}

static int write_file(const char *path, const char *text, size_t bytes) {
    qdri_file file = QDRI_FILE_NONE;
    int code = qdri_file_open(&file, path, QDRI_FILE_SHARED);
    if (!code) code = qdri_file_write(&file, text, bytes);
    if (!code) code = qdri_file_seal(&file, QDRI_FILE_SHARED);
    if (!code) code = qdri_file_name(&file);
    if (!code) code = qdri_file_place(&file);
    qdri_file_drop(&file);
    return code;
}

/* Others may have written meanwhile: what they know comes first, and ours has the last word. */
static void save(const qdr_plan *plan, const lore *it) {
    qdri_wisdom all = {NULL, 0, 0};
    size_t bytes = 0;
    char *text = NULL;
    qdr_status status = QDR_OK;
    make_folders(it->path);
    read_wisdom(plan->wire, it->path, &all);
    for (int i = 0; i < it->wisdom.count && !status; i++)
        status = qdri_wisdom_learn(&all, &it->wisdom.line[i]);
    if (!status) text = qdri_wisdom_write(&all, &bytes);
    int code = text ? write_file(it->path, text, bytes) : ENOMEM;
    if (code) qdri_explain(plan->wire, "wisdom is not saved: %s: %s", it->path, strerror(code));
    free(text);
    qdri_wisdom_free(&all);
}

/* ---- plans --------------------------------------------------------------------------------------------- */

static int candidate_named(const qdr_plan *plan, const char *algorithm) {
    for (int i = 0; i < plan->candidates; i++)
        if (!strcmp(plan->candidate[i].algorithm, algorithm)) return i;
    return -1;
}

static const int64_t most = INT64_C(1) << 40; /* bytes, and bytes per second */

static int is_sensible(const qdri_port_word *word) {
    return word->window > 0 && word->window < most && word->ceiling >= 0 && word->ceiling < most &&
           word->best >= 0 && word->best < most;
}

void qdri_lore_hint(qdr_plan *plan, qdri_hint *hint) {
    *hint = (qdri_hint){.port.window = 0};
    memset(hint->best, -1, sizeof hint->best);
    lore *it = plan->candidates > 1 && qdri_wire_rank(plan->wire) == 0 ? lore_of(plan) : NULL;
    if (!it || it->wisdom.count == 0) return;
    uint64_t key = key_of(plan);
    for (int i = 0; i < QDRI_CHOOSER_CLASSES; i++) {
        const qdri_wise *line = qdri_wisdom_find(&it->wisdom, key, plan->signature, i);
        if (!line) continue;
        hint->best[i] = (int8_t)candidate_named(plan, line->algorithm);
        if (line->window > 0)
            hint->port =
                (qdri_port_word){.window = line->window, .ceiling = line->ceiling, .best = line->rate};
    }
    if (plan->port && !plan->port->is_found && is_sensible(&hint->port))
        hint->unasked = qdri_port_unasked_of(plan->port, hint->port);
}

void qdri_lore_follow(qdr_plan *plan, const qdri_hint *hint) {
    if (!plan->referee) return;
    for (int i = 0; i < QDRI_CHOOSER_CLASSES; i++)
        if (hint->best[i] >= 0 && hint->best[i] < plan->candidates)
            qdri_chooser_hint(&plan->referee->chooser, i, hint->best[i]);
    if (plan->port && is_sensible(&hint->port)) qdri_port_recall(plan->port, hint->port);
    if (hint->unasked > 0 && hint->unasked < most) qdri_slots_expect(plan, hint->unasked);
}

/* Every class that was tried. */
static int learn(const qdr_plan *plan, lore *it) {
    int learned = 0;
    for (int i = 0; i < QDRI_CHOOSER_CLASSES; i++) {
        const qdri_chooser_class *known = &plan->referee->chooser.known[i];
        if (!known->is_tried || known->seconds[known->best] == 0) continue;
        qdri_wise line = {.key = key_of(plan),
                          .signature = plan->signature,
                          .size_class = i,
                          .nanoseconds = (int64_t)(1e9 * known->seconds[known->best])};
        if (plan->port) {
            qdri_port_word word = qdri_port_remember(plan->port);
            line.window = word.window;
            line.ceiling = word.ceiling;
            line.rate = word.best;
        }
        const char *name = plan->candidate[known->best].algorithm;
        if (!qdri_wise_name_is_good(name)) continue;
        strcpy(line.algorithm, name);
        learned += qdri_wisdom_learn(&it->wisdom, &line) == QDR_OK;
    }
    return learned;
}

void qdri_lore_keep(qdr_plan *plan) {
    qdri_setting saves;
    if (!plan->referee || qdri_wire_rank(plan->wire) != 0 || plan->failed) return;
    if (qdri_wire_state(plan->wire) == QDR_ERR_GONE) return;
    lore *it = lore_of(plan);
    if (!it || learn(plan, it) == 0) return;
    if (!qdri_environment_read(QDRI_ENV_WISDOM_SAVE, &saves) && saves.integer && *it->path) save(plan, it);
}
