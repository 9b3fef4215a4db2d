/* SPDX-License-Identifier: BSD-3-Clause */
/* Migration: see quadrille/migrate.h. */
#ifndef QUADRILLE_MIGRATE_HPP
#define QUADRILLE_MIGRATE_HPP

#include "quadrille/migrate.h"
#include "quadrille/pending.hpp"
#include "quadrille/places.hpp"

namespace quadrille {

using migration_report = qdr_migration_report;

struct migration_options : qdr_migration_options {
    migration_options() : qdr_migration_options(QDR_MIGRATION_OPTIONS) {}
    explicit migration_options(std::int64_t memory) : migration_options() { this->memory = memory; }
    migration_options &set_deadline(seconds most) {
        deadline = most;
        return *this;
    }
    /* `tell(int64_t phase, int64_t phases, int64_t moved, int64_t bytes)` is called now and then. */
    template <class Tell> migration_options &set_progress(Tell &tell) {
        progress = [](void *of, std::int64_t phase, std::int64_t phases, std::int64_t moved,
                      std::int64_t bytes) { (*static_cast<Tell *>(of))(phase, phases, moved, bytes); };
        context = detail::context_of(tell);
        return *this;
    }
};

/* Collective. Item i of the first `count` in `room` goes to destination[i]; afterwards `count` is how many there are. `destination`
 * is permuted, and has an entry for each item that is there before. `report` may be nullptr. */
template <class T, class Report = throws>
void migrate_array(MPI_Comm comm, std::int64_t &count, span<T> room, span<int> destination,
                   const migration_options &how = migration_options(), migration_report *took = nullptr,
                   Report &&report = Report{}) {
    static_assert(std::is_trivially_copyable_v<T>, "items are moved as bytes");
    std::int64_t wrong = -1; /* which C refuses for all */
    detail::report(report, qdr_migrate_array(comm, detail::count_of(destination) < count ? &wrong : &count,
                                             static_cast<std::int64_t>(room.size()), room.data(), sizeof(T),
                                             destination.data(), &how, took));
}

/* Collective, but does not wait. */
template <class T, class Report = throws>
pending migrate_array_start(MPI_Comm comm, std::int64_t &count, span<T> room, span<int> destination,
                            const migration_options &how = migration_options(),
                            migration_report *took = nullptr, Report &&report = Report{}) {
    static_assert(std::is_trivially_copyable_v<T>, "items are moved as bytes");
    qdr_pending *handle = nullptr;
    std::int64_t wrong = -1;
    detail::report(report,
                   qdr_migrate_array_start(comm, detail::count_of(destination) < count ? &wrong : &count,
                                           static_cast<std::int64_t>(room.size()), room.data(), sizeof(T),
                                           destination.data(), &how, took, &handle));
    return pending(handle);
}

/* Objects of any size. `Owner` has, as C's qdr_objects:
 *
 *     std::int64_t size(std::int64_t object)              bytes, packed
 *     bool pack(std::int64_t object, void *bytes)
 *     bool release(std::int64_t object)
 *     bool unpack(int from, const void *bytes, std::int64_t size)
 *
 * The last three say whether it worked. */
struct objects : qdr_objects {
    template <class Owner> objects(span<const int> destination, Owner &owner) : qdr_objects() {
        count = static_cast<std::int64_t>(destination.size());
        this->destination = destination.data();
        size = [](void *of, std::int64_t object) -> std::int64_t {
            return static_cast<Owner *>(of)->size(object);
        };
        pack = [](void *of, std::int64_t object, void *bytes) -> int {
            return static_cast<Owner *>(of)->pack(object, bytes) ? 0 : 1;
        };
        release = [](void *of, std::int64_t object) -> int {
            return static_cast<Owner *>(of)->release(object) ? 0 : 1;
        };
        unpack = [](void *of, int from, const void *bytes, std::int64_t length) -> int {
            return static_cast<Owner *>(of)->unpack(from, bytes, length) ? 0 : 1;
        };
        context = detail::context_of(owner);
    }
};

template <class Report = throws>
void migrate_objects(MPI_Comm comm, const objects &all, const migration_options &how = migration_options(),
                     migration_report *took = nullptr, Report &&report = Report{}) {
    detail::report(report, qdr_migrate_objects(comm, &all, &how, took));
}

template <class Report = throws>
pending migrate_objects_start(MPI_Comm comm, const objects &all,
                              const migration_options &how = migration_options(),
                              migration_report *took = nullptr, Report &&report = Report{}) {
    qdr_pending *handle = nullptr;
    detail::report(report, qdr_migrate_objects_start(comm, &all, &how, took, &handle));
    return pending(handle);
}

} // namespace quadrille
#endif
