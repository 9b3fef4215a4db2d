/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading the record of one rank: lines of words between tabs (docs/formats.md). The file may come from
 * anywhere, so each number is held against its limits before it is used, and memory grows with the text
 * only, never with a number in it. A last line without its end is what a program leaves that died while it
 * wrote, and is not looked at.
 *
 * Sites are numbered anew, equal ones of all ranks alike, rows keep the number of their file. Cost: linear
 * in the text.
 */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "advise.h"
#include "core/complain.h"

/* Where this file takes part in a communicator. */
typedef struct part {
    int64_t comm;
    int member;
} part;

typedef struct reader {
    record *record;
    record_file file;
    const char *name;
    int64_t line;
    const char *at, *end; /* what is left of the line */
    const char *word;     /* the word read last */
    size_t length;
    char *program;
    map part_of_id;
    part *part;
    int64_t parts;
    int64_t last_id; /* the communicator of the line before, which often is the next one too */
    int64_t last_part;
} reader;

/* ---- words --------------------------------------------------------------------------------------------- */

static int refuse(const reader *reader, const char *format, ...) __attribute__((format(printf, 2, 3)));

static int refuse(const reader *reader, const char *format, ...) {
    record *record = reader->record;
    va_list arguments;
    int used =
        snprintf(record->error, sizeof record->error, "%.400s:%" PRId64 ": ", reader->name, reader->line);
    va_start(arguments, format);
    vsnprintf(record->error + used, sizeof record->error - (size_t)used, format, arguments);
    va_end(arguments);
    return 0;
}

static int refuse_word(const reader *reader, const char *expected) {
    int shown = reader->length < 40 ? (int)reader->length : 40;
    return refuse(reader, "found '%.*s'; expected %s", shown, reader->word, expected);
}

/* The next word of the line, which is empty past the last. */
static int next_word(reader *reader) {
    if (!reader->at) {
        reader->length = 0;
        reader->word = "";
        return 0;
    }
    const char *tab = memchr(reader->at, '\t', (size_t)(reader->end - reader->at));
    reader->word = reader->at;
    reader->length = (size_t)((tab ? tab : reader->end) - reader->at);
    reader->at = tab ? tab + 1 : NULL;
    return 1;
}

static int is_word(const reader *reader, const char *word) {
    return strlen(word) == reader->length && !memcmp(word, reader->word, reader->length);
}

/* Digits; moves on to what follows them. */
static int scan_number(const char **at, const char *end, int64_t highest, int64_t *number) {
    const char *begin = *at;
    int64_t value = 0;
    for (; *at < end && **at >= '0' && **at <= '9'; ++*at) {
        int digit = **at - '0';
        if (digit > highest || value > (highest - digit) / 10) return 0;
        value = value * 10 + digit;
    }
    *number = value;
    return *at > begin;
}

static int read_number(reader *reader, int64_t lowest, int64_t highest, const char *what, int64_t *number) {
    char expected[160];
    next_word(reader);
    const char *at = reader->word, *end = at + reader->length;
    if (scan_number(&at, end, highest, number) && at == end && *number >= lowest) return 1;
    snprintf(expected, sizeof expected, "%s, a whole number from %" PRId64 " to %" PRId64, what, lowest,
             highest);
    return refuse_word(reader, expected);
}

/* The text ends in 0 and words end in what no number has, so strtod stops by itself. */
static int read_seconds(reader *reader, const char *what, double *seconds) {
    const double longest = 1e9;
    char expected[80];
    char *end = NULL;
    next_word(reader);
    if (reader->length && reader->word[0] >= '0' && reader->word[0] <= '9')
        *seconds = strtod(reader->word, &end);
    if (end == reader->word + reader->length && *seconds >= 0 && *seconds <= longest) return 1;
    snprintf(expected, sizeof expected, "%s in seconds, a number from 0 to 1e9", what);
    return refuse_word(reader, expected);
}

