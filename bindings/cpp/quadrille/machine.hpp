/* SPDX-License-Identifier: BSD-3-Clause */
/* Machines: see quadrille/machine.h. */
#ifndef QUADRILLE_MACHINE_HPP
#define QUADRILLE_MACHINE_HPP

#include "quadrille/base.hpp"
#include "quadrille/machine.h"

namespace quadrille {

class machine : public owner<qdr_machine, qdr_machine_destroy> {
  public:
    using owner::owner;

    /* Local. The machine of a spec, or a preset, for so many ranks. */
    template <class Report = throws> machine(const std::string &spec, int ranks, Report &&report = Report{}) {
        detail::report(report, qdr_machine_create(spec.c_str(), ranks, &object_));
    }

    const qdr_machine_parameters &look() const noexcept { return *qdr_machine_look(object_); }
    const char *spec() const noexcept { return qdr_machine_spec(object_); }
    const char *topology() const noexcept { return qdr_machine_topology(object_); }
    std::int64_t wire_bytes(std::int64_t bytes) const noexcept {
        return qdr_machine_wire_bytes(object_, bytes);
    }

    std::int64_t links() const noexcept { return qdr_machine_links(object_); }
    int route_limit() const noexcept { return qdr_machine_route_limit(object_); }
    std::vector<std::int64_t> route(int from, int to) const {
        std::vector<std::int64_t> links(static_cast<std::size_t>(route_limit()));
        links.resize(static_cast<std::size_t>(qdr_machine_route(object_, from, to, links.data())));
        return links;
    }
    double link_bandwidth(std::int64_t link) const noexcept {
        return qdr_machine_link_bandwidth(object_, link);
    }
    std::int64_t link_streams(std::int64_t link) const noexcept {
        return qdr_machine_link_streams(object_, link);
    }
    double latency(int from, int to) const noexcept { return qdr_machine_latency(object_, from, to); }

    template <class Report = throws> void write_simgrid(std::FILE *stream, Report &&report = Report{}) const {
        detail::report(report, qdr_machine_write_simgrid(object_, stream));
    }

    static std::vector<const qdr_machine_info *> known() { return detail::table(qdr_machine_known); }
};

} // namespace quadrille
#endif
