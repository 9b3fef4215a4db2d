/* SPDX-License-Identifier: BSD-3-Clause */
/* The flow near the airfoil, as a picture. */
#ifndef PICTURE_H
#define PICTURE_H

#include "share.h"

/* 0: the file could not be written. */
int draw_flow(const char *path, const mesh *all, state *u, double mach, double alpha);

#endif
