/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading and writing contact files. One table of lines, in their order, is both: what each is called, where
 * its value is kept, what it may be. Reading is strict: the lines must be exactly these, each value must be
 * what writing would have written, and nothing may follow. Whatever is not is refused with the number of the
 * line and what was expected.
 */
#include "wire/tcp/contact.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"

typedef enum form { PROGRAM, SECRET, WORD, NUMBER, ORDER } form;

typedef struct line {
    const char *key;
    form form;
    size_t place;
    int64_t most; /* of a word: its room; of a number: the highest, and 1 or 0 is the lowest */
    int64_t least;
} line;

#define PLACE(field) offsetof(qdri_contact, field)
static const line lines[] = {
    {"name", PROGRAM, PLACE(name), QDRI_NAME, 0},
    {"peer", PROGRAM, PLACE(peer), QDRI_NAME, 0},
    {"token", SECRET, PLACE(token), 0, 0},
    {"host", WORD, PLACE(host), QDRI_HOST_NAME, 0},
    {"boot", NUMBER, PLACE(boot), INT64_MAX, 0},
    {"space", NUMBER, PLACE(space), INT64_MAX, 0},
    {"pid", NUMBER, PLACE(pid), INT32_MAX, 1},
    {"start", NUMBER, PLACE(start), INT64_MAX, 0},
    {"ranks", NUMBER, PLACE(ranks), QDRI_MOST_RANKS, 1},
    {"order", ORDER, PLACE(is_big), 0, 0},
    {"address", WORD, PLACE(address), QDRI_ADDRESS_TEXT, 0},
    {"port", NUMBER, PLACE(port), 65535, 1},
};
enum { LINES = sizeof lines / sizeof lines[0] };
static const char heading[] = "quadrille-contact";

int qdri_is_big(void) {
    const uint16_t word = 1;
    unsigned char byte;
    memcpy(&byte, &word, 1);
    return byte == 0;
}

static int is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
}

static int is_name(const char *name, size_t length) {
    if (length == 0 || length >= QDRI_NAME || name[0] == '.') return 0;
    for (size_t i = 0; i < length; i++)
        if (!is_letter(name[i])) return 0;
    return 1;
}

qdr_status qdri_check_name(const char *what, const char *name) {
    if (name && is_name(name, strlen(name))) return QDR_OK;
    return qdri_fail(QDR_ERR_INVALID,
                     "%s is '%.80s'; expected 1 to %d letters, digits, '-', '_' or '.', not '.' first", what,
                     name ? name : "(NULL)", QDRI_NAME - 1);
}

/* ---- reading ------------------------------------------------------------------------------------------- */

typedef struct value {
    const char *text;
    size_t length;
} value;

/* As it would have been written: no sign, no zero in front. */
static int read_number(value value, int64_t least, int64_t most, int64_t *number) {
    int64_t sum = 0;
    if (value.length == 0 || value.length > 19 || (value.text[0] == '0' && value.length > 1)) return 0;
    for (size_t i = 0; i < value.length; i++) {
        int digit = value.text[i] - '0';
        if (digit < 0 || digit > 9 || sum > (INT64_MAX - digit) / 10) return 0;
        sum = 10 * sum + digit;
    }
    if (sum < least || sum > most) return 0;
    *number = sum;
    return 1;
}

static int digit_of(char letter) {
    static const char digits[] = "0123456789abcdef";
    const char *found = letter ? strchr(digits, letter) : NULL;
    return found ? (int)(found - digits) : -1;
}

static int read_secret(value value, unsigned char *secret) {
    if (value.length != 2 * QDRI_SECRET) return 0;
    for (size_t i = 0; i < QDRI_SECRET; i++) {
        int high = digit_of(value.text[2 * i]), low = digit_of(value.text[2 * i + 1]);
        if (high < 0 || low < 0) return 0;
        secret[i] = (unsigned char)(16 * high + low);
    }
    return 1;
}

static int read_word(value value, size_t room, char *word) {
    if (value.length == 0 || value.length >= room) return 0;
    for (size_t i = 0; i < value.length; i++)
        if (!is_letter(value.text[i]) && value.text[i] != ':' && value.text[i] != '%') return 0;
    memcpy(word, value.text, value.length);
    word[value.length] = '\0';
    return 1;
}

static int is_text(value value, const char *text) {
    return value.length == strlen(text) && memcmp(value.text, text, value.length) == 0;
}

