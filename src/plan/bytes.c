/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the bytes of a hop are. A hop is a list of segments; a range of it that lies inside one segment is
 * sent from its place, or received into it. A range that covers several is gathered into, or scattered from,
 * the hop's own part of the memory for packing, at the same offset, so ranges of one hop never disturb each
 * other.
 */
#include <string.h>

#include "plan/plan.h"

static char *region_start(qdri_exchange *exchange, const qdri_segment *segment) {
    switch (segment->region) {
    case QDRI_IN_OUTGOING:
        return (char *)exchange->outgoing[segment->index]; /* only read */
    case QDRI_IN_INCOMING:
        return exchange->incoming[segment->index];
    default:
        return exchange->staging;
    }
}

static char *segment_start(qdri_exchange *exchange, const qdri_segment *segment) {
    char *start = region_start(exchange, segment);
    return start ? start + segment->offset * exchange->item_bytes : NULL;
}

/* The hop's segment that holds byte `offset`, and where the segment begins in the hop. */
static const qdri_segment *find_segment(const qdri_exchange *exchange, const qdri_hop *hop, int64_t offset,
                                        int64_t *begin) {
    const qdri_segment *segment = &exchange->program->segment[hop->first];
    int64_t at = 0;
    for (int64_t i = 1; i < hop->segments && at + segment->length * exchange->item_bytes <= offset; i++)
        at += (segment++)->length * exchange->item_bytes;
    *begin = at;
    return segment;
}

/* The range's own place, if it has one. */
static char *in_place(qdri_exchange *exchange, const qdri_hop *hop, int64_t offset, int64_t bytes) {
    int64_t begin;
    const qdri_segment *segment = find_segment(exchange, hop, offset, &begin);
    if (hop->segments > 1 && offset + bytes > begin + segment->length * exchange->item_bytes) return NULL;
    char *start = segment_start(exchange, segment);
    return start ? start + (offset - begin) : exchange->bounce; /* no bytes: anything will do */
}

static char *bounce_place(const qdri_exchange *exchange, const qdri_hop *hop, int64_t offset) {
    return exchange->bounce + hop->bounce * exchange->item_bytes + offset;
}

/* Copies between the packed form of a range and its segments. */
static void copy_range(qdri_exchange *exchange, const qdri_hop *hop, int64_t offset, int64_t bytes,
                       int gathers) {
    char *packed = bounce_place(exchange, hop, offset);
    int64_t begin;
    const qdri_segment *segment = find_segment(exchange, hop, offset, &begin);
    while (bytes > 0) {
        int64_t inside = offset - begin, length = segment->length * exchange->item_bytes;
        int64_t step = length - inside < bytes ? length - inside : bytes;
        char *place = segment_start(exchange, segment) + inside;
        memcpy(gathers ? packed : place, gathers ? place : packed, (size_t)step);
        packed += step;
        offset += step;
        bytes -= step;
        begin += length;
        segment++;
    }
}

const char *qdri_bytes_out(qdri_exchange *exchange, const qdri_hop *hop, int64_t offset, int64_t bytes) {
    char *place = in_place(exchange, hop, offset, bytes);
    if (place || bytes == 0) return place;
    copy_range(exchange, hop, offset, bytes, 1);
    return bounce_place(exchange, hop, offset);
}

char *qdri_bytes_in(qdri_exchange *exchange, const qdri_hop *hop, int64_t offset, int64_t bytes) {
    char *place = in_place(exchange, hop, offset, bytes);
    return place || bytes == 0 ? place : bounce_place(exchange, hop, offset);
}

void qdri_bytes_arrived(qdri_exchange *exchange, const qdri_hop *hop, int64_t offset, int64_t bytes) {
    if (bytes > 0 && !in_place(exchange, hop, offset, bytes)) copy_range(exchange, hop, offset, bytes, 0);
}

void qdri_bytes_to_itself(qdri_exchange *exchange, int64_t bytes) {
    const qdri_self *self = &exchange->program->self;
    int64_t from = self->travels ? self->offset * exchange->item_bytes : 0;
    if (self->travels) bytes = self->length * exchange->item_bytes;
    if (bytes > 0)
        memcpy(exchange->incoming[self->incoming] + from, exchange->outgoing[self->outgoing] + from,
               (size_t)bytes);
}
