/* SPDX-License-Identifier: BSD-3-Clause */
/* The contact file of two programs: DIRECTORY/FIRST+SECOND.contact, the same for both. */
#ifndef QDRI_MAILBOX_H
#define QDRI_MAILBOX_H

#include "wire/tcp/contact.h"

enum { QDRI_PATH = 1024 };

typedef struct qdri_mailbox {
    char path[QDRI_PATH];
    int is_local; /* the directory is this host's alone */
    int published;
    qdri_contact own; /* what this program publishes */
} qdri_mailbox;

typedef enum qdri_process { QDRI_PROCESS_RUNS, QDRI_PROCESS_ENDED, QDRI_PROCESS_ELSEWHERE } qdri_process;

/* Who writes: host, boot, space, pid, start of this process. */
void qdri_contact_introduce(qdri_contact *contact);
/* What became of the writer, as far as this host can know. `is_local`: only this host can have written it. */
qdri_process qdri_contact_process(const qdri_contact *contact, int is_local);

/* `own` has the names already. */
qdr_status qdri_mailbox_open(const char *directory, const qdri_contact *own, qdri_mailbox *box);
/* *found is 0 when there is no file. */
qdr_status qdri_mailbox_look(const qdri_mailbox *box, int *found, qdri_contact *contact);
/* Of several that try at the same moment one succeeds: box->published. */
qdr_status qdri_mailbox_publish(qdri_mailbox *box);
/* Takes away the file of this token, if it is still that. */
void qdri_mailbox_remove(qdri_mailbox *box, const unsigned char *token);
/* Takes away what this program has published. */
void qdri_mailbox_withdraw(qdri_mailbox *box);

#endif
