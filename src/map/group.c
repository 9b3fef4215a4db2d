/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lists as the rest of the room has them: grouped by partner, numbers of 64 bits. Grouping is a counting sort, so links
 * with one partner stay in their order. Partners stand by rising rank, or in an order that is given. Cost: O(links +
 * ranks); nothing for lists that are so already.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "map/inside.h"

static qdr_status check_flat(const qdr_indices *flat, const char *what, int ranks) {
    if (flat->partners != 0 || flat->rank || flat->count || flat->count32)
        return qdri_fail(QDR_ERR_INVALID, "%s: lists are flat (links, link_rank) or grouped, not both", what);
    if (flat->links < 0 || flat->links > INT64_C(1) << 56)
        return qdri_fail(QDR_ERR_RANGE, "%s: %lld links; expected 0 to 2^56", what, (long long)flat->links);
    if (flat->links > 0 && !flat->link_rank)
        return qdri_fail(QDR_ERR_INVALID, "%s: %lld links, but link_rank is NULL", what,
                         (long long)flat->links);
    for (int64_t k = 0; k < flat->links; k++)
        if (flat->link_rank[k] < 0 || flat->link_rank[k] >= ranks)
            return qdri_fail(QDR_ERR_RANGE, "%s: link_rank[%lld] is %d; expected 0 to %d", what, (long long)k,
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
               : qdri_fail(QDR_ERR_INVALID, "%s: a link with a rank that is not a partner", what);
}

static void place_links(const qdr_indices *flat, int64_t *start, qdri_map_group *group) {
    for (int64_t k = 0; k < flat->links; k++) {
        int64_t place = start[flat->link_rank[k]]++;
        group->place[place] = flat->place ? flat->place[k] : flat->place32 ? flat->place32[k] : k;
        if (flat->partner_place)
            group->partner_place[place] = flat->partner_place[k];
        else if (flat->partner_place32)
            group->partner_place[place] = flat->partner_place32[k];
    }
}

static int has_partner_places(const qdr_indices *given) {
    return given->partner_place || given->partner_place32;
}

static qdr_status group_flat(const qdr_indices *given, const char *what, int ranks, int partners,
                             const int *order, qdri_map_group *group) {
    QDRI_TRY(check_flat(given, what, ranks));
    int64_t *start = QDRI_ZERO_ARRAY(int64_t, ranks);
    group->rank = QDRI_ARRAY(int, ranks);
    group->count = QDRI_ARRAY(int64_t, ranks);
    group->place = QDRI_ARRAY(int64_t, given->links);
    group->partner_place = QDRI_ARRAY(int64_t, has_partner_places(given) ? given->links : 0);
    qdr_status status = start && group->rank && group->count && group->place && group->partner_place
                            ? order_partners(given, what, ranks, partners, order, group, start)
                            : qdri_fail_memory();
    if (!status) {
        place_links(given, start, group);
        group->indices =
            (qdr_indices){.partners = group->partners,
                          .rank = group->rank,
                          .count = group->count,
                          .place = group->place,
                          .partner_place = has_partner_places(given) ? group->partner_place : NULL};
    }
    free(start);
    return status;
}

/* Numbers of 32 bits become numbers of 64. */
static qdr_status widen(int64_t count, const int32_t *given, int64_t **made, const int64_t **used) {
    if (!given) return QDR_OK;
    *used = *made = QDRI_ARRAY(int64_t, count);
    if (!*made) return qdri_fail_memory();
    for (int64_t i = 0; i < count; i++) (*made)[i] = given[i];
    return QDR_OK;
}

static qdr_status widen_grouped(const qdr_indices *given, const char *what, int ranks,
                                qdri_map_group *group) {
    qdr_indices *wide = &group->indices;
    if (given->partners < 0 || given->partners > ranks)
        return qdri_fail(QDR_ERR_RANGE, "%s: %d partners; expected 0 to %d", what, given->partners, ranks);
    QDRI_TRY(widen(given->partners, given->count32, &group->count, &wide->count));
    int64_t links = 0;
    for (int i = 0; wide->count && i < given->partners; i++) {
        if (wide->count[i] < 0)
            return qdri_fail(QDR_ERR_RANGE, "%s: %lld links with partner %d", what, (long long)wide->count[i],
                             i);
        links += wide->count[i];
    }
    QDRI_TRY(widen(links, given->place32, &group->place, &wide->place));
    QDRI_TRY(widen(links, given->partner_place32, &group->partner_place, &wide->partner_place));
    wide->count32 = wide->place32 = wide->partner_place32 = NULL;
    return QDR_OK;
}

static qdr_status check_widths(const qdr_indices *given, const char *what) {
    const char *twice = given->count && given->count32                   ? "count"
                        : given->place && given->place32                 ? "place"
                        : given->partner_place && given->partner_place32 ? "partner_place"
                                                                         : NULL;
    return twice ? qdri_fail(QDR_ERR_INVALID, "%s: both %s and %s32 are given; expected one of them", what,
                             twice, twice)
                 : QDR_OK;
}

qdr_status qdri_map_group_open(const qdr_indices *given, const char *what, int ranks, int partners,
                               const int *order, qdri_map_group *group) {
    *group = (qdri_map_group){.indices = *given};
    int is_flat = given->links != 0 || given->link_rank ||
                  (order && given->partners == 0 && !given->rank && !given->count && !given->count32);
    int is_narrow = given->count32 || given->place32 || given->partner_place32;
    qdr_status status = check_widths(given, what);
    if (!status && is_flat)
        status = group_flat(given, what, ranks, partners, order, group);
    else if (!status && is_narrow)
        status = widen_grouped(given, what, ranks, group);
    if (status) qdri_map_group_close(group);
    return status;
}

void qdri_map_group_close(qdri_map_group *group) {
    free(group->rank);
    free(group->count);
    free(group->place);
    free(group->partner_place);
    *group = (qdri_map_group){.partners = 0};
}
