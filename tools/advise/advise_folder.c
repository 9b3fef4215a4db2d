/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All records of a run: a folder with one file per rank. The n-th call on a communicator is the same one on
 * all of its ranks, so files fit together by counting. Where a rank has fewer calls than the others,
 * because it died or its file was cut, the calls that all have are used.
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "advise.h"
#include "core/complain.h"
#include "core/progress.h"

static int fail(record *record, const char *format, ...) __attribute__((format(printf, 2, 3)));

static int fail(record *record, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(record->error, sizeof record->error, format, arguments);
    va_end(arguments);
    return 0;
}

/* ---- joining ------------------------------------------------------------------------------------------- */

static int by_member_rank(const void *first, const void *second) {
    const record_member *a = first, *b = second;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

static int join_comm(record *record, record_comm *comm) {
    qsort(comm->member, (size_t)comm->members, sizeof *comm->member, by_member_rank);
    comm->calls = INT64_MAX;
    for (int i = 0; i < comm->members; i++) {
        const record_member *member = &comm->member[i];
        if (i > 0 && member[-1].rank == member->rank)
            return fail(record,
                        "the files of ranks %d and %d both say that they are rank %d of communicator %" PRId64
                        "; keep one run in a folder",
                        record->file[member[-1].file].rank, record->file[member->file].rank, member->rank,
                        comm->id);
        if (member->calls < comm->calls) comm->calls = member->calls;
        if (member->calls > comm->longest) comm->longest = member->calls;
    }
    return 1;
}

typedef struct place {
    int rank, file;
} place;

static int by_file_rank(const void *first, const void *second) {
    const place *a = first, *b = second;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

/* Members know their files by number, so both move together. */
static void sort_files(record *record) {
    place *order = ALLOCATE(place, record->files);
    int *moved = ALLOCATE(int, record->files);
    record_file *file = ALLOCATE(record_file, record->files);
    for (int i = 0; i < record->files; i++) order[i] = (place){record->file[i].rank, i};
    if (record->files) qsort(order, (size_t)record->files, sizeof *order, by_file_rank);
    for (int i = 0; i < record->files; i++) {
        file[i] = record->file[order[i].file];
        moved[order[i].file] = i;
    }
    for (int64_t i = 0; i < record->comms; i++)
        for (int k = 0; k < record->comm[i].members; k++)
            record->comm[i].member[k].file = moved[record->comm[i].member[k].file];
    free(record->file);
    free(order);
    free(moved);
    record->file = file;
}

int record_join(record *record) {
    sort_files(record);
    for (int i = 1; i < record->files; i++)
        if (record->file[i].rank == record->file[i - 1].rank)
            return fail(record, "two files are of rank %d; keep one run in a folder", record->file[i].rank);
    for (int64_t i = 0; i < record->comms; i++)
        if (!join_comm(record, &record->comm[i])) return 0;
    return 1;
}

/* ---- patterns ------------------------------------------------------------------------------------------ */

static int by_pair(const void *first, const void *second) {
    const qdr_message *a = first, *b = second;
    if (a->origin != b->origin) return a->origin < b->origin ? -1 : 1;
    return (a->destination > b->destination) - (a->destination < b->destination);
}

/* In a neighborhood a rank may be a neighbor twice: one message here. */
static int64_t merge(qdr_message *message, int64_t count) {
    int64_t kept = 0;
    if (count) qsort(message, (size_t)count, sizeof *message, by_pair);
    for (int64_t i = 0; i < count; i++)
        if (kept && !by_pair(&message[kept - 1], &message[i]))
            message[kept - 1].items += message[i].items;
        else
            message[kept++] = message[i];
    return kept;
}

qdr_status record_pattern(const record *record, int64_t comm, int64_t call, qdr_pattern **pattern) {
    const record_comm *of = &record->comm[comm];
    int64_t count = 0, at = 0;
    for (int i = 0; i < of->members; i++)
        count += record->file[of->member[i].file].row[of->member[i].call[call].row].entries;
    qdr_message *message = ALLOCATE(qdr_message, count);
    for (int i = 0; i < of->members; i++) {
        const record_file *file = &record->file[of->member[i].file];
        const record_row *row = &file->row[of->member[i].call[call].row];
        for (int64_t k = row->first; k < row->first + row->entries; k++)
            message[at++] = (qdr_message){of->member[i].rank, file->to[k], file->bytes[k]};
    }
    qdr_status status = qdr_pattern_create(of->ranks, merge(message, count), message, pattern);
    free(message);
    return status;
}

/* ---- the folder ---------------------------------------------------------------------------------------- */

static int is_record(const struct dirent *entry) {
    size_t length = strlen(entry->d_name);
    return length > 9 && !strncmp(entry->d_name, "rank-", 5) && !strcmp(entry->d_name + length - 4, ".txt");
}

/* The whole file with a 0 behind it. */
static char *load(record *record, const char *path, size_t *size) {
    struct stat status;
    FILE *stream = fopen(path, "r");
    if (!stream || fstat(fileno(stream), &status) || !S_ISREG(status.st_mode)) {
        fail(record, "cannot read '%.400s': %s", path, stream ? "it is not a file" : strerror(errno));
        if (stream) fclose(stream);
        return NULL;
    }
    char *text = ALLOCATE(char, (int64_t)status.st_size + 1);
    *size = fread(text, 1, (size_t)status.st_size, stream);
    int failed = ferror(stream);
    fclose(stream);
    if (!failed) return text;
    free(text);
    fail(record, "cannot read '%.400s'", path);
    return NULL;
}

static int read_file(record *record, const char *folder, const char *name) {
    char *path = print_text("%s/%s", folder, name);
    size_t size = 0;
    char *text = load(record, path, &size);
    int good = text && record_add(record, path, text, size);
    free(text);
    free(path);
    return good;
}

int record_read(record *record, const char *folder) {
    struct dirent **entry = NULL;
    memset(record, 0, sizeof *record);
    int count = scandir(folder, &entry, is_record, alphasort), good = count > 0;
    if (count < 0 && errno == ENOENT)
        return fail(record,
                    "there is no folder '%.300s'; the drop-in library makes it when a program started with "
                    "QDR_RECORD=%.300s makes its first call that the library serves, or ends",
                    folder, folder);
    if (count < 0) return fail(record, "cannot read the folder '%.400s': %s", folder, strerror(errno));
    if (count == 0)
        fail(record,
             "'%.400s' has no records (rank-*.txt); a program writes them when it runs with the drop-in "
             "library "
             "preloaded and QDR_RECORD=%.400s",
             folder, folder);
    for (int i = 0; i < count; i++) {
        if (good) progress_say("reading %d of %d: %s", i + 1, count, entry[i]->d_name);
        good = good && read_file(record, folder, entry[i]->d_name);
        free(entry[i]);
    }
    free(entry);
    return good && record_join(record);
}
