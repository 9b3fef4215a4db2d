/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From calls to numbers about call sites. Calls are put together by site and size of the communicator.
 * Times of a group are those of one rank, the mean over the ranks that take part: communicators that
 * exchange at the same time, such as the rows of a grid, are not added up. What could be gained is told for
 * calls that MPI served on several nodes: what they took beyond 1.1 times the bound, which pacing reaches
 * in practice.
 */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "advise.h"
#include "core/complain.h"
#include "core/progress.h"

/* What pacing takes in practice, in bounds (docs/performance.md: 1.0 to 1.2). */
static const double paced_ratio = 1.1;

/* ---- groups -------------------------------------------------------------------------------------------- */

/* What is summed up over the calls of one group; arrays are 0 between two groups. */
typedef struct sums {
    const advice_call **call; /* all calls, by groups */
    double *seconds, *late;   /* [files] */
    char *takes_part;         /* [files] */
    double *of_pattern;       /* [patterns] */
    int64_t *uses;            /* [patterns] */
} sums;

typedef struct weighted {
    double value, weight;
} weighted;

static int by_value(const void *first, const void *second) {
    double a = ((const weighted *)first)->value, b = ((const weighted *)second)->value;
    return (a > b) - (a < b);
}

/* The value below which half of the weight lies; NAN without any. Sorts. */
static double weighted_median(weighted *values, int64_t count) {
    double total = 0, sum = 0;
    if (count == 0) return NAN;
    qsort(values, (size_t)count, sizeof *values, by_value);
    for (int64_t i = 0; i < count; i++) total += values[i].weight;
    for (int64_t i = 0; i < count; i++) {
        sum += values[i].weight;
        if (2 * sum >= total) return values[i].value;
    }
    return values[count - 1].value;
}

/* Whether distance from the bound says something: there is one, and it is of bytes. */
static int is_rated(const advice *advice, const advice_call *call) {
    return advice->pattern[call->pattern].bound > 0 && (advice->machine || !call->small);
}

enum { BYTES, RATIO, PLAIN, PACED };

static double median_of(const advice *advice, const advice_call **call, int64_t calls, int what) {
    weighted *values = ALLOCATE(weighted, calls);
    int64_t count = 0;
    for (int64_t i = 0; i < calls; i++) {
        const advice_pattern *pattern = &advice->pattern[call[i]->pattern];
        if (what == BYTES)
            values[count++] = (weighted){(double)pattern->bytes, 1};
        else if (!is_rated(advice, call[i]))
            continue;
        else if (what == RATIO)
            values[count++] = (weighted){call[i]->exchange / pattern->bound, call[i]->exchange};
        else if (call[i]->paced == (what == PACED))
            values[count++] = (weighted){call[i]->exchange / (double)pattern->traffic, 1};
    }
    double median = weighted_median(values, count);
    free(values);
    return median;
}

static void add_call(const advice *advice, advice_group *group, const advice_call *call, sums *sums) {
    const record_comm *comm = &advice->record->comm[call->comm];
    const advice_pattern *pattern = &advice->pattern[call->pattern];
    double members = comm->members, excess = call->exchange - paced_ratio * pattern->bound;
    group->calls++;
    group->paced += call->paced;
    group->small += call->small;
    if (pattern->bytes > group->bytes_most) group->bytes_most = pattern->bytes;
    group->seconds += call->mean * members;
    group->waiting += call->waiting * members;
    group->bound += pattern->bound * members;
    if (is_rated(advice, call) && !group->one_node) {
        if (!call->paced && !call->small && excess > 0) group->gain += excess * members;
        if (call->paced && call->exchange > pattern->bound)
            group->left += (call->exchange - pattern->bound) * members;
    }
    sums->late[call->late] += call->waiting * members;
    sums->of_pattern[call->pattern] += call->exchange;
    group->patterns += sums->uses[call->pattern]++ == 0;
}

/* Who takes part, and how long each is in it. */
static void add_ranks(const advice *advice, const advice_call *call, sums *sums) {
    const record_comm *comm = &advice->record->comm[call->comm];
    for (int i = 0; i < comm->members; i++) {
        sums->seconds[comm->member[i].file] += comm->member[i].call[call->number].seconds;
        sums->takes_part[comm->member[i].file] = 1;
    }
}

static void take_ranks(const advice *advice, advice_group *group, sums *sums) {
    double most = 0;
    for (int i = 0; i < advice->record->files; i++) {
        group->members += sums->takes_part[i];
        if (sums->seconds[i] > group->seconds_most) group->seconds_most = sums->seconds[i];
        if (sums->late[i] > most) {
            most = sums->late[i];
            group->late_rank = advice->record->file[i].rank;
        }
        sums->seconds[i] = sums->late[i] = sums->takes_part[i] = 0;
    }
    if (most > 0) group->late_share = most / group->waiting;
}

