/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a call says of the messages with each partner: how many bytes, and where they are, or where they will be packed.
 * Nothing here is sent.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "preload.h"

int qdri_lanes_open(qdri_lanes *lanes, int count) {
    lanes->count = count;
    lanes->rank = QDRI_ARRAY(int, count);
    lanes->index = QDRI_ARRAY(int, count);
    lanes->bytes = QDRI_ARRAY(int64_t, count);
    lanes->pointer = QDRI_ARRAY(char *, count);
    lanes->is_packed = QDRI_ARRAY(char, count);
    return lanes->rank && lanes->index && lanes->bytes && lanes->pointer && lanes->is_packed;
}

void qdri_lanes_close(qdri_lanes *lanes) {
    free(lanes->rank);
    free(lanes->index);
    free(lanes->bytes);
    free(lanes->pointer);
    free(lanes->is_packed);
    free(lanes->packed);
    *lanes = (qdri_lanes){0};
}

int qdri_lanes_like(qdri_lanes *made, const qdri_lanes *lanes) {
    if (!qdri_lanes_open(made, lanes->count)) return 0;
    if (lanes->count == 0) return 1;
    memcpy(made->rank, lanes->rank, (size_t)lanes->count * sizeof *lanes->rank);
    memcpy(made->index, lanes->index, (size_t)lanes->count * sizeof *lanes->index);
    return 1;
}

/* ---- sizes and places ---------------------------------------------------------------------------------- */

static MPI_Datatype type_of(const qdri_given *given, int i) {
    return given->each_type ? given->each_type[i] : given->type;
}

/* In what displacements are counted. */
static MPI_Aint unit_of(const qdri_given *given) {
    MPI_Aint begin, extent = 1;
    if (!given->each_type) PMPI_Type_get_extent(given->type, &begin, &extent);
    return extent;
}

static int count_of(const qdri_given *given, int i) {
    return given->count ? given->count[i] : given->same;
}

static char *place_of(const qdri_given *given, int i, MPI_Aint unit) {
    MPI_Aint distance = given->address        ? given->address[i]
                        : given->displacement ? given->displacement[i] * unit
                                              : (MPI_Aint)given->same * i * unit;
    return (char *)(given->base + (uintptr_t)distance);
}

/* The bytes of each message; false for arguments that MPI would refuse. */
static int read_sizes(qdri_lanes *lanes, const qdri_given *given) {
    MPI_Datatype known = MPI_DATATYPE_NULL;
    int64_t size = 0;
    for (int i = 0; i < lanes->count; i++) {
        int k = lanes->index[i], count = count_of(given, k);
        lanes->bytes[i] = 0;
        if (count == 0) continue;
        MPI_Datatype type = type_of(given, k);
        if (count < 0 || type == MPI_DATATYPE_NULL) return 0;
        if (type != known) size = qdri_type_bytes(type);
        known = type;
        lanes->bytes[i] = count * size;
    }
    return 1;
}

/* Where each message is, or will be packed; false without memory. */
static int find_places(qdri_lanes *lanes, const qdri_given *given) {
    MPI_Datatype known = MPI_DATATYPE_NULL;
    MPI_Aint unit = unit_of(given);
    int64_t packed = 0;
    int dense = 1;
    for (int i = 0; i < lanes->count; i++) {
        int k = lanes->index[i];
        lanes->is_packed[i] = 0;
        lanes->pointer[i] = NULL;
        if (lanes->bytes[i] == 0) continue;
        MPI_Datatype type = type_of(given, k);
        if (type != known) dense = qdri_type_is_dense(type);
        known = type;
        lanes->is_packed[i] = !dense;
        lanes->pointer[i] = place_of(given, k, unit);
        if (!dense) packed += lanes->bytes[i];
    }
    if (packed == 0) return 1;
    if (!qdri_grow(&lanes->packed, &lanes->packed_bytes, packed, 1)) return 0;
    char *next = lanes->packed;
    for (int i = 0; i < lanes->count; i++) {
        if (!lanes->is_packed[i]) continue;
        lanes->pointer[i] = next;
        next += lanes->bytes[i];
    }
    return 1;
}

int64_t qdri_same_bytes(const qdri_call *call) {
    int is_empty = call->out.same <= 0 || call->out.type == MPI_DATATYPE_NULL;
    return is_empty ? 0 : call->out.same * qdri_type_bytes(call->out.type);
}

