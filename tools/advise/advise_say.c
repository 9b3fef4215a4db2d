/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From numbers to one sentence per call site. The cases are tried in an order in which each makes the later
 * ones pointless: what the run hardly sees is not worth a change; where ranks wait for each other no
 * exchange helps; where all share a node there is no network; then come the ways to go faster, and at last
 * that there is nothing to do.
 */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "advise.h"
#include "core/complain.h"
#include "core/units.h"

const char *const advice_names[ADVICE_KINDS] = {"negligible", "waiting", "empty", "one-node",
                                                "flood",      "tried",   "paced", "sparse",
                                                "small",      "skewed",  "near"};

static const double little_share = 0.01, much_waiting = 0.5, some_waiting = 0.25, most_of_it = 0.7,
                    far_from_bound = 1.3, much_skew = 2.5;
enum { SPARSE_RANKS = 8, SPARSE_PARTS = 4, SHORT_LIFE = 2 };

/* ---- what is true -------------------------------------------------------------------------------------- */

static const advice_pattern *heaviest(const advice *advice, const advice_group *group) {
    return &advice->pattern[group->heavy_pattern[0].pattern];
}

/* The busiest rank's traffic over the mean. */
static double skew(const advice_pattern *pattern) {
    return pattern->bytes > 0 ? (double)pattern->traffic * pattern->ranks / (double)pattern->bytes : 1;
}

static int is_sparse(const advice *advice, const advice_group *group) {
    const advice_pattern *pattern = heaviest(advice, group);
    return !strstr(advice->record->site[group->site].call, "eighbor") && pattern->ranks >= SPARSE_RANKS &&
           pattern->degree > 0 && SPARSE_PARTS * pattern->degree <= pattern->ranks - 1;
}

static double waiting_share(const advice_group *group) {
    return group->seconds > 0 ? group->waiting / group->seconds : 0;
}

/* It is the same rank that others wait for, again and again. */
static int one_is_late(const advice_group *group) {
    return group->late_share >= most_of_it;
}

/* Communicators that go before the drop-in library makes a plan for them. */
static int lives_shortly(const advice *advice, const advice_group *group) {
    return group->ranks < advice->record->ranks && group->calls <= SHORT_LIFE * group->comms;
}

static advice_kind choose(const advice *advice, const advice_group *group) {
    int small = 2 * group->small > group->calls;
    if (group->share < little_share) return ADVICE_NEGLIGIBLE;
    if (waiting_share(group) > much_waiting) return ADVICE_WAITING;
    if (group->bytes_most == 0) return ADVICE_EMPTY;
    if (group->one_node) return ADVICE_ONE_NODE;
    if (2 * group->paced >= group->calls) return ADVICE_PACED;
    if (group->plain_to_paced <= 1) return ADVICE_TRIED;
    if (!small && group->ratio > far_from_bound) return ADVICE_FLOOD;
    if (is_sparse(advice, group)) return ADVICE_SPARSE;
    if (small) return ADVICE_SMALL;
    return skew(heaviest(advice, group)) > much_skew ? ADVICE_SKEWED : ADVICE_NEAR;
}

/* ---- sentences ----------------------------------------------------------------------------------------- */

typedef struct words {
    char sentence[2048], how[2048];
    size_t length;
} words;

