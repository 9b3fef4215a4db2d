/* SPDX-License-Identifier: BSD-3-Clause */
/* The window that finds itself: see port.h. */
#include "plan/port.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

static const double most_gain = 1.4;
static const double first_window = 20 << 10, least_window = 2 * QDRI_LEAST_CHUNK;
static const double first_rate = 1.25e6;                   /* bytes per second: of a slow wire */
static const double burst = 64 << 10;                      /* bytes after a pause that say nothing */
static const double busy_enough = 0.90, quite_busy = 0.96; /* of the best rate */
static const double late_windows = 8, late_seconds = 0.02; /* both together: what was lost */
static const double after_loss = 0.5, nearly = 0.8; /* of the window that was too much: first; in the end */
static const double recovery = 0.3, forgetting = 0.002; /* in an exchange: of the way; of what it was */
static const double share = 0.25;                       /* of what others tell */
static const double usual = 0.25;  /* of the best rate: who has less, is slow by itself */
static const double decay = 0.998; /* of the best rate, in a round */
static const double lower = 0.98;  /* of a ceiling: what rounding on the way does not explain */
enum { LEAST_CHUNKS = 4, LEAST_EXCHANGE = 16 << 10 }; /* of a round; of a measurement */

void qdri_port_init(qdri_port *port) {
    port->window = first_window;
    port->gain = 1;
    port->sharing = 1;
    port->part = 1;
    port->suspect = -1;
}

static void set_window(qdri_port *port, double window) {
    double least = least_window * port->part;
    if (port->ceiling > 0 && window > port->ceiling) window = port->ceiling;
    port->window = window > least ? window : least;
}

/* What keeps a wire busy where nobody answers late. */
static double need_for(const qdri_port *port, double rate) {
    return qdri_window_need(rate, port->latency, 1 / port->part);
}

static double window_for(const qdri_port *port, double rate) {
    return qdri_window_for(port->gain, rate, port->latency, 1 / port->part, port->sharing > 1);
}

/* Even a slow wire needs much under way if it is long; and before anything is known of its rate, more is better. */
void qdri_port_set_latency(qdri_port *port, double seconds) {
    port->latency = seconds;
    double window = 3 * need_for(port, first_rate);
    if (!port->is_found && window > port->window) set_window(port, window);
}

/* A rate was measured. Slower is believed slowly: the senders may have been busy. So is much faster: what comes after a
 * loss comes at once. */
static void take_rate(qdri_port *port, double rate) {
    const double much = 1.25;
    if (port->rate > 0 && rate > much * port->rate) rate = much * port->rate;
    port->rate = rate > port->rate ? rate : 0.75 * port->rate + 0.25 * rate;
    double window = window_for(port, port->rate);
    if (window > 2 * port->window) window = 2 * port->window;
    port->is_found = 1;
    set_window(port, window);
}

/* ---- parts --------------------------------------------------------------------------------------------- */

void qdri_port_set_part(qdri_port *port, double part) {
    double times = part / port->part;
    if (times == 1) return;
    port->part = part;
    port->window *= times;
    port->ceiling *= times;
    port->too_much *= times;
    port->rate *= times;
    port->best *= times;
    port->all = (int64_t)((double)port->all * times);
    port->bytes = (int64_t)((double)port->bytes * times);
}

/* A part that is the same for all, in parts of this one. */
static double fair(const qdri_port *port) {
    return 1 / (port->part * port->sharing);
}

/* ---- exchanges ----------------------------------------------------------------------------------------- */

void qdri_port_enter(qdri_port *port, double now) {
    if (port->users++ > 0) return;
    qdri_port_set_part(port, 1.0 / port->sharing);
    port->opened = now;
    port->all = port->skipped = port->bytes = 0;
    port->chunks = port->rounds = 0;
}

/* An exchange has passed in which nothing was lost here: if others have lost something, they tell a lower ceiling the next time, too.
 * What was too much is not forgotten soon, but networks change. */
static void recover(qdri_port *port) {
    if (port->ceiling == 0 || port->lost > port->opened) return;
    port->too_much *= 1 + forgetting;
    double most = nearly * port->too_much;
    if (port->ceiling < most) port->ceiling += recovery * (most - port->ceiling);
}

/* An exchange of less than a round says how fast the port is at least: much of its time may be latency. */
void qdri_port_leave(qdri_port *port, double now) {
    if (--port->users > 0) return;
    qdri_port_set_part(port, 1.0 / port->sharing);
    recover(port);
    if (port->rounds > 0 || port->all < LEAST_EXCHANGE || now <= port->opened) return;
    double rate = (double)port->all / (now - port->opened);
    if (rate > port->rate && window_for(port, rate) > port->window) take_rate(port, rate);
}

/* ---- arrivals ------------------------------------------------------------------------------------------ */

int qdri_port_is_late(const qdri_port *port, double asked, double now) {
    return port->rate > 0 && asked > port->shrunk &&
           now - asked > late_windows * port->window / port->rate + late_seconds;
}

int qdri_port_is_suspect(qdri_port *port, int from) {
    enum { TIME_AND_AGAIN = 3 };
    port->strikes = port->suspect == from ? port->strikes + 1 : 1;
    int is = (port->suspect >= 0 && port->suspect != from) || port->strikes >= TIME_AND_AGAIN;
    port->suspect = is ? -1 : from;
    return is;
}

