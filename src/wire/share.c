/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory with a name, for as long as it takes the others to map it. Backed by posix_fallocate, because a
 * mapping without memory behind it kills whoever touches it. It begins with its token, so whoever maps it
 * knows that it is the one that was meant.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "wire/inside.h"

static void name_of(char *name, size_t size, uint64_t token) {
    snprintf(name, size, "/quadrille-%016llx", (unsigned long long)token);
}

static uint64_t *map(int file, size_t size) {
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

int qdri_share_back(int file, int64_t from, int64_t bytes) {
    int error;
    do error = posix_fallocate(file, (off_t)from, (off_t)bytes);
    while (error == EINTR);
    return error == 0;
}

/* A longer file than is allowed would not be refused, but end the process. */
static int is_allowed(size_t size) {
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || size <= limit.rlim_cur;
}

void *qdri_share_make(uint64_t token, size_t bytes, size_t size, int *file) {
    char name[64];
    if (!is_allowed(size)) return NULL;
    name_of(name, sizeof name, token);
    int made = shm_open(name, O_CREAT | O_EXCL | O_RDWR, S_IRUSR | S_IWUSR);
    if (made < 0) return NULL;
    uint64_t *memory = NULL;
    if (ftruncate(made, (off_t)size) == 0 && qdri_share_back(made, 0, (int64_t)bytes))
        memory = map(made, size);
    if (!memory) {
        shm_unlink(name);
        close(made);
        return NULL;
    }
    *memory = token;
    *file = made;
    return memory;
}

void *qdri_share_find(uint64_t token, size_t size, int *file_found) {
    char name[64];
    struct stat state;
    name_of(name, sizeof name, token);
    int file = shm_open(name, O_RDWR, 0);
    if (file < 0) return NULL;
    uint64_t *found = fstat(file, &state) == 0 && state.st_size >= (off_t)size ? map(file, size) : NULL;
    if (found && *found != token) {
        munmap(found, size);
        found = NULL;
    }
    if (found)
        *file_found = file;
    else
        close(file);
    return found;
}

void qdri_share_unlink(uint64_t token) {
    char name[64];
    name_of(name, sizeof name, token);
    shm_unlink(name);
}
