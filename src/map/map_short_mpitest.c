/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where shared memory is short: map_short_mpitest TRANSPORT [short]. Everyone sends to everyone, messages
 * from a few bytes to some megabytes, larger and smaller in turn, two exchanges at once; all arrives, by
 * whichever way. TRANSPORT is what the map must have found; with `short`, some rank must have been refused
 * memory on the way. tests/short_memory gives it a small /dev/shm.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_check.h"
#include "mpi_content.h"
#include "quadrille/map.h"

enum { ROUNDS = 40, MOST = 3 << 20 };

static int rank, ranks;
static int refused;

int __real_posix_fallocate(int file, off_t offset, off_t length);
int __wrap_posix_fallocate(int file, off_t offset, off_t length);
int __wrap_posix_fallocate(int file, off_t offset, off_t length) {
    int result = __real_posix_fallocate(file, offset, length);
    refused += result != 0;
    return result;
}

static qdr_map *make_map(void) {
    int *partner = malloc((size_t)ranks * sizeof *partner);
    int64_t *one = malloc((size_t)ranks * sizeof *one);
    qdr_map *map = NULL;
    qdr_plan_options plan = QDR_PLAN_OPTIONS;
    qdr_map_options options = QDR_MAP_OPTIONS;
    for (int r = 0; r < ranks; r++) {
        partner[r] = r;
        one[r] = 1;
    }
    qdr_indices side = {.partners = ranks, .rank = partner, .count = one};
    plan.transport = "node";
    plan.deadline = 60;
    options.plan = &plan;
    CHECK_SAYING(qdr_map_create(MPI_COMM_WORLD, &side, &side, &options, &map) == QDR_OK, "%s",
                 qdr_error_message());
    free(partner);
    free(one);
    return map;
}

/* They grow, by leaps, and every third is small. */
static int64_t width_of(int round) {
    int64_t width = round % 3 == 2 ? 100 : (int64_t)20 << round * 18 / ROUNDS;
    return width < MOST ? width : MOST;
}

static void check(const unsigned char *in, int round) {
    int64_t width = width_of(round);
    for (int r = 0; r < ranks; r++)
        CHECK_SAYING(content_wrong(in + r * width, width, content_key(0, round, r, rank)) < 0,
                     "round %d: wrong bytes from rank %d", round, r);
}

int main(int count, char **words) {
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const char *transport = count > 1 ? words[1] : "node";
    qdr_map *map = make_map();
    unsigned char *out[2], *in[2];
    qdr_pending *exchange[2] = {NULL, NULL};
    qdr_plan_info info = {.transport = ""};
    for (int i = 0; i < 2; i++) {
        out[i] = malloc((size_t)ranks * MOST);
        in[i] = malloc((size_t)ranks * MOST);
    }
    CHECK(map && qdr_plan_look(qdr_map_plan(map, QDR_FORWARD), &info) == QDR_OK);
    CHECK_SAYING(!strcmp(info.transport, transport), "transport %s, not %s", info.transport, transport);
    for (int round = 0; map && round < ROUNDS + 2; round++) {
        int64_t width = width_of(round);
        int slot = round % 2;
        if (exchange[slot]) {
            CHECK_SAYING(qdr_wait(&exchange[slot]) == QDR_OK, "%s", qdr_error_message());
            check(in[slot], round - 2);
        }
        if (round >= ROUNDS) continue;
        for (int r = 0; r < ranks; r++)
            content_fill(out[slot] + r * width, width, content_key(0, round, rank, r));
        memset(in[slot], 0, (size_t)(ranks * width));
        qdr_field field = {.source = out[slot], .target = in[slot], .type = QDR_BYTE, .width = width};
        CHECK_SAYING(qdr_map_start(map, QDR_FORWARD, 1, &field, &exchange[slot]) == QDR_OK, "%s",
                     qdr_error_message());
    }
    MPI_Allreduce(MPI_IN_PLACE, &refused, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK_SAYING((refused > 0) == (count > 2), "memory was refused %d times", refused);
    CHECK(qdr_map_destroy(&map) == QDR_OK);
    for (int i = 0; i < 2; i++) {
        free(out[i]);
        free(in[i]);
    }
    int verdict = mpi_check_verdict();
    MPI_Finalize();
    return verdict;
}
