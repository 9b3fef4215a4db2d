/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A sweep over the edges of an unstructured mesh: mpirun -n 6 06-edge-sweep [POINTS].
 *
 * NICE, figure 10: every edge takes the values x at its two ends, computes a flux between them, and adds it to
 * y at the one and subtracts it from y at the other. Points are dealt out to ranks; an edge belongs to the rank
 * of its first end. The second may be another rank's: then this rank keeps a copy of it, a ghost. One map of
 * the ghosts serves both ways:
 *
 *     forward    x from owners to ghosts, before the sweep
 *     reverse    y from ghosts to owners, after it, where it is added to what the owner has
 *
 * A rank knows whose points its ghosts are, and not who has ghosts of its own: that is found out when the map
 * is made. Where three parts meet, as six do somewhere, two ranks add to the point of a third; and as sums of
 * floating-point numbers depend on their order, maps add by rising rank: a second run must give the
 * same, bit for bit. A run of one rank alone adds in yet another order, and may differ by what rounding does.
 *
 * To be short, each rank makes the whole mesh (mesh.c) and takes its share of it.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mesh.h"
#include "quadrille-mpi.h"

enum { VARIABLES = 4, SWEEPS = 20 };
enum { DEFAULT_POINTS = 2800 }; /* as the smallest mesh of NICE has */

typedef double values[VARIABLES]; /* what one point has */

/* ---- a rank's share ------------------------------------------------------------------------------------ */

/* Own points first, then the ghosts, as edges happen to need them. Edges name points by their place there. */
typedef struct share {
    int64_t points, ghosts, edges;
    int64_t *number; /* [points + ghosts]: in the mesh */
    ends *edge;
    double *speed; /* of the wind along the edge, from the second end to the first */
    qdr_map *map;  /* NULL if there is no other rank */
} share;

static double wind_along(const mesh *all, int64_t first, int64_t second) {
    const double *to = all->point[first].place, *from = all->point[second].place;
    double x = to[0] - from[0], y = to[1] - from[1];
    return (x + 0.2 * y) / hypot(x, y);
}

static share take_share(const mesh *all, const int *owner, int rank) {
    int64_t *local = room(all->points, sizeof *local); /* -1: the point has no place here yet */
    share own = {.number = room(all->points, sizeof *own.number),
                 .edge = room(all->edges, sizeof *own.edge),
                 .speed = room(all->edges, sizeof *own.speed)};
    for (int64_t p = 0; p < all->points; p++) {
        local[p] = owner[p] == rank ? own.points : -1;
        if (owner[p] == rank) own.number[own.points++] = p;
    }
    for (int64_t e = 0; e < all->edges; e++) {
        int64_t first = all->edge[e][0], second = all->edge[e][1];
        if (owner[first] != rank) continue;
        if (local[second] < 0) {
            local[second] = own.points + own.ghosts;
            own.number[own.points + own.ghosts++] = second;
        }
        own.edge[own.edges][0] = local[first];
        own.edge[own.edges][1] = local[second];
        own.speed[own.edges++] = wind_along(all, first, second);
    }
    free(local);
    return own;
}

static void release(share *own) {
    qdr_map_destroy(&own->map);
    free(own->number);
    free(own->edge);
    free(own->speed);
}

/* ---- the map of its ghosts ----------------------------------------------------------------------------- */

/* "My element local[k] is a copy of your element remote[k]": what an owner calls its points is known here, for
 * they stand in the order of the mesh. */
