/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory of other processes of this node, as far as the system lets one of them read another's: see wire/node.h. Where it
 * does not, because processes belong to different users, because a debugger alone may do that, or because a container
 * forbids it, nothing is read, and nobody is told.
 *
 * A process number alone is no proof that a process is the one that was meant. So every process has a word that no other
 * has, and tells the others where it lies: who finds it there reads the right memory.
 */
#include <stdatomic.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include "wire/node.h"

static _Atomic uint64_t word;

qdri_own_word qdri_own_word_here(void) {
    uint64_t none = 0;
    if (!atomic_load(&word)) {
        uint64_t mine =
            ((uint64_t)getpid() << 32 ^ (uint64_t)(1e9 * qdri_seconds())) * UINT64_C(0x9E3779B97F4A7C15) | 1;
        atomic_compare_exchange_strong(&word, &none, mine);
    }
    return (qdri_own_word){(uint64_t)(uintptr_t)&word, atomic_load(&word)};
}

int qdri_foreign_read(int64_t process, uint64_t place, void *into, int64_t bytes) {
#ifdef __linux__
    char *at = into;
    while (bytes > 0) {
        struct iovec here = {at, (size_t)bytes}, there = {(void *)(uintptr_t)place, (size_t)bytes};
        ssize_t came = process_vm_readv((pid_t)process, &here, 1, &there, 1, 0);
        if (came <= 0) return 0;
        at += came;
        place += (uint64_t)came;
        bytes -= came;
    }
    return 1;
#else
    (void)process;
    (void)place;
    (void)into;
    return bytes == 0;
#endif
}

int qdri_foreign_is(int64_t process, qdri_own_word expected) {
    uint64_t found = 0;
    return expected.word && qdri_foreign_read(process, expected.place, &found, sizeof found) &&
           found == expected.word;
}