/* Keeps the patterns with most time, the heaviest first. */
static void keep_heavy(advice_group *group, int64_t pattern, double seconds, int64_t calls) {
    int at = group->heavy;
    while (at > 0 && group->heavy_pattern[at - 1].seconds < seconds) at--;
    if (at == ADVICE_HEAVY) return;
    if (group->heavy < ADVICE_HEAVY) group->heavy++;
    memmove(&group->heavy_pattern[at + 1], &group->heavy_pattern[at],
            (size_t)(group->heavy - at - 1) * sizeof *group->heavy_pattern);
    group->heavy_pattern[at] = (advice_heavy){pattern, calls, seconds};
}

static void take_patterns(advice_group *group, const advice_call **call, sums *sums) {
    for (int64_t i = 0; i < group->calls; i++) {
        int64_t pattern = call[i]->pattern;
        if (sums->uses[pattern] == 0) continue;
        keep_heavy(group, pattern, sums->of_pattern[pattern], sums->uses[pattern]);
        sums->of_pattern[pattern] = 0;
        sums->uses[pattern] = 0;
    }
}

static int world_rank(const record *record, const advice_pattern *pattern) {
    const record_comm *comm = &record->comm[pattern->comm];
    for (int i = 0; i < comm->members; i++)
        if (comm->member[i].rank == pattern->busiest) return record->file[comm->member[i].file].rank;
    return pattern->busiest;
}

static void sum_up(const advice *advice, advice_group *group, const advice_call **call, int64_t calls,
                   sums *sums) {
    for (int64_t i = 0; i < calls; i++) {
        group->comms += i == 0 || call[i]->comm != call[i - 1]->comm; /* calls come by communicators */
        add_call(advice, group, call[i], sums);
        add_ranks(advice, call[i], sums);
    }
    take_ranks(advice, group, sums);
    take_patterns(group, call, sums);
    group->seconds /= group->members;
    group->waiting /= group->members;
    group->exchange = group->seconds > group->waiting ? group->seconds - group->waiting : 0;
    group->bound /= group->members;
    group->gain /= group->members;
    group->left /= group->members;
    group->bytes_median = (int64_t)median_of(advice, call, calls, BYTES);
    group->ratio = median_of(advice, call, calls, RATIO);
    group->plain_to_paced = median_of(advice, call, calls, PLAIN) / median_of(advice, call, calls, PACED);
    if (group->plain_to_paced <= 1) group->gain = 0; /* it was tried */
    group->busiest = world_rank(advice->record, &advice->pattern[group->heavy_pattern[0].pattern]);
    if (advice->run > 0) group->share = group->seconds / advice->run;
}

static int by_gain(const void *first, const void *second) {
    const advice_group *a = first, *b = second;
    if (a->gain != b->gain) return a->gain > b->gain ? -1 : 1;
    if (a->seconds != b->seconds) return a->seconds > b->seconds ? -1 : 1;
    if (a->site != b->site) return a->site < b->site ? -1 : 1;
    return (a->ranks > b->ranks) - (a->ranks < b->ranks);
}

static void sum_up_groups(advice *advice) {
    int64_t *start = ALLOCATE(int64_t, advice->groups + 1);
    sums sums = {.call = ALLOCATE(const advice_call *, advice->calls),
                 .seconds = ALLOCATE(double, advice->record->files),
                 .late = ALLOCATE(double, advice->record->files),
                 .takes_part = ALLOCATE(char, advice->record->files),
                 .of_pattern = ALLOCATE(double, advice->patterns),
                 .uses = ALLOCATE(int64_t, advice->patterns)};
    for (int64_t i = 0; i < advice->calls; i++) start[advice->call[i].group + 1]++;
    for (int64_t i = 0; i < advice->groups; i++) start[i + 1] += start[i];
    for (int64_t i = 0; i < advice->calls; i++) sums.call[start[advice->call[i].group]++] = &advice->call[i];
    for (int64_t i = 0, at = 0; i < advice->groups; at = start[i++])
        sum_up(advice, &advice->group[i], sums.call + at, start[i] - at, &sums);
    if (advice->groups) qsort(advice->group, (size_t)advice->groups, sizeof *advice->group, by_gain);
    free(sums.call);
    free(sums.seconds);
    free(sums.late);
    free(sums.takes_part);
    free(sums.of_pattern);
    free(sums.uses);
    free(start);
}

/* ---- what is missing ----------------------------------------------------------------------------------- */