static void say(words *words, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(words *words, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (words->length < sizeof words->sentence)
        words->length += (size_t)vsnprintf(words->sentence + words->length,
                                           sizeof words->sentence - words->length, format, arguments);
    va_end(arguments);
}

static void how(words *words, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void how(words *words, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words->how, sizeof words->how, format, arguments);
    va_end(arguments);
}

static void say_who_is_late(words *words, const advice_group *group) {
    if (one_is_late(group))
        say(words, "%.0f%% of it for rank %d", 100 * group->late_share, group->late_rank);
    else
        say(words, "for different ranks, most for rank %d (%.0f%%)", group->late_rank,
            100 * group->late_share);
}

static void how_paced(words *words, const advice *advice, const advice_group *group) {
    if (lives_shortly(advice, group)) {
        how(words,
            "keep the communicators: each is used once or twice, and the drop-in library paces from the "
            "third call on; or use a qdr_plan");
        return;
    }
    char *command = advice_command(advice, 0);
    how(words, "%s", command);
    free(command);
}

static void say_gain(words *words, const advice *advice, const advice_group *group) {
    char gain[UNITS_TEXT];
    say(words, "Pacing by the receivers would save about %s of a run", units_seconds(group->gain, gain));
    if (advice->run > 0) say(words, " (%.2g%%)", 100 * group->gain / advice->run);
    say(words, ".");
}

static void say_waiting(words *words, const advice *advice, const advice_group *group) {
    say(words, "%.0f%% of the time in this call is waiting for late ranks, ", 100 * waiting_share(group));
    say_who_is_late(words, group);
    say(words, ": no exchange can help with that; the work before it is not balanced.");
    if (group->gain > 0 && group->ratio > far_from_bound) {
        say(words, " The exchange itself takes %.1f times its bound. ", group->ratio);
        say_gain(words, advice, group);
    }
    if (one_is_late(group))
        how(words, "look at what rank %d does before this call", group->late_rank);
    else
        how(words, "look at how the work before this call is divided");
}

static void say_flood(words *words, const advice *advice, const advice_group *group) {
    say(words, "The exchange takes %.1f times its bound, as when senders flood the ports of receivers. ",
        group->ratio);
    say_gain(words, advice, group);
    how_paced(words, advice, group);
}

static void say_tried(words *words, const advice_group *group) {
    say(words,
        "Pacing was tried in %" PRId64 " of %" PRId64 " calls and took %.2f times as long: ", group->paced,
        group->calls, 1 / group->plain_to_paced);
    say(words, "MPI's own way is right here.");
}

static void say_paced(words *words, const advice_group *group) {
    char left[UNITS_TEXT];
    say(words, "It is paced already");
    if (isnan(group->ratio)) {
        say(words, ".");
        return;
    }
    say(words, ", at %.2f times the bound; ", group->ratio);
    if (group->left > little_share * group->seconds)
        say(words, "%s beyond it remain.", units_seconds(group->left, left));
    else
        say(words, "hardly anything remains.");
    if (!isnan(group->plain_to_paced))
        say(words, " The plain calls took %.2f times as long.", group->plain_to_paced);
    if (group->ratio > far_from_bound)
        how(words, "try other windows, QDR_WINDOW=64Ki and more (docs/performance.md, Choosing QDR_WINDOW)");
}

static void say_sparse(words *words, const advice *advice, const advice_group *group) {
    const advice_pattern *pattern = heaviest(advice, group);
    say(words,
        "No rank has more than %" PRId64
        " partner%s of %d: a call that names the partners leaves out %" PRId64 " empty messages per rank.",
        pattern->degree, pattern->degree == 1 ? "" : "s", pattern->ranks - 1,
        pattern->ranks - 1 - pattern->degree);
    how(words, "MPI_Dist_graph_create_adjacent and MPI_Neighbor_alltoallv, or qdr_partners_from_sends and "
               "qdr_plan_create");
}

static void say_small(words *words, const advice *advice, const advice_group *group) {
    const advice_pattern *pattern = heaviest(advice, group);
    char size[ADVICE_TEXT];
    double messages = pattern->messages > 0 ? (double)pattern->messages : 1;
    say(words, "Messages are small, %" PRId64 " of %s on average: startups decide, not bytes.",
        pattern->messages, advice_bytes((double)pattern->bytes / messages, size));
    how(words, "exchange several fields or steps at once, as items of more bytes; or have fewer partners");
}

static void say_skewed(words *words, const advice *advice, const advice_group *group) {
    const advice_pattern *pattern = heaviest(advice, group);
    say(words,
        "Rank %d %s %.1f times the mean, and so sets the bound by itself; no order of messages changes that.",
        group->busiest, pattern->is_receiver ? "receives" : "sends", skew(pattern));
    how(words, "move data away from rank %d", group->busiest);
}

static void say_near(words *words, const advice_group *group) {
    if (isnan(group->ratio))
        say(words, "Nothing to do.");
    else
        say(words, "It takes %.2f times its bound: nothing to do.", group->ratio);
}

static void say_kind(words *words, const advice *advice, const advice_group *group) {
    switch (group->kind) {
    case ADVICE_NEGLIGIBLE:
        say(words, "It takes %.2g%% of the run: leave it.", 100 * group->share);
        break;
    case ADVICE_WAITING:
        say_waiting(words, advice, group);
        break;
    case ADVICE_EMPTY:
        say(words, "No rank sends anything to another one.");
        break;
    case ADVICE_ONE_NODE:
        say(words, "All ranks are on one node: there is no port to overflow, and MPI's own way is right.");
        break;
    case ADVICE_FLOOD:
        say_flood(words, advice, group);
        break;
    case ADVICE_TRIED:
        say_tried(words, group);
        break;
    case ADVICE_PACED:
        say_paced(words, group);
        break;
    case ADVICE_SPARSE:
        say_sparse(words, advice, group);
        break;
    case ADVICE_SMALL:
        say_small(words, advice, group);
        break;
    case ADVICE_SKEWED:
        say_skewed(words, advice, group);
        break;
    default:
        say_near(words, group);
    }
}

/* What else is worth to know, beside the case itself. */
static void say_more(words *words, const advice *advice, const advice_group *group) {
    const advice_pattern *pattern = heaviest(advice, group);
    char one[UNITS_TEXT], other[UNITS_TEXT];
    int matters = group->kind != ADVICE_NEGLIGIBLE && group->kind != ADVICE_EMPTY;
    if (!matters) return;
    if (group->kind != ADVICE_WAITING && waiting_share(group) > some_waiting) {
        say(words, " Of the time in the call %.0f%% is waiting, ", 100 * waiting_share(group));
        say_who_is_late(words, group);
        say(words, ".");
    }
    if ((group->kind == ADVICE_FLOOD || group->kind == ADVICE_PACED) && skew(pattern) > much_skew)
        say(words, " Rank %d %s %.1f times the mean and sets the bound.", group->busiest,
            pattern->is_receiver ? "receives" : "sends", skew(pattern));
    if (group->chosen)
        say(words,
            " On %s a plan would choose %s for the heaviest pattern, which would take %s; an exchange took "
            "%s.",
            advice->machine, group->chosen, units_seconds(group->predicted, one),
            units_seconds(group->heavy_pattern[0].seconds / (double)group->heavy_pattern[0].calls, other));
}

void advice_say(advice *advice) {
    for (int64_t i = 0; i < advice->groups; i++) {
        advice_group *group = &advice->group[i];
        words words = {.length = 0};
        group->kind = choose(advice, group);
        say_kind(&words, advice, group);
        say_more(&words, advice, group);
        group->sentence = copy_text(words.sentence);
        group->how = copy_text(words.how);
    }
}
