/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exchanges of one halo by all methods: checked, measured, checked again.
 *
 * With `rewrite` each exchange is followed by what a solver does with it: all ghosts are read, where the
 * method has left them, and the elements that go to others are written, so that their cache lines are the
 * owner's again. The row `no-exchange` is this work alone. (Elements that nobody sees are left alone: writing
 * them takes the same time whatever the method, and much more than any exchange.)
 */
#include "halo.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct runner {
    const method *m;
    void *state;
    const halo *h;
    double *array;
    int width;
    const int *border; /* elements that are sent, each once */
    int borders;
} runner;

static void exchange(void *state) {
    runner *r = state;
    r->m->run(r->state);
}

/* Several sums, or the additions would wait for each other. */
static double sum_of(const double *value, size_t count) {
    double sum[8] = {0};
    size_t i = 0;
    for (; i + 8 <= count; i += 8)
        for (int k = 0; k < 8; k++) sum[k] += value[i + (size_t)k];
    for (; i < count; i++) sum[0] += value[i];
    return sum[0] + sum[1] + sum[2] + sum[3] + sum[4] + sum[5] + sum[6] + sum[7];
}

static volatile double sink;

static void rewrite(void *state) {
    runner *r = state;
    size_t width = (size_t)r->width;
    double sum = 0;
    if (r->m->run) r->m->run(r->state);
    if (r->m->incoming)
        for (int i = 0; i < r->h->receive.partners; i++)
            sum += sum_of(r->m->incoming(r->state, i), (size_t)r->h->receive.count[i] * width);
    else
        sum = sum_of(r->array + (size_t)r->h->owned * width, (size_t)r->h->ghosts * width);
    sink = sum;
    for (int i = 0; i < r->borders; i++) {
        double *element = r->array + (size_t)r->border[i] * width;
        for (size_t c = 0; c < width; c++) element[c] += 1;
    }
}

static int *find_border(const halo *h, int *count) {
    int *border = room((size_t)h->owned, sizeof *border);
    char *seen = room((size_t)h->owned, 1);
    *count = 0;
    for (int k = 0; k < h->send.start[h->send.partners]; k++) {
        int e = h->send.index[k];
        if (!seen[e]) border[(*count)++] = e;
        seen[e] = 1;
    }
    free(seen);
    return border;
}

int choose_methods(const setting *how, const method *const *tables, const method *chosen[MOST_METHODS]) {
    int count = 0;
    for (; *tables; tables++)
        for (const method *m = *tables; m->name; m++) {
            char name[64], all[512];
            snprintf(name, sizeof name, ",%s,", m->name);
            snprintf(all, sizeof all, ",%s,", how->only ? how->only : "");
            if (how->only && !strstr(all, name)) continue;
            if (count == MOST_METHODS) give_up("more than %d methods", MOST_METHODS);
            chosen[count++] = m;
        }
    return count;
}

void exchange_cell(const setting *how, const halo *h, int width, const char *where, table *t) {
    static const method no_exchange = {.name = "no-exchange", .kind = LIMIT};
    const method *chosen[MOST_METHODS];
    runner runners[MOST_METHODS + 1];
    subject subjects[MOST_METHODS + 1];
    int borders, count = choose_methods(how, exchange_tables, chosen), *border = find_border(h, &borders);
    double *array = room((size_t)(h->owned + h->ghosts) * (size_t)width, sizeof *array);
    fill_array(h, array, width, 0);
    for (int i = 0; i <= count; i++) {
        const method *m = i < count ? chosen[i] : &no_exchange;
        runners[i] = (runner){m, NULL, h, array, width, border, borders};
        subjects[i] = (subject){
            .name = m->name, .kind = m->kind, .run = how->rewrite ? rewrite : exchange, .state = &runners[i]};
        if (i == count) break;
        runners[i].state = m->open(h, array, width);
        check_exchanges(h, m, runners[i].state, array, width);
    }
    measure(&(measuring){how->comm, how->samples}, subjects, count + (how->rewrite ? 1 : 0));
    for (int i = 0; i < count; i++) {
        check_exchanges(h, chosen[i], runners[i].state, array, width);
        chosen[i]->close(runners[i].state);
    }
    if (h->rank == 0) table_add(t, where, subjects, count + (how->rewrite ? 1 : 0));
    free(array), free(border);
}
