/* SPDX-License-Identifier: BSD-3-Clause */
/* Candidates in the order of what is predicted: see foresee.h. */
#include "plan/foresee.h"

#include <math.h>

#include "base/decode.h"
#include "choose/relays.h"
#include "discover/partners.h"
#include "wire/agree.h"

/* Times the best, above which a candidate is not worth a trial. And what pacing costs at the ends, which no description of a
 * machine says: of two that take the same the one without goes first. */
static const double hopeless = 1.6, cost_of_pacing = 1.1;

/* What rank 0 tells: places in the rule's list, the best first; and how messages are passed on. */
typedef struct foreseen {
    int64_t count, place[QDRI_CHOOSER_MOST];
    int64_t relay;
} foreseen;

/* By the machine's figures, in which memory costs what a network does. */
static int way_of_passing(const qdr_plan *plan, const qdri_settings *settings, const qdr_machine *machine) {
    const qdr_machine_parameters *p = qdr_machine_look(machine);
    double items = (double)(plan->facts.largest + plan->facts.smallest) / 2;
    return qdri_relay_way(&(qdri_relay_facts){.ranks = plan->facts.ranks,
                                              .sharing = plan->sharing,
                                              .bytes = items * (double)settings->item_bytes,
                                              .startup = p->tau / p->mu,
                                              .inside = 1});
}

static void pass_by(qdri_rule_result *rule, int way) {
    if (rule->passed_on >= 0) rule->algorithm[rule->passed_on] = qdri_relay_spec(way);
}

/* Seconds to build a schedule that has to know all messages, and to spread over its uses. */
static double share_of_building(const char *algorithm, int64_t messages, int64_t reuse) {
    const double of_message = 2e-7;
    const qdr_algorithm_info *info;
    int is_built = !qdr_algorithm_find(algorithm, &info) && info->knowledge == QDR_KNOWS_MATRIX;
    return is_built && reuse > 0 ? of_message * (double)messages / (double)reuse : 0;
}

/* Plain sends are a risk, or stand before something that has to be worth it. */
static int is_plain(const qdri_rule_result *rule, int candidate) {
    return (int)(rule->care.risky >> candidate & 1) || rule->care.large >> candidate >> 1 != 0;
}

/* What cannot be predicted comes last, and is tried all the same. */
static void order(const qdr_pattern *matrix, const qdri_settings *settings, const qdr_machine *machine,
                  const qdri_rule_result *rule, foreseen *made) {
    double seconds[QDRI_CHOOSER_MOST];
    int64_t messages = qdr_pattern_look(matrix).messages;
    made->count = 0;
    for (int i = 0; i < rule->count; i++) {
        qdr_way way = {.algorithm = rule->algorithm[i]};
        if (qdr_way_predict(matrix, &way, machine, settings->item_bytes, &seconds[i])) seconds[i] = INFINITY;
        if (!is_plain(rule, i)) seconds[i] *= cost_of_pacing;
        seconds[i] += share_of_building(rule->algorithm[i], messages, settings->reuse);
        int64_t at = made->count++;
        for (; at > 0 && seconds[i] < seconds[made->place[at - 1]]; at--)
            made->place[at] = made->place[at - 1];
        made->place[at] = i;
    }
    double most = hopeless * seconds[made->place[0]];
    while (made->count > 1 && isfinite(seconds[made->place[made->count - 1]]) &&
           seconds[made->place[made->count - 1]] > most)
        made->count--;
}

static qdr_status decode(const foreseen *told, int candidates) {
    const qdri_teller teller = {NULL, 0};
    unsigned seen = 0;
    QDRI_TRY(qdri_decode_word(teller, "number of candidates", told->count, 1, candidates));
    QDRI_TRY(qdri_decode_word(teller, "way of passing on", told->relay, 0, QDRI_RELAY_WAYS - 1));
    for (int64_t i = 0; i < told->count; i++) {
        QDRI_TRY(qdri_decode_word(teller, "place of a candidate", told->place[i], 0, candidates - 1));
        if (seen >> told->place[i] & 1) return qdri_fail(QDR_ERR_MISMATCH, "rank 0 named a candidate twice");
        seen |= 1u << told->place[i];
    }
    return QDR_OK;
}

qdr_status qdri_foresee(qdr_plan *plan, const qdri_settings *settings, const qdr_machine *machine,
                        double deadline, qdri_rule_result *rule, qdr_status *mine) {
    qdr_pattern *matrix = NULL;
    foreseen told = {.count = 0};
    qdr_status status = QDR_OK;
    QDRI_TRY(qdri_partners_gather(plan->partners, &matrix));
    if (qdri_wire_rank(plan->wire) == 0) {
        int ranks = qdr_machine_look(machine)->ranks;
        if (ranks != qdri_wire_ranks(plan->wire))
            status = qdri_fail(QDR_ERR_INVALID, "the machine is one of %d ranks, the communicator has %d",
                               ranks, qdri_wire_ranks(plan->wire));
        else {
            told.relay = way_of_passing(plan, settings, machine);
            pass_by(rule, (int)told.relay);
            order(matrix, settings, machine, rule, &told);
        }
    }
    qdr_pattern_destroy(&matrix);
    QDRI_TRY(qdri_agree(plan->wire, &(qdri_agreement){.call = "qdr_plan_create",
                                                      .status = status,
                                                      .told = &told,
                                                      .told_bytes = (int)sizeof told,
                                                      .deadline = deadline}));
    *mine = decode(&told, rule->count);
    if (*mine) return QDR_OK;
    pass_by(rule, (int)told.relay);
    qdri_rule_reorder(rule, (int)told.count, told.place);
    return QDR_OK;
}