static char *copy_word(const reader *reader) {
    char *text = print_text("%.*s", reader->length < 4096 ? (int)reader->length : 4096, reader->word);
    plain_text(text);
    return text;
}

/* ---- lines --------------------------------------------------------------------------------------------- */

static int read_rank(reader *reader) {
    int64_t rank, ranks;
    const record *record = reader->record;
    if (reader->file.rank >= 0) return refuse(reader, "expected one line 'rank', this is the second");
    if (!read_number(reader, 0, RECORD_RANKS - 1, "a rank", &rank) ||
        !read_number(reader, rank + 1, RECORD_RANKS, "the number of ranks", &ranks))
        return 0;
    if (record->ranks && record->ranks != ranks)
        return refuse(
            reader, "is of another run, with %" PRId64 " ranks where %.200s has %d; keep one run in a folder",
            ranks, record->first, record->ranks);
    next_word(reader);
    reader->file.host = copy_word(reader);
    reader->file.rank = (int)rank;
    reader->record->ranks = (int)ranks;
    return 1;
}

/* The rest of the line, for a path may have tabs. */
static int read_program(reader *reader) {
    if (next_word(reader)) reader->length = (size_t)(reader->end - reader->word);
    reader->at = NULL;
    free(reader->program);
    reader->program = copy_word(reader);
    return 1;
}

static int64_t add_comm(record *record, int64_t id, int ranks, int one_node) {
    record->comm = reallocate(record->comm, record->comms + 1, sizeof *record->comm);
    record->comm[record->comms] = (record_comm){.id = id, .ranks = ranks, .one_node = one_node};
    map_add(&record->comm_of_id, (uint64_t)id, record->comms);
    return record->comms++;
}

static void add_part(reader *reader, int64_t number, int rank) {
    record_comm *comm = &reader->record->comm[number];
    comm->member = reallocate(comm->member, comm->members + 1, sizeof *comm->member);
    comm->member[comm->members] = (record_member){.rank = rank, .file = reader->record->files};
    reader->part = reallocate(reader->part, reader->parts + 1, sizeof *reader->part);
    reader->part[reader->parts] = (part){.comm = number, .member = comm->members++};
    map_add(&reader->part_of_id, (uint64_t)comm->id, reader->parts++);
}

static int read_comm(reader *reader) {
    int64_t id, rank, ranks, one_node;
    record *record = reader->record;
    if (!read_number(reader, 0, INT64_MAX, "the id of a communicator", &id)) return 0;
    if (map_find(&reader->part_of_id, (uint64_t)id) >= 0)
        return refuse(reader, "communicator %" PRId64 " comes a second time", id);
    if (!read_number(reader, 0, record->ranks - 1, "a rank of the communicator", &rank) ||
        !read_number(reader, rank + 1, record->ranks, "the ranks of the communicator", &ranks) ||
        !read_number(reader, 0, 1, "whether they are on one node", &one_node))
        return 0;
    int64_t number = map_find(&record->comm_of_id, (uint64_t)id);
    if (number < 0) number = add_comm(record, id, (int)ranks, (int)one_node);
    const record_comm *comm = &record->comm[number];
    if (comm->ranks != ranks || comm->one_node != one_node)
        return refuse(reader,
                      "communicator %" PRId64
                      " is another one in the file of rank %d; keep one run in a folder",
                      id, record->file[comm->member[0].file].rank);
    add_part(reader, number, (int)rank);
    return 1;
}

/* Things of a file are numbered 1, 2, ... as they come. */
static int read_next_number(reader *reader, int64_t count, const char *what) {
    int64_t number;
    if (!read_number(reader, 1, INT32_MAX, what, &number)) return 0;
    return number == count + 1 ||
           refuse(reader, "%s is %" PRId64 "; expected %" PRId64, what, number, count + 1);
}

