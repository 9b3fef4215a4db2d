/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ten networks of bench-networks, in memory (port_network_testing.h), and how exchanges on them are timed. Whoever includes
 * this says what an exchange is: `begin_all` begins it, and `ranks_left` counts those that are not through.
 */
#ifndef PORT_CASES_H
#define PORT_CASES_H

#include "plan/port_network_testing.h"

typedef struct setting {
    const char *name;
    int hosts;
    double mbit, kilobytes, delay, time_out;
    double lame; /* the part of the rate that host 3 has */
    int leaf;    /* hosts of a leaf switch; 0: there is one switch */
    double noise;
} setting;

static const setting settings[] = {
    {"slow", 16, 50, 48, 0, 0.2, 1, 0, 0},       {"shallow", 16, 80, 24, 0, 0.2, 1, 0, 0},
    {"deep", 16, 20, 200, 0, 0.2, 1, 0, 0},      {"fast", 4, 400, 256, 0, 0.2, 1, 0, 0},
    {"faster", 4, 1000, 1024, 0, 0.2, 1, 0, 0},  {"far", 8, 20, 256, 5e-3, 0.2, 1, 0, 0},
    {"impatient", 16, 50, 48, 0, 5e-3, 1, 0, 0}, {"lame", 16, 50, 48, 0, 0.2, 0.1, 0, 0},
    {"tree", 16, 50, 48, 0, 0.2, 1, 4, 0},       {"noise", 16, 50, 48, 0, 0.2, 1, 0, 0.1},
};
enum { SETTINGS = sizeof settings / sizeof *settings };

static void begin_all(void);
static int ranks_left;

static void open_setting(const setting *where) {
    network.hosts = where->hosts;
    network.rate = where->mbit * 1e6 / 8;
    network.buffer = where->kilobytes * 1024;
    network.delay = where->delay;
    network.time_out = where->time_out;
    network.software = 150e-6;
    network.leaf = where->leaf;
    network.noise = where->noise;
    open_network();
    network.host[3].rate = network.port[3].rate = where->lame * network.rate;
}

static void open_port(qdri_port *port) {
    *port = (qdri_port){.owners = 1};
    qdri_port_init(port);
    qdri_port_set_latency(port, 4 * network.delay + 3 * network.software);
}

/* Seconds of an exchange; after it wires rest for a while. */
static double time_one(void) {
    double start = future.now;
    begin_all();
    while (ranks_left > 0) assert_true(happen() && future.now - start < 60);
    double end = future.now;
    later(0.02, empty, &network.host[0], 0);
    while (future.now < end + 0.02 && happen()) continue;
    return end - start;
}

static int by_value(const void *a, const void *b) {
    double first = *(const double *)a, second = *(const double *)b;
    return (first > second) - (first < second);
}

/* The median from the fourth exchange on; then the network is closed. */
static double time_settled(void) {
    enum { BEFORE = 3, TIMES = 7 };
    double seconds[TIMES];
    for (int i = -BEFORE; i < TIMES; i++) {
        double taken = time_one();
        if (i >= 0) seconds[i] = taken;
    }
    close_network();
    qsort(seconds, TIMES, sizeof *seconds, by_value);
    return seconds[TIMES / 2];
}

#endif
