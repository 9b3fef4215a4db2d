/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What another process sent, held against what it may be.
 *
 * A word that came by a message is a number that somebody else chose: before it becomes an index, a size, an
 * enumerator or a text, it passes through here. Whoever reads a message says for each of its words the name, the
 * least and the most, mostly in a table, and a word outside is refused with a sentence: "rank 3 of ocean sent 17 as
 * number of fields; expected 0 to 8". What has no fixed length is read by a cursor, which never goes beyond its end;
 * a count is held against the bytes that are left before anything is allocated for it.
 *
 * Every refusal has the status QDR_ERR_MISMATCH. Cost: two comparisons for each word, and nothing is allocated.
 */
#ifndef QDRI_DECODE_H
#define QDRI_DECODE_H

#include <stddef.h>
#include <stdint.h>

#include "quadrille/base.h"

/* For sentences: rank `rank` of `program`, of which either may be unknown. */
typedef struct qdri_teller {
    const char *program; /* NULL: this one, or one of several */
    int rank;            /* less than 0: which it was is not known */
} qdri_teller;

#define QDRI_SOMEBODY ((qdri_teller){NULL, -1})

/* ---- words --------------------------------------------------------------------------------------------- */

/* One word of a message. */
typedef struct qdri_expected {
    const char *name;
    size_t at; /* where it begins, in bytes */
    int64_t least, most;
} qdri_expected;

/* The one that is a member of a structure, of type int64_t. */
#define QDRI_MEMBER(type, member, name, least, most)                                                         \
    { (name), offsetof(type, member), (least), (most) }
/* The i-th of an array. */
#define QDRI_PLACE(i, name, least, most)                                                                     \
    { (name), (size_t)(i) * sizeof(int64_t), (least), (most) }

qdr_status qdri_refuse_word(qdri_teller sender, const char *name, int64_t word, int64_t least, int64_t most);
static inline qdr_status qdri_decode_word(qdri_teller sender, const char *name, int64_t word, int64_t least,
                                          int64_t most) {
    return word >= least && word <= most ? QDR_OK : qdri_refuse_word(sender, name, word, least, most);
}
/* All words of a table; the first that is outside is refused. */
qdr_status qdri_decode(qdri_teller sender, const qdri_expected *table, int words, const void *message);
/* The number of bytes that came, where it is known. */
qdr_status qdri_decode_length(qdri_teller sender, const char *what, int64_t came, int64_t expected);
/* The status of a failure: QDR_OK is none. */
qdr_status qdri_decode_failure(qdri_teller sender, int64_t status);

/* Ends a text, whatever is in it, and takes away what would spoil a line. */
void qdri_decode_text(char *text, size_t size);

/* ---- words that must be alike -------------------------------------------------------------------------- */

/* A word goes into a maximum together with its complement: the highest and the lowest in one, whatever is in it. */
static inline void qdri_alike_put(int64_t pair[2], int64_t value) {
    pair[0] = value;
    pair[1] = ~value;
}

static inline int64_t qdri_alike_lowest(const int64_t pair[2]) {
    return ~pair[1];
}

static inline int qdri_alike_differ(const int64_t pair[2]) {
    return pair[0] != ~pair[1];
}

/* ---- messages of no fixed length ----------------------------------------------------------------------- */

typedef struct qdri_cursor {
    qdri_teller sender;
    const char *what; /* for sentences: "a message about owners" */
    const char *at;
    int64_t left;
} qdri_cursor;

/* So many bytes of fixed form, copied; `name` says what they are. */
qdr_status qdri_cursor_copy(qdri_cursor *cursor, const char *name, void *to, size_t bytes);
/* `count` things of `each` bytes, which stay where they are. */
qdr_status qdri_cursor_take(qdri_cursor *cursor, const char *name, int64_t count, int64_t each,
                            const char **begin);
/* A number that takes as few bytes as it needs (number.h). */
qdr_status qdri_cursor_number(qdri_cursor *cursor, const char *name, int64_t least, int64_t most,
                              int64_t *number);
/* Nothing may be left. */
qdr_status qdri_cursor_end(const qdri_cursor *cursor);

#endif
