/* SPDX-License-Identifier: BSD-3-Clause */
/* The shop: its jobs, ports and work; closed-form steps; the makespan of a plan (open_shop.h). */
#include "schedule/algorithms/open_shop.h"

#include <stdlib.h>

#include "base/sort.h"
#include "schedule/algorithms/edge_coloring.h"
#include "schedule/algorithms/first_fit.h"

/* The time of message m, in bytes on the wire; never zero, for a job without time would count as done. */
static int64_t message_time(const qdri_shop *shop, int64_t m) {
    const qdr_pattern_view *view = &shop->view;
    int64_t time = shop->startup + view->items[m];
    if (shop->machine) {
        double latency = qdr_machine_latency(shop->machine, view->origin[m], view->destination[m]);
        double units = latency / qdr_machine_look(shop->machine)->mu;
        time = shop->startup + (units < 1e15 ? (int64_t)(units + 0.5) : (int64_t)1e15) +
               qdr_machine_wire_bytes(shop->machine, view->items[m]);
    }
    return time > 0 ? time : 1;
}

/* ---- jobs ---------------------------------------------------------------------------------------------- */

static void jobs_from_messages(qdri_shop *shop) {
    const qdr_pattern_view *view = &shop->view;
    shop->jobs = view->messages;
    for (int64_t m = 0; m < view->messages; m++) {
        shop->end[0][m] = view->origin[m];
        shop->end[1][m] = view->ranks + view->destination[m];
        shop->time[m] = message_time(shop, m);
    }
}

/* Two messages of a pair become one job. Row i and column i are walked side by side: the message back to i
 * stands in column i. */
static void jobs_from_pairs(qdri_shop *shop) {
    const qdr_pattern_view *view = &shop->view;
    for (int i = 0; i < view->ranks; i++) {
        int64_t back = view->column_start[i];
        for (int64_t m = view->row_start[i]; m < view->row_start[i + 1]; m++) {
            int j = view->destination[m];
            int64_t time = message_time(shop, m);
            while (back < view->column_start[i + 1] && view->origin[view->column_message[back]] < j) back++;
            int64_t reply = back < view->column_start[i + 1] ? view->column_message[back] : -1;
            if (reply >= 0 && view->origin[reply] == j && j < i) { /* the job stands at the lower rank */
                int64_t job = shop->job_of[m] = shop->job_of[reply];
                if (qdr_machine_look(shop->machine)->ports == QDR_PORTS_HALF)
                    shop->time[job] += time;
                else if (time > shop->time[job])
                    shop->time[job] = time;
                continue;
            }
            shop->end[0][shop->jobs] = i;
            shop->end[1][shop->jobs] = j;
            shop->time[shop->jobs] = time;
            shop->job_of[m] = shop->jobs++;
        }
    }
}

static void list_jobs(qdri_shop *shop) {
    for (int port = 0; port <= shop->ports; port++) shop->start[port] = 0;
    for (int side = 0; side < 2; side++)
        for (int64_t job = 0; job < shop->jobs; job++) {
            shop->start[shop->end[side][job] + 1]++;
            shop->work[shop->end[side][job]] += shop->time[job];
        }
    for (int port = 0; port < shop->ports; port++) {
        shop->start[port + 1] += shop->start[port];
        if (shop->work[port] > shop->bound) shop->bound = shop->work[port];
        double degree = (double)(shop->start[port + 1] - shop->start[port]);
        shop->effort += degree * degree;
    }
    for (int side = 0; side < 2; side++)
        for (int64_t job = 0; job < shop->jobs; job++) shop->job[shop->start[shop->end[side][job]]++] = job;
    for (int port = shop->ports; port > 0; port--) shop->start[port] = shop->start[port - 1];
    shop->start[0] = 0;
}

/* Sums of times, and a few times such a sum, must fit into 64 bits, and into a heap's keys exactly. */
static int fits(const qdri_shop *shop) {
    double all = 0;
    for (int64_t m = 0; m < shop->view.messages; m++) all += (double)message_time(shop, m);
    return all < 0x1p52;
}

