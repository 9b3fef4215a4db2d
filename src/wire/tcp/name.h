/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of programs, and of what they have in common: they travel, and become names of files. */
#ifndef QDRI_NAME_H
#define QDRI_NAME_H

#include "quadrille/base.h"

enum { QDRI_NAME = 64 }; /* bytes, with its end */

/* Letters, digits, - _ . and not beginning with a point. */
qdr_status qdri_check_name(const char *what, const char *name);

#endif
