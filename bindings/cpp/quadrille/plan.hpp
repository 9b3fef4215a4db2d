/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans: see quadrille/plan.h. */
#ifndef QUADRILLE_PLAN_HPP
#define QUADRILLE_PLAN_HPP

#include "quadrille/partners.hpp"
#include "quadrille/pending.hpp"
#include "quadrille/places.hpp"
#include "quadrille/plan.h"
#include "quadrille/schedule.hpp"

namespace quadrille {

using event = qdr_event;
using plan_info = qdr_plan_info;
using candidate = qdr_candidate;

/* Texts and the machine are borrowed until the plan is made. */
struct plan_options : qdr_plan_options {
    plan_options() : qdr_plan_options(QDR_PLAN_OPTIONS) {}
    explicit plan_options(const char *algorithm) : plan_options() { this->algorithm = algorithm; }
    plan_options &set_deadline(seconds most) {
        deadline = most;
        return *this;
    }
    /* `tell(const event &)` is called for whatever happens, as long as the plan lives. */
    template <class Tell> plan_options &set_trace(Tell &tell) {
        trace = [](void *context, const qdr_event *one) { (*static_cast<Tell *>(context))(*one); };
        trace_context = detail::context_of(tell);
        return *this;
    }
};

/* Where the data of an exchange is; both sides are in the order of partners::look(). */
struct buffers : qdr_buffers {
    buffers() : qdr_buffers() {}

    /* One item is one T; items lie one after the other, or where the offsets say, in items. */
    template <class Out, class In>
    static buffers of(const Out &outgoing, In &&incoming, span<const std::int64_t> outgoing_offset = {},
                      span<const std::int64_t> incoming_offset = {}) {
        using item = std::remove_pointer_t<decltype(std::data(incoming))>;
        static_assert(
            std::is_same_v<std::remove_cv_t<std::remove_pointer_t<decltype(std::data(outgoing))>>, item>,
            "items that go and items that come have the same type");
        static_assert(std::is_trivially_copyable_v<item>, "items are copied as bytes");
        buffers one;
        one.item_bytes = sizeof(item);
        one.outgoing_base = std::data(outgoing);
        one.incoming_base = std::data(incoming);
        one.outgoing_offset = detail::or_null(outgoing_offset);
        one.incoming_offset = detail::or_null(incoming_offset);
        return one;
    }

    /* Sizes of this one exchange. */
    buffers with_items(span<const std::int64_t> outgoing, span<const std::int64_t> incoming) const {
        buffers one = *this;
        one.outgoing_items = detail::or_null(outgoing);
        one.incoming_items = detail::or_null(incoming);
        return one;
    }
};

/* Local. This thread's most recent stall, in several lines. */
inline const char *stall_report() {
    return qdr_stall_report();
}

namespace detail {

inline plan_info info_of(const qdr_plan *plan) {
    plan_info info = {};
    if (plan) qdr_plan_look(plan, &info);
    return info;
}
inline std::vector<candidate> candidates_of(const qdr_plan *plan) {
    std::vector<candidate> all;
    candidate one = {};
    while (qdr_plan_candidate(plan, static_cast<int>(all.size()), &one) == QDR_OK) all.push_back(one);
    return all;
}

} // namespace detail

class plan : public owner<qdr_plan, qdr_plan_destroy> {
  public:
    using owner::owner;

    /* Collective. */
    template <class Report = throws>
    explicit plan(partners &with, const plan_options &how = plan_options(), Report &&report = Report{}) {
        detail::report(report, qdr_plan_create(with.get(), &how, &object_));
    }

    /* Collective. With a schedule that exists. */
    template <class Report = throws>
    plan(partners &with, const schedule &scheduled, const plan_options &how = plan_options(),
         Report &&report = Report{}) {
        detail::report(report, qdr_plan_create_scheduled(with.get(), scheduled.get(), &how, &object_));
    }

    plan_info look() const { return detail::info_of(object_); }

    /* Local. What it could run, as its exchanges have shown it. */
    std::vector<candidate> candidates() const { return detail::candidates_of(object_); }

    template <class Report = throws> void tune(Report &&report = Report{}) {
        detail::report(report, qdr_plan_tune(object_));
    }

    /* Local. What it runs, for a row_reader; nullptr: it is scheduled at run time. */
    const qdr_schedule *runs() const { return qdr_plan_schedule(object_); }

    /* Local. The buffers are borrowed until it has ended. */
    template <class Report = throws> pending start(const qdr_buffers &with, Report &&report = Report{}) {
        qdr_pending *handle = nullptr;
        detail::report(report, qdr_plan_start(object_, &with, &handle));
        return pending(handle);
    }

    template <class Report = throws> void exchange(const qdr_buffers &with, Report &&report = Report{}) {
        detail::report(report, qdr_plan_exchange(object_, &with));
    }

    static std::vector<const qdr_pacing_info *> pacings() { return detail::table(qdr_pacing); }
};

} // namespace quadrille
#endif
