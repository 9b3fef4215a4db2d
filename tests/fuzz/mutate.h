/* SPDX-License-Identifier: BSD-3-Clause */
/* Damaging text: what the fuzz programs share. Mutations are drawn from the library's own random numbers, so
 * that a failure repeats. */
#ifndef MUTATE_H
#define MUTATE_H

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "quadrille/base.h"

enum { ROOM = 1 << 16 };

typedef struct input {
    char bytes[ROOM + 1];
    size_t size;
} input;

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static const char *const awkward_numbers[] = {"0",
                                              "1",
                                              "-1",
                                              "2",
                                              "17",
                                              "1.5",
                                              "0.5",
                                              "1e3",
                                              "1e300",
                                              "3..9",
                                              "9..3",
                                              "2147483648",
                                              "4294967297",
                                              "1000000000000000000",
                                              "9223372036854775807",
                                              "4611686018427387904",
                                              "99999999999999999999999",
                                              "1e-400",
                                              "1/0",
                                              "1099511627776"};

static inline const char *pick(qdri_random *random, const char *const *table, size_t count) {
    return table[qdri_random_below(random, count)];
}

static inline void set_text(input *text, const char *bytes, size_t size) {
    text->size = size < ROOM ? size : ROOM;
    memcpy(text->bytes, bytes, text->size);
    text->bytes[text->size] = '\0';
}

/* Replaces `removed` bytes at `place` by `size` others; what does not fit is cut. */
static inline void replace(input *text, size_t place, size_t removed, const char *bytes, size_t size) {
    size_t tail = text->size - place - removed, room = place < ROOM ? ROOM - place : 0;
    if (size > room) size = room;
    if (tail > room - size) tail = room - size;
    memmove(text->bytes + place + size, text->bytes + place + removed, tail);
    if (size) memcpy(text->bytes + place, bytes, size);
    text->size = place + size + tail;
    text->bytes[text->size] = '\0';
}

/* The run of digits at or behind a random place; its length is 0 if there is none. */
static inline size_t find_number(qdri_random *random, const input *text, size_t *place) {
    size_t length = 0;
    *place = qdri_random_below(random, text->size + 1);
    while (*place < text->size && !isdigit((unsigned char)text->bytes[*place])) ++*place;
    while (*place + length < text->size && isdigit((unsigned char)text->bytes[*place + length])) length++;
    return length;
}

/* One mutation; `other` is another text of the same kind. */
static inline void mutate(qdri_random *random, input *text, const char *other) {
    size_t place = qdri_random_below(random, text->size + 1), left = text->size - place;
    size_t span = left ? 1 + qdri_random_below(random, left < 12 ? left : 12) : 0, length;
    char copy[16], byte = (char)qdri_random_below(random, 256);
    const char *number = pick(random, awkward_numbers, COUNT(awkward_numbers));
    switch (qdri_random_below(random, 16)) {
    case 0:
        if (left) text->bytes[place] ^= (char)(1 << qdri_random_below(random, 8));
        break;
    case 1:
        replace(text, place, span, "", 0);
        break;
    case 2:
        replace(text, place, 0, &byte, 1);
        break;
    case 3:
        memcpy(copy, text->bytes + place, span);
        replace(text, place, 0, copy, span);
        break;
    case 4:
        length = find_number(random, text, &place);
        replace(text, place, length, number, strlen(number));
        break;
    case 5:
        replace(text, place, left, "", 0);
        break;
    case 6:
        length = qdri_random_below(random, strlen(other) + 1);
        replace(text, place, left, other + length, strlen(other) - length);
        break;
    default: /* half of them: one digit for a number, which often stays legal */
        length = find_number(random, text, &place);
        byte = (char)('0' + qdri_random_below(random, 10));
        replace(text, place, length, &byte, 1);
    }
}

/* ---- complaints ---------------------------------------------------------------------------------------- */

static inline _Noreturn void complain(const input *text, const char *what) {
    fprintf(stderr, "fuzz: %s\nerror message: %s\ninput:\n", what, qdr_error_message());
    fwrite(text->bytes, 1, text->size, stderr);
    fputc('\n', stderr);
    exit(1);
}

/* A refusal is one line that says something. */
static inline void check_message(const input *text) {
    if (!qdr_error_message()[0]) complain(text, "refused without a message");
    for (const char *letter = qdr_error_message(); *letter; letter++)
        if (iscntrl((unsigned char)*letter)) complain(text, "refused with control characters");
}

#endif
