/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a contact file says. Text, one `key value` per line, in this order:
 *
 *     quadrille-contact 2
 *     name ocean              the program that has written it
 *     peer atmos              the one that it waits for
 *     token 64 hexadecimal digits
 *     host node17             of its root
 *     boot 1234567890         which start of which system
 *     space 4026531836        of process numbers there
 *     pid 4711
 *     start 123456            when that process began, in ticks of its system
 *     ranks 4
 *     order little            of bytes; or big
 *     address 127.0.0.1
 *     port 40001
 */
#ifndef QDRI_CONTACT_H
#define QDRI_CONTACT_H

#include <stddef.h>
#include <stdint.h>

#include "quadrille/base.h"
#include "wire/tcp/name.h"
#include "wire/tcp/secret.h"

enum {
    QDRI_CONTACT_VERSION = 2,
    QDRI_CONTACT_BYTES = 2048, /* no file is longer */
    QDRI_HOST_NAME = 128,
    QDRI_ADDRESS_TEXT = 64,
    QDRI_MOST_RANKS = 1 << 20, /* of a program */
};

typedef struct qdri_contact {
    char name[QDRI_NAME], peer[QDRI_NAME];
    unsigned char token[QDRI_SECRET];
    char host[QDRI_HOST_NAME];
    int64_t boot, space, pid, start;
    int64_t ranks;
    int is_big; /* the order of bytes */
    char address[QDRI_ADDRESS_TEXT];
    int64_t port;
} qdri_contact;

/* Whether this machine has the highest byte first. */
int qdri_is_big(void);

/* `bytes` need not end with NUL. `where` is for sentences. */
qdr_status qdri_contact_read(const char *where, const char *bytes, size_t length, qdri_contact *contact);
/* Returns the length; `text` has QDRI_CONTACT_BYTES. */
size_t qdri_contact_write(const qdri_contact *contact, char *text);

#endif
