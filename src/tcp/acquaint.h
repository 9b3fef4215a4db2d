/* SPDX-License-Identifier: BSD-3-Clause */
/* What two roots tell each other when they have met. */
#ifndef QDRI_ACQUAINT_H
#define QDRI_ACQUAINT_H

#include "tcp/inside.h"

/* `called`: this side has called. Names and ranks of both come into the bridge; far_endpoints is
 * allocated. */
qdr_status qdri_acquaint(qdri_bridge *bridge, int file, int called, const qdri_bridge_request *request,
                         const unsigned char *endpoints, qdri_acquaintance *known,
                         unsigned char **far_endpoints);

#endif
