/* SPDX-License-Identifier: BSD-3-Clause */
/* One for the process, which has one thread in the library at a time. */
#include "base/aside.h"

#include <stddef.h>

static void (*wanted)(void);
static int is_done;

void qdri_aside_set(void (*function)(void)) {
    wanted = function;
}

void qdri_aside(void) {
    if (!wanted || is_done) return;
    is_done = 1;
    wanted();
    is_done = 0;
}
