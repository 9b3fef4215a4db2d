/* SPDX-License-Identifier: BSD-3-Clause */
/* Whole pictures of the library's own things. */
#ifndef QDRI_PICTURE_H
#define QDRI_PICTURE_H

#include "quadrille-io.h"

/* Opens a picture with letters of 10 pixels at `picture`, calls `draw`, with a point in whatever numbers that prints,
 * and closes it. */
qdr_status qdri_picture_write(FILE *stream, double width, double height, void (*draw)(void *context),
                              void *context, qdr_picture **picture);

#endif
