/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether a method brings what it should. A value tells its element, its component and its round, so nothing
 * that is left from an earlier exchange, or from another method, is taken for right.
 */
#include "halo.h"

enum { ROUNDS = 3 }; /* so that memories that take turns are each seen */

static double value(int64_t global, int component, int round) {
    return (double)(global * 97 + component) + 0.25 * round;
}

void fill_array(const halo *h, double *array, int width, int round) {
    size_t at = 0;
    for (int e = 0; e < h->owned; e++)
        for (int c = 0; c < width; c++) array[at++] = value(h->global[e], c, round);
    for (size_t end = at + (size_t)h->ghosts * (size_t)width; at < end; at++) array[at] = -1;
}

static void check_element(const halo *h, const method *m, const double *element, int place, int width,
                          int round) {
    for (int c = 0; c < width; c++) {
        double wanted = value(h->global[place], c, round);
        if (element[c] != wanted)
            give_up("%s: element %d of rank %d is %g in component %d; expected %g", m->name, place, h->rank,
                    element[c], c, wanted);
    }
}

static void check_source(const halo *h, const method *m, void *state, const double *array, int width,
                         int source, int round) {
    const halo_side *side = &h->receive;
    const double *came = m->incoming ? m->incoming(state, source) : NULL;
    for (int k = 0; k < side->count[source]; k++) {
        int place = side->index[side->start[source] + k];
        const double *element =
            came ? came + (size_t)k * (size_t)width : array + (size_t)place * (size_t)width;
        check_element(h, m, element, place, width, round);
    }
}

void check_exchanges(const halo *h, const method *m, void *state, double *array, int width) {
    static int last_round;
    for (int i = 0; i < ROUNDS; i++) {
        int round = ++last_round;
        fill_array(h, array, width, round);
        m->run(state);
        for (int source = 0; source < h->receive.partners; source++)
            check_source(h, m, state, array, width, source, round);
    }
}
