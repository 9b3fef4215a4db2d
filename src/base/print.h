/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Printing to a stream that may fail. A stream of the C library remembers that a file could not be written,
 * but not that memory ran out, be it for a stream in memory or for the line itself; who looks at ferror() in
 * the end would call half a text whole. So everything that the library writes goes through a printer, which
 * remembers the first failure; writers need no check per line.
 */
#ifndef QDRI_PRINT_H
#define QDRI_PRINT_H

#include <stdio.h>

#include "quadrille/base.h"

typedef struct qdri_printer {
    FILE *stream;
    int failed; /* a code of errno; 0: not yet */
} qdri_printer;

void qdri_print(qdri_printer *printer, const char *format, ...) __attribute__((format(printf, 2, 3)));
void qdri_print_text(qdri_printer *printer, const char *text);
void qdri_print_letter(qdri_printer *printer, char letter);

/* Calls `write` with numbers that have a point in them, whatever the program's locale has there. */
qdr_status qdri_print_plainly(void (*write)(void *context), void *context);

/* Whether everything has left the stream. If not: "WHAT cannot be written: why". */
qdr_status qdri_print_end(qdri_printer *printer, const char *what);

#endif
