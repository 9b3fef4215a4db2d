/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The exchange itself, on MPI: mpirun -n 4 04-exchange.
 *
 * Each rank knows whom it has something for, and how much; nobody knows the whole pattern. So it goes with
 * particles that have left their part of space, or with the rows of a matrix that others need. Five calls:
 *
 *     qdr_partners_from_sends   the sources are found out
 *     qdr_partners_look         what comes from where: memory is taken by that, no more and no less
 *     qdr_plan_create           a way to run it is chosen and prepared, once
 *     qdr_plan_exchange         runs it, as often as one likes
 *     qdr_plan_destroy
 *
 * A pattern counts items. How many bytes an item has, each exchange says anew: here one number, then a point
 * in space, then ten numbers.
 */
#include <stdio.h>
#include <stdlib.h>

#include "quadrille-mpi.h"

static void *room(int64_t count, size_t bytes) {
    void *memory = calloc(count > 0 ? (size_t)count : 1, bytes);
    if (!memory) abort();
    return memory;
}

/* Whom a rank sends to, and how much. Here it is a formula; in a program, it comes from the data. */
static int choose_sends(int rank, int ranks, int *destination, int64_t *items) {
    int count = 0;
    for (int other = 0; other < ranks; other++)
        if (other != rank && (rank + 2 * other) % 3 < 2) {
            destination[count] = other;
            items[count++] = 1 + (rank + 2 * other) % 5;
        }
    return count;
}

/* The number at a place of a message, another one for every message: so that a mix-up shows. */
static double content(int origin, int destination, int64_t place) {
    return 1000 * origin + destination + 0.001 * (double)place;
}

static int64_t sum(int count, const int64_t *items) {
    int64_t total = 0;
    for (int i = 0; i < count; i++) total += items[i];
    return total;
}

/* One exchange of items of so many doubles; counts those that came wrong. Messages lie one after the other, in
 * the order of the view. */
static qdr_status exchange(qdr_plan *plan, qdr_partners_view view, int width, int64_t *wrong) {
    double *outgoing = room(sum(view.sends, view.send_items) * width, sizeof *outgoing);
    double *incoming = room(sum(view.receives, view.receive_items) * width, sizeof *incoming);
    double *place = outgoing;
    for (int i = 0; i < view.sends; i++)
        for (int64_t k = 0; k < view.send_items[i] * width; k++)
            *place++ = content(view.rank, view.destination[i], k);

    qdr_buffers buffers = {0};
    buffers.item_bytes = width * (int64_t)sizeof *outgoing;
    buffers.outgoing_base = outgoing;
    buffers.incoming_base = incoming;
    qdr_status status = qdr_plan_exchange(plan, &buffers);

    place = incoming;
    for (int i = 0; i < view.receives; i++)
        for (int64_t k = 0; k < view.receive_items[i] * width; k++)
            *wrong += *place++ != content(view.source[i], view.rank, k);
    free(outgoing);
    free(incoming);
    return status;
}

static void print_side(const char *word, int count, const int *partner, const int64_t *items) {
    for (int i = 0; i < count; i++)
        printf("rank 0: %lld items %s rank %d\n", (long long)items[i], word, partner[i]);
}

static void print_plan(const qdr_plan *plan, qdr_partners_view view) {
    qdr_plan_info info;
    print_side("to", view.sends, view.destination, view.send_items);
    print_side("from", view.receives, view.source, view.receive_items); /* nobody had told it */
    if (qdr_plan_look(plan, &info) == QDR_OK)
        printf("plan: %s, pacing %s (%s)\n", info.algorithm, info.pacing, info.why);
}

static qdr_status run(int rank, int ranks) {
    static const int widths[] = {1, 3, 10};
    int *destination = room(ranks, sizeof *destination);
    int64_t *items = room(ranks, sizeof *items), wrong = 0, all_wrong = 0;
    qdr_partners *partners = NULL;
    qdr_plan *plan = NULL;
    int count = choose_sends(rank, ranks, destination, items);

    qdr_status status = qdr_partners_from_sends(MPI_COMM_WORLD, count, destination, items, NULL, &partners);
    if (!status) status = qdr_plan_create(partners, NULL, &plan);
    if (!status && rank == 0) print_plan(plan, qdr_partners_look(partners));
    for (int i = 0; !status && i < 3; i++) {
        status = exchange(plan, qdr_partners_look(partners), widths[i], &wrong);
        MPI_Reduce(&wrong, &all_wrong, 1, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
        if (rank == 0)
            printf("items of %d bytes: %lld numbers wrong on all ranks\n", widths[i] * (int)sizeof(double),
                   (long long)all_wrong);
    }

    qdr_plan_destroy(&plan);
    qdr_partners_destroy(&partners);
    free(destination);
    free(items);
    return status ? status : all_wrong ? QDR_ERR_BROKEN : QDR_OK;
}

int main(int count, char **words) {
    int rank, ranks;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    qdr_status status = run(rank, ranks);
    if (status) fprintf(stderr, "%s: %s\n", qdr_status_text(status), qdr_error_message());
    MPI_Finalize();
    return status ? EXIT_FAILURE : EXIT_SUCCESS;
}
