/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Broadcast to a chosen group (CM-5 paper, section 3.6, figure 9). LIB: the first of the group sends to one
 * after the other. REB: seen from the first of the group, who holds the data at place k sends to place k +
 * distance, with distance halving from the next power of two: lg n steps, the first to the middle. Only the
 * group takes part, and no communicator is needed for it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "schedule/schedule.h"

static void linear(int count, const int *group, int64_t items, qdr_step *step) {
    for (int k = 1; k < count; k++)
        step[k - 1] = (qdr_step){.stage = k - 1, .from = group[0], .to = group[k], .items = items};
}

static void recursive(int count, const int *group, int64_t items, qdr_step *step) {
    int64_t reach = 1, made = 0;
    int stage = 0;
    while (reach < count) reach *= 2;
    for (int64_t distance = reach / 2; distance > 0; distance /= 2, stage++)
        for (int64_t k = 0; k + distance < count; k += 2 * distance)
            step[made++] =
                (qdr_step){.stage = stage, .from = group[k], .to = group[k + distance], .items = items};
}

static int compare_ranks(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static qdr_status check_group(int count, const int *group) {
    int *sorted = QDRI_ARRAY(int, count);
    qdr_status status = sorted ? QDR_OK : qdri_fail_memory();
    if (sorted) {
        memcpy(sorted, group, (size_t)count * sizeof *sorted);
        qsort(sorted, (size_t)count, sizeof *sorted, compare_ranks);
    }
    for (int k = 0; status == QDR_OK && k < count; k++) {
        if (sorted[k] < 0) status = qdri_fail(QDR_ERR_RANGE, "rank %d of the group is negative", sorted[k]);
        if (k > 0 && sorted[k] == sorted[k - 1])
            status = qdri_fail(QDR_ERR_INVALID, "rank %d is in the group twice", sorted[k]);
    }
    free(sorted);
    return status;
}

qdr_status qdr_broadcast_steps(const char *algorithm, int count, const int *group, int64_t items,
                               int64_t *step_count, qdr_step **steps) {
    if (!algorithm || !group || !steps || !step_count || count < 1 || items < 0)
        return qdri_fail(QDR_ERR_INVALID, "qdr_broadcast_steps: an argument is NULL, or the group is empty");
    int is_linear = qdri_word_in(algorithm, "linear LIB");
    if (!is_linear && !qdri_word_in(algorithm, "recursive REB"))
        return qdri_fail(QDR_ERR_UNKNOWN,
                         "unknown broadcast '%.60s'; there are linear (LIB), recursive (REB)", algorithm);
    QDRI_TRY(check_group(count, group));
    qdr_step *made = QDRI_ARRAY(qdr_step, (int64_t)count - 1);
    if (!made) return qdri_fail_memory();
    (is_linear ? linear : recursive)(count, group, items, made);
    *steps = made;
    *step_count = count - 1;
    return QDR_OK;
}
