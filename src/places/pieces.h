/* SPDX-License-Identifier: BSD-3-Clause */
/* Room for pieces, for the files of this folder and for who reads them from bytes. */
#ifndef QDRI_PIECES_H
#define QDRI_PIECES_H

#include "places/places.h"

/* For one more piece, and so many axes and spans behind those in use; 0 without memory. */
int qdri_places_reserve(qdri_places *places, int64_t axes, int64_t spans);

#endif