static int read_value(const line *line, value value, qdri_contact *contact) {
    char *place = (char *)contact + line->place;
    switch (line->form) {
    case PROGRAM:
        return is_name(value.text, value.length) && read_word(value, (size_t)line->most, place);
    case SECRET:
        return read_secret(value, (unsigned char *)place);
    case WORD:
        return read_word(value, (size_t)line->most, place);
    case NUMBER:
        return read_number(value, line->least, line->most, (int64_t *)(void *)place);
    default:
        *(int *)(void *)place = is_text(value, "big");
        return is_text(value, "big") || is_text(value, "little");
    }
}

static const char *expected_of(const line *line, char *text, size_t size) {
    static const char *const words[] = {"the name of a program", "64 hexadecimal digits",
                                        "a word of letters and digits", "", "'little' or 'big'"};
    if (line->form != NUMBER) return words[line->form];
    snprintf(text, size, "a number from %lld to %lld", (long long)line->least, (long long)line->most);
    return text;
}

/* The line that begins at *at, which then is behind it: its key must be this one. */
static int next_value(const char *bytes, size_t length, size_t *at, const char *key, value *found) {
    const char *begin = bytes + *at, *end = memchr(begin, '\n', length - *at);
    size_t letters = strlen(key);
    if (!end || (size_t)(end - begin) <= letters) return 0;
    if (memcmp(begin, key, letters) != 0 || begin[letters] != ' ') return 0;
    *found = (value){begin + letters + 1, (size_t)(end - begin) - letters - 1};
    *at = (size_t)(end + 1 - bytes);
    return 1;
}

qdr_status qdri_contact_read(const char *where, const char *bytes, size_t length, qdri_contact *contact) {
    qdri_contact read = {.pid = 0};
    value found;
    int64_t version = 0;
    size_t at = 0;
    if (length > QDRI_CONTACT_BYTES)
        return qdri_fail(QDR_ERR_SYNTAX, "%s: longer than %d bytes; expected a contact file", where,
                         QDRI_CONTACT_BYTES);
    if (!next_value(bytes, length, &at, heading, &found) || !read_number(found, 0, INT32_MAX, &version))
        return qdri_fail(QDR_ERR_SYNTAX, "%s: line 1: expected '%s %d'", where, heading,
                         QDRI_CONTACT_VERSION);
    if (version != QDRI_CONTACT_VERSION)
        return qdri_fail(QDR_ERR_SYNTAX, "%s: line 1: version %lld; this program speaks version %d", where,
                         (long long)version, QDRI_CONTACT_VERSION);
    for (int i = 0; i < LINES; i++) {
        char text[80];
        if (!next_value(bytes, length, &at, lines[i].key, &found))
            return qdri_fail(QDR_ERR_SYNTAX, "%s: line %d: expected '%s', a blank, and %s", where, i + 2,
                             lines[i].key, expected_of(&lines[i], text, sizeof text));
        if (!read_value(&lines[i], found, &read))
            return qdri_fail(QDR_ERR_SYNTAX, "%s: line %d: %s is '%.*s'; expected %s", where, i + 2,
                             lines[i].key, (int)(found.length < 80 ? found.length : 80), found.text,
                             expected_of(&lines[i], text, sizeof text));
    }
    if (at != length)
        return qdri_fail(QDR_ERR_SYNTAX, "%s: line %d: expected the end of the file", where, LINES + 2);
    *contact = read;
    return QDR_OK;
}

/* ---- writing ------------------------------------------------------------------------------------------- */

static void write_value(const line *line, const char *place, char *text, size_t size) {
    if (line->form == NUMBER) {
        snprintf(text, size, "%lld", (long long)*(const int64_t *)(const void *)place);
    } else if (line->form == ORDER) {
        snprintf(text, size, "%s", *(const int *)(const void *)place ? "big" : "little");
    } else if (line->form == SECRET) {
        for (size_t i = 0; i < QDRI_SECRET; i++)
            snprintf(text + 2 * i, size - 2 * i, "%02x", (unsigned char)place[i]);
    } else {
        snprintf(text, size, "%s", place);
    }
}

size_t qdri_contact_write(const qdri_contact *contact, char *text) {
    size_t used = (size_t)snprintf(text, QDRI_CONTACT_BYTES, "%s %d\n", heading, QDRI_CONTACT_VERSION);
    for (int i = 0; i < LINES; i++) {
        char written[QDRI_HOST_NAME + 8];
        write_value(&lines[i], (const char *)contact + lines[i].place, written, sizeof written);
        used += (size_t)snprintf(text + used, QDRI_CONTACT_BYTES - used, "%s %s\n", lines[i].key, written);
    }
    return used;
}
