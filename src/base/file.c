/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files that are whole or not there. A reader must never see half a file, a full disk must not cost the older
 * one, and a writer that dies must leave nothing. So a file is written where nobody sees it, every call is
 * believed only when it says that it succeeded, and at the end the file takes its place in one step.
 *
 * Where the file system can, the file has no name while it is written (O_TMPFILE): a writer that is killed
 * leaves nothing behind, whatever killed it. A link cannot replace a file; so to do that it gets a name
 * beside its place just before it is renamed, and only between these two calls a kill leaves that name.
 * Elsewhere it has the name from the beginning, and who handles signals can remove it: `aside` says what to
 * remove.
 *
 * A name aside is the place with six random letters. They are drawn for the name alone: what is in the file
 * may be secret, and its name is not.
 */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"

enum { LETTERS = 6, ATTEMPTS = 100 };

/* ---- names --------------------------------------------------------------------------------------------- */

char *qdri_file_aside(const char *path) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz012345"; /* 32, so that none is likelier */
    unsigned char random[LETTERS];
    size_t length = strlen(path);
    char *name = QDRI_ARRAY(char, (int64_t)length + LETTERS + 2);
    if (!name) return NULL;
    if (getrandom(random, sizeof random, 0) !=
        sizeof random) { /* a system without; only others' luck counts */
        uint64_t other = qdri_mix((uint64_t)getpid() ^ (uint64_t)(uintptr_t)name);
        memcpy(random, &other, sizeof random);
    }
    memcpy(name, path, length);
    name[length] = '.';
    for (int i = 0; i < LETTERS; i++) name[length + 1 + (size_t)i] = letters[random[i] % 32];
    name[length + 1 + LETTERS] = '\0';
    return name;
}

/* Gives the file this name, or says EEXIST: then another one is tried. */
typedef int name_function(qdri_file *file, const char *name, mode_t mode);

static int take_name(qdri_file *file, name_function *function, mode_t mode) {
    int code = EEXIST;
    for (int i = 0; i < ATTEMPTS && code == EEXIST; i++) {
        char *name = qdri_file_aside(file->place);
        if (!name) return ENOMEM;
        code = function(file, name, mode);
        if (code)
            free(name);
        else
            file->aside = name;
    }
    return code;
}

/* ---- opening ------------------------------------------------------------------------------------------- */

static int copy_name(const char *path, char **copy) {
    *copy = qdri_copy_string(path);
    return *copy ? 0 : ENOMEM;
}

/* The folder of the place, for a file without a name. */
static int open_unnamed(const char *place, mode_t mode) {
    const char *slash = strrchr(place, '/');
    char *folder = qdri_copy_string(slash ? place : ".");
    if (!folder) return -1;
    if (slash) folder[slash == place ? 1 : slash - place] = '\0';
    int descriptor = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
    free(folder);
    return descriptor;
}

static int create_named(qdri_file *file, const char *name, mode_t mode) {
    file->descriptor = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
    return file->descriptor < 0 ? errno : 0;
}

/* The link that gives an unnamed file its name goes through /proc. */
static int open_beside(qdri_file *file, qdri_file_kind kind, const struct stat *old) {
    int shared = kind == QDRI_FILE_SHARED, code = 0;
    mode_t mode = shared ? 0666 : 0600;
    if (access("/proc/self/fd", X_OK) == 0) file->descriptor = open_unnamed(file->place, mode);
    if (file->descriptor < 0) code = take_name(file, create_named, mode);
    if (!code && shared && file->is_there && fchmod(file->descriptor, old->st_mode & 07777)) code = errno;
    return code;
}

int qdri_file_open(qdri_file *file, const char *path, qdri_file_kind kind) {
    struct stat old;
    *file = (qdri_file)QDRI_FILE_NONE;
    int follows = kind == QDRI_FILE_SHARED;
    file->is_there = follows ? stat(path, &old) == 0 : lstat(path, &old) == 0;
    file->is_direct = follows && file->is_there && !S_ISREG(old.st_mode);
    if (file->is_direct) {
        file->descriptor = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
        return file->descriptor < 0 ? errno : 0;
    }
    if (follows && file->is_there) file->place = realpath(path, NULL);
    int code = file->place ? 0 : copy_name(path, &file->place);
    return code ? code : open_beside(file, kind, &old);
}

