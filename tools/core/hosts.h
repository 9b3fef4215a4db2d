/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hosts: consecutive ranks that share a port. What counts of a pattern then is the matrix of hosts: what the ranks of one have for
 * those of another. What stays inside a host is on its diagonal.
 */
#ifndef HOSTS_H
#define HOSTS_H

#include "arguments.h"
#include "quadrille.h"

#define OPTION_RANKS_PER_HOST                                                                                \
    {                                                                                                        \
        0, "ranks-per-host", "K", "consecutive ranks that share a host and its port: bounds of hosts, too",  \
            OPTION_ONCE                                                                                      \
    }

/* Of --ranks-per-host; 1 when it is absent. Complains by itself and returns an exit code. */
int hosts_ranks(const arguments *arguments, int64_t *per_host);

/* The matrix of hosts; the last one may have fewer ranks. */
qdr_status hosts_join(const qdr_pattern *pattern, int64_t per_host, qdr_pattern **hosts);

#endif
