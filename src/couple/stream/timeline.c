/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The timeline of a stream, as each rank of the exporter has it. Exports rise strictly, requests never
 * fall, and both sides may promise; from that every rank finds the same answers by itself, and nobody has
 * to be asked.
 *
 * Deciding. A future export lies beyond the last one and not before what was promised; where nothing was
 * promised beyond the last export, it may be as close behind it as one likes. A request is decided as soon
 * as no such export can be a better match than the best of those that exist. So a request that is not
 * decided lies beyond all exports.
 *
 * Forgetting. Later requests do not lie before the last one, at t. For them no export before the greatest
 * one that is not beyond t can be best under any match, nor one that the importer promised not to need.
 * What remains is kept; and so is the last export while a request is undecided, and what matched a request
 * until it is served.
 *
 * The queue. At most `queue` exports are kept; one more only if a request waits for it. This cannot block
 * for ever when somebody waits: if a request is undecided, all but one of what is kept is being served,
 * and when that is over, the export that is wanted finds room.
 */
#include "couple/stream/timeline.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

const char *qdri_match_name(int64_t match) {
    static const char *const name[] = {"EXACT", "BEFORE", "AFTER", "NEAREST"};
    return match >= QDR_EXACT && match <= QDR_NEAREST ? name[match] : NULL;
}

void qdri_timeline_open(int queue, qdri_timeline *timeline) {
    *timeline = (qdri_timeline){
        .queue = queue, .last = -INFINITY, .promised = -INFINITY, .asked = -INFINITY, .unneeded = -INFINITY};
}

void qdri_timeline_close(qdri_timeline *timeline) {
    free(timeline->stamp);
    free(timeline->free_slot);
    free(timeline->request);
    *timeline = (qdri_timeline){0};
}

/* ---- deciding ------------------------------------------------------------------------------------------ */

double qdri_wanted_lowest(const qdri_wanted *request) {
    int looks_back = request->match == QDR_BEFORE || request->match == QDR_NEAREST;
    return looks_back ? request->time - request->tolerance : request->time;
}

static double highest(const qdri_wanted *request) {
    int looks_ahead = request->match == QDR_AFTER || request->match == QDR_NEAREST;
    return looks_ahead ? request->time + request->tolerance : request->time;
}

int qdri_wanted_suits(const qdri_wanted *request, double time) {
    return time >= qdri_wanted_lowest(request) && time <= highest(request);
}

/* The better of the two neighbours of a request, either of which may be NULL or outside its window. */
static qdri_stamp *better(const qdri_wanted *request, qdri_stamp *before, qdri_stamp *after) {
    if (before && before->time < qdri_wanted_lowest(request)) before = NULL;
    if (after && after->time > highest(request)) after = NULL;
    if (!before || !after) return before ? before : after;
    return request->time - before->time <= after->time - request->time ? before : after;
}

/* Whether a future export can beat `best`, which is not beyond the request and may be NULL. */
static int can_be_beaten(const qdri_timeline *timeline, const qdri_wanted *request, const qdri_stamp *best) {
    if (timeline->promised > highest(request) || timeline->promised == INFINITY) return 0;
    if (!best || timeline->promised <= request->time) return 1;
    return timeline->promised - request->time < request->time - best->time;
}

/* Fills *match if the verdict is QDRI_MATCHED. */
static qdri_verdict judge(const qdri_timeline *timeline, const qdri_wanted *request, qdri_stamp **match) {
    int beyond = timeline->kept; /* the first that is not before the request */
    while (beyond > 0 && timeline->stamp[beyond - 1].time >= request->time) beyond--;
    qdri_stamp *before = beyond > 0 ? &timeline->stamp[beyond - 1] : NULL;
    qdri_stamp *after = beyond < timeline->kept ? &timeline->stamp[beyond] : NULL;
    *match = better(request, before, after);
    if (timeline->last < request->time && can_be_beaten(timeline, request, *match)) return QDRI_UNDECIDED;
    return *match ? QDRI_MATCHED : QDRI_UNMATCHED;
}

/* ---- forgetting ---------------------------------------------------------------------------------------- */

/* The first of those that a later request could prefer to all before it. */
static int first_current(const qdri_timeline *timeline) {
    int first = timeline->kept - 1;
    while (first > 0 && timeline->stamp[first].time > timeline->asked) first--;
    return first;
}

static int is_needed(const qdri_timeline *timeline, int place, int first) {
    const qdri_stamp *stamp = &timeline->stamp[place];
    if (stamp->pins > 0) return 1;
    return place >= first && (stamp->time >= timeline->unneeded || timeline->decided < timeline->requests);
}

static void forget(qdri_timeline *timeline) {
    int first = first_current(timeline), kept = 0;
    for (int i = 0; i < timeline->kept; i++) {
        if (is_needed(timeline, i, first))
            timeline->stamp[kept++] = timeline->stamp[i];
        else if (timeline->stamp[i].slot >= 0)
            timeline->free_slot[timeline->free_slots++] = timeline->stamp[i].slot;
    }
    timeline->kept = kept;
}

/* Decides what can be decided. A later request does not overtake one that cannot: answers go in order. */
static void decide(qdri_timeline *timeline) {
    qdri_stamp *match;
    for (; timeline->decided < timeline->requests; timeline->decided++) {
        qdri_asked *asked = &timeline->request[timeline->decided];
        asked->verdict = judge(timeline, &asked->request, &match);
        if (asked->verdict == QDRI_UNDECIDED) break;
        if (asked->verdict == QDRI_UNMATCHED) continue;
        match->pins++;
        asked->time = match->time;
        asked->slot = match->slot;
    }
    forget(timeline);
}

