/* SPDX-License-Identifier: BSD-3-Clause */
/* Stages of transforms along axes that are whole, and exchanges between them (parts.c). */
#include "fft.h"

#include <math.h>
#include <time.h>

#include "parts.h"

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

static qdr_status exchange(fft *one, qdr_map *map, qdr_direction way, const void *from, void *to) {
    qdr_field field = {.source = from, .target = to, .type = QDR_DOUBLE_COMPLEX, .width = 1};
    double begin = MPI_Wtime();
    qdr_status status = qdr_map_exchange(map, way, 1, &field);
    one->exchanging += MPI_Wtime() - begin;
    return status;
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
