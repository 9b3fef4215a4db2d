/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The shape of a topology: one file, one struct of functions, one line in topologies.c.
 *
 * A topology sees the ranks 0..ranks-1 of a machine with `size` places (size >= ranks), numbers its directed
 * links 0..links-1, and lists the links between two ranks. Where ranks share nodes, it sees nodes instead, and the links of
 * the nodes are none of its own (nodes.h). Its sizes live in a struct of its own, the
 * `shape`, of which the machine knows no more than how big it is. Everything else (ports, packets, startup)
 * is common to all topologies and stands in machine.c.
 */
#ifndef QDRI_TOPOLOGY_H
#define QDRI_TOPOLOGY_H

#include <stddef.h>
#include <stdint.h>

#include "base/spec.h"

enum { QDRI_MACHINE_RANKS = 1 << 24, QDRI_MACHINE_LINKS = INT32_MAX };

typedef struct qdri_frame {
    int ranks;          /* asked for: 1..QDRI_MACHINE_RANKS */
    int size;           /* of the machine, at least `ranks` */
    double port;        /* bytes per second of a rank: 1 / mu */
    double link;        /* bytes per second of an ordinary link */
    double width;       /* how many cards of a node each link carries at full speed */
    const char *places; /* what they are, for sentences: "ranks" or "nodes" */
    int64_t links;      /* set by form() */
    int route_limit;    /* set by form(): the longest route between two of the ranks */
} qdri_frame;

typedef struct qdri_topology {
    const char *name;
    const char *summary;
    const char *example;
    const char *source; /* of the defaults */
    const qdri_option *options;
    int option_count;
    const char *help; /* the options, a line each */
    size_t shape_size;
    /* Computes the shape and the frame's last two fields; fails where the keys and the ranks do not fit. */
    qdr_status (*form)(const qdri_spec *spec, qdri_frame *frame, void *shape);
    /* Two different ranks. `route` may be NULL: only the length is wanted. */
    int (*route)(const void *shape, int from, int to, int64_t *route);
    double (*bandwidth)(const void *shape, int64_t link);   /* NULL: all links are ordinary */
    double (*latency)(const void *shape, int from, int to); /* NULL: nothing beyond the hops */
    int links_are_cuts; /* a link is the only way between the places on its two sides */
} qdri_topology;

typedef struct qdri_preset {
    const char *name;
    const char *summary;
    const char *spec;
    const char *source;
} qdri_preset;

/* No links: for whoever has none of his own. */
qdr_status qdri_crossbar_form(const qdri_spec *spec, qdri_frame *frame, void *shape);
int qdri_crossbar_route(const void *shape, int from, int to, int64_t *route);

/* Both tables end with NULL, or a NULL name. */
extern const qdri_topology *const qdri_topologies[];
extern const qdri_preset qdri_presets[];

/* The links of a route are written by one hand, which also counts when there is nowhere to write. */
static inline int qdri_route_add(int64_t *route, int length, int64_t link) {
    if (route) route[length] = link;
    return length + 1;
}

/* The place of `to` among all places but `from`: numbers the ordered pairs of a set densely. */
static inline int64_t qdri_other(int64_t from, int64_t to) {
    return to < from ? to : to - 1;
}

/* ---- options ------------------------------------------------------------------------------------------- */

/* A list of options is a macro, so that the reader's table and the help are one text:
 * X(key, kind, default, lowest, highest, words, meaning). Topologies differ in no other common defaults than
 * those that they give. */
#define QDRI_COMMON_OPTIONS(X, ranks_of_a_node, startup, per_byte)                                           \
    X("tau", TIME, startup, 0, 1e6, NULL, "startup of a message")                                            \
    X("mu", TIME, per_byte, 1e-15, 1e3, NULL, "per byte on the wire, at the port of a rank")                 \
    X("rate", RATE, "", 1e-3, 1e15, NULL, "1/mu, instead of mu")                                             \
    X("hop", TIME, "0", 0, 1e6, NULL, "per link of the route")                                               \
    X("copy", TIME, "0", 0, 1e3, NULL, "per byte copied inside a rank")                                      \
    X("ports", WORD, "full", 0, 0, "full half paired", "full, half (in or out), paired (both in exchanges)") \
    X("sends", WORD, "buffered", 0, 0, "buffered synchronous", "buffered, or synchronous with the receive")  \
    X("buffer", INTEGER, "0", 0, 0x1p62, NULL, "bytes a receiver holds unconfirmed; 0: no limit")            \
    X("switching", WORD, "packet", 0, 0, "packet circuit", "on a busy link packets share, circuits wait")    \
    X("packet", INTEGER, "0", 0, 0x1p30, NULL, "bytes of a packet; 0: a message travels as it is")           \
    X("payload", INTEGER, "0", 0, 0x1p30, NULL, "bytes of data in a packet")                                 \
    X("barrier", TIME, "", 0, 1e6, NULL, "synchronising all ranks; absent: lg ranks messages")               \
    X("combine", TIME, "", 0, 1e6, NULL, "reduction, per element; absent: 16 * mu")                          \
    X("scan", TIME, "", 0, 1e6, NULL, "prefix sum, per element; absent: 8 * mu * lg ranks")                  \
    X("broadcast", TIME, "", 0, 1e3, NULL, "per byte to all ranks, by a network for that; absent: none")     \
    X("queue", INTEGER, "0", 0, 0x1p62, NULL, "bytes a port of a switch holds; 0: nothing is ever lost")     \
    X("timeout", TIME, "200ms", 0, 1e6, NULL, "after which what was lost comes again")                       \
    X("link", RATE, "", 1e-3, 1e15, NULL, "an ordinary link; absent: 1/mu, one transfer at full speed")      \
    X("k", INTEGER, ranks_of_a_node, 1, QDRI_MACHINE_RANKS, NULL,                                            \
      "ranks that share a node; links join nodes")                                                           \
    X("cards", INTEGER, "1", 1, QDRI_MACHINE_RANKS, NULL,                                                    \
      "network cards of a node; ordinary links are as many times as wide")                              \
    X("nic", RATE, "", 1e-3, 1e15, NULL, "a node's card, each way; absent: link")                            \
    X("memory", RATE, "", 1e-3, 1e15, NULL, "a node's memory, all its ranks together; absent: k/mu")         \
    X("n", INTEGER, "", 1, QDRI_MACHINE_RANKS, NULL, "ranks the machine holds; absent: those asked for")

#define QDRI_OPTION_ENTRY(key, kind, standard, lowest, highest, words, meaning)                              \
    {key, QDRI_##kind, standard, lowest, highest, words, meaning, 0},
#define QDRI_OPTION_LINE(key, kind, standard, lowest, highest, words, meaning)                               \
    key "=" standard "  " meaning "\n"

#endif