/* ---- the exporter's side ------------------------------------------------------------------------------- */

/* Memory grows with use, for a queue may be as long as one likes. */
qdr_status qdri_timeline_reserve(qdri_timeline *timeline) {
    if (qdri_grow(&timeline->stamp, &timeline->stamp_capacity, timeline->kept + INT64_C(1),
                  sizeof *timeline->stamp) &&
        qdri_grow(&timeline->free_slot, &timeline->slot_capacity, timeline->slots + INT64_C(1),
                  sizeof *timeline->free_slot))
        return QDR_OK;
    return qdri_fail_memory();
}

static int take_slot(qdri_timeline *timeline) {
    return timeline->free_slots > 0 ? timeline->free_slot[--timeline->free_slots] : timeline->slots++;
}

static void append(qdri_timeline *timeline, double time) {
    timeline->stamp[timeline->kept++] = (qdri_stamp){.time = time, .slot = -1};
    timeline->last = time;
}

/* As if the export took place: pins what the requests would match, which are the last two at most, and
 * counts. */
qdri_timeline_verdict qdri_timeline_room(qdri_timeline *timeline, double time) {
    double last = timeline->last;
    int64_t decided = timeline->decided;
    qdri_stamp *match;
    append(timeline, time);
    int newest = timeline->kept - 1, previous = newest > 0 ? newest - 1 : newest;
    int pins = timeline->stamp[previous].pins;
    for (; timeline->decided < timeline->requests; timeline->decided++) {
        qdri_verdict verdict = judge(timeline, &timeline->request[timeline->decided].request, &match);
        if (verdict == QDRI_UNDECIDED) break;
        if (verdict == QDRI_MATCHED) match->pins++;
    }
    int first = first_current(timeline), needed = 0;
    for (int i = 0; i < timeline->kept; i++) needed += is_needed(timeline, i, first);
    int is_kept = is_needed(timeline, newest, first), is_wanted = timeline->stamp[newest].pins > 0;
    timeline->stamp[previous].pins = pins;
    timeline->decided = decided;
    timeline->last = last;
    timeline->kept--;
    if (!is_kept) return QDRI_NO_NEED;
    return needed - is_wanted <= timeline->queue ? QDRI_ROOM : QDRI_FULL;
}

int qdri_timeline_export(qdri_timeline *timeline, double time) {
    append(timeline, time);
    int64_t from = timeline->decided;
    decide(timeline);
    qdri_stamp *newest = timeline->kept > 0 ? &timeline->stamp[timeline->kept - 1] : NULL;
    if (!newest || newest->slot >= 0) return -1;
    newest->slot = take_slot(timeline);
    for (int64_t i = from; i < timeline->decided; i++)
        if (timeline->request[i].verdict == QDRI_MATCHED && timeline->request[i].slot < 0)
            timeline->request[i].slot = newest->slot;
    return newest->slot;
}

void qdri_timeline_promise(qdri_timeline *timeline, double time) {
    if (time <= timeline->promised) return;
    timeline->promised = time;
    decide(timeline);
}

/* ---- the importer's side ------------------------------------------------------------------------------- */

/* Moves away what is over, once it is half of the memory. */
static void compact(qdri_timeline *timeline) {
    int64_t over = timeline->served;
    if (over < 16 || over < timeline->requests / 2) return;
    for (int64_t i = over; i < timeline->requests; i++) timeline->request[i - over] = timeline->request[i];
    timeline->requests -= over;
    timeline->decided -= over;
    timeline->announced -= over;
    timeline->served = 0;
}

qdr_status qdri_timeline_ask(qdri_timeline *timeline, const qdri_wanted *request) {
    compact(timeline);
    if (!qdri_grow(&timeline->request, &timeline->capacity, timeline->requests + 1,
                   sizeof *timeline->request))
        return qdri_fail_memory();
    timeline->request[timeline->requests++] = (qdri_asked){.request = *request, .slot = -1};
    timeline->asked = request->time;
    decide(timeline);
    return QDR_OK;
}

void qdri_timeline_spare(qdri_timeline *timeline, double time) {
    if (time <= timeline->unneeded) return;
    timeline->unneeded = time;
    forget(timeline);
}

/* ---- gates --------------------------------------------------------------------------------------------- */

const qdri_asked *qdri_timeline_announce(qdri_timeline *timeline) {
    return timeline->announced < timeline->decided ? &timeline->request[timeline->announced++] : NULL;
}

const qdri_asked *qdri_timeline_next(const qdri_timeline *timeline) {
    return timeline->served < timeline->announced ? &timeline->request[timeline->served] : NULL;
}

void qdri_timeline_serve(qdri_timeline *timeline) {
    const qdri_asked *asked = &timeline->request[timeline->served++];
    if (asked->verdict != QDRI_MATCHED) return;
    for (int i = 0; i < timeline->kept; i++)
        if (timeline->stamp[i].slot == asked->slot) timeline->stamp[i].pins--;
    forget(timeline);
}

const qdri_asked *qdri_timeline_undecided(const qdri_timeline *timeline) {
    return timeline->decided < timeline->requests ? &timeline->request[timeline->decided] : NULL;
}
