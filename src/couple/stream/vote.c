/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Votes: the maxima of a few words over the ranks of one program. The calls of a stream are collective, so
 * the i-th vote of one rank belongs to the i-th of the others, and nothing but their order is needed: they are
 * the questions of a council of the stream's own, under way while the caller does other things. It is no
 * collective of the program's communicator: after a failure, which ranks learn of at different times, some have
 * made more calls than others, and that must harm nobody else.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "couple/stream/run.h"

static void unlist(const qdri_vote *vote) {
    qdri_vote **link = &vote->running->votes;
    while (*link != vote) link = &(*link)->next;
    *link = vote->next;
}

static void answered(qdri_agreement *agreement, qdr_status status) {
    qdri_vote *vote = (qdri_vote *)agreement;
    unlist(vote);
    vote->done = !status;
    vote->is_over = 1;
    for (int i = 0; i < QDRI_VOTED; i++) vote->result.word[i] = vote->term[i].value;
    if (status) qdri_fault_raise(vote->running, status);
    if (vote->dropped) free(vote);
}

/* Local: its messages are between ranks that have one. */
qdr_status qdri_vote_open(qdri_running *running) {
    running->council = qdri_council_open(
        running->wire, &(qdri_council_shape){.members = running->fellows,
                                             .place = running->own,
                                             .rank = running->fellow_rank,
                                             .first_tag = running->first_tag + QDRI_TAG_STREAM_COUNCIL});
    return running->council ? QDR_OK : qdri_fail_memory();
}

qdr_status qdri_vote_start(qdri_running *running, const qdri_ballot *ballot, qdri_vote **vote) {
    qdri_vote *made = QDRI_ZERO_ARRAY(qdri_vote, 1);
    if (!made) return qdri_fail_memory();
    made->running = running;
    made->next = running->votes;
    running->votes = made;
    for (int i = 0; i < QDRI_VOTED; i++)
        made->term[i] = QDRI_IS_MOST("a word of a vote", ballot->word[i], INT64_MIN, INT64_MAX);
    made->agreement = (qdri_agreement){.call = "a call of a stream", .term = made->term, .terms = QDRI_VOTED};
    qdr_status status = qdri_council_ask(running->council, &made->agreement, answered);
    if (status) {
        unlist(made);
        free(made);
        return status;
    }
    *vote = made;
    return QDR_OK;
}

void qdri_vote_drop(qdri_vote **vote) {
    if (*vote && (*vote)->is_over)
        free(*vote);
    else if (*vote)
        (*vote)->dropped = 1;
    *vote = NULL;
}

/* Votes that are not over belong to calls, unless they were dropped. */
int qdri_vote_close(qdri_running *running) {
    int closed = qdri_council_close(&running->council);
    while (running->votes) {
        qdri_vote *vote = running->votes;
        running->votes = vote->next;
        vote->is_over = 1;
        if (vote->dropped) free(vote);
    }
    return closed;
}
