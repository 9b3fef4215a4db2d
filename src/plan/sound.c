/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sounding: how long it takes from a grant to the bytes that it grants, on a network where nothing else happens. Every
 * rank asks the one half a round away, which is on another node where there are several, and is answered with a
 * chunk; the median of a few times is it. All ranks do so at the same time, which costs about a millisecond on
 * slow wires, once for a communicator. What others ask is answered while one's own answer is awaited.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "plan/port.h"

enum { TIMES = 5 };

/* It stays where a deadline passes: MPI may still write to it. */
typedef struct sounding {
    qdri_operation ask, hear, answer, get; /* first: callbacks convert by their places */
    qdri_wire *wire;
    int to, from, first_tag;
    int left; /* operations of this turn that are not done */
    int finished;
    qdr_status status;
    double got; /* when the answer came */
    char question, asked;
    char chunk[QDRI_LEAST_CHUNK], answered[QDRI_LEAST_CHUNK];
} sounding;

static void end_one(sounding *one, qdr_status status) {
    if (status && !one->status) one->status = status;
    one->finished = --one->left == 0 || one->status != QDR_OK;
}

#define OWNER(operation, member) ((sounding *)((char *)(operation)-offsetof(sounding, member)))

static void has_asked(qdri_operation *operation, qdr_status status) {
    end_one(OWNER(operation, ask), status);
}

static void has_answered(qdri_operation *operation, qdr_status status) {
    end_one(OWNER(operation, answer), status);
}

static void has_got(qdri_operation *operation, qdr_status status) {
    OWNER(operation, get)->got = qdri_seconds();
    end_one(OWNER(operation, get), status);
}

static void was_asked(qdri_operation *operation, qdr_status status) {
    sounding *one = OWNER(operation, hear);
    if (!status)
        status =
            qdri_send(one->wire, &one->answer, one->from, one->first_tag + 1, one->chunk, sizeof one->chunk);
    if (status) one->left--; /* no answer goes */
    end_one(one, status);
}

static qdr_status take_turn(sounding *one, double deadline) {
    qdri_wire *wire = one->wire;
    one->left = 4;
    one->finished = 0;
    QDRI_TRY(qdri_receive(wire, &one->hear, one->from, one->first_tag, &one->asked, 1));
    QDRI_TRY(qdri_receive(wire, &one->get, one->to, one->first_tag + 1, one->answered, sizeof one->answered));
    QDRI_TRY(qdri_send(wire, &one->ask, one->to, one->first_tag, &one->question, 1));
    QDRI_TRY(qdri_wait_until(wire, &one->finished, deadline));
    return one->status;
}

qdr_status qdri_port_sound(qdri_port *port, qdri_wire *wire, int first_tag, double deadline) {
    int rank = qdri_wire_rank(wire), ranks = qdri_wire_ranks(wire);
    if (ranks == 1 || port->latency > 0) return QDR_OK;
    sounding *one = QDRI_ZERO_ARRAY(sounding, 1);
    if (!one) return qdri_fail_memory();
    one->wire = wire;
    one->first_tag = first_tag;
    one->to = (rank + ranks / 2) % ranks;
    one->from = (rank + ranks - ranks / 2) % ranks;
    one->ask.done = has_asked;
    one->hear.done = was_asked;
    one->answer.done = has_answered;
    one->get.done = has_got;
    double taken[TIMES];
    for (int turn = 0; turn < TIMES; turn++) {
        double begin = qdri_seconds();
        QDRI_TRY(take_turn(one, deadline));
        int place = turn;
        for (; place > 0 && taken[place - 1] > one->got - begin; place--) taken[place] = taken[place - 1];
        taken[place] = one->got - begin;
    }
    qdri_port_set_latency(port, taken[TIMES / 2]);
    free(one);
    return QDR_OK;
}
