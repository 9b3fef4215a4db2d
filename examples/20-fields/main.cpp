/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Several arrays in one exchange, and contributions that go home, in C++: mpirun -n 4 20-fields-cpp.
 *
 * The lesson is that of main.c. A field knows the type of its array, and how many numbers an element has if it is told; and an array
 * of structs can lend one of its members.
 */
#include <algorithm>
#include <array>

#include "quadrille.hpp"

static constexpr std::int64_t own = 1000, reach = 3; // particles of a rank, and how many each one pushes
static const MPI_Comm comm = MPI_COMM_WORLD;

using point = std::array<double, 3>;

struct particles {
    std::vector<point> position, force;
    std::vector<double> charge, hardest;
    std::vector<std::int32_t> kind;
    std::vector<std::int64_t> pushes;

    explicit particles(std::size_t room)
        : position(room), force(room), charge(room), hardest(room), kind(room), pushes(room) {}

    void set(std::size_t i, std::int64_t number) {
        for (int axis = 0; axis < 3; axis++)
            position[i][static_cast<std::size_t>(axis)] = static_cast<double>(number * (7919 + axis) % 1009);
        charge[i] = static_cast<double>(1 + number % 5);
        kind[i] = static_cast<std::int32_t>(number % 3);
    }

    /* Particles of one kind attract each other, and others repel each other. */
    void push(std::size_t i, std::size_t j) {
        const double sign = kind[i] == kind[j] ? 1 : -1, strength = charge[i] * charge[j];
        for (std::size_t axis = 0; axis < 3; axis++) {
            const double now = sign * strength * (position[j][axis] - position[i][axis]);
            force[i][axis] += now;
            force[j][axis] -= now;
        }
        for (const std::size_t k : {i, j}) {
            hardest[k] = std::max(hardest[k], strength);
            pushes[k]++;
        }
    }
};

/* Particle `number`, by this rank alone: of those around it only. */
static bool is_right(const particles &mine, std::size_t i, std::int64_t number, std::int64_t all) {
    particles few(2 * reach + 1);
    for (std::int64_t k = 0; k <= 2 * reach; k++)
        few.set(static_cast<std::size_t>(k), (number - reach + k + all) % all);
    for (std::size_t k = 0; k < reach; k++) {
        few.push(k, reach);
        few.push(reach, reach + 1 + k);
    }
    return few.force[reach] == mine.force[i] && few.pushes[reach] == mine.pushes[i] &&
           few.hardest[reach] == mine.hardest[i];
}

static bool run(int rank, int ranks) {
    std::vector<int> owner(reach, (rank + 1) % ranks);
    std::vector<std::int64_t> here, there;
    for (std::int64_t k = 0; k < reach; k++) {
        here.push_back(own + k);
        there.push_back(k);
    }
    quadrille::map_options options;
    options.reverse = QDR_REVERSE_COMBINE;
    quadrille::map map = quadrille::map::from_receives(
        comm, quadrille::indices::flat<std::int64_t>(owner, here, there), options);

    particles mine(own + reach);
    for (std::int64_t i = 0; i < own; i++) mine.set(static_cast<std::size_t>(i), rank * own + i);
    const quadrille::field needed[] = {quadrille::field(mine.position[0].data(), 3),
                                       quadrille::field(mine.charge.data()),
                                       quadrille::field(mine.kind.data())};
    map.exchange(needed);
    for (std::size_t i = 0; i < own; i++)
        for (std::size_t j = i + 1; j <= i + reach; j++) mine.push(i, j);
    const quadrille::field contributed[] = {quadrille::field(mine.force[0].data(), 3, QDR_SUM),
                                            quadrille::field(mine.pushes.data(), 1, QDR_SUM),
                                            quadrille::field(mine.hardest.data(), 1, QDR_MAXIMUM)};
    map.exchange(contributed, QDR_REVERSE);

    long long sum[] = {0, 0};
    for (std::size_t i = 0; i < own; i++) {
        sum[0] += !is_right(mine, i, rank * own + static_cast<std::int64_t>(i), ranks * own);
        sum[1] += mine.pushes[i];
    }
    MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPI_LONG_LONG, MPI_SUM, comm);
    if (rank == 0)
        std::printf("%lld particles were pushed %lld times: %lld differ from what one rank finds\n",
                    static_cast<long long>(ranks * own), sum[1], sum[0]);
    return sum[0] == 0;
}

int main(int argc, char **argv) {
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    bool is_fine = false;
    try {
        is_fine = run(rank, ranks);
    } catch (const quadrille::error &error) {
        std::fprintf(stderr, "rank %d: %s\n", rank, error.what());
    }
    MPI_Finalize();
    return !is_fine;
}
