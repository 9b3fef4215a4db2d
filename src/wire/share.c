/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory with a name, for as long as it takes the others to map it. Backed by posix_fallocate, because a
 * mapping without memory behind it kills whoever touches it. It begins with its token, so whoever maps it
 * knows that it is the one that was meant.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
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

void *qdri_share_make(uint64_t token, size_t bytes, size_t size, int *file) {
    char name[64];
    name_of(name, sizeof name, token);
    int made = shm_open(name, O_CREAT | O_EXCL | O_RDWR, S_IRUSR | S_IWUSR);
    if (made < 0) return NULL;
    uint64_t *memory = NULL;
    if (ftruncate(made, (off_t)size) == 0 && posix_fallocate(made, 0, (off_t)bytes) == 0)
        memory = map(made, size);
    if (memory)
        *memory = token;
    else
        shm_unlink(name);
    if (memory)
        *file = made;
    else
        close(made);
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
