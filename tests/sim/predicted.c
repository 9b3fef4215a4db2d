/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * predicted MACHINE [SEED [CASES [paced]]]: holds what a schedule is predicted to take on a machine against what the real executor takes
 * on it in simulated time, for cases that are drawn at random: family, density, sizes, algorithm and way of running. It prints
 * each, and how the ratios are distributed. scripts/sim starts it on the same machine.
 *
 *     turns     pacing by turns, on machines whose sends are synchronous and whose ports are half
 *     free      everything at once, in the order of phases
 *     barrier   the same, and all ranks meet after each phase
 * and with `paced`
 *
 *     arrivals  paced by one's own arrivals, with the window that ports find
 *     grants    paced by the receivers, without a schedule
 *
 * It fails when fewer than nine in ten cases are within 15% of their prediction, or one is not within 35%, or a simulated time is
 * below the bound that no schedule can beat. What is paced finds its way while it runs, not always the same: of that, three in
 * four have to be within 15%, and nine in ten within 35%.
 *
 * The simulated barrier is one of messages, and comes after the last phase too.
 */
#include <string.h>

#include "base/random.h"
#include "plan/mark.h"
#include "predict/pace.h"
#include "predict/play.h"
#include "simulated.h"

static int is_paced; /* the ways that pace themselves */

/* ---- a case -------------------------------------------------------------------------------------------- */

enum {
    MOST_BYTES = 32 << 20, /* of a pattern: simulated ranks really move them */
    MOST_PACED = 8 << 20,  /* and these many times */
    ENVELOPE =
        16, /* that SMPI adds to a message; with synchronous sends the platform takes it off the startup */
};

typedef enum way { TURNS, FREE, BARRIER, ARRIVALS, GRANTS, WAYS } way;

static const char *const way_words[WAYS] = {"turns", "free", "barrier", "arrivals", "grants"};

typedef struct sample {
    char pattern[200];
    const char *algorithm;
    way way;
} sample;

static double draw(qdri_random *random, double low, double high) {
    return low + (high - low) * (double)(qdri_random_next(random) >> 11) * 0x1p-53;
}

static int pick(qdri_random *random, int count) {
    return (int)draw(random, 0, count);
}

typedef struct family {
    const char *name, *options;
    int has_density, has_spread; /* options with values that are drawn */
} family;

static const family families[] = {
    {"complete", "", 0, 0},
    {"complete", "", 0, 1},
    {"random", "", 1, 0},
    {"random", "", 1, 1},
    {"random", ",sizes=log", 1, 1},
    {"random", ",degree=5", 0, 1},
    {"permutation", "", 0, 1},
    {"shift", ",by=3", 0, 0},
    {"halo2d", "", 0, 0},
    {"halo3d", "", 0, 0},
    {"zipf", "", 1, 1},
    {"hotspot", ",hot=2", 0, 0},
    {"alltoone", "", 0, 0},
};
enum { FAMILIES = sizeof families / sizeof *families };

static void draw_pattern(qdri_random *random, char *spec, size_t size) {
    const family *family = &families[pick(random, FAMILIES)];
    char density[32] = "", spread[32] = "";
    double part = draw(random, 0.05, 0.6),
           most = (is_paced ? MOST_PACED : MOST_BYTES) / ((double)ranks * ranks),
           small = exp(draw(random, log(64), log(most > 256 ? most / 4 : 64)));
    /* Of a halo they are the bytes of a point, of which a side has hundreds: too many chunks. */
    if (is_paced && !strncmp(family->name, "halo", 4)) small = fmax(1, small / 256);
    if (family->has_density) snprintf(density, sizeof density, ",density=%.2f", part);
    if (family->has_spread) snprintf(spread, sizeof spread, "..%.0f", small * draw(random, 1, 4));
    snprintf(spec, size, "%s:n=%d%s%s,bytes=%.0f%s", family->name, ranks, density, family->options, small,
             spread);
}

/* An algorithm that is built beforehand. */
static const char *draw_algorithm(qdri_random *random) {
    const qdr_algorithm_info *info;
    int count = 0, left;
    for (int i = 0; (info = qdr_algorithm(i)); i++) count += !info->at_run_time;
    left = pick(random, count);
    for (int i = 0; (info = qdr_algorithm(i)); i++)
        if (!info->at_run_time && left-- == 0) return info->name;
    return NULL;
}

static sample draw_sample(qdri_random *random, const qdr_machine_parameters *p) {
    sample made;
    draw_pattern(random, made.pattern, sizeof made.pattern);
    made.algorithm = draw_algorithm(random);
    int held = p->sends == QDR_SENDS_SYNCHRONOUS, half = p->ports == QDR_PORTS_HALF;
    made.way = held                      ? TURNS
               : is_paced                ? ARRIVALS + pick(random, 2)
               : half || pick(random, 2) ? FREE
                                         : BARRIER;
    if (made.way == GRANTS) made.algorithm = "paced";
    return made;
}

/* ---- simulated ----------------------------------------------------------------------------------------- */

/* Ports find their windows in the first few exchanges, and try something else at times: it is the median of some that counts. */
static double simulate_way(const qdr_pattern *pattern, const qdr_schedule *schedule, way way) {
    enum { FIRST = 8, THEN = 9 };
    int learns = way >= ARRIVALS;
    qdr_plan_options options = QDR_PLAN_OPTIONS;
    options.pacing = way == BARRIER ? "free" : way_words[way];
    options.barrier = way == BARRIER;
    options.algorithm = "paced";
    return simulate(pattern, &options, way == GRANTS ? NULL : schedule, learns ? FIRST : 1,
                    learns ? THEN : 1);
}

