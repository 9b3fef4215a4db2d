/* SPDX-License-Identifier: BSD-3-Clause */
/* The exchange of languages.c in C++. The map is C's: it is borrowed, and given back. */
#include "languages.h"

#include "quadrille.hpp"

void exchange_in_cpp(void *state) {
    const language_halo *halo = static_cast<const language_halo *>(state);
    quadrille::map map(halo->map);
    map.exchange(quadrille::field(halo->x));
    map.release();
}
