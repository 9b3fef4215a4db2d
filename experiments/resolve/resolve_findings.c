/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * resolve_findings: the tables and the verdict of the experiment, from what resolve_ranks printed, on standard
 * input; lines that begin with # are passed on. What Pinar and Hendrickson say of their figure 2 is held against
 * the figures one by one; what they saw on 256 ranks and more is not judged on fewer. Exits with 1 when a finding
 * is not confirmed, with 2 when the input is not as expected.
 */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CONFIRMED = 0, NOT_CONFIRMED = 1, UNREADABLE = 2 };

typedef enum method {
    DIRECTORY,
    DIRECTORY_ALL,
    DIRECTORY_HASH,
    HYBRID,
    RING,
    TORUS_2,
    TORUS_3,
    TORUS_4,
    ALL_TO_ALL,
    METHODS
} method;

static const struct {
    const char *name, *title;
} methods[METHODS] = {
    [DIRECTORY] = {"directory", "directory (boundary, blocks)"},
    [DIRECTORY_ALL] = {"directory-all", "directory (all rows, blocks)"},
    [DIRECTORY_HASH] = {"directory-hash", "directory (boundary, hash)"},
    [HYBRID] = {"hybrid", "hybrid"},
    [RING] = {"ring", "ring"},
    [TORUS_2] = {"torus2", "torus, 2 dimensions"},
    [TORUS_3] = {"torus3", "torus, 3 dimensions"},
    [TORUS_4] = {"torus4", "torus, 4 dimensions"},
    [ALL_TO_ALL] = {"alltoall", "all to all"},
};

/* Times in milliseconds; `all` is the sum of messages over ranks, the others are of the rank with most. */
typedef enum column { TIME, STEPS, MESSAGES, BYTES, MEMORY, ALL, COLUMNS } column;

static const char *const titles[COLUMNS] = {
    [TIME] = "Simulated time in ms",
    [STEPS] = "Steps",
    [MESSAGES] = "Messages with ids sent, of the rank with most",
    [BYTES] = "Bytes of ids sent, of the rank with most",
    [MEMORY] = "Bytes of memory held at once, of the rank with most",
    [ALL] = "Messages with ids, of all ranks together",
};

/* Ranks from which on methods and tori of different dimensions are told apart. */
enum { MOST_SIZES = 16, LARGE = 64, VERY_LARGE = 256 };

/* Sizes by rising number of ranks. */
static int sizes, ranks[MOST_SIZES];
static double figure[METHODS][MOST_SIZES][COLUMNS];

/* ---- reading ------------------------------------------------------------------------------------------- */

static void refuse(const char *why, const char *line) {
    fprintf(stderr, "resolve_findings: %s: %s\n", why, line);
    exit(UNREADABLE);
}

static int size_of(int many) {
    int s = 0, to;
    while (s < sizes && ranks[s] < many) s++;
    if (s < sizes && ranks[s] == many) return s;
    if (sizes == MOST_SIZES) refuse("too many numbers of ranks", "");
    for (to = sizes++; to > s; to--) {
        ranks[to] = ranks[to - 1];
        for (int m = 0; m < METHODS; m++) memcpy(figure[m][to], figure[m][to - 1], sizeof figure[m][to]);
    }
    for (int m = 0; m < METHODS; m++) memset(figure[m][s], 0, sizeof figure[m][s]);
    ranks[s] = many;
    return s;
}

static void take(const char *line) {
    char name[64];
    int many, m = 0;
    double value[COLUMNS];
    if (sscanf(line, "%63s %d %lf %lf %lf %lf %lf %lf", name, &many, &value[TIME], &value[STEPS],
               &value[MESSAGES], &value[BYTES], &value[MEMORY], &value[ALL]) != 2 + COLUMNS ||
        many < 2 || !(value[TIME] > 0))
        refuse("not a line of resolve_ranks", line);
    while (m < METHODS && strcmp(methods[m].name, name)) m++;
    if (m == METHODS) refuse("an unknown method", line);
    value[TIME] *= 1e3;
    memcpy(figure[m][size_of(many)], value, sizeof value);
}

