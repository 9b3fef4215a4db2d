/* SPDX-License-Identifier: BSD-3-Clause */
/* Partners, and discovery: see quadrille/discover.h. */
#ifndef QUADRILLE_PARTNERS_HPP
#define QUADRILLE_PARTNERS_HPP

#include <cstdlib>

#include "quadrille/discover.h"
#include "quadrille/pattern.hpp"

namespace quadrille {

struct partners_view {
    int rank, ranks;
    span<const int> destination;
    span<const std::int64_t> send_items;
    span<const int> source;
    span<const std::int64_t> receive_items;
};

namespace detail {

inline partners_view in_spans(const qdr_partners_view &view) {
    return {view.rank,
            view.ranks,
            list_of(view.destination, view.sends),
            list_of(view.send_items, view.sends),
            list_of(view.source, view.receives),
            list_of(view.receive_items, view.receives)};
}

} // namespace detail

class partners : public owner<qdr_partners, qdr_partners_destroy> {
  public:
    using owner::owner;

    /* Collective. This rank sends items[i] items to destination[i]; the sources are discovered. */
    template <class Report = throws>
    static partners from_sends(MPI_Comm comm, span<const int> destination, span<const std::int64_t> items,
                               const char *method = nullptr, Report &&report = Report{}) {
        return from_one_side(qdr_partners_from_sends, comm, destination, items, method, report);
    }

    /* Collective. This rank needs items[i] items from source[i]. */
    template <class Report = throws>
    static partners from_receives(MPI_Comm comm, span<const int> source, span<const std::int64_t> items,
                                  const char *method = nullptr, Report &&report = Report{}) {
        return from_one_side(qdr_partners_from_receives, comm, source, items, method, report);
    }

    /* Collective. Both sides are known, and are compared unless they are `trusted`. */
    template <class Report = throws>
    static partners from_both(MPI_Comm comm, span<const int> destination, span<const std::int64_t> send_items,
                              span<const int> source, span<const std::int64_t> receive_items,
                              bool trusted = false, Report &&report = Report{}) {
        partners one;
        /* What one rank alone would refuse here, the others would wait for: a number that C refuses for all. */
        const int sends = destination.size() == send_items.size() ? detail::count_of(destination) : -1,
                  receives = source.size() == receive_items.size() ? detail::count_of(source) : -1;
        detail::report(report,
                       qdr_partners_from_both(comm, sends, destination.data(), send_items.data(), receives,
                                              source.data(), receive_items.data(), trusted, &one.object_));
        return one;
    }

    /* Collective. This rank's share of a pattern that every rank has. */
    template <class Report = throws>
    static partners from_pattern(MPI_Comm comm, const pattern &whole, Report &&report = Report{}) {
        partners one;
        detail::report(report, qdr_partners_from_pattern(comm, whole.get(), &one.object_));
        return one;
    }

    /* Local, free of cost. Valid as long as the partners. */
    partners_view look() const { return detail::in_spans(qdr_partners_look(object_)); }

    /* Collective. The whole matrix. */
    template <class Report = throws> pattern gather(Report &&report = Report{}) {
        qdr_pattern *whole = nullptr;
        detail::report(report, qdr_partners_gather(object_, &whole));
        return pattern(whole);
    }

  private:
    template <class Make, class Report>
    static partners from_one_side(Make make, MPI_Comm comm, span<const int> rank,
                                  span<const std::int64_t> items, const char *method, Report &&report) {
        partners one;
        const int count = rank.size() == items.size() ? detail::count_of(rank) : -1; /* as above */
        detail::report(report, make(comm, count, rank.data(), items.data(), method, &one.object_));
        return one;
    }
};

/* ---- discovery by itself ------------------------------------------------------------------------------- */

using parcel = qdr_parcel;

/* Parcels that have come, by rising rank. */
class parcels {
  public:
    parcels() = default;
    parcels(parcel *first, int count) : first_(first, std::free), count_(count) {}
    parcels(parcels &&other) noexcept
        : first_(std::move(other.first_)), count_(std::exchange(other.count_, 0)) {}
    parcels &operator=(parcels &&other) noexcept {
        first_ = std::move(other.first_);
        count_ = std::exchange(other.count_, 0);
        return *this;
    }
    span<const parcel> list() const { return detail::list_of<const parcel>(first_.get(), count_); }
    const parcel *begin() const { return first_.get(); }
    const parcel *end() const { return first_.get() + count_; }
    std::size_t size() const noexcept { return static_cast<std::size_t>(count_); }

  private:
    std::unique_ptr<parcel, void (*)(void *)> first_{nullptr, std::free};
    int count_ = 0;
};

/* Collective. Sends one parcel to each rank that is named, and learns who sent one to this rank. */
template <class Report = throws>
parcels discover(MPI_Comm comm, span<const parcel> out, const char *method = nullptr,
                 Report &&report = Report{}) {
    int arrived = 0;
    parcel *in = nullptr;
    detail::report(report, qdr_discover(comm, method, detail::count_of(out), out.data(), &arrived, &in));
    return {in, arrived};
}

inline std::vector<const qdr_discovery_info *> discovery_methods() {
    return detail::table(qdr_discovery);
}

} // namespace quadrille
#endif
