/* SPDX-License-Identifier: BSD-3-Clause */
/* Demands in status lines: see demand.h. */
#include "plan/demand.h"

#include "wire/node.h"

void qdri_demand_show(qdri_wire *wire, qdri_demand own) {
    qdri_status_line *line = qdri_status_own(wire);
    line->in = own.in;
    line->in_left = own.in_left;
    line->out = own.out;
    line->out_left = own.out_left;
    line->is_under_way = !own.absent;
}

/* A line may be changed while it is read: what is left is no more than all. */
static void add(int64_t all, int64_t left, int64_t *sum, int64_t *sum_left) {
    if (all <= 0 || left < 0) return;
    *sum += all;
    *sum_left += left < all ? left : all;
}

qdri_demand qdri_demand_of_node(qdri_wire *wire, qdri_demand own) {
    for (int rank = 0, left = qdri_node_members(wire); left > 0 && rank < qdri_wire_ranks(wire); rank++) {
        const qdri_status_line *line = qdri_status_of(wire, rank);
        if (!line) continue;
        left--;
        if (rank == qdri_wire_rank(wire)) continue;
        own.absent += !line->is_under_way;
        add(line->in, line->in_left, &own.in, &own.in_left);
        add(line->out, line->out_left, &own.out, &own.out_left);
    }
    return own;
}
