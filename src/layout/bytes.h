/* SPDX-License-Identifier: BSD-3-Clause */
/* Whole numbers as bytes, and back, with suspicion. */
#ifndef QDRI_LAYOUT_BYTES_H
#define QDRI_LAYOUT_BYTES_H

#include <stdint.h>

#include "quadrille/base.h"

/* Begins as all zero, or with `digesting` set: then nothing is kept but a digest. A failed allocation is
 * remembered until the bytes are taken. */
typedef struct qdri_writer {
    unsigned char *bytes;
    int64_t size, capacity;
    int failed, digesting;
    uint64_t digest;
} qdri_writer;

void qdri_put(qdri_writer *writer, int64_t number);
void qdri_put_all(qdri_writer *writer, int64_t count, const int64_t *number);
qdr_status qdri_writer_take(qdri_writer *writer, void **bytes, int64_t *size);

typedef struct qdri_reader {
    const unsigned char *bytes;
    int64_t left;
    const char *what; /* for sentences: "a layout" */
} qdri_reader;

/* A number in low..high; else QDR_ERR_SYNTAX. */
qdr_status qdri_get(qdri_reader *reader, const char *name, int64_t low, int64_t high, int64_t *number);
/* A count of things of which each takes a byte or more, so that the bytes pay for their memory. */
qdr_status qdri_get_count(qdri_reader *reader, const char *name, int64_t *count);
/* Allocates and reads `count` numbers of 0 .. 2^62, for which the bytes must pay; freed by the caller. */
qdr_status qdri_get_array(qdri_reader *reader, const char *name, int64_t count, int64_t **number);
/* Nothing may be left. */
qdr_status qdri_reader_end(const qdri_reader *reader);
/* What fails while something is made of numbers that were read, is wrong with the bytes. */
qdr_status qdri_reader_blame(const qdri_reader *reader, qdr_status status);

#endif
