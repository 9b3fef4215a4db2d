/* SPDX-License-Identifier: BSD-3-Clause */
/* The halo of bench/node/languages.c, and how programs in other languages exchange it. */
#ifndef BENCH_LANGUAGES_H
#define BENCH_LANGUAGES_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct language_halo {
    struct qdr_map *map;
    double *x; /* own elements, then ghosts */
} language_halo;

void exchange_in_cpp(void *halo);
void exchange_in_fortran(void *halo);

#ifdef __cplusplus
}
#endif
#endif