qdr_status qdri_shop_open(const qdr_pattern_view *view, const qdr_machine *machine, int64_t startup,
                          qdri_shop *shop) {
    int pairs = machine && qdr_machine_look(machine)->ports != QDR_PORTS_FULL;
    *shop = (qdri_shop){.view = *view, .machine = machine, .startup = startup};
    if (!fits(shop))
        return qdri_fail(QDR_ERR_RANGE,
                         "startups and items together are more than 2^52; choose a larger unit for an item");
    shop->ports = pairs ? view->ranks : 2 * view->ranks;
    for (int side = 0; side < 2; side++) shop->end[side] = QDRI_ARRAY(int, view->messages);
    shop->time = QDRI_ARRAY(int64_t, view->messages);
    shop->job_of = pairs ? QDRI_ARRAY(int64_t, view->messages) : NULL;
    shop->start = QDRI_ARRAY(int64_t, (int64_t)shop->ports + 1);
    shop->job = QDRI_ARRAY(int64_t, 2 * view->messages);
    shop->work = QDRI_ZERO_ARRAY(int64_t, shop->ports);
    if (!shop->end[0] || !shop->end[1] || !shop->time || (pairs && !shop->job_of) || !shop->start ||
        !shop->job || !shop->work) {
        qdri_shop_close(shop);
        return qdri_fail_memory();
    }
    (pairs ? jobs_from_pairs : jobs_from_messages)(shop);
    list_jobs(shop);
    return QDR_OK;
}

void qdri_shop_close(qdri_shop *shop) {
    for (int side = 0; side < 2; side++) free(shop->end[side]);
    free(shop->time);
    free(shop->job_of);
    free(shop->start);
    free(shop->job);
    free(shop->work);
    *shop = (qdri_shop){.startup = 0};
}

void qdri_shop_plan_free(qdri_shop_plan *plan) {
    free(plan->phase_of);
    free(plan->entry);
    *plan = (qdri_shop_plan){.makespan = 0};
}

/* ---- makespan ------------------------------------------------------------------------------------------ */

/* The end of the loosely synchronous run: a phase holds at most one job of a port, so that inside it any
 * order will do. */
static int64_t find_makespan(const qdri_shop *shop, const qdri_shop_plan *plan, int64_t *free_at,
                             int64_t *in_order, int64_t *start) {
    int64_t last = 0;
    for (int64_t job = 0; job < shop->jobs; job++) start[plan->phase_of[job] + 1]++;
    for (int32_t phase = 0; phase < plan->phases; phase++) start[phase + 1] += start[phase];
    for (int64_t job = 0; job < shop->jobs; job++) in_order[start[plan->phase_of[job]]++] = job;
    for (int64_t k = 0; k < shop->jobs; k++) {
        int64_t job = in_order[k], *one = &free_at[shop->end[0][job]], *other = &free_at[shop->end[1][job]];
        int64_t end = (*one > *other ? *one : *other) + shop->time[job];
        *one = *other = end;
        if (end > last) last = end;
    }
    return last;
}

qdr_status qdri_shop_measure(const qdri_shop *shop, qdri_shop_plan *plan) {
    int64_t *free_at = QDRI_ZERO_ARRAY(int64_t, shop->ports), *in_order = QDRI_ARRAY(int64_t, shop->jobs);
    int64_t *start = QDRI_ZERO_ARRAY(int64_t, (int64_t)plan->phases + 1);
    int good = free_at && in_order && start;
    if (good) plan->makespan = find_makespan(shop, plan, free_at, in_order, start);
    free(free_at);
    free(in_order);
    free(start);
    return good ? QDR_OK : qdri_fail_memory();
}

/* ---- closed forms -------------------------------------------------------------------------------------- */

