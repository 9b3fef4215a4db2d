/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * JSON that is whole. Jansson's constructors return NULL without memory, for text that is not UTF-8 and for
 * numbers that are none; its setters return -1 then, and the object goes on without the value. So memory that
 * runs out ends the command where it is asked for, text from outside is made into text first, and setters are
 * called here alone.
 */
#include "json.h"

#include <math.h>
#include <stdlib.h>

#include "complain.h"

static void *take_memory(size_t size) {
    return allocate((int64_t)size, 1);
}

void json_prepare(void) {
    json_set_alloc_funcs(take_memory, free);
}

json_t *json_made(json_t *value, const char *what) {
    if (value) return value;
    set_silent(0);
    exit(complain("%s cannot be written as JSON; expected text in UTF-8 and finite numbers", what));
}

void json_put(json_t *object, const char *key, json_t *value) {
    json_object_set_new(object, key, json_made(value, key));
}

void json_add(json_t *list, json_t *value) {
    json_array_append_new(list, json_made(value, "an entry of a list"));
}

void json_join(json_t *object, json_t *more) {
    json_object_update_new(json_made(object, "an object"), json_made(more, "an object"));
}

json_t *json_number_or_null(double value) {
    return isfinite(value) ? json_real(value) : json_null();
}

/* The length of the sequence of UTF-8 at `text`; 0 when there is none (RFC 3629). */
static int sequence(const unsigned char *text) {
    int length = text[0] < 0x80 ? 1 : text[0] < 0xc2 ? 0 : text[0] < 0xe0 ? 2 : text[0] < 0xf0 ? 3 : 4;
    if (text[0] > 0xf4) return 0;
    for (int i = 1; i < length; i++)
        if ((text[i] & 0xc0) != 0x80) return 0;
    if ((text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xed && text[1] > 0x9f) || /* surrogates */
        (text[0] == 0xf0 && text[1] < 0x90) || (text[0] == 0xf4 && text[1] > 0x8f))
        return 0;
    return length;
}

json_t *json_text(const char *text) {
    char *plain = copy_text(text);
    for (char *at = plain; *at;) {
        int length = sequence((const unsigned char *)at);
        if (length == 0) *at = '?';
        at += length ? length : 1;
    }
    json_t *string = json_string(plain);
    free(plain);
    return string;
}

int json_print(json_t *value, FILE *out) {
    int failed = json_dumpf(json_made(value, "the output"), out, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    json_decref(value);
    if (failed) return complain("out of memory");
    fputc('\n', out);
    return EXIT_GOOD;
}
