/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The same exchange twice, with MPI alone and with Quadrille: mpirun -n 4 11-side-by-side [--time [MOST [SAMPLES]]]
 *
 * Four programs, in problems.h. Each runs with both of its exchanges from the same beginning, and the results must be the
 * same, bit by bit. With --time the exchanges are timed, in turn, for 1000 items to MOST of all ranks together (10^7), and
 * the table has the medians; exits with 1 when Quadrille took more than 3% longer anywhere.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problems.h"
#include "quadrille-mpi.h"

int rank, ranks;

enum { DEGREE = 6, STEPS = 10, VERSIONS = 2, MOST_SAMPLES = 401 };

void *room(int64_t count, int64_t bytes) {
    void *made = calloc((size_t)(count > 0 ? count : 1), (size_t)bytes);
    if (!made) MPI_Abort(MPI_COMM_WORLD, 1);
    return made;
}

void fine(int status) {
    if (status == QDR_OK) return;
    fprintf(stderr, "rank %d: %s\n", rank, qdr_error_message());
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* A number for each purpose, the same on every machine. */
static uint64_t draw(uint64_t number, uint64_t purpose) {
    uint64_t word = (number * 8 + purpose + 1) * UINT64_C(0x9e3779b97f4a7c15);
    word = (word ^ word >> 31) * UINT64_C(0xbf58476d1ce4e5b9);
    return word ^ word >> 29;
}

/* ---- heat ---------------------------------------------------------------------------------------------- */

/* A ring of cells, each with neighbours beside it and others not far away. */
static int64_t neighbour_of(int64_t cell, int k, int64_t cells) {
    static const int64_t beside[] = {-1, 1, -7, 7};
    int64_t near = cells / 50 + 2;
    int64_t step =
        k < 4 ? beside[k] : (int64_t)(draw((uint64_t)cell, (uint64_t)k) % (uint64_t)(2 * near)) - near;
    return ((cell + step) % cells + cells) % cells;
}

static int compare_ids(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static heat *make_heat(int64_t cells) {
    heat *h = room(1, sizeof *h);
    int64_t each = cells / ranks, all = each * ranks, first = each * rank;
    int64_t *away = room(each * DEGREE, sizeof *away), found = 0;
    h->owned = each;
    h->neighbour = room(each * DEGREE, sizeof(int));
    for (int64_t i = 0; i < each; i++)
        for (int k = 0; k < DEGREE; k++) {
            int64_t id = neighbour_of(first + i, k, all);
            if (id / each != rank) away[found++] = id;
        }
    qsort(away, (size_t)found, sizeof *away, compare_ids);
    for (int64_t i = 0; i < found; i++)
        if (i == 0 || away[i] != away[i - 1]) away[h->ghosts++] = away[i];
    h->ghost_owner = room(h->ghosts, sizeof(int));
    h->ghost_at = room(h->ghosts, sizeof(int64_t));
    h->ghost_here = room(h->ghosts, sizeof(int64_t));
    for (int64_t g = 0; g < h->ghosts; g++) {
        h->ghost_owner[g] = (int)(away[g] / each);
        h->ghost_at[g] = away[g] % each;
        h->ghost_here[g] = each + g;
    }
    for (int64_t i = 0; i < each * DEGREE; i++) {
        int64_t id = neighbour_of(first + i / DEGREE, (int)(i % DEGREE), all);
        int64_t *ghost =
            id / each == rank ? NULL : bsearch(&id, away, (size_t)h->ghosts, sizeof id, compare_ids);
        h->neighbour[i] = (int)(ghost ? each + (ghost - away) : id % each);
    }
    h->value = room(each + h->ghosts, sizeof(double));
    h->next = room(each, sizeof(double));
    free(away);
    return h;
}

static void *run_heat(const exchanger *by, void *problem) {
    heat *h = problem;
    void *self = by->open(h);
    for (int64_t i = 0; i < h->owned; i++)
        h->value[i] = (double)(draw((uint64_t)(h->owned * rank + i), 7) % 1000);
    for (int step = 0; step < STEPS; step++) {
        by->run(self, h);
        for (int64_t i = 0; i < h->owned; i++) {
            double sum = 0;
            for (int k = 0; k < DEGREE; k++) sum += h->value[h->neighbour[i * DEGREE + k]];
            h->next[i] = 0.5 * h->value[i] + 0.5 / DEGREE * sum;
        }
        memcpy(h->value, h->next, (size_t)h->owned * sizeof(double));
    }
    by->close(self);
    double *result = room(h->owned + 1, sizeof *result);
    memcpy(result, h->value, (size_t)h->owned * sizeof *result);
    return result;
}

static int64_t heat_bytes(const void *problem) {
    return ((const heat *)problem)->owned * (int64_t)sizeof(double);
}

static void free_heat(void *problem) {
    heat *h = problem;
    free(h->ghost_owner);
    free(h->ghost_at);
    free(h->ghost_here);
    free(h->neighbour);
    free(h->value);
    free(h->next);
    free(h);
}

/* ---- sort ---------------------------------------------------------------------------------------------- */

static int compare_keys(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Keys of every rank are even over all ranges; those of a rank are sorted already. */
static void *make_sort(int64_t keys) {
    sorting *s = room(1, sizeof *s);
    int64_t each = keys / ranks;
    s->key = room(each, sizeof *s->key);
    s->bucket = room(ranks, sizeof *s->bucket);
    for (int64_t i = 0; i < each; i++) s->key[i] = draw((uint64_t)(each * rank + i), 3);
    qsort(s->key, (size_t)each, sizeof *s->key, compare_keys);
    for (int64_t i = 0; i < each; i++) s->bucket[(int)((double)s->key[i] * 0x1p-64 * ranks) % ranks]++;
    return s;
}

static void *run_sort(const exchanger *by, void *problem) {
    sorting *s = problem;
    void *self = by->open(s);
    by->run(self, s);
    qsort(s->own, (size_t)s->came, sizeof *s->own, compare_keys);
    uint64_t *result = room(s->came + 1, sizeof *result);
    memcpy(result, s->own, (size_t)s->came * sizeof *result);
    by->close(self);
    return result;
}

static int64_t sort_bytes(const void *problem) {
    return ((const sorting *)problem)->came * (int64_t)sizeof(uint64_t);
}

static void free_sort(void *problem) {
    sorting *s = problem;
    free(s->key);
    free(s->bucket);
    free(s);
}

/* ---- fft ----------------------------------------------------------------------------------------------- */

typedef struct matrix {
    fft exchange; /* first: exchangers convert */
    int64_t side, rows;
    double *value; /* [rows][side][2] */
} matrix;

static void *make_fft(int64_t items) {
    matrix *m = room(1, sizeof *m);
    m->side = ranks;
    while (m->side * m->side * 4 <= items) m->side *= 2;
    m->rows = m->side / ranks;
    m->value = room(m->rows * m->side, 2 * sizeof(double));
    m->exchange.block_bytes = m->rows * m->rows * 2 * (int64_t)sizeof(double);
    m->exchange.packed = room(ranks, m->exchange.block_bytes);
    m->exchange.came = room(ranks, m->exchange.block_bytes);
    return m;
}

/* A row, in place; its length is a product of twos, and of the number of ranks. */
static void transform(double *row, int64_t length, int64_t stride, double *out) {
    if (length % 2 || length == 1) {
        for (int64_t k = 0; k < length; k++) {
            out[2 * k] = out[2 * k + 1] = 0;
            for (int64_t j = 0; j < length; j++) {
                double angle = -2 * acos(-1.0) * (double)(j * k % length) / (double)length;
                double c = cos(angle), s = sin(angle), x = row[2 * j * stride], y = row[2 * j * stride + 1];
                out[2 * k] += x * c - y * s;
                out[2 * k + 1] += x * s + y * c;
            }
        }
        return;
    }
    int64_t half = length / 2;
    transform(row, half, 2 * stride, out);
    transform(row + 2 * stride, half, 2 * stride, out + 2 * half);
    for (int64_t k = 0; k < half; k++) {
        double angle = -2 * acos(-1.0) * (double)k / (double)length, c = cos(angle), s = sin(angle);
        double x = out[2 * (half + k)] * c - out[2 * (half + k) + 1] * s;
        double y = out[2 * (half + k)] * s + out[2 * (half + k) + 1] * c;
        out[2 * (half + k)] = out[2 * k] - x;
        out[2 * (half + k) + 1] = out[2 * k + 1] - y;
        out[2 * k] += x;
        out[2 * k + 1] += y;
    }
}

static void transform_rows(matrix *m) {
    double *out = room(m->side, 2 * sizeof(double));
    for (int64_t r = 0; r < m->rows; r++) {
        transform(m->value + 2 * r * m->side, m->side, 1, out);
        memcpy(m->value + 2 * r * m->side, out, (size_t)m->side * 2 * sizeof(double));
    }
    free(out);
}

static void transpose(matrix *m, const exchanger *by, void *self) {
    size_t run = (size_t)m->rows * 2 * sizeof(double);
    for (int to = 0; to < ranks; to++)
        for (int64_t r = 0; r < m->rows; r++)
            memcpy((char *)m->exchange.packed + (size_t)((int64_t)to * m->rows + r) * run,
                   m->value + 2 * (r * m->side + to * m->rows), run);
    by->run(self, &m->exchange);
    const double *came = m->exchange.came;
    for (int64_t column = 0; column < m->side; column++)
        for (int64_t r = 0; r < m->rows; r++)
            memcpy(m->value + 2 * (r * m->side + column), came + 2 * (column * m->rows + r),
                   2 * sizeof(double));
}

static void *run_fft(const exchanger *by, void *problem) {
    matrix *m = problem;
    int64_t items = m->rows * m->side;
    for (int64_t i = 0; i < 2 * items; i++)
        m->value[i] = (double)(draw((uint64_t)(items * rank * 2 + i), 5) % 1000);
    transform_rows(m);
    transpose(m, by, NULL);
    transform_rows(m);
    transpose(m, by, NULL);
    double *result = room(2 * items, sizeof *result);
    memcpy(result, m->value, (size_t)(2 * items) * sizeof *result);
    return result;
}

static int64_t fft_bytes(const void *problem) {
    const matrix *m = problem;
    return m->rows * m->side * 2 * (int64_t)sizeof(double);
}

static void free_fft(void *problem) {
    matrix *m = problem;
    free(m->value);
    free(m->exchange.packed);
    free(m->exchange.came);
    free(m);
}

/* ---- particles ----------------------------------------------------------------------------------------- */

static void *make_particles(int64_t items) {
    particles *p = room(1, sizeof *p);
    p->leaving = items / ranks;
    int *to = room(p->leaving, sizeof *to);
    particle *left = room(p->leaving, sizeof *left);
    for (int64_t i = 0; i < p->leaving; i++) {
        uint64_t number = (uint64_t)(p->leaving * rank + i);
        left[i] = (particle){(double)draw(number, 0) * 0x1p-64, (double)draw(number, 1) * 0x1p-64, 0,
                             (int64_t)number};
        to[i] = (int)(draw(number, 2) % (uint64_t)ranks);
    }
    p->rank = to;
    p->left = left;
    return p;
}

static void *run_particles(const exchanger *by, void *problem) {
    particles *p = problem;
    void *self = by->open(p);
    by->run(self, p);
    particle *result = room(p->came + 1, sizeof *result);
    memcpy(result, p->arrived, (size_t)p->came * sizeof *result);
    by->close(self);
    return result;
}

static int64_t particles_bytes(const void *problem) {
    return ((const particles *)problem)->came * (int64_t)sizeof(particle);
}

static void free_particles(void *problem) {
    particles *p = problem;
    free((void *)p->rank);
    free((void *)p->left);
    free(p);
}

/* ---- both of all four ---------------------------------------------------------------------------------- */

typedef struct program {
    const char *name;
    void *(*make)(int64_t items);
    void *(*run)(const exchanger *by, void *problem); /* all of it; gives the result */
    int64_t (*bytes)(const void *problem);            /* of the result */
    void (*end)(void *problem);
    const exchanger *by[VERSIONS]; /* MPI, Quadrille */
} program;

static void *make_heat_problem(int64_t items) {
    return make_heat(items);
}

static const program programs[] = {
    {"heat", make_heat_problem, run_heat, heat_bytes, free_heat, {&heat_mpi, &heat_quadrille}},
    {"sort", make_sort, run_sort, sort_bytes, free_sort, {&sort_mpi, &sort_quadrille}},
    {"fft", make_fft, run_fft, fft_bytes, free_fft, {&fft_mpi, &fft_quadrille}},
    {"particles",
     make_particles,
     run_particles,
     particles_bytes,
     free_particles,
     {&particles_mpi, &particles_quadrille}},
};
enum { PROGRAMS = sizeof programs / sizeof *programs };

/* Whether both give the same, on all ranks. */
static int same(const program *one, int64_t items) {
    void *problem = one->make(items), *result[VERSIONS];
    int64_t bytes[VERSIONS];
    for (int v = 0; v < VERSIONS; v++) {
        result[v] = one->run(one->by[v], problem);
        bytes[v] = one->bytes(problem);
    }
    int differs = bytes[0] != bytes[1] || memcmp(result[0], result[1], (size_t)bytes[0]) != 0, any = 0;
    MPI_Allreduce(&differs, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    for (int v = 0; v < VERSIONS; v++) free(result[v]);
    one->end(problem);
    return !any;
}

static int compare_seconds(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Medians of the slowest rank, in turn. */
static void measure(const program *one, int64_t items, int samples, double median[VERSIONS]) {
    static double taken[VERSIONS][MOST_SAMPLES];
    void *problem = one->make(items), *self[VERSIONS] = {NULL};
    int repeats = items < 20000 ? 50 : items < 500000 ? 5 : 1;
    for (int v = 0; v < VERSIONS; v++)
        if (one->by[v]->open) self[v] = one->by[v]->open(problem);
    for (int sample = -3; sample < samples; sample++)
        for (int turn = 0; turn < VERSIONS; turn++) {
            int v = (turn + sample + 3) % VERSIONS;
            MPI_Barrier(MPI_COMM_WORLD);
            double begin = MPI_Wtime();
            for (int i = 0; i < repeats; i++) one->by[v]->run(self[v], problem);
            double seconds = (MPI_Wtime() - begin) / repeats, most = 0;
            MPI_Allreduce(&seconds, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
            if (sample >= 0) taken[v][sample] = most;
        }
    for (int v = 0; v < VERSIONS; v++) {
        qsort(taken[v], (size_t)samples, sizeof(double), compare_seconds);
        median[v] = taken[v][samples / 2];
        if (one->by[v]->close) one->by[v]->close(self[v]);
    }
    one->end(problem);
}

static int time_all(int64_t most, int samples) {
    int slower = 0;
    if (rank == 0)
        printf("| exchange of | items | MPI, us | Quadrille, us | ratio |\n|---|--:|--:|--:|--:|\n");
    for (int p = 0; p < PROGRAMS; p++)
        for (int64_t items = 1000; items <= most; items *= 10) {
            double median[VERSIONS];
            measure(&programs[p], items, items > 1000000 ? samples / 4 + 1 : samples, median);
            slower |= median[1] > 1.03 * median[0];
            if (rank == 0)
                printf("| %s | %lld | %.1f | %.1f | %.2f |\n", programs[p].name, (long long)items,
                       1e6 * median[0], 1e6 * median[1], median[1] / median[0]);
            fflush(stdout);
        }
    return slower;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int failed = 0;
    if (argc > 1 && strcmp(argv[1], "--time") == 0) {
        int samples = argc > 3 ? atoi(argv[3]) : 41;
        failed =
            time_all(argc > 2 ? atoll(argv[2]) : 10000000, samples < MOST_SAMPLES ? samples : MOST_SAMPLES);
    } else {
        for (int p = 0; p < PROGRAMS; p++) {
            int is_same = same(&programs[p], 1000) && same(&programs[p], 30000);
            if (rank == 0)
                printf("%-10s %s\n", programs[p].name, is_same ? "the same, bit by bit" : "differs");
            failed |= !is_same;
        }
    }
    MPI_Finalize();
    return failed;
}