static int read_site(reader *reader) {
    record *record = reader->record;
    if (!read_next_number(reader, reader->file.sites, "the number of the site")) return 0;
    if (!next_word(reader) || !reader->length) return refuse_word(reader, "the name of a call");
    uint64_t digest = digest_bytes(1, reader->word, (size_t)(reader->end - reader->word));
    int64_t site = map_find(&record->site_of_digest, digest);
    if (site < 0) {
        size_t left = reader->at ? (size_t)(reader->end - reader->at) : 0;
        site = record->sites++;
        record->site = reallocate(record->site, record->sites, sizeof *record->site);
        record->site[site] = (record_site){
            .call = copy_word(reader),
            .frames = print_text("%.*s", left < 65536 ? (int)left : 65536, left ? reader->at : ""),
        };
        map_add(&record->site_of_digest, digest, site);
    }
    record_file *file = &reader->file;
    file->site = reallocate(file->site, file->sites + 1, sizeof *file->site);
    file->site[file->sites++] = site;
    reader->at = NULL; /* all of the line is the site */
    return 1;
}

static void add_entry(record_file *file, int64_t to, int64_t bytes) {
    if (file->entries == file->entry_capacity) {
        file->entry_capacity = file->entry_capacity ? 2 * file->entry_capacity : 256;
        file->to = reallocate(file->to, file->entry_capacity, sizeof *file->to);
        file->bytes = reallocate(file->bytes, file->entry_capacity, sizeof *file->bytes);
    }
    file->to[file->entries] = (int)to;
    file->bytes[file->entries++] = bytes;
}

static int read_row(reader *reader) {
    record_file *file = &reader->file;
    record_row row = {.first = file->entries, .highest = -1, .digest = 1};
    int64_t to, bytes, sum = 0;
    if (!read_next_number(reader, file->rows, "the number of the row")) return 0;
    while (next_word(reader)) {
        const char *at = reader->word, *end = at + reader->length;
        if (!scan_number(&at, end, reader->record->ranks - 1, &to) || at == end || *at++ != ':' ||
            !scan_number(&at, end, RECORD_ROW_BYTES, &bytes) || at != end || bytes == 0)
            return refuse_word(reader, "RANK:BYTES, a rank of the run and at least one byte");
        sum += bytes;
        if (sum > RECORD_ROW_BYTES) return refuse(reader, "a row of more than 4 TiB");
        add_entry(file, to, bytes);
        if (to > row.highest) row.highest = (int)to;
        row.digest = digest_word(digest_word(row.digest, (uint64_t)to), (uint64_t)bytes);
    }
    row.entries = file->entries - row.first;
    if (file->rows == file->row_capacity) {
        file->row_capacity = file->row_capacity ? 2 * file->row_capacity : 64;
        file->row = reallocate(file->row, file->row_capacity, sizeof *file->row);
    }
    file->row[file->rows++] = row;
    return 1;
}

static int find_part(reader *reader, int64_t id) {
    if (reader->last_part < 0 || reader->last_id != id)
        reader->last_part = map_find(&reader->part_of_id, (uint64_t)id);
    reader->last_id = id;
    return reader->last_part >= 0 || refuse(reader, "there is no line 'comm' for communicator %" PRId64, id);
}

static void add_call(record_member *member, record_call call) {
    if (member->calls == member->capacity) {
        member->capacity = member->capacity ? 2 * member->capacity : 4;
        member->call = reallocate(member->call, member->capacity, sizeof *member->call);
    }
    member->call[member->calls++] = call;
}

static int read_call(reader *reader) {
    const record_file *file = &reader->file;
    int64_t id, site, row;
    record_call call = {0};
    if (!read_number(reader, 0, INT64_MAX, "the id of a communicator", &id) || !find_part(reader, id))
        return 0;
    const part *part = &reader->part[reader->last_part];
    record_comm *comm = &reader->record->comm[part->comm];
    if (!read_number(reader, 1, file->sites, "the number of a site before", &site) ||
        !read_number(reader, 1, file->rows, "the number of a row before", &row))
        return 0;
    if (file->row[row - 1].highest >= comm->ranks)
        return refuse(reader, "row %" PRId64 " sends to rank %d, but communicator %" PRId64 " has %d ranks",
                      row, file->row[row - 1].highest, id, comm->ranks);
    next_word(reader);
    call.paced = is_word(reader, "paced");
    if (!call.paced && !is_word(reader, "plain")) return refuse_word(reader, "plain or paced");
    if (!read_seconds(reader, "the entry", &call.entry) || !read_seconds(reader, "the time", &call.seconds))
        return 0;
    call.site = (int32_t)file->site[site - 1];
    call.row = (uint32_t)(row - 1);
    add_call(&comm->member[part->member], call);
    return 1;
}

