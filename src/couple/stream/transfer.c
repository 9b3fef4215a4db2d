/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The transfer: what is in a message, and the plan that carries all of them.
 *
 * All that one rank has for another goes in one message: a header, then, for each field, its elements in
 * the order of the schedule, as the exporter has them; each field begins at a multiple of 16 bytes. Both
 * ends know the schedule, so they know the sizes. The messages of a rank stand one after the other in a
 * block of memory: an export packs its block at once (the snapshot), and it is sent from there when it is
 * asked for; what comes lands in a staging block, is compared with what the importer asked for, and only
 * then is it unpacked. A plan is run once for each request that matched, one at a time, in the order of
 * requests.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/sort.h"
#include "couple/stream/run.h"
#include "places/kernels.h"
#include "plan/held.h"

enum { FIELD_UNIT = 16, MESSAGE_UNIT = 64 };

static int64_t round_up(int64_t bytes, int64_t unit) {
    return (bytes + unit - 1) / unit * unit;
}

static int64_t element_bytes(const qdri_field *field, int side) {
    return qdr_type_bytes(field->type[side]) * field->width;
}

/* ---- the shape of messages ----------------------------------------------------------------------------- */

static const qdri_routes *routes_of(const qdri_field *field, int outgoing) {
    return outgoing ? &field->out : &field->in;
}

void qdri_messages_close(qdri_messages *messages) {
    free(messages->partner);
    free(messages->rank);
    free(messages->at);
    free(messages->bytes);
    free(messages->first);
    free(messages->part);
    *messages = (qdri_messages){0};
}

int64_t qdri_messages_total(const qdri_messages *messages) {
    int64_t total = 0;
    for (int i = 0; i < messages->count; i++) total += messages->bytes[i];
    return total;
}

/* The parts of all fields, by rising partner, and of one partner in the order of fields. */
static qdr_status sort_parts(const qdr_stream *stream, int outgoing, int64_t parts, qdri_field_part *part) {
    int64_t *key = QDRI_ARRAY(int64_t, parts), *order = QDRI_ARRAY(int64_t, parts);
    qdri_field_part *found = QDRI_ARRAY(qdri_field_part, parts);
    int64_t count = 0;
    int good = key && order && found;
    for (int f = 0; good && f < stream->fields; f++) {
        const qdri_routes *routes = routes_of(&stream->field[f], outgoing);
        for (int i = 0; i < routes->count; i++) {
            key[count] = routes->route[i].partner;
            found[count++] = (qdri_field_part){.route = &routes->route[i], .field = f};
        }
    }
    good = good && qdri_sort_order(key, parts, order);
    for (int64_t i = 0; good && i < parts; i++) part[i] = found[order[i]];
    free(key);
    free(order);
    free(found);
    return good ? QDR_OK : qdri_fail_memory();
}

/* Divides the sorted parts into messages. */
static qdr_status lay_out(const qdr_stream *stream, int outgoing, int64_t parts, qdri_messages *messages) {
    const qdri_space *space = &stream->coupling->space;
    const int *rank = space->rank[outgoing ? 1 - stream->exporter : stream->exporter];
    int64_t at = 0;
    for (int64_t i = 0; i < parts;) {
        int m = messages->count++;
        int64_t bytes = sizeof(qdri_header);
        messages->partner[m] = messages->part[i].route->partner;
        messages->rank[m] = rank[messages->partner[m]];
        messages->at[m] = at;
        messages->first[m] = (int)i;
        for (; i < parts && messages->part[i].route->partner == messages->partner[m]; i++) {
            qdri_field_part *part = &messages->part[i];
            int64_t unit = element_bytes(&stream->field[part->field], 0);
            part->at = bytes;
            if (unit > 0 && part->route->places.count > (INT64_MAX / 4 - at - bytes) / unit)
                return qdri_fail(QDR_ERR_RANGE,
                                 "stream '%s': the messages of a rank have more than 2^61 bytes",
                                 stream->name);
            bytes = round_up(bytes + part->route->places.count * unit, FIELD_UNIT);
        }
        messages->bytes[m] = bytes;
        at += round_up(bytes, MESSAGE_UNIT);
        messages->at[m + 1] = at;
        messages->first[m + 1] = (int)i;
    }
    return QDR_OK;
}

qdr_status qdri_messages_open(const qdr_stream *stream, int outgoing, qdri_messages *messages) {
    int64_t parts = 0;
    for (int f = 0; f < stream->fields; f++) parts += routes_of(&stream->field[f], outgoing)->count;
    *messages = (qdri_messages){
        .partner = QDRI_ARRAY(int, parts),
        .rank = QDRI_ARRAY(int, parts),
        .at = QDRI_ZERO_ARRAY(int64_t, parts + 1),
        .bytes = QDRI_ARRAY(int64_t, parts),
        .first = QDRI_ZERO_ARRAY(int, parts + 1),
        .part = QDRI_ARRAY(qdri_field_part, parts),
    };
    qdr_status status = QDR_OK;
    if (!messages->partner || !messages->rank || !messages->at || !messages->bytes || !messages->first ||
        !messages->part)
        status = qdri_fail_memory();
    if (!status) status = sort_parts(stream, outgoing, parts, messages->part);
    if (!status) status = lay_out(stream, outgoing, parts, messages);
    if (status) qdri_messages_close(messages);
    return status;
}

/* ---- the end ------------------------------------------------------------------------------------------- */

