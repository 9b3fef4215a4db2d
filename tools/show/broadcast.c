/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The broadcasts of the CM-5 paper, section 3.6, to a selected group of ranks: one line per step.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/complain.h"
#include "schedule_text.h"
#include "core/units.h"

enum { MOST_RANKS = 1000000 };

/* "5" is the ranks 0 to 4; "3,0,7" is the ranks 0 and 7 with root 3. */
static int read_group(const char *text, int **group, int *count) {
    int64_t number;
    int list = strchr(text, ',') != NULL, capacity = 1;
    for (const char *c = text; *c; c++) capacity += *c == ',';
    if (!list) {
        if (!units_read_count(text, &number) || number < 1 || number > MOST_RANKS)
            return complain(
                "--broadcast %.60s is not valid; expected a number of ranks or ROOT,RANK,RANK,...", text);
        capacity = (int)number;
    }
    *group = ALLOCATE(int, capacity);
    for (*count = 0; *count < capacity; ++*count) {
        if (!list) {
            (*group)[*count] = *count;
            continue;
        }
        size_t span = strcspn(text, ",");
        char *word = print_text("%.*s", (int)span, text);
        int good = units_read_count(word, &number) && number < MOST_RANKS;
        if (!good) complain("--broadcast: '%.60s' is not a rank; expected ROOT,RANK,RANK,...", word);
        free(word);
        if (!good) return EXIT_USE;
        (*group)[*count] = (int)number;
        text += span + (text[span] == ',');
    }
    return EXIT_GOOD;
}

static int refuse_repeats(const int *group, int count) {
    char *seen = ALLOCATE(char, MOST_RANKS);
    int repeated = -1;
    for (int i = 0; i < count && repeated < 0; i++)
        if (seen[group[i]]++) repeated = group[i];
    free(seen);
    return repeated < 0 ? EXIT_GOOD : complain("--broadcast: rank %d is given twice", repeated);
}

/* All ranks take part in it, whatever the group. */
static void write_own(const qdr_machine *machine, int64_t items, FILE *out) {
    const qdr_machine_parameters *p = qdr_machine_look(machine);
    char seconds[UNITS_TEXT];
    if (p->broadcast > 0)
        fprintf(out, "# by the machine's own network for broadcasts: %s\n",
                units_seconds(p->barrier + p->broadcast * (double)items, seconds));
}

static int predict(const char *spec, const int *group, int count, int64_t items, qdr_step *steps,
                   int64_t step_count, FILE *out) {
    qdr_machine *machine = NULL;
    qdr_prediction prediction;
    char seconds[UNITS_TEXT];
    int ranks = 0;
    for (int i = 0; i < count; i++)
        if (group[i] >= ranks) ranks = group[i] + 1;
    int failed = qdr_machine_create(spec, ranks, &machine) ||
                 qdr_steps_predict(step_count, steps, machine, 1, &prediction);
    if (!failed)
        fprintf(out, "# predicted on %s with %" PRId64 " bytes: %s\n", spec, items,
                units_seconds(prediction.seconds, seconds));
    if (!failed) write_own(machine, items, out);
    qdr_machine_destroy(&machine);
    return failed ? complain_library() : EXIT_GOOD;
}

int broadcast_write(const char *text, const char *algorithm, int64_t items, const char *machine, FILE *out) {
    int *group = NULL, count = 0;
    qdr_step *steps = NULL;
    int64_t step_count = 0;
    int code = read_group(text, &group, &count);
    if (!code) code = refuse_repeats(group, count);
    if (!code && qdr_broadcast_steps(algorithm, count, group, items, &step_count, &steps))
        code = complain_library();
    if (!code)
        fprintf(out, "# broadcast %s: root %d, %d rank%s, %" PRId64 " transfer%s\n", algorithm, group[0],
                count, count == 1 ? "" : "s", step_count, step_count == 1 ? "" : "s");
    if (!code && machine) code = predict(machine, group, count, items, steps, step_count, out);
    if (!code && qdr_steps_write_text(step_count, steps, out)) code = complain_library();
    free(steps);
    free(group);
    return code;
}
