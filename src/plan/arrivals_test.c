/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Complete exchanges paced by arrivals, as stepped.c does it, on networks of which the ports know nothing (port_testing.h):
 * phase p takes a rank's message to the one p places further on. Held against plain lockstep, in which a
 * message goes when that of the phase before has come; which is hard to beat where nothing goes wrong, and loses packets
 * where wires are shared.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/order.h"
#include "plan/note.h"
#include "plan/port.h"
#include "light.h"

typedef struct telling {
    int phase, is_invitation;
    int64_t bytes; /* or: up to where */
    int64_t promise, chunk;
    qdri_port_word word;
} telling;

#include "plan/port_testing.h"

enum { HEAD = 32, NOTE = HEAD + (int)sizeof(qdri_packed_note) };

/* A message of an exchange, at either end; in an exchange, and said for the next. */
typedef struct hop {
    int64_t done, invited, chunk;
    int is_small;
    int64_t next_promise, next_chunk;
} hop;

typedef struct stepper {
    hop out[HOSTS], in[HOSTS]; /* [phase], from 1 on */
    int sends, waits;          /* the phases that it sends in, and waits in */
    int heard;
    int is_heard[HOSTS];
    double last;
    int64_t left;
    qdri_port port;
} stepper;

static stepper rank[HOSTS];
static int64_t message_bytes;
static int in_lockstep;

static int64_t window_of(const stepper *one) {
    return in_lockstep ? message_bytes
                       : qdri_larger((int64_t)qdri_window_ahead(one->port.window, one->port.latency),
                                     QDRI_LEAST_CHUNK);
}

static int64_t position_of(int phase) {
    return (phase - 1) * message_bytes;
}

static void invite(int to, int64_t limit) {
    stepper *one = &rank[to];
    int64_t window = window_of(one);
    for (int phase = one->waits; phase < network.hosts && position_of(phase) < limit; phase++) {
        hop *from = &one->in[phase];
        if (from->invited == message_bytes) continue;
        int64_t chunks = (limit - position_of(phase) - 1) / from->chunk + 1;
        int64_t bytes = qdri_smaller(message_bytes, chunks * from->chunk);
        if (bytes < message_bytes && bytes - from->invited < window) continue;
        from->invited = bytes;
        from->next_promise = qdri_note_about(qdri_port_unasked(&one->port) / (network.hosts - 1));
        from->next_chunk = qdri_larger(QDRI_LEAST_CHUNK, qdri_window_chunk(window, QDRI_FIRST_CHUNK));
        send_message(
            to, (to - phase + network.hosts) % network.hosts, NOTE,
            (telling){phase, 1, bytes, from->next_promise, from->next_chunk, qdri_port_tell(&one->port)});
    }
}

static void send_ahead(int from, int64_t limit) {
    stepper *one = &rank[from];
    for (; one->sends < network.hosts; one->sends++) {
        hop *to = &one->out[one->sends];
        int64_t until = to->is_small ? INT64_MAX : limit;
        while (to->done < to->invited && position_of(one->sends) + to->done < until) {
            int64_t bytes = qdri_smaller(message_bytes - to->done, to->chunk);
            send_message(from, (from + one->sends) % network.hosts, bytes + HEAD,
                         (telling){one->sends, 0, bytes, 0, 0, {0}});
            to->done += bytes;
        }
        if (to->done < message_bytes) return;
    }
}

static void go_on(int number) {
    stepper *one = &rank[number];
    while (one->waits < network.hosts && one->in[one->waits].done == message_bytes) one->waits++;
    int64_t front =
        one->waits < network.hosts ? position_of(one->waits) + one->in[one->waits].done : INT64_MAX / 2;
    int64_t window = window_of(one);
    if (!in_lockstep) invite(number, front + 2 * window + window / 2);
    send_ahead(number, front + window);
}

static void handle(const message *came) {
    const telling *said = &came->content;
    stepper *one = &rank[came->to];
    int all_are_here = one->heard == network.hosts - 1;
    one->heard += !one->is_heard[came->from];
    one->is_heard[came->from] = 1;
    if (said->is_invitation) {
        hop *to = &one->out[said->phase];
        to->invited = qdri_larger(to->invited, said->bytes); /* software may overtake itself here */
        to->next_promise = said->promise;
        to->next_chunk = said->chunk;
        qdri_port_told(&one->port, said->word, future.now);
    } else {
        one->in[said->phase].done += said->bytes;
        int was_lost = all_are_here && qdri_port_is_late(&one->port, one->last, future.now);
        qdri_port_arrived(&one->port, said->bytes, was_lost, 0, future.now);
        one->last = future.now;
        one->left -= said->bytes;
        if (one->left == 0) {
            qdri_port_leave(&one->port, future.now);
            ranks_left--;
        }
    }
    go_on(came->to);
}

/* What goes uninvited, both ends know. */
static void begin_hop(hop *one, int phase) {
    one->done = 0;
    one->is_small = !in_lockstep && qdri_window_unasked_of(one->next_promise, message_bytes) == message_bytes;
    one->chunk = in_lockstep || one->is_small ? message_bytes : one->next_chunk;
    one->invited = one->is_small || in_lockstep ? message_bytes
                   : phase == 1                 ? qdri_smaller(message_bytes, 4 * one->chunk)
                                                : 0;
}

static void begin_all(void) {
    ranks_left = network.hosts;
    for (int i = 0; i < network.hosts; i++) {
        stepper *one = &rank[i];
        for (int phase = 1; phase < network.hosts; phase++) {
            begin_hop(&one->out[phase], phase);
            begin_hop(&one->in[phase], phase);
        }
        one->sends = one->waits = 1;
        one->heard = 0;
        memset(one->is_heard, 0, sizeof one->is_heard);
        one->last = 0;
        one->left = (network.hosts - 1) * message_bytes;
        qdri_port_enter(&one->port, future.now);
    }
    for (int i = 0; i < network.hosts; i++) go_on(i);
}

static double measure(const setting *where, int64_t bytes, int lockstep) {
    open_setting(where);
    message_bytes = bytes;
    in_lockstep = lockstep;
    for (int i = 0; i < network.hosts; i++) {
        rank[i] = (stepper){.heard = 0};
        open_port(&rank[i].port);
        for (int phase = 1; phase < network.hosts; phase++) {
            hop first = {.next_promise = qdri_port_unasked(&rank[i].port) / (network.hosts - 1),
                         .next_chunk = QDRI_FIRST_CHUNK};
            rank[i].out[phase] = rank[i].in[phase] = first;
        }
    }
    return time_settled();
}

static double bound_of(int64_t bytes) {
    return ((double)bytes * (network.hosts - 1) * (PAYLOAD + HEADERS) / PAYLOAD - BURST) / network.rate;
}

static void keeps_step(void **state) {
    (void)state;
    for (int s = 0; s < light_or(2, SETTINGS); s++)
        for (int64_t bytes = 16 << 10; bytes <= 64 << 10; bytes *= 4) {
            double ours = measure(&settings[s], bytes, 0), plain = measure(&settings[s], bytes, 1);
            print_message("%s, %lld bytes: %.2f of the bound of ports, %.2f of plain lockstep\n",
                          settings[s].name, (long long)bytes, ours / bound_of(bytes), ours / plain);
            assert_true(ours <= 1.05 * plain);
            if (s == 0) assert_true(ours <= 1.08 * bound_of(bytes));
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(keeps_step)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
