/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Publishing a contact file. It is written aside and then linked to its name, which fails where there is one
 * already: so nobody reads half of it, and of two programs that begin at the same moment one publishes and
 * the other reads.
 *
 * A file whose writer is gone is in the way. On this host that is known from the process's number and the
 * time when it began, as /proc has them; elsewhere only calling tells. Hosts and containers often have the
 * same name, and numbers of name spaces are the same on all hosts; but each start of a system has an id of
 * its own. A file is moved aside before it is removed: if another program was faster and what was moved is
 * its fresh file, it is put back.
 */
#include "tcp/mailbox.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/random.h"
#include "tcp/address.h"

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

static int64_t own_space(void) {
    struct stat space;
    return stat("/proc/self/ns/pid", &space) == 0 ? (int64_t)space.st_ino : 0;
}

/* A digest of the id of this start of the system; 0: it has none. */
static int64_t own_boot(void) {
    char text[64];
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    if (!file) return 0;
    size_t length = fread(text, 1, sizeof text, file);
    uint64_t digest = 0;
    fclose(file);
    for (size_t i = 0; i < length; i++) digest = qdri_mix(digest ^ (unsigned char)text[i]);
    return (int64_t)(digest >> 2);
}

void qdri_contact_introduce(qdri_contact *contact) {
    qdri_host_name(contact->host, sizeof contact->host);
    contact->boot = own_boot();
    contact->space = own_space();
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
        return qdri_fail(QDR_INVALID, "there is no directory for contact files; expected a path");
    int length = snprintf(box->path, sizeof box->path, "%s/%s+%s.contact", directory,
                          in_order ? own->name : own->peer, in_order ? own->peer : own->name);
    if (length < 0 || length >= (int)sizeof box->path)
        return qdri_fail(QDR_INVALID, "the directory for contact files has a name of more than %d letters",
                         QDRI_PATH - 1 - 2 * QDRI_NAME);
    if (stat(directory, &folder) != 0)
        return qdri_fail(QDR_FILE, "the directory for contact files, %s: %s", directory, strerror(errno));
    if (!S_ISDIR(folder.st_mode))
        return qdri_fail(QDR_FILE, "%s is no directory; expected one for contact files", directory);
    snprintf(box->aside, sizeof box->aside, "%s.%lld.%02x%02x%02x%02x", box->path, (long long)own->pid,
             own->token[0], own->token[1], own->token[2], own->token[3]);
    box->own = *own;
    box->is_local = qdri_is_local_directory(directory);
    box->published = 0;
    return QDR_OK;
}

static qdr_status fail_file(const char *path, const char *what) {
    return qdri_fail(QDR_FILE, "%s cannot be %s: %s", path, what, strerror(errno));
}

/* No links are followed, and only a file of this user's own is believed. */
static qdr_status read_text(const char *path, char *text, size_t size, int *found, size_t *length) {
    struct stat kind;
    *found = 0;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0) return errno == ENOENT || errno == ESTALE ? QDR_OK : fail_file(path, "opened");
    if (fstat(file, &kind) != 0 || !S_ISREG(kind.st_mode) || kind.st_uid != geteuid()) {
        close(file);
        return qdri_fail(QDR_FILE, "%s is no file of this user's; expected a contact file", path);
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

static qdr_status write_aside(const qdri_mailbox *box) {
    char text[QDRI_CONTACT_BYTES];
    size_t length = qdri_contact_write(&box->own, text), written = 0;
    unlink(box->aside);
    int file = open(box->aside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0) return fail_file(box->aside, "created");
    while (written < length) {
        ssize_t more = write(file, text + written, length - written);
        if (more < 0 && errno == EINTR) continue;
        if (more <= 0) break;
        written += (size_t)more;
    }
    qdr_status status = written == length ? QDR_OK : fail_file(box->aside, "written");
    close(file);
    if (status) unlink(box->aside);
    return status;
}

/* Gives a file a name that nothing has; false with EEXIST where something has it. */
static int name_it(const char *aside, const char *path) {
    if (link(aside, path) == 0) {
        unlink(aside);
        return 1;
    }
    if (errno != EPERM && errno != EOPNOTSUPP && errno != ENOSYS) return 0;
    return renameat2(AT_FDCWD, aside, AT_FDCWD, path, RENAME_NOREPLACE) == 0;
}

qdr_status qdri_mailbox_publish(qdri_mailbox *box) {
    QDRI_TRY(write_aside(box));
    box->published = name_it(box->aside, box->path);
    qdr_status status = box->published || errno == EEXIST ? QDR_OK : fail_file(box->path, "created");
    if (!box->published) unlink(box->aside);
    return status;
}

void qdri_mailbox_remove(qdri_mailbox *box, const unsigned char *token) {
    qdri_contact contact;
    int found = 0;
    if (look_at(box->path, &found, &contact) || !found || !qdri_same_secret(contact.token, token)) return;
    if (rename(box->path, box->aside) != 0) return;
    if (look_at(box->aside, &found, &contact) == QDR_OK && found && !qdri_same_secret(contact.token, token)) {
        if (!name_it(box->aside, box->path)) unlink(box->aside);
        return;
    }
    unlink(box->aside);
}

void qdri_mailbox_withdraw(qdri_mailbox *box) {
    if (box->published) qdri_mailbox_remove(box, box->own.token);
    box->published = 0;
}
