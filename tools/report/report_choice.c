/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The section of what a plan of a pattern chooses by itself: its candidates, as `quadrille explain` has them, and what each is
 * predicted to take the way a plan runs it.
 */
#include <stdlib.h>

#include "core/complain.h"
#include "report.h"

enum { MOST = 8, MOST_MESSAGES = 100000 }; /* of more a prediction takes as long as all the rest */

typedef struct choice {
    const char *algorithm;
    double seconds; /* less than 0: not predicted */
} choice;

/* In the order in which they are tried. */
static qdr_status find_choices(const qdr_pattern *pattern, const qdr_machine *machine, choice *choices,
                               int *count) {
    const char *name;
    int is_small = qdr_pattern_look(pattern).messages <= MOST_MESSAGES;
    for (*count = 0; *count < MOST && (name = qdr_auto_candidate(pattern, 0, *count)); ++*count) {
        choice *one = &choices[*count];
        qdr_way way = {.algorithm = name};
        *one = (choice){name, -1};
        qdr_status status = is_small ? qdr_way_predict(pattern, &way, machine, 1, &one->seconds) : QDR_OK;
        if (status && status != QDR_ERR_INVALID) return status;
        if (status) one->seconds = -1;
    }
    return QDR_OK;
}

static json_t *row_of(const choice *choice, int place, double most, double bound) {
    json_t *row = json_array();
    char text[UNITS_TEXT];
    json_add(row, json_text(choice->algorithm));
    report_add_count(row, place);
    if (choice->seconds < 0) {
        json_add(row, json_null());
        json_add(row, json_null());
        return row;
    }
    json_add(row, report_bar_cell(report_seconds(choice->seconds, text), choice->seconds, most, bound));
    snprintf(text, sizeof text, "%.2f", bound > 0 ? choice->seconds / bound : 1);
    json_add(row, json_string(text));
    return row;
}

int report_choice(const qdr_pattern *pattern, const qdr_machine *machine, double bound, json_t **section) {
    choice choices[MOST];
    int count, best = 0;
    if (find_choices(pattern, machine, choices, &count)) return complain_library();
    json_t *columns = json_array(), *rows = json_array();
    double most = 0;
    report_column(columns, REPORT_LEFT, "candidate", "");
    report_column(columns, REPORT_RIGHT, "tried as", "The first one runs the first exchange.");
    report_column(columns, REPORT_RIGHT, "predicted time",
                  "The way a plan runs it: with its chunks, windows and grants.");
    report_column(columns, REPORT_RIGHT, "/ direct bound", "");
    for (int i = 0; i < count; i++) {
        if (choices[i].seconds > most) most = choices[i].seconds;
        if (choices[i].seconds >= 0 &&
            (choices[best].seconds < 0 || choices[i].seconds < choices[best].seconds))
            best = i;
    }
    for (int i = 0; i < count; i++) json_add(rows, row_of(&choices[i], i + 1, most, bound));
    const char *remark = choices[best].seconds < 0 ? "runs first" : "is predicted to win";
    char *heading = count == 1
                        ? print_text("What a plan runs by itself: %s", choices[0].algorithm)
                        : print_text("What a plan tries by itself: %s %s", choices[best].algorithm, remark);
    char *text = print_text("With every rank on a host of its own, and no algorithm asked for: %s. A plan "
                            "tries its candidates on "
                            "its first exchanges, and keeps the fastest.",
                            qdr_auto_reason(pattern));
    *section = page_table(heading, columns, rows);
    json_put(*section, "text", json_text(text));
    json_put(*section, "mark", json_string("the direct bound"));
    free(heading);
    free(text);
    return EXIT_GOOD;
}