/* ---- writing ------------------------------------------------------------------------------------------- */

static int write_all(int descriptor, const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t written = write(descriptor, bytes, length);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return written < 0 ? errno : ENOSPC;
        bytes += written;
        length -= (size_t)written;
    }
    return 0;
}

int qdri_file_write(qdri_file *file, const void *bytes, size_t length) {
    return write_all(file->descriptor, bytes, length);
}

static int close_it(qdri_file *file) {
    int descriptor = file->descriptor;
    file->descriptor = -1;
    return descriptor >= 0 && close(descriptor) && errno != EINTR ? errno : 0;
}

/* A file without a name stays open: closed it would be gone. Not all file systems keep files for good. */
int qdri_file_seal(qdri_file *file, qdri_file_kind kind) {
    if (!file->is_direct && kind == QDRI_FILE_SHARED && fsync(file->descriptor) && errno != EINVAL &&
        errno != EROFS && errno != ENOTSUP)
        return errno;
    return file->is_direct || file->aside ? close_it(file) : 0;
}

/* ---- taking its place ---------------------------------------------------------------------------------- */

static int link_unnamed(qdri_file *file, const char *name, mode_t mode) {
    char source[64];
    (void)mode; /* it has one */
    snprintf(source, sizeof source, "/proc/self/fd/%d", file->descriptor);
    return linkat(AT_FDCWD, source, AT_FDCWD, name, AT_SYMLINK_FOLLOW) ? errno : 0;
}

/* Where links are not allowed, the bytes go into a file that has had a name from the beginning. */
static int copy_to_named(qdri_file *file) {
    char block[1 << 14];
    struct stat status;
    int from = file->descriptor, code = fstat(from, &status) || lseek(from, 0, SEEK_SET) ? errno : 0;
    file->descriptor = -1;
    if (!code) code = take_name(file, create_named, 0600);
    if (!code && fchmod(file->descriptor, status.st_mode & 07777)) code = errno;
    for (ssize_t got = 1; !code && got > 0;) {
        got = read(from, block, sizeof block);
        if (got < 0)
            code = errno;
        else
            code = write_all(file->descriptor, block, (size_t)got);
    }
    close(from);
    if (!code && fsync(file->descriptor) && errno != EINVAL) code = errno;
    int closed = close_it(file);
    return code ? code : closed;
}

int qdri_file_name(qdri_file *file) {
    if (file->is_direct || file->aside) return 0;
    int code = take_name(file, link_unnamed, 0);
    if (code == 0) return close_it(file);
    return code == EEXIST || code == ENOMEM || code == ENOSPC ? code : copy_to_named(file);
}

static void forget_aside(qdri_file *file) {
    free(file->aside);
    file->aside = NULL;
}

int qdri_file_place(qdri_file *file) {
    if (file->is_direct) return 0;
    if (!file->aside && !file->is_there && link_unnamed(file, file->place, 0) == 0) return close_it(file);
    int code = qdri_file_name(file);
    if (!code && rename(file->aside, file->place)) code = errno;
    if (!code) forget_aside(file);
    return code;
}

int qdri_file_place_fresh(qdri_file *file) {
    if (!file->aside) {
        int code = link_unnamed(file, file->place, 0);
        if (code == 0) return close_it(file);
        if (code == EEXIST) return code;
        code = qdri_file_name(file);
        if (code) return code;
    }
    int code = qdri_file_rename_fresh(file->aside, file->place);
    if (!code) forget_aside(file);
    return code;
}

int qdri_file_rename_fresh(const char *aside, const char *path) {
    if (link(aside, path) == 0) {
        unlink(aside);
        return 0;
    }
    if (errno != EPERM && errno != EOPNOTSUPP && errno != ENOSYS) return errno;
    return renameat2(AT_FDCWD, aside, AT_FDCWD, path, RENAME_NOREPLACE) ? errno : 0;
}

void qdri_file_drop(qdri_file *file) {
    if (file->aside) unlink(file->aside);
    free(file->aside);
    free(file->place);
    if (file->descriptor >= 0) close(file->descriptor);
    *file = (qdri_file)QDRI_FILE_NONE;
}
