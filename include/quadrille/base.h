/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Results, error texts, the version.
 *
 * Every function that can fail returns a qdr_status. QDR_OK is 0; all others begin with QDR_ERR_. After a failure the
 * calling thread's qdr_error_message() is one line that says what was wrong, where, and what was expected. Outputs
 * are written only on success. The library never aborts or exits, and prints only what QDR_EXPLAIN asks for.
 *
 * Words. A function that makes an object is named create, or after what it makes the object from; destroy sets the
 * handle to NULL. What was started is tested or waited for. A *deadline* is a number of seconds. In argument lists a
 * count stands before the pointer to what it counts. Ranks, and numbers of ranks, are int; everything else is counted
 * in int64_t. Each function says whether it is *Collective*, called by all ranks of the communicator in the same
 * order, or *Local*.
 *
 * Set structs of yours that the library reads or fills to zero first (`= {0}`): 0 is the default everywhere.
 * Initialise options with their name in capitals (QDR_PLAN_OPTIONS), which sets their size. A program compiled with
 * an older header then runs with a later library. The library hands out its own structs as pointers.
 */
#ifndef QUADRILLE_BASE_H
#define QUADRILLE_BASE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QDR_VERSION "0.2.0"

/* Local. The version of the library that runs. QDR_VERSION is that of the header. */
const char *qdr_version(void);

/* One table defines the failures and their texts. */
#define QDR_ERROR_TABLE(X)                                                                                   \
    X(INVALID, "invalid argument")                                                                           \
    X(SYNTAX, "malformed text")                                                                              \
    X(UNKNOWN, "unknown name")                                                                               \
    X(RANGE, "value out of range")                                                                           \
    X(MEMORY, "out of memory")                                                                               \
    X(FILE, "file cannot be read or written")                                                                \
    X(VALUELESS, "the file has no values")                                                                   \
    X(BROKEN, "the schedule does not keep its promise")                                                      \
    X(RUNTIME, "scheduled at run time")                                                                      \
    X(MPI, "MPI reported an error")                                                                          \
    X(MISMATCH, "the ranks disagree")                                                                        \
    X(STALLED, "the deadline passed")                                                                        \
    X(LOST, "a collective call failed before")                                                               \
    X(GONE, "the communicator is gone")                                                                      \
    X(BUSY, "the object is in use")                                                                          \
    X(PEER, "the other program is gone")                                                                     \
    X(UNMATCHED, "no export matches the time asked for")                                                     \
    X(DEADLOCK, "the programs wait for each other")                                                          \
    X(FULL, "the queue is full")

typedef enum qdr_status {
    QDR_OK,
#define QDR_ERROR_ENUM(name, text) QDR_ERR_##name,
    QDR_ERROR_TABLE(QDR_ERROR_ENUM)
#undef QDR_ERROR_ENUM
} qdr_status;

/* Local. The fixed text of a status; never NULL. */
const char *qdr_status_text(qdr_status status);

/* Local. The line that explains this thread's most recent failure; "" if there was none. Valid until its next
 * failure. */
const char *qdr_error_message(void);

/* Receives what the library says beside its results: why it chose as it did, what it could not get. One line, without
 * a newline. */
typedef void qdr_log_function(void *context, const char *line);

/* Local. Sends this rank's lines to `function`; NULL, the default, drops them. The setting is per process; make it
 * before other calls. (With QDR_EXPLAIN=1 in the environment and no function, the lines of rank 0 of a communicator
 * go to standard error.) */
void qdr_set_log(qdr_log_function *function, void *context);

/* A variable of the environment. A value that is not as expected is refused with QDR_ERR_INVALID by the call that
 * needs it. */
typedef struct qdr_environment_info {
    const char *name;
    const char *kind;     /* seconds, bytes, count, word, name, path or flag */
    const char *expected; /* which values, in words */
    const char *standard; /* what holds when it is not set, in words */
    const char *reader;   /* whose environment counts: "rank 0" or "every rank" */
    const char *meaning;  /* one line */
} qdr_environment_info;

/* Local. The index-th variable that the library and the drop-in read; NULL past the last. */
const qdr_environment_info *qdr_environment(int index);

#ifdef __cplusplus
}
#endif
#endif
