/* SPDX-License-Identifier: BSD-3-Clause */
/* Every algorithm, in the order of the documentation: the file algorithms/<name>.c defines
 * qdri_algorithm_<name>. */
#ifndef QDRI_TABLE_H
#define QDRI_TABLE_H

#define QDRI_ALGORITHM_TABLE(X)                                                                              \
    X(async)                                                                                                 \
    X(linear)                                                                                                \
    X(pairwise)                                                                                              \
    X(balanced)                                                                                              \
    X(recursive)                                                                                             \
    X(bruck)                                                                                                 \
    X(joined)                                                                                                \
    X(levels)                                                                                                \
    X(rails)                                                                                                 \
    X(greedy)                                                                                                \
    X(random)                                                                                                \
    X(random_link)                                                                                           \
    X(random_split)                                                                                          \
    X(random_link_split)                                                                                     \
    X(two_stage)                                                                                             \
    X(coloring)                                                                                              \
    X(split)                                                                                                 \
    X(paced)                                                                                                 \
    X(distributed)

#endif
