/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Maps from boxes: halos of periodic meshes in one to three dimensions, every width, both orders, plain arrays and members
 * of structures. Forward each ghost has the value of the cell it stands for; in reverse sums are those of the same map
 * made from lists, bit for bit. And what is refused, with which sentence.
 */
#include "mpi_check.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "quadrille/map.h"

enum { MOST_DIRECTIONS = 26, DIMENSIONS = 3 };

static int rank, ranks;

/* ---- a mesh -------------------------------------------------------------------------------------------- */

typedef struct mesh {
    int dimensions, grid[DIMENSIONS], own[DIMENSIONS];
    int64_t cells[DIMENSIONS], width; /* of each rank, and of its ghosts */
    int64_t extent[DIMENSIONS], elements;
    qdr_order order;
    int directions, neighbour[2 * MOST_DIRECTIONS];
    int64_t lower[2][MOST_DIRECTIONS * DIMENSIONS], count[2][MOST_DIRECTIONS * DIMENSIONS];
} mesh;

static mesh draw_mesh(qdri_random *random) {
    mesh made = {.dimensions = (int)qdri_random_between(random, 1, DIMENSIONS),
                 .width = qdri_random_between(random, 1, 3),
                 .order = (qdr_order)qdri_random_between(random, 0, 1),
                 .elements = 1};
    MPI_Dims_create(ranks, made.dimensions, made.grid);
    for (int d = made.dimensions - 1, r = rank; d >= 0; r /= made.grid[d--]) made.own[d] = r % made.grid[d];
    for (int d = 0; d < made.dimensions; d++) {
        made.cells[d] = qdri_random_between(random, made.width, 9);
        made.extent[d] = made.cells[d] + 2 * made.width;
        made.elements *= made.extent[d];
    }
    return made;
}

static int neighbour(const mesh *of, const int *step) {
    int at = 0;
    for (int d = 0; d < of->dimensions; d++)
        at = at * of->grid[d] + (of->own[d] + step[d] + of->grid[d]) % of->grid[d];
    return at;
}

/* The direction -1, 0, 1 of each dimension. The opposite of the k-th is the k-th from behind. */
static int direction(const mesh *of, int k, int *step) {
    int any = 0;
    for (int d = of->dimensions - 1; d >= 0; d--, k /= 3) {
        step[d] = k % 3 - 1;
        any |= step[d] != 0;
    }
    return any;
}

/* What goes in each direction, and what comes from the opposite one of the neighbour there. */
static void find_boxes(mesh *of) {
    int all = 1, step[DIMENSIONS];
    for (int d = 0; d < of->dimensions; d++) all *= 3;
    for (int k = 0; k < all; k++) {
        if (!direction(of, k, step)) continue;
        int i = of->directions++;
        of->neighbour[i] = neighbour(of, step);
        for (int d = 0; d < of->dimensions; d++) {
            int at = i * of->dimensions + d;
            of->lower[0][at] = step[d] > 0 ? of->cells[d] : of->width;
            of->count[0][at] = of->count[1][at] = step[d] ? of->width : of->cells[d];
            of->lower[1][at] = step[d] > 0 ? 0 : step[d] < 0 ? of->cells[d] + of->width : of->width;
        }
        for (int d = 0; d < of->dimensions; d++) step[d] = -step[d];
        of->neighbour[MOST_DIRECTIONS + i] = neighbour(of, step);
    }
}

static qdr_boxes boxes_of(const mesh *of, int incoming) {
    return (qdr_boxes){.dimensions = of->dimensions,
                       .extent = of->extent,
                       .boxes = of->directions,
                       .rank = of->neighbour + (incoming ? MOST_DIRECTIONS : 0),
                       .lower = of->lower[incoming],
                       .count = of->count[incoming],
                       .order = of->order};
}

static int64_t element_at(const mesh *of, const int64_t *index) {
    int64_t at = 0;
    for (int i = 0; i < of->dimensions; i++) {
        int d = of->order == QDR_ROW_MAJOR ? i : of->dimensions - 1 - i;
        at = at * of->extent[d] + index[d];
    }
    return at;
}

