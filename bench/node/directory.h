/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the methods of bench/directory share: who owns which ids, who looks for which, and how a method looks.
 */
#ifndef BENCH_DIRECTORY_H
#define BENCH_DIRECTORY_H

#include <mpi.h>
#include <stdint.h>

#include "measure.h"

/* Of `items` in all each rank owns the same number; item k is element k % owned of rank k / owned. */
typedef struct scene {
    MPI_Comm comm;
    int rank, ranks;
    int dense; /* ids are 0 .. items-1, and entries lie in blocks by rising rank; else any 64 bits, by hash */
    int payload_words; /* of 8 bytes */
    int items, owned, needed;
    int64_t *own_id, *need_id;
    uint64_t *own_payload;

    /* What a method finds: [needed]. */
    int *owner;
    int64_t *local;
    uint64_t *payload;
    double entry_bytes; /* that an entry takes on this rank, without its payload; 0: not told */
} scene;

/* One way to do it. In one life a directory is built, asked once, and ended. */
typedef struct method {
    const char *name;
    subject_kind kind;
    void *(*open)(scene *s);    /* nothing of the directory itself; NULL: not to be had here, on all ranks */
    void (*build)(void *state); /* creates it and inserts what this rank owns */
    void (*find)(void *state);
    void (*end)(void *state); /* not timed: says what was found, if that stands elsewhere, and destroys */
    void (*close)(void *state);
} method;

/* Tables end with an empty entry. */
extern const method plain_methods[], zoltan_methods[], ours_methods[];

#endif
