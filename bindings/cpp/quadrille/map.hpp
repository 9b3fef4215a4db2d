/* SPDX-License-Identifier: BSD-3-Clause */
/* Maps: see quadrille/map.h. */
#ifndef QUADRILLE_MAP_HPP
#define QUADRILLE_MAP_HPP

#include "quadrille/map.h"
#include "quadrille/plan.hpp"

namespace quadrille {

/* The links of one side, flat or grouped by partner, with numbers of 32 or of 64 bits. Borrowed until the map is made. */
struct indices : qdr_indices {
    indices() : qdr_indices() {}

    /* Link k is with link_rank[k]. An empty list of places stands for 0, 1, 2 ... here, and for what the partner states there. */
    template <class Place = std::int64_t>
    static indices flat(span<const int> link_rank, span<const Place> place = {},
                        span<const Place> partner_place = {}) {
        indices one;
        one.links = static_cast<std::int64_t>(link_rank.size());
        one.link_rank = link_rank.data();
        one.set_places(place, partner_place);
        if (differs(place, one.links) || differs(partner_place, one.links))
            one.links = -1; /* which C refuses for all */
        return one;
    }

    /* Partner i has count[i] links, one group after the other. */
    template <class Place = std::int64_t>
    static indices grouped(span<const int> rank, span<const Place> count, span<const Place> place = {},
                           span<const Place> partner_place = {}) {
        indices one;
        one.partners = rank.size() == count.size() ? detail::count_of(rank) : -1;
        one.rank = rank.data();
        if constexpr (std::is_same_v<Place, std::int32_t>)
            one.count32 = count.data();
        else
            one.count = count.data();
        one.set_places(place, partner_place);
        return one;
    }

  private:
    template <class Place> static bool differs(span<const Place> list, std::int64_t links) {
        return !list.empty() && static_cast<std::int64_t>(list.size()) != links;
    }

    template <class Place> void set_places(span<const Place> here, span<const Place> there) {
        static_assert(std::is_same_v<Place, std::int32_t> || std::is_same_v<Place, std::int64_t>,
                      "places are numbers of 32 or of 64 bits");
        if constexpr (std::is_same_v<Place, std::int32_t>) {
            place32 = detail::or_null(here);
            partner_place32 = detail::or_null(there);
        } else {
            place = detail::or_null(here);
            partner_place = detail::or_null(there);
        }
    }
};

struct boxes : qdr_boxes {
    boxes() : qdr_boxes() {}
    /* `lower` and `count` have a number for each dimension of each box. */
    boxes(span<const std::int64_t> extent, span<const int> rank, span<const std::int64_t> lower,
          span<const std::int64_t> count, qdr_order order = QDR_ROW_MAJOR)
        : qdr_boxes() {
        const std::size_t numbers = extent.size() * rank.size();
        dimensions = lower.size() == numbers && count.size() == numbers ? detail::count_of(extent) : -1;
        this->extent = extent.data();
        qdr_boxes::boxes = detail::count_of(rank);
        this->rank = rank.data();
        this->lower = lower.data();
        this->count = count.data();
        this->order = order;
    }
};

struct map_options : qdr_map_options {
    map_options() : qdr_map_options(QDR_MAP_OPTIONS) {}
};

/* One array, or two. Borrowed until the exchange has ended. */
struct field : qdr_field {
    field() : qdr_field() {}

    /* `width` values of type T make an element. */
    template <class T>
    field(const T *source, T *target, std::int64_t width = 1, qdr_operation operation = QDR_REPLACE)
        : qdr_field() {
        static_assert(std::is_trivially_copyable_v<T>, "elements are copied as bytes");
        this->source = source;
        this->target = target;
        type = type_of<T>();
        this->width = width * width_of<T>();
        this->operation = operation;
    }

    /* The same array on both sides. */
    template <class T, class = std::enable_if_t<!std::is_const_v<T>>>
    explicit field(T *array, std::int64_t width = 1, qdr_operation operation = QDR_REPLACE)
        : field(static_cast<const T *>(array), array, width, operation) {}

    /* `function(T there, T came)` returns what is there from then on. */
    template <class T, class Function>
    static field combined(const T *source, T *target, Function &function, std::int64_t width = 1) {
        field one(source, target, width, QDR_COMBINE);
        one.combine = detail::combine<T, Function>;
        one.context = detail::context_of(function);
        return one;
    }

    /* Element e lies at bytes start[e] to below start[e + 1]. */
    static field varying(const void *source, span<const std::int64_t> source_start, void *target,
                         span<const std::int64_t> target_start) {
        field one;
        one.source = source;
        one.target = target;
        one.type = QDR_BYTE;
        one.source_start = detail::or_null(source_start);
        one.target_start = detail::or_null(target_start);
        return one;
    }

    /* Elements are so many bytes apart. */
    field with_strides(std::int64_t of_source, std::int64_t of_target) const {
        field one = *this;
        one.source_stride = of_source;
        one.target_stride = of_target;
        return one;
    }
};

static_assert(sizeof(field) == sizeof(qdr_field), "a list of them is a list of fields of C");

/* Where ghosts lie that are kept where they arrived. */
struct ghost_places {
    std::vector<int> source;
    std::vector<std::int64_t> position;
};

class map : public owner<qdr_map, qdr_map_destroy> {
  public:
    using owner::owner;

