/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of ranks (check.h). Sentences do not say which rank speaks: agreement puts that before them. */
#include "discover/check.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"

qdr_status qdri_check_count(const char *what, int count, int ranks, int there) {
    if (count < 0)
        return qdri_fail(QDR_ERR_RANGE, "the number of %ss is %d; expected 0 or more", what, count);
    if (count > ranks)
        return qdri_fail(QDR_ERR_RANGE, "%d %ss on a communicator of %d ranks; expected each rank once",
                         count, what, ranks);
    if (count > 0 && !there) return qdri_fail(QDR_ERR_INVALID, "the list of %d %ss is NULL", count, what);
    return QDR_OK;
}

static qdr_status fail_twice(const char *what, int rank, int64_t first, int64_t second) {
    return qdri_fail(QDR_ERR_INVALID, "rank %d is given twice, as %s %d and %d; expected each rank once",
                     rank, what, (int)first, (int)second);
}

static qdr_status find_twice(const char *what, int count, const int64_t *key, const int64_t *order) {
    for (int i = 1; i < count; i++)
        if (key[order[i - 1]] == key[order[i]])
            return fail_twice(what, (int)key[order[i]], order[i - 1], order[i]);
    return QDR_OK;
}

static int is_rising(int count, const int *rank) {
    for (int i = 1; i < count; i++)
        if (rank[i] <= rank[i - 1]) return 0;
    return 1;
}

/* Each against each: for few, faster than sorting, and without memory. */
static qdr_status find_twice_among_few(const char *what, int count, const int *rank) {
    for (int i = 1; i < count; i++)
        for (int k = 0; k < i; k++)
            if (rank[k] == rank[i]) return fail_twice(what, rank[i], k, i);
    return QDR_OK;
}

qdr_status qdri_check_ranks(const char *what, int count, const int *rank, int ranks) {
    for (int i = 0; i < count; i++)
        if (rank[i] < 0 || rank[i] >= ranks)
            return qdri_fail(QDR_ERR_RANGE, "%s %d is rank %d; expected 0 to %d", what, i, rank[i],
                             ranks - 1);
    enum { FEW = 24 };
    if (is_rising(count, rank)) return QDR_OK;
    if (count <= FEW) return find_twice_among_few(what, count, rank);
    int64_t *key = QDRI_ARRAY(int64_t, 2 * (int64_t)count);
    if (!key) return qdri_fail_memory();
    int64_t *order = key + count;
    for (int i = 0; i < count; i++) key[i] = rank[i];
    qdr_status status =
        qdri_sort_order(key, count, order) ? find_twice(what, count, key, order) : qdri_fail_memory();
    free(key);
    return status;
}
