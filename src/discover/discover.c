/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The methods of discovery, the choice among them, and discovery by itself.
 *
 * The choice. A regular exchange of a word per pair is the fastest for few ranks: with 8 destinations per
 * rank, all on one node, the bare step took 26, 164 and 602 microseconds on 8, 16 and 32 ranks, where that of
 * nbx took 135, 431 and 1420. Its cost grows with the number of ranks at best, that of nbx with the logarithm
 * only, so somewhere beyond the lines cross. SMALL is an estimate of where: more than 32 ranks were not
 * measured. Where all ranks share a node there is a faster way than any message.
 */
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "base/spec.h"
#include "base/text.h"
#include "base/likeness.h"
#include "discover/check.h"
#include "discover/round.h"
#include "wire/node.h"

enum { SMALL = 256 };

extern const qdri_discovery qdri_discovery_node, qdri_discovery_nbx, qdri_discovery_alltoall,
    qdri_discovery_reduce_scatter;

/* One line each, in the order of the documentation. */
static const qdri_discovery *const methods[] = {
    &qdri_discovery_node,
    &qdri_discovery_alltoall,
    &qdri_discovery_reduce_scatter,
    &qdri_discovery_nbx,
};

const qdr_discovery_info *qdr_discovery(int index) {
    static _Thread_local qdr_discovery_info info[QDRI_COUNT_OF(methods)];
    if (index < 0 || index >= QDRI_COUNT_OF(methods)) return NULL;
    info[index] = (qdr_discovery_info){methods[index]->name, methods[index]->summary};
    return &info[index];
}

static const qdri_discovery *suited(const qdri_wire *wire, const char **why) {
    *why = "all share a node";
    if (qdri_wire_one_node(wire)) return &qdri_discovery_node;
    int few = qdri_wire_ranks(wire) <= SMALL;
    *why = few ? "few ranks on several nodes" : "many ranks on several nodes";
    return few ? &qdri_discovery_alltoall : &qdri_discovery_nbx;
}

/* Programs discover again and again; each method is said once. */
static void explain(qdri_wire *wire, const qdri_discovery *method, const char *why) {
    int number = 0;
    while (methods[number] != method) number++;
    if (qdri_explains_first(wire, number))
        qdri_explain(wire, "discovery among %d ranks: %s: %s", qdri_wire_ranks(wire), method->name, why);
}

qdr_status qdri_discovery_named(const char *name, qdri_wire *wire, const qdri_discovery **method) {
    char list[128] = "";
    if (!name) {
        const char *why;
        *method = suited(wire, &why);
        explain(wire, *method, why);
        return QDR_OK;
    }
    for (int i = 0; i < QDRI_COUNT_OF(methods); i++) {
        if (qdri_word_in(name, methods[i]->name)) {
            if (methods[i] == &qdri_discovery_node && !qdri_wire_one_node(wire))
                return qdri_fail(QDR_ERR_INVALID, "discovery by node: the ranks do not all share one");
            *method = methods[i];
            explain(wire, *method, "asked for");
            return QDR_OK;
        }
        qdri_list_add(list, sizeof list, methods[i]->name);
    }
    return qdri_fail(QDR_ERR_UNKNOWN, "unknown method of discovery '%.60s'; %s%s", name,
                     qdri_did_you_mean(name, list), list);
}

/* ---- discovery by itself ------------------------------------------------------------------------------- */

