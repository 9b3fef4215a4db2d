/* SPDX-License-Identifier: BSD-3-Clause */
/* Routes: a closed form is packed by its selection, what is listed by the kernels of lists. */
#include <stdlib.h>

#include "couple/inside.h"
#include "item/kernels.h"

void qdri_routes_close(qdri_routes *routes) {
    for (int i = 0; i < routes->count; i++) {
        qdri_selection_close(&routes->route[i].selection);
        qdri_list_close(&routes->route[i].list);
    }
    free(routes->route);
    *routes = (qdri_routes){.count = 0};
}

static int is_list(const qdri_route *route) {
    return route->list.count > 0;
}

int64_t qdri_route_runs(const qdri_route *route) {
    const qdri_list *list = &route->list;
    if (!is_list(route)) return qdri_selection_runs(&route->selection);
    if (list->shape == QDRI_EVEN) return list->stride == 1 ? 1 : list->count;
    return list->shape == QDRI_RUNS ? list->runs : list->count;
}

void qdri_route_expand(const qdri_route *route, int64_t *place) {
    if (!is_list(route)) {
        qdri_selection_expand(&route->selection, place);
        return;
    }
    for (int64_t i = 0; i < route->elements; i++) place[i] = qdri_list_at(&route->list, i);
}

void qdri_route_pack(const qdri_route *route, const void *array, int64_t element_bytes, void *packed) {
    if (is_list(route))
        qdri_gather(&route->list, array, element_bytes, packed);
    else
        qdri_selection_pack(&route->selection, array, element_bytes, packed);
}

void qdri_route_unpack(const qdri_route *route, const void *packed, int64_t element_bytes, void *array) {
    if (is_list(route))
        qdri_scatter(&route->list, packed, element_bytes, array);
    else
        qdri_selection_unpack(&route->selection, packed, element_bytes, array);
}
