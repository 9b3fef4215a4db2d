/* SPDX-License-Identifier: BSD-3-Clause */
/* Two programs exchange parts of distributed arrays: see quadrille/couple.h. */
#ifndef QUADRILLE_COUPLE_HPP
#define QUADRILLE_COUPLE_HPP

#include <cstdlib>

#include "quadrille/couple.h"
#include "quadrille/layout.hpp"
#include "quadrille/plan.hpp"

namespace quadrille {

using coupling_view = qdr_coupling_view;
using stream_view = qdr_stream_view;

class program : public owner<qdr_program, qdr_program_destroy> {
  public:
    using owner::owner;

    /* Collective over `comm`. */
    template <class Report = throws>
    program(MPI_Comm comm, const std::string &name, seconds deadline = 0, Report &&report = Report{}) {
        detail::report(report, qdr_program_create(comm, name.c_str(), deadline, &object_));
    }

    /* Local. Of this program's ranks alone. */
    MPI_Comm comm() const { return qdr_program_comm(object_); }
};

struct coupling_options : qdr_coupling_options {
    coupling_options() : qdr_coupling_options(QDR_COUPLING_OPTIONS) {}
    coupling_options &set_deadline(seconds most) {
        deadline = most;
        return *this;
    }
};

class coupling : public owner<qdr_coupling, qdr_coupling_destroy> {
  public:
    using owner::owner;

    /* Both. Connects this program with that one. */
    template <class Report = throws>
    coupling(program &mine, const std::string &peer, const coupling_options &how = coupling_options(),
             Report &&report = Report{}) {
        detail::report(report, qdr_coupling_create(mine.get(), peer.c_str(), &how, &object_));
    }

    coupling_view look() const { return qdr_coupling_look(object_); }
};

/* One array as one program has it. Borrowed until the stream is made. */
struct coupled : qdr_coupled {
    coupled(const char *name, const quadrille::layout &lies, qdr_type type, std::int64_t width = 1)
        : qdr_coupled() {
        this->name = name;
        qdr_coupled::layout = lies.get();
        this->type = type;
        this->width = width;
    }
    coupled(const char *name, const quadrille::layout &lies, const quadrille::region &meant, qdr_type type,
            std::int64_t width = 1)
        : coupled(name, lies, type, width) {
        qdr_coupled::region = meant.get();
    }
    /* Of an import: how what comes is combined with what is there. */
    coupled with_operation(qdr_operation how) const {
        coupled one = *this;
        one.operation = how;
        return one;
    }
};

static_assert(sizeof(coupled) == sizeof(qdr_coupled), "a list of them is a list of C's");

struct stream_options : qdr_stream_options {
    stream_options() : qdr_stream_options(QDR_STREAM_OPTIONS) {}
    stream_options &set_deadline(seconds most) {
        deadline = most;
        return *this;
    }
};

/* What this rank sends or receives of a field, rank by rank of the other program. */
struct stream_schedule {
    std::vector<int> rank;
    std::vector<std::int64_t> start, place;
};

class stream : public owner<qdr_stream, qdr_stream_destroy> {
  public:
    using owner::owner;

    /* Both. One program names what it exports, the other what it imports. */
    template <class Report = throws>
    static stream exporting(coupling &with, const std::string &name, span<const coupled> fields,
                            const stream_options &how = stream_options(), Report &&report = Report{}) {
        return within(with, name, fields, {}, how, std::forward<Report>(report));
    }
    template <class Report = throws>
    static stream importing(coupling &with, const std::string &name, span<const coupled> fields,
                            const stream_options &how = stream_options(), Report &&report = Report{}) {
        return within(with, name, {}, fields, how, std::forward<Report>(report));
    }
    /* A program that is coupled with itself gives both lists. */
    template <class Report = throws>
    static stream within(coupling &with, const std::string &name, span<const coupled> exports,
                         span<const coupled> imports, const stream_options &how = stream_options(),
                         Report &&report = Report{}) {
        stream one;
        detail::report(report, qdr_stream_create(with.get(), name.c_str(), detail::count_of(exports),
                                                 detail::or_null(exports), detail::count_of(imports),
                                                 detail::or_null(imports), &how, &one.object_));
        return one;
    }

    stream_view look() const { return qdr_stream_look(object_); }

    template <class Report = throws>
    stream_schedule schedule(bool outgoing, int field = 0, Report &&report = Report{}) const {
        int partners = 0, *rank = nullptr;
        std::int64_t *start = nullptr, *place = nullptr;
        const qdr_status status =
            qdr_stream_schedule(object_, outgoing, field, &partners, &rank, &start, &place);
        detail::report(report, status);
        if (status != QDR_OK) return {};
        const std::int64_t places = partners > 0 ? start[partners] : 0;
        stream_schedule all;
        all.rank = detail::taken(rank, partners);
        all.start = detail::taken(start, partners + 1);
        all.place = detail::taken(place, places);
        return all;
    }

    /* Collective. data[f] is this rank's array of the f-th exported field, and is copied. */
    template <class Report = throws>
    void export_at(double time, span<const void *const> data, Report &&report = Report{}) {
        detail::report(report, qdr_export(object_, time, data.data()));
    }
    template <class T, class Report = throws, class = std::enable_if_t<!std::is_pointer_v<T>>>
    void export_at(double time, const T *array, Report &&report = Report{}) {
        const void *data = array;
        detail::report(report, qdr_export(object_, time, &data));
    }

    /* Collective. No export, or no import, before that time. */
    template <class Report = throws> void promise(double time, Report &&report = Report{}) {
        detail::report(report, qdr_stream_promise(object_, time));
    }

    /* Collective. Returns the time of the export that came. */
    template <class Report = throws>
    double import_at(double time, span<void *const> data, qdr_match match = QDR_EXACT, double tolerance = 0,
                     Report &&report = Report{}) {
        double matched = 0;
        detail::report(report, qdr_import(object_, time, match, tolerance, data.data(), &matched));
        return matched;
    }
    template <class T, class Report = throws, class = std::enable_if_t<!std::is_pointer_v<T>>>
    double import_at(double time, T *array, qdr_match match = QDR_EXACT, double tolerance = 0,
                     Report &&report = Report{}) {
        void *const data = array;
        return import_at(time, span<void *const>(&data, 1), match, tolerance, std::forward<Report>(report));
    }

    /* Collective, but does not wait. Arrays and `matched`, which may be nullptr, are borrowed until the import ends. */
    template <class Report = throws>
    pending import_start(double time, span<void *const> data, double *matched = nullptr,
                         qdr_match match = QDR_EXACT, double tolerance = 0, Report &&report = Report{}) {
        qdr_pending *handle = nullptr;
        detail::report(report,
                       qdr_import_start(object_, time, match, tolerance, data.data(), matched, &handle));
        return pending(handle);
    }
};

} // namespace quadrille
#endif