static qdr_status check_parcels(qdri_flight *flight, int count, const qdr_parcel *out, int ranks,
                                int64_t *total) {
    enum { FEW = 64 };
    int few[FEW];
    QDRI_TRY(qdri_check_count("parcel", count, ranks, out != NULL));
    int *rank = count <= FEW ? few : QDRI_FLIGHT_ARRAY(flight, int, count);
    if (!rank) return qdri_fail_memory();
    for (int i = 0; i < count; i++) {
        rank[i] = out[i].rank;
        if (out[i].bytes < 0 || out[i].bytes > PTRDIFF_MAX - *total)
            return qdri_fail(QDR_ERR_RANGE,
                             "the parcel for rank %d has %" PRId64 " bytes; expected 0 to %" PRId64
                             ", the most for all parcels less those before it",
                             out[i].rank, out[i].bytes, (int64_t)PTRDIFF_MAX - *total);
        if (out[i].bytes > 0 && !out[i].data)
            return qdri_fail(QDR_ERR_INVALID,
                             "the parcel for rank %d has %" PRId64 " bytes, and its data is NULL",
                             out[i].rank, out[i].bytes);
        *total += out[i].bytes;
    }
    return qdri_check_ranks("parcel", count, rank, ranks);
}

/* Parcels as another release has them. */
static qdr_status read_parcels(qdri_round *round, const qdr_parcel **out, size_t bytes) {
    if (!*out || round->count <= 0 || bytes == sizeof **out) return QDR_OK;
    qdr_parcel *known = QDRI_FLIGHT_ARRAY(round->flight, qdr_parcel, round->count);
    if (!known) return qdri_fail_memory();
    for (int i = 0; i < round->count; i++)
        QDRI_TRY(qdri_element_read("qdr_parcel", &known[i], sizeof known[i], *out, bytes, i));
    *out = known;
    return QDR_OK;
}

/* In memory of the flight: the caller may free his when a deadline has passed, and MPI may read on. */
static qdr_status copy_parcels(qdri_round *round, const qdr_parcel *out, int64_t total) {
    qdr_parcel *copy = QDRI_FLIGHT_ARRAY(round->flight, qdr_parcel, round->count);
    char *data = QDRI_FLIGHT_ARRAY(round->flight, char, total);
    if (!copy || !data) return qdri_fail_memory();
    for (int i = 0; i < round->count; i++) {
        copy[i] = (qdr_parcel){out[i].rank, out[i].bytes, data};
        if (out[i].bytes > 0) memcpy(data, out[i].data, (size_t)out[i].bytes);
        data += out[i].bytes;
    }
    round->out = copy;
    return QDR_OK;
}

/* Where they are shown at once MPI reads none, but those that follow. */
static qdr_status take_in(qdri_round *round, const char *method, const qdr_parcel *out, size_t bytes) {
    int64_t total = 0;
    int ranks = qdri_wire_ranks(round->wire);
    if (!round->flight) return qdri_fail_memory();
    QDRI_TRY(qdri_discovery_named(method, round->wire, &round->method));
    QDRI_TRY(read_parcels(round, &out, bytes));
    QDRI_TRY(check_parcels(round->flight, round->count, out, ranks, &total));
    if (!round->method->at_once) return copy_parcels(round, out, total);
    round->borrows = 1;
    round->out = out;
    return QDR_OK;
}

qdr_status qdr_discover_sized(MPI_Comm comm, const char *method, int count, const qdr_parcel *out,
                              int *arrived, qdr_parcel **in, size_t parcel_bytes) {
    qdri_wire *wire;
    qdri_flight *flight;
    QDRI_TRY(qdri_flight_open(comm, "discovery", &wire, &flight));
    qdri_round round = {.call = "qdr_discover", .wire = wire, .flight = flight, .count = count};
    round.status = in && arrived
                       ? take_in(&round, method, out, parcel_bytes)
                       : qdri_fail(QDR_ERR_INVALID, "there is nowhere to put the parcels that come; expected "
                                                    "pointers, not NULL");
    qdr_status status = qdri_discover(&round);
    if (status == QDR_OK) {
        *arrived = round.arrived;
        *in = qdri_flight_take_result(flight);
        for (int i = 0; parcel_bytes < sizeof **in && i < *arrived; i++)
            memmove((char *)*in + (size_t)i * parcel_bytes, *in + i, parcel_bytes);
    }
    qdri_flight_close(&wire, &flight);
    return status;
}
