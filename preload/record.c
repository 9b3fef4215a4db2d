/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The record of a program's exchanges: QDR_RECORD=FOLDER. Each rank writes a file of its own, as the program
 * runs, with nothing agreed and nothing sent; `quadrille advise` puts them together. Whatever repeats is
 * written once and referred to by number: call sites, and rows (whom a rank sends to, how much). A call is
 * then one short line. docs/formats.md has the format.
 *
 * Looking up the stack would cost more than many an exchange. So it is done once for each return address and
 * depth of the stack; calls that agree in both are taken to come from the same place.
 *
 * The n-th call on a communicator is the same one on all of its ranks; so files need no clock to fit. Beyond
 * a limit of lines calls are only counted, which again is equal on all ranks. A record is a log, not a
 * document: a program that is killed leaves what it has written, of which whole lines are good.
 */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/environment.h"
#include "preload.h"

enum { FRAMES = 16, LINES = 200000 };

/* Numbers for things that are known by their digest: open addressing, a power of two. */
typedef struct numbers {
    uint64_t *digest; /* 0: empty */
    int64_t *number;
    int64_t capacity, count;
} numbers;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *file;
static numbers callers, frames, sites, rows;
static double begin, flushed;
static int64_t rest_calls;
static double rest_seconds;

__attribute__((constructor)) static void start_clock(void) {
    begin = qdri_wall_clock();
}

int qdri_record_wanted(void) {
    static int wanted = -1;
    if (wanted < 0) wanted = qdri_preload_record(qdri_launcher_rank(0) == 0) != NULL; /* MPI may have ended */
    return wanted;
}

/* ---- numbers ------------------------------------------------------------------------------------------- */

static int64_t *slot_of(numbers *known, uint64_t digest) {
    uint64_t at = digest & (uint64_t)(known->capacity - 1);
    while (known->digest[at] && known->digest[at] != digest) at = (at + 1) & (uint64_t)(known->capacity - 1);
    known->digest[at] = digest;
    return &known->number[at];
}

static int grow(numbers *known) {
    numbers larger = {.capacity = known->capacity ? 2 * known->capacity : 64, .count = known->count};
    larger.digest = QDRI_ZERO_ARRAY(uint64_t, larger.capacity);
    larger.number = QDRI_ZERO_ARRAY(int64_t, larger.capacity);
    if (!larger.digest || !larger.number) {
        free(larger.digest);
        free(larger.number);
        return 0;
    }
    for (int64_t i = 0; i < known->capacity; i++)
        if (known->digest[i]) *slot_of(&larger, known->digest[i]) = known->number[i];
    free(known->digest);
    free(known->number);
    *known = larger;
    return 1;
}

/* The number of what has this digest, and whether it is a new one. Without memory everything is new, and has
 * the number 0. */
static int64_t *number_of(numbers *known, uint64_t digest, int *is_new) {
    static int64_t none;
    *is_new = 1;
    if (2 * known->count >= known->capacity && !grow(known)) return none = 0, &none;
    int64_t *number = slot_of(known, digest | 1); /* 0 is no digest */
    *is_new = *number == 0;
    if (*is_new) *number = ++known->count;
    return number;
}

