/* SPDX-License-Identifier: BSD-3-Clause */
/* Schedules: see quadrille/schedule.h. */
#ifndef QUADRILLE_SCHEDULE_HPP
#define QUADRILLE_SCHEDULE_HPP

#include <cstdlib>

#include "quadrille/machine.hpp"
#include "quadrille/pattern.hpp"
#include "quadrille/schedule.h"

namespace quadrille {

using piece = qdr_piece;
using transfer = qdr_transfer;
using step = qdr_step;
using bounds = qdr_bounds;
using prediction = qdr_prediction;
using schedule_info = qdr_schedule_info;

namespace detail {

/* A list that C has made with malloc. */
template <class T> std::vector<T> taken(T *list, std::int64_t count) {
    const std::unique_ptr<T, void (*)(void *)> whole(list, std::free);
    return std::vector<T>(list, list + count);
}

/* A schedule that somebody else owns, as others do who are asked for it. */
inline schedule_info info_of(const qdr_schedule *schedule) {
    schedule_info info = {};
    qdr_schedule_look(schedule, &info);
    return info;
}

} // namespace detail

class schedule : public owner<qdr_schedule, qdr_schedule_destroy> {
  public:
    using owner::owner;

    /* Local and pure. `on` may be an empty machine for algorithms that need none. */
    template <class Report = throws>
    schedule(const pattern &of, const std::string &algorithm, const machine &on = machine(),
             Report &&report = Report{}) {
        detail::report(report, qdr_schedule_create(of.get(), algorithm.c_str(), on.get(), &object_));
    }

    schedule_info look() const { return detail::info_of(object_); }

    /* Local. The messages of its pattern. */
    const qdr_pattern *of() const noexcept { return qdr_schedule_pattern(object_); }

    template <class Report = throws> std::vector<step> steps(Report &&report = Report{}) const {
        std::int64_t count = 0;
        step *list = nullptr;
        detail::report(report, qdr_schedule_steps(object_, &count, &list));
        return detail::taken(list, count);
    }

    template <class Report = throws> void check(Report &&report = Report{}) const {
        detail::report(report, qdr_schedule_check(object_));
    }

    template <class Report = throws>
    prediction predict(const machine &on, std::int64_t item_bytes = 1, Report &&report = Report{}) const {
        prediction result = {};
        detail::report(report, qdr_schedule_predict(object_, on.get(), item_bytes, nullptr, &result));
        return result;
    }

    /* Local. The same, and when each of its own `steps` begins and ends. */
    template <class Report = throws>
    prediction predict(const machine &on, span<step> steps, std::int64_t item_bytes = 1,
                       Report &&report = Report{}) const {
        prediction result = {};
        detail::report(report, qdr_schedule_predict(object_, on.get(), item_bytes, steps.data(), &result));
        return result;
    }

    static std::vector<const qdr_algorithm_info *> algorithms() { return detail::table(qdr_algorithm); }

    template <class Report = throws>
    static const qdr_algorithm_info *find(const std::string &name, Report &&report = Report{}) {
        const qdr_algorithm_info *info = nullptr;
        detail::report(report, qdr_algorithm_find(name.c_str(), &info));
        return info;
    }
};

/* What one rank does in one stage. */
struct row {
    span<const transfer> send, receive;
    span<const piece> pieces;
};

/* Rows are valid until the next is read. It keeps the schedule alive. */
class row_reader : public owner<qdr_row_reader, qdr_row_reader_destroy> {
  public:
    using owner::owner;

    template <class Report = throws> explicit row_reader(const qdr_schedule *of, Report &&report = Report{}) {
        detail::report(report, qdr_row_reader_create(of, &object_));
    }
    template <class Report = throws>
    explicit row_reader(const schedule &of, Report &&report = Report{})
        : row_reader(of.get(), std::forward<Report>(report)) {}

    template <class Report = throws> quadrille::row read(int rank, int stage, Report &&report = Report{}) {
        qdr_row one = {};
        detail::report(report, qdr_row_read(object_, rank, stage, &one));
        std::int64_t pieces = 0;
        for (std::int64_t i = 0; i < one.sends; i++) pieces = most(pieces, one.send[i]);
        for (std::int64_t i = 0; i < one.receives; i++) pieces = most(pieces, one.receive[i]);
        return {detail::list_of(one.send, one.sends), detail::list_of(one.receive, one.receives),
                detail::list_of(one.piece, pieces)};
    }

  private:
    static std::int64_t most(std::int64_t pieces, const transfer &of) noexcept {
        return of.first + of.pieces > pieces ? of.first + of.pieces : pieces;
    }
};

/* ---- without a schedule -------------------------------------------------------------------------------- */

/* Local. Lower bounds on the time of any exchange of this pattern. */
template <class Report = throws>
bounds bounds_of(const pattern &of, const machine &on, std::int64_t item_bytes = 1,
                 Report &&report = Report{}) {
    bounds result = {};
    detail::report(report, qdr_bounds_compute(of.get(), on.get(), item_bytes, &result));
    return result;
}

/* One way to run an exchange, as plans do. */
struct way : qdr_way {
    explicit way(const char *algorithm) : qdr_way() { this->algorithm = algorithm; }
};

/* Local. What an exchange takes in this way, in seconds. */
template <class Report = throws>
double predict(const pattern &of, const way &how, const machine &on, std::int64_t item_bytes = 1,
               Report &&report = Report{}) {
    double result = 0;
    detail::report(report, qdr_way_predict(of.get(), &how, on.get(), item_bytes, &result));
    return result;
}

/* Local. Predicts any list of steps, such as those of a broadcast. */
template <class Report = throws>
prediction predict(span<step> steps, const machine &on, std::int64_t item_bytes = 1,
                   Report &&report = Report{}) {
    prediction result = {};
    detail::report(report, qdr_steps_predict(static_cast<std::int64_t>(steps.size()), steps.data(), on.get(),
                                             item_bytes, &result));
    return result;
}

/* Local. The algorithms among which a plan of this pattern chooses, and why the first comes first. */
inline std::vector<const char *> auto_candidates(const pattern &of, std::int64_t reuse = 0) {
    std::vector<const char *> names;
    while (const char *name = qdr_auto_candidate(of.get(), reuse, static_cast<int>(names.size())))
        names.push_back(name);
    return names;
}
inline const char *auto_reason(const pattern &of) {
    return qdr_auto_reason(of.get());
}

/* Local. The steps of a broadcast from group[0] to the rest of the group. */
template <class Report = throws>
std::vector<step> broadcast_steps(const std::string &algorithm, span<const int> group, std::int64_t items,
                                  Report &&report = Report{}) {
    std::int64_t count = 0;
    step *list = nullptr;
    detail::report(report, qdr_broadcast_steps(algorithm.c_str(), detail::count_of(group), group.data(),
                                               items, &count, &list));
    return detail::taken(list, count);
}

/* Local. One line per phase, as the papers print theirs. */
template <class Report = throws>
void write_text(span<const step> steps, std::FILE *stream, Report &&report = Report{}) {
    detail::report(report,
                   qdr_steps_write_text(static_cast<std::int64_t>(steps.size()), steps.data(), stream));
}

} // namespace quadrille
#endif
