/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The curve of the splitting algorithms (NICE 3.3, RS_NH): a lower limit cuts more messages, so that the
 * sizes inside a phase differ less, and costs phases. A phase takes as long as its largest transfer; what the
 * others waste is measured by the variance of the sizes in it. One line per limit, with the time that comes
 * out of both.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/complain.h"
#include "schedule_text.h"
#include "core/table.h"
#include "core/units.h"

typedef struct point {
    qdr_schedule_info info;
    double variance; /* of the sizes inside a phase, mean over phases */
    double largest;  /* largest size of a phase, sum over phases */
    double seconds;
} point;

static int same_phase(const qdr_step *a, const qdr_step *b) {
    return a->stage == b->stage && a->phase == b->phase;
}

static void measure_phases(const qdr_step *steps, int64_t count, point *point) {
    int64_t phases = 0;
    point->variance = point->largest = 0;
    for (int64_t i = 0, next; i < count; i = next, phases++) {
        double sum = 0, squares = 0, largest = 0;
        for (next = i; next < count && same_phase(&steps[i], &steps[next]); next++) {
            double items = (double)steps[next].items;
            sum += items;
            largest = fmax(largest, items);
        }
        double mean = sum / (double)(next - i);
        for (int64_t j = i; j < next; j++) squares += pow((double)steps[j].items - mean, 2);
        point->variance += squares / (double)(next - i);
        point->largest += largest;
    }
    if (phases) point->variance /= (double)phases;
}

static int measure(const qdr_pattern *pattern, const char *algorithm, const qdr_machine *machine,
                   point *point) {
    qdr_schedule *schedule = NULL;
    qdr_step *steps = NULL;
    qdr_prediction prediction;
    int64_t count;
    int code = schedule_build(pattern, algorithm, machine, &schedule);
    if (code) return code;
    if (qdr_schedule_look(schedule, &point->info) || qdr_schedule_steps(schedule, &count, &steps) ||
        qdr_schedule_predict(schedule, machine, 1, steps, &prediction))
        code = complain_library();
    else {
        measure_phases(steps, count, point);
        point->seconds = prediction.seconds;
    }
    free(steps);
    qdr_schedule_destroy(&schedule);
    return code;
}

int schedule_write_curve(const qdr_pattern *pattern, const char *algorithm, const qdr_machine *machine,
                         FILE *out) {
    static const char *const limits[] = {"1.0", "0.9", "0.75", "0.5", "0.25", "0.1"};
    table table;
    int code = EXIT_GOOD;
    table_open(&table, ">limit|>phases|>transfers|>variance|>deviation|>sum of largest|>predicted");
    for (size_t i = 0; i < sizeof limits / sizeof *limits && !code; i++) {
        point point;
        char seconds[UNITS_TEXT];
        char *spec = print_text("%s%climit=%s", algorithm, strchr(algorithm, ':') ? ',' : ':', limits[i]);
        code = measure(pattern, spec, machine, &point);
        free(spec);
        if (code) break;
        table_cell(&table, "%s", limits[i]);
        table_cell(&table, "%" PRId64, point.info.phases);
        table_cell(&table, "%" PRId64, point.info.transfers);
        table_cell(&table, "%.4g", point.variance);
        table_cell(&table, "%.4g", sqrt(point.variance));
        table_cell(&table, "%.0f", point.largest);
        table_cell(&table, "%s", units_seconds(point.seconds, seconds));
    }
    if (!code) {
        fprintf(out,
                "# %s on %s: a phase's limit is this quantile of the sizes in it (1.0: nothing is cut)\n",
                algorithm, qdr_machine_spec(machine));
        table_write(&table, 0, out);
        fputs("# variance: of the bytes of the transfers inside a phase, mean over the phases\n", out);
    }
    table_close(&table);
    return code;
}
