/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * quadrille calibrate: what the machine is that this runs on, measured with MPI's plain messages, as a spec that every other
 * subcommand takes (-m). Between rank 0 and the first rank of another host, or of this one if there is no other:
 *
 *     tau     of a short message, half of the time there and back: startups at both ends and the way between them, which the
 *             model does not tell apart; what one more message in a row takes is said beside it
 *     rate    of long messages, by what more bytes take longer, so that startups do not count
 *     ports   half, if long messages both ways at once take clearly longer than one way
 *     k       ranks of a host share a card, if long messages of all of them at once take clearly longer than one
 *     memory  the rate between two ranks of a host
 *
 * A machine is never faster than it can be, only slower for a moment: the least of several times counts.
 */
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "core/arguments.h"
#include "core/complain.h"
#include "core/json.h"
#include "core/units.h"
#include "parallel.h"
#include "quadrille.h"

enum { SAMPLES = 9, ROW = 64, SHORT = 8, LONG = 1 << 20, LONGER = 1 << 22, TAG = 1 };

typedef struct world {
    int rank, ranks;
    MPI_Comm host;
    int host_rank, host_ranks;
    int far;      /* the partner of rank 0 on another host; -1: there is none */
    int near;     /* on the same host; -1: there is none */
    int per_host; /* ranks, the fewest of any host */
    int hosts;
    char *memory;
} world;

typedef struct findings {
    double tau, way, rate, both, shared, memory; /* both, shared: times what one way, and one rank, takes */
} findings;

/* ---- who is where -------------------------------------------------------------------------------------- */

