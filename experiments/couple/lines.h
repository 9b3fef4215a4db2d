/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A line of couple_ranks, as couple_findings reads it: what building one schedule took, in one way. The
 * exporting program is 0, the importing 1. Seconds are simulated.
 */
#ifndef COUPLE_LINES_H
#define COUPLE_LINES_H

/* Two compact arrays; a compact one to an explicit one; two explicit ones. Of an explicit array every
 * so-manieth element is meant, or a list of random ones, or, as a control, so many that follow each other. */
enum { COMPACT, MIXED, EXPLICIT, MIXED_LIST, EXPLICIT_LIST, MIXED_RANGE, EXPLICIT_RANGE, KINDS };
static const char *const kind_names[KINDS] = {"compact",       "mixed",       "explicit",      "mixed-list",
                                              "explicit-list", "mixed-range", "explicit-range"};

/* Who computes; who is told the descriptors (disjoint sets, unless representatives are); how results go
 * back (to all, unless through one). */
enum {
    DEREF,
    BOTH,
    BOTH_REPRESENTATIVE,
    BOTH_ONE,
    EXPORTER,
    EXPORTER_REPRESENTATIVE,
    IMPORTER,
    IMPORTER_ONE,
    AUTO,
    WAYS
};
static const char *const way_names[WAYS] = {"deref",    "both",         "both-representative",
                                            "both-one", "exporter",     "exporter-representative",
                                            "importer", "importer-one", "auto"};

#define LINE_TITLES                                                                                          \
    "machine,case,exporters,importers,part,way,built,elements,digest,open_s,build_s,most0_s,mean0_s,"        \
    "most1_s,mean1_s,computed_most0,computed_all0,computed_most1,computed_all1,inside_messages,"             \
    "inside_bytes,across_messages,across_bytes,latency_s"

#endif
