/* SPDX-License-Identifier: BSD-3-Clause */
/* What is being done, on a terminal, when it takes long. */
#ifndef PROGRESS_H
#define PROGRESS_H

/* Says what comes next. Shown on stderr with the time it takes, once the work has lasted half a second, and
 * only when stderr is a terminal. Nothing else may be printed to stderr until progress_end(). */
void progress_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Wipes the line away. Harmless when there is none. */
void progress_end(void);

/* Seconds of a clock that only goes forward. */
double clock_seconds(void);

#endif
