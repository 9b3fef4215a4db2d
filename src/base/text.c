/* SPDX-License-Identifier: BSD-3-Clause */
#include "text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "memory.h"

void qdri_text_add(qdri_text *text, const char *format, ...) {
    va_list arguments;
    if (text->failed) return;
    for (int attempt = 0; attempt < 2; attempt++) {
        int64_t room = text->capacity - text->length;
        va_start(arguments, format);
        int wanted =
            vsnprintf(text->bytes ? text->bytes + text->length : NULL, (size_t)room, format, arguments);
        va_end(arguments);
        if (wanted >= 0 && wanted < room) {
            text->length += wanted;
            return;
        }
        if (wanted < 0 || !qdri_grow(&text->bytes, &text->capacity, text->length + (int64_t)wanted + 1, 1))
            break;
    }
    text->failed = 1;
}

qdr_status qdri_text_take(qdri_text *text, char **string) {
    if (!text->bytes) qdri_text_add(text, "%s", "");
    if (text->failed) {
        qdri_text_free(text);
        return qdri_fail_memory();
    }
    *string = text->bytes;
    *text = (qdri_text)QDRI_TEXT_EMPTY;
    return QDR_OK;
}

void qdri_text_free(qdri_text *text) {
    free(text->bytes);
    *text = (qdri_text)QDRI_TEXT_EMPTY;
}

char *qdri_copy_string(const char *string) {
    int64_t size = (int64_t)strlen(string) + 1;
    char *copy = QDRI_ARRAY(char, size);
    if (copy) memcpy(copy, string, (size_t)size);
    return copy;
}

static int fold(char letter) {
    return letter == '_' ? '-' : tolower((unsigned char)letter);
}

int qdri_word_in(const char *word, const char *list) {
    size_t length = strlen(word);
    while (length > 0 && *list) {
        size_t span = strcspn(list, " "), same = 0;
        while (same < span && same < length && fold(list[same]) == fold(word[same])) same++;
        if (span == length && same == length) return 1;
        list += span + (list[span] == ' ');
    }
    return 0;
}

void qdri_list_add(char *list, size_t size, const char *word) {
    size_t used = strlen(list);
    if (used + strlen(word) + 3 <= size) snprintf(list + used, size - used, "%s%s", used ? ", " : "", word);
}
