/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Publishing a contact file. It is written unseen and then linked to its name, which fails where there is one
 * already (base/file.h): so nobody reads half of it, and of two programs that begin at the same moment one
 * publishes and the other reads.
 *
 * A file whose writer is gone is in the way. On this host that is known from the process's number and the
 * time when it began, as /proc has them; elsewhere only calling tells. Hosts and containers often have the
 * same name, and numbers of name spaces are the same on all hosts; but each start of a system has an id of
 * its own. A file is moved aside before it is removed: if another program was faster and what was moved is
 * its fresh file, it is put back. Names aside are random, for the file holds a secret and its name does not.
 */
#include "wire/tcp/mailbox.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/host.h"
#include "base/random.h"
#include "wire/tcp/address.h"

/* ---- processes ----------------------------------------------------------------------------------------- */

/* The 22nd field of /proc/PID/stat; the second is the program's name in parentheses, which may hold anything.
 * 0: there is no such process, or it has ended and nobody has asked for its result yet; -1: who knows. */
static int64_t start_of(int64_t pid) {
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%lld/stat", (long long)pid);
    FILE *file = fopen(path, "re");
    if (!file) return errno == ENOENT || errno == ESRCH ? 0 : -1;
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    const char *at = strrchr(text, ')');
    if (at && (strncmp(at, ") Z", 3) == 0 || strncmp(at, ") X", 3) == 0)) return 0;
    for (int field = 2; at && field < 22; field++) at = strchr(at + 1, ' ');
    return at ? strtoll(at, NULL, 10) : 0;
}

void qdri_contact_introduce(qdri_contact *contact) {
    qdri_host_name(contact->host, sizeof contact->host);
    contact->boot = qdri_host_boot();
    contact->space = qdri_host_space();
    contact->pid = getpid();
    int64_t start = start_of(contact->pid);
    contact->start = start > 0 ? start : 0;
    contact->is_big = qdri_is_big();
}

/* All containers of a host have one boot, so in a directory of its own another boot is an earlier one. */
qdri_process qdri_contact_process(const qdri_contact *contact, int is_local) {
    qdri_contact here;
    qdri_contact_introduce(&here);
    if (here.boot != contact->boot)
        return is_local && here.boot && contact->boot ? QDRI_PROCESS_ENDED : QDRI_PROCESS_ELSEWHERE;
    if ((!here.boot && strcmp(here.host, contact->host) != 0) || here.space != contact->space)
        return QDRI_PROCESS_ELSEWHERE;
    int64_t start = here.start == 0 ? -1 : start_of(contact->pid);
    if (start < 0 || (start > 0 && contact->start == 0)) /* one of the two could not look */
        return kill((pid_t)contact->pid, 0) == 0 || errno != ESRCH ? QDRI_PROCESS_RUNS : QDRI_PROCESS_ENDED;
    return start == contact->start ? QDRI_PROCESS_RUNS : QDRI_PROCESS_ENDED;
}

/* ---- the file ------------------------------------------------------------------------------------------ */

qdr_status qdri_mailbox_open(const char *directory, const qdri_contact *own, qdri_mailbox *box) {
    int in_order = strcmp(own->name, own->peer) < 0;
    struct stat folder;
    if (!directory || !*directory)
        return qdri_fail(QDR_ERR_INVALID, "there is no directory for contact files; expected a path");
    int length = snprintf(box->path, sizeof box->path, "%s/%s+%s.contact", directory,
                          in_order ? own->name : own->peer, in_order ? own->peer : own->name);
    if (length < 0 || length >= (int)sizeof box->path)
        return qdri_fail(QDR_ERR_INVALID,
                         "the directory for contact files has a name of more than %d letters",
                         QDRI_PATH - 1 - 2 * QDRI_NAME);
    if (stat(directory, &folder) != 0)
        return qdri_fail(QDR_ERR_FILE, "the directory for contact files, %s: %s", directory, strerror(errno));
    if (!S_ISDIR(folder.st_mode))
        return qdri_fail(QDR_ERR_FILE, "%s is no directory; expected one for contact files", directory);
    box->own = *own;
    box->is_local = qdri_is_local_directory(directory);
    box->published = 0;
    return QDR_OK;
}

static qdr_status fail_file(const char *path, const char *what) {
    return qdri_fail(QDR_ERR_FILE, "%s cannot be %s: %s", path, what, strerror(errno));
}

/* No links are followed, and only a file of this user's own is believed. */
static qdr_status read_text(const char *path, char *text, size_t size, int *found, size_t *length) {
    struct stat kind;
    *found = 0;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0) return errno == ENOENT || errno == ESTALE ? QDR_OK : fail_file(path, "opened");
    if (fstat(file, &kind) != 0 || !S_ISREG(kind.st_mode) || kind.st_uid != geteuid()) {
        close(file);
        return qdri_fail(QDR_ERR_FILE, "%s is not a file of this user; expected a contact file", path);
    }
    ssize_t got = 0;
    *length = 0;
    while (*length < size && (got = read(file, text + *length, size - *length)) > 0) *length += (size_t)got;
    int code = errno;
    close(file);
    errno = code;
    if (got < 0) return errno == ESTALE ? QDR_OK : fail_file(path, "read");
    *found = 1;
    return QDR_OK;
}

static qdr_status look_at(const char *path, int *found, qdri_contact *contact) {
    char text[QDRI_CONTACT_BYTES + 1];
    size_t length = 0;
    QDRI_TRY(read_text(path, text, sizeof text, found, &length));
    return *found ? qdri_contact_read(path, text, length, contact) : QDR_OK;
}

qdr_status qdri_mailbox_look(const qdri_mailbox *box, int *found, qdri_contact *contact) {
    return look_at(box->path, found, contact);
}

static qdr_status write_contact(const qdri_mailbox *box, qdri_file *file) {
    char text[QDRI_CONTACT_BYTES];
    size_t length = qdri_contact_write(&box->own, text);
    int code = qdri_file_open(file, box->path, QDRI_FILE_PRIVATE);
    if (!code) code = qdri_file_write(file, text, length);
    if (!code) code = qdri_file_seal(file, QDRI_FILE_PRIVATE);
    errno = code;
    return code ? fail_file(box->path, "written") : QDR_OK;
}

qdr_status qdri_mailbox_publish(qdri_mailbox *box) {
    qdri_file file;
    qdr_status status = write_contact(box, &file);
    if (!status) {
        int code = qdri_file_place_fresh(&file);
        box->published = code == 0;
        errno = code;
        if (code && code != EEXIST) status = fail_file(box->path, "created");
    }
    qdri_file_drop(&file);
    return status;
}

/* Where another program was faster, and what was moved is its file, that goes back. */
static void remove_moved(const qdri_mailbox *box, const char *aside, const unsigned char *token) {
    qdri_contact contact;
    int found = 0;
    if (rename(box->path, aside) != 0) return;
    int others =
        look_at(aside, &found, &contact) == QDR_OK && found && !qdri_same_secret(contact.token, token);
    if (!others || qdri_file_rename_fresh(aside, box->path) != 0) unlink(aside);
}

void qdri_mailbox_remove(qdri_mailbox *box, const unsigned char *token) {
    qdri_contact contact;
    int found = 0;
    if (look_at(box->path, &found, &contact) || !found || !qdri_same_secret(contact.token, token)) return;
    char *aside = qdri_file_aside(box->path);
    if (aside) remove_moved(box, aside, token);
    free(aside);
}

void qdri_mailbox_withdraw(qdri_mailbox *box) {
    if (box->published) qdri_mailbox_remove(box, box->own.token);
    box->published = 0;
}