static void read_all(void) {
    char line[256];
    while (fgets(line, sizeof line, stdin)) {
        if (line[0] == '#')
            fputs(line, stdout);
        else
            take(line);
    }
    for (int m = 0; m < METHODS; m++)
        for (int s = 0; s < sizes; s++)
            if (!(figure[m][s][TIME] > 0)) refuse("no figures of a method", methods[m].name);
    if (sizes < 3) refuse("expected three numbers of ranks or more", "");
}

/* ---- tables -------------------------------------------------------------------------------------------- */

static void print_table(column c) {
    printf("\n%s:\n\n| ranks |", titles[c]);
    for (int s = 0; s < sizes; s++) printf(" %d |", ranks[s]);
    printf("\n|---|");
    for (int s = 0; s < sizes; s++) printf("---:|");
    for (int m = 0; m < METHODS; m++) {
        printf("\n| %s |", methods[m].title);
        for (int s = 0; s < sizes; s++) printf(" %.*f |", c == TIME ? 2 : 0, figure[m][s][c]);
    }
    putchar('\n');
}

/* ---- findings ------------------------------------------------------------------------------------------ */

enum { FAILS, HOLDS, NOT_JUDGED };
static int missed;

static void judge(int verdict, int number, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void judge(int verdict, int number, const char *format, ...) {
    static const char *const word[] = {"NOT CONFIRMED", "confirmed", "not judged on so few ranks"};
    va_list values;
    va_start(values, format);
    printf("%d %s: ", number, word[verdict]);
    vprintf(format, values);
    putchar('\n');
    va_end(values);
    missed += verdict == FAILS;
}

static double at(method m, int s) {
    return figure[m][s][TIME];
}

/* From the fewest ranks to the most. */
static double growth(method m) {
    return at(m, sizes - 1) / at(m, 0);
}

static int rises(method m) {
    for (int s = 1; s < sizes; s++)
        if (at(m, s) <= at(m, s - 1)) return 0;
    return 1;
}

static int is_below(method m, method other, column c, int from) {
    for (int s = from; s < sizes; s++)
        if (figure[m][s][c] >= figure[other][s][c]) return 0;
    return 1;
}

/* The first size of so many ranks or more; `sizes`: none. What is judged from there on is true of none. */
static int from(int many) {
    int s = 0;
    while (s < sizes && ranks[s] < many) s++;
    return s;
}

/* Rounds of a directory end with agreements of lg ranks steps: to grow no faster, once each rank has all the partners
 * it will ever have, is as good as it gets. */
static void judge_directory(void) {
    int last = sizes - 1, before = last - 1, fastest = 1;
    double step = at(DIRECTORY, last) / at(DIRECTORY, before),
           limit = log2(ranks[last]) / log2(ranks[before]);
    for (int m = RING; m < METHODS; m++) fastest &= is_below(DIRECTORY, (method)m, TIME, from(LARGE));
    judge(fastest, 43, "the directory is fastest from %d ranks on, %.1f times as fast as the ring at last",
          LARGE, at(RING, last) / at(DIRECTORY, last));
    judge(ranks[before] < VERY_LARGE ? NOT_JUDGED : step <= limit, 43,
          "the directory scales: from %d to %d ranks %.2f times the time (lg ranks: %.2f times)",
          ranks[before], ranks[last], step, limit);
    judge(rises(RING) && growth(RING) > growth(DIRECTORY), 43,
          "the ring deteriorates: slower with each step, %.1f times the time at last (the directory: %.1f)",
          growth(RING), growth(DIRECTORY));
}

static void judge_two_dimensions(void) {
    int last = sizes - 1;
    judge(is_below(TORUS_2, RING, TIME, from(LARGE)), 44,
          "two dimensions beat the ring from %d ranks on: %.2f ms against %.2f at last", LARGE,
          at(TORUS_2, last), at(RING, last));
    judge(rises(TORUS_2) && growth(TORUS_2) > growth(DIRECTORY), 44,
          "two dimensions do not scale: slower with each step, %.1f times the time at last", growth(TORUS_2));
}

static void judge_more_dimensions(void) {
    int first = from(VERY_LARGE) < sizes ? from(VERY_LARGE) : sizes - 1;
    for (int s = first; s < sizes; s++) {
        double more = at(TORUS_3, s) / at(TORUS_4, s) - 1, gain = at(RING, s) / at(TORUS_3, s) - 1;
        judge(ranks[s] < VERY_LARGE ? NOT_JUDGED : fabs(more) <= 0.15, 45,
              "three dimensions are close to four on %d ranks: %.2f ms against %.2f, %+.0f%% (the ring: "
              "%+.0f%%)",
              ranks[s], at(TORUS_3, s), at(TORUS_4, s), 100 * more, 100 * gain);
    }
}

/* A torus has at least as many nodes as there are ranks, so the sum of its lengths is at least k times the root. */
static int steps_fit(int s) {
    if (figure[RING][s][STEPS] != ranks[s] - 1) return 0;
    for (int k = 2; k <= 4; k++) {
        double root = pow(ranks[s], 1.0 / k), steps = figure[RING + k - 1][s][STEPS];
        if (steps > k * root + 1e-6 || (steps < k * (root - 1) - 1e-6)) return 0;
    }
    return 1;
}

static void judge_steps(void) {
    int last = sizes - 1, fit = 1;
    for (int s = 0; s < sizes; s++) fit &= steps_fit(s);
    judge(fit, 46,
          "steps: n - 1 of the ring, between k n^(1/k) - k and k n^(1/k) of the tori: %g, %g, %g, %g on %d "
          "ranks",
          figure[RING][last][STEPS], figure[TORUS_2][last][STEPS], figure[TORUS_3][last][STEPS],
          figure[TORUS_4][last][STEPS], ranks[last]);
    judge(is_below(RING, TORUS_2, MEMORY, from(LARGE)) && is_below(TORUS_2, TORUS_3, MEMORY, from(LARGE)) &&
              is_below(DIRECTORY, RING, MEMORY, from(LARGE)),
          46,
          "memory grows with the dimensions, and the directory needs least: ring and tori of two and three "
          "%g, %g "
          "and %g bytes, directory %g on %d ranks",
          figure[RING][last][MEMORY], figure[TORUS_2][last][MEMORY], figure[TORUS_3][last][MEMORY],
          figure[DIRECTORY][last][MEMORY], ranks[last]);
    judge(from(VERY_LARGE) == sizes ? NOT_JUDGED : is_below(TORUS_3, TORUS_4, MEMORY, from(VERY_LARGE)), 46,
          "so it does from three to four: %g bytes on %d ranks", figure[TORUS_4][last][MEMORY], ranks[last]);
}

static void judge_placement(void) {
    int last = sizes - 1;
    judge(is_below(DIRECTORY, DIRECTORY_HASH, ALL, 0), 47,
          "blocks need fewer messages than hashing: %.0f against %.0f on %d ranks, %.2f ms against %.2f",
          figure[DIRECTORY][last][ALL], figure[DIRECTORY_HASH][last][ALL], ranks[last], at(DIRECTORY, last),
          at(DIRECTORY_HASH, last));
}

int main(void) {
    read_all();
    for (int c = 0; c < COLUMNS; c++) print_table((column)c);
    putchar('\n');
    judge_directory();
    judge_two_dimensions();
    judge_more_dimensions();
    judge_steps();
    judge_placement();
    return missed ? NOT_CONFIRMED : CONFIRMED;
}
