/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stages of transforms along axes that are whole, and exchanges between them.
 *
 * A part is a box of the array, in the last stage as in the first, and so is what two ranks have in common: what r has
 * before an exchange and s has after it. Both can work out all these boxes. So an exchange is a map between boxes,
 * and nothing is packed here: the elements of a box go in the order in which they lie in memory, which is the same at
 * both ends, for FFTW takes an axis with any stride and the axes never change places.
 */
#include "fft.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

enum { ROOT = 2 }; /* as a dimension of the grid: all of it on rank 0 */

const shape shapes[] = {
    {"2d", 2, 2, 1, {{0, WHOLE}, {WHOLE, 0}}},
    {"slabs", 3, 2, 1, {{0, WHOLE, WHOLE}, {WHOLE, 0, WHOLE}}},
    {"pencils", 3, 3, 0, {{0, 1, WHOLE}, {0, WHOLE, 1}, {WHOLE, 0, 1}}},
};

int64_t elements(const shape *shape, const box *part) {
    int64_t count = 1;
    for (int a = 0; a < shape->axes; a++) count *= part->count[a];
    return count;
}

/* ---- who has what --------------------------------------------------------------------------------------- */

/* Blocks that differ by one at most; some are empty if there are more ranks than elements along an axis. */
static box part_of(const fft *one, const int *cut, int rank) {
    int at[] = {rank / one->grid[1], rank % one->grid[1], rank};
    int parts[] = {one->grid[0], one->grid[1], 1};
    box part = {{0}, {0}};
    for (int a = 0; a < one->shape->axes; a++) {
        int by = cut[a], first = by == WHOLE ? 0 : at[by], of = by == WHOLE ? 1 : parts[by];
        part.lower[a] = first < of ? one->side * first / of : one->side;
        part.count[a] = first < of ? one->side * (first + 1) / of - part.lower[a] : 0;
    }
    return part;
}

static box common(const shape *shape, const box *one, const box *other) {
    box both = {{0}, {0}};
    for (int a = 0; a < shape->axes; a++) {
        int64_t end = one->lower[a] + one->count[a], other_end = other->lower[a] + other->count[a];
        both.lower[a] = one->lower[a] > other->lower[a] ? one->lower[a] : other->lower[a];
        both.count[a] = (end < other_end ? end : other_end) - both.lower[a];
        if (both.count[a] < 0) both.count[a] = 0;
    }
    return both;
}

/* ---- exchanges ------------------------------------------------------------------------------------------ */

typedef struct side {
    int boxes;
    int *rank;
    int64_t *lower, *count; /* [ranks][axes] */
} side;

/* What this rank's part has in common with those of others, who are cut in another way: no box for those with whom it
 * has nothing. */
static qdr_status list_boxes(const fft *one, const box *mine, const int *cut_of_others, side *made) {
    size_t ranks = (size_t)one->ranks;
    int axes = one->shape->axes;
    *made = (side){0, calloc(ranks, sizeof(int)), calloc(ranks * (size_t)axes, sizeof(int64_t)),
                   calloc(ranks * (size_t)axes, sizeof(int64_t))};
    if (!made->rank || !made->lower || !made->count) return QDR_ERR_MEMORY;
    for (int r = 0; r < one->ranks; r++) {
        box theirs = part_of(one, cut_of_others, r), both = common(one->shape, mine, &theirs);
        if (elements(one->shape, &both) == 0) continue;
        made->rank[made->boxes] = r;
        for (int a = 0; a < axes; a++) {
            made->lower[made->boxes * axes + a] = both.lower[a] - mine->lower[a];
            made->count[made->boxes * axes + a] = both.count[a];
        }
        made->boxes++;
    }
    return QDR_OK;
}

static void free_side(side *gone) {
    free(gone->rank);
    free(gone->lower);
    free(gone->count);
}

static qdr_boxes boxes_of(const fft *one, const box *part, const side *side) {
    return (qdr_boxes){.dimensions = one->shape->axes,
                       .extent = part->count,
                       .boxes = side->boxes,
                       .rank = side->rank,
                       .lower = side->lower,
                       .count = side->count};
}

/* One map over all ranks, also where ranks exchange in rows or columns of the grid alone. */
static qdr_status make_exchange(const fft *one, const int *before, const int *after,
                                const qdr_plan_options *plan, qdr_map **map) {
    box from = part_of(one, before, one->rank), to = part_of(one, after, one->rank);
    side sends = {0}, receives = {0};
    qdr_status status = list_boxes(one, &from, after, &sends);
    if (!status) status = list_boxes(one, &to, before, &receives);
    qdr_boxes out = boxes_of(one, &from, &sends), in = boxes_of(one, &to, &receives);
    qdr_map_options options = QDR_MAP_OPTIONS;
    options.plan = plan;
    options.reverse = QDR_REVERSE_REPLACE; /* the way back of the inverse */
    if (!status) status = qdr_map_from_boxes(MPI_COMM_WORLD, &out, &in, &options, map);
    free_side(&sends);
    free_side(&receives);
    return status;
}

static qdr_status exchange(fft *one, qdr_map *map, qdr_direction way, const void *from, void *to) {
    qdr_field field = {.source = from, .target = to, .type = QDR_DOUBLE_COMPLEX, .width = 1};
    double begin = MPI_Wtime();
    qdr_status status = qdr_map_exchange(map, way, 1, &field);
    one->exchanging += MPI_Wtime() - begin;
    return status;
}

