/* SPDX-License-Identifier: BSD-3-Clause */
/* The building of a stream's schedules, as stream.c sees it: build.c. */
#ifndef QDRI_COUPLE_SCHEDULES_H
#define QDRI_COUPLE_SCHEDULES_H

#include "couple/build.h"

void qdri_build_open(qdri_build *build, qdr_stream *stream, double deadline);

/* Both. Fields are compared and complete; fills their routes and the first part of the view. The same status everywhere. */
qdr_status qdri_build_all(qdri_build *build, const qdri_choice *asked);

/* Agreement over both programs; a sentence arrives as it was said. */
qdr_status qdri_space_agree(const qdri_space *space, qdr_status status, int64_t *maximum, int count,
                            double deadline);

/* Puts program, rank and stream before the sentence of a failure of this rank's own; returns the status. */
qdr_status qdri_say_who(const qdri_space *space, const char *stream, qdr_status status);

#endif
