/* SPDX-License-Identifier: BSD-3-Clause */
/* Moves when memory is short: see quadrille/moves.h. */
#ifndef QUADRILLE_MOVES_HPP
#define QUADRILLE_MOVES_HPP

#include "quadrille/moves.h"
#include "quadrille/pattern.hpp"

namespace quadrille {

using move_entry = qdr_move;

struct moves_view {
    const char *method;
    int ranks;
    span<const std::int64_t> phase_start; /* [phases + 1] */
    span<const move_entry> move;
    std::int64_t phases, total, room, bound, parked;
};

class moves : public owner<qdr_moves, qdr_moves_destroy> {
  public:
    using owner::owner;

    /* Local. `room` has an entry for each rank of the pattern. */
    template <class Report = throws>
    moves(const pattern &of, span<const std::int64_t> room, const std::string &method = "auto",
          Report &&report = Report{}) {
        if (room.size() != static_cast<std::size_t>(of.look().ranks))
            detail::refuse(report, wrong_room());
        else
            detail::report(report, qdr_moves_create(of.get(), room.data(), method.c_str(), &object_));
    }

    /* Local, free of cost. Valid as long as the moves. */
    moves_view look() const {
        const qdr_moves_view view = qdr_moves_look(object_);
        const std::int64_t *start = view.phase_start;
        return {view.method,
                view.ranks,
                detail::list_of(start, view.phases + 1),
                detail::list_of(view.move, start[view.phases]),
                view.phases,
                view.total,
                view.room,
                view.bound,
                view.parked};
    }

    template <class Report = throws>
    void check(const pattern &of, span<const std::int64_t> room, Report &&report = Report{}) const {
        if (room.size() != static_cast<std::size_t>(of.look().ranks))
            detail::refuse(report, wrong_room());
        else
            detail::report(report, qdr_moves_check(of.get(), room.data(), object_));
    }

    template <class Report = throws> void write_text(std::FILE *stream, Report &&report = Report{}) const {
        detail::report(report, qdr_moves_write_text(object_, stream));
    }

    struct least {
        std::int64_t with_parking, without;
    };
    template <class Report = throws> static least least_room(const pattern &of, Report &&report = Report{}) {
        least room = {0, 0};
        detail::report(report, qdr_moves_least_room(of.get(), &room.with_parking, &room.without));
        return room;
    }

    static std::vector<const qdr_moves_method_info *> methods() { return detail::table(qdr_moves_method); }

  private:
    static const char *wrong_room() noexcept {
        return "quadrille::moves: `room` needs an entry for each rank of the pattern";
    }
};

} // namespace quadrille
#endif
