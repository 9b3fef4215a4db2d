/* SPDX-License-Identifier: BSD-3-Clause */
/* Every executor: the name of its file's last struct, qdri_executor_NAME, in the order in which they are listed. */
#ifndef QDRI_EXECUTORS_TABLE_H
#define QDRI_EXECUTORS_TABLE_H

#define QDRI_EXECUTORS(X)                                                                                    \
    X(free)                                                                                                  \
    X(arrivals)                                                                                              \
    X(grants)                                                                                                \
    X(requests)                                                                                              \
    X(stages)                                                                                                \
    X(turns)

#endif