/* All elements of a side, one by one. */
static qdr_indices list_of(const mesh *of, int incoming, int *link_rank, int64_t *local) {
    qdr_indices made = {.link_rank = link_rank, .place = local};
    for (int b = 0; b < of->directions; b++) {
        const int64_t *lower = of->lower[incoming] + b * of->dimensions,
                      *count = of->count[incoming] + b * of->dimensions;
        int64_t total = 1, index[DIMENSIONS];
        for (int d = 0; d < of->dimensions; d++) total *= count[d];
        for (int64_t k = 0; k < total; k++) {
            int64_t rest = k;
            for (int i = 0; i < of->dimensions; i++) {
                int d = of->order == QDR_ROW_MAJOR ? of->dimensions - 1 - i : i;
                index[d] = lower[d] + rest % count[d];
                rest /= count[d];
            }
            link_rank[made.links] = of->neighbour[(incoming ? MOST_DIRECTIONS : 0) + b];
            local[made.links++] = element_at(of, index);
        }
    }
    return made;
}

/* ---- values -------------------------------------------------------------------------------------------- */

typedef struct cell {
    int32_t tag;
    float velocity[3];
    double heat;
    int8_t flag;
} cell;

/* Of the cell that an element stands for, on whichever rank; *is_ghost: that is another one's, or the other end's. */
static double value_at(const mesh *of, int64_t element, int *is_ghost) {
    int64_t index[DIMENSIONS], number = 0;
    *is_ghost = 0;
    for (int i = 0; i < of->dimensions; i++) {
        int d = of->order == QDR_ROW_MAJOR ? of->dimensions - 1 - i : i;
        index[d] = element % of->extent[d];
        element /= of->extent[d];
    }
    for (int d = 0; d < of->dimensions; d++) {
        int64_t all = of->grid[d] * of->cells[d], local = index[d] - of->width;
        *is_ghost |= local < 0 || local >= of->cells[d];
        number = number * all + (of->own[d] * of->cells[d] + local + all) % all;
    }
    return (double)number;
}

static void fill(const mesh *of, double *plain, cell *structured) {
    for (int64_t i = 0; i < of->elements; i++) {
        int is_ghost;
        double value = value_at(of, i, &is_ghost);
        for (int k = 0; k < 2; k++) plain[2 * i + k] = is_ghost ? -1 : value + k;
        structured[i] = (cell){.tag = 7, .heat = is_ghost ? -1 : value, .flag = 3};
        for (int k = 0; k < 3; k++) structured[i].velocity[k] = is_ghost ? -1 : (float)value + (float)k;
    }
}

static void check_all(const mesh *of, const double *plain, const cell *structured) {
    for (int64_t i = 0; i < of->elements; i++) {
        int is_ghost, right = 1;
        double value = value_at(of, i, &is_ghost);
        for (int k = 0; k < 2; k++) right &= plain[2 * i + k] == value + k;
        for (int k = 0; k < 3; k++) right &= structured[i].velocity[k] == (float)value + (float)k;
        right &= structured[i].heat == value && structured[i].tag == 7 && structured[i].flag == 3;
        CHECK_SAYING(right, "element %lld (%d dimensions, width %lld)", (long long)i, of->dimensions,
                     (long long)of->width);
        if (!right) return;
    }
}

/* ---- one mesh ------------------------------------------------------------------------------------------ */

