/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Grouping flat lists by partner: a counting sort, so links with one partner stay in their order. Partners
 * stand by rising rank, or in an order that is given. Cost: O(links + ranks).
 */
#include <stdlib.h>

#include "base/memory.h"
#include "map/inside.h"

static qdr_status check_flat(const qdr_indices *flat, const char *what, int ranks) {
    if (flat->partners != 0 || flat->rank || flat->count)
        return qdri_fail(QDR_INVALID, "%s: lists are flat (links, link_rank) or grouped, not both", what);
    if (flat->links < 0 || flat->links > INT64_C(1) << 56 || (flat->links > 0 && !flat->link_rank))
        return qdri_fail(QDR_RANGE, "%s: %lld links%s; expected 0 to 2^56", what, (long long)flat->links,
                         flat->link_rank ? "" : ", and link_rank is NULL");
    for (int64_t k = 0; k < flat->links; k++)
        if (flat->link_rank[k] < 0 || flat->link_rank[k] >= ranks)
            return qdri_fail(QDR_RANGE, "%s: link_rank[%lld] is %d; expected 0 to %d", what, (long long)k,
                             flat->link_rank[k], ranks - 1);
    return QDR_OK;
}

/* The partners, and where the links with each rank begin. */
static qdr_status order_partners(const qdr_indices *flat, const char *what, int ranks, int partners,
                                 const int *order, qdri_map_group *group, int64_t *start) {
    for (int64_t k = 0; k < flat->links; k++) start[flat->link_rank[k]]++;
    for (int i = 0; i < partners; i++) {
        group->rank[i] = order[i];
        group->count[i] = start[order[i]];
    }
    group->partners = partners;
    for (int r = 0; !order && r < ranks; r++)
        if (start[r] > 0) {
            group->rank[group->partners] = r;
            group->count[group->partners++] = start[r];
        }
    int64_t place = 0;
    for (int i = 0; i < group->partners; i++) {
        start[group->rank[i]] = place;
        place += group->count[i];
    }
    return place == flat->links
               ? QDR_OK
               : qdri_fail(QDR_INVALID, "%s: a link with a rank that is not a partner", what);
}

static void place_links(const qdr_indices *flat, int64_t *start, qdri_map_group *group) {
    for (int64_t k = 0; k < flat->links; k++) {
        int64_t place = start[flat->link_rank[k]]++;
        group->local[place] = flat->local ? flat->local[k] : k;
        if (flat->remote) group->remote[place] = flat->remote[k];
    }
}

qdr_status qdri_map_group_open(const qdr_indices *given, const char *what, int ranks, int partners,
                               const int *order, qdri_map_group *group) {
    *group = (qdri_map_group){.indices = *given};
    int is_flat = given->links != 0 || given->link_rank ||
                  (order && given->partners == 0 && !given->rank && !given->count);
    if (!is_flat) return QDR_OK;
    QDRI_TRY(check_flat(given, what, ranks));
    int64_t *start = QDRI_ZERO_ARRAY(int64_t, ranks);
    group->rank = QDRI_ARRAY(int, ranks);
    group->count = QDRI_ARRAY(int64_t, ranks);
    group->local = QDRI_ARRAY(int64_t, given->links);
    group->remote = QDRI_ARRAY(int64_t, given->remote ? given->links : 0);
    qdr_status status = start && group->rank && group->count && group->local && group->remote
                            ? order_partners(given, what, ranks, partners, order, group, start)
                            : qdri_fail_memory();
    if (!status) {
        place_links(given, start, group);
        group->indices = (qdr_indices){.partners = group->partners,
                                       .rank = group->rank,
                                       .count = group->count,
                                       .local = group->local,
                                       .remote = given->remote ? group->remote : NULL};
    }
    free(start);
    if (status) qdri_map_group_close(group);
    return status;
}

void qdri_map_group_close(qdri_map_group *group) {
    free(group->rank);
    free(group->count);
    free(group->local);
    free(group->remote);
    *group = (qdri_map_group){.partners = 0};
}
