/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * See measure.h. All ranks draw the same order from the same seed. How many runs make a sample is chosen
 * once, from the fastest subject, and is the same for all: so what the meeting costs is shared by as many.
 */
#include "measure.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { TRIALS = 5, MOST_INNER = 2000 };

double seconds_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void give_up(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("bench: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    MPI_Abort(MPI_COMM_WORLD, 2);
    exit(2);
}

void *room(size_t count, size_t bytes) {
    void *memory = calloc(count + 1, bytes);
    if (!memory) give_up("no memory for %zu times %zu bytes", count, bytes);
    return memory;
}

uint64_t random_next(uint64_t *state) {
    uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

int random_below(uint64_t *state, int limit) {
    return (int)(((random_next(state) >> 32) * (uint64_t)limit) >> 32);
}

void random_shuffle(uint64_t *state, int *value, int count) {
    for (int i = count - 1; i > 0; i--) {
        int j = random_below(state, i + 1), kept = value[i];
        value[i] = value[j];
        value[j] = kept;
    }
}

/* What a sample of the fastest subject should take, in seconds. Where ranks outnumber cores, those that come
 * late from the meeting hold up the others, for about a hundred microseconds: that must be a small part. */
static double sample_length(MPI_Comm comm) {
    int ranks;
    MPI_Comm_size(comm, &ranks);
    return ranks > sysconf(_SC_NPROCESSORS_ONLN) ? 3e-3 : 0.3e-3;
}

static double run_timed(const measuring *how, subject *s, int warm, int inner) {
    if (s->before) s->before(s->state);
    for (int i = 0; i < warm; i++) s->run(s->state);
    MPI_Barrier(how->comm);
    double begin = seconds_now();
    for (int i = 0; i < inner; i++) s->run(s->state);
    double end = seconds_now();
    if (s->after) s->after(s->state);
    return (end - begin) / inner;
}

/* One run of the fastest subject, as all ranks see it. */
static double fastest_run(const measuring *how, subject *subjects, int count) {
    double best = 1e9;
    for (int i = 0; i < count; i++)
        for (int trial = 0; trial < TRIALS; trial++) {
            double seconds = run_timed(how, &subjects[i], 2, 4);
            MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, how->comm);
            if (seconds < best) best = seconds;
        }
    return best;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void measure(const measuring *how, subject *subjects, int count) {
    int hooks = 0, inner = 1, warm = 0, *order = room((size_t)count, sizeof *order);
    double *seconds = room((size_t)count * (size_t)how->samples, sizeof *seconds);
    uint64_t seed = 5;
    for (int i = 0; i < count; i++) {
        order[i] = i;
        hooks |= subjects[i].before || subjects[i].after;
    }
    if (!hooks) {
        double wanted = sample_length(how->comm) / fastest_run(how, subjects, count);
        inner = wanted < 1 ? 1 : wanted > MOST_INNER ? MOST_INNER : (int)wanted;
        /* Two, for there are methods that take two memories in turn; one where a run is long in any case. */
        warm = inner > 1 ? 2 : 1;
    }
    for (int sample = 0; sample < how->samples; sample++) {
        random_shuffle(&seed, order, count);
        for (int i = 0; i < count; i++)
            seconds[order[i] * how->samples + sample] = run_timed(how, &subjects[order[i]], warm, inner);
    }
    MPI_Allreduce(MPI_IN_PLACE, seconds, count * how->samples, MPI_DOUBLE, MPI_MAX, how->comm);
    for (int i = 0; i < count; i++) {
        double *own = seconds + i * how->samples;
        qsort(own, (size_t)how->samples, sizeof *own, by_size);
        subjects[i].low = own[how->samples / 4];
        subjects[i].median = own[how->samples / 2];
        subjects[i].high = own[how->samples * 3 / 4];
    }
    free(order);
    free(seconds);
}

double spread(const subject *s) {
    return s->median > 0 ? (s->high - s->low) / s->median : 0;
}

const char *kind_name(subject_kind kind) {
    static const char *const name[] = {"opponent", "ours", "limit"};
    return name[kind];
}
