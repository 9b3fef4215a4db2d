/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Trace files: one JSON document with one line per event, written and read here, so that both sides of the
 * format stand together. The reader believes nothing: ranks, kinds and numbers are checked, and what does not
 * fit is told with its place in the document.
 */
#include "trace.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "input.h"

static const char *const kind_names[TRACE_KINDS] = {"start", "grant", "send", "arrival", "end", "window"};

trace_method *trace_add(trace *trace, const char *name, const char *what, double seconds) {
    trace->method = reallocate(trace->method, trace->methods + 1, sizeof *trace->method);
    trace_method *method = &trace->method[trace->methods++];
    *method =
        (trace_method){.name = copy_text(name), .what = what ? copy_text(what) : NULL, .seconds = seconds};
    return method;
}

void trace_clear(trace *trace) {
    for (int i = 0; i < trace->methods; i++) {
        free(trace->method[i].name);
        free(trace->method[i].what);
        free(trace->method[i].event);
    }
    free(trace->method);
    free(trace->pattern);
    free(trace->mpi);
    memset(trace, 0, sizeof *trace);
}

int trace_is_call(const trace_method *method) {
    return !strncmp(method->name, "mpi-", 4);
}

/* ---- writing ------------------------------------------------------------------------------------------- */

/* The name of a file may hold any bytes; what is not plain ASCII might be no text, and the file no JSON. */
static void write_string(const char *key, const char *value, FILE *out) {
    fprintf(out, "\"%s\": \"", key);
    for (; *value; value++) {
        if (*value == '"' || *value == '\\') fputc('\\', out);
        fputc(*value >= ' ' && *value <= '~' ? *value : '?', out);
    }
    fputc('"', out);
}

static void write_method(const trace_method *method, FILE *out) {
    fputs("  {", out);
    write_string("method", method->name, out);
    if (method->what) {
        fputs(", ", out);
        write_string("what", method->what, out);
    }
    fprintf(out, ", \"seconds\": %.9f, \"events\": [", method->seconds);
    for (int64_t i = 0; i < method->events; i++) {
        const trace_event *event = &method->event[i];
        fprintf(out, "%s\n   [%d, \"%s\", %.9f, %d, %" PRId64 ", %" PRId64 ", %" PRId64 "]", i ? "," : "",
                event->rank, kind_names[event->kind], event->seconds, event->partner, event->phase,
                event->offset, event->bytes);
    }
    fputs("]}", out);
}

void trace_write(const trace *trace, FILE *out) {
    fputs("{\"quadrille\": \"trace\", \"version\": 1, ", out);
    write_string("pattern", trace->pattern, out);
    if (trace->mpi) {
        fputs(", ", out);
        write_string("mpi", trace->mpi, out);
    }
    fprintf(out, ", \"ranks\": %d, \"bound_seconds\": ", trace->ranks);
    fprintf(out, isfinite(trace->bound) ? "%.9f" : "null", trace->bound);
    fputs(",\n \"methods\": [", out);
    for (int i = 0; i < trace->methods; i++) {
        fputs(i ? ",\n" : "\n", out);
        write_method(&trace->method[i], out);
    }
    fputs("]}\n", out);
}

/* ---- reading ------------------------------------------------------------------------------------------- */

typedef struct reader {
    const char *name; /* of the file */
    int method;       /* where it stands; -1: before the methods */
    int64_t event;    /* -1: before the events */
} reader;

static int refuse(const reader *reader, const char *expected) {
    if (reader->method < 0) return complain("%s: expected %s", reader->name, expected);
    if (reader->event < 0)
        return complain("%s: methods[%d]: expected %s", reader->name, reader->method, expected);
    return complain("%s: methods[%d].events[%" PRId64 "]: expected %s", reader->name, reader->method,
                    reader->event, expected);
}

/* A time that a picture can show. */
static int read_seconds(const json_t *value, double *seconds) {
    const double longest = 1e9;
    if (!json_is_number(value)) return 0;
    *seconds = json_number_value(value);
    return fabs(*seconds) <= longest;
}

static int read_integer(const json_t *value, int64_t lowest, int64_t highest, int64_t *number) {
    if (!json_is_integer(value)) return 0;
    *number = json_integer_value(value);
    return *number >= lowest && *number <= highest;
}

static int find_kind(const json_t *value) {
    for (int i = 0; i < TRACE_KINDS; i++)
        if (json_is_string(value) && !strcmp(json_string_value(value), kind_names[i])) return i;
    return -1;
}

/* Nobody else has to do with it. */
static int is_own(int kind) {
    return kind == TRACE_START || kind == TRACE_END || kind == TRACE_WINDOW;
}

