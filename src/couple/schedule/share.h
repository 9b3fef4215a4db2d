/* SPDX-License-Identifier: BSD-3-Clause */
/* What all ranks of one program have comes to all ranks of the other: share.c. */
#ifndef QDRI_COUPLE_SHARE_H
#define QDRI_COUPLE_SHARE_H

#include "couple/schedule/build.h"

/* Both. Side s gives if gives[s]; `out` is what this program's ranks have, all the same, taken over. What comes is in *in,
 * the caller's, empty where nothing does. `way` is QDRI_DISJOINT or QDRI_REPRESENTATIVE (figure 2). */
qdr_status qdri_share(qdri_build *build, const char *what, int way, const int gives[2], qdri_content out,
                      qdri_content *in);

/* Collective over this program. What each rank has comes to all: in[r] from rank r of the program. */
qdr_status qdri_share_inside(qdri_build *build, const char *what, qdri_content out, qdri_content *in);

#endif