/* Below what a wire needs it would be idle; and losses that are then left have other causes. */
static void shrink(qdri_port *port, double now) {
    port->too_much = port->window;
    port->ceiling = fmax(after_loss * port->window, need_for(port, port->rate));
    port->is_usual = port->rate > usual * port->best;
    port->gain = 1;
    port->shrunk = port->lost = now;
    set_window(port, port->ceiling);
}

static void end_round(qdri_port *port, int is_critical, double now) {
    double rate = (double)port->bytes / (now - port->since);
    port->since = now;
    port->bytes = 0;
    port->chunks = 0;
    port->rounds++;
    port->best *= decay;
    if (port->rate > port->best) port->best = port->rate;
    if (is_critical && port->rate < busy_enough * port->best && port->gain < most_gain)
        port->gain *= 1.1;
    else if (port->rate > quite_busy * port->best && port->gain > 1)
        port->gain *= 0.97;
    take_rate(port, rate);
}

void qdri_port_returned(qdri_port *port, double when) {
    if (when <= port->since) return;
    port->since = when;
    port->skipped = port->bytes = 0;
    port->chunks = 0;
}

void qdri_port_arrived(qdri_port *port, int64_t bytes, int was_lost, int is_critical, double now) {
    port->all += bytes;
    if (was_lost) shrink(port, now);
    if ((double)port->skipped < burst) {
        port->skipped += bytes;
        port->since = now;
        return;
    }
    port->bytes += bytes;
    port->chunks++;
    if ((double)port->bytes >= port->window && port->chunks >= LEAST_CHUNKS && now > port->since)
        end_round(port, is_critical, now);
}

/* ---- others -------------------------------------------------------------------------------------------- */

/* What is too much for a port that is much slower than others is no news to them. */
qdri_port_word qdri_port_tell(const qdri_port *port) {
    double times = fair(port);
    return (qdri_port_word){.window = port->is_found ? (int64_t)(times * port->window) : 0,
                            .ceiling = port->is_usual ? (int64_t)(times * port->ceiling) : 0,
                            .best = (int64_t)(times * port->best)};
}

/* What was asked for before a rank heard of a loss was too much for the same reason: it does not count again. Words are rounded
 * down on their way: if every lower ceiling counted, ranks that tell each other thousands of times would talk theirs down. */
void qdri_port_told(qdri_port *port, qdri_port_word word, double now) {
    double times = 1 / fair(port), best = times * (double)word.best, ceiling = times * (double)word.ceiling;
    if (best > port->best) port->best = best;
    if (ceiling > 0 && (port->ceiling == 0 || ceiling < lower * port->ceiling)) {
        if (port->window > ceiling) port->shrunk = now;
        port->is_usual = 1;
        port->ceiling = ceiling;
        if (port->too_much == 0) port->too_much = port->ceiling / after_loss;
        port->gain = 1;
    }
    if (word.window <= 0) return;
    double taken = port->is_found ? share : 1;
    port->is_found = 1;
    set_window(port, port->window + taken * (times * (double)word.window - port->window));
}

qdri_port_word qdri_port_remember(const qdri_port *port) {
    qdri_port_word word = qdri_port_tell(port);
    if (word.ceiling > 0) word.ceiling = (int64_t)(nearly * port->too_much);
    return word;
}

void qdri_port_recall(qdri_port *port, qdri_port_word word) {
    if (port->is_found || port->ceiling > 0 || word.window <= 0) return;
    port->is_found = port->is_usual = 1;
    port->best = fmax(port->best, (double)word.best);
    port->ceiling = (double)word.ceiling;
    port->too_much = port->ceiling / nearly;
    set_window(port, (double)word.window);
}

int64_t qdri_port_unasked_of(const qdri_port *port, qdri_port_word word) {
    if (word.ceiling > 0) return word.window;
    return (int64_t)qdri_window_unasked((double)word.window, port->latency, port->sharing);
}

int64_t qdri_port_unasked(const qdri_port *port) {
    return qdri_port_unasked_of(
        port, (qdri_port_word){.window = port->is_found || port->ceiling > 0 ? (int64_t)port->window : 0,
                               .ceiling = (int64_t)port->ceiling});
}

int qdri_port_is_short(const qdri_port *port, int64_t bytes) {
    const double windows = 2;
    return qdri_port_is_far(port) && port->is_found && port->ceiling == 0 &&
           (double)bytes <= windows * port->window;
}

/* ---- on a wire ----------------------------------------------------------------------------------------- */

void qdri_port_release(qdri_port *port) {
    if (port && --port->owners == 0) free(port);
}

static void release(qdri_keepsake *kept) {
    qdri_port_release((qdri_port *)kept);
}

qdri_port *qdri_port_of(qdri_wire *wire) {
    qdri_port *port = (qdri_port *)qdri_wire_kept(wire, release, "port");
    if (!port) {
        port = QDRI_ZERO_ARRAY(qdri_port, 1);
        if (!port) return NULL;
        *port = (qdri_port){.kept = {.release = release, .name = "port"}, .owners = 1};
        qdri_port_init(port);
        qdri_wire_keep(wire, &port->kept);
    }
    port->owners++;
    return port;
}
