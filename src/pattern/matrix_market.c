/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Matrix Market files: coordinate format, integer, real or pattern, general or symmetric. Row = origin,
 * column = destination, both counted from 1; values are items.
 *
 * The reader trusts nothing. It takes words from a buffer of its own and reads numbers exactly, without
 * floating point: a real is whole when its last digit that is not zero does not stand behind the point. Every
 * refusal is one line, "FILE:LINE: found this; expected that". Memory follows the entries that have arrived,
 * not the header; only the number of ranks is believed, up to QDRI_RANKS_LIMIT. Lines have no limit, words
 * have one of 63 bytes.
 *
 * Blank lines may stand anywhere behind the first line, comments only before the sizes. An entry of zero is
 * legal and no message. In a symmetric file the lower triangle stands for both. A message without items, which
 * only a spec can ask for, is written as an entry of zero.
 *
 * A pair that comes twice is noticed only when the matrix is built, by its ranks. Its second line is then
 * found by walking the entries again: entry k stands k lines below the first but for the blank lines between,
 * whose places are kept as jumps.
 *
 * Cost: O(file) time, 16 bytes per entry beside the pattern.
 */
#include "pattern.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/print.h"
#include "base/text.h"

enum { WORD_SIZE = 64, END = -1 };

typedef struct jump {
    int64_t entry, line; /* from this entry on, entries stand on this line and those below */
} jump;

typedef struct reader {
    FILE *stream;
    const char *name;
    int64_t line;
    const unsigned char *next, *end;
    char word[WORD_SIZE];
    int length; /* of the word, WORD_SIZE if it is longer than that */
    int real, valueless, symmetric;
    int64_t ranks, entries, total;
    jump *jumps;
    int64_t jump_count, jump_capacity;
    unsigned char buffer[16384];
} reader;

/* ---- bytes and words ----------------------------------------------------------------------------------- */

static int refill(reader *reader) {
    size_t count = fread(reader->buffer, 1, sizeof reader->buffer, reader->stream);
    reader->next = reader->buffer;
    reader->end = reader->buffer + count;
    return count > 0;
}

static inline int peek(reader *reader) {
    return reader->next < reader->end || refill(reader) ? *reader->next : END;
}

static inline int is_blank(int byte) {
    return byte == ' ' || byte == '\t' || byte == '\r';
}

static void skip_blanks(reader *reader) {
    while (is_blank(peek(reader))) reader->next++;
}

/* Takes the next word of the line; its length is 0 at the end of the line. */
static void read_word(reader *reader) {
    int length = 0;
    skip_blanks(reader);
    while (peek(reader) != END) {
        const unsigned char *next = reader->next, *end = reader->end;
        while (next < end && *next != '\n' && !is_blank(*next)) {
            if (length < WORD_SIZE) reader->word[length++] = (char)*next;
            next++;
        }
        reader->next = next;
        if (next < end) break;
    }
    reader->length = length;
    reader->word[length < WORD_SIZE ? length : WORD_SIZE - 1] = '\0';
}

/* Whether the word is not longer than it can be and holds no NUL. */
static int is_whole(const reader *reader) {
    return reader->length > 0 && strlen(reader->word) == (size_t)reader->length;
}

/* Goes to the next line that is not blank; with `comments`, also over those. */
static void skip_lines(reader *reader, int comments) {
    for (;;) {
        skip_blanks(reader);
        int byte = peek(reader);
        if (byte == '%' && comments)
            while ((byte = peek(reader)) != END && byte != '\n') reader->next++;
        if (byte != '\n') return;
        reader->next++;
        reader->line++;
    }
}

/* ---- refusals ------------------------------------------------------------------------------------------ */

