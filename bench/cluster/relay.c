/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Long cables for scripts/cluster: frames arrive a while after they were sent.
 *
 *     relay MICROSECONDS SWITCH HOST...
 *
 * SWITCH and the HOSTs are names of network namespaces. Host number i gets a network device eth0, and the switch a
 * device host-i; what is sent into one comes out of the other MICROSECONDS later. Both are TAP devices, whose other
 * ends this process holds, so the devices vanish with it. Rates and buffers are not its business: the token buckets
 * in front of the devices see to them, so a cable never holds more than rate x delay, and a queue of QUEUE frames
 * is enough for every network that this machine can emulate. Whatever finds it full is dropped, as on any cable.
 *
 * Prints "ready" once all devices are there, and goes on in the background, in the namespace of the switch, until it is
 * killed. It wakes by a timer for the frame that is due next.
 */
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "namespace.h"

enum { QUEUE = 2048, FRAME = 1536 };

typedef struct frame {
    int64_t due; /* nanoseconds */
    int bytes;
    char data[FRAME];
} frame;

/* One direction of a cable. */
typedef struct way {
    int from, to;
    unsigned first, end; /* of the queue, ever rising */
    frame *queue;        /* [QUEUE] */
} way;

static int64_t nanoseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static int open_device(const char *namespace, const char *name) {
    struct ifreq request = {.ifr_flags = IFF_TAP | IFF_NO_PI};
    enter_namespace(namespace);
    int device = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (device < 0) give_up("/dev/net/tun");
    snprintf(request.ifr_name, sizeof request.ifr_name, "%s", name);
    if (ioctl(device, TUNSETIFF, &request) != 0) give_up(name);
    return device;
}

static way make_way(int from, int to) {
    way made = {.from = from, .to = to, .queue = malloc(QUEUE * sizeof *made.queue)};
    if (!made.queue) give_up("queues");
    return made;
}

/* Takes in what was sent. */
static void take(way *one, int64_t due) {
    for (;;) {
        static frame dropped;
        int is_full = one->end - one->first == QUEUE;
        frame *next = is_full ? &dropped : &one->queue[one->end % QUEUE];
        next->bytes = (int)read(one->from, next->data, sizeof next->data);
        if (next->bytes <= 0) return;
        next->due = due;
        one->end += !is_full;
    }
}

/* Hands out what is due; returns when the next is, or 0. */
static int64_t hand_out(way *one, int64_t now) {
    for (; one->first != one->end; one->first++) {
        const frame *next = &one->queue[one->first % QUEUE];
        if (next->due > now) return next->due;
        /* A device that is down takes nothing, as a wire that is not plugged in. */
        if (write(one->to, next->data, (size_t)next->bytes) < 0) continue;
    }
    return 0;
}

static void set_alarm(int timer, int64_t at) {
    struct itimerspec alarm = {.it_value = {at / 1000000000, at % 1000000000}};
    timerfd_settime(timer, TFD_TIMER_ABSTIME, &alarm, NULL);
}

/* Whatever wakes it, it looks at everything: there are few devices. */
static void run(way *ways, int count, int64_t delay) {
    struct pollfd *watched = calloc((size_t)count + 1, sizeof *watched);
    int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    uint64_t rings;
    if (!watched || timer < 0) give_up("timer");
    for (int i = 0; i < count; i++) watched[i] = (struct pollfd){.fd = ways[i].from, .events = POLLIN};
    watched[count] = (struct pollfd){.fd = timer, .events = POLLIN};
    for (;;) {
        int64_t now = nanoseconds(), next = 0;
        for (int i = 0; i < count; i++) {
            int64_t due = hand_out(&ways[i], now);
            if (due > 0 && (next == 0 || due < next)) next = due;
        }
        set_alarm(timer, next);
        poll(watched, (nfds_t)count + 1, -1);
        if (watched[count].revents && read(timer, &rings, sizeof rings) < 0) continue;
        now = nanoseconds();
        for (int i = 0; i < count; i++)
            if (watched[i].revents & POLLIN) take(&ways[i], now + delay);
    }
}

int main(int words, char **word) {
    char *end;
    long delay = words > 3 ? strtol(word[1], &end, 10) : 0;
    if (words < 4 || *end || delay <= 0 || delay > 1000000) {
        fputs("relay: usage: relay MICROSECONDS SWITCH HOST...\n", stderr);
        return 2;
    }
    int hosts = words - 3;
    way *ways = calloc(2 * (size_t)hosts, sizeof *ways);
    if (!ways) give_up("memory");
    for (int i = 0; i < hosts; i++) {
        char port[IFNAMSIZ];
        snprintf(port, sizeof port, "host-%d", i);
        int host = open_device(word[3 + i], "eth0"), at_switch = open_device(word[2], port);
        ways[2 * i] = make_way(host, at_switch);
        ways[2 * i + 1] = make_way(at_switch, host);
    }
    puts("ready");
    fflush(stdout);
    if (daemon(1, 0) != 0) give_up("daemon");
    run(ways, 2 * hosts, delay * INT64_C(1000));
}
