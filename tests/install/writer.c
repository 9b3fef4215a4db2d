/* SPDX-License-Identifier: BSD-3-Clause */
/* A program of somebody who has only installed the libraries: a schedule becomes a file, and the file a schedule; and a
 * picture. */
#include <quadrille-io.h>

static qdr_status copy(const qdr_schedule *schedule, const qdr_pattern *pattern, FILE *paper) {
    qdr_schedule *read = NULL;
    qdr_status status = qdr_schedule_write_json(schedule, paper);
    rewind(paper);
    if (!status) status = qdr_schedule_read_json(paper, "paper", pattern, NULL, &read);
    if (!status) status = qdr_schedule_check(read);
    qdr_schedule_destroy(&read);
    return status;
}

static qdr_status draw(FILE *paper) {
    qdr_picture *picture = NULL;
    qdr_status status = qdr_picture_create(paper, 40, 20, 10, &picture);
    if (status) return status;
    qdr_picture_text(picture, 2, 12, "fill=\"#c00\"", "a < b");
    return qdr_picture_destroy(&picture);
}

int main(void) {
    qdr_pattern *pattern = NULL;
    qdr_schedule *schedule = NULL;
    FILE *paper = tmpfile();
    qdr_status status =
        paper ? qdr_pattern_from_spec("random:n=16,density=0.5,seed=1", &pattern) : QDR_ERR_FILE;
    if (!status) status = qdr_schedule_create(pattern, "coloring", NULL, &schedule);
    if (!status) status = copy(schedule, pattern, paper);
    if (!status) status = draw(paper);
    if (status) fprintf(stderr, "writer: %s: %s\n", qdr_status_text(status), qdr_error_message());
    if (!status) puts("read, checked and drawn");
    if (paper) fclose(paper);
    qdr_schedule_destroy(&schedule);
    qdr_pattern_destroy(&pattern);
    return status != QDR_OK;
}
