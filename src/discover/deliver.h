/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Delivering: messages of which both ends know the size. They go under one tag: the order between two ranks is kept,
 * and both ends have the same idea of the sequence of such messages, round after round.
 */
#ifndef QDRI_DELIVER_H
#define QDRI_DELIVER_H

#include "quadrille/discover.h"
#include "wire/flight.h"

/* Sends and receives messages of which both ends know the size, of any size, as legs of the flight, whose owner waits for
 * them. A parcel without data is none. `legs` has one for each of both; out and in are memory of the flight. */
void qdri_deliver(qdri_flight *flight, qdri_flight_leg *legs, int sends, const qdr_parcel *out, int receives,
                  const qdr_parcel *in);

#endif
