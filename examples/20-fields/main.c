/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Several arrays in one exchange, and contributions that go home: mpirun -n 4 20-fields.
 *
 * Particles on a ring push each other: each one the next few. They are dealt out in pieces, one per rank, and the first ones of the
 * next piece are ghosts of this one. Of a ghost three arrays are needed, of different types:
 *
 *     forward    position (3 numbers), charge (1) and kind (a whole number) of each ghost come, in one message
 *     compute    every pair pushes both of its particles, ghosts too
 *     reverse    what ghosts were pushed goes to their owners: forces are added, how many pushes are counted, and of
 *                the hardest push the larger one stays; in one message again
 *
 * One map does both. Contributions to one particle are combined by rising rank, so each run has the same result, to the last bit.
 * In the end the forces are held against those that one rank finds alone; the numbers are whole, so that both must be the same.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "quadrille-mpi.h"

enum { OWN = 1000, REACH = 3, ROOM = OWN + REACH }; /* particles of a rank; how many it pushes; with ghosts */

typedef struct particles {
    double position[ROOM][3], charge[ROOM]; /* what is known of each */
    int32_t kind[ROOM];
    double force[ROOM][3], hardest[ROOM]; /* what happens to it */
    int64_t pushes[ROOM];
} particles;

static int64_t total; /* particles, numbered around the ring */

static void begin(particles *all, int64_t first, int64_t count) {
    *all = (particles){0};
    for (int64_t i = 0; i < count; i++) {
        const int64_t number = (first + i) % total;
        for (int axis = 0; axis < 3; axis++) all->position[i][axis] = (double)(number * (7919 + axis) % 1009);
        all->charge[i] = (double)(1 + number % 5);
        all->kind[i] = (int32_t)(number % 3);
    }
}

/* Particles of one kind attract each other, and others repel each other. */
static void push(particles *all, int64_t i, int64_t j) {
    const double sign = all->kind[i] == all->kind[j] ? 1 : -1, strength = all->charge[i] * all->charge[j];
    for (int axis = 0; axis < 3; axis++) {
        const double force = sign * strength * (all->position[j][axis] - all->position[i][axis]);
        all->force[i][axis] += force;
        all->force[j][axis] -= force;
    }
    if (strength > all->hardest[i]) all->hardest[i] = strength;
    if (strength > all->hardest[j]) all->hardest[j] = strength;
    all->pushes[i]++;
    all->pushes[j]++;
}

static qdr_status exchange(particles *mine, qdr_map *map) {
    const qdr_field needed[] = {
        {.source = mine->position, .target = mine->position, .type = QDR_DOUBLE, .width = 3},
        {.source = mine->charge, .target = mine->charge, .type = QDR_DOUBLE, .width = 1},
        {.source = mine->kind, .target = mine->kind, .type = QDR_INT32, .width = 1},
    };
    const qdr_field contributed[] = {
        {.source = mine->force, .target = mine->force, .type = QDR_DOUBLE, .width = 3, .operation = QDR_SUM},
        {.source = mine->pushes, .target = mine->pushes, .type = QDR_INT64, .width = 1, .operation = QDR_SUM},
        {.source = mine->hardest,
         .target = mine->hardest,
         .type = QDR_DOUBLE,
         .width = 1,
         .operation = QDR_MAXIMUM},
    };
    qdr_status status = qdr_map_exchange(map, QDR_FORWARD, 3, needed);
    for (int64_t i = 0; i < OWN; i++)
        for (int64_t j = i + 1; j <= i + REACH; j++) push(mine, i, j);
    if (!status) status = qdr_map_exchange(map, QDR_REVERSE, 3, contributed);
    return status;
}

/* Particle `number`, by this rank alone: of those around it only. */
static int is_right(const particles *mine, int64_t i, int64_t number) {
    static particles few;
    begin(&few, number - REACH + total, 2 * REACH + 1);
    for (int64_t k = 0; k < REACH; k++) push(&few, k, REACH), push(&few, REACH, REACH + 1 + k);
    for (int axis = 0; axis < 3; axis++)
        if (few.force[REACH][axis] != mine->force[i][axis]) return 0;
    return few.pushes[REACH] == mine->pushes[i] && few.hardest[REACH] == mine->hardest[i];
}

int main(int argc, char **argv) {
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);

    int64_t here[REACH], there[REACH];
    int owner[REACH];
    for (int k = 0; k < REACH; k++) here[k] = OWN + k, there[k] = k, owner[k] = (rank + 1) % ranks;
    const qdr_indices ghosts = {.links = REACH, .link_rank = owner, .place = here, .partner_place = there};
    qdr_map_options options = QDR_MAP_OPTIONS;
    options.reverse = QDR_REVERSE_COMBINE;
    qdr_map *map = NULL;
    qdr_status status = qdr_map_create(MPI_COMM_WORLD, NULL, &ghosts, &options, &map);

    particles *mine = malloc(sizeof *mine);
    if (!mine) abort();
    total = (int64_t)ranks * OWN;
    begin(mine, (int64_t)rank * OWN, OWN);
    if (!status) status = exchange(mine, map);
    if (status) fprintf(stderr, "%s: %s\n", qdr_status_text(status), qdr_error_message());

    int64_t wrong = status != QDR_OK, pushes = 0;
    for (int64_t i = 0; !status && i < OWN; i++) {
        wrong += !is_right(mine, i, (int64_t)rank * OWN + i);
        pushes += mine->pushes[i];
    }
    int64_t sum[] = {wrong, pushes};
    MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0 && !status)
        printf("%" PRId64 " particles were pushed %" PRId64 " times: %" PRId64
               " differ from what one rank finds\n",
               total, sum[1], sum[0]);
    qdr_map_destroy(&map);
    free(mine);
    MPI_Finalize();
    return sum[0] ? EXIT_FAILURE : EXIT_SUCCESS;
}
