/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A network for trying out ports, in a process and in time of its own: hosts with a wire to a switch, or to one of several
 * with another above them; token buckets at both ends of each wire; a short queue at the switch's, which drops what finds it full; and connections that deliver
 * in order and repeat what was lost: soon if three later packets arrive, else after a time-out. Software takes a while
 * for each message, at random. It has no congestion windows; what is sent is paced anyway.
 *
 * It gives what scripts/cluster gives, times over the bound within a few hundredths, for windows that fit and for those that
 * do not, in milliseconds instead of minutes.
 */
#ifndef PORT_NETWORK_H
#define PORT_NETWORK_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

enum { HOSTS = 16, PAYLOAD = 1448, HEADERS = 66, HOST_QUEUE = 1 << 20, BURST = 32 << 10 };

/* ---- time ---------------------------------------------------------------------------------------------- */

typedef struct event {
    double time;
    uint64_t number;
    void (*happens)(void *subject, int64_t detail);
    void *subject;
    int64_t detail;
} event;

static struct {
    event *heap;
    int count, capacity;
    uint64_t number;
    double now;
} future;

static int comes_first(const event *a, const event *b) {
    return a->time < b->time || (a->time == b->time && a->number < b->number);
}

static void later(double seconds, void (*happens)(void *, int64_t), void *subject, int64_t detail) {
    if (future.count == future.capacity) {
        future.capacity = future.capacity ? 2 * future.capacity : 1024;
        future.heap = realloc(future.heap, (size_t)future.capacity * sizeof *future.heap);
    }
    event made = {future.now + seconds, future.number++, happens, subject, detail};
    int place = future.count++;
    for (; place > 0 && comes_first(&made, &future.heap[(place - 1) / 2]); place = (place - 1) / 2)
        future.heap[place] = future.heap[(place - 1) / 2];
    future.heap[place] = made;
}

static int happen(void) {
    if (future.count == 0) return 0;
    event first = future.heap[0], last = future.heap[--future.count];
    int place = 0;
    for (int child; (child = 2 * place + 1) < future.count; place = child) {
        if (child + 1 < future.count && comes_first(&future.heap[child + 1], &future.heap[child])) child++;
        if (!comes_first(&future.heap[child], &last)) break;
        future.heap[place] = future.heap[child];
    }
    if (future.count > 0) future.heap[place] = last;
    future.now = first.time;
    first.happens(first.subject, first.detail);
    return 1;
}

/* ---- wires and ports ----------------------------------------------------------------------------------- */

typedef struct packet {
    struct packet *next;
    int from, to, bytes;
    int64_t number; /* in its connection, or */
} packet;
enum { ACKNOWLEDGES = -1, NOISE = -2 };

typedef struct bucket {
    packet *first, **end;
    int64_t bytes, limit;
    double rate, tokens, filled;
    int is_waiting;
    void (*out)(packet *one);
} bucket;

static struct network {
    int hosts;
    double rate, buffer, delay, time_out; /* bytes per second, bytes, seconds of a wire, seconds */
    double software;                      /* seconds, about */
    int leaf;                             /* hosts of a leaf switch; 0: there is one switch */
    double noise;                         /* of others at each port, as a part of its rate */
    bucket host[HOSTS], port[HOSTS];
    bucket up[HOSTS], down[HOSTS]; /* between leaf switches and the one above them, of twice the rate */
    qdri_random random;
} network;

static double draw_software(void) {
    double even = (double)qdri_random_below(&network.random, 1 << 30) / (1 << 30);
    return network.software * (0.5 - log(1 - even));
}

static void empty(void *subject, int64_t wakes) {
    bucket *one = subject;
    if (wakes) one->is_waiting = 0;
    while (one->first) {
        packet *next = one->first;
        one->tokens = fmin(BURST, one->tokens + (future.now - one->filled) * one->rate);
        one->filled = future.now;
        if (one->tokens < next->bytes) {
            if (!one->is_waiting) later((next->bytes - one->tokens) / one->rate + 1e-9, empty, one, 1);
            one->is_waiting = 1;
            return;
        }
        one->tokens -= next->bytes;
        one->bytes -= next->bytes;
        one->first = next->next;
        if (!one->first) one->end = &one->first;
        one->out(next);
    }
}

static void was_lost(packet *one);

static void put(bucket *into, packet *one) {
    if (into->bytes + one->bytes > into->limit) {
        was_lost(one);
        return;
    }
    one->next = NULL;
    *into->end = one;
    into->end = &one->next;
    into->bytes += one->bytes;
    empty(into, 0);
}

static void reach_port(void *subject, int64_t detail) {
    packet *one = subject;
    (void)detail;
    put(&network.port[one->to], one);
}

static void reach_host(void *subject, int64_t detail);
static const double cable = 5e-6; /* seconds, and what the network adds */

static int leaf_of(int host) {
    return network.leaf ? host / network.leaf : 0;
}

static void reach_leaf(void *subject, int64_t detail) {
    packet *one = subject;
    (void)detail;
    put(leaf_of(one->from) == leaf_of(one->to) ? &network.port[one->to] : &network.up[leaf_of(one->from)],
        one);
}

static void reach_top(void *subject, int64_t detail) {
    packet *one = subject;
    (void)detail;
    put(&network.down[leaf_of(one->to)], one);
}

static void leave_host(packet *one) {
    later(network.delay + cable, reach_leaf, one, 0);
}

static void leave_up(packet *one) {
    later(cable, reach_top, one, 0);
}

