/* SPDX-License-Identifier: BSD-3-Clause */
/* Layouts and regions: see quadrille/layout.h. */
#ifndef QUADRILLE_LAYOUT_HPP
#define QUADRILLE_LAYOUT_HPP

#include "quadrille/layout.h"
#include "quadrille/places.hpp"

namespace quadrille {

struct storage : qdr_storage {
    storage() : qdr_storage(QDR_STORAGE) {}
};

/* One dimension, and how it is dealt out. */
struct axis : qdr_axis {
    explicit axis(std::int64_t extent) : qdr_axis() { this->extent = extent; }
    static axis whole(std::int64_t extent) { return axis(extent); }
    static axis block(std::int64_t extent, int parts) { return axis(extent, QDR_BLOCK, parts); }
    static axis cyclic(std::int64_t extent, int parts, std::int64_t block = 1) {
        axis one(extent, QDR_CYCLIC, parts);
        one.qdr_axis::block = block;
        return one;
    }
    /* Part p has cut[p] to below cut[p + 1]; the cuts are borrowed until the layout is made. */
    static axis cuts(span<const std::int64_t> cut) {
        axis one(cut.empty() ? 0 : cut.back(), QDR_CUTS, cut.empty() ? 0 : detail::count_of(cut) - 1);
        one.cut = cut.data();
        return one;
    }
    axis with_ghosts(std::int64_t below, std::int64_t above) const {
        axis one = *this;
        one.ghost_below = below;
        one.ghost_above = above;
        return one;
    }

  private:
    axis(std::int64_t extent, qdr_spread spread, int parts) : axis(extent) {
        this->spread = spread;
        this->parts = parts;
    }
};

class layout : public owner<qdr_layout, qdr_layout_destroy> {
  public:
    using owner::owner;

    template <class Report = throws>
    static layout regular(span<const axis> axes, const storage &how = storage(), Report &&report = Report{}) {
        layout one;
        const std::vector<qdr_axis> plain(axes.begin(), axes.end());
        detail::report(report, qdr_layout_regular(detail::count_of(axes), plain.data(), &how, &one.object_));
        return one;
    }

    template <class Report = throws>
    static layout boxes(span<const std::int64_t> extent, span<const qdr_box> box,
                        qdr_order order = QDR_ROW_MAJOR, Report &&report = Report{}) {
        layout one;
        detail::report(report, qdr_layout_boxes(detail::count_of(extent), extent.data(), order,
                                                detail::count_of(box), box.data(), &one.object_));
        return one;
    }

    /* `count` empty: one element each. */
    template <class Report = throws>
    static layout runs(span<const std::int64_t> extent, span<const std::int64_t> first,
                       span<const std::int64_t> count = {}, Report &&report = Report{}) {
        layout one;
        if (!count.empty() && count.size() != first.size())
            detail::refuse(report, "quadrille::layout::runs: `first` and `count` have different lengths");
        else
            detail::report(report, qdr_layout_runs(detail::count_of(extent), extent.data(),
                                                   static_cast<std::int64_t>(first.size()), first.data(),
                                                   detail::or_null(count), &one.object_));
        return one;
    }

    template <class Report = throws>
    static layout entries(span<const std::int64_t> extent, span<const std::int64_t> element,
                          span<const int> owner, span<const std::int64_t> place, Report &&report = Report{}) {
        layout one;
        if (owner.size() != element.size() || place.size() != element.size())
            detail::refuse(report, "quadrille::layout::entries: the lists have different lengths");
        else
            detail::report(report,
                           qdr_layout_entries(detail::count_of(extent), extent.data(),
                                              static_cast<std::int64_t>(element.size()), element.data(),
                                              owner.data(), place.data(), &one.object_));
        return one;
    }

    /* `ask(span<const int64_t> element, span<int> owner, span<int64_t> place)` returns whether it knows all of them. */
    template <class Ask, class Report = throws>
    static layout dereferenced(span<const std::int64_t> extent, std::int64_t first, std::int64_t count,
                               Ask &&ask, Report &&report = Report{}) {
        using function = std::remove_reference_t<Ask>;
        const auto call = [](void *context, std::int64_t number, const std::int64_t *element, int *owner,
                             std::int64_t *place) -> int {
            return (*static_cast<function *>(context))(detail::list_of(element, number),
                                                       detail::list_of(owner, number),
                                                       detail::list_of(place, number))
                       ? 0
                       : 1;
        };
        layout one;
        detail::report(report, qdr_layout_dereferenced(detail::count_of(extent), extent.data(), first, count,
                                                       call, detail::context_of(ask), &one.object_));
        return one;
    }

    struct where {
        int rank;
        std::int64_t place;
    };
    template <class Report = throws>
    where locate(span<const std::int64_t> index, Report &&report = Report{}) const {
        where found = {QDR_HERE, -1};
        detail::report(report, qdr_layout_locate(object_, index.data(), &found.rank, &found.place));
        return found;
    }

    /* Writes the index of what lies there, a number for each dimension. */
    template <class Report = throws>
    void index(int rank, std::int64_t place, span<std::int64_t> index, Report &&report = Report{}) const {
        detail::report(report, qdr_layout_index(object_, rank, place, index.data()));
    }

    struct share {
        std::int64_t elements, room;
    };
    template <class Report = throws> share of(int rank, Report &&report = Report{}) const {
        share has = {0, 0};
        detail::report(report, qdr_layout_share(object_, rank, &has.elements, &has.room));
        return has;
    }
};

class region : public owner<qdr_region, qdr_region_destroy> {
  public:
    using owner::owner;

    template <class Report = throws>
    explicit region(int dimensions, qdr_order order = QDR_ROW_MAJOR, Report &&report = Report{}) {
        detail::report(report, qdr_region_create(dimensions, order, &object_));
    }

    template <class Report = throws>
    static region all(const layout &of, qdr_order order = QDR_ROW_MAJOR, Report &&report = Report{}) {
        region one;
        detail::report(report, qdr_region_all(of.get(), order, &one.object_));
        return one;
    }

    /* Returns the region itself, so that boxes can follow each other. */
    template <class Report = throws>
    region &add_box(span<const std::int64_t> lower, span<const std::int64_t> upper,
                    span<const std::int64_t> stride = {}, Report &&report = Report{}) {
        if (lower.size() != upper.size() || (!stride.empty() && stride.size() != lower.size()))
            detail::refuse(report,
                           "quadrille::region::add_box: the corners have different numbers of dimensions");
        else
            detail::report(report,
                           qdr_region_add_box(object_, lower.data(), upper.data(), detail::or_null(stride)));
        return *this;
    }

    /* `index` has so many numbers for each of `count` elements as there are dimensions. */
    template <class Report = throws>
    region &add_list(std::int64_t count, span<const std::int64_t> index, Report &&report = Report{}) {
        detail::report(report, qdr_region_add_list(object_, count, index.data()));
        return *this;
    }

    std::int64_t elements() const noexcept { return qdr_region_elements(object_); }

    template <class Report = throws>
    std::int64_t number(span<const std::int64_t> index, Report &&report = Report{}) const {
        std::int64_t found = -1;
        detail::report(report, qdr_region_number(object_, index.data(), &found));
        return found;
    }

    template <class Report = throws>
    void index(std::int64_t number, span<std::int64_t> index, Report &&report = Report{}) const {
        detail::report(report, qdr_region_index(object_, number, index.data()));
    }
};

} // namespace quadrille
#endif
