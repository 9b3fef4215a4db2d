/* SPDX-License-Identifier: BSD-3-Clause */
/* How programs of one launch find each other: greet.c. */
#ifndef QDRI_COUPLE_GREET_H
#define QDRI_COUPLE_GREET_H

#include "couple/program/program.h"

/* Collective over both programs. `other` is the peer's place in the roster. Waits until the peer has come, measures
 * the latency and makes the space; the coupling's transport, how, latency and `made` are written. The same result on
 * all ranks of a program. */
qdr_status qdri_greet(qdr_coupling *coupling, int other, double deadline);

/* The agreement of this program's ranks on how it went; `seconds` goes from rank 0 to all (NULL: none). */
qdr_status qdri_program_agree(qdr_program *program, qdr_status status, double *seconds, double deadline);

#endif
