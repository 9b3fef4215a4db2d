/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs, and the rank space of two that are coupled: who is there, and over which wire they talk.
 *
 * A program is side 0 or 1 of its coupling, by the order of the two names; a stream has an exporting side and an
 * importing one. A program that is coupled with itself is both.
 */
#ifndef QDRI_COUPLE_PROGRAM_H
#define QDRI_COUPLE_PROGRAM_H

#include "base/budget.h"
#include "base/error.h"
#include "quadrille/couple.h"
#include "wire/agree.h"
#include "wire/tcp/name.h"
#include "wire/wire.h"

struct qdr_program {
    MPI_Comm common, own; /* what was given; this program's ranks */
    qdri_wire *wire;      /* of `common` */
    qdri_wire *own_wire;
    char name[QDRI_NAME];
    int programs;              /* in `common` */
    char (*roster)[QDRI_NAME]; /* [programs]: their names, sorted */
    int *program_of;           /* [ranks of common] */
    int couplings;
    double seconds;
};

/* The ranks of two programs on one wire. */
typedef struct qdri_space {
    qdri_wire *wire;
    int side;    /* this program's */
    int is_self; /* both sides are the same ranks */
    int own;     /* this rank's place in its program */
    int count[2];
    int *place;          /* [ranks of the wire]: in its program; of side 1, less than 0: -1 - place */
    int *rank[2];        /* [count]: ranks on the wire */
    const char *name[2]; /* of the programs */
} qdri_space;

/* Makes the tables of a space: side_of[r] is the program of rank r of the wire, 0 or 1; neither: not in it. */
qdr_status qdri_space_open(qdri_space *space, qdri_wire *wire, const int *side_of);
void qdri_space_close(qdri_space *space);
/* Whether a rank of the wire is of this rank's program. */
int qdri_space_inside(const qdri_space *space, int rank);
/* A rank of the wire, for sentences. */
qdri_teller qdri_space_sender(const qdri_space *space, int rank);

/* What messages cost, in seconds. */
typedef struct qdri_link_costs {
    double way;     /* of a word to another rank */
    double message; /* of one more message to it */
    double byte;    /* of one more byte */
} qdri_link_costs;

/* What things cost where two programs met, as it was measured then (measure.c): in seconds, and the same on all ranks of
 * both. Nothing costs anything in a program that is coupled with itself, which has no choice either. */
typedef struct qdri_costs {
    double latency;          /* between the roots, there and back */
    double element[2];       /* of computing, on the slowest rank of either side */
    qdri_link_costs link[2]; /* inside a program, and across */
} qdri_costs;
enum { QDRI_INSIDE, QDRI_ACROSS };

/* The most that is believed, in picoseconds: a millisecond for an element or a byte, ten seconds for a message, and a
 * minute for the way. */
#define QDRI_MOST_OF_ELEMENT INT64_C(1000000000)
#define QDRI_MOST_OF_BYTE    INT64_C(1000000000)
#define QDRI_MOST_OF_MESSAGE INT64_C(10000000000000)
#define QDRI_MOST_OF_WAY     INT64_C(60000000000000)

struct qdr_coupling {
    qdr_program *program;
    char name[QDRI_NAME], peer[QDRI_NAME];
    qdri_space space;
    const char *transport;
    char how[400];
    qdri_costs costs;
    double seconds;
    int streams;
    MPI_Comm made; /* a communicator of the two programs, if one had to be made */
    /* The streams': */
    qdr_stream *lingering;         /* closed, but the other program may still ask for something of them */
    struct qdri_running *runnings; /* linked by run.c; begins as NULL */
    qdr_status (*end_streams)(qdr_coupling *coupling); /* those that linger end; NULL: there was none */
};

#endif
