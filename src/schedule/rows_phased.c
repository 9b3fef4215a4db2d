/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Direct schedules of whole messages: all there is to know is the phase of each message, given by a function
 * of its two ranks or by an array. A row is then the pattern's row (what the rank sends) and column (what it
 * receives), in the order of the phases.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "schedule/schedule.h"

typedef struct phased {
    qdri_phase_function *function;
    int32_t *phase_of;
} phased;

static int64_t phase_of(const phased *state, const qdr_pattern_view *view, int64_t message) {
    return state->phase_of ? state->phase_of[message]
                           : state->function(view->ranks, view->origin[message], view->destination[message]);
}

static qdr_status read_row(const qdr_schedule *schedule, int rank, int stage, qdr_row_reader *reader) {
    const phased *state = schedule->state;
    qdr_pattern_view view = qdr_pattern_look(schedule->pattern);
    (void)stage;
    if (reader->wants & QDRI_WANT_SENDS)
        for (int64_t m = view.row_start[rank]; m < view.row_start[rank + 1]; m++) {
            qdri_row_send(reader, phase_of(state, &view, m), view.destination[m]);
            qdri_row_piece(reader, rank, view.destination[m], 0, view.items[m]);
        }
    if (reader->wants & QDRI_WANT_RECEIVES)
        for (int64_t k = view.column_start[rank]; k < view.column_start[rank + 1]; k++) {
            int64_t m = view.column_message[k];
            qdri_row_receive(reader, phase_of(state, &view, m), view.origin[m]);
            qdri_row_piece(reader, view.origin[m], rank, 0, view.items[m]);
        }
    return QDR_OK;
}

static void release(void *state) {
    if (state) free(((phased *)state)->phase_of);
    free(state);
}

static const qdri_rows rows = {read_row, release};

static qdr_status attach(qdr_schedule *schedule, phased content) {
    phased *state = QDRI_ARRAY(phased, 1);
    if (!state) {
        free(content.phase_of);
        return qdri_fail_memory();
    }
    *state = content;
    schedule->rows = &rows;
    schedule->state = state;
    schedule->transfers = qdr_pattern_look(schedule->pattern).messages;
    return QDR_OK;
}

qdr_status qdri_rows_from_array(qdr_schedule *schedule, int32_t *phase_of, int64_t phases) {
    schedule->phases = phases;
    return attach(schedule, (phased){.phase_of = phase_of});
}

qdr_status qdri_rows_from_function(qdr_schedule *schedule, qdri_phase_function *function) {
    qdr_pattern_view view = qdr_pattern_look(schedule->pattern);
    /* A closed form has at most `ranks` phases; a phase counts when some message falls into it. */
    unsigned char *used = QDRI_ZERO_ARRAY(unsigned char, (int64_t)view.ranks + 1);
    if (!used) return qdri_fail_memory();
    schedule->phases = 0;
    for (int64_t m = 0; m < view.messages; m++) {
        unsigned char *mark = &used[function(view.ranks, view.origin[m], view.destination[m])];
        schedule->phases += !*mark;
        *mark = 1;
    }
    free(used);
    return attach(schedule, (phased){.function = function});
}
