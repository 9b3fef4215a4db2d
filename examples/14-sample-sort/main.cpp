// SPDX-License-Identifier: BSD-3-Clause
//
// Sample sort: mpirun -n 4 14-sample-sort. The lesson is in main.c; here vectors are the arrays, what arrives is a range to sort in
// place, and what fails is thrown.
#include <quadrille.hpp>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

namespace {

constexpr std::int64_t keys = 100000, samples = 64;
using list = std::vector<std::int64_t>;

// A key for each number, the same on every machine; small ones are more frequent.
std::int64_t key_of(std::int64_t number) {
    std::uint64_t word = static_cast<std::uint64_t>(number + 1) * UINT64_C(0x9e3779b97f4a7c15);
    word = (word ^ word >> 31) * UINT64_C(0xbf58476d1ce4e5b9);
    word = (word ^ word >> 29) >> 33;
    return static_cast<std::int64_t>(word * word >> 31);
}

// How many of the sorted keys go to each rank, by what all ranks have shown of theirs.
list count_groups(const list &key, int ranks) {
    list shown(samples), all(static_cast<std::size_t>(samples * ranks)), count;
    for (std::int64_t s = 0; s < samples; s++)
        shown[static_cast<std::size_t>(s)] = key[static_cast<std::size_t>(keys * s / samples)];
    MPI_Allgather(shown.data(), samples, MPI_INT64_T, all.data(), samples, MPI_INT64_T, MPI_COMM_WORLD);
    std::sort(all.begin(), all.end());
    auto first = key.begin();
    for (int r = 1; r <= ranks; r++) {
        const auto end = r == ranks
                             ? key.end()
                             : std::lower_bound(first, key.end(), all[static_cast<std::size_t>(samples * r)]);
        count.push_back(end - first);
        first = end;
    }
    return count;
}

// Nothing is missing, and ranks follow one another.
template <class Range> bool is_sorted(const Range &key, int ranks) {
    const std::int64_t count = key.end() - key.begin();
    std::int64_t sum[] = {count, std::accumulate(key.begin(), key.end(), std::int64_t(0))};
    const std::int64_t own[] = {count ? *key.begin() : 0, count ? *(key.end() - 1) : 0};
    list ends(static_cast<std::size_t>(2 * ranks));
    MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allgather(own, 2, MPI_INT64_T, ends.data(), 2, MPI_INT64_T, MPI_COMM_WORLD);
    for (std::int64_t n = 0; n < keys * ranks; n++) sum[1] -= key_of(n);
    return sum[0] == keys * ranks && sum[1] == 0 && std::is_sorted(ends.begin(), ends.end());
}

bool run(int rank, int ranks) {
    list key(keys);
    for (std::int64_t k = 0; k < keys; k++) key[static_cast<std::size_t>(k)] = key_of(k * ranks + rank);
    std::sort(key.begin(), key.end());
    const list count = count_groups(key, ranks);

    quadrille::arrivals<std::int64_t> came;
    quadrille::deliver(MPI_COMM_WORLD, quadrille::items<std::int64_t>::grouped(key, {}, count), came);
    std::sort(came.begin(), came.end());

    const bool is_right = is_sorted(came, ranks);
    std::int64_t most = came.end() - came.begin();
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0)
        std::printf("%d ranks, %d keys each: %s; the busiest rank has %lld of them\n", ranks,
                    static_cast<int>(keys), is_right ? "sorted" : "not sorted", static_cast<long long>(most));
    return is_right;
}

} // namespace

int main(int argc, char **argv) {
    int rank, ranks;
    bool is_right = false;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    try {
        is_right = run(rank, ranks);
    } catch (const quadrille::error &error) {
        std::fprintf(stderr, "%s\n", error.what());
    }
    MPI_Finalize();
    return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}
