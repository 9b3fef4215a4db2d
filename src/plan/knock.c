/* SPDX-License-Identifier: BSD-3-Clause */
/* Knocking at partners' doors: see knock.h. */
#include "plan/knock.h"

#include <stdlib.h>

#include "base/memory.h"
#include "discover/partners.h"
#include "plan/near/near.h"
#include "wire/node.h"

/* With whom this rank has met. */
typedef struct acquaintances {
    qdri_keepsake kept; /* first */
    char has_met[];     /* [ranks] */
} acquaintances;

static void release(qdri_keepsake *kept) {
    free(kept);
}

/* At one door. */
typedef struct knock {
    qdri_operation send, receive; /* first: callbacks convert by their places */
    struct knocking *all;
} knock;

/* It stays where somebody does not answer: MPI may still have to do with it. */
typedef struct knocking {
    int64_t left; /* operations that are not done */
    int finished;
    knock at[];
} knocking;

static void end_one(knocking *all) {
    all->finished = --all->left == 0;
}

static void has_knocked(qdri_operation *operation, qdr_status status) {
    (void)status; /* whoever has to do with this partner will find out */
    end_one(((knock *)operation)->all);
}

static void was_answered(qdri_operation *operation, qdr_status status) {
    (void)status;
    end_one(((knock *)((char *)operation - offsetof(knock, receive)))->all);
}

/* Those to whom a rank hands on, and from whom it takes, where the only candidate passes messages on. */
static int find_relays(const qdr_plan *plan, char *has_met, int *partner, int *count) {
    const qdri_candidate *only = &plan->candidate[0];
    int ranks = qdri_wire_ranks(plan->wire), rank = qdri_wire_rank(plan->wire);
    if (plan->candidates > 1 || !only->executor->meets) return 0;
    char *is_met = QDRI_ZERO_ARRAY(char, ranks);
    if (is_met && only->is_far) only->executor->meets(&only->slot[0], is_met);
    for (int r = 0; is_met && r < ranks; r++)
        if (is_met[r] && !has_met[r] && !qdri_node_shared(plan->wire, rank, r)) {
            has_met[r] = 1;
            partner[(*count)++] = r;
        }
    free(is_met);
    return 1;
}

/* Both ends know of a message that is not empty. */
static void find_strangers(const qdr_plan *plan, char *has_met, int *partner, int *count) {
    qdr_partners_view view = qdr_partners_look(plan->partners);
    const qdri_near *near = plan->near;
    for (int i = 0; i < near->far_outs + near->far_ins; i++) {
        int is_out = i < near->far_outs, place = is_out ? near->far_out[i] : near->far_in[i - near->far_outs];
        int rank = is_out ? view.destination[place] : view.source[place];
        int64_t items = is_out ? view.send_items[place] : view.receive_items[place];
        if (items == 0 || has_met[rank]) continue;
        has_met[rank] = 1;
        partner[(*count)++] = rank;
    }
}

static void knock_at(qdr_plan *plan, const int *partner, int count, double deadline) {
    const double patience = 5; /* seconds */
    double latest = qdri_seconds() + patience;
    int tag = plan->first_tag + QDRI_TAG_KNOCK;
    knocking *all = qdri_alloc_zero((int64_t)sizeof *all + count * (int64_t)sizeof *all->at, 1);
    if (!all || qdri_wire_reserve(plan->wire, 2 * (int64_t)count)) {
        free(all);
        return;
    }
    qdr_status status = QDR_OK;
    all->left = 2 * (int64_t)count; /* before any of them can end */
    for (int i = 0; i < count && !status; i++) {
        knock *one = &all->at[i];
        one->all = all;
        one->send.done = has_knocked;
        one->receive.done = was_answered;
        status = qdri_receive(plan->wire, &one->receive, partner[i], tag, NULL, 0);
        if (!status) status = qdri_send(plan->wire, &one->send, partner[i], tag, NULL, 0);
    }
    if (!status)
        status = qdri_wait_until(plan->wire, &all->finished,
                                 deadline > 0 && deadline < latest ? deadline : latest);
    int stays = 0;
    for (int i = 0; i < count && status; i++) {
        stays |= qdri_cancel(plan->wire, &all->at[i].send);
        stays |= qdri_cancel(plan->wire, &all->at[i].receive);
    }
    if (stays) return;
    qdri_wire_reserve(plan->wire, -2 * (int64_t)count);
    free(all);
}

void qdri_plan_knock(qdr_plan *plan, double deadline) {
    int ranks = qdri_wire_ranks(plan->wire), count = 0;
    if (qdri_wire_one_host(plan->wire) || !qdri_wire_connects_late(plan->wire)) return;
    acquaintances *known =
        qdri_wire_kept_or_made(plan->wire, release, "acquaintances", (int64_t)sizeof *known + ranks);
    int *partner = QDRI_ARRAY(int, ranks);
    if (known && partner && !find_relays(plan, known->has_met, partner, &count))
        find_strangers(plan, known->has_met, partner, &count);
    if (count > 0) knock_at(plan, partner, count, deadline);
    free(partner);
}
