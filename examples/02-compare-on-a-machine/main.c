/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One pattern, one machine, several algorithms: what does each cost, and how far is it from what is possible?
 *
 * The machine is described in one line: a fat tree whose bandwidth only doubles from level to level while the
 * ranks quadruple. The bounds say what no schedule can beat; the prediction says what this one needs.
 */
#include <stdio.h>
#include <stdlib.h>

#include "quadrille.h"

enum { ITEM_BYTES = 1 };

static void print_bounds(const qdr_bounds *bounds) {
    printf("ports %.1f us, links %.1f us, so no direct schedule is faster than %.1f us;\n",
           1e6 * bounds->full_duplex, 1e6 * bounds->link, 1e6 * bounds->direct);
    printf("one that forwards data is not faster than %.1f us\n\n", 1e6 * bounds->any);
    printf("%-18s %6s %6s %8s %8s %6s\n", "algorithm", "stages", "phases", "C [us]", "C/bound", "load");
}

static qdr_status try_algorithm(const char *name, const qdr_pattern *pattern, const qdr_machine *machine,
                                const qdr_bounds *bounds) {
    qdr_schedule *schedule = NULL;
    qdr_schedule_info info;
    qdr_prediction prediction;
    qdr_status status = qdr_schedule_create(pattern, name, machine, &schedule);
    if (!status) status = qdr_schedule_look(schedule, &info);
    if (!status) status = qdr_schedule_predict(schedule, machine, ITEM_BYTES, NULL, &prediction);
    if (!status) {
        double bound = info.direct ? bounds->direct : bounds->any;
        printf("%-18s %6d %6lld %8.1f %8.2f %6.2f\n", info.algorithm, info.stages, (long long)info.phases,
               1e6 * prediction.seconds, prediction.seconds / bound, prediction.max_link_load);
    }
    qdr_schedule_destroy(&schedule);
    return status;
}

int main(void) {
    static const char *const names[] = {"linear",        "pairwise",    "greedy",
                                        "random:seed=7", "random-link", "random-split",
                                        "two-stage",     "coloring",    "split"};
    qdr_pattern *pattern = NULL;
    qdr_machine *machine = NULL;
    qdr_bounds bounds;

    qdr_status status = qdr_pattern_from_spec("random:n=32,degree=8,bytes=1K..64K,seed=1", &pattern);
    if (!status) status = qdr_machine_create("fattree:arity=4,growth=2,tau=5us,rate=1GB/s", 32, &machine);
    if (!status) status = qdr_bounds_compute(pattern, machine, ITEM_BYTES, &bounds);
    if (!status) print_bounds(&bounds);
    for (size_t i = 0; !status && i < sizeof names / sizeof names[0]; i++)
        status = try_algorithm(names[i], pattern, machine, &bounds);
    if (status) fprintf(stderr, "%s: %s\n", qdr_status_text(status), qdr_error_message());

    qdr_machine_destroy(&machine);
    qdr_pattern_destroy(&pattern);
    return status ? EXIT_FAILURE : EXIT_SUCCESS;
}