/* ---- both ---------------------------------------------------------------------------------------------- */

/* Barriers after the last phase that is not empty: the executor meets after that, and after empty ones of the last stage. */
static int64_t meetings_left(int64_t count, const qdr_step *steps) {
    int64_t last = 0;
    for (int64_t i = 0; i < count; i++)
        if (steps[i].phase > last) last = steps[i].phase;
    return count ? last + 1 - steps[count - 1].phase : 0;
}

static double predict(const qdr_schedule *schedule, const qdr_machine *machine, way way) {
    static const qdri_manner manners[WAYS] = {QDRI_TURNS, QDRI_FREE, QDRI_BARRIER};
    qdr_schedule_info info;
    qdr_step *steps;
    int64_t count;
    double seconds;
    TRY(qdr_schedule_look(schedule, &info));
    TRY(qdr_schedule_steps(schedule, &count, &steps));
    qdri_play how = {.machine = machine,
                     .item_bytes = 1,
                     .packing = !info.direct,
                     .promises = info.promises,
                     .header = way == TURNS ? 0 : ENVELOPE,
                     .mark = QDRI_MARK,
                     .carrying = QDRI_CARRIED,
                     .manner = manners[way]};
    qdri_pace paced = {.machine = machine,
                       .item_bytes = 1,
                       .packing = !info.direct,
                       .pacing = way == GRANTS ? QDRI_BY_GRANTS : QDRI_BY_ARRIVALS,
                       .header = ENVELOPE};
    if (way == GRANTS) qdri_steps_by_distance(count, steps);
    if (way >= ARRIVALS)
        TRY(qdri_pace_steps(&paced, count, steps, &seconds));
    else
        TRY(qdri_play_steps(&how, count, steps, &seconds));
    if (way == BARRIER) seconds += qdr_machine_look(machine)->barrier * (double)meetings_left(count, steps);
    free(steps);
    return seconds;
}

typedef struct tally {
    int cases, near, wide, below;
    double worst;
} tally;

static void compare(const sample *sample, const qdr_machine *machine, tally *tally) {
    qdr_pattern *pattern;
    qdr_schedule *schedule;
    qdr_schedule_info info;
    qdr_bounds bounds;
    TRY(qdr_pattern_from_spec(sample->pattern, &pattern));
    TRY(qdr_schedule_create(pattern, sample->way == GRANTS ? "async" : sample->algorithm, machine,
                            &schedule));
    TRY(qdr_schedule_look(schedule, &info));
    double told[2]; /* by one rank for all, since they take turns at one processor */
    if (rank == 0) {
        TRY(qdr_bounds_compute(pattern, machine, 1, &bounds));
        told[0] = predict(schedule, machine, sample->way);
        told[1] = info.direct ? bounds.direct : bounds.any;
    }
    MPI_Bcast(told, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    double predicted = told[0], bound = told[1], simulated = simulate_way(pattern, schedule, sample->way),
           ratio = simulated / predicted;
    int below = simulated < bound * (1 - 1e-6);
    tally->cases++;
    tally->near += fabs(ratio - 1) <= 0.15;
    tally->wide += fabs(ratio - 1) <= 0.35;
    tally->below += below;
    tally->worst = fmax(tally->worst, fabs(ratio - 1));
    if (rank == 0)
        printf("%-58s %-17s %-8s %11.1f %11.1f %6.3f %6.3f%s\n", sample->pattern, sample->algorithm,
               way_words[sample->way], 1e6 * predicted, 1e6 * simulated, ratio, simulated / bound,
               below ? "  BELOW THE BOUND" : "");
    qdr_schedule_destroy(&schedule);
    qdr_pattern_destroy(&pattern);
}

int main(int count, char **words) {
    qdr_machine *machine;
    tally tally = {0};
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    TRY(count < 2 || qdr_machine_create(words[1], ranks, &machine));
    qdri_random random = qdri_random_seed(count > 2 ? (uint64_t)atoll(words[2]) : 1);
    int cases = count > 3 ? atoi(words[3]) : 20;
    is_paced = count > 4 && !strcmp(words[4], "paced");
    if (rank == 0)
        printf("%-58s %-17s %-8s %11s %11s %6s %6s\n", words[1], "algorithm", "way", "predicted", "simulated",
               "ratio", "/bound");
    for (int i = 0; i < cases; i++) {
        sample sample = draw_sample(&random, qdr_machine_look(machine));
        compare(&sample, machine, &tally);
    }
    qdr_machine_destroy(&machine);
    if (rank == 0)
        printf("# %d ranks, %d cases: %d within 15%%, %d within 35%%, the worst %.0f%% off, %d below the "
               "bound\n",
               ranks, tally.cases, tally.near, tally.wide, 100 * tally.worst, tally.below);
    MPI_Finalize();
    if (is_paced)
        return 4 * tally.near < 3 * tally.cases || 10 * tally.wide < 9 * tally.cases || tally.below > 0;
    return 10 * tally.near < 9 * tally.cases || tally.wide < tally.cases || tally.below > 0;
}
