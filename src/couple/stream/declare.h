/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a program declares when it opens a stream, and what the other one hears of it: declare.c checks the first and
 * compares the two.
 */
#ifndef QDRI_COUPLE_DECLARE_H
#define QDRI_COUPLE_DECLARE_H

#include "couple/stream/stream.h"

/* One field, as it travels: all numbers 64 bits, so that any two compilers agree. */
typedef struct qdri_field_head {
    char name[QDRI_NAME];
    int64_t type, width, elements;
    int64_t compact, boxes; /* 0 or 1 */
} qdri_field_head;

/* One program's side of a stream. */
typedef struct qdri_head {
    char name[QDRI_NAME];
    int64_t exports, imports; /* fields of each kind; one of them 0, except with itself */
    int64_t computes, back, descriptors;
    int64_t queue, fails_when_full, converts, checked;
    qdri_field_head field[]; /* exports, then imports; each sorted by name */
} qdri_head;

int64_t qdri_head_bytes(int64_t fields);
/* Whether what came is one; ends its texts. */
qdr_status qdri_head_decode(qdri_teller sender, qdri_head *head, int64_t bytes);

/* Exports and imports as the caller has them, each of so many bytes. */
typedef struct qdri_declared_fields {
    size_t bytes;
    int count[2];
    const qdr_coupled *field[2];
} qdri_declared_fields;

/* Local. Whether the arguments make sense; fills the stream (fields sorted by name, layouts and regions retained) and
 * makes this program's head, to be freed with free(). */
qdr_status qdri_declare(qdr_stream *stream, const char *name, const qdri_declared_fields *fields,
                        qdri_head **head);

/* Words that must be the same on all ranks of a program. */
enum { QDRI_DECLARED = 5 };
extern const char *const qdri_declared_what[QDRI_DECLARED];
void qdri_declared_digests(const qdr_stream *stream, const qdri_head *head, int64_t word[QDRI_DECLARED]);

/* Whether two heads are of one stream; `mine` is head[side]. Takes what the other declared into the stream. Every rank of
 * both programs comes to the same conclusion. */
qdr_status qdri_compare(qdr_stream *stream, const qdri_head *const head[2], qdri_choice *asked);

#endif
