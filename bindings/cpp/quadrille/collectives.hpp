/* SPDX-License-Identifier: BSD-3-Clause */
/* All-to-all and broadcast: see quadrille/collectives.h. */
#ifndef QUADRILLE_COLLECTIVES_HPP
#define QUADRILLE_COLLECTIVES_HPP

#include "quadrille/collectives.h"
#include "quadrille/pending.hpp"

namespace quadrille {

namespace detail {

/* Bytes of the block for one rank; -1, which C refuses on all ranks: the two lists are not as many such blocks as there are ranks. */
template <class T> std::int64_t block_bytes(MPI_Comm comm, span<const T> outgoing, span<T> incoming) {
    static_assert(std::is_trivially_copyable_v<T>, "items are copied as bytes");
    int ranks = 1;
    MPI_Comm_size(comm, &ranks);
    const std::size_t number = static_cast<std::size_t>(ranks);
    if (outgoing.size() != incoming.size() || outgoing.size() % number != 0) return -1;
    return static_cast<std::int64_t>(outgoing.size() / number * sizeof(T));
}

} // namespace detail

/* Collective. The r-th of as many equal blocks as there are ranks goes to rank r. */
template <class T, class Report = throws>
void alltoall(MPI_Comm comm, span<const T> outgoing, span<T> incoming, const char *algorithm = nullptr,
              Report &&report = Report{}) {
    detail::report(report, qdr_alltoall(comm, algorithm, detail::block_bytes(comm, outgoing, incoming),
                                        outgoing.data(), incoming.data()));
}

template <class T, class Report = throws>
pending alltoall_start(MPI_Comm comm, span<const T> outgoing, span<T> incoming,
                       const char *algorithm = nullptr, Report &&report = Report{}) {
    qdr_pending *handle = nullptr;
    detail::report(report, qdr_alltoall_start(comm, algorithm, detail::block_bytes(comm, outgoing, incoming),
                                              outgoing.data(), incoming.data(), &handle));
    return pending(handle);
}

/* Collective over the group alone. group[0] has the data, the others get it. */
template <class T, class Report = throws>
void broadcast(MPI_Comm comm, span<const int> group, span<T> data, const char *algorithm = nullptr,
               Report &&report = Report{}) {
    static_assert(std::is_trivially_copyable_v<T>, "items are copied as bytes");
    detail::report(report, qdr_broadcast(comm, algorithm, detail::count_of(group), group.data(), data.data(),
                                         static_cast<std::int64_t>(data.size() * sizeof(T))));
}

/* Collective. Makes what the library keeps with a communicator. */
template <class Report = throws> void prepare(MPI_Comm comm, Report &&report = Report{}) {
    detail::report(report, qdr_prepare(comm));
}

} // namespace quadrille
#endif
