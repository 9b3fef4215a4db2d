/* SPDX-License-Identifier: BSD-3-Clause */
/* Wisdom as a table and as text: see wisdom.h. */
#include "choose/wisdom.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "choose/chooser.h"

static const char title[] = "quadrille wisdom 2\n";

/* ---- the table ----------------------------------------------------------------------------------------- */

void qdri_wisdom_free(qdri_wisdom *wisdom) {
    free(wisdom->line);
    *wisdom = (qdri_wisdom){NULL, 0, 0};
}

const qdri_wise *qdri_wisdom_find(const qdri_wisdom *wisdom, uint64_t key, uint64_t signature,
                                  int size_class) {
    for (int i = wisdom->count - 1; i >= 0; i--) {
        const qdri_wise *line = &wisdom->line[i];
        if (line->key == key && line->signature == signature && line->size_class == size_class) return line;
    }
    return NULL;
}

static void remove_line(qdri_wisdom *wisdom, int place) {
    wisdom->count--;
    memmove(&wisdom->line[place], &wisdom->line[place + 1],
            (size_t)(wisdom->count - place) * sizeof *wisdom->line);
}

qdr_status qdri_wisdom_learn(qdri_wisdom *wisdom, const qdri_wise *line) {
    const qdri_wise *old = qdri_wisdom_find(wisdom, line->key, line->signature, line->size_class);
    if (old) remove_line(wisdom, (int)(old - wisdom->line));
    if (wisdom->count == QDRI_WISDOM_MOST) remove_line(wisdom, 0);
    if (!qdri_grow(&wisdom->line, &wisdom->capacity, (int64_t)wisdom->count + 1, sizeof *wisdom->line))
        return qdri_fail_memory();
    wisdom->line[wisdom->count++] = *line;
    return QDR_OK;
}

/* ---- text ---------------------------------------------------------------------------------------------- */

int qdri_wise_name_is_good(const char *name) {
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz-");
    return length > 0 && length < QDRI_WISE_NAME && name[length] == 0;
}

static uint64_t digest_of(const char *text, size_t bytes) {
    uint64_t digest = bytes;
    for (size_t i = 0; i < bytes; i++) digest = qdri_mix(digest ^ (unsigned char)text[i]);
    return digest;
}

/* What is left of a text. */
typedef struct cursor {
    const char *at, *end;
} cursor;

static int take(cursor *text, char letter) {
    if (text->at == text->end || *text->at != letter) return 0;
    text->at++;
    return 1;
}

static int value_of(char letter) {
    return letter >= '0' && letter <= '9'   ? letter - '0'
           : letter >= 'a' && letter <= 'f' ? letter - 'a' + 10
                                            : 99;
}

/* A number with nothing around it, as long as it fits, and the letter behind it. */
static int take_number(cursor *text, unsigned base, uint64_t most, char behind, uint64_t *number) {
    const char *begin = text->at;
    for (*number = 0; text->at < text->end && value_of(*text->at) < (int)base; text->at++) {
        unsigned digit = (unsigned)value_of(*text->at);
        if (*number > (most - digit) / base) return 0;
        *number = *number * base + digit;
    }
    return text->at > begin && take(text, behind);
}

static int take_name(cursor *text, char *name) {
    size_t length = 0;
    while (length + 1 < QDRI_WISE_NAME && text->at < text->end && *text->at != ' ')
        name[length++] = *text->at++;
    name[length] = 0;
    return qdri_wise_name_is_good(name) && take(text, ' ');
}

static int take_line(cursor *text, qdri_wise *line) {
    uint64_t size_class, nanoseconds, window, ceiling, rate;
    if (!take_number(text, 16, UINT64_MAX, ' ', &line->key) ||
        !take_number(text, 16, UINT64_MAX, ' ', &line->signature) ||
        !take_number(text, 10, QDRI_CHOOSER_CLASSES - 1, ' ', &size_class) ||
        !take_name(text, line->algorithm) || !take_number(text, 10, INT64_MAX, ' ', &nanoseconds) ||
        !take_number(text, 10, INT64_MAX, ' ', &window) || !take_number(text, 10, INT64_MAX, ' ', &ceiling) ||
        !take_number(text, 10, INT64_MAX, '\n', &rate))
        return 0;
    line->size_class = (int)size_class;
    line->nanoseconds = (int64_t)nanoseconds;
    line->window = (int64_t)window;
    line->ceiling = (int64_t)ceiling;
    line->rate = (int64_t)rate;
    return 1;
}

static int take_word(cursor *text, const char *word) {
    size_t length = strlen(word);
    if ((size_t)(text->end - text->at) < length || memcmp(text->at, word, length) != 0) return 0;
    text->at += length;
    return 1;
}

/* No number of base 16 begins so. */
static int is_at_end(const cursor *text) {
    cursor copy = *text;
    return take_word(&copy, "end ") || copy.at == copy.end;
}

static int take_end(cursor *text, const char *begin, int lines) {
    uint64_t count, digest, expected = digest_of(begin, (size_t)(text->at - begin));
    return take_word(text, "end ") && take_number(text, 10, QDRI_WISDOM_MOST, ' ', &count) &&
           take_number(text, 16, UINT64_MAX, '\n', &digest) && text->at == text->end &&
           count == (uint64_t)lines && digest == expected;
}

/* Runs over the text twice: nothing is learned from one that is not whole. */
qdr_status qdri_wisdom_read(qdri_wisdom *wisdom, const char *text, size_t bytes) {
    qdri_wise line;
    cursor rest = {text, text + bytes};
    int lines = 0, is_good = take_word(&rest, title);
    for (; is_good && !is_at_end(&rest); lines++)
        is_good = lines < QDRI_WISDOM_MOST && take_line(&rest, &line);
    if (!is_good || !take_end(&rest, text, lines))
        return qdri_fail(QDR_ERR_SYNTAX, "this is no wisdom of this version, or a damaged one");
    rest = (cursor){text + sizeof title - 1, text + bytes};
    for (int i = 0; i < lines; i++) {
        take_line(&rest, &line);
        QDRI_TRY(qdri_wisdom_learn(wisdom, &line));
    }
    return QDR_OK;
}

char *qdri_wisdom_write(const qdri_wisdom *wisdom, size_t *bytes) {
    enum { LONGEST = 16 + 1 + 16 + 1 + 2 + 1 + QDRI_WISE_NAME + 4 * 21 };
    size_t room = sizeof title + ((size_t)wisdom->count + 1) * LONGEST, used = sizeof title - 1;
    char *text = qdri_alloc((int64_t)room, 1);
    if (!text) return NULL;
    memcpy(text, title, sizeof title);
    for (int i = 0; i < wisdom->count; i++) {
        const qdri_wise *line = &wisdom->line[i];
        used += (size_t)snprintf(text + used, room - used, "%llx %llx %d %s %lld %lld %lld %lld\n",
                                 (unsigned long long)line->key, (unsigned long long)line->signature,
                                 line->size_class, line->algorithm, (long long)line->nanoseconds,
                                 (long long)line->window, (long long)line->ceiling, (long long)line->rate);
    }
    uint64_t digest = digest_of(text, used);
    used += (size_t)snprintf(text + used, room - used, "end %d %llx\n", wisdom->count,
                             (unsigned long long)digest);
    *bytes = used;
    return text;
}
