/* SPDX-License-Identifier: BSD-3-Clause */
/* The phase table, printed as the papers print theirs: one line per phase, i<->j for an exchange, i->j for
 * one way. */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/print.h"
#include "schedule/schedule.h"

/* Steps of a phase lie by rising sender and, in most schedules, receiver; else the search goes through all.
 */
static const qdr_step *find_back(const qdr_step *steps, int64_t count, const qdr_step *step) {
    int64_t low = 0, high = count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (steps[middle].from < step->to)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < count && steps[low].from == step->to; low++)
        if (steps[low].to == step->from) return &steps[low];
    return NULL;
}

static void write_phase(const qdr_step *steps, int64_t count, qdri_printer *stream) {
    for (int64_t i = 0; i < count; i++) {
        const qdr_step *back = find_back(steps, count, &steps[i]);
        if (back && steps[i].to < steps[i].from) continue; /* stands at the lower rank */
        qdri_print(stream, "  %d%s%d", steps[i].from, back ? "<->" : "->", steps[i].to);
    }
    qdri_print_letter(stream, '\n');
}

qdr_status qdr_steps_write_text(int64_t count, const qdr_step *steps, FILE *stream) {
    int64_t number = 0;
    if ((!steps && count) || !stream)
        return qdri_fail(QDR_ERR_INVALID, "qdr_steps_write_text: an argument is NULL");
    qdri_printer printer = {stream, 0};
    for (int64_t first = 0, next; first < count; first = next) {
        next = qdri_phase_end(steps, count, first);
        qdri_print(&printer, "%4lld", (long long)++number);
        write_phase(steps + first, next - first, &printer);
    }
    return qdri_print_end(&printer, "the schedule");
}
