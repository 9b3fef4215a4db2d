/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * resolve_ranks FOLDER NAME...: methods of resolving on the lists of FOLDER/RANKS (lists.h), on as many ranks; for
 * scripts/sim. Prints a line for each method, for resolve_findings:
 *
 *     NAME RANKS SECONDS STEPS MESSAGES BYTES MEMORY SUM-OF-MESSAGES
 *
 * All ranks begin at one moment, and the last to end counts; the other figures are the largest of any rank, and
 * the last one is the sum over ranks. What is made once for a communicator is there before. Every answer is
 * checked.
 *
 * Only MPI takes simulated time: what a rank computes costs nothing.
 */
#include <inttypes.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lists.h"
#include "quadrille-mpi.h"
#include "quadrille.h"

typedef struct subject {
    const char *name, *method;
    int symmetric, in_blocks;
} subject;

static const subject subjects[] = {
    {"directory", "directory", 1, 1},
    {"directory-all", "directory", 0, 1},
    {"directory-hash", "directory", 1, 0},
    {"ring", "ring", 0, 1},
    {"torus2", "torus:2", 0, 1},
    {"torus3", "torus:3", 0, 1},
    {"torus4", "torus:4", 0, 1},
    {"alltoall", "alltoall", 0, 1},
    {"hybrid", "hybrid", 0, 1},
};

typedef struct part {
    int64_t rows, owned, needed, boundaries;
    int64_t *own, *need, *owner, *place, *boundary;
    int64_t *words;
    int *found_owner;
    int64_t *found_place;
} part;

static int rank, ranks;

static void give_up(const char *what, const char *why) {
    fprintf(stderr, "resolve_ranks: rank %d: %s: %s\n", rank, what, why);
    MPI_Abort(MPI_COMM_WORLD, 2);
}

/* ---- lists --------------------------------------------------------------------------------------------- */

static void *room(int64_t count, size_t bytes) {
    void *made = calloc((size_t)count + 1, bytes);
    if (!made) give_up("lists", "out of memory");
    return made;
}

static void load(FILE *stream, int64_t at, int64_t *word, int64_t count) {
    if (!stream || fseek(stream, (long)(at * (int64_t)sizeof *word), SEEK_SET) ||
        fread(word, sizeof *word, (size_t)count, stream) != (size_t)count)
        give_up("lists", "a file of `ocean` for this number of ranks is not there, or too short");
}

static part load_part(const char *folder) {
    char path[4096];
    int64_t head[FILE_START], span[2];
    part p = {0};
    snprintf(path, sizeof path, "%s/%d", folder, ranks);
    FILE *stream = fopen(path, "rb");
    load(stream, 0, head, FILE_START);
    if (head[FILE_RANKS] != ranks) give_up(path, "a file for another number of ranks");
    load(stream, FILE_START + rank, span, 2);
    p.words = room(span[1] - span[0], sizeof *p.words);
    load(stream, span[0], p.words, span[1] - span[0]);
    fclose(stream);
    p.rows = head[FILE_ROWS];
    p.owned = p.words[PART_OWNED];
    p.needed = p.words[PART_NEEDED];
    p.boundaries = p.words[PART_BOUNDARIES];
    p.own = p.words + PART_LISTS;
    p.need = p.own + p.owned;
    p.owner = p.need + p.needed;
    p.place = p.owner + p.needed;
    p.boundary = p.place + p.needed;
    p.found_owner = room(p.needed, sizeof *p.found_owner);
    p.found_place = room(p.needed, sizeof *p.found_place);
    return p;
}

/* ---- a method ------------------------------------------------------------------------------------------ */

/* One moment for all, a little ahead. */
static double begin_together(void) {
    double mine = MPI_Wtime(), last;
    MPI_Allreduce(&mine, &last, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    double start = last + 1, wait = start - MPI_Wtime();
    struct timespec time = {(time_t)wait, (long)(1e9 * (wait - floor(wait)))};
    nanosleep(&time, NULL);
    return start;
}

static void check(const subject *subject, const part *p) {
    for (int64_t i = 0; i < p->needed; i++)
        if (p->found_owner[i] != p->owner[i] || p->found_place[i] != p->place[i])
            give_up(subject->name, "a wrong answer");
}

/* Seconds from when all begin until this rank has ended. */
static double resolve(const subject *subject, const part *p, qdr_resolve_report *report) {
    qdr_resolve_options options = QDR_RESOLVE_OPTIONS;
    options.method = subject->method;
    options.symmetric = subject->symmetric;
    options.limit = subject->in_blocks ? p->rows : 0;
    options.boundaries = p->boundaries;
    options.boundary = p->boundary;
    double start = begin_together();
    if (qdr_resolve(MPI_COMM_WORLD, p->owned, p->own, p->needed, p->need, &options, p->found_owner,
                    p->found_place, report))
        give_up(subject->name, qdr_error_message());
    return MPI_Wtime() - start;
}

static void measure(const subject *subject, const part *p) {
    qdr_resolve_report report;
    double took = resolve(subject, p, &report), longest;
    check(subject, p);
    int64_t mine[] = {report.steps, report.lists, report.sent, report.memory}, most[4], messages;
    MPI_Reduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(mine, most, 4, MPI_INT64_T, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(&report.lists, &messages, 1, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank) return;
    printf("%s %d %.9f %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 "\n", subject->name, ranks,
           longest, most[0], most[1], most[2], most[3], messages);
    fflush(stdout);
}

static const subject *find(const char *name) {
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++)
        if (!strcmp(name, subjects[i].name)) return &subjects[i];
    give_up(name, "there is no such method");
    return NULL;
}

int main(int count, char **words) {
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (count < 3) give_up("arguments", "expected FOLDER NAME...");
    part p = load_part(words[1]), nothing = {.rows = p.rows};
    qdr_resolve_report report;
    resolve(&subjects[0], &nothing, &report);
    for (int i = 2; i < count; i++) measure(find(words[i]), &p);
    free(p.words), free(p.found_owner), free(p.found_place);
    MPI_Finalize();
    return 0;
}
