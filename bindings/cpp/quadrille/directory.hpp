/* SPDX-License-Identifier: BSD-3-Clause */
/* The distributed directory, and resolving: see quadrille/directory.h. */
#ifndef QUADRILLE_DIRECTORY_HPP
#define QUADRILLE_DIRECTORY_HPP

#include "quadrille/directory.h"
#include "quadrille/map.hpp"

namespace quadrille {

struct directory_options : qdr_directory_options {
    directory_options() : qdr_directory_options(QDR_DIRECTORY_OPTIONS) {}
    directory_options &set_deadline(seconds most) {
        deadline = most;
        return *this;
    }
    /* `keeper(std::int64_t id)` is the rank that keeps an entry; called as long as the directory lives. */
    template <class Keeper> directory_options &set_place(Keeper &keeper) {
        placement = QDR_PLACE_FUNCTION;
        place = [](void *of, std::int64_t id) -> int { return (*static_cast<Keeper *>(of))(id); };
        context = detail::context_of(keeper);
        return *this;
    }
};

/* One call. All arrays are borrowed until it ends. */
struct directory_call : qdr_directory_call {
    directory_call(qdr_directory_verb verb, span<const std::int64_t> id) : qdr_directory_call() {
        this->verb = verb;
        count = static_cast<std::int64_t>(id.size());
        this->id = id.data();
    }
};

/* Who has what was asked for; owners are QDR_NOBODY where nobody does. */
struct found {
    std::vector<int> owner;
    std::vector<std::int64_t> place;
    std::int64_t unknown = 0;
};

class directory : public owner<qdr_directory, qdr_directory_destroy> {
  public:
    using owner::owner;

    /* Collective. */
    template <class Report = throws>
    explicit directory(MPI_Comm comm, const directory_options &how = directory_options(),
                       Report &&report = Report{}) {
        detail::report(report, qdr_directory_create(comm, &how, &object_));
    }

    qdr_directory_view look() const { return qdr_directory_look(object_); }

    /* Collective. `owner` empty: this rank; `place` empty: 0, 1, 2 ...; `payload` nullptr: zeros. */
    template <class Report = throws>
    void insert(span<const std::int64_t> id, span<const int> owner = {}, span<const std::int64_t> place = {},
                const void *payload = nullptr, Report &&report = Report{}) {
        detail::report(report, qdr_directory_insert(object_, count_of(id, owner, place), id.data(),
                                                    detail::or_null(owner), detail::or_null(place), payload));
    }

    /* Collective. Returns how many of this rank's ids were not there. */
    template <class Report = throws>
    std::int64_t update(span<const std::int64_t> id, span<const int> owner = {},
                        span<const std::int64_t> place = {}, const void *payload = nullptr,
                        Report &&report = Report{}) {
        std::int64_t unknown = 0;
        detail::report(report, qdr_directory_update(object_, count_of(id, owner, place), id.data(),
                                                    detail::or_null(owner), detail::or_null(place), payload,
                                                    &unknown));
        return unknown;
    }

    template <class Report = throws>
    std::int64_t remove(span<const std::int64_t> id, Report &&report = Report{}) {
        std::int64_t unknown = 0;
        detail::report(
            report, qdr_directory_remove(object_, static_cast<std::int64_t>(id.size()), id.data(), &unknown));
        return unknown;
    }

    /* Collective. `payload` has room for as many payloads as ids, or is nullptr. */
    template <class Report = throws>
    found find(span<const std::int64_t> id, void *payload = nullptr, Report &&report = Report{}) {
        found all{std::vector<int>(id.size()), std::vector<std::int64_t>(id.size()), 0};
        find_into(id, all.owner, all.place, payload, &all.unknown, std::forward<Report>(report));
        return all;
    }

    /* The same into arrays of the caller's; empty ones are not wanted. */
    template <class Report = throws>
    void find_into(span<const std::int64_t> id, span<int> owner, span<std::int64_t> place,
                   void *payload = nullptr, std::int64_t *unknown = nullptr, Report &&report = Report{}) {
        detail::report(report,
                       qdr_directory_find(object_, count_of<int, std::int64_t>(id, owner, place), id.data(),
                                          detail::or_null(owner), detail::or_null(place), payload, unknown));
    }

    /* Collective, but does not wait. */
    template <class Report = throws> pending start(const directory_call &call, Report &&report = Report{}) {
        qdr_pending *handle = nullptr;
        detail::report(report, qdr_directory_start(object_, &call, &handle));
        return pending(handle);
    }

  private:
    /* A number that C refuses on all ranks, where a list is too short. */
    template <class Owner, class Place>
    static std::int64_t count_of(span<const std::int64_t> id, span<Owner> owner, span<Place> place) {
        const bool is_right =
            (owner.empty() || owner.size() == id.size()) && (place.empty() || place.size() == id.size());
        return is_right ? static_cast<std::int64_t>(id.size()) : -1;
    }
};

/* ---- resolving ----------------------------------------------------------------------------------------- */

struct resolve_options : qdr_resolve_options {
    resolve_options() : qdr_resolve_options(QDR_RESOLVE_OPTIONS) {}
    explicit resolve_options(const char *method) : resolve_options() { this->method = method; }
};

struct resolved {
    std::vector<int> owner;
    std::vector<std::int64_t> place;
    qdr_resolve_report report;
};

/* Collective. Who owns what this rank needs, and where it lies there. */
template <class Report = throws>
resolved resolve(MPI_Comm comm, span<const std::int64_t> own_id, span<const std::int64_t> need_id,
                 const resolve_options &how = resolve_options(), Report &&report = Report{}) {
    resolved all{std::vector<int>(need_id.size()), std::vector<std::int64_t>(need_id.size()), {}};
    detail::report(report, qdr_resolve(comm, static_cast<std::int64_t>(own_id.size()), own_id.data(),
                                       static_cast<std::int64_t>(need_id.size()), need_id.data(), &how,
                                       all.owner.data(), all.place.data(), &all.report));
    return all;
}

/* Collective. The map that brings what is needed to element target[k], or k where `target` is empty. */
template <class Report = throws>
map resolve_map(MPI_Comm comm, span<const std::int64_t> own_id, span<const std::int64_t> need_id,
                span<const std::int64_t> target = {}, const resolve_options &how = resolve_options(),
                Report &&report = Report{}) {
    qdr_map *made = nullptr;
    const std::int64_t needed =
        target.empty() || target.size() == need_id.size() ? static_cast<std::int64_t>(need_id.size()) : -1;
    detail::report(report, qdr_resolve_map(comm, static_cast<std::int64_t>(own_id.size()), own_id.data(),
                                           needed, need_id.data(), detail::or_null(target), &how, &made));
    return map(made);
}

/* The same with numbers of 32 bits. */
template <class Report = throws>
map resolve_map(MPI_Comm comm, span<const std::int32_t> own_id, span<const std::int32_t> need_id,
                span<const std::int32_t> target = {}, resolve_options how = resolve_options(),
                Report &&report = Report{}) {
    qdr_map *made = nullptr;
    how.own_id32 = own_id.data();
    how.need_id32 = need_id.data();
    how.target32 = detail::or_null(target);
    const std::int64_t needed =
        target.empty() || target.size() == need_id.size() ? static_cast<std::int64_t>(need_id.size()) : -1;
    detail::report(report, qdr_resolve_map(comm, static_cast<std::int64_t>(own_id.size()), nullptr, needed,
                                           nullptr, nullptr, &how, &made));
    return map(made);
}

inline std::vector<const qdr_resolve_method_info *> resolve_methods() {
    return detail::table(qdr_resolve_method);
}

} // namespace quadrille
#endif
