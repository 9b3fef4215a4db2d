/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bridges: a wire between two programs that were launched separately.
 *
 * The ranks of a bridge are those of the first program, then those of the second; the first is the one whose
 * name comes first in the alphabet, whichever comes first in time. Between ranks of one program messages go
 * by its own MPI, between programs by TCP, and whatever speaks wire cannot tell. How the two find each other:
 *
 *     contact file   the one that comes first publishes DIRECTORY/FIRST+SECOND.contact: version, token, host
 *                    and its boot, pid, start time, ranks, byte order, address and port of its root; written
 *                    aside, then linked, so that of two only one succeeds; mode 0600
 *     challenge      both prove that they have read the token, and the token does not travel
 *     endpoints      the roots exchange name, ranks, byte order, and the address and port of every rank
 *     sockets        from the beginning each rank of the larger program is linked with two neighbours in the
 *                    smaller one (with its only rank, if there is but one): together a ring through both,
 *                    so everybody has links, and what one rank sees is passed on to all; other pairs are
 *                    linked when they have their first message, by whoever sends it
 *
 * From the meeting on the programs go in step until all links are there: when opening fails on any rank, all
 * ranks of both return the same status and sentence, unless the connection of the roots itself is lost.
 *
 * The end of the other program is the end of the bridge: the kernel closes the sockets of a dead process,
 * keepalive notices a dead host. Then every operation with the other program that is under way fails with
 * QDR_ERR_PEER, and the wire's state is that failure; any other failure of a bridge on one rank is told to all in
 * the same way. A process that is stopped, or computes for long, is not dead.
 *
 * Data travels in clear: the token keeps strangers out, not listeners.
 */
#ifndef QDRI_TCP_H
#define QDRI_TCP_H

#include <mpi.h>

#include "quadrille/base.h"
#include "wire/wire.h"

typedef struct qdri_bridge_request {
    const char *name, *peer; /* of the two programs: letters, digits, - _ . */
    const char *directory;   /* of contact files; the same for both */
    const char *address; /* to listen on, or a host or an interface; NULL: loopback if the directory and all
                              * ranks are on one host, else the address of the host's name */
    double deadline;     /* in qdri_seconds() of the calling process; 0: none */
} qdri_bridge_request;

typedef struct qdri_bridge_view {
    int side;       /* 0: this program's ranks come first */
    int ranks[2];   /* of the first and of the second program */
    char how[400];  /* one line, the same on all ranks of a program: "ocean and atmos over TCP, ..." */
    double latency; /* seconds of a round trip between the roots, a median; the same on both sides */
} qdri_bridge_view;

/* Collective over `comm`, the ranks of this program; returns the same on all of them. */
qdr_status qdri_bridge_open(MPI_Comm comm, const qdri_bridge_request *request, qdri_wire **wire,
                            qdri_bridge_view *view);

/* Strangers that were refused on the listening sockets of this rank so far. */
int64_t qdri_bridge_refused(const qdri_wire *wire);

/* Local. Says goodbye: the end of this program's sockets is no failure for the other if it has nothing under
 * way with this rank. Called, with the wire's lock, before the last release of the wire, which all ranks of
 * the program should come to. */
void qdri_bridge_leave(qdri_wire *wire);

#endif
