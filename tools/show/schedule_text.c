/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Words about a schedule: its summary, and one rank's rows as the communication phase table of NICE (figure
 * 8): in each phase a partner, a length and an offset to send, and the same to receive. Where a transfer
 * carries several pieces of several messages, their number stands in place of the offset.
 */
#include "schedule_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/complain.h"
#include "core/progress.h"
#include "core/table.h"

int schedule_build(const qdr_pattern *pattern, const char *algorithm, const qdr_machine *machine,
                   qdr_schedule **schedule) {
    progress_say("building %.100s", algorithm);
    return qdr_schedule_create(pattern, algorithm, machine, schedule) ? complain_library() : EXIT_GOOD;
}

const char *promises_text(unsigned promises, char text[PROMISES_TEXT]) {
    static const struct {
        unsigned bit;
        const char *word;
    } words[] = {{QDR_PROMISES_PERMUTATION, "permutation"},
                 {QDR_PROMISES_PAIRS, "pairs"},
                 {QDR_PROMISES_LINKS, "links"},
                 {QDR_PROMISES_LIMIT, "limit"}};
    text[0] = '\0';
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (promises & words[i].bit) {
            if (text[0]) strcat(text, ", ");
            strcat(text, words[i].word);
        }
    return text[0] ? text : strcpy(text, "coverage");
}

static const char *plural(int64_t count) {
    return count == 1 ? "" : "s";
}

int schedule_write_summary(const qdr_schedule *schedule, FILE *out) {
    qdr_schedule_info info;
    char promises[PROMISES_TEXT];
    if (qdr_schedule_look(schedule, &info)) return complain_library();
    fputs(info.algorithm, out);
    if (strcmp(info.algorithm, info.spec)) fprintf(out, " (%s)", info.spec);
    fprintf(out, ": %d rank%s, %d stage%s, %" PRId64 " phase%s, %" PRId64 " transfer%s; promises %s\n",
            info.ranks, plural(info.ranks), info.stages, plural(info.stages), info.phases,
            plural(info.phases), info.transfers, plural(info.transfers),
            promises_text(info.promises, promises));
    return EXIT_GOOD;
}

/* ---- one rank ------------------------------------------------------------------------------------------ */

static void put_transfer(table *table, const qdr_row *row, const qdr_transfer *transfer) {
    if (!transfer) {
        for (int i = 0; i < 3; i++) table_cell(table, "%s", "-");
        return;
    }
    table_cell(table, "%d", transfer->partner);
    table_cell(table, "%" PRId64, transfer->items);
    if (transfer->pieces == 1)
        table_cell(table, "%" PRId64, row->piece[transfer->first].offset);
    else
        table_cell(table, "%" PRId64 " pieces", transfer->pieces);
}

/* Phases as the phase table numbers them: those that are not empty, from 1, all stages together. */
typedef struct phase_numbers {
    qdr_step *first; /* one step of each, in order */
    int64_t count;
} phase_numbers;

static int compare_phases(const void *first, const void *second) {
    const qdr_step *a = first, *b = second;
    if (a->stage != b->stage) return a->stage < b->stage ? -1 : 1;
    return (a->phase > b->phase) - (a->phase < b->phase);
}

static qdr_status number_phases(const qdr_schedule *schedule, phase_numbers *numbers) {
    int64_t count, kept = 0;
    qdr_status status = qdr_schedule_steps(schedule, &count, &numbers->first);
    for (int64_t i = 0; !status && i < count; i++)
        if (!kept || compare_phases(&numbers->first[kept - 1], &numbers->first[i]))
            numbers->first[kept++] = numbers->first[i];
    numbers->count = kept;
    return status;
}

static int64_t number_of(const phase_numbers *numbers, int stage, int64_t phase) {
    qdr_step wanted = {.stage = stage, .phase = phase};
    const qdr_step *found =
        bsearch(&wanted, numbers->first, (size_t)numbers->count, sizeof wanted, compare_phases);
    return found ? found - numbers->first + 1 : 0;
}

/* Sends and receives of the same phase stand side by side. */
static void put_stage(table *table, const phase_numbers *numbers, const qdr_row *row) {
    int64_t send = 0, receive = 0;
    while (send < row->sends || receive < row->receives) {
        int64_t phase = send < row->sends ? row->send[send].phase : row->receive[receive].phase;
        if (receive < row->receives && row->receive[receive].phase < phase)
            phase = row->receive[receive].phase;
        int sends = send < row->sends && row->send[send].phase == phase;
        int receives = receive < row->receives && row->receive[receive].phase == phase;
        table_cell(table, "%d", row->stage + 1);
        table_cell(table, "%" PRId64, number_of(numbers, row->stage, phase));
        put_transfer(table, row, sends ? &row->send[send] : NULL);
        put_transfer(table, row, receives ? &row->receive[receive] : NULL);
        send += sends;
        receive += receives;
    }
}

static qdr_status put_rank(table *table, const qdr_schedule *schedule, int rank) {
    qdr_schedule_info info;
    qdr_row_reader *reader = NULL;
    phase_numbers numbers = {NULL, 0};
    qdr_row row;
    qdr_status status = qdr_schedule_look(schedule, &info);
    if (!status) status = number_phases(schedule, &numbers);
    if (!status) status = qdr_row_reader_create(schedule, &reader);
    for (int stage = 0; !status && stage < info.stages; stage++) {
        status = qdr_row_read(reader, rank, stage, &row);
        if (!status) put_stage(table, &numbers, &row);
    }
    qdr_row_reader_destroy(&reader);
    free(numbers.first);
    return status;
}

int schedule_write_row(const qdr_schedule *schedule, int rank, FILE *out) {
    table table;
    table_open(&table, ">stage|>phase|>send to|>length|>offset|>receive from|>length|>offset");
    qdr_status status = put_rank(&table, schedule, rank);
    if (!status) {
        fprintf(out, "# rank %d\n", rank);
        table_write(&table, 0, out);
    }
    table_close(&table);
    return status ? complain_library() : EXIT_GOOD;
}
