/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/likeness.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Levenshtein's, one row of the table at a time. */
int qdri_likeness(const char *word, size_t word_length, const char *other, size_t other_length) {
    enum { LONGEST = 64 };
    int row[LONGEST + 1];
    if (word_length > LONGEST || other_length > LONGEST) return LONGEST;
    for (size_t j = 0; j <= other_length; j++) row[j] = (int)j;
    for (size_t i = 1; i <= word_length; i++) {
        int corner = row[0];
        row[0] = (int)i;
        for (size_t j = 1; j <= other_length; j++) {
            int differ = tolower((unsigned char)word[i - 1]) != tolower((unsigned char)other[j - 1]);
            int replaced = corner + differ, least = row[j] < row[j - 1] ? row[j] : row[j - 1];
            corner = row[j];
            row[j] = least + 1 < replaced ? least + 1 : replaced;
        }
    }
    return row[other_length];
}

/* Of three letters one may be wrong; and who wrote the beginning of a name meant that one. */
static int away(const char *word, const char *other, size_t other_length) {
    size_t length = strlen(word);
    if (length == 0 || length > 60) return -1;
    if (length >= 3 && length < other_length && strncmp(word, other, length) == 0) return 0;
    int letters = qdri_likeness(word, length, other, other_length);
    return letters < (int)length && (letters <= 1 || (size_t)letters <= length / 3) ? letters : -1;
}

const char *qdri_did_you_mean(const char *word, const char *list) {
    static _Thread_local char sentence[128];
    const char *meant = NULL;
    int least = 0, meant_length = 0;
    while (*list) {
        int length = (int)strcspn(list, ","), found = away(word, list, (size_t)length);
        if (found >= 0 && (!meant || found < least)) {
            meant = list;
            meant_length = length;
            least = found;
        }
        list += length;
        list += strspn(list, ", ");
    }
    if (!meant) return "there are ";
    snprintf(sentence, sizeof sentence, "did you mean %.*s? There are ",
             meant_length < 60 ? meant_length : 60, meant);
    return sentence;
}