    /* Collective. Both sides are known. */
    template <class Report = throws>
    map(MPI_Comm comm, const indices &sends, const indices &receives, const map_options &how = map_options(),
        Report &&report = Report{}) {
        detail::report(report, qdr_map_create(comm, &sends, &receives, &how, &object_));
    }

    /* Collective. The other side is discovered. */
    template <class Report = throws>
    static map from_receives(MPI_Comm comm, const indices &receives, const map_options &how = map_options(),
                             Report &&report = Report{}) {
        map one;
        detail::report(report, qdr_map_create(comm, nullptr, &receives, &how, &one.object_));
        return one;
    }
    template <class Report = throws>
    static map from_sends(MPI_Comm comm, const indices &sends, const map_options &how = map_options(),
                          Report &&report = Report{}) {
        map one;
        detail::report(report, qdr_map_create(comm, &sends, nullptr, &how, &one.object_));
        return one;
    }

    /* Collective. Boxes of regular arrays. */
    template <class Report = throws>
    static map from_boxes(MPI_Comm comm, const boxes &sends, const boxes &receives,
                          const map_options &how = map_options(), Report &&report = Report{}) {
        map one;
        detail::report(report, qdr_map_from_boxes(comm, &sends, &receives, &how, &one.object_));
        return one;
    }

    /* Local. Other lists for the same partners; nullptr leaves a side as it is. */
    template <class Report = throws>
    void relist(const indices *sends, const indices *receives, Report &&report = Report{}) {
        detail::report(report, qdr_map_relist(object_, sends, receives));
    }

    partners_view look() const { return detail::in_spans(qdr_map_look(object_)); }

    /* Local. How many elements arrays must have room for: those that are sent from, and those that are received into. */
    std::pair<std::int64_t, std::int64_t> reach() const {
        std::pair<std::int64_t, std::int64_t> elements;
        qdr_map_reach(object_, &elements.first, &elements.second);
        return elements;
    }

    /* Local. What is known of the plan behind it. */
    plan_info look_at_plan(qdr_direction direction = QDR_FORWARD) const {
        return detail::info_of(qdr_map_plan(object_, direction));
    }
    /* Local. What that plan could run, as exchanges have shown it; and what it runs, nullptr where it is scheduled at run time. */
    std::vector<candidate> candidates(qdr_direction direction = QDR_FORWARD) const {
        return detail::candidates_of(qdr_map_plan(object_, direction));
    }
    const qdr_schedule *runs(qdr_direction direction = QDR_FORWARD) const {
        return qdr_plan_schedule(qdr_map_plan(object_, direction));
    }

    template <class Report = throws>
    pending start(span<const field> fields, qdr_direction direction = QDR_FORWARD,
                  Report &&report = Report{}) {
        qdr_pending *handle = nullptr;
        detail::report(report,
                       qdr_map_start(object_, direction, detail::count_of(fields), fields.data(), &handle));
        return pending(handle);
    }
    template <class Report = throws>
    pending start(const field &one, qdr_direction direction = QDR_FORWARD, Report &&report = Report{}) {
        return start(span<const field>(&one, 1), direction, std::forward<Report>(report));
    }

    template <class Report = throws>
    void exchange(span<const field> fields, qdr_direction direction = QDR_FORWARD,
                  Report &&report = Report{}) {
        detail::report(report, qdr_map_exchange(object_, direction, detail::count_of(fields), fields.data()));
    }
    template <class Report = throws>
    void exchange(const field &one, qdr_direction direction = QDR_FORWARD, Report &&report = Report{}) {
        detail::report(report, qdr_map_exchange(object_, direction, 1, &one));
    }

    /* Local. With keeps_incoming: what came of one field from the source-th partner. */
    template <class T>
    const T *incoming(int source, int field = 0, qdr_direction direction = QDR_FORWARD) const {
        return static_cast<const T *>(qdr_map_incoming(object_, direction, source, field));
    }

    /* Local. Where the ghosts of a flat list lie, once for all exchanges. */
    template <class Report = throws>
    quadrille::ghost_places ghost_places(span<const int> link_rank, qdr_direction direction = QDR_FORWARD,
                                         Report &&report = Report{}) const {
        quadrille::ghost_places where{std::vector<int>(link_rank.size()),
                                      std::vector<std::int64_t>(link_rank.size())};
        detail::report(report,
                       qdr_map_ghost_places(object_, direction, static_cast<std::int64_t>(link_rank.size()),
                                            link_rank.data(), where.source.data(), where.position.data()));
        return where;
    }

    /* Local. Pointers to them, after an exchange. */
    template <class T, class Report = throws>
    void ghosts(const quadrille::ghost_places &where, span<const T *> ghost, int field = 0,
                qdr_direction direction = QDR_FORWARD, Report &&report = Report{}) const {
        static_assert(sizeof(const T *) == sizeof(const void *), "all pointers to objects have one size");
        if (ghost.size() != where.source.size())
            return detail::refuse(report, "quadrille::map::ghosts: there are not as many pointers as ghosts");
        detail::report(report,
                       qdr_map_ghosts(object_, direction, field,
                                      static_cast<std::int64_t>(where.source.size()), where.source.data(),
                                      where.position.data(), reinterpret_cast<const void **>(ghost.data())));
    }
};

} // namespace quadrille
#endif
