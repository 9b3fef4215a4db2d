/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A proxy that sits where a program meets its sockets: what the library sends to the other program comes here first (the
 * linker sees to that), and goes on changed, dropped, repeated, cut, or in another order. Handshakes pass as they are,
 * for they prove themselves; all that follows may be struck: what the roots tell each other before there are links, the
 * heads of frames, and the words behind them.
 *
 * Damage is drawn from a seed. A *forger* also repairs the seal of a message that it has changed, so that what is behind
 * the seal is put to the test.
 */
#ifndef COUPLE_DAMAGE_H
#define COUPLE_DAMAGE_H

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/random.h"
#include "couple/stream/stream.h"
#include "wire/tcp/numbers.h"
#include "wire/tcp/inside.h"

enum { DAMAGE_FILES = 1024, DAMAGE_LETTER = QDRI_TAG_DELIVER };

typedef struct damage_file {
    int run;             /* that it belongs to */
    int is_cut;          /* nothing more goes out */
    unsigned char *held; /* a frame that waits for the next; NULL: none */
    int64_t held_bytes;
} damage_file;

static struct {
    int run; /* 0: everything passes */
    qdri_random random;
    double chance; /* of each frame */
    int left;      /* so many more strikes */
    int forges;
    int64_t frames, strikes; /* that went out, and that hit */
    damage_file file[DAMAGE_FILES];
} damage;

/* Before a run: what becomes of it. */
static inline void damage_begin(uint64_t seed, double chance, int most, int forges) {
    damage.run++;
    damage.random = qdri_random_seed(seed);
    damage.chance = chance;
    damage.left = most;
    damage.forges = forges;
    damage.frames = damage.strikes = 0;
}

static inline int damage_below(int limit) {
    return (int)qdri_random_below(&damage.random, (uint64_t)limit);
}

static inline damage_file *damage_of(int file) {
    static damage_file none;
    damage_file *found = file >= 0 && file < DAMAGE_FILES ? &damage.file[file] : &none;
    if (found->run != damage.run) {
        free(found->held);
        *found = (damage_file){.run = damage.run};
    }
    return found;
}

/* ---- words --------------------------------------------------------------------------------------------- */

/* Another word, of the kind that hurts. */
static inline uint64_t damage_word(uint64_t old, int bytes) {
    switch (damage_below(12)) {
    case 0:
        return 0;
    case 1:
        return UINT64_MAX;
    case 2:
        return old + 1;
    case 3:
        return old - 1;
    case 4:
        return 0 - old;
    case 5:
        return UINT64_MAX >> (65 - 8 * bytes);
    case 6:
        return UINT64_C(1) << (8 * bytes - 1);
    case 7:
        return (uint64_t)damage_below(100);
    case 8:
        return UINT64_C(1) << damage_below(8 * bytes);
    case 9:
        return qdri_random_next(&damage.random);
    case 10:
        return old + 8 * (uint64_t)damage_below(1000);
    default:
        return old ^ UINT64_C(1) << damage_below(8 * bytes);
    }
}

static inline void damage_place(unsigned char *place, int bytes) {
    qdri_number_write(place, damage_word(qdri_number_read(place, bytes), bytes), bytes);
}

/* One word of a message; those at its beginning say what the rest is, and are struck more often. */
static inline void damage_payload(unsigned char *message, int64_t bytes) {
    int size = bytes >= 8 && damage_below(4) ? 8 : bytes >= 4 && damage_below(2) ? 4 : 1;
    int64_t words = bytes / size, near = words < 12 ? words : 12;
    if (words > 0) damage_place(message + size * damage_below((int)(damage_below(4) ? near : words)), size);
}

/* ---- letters ------------------------------------------------------------------------------------------- */

enum { MESSAGE_SEAL = 8, MESSAGE_BODY = 16 };

static inline uint64_t damage_sum(const unsigned char *message, int64_t bytes) {
    return qdri_checksum(message + MESSAGE_BODY, bytes - MESSAGE_BODY);
}

/* A message of one message: its length, its seal, and the rest. */
static inline void damage_message(unsigned char *message, int64_t bytes) {
    int is_whole = bytes > MESSAGE_BODY && qdri_number_read(message, 8) == (uint64_t)(bytes - MESSAGE_BODY);
    if (!damage.forges || !is_whole) {
        damage_payload(message, bytes);
        return;
    }
    uint64_t seal = qdri_number_read(message + MESSAGE_SEAL, 8) ^ damage_sum(message, bytes);
    damage_payload(message + MESSAGE_BODY, bytes - MESSAGE_BODY);
    qdri_number_write(message + MESSAGE_SEAL, seal ^ damage_sum(message, bytes), 8);
}

/* ---- frames -------------------------------------------------------------------------------------------- */

ssize_t __real_send(int file, const void *data, size_t bytes, int flags);
ssize_t __real_sendmsg(int file, const struct msghdr *message, int flags);

/* All of it, for nobody comes back with the rest. */
static inline int damage_push(int file, const unsigned char *data, int64_t bytes) {
    for (int tries = 0; bytes > 0 && tries < 100;) {
        ssize_t sent = __real_send(file, data, (size_t)bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent > 0) {
            data += sent;
            bytes -= sent;
        } else if (errno == EAGAIN || errno == EINTR) {
            struct pollfd room = {.fd = file, .events = POLLOUT};
            poll(&room, 1, 10);
            tries++;
        } else {
            return 0;
        }
    }
    return bytes == 0;
}

