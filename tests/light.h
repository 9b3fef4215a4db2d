/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests that draw many cases draw fewer where they should be light: under the sanitizers (QDR_LIGHT_TESTS, from the build), and
 * in `make quick` (LIGHT_TESTS=1, in the environment). */
#ifndef LIGHT_H
#define LIGHT_H

#include <stdlib.h>

#ifndef QDR_LIGHT_TESTS
#define QDR_LIGHT_TESTS 0
#endif

static inline int is_light(void) {
    return QDR_LIGHT_TESTS || getenv("LIGHT_TESTS") != NULL;
}

/* How many. */
static inline int light_or(int light, int usual) {
    return is_light() ? light : usual;
}

#endif
