/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A file of lists: what each rank owns and needs, as `ocean` writes and `resolve_ranks` reads it. All words are
 * of 64 bits, in the machine's own order:
 *
 *     rows, ranks, start[ranks + 1]          of each rank's part, counted in words from the beginning
 *     owned, needed, boundaries              and so on for each rank:
 *     own[owned]                             ids, rising
 *     need[needed], owner[needed], place[needed]
 *     boundary[boundaries]                   positions in `own` of what others need
 *
 * Owners and places are the right answers, against which those of a method are held.
 */
#ifndef RESOLVE_LISTS_H
#define RESOLVE_LISTS_H

enum { FILE_ROWS, FILE_RANKS, FILE_START };
enum { PART_OWNED, PART_NEEDED, PART_BOUNDARIES, PART_LISTS };

#endif
