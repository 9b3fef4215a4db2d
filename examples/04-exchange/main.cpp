/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The exchange itself, in C++: mpirun -n 4 04-exchange-cpp.
 *
 * The lesson is that of main.c: the sources are found out, memory is taken by what comes, a plan is made once and runs
 * as often as one likes. A pattern counts items, and an item is whatever is in the vectors: here one number, then
 * a point in space, then ten numbers. Sizes of items are found by the compiler.
 */
#include <array>
#include <numeric>

#include "quadrille.hpp"

static const MPI_Comm comm = MPI_COMM_WORLD;

/* Item `place` of a message, another one for every message: so that a mix-up shows. */
template <std::size_t Width>
static std::array<double, Width> content(int origin, int destination, std::int64_t place) {
    std::array<double, Width> item;
    for (std::size_t k = 0; k < Width; k++)
        item[k] =
            1000 * origin + destination + 0.001 * static_cast<double>(place) + 1e-6 * static_cast<double>(k);
    return item;
}

static std::size_t sum(quadrille::span<const std::int64_t> items) {
    return static_cast<std::size_t>(std::accumulate(items.begin(), items.end(), std::int64_t{0}));
}

/* One exchange of items of so many doubles; prints how many came wrong. */
template <std::size_t Width>
static bool exchange(quadrille::plan &plan, const quadrille::partners &partners) {
    const quadrille::partners_view view = partners.look();
    std::vector<std::array<double, Width>> outgoing, incoming(sum(view.receive_items));
    for (std::size_t i = 0; i < view.destination.size(); i++)
        for (std::int64_t k = 0; k < view.send_items[i]; k++)
            outgoing.push_back(content<Width>(view.rank, view.destination[i], k));

    plan.exchange(quadrille::buffers::of(outgoing, incoming));

    long long wrong = 0, all = 0;
    auto place = incoming.begin();
    for (std::size_t i = 0; i < view.source.size(); i++)
        for (std::int64_t k = 0; k < view.receive_items[i]; k++)
            wrong += *place++ != content<Width>(view.source[i], view.rank, k);
    MPI_Allreduce(&wrong, &all, 1, MPI_LONG_LONG, MPI_SUM, comm);
    if (view.rank == 0)
        std::printf("items of %zu bytes: %lld numbers wrong on all ranks\n", sizeof outgoing[0], all);
    return all == 0;
}

/* Whom a rank sends to, and how much. Here it is a formula; in a program, it comes from the data. */
static bool run(int rank, int ranks) {
    std::vector<int> destination;
    std::vector<std::int64_t> items;
    for (int other = 0; other < ranks; other++)
        if (other != rank && (rank + 2 * other) % 3 < 2) {
            destination.push_back(other);
            items.push_back(1 + (rank + 2 * other) % 5);
        }

    quadrille::partners partners = quadrille::partners::from_sends(comm, destination, items);
    quadrille::plan plan(partners);
    const quadrille::partners_view view = partners.look();
    if (rank == 0) {
        for (std::size_t i = 0; i < view.destination.size(); i++)
            std::printf("rank 0: %lld items to rank %d\n", static_cast<long long>(view.send_items[i]),
                        view.destination[i]);
        for (std::size_t i = 0; i < view.source.size(); i++) /* nobody had told it */
            std::printf("rank 0: %lld items from rank %d\n", static_cast<long long>(view.receive_items[i]),
                        view.source[i]);
        const quadrille::plan_info info = plan.look();
        std::printf("plan: %s, pacing %s (%s)\n", info.algorithm, info.pacing, info.why);
    }
    return exchange<1>(plan, partners) && exchange<3>(plan, partners) && exchange<10>(plan, partners);
}

int main(int count, char **words) {
    int rank, ranks;
    bool is_right = false;
    MPI_Init(&count, &words);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    try {
        is_right = run(rank, ranks);
    } catch (const quadrille::error &error) {
        std::fprintf(stderr, "%s: %s\n", quadrille::text_of(error.status()), error.what());
    }
    MPI_Finalize();
    return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}
