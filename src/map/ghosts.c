/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where ghosts lie that are kept where they arrived. A flat list is grouped by partner, and links with one partner stay in their
 * order (group.c); so the position of a link is how many links with the same partner stand before it, and nothing has to
 * be kept for that. Cost: O(links + ranks).
 */
#include <stdlib.h>

#include "base/memory.h"
#include "discover/partners.h"
#include "map/inside.h"
#include "plan/cargo.h"

/* Who sends in this direction, and how many elements. */
static int sources_of(const qdr_map *map, qdr_direction direction, const int **rank, const int64_t **items) {
    qdr_partners_view view = qdr_partners_look(map->partners);
    *rank = direction == QDR_FORWARD ? view.source : view.destination;
    *items = direction == QDR_FORWARD ? view.receive_items : view.send_items;
    return direction == QDR_FORWARD ? view.receives : view.sends;
}

static qdr_status check(const char *call, const qdr_map *map, qdr_direction direction, int64_t links,
                        int is_complete) {
    if (!map || (direction != QDR_FORWARD && direction != QDR_REVERSE))
        return qdri_fail(QDR_ERR_INVALID, "%s: the map is NULL, or this is no direction", call);
    if (!map->keeps || !map->plan[direction])
        return qdri_fail(QDR_ERR_INVALID,
                         "%s: what arrives in this direction is not kept; see keeps_incoming and reverse",
                         call);
    if (links < 0 || links > INT64_C(1) << 56 || (links > 0 && !is_complete))
        return qdri_fail(QDR_ERR_RANGE, "%s: %lld links%s; expected 0 to 2^56", call, (long long)links,
                         is_complete ? "" : ", and an array is NULL");
    return QDR_OK;
}

/* `next`: [ranks], the position of the next link with each; before that, -1 for who sends nothing. */
static qdr_status count_links(int64_t links, const int *link_rank, int ranks, int64_t *next,
                              const int *number, int *source, int64_t *position) {
    for (int64_t k = 0; k < links; k++) {
        int rank = link_rank[k];
        if (rank < 0 || rank >= ranks || next[rank] < 0)
            return qdri_fail(QDR_ERR_INVALID,
                             "qdr_map_ghost_places: link %lld is with rank %d, from which nothing comes",
                             (long long)k, rank);
        source[k] = number[rank];
        position[k] = next[rank]++;
    }
    return QDR_OK;
}

static qdr_status find_places(const qdr_map *map, qdr_direction direction, int64_t links,
                              const int *link_rank, int *source, int64_t *position, int64_t *next,
                              int *number) {
    const int *rank;
    const int64_t *items;
    int ranks = qdr_partners_look(map->partners).ranks;
    int sources = sources_of(map, direction, &rank, &items);
    for (int r = 0; r < ranks; r++) next[r] = -1;
    for (int i = 0; i < sources; i++) {
        next[rank[i]] = 0;
        number[rank[i]] = i;
    }
    QDRI_TRY(count_links(links, link_rank, ranks, next, number, source, position));
    for (int i = 0; i < sources; i++)
        if (next[rank[i]] != items[i])
            return qdri_fail(QDR_ERR_MISMATCH,
                             "qdr_map_ghost_places: %lld links with rank %d; the map has %lld",
                             (long long)next[rank[i]], rank[i], (long long)items[i]);
    return QDR_OK;
}

qdr_status qdr_map_ghost_places(const qdr_map *map, qdr_direction direction, int64_t links,
                                const int *link_rank, int *source, int64_t *position) {
    QDRI_TRY(check("qdr_map_ghost_places", map, direction, links, link_rank && source && position));
    int ranks = qdr_partners_look(map->partners).ranks;
    int64_t *next = QDRI_ARRAY(int64_t, ranks);
    int *number = QDRI_ARRAY(int, ranks);
    qdr_status status = next && number
                            ? find_places(map, direction, links, link_rank, source, position, next, number)
                            : qdri_fail_memory();
    free(next);
    free(number);
    return status;
}

/* The bytes of an element of a field in the exchange that ended last; 0: there is no such field, or they vary. */
static int64_t element_bytes(const qdr_map *map, qdr_direction direction, int field) {
    const qdri_load *load = &map->load[direction][qdri_plan_ended(map->plan[direction]) % map->loads];
    for (int i = 0; i < load->fields; i++)
        if (load->field[i].number == field) return load->field[i].bytes;
    return 0;
}

qdr_status qdr_map_ghosts(const qdr_map *map, qdr_direction direction, int field, int64_t links,
                          const int *source, const int64_t *position, const void **ghost) {
    QDRI_TRY(check("qdr_map_ghosts", map, direction, links, source && position && ghost));
    const int *rank;
    const int64_t *items;
    int sources = sources_of(map, direction, &rank, &items), last = -1;
    const char *from = NULL;
    int64_t bytes = links > 0 && qdr_map_incoming(map, direction, source[0], field)
                        ? element_bytes(map, direction, field)
                        : 0;
    if (links > 0 && bytes == 0)
        return qdri_fail(QDR_ERR_INVALID,
                         "qdr_map_ghosts: nothing has come yet of field %d, or its elements vary in size",
                         field);
    for (int64_t k = 0; k < links; k++) {
        if (source[k] != last) from = qdr_map_incoming(map, direction, last = source[k], field);
        if (last < 0 || last >= sources || position[k] < 0 || position[k] >= items[last] || !from)
            return qdri_fail(QDR_ERR_RANGE,
                             "qdr_map_ghosts: link %lld is element %lld of source %d, which is not there",
                             (long long)k, (long long)position[k], source[k]);
        ghost[k] = from + position[k] * bytes;
    }
    return QDR_OK;
}
