/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory of devices. The library reads and writes with the processor, which would end in a fault, or worse,
 * on memory of an accelerator. No runtime is needed to find out: if the process has one, its question for the
 * kind of a pointer is there to be found by name.
 */
#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

#include "map/inside.h"

/* CUDA's driver: attribute 2 is the kind of memory, of which 2 is a device's; attribute 8 says that the host
 * can use it all the same. Pointers that it does not know are the host's. */
typedef int ask_cuda(void *data, int attribute, unsigned long long pointer);

/* Looked for once: a runtime that a process has is there before its first exchange. */
static ask_cuda *find_runtime(void) {
    static _Atomic(int) looked;
    static _Atomic(ask_cuda *) found;
    if (!atomic_load_explicit(&looked, memory_order_acquire)) {
        void *symbol = dlsym(RTLD_DEFAULT, "cuPointerGetAttribute");
        ask_cuda *function = NULL;
        memcpy(&function, &symbol, sizeof function); /* ISO C has no conversion for this */
        atomic_store_explicit(&found, function, memory_order_relaxed);
        atomic_store_explicit(&looked, 1, memory_order_release);
    }
    return atomic_load_explicit(&found, memory_order_relaxed);
}

int qdri_is_device_pointer(const void *pointer) {
    enum { MEMORY_TYPE = 2, IS_MANAGED = 8, DEVICE = 2 };
    ask_cuda *ask = find_runtime();
    unsigned kind = 0, managed = 0;
    unsigned long long address = (unsigned long long)(uintptr_t)pointer;
    if (!ask || !pointer || ask(&kind, MEMORY_TYPE, address) != 0 || kind != DEVICE) return 0;
    return ask(&managed, IS_MANAGED, address) != 0 || !managed;
}
