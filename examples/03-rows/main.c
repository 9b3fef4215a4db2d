/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Running a schedule. Every rank reads its own row of each stage and needs nothing else: in rising order of
 * phases it sends the pieces of each transfer to the partner, and receives others. Here all ranks live in one
 * process and the network is an array of queues, one from each rank to each other; a real executor has the
 * same loops with a message-passing call in the middle.
 *
 * A piece names its message (origin, destination) and a range of it, so both ends know where its bytes belong
 * without a header on the wire. Where a schedule has several stages, a rank passes through pieces of messages
 * that are not its own; it keeps them at the same place of a buffer for that message and sends them on in a
 * later stage. At the end, what each rank got is held against what the origins had to send.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "quadrille.h"

enum { RANKS = 6 };

/* What one rank holds: room for every message that may pass through it. */
typedef unsigned char *holdings[RANKS][RANKS];

/* First in, first out: both ends walk their rows by rising phase, so they agree on the order. */
typedef struct queue {
    unsigned char *bytes;
    int64_t head, tail;
} queue;

typedef struct world {
    qdr_pattern_view view;
    holdings held[RANKS];
    queue network[RANKS][RANKS];
    int64_t moved;
} world;

static void *room(int64_t bytes) {
    void *memory = calloc(bytes > 0 ? (size_t)bytes : 1, 1);
    if (!memory) abort();
    return memory;
}

/* The byte at a place of a message, different for every message: so that a mix-up shows. */
static unsigned char content(int origin, int destination, int64_t place) {
    return (unsigned char)(1 + (31 * origin + 7 * destination + place) % 251);
}

static void open_world(const qdr_pattern *pattern, world *world) {
    int64_t total = 0;
    memset(world, 0, sizeof *world);
    world->view = qdr_pattern_look(pattern);
    for (int64_t m = 0; m < world->view.messages; m++) {
        int from = world->view.origin[m], to = world->view.destination[m];
        total += world->view.items[m];
        for (int rank = 0; rank < RANKS; rank++) world->held[rank][from][to] = room(world->view.items[m]);
        for (int64_t place = 0; place < world->view.items[m]; place++)
            world->held[from][from][to][place] = content(from, to, place);
    }
    for (int from = 0; from < RANKS; from++)
        for (int to = 0; to < RANKS; to++) world->network[from][to].bytes = room(total);
}

static void close_world(world *world) {
    for (int i = 0; i < RANKS; i++)
        for (int j = 0; j < RANKS; j++) {
            for (int rank = 0; rank < RANKS; rank++) free(world->held[rank][i][j]);
            free(world->network[i][j].bytes);
        }
}

/* ---- the executor: what a rank does with its row ------------------------------------------------------- */

static void send_row(world *world, const qdr_row *row) {
    for (int64_t s = 0; s < row->sends; s++) {
        const qdr_transfer *transfer = &row->send[s];
        queue *queue = &world->network[row->rank][transfer->partner];
        for (int64_t p = transfer->first; p < transfer->first + transfer->pieces; p++) {
            const qdr_piece *piece = &row->piece[p];
            const unsigned char *message = world->held[row->rank][piece->origin][piece->destination];
            memcpy(queue->bytes + queue->tail, message + piece->offset, (size_t)piece->length);
            queue->tail += piece->length;
        }
        world->moved += transfer->items;
    }
}

static void receive_row(world *world, const qdr_row *row) {
    for (int64_t r = 0; r < row->receives; r++) {
        const qdr_transfer *transfer = &row->receive[r];
        queue *queue = &world->network[transfer->partner][row->rank];
        for (int64_t p = transfer->first; p < transfer->first + transfer->pieces; p++) {
            const qdr_piece *piece = &row->piece[p];
            unsigned char *message = world->held[row->rank][piece->origin][piece->destination];
            memcpy(message + piece->offset, queue->bytes + queue->head, (size_t)piece->length);
            queue->head += piece->length;
        }
    }
}