static int read_event(const reader *reader, const json_t *value, int ranks, trace_event *event) {
    int64_t rank, partner;
    if (json_array_size(value) != 7)
        return refuse(reader, "[rank, kind, seconds, partner, phase, offset, bytes]");
    event->kind = find_kind(json_array_get(value, 1));
    if (event->kind < 0) return refuse(reader, "one of start, grant, send, arrival, end, window as its kind");
    if (!read_integer(json_array_get(value, 0), 0, ranks - 1, &rank) ||
        !read_integer(json_array_get(value, 3), is_own(event->kind) ? -1 : 0, ranks - 1, &partner))
        return refuse(reader, "rank and partner to be ranks of the trace");
    if (!read_seconds(json_array_get(value, 2), &event->seconds)) return refuse(reader, "a time in seconds");
    if (!read_integer(json_array_get(value, 4), INT64_MIN, INT64_MAX, &event->phase) ||
        !read_integer(json_array_get(value, 5), 0, INT64_MAX, &event->offset) ||
        !read_integer(json_array_get(value, 6), 0, INT64_MAX, &event->bytes))
        return refuse(reader, "phase, offset and bytes to be whole numbers");
    event->rank = (int)rank;
    event->partner = (int)partner;
    return EXIT_GOOD;
}

static int read_method(reader *reader, const json_t *value, trace *trace) {
    const json_t *name = json_object_get(value, "method"), *events = json_object_get(value, "events");
    const char *what = json_string_value(json_object_get(value, "what")); /* NULL: an older file */
    double seconds;
    if (!json_is_string(name) || !read_seconds(json_object_get(value, "seconds"), &seconds) || seconds < 0 ||
        !json_is_array(events))
        return refuse(reader, "an object with method, seconds and events");
    trace_method *method = trace_add(trace, json_string_value(name), what, seconds);
    method->events = (int64_t)json_array_size(events);
    method->event = ALLOCATE(trace_event, method->events);
    for (reader->event = 0; reader->event < method->events; reader->event++) {
        int code = read_event(reader, json_array_get(events, (size_t)reader->event), trace->ranks,
                              &method->event[reader->event]);
        if (code) return code;
    }
    reader->event = -1;
    return EXIT_GOOD;
}

static int read_document(reader *reader, const json_t *root, trace *trace) {
    const json_t *what = json_object_get(root, "quadrille"), *pattern = json_object_get(root, "pattern");
    const json_t *bound = json_object_get(root, "bound_seconds"), *methods = json_object_get(root, "methods");
    int64_t number;
    if (!json_is_string(what) || strcmp(json_string_value(what), "trace"))
        return refuse(reader, "a trace, as 'quadrille bench --trace' writes it");
    if (!read_integer(json_object_get(root, "version"), 1, 1, &number)) return refuse(reader, "version 1");
    if (!read_integer(json_object_get(root, "ranks"), 1, TRACE_RANKS, &number))
        return refuse(reader, "ranks, a whole number from 1 to 4096");
    trace->ranks = (int)number;
    trace->bound = NAN;
    if (bound && !json_is_null(bound) && (!read_seconds(bound, &trace->bound) || trace->bound < 0))
        return refuse(reader, "bound_seconds to be a time or null");
    if (!json_is_string(pattern)) return refuse(reader, "the text of the pattern");
    trace->pattern = copy_text(json_string_value(pattern));
    const char *mpi = json_string_value(json_object_get(root, "mpi")); /* NULL: an older file */
    trace->mpi = mpi ? copy_text(mpi) : NULL;
    if (!json_is_array(methods)) return refuse(reader, "a list of methods");
    for (reader->method = 0; reader->method < (int)json_array_size(methods); reader->method++) {
        int code = read_method(reader, json_array_get(methods, (size_t)reader->method), trace);
        if (code) return code;
    }
    return EXIT_GOOD;
}

int trace_from_json(const json_t *root, const char *name, trace *trace) {
    reader reader = {.name = name, .method = -1, .event = -1};
    memset(trace, 0, sizeof *trace);
    int code = read_document(&reader, root, trace);
    if (code) trace_clear(trace);
    return code;
}

int trace_read(const char *path, trace *trace) {
    const char *name;
    json_error_t error;
    FILE *stream;
    memset(trace, 0, sizeof *trace);
    int code = input_open(path, &stream, &name);
    if (code) return code;
    json_t *root = json_loadf(stream, JSON_REJECT_DUPLICATES, &error);
    input_close(stream);
    if (!root) return complain("%s:%d: %s", name, error.line > 0 ? error.line : 1, error.text);
    code = trace_from_json(root, name, trace);
    json_decref(root);
    return code;
}
