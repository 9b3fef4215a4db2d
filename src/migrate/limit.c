/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The limit: what everything takes, and which limit would do.
 *
 * Of a rank's limit, the tables of the run are kept back; what is left is room for data. How large the
 * tables are follows from the number of trips, which follows from the schedule, which follows from the
 * room: so a reserve is guessed, and where it does not suffice, raised and the schedule made again.
 * Reserves only grow, so this ends. Everybody knows the facts of everybody (or, among neighbours, each its
 * own), and guesses alike.
 *
 * Objects do not follow a schedule of bytes to the byte: an object travels whole. A sender gives no more
 * than is scheduled, and keeps what would be a part of an object for the next trip (objects.c); so at any
 * time the ranks of a message are off by less than one largest object for each of its trips to a parking
 * place, and one more for its origin. `loose` counts that, and so much is kept back.
 *
 * Where the limit does not allow for as many places and buffers as are good for speed, it is tried again
 * with the fewest. With these, tables do not depend on the limit, so that more memory is never worse by
 * their fault.
 *
 * When a limit does not do, the least that does is found by trying: attempts are repeatable, so a limit that
 * was found to work does work. More memory is not always better, by a few bytes, so it is not claimed that
 * every smaller one fails. The search may use more than the limit for tables; no data moves in it.
 */
#include <inttypes.h>
#include <stdio.h>

#include "migrate/inside.h"
#include "migrate/objects.h"

enum { HEAD_BYTES = 32 };

/* Entries of objects that leave. */
enum { BLOCK_BYTES = QDRI_BLOCK_ENTRIES * QDRI_ENTRY_BYTES + HEAD_BYTES };

