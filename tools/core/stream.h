/* SPDX-License-Identifier: BSD-3-Clause */
/* Streams into memory that know when it ran out. */
#ifndef STREAM_H
#define STREAM_H

#include <stdio.h>

typedef struct memory_stream {
    FILE *stream; /* to be written to */
    char *bytes;  /* what has been written, once it is closed; a 0 follows */
    size_t length, capacity;
    int failed;
} memory_stream;

/* Leaves with a sentence when there is no memory for an empty one. It must stay where it is until closed. */
FILE *memory_open(memory_stream *memory);

/* Whether everything that was written is there. The caller frees the bytes in either case. */
int memory_close(memory_stream *memory);

#endif
