/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The port of this rank: how many bytes may be under way to it, found while they come.
 *
 * A switch holds what comes for a port faster than the wire takes it, up to some bytes that nobody tells. A window
 * beyond them loses packets, which costs a time-out; one below rate x latency leaves the wire idle. Between the two
 * lies room, mostly a factor of ten, and a window in its lower part is nearly as good as the best:
 *
 *     window = gain x 3 x (rate x latency + two chunks)
 *
 * where latency counts up to 2 ms. Of a longer one the rest counts twice, whatever the gain: nobody answers
 * later because the wire is long, and what is too much waits in front of ports, among them those of senders. It counts
 * three times where ranks of a host share the port.
 *
 * Latency is the time from a grant to the bytes that it grants on a network where nothing else happens, software
 * included: it is measured once, when the first plan of a communicator is made. Two chunks are what the sender and
 * the switch hold while they pass one on. The rate is that of the arrivals, over whole windows. The first bytes
 * after a pause say nothing about it, since an idle wire, a bucket or a socket may let them pass in a burst.
 *
 * The factor 3 lets senders that are busy elsewhere answer late. Where that is not enough, the rate stays below the
 * best that is known although bytes of several senders are wanted, and the gain rises step by step, at most to 1.4.
 * What comes later than eight windows' time and 20 ms, from a sender that is not always late, may have been lost on the way. If it is so with
 * another sender, too, or time and again, it was the port: the window falls to half of what it was then, though not below
 * rate x latency + two chunks, and comes near that again in the course of some exchanges.
 *
 * A process that computes, or waits for a processor, sees late what was there in time. So lateness counts from when it began to look
 * again, and a rate does, too.
 *
 * Ranks tell each other what they found, in their grants: the window, from which each takes a share, so that all come
 * to about the same and nobody pushes others aside; the best rate; and what was too much. So a rank that receives
 * little knows what others have found out, and one loss, which several of them see, counts once.
 *
 * Where ranks of a host share a port, each has a part of it. At first all have the same; once bytes have come, as much as it
 * wants of what all of them want. Everything that is known of the port is known of the part, and grows and shrinks with it. What ranks tell each
 * other is of parts that are the same for all.
 *
 * Times are told, not taken, so that all of it can be tried out without a network (port_test.c).
 */
#ifndef QDRI_PORT_H
#define QDRI_PORT_H

#include "base/window.h"
#include "wire/wire.h"

/* What a rank tells the others, in bytes and bytes per second; 0: nothing yet. */
typedef struct qdri_port_word {
    int64_t window, ceiling, best;
} qdri_port_word;

typedef struct qdri_port {
    qdri_keepsake kept; /* first: it belongs to a wire, */
    int owners;         /* and to plans, which may outlive that */
    double latency;     /* seconds; 0: not known */
    double window;      /* bytes */
    double ceiling;     /* what the window must not exceed; 0: not known */
    double too_much;    /* the window that something was lost with */
    int is_usual;       /* that concerns others: this port was not much slower than theirs */
    double rate, best;  /* bytes per second: of late; the best that anybody has reached */
    double gain;
    int is_found; /* the window comes from a measurement, here or elsewhere */
    int sharing;  /* ranks that have this port together */
    double
        part; /* of it that this one has: one of so many, unless others are known to want less; all above is of this part */
    int users;         /* exchanges under way */
    void *first;       /* of them, in the order in which they may grant; theirs */
    int64_t under_way; /* bytes granted and not arrived, of all exchanges */
    /* One measurement. */
    double opened, since; /* when the first of these exchanges began; when this round did */
    double shrunk;        /* when something was last found to be lost, here or elsewhere, */
    double lost;          /* and here */
    int suspect,
        strikes; /* whose bytes were last found to be late, and how often since others' were; -1: nobody's */
    int64_t all, skipped, bytes;
    int chunks, rounds;
} qdri_port;

void qdri_port_init(qdri_port *port);
void qdri_port_set_latency(qdri_port *port, double seconds);

/* So much of the port is this rank's. */
void qdri_port_set_part(qdri_port *port, double part);

/* An exchange begins, or ends. */
void qdri_port_enter(qdri_port *port, double now);
void qdri_port_leave(qdri_port *port, double now);

/* Whether what comes at last, having been asked for at `asked`, was so long on its way that it may have been lost. */
int qdri_port_is_late(const qdri_port *port, double asked, double now);
/* It was late, though its sender has answered sooner of late. Whether it is the port: one sender alone may have a slow wire
 * of its own. */
int qdri_port_is_suspect(qdri_port *port, int from);

/* This process looked for nothing until then, and what came meanwhile comes at once: rates are measured from there, as at the beginning. */
void qdri_port_returned(qdri_port *port, double when);

/* Bytes have arrived. `was_lost`: something was, before they came. `is_critical`: no other rank is known to be further
 * behind. */
void qdri_port_arrived(qdri_port *port, int64_t bytes, int was_lost, int is_critical, double now);

qdri_port_word qdri_port_tell(const qdri_port *port);
void qdri_port_told(qdri_port *port, qdri_port_word word, double now);
/* What is worth keeping for a later run: the ceiling is what this one would come back to. And a port of which nothing is known
 * yet begins with what was kept. */
qdri_port_word qdri_port_remember(const qdri_port *port);
void qdri_port_recall(qdri_port *port, qdri_port_word word);

/* Whether a round trip takes so long that much has to be under way. */
static inline int qdri_port_is_far(const qdri_port *port) {
    return qdri_window_is_far(port->latency);
}

/* How much is granted at once: the most, and the least that is worth it. */
static inline int64_t qdri_port_most_chunk(const qdri_port *port) {
    return qdri_window_most_granted(port->rate, port->latency);
}

static inline int64_t qdri_port_least_chunk(const qdri_port *port) {
    return qdri_window_granted(port->window, port->rate, port->latency);
}

/* How many bytes an exchange may send this rank without being asked; and if this were what is known of it. */
int64_t qdri_port_unasked(const qdri_port *port);
int64_t qdri_port_unasked_of(const qdri_port *port, qdri_port_word word);

/* Whether an exchange of so many bytes is better not asked for at all, for all that is known of the port: where a round trip
 * takes long and it is little more than a window, it would mostly wait for grants. */
int qdri_port_is_short(const qdri_port *port, int64_t bytes);

/* ---- on a wire ----------------------------------------------------------------------------------------- */

/* The port of this rank on a wire, made at the first call, with one more owner. NULL: there is no memory. */
qdri_port *qdri_port_of(qdri_wire *wire);
void qdri_port_release(qdri_port *port);
/* Collective, once for a wire. Measures its latency, with the two tags that begin there. */
qdr_status qdri_port_sound(qdri_port *port, qdri_wire *wire, int first_tag, double deadline);

#endif
