/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The mini-language of patterns, machines and algorithms: `name:key=value,key=value`.
 *
 * What a name accepts is a table of qdri_option; the same table checks the text, supplies the defaults and
 * prints the help. Values:
 *
 *     INTEGER   64, 2Ki, 3M           (K M G are powers of 1000, Ki Mi Gi of 1024)
 *     RANGE     512 or 2K..200K       (an integer, or two with the first not above the second)
 *     REAL      0.25, 1e-3, 1/32
 *     TIME      88us, 1.5ms, 2s       (seconds when there is no unit)
 *     RATE      20MB/s, 1Gbit/s       (bytes per second when there is no unit)
 *     WORD      one of the words listed in the option
 *     FLAG      yes or no; the key alone means yes
 *
 * One value may stand without its key: it belongs to the option marked `bare`. Nothing is guessed: an unknown
 * key, a missing value, a value out of range or a key given twice is an error that names the whole text and
 * what was expected.
 */
#ifndef QDRI_SPEC_H
#define QDRI_SPEC_H

#include <stdint.h>

#include "base/memory.h"
#include "quadrille/base.h"

typedef enum qdri_kind {
    QDRI_INTEGER,
    QDRI_RANGE,
    QDRI_REAL,
    QDRI_TIME,
    QDRI_RATE,
    QDRI_WORD,
    QDRI_FLAG,
} qdri_kind;

typedef struct qdri_option {
    const char *key;
    qdri_kind kind;
    const char *standard;   /* the default, written as in a spec; NULL: must be given; "": may be absent */
    double lowest, highest; /* of a number, both included; equal: not checked */
    const char *words;      /* of a WORD: the choices, separated by blanks */
    const char *meaning;    /* one line for the help */
    int bare;               /* the value may stand without its key */
} qdri_option;

/* In the initialiser of anything that has such a table. */
#define QDRI_OPTIONS(array) .options = (array), .option_count = QDRI_COUNT_OF(array)

enum { QDRI_SPEC_OPTIONS = 40 };

typedef struct qdri_value {
    int given;       /* written in the spec, not a default */
    int present;     /* given, or with a default */
    int64_t integer; /* INTEGER, FLAG (0 or 1), RANGE (lowest), WORD (position in the list) */
    int64_t high;    /* RANGE */
    double real;     /* REAL, TIME, RATE; also INTEGER */
} qdri_value;

typedef struct qdri_spec {
    const char *text; /* borrowed from the caller, for messages */
    const char *what; /* "pattern", "machine", "algorithm" */
    char name[48];
    const qdri_option *options;
    int option_count;
    qdri_value value[QDRI_SPEC_OPTIONS];
} qdri_spec;

/* Reads only the name, so that the caller can find the options that belong to it. `text` must live as long as
 * the spec. */
qdr_status qdri_spec_open(const char *text, const char *what, qdri_spec *spec);

/* Reads the rest against the options. */
qdr_status qdri_spec_read(qdri_spec *spec, const qdri_option *options, int option_count);

/* Applies further `key=value` text (presets first, then the user's words) to a spec that was read. */
qdr_status qdri_spec_override(qdri_spec *spec, const char *pairs);

/* The value of a key that stands in the table (anything else is a mistake of the caller and asserts). */
const qdri_value *qdri_spec_get(const qdri_spec *spec, const char *key);
int64_t qdri_spec_integer(const qdri_spec *spec, const char *key);
double qdri_spec_real(const qdri_spec *spec, const char *key);
int qdri_spec_flag(const qdri_spec *spec, const char *key);
int qdri_spec_given(const qdri_spec *spec, const char *key);
/* Whether the WORD option `key` has the value `word`. */
int qdri_spec_is(const qdri_spec *spec, const char *key, const char *word);

/* Numbers outside of specs, written as in them: the whole of `text`, else 0. A duration is in seconds, or has
 * one of the units us, ms, s, m, min, h. */
int qdri_read_integer(const char *text, int64_t *integer);
int qdri_read_duration(const char *text, double *seconds);

/* The table as text, one line per key: "key=default  meaning\n". Lives until the calling thread's next call.
 */
const char *qdri_options_text(const qdri_option *options, int option_count);

/* Fails with "<what> '<text>': <sentence>". */
qdr_status qdri_spec_fail(const qdri_spec *spec, qdr_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
