/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Particles that change their ranks when memory is short, in C++: mpirun -n 4 09-migrate-cpp.
 *
 * The lesson is that of main.c: particles lie in a vector with a little more room than there are of them, and move in
 * place, in phases. Where everything at once does not fit, nothing has moved; an error code says so, where an
 * exception would be too much for what is expected.
 */
#include <cmath>

#include "quadrille.hpp"

static const MPI_Comm comm = MPI_COMM_WORLD;
static const int particles = 20000, capacity = 21000, steps = 3, limit = 24 * 1024;
static int rank, ranks;

struct particle {
    double x, y, speed[2];
    std::int64_t number;
};

/* What a rank has: the first `count` of a vector. */
struct stripe {
    std::vector<particle> own = std::vector<particle>(capacity);
    std::int64_t count = 0;
    particle *begin() { return own.data(); }
    particle *end() { return own.data() + count; }
};

/* A number between 0 and 1 for each particle and purpose, the same on every machine. */
static double chance(std::int64_t number, int purpose) {
    std::uint64_t word = (static_cast<std::uint64_t>(number) * 4 + static_cast<std::uint64_t>(purpose) + 1) *
                         0x9e3779b97f4a7c15u;
    word = (word ^ word >> 31) * 0xbf58476d1ce4e5b9u;
    return static_cast<double>((word ^ word >> 29) >> 11) * 0x1p-53;
}

static void read(stripe &mine) {
    for (; mine.count < particles; mine.count++) {
        const std::int64_t number = mine.count * ranks + rank;
        *mine.end() = {chance(number, 0),
                       chance(number, 1),
                       {0.1 * (chance(number, 2) - 0.3), 0.1 * (chance(number, 3) - 0.5)},
                       number};
    }
}

static int owner(const particle &one) {
    const int stripe = static_cast<int>(one.x * ranks);
    return stripe < ranks ? stripe : ranks - 1;
}

static void drift(stripe &mine) {
    for (particle &one : mine) {
        one.x += one.speed[0];
        one.y += one.speed[1];
        one.x -= std::floor(one.x);
        one.y -= std::floor(one.y);
    }
}

static void stop(const char *what) {
    std::fprintf(stderr, "rank %d: %s\n", rank, what);
    MPI_Abort(comm, 1);
}

/* Every particle is in its stripe, and none is missing. */
static void check(stripe &mine) {
    std::int64_t sum[2] = {mine.count, 0}, all[2];
    const std::int64_t total = std::int64_t{particles} * ranks;
    for (const particle &one : mine) {
        if (owner(one) != rank) stop("a particle is where it does not belong");
        sum[1] += one.number;
    }
    MPI_Allreduce(sum, all, 2, MPI_INT64_T, MPI_SUM, comm);
    if (all[0] != total || all[1] != total * (total - 1) / 2) stop("particles are missing");
}

static std::vector<int> destinations(stripe &mine) {
    std::vector<int> destination;
    for (const particle &one : mine) destination.push_back(owner(one));
    return destination;
}

static void migrate(stripe &mine, const std::string &label, std::int64_t most) {
    std::vector<int> destination = destinations(mine);
    quadrille::migration_report report;
    quadrille::migrate_array<particle>(comm, mine.count, mine.own, destination,
                                       quadrille::migration_options(most), &report);
    check(mine);
    if (most && report.peak > most) stop("more was in use than the limit");
    if (rank != 0) return;
    std::printf("%-12s %6lld particles moved", label.c_str(),
                static_cast<long long>(report.bytes / static_cast<std::int64_t>(sizeof(particle))));
    if (most)
        std::printf(", with no more than %lld KiB in use on any rank\n", static_cast<long long>(most / 1024));
    else
        std::printf(", in %lld phases; none can do with fewer than %lld\n",
                    static_cast<long long>(report.phases), static_cast<long long>(report.bound));
}

/* What a program would do that has memory enough. */
static void try_at_once(stripe &mine) {
    std::vector<int> destination = destinations(mine);
    quadrille::migration_options how;
    std::error_code code;
    how.method = "direct";
    quadrille::migrate_array<particle>(comm, mine.count, mine.own, destination, how, nullptr, code);
    if (rank == 0) std::printf("%-12s %s\n", "all at once", code == QDR_ERR_RANGE ? "does not fit" : "fits");
}

int main(int count, char **words) {
    MPI_Init(&count, &words);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    try {
        stripe mine;
        read(mine);
        if (rank == 0)
            std::printf("%d ranks with %d particles each, and place for %d\n\n", ranks, particles, capacity);
        try_at_once(mine);
        migrate(mine, "as read", 0);
        for (int step = 1; step <= steps; step++) {
            drift(mine);
            migrate(mine, "step " + std::to_string(step), step == steps ? limit : 0);
        }
    } catch (const quadrille::error &error) {
        stop(error.what());
    }
    MPI_Finalize();
    return 0;
}
