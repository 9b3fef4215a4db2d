/* SPDX-License-Identifier: BSD-3-Clause */
/* The matrix of hosts: see hosts.h. */
#include "hosts.h"

#include <limits.h>
#include <stdlib.h>

#include "complain.h"

int hosts_ranks(const arguments *arguments, int64_t *per_host) {
    *per_host = 1;
    return argument_count(arguments, "ranks-per-host", 1, INT_MAX, per_host);
}

/* What the ranks of one host have, for each host. */
static void add_up(const qdr_pattern_view *view, int64_t per_host, int host, int64_t *sum) {
    int64_t first = host * per_host, end = first + per_host < view->ranks ? first + per_host : view->ranks;
    for (int64_t i = view->row_start[first]; i < view->row_start[end]; i++)
        sum[view->destination[i] / per_host] += view->items[i];
    for (int64_t r = first; r < end; r++) sum[host] += view->local[r];
}

qdr_status hosts_join(const qdr_pattern *pattern, int64_t per_host, qdr_pattern **hosts) {
    qdr_pattern_view view = qdr_pattern_look(pattern);
    int all = (int)((view.ranks + per_host - 1) / per_host);
    int64_t count = 0;
    /* No more pairs of hosts exchange than pairs of ranks. */
    qdr_message *message = ALLOCATE(qdr_message, view.messages + view.ranks);
    int64_t *sum = ALLOCATE(int64_t, all);
    for (int host = 0; host < all; host++) {
        for (int other = 0; other < all; other++) sum[other] = 0;
        add_up(&view, per_host, host, sum);
        for (int other = 0; other < all; other++)
            if (sum[other] > 0) message[count++] = (qdr_message){host, other, sum[other]};
    }
    qdr_status status = qdr_pattern_create(all, count, message, hosts);
    free(message);
    free(sum);
    return status;
}
