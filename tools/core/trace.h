/* SPDX-License-Identifier: BSD-3-Clause */
/* Traces: what happened in one exchange of each of several methods, on one clock. Written by `bench`, drawn
 * by `draw`; the file is described in docs/formats.md. */
#ifndef TRACE_H
#define TRACE_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

/* The kinds of events, as the library numbers them. */
enum { TRACE_START, TRACE_GRANT, TRACE_SEND, TRACE_ARRIVAL, TRACE_END, TRACE_WINDOW, TRACE_KINDS };

/* The limit keeps pictures drawable. */
enum { TRACE_RANKS = 4096 };

typedef struct trace_event {
    int rank, kind;
    double seconds; /* since the first rank began */
    int partner;    /* -1: none */
    int64_t phase, offset, bytes;
} trace_event;

typedef struct trace_method {
    char *name, *what; /* what: it runs, for people; NULL: not told */
    double seconds;    /* the slowest rank */
    int64_t events;
    trace_event *event;
} trace_method;

typedef struct trace {
    char *pattern, *mpi; /* mpi: which one, and what it was told; NULL: not told */
    int ranks;
    double bound; /* seconds; NAN: none */
    int methods;
    trace_method *method;
} trace;

/* Adds a method without events; the texts are copied. */
trace_method *trace_add(trace *trace, const char *name, const char *what, double seconds);

/* Whether all of a method is one call of MPI, from inside of which nothing is known. Its name says so: what is done by
 * hand has sends in its trace. */
int trace_is_call(const trace_method *method);

void trace_write(const trace *trace, FILE *out);

/* Reads and checks a file; "-" is standard input. Complains and returns an exit code. */
int trace_read(const char *path, trace *trace);

/* The same for a document that is already loaded; `name` stands for the file in messages. */
int trace_from_json(const json_t *root, const char *name, trace *trace);

/* Frees what is in it. */
void trace_clear(trace *trace);

#endif
