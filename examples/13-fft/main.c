/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fourier transforms of arrays that are spread over ranks:
 *
 *     mpirun -n 4 13-fft [SIDE] [--shape 2d|slabs|pencils] [--algorithm NAME] [--pacing WORD]
 *                        [--pattern FILE.mtx] [--flops F] [--time]
 *
 * FFTW transforms lines that lie on one rank. For an array of two or three dimensions each axis has to be whole on a
 * rank at some time, so the array changes its distribution in between (CM-5 scheduling, section 3.5):
 *
 *     2d         rows are whole; an exchange; columns are whole
 *     slabs      two of three axes are whole; an exchange; the third is
 *     pencils    one axis is whole on a grid of ranks; an exchange; another; an exchange; the third
 *
 * With 2d and slabs everybody sends to everybody: a complete exchange, for which the paper compares schedules.
 * --algorithm takes any of them (`quadrille list`), with the paper's names too (PEX, BEX, REX, LEX). With pencils ranks
 * exchange only within a row or a column of the grid. Elsewhere that takes a communicator for each row and column. Here it
 * is one map on all ranks, in which most pairs have nothing for each other: the pattern is irregular, and no special
 * case. Blocks are as even as can be, for any side and any number of ranks.
 *
 * --pattern writes who sends how many bytes to whom; the second exchange of pencils goes to FILE-2.mtx.
 * --time prints the time of the exchanges and of the whole. With --flops, what is timed also spends the time that a
 * processor of F operations per second would take (2M, 1.5G), by sleeping. So a simulated
 * machine, where computing takes no time, repeats table 5 of the paper, whose programs sent and received in turns:
 *
 *     scripts/sim 32 cm5 build-sim/examples/13-fft 1024 --algorithm BEX --pacing turns --flops 2M --time
 *
 * Without a side, small arrays of all shapes are transformed. Results are verified (check.c).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "pattern_file.h"

enum { DEMONSTRATION = 45, MOST_SIDE = 1 << 20, TIMED = 3 };

typedef struct options {
    int64_t side; /* 0: small ones of all shapes */
    const char *shape, *algorithm, *pacing, *pattern;
    double flops;
    int time;
} options;

/* ---- one of them ---------------------------------------------------------------------------------------- */

/* FILE.mtx for the first exchange, FILE-2.mtx for the second. */
static qdr_status show_patterns(const fft *one, const char *file) {
    const char *dot = strrchr(file, '.');
    int stem = dot ? (int)(dot - file) : (int)strlen(file);
    qdr_status status = show_pattern(MPI_COMM_WORLD, one->exchange[0], sizeof(fftw_complex), file);
    if (status || one->shape->stages == 2) return status;
    char second[FILENAME_MAX];
    snprintf(second, sizeof second, "%.*s-2%s", stem, file, file + stem);
    return show_pattern(MPI_COMM_WORLD, one->exchange[1], sizeof(fftw_complex), second);
}

/* The last of a few runs, by the slowest rank: the first ones find out how fast the network is. */
static qdr_status measure(fft *one, double flops) {
    double seconds[2] = {0};
    qdr_status status = QDR_OK;
    one->flops = flops;
    for (int run = 0; !status && run < TIMED; run++) {
        fill(one);
        one->exchanging = 0;
        MPI_Barrier(MPI_COMM_WORLD);
        double begin = MPI_Wtime();
        status = fft_forward(one);
        seconds[0] = one->exchanging;
        seconds[1] = MPI_Wtime() - begin;
    }
    MPI_Allreduce(MPI_IN_PLACE, seconds, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (!status && one->rank == 0)
        printf("exchange, waiting for others included, %.6f s; all %.6f s\n", seconds[0], seconds[1]);
    return status;
}

static int run(const shape *shape, int64_t side, const options *asked) {
    fft one;
    int good = 0;
    qdr_plan_options plan = QDR_PLAN_OPTIONS;
    plan.algorithm = asked->algorithm;
    plan.pacing = asked->pacing;
    qdr_status status = fft_create(shape, side, &plan, &one);
    if (!status) status = check(&one, &good);
    if (!status && asked->pattern) status = show_patterns(&one, asked->pattern);
    if (!status && asked->time) status = measure(&one, asked->flops);
    if (status) fprintf(stderr, "%s: %s\n", qdr_status_text(status), qdr_error_message());
    fft_destroy(&one);
    return !status && good;
}

/* ---- what is asked for ---------------------------------------------------------------------------------- */

/* "2M": two millions. */
static double read_number(const char *text) {
    char *end;
    double number = strtod(text, &end);
    const char *const letters = "kMG", *letter = *end ? strchr(letters, *end == 'K' ? 'k' : *end) : NULL;
    for (int i = 0; letter && i <= letter - letters; i++) number *= 1000;
    return number;
}

static int read_options(int count, char **words, options *asked) {
    for (int w = 1; w < count; w++) {
        const char *word = words[w], *value = w + 1 < count ? words[w + 1] : "";
        if (strcmp(word, "--time") == 0)
            asked->time = 1;
        else if (strncmp(word, "--", 2) != 0)
            asked->side = strtoll(word, NULL, 10);
        else if (strcmp(word, "--shape") == 0)
            asked->shape = value;
        else if (strcmp(word, "--algorithm") == 0)
            asked->algorithm = value;
        else if (strcmp(word, "--pacing") == 0)
            asked->pacing = value;
        else if (strcmp(word, "--pattern") == 0)
            asked->pattern = value;
        else if (strcmp(word, "--flops") == 0)
            asked->flops = read_number(value);
        else
            return 0;
        w += strncmp(word, "--", 2) == 0 && strcmp(word, "--time") != 0;
    }
    return asked->side >= 0 && asked->side <= MOST_SIDE;
}

int main(int count, char **words) {
    int rank, good = 1, found = 0;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    options asked = {0};
    int understood = read_options(count, words, &asked);
    if (asked.side > 0 && !asked.shape) asked.shape = shapes[0].name;
    for (int s = 0; understood && s < SHAPES; s++) {
        if (asked.shape && strcmp(asked.shape, shapes[s].name) != 0) continue;
        good &= run(&shapes[s], asked.side ? asked.side : DEMONSTRATION, &asked);
        found = 1;
    }
    if (!found && rank == 0)
        fprintf(stderr,
                "expected [1 to %d] [--shape 2d|slabs|pencils] [--algorithm NAME] [--pacing WORD] "
                "[--pattern FILE.mtx] [--flops F] [--time]\n",
                MOST_SIDE);
    MPI_Finalize();
    return good && found ? EXIT_SUCCESS : EXIT_FAILURE;
}
