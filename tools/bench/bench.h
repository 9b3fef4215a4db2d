/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the parts of `quadrille bench` share. Every rank runs the same code on the same arguments; what only
 * one rank can know (a file, a time) is broadcast or reduced before anything is decided by it.
 */
#ifndef BENCH_H
#define BENCH_H

#include <mpi.h>

#include "quadrille.h"
#include "quadrille/discover.h"
#include "quadrille/plan.h"
#include "core/json.h"
#include "core/trace.h"

/* ---- what an exchange moves on this rank --------------------------------------------------------------- */

/* One side of it, by rising rank, this rank included. Items and offsets as the library takes them. */
typedef struct bench_side {
    int count;
    int *partner;
    int64_t *items, *offset;
    int64_t total;
} bench_side;

typedef struct bench_load {
    bench_side out, in;
    unsigned char *outgoing, *incoming;
    int64_t out_room, in_room; /* bytes */
    struct bench_load *next;   /* of the same sizes, for the exchange beside this one; NULL: none */
    int number;                /* among them, from 0 */
} bench_load;

/* ---- methods ------------------------------------------------------------------------------------------- */

typedef struct bench bench;
typedef struct bench_method bench_method;

/* Events of this rank in one exchange. Those beyond the capacity are counted only. */
typedef struct bench_recorder {
    qdr_event *event;
    int64_t count, capacity;
} bench_recorder;

/* One way to move a load. */
typedef struct bench_kind {
    const char *name, *summary;
    const char *call; /* of MPI, which does all of it; NULL: the order of messages is our own */
    char *(*create)(const bench *bench, bench_method *method); /* collective; NULL, or why it cannot be had */
    void (*run)(const bench *bench, bench_method *method);
    void (*look)(const bench *bench,
                 bench_method *method); /* fills `info`, when all has run; NULL: there is none */
    void (*destroy)(bench_method *method);
} bench_kind;

struct bench_method {
    const bench_kind *kind;
    char *name;      /* in the output */
    char *algorithm; /* of a plan; NULL: by the default rule */
    int asked;       /* for, by name: it must work */
    bench_load *load;
    bench_recorder *recorder; /* NULL: nothing is recorded */
    void *state;
    qdr_plan_info info; /* of a plan */
    int chosen;         /* runs what the default rule chose */
    char *refusal;
    double *ran;     /* [samples], each the slowest rank's, in the order in which they ran */
    double *seconds; /* the same, sorted */
    int64_t samples;
    double first; /* the very first exchange, which need not be among the samples */
    double spent;
};

struct bench {
    /* what was asked for */
    const char *text;
    int64_t repeat, fewest, warmup, seed, item_bytes, burst, per_host;
    double pause, limit, late, rate; /* seconds; bytes per second; 0: none */
    int64_t together;                /* exchanges of a plan under way at once */
    int changing, explain;
    qdr_plan_options options;
    const char *trace; /* a path */
    /* what came of it */
    int rank, ranks;
    char *filled; /* the text with its number of ranks, on rank 0 */
    qdr_pattern *pattern;
    qdr_pattern_statistics statistics;
    qdr_machine *machine;
    qdr_partners *partners;
    double bound;     /* seconds, of what sends directly; NAN: none */
    double any_bound; /* of what passes on */
    bench_load fixed, changed;
    int methods;
    bench_method *method;
    int64_t round; /* exchanges so far: makes the contents of each its own */
    char *wrong;   /* the first wrong contents, as a sentence; the same on all ranks */
};

/* ---- bench_load.c -------------------------------------------------------------------------------------- */

/* Makes the load of the pattern, and those beside it. */
void bench_load_open(const bench *bench, bench_load *load);

/* Other sizes between the same ranks, by the number of the repetition. */
void bench_load_change(const bench *bench, int64_t repetition, bench_load *load);
void bench_load_close(bench_load *load);

/* Contents that depend on both ranks and on the round; the incoming side is wiped. */
void bench_load_fill(const bench *bench, bench_load *load);

/* NULL when everything came, else a sentence about the first wrong byte, to be freed. */
char *bench_load_check(const bench *bench, const bench_load *load);

/* Bytes that depend on a key; the check gives the place of the first that differs, -1 when none does. */
void contents_fill(unsigned char *data, int64_t bytes, uint64_t key);
int64_t contents_check(const unsigned char *data, int64_t bytes, uint64_t key);

/* ---- bench_methods.c, bench_opponents.c ---------------------------------------------------------------- */

extern const bench_kind bench_plan;
extern const bench_kind *const bench_opponents[]; /* ends with NULL */

/* An unknown opponent is answered with the list of them. Complains and returns an exit code. */
int bench_find_opponent(const char *name, const bench_kind **kind);

/* What a method runs, for people; to be freed. */
char *bench_what(const bench_method *method);

/* Keeps an event of the method, if somebody records. */
void bench_record(bench_method *method, int kind, int partner, int64_t offset, int64_t bytes);

/* A failure that the other ranks do not know of ends all of them. */
_Noreturn void bench_fail(const bench *bench, const bench_method *method, const char *sentence);

/* ---- bench_mpi.c --------------------------------------------------------------------------------------- */

/* "Open MPI 4.1.4"; what it was told, as NAME=VALUE, in a list; both as one text; and what it was
 * told about collective calls, NULL when it chooses their algorithms itself. Texts are to be freed. */
char *bench_mpi_library(void);
json_t *bench_mpi_settings(void);
char *bench_mpi_told(void);
char *bench_mpi_choice(void);

/* ---- bench_measure.c ----------------------------------------------------------------------------------- */

/* Collective. Runs all methods, again and again. */
void bench_measure(bench *bench);

/* Collective. One exchange: its time, the slowest rank's, and whether its contents came. */
double bench_run(bench *bench, bench_method *method);

double bench_median(const bench_method *method);

/* Whether its messages go by third ranks: they have a bound of their own. */
int bench_is_passed_on(const bench_method *method);

/* ---- bench_trace.c ------------------------------------------------------------------------------------- */

/* Collective. Runs each method once more and writes what happened, on rank 0. */
void bench_write_trace(bench *bench);

/* ---- bench_write.c ------------------------------------------------------------------------------------- */

int bench_write_text(const bench *bench, FILE *out);
int bench_write_json(const bench *bench, FILE *out);

#endif
