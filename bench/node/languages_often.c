/* SPDX-License-Identifier: BSD-3-Clause */
/* The exchange of languages.c, many times in one call, for languages.py. */
#include "quadrille/map.h"

int exchange_often(qdr_map *map, double *x, int times);

int exchange_often(qdr_map *map, double *x, int times) {
    const qdr_field field = {.source = x, .target = x, .type = QDR_DOUBLE, .width = 1};
    qdr_status status = QDR_OK;
    for (int i = 0; i < times && !status; i++) status = qdr_map_exchange(map, QDR_FORWARD, 1, &field);
    return status != QDR_OK;
}
