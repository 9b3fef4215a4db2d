/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Machines: the network under a pattern, and what it costs.
 *
 * Sending b bytes directly from one rank to another, with no other traffic, takes
 *
 *     tau + hop * (links on the route) + mu * wire(b)     seconds,
 *
 * where wire(b) = b, or P * ceil(b / Q) on a network with packets of P bytes of which Q carry data. Contention comes
 * from two places. *Ports*: a rank has one way out and one way in. `full` ports use both at once, `half` ports one at
 * a time, `paired` ports both at once only when two ranks exchange with each other (iPSC/860). *Links*: a topology
 * has links, each with a bandwidth, and for every pair of ranks a route, which is a list of links. A link carries
 * bandwidth * mu *streams* at full speed, at least one. With more than that at once, packet switching slows all of
 * them down; circuit switching makes the later ones wait.
 *
 * Ranks may share nodes (`k`): then the node's network card is a link of each route that leaves it, one out and one in, its memory the
 * link of those that stay, and the topology joins nodes instead of ranks.
 *
 * A switch whose ports have short queues drops what several senders push at one of them (`queue`). What was lost comes again
 * after a time-out, which may be longer than the whole exchange.
 *
 * One description serves prediction, link-contention scheduling and simulation. A machine never changes once it is
 * made.
 */
#ifndef QUADRILLE_MACHINE_H
#define QUADRILLE_MACHINE_H

#include <stdint.h>
#include <stdio.h>

#include "quadrille/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct qdr_machine qdr_machine;

typedef enum qdr_ports { QDR_PORTS_FULL, QDR_PORTS_HALF, QDR_PORTS_PAIRED } qdr_ports;
typedef enum qdr_sends { QDR_SENDS_BUFFERED, QDR_SENDS_SYNCHRONOUS } qdr_sends;
typedef enum qdr_switching { QDR_SWITCHING_PACKET, QDR_SWITCHING_CIRCUIT } qdr_switching;

/* All numbers in seconds and bytes. */
typedef struct qdr_machine_parameters {
    int ranks;
    double tau;  /* startup per message */
    double mu;   /* per byte on the wire: 1 / rate of a port */
    double hop;  /* per link of the route */
    double copy; /* per byte copied inside a rank (packing of staged schedules) */
    qdr_ports ports;
    qdr_sends sends;
    int64_t buffer; /* bytes of unconfirmed messages a receiver can hold; 0: no limit */
    qdr_switching switching;
    int64_t packet, payload; /* 0, 0: a message travels as it is */
    double barrier;          /* synchronising all ranks */
    double combine, scan;    /* reduction, prefix sum: per element of the vector */
    double broadcast; /* of a network of its own for that: per byte, to all ranks at once; 0: there is none */
    int64_t queue;  /* bytes that a port of a switch holds before it drops packets; 0: nothing is ever lost */
    double timeout; /* after which what was lost comes again */
    int node_ranks; /* consecutive ranks share a node: its network cards, and its memory; 1: each has its own */
    int node_cards; /* network cards of a node; consecutive ranks of it share one */
} qdr_machine_parameters;

/* Local. Makes the machine of a spec for `ranks` ranks: a topology ("mesh:columns=8,tau=1us,mu=1ns"), or a preset,
 * with changes if wanted ("cm5", "cm5:ports=full"). A machine that has a size of its own (n=...) must hold that many
 * ranks. */
qdr_status qdr_machine_create(const char *spec, int ranks, qdr_machine **machine);

/* Local. As qdr_pattern_destroy(). */
void qdr_machine_destroy(qdr_machine **machine);

/* Local, free of cost. Valid as long as the machine. */
const qdr_machine_parameters *qdr_machine_look(const qdr_machine *machine);

/* Local. The spec that it was made from, and the topology's name. */
const char *qdr_machine_spec(const qdr_machine *machine);
const char *qdr_machine_topology(const qdr_machine *machine);

/* Local. Bytes on the wire for b bytes of data. */
int64_t qdr_machine_wire_bytes(const qdr_machine *machine, int64_t bytes);

/* ---- links --------------------------------------------------------------------------------------------- */

/* Local. Links are numbered 0..links-1; a crossbar has none. */
int64_t qdr_machine_links(const qdr_machine *machine);

/* Local. The longest route. */
int qdr_machine_route_limit(const qdr_machine *machine);

/* Local. Writes the links from one rank to another, in order, into route[qdr_machine_route_limit()], and returns how
 * many; 0 when both ranks are the same. Links have a direction. Cost: O(length). */
int qdr_machine_route(const qdr_machine *machine, int from, int to, int64_t *route);

/* Local. Bytes per second of a link; and how many transfers at full port speed it carries at once, at least 1. */
double qdr_machine_link_bandwidth(const qdr_machine *machine, int64_t link);
int64_t qdr_machine_link_streams(const qdr_machine *machine, int64_t link);

/* Local. Seconds beyond tau before the first byte arrives: hop * links, and what single links add (a wide-area
 * link). */
double qdr_machine_latency(const qdr_machine *machine, int from, int to);

/* ---- simulating it ------------------------------------------------------------------------------------- */

/* Local. Writes the machine as a platform of SimGrid, with all settings that make a message cost what it costs here.
 * Its hosts are rank0, rank1, ... At most 4096 ranks, and fewer where routes differ from rank to rank (a mesh of
 * 400). Cost: O(ranks^2 * route length). */
qdr_status qdr_machine_write_simgrid(const qdr_machine *machine, FILE *stream);

/* ---- what there is ------------------------------------------------------------------------------------- */

typedef struct qdr_machine_info {
    const char *name;
    const char *summary; /* one line */
    const char *spec;    /* what a preset stands for; a topology: an example */
    const char *source;  /* where the figures come from */
    const char *options; /* one line per key: "key=default  meaning\n" */
    int is_preset;
} qdr_machine_info;

/* Local. The index-th topology or preset; NULL past the last. `options` lives until the calling thread's next call
 * that describes something. */
const qdr_machine_info *qdr_machine_known(int index);

#ifdef __cplusplus
}
#endif
#endif