static qdr_status make_map(const mesh *all, const int *owner, int ranks, share *own) {
    int64_t *place = room(all->points, sizeof *place), *points = room(ranks, sizeof *points);
    int64_t *count = room(ranks, sizeof *count);
    int64_t *local = room(own->ghosts, sizeof *local), *remote = room(own->ghosts, sizeof *remote), k = 0;
    int *rank = room(ranks, sizeof *rank), partners = 0;
    for (int64_t p = 0; p < all->points; p++) place[p] = points[owner[p]]++;
    for (int other = 0; other < ranks; other++) {
        int64_t before = k;
        for (int64_t g = own->points; g < own->points + own->ghosts; g++)
            if (owner[own->number[g]] == other) {
                local[k] = g;
                remote[k++] = place[own->number[g]];
            }
        rank[partners] = other;
        count[partners] = k - before;
        partners += k > before;
    }
    qdr_indices needs = {
        .partners = partners, .rank = rank, .count = count, .place = local, .partner_place = remote};
    qdr_map_options options = QDR_MAP_OPTIONS;
    options.reverse = QDR_REVERSE_COMBINE;
    qdr_status status = qdr_map_create(MPI_COMM_WORLD, NULL, &needs, &options, &own->map);
    free(place);
    free(points);
    free(count);
    free(local);
    free(remote);
    free(rank);
    return status;
}

/* ---- sweeps -------------------------------------------------------------------------------------------- */

static void sweep(const share *own, values *x, values *y) {
    for (int64_t e = 0; e < own->edges; e++) {
        int64_t first = own->edge[e][0], second = own->edge[e][1];
        const double *upwind = own->speed[e] > 0 ? x[second] : x[first];
        for (int v = 0; v < VARIABLES; v++) {
            double flux = own->speed[e] * upwind[v];
            y[first][v] += flux;
            y[second][v] -= flux;
        }
    }
}

static qdr_status timed_exchange(const share *own, qdr_direction direction, const qdr_field *field,
                                 double *seconds) {
    double start = MPI_Wtime();
    qdr_status status = own->map ? qdr_map_exchange(own->map, direction, 1, field) : QDR_OK;
    *seconds += MPI_Wtime() - start;
    return status;
}

/* All sweeps, from the beginning; x ends with the values of own points. Source and target are one array: no
 * point is both own and a ghost. */
static qdr_status run_sweeps(const share *own, values *x, double *seconds) {
    int64_t places = own->points + own->ghosts;
    values *y = room(places, sizeof *y);
    qdr_field to_ghosts = {.source = x, .target = x, .type = QDR_DOUBLE, .width = VARIABLES};
    qdr_field to_owners = {.source = y, .target = y, .type = QDR_DOUBLE, .width = VARIABLES};
    to_owners.operation = QDR_SUM;
    qdr_status status = QDR_OK;
    for (int64_t p = 0; p < own->points; p++)
        for (int v = 0; v < VARIABLES; v++) x[p][v] = noise(own->number[p] * VARIABLES + v);
    for (int s = 0; !status && s < SWEEPS; s++) {
        memset(y, 0, (size_t)places * sizeof *y);
        status = timed_exchange(own, QDR_FORWARD, &to_ghosts, seconds);
        if (!status) sweep(own, x, y);
        if (!status) status = timed_exchange(own, QDR_REVERSE, &to_owners, seconds);
        for (int64_t p = 0; p < own->points; p++)
            for (int v = 0; v < VARIABLES; v++) x[p][v] += 0.1 * y[p][v];
    }
    free(y);
    return status;
}

/* ---- held against one rank alone ------------------------------------------------------------------------ */

/* Brings everything to rank 0, into the order of the mesh: another map, said from the side of the senders. */
static qdr_status collect(const share *own, values *x, values *everything) {
    int root = 0;
    qdr_map *map = NULL;
    qdr_indices out = {.partners = 1, .rank = &root, .count = &own->points, .partner_place = own->number};
    qdr_field field = {.source = x, .target = everything, .type = QDR_DOUBLE, .width = VARIABLES};
    qdr_status status = qdr_map_create(MPI_COMM_WORLD, &out, NULL, NULL, &map);
    if (!status) status = qdr_map_exchange(map, QDR_FORWARD, 1, &field);
    qdr_map_destroy(&map);
    return status;
}

