/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef QDRI_MOVES_LEAST_H
#define QDRI_MOVES_LEAST_H

#include "migrate/moves/moves.h"

/* qdr_moves_least_room() from the sums of a request; its room is not looked at. */
qdr_status qdri_least_rooms(const qdri_moves_request *request, int64_t *with_parking, int64_t *without);

#endif
