/* SPDX-License-Identifier: BSD-3-Clause */
/* The shop: ports, their messages and their work (open_shop.h). */
#include "schedule/algorithms/open_shop.h"

#include <stdlib.h>

qdr_status qdri_shop_open(const qdr_pattern_view *view, int64_t startup, qdri_shop *shop) {
    int64_t ports = 2 * (int64_t)view->ranks;
    *shop = (qdri_shop){.view = *view, .startup = startup};
    shop->work = QDRI_ZERO_ARRAY(int64_t, ports);
    shop->start = QDRI_ARRAY(int64_t, ports + 1);
    shop->message = QDRI_ARRAY(int64_t, 2 * view->messages);
    if (!shop->work || !shop->start || !shop->message) {
        qdri_shop_close(shop);
        return qdri_fail_memory();
    }
    for (int rank = 0; rank <= view->ranks; rank++) shop->start[rank] = view->row_start[rank];
    for (int rank = 0; rank <= view->ranks; rank++)
        shop->start[view->ranks + rank] = view->messages + view->column_start[rank];
    for (int64_t m = 0; m < view->messages; m++) {
        shop->message[m] = m;
        shop->message[view->messages + m] = view->column_message[m];
        shop->work[view->origin[m]] += startup + view->items[m];
        shop->work[view->ranks + view->destination[m]] += startup + view->items[m];
    }
    for (int64_t port = 0; port < ports; port++)
        if (shop->work[port] > shop->bound) shop->bound = shop->work[port];
    return QDR_OK;
}

void qdri_shop_close(qdri_shop *shop) {
    free(shop->work);
    free(shop->start);
    free(shop->message);
    *shop = (qdri_shop){.startup = 0};
}

void qdri_shop_plan_free(qdri_shop_plan *plan) {
    free(plan->phase_of);
    free(plan->entry);
    *plan = (qdri_shop_plan){.makespan = 0};
}

/* The end of the loosely synchronous run: a phase holds at most one message of a port, so that inside it any
 * order will do. */
static int64_t find_makespan(const qdri_shop *shop, const qdri_shop_plan *plan, int64_t *free_at,
                             int64_t *in_order, int64_t *start) {
    const qdr_pattern_view *view = &shop->view;
    int64_t last = 0;
    for (int64_t m = 0; m < view->messages; m++) start[plan->phase_of[m] + 1]++;
    for (int32_t phase = 0; phase < plan->phases; phase++) start[phase + 1] += start[phase];
    for (int64_t m = 0; m < view->messages; m++) in_order[start[plan->phase_of[m]]++] = m;
    for (int64_t k = 0; k < view->messages; k++) {
        int64_t m = in_order[k], *out = &free_at[view->origin[m]];
        int64_t *in = &free_at[view->ranks + view->destination[m]];
        int64_t end = (*out > *in ? *out : *in) + shop->startup + view->items[m];
        *out = *in = end;
        if (end > last) last = end;
    }
    return last;
}

qdr_status qdri_shop_measure(const qdri_shop *shop, qdri_shop_plan *plan) {
    int64_t *free_at = QDRI_ZERO_ARRAY(int64_t, 2 * (int64_t)shop->view.ranks);
    int64_t *in_order = QDRI_ARRAY(int64_t, shop->view.messages);
    int64_t *start = QDRI_ZERO_ARRAY(int64_t, (int64_t)plan->phases + 1);
    int good = free_at && in_order && start;
    if (good) plan->makespan = find_makespan(shop, plan, free_at, in_order, start);
    free(free_at);
    free(in_order);
    free(start);
    return good ? QDR_OK : qdri_fail_memory();
}

qdr_status qdri_shop_by_steps(const qdri_shop *shop, qdri_phase_function *step_of, qdri_shop_plan *plan) {
    const qdr_pattern_view *view = &shop->view;
    int32_t *number =
        QDRI_ZERO_ARRAY(int32_t, (int64_t)view->ranks + 1); /* of the steps that are not empty */
    *plan = (qdri_shop_plan){.phase_of = QDRI_ARRAY(int32_t, view->messages)};
    if (!number || !plan->phase_of) {
        free(number);
        qdri_shop_plan_free(plan);
        return qdri_fail_memory();
    }
    for (int64_t m = 0; m < view->messages; m++)
        number[step_of(view->ranks, view->origin[m], view->destination[m])] = 1;
    for (int step = 0; step <= view->ranks; step++)
        if (number[step]) number[step] = plan->phases++;
    for (int64_t m = 0; m < view->messages; m++)
        plan->phase_of[m] = number[step_of(view->ranks, view->origin[m], view->destination[m])];
    free(number);
    qdr_status status = qdri_shop_measure(shop, plan);
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
