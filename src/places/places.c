/* SPDX-License-Identifier: BSD-3-Clause */
/* What places say of themselves. */
#include "places/places.h"

#include <stdlib.h>

#include "places/walk.h"

void qdri_places_close(qdri_places *places) {
    free(places->distance);
    free(places->piece);
    free(places->axis_spans);
    free(places->span);
    free(places->position);
    *places = (qdri_places){.highest = -1, .distinct = 1, .stride = 1};
}

qdri_places qdri_places_part(const qdri_places *places, int64_t from, int64_t to) {
    qdri_places part = *places;
    part.count = to - from;
    if (from == to) return part;
    switch (places->shape) {
    case QDRI_EVEN:
        part.first += from * places->stride;
        break;
    case QDRI_SCATTERED:
        part.distance += from;
        break;
    case QDRI_PIECES:
        part.before += from;
        break;
    }
    return part;
}

int64_t qdri_places_at(const qdri_places *places, int64_t k) {
    if (places->shape == QDRI_EVEN) return places->first + k * places->stride;
    if (places->shape == QDRI_SCATTERED) return places->lowest + (int64_t)places->distance[k];
    qdri_places part = qdri_places_part(places, k, k + 1);
    qdri_walk walk;
    qdri_walk_begin(&walk, &part);
    qdri_walk_next(&walk);
    return qdri_walk_row(&walk, 0);
}

void qdri_places_expand(const qdri_places *places, int64_t *element) {
    qdri_walk walk;
    for (qdri_walk_begin(&walk, places); qdri_walk_next(&walk);)
        QDRI_EACH_ELEMENT(walk, its) *element++ = its;
}

/* Of pieces by their spans: the rows of a table are single elements that may be neighbours. */
int64_t qdri_places_runs(const qdri_places *places) {
    const int64_t *spans = places->axis_spans;
    const qdri_span *span = places->span;
    int64_t runs = 0;
    if (places->shape == QDRI_EVEN) return places->stride == 1 && places->count > 0 ? 1 : places->count;
    if (places->shape == QDRI_SCATTERED) return places->count;
    for (int64_t p = 0; p < places->pieces; p++) {
        int64_t product = 1, inner = 0;
        for (int a = 0; a < places->piece[p].axes - 1; a++) {
            int64_t elements = 0;
            for (int64_t i = 0; i < *spans; i++) elements += span[i].count;
            product *= elements;
            span += *spans++;
        }
        for (int64_t i = 0; i < *spans; i++) inner += span[i].step == 1 ? 1 : span[i].count;
        span += *spans++;
        runs += product * inner;
    }
    return runs;
}

int64_t qdri_places_memory(const qdri_places *places) {
    if (places->shape == QDRI_SCATTERED) return places->count * (int64_t)sizeof *places->distance;
    return places->piece_capacity * (int64_t)sizeof *places->piece +
           places->axis_capacity * (int64_t)sizeof *places->axis_spans +
           places->span_capacity * (int64_t)sizeof *places->span +
           places->position_capacity * (int64_t)sizeof *places->position;
}
