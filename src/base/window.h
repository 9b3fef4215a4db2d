/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How many bytes should be under way to a port, and in which pieces: the figures that ports find their windows with
 * (plan/port.h), and predictions theirs (predict/pace.h).
 *
 * A wire is busy while rate x latency is under way, and two chunks: what the sender and the switch hold while they pass one
 * on. Three times that lets senders that are busy elsewhere answer late, where the wire is not long.
 */
#ifndef QDRI_WINDOW_H
#define QDRI_WINDOW_H

#include <stdint.h>

enum {
    QDRI_PACKET = 1400,      /* bytes: what a frame of Ethernet holds, with what MPI puts before it */
    QDRI_LEAST_CHUNK = 2800, /* bytes of the least chunk: two full frames */
    /* What is worth a grant, where no port says it: three, since the note, the headers and the acknowledgements of two would be a
     * twelfth of them. */
    QDRI_GRANTED_CHUNK = 4200,
    QDRI_FIRST_CHUNK = 8 << 10, /* by arrivals, before anything is known */
    QDRI_FIRST_CHUNKS = 4,      /* of a transfer of the first phase, go without an invitation */
};

/* What keeps a wire busy where nobody answers late; so many ranks have it together, each with as much of it, and the rate is one's. */
static inline double qdri_window_need(double rate, double latency, double sharing) {
    return rate * latency + 2.0 * QDRI_LEAST_CHUNK / sharing;
}

static const double qdri_far_latency = 0.002; /* seconds */

/* Whether a round trip takes so long that much has to be under way. */
static inline int qdri_window_is_far(double latency) {
    return latency > qdri_far_latency;
}

static const double qdri_quick_latency = 20e-6; /* seconds */

/* Whether a network answers so quickly that it is not Ethernet with TCP. Such networks hold senders back by themselves and drop nothing, and a
 * message costs as much as some tens of kilobytes. 0 is a latency that nobody knows. */
static inline int qdri_window_is_quick(double latency) {
    return latency > 0 && latency <= qdri_quick_latency;
}

/* What a round trip takes beyond what is near. */
static inline double qdri_window_beyond(double latency) {
    return latency > qdri_far_latency ? latency - qdri_far_latency : 0;
}

/* What senders are late by, and the `gain` that it may need, does not grow with the wire: beyond what is far, twice what is
 * on its way is enough, and more would wait in front of ports. Where ranks have a port together, each asks senders of its own, and
 * what one of them waits for keeps nobody busy who waits for another: three times. */
static inline double qdri_window_for(double gain, double rate, double latency, double sharing,
                                     int is_shared) {
    double beyond = qdri_window_beyond(latency);
    return gain * 3 * qdri_window_need(rate, latency - beyond, sharing) + (is_shared ? 3 : 2) * rate * beyond;
}

/* What a receiver keeps of its window that is `ahead` of the most loaded host, in parts of the whole, of which `moved` comes in
 * a second: 1 is all of it, and below 0 is nothing. Rumours are old by some latencies when they come. On a long wire all would
 * seem to be ahead of somebody, and hold back for nobody's sake: there what may have come since does not count. */
static inline double qdri_window_kept(double ahead, double moved, double latency) {
    const double least = 0.05, latencies = 8, age = 16;
    double certain = ahead - age * moved * qdri_window_beyond(latency);
    return certain > 0 ? 1 - certain / (least + latencies * moved * latency) : 1;
}

/* What may come unasked, of all ranks together, where nothing was ever lost: a round trip spared is worth some risk. Where it
 * takes long, grants for the rest of the window go while this comes. */
static inline double qdri_window_unasked(double window, double latency, double sharing) {
    const double first = 40 << 10;
    double found = (qdri_window_is_far(latency) ? 0.9 : 1.25) * window;
    return found > first / sharing ? found : first / sharing;
}

/* How many bytes of a message go so, of which `promised` may: a little more, where that is all of it, since to be asked for the
 * rest takes a round trip. Both ends compute it. */
static inline int64_t qdri_window_unasked_of(int64_t promised, int64_t bytes) {
    return bytes <= promised + promised / 4 ? bytes : promised;
}

/* The most that is granted at once. Before it sends more, MPI asks whether it may, which takes a round trip; a millisecond's
 * worth is not held up by that. On a long wire a window is little more than what is on its way: there it is five
 * milliseconds' worth, or a chunk would be a large part of the window. */
static inline int64_t qdri_window_most_granted(double rate, double latency) {
    const double at_once = 48 << 10;
    double much = 0.001 * rate, some = 0.005 * rate;
    if (much > at_once) return (int64_t)much;
    if (!qdri_window_is_far(latency) || rate == 0 || some > at_once) return (int64_t)at_once;
    return some > QDRI_GRANTED_CHUNK ? (int64_t)some : QDRI_GRANTED_CHUNK;
}

/* What is worth a grant: a quarter of the window, which leaves room for several senders; where that is more than the most, a tenth
 * at least. Where messages cost much and bytes little, the rate that a port measures is that of its chunks, and the window
 * follows the rate: smaller parts of it would let chunks, rate and window become ever smaller. */
static inline int64_t qdri_window_granted(double window, double rate, double latency) {
    int64_t part = (int64_t)window / 4, most = qdri_window_most_granted(rate, latency);
    if (part > most) part = most > (int64_t)window / 10 ? most : (int64_t)window / 10;
    return part > QDRI_PACKET ? part : QDRI_PACKET;
}

/* By arrivals: how far a rank may be ahead of what has come to it. Partners differ from phase to phase, so less than the
 * port's window is enough. On a long wire it must not be much more than what is on its way: whoever is further ahead sends to
 * those that are still busy with somebody else. */
static inline double qdri_window_ahead(double window, double latency) {
    const double quick = 512 << 10;
    double ahead = (qdri_window_is_far(latency) ? 0.45 : 0.6) * window;
    return qdri_window_is_quick(latency) && ahead < quick ? quick : ahead;
}

/* The largest transfer that may come uninvited, where ranks trust each other to keep step. */
static inline int64_t qdri_window_open(double window, double latency) {
    const double quick = 1 << 20;
    return (int64_t)(qdri_window_is_quick(latency) && window < quick ? quick : window);
}

/* How far such a transfer of so many bytes may be ahead of what has come. It has no window to fill, and keeps step, so that few of them
 * meet. Arrivals are whole transfers: where the way is long, the next is begun before one has come. On a quick network it always is,
 * and further ahead there is only what is on its way. */
static inline int64_t qdri_window_step(double window, double rate, double latency, int64_t bytes) {
    if (qdri_window_is_quick(latency)) return bytes + (int64_t)(rate * latency) + 1;
    return (int64_t)(window / 3) + (2 * rate * latency > (double)bytes ? bytes : 0);
}

/* And the chunks: half of that, and somewhat more if that makes them as large as they were at first. */
static inline int64_t qdri_window_chunk(int64_t ahead, int64_t first) {
    int64_t most = 2 * ahead / 3, some = first < most ? first : most;
    return ahead / 2 > some ? ahead / 2 : some;
}

#endif