static qdr_map *map_of(const mesh *of, int by_lists, const qdr_map_options *options) {
    qdr_map *made = NULL;
    qdr_status status;
    if (by_lists) {
        int64_t most = of->elements * MOST_DIRECTIONS;
        int *rank_of[2] = {malloc((size_t)most * sizeof(int)), malloc((size_t)most * sizeof(int))};
        int64_t *local[2] = {malloc((size_t)most * 8), malloc((size_t)most * 8)};
        qdr_indices out = list_of(of, 0, rank_of[0], local[0]), in = list_of(of, 1, rank_of[1], local[1]);
        status = qdr_map_create(MPI_COMM_WORLD, &out, &in, options, &made);
        for (int i = 0; i < 2; i++) {
            free(rank_of[i]);
            free(local[i]);
        }
    } else {
        qdr_boxes out = boxes_of(of, 0), in = boxes_of(of, 1);
        status = qdr_map_from_boxes(MPI_COMM_WORLD, &out, &in, options, &made);
    }
    CHECK_SAYING(status == QDR_OK, "%s", qdr_error_message());
    return made;
}

static void test_mesh(qdri_random *random, int number) {
    static const char *const transports[] = {NULL, "net", "node"};
    mesh of = draw_mesh(random);
    find_boxes(&of);
    size_t elements = (size_t)of.elements;
    double *plain = malloc(2 * elements * sizeof *plain), *sum[2];
    cell *structured = malloc(elements * sizeof *structured);
    qdr_plan_options plan = QDR_PLAN_OPTIONS;
    qdr_map_options options = QDR_MAP_OPTIONS;
    plan.transport = transports[number % 3];
    if (number % 2) plan.chunk = 1 + (int64_t)qdri_random_below(random, 300);
    options.plan = &plan;
    options.reverse = QDR_REVERSE_COMBINE;
    qdr_map *map[2] = {map_of(&of, 0, &options), map_of(&of, 1, &options)};
    if (!map[0] || !map[1]) return;
    fill(&of, plain, structured);
    qdr_field field[] = {
        {.source = plain, .target = plain, .type = QDR_DOUBLE, .width = 2},
        {.source = &structured->velocity,
         .target = &structured->velocity,
         .type = QDR_FLOAT,
         .width = 3,
         .source_stride = sizeof(cell),
         .target_stride = sizeof(cell)},
        {.source = &structured->heat,
         .target = &structured->heat,
         .type = QDR_DOUBLE,
         .width = 1,
         .source_stride = sizeof(cell),
         .target_stride = sizeof(cell)},
    };
    CHECK_SAYING(qdr_map_exchange(map[0], QDR_FORWARD, 3, field) == QDR_OK, "%s", qdr_error_message());
    check_all(&of, plain, structured);
    for (int i = 0; i < 2; i++) {
        sum[i] = malloc(elements * 3 * sizeof(double));
        for (size_t k = 0; k < 3 * elements; k++)
            sum[i][k] = 1.0 / (double)(1 + (k * 7 + (size_t)rank) % 1000);
        qdr_field sums = {.source = sum[i],
                          .target = sum[i],
                          .type = QDR_DOUBLE,
                          .width = 2,
                          .operation = QDR_SUM,
                          .source_stride = 24,
                          .target_stride = 24};
        CHECK_SAYING(qdr_map_exchange(map[i], QDR_REVERSE, 1, &sums) == QDR_OK, "%s", qdr_error_message());
    }
    CHECK(memcmp(sum[0], sum[1], elements * 3 * sizeof(double)) == 0);
    for (int i = 0; i < 2; i++) {
        CHECK(qdr_map_destroy(&map[i]) == QDR_OK);
        free(sum[i]);
    }
    free(plain);
    free(structured);
}

/* ---- refusals ------------------------------------------------------------------------------------------ */

static void refuse(const qdr_boxes *out, const qdr_boxes *in, qdr_status expected, const char *words) {
    qdr_map *map = NULL;
    qdr_status status = qdr_map_from_boxes(MPI_COMM_WORLD, out, in, NULL, &map);
    CHECK_SAYING(status == expected && !map && strstr(qdr_error_message(), words), "'%s' lacks '%s'",
                 status ? qdr_error_message() : "", words);
}

