/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * News: a failure that one rank learns of by itself, and that others have to hear of, because they would wait for it in
 * vain. Whatever may be waited for has a *listener* on each rank: a council, a plan. Who learns of a failure tells it to
 * some ranks or to all, and says what it is about. The others find it when they look, which they do now and then while
 * they wait for anything, so news cost nothing as long as there are none.
 *
 * A listener is shown all news of its wire, and says which are about what it stands for. What is about nothing that
 * exists here may be about something that comes into being later, and is kept for a while.
 */
#ifndef QDRI_NEWS_H
#define QDRI_NEWS_H

#include "wire/wire.h"

enum { QDRI_NEWS_TEXT = 1024 };

typedef struct qdri_news {
    int64_t about;  /* a number that all ranks have for it, and that nothing else has */
    int64_t number; /* of the question or exchange that failed; -1: of none */
    int64_t status;
    char sentence[QDRI_NEWS_TEXT];
} qdri_news;

typedef struct qdri_listener qdri_listener;
struct qdri_listener {
    /* Whether they are about it. */
    int (*hear)(qdri_listener *listener, const qdri_news *news);
    qdri_listener *next, **link; /* private */
};
void qdri_listener_add(qdri_wire *wire, qdri_listener *listener);
void qdri_listener_remove(qdri_wire *wire, qdri_listener *listener);

/* Local: it is said, and this rank goes on. Without memory the others find out by themselves, later. */
void qdri_news_tell(qdri_wire *wire, int to, const qdri_news *news);
void qdri_news_tell_all(qdri_wire *wire, const qdri_news *news);

/* Looks whether there are any. True: there are, and listeners are shown them as soon as they are here. */
int qdri_news_look(qdri_wire *wire);

#endif
