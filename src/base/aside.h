/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Something that a process wants to be done as long as it waits inside the library, for whatever: the drop-in starts
 * exchanges there that a call of MPI has asked for and that had to wait for their turn. Whoever waits advances everything,
 * and so this too.
 */
#ifndef QDRI_ASIDE_H
#define QDRI_ASIDE_H

/* NULL: nothing, as in the beginning. It may call the library, and is not called again from there. */
void qdri_aside_set(void (*function)(void));
/* Does it. */
void qdri_aside(void);

#endif
