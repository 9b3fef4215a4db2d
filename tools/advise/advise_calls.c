/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From the lines of many ranks to calls. What a rank spends in a call is waiting for ranks that come later,
 * and the exchange. Entries of all ranks are on one clock, so the two are told apart by when the last rank
 * came: what others spent before that is waiting, and from there to the end of the last one to leave it is
 * the exchange. A rank that is held up inside, because messages were dropped, so never looks like one that
 * waits.
 *
 * Calls have the same matrix again and again, so matrices are known by digests of their rows and looked at
 * once. Cost: calls times ranks, and the messages of each distinct matrix.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advise.h"
#include "core/complain.h"
#include "core/progress.h"

/* ---- matrices ------------------------------------------------------------------------------------------ */

/* Room for the columns of one matrix, all 0 between two. */
typedef struct columns {
    int64_t *bytes, *messages; /* [ranks of the run] */
} columns;

static const record_row *row_of(const record *record, const record_member *member, int64_t call) {
    return &record->file[member->file].row[member->call[call].row];
}

static uint64_t matrix_digest(const record *record, const record_comm *comm, int64_t call) {
    uint64_t digest = digest_word((uint64_t)comm->one_node, (uint64_t)comm->ranks);
    for (int i = 0; i < comm->members; i++) {
        digest = digest_word(digest, (uint64_t)comm->member[i].rank);
        digest = digest_word(digest, row_of(record, &comm->member[i], call)->digest);
    }
    return digest;
}

static void note_traffic(advice_pattern *pattern, int rank, int64_t bytes, int64_t messages,
                         int is_receiver) {
    if (bytes > pattern->traffic) {
        pattern->traffic = bytes;
        pattern->busiest = rank;
        pattern->is_receiver = is_receiver;
    }
    if (messages > pattern->degree) pattern->degree = messages;
}

/* One row: adds it to the columns. */
static void add_row(const record *record, const record_member *member, int64_t call, advice_pattern *pattern,
                    columns *columns) {
    const record_file *file = &record->file[member->file];
    const record_row *row = row_of(record, member, call);
    int64_t bytes = 0, messages = 0;
    for (int64_t k = row->first; k < row->first + row->entries; k++) {
        if (file->to[k] == member->rank) continue;
        bytes += file->bytes[k];
        messages++;
        columns->bytes[file->to[k]] += file->bytes[k];
        columns->messages[file->to[k]]++;
    }
    pattern->bytes += bytes;
    pattern->messages += messages;
    note_traffic(pattern, member->rank, bytes, messages, 0);
}

/* Each column once, wherever it was met first; then it is 0 again. */
static void take_columns(const record *record, const record_member *member, int64_t call,
                         advice_pattern *pattern, columns *columns) {
    const record_file *file = &record->file[member->file];
    const record_row *row = row_of(record, member, call);
    for (int64_t k = row->first; k < row->first + row->entries; k++) {
        int to = file->to[k];
        note_traffic(pattern, to, columns->bytes[to], columns->messages[to], 1);
        columns->bytes[to] = columns->messages[to] = 0;
    }
}

static void measure(advice *advice, int64_t comm_number, int64_t call, columns *columns) {
    const record *record = advice->record;
    const record_comm *comm = &record->comm[comm_number];
    advice_pattern *pattern = &advice->pattern[advice->patterns];
    *pattern = (advice_pattern){.comm = comm_number, .call = call, .ranks = comm->ranks};
    for (int i = 0; i < comm->members; i++) add_row(record, &comm->member[i], call, pattern, columns);
    for (int i = 0; i < comm->members; i++) take_columns(record, &comm->member[i], call, pattern, columns);
}

/* Makes room for one more matrix. */
static void make_room(advice *advice) {
    static const int64_t least = 64;
    int64_t n = advice->patterns;
    if (n == 0 || (n >= least && (n & (n - 1)) == 0))
        advice->pattern = reallocate(advice->pattern, n < least ? least : 2 * n, sizeof *advice->pattern);
}

/* ---- calls --------------------------------------------------------------------------------------------- */

static int64_t find_group(advice *advice, map *known, int64_t site, const record_comm *comm) {
    uint64_t key = digest_word(digest_word((uint64_t)site, (uint64_t)comm->ranks), (uint64_t)comm->one_node);
    int64_t group = map_find(known, key);
    if (group >= 0) return group;
    group = advice->groups++;
    advice->group = reallocate(advice->group, advice->groups, sizeof *advice->group);
    advice->group[group] = (advice_group){.site = site,
                                          .ranks = comm->ranks,
                                          .one_node = comm->one_node,
                                          .ratio = NAN,
                                          .share = NAN,
                                          .plain_to_paced = NAN,
                                          .predicted = NAN,
                                          .late_rank = -1};
    map_add(known, key, group);
    return group;
}

/* The exchange, and how long ranks waited for the last one to come. Nobody can wait longer than it is in the
 * call: who only sends may be gone before. */
static void split_time(const record_comm *comm, int64_t number, advice_call *call) {
    int last = 0;
    double sum = 0, waiting = 0;
    for (int i = 1; i < comm->members; i++)
        if (comm->member[i].call[number].entry > comm->member[last].call[number].entry) last = i;
    for (int i = 0; i < comm->members; i++) {
        const record_call *own = &comm->member[i].call[number];
        double before = comm->member[last].call[number].entry - own->entry;
        sum += own->seconds;
        waiting += fmin(before, own->seconds);
        call->exchange = fmax(call->exchange, own->seconds - before);
    }
    call->late = comm->member[last].file;
    call->mean = sum / comm->members;
    call->waiting = waiting / comm->members;
}

static void collect_comm(advice *advice, int64_t number, map *groups, map *patterns, columns *columns) {
    const record_comm *comm = &advice->record->comm[number];
    for (int64_t i = 0; i < comm->calls; i++) {
        uint64_t digest = matrix_digest(advice->record, comm, i);
        int64_t pattern = map_find(patterns, digest);
        if (pattern < 0) {
            make_room(advice);
            measure(advice, number, i, columns);
            pattern = advice->patterns++;
            map_add(patterns, digest, pattern);
        }
        const record_call *first = &comm->member[0].call[i];
        advice_call *call = &advice->call[advice->calls++];
        *call = (advice_call){.comm = number, .number = i, .pattern = pattern, .paced = (int)first->paced};
        call->group = find_group(advice, groups, first->site, comm);
        split_time(comm, i, call);
    }
}

void advice_collect(advice *advice) {
    const record *record = advice->record;
    map groups = {0}, patterns = {0};
    columns columns = {ALLOCATE(int64_t, record->ranks), ALLOCATE(int64_t, record->ranks)};
    int64_t calls = 0;
    for (int64_t i = 0; i < record->comms; i++) calls += record->comm[i].calls;
    advice->call = ALLOCATE(advice_call, calls);
    progress_say("putting %" PRId64 " calls together", calls);
    for (int64_t i = 0; i < record->comms; i++) collect_comm(advice, i, &groups, &patterns, &columns);
    free(columns.bytes);
    free(columns.messages);
    map_clear(&groups);
    map_clear(&patterns);
}