static uint64_t mix(uint64_t digest, uint64_t word) {
    digest = (digest ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return digest ^ digest >> 29;
}

/* ---- call sites ---------------------------------------------------------------------------------------- */

/* A frame as object, offset and name, of which tools can make lines of source; NULL for those of this
 * library. Finding a name may search all symbols of a large program, and sites share most of their frames; so
 * each is looked up once. A return address may belong to the next function already, hence the byte before. */
static const char *text_of(void *frame) {
    static char **text;
    static int64_t capacity;
    int is_new;
    int64_t *number = number_of(&frames, mix(2, (uintptr_t)frame), &is_new);
    if (!is_new) return text[*number - 1];
    if (*number == 0 || !qdri_grow(&text, &capacity, *number, sizeof *text)) return NULL;
    Dl_info self, at;
    char *made = NULL;
    if (dladdr((void *)(uintptr_t)text_of, &self) && dladdr((char *)frame - 1, &at) && at.dli_fname &&
        at.dli_fbase != self.dli_fbase &&
        asprintf(&made, "%s+0x%" PRIxPTR ":%s", at.dli_fname, (uintptr_t)frame - 1 - (uintptr_t)at.dli_fbase,
                 at.dli_sname ? at.dli_sname : "") < 0)
        made = NULL;
    return text[*number - 1] = made;
}

static void write_site(int64_t number, const char *name, void *const *frame, int count) {
    fprintf(file, "site\t%" PRId64 "\t%s", number, name);
    for (int i = 0; i < count; i++) {
        const char *text = text_of(frame[i]);
        if (text) fprintf(file, "\t%s", text);
    }
    fputc('\n', file);
}

static int64_t new_site(const char *name) {
    void *frame[FRAMES];
    int is_new, count = backtrace(frame, FRAMES);
    uint64_t digest = (uintptr_t)name;
    for (int i = 0; i < count; i++) digest = mix(digest, (uintptr_t)frame[i]);
    int64_t number = *number_of(&sites, digest, &is_new);
    if (is_new) write_site(number, name, frame, count);
    return number;
}

/* Of a caller the site is kept in the place of its number. */
static int64_t site_of(const qdri_call *call) {
    int is_new;
    int64_t *site = number_of(
        &callers, mix(mix((uintptr_t)call->name, (uintptr_t)call->caller), (uintptr_t)call->frame), &is_new);
    if (is_new) *site = new_site(call->name);
    return *site;
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

static int64_t row_of(const qdri_lanes *out) {
    uint64_t digest = 1;
    int is_new;
    for (int i = 0; i < out->count; i++)
        if (out->bytes[i] > 0) digest = mix(mix(digest, (uint64_t)out->rank[i]), (uint64_t)out->bytes[i]);
    int64_t number = *number_of(&rows, digest, &is_new);
    if (!is_new) return number;
    fprintf(file, "row\t%" PRId64, number);
    for (int i = 0; i < out->count; i++)
        if (out->bytes[i] > 0) fprintf(file, "\t%d:%" PRId64, out->rank[i], out->bytes[i]);
    fputc('\n', file);
    return number;
}

/* ---- the file ------------------------------------------------------------------------------------------ */

static int opened; /* or tried */

static void give_up(const char *what, const char *so) {
    static int said;
    if (!said++)
        qdri_preload_say("QDR_RECORD=%s: %s: %s; %s", qdri_preload_record(0), what, strerror(errno), so);
}

/* A disk that is full stays so; the lines before it are good. */
static void flush(int closes) {
    int failed = ferror(file) | fflush(file);
    if (failed) give_up("the file of a rank cannot be written further", "the rest is not recorded");
    if (!failed && !closes) return;
    if (fclose(file) && !failed) give_up("the file of a rank could not be closed", "it may be incomplete");
    file = NULL;
}

static int open_file(int rank, int ranks) {
    char path[4096], host[256] = "", program[4096] = "";
    const char *folder = qdri_preload_record(0);
    opened = 1;
    if (mkdir(folder, 0777) && errno != EEXIST) give_up("the folder cannot be made", "nothing is recorded");
    snprintf(path, sizeof path, "%s/rank-%06d.txt", folder, rank);
    file = fopen(path, "we");
    if (!file) {
        give_up("the file of a rank cannot be written", "nothing is recorded");
        return 0;
    }
    gethostname(host, sizeof host - 1);
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length < 0) program[0] = 0;
    fprintf(file, "quadrille-record\t1\nrank\t%d\t%d\t%s\nprogram\t%s\n", rank, ranks, host, program);
    return 1;
}

static int is_open(void) {
    int rank, ranks;
    if (opened) return file != NULL;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    return open_file(rank, ranks);
}

static void write_communicator(const qdri_communicator *communicator) {
    fprintf(file, "comm\t%" PRId64 "\t%d\t%d\t%d", communicator->terms.id, communicator->rank,
            communicator->ranks, communicator->one_node);
    fputc('\n', file);
}

/* Digits from the right, before `end`. */
static char *put_number(char *end, int64_t value, int digits) {
    do {
        *--end = (char)('0' + value % 10);
        value /= 10;
        digits--;
    } while (value > 0 || digits > 0);
    return end;
}

static char *put_seconds(char *end, double seconds) {
    int64_t nanoseconds = seconds > 0 ? (int64_t)(seconds * 1e9) : 0;
    end = put_number(end, nanoseconds % 1000000000, 9);
    *--end = '.';
    return put_number(end, nanoseconds / 1000000000, 1);
}

/* The formatting of the C library takes longer than all the rest. */
static void write_call(int64_t id, int64_t site, int64_t row, int plain, double begun, double seconds) {
    char line[200], *end = line + sizeof line, *at = end;
    *--at = '\n';
    at = put_seconds(at, seconds);
    *--at = '\t';
    at = put_seconds(at, begun);
    at -= 7;
    memcpy(at, plain ? "\tplain\t" : "\tpaced\t", 7);
    at = put_number(at, row, 1);
    *--at = '\t';
    at = put_number(at, site, 1);
    *--at = '\t';
    at = put_number(at, id, 1);
    at -= 5;
    memcpy(at, "call\t", 5);
    fwrite_unlocked(at, 1, (size_t)(end - at), file);
}

void qdri_record_call(qdri_communicator *communicator, const qdri_call *call, const qdri_path *path,
                      int plain, double begun, double seconds) {
    pthread_mutex_lock(&lock);
    if (is_open()) {
        if (!communicator->is_recorded) write_communicator(communicator);
        communicator->is_recorded = 1;
        if (communicator->calls <= LINES) {
            write_call(communicator->terms.id, site_of(call), row_of(&path->out), plain, begun, seconds);
        } else {
            rest_calls++;
            rest_seconds += seconds;
        }
        double now = communicator->zero + begun;
        if (now > flushed + 1) {
            flush(0);
            flushed = now;
        }
    }
    pthread_mutex_unlock(&lock);
}

static void write_end(void) {
    if (rest_calls > 0) fprintf(file, "rest\t%" PRId64 "\t%.6f\n", rest_calls, rest_seconds);
    fprintf(file, "end\t%.6f\n", qdri_wall_clock() - begin);
    flush(1);
}

void qdri_record_close(void) {
    pthread_mutex_lock(&lock);
    if (file) write_end();
    pthread_mutex_unlock(&lock);
}

/* ---- programs without a call --------------------------------------------------------------------------- */

/* Who asked for a record and finds none cannot know whether the program was recorded at all. So a program
 * that made no call that is served leaves files without calls. MPI may have ended by then, and cannot be
 * asked. */
__attribute__((destructor)) static void close_without_calls(void) {
    int ran = 0;
    if (opened || !qdri_record_wanted()) return;
    PMPI_Initialized(&ran);
    int rank = qdri_launcher_rank(0), ranks = qdri_launcher_ranks(rank + 1);
    if (ran && open_file(rank, ranks > rank ? ranks : rank + 1)) write_end();
}