int qdri_lanes_read(qdri_lanes *out, qdri_lanes *in, const qdri_call *call) {
    if (!read_sizes(out, &call->out)) return 0;
    if (!in) return 1;
    return read_sizes(in, &call->in) && find_places(out, &call->out) && find_places(in, &call->in);
}

/* What is sent must be as long as what is received, which a wrong program may not know. */
static int have_one_length(const qdri_lanes *out, const qdri_lanes *in) {
    return out->count > 0 && in->count > 0 && out->bytes[0] > 0 && out->bytes[0] == in->bytes[0];
}

qdr_buffers qdri_lanes_buffers(const qdri_lanes *out, const qdri_lanes *in, int are_alike) {
    qdr_buffers buffers = {0};
    buffers.item_bytes = 1;
    buffers.outgoing = (const void *const *)out->pointer;
    buffers.incoming = (void *const *)in->pointer;
    if (are_alike && have_one_length(out, in)) {
        buffers.item_bytes = out->bytes[0];
        return buffers;
    }
    buffers.outgoing_items = out->bytes;
    buffers.incoming_items = in->bytes;
    return buffers;
}

/* ---- packing ------------------------------------------------------------------------------------------- */

qdr_status qdri_lanes_pack(const qdri_lanes *lanes, const qdri_call *call) {
    MPI_Aint unit = unit_of(&call->out);
    for (int i = 0; i < lanes->count; i++) {
        int k = lanes->index[i];
        qdr_status status = QDR_OK;
        if (lanes->is_packed[i])
            status = qdri_pack(place_of(&call->out, k, unit), count_of(&call->out, k), type_of(&call->out, k),
                               lanes->pointer[i], call->comm);
        if (status) return status;
    }
    return QDR_OK;
}

qdr_status qdri_lanes_unpack(const qdri_lanes *lanes, const qdri_call *call) {
    MPI_Aint unit = unit_of(&call->in);
    for (int i = 0; i < lanes->count; i++) {
        int k = lanes->index[i];
        qdr_status status = QDR_OK;
        if (lanes->is_packed[i])
            status = qdri_unpack(lanes->pointer[i], place_of(&call->in, k, unit), count_of(&call->in, k),
                                 type_of(&call->in, k), call->comm);
        if (status) return status;
    }
    return QDR_OK;
}

/* ---- unpacking later ----------------------------------------------------------------------------------- */

/* A handle that stays when the program frees its own; attributes are not copied, unlike with MPI_Type_dup. */
static int keep_type(MPI_Datatype type, MPI_Datatype *kept) {
    return !PMPI_Type_contiguous(1, type, kept) && !PMPI_Type_commit(kept);
}

int qdri_landings_open(qdri_landings *landings, const qdri_lanes *in, const qdri_given *given) {
    MPI_Aint unit = unit_of(given);
    MPI_Datatype known = MPI_DATATYPE_NULL, kept = MPI_DATATYPE_NULL;
    *landings = (qdri_landings){.count = 0};
    if (in->packed_bytes == 0) return 1;
    landings->landing = QDRI_ZERO_ARRAY(qdri_landing, in->count);
    if (!landings->landing) return 0;
    for (int i = 0; i < in->count; i++) {
        int k = in->index[i];
        MPI_Datatype type = in->is_packed[i] ? type_of(given, k) : MPI_DATATYPE_NULL;
        if (!in->is_packed[i]) continue;
        int is_known = type == known;
        if (!is_known && !keep_type(type, &kept)) return 0;
        known = type;
        landings->landing[landings->count++] =
            (qdri_landing){in->pointer[i], place_of(given, k, unit), count_of(given, k), kept, !is_known};
    }
    return 1;
}

qdr_status qdri_landings_unpack(const qdri_landings *landings, MPI_Comm comm) {
    for (int i = 0; i < landings->count; i++) {
        const qdri_landing *l = &landings->landing[i];
        qdr_status status = qdri_unpack(l->from, l->to, l->count, l->type, comm);
        if (status) return status;
    }
    return QDR_OK;
}

qdr_status qdri_landings_pack(const qdri_landings *landings, MPI_Comm comm) {
    for (int i = 0; i < landings->count; i++) {
        const qdri_landing *l = &landings->landing[i];
        qdr_status status = qdri_pack(l->to, l->count, l->type, l->from, comm);
        if (status) return status;
    }
    return QDR_OK;
}

void qdri_landings_close(qdri_landings *landings) {
    for (int i = 0; i < landings->count; i++)
        if (landings->landing[i].owns_type) PMPI_Type_free(&landings->landing[i].type);
    free(landings->landing);
    *landings = (qdri_landings){.count = 0};
}
