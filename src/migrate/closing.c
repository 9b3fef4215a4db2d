/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The end of a migration. What all ranks moved is added up along a tree whose root is rank 0, and the sums go back the same
 * way, with the first failure of a callback there was. A rank begins when it is through itself. Nobody waits inside a
 * call for that: it is one more leg of the run's flight, which sends and receives in turn.
 */
#include <string.h>

#include "migrate/inside.h"

static void add(qdri_closing_word *sum, const qdri_closing_word *more) {
    for (int i = 0; i < QDRI_CLOSING_SUMS; i++) sum->sum[i] += more->sum[i];
    /* Ranks above are heard in rising order, so the first is the lowest. */
    if (sum->failure[0] == '\0') memcpy(sum->failure, more->failure, sizeof sum->failure);
}

static void send(qdri_closing *closing, int rank, void (*landing)(qdri_flight_leg *leg)) {
    qdri_migration *job = closing->run->job;
    closing->leg->is_receive = 0;
    closing->leg->landing = landing;
    qdri_flight_note(closing->leg,
                     qdri_send(job->wire, &closing->leg->operation, rank, job->first_tag + QDRI_TAG_CLOSING,
                               &closing->word, sizeof closing->word));
}

static void receive(qdri_closing *closing, int rank, qdri_closing_word *word,
                    void (*landing)(qdri_flight_leg *leg)) {
    qdri_migration *job = closing->run->job;
    closing->leg->is_receive = 1;
    closing->leg->landing = landing;
    qdri_flight_note(closing->leg, qdri_receive(job->wire, &closing->leg->operation, rank,
                                                job->first_tag + QDRI_TAG_CLOSING, word, sizeof *word));
}

/* ---- down ---------------------------------------------------------------------------------------------- */

static void go_down(qdri_closing *closing);

static void told_one_above(qdri_flight_leg *leg) {
    go_down(leg->context);
}

static void go_down(qdri_closing *closing) {
    const qdri_migration *job = closing->run->job;
    for (closing->bit /= 2; closing->bit > 0; closing->bit /= 2)
        if (closing->bit < job->ranks - job->rank) {
            send(closing, job->rank + (int)closing->bit, told_one_above);
            return;
        }
    closing->run->flight->expects_more = 0;
}

/* ---- up ------------------------------------------------------------------------------------------------ */

static void told_below(qdri_flight_leg *leg) {
    qdri_closing *closing = leg->context;
    receive(closing, closing->run->job->rank - (int)closing->bit, &closing->word, told_one_above);
}

static void go_up(qdri_closing *closing);

static void heard_one_above(qdri_flight_leg *leg) {
    qdri_closing *closing = leg->context;
    closing->heard.failure[sizeof closing->heard.failure - 1] = '\0';
    add(&closing->word, &closing->heard);
    closing->bit *= 2;
    go_up(closing);
}

static void go_up(qdri_closing *closing) {
    const qdri_migration *job = closing->run->job;
    for (; closing->bit < job->ranks; closing->bit *= 2) {
        if (job->rank & closing->bit) {
            send(closing, job->rank - (int)closing->bit, told_below);
            return;
        }
        if (closing->bit < job->ranks - job->rank) {
            receive(closing, job->rank + (int)closing->bit, &closing->heard, heard_one_above);
            return;
        }
    }
    go_down(closing);
}

/* ---- beginning ----------------------------------------------------------------------------------------- */

qdr_status qdri_closing_open(qdri_migration_run *run) {
    run->closing = QDRI_FLIGHT_ARRAY(run->flight, qdri_closing, 1);
    qdri_flight_leg *leg = qdri_flight_legs(run->flight, 1);
    if (!run->closing || !leg) return qdri_fail_memory();
    leg->context = run->closing;
    leg->expected = sizeof(qdri_closing_word);
    *run->closing = (qdri_closing){.run = run, .leg = leg};
    return QDR_OK;
}

void qdri_closing_begin(qdri_migration_run *run) {
    qdri_closing *closing = run->closing;
    qdri_stock *stock = run->stock;
    closing->bit = 1;
    stock->kind->through(stock, &closing->word);
    closing->word.sum[QDRI_CLOSING_CAME] = stock->came;
    closing->word.sum[QDRI_CLOSING_BYTES] = stock->came_bytes;
    closing->word.sum[QDRI_CLOSING_PARKED] = stock->parked_bytes;
    closing->word.sum[QDRI_CLOSING_LEAVING] = run->job->facts.objects;
    go_up(closing);
}
