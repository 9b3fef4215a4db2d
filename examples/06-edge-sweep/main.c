/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A sweep over the edges of an unstructured mesh:
 *
 *     mpirun -n 7 06-edge-sweep [POINTS] [--pattern FILE.mtx] [--time]
 *
 * NICE, figure 10: every edge takes the values x at its two ends, computes a flux between them, and adds it to
 * y at the one and subtracts it from y at the other. Points are dealt out to ranks; an edge belongs to the rank
 * of its first end. The second may be another rank's: then this rank keeps a copy of it, a ghost.
 *
 * Which points those are stands in the list of edges, which only the running program has. So there are two steps:
 *
 *     inspector    looks at the edges once: lists the ghosts, makes the map of them    inspector.c
 *     executor     sweeps, as often as there are time steps                            executor.c
 *
 * One map serves both ways: forward, x from owners to ghosts, before the sweep; in reverse, y from ghosts to owners,
 * after it, where it is added to what the owner has. --time shows that the inspector costs as much as some sweeps do,
 * and pays only because there are many.
 *
 * A rank knows whose points its ghosts are, and not who has ghosts of its own: that is found out when the map
 * is made. Where three parts meet, two ranks add to the point of a third; and as sums of
 * floating-point numbers depend on their order, maps add by rising rank: a second run must give the
 * same, bit for bit. A run of one rank alone adds in yet another order, and may differ by what rounding does.
 *
 * To be short, each rank makes the whole mesh (../mesh.c) and takes its share of it.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pattern_file.h"
#include "sweep.h"

enum { SWEEPS = 20 };
enum { DEFAULT_POINTS = 2800 }; /* as the smallest mesh of NICE has */

static values *start_values(const share *own) {
    values *x = room(own->points + own->ghosts, sizeof *x);
    for (int64_t p = 0; p < own->points; p++)
        for (int v = 0; v < VARIABLES; v++) x[p][v] = noise(own->number[p] * VARIABLES + v);
    return x;
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
    share alone;
    double differences = 0, sizes = 0, seconds = 0;
    qdr_status status = inspector(MPI_COMM_SELF, all, owner, &alone);
    values *x = start_values(&alone);
    if (!status) status = executor(&alone, SWEEPS, x, &seconds);
    for (int64_t p = 0; p < all->points; p++)
        for (int v = 0; v < VARIABLES; v++) {
            differences += fabs(everything[p][v] - x[p][v]);
            sizes += fabs(x[p][v]);
        }
    release(&alone);
    free(owner);
    free(x);
    return status ? INFINITY : differences / sizes;
}

/* ---- what is printed ------------------------------------------------------------------------------------ */

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

typedef struct times {
    double inspector, executor, exchanges; /* seconds, of the slowest rank */
} times;

static void print_times(times took) {
    double sweep = took.executor / SWEEPS;
    printf("inspector %.3f ms, as much as %.1f sweeps\n", 1e3 * took.inspector, took.inspector / sweep);
    printf("executor %.3f ms per sweep, of which exchanges, waiting for others included, %.3f ms\n",
           1e3 * sweep, 1e3 * took.exchanges / SWEEPS);
}

static int verdict(const mesh *all, values *everything, int same) {
    double error = find_error(all, everything);
    printf("%d sweeps: %s one rank alone; again: %s\n", SWEEPS, error <= 1e-12 ? "agree with" : "NOT as",
           same ? "the same, bit for bit" : "NOT THE SAME");
    fprintf(stderr, "error %.1e\n", error); /* differs from system to system: where no test reads it */
    return error <= 1e-12 && same;
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

typedef struct options {
    int64_t points;
    const char *pattern; /* the file; NULL: none */
    int time;
} options;

static qdr_status inspect(const mesh *all, const int *owner, share *own, times *took) {
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    qdr_status status = inspector(MPI_COMM_WORLD, all, owner, own);
    took->inspector = MPI_Wtime() - begin;
    return status;
}

/* The second run is timed; it must give the same as the first. */
static qdr_status execute_twice(const share *own, values *x, values *again, int *same, times *took) {
    qdr_status status = executor(own, SWEEPS, x, &took->exchanges);
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    took->exchanges = 0;
    if (!status) status = executor(own, SWEEPS, again, &took->exchanges);
    took->executor = MPI_Wtime() - begin;
    *same = memcmp(x, again, (size_t)own->points * sizeof *x) == 0;
    MPI_Allreduce(MPI_IN_PLACE, same, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, took, 3, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return status;
}

static int run(const options *asked, int rank, int ranks) {
    mesh all = make_mesh(asked->points);
    int *owner = deal_out(&all, ranks), same = 0, good = 1;
    share own;
    times took = {0};
    qdr_status status = inspect(&all, owner, &own, &took);
    values *x = start_values(&own), *again = start_values(&own);
    values *everything = rank == 0 ? room(all.points, sizeof *everything) : NULL;
    if (!status) print_table(&all, &own, rank, ranks);
    if (!status && asked->pattern)
        status = show_pattern(MPI_COMM_WORLD, own.map, sizeof(values), asked->pattern);
    if (!status) status = execute_twice(&own, x, again, &same, &took);
    if (!status) status = collect(&own, x, everything);
    if (status) fprintf(stderr, "%s: %s\n", qdr_status_text(status), qdr_error_message());
    if (!status && rank == 0) {
        good = verdict(&all, everything, same);
        if (asked->time) print_times(took);
    }
    release(&own);
    free(all.point);
    free(all.edge);
    free(owner);
    free(x);
    free(again);
    free(everything);
    return !status && good;
}

static int read_options(int count, char **words, options *asked) {
    for (int w = 1; w < count; w++) {
        if (strcmp(words[w], "--time") == 0)
            asked->time = 1;
        else if (strcmp(words[w], "--pattern") == 0 && w + 1 < count)
            asked->pattern = words[++w];
        else
            asked->points = strtoll(words[w], NULL, 10);
    }
    return asked->points >= FEWEST_POINTS && asked->points <= MOST_POINTS;
}

int main(int count, char **words) {
    int rank, ranks;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    options asked = {.points = DEFAULT_POINTS};
    int good = read_options(count, words, &asked);
    if (!good && rank == 0)
        fprintf(stderr, "expected [%d to %d points] [--pattern FILE.mtx] [--time]\n", FEWEST_POINTS,
                MOST_POINTS);
    if (good) good = run(&asked, rank, ranks);
    MPI_Finalize();
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
