/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ghosts that are read where they arrived: lists in any order, several fields, several exchanges, both directions, by the node's
 * memory and by messages. Each ghost has the value of the element that its link names, through a pointer of its own.
 */
#include "mpi_check.h"
#include "quadrille/map.h"

enum { OWNED = 40, GHOSTS = 60, EXCHANGES = 5 };

static int rank, ranks;

static double value(int owner, int64_t element, int field, int exchange) {
    return owner * 1e6 + (double)element * 1e3 + field * 100 + exchange;
}

/* "I need element there[k] of owner[k]": from everybody, also from this rank, mixed. */
static void draw(int *owner, int64_t *there) {
    for (int k = 0; k < GHOSTS; k++) {
        owner[k] = (rank + k * 7 + k * k) % ranks;
        there[k] = (k * 13 + rank) % OWNED;
    }
}

static void check_exchange(qdr_map *map, const int *owner, const int64_t *there, const int *source,
                           const int64_t *position, int exchange) {
    static double wide[OWNED * 2], narrow[OWNED];
    const void *ghost[GHOSTS];
    for (int i = 0; i < OWNED; i++) {
        wide[2 * i] = value(rank, i, 0, exchange);
        wide[2 * i + 1] = -wide[2 * i];
        narrow[i] = value(rank, i, 1, exchange);
    }
    qdr_field field[] = {{.source = wide, .type = QDR_DOUBLE, .width = 2},
                         {.source = narrow, .type = QDR_DOUBLE, .width = 1}};
    CHECK(qdr_map_exchange(map, QDR_FORWARD, 2, field) == QDR_OK);
    for (int f = 0; f < 2; f++) {
        CHECK_SAYING(qdr_map_ghosts(map, QDR_FORWARD, f, GHOSTS, source, position, ghost) == QDR_OK, "%s",
                     qdr_error_message());
        for (int k = 0; k < GHOSTS; k++) {
            const double *found = ghost[k];
            CHECK(found[0] == value(owner[k], there[k], f, exchange));
            CHECK(f == 1 || found[1] == -found[0]);
        }
    }
}

static void check_refusals(qdr_map *map, int *owner, int *source, int64_t *position) {
    const void *ghost[GHOSTS];
    CHECK(qdr_map_ghost_places(NULL, QDR_FORWARD, GHOSTS, owner, source, position) == QDR_ERR_INVALID);
    CHECK(qdr_map_ghost_places(map, QDR_REVERSE, GHOSTS, owner, source, position) == QDR_ERR_INVALID);
    CHECK(qdr_map_ghost_places(map, QDR_FORWARD, -1, owner, source, position) == QDR_ERR_RANGE);
    CHECK(qdr_map_ghost_places(map, QDR_FORWARD, GHOSTS, NULL, source, position) == QDR_ERR_RANGE);
    CHECK(qdr_map_ghost_places(map, QDR_FORWARD, GHOSTS - 1, owner, source, position) == QDR_ERR_MISMATCH);
    owner[3] += ranks;
    CHECK(qdr_map_ghost_places(map, QDR_FORWARD, GHOSTS, owner, source, position) == QDR_ERR_INVALID);
    owner[3] -= ranks;
    CHECK(qdr_map_ghost_places(map, QDR_FORWARD, GHOSTS, owner, source, position) == QDR_OK);
    CHECK(qdr_map_ghosts(map, QDR_FORWARD, 7, GHOSTS, source, position, ghost) == QDR_ERR_INVALID);
    position[5] += GHOSTS;
    CHECK(qdr_map_ghosts(map, QDR_FORWARD, 0, GHOSTS, source, position, ghost) == QDR_ERR_RANGE);
    position[5] -= GHOSTS;
    CHECK(qdr_map_ghosts(map, QDR_FORWARD, 0, 0, NULL, NULL, NULL) == QDR_OK);
}

static void test(const char *transport) {
    int owner[GHOSTS], source[GHOSTS];
    int64_t there[GHOSTS], position[GHOSTS];
    const void *ghost[GHOSTS];
    qdr_plan_options plan = QDR_PLAN_OPTIONS;
    qdr_map_options options = QDR_MAP_OPTIONS;
    qdr_map *map = NULL;
    plan.transport = transport;
    options.plan = &plan;
    options.keeps_incoming = 1;
    draw(owner, there);
    qdr_indices needs = {.links = GHOSTS, .link_rank = owner, .partner_place = there};
    CHECK_SAYING(qdr_map_create(MPI_COMM_WORLD, NULL, &needs, &options, &map) == QDR_OK, "%s",
                 qdr_error_message());
    CHECK(qdr_map_ghost_places(map, QDR_FORWARD, GHOSTS, owner, source, position) == QDR_OK);
    CHECK(qdr_map_ghosts(map, QDR_FORWARD, 0, GHOSTS, source, position, ghost) ==
          QDR_ERR_INVALID); /* nothing yet */
    for (int i = 0; i < EXCHANGES; i++) check_exchange(map, owner, there, source, position, i);
    check_refusals(map, owner, source, position);
    CHECK(qdr_map_destroy(&map) == QDR_OK);
    options.keeps_incoming = 0;
    needs.place = there;
    CHECK(qdr_map_create(MPI_COMM_WORLD, NULL, &needs, &options, &map) == QDR_OK);
    CHECK(qdr_map_ghost_places(map, QDR_FORWARD, GHOSTS, owner, source, position) == QDR_ERR_INVALID);
    CHECK(qdr_map_destroy(&map) == QDR_OK);
}

int main(int count, char **words) {
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    test(NULL);
    test("net");
    int verdict = mpi_check_verdict();
    MPI_Finalize();
    return verdict;
}
