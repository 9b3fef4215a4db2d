/* SPDX-License-Identifier: BSD-3-Clause */
/* Patterns: see quadrille/pattern.h. */
#ifndef QUADRILLE_PATTERN_HPP
#define QUADRILLE_PATTERN_HPP

#include "quadrille/base.hpp"
#include "quadrille/pattern.h"

namespace quadrille {

using message_entry = qdr_message;
using pattern_statistics = qdr_pattern_statistics;

struct pattern_view {
    int ranks;
    span<const int> origin, destination;
    span<const std::int64_t> items, row_start, column_start, column_message, local;
};

class pattern : public owner<qdr_pattern, qdr_pattern_destroy> {
  public:
    using owner::owner;

    /* Local. The pattern of a spec. */
    template <class Report = throws> explicit pattern(const std::string &spec, Report &&report = Report{}) {
        detail::report(report, qdr_pattern_from_spec(spec.c_str(), &object_));
    }

    /* Local. The pattern of these messages. */
    template <class Report = throws>
    pattern(int ranks, span<const qdr_message> messages, Report &&report = Report{}) {
        detail::report(report, qdr_pattern_create(ranks, static_cast<std::int64_t>(messages.size()),
                                                  messages.data(), &object_));
    }

    template <class Report = throws>
    static pattern read(std::FILE *stream, const std::string &name, std::int64_t pattern_items = 0,
                        Report &&report = Report{}) {
        pattern one;
        detail::report(report, qdr_pattern_read(stream, name.c_str(), pattern_items, &one.object_));
        return one;
    }

    template <class Report = throws> void write(std::FILE *stream, Report &&report = Report{}) const {
        detail::report(report, qdr_pattern_write(object_, stream));
    }

    /* Local, free of cost. Valid as long as the pattern. */
    pattern_view look() const {
        const qdr_pattern_view view = qdr_pattern_look(object_);
        return {view.ranks,
                detail::list_of(view.origin, view.messages),
                detail::list_of(view.destination, view.messages),
                detail::list_of(view.items, view.messages),
                detail::list_of(view.row_start, view.ranks + 1),
                detail::list_of(view.column_start, view.ranks + 1),
                detail::list_of(view.column_message, view.messages),
                detail::list_of(view.local, view.ranks)};
    }

    pattern_statistics measure() const {
        pattern_statistics statistics = {};
        qdr_pattern_measure(object_, &statistics);
        return statistics;
    }

    static std::vector<const qdr_pattern_family_info *> families() {
        return detail::table(qdr_pattern_family);
    }
};

inline const char *text_of(qdr_pattern_class kind) noexcept {
    return qdr_pattern_class_text(kind);
}

} // namespace quadrille
#endif