/* The differences from a run of one rank, by the values themselves. Sums, for what is no number shows in them. */
static double find_error(const mesh *all, values *everything) {
    int *owner = deal_out(all, 1);
    share alone = take_share(all, owner, 0);
    values *x = room(all->points, sizeof *x);
    double differences = 0, sizes = 0, seconds = 0;
    run_sweeps(&alone, x, &seconds);
    for (int64_t p = 0; p < all->points; p++)
        for (int v = 0; v < VARIABLES; v++) {
            differences += fabs(everything[p][v] - x[p][v]);
            sizes += fabs(x[p][v]);
        }
    release(&alone);
    free(owner);
    free(x);
    return differences / sizes;
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

static void print_table(const mesh *all, const share *own, int rank, int ranks) {
    enum { COLUMNS = 5 };
    qdr_partners_view view = qdr_map_look(own->map);
    int64_t line[COLUMNS] = {own->points, own->edges, own->ghosts, view.receives, view.sends};
    int64_t(*table)[COLUMNS] = room(ranks, sizeof *table);
    MPI_Gather(line, COLUMNS, MPI_INT64_T, table, COLUMNS, MPI_INT64_T, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("%" PRId64 " points, %" PRId64 " edges\n", all->points, all->edges);
        printf("rank  points  edges  ghosts  from ranks  to ranks\n");
        for (int r = 0; r < ranks; r++)
            printf("%4d  %6" PRId64 "  %5" PRId64 "  %6" PRId64 "  %10" PRId64 "  %8" PRId64 "\n", r,
                   table[r][0], table[r][1], table[r][2], table[r][3], table[r][4]);
    }
    free(table);
}

static int verdict(const mesh *all, values *everything, int same, double seconds) {
    double error = find_error(all, everything);
    printf("%d sweeps: %s one rank alone; again: %s\n", SWEEPS, error <= 1e-12 ? "agree with" : "NOT as",
           same ? "the same, bit for bit" : "NOT THE SAME");
    /* What differs from run to run goes where no test reads it. */
    fprintf(stderr, "error %.1e; %.1f us per exchange, waiting for others included\n", error,
            1e6 * seconds / (2 * 2 * SWEEPS));
    return error <= 1e-12 && same;
}

static int run(int64_t points, int rank, int ranks) {
    mesh all = make_mesh(points);
    int *owner = deal_out(&all, ranks), same = 0, good = 1;
    share own = take_share(&all, owner, rank);
    values *x = room(own.points + own.ghosts, sizeof *x), *again = room(own.points + own.ghosts, sizeof *x);
    values *everything = rank == 0 ? room(all.points, sizeof *everything) : NULL;
    double seconds = 0;
    qdr_status status = make_map(&all, owner, ranks, &own);
    if (!status) print_table(&all, &own, rank, ranks);
    if (!status) status = run_sweeps(&own, x, &seconds);
    if (!status) status = run_sweeps(&own, again, &seconds);
    if (!status) status = collect(&own, x, everything);
    if (!status) {
        same = memcmp(x, again, (size_t)own.points * sizeof *x) == 0;
        MPI_Allreduce(MPI_IN_PLACE, &same, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
        MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        if (rank == 0) good = verdict(&all, everything, same, seconds);
    } else
        fprintf(stderr, "%s: %s\n", qdr_status_text(status), qdr_error_message());
    release(&own);
    free(all.point);
    free(all.edge);
    free(owner);
    free(x);
    free(again);
    free(everything);
    return !status && good;
}

int main(int count, char **words) {
    int rank, ranks;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    long long points = count > 1 ? strtoll(words[1], NULL, 10) : DEFAULT_POINTS;
    int good = points >= FEWEST_POINTS && points <= MOST_POINTS;
    if (!good && rank == 0) fprintf(stderr, "expected %d to %d points\n", FEWEST_POINTS, MOST_POINTS);
    if (good) good = run(points, rank, ranks);
    MPI_Finalize();
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