static int64_t at_least(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static int64_t at_most(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* ---- what things take ---------------------------------------------------------------------------------- */

qdri_staging qdri_staging_within(const qdri_migration *job, int64_t limit) {
    enum { SHARE = 16, LARGE = 1 << 20, SMALL = 512 };
    if (job->largest == 0) return (qdri_staging){.places = job->thrifty ? 2 : 16};
    qdri_staging staging = {.places = 1, .bytes = at_least(job->largest, SMALL)};
    if (job->thrifty) return staging;
    staging.bytes = at_least(staging.bytes, limit > 0 ? at_most(limit / SHARE, LARGE) : LARGE);
    if (limit == 0 || 8 * staging.bytes <= limit) staging.places = 2;
    return staging;
}

/* As qdri_run_open() and qdri_hold_stage() make it. */
int64_t qdri_run_bytes(const qdri_migration *job, int64_t lanes_out, int64_t limit) {
    enum { ARRAYS = 8 }; /* intakes, outlets, gos, a word, the closing; three of legs */
    qdri_staging staging = qdri_staging_within(job, limit);
    int64_t stages = staging.bytes > 0 ? 2 * staging.places : 0, legs = 3 * staging.places + 2;
    int64_t bytes = staging.places * (int64_t)(sizeof(qdri_intake) + sizeof(qdri_outlet)) +
                    lanes_out * QDRI_LANE_PLACES * (int64_t)sizeof(qdri_go) + (int64_t)sizeof(qdri_word) +
                    (int64_t)sizeof(qdri_closing) +
                    stages * (staging.bytes + (int64_t)sizeof(qdri_objects_head));
    return qdri_flight_needs(job->wire, legs, ARRAYS + stages, bytes);
}

/* What is in use while data moves, before any has. */
static int64_t tables_bytes(const qdri_migration *job, const qdri_migration_facts *facts,
                            const qdri_tally *tally, int64_t limit) {
    int64_t lanes_in = at_most(tally->in, job->ranks - 1), lanes_out = at_most(tally->out, job->ranks - 1);
    int64_t bytes = QDRI_CALL_BYTES + qdri_run_bytes(job, lanes_out, limit);
    bytes += (tally->in + tally->out) * (int64_t)sizeof(qdri_trip);
    bytes += 2 * (lanes_in + lanes_out + 32) * (int64_t)sizeof(qdri_trip_lane);
    if (job->largest == 0) {
        int64_t segments = 2 * tally->messages + 3 * tally->parked + tally->most_in +
                           2 * qdri_staging_within(job, limit).places + 8;
        return bytes + segments * QDRI_SEGMENT_BYTES;
    }
    bytes += (facts->objects / QDRI_BLOCK_ENTRIES + tally->messages) * BLOCK_BYTES;
    return bytes + (tally->messages + tally->parked) * QDRI_LINE_BYTES;
}

/* What is kept back for objects that do not follow the schedule to the byte. */
static int64_t slack_bytes(const qdri_migration *job, const qdri_migration_facts *facts,
                           const qdri_tally *tally) {
    if (job->largest == 0) return 0;
    /* A block of entries is freed when the last of them is used. */
    int64_t blocks = tally->messages * BLOCK_BYTES;
    return facts->padding + blocks + tally->loose * job->largest + tally->parked * 4 * HEAD_BYTES;
}

int64_t qdri_limit_of(const qdri_migration_facts *facts, int64_t least) {
    return facts->limit == 0 ? 0 : at_least(facts->limit, least);
}

int64_t qdri_room_of(const qdri_migration *job, const qdri_migration_facts *facts, int64_t reserve,
                     int64_t limit) {
    if (limit == 0) return facts->place;
    if (reserve > limit) return -1;
    return at_most(facts->place, (limit - reserve) / job->unit_bytes);
}

int qdri_raise_reserve(const qdri_migration *job, const qdri_migration_facts *facts, const qdri_tally *tally,
                       int64_t least, int64_t *reserve) {
    int64_t needed =
        tables_bytes(job, facts, tally, qdri_limit_of(facts, least)) + slack_bytes(job, facts, tally);
    if (needed <= *reserve) return 0;
    /* Of a guess that did not do, more, else it may creep up trip by trip. */
    *reserve = needed + (*reserve > 0 ? (needed - *reserve) / 4 : 0);
    return 1;
}

qdr_status qdri_check_place(const qdri_migration *job, int64_t incoming) {
    int64_t outgoing = 0;
    for (int rank = 0; rank < job->ranks; rank++)
        if (rank != job->rank) outgoing += job->going[rank];
    if (job->largest > 0 || incoming - outgoing <= job->facts.place) return QDR_OK;
    return qdri_fail(QDR_ERR_RANGE,
                     "%" PRId64 " items come and %" PRId64 " leave, but the array has room for %" PRId64
                     " beyond those it holds; %" PRId64 " are missing",
                     incoming, outgoing, job->facts.place, incoming - outgoing - job->facts.place);
}

/* ---- the least that does ------------------------------------------------------------------------------- */

enum { LEAST = 1024, EXACTNESS = 512 };

static int too_small(qdr_status status) {
    return status == QDR_ERR_RANGE || status == QDR_ERR_MEMORY;
}

/* A limit that works, with one below that does not and is hardly smaller. The last attempt made is not
 * always the one that worked. */
static qdr_status search(qdri_migration *job, int64_t *found) {
    int64_t fails = 0, works = LEAST;
    qdr_status status;
    while (too_small(status = job->planner->attempt(job, works)) && works < INT64_MAX / 4) {
        fails = works;
        works *= 2;
    }
    if (status) return status;
    while (works - fails > 1 + works / EXACTNESS) {
        int64_t middle = fails + (works - fails) / 2;
        status = job->planner->attempt(job, middle);
        if (status && !too_small(status)) return status;
        if (status)
            fails = middle;
        else
            works = middle;
    }
    *found = works;
    return QDR_OK;
}

static qdr_status refuse(qdri_migration *job, qdr_status status) {
    char sentence[600];
    int64_t works = 0;
    snprintf(sentence, sizeof sentence, "%s", qdr_error_message());
    /* Where no limit at all would help, or memory is really short, that is what there is to say. */
    QDRI_TRY(job->planner->attempt(job, INT64_MAX / 4));
    QDRI_TRY(search(job, &works));
    qdri_itinerary_free(&job->itinerary, &job->budget);
    status = QDR_OK;
    if (job->facts.limit > 0 && job->facts.limit < works)
        status = qdri_fail(QDR_ERR_RANGE,
                           "a limit of %" PRId64 " bytes is too small for the method %.40s; %" PRId64
                           " bytes suffice, on each rank that has less (%s)",
                           job->facts.limit, job->method, works, sentence);
    QDRI_TRY(qdri_migration_agree(job, status));
    return qdri_fail_memory(); /* it works after all: memory was short for a moment */
}

qdr_status qdri_plan_within(qdri_migration *job) {
    qdr_status status = job->planner->open(job);
    if (!status) {
        status = job->planner->attempt(job, 0);
        if (too_small(status)) {
            job->thrifty = 1;
            status = job->planner->attempt(job, 0);
        }
        if (too_small(status)) status = refuse(job, status);
    }
    job->planner->close(job);
    return status;
}
