/* SPDX-License-Identifier: BSD-3-Clause */
/* Whole pictures of the library's own things. */
#ifndef QDRI_PICTURE_H
#define QDRI_PICTURE_H

#include "quadrille-io.h"

/* How large the letters of a picture must be for 9 pixels to be left of them where a page shows it 800 pixels wide. */
double qdri_picture_letters(double width);

/* Opens a picture with such letters at `picture`, calls `draw`, with a point in whatever numbers that prints, and
 * closes it. */
qdr_status qdri_picture_write(FILE *stream, double width, double height, void (*draw)(void *context),
                              void *context, qdr_picture **picture);

#endif
