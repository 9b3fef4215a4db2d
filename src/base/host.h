/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which host this is. Hosts and containers often have the same name, and numbers of name spaces are the same on all
 * hosts; but each start of a system has an id of its own. So a host is its name, its boot and its space of process
 * numbers, and two processes share a host when all three are the same.
 */
#ifndef QDRI_HOST_H
#define QDRI_HOST_H

#include <stddef.h>
#include <stdint.h>

/* Its name, with its end: letters, digits and - _ . alone, for it travels in lines of text. */
void qdri_host_name(char *name, size_t size);
/* A digest of the id of this start of the system; 0: it has none. */
int64_t qdri_host_boot(void);
/* Of process numbers; 0: not known. */
int64_t qdri_host_space(void);

/* Of all three; not negative. `node_ranks`, of QDR_NODE_RANKS, cuts a host into several of so many ranks each; 0: it is
 * whole. */
int64_t qdri_host_digest(int rank, int node_ranks);

#endif
