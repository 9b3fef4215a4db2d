/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Traffic of others for scripts/cluster: every host sends bursts to every other, at random times.
 *
 *     noise BITS-PER-SECOND SECONDS HOST...
 *
 * HOSTs are names of network namespaces, number i with the address 10.231.0.(i + 1). Each sends BITS-PER-SECOND on
 * average, in bursts of BURST datagrams to one other host; the times between bursts are exponential, and the same
 * in every run. Nothing answers, nothing is repeated: it takes its part of the wires and of the ports' buffers, and
 * does not yield as TCP would. Ends after SECONDS, or when it is killed.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "namespace.h"

enum { BURST = 8, DATAGRAM = 1400, FRAME = DATAGRAM + 42, PORT = 9 }; /* 9 is `discard` */

static double seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* A socket belongs to the namespace in which it was made. What comes to it overflows there, and is gone. */
static int open_socket(const char *namespace) {
    struct sockaddr_in own = {.sin_family = AF_INET, .sin_port = htons(PORT)};
    enter_namespace(namespace);
    int made = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), least = 1;
    if (made < 0 || bind(made, (struct sockaddr *)&own, sizeof own) != 0) give_up(namespace);
    setsockopt(made, SOL_SOCKET, SO_RCVBUF, &least, sizeof least);
    return made;
}

static void send_burst(int from, int to) {
    static const char data[DATAGRAM];
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(PORT)};
    address.sin_addr.s_addr = htonl((10u << 24 | 231u << 16) + (uint32_t)to + 1);
    for (int i = 0; i < BURST; i++)
        if (sendto(from, data, sizeof data, 0, (struct sockaddr *)&address, sizeof address) < 0) return;
}

static double draw_pause(double mean) {
    return -mean * log(1 - drand48());
}

static double read_number(const char *word, double most) {
    char *end;
    double value = strtod(word, &end);
    if (end == word || *end || !(value > 0 && value <= most)) {
        fprintf(stderr, "noise: '%s' is not a number above 0 and up to %g\n", word, most);
        exit(2);
    }
    return value;
}

static void sleep_until(double time) {
    struct timespec at = {.tv_sec = (time_t)time, .tv_nsec = (long)(1e9 * (time - floor(time)))};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR) continue;
}

int main(int words, char **word) {
    if (words < 5) {
        fputs("noise: usage: noise BITS-PER-SECOND SECONDS HOST HOST...\n", stderr);
        return 2;
    }
    double rate = read_number(word[1], 1e11), end = seconds() + read_number(word[2], 36000);
    int hosts = words - 3;
    double mean = BURST * FRAME * 8 / rate / hosts; /* between any two */
    int *made = calloc((size_t)hosts, sizeof *made);
    if (!made) give_up("memory");
    for (int i = 0; i < hosts; i++) made[i] = open_socket(word[3 + i]);
    for (double next = seconds(); next < end; next += draw_pause(mean)) {
        sleep_until(next);
        int from = (int)(drand48() * hosts);
        int to = (int)(drand48() * (hosts - 1));
        send_burst(made[from], to + (to >= from));
    }
    return 0;
}