static int read_rest(reader *reader) {
    return read_number(reader, 0, INT64_MAX / 2 / RECORD_RANKS, "calls", &reader->file.rest_calls) &&
           read_seconds(reader, "the time", &reader->file.rest_seconds);
}

static int read_end(reader *reader) {
    return read_seconds(reader, "the time", &reader->file.seconds);
}

/* ---- the file ------------------------------------------------------------------------------------------ */

static int read_line(reader *reader) {
    static const struct {
        const char *name;
        int (*read)(struct reader *);
    } lines[] = {{"call", read_call}, {"row", read_row},   {"site", read_site}, {"comm", read_comm},
                 {"rank", read_rank}, {"rest", read_rest}, {"end", read_end},   {"program", read_program}};
    next_word(reader);
    if (reader->line == 1) {
        if (!is_word(reader, "quadrille-record"))
            return refuse_word(reader, "quadrille-record, as QDR_RECORD writes it");
        next_word(reader);
        return is_word(reader, "1") || refuse_word(reader, "version 1");
    }
    if (reader->file.rank < 0 && !is_word(reader, "rank")) return refuse_word(reader, "the line 'rank'");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (is_word(reader, lines[i].name))
            return lines[i].read(reader) &&
                   (!next_word(reader) || refuse_word(reader, "the end of the line"));
    return refuse_word(reader, "rank, program, comm, site, row, call, rest or end");
}

static int read_lines(reader *reader, const char *text, size_t size) {
    const char *stop = text + size, *newline;
    for (const char *at = text; at < stop && (newline = memchr(at, '\n', (size_t)(stop - at)));
         at = newline + 1) {
        reader->line++;
        reader->at = at;
        reader->end = newline;
        if (!read_line(reader)) return 0;
    }
    if (reader->file.rank >= 0) return 1;
    reader->line++;
    return refuse(reader, "the file ends before the line 'rank'");
}

static void clear_file(record_file *file) {
    free(file->host);
    free(file->row);
    free(file->to);
    free(file->bytes);
    free(file->site);
}

int record_add(record *record, const char *name, const char *text, size_t size) {
    reader reader = {.record = record, .name = name, .last_part = -1, .file = {.rank = -1, .seconds = NAN}};
    int good = read_lines(&reader, text, size);
    /* Members refer to the file by its number, so it goes in, whatever became of it. */
    record->file = reallocate(record->file, record->files + 1, sizeof *record->file);
    record->file[record->files++] = reader.file;
    if (!record->first) record->first = copy_text(name);
    if (!record->program && reader.program) {
        record->program = reader.program;
        reader.program = NULL;
    }
    free(reader.program);
    free(reader.part);
    map_clear(&reader.part_of_id);
    return good;
}

void record_clear(record *record) {
    for (int i = 0; i < record->files; i++) clear_file(&record->file[i]);
    for (int64_t i = 0; i < record->comms; i++) {
        for (int k = 0; k < record->comm[i].members; k++) free(record->comm[i].member[k].call);
        free(record->comm[i].member);
    }
    for (int64_t i = 0; i < record->sites; i++) {
        free(record->site[i].call);
        free(record->site[i].frames);
        free(record->site[i].text);
    }
    free(record->file);
    free(record->comm);
    free(record->site);
    free(record->program);
    free(record->first);
    map_clear(&record->comm_of_id);
    map_clear(&record->site_of_digest);
    memset(record, 0, sizeof *record);
}
