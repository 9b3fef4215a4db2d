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

struct qdr_coupling {
    qdr_program *program;
    char name[QDRI_NAME], peer[QDRI_NAME];
    qdri_space space;
    const char *transport;
    char how[400];
    double latency, seconds;
    int streams;
    MPI_Comm made; /* a communicator of the two programs, if one had to be made */
    /* The streams': */
    qdr_stream *lingering;         /* closed, but the other program may still ask for something of them */
    struct qdri_running *runnings; /* linked by run.c; begins as NULL */
    qdr_status (*end_streams)(qdr_coupling *coupling); /* those that linger end; NULL: there was none */
};

#endif