/* ---- transforms ----------------------------------------------------------------------------------------- */

/* All transforms of a box along one axis, in place. */
static fftw_plan plan_axis(const fft *one, const box *part, int axis, int sign, fftw_complex *value) {
    fftw_iodim64 along = {0}, others[MOST_AXES];
    ptrdiff_t stride = 1;
    int count = 0;
    for (int a = one->shape->axes - 1; a >= 0; stride *= part->count[a--]) {
        fftw_iodim64 dimension = {part->count[a], stride, stride};
        if (a == axis)
            along = dimension;
        else
            others[count++] = dimension;
    }
    if (elements(one->shape, part) == 0) return NULL;
    return fftw_plan_guru64_dft(1, &along, count, others, value, value, sign, FFTW_ESTIMATE);
}

/* What a transform would take a processor of so many operations per second: 5 n lg n for one of length n. */
static void model_time(const fft *one, const box *part) {
    double lines = (double)elements(one->shape, part) / (double)one->side;
    double seconds = lines * 5 * (double)one->side * log2((double)one->side) / one->flops;
    struct timespec time = {(time_t)seconds, (long)(1e9 * (seconds - floor(seconds)))};
    nanosleep(&time, NULL);
}

static void transform(const fft *one, int stage, int inverse) {
    for (int a = one->shape->axes - 1; a >= 0; a--) {
        if (one->stage_of[a] != stage || !one->plan[inverse][a]) continue;
        fftw_execute(one->plan[inverse][a]);
        if (one->flops > 0) model_time(one, &one->part[stage]);
    }
}

qdr_status fft_forward(fft *one) {
    qdr_status status = QDR_OK;
    transform(one, 0, 0);
    for (int s = 1; !status && s < one->shape->stages; s++) {
        status = exchange(one, one->exchange[s - 1], QDR_FORWARD, one->value[(s - 1) % 2], one->value[s % 2]);
        if (!status) transform(one, s, 0);
    }
    return status;
}

qdr_status fft_inverse(fft *one) {
    qdr_status status = QDR_OK;
    for (int s = one->shape->stages - 1; !status && s > 0; s--) {
        transform(one, s, 1);
        status = exchange(one, one->exchange[s - 1], QDR_REVERSE, one->value[s % 2], one->value[(s - 1) % 2]);
    }
    if (!status) transform(one, 0, 1);
    return status;
}

fftw_complex *fft_result(const fft *one) {
    return one->value[(one->shape->stages - 1) % 2];
}

qdr_status fft_collect(fft *one, fftw_complex *whole) {
    const int *last = one->shape->cut[one->shape->stages - 1];
    const int root[MOST_AXES] = {ROOT, ROOT, ROOT};
    qdr_map *map = NULL;
    qdr_status status = make_exchange(one, last, root, NULL, &map);
    if (!status) status = exchange(one, map, QDR_FORWARD, fft_result(one), whole);
    qdr_map_destroy(&map);
    return status;
}

/* ---- making one ----------------------------------------------------------------------------------------- */

/* As square as can be: the longer side of the grid is the second. */
static void make_grid(fft *made) {
    int rows = 1;
    for (int r = 1; !made->shape->is_flat && r * r <= made->ranks; r++)
        if (made->ranks % r == 0) rows = r;
    made->grid[0] = made->shape->is_flat ? made->ranks : rows;
    made->grid[1] = made->ranks / made->grid[0];
}

qdr_status fft_create(const shape *shape, int64_t side, const qdr_plan_options *plan, fft *made) {
    *made = (fft){.shape = shape, .side = side};
    MPI_Comm_rank(MPI_COMM_WORLD, &made->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &made->ranks);
    make_grid(made);
    int64_t most = 1;
    for (int s = 0; s < shape->stages; s++) {
        made->part[s] = part_of(made, shape->cut[s], made->rank);
        int64_t count = elements(shape, &made->part[s]);
        if (count > most) most = count;
    }
    for (int v = 0; v < 2; v++) {
        made->value[v] = fftw_alloc_complex((size_t)most);
        if (!made->value[v]) return QDR_ERR_MEMORY;
    }
    for (int a = 0; a < shape->axes; a++) {
        while (shape->cut[made->stage_of[a]][a] != WHOLE) made->stage_of[a]++;
        int s = made->stage_of[a];
        made->plan[0][a] = plan_axis(made, &made->part[s], a, FFTW_FORWARD, made->value[s % 2]);
        made->plan[1][a] = plan_axis(made, &made->part[s], a, FFTW_BACKWARD, made->value[s % 2]);
    }
    qdr_status status = QDR_OK;
    for (int s = 1; !status && s < shape->stages; s++)
        status = make_exchange(made, shape->cut[s - 1], shape->cut[s], plan, &made->exchange[s - 1]);
    return status;
}

void fft_destroy(fft *gone) {
    for (int s = 0; s < MOST_STAGES - 1; s++) qdr_map_destroy(&gone->exchange[s]);
    for (int a = 0; a < MOST_AXES; a++)
        for (int way = 0; way < 2; way++)
            if (gone->plan[way][a]) fftw_destroy_plan(gone->plan[way][a]);
    for (int v = 0; v < 2; v++) fftw_free(gone->value[v]);
}