static qdr_status refuse(const reader *reader, qdr_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static qdr_status refuse(const reader *reader, qdr_status status, const char *format, ...) {
    char sentence[512];
    va_list arguments;
    if (ferror(reader->stream))
        return qdri_fail(QDR_ERR_FILE,
                         "%.300s:%" PRId64 ": the file cannot be read further; expected no input error",
                         reader->name, reader->line);
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return qdri_fail(status, "%.300s:%" PRId64 ": %s", reader->name, reader->line, sentence);
}

/* "found <the word>; expected <what>" */
static qdr_status refuse_word(reader *reader, const char *expected) {
    if (reader->length == 0)
        return refuse(reader, QDR_ERR_SYNTAX, "found the end of the %s; expected %s",
                      peek(reader) == END ? "file" : "line", expected);
    for (int i = 0; i < reader->length && i < WORD_SIZE - 1; i++)
        if (!isprint((unsigned char)reader->word[i]))
            return refuse(reader, QDR_ERR_SYNTAX, "found the byte 0x%02x; expected %s",
                          (unsigned)(unsigned char)reader->word[i], expected);
    return refuse(reader, QDR_ERR_SYNTAX, "found '%.40s%s'; expected %s", reader->word,
                  reader->length > 40 ? "..." : "", expected);
}

static qdr_status end_line(reader *reader) {
    read_word(reader);
    if (reader->length > 0) return refuse_word(reader, "the end of the line");
    if (peek(reader) == '\n') {
        reader->next++;
        reader->line++;
    }
    return QDR_OK;
}

/* ---- numbers ------------------------------------------------------------------------------------------- */

/* A decimal number as digits times a power of ten; the digits do not end in zero. */
typedef struct decimal {
    int64_t digits, power;
    int overflow; /* more digits than a legal whole number has */
} decimal;

static void append_digit(decimal *number, int digit, int64_t *zeros) {
    if (digit == 0) {
        if (number->digits) ++*zeros;
        return;
    }
    for (; *zeros >= 0; --*zeros) {
        number->overflow |= number->digits > QDRI_ITEMS_LIMIT / 10;
        if (!number->overflow) number->digits *= 10;
    }
    if (!number->overflow) number->digits += digit;
    *zeros = 0;
}

/* Digits, with a point and an exponent if `real`; 0 when the word is something else. */
static int read_decimal(const char *word, int real, decimal *number) {
    int64_t zeros = 0, behind = 0, power = 0;
    const char *c = word;
    int any = 0;
    *number = (decimal){0};
    for (int point = 0;; c++) {
        if (*c >= '0' && *c <= '9') {
            append_digit(number, *c - '0', &zeros);
            behind += point;
            any = 1;
        } else if (real && *c == '.' && !point) {
            point = 1;
        } else {
            break;
        }
    }
    if (real && any && (*c == 'e' || *c == 'E')) {
        int minus = c[1] == '-';
        c += 1 + (c[1] == '-' || c[1] == '+');
        any = *c >= '0' && *c <= '9';
        for (; *c >= '0' && *c <= '9'; c++)
            if (power < 1000) power = 10 * power + (*c - '0');
        if (minus) power = -power;
    }
    number->power = power - behind + zeros;
    return any && !*c;
}

/* Most numbers of a file: digits only, too few to overflow. */
static int read_digits(const reader *reader, int64_t *value) {
    int64_t sum = 0;
    if (reader->length == 0 || reader->length > 18) return 0;
    for (int i = 0; i < reader->length; i++) {
        unsigned digit = (unsigned)(unsigned char)reader->word[i] - '0';
        if (digit > 9) return 0;
        sum = 10 * sum + digit;
    }
    *value = sum;
    return 1;
}

/* Reads the next word as a whole number from `lowest` to `highest`. */
static qdr_status read_number(reader *reader, int real, const char *what, int64_t lowest, int64_t highest,
                              int64_t *value) {
    char expected[128];
    decimal number;
    int64_t whole;
    read_word(reader);
    if (read_digits(reader, &whole) && whole >= lowest && whole <= highest) {
        *value = whole;
        return QDR_OK;
    }
    int good = is_whole(reader) && read_decimal(reader->word, real, &number);
    qdr_status status = good ? QDR_ERR_RANGE : QDR_ERR_SYNTAX;
    if (good && !number.overflow && (number.power >= 0 || !number.digits)) {
        for (; number.digits && number.power > 0 && number.digits <= QDRI_ITEMS_LIMIT / 10; number.power--)
            number.digits *= 10;
        if ((number.power <= 0 || !number.digits) && number.digits >= lowest && number.digits <= highest) {
            *value = number.digits;
            return QDR_OK;
        }
    }
    snprintf(expected, sizeof expected, "%s, a whole number from %" PRId64 " to %" PRId64, what, lowest,
             highest);
    refuse_word(reader, expected);
    return ferror(reader->stream) ? QDR_ERR_FILE : status;
}

/* ---- the parts of a file ------------------------------------------------------------------------------- */

static qdr_status expect_word(reader *reader, const char *choices, const char *expected) {
    read_word(reader);
    return is_whole(reader) && qdri_word_in(reader->word, choices) ? QDR_OK : refuse_word(reader, expected);
}

static qdr_status read_banner(reader *reader, int64_t pattern_items) {
    read_word(reader);
    if (!is_whole(reader) || strcmp(reader->word, "%%MatrixMarket"))
        return refuse_word(reader, "the banner %%MatrixMarket");
    QDRI_TRY(expect_word(reader, "matrix", "the word matrix"));
    QDRI_TRY(expect_word(reader, "coordinate", "the word coordinate (a list of entries)"));
    QDRI_TRY(expect_word(reader, "integer real pattern", "integer, real or pattern"));
    reader->real = qdri_word_in(reader->word, "real");
    reader->valueless = qdri_word_in(reader->word, "pattern");
    if (reader->valueless && pattern_items == 0)
        return refuse(
            reader, QDR_ERR_VALUELESS,
            "found a file without values (pattern); expected integer or real, or a size for its entries");
    QDRI_TRY(expect_word(reader, "general symmetric", "general or symmetric"));
    reader->symmetric = qdri_word_in(reader->word, "symmetric");
    return end_line(reader);
}

static qdr_status read_sizes(reader *reader) {
    int64_t columns;
    skip_lines(reader, 1);
    QDRI_TRY(read_number(reader, 0, "the number of rows", 1, QDRI_RANKS_LIMIT, &reader->ranks));
    QDRI_TRY(read_number(reader, 0, "the number of columns", 1, QDRI_RANKS_LIMIT, &columns));
    if (columns != reader->ranks)
        return refuse(reader, QDR_ERR_RANGE,
                      "found %" PRId64 " rows and %" PRId64 " columns; expected as many columns as rows",
                      reader->ranks, columns);
    int64_t most = reader->symmetric ? columns * (columns + 1) / 2 : columns * columns;
    QDRI_TRY(read_number(reader, 0, "the number of entries", 0, most, &reader->entries));
    return end_line(reader);
}

static qdr_status read_entry(reader *reader, int64_t pattern_items, qdri_pattern_builder *list) {
    int64_t row, column, items = pattern_items;
    QDRI_TRY(read_number(reader, 0, "a row", 1, reader->ranks, &row));
    QDRI_TRY(read_number(reader, 0, "a column", 1, reader->ranks, &column));
    if (!reader->valueless)
        QDRI_TRY(read_number(reader, reader->real, "a value", 0, QDRI_ITEMS_LIMIT, &items));
    if (reader->symmetric && column > row)
        return refuse(reader, QDR_ERR_RANGE,
                      "found row %" PRId64 ", column %" PRId64
                      " above the diagonal of a symmetric file; expected a column not above its row",
                      row, column);
    for (int copies = 1 + (reader->symmetric && row != column); copies > 0; copies--) {
        if (items > QDRI_ITEMS_LIMIT - reader->total)
            return refuse(reader, QDR_ERR_RANGE,
                          "found the value %" PRId64 " that takes the total past 2^62; expected less", items);
        reader->total += items;
    }
    qdri_pattern_add(list, (int)row - 1, (int)column - 1, items);
    return end_line(reader);
}

/* Remembers on which line an entry stands, if that does not follow from the one before. */
static int note_line(reader *reader, int64_t entry) {
    void *jumps = reader->jumps;
    const jump *last = reader->jump_count ? &reader->jumps[reader->jump_count - 1] : NULL;
    if (last && last->line + (entry - last->entry) == reader->line) return 1;
    int grown = qdri_grow(&jumps, &reader->jump_capacity, reader->jump_count + 1, sizeof(jump));
    reader->jumps = jumps;
    if (grown) reader->jumps[reader->jump_count++] = (jump){entry, reader->line};
    return grown;
}

static qdr_status read_entries(reader *reader, int64_t pattern_items, qdri_pattern_builder *list) {
    for (int64_t entry = 0; entry < reader->entries; entry++) {
        skip_lines(reader, 0);
        if (peek(reader) == END)
            return refuse(reader, QDR_ERR_SYNTAX,
                          "found the end of the file after %" PRId64 " entries; expected %" PRId64, entry,
                          reader->entries);
        if (!note_line(reader, entry)) return qdri_fail_memory();
        QDRI_TRY(read_entry(reader, pattern_items, list));
    }
    skip_lines(reader, 0);
    read_word(reader);
    if (reader->length > 0 || peek(reader) != END || ferror(reader->stream))
        return refuse_word(reader, "the end of the file, since all entries have been read");
    return QDR_OK;
}

/* ---- the whole file ------------------------------------------------------------------------------------ */

static void mirror(const reader *reader, qdri_pattern_builder *list) {
    for (int64_t entry = 0; reader->symmetric && !list->failed && entry < reader->entries; entry++) {
        qdr_message message = list->messages[entry];
        if (message.origin != message.destination)
            qdri_pattern_add(list, message.destination, message.origin, message.items);
    }
}

static int same_entry(const reader *reader, qdr_message a, qdr_message b) {
    return a.items > 0 && ((a.origin == b.origin && a.destination == b.destination) ||
                           (reader->symmetric && a.origin == b.destination && a.destination == b.origin));
}

/* Where the pair comes for the second time. */
static qdr_status refuse_duplicate(reader *reader, const qdri_pattern_builder *list, qdr_message pair) {
    int64_t entry = 0, place = reader->jump_count - 1;
    for (int found = 0; entry < reader->entries; entry++)
        if (same_entry(reader, list->messages[entry], pair) && ++found == 2) break;
    while (place > 0 && reader->jumps[place].entry > entry) place--;
    reader->line = reader->jumps[place].line + (entry - reader->jumps[place].entry);
    return refuse(reader, QDR_ERR_INVALID,
                  "found row %d, column %d for the second time; expected each entry once",
                  list->messages[entry].origin + 1, list->messages[entry].destination + 1);
}

static qdr_status read_file(reader *reader, int64_t pattern_items, qdr_pattern **pattern) {
    qdri_pattern_builder list;
    qdr_message duplicate;
    QDRI_TRY(read_banner(reader, pattern_items));
    QDRI_TRY(read_sizes(reader));
    qdri_pattern_begin(&list, (int)reader->ranks, 0);
    qdr_status status = read_entries(reader, pattern_items, &list);
    if (status == QDR_OK) mirror(reader, &list);
    if (status == QDR_OK && list.failed) status = qdri_fail_memory();
    if (status == QDR_OK) {
        status = qdri_pattern_build(list.ranks, list.count, list.messages, &duplicate, pattern);
        if (status != QDR_OK && duplicate.origin >= 0) status = refuse_duplicate(reader, &list, duplicate);
    }
    qdri_pattern_abandon(&list);
    return status;
}

qdr_status qdr_pattern_read(FILE *stream, const char *name, int64_t pattern_items, qdr_pattern **pattern) {
    reader reader;
    if (!stream || !pattern)
        return qdri_fail(QDR_ERR_INVALID, "the %s is NULL; expected an open file and a handle",
                         stream ? "handle" : "file");
    if (pattern_items < 0 || pattern_items > QDRI_ITEMS_LIMIT)
        return qdri_fail(QDR_ERR_RANGE,
                         "%" PRId64 " items for the entries of a pattern file; expected 0 to 2^62",
                         pattern_items);
    memset(&reader, 0, offsetof(struct reader, buffer));
    reader.stream = stream;
    reader.name = name ? name : "(unnamed)";
    reader.line = 1;
    reader.next = reader.end = reader.buffer;
    qdr_status status = read_file(&reader, pattern_items, pattern);
    free(reader.jumps);
    return status;
}

/* ---- writing ------------------------------------------------------------------------------------------- */

static void write_entry(qdri_printer *stream, int origin, int destination, int64_t items) {
    qdri_print(stream, "%d %d %" PRId64 "\n", origin + 1, destination + 1, items);
}

qdr_status qdr_pattern_write(const qdr_pattern *pattern, FILE *stream) {
    if (!pattern || !stream)
        return qdri_fail(QDR_ERR_INVALID, "the %s is NULL; expected a pattern and an open file",
                         pattern ? "file" : "pattern");
    qdr_pattern_view view = qdr_pattern_look(pattern);
    int64_t entries = view.messages;
    qdri_printer printer = {stream, 0}, *out = &printer;
    char what[80];
    for (int rank = 0; rank < view.ranks; rank++) entries += view.local[rank] > 0;
    qdri_print(out,
               "%%%%MatrixMarket matrix coordinate integer general\n%% row = origin, column = destination\n");
    qdri_print(out, "%d %d %" PRId64 "\n", view.ranks, view.ranks, entries);
    for (int rank = 0; rank < view.ranks; rank++) {
        int64_t m = view.row_start[rank], end = view.row_start[rank + 1];
        for (; m < end && view.destination[m] < rank; m++)
            write_entry(out, rank, view.destination[m], view.items[m]);
        if (view.local[rank] > 0) write_entry(out, rank, rank, view.local[rank]);
        for (; m < end; m++) write_entry(out, rank, view.destination[m], view.items[m]);
    }
    snprintf(what, sizeof what, "the pattern of %d ranks and %" PRId64 " entries", view.ranks, entries);
    return qdri_print_end(out, what);
}
