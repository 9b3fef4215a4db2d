/* SPDX-License-Identifier: BSD-3-Clause */
/* What languages.py compares Python with: an exchange of a map, many times in one call, and a delivery of sorted keys. */
#include "quadrille/deliver.h"
#include "quadrille/map.h"

int exchange_often(qdr_map *map, double *x, int times);
int64_t deliver_keys(int comm, const int64_t *key, int ranks, const int64_t *items);

int exchange_often(qdr_map *map, double *x, int times) {
    const qdr_field field = {.source = x, .target = x, .type = QDR_DOUBLE, .width = 1};
    qdr_status status = QDR_OK;
    for (int i = 0; i < times && !status; i++) status = qdr_map_exchange(map, QDR_FORWARD, 1, &field);
    return status != QDR_OK;
}

/* How many have come; -1: it failed. */
int64_t deliver_keys(int comm, const int64_t *key, int ranks, const int64_t *items) {
    const qdr_items leaving = {.item_bytes = sizeof *key, .data = key, .groups = ranks, .items = items};
    qdr_arrivals came = {0};
    qdr_status status = qdr_deliver(MPI_Comm_f2c(comm), &leaving, &came);
    int64_t count = status ? -1 : came.count;
    qdr_arrivals_free(&came);
    return count;
}