static void leave_down(packet *one) {
    later(cable, reach_port, one, 0);
}

static void leave_port(packet *one) {
    later(network.delay + cable, reach_host, one, 0);
}

static void open_bucket(bucket *one, int64_t limit, double rate, void (*out)(packet *)) {
    *one = (bucket){.limit = limit, .rate = rate, .tokens = BURST, .filled = future.now, .out = out};
    one->end = &one->first;
}

/* ---- connections --------------------------------------------------------------------------------------- */

typedef struct message {
    struct message *next;
    int from, to, packets, packets_in;
    telling content;
} message;

typedef struct connection {
    message *first, **end;
    int64_t sent, expected, capacity;
    int64_t full;   /* packets that came */
    char *is_there; /* [sent] */
} connection;

static connection connections[HOSTS][HOSTS];

/* The caller's, as is the type `telling`: a message has come. */
static void handle(const message *one);

static void hand_over(void *subject, int64_t detail) {
    (void)detail;
    handle(subject);
    free(subject);
}

static void push(void *subject, int64_t detail) {
    packet *one = subject;
    (void)detail;
    put(&network.host[one->from], one);
}

static void send_message(int from, int to, int64_t bytes, telling content) {
    connection *way = &connections[from][to];
    message *made = calloc(1, sizeof *made);
    int packets = (int)((bytes + PAYLOAD - 1) / PAYLOAD);
    *made = (message){.from = from, .to = to, .packets = packets, .content = content};
    if (!way->first) way->end = &way->first;
    *way->end = made;
    way->end = &made->next;
    if (way->sent + packets > way->capacity) {
        int64_t capacity = 2 * (way->sent + packets);
        way->is_there = realloc(way->is_there, (size_t)capacity);
        memset(way->is_there + way->capacity, 0, (size_t)(capacity - way->capacity));
        way->capacity = capacity;
    }
    double software = 0.3 * draw_software();
    for (; bytes > 0; bytes -= PAYLOAD) {
        packet *one = calloc(1, sizeof *one);
        *one = (packet){.from = from, .to = to, .number = way->sent++};
        one->bytes = (int)(bytes < PAYLOAD ? bytes : PAYLOAD) + HEADERS;
        later(software, push, one, 0);
    }
}

/* Every other full packet is acknowledged by one of its own; others by what goes back anyway. */
static void acknowledge(connection *way, const packet *one) {
    if (one->bytes < PAYLOAD || ++way->full % 2) return;
    packet *made = calloc(1, sizeof *made);
    *made = (packet){.from = one->to, .to = one->from, .number = ACKNOWLEDGES, .bytes = HEADERS};
    put(&network.host[made->from], made);
}

static void reach_host(void *subject, int64_t detail) {
    packet *one = subject;
    connection *way = &connections[one->from][one->to];
    (void)detail;
    if (one->number < 0) {
        free(one);
        return;
    }
    acknowledge(way, one);
    way->is_there[one->number] = 1;
    free(one);
    for (; way->expected < way->sent && way->is_there[way->expected]; way->expected++) {
        message *next = way->first;
        if (++next->packets_in < next->packets) continue;
        way->first = next->next;
        later(draw_software(), hand_over, next, 0);
    }
}

/* Three packets behind it say that it was lost; else nobody does before the time-out. */
static void look_behind(void *subject, int64_t looks) {
    packet *one = subject;
    const connection *way = &connections[one->from][one->to];
    int behind = 0;
    for (int64_t i = one->number + 1; i < way->sent; i++) behind += way->is_there[i];
    double round_trip = network.buffer / network.rate + 4 * network.delay + 2e-3;
    if (behind >= 3)
        push(one, 0);
    else if (looks > 0)
        later(round_trip, look_behind, one, looks - 1);
    else
        later(network.time_out, push, one, 0);
}

static void was_lost(packet *one) {
    enum { LOOKS = 4 };
    if (one->number < 0)
        free(one);
    else
        look_behind(one, LOOKS);
}

/* ---- others -------------------------------------------------------------------------------------------- */

/* A packet for a port, and the next after a while. */
static void be_noisy(void *subject, int64_t host) {
    (void)subject;
    if (network.noise <= 0) return;
    double even = (double)qdri_random_below(&network.random, 1 << 30) / (1 << 30);
    packet *made = calloc(1, sizeof *made);
    *made = (packet){.to = (int)host, .number = NOISE, .bytes = PAYLOAD + HEADERS};
    later(-log(1 - even) * made->bytes / (network.noise * network.rate), be_noisy, NULL, host);
    put(&network.port[host], made);
}

/* ---- having one ---------------------------------------------------------------------------------------- */

static void open_network(void) {
    network.random = qdri_random_seed(1);
    for (int i = 0; i < network.hosts; i++) {
        open_bucket(&network.host[i], HOST_QUEUE, network.rate, leave_host);
        open_bucket(&network.port[i], (int64_t)network.buffer, network.rate, leave_port);
        open_bucket(&network.up[i], (int64_t)network.buffer, 2 * network.rate, leave_up);
        open_bucket(&network.down[i], (int64_t)network.buffer, 2 * network.rate, leave_down);
        be_noisy(NULL, i);
    }
}

static void close_network(void) {
    network.noise = 0;
    while (happen()) continue;
    for (int i = 0; i < HOSTS; i++)
        for (int j = 0; j < HOSTS; j++) {
            free(connections[i][j].is_there);
            connections[i][j] = (connection){.sent = 0};
        }
    free(future.heap);
    memset(&future, 0, sizeof future);
}

#endif
