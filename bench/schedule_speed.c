/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How fast are schedules made? Messages per second of one core, and bytes of memory per message at the peak,
 * for regular random patterns of 10^4 to 10^7 messages and degrees 16 to 1024. The methods are interleaved,
 * the median of the repetitions counts. Each measurement runs in a child process, so that the peak of its
 * memory is its own: what is reported is the pattern (24 bytes a message) and all that building needs
 * besides.
 *
 *     schedule_speed [--quick]
 *
 * Beside it the figures of a plain colouring, free colours as bitmaps and alternating paths, that was
 * measured when this library was planned: 2.6, 3.6, 6.1 and 13.4 million messages per second at 10^6 messages
 * and degree 16, 64, 256 and 1024, and 0.9 at 10^7.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "quadrille.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

enum { REPEATS = 5 };

static const char *const algorithms[] = {"coloring", "random", "greedy"};

typedef struct sample {
    double seconds;
    double bytes; /* per message */
    int64_t units;
    int64_t phases;
} sample;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void give_up(const char *what) {
    fprintf(stderr, "schedule_speed: %s: %s\n", what, qdr_error_message());
    exit(2);
}

/* Resident memory of this process at this moment, in bytes. */
static double resident(void) {
    long pages = 0, ignored;
    FILE *stream = fopen("/proc/self/statm", "r");
    if (stream && fscanf(stream, "%ld %ld", &ignored, &pages) != 2) pages = 0;
    if (stream) fclose(stream);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static double peak(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss * 1024;
}

/* All links that the messages use, one after the other: what a link algorithm looks at, at least once. */
static int64_t route_hops(const qdr_pattern *pattern, const qdr_machine *machine) {
    qdr_pattern_view view = qdr_pattern_look(pattern);
    int64_t hops = 0, *route = malloc((size_t)qdr_machine_route_limit(machine) * sizeof *route + 1);
    for (int64_t m = 0; route && m < view.messages; m++)
        hops += qdr_machine_route(machine, view.origin[m], view.destination[m], route);
    free(route);
    return hops;
}

static sample build(const qdr_pattern *pattern, const char *algorithm, const qdr_machine *machine) {
    qdr_schedule *schedule = NULL;
    double before = resident(), begin = now();
    if (qdr_schedule_create(pattern, algorithm, machine, &schedule)) give_up(algorithm);
    sample s = {.seconds = now() - begin};
    qdr_schedule_info info = {0};
    qdr_schedule_look(schedule, &info);
    int64_t messages = qdr_pattern_look(pattern).messages;
    /* The peak counts only if building went above what generating the pattern had needed. */
    double grown = peak() - before;
    s.bytes = 24 + (grown > 0 ? grown : 0) / (double)messages;
    s.units = info.direct ? messages : info.transfers;
    if (info.promises & QDR_PROMISES_LINKS) s.units = route_hops(pattern, machine);
    s.phases = info.phases;
    qdr_schedule_destroy(&schedule);
    return s;
}

/* In a child of its own. Generating the pattern has a peak 16 bytes a message above the pattern, so that 40
 * is the least that shows. */
static sample measure(const char *spec, const char *algorithm, const char *machine_spec) {
    int pipe_ends[2];
    sample s = {0};
    if (pipe(pipe_ends)) exit(2);
    pid_t child = fork();
    if (child == 0) {
        qdr_pattern *pattern;
        qdr_machine *machine = NULL;
        if (qdr_pattern_from_spec(spec, &pattern)) give_up(spec);
        if (machine_spec && qdr_machine_create(machine_spec, qdr_pattern_look(pattern).ranks, &machine))
            give_up(machine_spec);
        s = build(pattern, algorithm, machine);
        if (write(pipe_ends[1], &s, sizeof s) != sizeof s) _exit(2);
        _exit(0);
    }
    close(pipe_ends[1]);
    int status = 1;
    if (child < 0 || read(pipe_ends[0], &s, sizeof s) != sizeof s || waitpid(child, &status, 0) != child ||
        status)
        exit(2);
    close(pipe_ends[0]);
    return s;
}

static int compare_seconds(const void *a, const void *b) {
    double x = ((const sample *)a)->seconds, y = ((const sample *)b)->seconds;
    return (x > y) - (x < y);
}

static void speed_of(int64_t messages, int degree, int repeats) {
    sample samples[COUNT(algorithms)][REPEATS];
    char spec[64];
    int64_t ranks = messages / degree > degree ? messages / degree : degree + 1;
    snprintf(spec, sizeof spec, "random:n=%lld,degree=%d", (long long)ranks, degree);
    for (int i = 0; i < repeats; i++)
        for (int a = 0; a < COUNT(algorithms); a++) samples[a][i] = measure(spec, algorithms[a], NULL);
    printf("%10lld %6d", (long long)(ranks * degree), degree);
    for (int a = 0; a < COUNT(algorithms); a++) {
        qsort(samples[a], (size_t)repeats, sizeof samples[a][0], compare_seconds);
        const sample *median = &samples[a][repeats / 2];
        printf(" | %7.1f %6.0f %7lld", (double)median->units / median->seconds * 1e-6, median->bytes,
               (long long)median->phases);
    }
    putchar('\n');
    fflush(stdout);
}

static void others(void) {
    static const struct {
        const char *pattern, *algorithm, *machine, *unit;
    } cases[] = {
        {"complete:n=512,bytes=1..50K", "two-stage", NULL, "transfers"},
        {"complete:n=1024,bytes=1..50K", "recursive", NULL, "transfers"},
        {"random:n=1024,degree=64,bytes=1..50K", "random-split", NULL, "messages"},
        {"random:n=1024,degree=64", "random-link", "hypercube", "route hops"},
        {"random:n=1024,degree=64", "random-link", "mesh", "route hops"},
        {"random:n=1024,degree=64,bytes=1..50K", "random-link-split", "hypercube", "route hops"},
        {"random:n=512,degree=64,bytes=1..50K", "split", "crossbar", "messages"},
        {"random:n=62500,degree=16,bytes=1..50K", "split", "crossbar", "messages"},
    };
    printf("\nothers, on one core:\n");
    for (int i = 0; i < COUNT(cases); i++) {
        sample s = measure(cases[i].pattern, cases[i].algorithm, cases[i].machine);
        printf("  %-18s %-40s %-10s %8.2f million %s/s, %lld phases\n", cases[i].algorithm, cases[i].pattern,
               cases[i].machine ? cases[i].machine : "", (double)s.units / s.seconds * 1e-6, cases[i].unit,
               (long long)s.phases);
    }
}

int main(int count, char **argument) {
    int quick = count > 1 && !strcmp(argument[1], "--quick");
    printf("millions of messages per second, bytes of memory per message, phases\n");
    printf("%10s %6s", "messages", "degree");
    for (int a = 0; a < COUNT(algorithms); a++) printf(" | %-22s", algorithms[a]);
    putchar('\n');
    for (int degree = 16; degree <= 1024; degree *= 4) speed_of(1000000, degree, quick ? 1 : REPEATS);
    for (int64_t messages = 10000; messages <= (quick ? 1000000 : 10000000); messages *= 10)
        speed_of(messages, 16, quick ? 1 : REPEATS);
    if (!quick) speed_of(10000000, 256, REPEATS);
    others();
    return 0;
}
