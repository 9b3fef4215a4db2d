/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Side by side: several subjects are timed in turn, in a fresh random order for each sample, for whoever
 * follows another finds that one's memory in the caches. A sample is `inner` runs in a row, after one or two
 * that warm up; all ranks meet before it. Its time is that of the slowest rank, the figure the median over
 * the samples.
 */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

typedef enum subject_kind { OPPONENT, OURS, LIMIT } subject_kind;

typedef struct subject {
    const char *name;
    subject_kind kind;
    void (*run)(void *state);
    void (*before)(void *state), (*after)(void *state); /* not timed; with one of them a sample is one run */
    void *state;
    double median, low, high; /* seconds of one run: the median and the quartiles; on all ranks */
} subject;

typedef struct measuring {
    MPI_Comm comm;
    int samples;
} measuring;

/* Collective. */
void measure(const measuring *how, subject *subjects, int count);

/* The quartiles' distance, as a part of the median. */
double spread(const subject *s);

const char *kind_name(subject_kind kind);

double seconds_now(void);
void *room(size_t count, size_t bytes); /* zeroed; gives up when there is none */
void give_up(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/* Numbers that are the same on all ranks: splitmix64. */
uint64_t random_next(uint64_t *state);
int random_below(uint64_t *state, int limit);
void random_shuffle(uint64_t *state, int *value, int count);

#endif
