/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measuring. In every repetition each method runs once, in an order that is drawn afresh: whoever follows a
 * certain other one would find its caches and its network buffers in the same state every time. All ranks
 * draw the same order. The time of an exchange is that of the slowest rank, also where one rank is made to come
 * late; buffers are filled, wiped and checked outside it, at every exchange.
 *
 * Ranks begin together, after a barrier, and rest after it, not before: the last words of a barrier would meet the
 * first bytes of those who have left it, and whoever waits for his behind a full switch would begin late, when
 * part of what he is to receive is there already.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"
#include "core/complain.h"
#include "core/progress.h"
#include "core/random.h"

/* The sentence of the lowest rank that has one, on all ranks. */
static void share_sentence(bench *bench, const bench_method *method, char *sentence) {
    int mine = sentence ? bench->rank : bench->ranks, first;
    char line[512] = "";
    MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (first == bench->rank)
        snprintf(line, sizeof line, "%s, exchange %" PRId64 ": %s", method->name, bench->round, sentence);
    MPI_Bcast(line, sizeof line, MPI_CHAR, first, MPI_COMM_WORLD);
    if (!bench->wrong) bench->wrong = copy_text(line);
}

static void rest(double seconds) {
    struct timespec pause = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    if (seconds > 0) nanosleep(&pause, NULL);
}

/* All ranks know who comes late, though only that one has to. */
static int comes_late(const bench *bench) {
    random_stream random = random_seed((uint64_t)bench->seed ^ (uint64_t)bench->round << 20);
    return (int)(random_word(&random) % (uint64_t)bench->ranks) == bench->rank;
}

double bench_run(bench *bench, bench_method *method) {
    bench->round++;
    bench_load_fill(bench, method->load);
    MPI_Barrier(MPI_COMM_WORLD);
    rest(bench->pause);
    double start = clock_seconds();
    if (comes_late(bench)) rest(bench->late);
    bench_record(method, TRACE_START, -1, 0, 0);
    method->kind->run(bench, method);
    bench_record(method, TRACE_END, -1, 0, 0);
    double seconds = clock_seconds() - start;
    char *sentence = bench_load_check(bench, method->load);
    double mine[2] = {seconds, sentence != NULL}, most[2];
    MPI_Allreduce(mine, most, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (most[1] > 0) share_sentence(bench, method, sentence);
    free(sentence);
    return most[0];
}

static void draw_order(random_stream *random, int count, int *order) {
    for (int i = 0; i < count; i++) {
        int j = (int)(random_word(random) % (uint64_t)(i + 1));
        order[i] = order[j];
        order[j] = i;
    }
}

/* All ranks have the same times, so all come to the same end. */
static int has_enough(const bench *bench, const bench_method *method) {
    return method->refusal ||
           (bench->limit > 0 && method->spent >= bench->limit && method->samples >= bench->fewest);
}

static void repeat(bench *bench, int64_t repetition, const int *order) {
    for (int i = 0; i < bench->methods; i++) {
        bench_method *method = &bench->method[order[i]];
        if (has_enough(bench, method)) continue;
        if (method->load == &bench->changed) bench_load_change(bench, repetition, method->load);
        double seconds = bench_run(bench, method);
        if (method->first == 0) method->first = seconds;
        if (repetition < 0) continue;
        method->ran[method->samples++] = seconds;
        method->spent += seconds;
    }
}

static int by_value(const void *first, const void *second) {
    double a = *(const double *)first, b = *(const double *)second;
    return (a > b) - (a < b);
}

static void sort_samples(bench_method *method) {
    method->seconds = ALLOCATE(double, method->samples);
    if (!method->samples) return;
    memcpy(method->seconds, method->ran, (size_t)method->samples * sizeof(double));
    qsort(method->seconds, (size_t)method->samples, sizeof(double), by_value);
}

void bench_measure(bench *bench) {
    random_stream random = random_seed((uint64_t)bench->seed);
    int *order = ALLOCATE(int, bench->methods);
    for (int i = 0; i < bench->methods; i++) bench->method[i].ran = ALLOCATE(double, bench->repeat);
    for (int64_t repetition = -bench->warmup; repetition < bench->repeat; repetition++) {
        progress_say("repetition %" PRId64 " of %" PRId64, repetition < 0 ? 0 : repetition + 1,
                     bench->repeat);
        draw_order(&random, bench->methods, order);
        repeat(bench, repetition, order);
    }
    for (int i = 0; i < bench->methods; i++) sort_samples(&bench->method[i]);
    free(order);
}

double bench_median(const bench_method *method) {
    int64_t middle = method->samples / 2;
    return method->samples % 2 ? method->seconds[middle]
                               : (method->seconds[middle - 1] + method->seconds[middle]) / 2;
}