static inline int damage_pass(int file, damage_file *state, const unsigned char *frame, int64_t bytes) {
    int good = damage_push(file, frame, bytes);
    if (state->held) good = damage_push(file, state->held, state->held_bytes) && good;
    free(state->held);
    state->held = NULL;
    return good;
}

static inline void damage_frame_words(unsigned char *frame, int64_t bytes) {
    int64_t behind = bytes - QDRI_HEAD;
    if (behind == 0 || damage_below(4) == 0) {
        int word = damage_below(4);
        damage_place(frame + (word < 2 ? 4 * word : 8 * (word - 1)), word < 2 ? 4 : 8);
    } else if (qdri_number_read(frame + 4, 4) == DAMAGE_LETTER) {
        damage_message(frame + QDRI_HEAD, behind);
    } else {
        damage_payload(frame + QDRI_HEAD, behind);
    }
}

/* A message of another length, whose head is right. */
static inline int64_t damage_length(unsigned char *frame, int64_t bytes) {
    int64_t behind = bytes - QDRI_HEAD;
    if (behind == 0) return bytes;
    behind = damage_below(2) ? behind - 1 - damage_below((int)behind) : behind / 2;
    qdri_number_write(frame + 8, (uint64_t)behind, 8);
    return QDRI_HEAD + behind;
}

/* Strikes one frame; false: the connection is gone. */
static inline int damage_frame(int file, unsigned char *frame, int64_t bytes) {
    damage_file *state = damage_of(file);
    damage.frames++;
    if (state->is_cut) return 1;
    if (damage.left == 0 || qdri_random_real(&damage.random) >= damage.chance)
        return damage_pass(file, state, frame, bytes);
    damage.left--;
    damage.strikes++;
    switch (damage_below(16)) {
    case 0: /* dropped */
        return 1;
    case 1:
    case 2: /* repeated */
        return damage_pass(file, state, frame, bytes) && damage_push(file, frame, bytes);
    case 3: /* cut: the connection ends in the middle */
        damage_push(file, frame, damage_below((int)bytes));
        state->is_cut = 1;
        shutdown(file, SHUT_WR);
        return 1;
    case 4: /* cut: the next follows at once */
        return damage_push(file, frame, damage_below((int)bytes));
    case 5: /* after the next */
        if (state->held) return damage_pass(file, state, frame, bytes);
        state->held = malloc((size_t)bytes);
        memcpy(state->held, frame, (size_t)bytes);
        state->held_bytes = bytes;
        return 1;
    case 6:
        return damage_pass(file, state, frame, damage_length(frame, bytes));
    default:
        damage_frame_words(frame, bytes);
        return damage_pass(file, state, frame, bytes);
    }
}

ssize_t __wrap_sendmsg(int file, const struct msghdr *message, int flags) {
    int64_t total = 0, at = 0;
    if (damage.run == 0) return __real_sendmsg(file, message, flags);
    for (size_t i = 0; i < message->msg_iovlen; i++) total += (int64_t)message->msg_iov[i].iov_len;
    unsigned char *all = malloc((size_t)total + 1);
    for (size_t i = 0; i < message->msg_iovlen; i++) {
        memcpy(all + at, message->msg_iov[i].iov_base, message->msg_iov[i].iov_len);
        at += (int64_t)message->msg_iov[i].iov_len;
    }
    int good = 1;
    for (at = 0; good && at < total;) {
        int64_t kind = (int64_t)qdri_number_read(all + at, 4) & 0xffff;
        int64_t behind = kind == QDRI_FRAME_MESSAGE || kind == QDRI_FRAME_DATA
                             ? (int64_t)qdri_number_read(all + at + 8, 8)
                             : 0;
        int64_t whole = QDRI_HEAD + behind;
        good = damage_frame(file, all + at, whole);
        at += whole;
    }
    free(all);
    if (!good) errno = EPIPE;
    return good ? (ssize_t)total : -1;
}

/* ---- before there are frames --------------------------------------------------------------------------- */

static inline int is_handshake(const void *data, size_t bytes) {
    return bytes == QDRI_VERDICT || (bytes >= 8 && memcmp(data, "qdrbridg", 8) == 0);
}

/* Addresses stay as they are: nobody is to be called who has nothing to do with it. */
ssize_t __wrap_send(int file, const void *data, size_t bytes, int flags) {
    int is_endpoints = bytes > 0 && bytes % QDRI_ENDPOINT == 0;
    if (damage.run == 0 || is_handshake(data, bytes) || flags & MSG_DONTWAIT)
        return __real_send(file, data, bytes, flags);
    damage.frames++;
    if (damage.left == 0 || qdri_random_real(&damage.random) >= damage.chance)
        return __real_send(file, data, bytes, flags);
    unsigned char *copy = malloc(bytes);
    memcpy(copy, data, bytes);
    damage.left--;
    damage.strikes++;
    damage_payload(copy, is_endpoints ? 8 : (int64_t)bytes);
    ssize_t sent = __real_send(file, copy, bytes, flags);
    free(copy);
    return sent;
}

#endif