qdr_status qdri_shop_by_steps(const qdri_shop *shop, qdri_phase_function *step_of, qdri_shop_plan *plan) {
    int ranks = shop->view.ranks;
    int32_t *number = QDRI_ZERO_ARRAY(int32_t, (int64_t)ranks + 1); /* of the steps that are not empty */
    *plan = (qdri_shop_plan){.phase_of = QDRI_ARRAY(int32_t, shop->jobs)};
    int good = number && plan->phase_of;
    for (int64_t job = 0; good && job < shop->jobs; job++) {
        plan->phase_of[job] = (int32_t)step_of(ranks, shop->end[0][job], shop->end[1][job] % ranks);
        number[plan->phase_of[job]] = 1;
    }
    for (int step = 0; good && step <= ranks; step++)
        if (number[step]) number[step] = plan->phases++;
    for (int64_t job = 0; good && job < shop->jobs; job++) plan->phase_of[job] = number[plan->phase_of[job]];
    free(number);
    qdr_status status = good ? qdri_shop_measure(shop, plan) : qdri_fail_memory();
    if (status != QDR_OK) qdri_shop_plan_free(plan);
    return status;
}

qdr_status qdri_shop_by_coloring(const qdri_shop *shop, qdri_shop_plan *plan) {
    const qdr_pattern_view *view = &shop->view;
    *plan = (qdri_shop_plan){.phase_of = QDRI_ARRAY(int32_t, shop->jobs)};
    qdr_status status = plan->phase_of ? qdri_edge_coloring(view->ranks, view->messages, view->origin,
                                                            view->destination, plan->phase_of, &plan->phases)
                                       : qdri_fail_memory();
    if (status == QDR_OK) status = qdri_shop_measure(shop, plan);
    if (status != QDR_OK) qdri_shop_plan_free(plan);
    return status;
}

/* ---- first fit ----------------------------------------------------------------------------------------- */

static int order_jobs(const qdri_shop *shop, int longest_first, int64_t *order) {
    int64_t *key = QDRI_ARRAY(int64_t, shop->jobs);
    for (int64_t job = 0; key && job < shop->jobs; job++)
        key[job] = longest_first ? shop->bound - shop->time[job] : 0;
    int good = key && qdri_sort_order(key, shop->jobs, order);
    free(key);
    return good;
}

static int32_t *count_jobs(const qdri_shop *shop) {
    int32_t *jobs = QDRI_ARRAY(int32_t, shop->ports);
    for (int port = 0; jobs && port < shop->ports; port++)
        jobs[port] = (int32_t)(shop->start[port + 1] - shop->start[port]);
    return jobs;
}

static int fit_in_order(const qdri_shop *shop, const int64_t *order, qdri_calendar *calendar,
                        qdri_shop_plan *plan) {
    for (int64_t k = 0; k < shop->jobs; k++) {
        int64_t job = order[k];
        plan->phase_of[job] = qdri_calendar_take(calendar, shop->end[0][job], shop->end[1][job]);
        if (plan->phase_of[job] < 0) return 0;
        if (plan->phase_of[job] >= plan->phases) plan->phases = plan->phase_of[job] + 1;
    }
    return 1;
}

qdr_status qdri_shop_by_first_fit(const qdri_shop *shop, int longest_first, qdri_shop_plan *plan) {
    qdri_calendar calendar = {.parties = 0};
    int64_t *order = QDRI_ARRAY(int64_t, shop->jobs);
    int32_t *jobs = count_jobs(shop);
    *plan = (qdri_shop_plan){.phase_of = QDRI_ARRAY(int32_t, shop->jobs)};
    int good = order && jobs && plan->phase_of && order_jobs(shop, longest_first, order) &&
               qdri_calendar_open(&calendar, shop->ports, jobs) && fit_in_order(shop, order, &calendar, plan);
    free(order);
    free(jobs);
    qdri_calendar_close(&calendar);
    qdr_status status = good ? qdri_shop_measure(shop, plan) : qdri_fail_memory();
    if (status != QDR_OK) qdri_shop_plan_free(plan);
    return status;
}

static int compare_ports(const void *a, const void *b) {
    const qdri_ranked_port *x = a, *y = b;
    if (x->work != y->work) return x->work < y->work ? 1 : -1;
    return (x->port > y->port) - (x->port < y->port);
}

void qdri_rank_ports(qdri_ranked_port *ports, int count) {
    qsort(ports, (size_t)count, sizeof *ports, compare_ports);
}