static void test_refusals(void) {
    int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks, beyond = ranks;
    int64_t extent[] = {8, 4}, lower[] = {0, 0}, high[] = {7, 0}, count[] = {2, 4}, minus[] = {-1, 4};
    qdr_boxes out = {.dimensions = 2,
                     .extent = extent,
                     .boxes = 1,
                     .rank = &next,
                     .lower = lower,
                     .count = count},
              in = out, wrong;
    in.rank = &before;
    refuse(NULL, &in, QDR_ERR_INVALID, "sends is NULL");
    refuse(&out, NULL, QDR_ERR_INVALID, "receives is NULL");
    wrong = out, wrong.dimensions = 17;
    refuse(&wrong, &in, QDR_ERR_RANGE, "17 dimensions; expected 1 to 16");
    wrong = out, wrong.extent = minus;
    refuse(&wrong, &in, QDR_ERR_RANGE, "an extent of -1");
    wrong = out, wrong.lower = high;
    refuse(&wrong, &in, QDR_ERR_RANGE,
           "box 0 has 2 indices from 7 on in dimension 0, of which the array has 8");
    wrong = out, wrong.rank = &beyond;
    refuse(&wrong, &in, QDR_ERR_RANGE, "box 0 is with rank");
    wrong = in, wrong.count = NULL;
    refuse(&out, &wrong, QDR_ERR_INVALID, "rank, lower or count is NULL");
    int64_t fewer[] = {1, 4};
    wrong = in, wrong.count = fewer;
    refuse(&out, &wrong, QDR_ERR_MISMATCH, "4");
    wrong = out, wrong.order = (qdr_order)5;
    refuse(&wrong, &in, QDR_ERR_RANGE, "there is no order 5");
}

/* What is sent and what comes overlaps: not in one array, but in two. Strides that are too short. */
static void test_fields(void) {
    int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    int64_t extent[] = {6}, lower[] = {0}, lower_in[] = {2}, count[] = {3};
    double one[12] = {1, 2, 3, 4, 5, 6}, two[12] = {0};
    qdr_boxes out = {.dimensions = 1,
                     .extent = extent,
                     .boxes = 1,
                     .rank = &next,
                     .lower = lower,
                     .count = count},
              in = {.dimensions = 1,
                    .extent = extent,
                    .boxes = 1,
                    .rank = &before,
                    .lower = lower_in,
                    .count = count};
    qdr_map *map = NULL;
    CHECK(qdr_map_from_boxes(MPI_COMM_WORLD, &out, &in, NULL, &map) == QDR_OK);
    if (!map) return;
    qdr_field field = {.source = one, .target = one, .type = QDR_DOUBLE, .width = 1};
    CHECK(qdr_map_exchange(map, QDR_FORWARD, 1, &field) == QDR_ERR_INVALID &&
          strstr(qdr_error_message(), "element 2 is both sent and received"));
    field.source_stride = field.target_stride = 4;
    CHECK(qdr_map_exchange(map, QDR_FORWARD, 1, &field) == QDR_ERR_RANGE &&
          strstr(qdr_error_message(), "source_stride is 4; expected 0, or a multiple of 8"));
    field.source_stride = field.target_stride = 16;
    field.target = one + 1; /* the other member of each pair */
    CHECK(qdr_map_exchange(map, QDR_FORWARD, 1, &field) == QDR_OK);
    CHECK(one[5] == 1 && one[7] == 3 && one[9] == 5);
    field.target = two;
    field.target_stride = 0;
    CHECK(qdr_map_exchange(map, QDR_FORWARD, 1, &field) == QDR_OK);
    CHECK(two[2] == 1 && two[3] == 3 && two[4] == 5);
    CHECK(qdr_map_destroy(&map) == QDR_OK);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int meshes = argc > 1 ? atoi(argv[1]) : 40;
    qdri_random random = qdri_random_seed(61);
    for (int i = 0; i < meshes; i++) test_mesh(&random, i);
    test_refusals();
    test_fields();
    int verdict = mpi_check_verdict();
    MPI_Finalize();
    return verdict;
}
