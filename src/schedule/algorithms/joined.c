/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * joined: all that the ranks of one host have for those of another goes as one message (schedule/relay.h). On each host every rank
 * leads for some of the other hosts: it collects what the others of its host have for them, hands it over to the rank that
 * leads at the other end, and that one hands it out. With k ranks on each of h hosts, a rank hands over about (h - 1) / k messages
 * to other hosts where it would send k (h - 1). There is no schedule beforehand: who shares a host is known only at run time. The line in the table
 * says so, and the work is done by the executor of plans (plan/executors/stages.c).
 */
#include "schedule/algorithm.h"

const qdri_algorithm qdri_algorithm_joined = {
    .name = "joined",
    .aliases = "",
    .summary = "all that one host has for another as one message: collect, hand over, hand out",
    .source = "three-step aggregation; every rank leads for some hosts",
    .knowledge = QDR_KNOWS_ROW_AND_COLUMN,
    .at_run_time = 1,
    .any_size = 1,
    .pacing = "stages",
};
