/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Votes: the maxima of a few words over the ranks of one program. The calls of a stream are collective, so
 * the i-th vote of one rank belongs to the i-th of the others, and nothing but their order is needed.
 * Words go up a binary tree, each rank adding its own when it has come to that vote and has heard its
 * children, and the maxima come down again: 2 log ranks small messages deep, under way while the caller
 * does other things. They are the stream's own messages and no collective of the program's communicator:
 * after a failure, which ranks learn of at different times, some have made more calls than others, and
 * that must harm nobody else.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "couple/run.h"

static int children_of(const qdri_running *running, int child[2]) {
    int count = 0;
    for (int place = 2 * running->own + 1; place <= 2 * running->own + 2 && place < running->fellows; place++)
        child[count++] = running->fellow_rank[place];
    return count;
}

/* ---- down ---------------------------------------------------------------------------------------------- */

/* The oldest vote has its result. */
static void conclude(qdri_running *running, const qdri_ballot *result) {
    qdri_vote *vote = running->votes;
    int child[2], children = children_of(running, child);
    for (int i = 0; i < children; i++)
        qdri_memo_send(running, child[i], QDRI_TAG_DOWN, result, sizeof *result);
    running->votes = vote->next;
    vote->result = *result;
    vote->done = 1;
    if (vote->dropped) free(vote);
}

/* Only what was sent up comes down. */
static int came_down(qdri_box *box, const qdri_body *body) {
    conclude(box->running, &body->ballot);
    return 1;
}

/* ---- up ------------------------------------------------------------------------------------------------ */

static void add(qdri_ballot *to, const qdri_ballot *other) {
    for (int i = 0; i < QDRI_VOTED; i++)
        if (other->word[i] > to->word[i]) to->word[i] = other->word[i];
}

static int children_are_there(const qdri_running *running, int children) {
    for (int i = 0; i < children; i++)
        if (running->heard_below[i].count == 0) return 0;
    return 1;
}

static void take_first(qdri_ballots *ballots, qdri_ballot *to) {
    add(to, &ballots->ballot[0]);
    ballots->count--;
    memmove(ballots->ballot, ballots->ballot + 1, (size_t)ballots->count * sizeof *ballots->ballot);
}

/* Sends up what is complete. */
static void lift(qdri_running *running) {
    int child[2], children = children_of(running, child), own = running->own;
    while (running->unlifted && !running->failed && children_are_there(running, children)) {
        qdri_vote *vote = running->unlifted;
        running->unlifted = vote->next;
        for (int i = 0; i < children; i++) take_first(&running->heard_below[i], &vote->result);
        qdri_ballot ballot = vote->result; /* the vote may go */
        if (own == 0)
            conclude(running, &ballot);
        else
            qdri_memo_send(running, running->fellow_rank[(own - 1) / 2], QDRI_TAG_UP, &ballot, sizeof ballot);
    }
}

static int came_up(qdri_box *box, const qdri_body *body) {
    qdri_running *running = box->running;
    qdri_ballots *ballots = &running->heard_below[box - running->up];
    if (!qdri_grow(&ballots->ballot, &ballots->capacity, ballots->count + 1, sizeof *ballots->ballot)) {
        qdri_fault_raise(running, qdri_fail_memory());
        return 0;
    }
    ballots->ballot[ballots->count++] = body->ballot;
    lift(running);
    return 1;
}

/* ---- beginning and end --------------------------------------------------------------------------------- */

void qdri_vote_listen(qdri_running *running) {
    int child[2], children = children_of(running, child), own = running->own;
    qdri_box box = {.running = running, .tag = QDRI_TAG_UP, .bytes = sizeof(qdri_ballot), .came = came_up};
    for (int i = 0; i < children; i++) {
        running->up[i] = box;
        running->up[i].from = child[i];
        qdri_box_post(&running->up[i]);
    }
    if (own == 0) return;
    box.from = running->fellow_rank[(own - 1) / 2];
    box.tag = QDRI_TAG_DOWN;
    box.came = came_down;
    running->down = box;
    qdri_box_post(&running->down);
}

qdr_status qdri_vote_start(qdri_running *running, const qdri_ballot *ballot, qdri_vote **vote) {
    qdri_vote *made = QDRI_ZERO_ARRAY(qdri_vote, 1), **link = &running->votes;
    if (!made) return qdri_fail_memory();
    made->result = *ballot;
    while (*link) link = &(*link)->next;
    *link = made;
    if (!running->unlifted) running->unlifted = made;
    *vote = made;
    lift(running);
    return QDR_OK;
}

void qdri_vote_drop(qdri_vote **vote) {
    if (*vote && (*vote)->done)
        free(*vote);
    else if (*vote)
        (*vote)->dropped = 1;
    *vote = NULL;
}

/* Votes that are not over belong to calls, unless they were dropped. */
void qdri_vote_close(qdri_running *running) {
    for (int i = 0; i < 2; i++) free(running->heard_below[i].ballot);
    while (running->votes) {
        qdri_vote *vote = running->votes;
        running->votes = vote->next;
        free(vote);
    }
}
