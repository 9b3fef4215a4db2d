/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Testing and waiting for whatever is under way. Every kind advances all others while it is waited for, so waiting for
 * all is waiting for one after the other. Waiting for any is testing all in turn; when that has lasted as long as a
 * deadline, the first is waited for in its own way, which says what it misses.
 */
#include "wire/pending.h"

#include <sched.h>
#include <stdio.h>

#include "base/error.h"
#include "wire/wire.h"

static qdr_status check_list(const char *call, int64_t count, qdr_pending **pending, int has_result) {
    if (count >= 0 && (pending || !count) && has_result) return QDR_OK;
    return qdri_fail(QDR_ERR_INVALID, "%s: %lld handles, or an argument is NULL", call, (long long)count);
}

qdr_status qdr_wait(qdr_pending **pending) {
    QDRI_TRY(check_list("qdr_wait", 1, pending, 1));
    return *pending ? (*pending)->kind->wait(pending) : QDR_OK;
}

qdr_status qdr_test(qdr_pending **pending, int *done) {
    QDRI_TRY(check_list("qdr_test", 1, pending, done != NULL));
    *done = 1;
    return *pending ? (*pending)->kind->test(pending, done) : QDR_OK;
}

/* The first failure, and its sentence, outlive what follows. */
typedef struct verdict {
    qdr_status status;
    char sentence[1024];
} verdict;

static void hear(verdict *first, qdr_status status) {
    if (!status || first->status) return;
    first->status = status;
    snprintf(first->sentence, sizeof first->sentence, "%s", qdr_error_message());
}

static qdr_status say(const verdict *first) {
    return first->status ? qdri_fail(first->status, "%s", first->sentence) : QDR_OK;
}

qdr_status qdr_wait_all(int64_t count, qdr_pending **pending) {
    verdict first = {QDR_OK, ""};
    QDRI_TRY(check_list("qdr_wait_all", count, pending, 1));
    for (int64_t i = 0; i < count; i++) hear(&first, qdr_wait(&pending[i]));
    return say(&first);
}

qdr_status qdr_test_all(int64_t count, qdr_pending **pending, int *done) {
    verdict first = {QDR_OK, ""};
    QDRI_TRY(check_list("qdr_test_all", count, pending, done != NULL));
    *done = 1;
    for (int64_t i = 0; i < count; i++) {
        int one = 1;
        hear(&first, qdr_test(&pending[i], &one));
        *done &= one;
    }
    return say(&first);
}

qdr_status qdr_test_any(int64_t count, qdr_pending **pending, int64_t *which) {
    QDRI_TRY(check_list("qdr_test_any", count, pending, which != NULL));
    *which = -1;
    for (int64_t i = 0; i < count; i++) {
        int done = 0;
        if (!pending[i]) continue;
        qdr_status status = qdr_test(&pending[i], &done);
        if (!done && !status) continue;
        *which = i;
        return status;
    }
    return QDR_OK;
}

qdr_status qdr_wait_any(int64_t count, qdr_pending **pending, int64_t *which) {
    enum { LOOKS_BEFORE_YIELDING = 200 };
    QDRI_TRY(check_list("qdr_wait_any", count, pending, which != NULL));
    int64_t first = 0;
    while (first < count && !pending[first]) first++;
    *which = -1;
    if (first == count) return QDR_OK;
    double patience = qdri_patience(0), until = patience > 0 ? qdri_seconds() + patience : 0;
    for (int64_t looks = 0;; looks++) {
        qdr_status status = qdr_test_any(count, pending, which);
        if (status || *which >= 0) return status;
        if (looks < LOOKS_BEFORE_YIELDING) continue;
        sched_yield();
        if (until > 0 && qdri_seconds() > until) break;
    }
    *which = first;
    return qdr_wait(&pending[first]);
}
