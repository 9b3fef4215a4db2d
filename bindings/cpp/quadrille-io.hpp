/* SPDX-License-Identifier: BSD-3-Clause */
/* Schedules and moves as JSON and SVG, and pictures of your own, in C++17: see quadrille-io.h. Link with libquadrille-io, too. */
#ifndef QUADRILLE_IO_HPP
#define QUADRILLE_IO_HPP

#include "quadrille-io.h"
#include "quadrille/moves.hpp"
#include "quadrille/schedule.hpp"

namespace quadrille {

template <class Report = throws>
void write_json(const schedule &of, std::FILE *stream, Report &&report = Report{}) {
    detail::report(report, qdr_schedule_write_json(of.get(), stream));
}

template <class Report = throws>
void write_json(const moves &of, std::FILE *stream, Report &&report = Report{}) {
    detail::report(report, qdr_moves_write_json(of.get(), stream));
}

/* `on` may be an empty machine, where the schedule was built without one. */
template <class Report = throws>
schedule read_schedule(std::FILE *stream, const std::string &name, const pattern &of,
                       const machine &on = machine(), Report &&report = Report{}) {
    qdr_schedule *read = nullptr;
    detail::report(report, qdr_schedule_read_json(stream, name.c_str(), of.get(), on.get(), &read));
    return schedule(read);
}

/* `steps` have been predicted; `bound`, in seconds, is drawn as a line. */
template <class Report = throws>
void write_svg(const schedule &of, span<const step> steps, double bound, const std::string &title,
               std::FILE *stream, Report &&report = Report{}) {
    detail::report(report, qdr_schedule_write_svg(of.get(), static_cast<std::int64_t>(steps.size()),
                                                  steps.data(), bound, title.c_str(), stream));
}

template <class Report = throws>
void write_svg(const pattern &of, span<const std::int64_t> room, const moves &how, std::FILE *stream,
               Report &&report = Report{}) {
    detail::report(report, qdr_moves_write_svg(of.get(), room.data(), how.get(), stream));
}

/* Shapes never fail; `finish` says whether all of them were written. */
class picture : public owner<qdr_picture, qdr_picture_destroy> {
  public:
    using owner::owner;

    template <class Report = throws>
    picture(std::FILE *stream, double width, double height, double font_size, Report &&report = Report{}) {
        detail::report(report, qdr_picture_create(stream, width, height, font_size, &object_));
    }

    void rectangle(double x, double y, double width, double height, const char *style = nullptr,
                   const char *title = nullptr) {
        qdr_picture_rectangle(object_, x, y, width, height, style, title);
    }
    void circle(double x, double y, double radius, const char *style = nullptr) {
        qdr_picture_circle(object_, x, y, radius, style);
    }
    void line(double x1, double y1, double x2, double y2, const char *style = nullptr) {
        qdr_picture_line(object_, x1, y1, x2, y2, style);
    }
    void text(double x, double y, const char *text, const char *style = nullptr) {
        qdr_picture_text(object_, x, y, style, text);
    }
    void path(const char *style = nullptr) { qdr_picture_path(object_, style); }
    void pen_move(double x, double y) { qdr_picture_pen_move(object_, x, y); }
    void pen_line(double x, double y) { qdr_picture_pen_line(object_, x, y); }
    void pen_close() { qdr_picture_pen_close(object_); }
    void pen_box(double x, double y, double width, double height) {
        qdr_picture_pen_box(object_, x, y, width, height);
    }
    void path_end(const char *title = nullptr) { qdr_picture_path_end(object_, title); }
    void group(const char *style) { qdr_picture_group(object_, style); }
    void group_end() { qdr_picture_group_end(object_); }
    void window(double x, double y, double width, double height) {
        qdr_picture_window(object_, x, y, width, height);
    }
    void window_end() { qdr_picture_window_end(object_); }

    template <class Report = throws> void finish(Report &&report = Report{}) {
        destroy(std::forward<Report>(report));
    }
};

/* Local. The colour of a rank, a part or a line by its number. */
inline std::string colour(int number) {
    char text[QDR_COLOUR_TEXT];
    return qdr_picture_colour(number, text);
}

/* Local. The round number that cuts an axis of this length into 4 to 9 parts. */
inline double tick(double length) {
    return qdr_picture_tick(length);
}

} // namespace quadrille
#endif
