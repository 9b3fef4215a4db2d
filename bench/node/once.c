/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One use: what a plan costs that is made, run once and destroyed, both sides knowing their sizes, beside the plain exchange
 * of the same messages.
 *
 *     mpirun -n 2 once [--samples N] [--bytes B] [--bar]
 *
 * Everyone has a message of one size for everyone else. With --bar the exit code is 1 where ours takes more than 1.05 times the
 * plain exchange from 16 KiB on, or more than 3 microseconds and 1.3 times it below.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"
#include "quadrille/plan.h"

typedef struct world {
    int rank, ranks, others;
    int64_t bytes;
    int *partner;
    int64_t *items;
    char *out, *in;
    MPI_Request *request;
} world;

static void must(qdr_status status) {
    if (status) give_up("%s: %s", qdr_status_text(status), qdr_error_message());
}

static void run_plain(void *state) {
    const world *w = state;
    for (int i = 0; i < w->others; i++)
        MPI_Irecv(w->in + i * w->bytes, (int)w->bytes, MPI_BYTE, w->partner[i], 7, MPI_COMM_WORLD,
                  &w->request[i]);
    for (int i = 0; i < w->others; i++)
        MPI_Isend(w->out + i * w->bytes, (int)w->bytes, MPI_BYTE, w->partner[i], 7, MPI_COMM_WORLD,
                  &w->request[w->others + i]);
    MPI_Waitall(2 * w->others, w->request, MPI_STATUSES_IGNORE);
}

static void run_ours(void *state) {
    const world *w = state;
    qdr_partners *partners = NULL;
    qdr_plan *plan = NULL;
    must(qdr_partners_from_both(MPI_COMM_WORLD, w->others, w->partner, w->items, w->others, w->partner,
                                w->items, 1, &partners));
    must(qdr_plan_create(partners, NULL, &plan));
    qdr_buffers buffers = {.item_bytes = 1, .outgoing_base = w->out, .incoming_base = w->in};
    must(qdr_plan_exchange(plan, &buffers));
    must(qdr_plan_destroy(&plan));
    qdr_partners_destroy(&partners);
}

static void set_size(world *w, int64_t bytes) {
    w->bytes = bytes;
    for (int i = 0; i < w->others; i++) w->items[i] = bytes;
}

int main(int argc, char **argv) {
    static const int64_t size[] = {8, 128, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304};
    world w = {.rank = 0};
    measuring how = {.comm = MPI_COMM_WORLD, .samples = 41};
    int has_bar = 0, missed = 0;
    int64_t only = 0;
    MPI_Init(&argc, &argv);
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--bar"))
            has_bar = 1;
        else if (!strcmp(argv[i], "--samples") && i + 1 < argc)
            how.samples = atoi(argv[++i]);
        else if (!strcmp(argv[i], "--bytes") && i + 1 < argc)
            only = atoll(argv[++i]);
        else
            give_up("once [--samples N] [--bytes B] [--bar]");
    MPI_Comm_rank(MPI_COMM_WORLD, &w.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &w.ranks);
    w.others = w.ranks - 1;
    w.partner = room((size_t)w.ranks, sizeof *w.partner);
    w.items = room((size_t)w.ranks, sizeof *w.items);
    w.request = room(2 * (size_t)w.ranks, sizeof *w.request);
    w.out = room((size_t)w.ranks, (size_t)size[COUNT(size) - 1]);
    w.in = room((size_t)w.ranks, (size_t)size[COUNT(size) - 1]);
    for (int i = 0; i < w.others; i++) w.partner[i] = (w.rank + 1 + i) % w.ranks;
    if (w.rank == 0)
        printf("%10s %12s %12s %8s %8s\n", "bytes", "plain [us]", "ours [us]", "ratio", "bar [us]");
    for (int i = 0; i < COUNT(size); i++) {
        subject subjects[] = {{.name = "plain", .kind = OPPONENT, .run = run_plain, .state = &w},
                              {.name = "ours", .kind = OURS, .run = run_ours, .state = &w}};
        if (only && size[i] != only) continue;
        set_size(&w, size[i]);
        measure(&how, subjects, COUNT(subjects));
        double plain = 1e6 * subjects[0].median, ours = 1e6 * subjects[1].median;
        double bar = size[i] >= 16384 ? 1.05 * plain : 3 + 1.3 * plain;
        missed += ours > bar;
        if (w.rank == 0)
            printf("%10lld %12.2f %12.2f %8.2f %8.2f%s\n", (long long)size[i], plain, ours, ours / plain, bar,
                   ours > bar ? "  missed" : "");
    }
    MPI_Finalize();
    return has_bar && missed;
}
