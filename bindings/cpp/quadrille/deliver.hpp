/* SPDX-License-Identifier: BSD-3-Clause */
/* Deliveries: see quadrille/deliver.h. */
#ifndef QUADRILLE_DELIVER_HPP
#define QUADRILLE_DELIVER_HPP

#include "quadrille/deliver.h"
#include "quadrille/pending.hpp"
#include "quadrille/places.hpp"

namespace quadrille {

/* What leaves this rank; one item is one T. Borrowed until the delivery has ended. */
template <class T> struct items : qdr_items {
    static_assert(std::is_trivially_copyable_v<T>, "items are copied as bytes");

    /* Item i goes to destination[i]. */
    items(span<const T> data, span<const int> destination) : qdr_items() {
        item_bytes = sizeof(T);
        this->data = data.data();
        /* A number that C refuses on all ranks, where the lists do not belong together. */
        count = data.size() == destination.size() ? static_cast<std::int64_t>(data.size()) : -1;
        this->destination = destination.data();
    }

    /* Groups of items, one after the other: count[i] of them go to rank[i]; `rank` empty: to 0, 1, 2 ... */
    static items grouped(span<const T> data, span<const int> rank, span<const std::int64_t> count) {
        items one{span<const T>{}, span<const int>{}};
        std::int64_t all = 0;
        for (std::int64_t number : count) all += number;
        const bool is_right =
            (rank.empty() || rank.size() == count.size()) && all == static_cast<std::int64_t>(data.size());
        one.data = data.data();
        one.groups = is_right ? detail::count_of(count) : -1;
        one.rank = detail::or_null(rank);
        one.qdr_items::items = count.data();
        return one;
    }
};

/* What has come. Each delivery overwrites what came before. It stays where it is while a delivery is under way. */
template <class T> class arrivals {
  public:
    arrivals() = default;
    arrivals(const arrivals &) = delete;
    arrivals &operator=(const arrivals &) = delete;
    ~arrivals() { qdr_arrivals_free(&came_); }

    /* `allocate(std::int64_t bytes)` returns memory for what comes, instead of the library's own. */
    template <class Allocate> explicit arrivals(Allocate &allocate) {
        came_.allocate = [](void *context, std::int64_t bytes) -> void * {
            return (*static_cast<Allocate *>(context))(bytes);
        };
        came_.context = detail::context_of(allocate);
    }

    span<T> data() const { return detail::list_of(static_cast<T *>(came_.data), came_.count); }
    T *begin() const { return data().data(); }
    T *end() const { return begin() + came_.count; }
    std::size_t size() const noexcept { return static_cast<std::size_t>(came_.count); }
    span<const int> source() const { return detail::list_of(came_.source, came_.sources); }
    span<const std::int64_t> items() const { return detail::list_of(came_.items, came_.sources); }
    void free() { qdr_arrivals_free(&came_); }
    qdr_arrivals *get() noexcept { return &came_; }

  private:
    qdr_arrivals came_ = {};
};

/* Collective. Items go to ranks that do not know what will come. */
template <class T, class Report = throws>
void deliver(MPI_Comm comm, const items<T> &leaving, arrivals<T> &came, Report &&report = Report{}) {
    detail::report(report, qdr_deliver(comm, &leaving, came.get()));
}

template <class T, class Report = throws>
pending deliver_start(MPI_Comm comm, const items<T> &leaving, arrivals<T> &came, Report &&report = Report{}) {
    qdr_pending *handle = nullptr;
    detail::report(report, qdr_deliver_start(comm, &leaving, came.get(), &handle));
    return pending(handle);
}

} // namespace quadrille
#endif