static void find_hosts(world *w) {
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, w->rank, MPI_INFO_NULL, &w->host);
    MPI_Comm_rank(w->host, &w->host_rank);
    MPI_Comm_size(w->host, &w->host_ranks);
    int leader = w->rank, *leads = ALLOCATE(int, w->ranks);
    MPI_Bcast(&leader, 1, MPI_INT, 0, w->host);
    MPI_Allgather(&leader, 1, MPI_INT, leads, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Allreduce(&w->host_ranks, &w->per_host, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    w->far = w->near = -1;
    for (int i = w->ranks - 1; i > 0; i--) {
        if (leads[i] == leads[0])
            w->near = i;
        else
            w->far = i;
    }
    for (int i = 0; i < w->ranks; i++) w->hosts += leads[i] == i;
    free(leads);
}

/* ---- times --------------------------------------------------------------------------------------------- */

/* So many messages from one rank to another, and a word back. Seconds, on the first; others wait. */
static double time_row(const world *w, int from, int to, int count, int bytes) {
    double least = HUGE_VAL;
    for (int sample = 0; sample <= SAMPLES; sample++) { /* the first warms up */
        MPI_Barrier(MPI_COMM_WORLD);
        double begin = MPI_Wtime();
        for (int i = 0; i < count; i++) {
            if (w->rank == from) MPI_Send(w->memory, bytes, MPI_BYTE, to, TAG, MPI_COMM_WORLD);
            if (w->rank == to)
                MPI_Recv(w->memory, bytes, MPI_BYTE, from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        if (w->rank == to) MPI_Send(w->memory, 0, MPI_BYTE, from, TAG, MPI_COMM_WORLD);
        if (w->rank == from) MPI_Recv(w->memory, 0, MPI_BYTE, to, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        double seconds = MPI_Wtime() - begin;
        if (sample > 0 && seconds < least) least = seconds;
    }
    MPI_Bcast(&least, 1, MPI_DOUBLE, from, MPI_COMM_WORLD);
    return least;
}

/* A message each way at once, between rank 0 and another; or, for several ranks of a host, one way from each to its
 * like on another host. The slowest counts. */
static double time_exchange(const world *w, int partner, int sends, int receives) {
    double least = HUGE_VAL;
    for (int sample = 0; sample <= SAMPLES; sample++) {
        MPI_Request request[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
        double seconds = 0, slowest;
        MPI_Barrier(MPI_COMM_WORLD);
        double begin = MPI_Wtime();
        if (partner >= 0 && receives)
            MPI_Irecv(w->memory + LONGER, LONGER, MPI_BYTE, partner, TAG, MPI_COMM_WORLD, &request[0]);
        if (partner >= 0 && sends)
            MPI_Isend(w->memory, LONGER, MPI_BYTE, partner, TAG, MPI_COMM_WORLD, &request[1]);
        for (int i = 0; i < 2; i++) MPI_Wait(&request[i], MPI_STATUS_IGNORE);
        if (partner >= 0) seconds = MPI_Wtime() - begin;
        MPI_Allreduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        if (sample > 0 && slowest < least) least = slowest;
    }
    return least;
}

static double seconds_of_byte(const world *w, int partner) {
    return (time_row(w, 0, partner, 1, LONGER) - time_row(w, 0, partner, 1, LONG)) / (LONGER - LONG);
}

/* Partners of all ranks of rank 0's host, by turns, on the host of `far`. */
static int partner_for_sharing(const world *w, int *sends) {
    int mine[2] = {-1, -1}, first = w->rank == 0, second = w->rank == w->far, is_first, is_second;
    MPI_Allreduce(&first, &is_first, 1, MPI_INT, MPI_MAX, w->host);
    MPI_Allreduce(&second, &is_second, 1, MPI_INT, MPI_MAX, w->host);
    int *all = ALLOCATE(int, 2 * w->ranks), partner = -1;
    if (w->host_rank < w->per_host && (is_first || is_second)) {
        mine[0] = is_second;
        mine[1] = w->host_rank;
    }
    MPI_Allgather(mine, 2, MPI_INT, all, 2, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < w->ranks; i++)
        if (mine[0] >= 0 && all[2 * i] == !mine[0] && all[2 * i + 1] == mine[1]) partner = i;
    *sends = mine[0] == 0;
    free(all);
    return partner;
}

static findings measure(const world *w) {
    int partner = w->far >= 0 ? w->far : w->near, sends;
    findings found = {.both = 1, .shared = 1};
    double one = time_row(w, 0, partner, 1, SHORT), row = time_row(w, 0, partner, ROW, SHORT);
    found.tau = (row - one) / (ROW - 1);
    found.way = one / 2;
    found.rate = 1 / seconds_of_byte(w, partner);
    int meets = w->rank == 0 ? partner : w->rank == partner ? 0 : -1;
    double alone = time_exchange(w, meets, w->rank == 0, w->rank != 0);
    found.both = time_exchange(w, meets, 1, 1) / alone;
    if (w->far >= 0 && w->per_host > 1) {
        int like = partner_for_sharing(w, &sends);
        found.shared = time_exchange(w, like, sends, !sends) / alone;
    }
    if (w->far >= 0 && w->near >= 0) found.memory = 1 / seconds_of_byte(w, w->near);
    return found;
}

/* ---- what it comes to ---------------------------------------------------------------------------------- */

/* Beyond these, two at once are in each other's way. */
static const double is_half = 1.5, is_shared = 1.4;

static char *spec_of(const world *w, const findings *found) {
    char card[80] = "";
    const char *ports = found->both > is_half ? ",ports=half" : "";
    int shares = found->shared > is_shared;
    if (shares) snprintf(card, sizeof card, "k=%d,memory=%.4g,", w->per_host, found->memory);
    return print_text("%s:%stau=%.4g,rate=%.4g%s", shares ? "node" : "crossbar", card, found->way,
                      found->rate, ports);
}

static void write_text(const world *w, const findings *found, const char *spec, FILE *out) {
    char tau[UNITS_TEXT], way[UNITS_TEXT], rate[UNITS_TEXT];
    fprintf(out, "%s\n", spec);
    if (w->far >= 0)
        fprintf(out, "# %d ranks on %d hosts; measured between rank 0 and rank %d, on another host\n",
                w->ranks, w->hosts, w->far);
    else
        fprintf(out, "# %d ranks on one host, whose memory was measured: this is no network\n", w->ranks);
    fprintf(out, "# a short message takes %s, one more of them %s; long ones go at %s\n",
            units_seconds(found->way, way), units_seconds(found->tau, tau), units_rate(found->rate, rate));
    fprintf(out, "# both ways at once take %.2f times as long as one way: ports are %s\n", found->both,
            found->both > is_half ? "half" : "full");
    if (w->far >= 0 && w->per_host > 1)
        fprintf(out, "# %d ranks of a host at once take %.2f times as long as one; in memory they reach %s\n",
                w->per_host, found->shared, units_rate(found->memory, rate));
}

static int write_json(const world *w, const findings *found, const char *spec, FILE *out) {
    json_t *all = json_object();
    json_put(all, "machine", json_text(spec));
    json_put(all, "ranks", json_integer(w->ranks));
    json_put(all, "hosts", json_integer(w->hosts));
    json_put(all, "startup", json_real(found->tau));
    json_put(all, "way", json_real(found->way));
    json_put(all, "rate", json_real(found->rate));
    json_put(all, "both_ways", json_real(found->both));
    if (w->far >= 0 && w->per_host > 1) json_put(all, "ranks_of_a_host", json_real(found->shared));
    if (found->memory > 0) json_put(all, "memory", json_real(found->memory));
    return json_print(all, out);
}

static int run(const arguments *arguments, FILE *out) {
    world w = {.rank = 0};
    int code = EXIT_GOOD;
    parallel_start(&w.rank, &w.ranks);
    if (w.ranks < 2) {
        code = complain("one rank has nobody to measure with; run it under mpirun, on the hosts in question: "
                        "mpirun -n 2 quadrille calibrate");
    } else {
        w.memory = ALLOCATE(char, 2 * LONGER);
        memset(w.memory, 1, 2 * LONGER);
        find_hosts(&w);
        findings found = measure(&w);
        char *spec = spec_of(&w, &found);
        if (w.rank == 0 && argument(arguments, "json"))
            code = write_json(&w, &found, spec, out);
        else if (w.rank == 0)
            write_text(&w, &found, spec, out);
        free(spec);
        free(w.memory);
        MPI_Comm_free(&w.host);
    }
    parallel_end();
    return code;
}

static const option options[] = {
    OPTION_JSON,
    OPTIONS_END,
};

const command calibrate_command = {
    .name = "calibrate",
    .summary = "measure the machine that this runs on, under mpirun, as a spec for -m",
    .operands = "",
    .fewest = 0,
    .most = 0,
    .options = options,
    .prepare = parallel_prepare,
    .description =
        "Measures startups, rate, ports and what ranks of a host share, between rank 0 and the\n"
        "first rank of another host, with plain messages of MPI. The first line is the machine as a\n"
        "spec, which every -m takes; 'quadrille machine' shows what it means.\n"
        "\n"
        "Nothing else should run on these hosts meanwhile.\n",
    .examples = "mpirun -n 2 --map-by node quadrille calibrate\n"
                "quadrille explain zipf:n=16,density=0.5,bytes=64K -m crossbar:tau=50us,rate=100MB/s\n",
    .run = run,
};