/* What arrives in a stage is sent on in the next one at the earliest; so here all may send first. */
static qdr_status exchange(world *world, const qdr_schedule *schedule, int stages) {
    qdr_row_reader *reader;
    qdr_row row;
    qdr_status status = qdr_row_reader_create(schedule, &reader);
    if (status) return status;
    for (int stage = 0; !status && stage < stages; stage++) {
        for (int rank = 0; !status && rank < RANKS; rank++)
            if (!(status = qdr_row_read(reader, rank, stage, &row))) send_row(world, &row);
        for (int rank = 0; !status && rank < RANKS; rank++)
            if (!(status = qdr_row_read(reader, rank, stage, &row))) receive_row(world, &row);
    }
    qdr_row_reader_destroy(&reader);
    return status;
}

/* ---- the naive copy to hold it against ----------------------------------------------------------------- */

static int64_t count_wrong(const world *world) {
    int64_t wrong = 0;
    for (int64_t m = 0; m < world->view.messages; m++) {
        int from = world->view.origin[m], to = world->view.destination[m];
        for (int64_t place = 0; place < world->view.items[m]; place++)
            wrong += world->held[to][from][to][place] != content(from, to, place);
    }
    return wrong;
}

/* ---- showing it ---------------------------------------------------------------------------------------- */

static void print_side(const char *word, const qdr_transfer *transfers, int64_t count, const qdr_row *row) {
    for (int64_t t = 0; t < count; t++) {
        printf("  stage %d, phase %lld: %s %d:", row->stage, (long long)transfers[t].phase, word,
               transfers[t].partner);
        for (int64_t p = transfers[t].first; p < transfers[t].first + transfers[t].pieces; p++)
            printf(" %d->%d [%lld, %lld)", row->piece[p].origin, row->piece[p].destination,
                   (long long)row->piece[p].offset, (long long)(row->piece[p].offset + row->piece[p].length));
        printf("\n");
    }
}

static qdr_status print_row(const qdr_schedule *schedule, int rank, int stages) {
    qdr_row_reader *reader;
    qdr_row row;
    qdr_status status = qdr_row_reader_create(schedule, &reader);
    if (status) return status;
    printf("rank %d:\n", rank);
    for (int stage = 0; !status && stage < stages; stage++)
        if (!(status = qdr_row_read(reader, rank, stage, &row))) {
            print_side("send to", row.send, row.sends, &row);
            print_side("receive from", row.receive, row.receives, &row);
        }
    qdr_row_reader_destroy(&reader);
    return status;
}

static qdr_status run(const char *name, const qdr_pattern *pattern, int show) {
    qdr_schedule *schedule = NULL;
    qdr_schedule_info info;
    qdr_status status = qdr_schedule_create(pattern, name, NULL, &schedule);
    if (!status) status = qdr_schedule_check(schedule);
    if (!status) status = qdr_schedule_look(schedule, &info);
    if (!status) {
        world world;
        open_world(pattern, &world);
        status = exchange(&world, schedule, info.stages);
        printf("%s: stages %d, transfers %lld, bytes moved %lld, bytes wrong %lld\n", name, info.stages,
               (long long)info.transfers, (long long)world.moved, (long long)count_wrong(&world));
        if (!status && count_wrong(&world)) status = QDR_ERR_BROKEN;
        close_world(&world);
    }
    if (!status && show) status = print_row(schedule, 2, info.stages);
    qdr_schedule_destroy(&schedule);
    return status;
}

int main(void) {
    static const struct {
        const char *name;
        int show;
    } runs[] = {
        {"greedy", 1}, {"recursive", 1}, {"two-stage", 0}, {"random-split:limit=0.3", 0}, {"split", 0}};
    qdr_pattern *pattern = NULL;
    qdr_status status = qdr_pattern_from_spec("random:n=6,density=0.5,bytes=10..99,seed=4", &pattern);
    for (size_t i = 0; !status && i < sizeof runs / sizeof runs[0]; i++)
        status = run(runs[i].name, pattern, runs[i].show);
    if (status) fprintf(stderr, "%s: %s\n", qdr_status_text(status), qdr_error_message());
    qdr_pattern_destroy(&pattern);
    return status ? EXIT_FAILURE : EXIT_SUCCESS;
}
