/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef QDRI_REGISTRY_H
#define QDRI_REGISTRY_H

#include "schedule/algorithm.h"

/* By name or alias; an unknown name is an error that lists the valid ones. */
qdr_status qdri_algorithm_named(const char *name, const qdri_algorithm **algorithm);
/* The algorithm that a spec names, and the options that it takes. */
qdr_status qdri_algorithm_read(const char *text, qdri_spec *spec, const qdri_algorithm **algorithm);

#endif
