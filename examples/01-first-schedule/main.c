/* SPDX-License-Identifier: BSD-3-Clause */
/* The shortest way from messages to a schedule: four ranks, eight messages, as few phases as there can be. */
#include <stdio.h>
#include <stdlib.h>

#include "quadrille.h"

int main(void) {
    const qdr_message messages[] = {/* origin, destination, items */
                                    {0, 1, 400}, {0, 2, 100}, {0, 3, 900}, {1, 0, 250},
                                    {1, 3, 100}, {2, 3, 700}, {3, 1, 300}, {3, 2, 50}};
    qdr_pattern *pattern = NULL;
    qdr_schedule *schedule = NULL;
    qdr_step *steps = NULL;
    int64_t count = 0;

    qdr_status status = qdr_pattern_create(4, 8, messages, &pattern);
    if (!status) status = qdr_schedule_create(pattern, "coloring", NULL, &schedule);
    if (!status) status = qdr_schedule_check(schedule); /* every item arrives once, no rank is hit twice */
    if (!status) status = qdr_schedule_steps(schedule, &count, &steps);
    if (!status) status = qdr_steps_write_text(count, steps, stdout);
    if (status) fprintf(stderr, "%s: %s\n", qdr_status_text(status), qdr_error_message());

    free(steps);
    qdr_schedule_destroy(&schedule);
    qdr_pattern_destroy(&pattern);
    return status ? EXIT_FAILURE : EXIT_SUCCESS;
}
