/* SPDX-License-Identifier: BSD-3-Clause */
/* What somebody may have meant who wrote a name that does not exist. */
#ifndef QDRI_LIKENESS_H
#define QDRI_LIKENESS_H

#include <stddef.h>

/* How many letters must be added, left out or replaced to make the one the other. */
int qdri_likeness(const char *word, size_t word_length, const char *other, size_t other_length);

/* Local. The beginning of a sentence that ends in a list, "async, linear, paced": "did you mean paced? There are " where one of
 * them is like the word, else "there are ". Valid until the next call of this thread. */
const char *qdri_did_you_mean(const char *word, const char *list);

#endif