/* "3, 5, 7 and 12 more" */
static void list_ranks(const int *rank, int count, char *text, size_t size) {
    enum { LISTED = 8 };
    size_t used = 0;
    text[0] = 0;
    for (int i = 0; i < count && i < LISTED && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%d", i ? ", " : "", rank[i]);
    if (count > LISTED && used < size) snprintf(text + used, size - used, " and %d more", count - LISTED);
}

/* A rank that never made such a call has no file, which is right; so communicators are asked. */
static void note_missing(advice *advice) {
    const record *record = advice->record;
    char text[160];
    int *rank = ALLOCATE(int, record->ranks), count = 0, incomplete = 0;
    for (int64_t i = 0; i < record->comms; i++) incomplete |= record->comm[i].members < record->comm[i].ranks;
    for (int i = 0, file = 0; i < record->ranks; i++)
        if (file < record->files && record->file[file].rank == i)
            file++;
        else
            rank[count++] = i;
    list_ranks(rank, count, text, sizeof text);
    if (incomplete && count)
        advice_note(advice, "there is no file of rank%s %s: what %s sent is not in the bounds",
                    count == 1 ? "" : "s", text, count == 1 ? "it" : "they");
    else if (incomplete)
        advice_note(advice,
                    "files of the same communicators do not fit together; do they come from several runs?");
    free(rank);
}

static void note_deaths(advice *advice) {
    const record *record = advice->record;
    char text[160];
    int *rank = ALLOCATE(int, record->files), count = 0;
    for (int i = 0; i < record->files; i++)
        if (isnan(record->file[i].seconds)) rank[count++] = record->file[i].rank;
    list_ranks(rank, count, text, sizeof text);
    if (count)
        advice_note(advice, "the file%s of rank%s %s %s no end: the program died, or still runs",
                    count == 1 ? "" : "s", count == 1 ? "" : "s", text, count == 1 ? "has" : "have");
    free(rank);
}

static void note_lost_calls(advice *advice) {
    const record *record = advice->record;
    int64_t lost = 0, rest = 0;
    double seconds = 0;
    for (int64_t i = 0; i < record->comms; i++) lost += record->comm[i].longest - record->comm[i].calls;
    for (int i = 0; i < record->files; i++) {
        if (record->file[i].rest_calls > rest) rest = record->file[i].rest_calls;
        if (record->file[i].rest_seconds > seconds) seconds = record->file[i].rest_seconds;
    }
    if (lost) advice_note(advice, "%" PRId64 " calls are left out: not all ranks have them", lost);
    if (rest)
        advice_note(advice,
                    "%" PRId64 " calls beyond the limit of the record are left out, up to %.3g s per rank",
                    rest, seconds);
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

static int count_hosts(const record *record) {
    map known = {0};
    for (int i = 0; i < record->files; i++) {
        uint64_t digest = digest_bytes(1, record->file[i].host, strlen(record->file[i].host));
        if (map_find(&known, digest) < 0) map_add(&known, digest, i);
    }
    int count = (int)known.count;
    map_clear(&known);
    return count;
}

static void look_at_run(advice *advice) {
    const record *record = advice->record;
    double sum = 0;
    advice->run = NAN;
    for (int i = 0; i < record->files; i++)
        advice->run = fmax(advice->run, record->file[i].seconds); /* which passes over NAN */
    for (int64_t i = 0; i < advice->calls; i++)
        sum += advice->call[i].mean * record->comm[advice->call[i].comm].members;
    advice->share = advice->run > 0 ? sum / record->files / advice->run : NAN;
    advice->hosts = count_hosts(record);
}

static void note_silence(advice *advice) {
    for (int64_t i = 0; i < advice->record->comms; i++)
        if (advice->record->comm[i].longest > 0) return;
    advice_note(advice,
                "the program ran, but made no call that the drop-in library serves; it serves blocking "
                "MPI_Alltoallv, MPI_Alltoallw, MPI_Neighbor_alltoallv and MPI_Neighbor_alltoallw between "
                "two ranks or more, without MPI_IN_PLACE");
}

int advice_judge(advice *advice, const record *record, const char *folder, const char *machine) {
    memset(advice, 0, sizeof *advice);
    advice->record = record;
    advice->folder = folder;
    advice->machine = machine;
    advice_collect(advice);
    look_at_run(advice);
    int code = advice_bound(advice);
    if (code) return code;
    sum_up_groups(advice);
    note_silence(advice);
    note_missing(advice);
    note_deaths(advice);
    note_lost_calls(advice);
    return advice_predict(advice);
}

void advice_note(advice *advice, const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    advice->note = reallocate(advice->note, advice->notes + 1, sizeof *advice->note);
    advice->note[advice->notes++] = copy_text(text);
}

void advice_clear(advice *advice) {
    for (int64_t i = 0; i < advice->groups; i++) {
        free(advice->group[i].sentence);
        free(advice->group[i].how);
    }
    for (int i = 0; i < advice->notes; i++) free(advice->note[i]);
    for (int i = 0; i < advice->machines; i++) qdr_machine_destroy(&advice->of_size[i].machine);
    free(advice->of_size);
    free(advice->note);
    free(advice->call);
    free(advice->pattern);
    free(advice->group);
    memset(advice, 0, sizeof *advice);
}
