/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Three checks, each of which would find what the others miss. Small arrays are held against FFTW's own transform of the
 * whole on one rank, element by element. Large ones have to come back from the inverse, which would also be so if
 * both did nothing; so the squares must have the sum that Parseval's theorem says.
 */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mesh.h"

enum { SMALL = 1 << 18 }; /* elements that one rank transforms alone */
static const double tolerance = 1e-10;

/* Of element (i, j, k) by its number in the whole array. */
static void set_value(int64_t number, fftw_complex value) {
    value[0] = noise(2 * number) - 0.5;
    value[1] = noise(2 * number + 1) - 0.5;
}

static void fill_box(const shape *shape, int64_t side, const box *part, fftw_complex *value) {
    int64_t count = elements(shape, part);
    for (int64_t e = 0; e < count; e++) {
        int64_t rest = e, number = 0, weight = 1;
        for (int a = shape->axes - 1; a >= 0; a--) {
            number += (part->lower[a] + rest % part->count[a]) * weight;
            rest /= part->count[a];
            weight *= side;
        }
        set_value(number, value[e]);
    }
}

void fill(fft *one) {
    fill_box(one->shape, one->side, &one->part[0], one->value[0]);
}

/* The sum of squares of a - scale * b; b may be NULL. */
static double squares(int64_t count, fftw_complex *a, double scale, fftw_complex *b) {
    double sum = 0;
    for (int64_t e = 0; e < count; e++)
        for (int part = 0; part < 2; part++) {
            double value = a[e][part] - (b ? scale * b[e][part] : 0);
            sum += value * value;
        }
    return sum;
}

static double sum_of_all(double own) {
    MPI_Allreduce(MPI_IN_PLACE, &own, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return own;
}

/* On rank 0: the distance from the whole array's transform, relative to its size. */
static double distance_from_one_rank(const fft *one, int64_t all, fftw_complex *whole) {
    int extent[MOST_AXES];
    box everything = {{0}, {0}};
    for (int a = 0; a < one->shape->axes; a++) extent[a] = (int)(everything.count[a] = one->side);
    fftw_complex *alone = room(all, sizeof *alone);
    fftw_plan plan = fftw_plan_dft(one->shape->axes, extent, alone, alone, FFTW_FORWARD, FFTW_ESTIMATE);
    fill_box(one->shape, one->side, &everything, alone);
    fftw_execute(plan);
    double distance = sqrt(squares(all, whole, 1, alone) / squares(all, alone, 0, NULL));
    fftw_destroy_plan(plan);
    free(alone);
    return distance;
}

static qdr_status check_whole(fft *one, int64_t all, double *distance) {
    fftw_complex *whole = room(one->rank == 0 ? all : 0, sizeof *whole);
    qdr_status status = fft_collect(one, whole);
    if (!status && one->rank == 0) *distance = distance_from_one_rank(one, all, whole);
    MPI_Bcast(distance, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    free(whole);
    return status;
}

static const char *say(double error) {
    return error <= tolerance ? "yes" : "NO"; /* NO also for what is no number */
}

static void print(const fft *one, int is_small, const double *error) {
    printf("%s, side %lld: ", one->shape->name, (long long)one->side);
    if (is_small) printf("as by one rank alone: %s; ", say(error[0]));
    printf("back by the inverse: %s; Parseval: %s\n", say(error[1]), say(error[2]));
    /* What is rounding alone differs from system to system, and goes where no test reads it. */
    fprintf(stderr, "errors %.1e %.1e %.1e\n", error[0], error[1], error[2]);
}

qdr_status check(fft *one, int *good) {
    double all = pow((double)one->side, one->shape->axes), error[3] = {0};
    int64_t first = elements(one->shape, &one->part[0]);
    int64_t last = elements(one->shape, &one->part[one->shape->stages - 1]);
    fftw_complex *begin = room(first, sizeof *begin);
    fill(one);
    memcpy(begin, one->value[0], (size_t)first * sizeof *begin);
    double size = sum_of_all(squares(first, begin, 0, NULL));
    qdr_status status = fft_forward(one);
    if (!status) error[2] = fabs(sum_of_all(squares(last, fft_result(one), 0, NULL)) / (all * size) - 1);
    if (!status && all <= SMALL) status = check_whole(one, (int64_t)all, &error[0]);
    if (!status) status = fft_inverse(one);
    if (!status) error[1] = sqrt(sum_of_all(squares(first, one->value[0], all, begin)) / (all * all * size));
    free(begin);
    *good = error[0] <= tolerance && error[1] <= tolerance && error[2] <= tolerance;
    if (!status && one->rank == 0) print(one, all <= SMALL, error);
    return status;
}
