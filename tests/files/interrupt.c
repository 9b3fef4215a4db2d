/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Preloaded into the command, sends it a signal at the n-th call by which it makes, writes, seals, names or
 * renames a file: INTERRUPT="SIGNAL N", before that call is made, or after it with an N below 0. So every
 * moment at which a file is half there is met, which no clock would do. INTERRUPT_NAMED: the file system has
 * no files without a name.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int number, place, count;

__attribute__((constructor)) static void prepare(void) {
    const char *text = getenv("INTERRUPT");
    char *rest = NULL;
    if (!text) return;
    number = (int)strtol(text, &rest, 10);
    place = (int)strtol(rest, NULL, 10);
}

static void step(int after) {
    if (!after) count++;
    if (place != 0 && count == (after ? -place : place)) raise(number);
}

/* The function of this name behind this one. */
#define NEXT(name) ((__typeof__(&(name)))(uintptr_t)dlsym(RTLD_NEXT, #name))

#define STEPPED(call)                                                                                        \
    do {                                                                                                     \
        step(0);                                                                                             \
        __typeof__(call) result = (call);                                                                    \
        int code = errno;                                                                                    \
        step(1);                                                                                             \
        errno = code;                                                                                        \
        return result;                                                                                       \
    } while (0)

int open(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    if (!(flags & (O_WRONLY | O_RDWR))) return NEXT(open)(path, flags, mode);
    if ((flags & O_TMPFILE) == O_TMPFILE && getenv("INTERRUPT_NAMED")) {
        errno = EOPNOTSUPP;
        return -1;
    }
    STEPPED(NEXT(open)(path, flags, mode));
}

ssize_t write(int descriptor, const void *bytes, size_t length) {
    STEPPED(NEXT(write)(descriptor, bytes, length));
}

int fsync(int descriptor) {
    STEPPED(NEXT(fsync)(descriptor));
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
    STEPPED(NEXT(linkat)(from_folder, from, to_folder, to, flags));
}

int rename(const char *from, const char *to) {
    STEPPED(NEXT(rename)(from, to));
}

int mkdir(const char *path, mode_t mode) {
    STEPPED(NEXT(mkdir)(path, mode));
}
