/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A flight: all that one collective call has under way, and all the memory that it works on.
 *
 * When a deadline passes, MPI may still read from and write into whatever it was given. So nothing is given
 * to it that the caller could free: messages go from and into memory of the flight, and a flight that ends
 * before its operations do stays behind, without its caller, until the last of them is done.
 *
 * The functions here expect the wire's lock to be held.
 */
#ifndef QDRI_FLIGHT_H
#define QDRI_FLIGHT_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#include "quadrille/base.h"
#include "wire/wire.h"

typedef struct qdri_flight qdri_flight;
typedef struct qdri_flight_leg qdri_flight_leg;

/* One operation of a flight. */
struct qdri_flight_leg {
    qdri_operation operation; /* comes first: a leg is found from it */
    qdri_flight *flight;
    void (*landing)(qdri_flight_leg *leg); /* called when it went well; NULL: nothing to do */
    void *context;                         /* for `landing` */
    int64_t expected;                      /* of a receive, how much has to come; 0: whatever comes */
    int listed, under_way, is_receive;
    qdri_flight_leg *next;
};

struct qdri_flight {
    qdri_wire *wire;
    const char *what;       /* for sentences: "discovery" */
    double begun, deadline; /* one for the whole call */
    int expects_more;       /* not over, though nothing may be under way */

    /* private */
    int over, abandoned;
    int64_t under_way, reserved;
    qdr_status failed;
    char sentence[512];
    qdri_flight_leg *legs; /* all that were ever started */
    struct qdri_flight_block *blocks;
    void *result;
    int64_t result_bytes;
    int64_t block_bytes; /* of all blocks */
};

/* Opens the wire of a communicator, takes its lock and makes a flight; fails only without a wire. A flight
 * for which there is no memory is NULL, and that is something for the ranks to agree on. */
qdr_status qdri_flight_open(MPI_Comm comm, const char *what, qdri_wire **wire, qdri_flight **flight);

/* Undoes both, also for a flight that is NULL. */
void qdri_flight_close(qdri_wire **wire, qdri_flight **flight);

/* The parts of these two, for callers that have a wire and hold its lock. */
qdri_flight *qdri_flight_create(qdri_wire *wire, const char *what);
void qdri_flight_end(qdri_flight **flight);

/* ---- memory -------------------------------------------------------------------------------------------- */

/* Lives as long as the flight, zero at first; NULL without memory. */
void *qdri_flight_alloc(qdri_flight *flight, int64_t count, size_t size);
#define QDRI_FLIGHT_ARRAY(flight, type, count) ((type *)qdri_flight_alloc((flight), (count), sizeof(type)))

/* The same, not initialised: for much that will be written anyway. */
void *qdri_flight_space(qdri_flight *flight, int64_t count, size_t size);
#define QDRI_FLIGHT_SPACE(flight, type, count) ((type *)qdri_flight_space((flight), (count), sizeof(type)))

/* What it has taken so far. */
int64_t qdri_flight_bytes(const qdri_flight *flight);
/* What one will take that has so many legs, and so many arrays, those of legs among them, of which the others have so
 * many bytes; the same on all ranks. */
int64_t qdri_flight_needs(const qdri_wire *wire, int64_t legs, int64_t arrays, int64_t bytes);

/* Legs, with room for them on the wire, so that starting them needs no memory. */
qdri_flight_leg *qdri_flight_legs(qdri_flight *flight, int64_t count);

/* The one block that is for the caller, who frees it with free() once he has taken it. Asked for again, it
 * changes its size; a smaller one is always to be had. */
void *qdri_flight_result(qdri_flight *flight, int64_t bytes);
void *qdri_flight_take_result(qdri_flight *flight);

/* ---- operations ---------------------------------------------------------------------------------------- */

/* Takes note of a leg whose operation was just started: `qdri_flight_note(leg, qdri_send(...))`. */
void qdri_flight_note(qdri_flight_leg *leg, qdr_status started);

/* Ends the waiting with this failure, whose sentence is the thread's error message. */
void qdri_flight_fail(qdri_flight *flight, qdr_status status);

/* Until nothing is under way and no more is expected. A failure here, MPI's or the deadline, is this rank's alone; after that
 * the wire is broken. */
qdr_status qdri_flight_wait(qdri_flight *flight);
/* The same without waiting: lets everything advance, and says whether the waiting would be over. */
qdr_status qdri_flight_test(qdri_flight *flight, int *over);
/* As the waiting, where an agreement of the same call follows. After a failure this rank takes part in it here, and returns what all
 * others do. */
qdr_status qdri_flight_wait_midway(qdri_flight *flight);

/* It has as much time again as it had in the beginning. */
void qdri_flight_renew(qdri_flight *flight);

/* Agreement with the deadline of the flight (which may be NULL); `status` is this rank's. */
qdr_status qdri_flight_agree(qdri_wire *wire, const qdri_flight *flight, const char *call, qdr_status status);

#endif
