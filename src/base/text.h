/* SPDX-License-Identifier: BSD-3-Clause */
/* A string that grows. A failed allocation is remembered and shows when the text is taken, so that writers
 * need no check per line. */
#ifndef QDRI_TEXT_H
#define QDRI_TEXT_H

#include <stdint.h>
#include <stdio.h>

#include "quadrille/base.h"

typedef struct qdri_text {
    char *bytes; /* NUL-terminated once anything was added */
    int64_t length, capacity;
    int failed;
} qdri_text;

#define QDRI_TEXT_EMPTY                                                                                      \
    { NULL, 0, 0, 0 }

void qdri_text_add(qdri_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Moves the string to the caller, who frees it; the text is empty afterwards. */
qdr_status qdri_text_take(qdri_text *text, char **string);

void qdri_text_free(qdri_text *text);

/* A copy of the string; NULL without memory. */
char *qdri_copy_string(const char *string);

/* Appends a word to a list, "async, linear", in a buffer of `size` bytes that begins empty; what does not
 * fit is left out. Needs no memory, so that errors can list what is valid. */
void qdri_list_add(char *list, size_t size, const char *word);

/* Whether `word` equals one of the words of a list separated by blanks, without regard to case, and with '-'
 * and '_' as the same letter. */
int qdri_word_in(const char *word, const char *list);

#endif
