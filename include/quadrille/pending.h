/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is under way. Exchanges of plans and maps, calls of a directory, imports, deliveries and migrations can be
 * started without being waited for. Each start gives a handle of the same type, so they are all tested and waited for alike, and
 * together:
 *
 *     qdr_pending *all[3];
 *     qdr_map_start(map, QDR_FORWARD, 1, &u, &all[0]);
 *     qdr_directory_start(directory, &call, &all[1]);
 *     qdr_import_start(stream, time, QDR_EXACT, 0, &array, NULL, &all[2]);
 *     compute();
 *     qdr_wait_all(3, all);
 *
 * Every wait advances everything that is under way in the process, so handles may be waited for in any order. What
 * was started borrows the memory that it was given until it has ended.
 *
 * When something has ended, its handle becomes NULL, and the status is its own. A NULL handle is accepted, and stands
 * for something that has ended well. When a deadline passes the status is QDR_ERR_STALLED; where the text of a start
 * says so, the handle stays, and may be waited for again.
 */
#ifndef QUADRILLE_PENDING_H
#define QUADRILLE_PENDING_H

#include <stdint.h>

#include "quadrille/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct qdr_pending qdr_pending;

/* Local. Waits until it has ended. */
qdr_status qdr_wait(qdr_pending **pending);

/* Local. Waits until all of them have ended. The status is that of the first, in the order of the list, that failed. */
qdr_status qdr_wait_all(int64_t count, qdr_pending **pending);

/* Local. Waits until one of them has ended, and says which; -1 if all are NULL. */
qdr_status qdr_wait_any(int64_t count, qdr_pending **pending, int64_t *which);

/* Local. Advances everything that is under way; *done says whether this one has ended. */
qdr_status qdr_test(qdr_pending **pending, int *done);

/* Local. *done says whether all of them have ended. The status is that of the first that failed. */
qdr_status qdr_test_all(int64_t count, qdr_pending **pending, int *done);

/* Local. *which is the one that has ended; -1 if none has, or all are NULL. */
qdr_status qdr_test_any(int64_t count, qdr_pending **pending, int64_t *which);

/* Local. Advances everything that is under way in the process a little: for long computations between start and
 * wait. */
void qdr_progress(void);

#ifdef __cplusplus
}
#endif
#endif
