/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program of somebody who has only installed the library: a schedule, and an exchange of 2 ranks in which each sends
 * the other its number.
 */
#include <quadrille-mpi.h>
#include <stdio.h>

static qdr_status schedule(void) {
    qdr_pattern *pattern = NULL;
    qdr_schedule *schedule = NULL;
    qdr_status status = qdr_pattern_from_spec("random:n=16,density=0.5,seed=1", &pattern);
    if (!status) status = qdr_schedule_create(pattern, "coloring", NULL, &schedule);
    if (!status) status = qdr_schedule_check(schedule);
    qdr_schedule_destroy(&schedule);
    qdr_pattern_destroy(&pattern);
    return status;
}

static qdr_status exchange(int rank, double *incoming) {
    const int other = 1 - rank;
    const int64_t items = 1;
    const double outgoing = 100 + rank;
    qdr_partners *partners = NULL;
    qdr_plan *plan = NULL;
    qdr_buffers buffers = {0};
    buffers.item_bytes = sizeof outgoing;
    buffers.outgoing_base = &outgoing;
    buffers.incoming_base = incoming;
    qdr_status status = qdr_partners_from_sends(MPI_COMM_WORLD, 1, &other, &items, NULL, &partners);
    if (!status) status = qdr_plan_create(partners, NULL, &plan);
    if (!status) status = qdr_plan_exchange(plan, &buffers);
    qdr_plan_destroy(&plan);
    qdr_partners_destroy(&partners);
    return status;
}

int main(int count, char **words) {
    int rank, ranks;
    double incoming = 0;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    qdr_status status = ranks == 2 ? schedule() : QDR_ERR_BROKEN;
    if (!status) status = exchange(rank, &incoming);
    if (status) fprintf(stderr, "consumer: %s: %s\n", qdr_status_text(status), qdr_error_message());
    printf("rank %d got %g\n", rank, incoming);
    MPI_Finalize();
    return status != QDR_OK;
}
