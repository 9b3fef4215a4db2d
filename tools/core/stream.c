/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Streams into memory. Those of the C library forget: when a line does not fit any more and memory has run
 * out, that call alone says so, while ferror() and fclose() say that all is well, and what was written is
 * cut. Here the failure is kept. It does not end the command at once, since this is called from inside the C
 * library.
 */
#include "stream.h"

#include <stdlib.h>
#include <string.h>

#include "complain.h"

enum { FIRST = 4096 };

static int reserve(memory_stream *memory, size_t more) {
    size_t wanted = memory->capacity;
    if (more < wanted - memory->length) return 1;
    if (more > ((size_t)-1 >> 2) - memory->length) return 0;
    while (wanted - memory->length <= more) wanted *= 2;
    char *bytes = realloc(memory->bytes, wanted);
    if (!bytes) return 0;
    memory->bytes = bytes;
    memory->capacity = wanted;
    return 1;
}

static ssize_t keep(void *cookie, const char *bytes, size_t length) {
    memory_stream *memory = cookie;
    if (memory->failed || !reserve(memory, length)) {
        memory->failed = 1;
        return 0;
    }
    memcpy(memory->bytes + memory->length, bytes, length);
    memory->length += length;
    memory->bytes[memory->length] = 0;
    return (ssize_t)length;
}

FILE *memory_open(memory_stream *memory) {
    *memory = (memory_stream){.bytes = ALLOCATE(char, FIRST), .capacity = FIRST};
    memory->stream = fopencookie(memory, "w", (cookie_io_functions_t){.write = keep});
    if (!memory->stream) exit(complain("out of memory"));
    return memory->stream;
}

int memory_close(memory_stream *memory) {
    int failed = ferror(memory->stream), closed = fclose(memory->stream) == 0;
    memory->stream = NULL;
    return closed && !failed && !memory->failed;
}