void qdri_transfer_close(qdri_running *running) {
    int left_to_mpi = running->exchange || running->lost;
    qdri_exchange_abandon(&running->exchange);
    qdr_plan_destroy(&running->plan);
    qdr_partners_destroy(&running->partners);
    for (int64_t i = 0; !left_to_mpi && i < running->snapshots; i++) free(running->snapshot[i]);
    if (!left_to_mpi) free(running->staging);
    free(running->snapshot);
    free(running->converted);
    free(running->outgoing);
    free(running->incoming);
    qdri_messages_close(&running->out);
    qdri_messages_close(&running->in);
}

/* ---- exporting ----------------------------------------------------------------------------------------- */

static void pack_message(qdri_running *running, const void *const *data, int m, double time, char *message) {
    const qdri_messages *out = &running->out;
    int64_t end = sizeof(qdri_header);
    for (int i = out->first[m]; i < out->first[m + 1]; i++) {
        const qdri_field_part *part = &out->part[i];
        int64_t unit = element_bytes(&running->stream->field[part->field], 0);
        memset(message + end, 0, (size_t)(part->at - end));
        qdri_gather(&part->route->places, data[part->field], unit, unit, message + part->at);
        end = part->at + part->route->places.count * unit;
    }
    memset(message + end, 0, (size_t)(out->bytes[m] - end));
    qdri_header header = {.time = time, .bytes = out->bytes[m]};
    if (running->stream->options.checksums)
        header.checksum = qdri_checksum(message + sizeof header, out->bytes[m] - (int64_t)sizeof header);
    memcpy(message, &header, sizeof header);
}

void qdri_transfer_pack(qdri_running *running, const void *const *data, double time, char *block) {
    for (int m = 0; m < running->out.count; m++)
        pack_message(running, data, m, time, block + running->out.at[m]);
}

qdr_status qdri_transfer_start(qdri_running *running, const qdri_wanted *request, int slot) {
    /* As large as the data: not before there is any. */
    if (running->in.count > 0 && !running->staging)
        running->staging = QDRI_ARRAY(char, running->in.at[running->in.count]);
    if (running->in.count > 0 && !running->staging) return qdri_fail_memory();
    for (int m = 0; m < running->out.count; m++) {
        char *message = running->snapshot[slot] + running->out.at[m];
        qdri_header header;
        memcpy(&header, message, sizeof header);
        header.request = request->number;
        header.digest = request->digest;
        memcpy(message, &header, sizeof header);
        running->outgoing[m] = message;
    }
    for (int m = 0; m < running->in.count; m++) running->incoming[m] = running->staging + running->in.at[m];
    qdr_buffers buffers = {0};
    buffers.item_bytes = 1;
    buffers.outgoing = running->outgoing;
    buffers.incoming = running->incoming;
    return qdri_exchange_start_held(running->plan, &buffers, &running->exchange);
}

/* ---- importing ----------------------------------------------------------------------------------------- */

static qdr_status check_header(const qdri_running *running, const qdri_import_call *call, int m) {
    const char *message = running->staging + running->in.at[m];
    const char *exporter = running->exporter_name;
    int partner = running->in.partner[m], teller = running->own % running->exporters;
    int64_t bytes = running->in.bytes[m];
    qdri_header header;
    memcpy(&header, message, sizeof header);
    if (header.request != call->request.number || header.bytes != bytes)
        return qdri_fail(QDR_ERR_MISMATCH,
                         "%s: rank %d of %s sent %" PRId64 " bytes for import %" PRId64 " to rank %d of %s, "
                         "which expects %" PRId64 " for import %" PRId64,
                         running->label, partner, exporter, header.bytes, header.request, running->own,
                         running->importer_name, bytes, call->request.number);
    if (header.digest != call->request.digest)
        return qdri_fail(QDR_ERR_MISMATCH,
                         "%s: import %" PRId64 " of rank %d of %s is not what rank %d of %s was asked for",
                         running->label, header.request, running->own, running->importer_name, partner,
                         exporter);
    if (header.time != call->time)
        return qdri_fail(QDR_ERR_MISMATCH,
                         "%s: ranks %d and %d of %s disagree: import %" PRId64
                         " gets the export at time %.17g from the one, at time %.17g from the other",
                         running->label, teller, partner, exporter, header.request, call->time, header.time);
    int64_t body = bytes - (int64_t)sizeof header;
    if (running->stream->options.checksums && header.checksum != qdri_checksum(message + sizeof header, body))
        return qdri_fail(QDR_ERR_BROKEN,
                         "%s: the checksum of the export at time %.17g from rank %d of %s to rank %d of %s "
                         "is wrong",
                         running->label, header.time, partner, exporter, running->own,
                         running->importer_name);
    return QDR_OK;
}

static void unpack_part(qdri_running *running, const qdri_field_part *part, const char *message,
                        void *array) {
    const qdri_field *field = &running->stream->field[part->field];
    const void *packed = message + part->at;
    if (field->type[0] != field->type[1]) {
        qdri_convert(field->type[0], field->type[1], part->route->places.count * field->width, packed,
                     running->converted);
        packed = running->converted;
    }
    qdri_combine(&part->route->places, packed, field->type[1], field->width, element_bytes(field, 1),
                 field->operation, array);
}

qdr_status qdri_transfer_unpack(qdri_running *running, const qdri_import_call *call) {
    const qdri_messages *in = &running->in;
    for (int m = 0; m < in->count; m++) QDRI_TRY(check_header(running, call, m));
    for (int m = 0; m < in->count; m++)
        for (int i = in->first[m]; i < in->first[m + 1]; i++)
            unpack_part(running, &in->part[i], running->staging + in->at[m], call->data[in->part[i].field]);
    return QDR_OK;
}
