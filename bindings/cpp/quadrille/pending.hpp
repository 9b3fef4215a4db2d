/* SPDX-License-Identifier: BSD-3-Clause */
/* What was started: see quadrille/pending.h. */
#ifndef QUADRILLE_PENDING_HPP
#define QUADRILLE_PENDING_HPP

#include "quadrille/base.hpp"
#include "quadrille/pending.h"

namespace quadrille {

/* Something that is under way. Its destructor waits for the end, whatever it is, since memory of the caller's is borrowed until then; who
 * wants to know how it ended waits for it. */
class pending {
  public:
    pending() noexcept = default;
    explicit pending(qdr_pending *handle) noexcept : handle_(handle) {}
    pending(pending &&other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    pending &operator=(pending &&other) noexcept {
        if (this != &other) {
            qdr_wait(&handle_);
            handle_ = std::exchange(other.handle_, nullptr);
        }
        return *this;
    }
    ~pending() {
        if (handle_) qdr_wait(&handle_);
    }

    /* Local. Waits until it has ended. */
    template <class Report = throws> void wait(Report &&report = Report{}) {
        detail::report(report, qdr_wait(&handle_));
    }

    /* Local. Advances everything that is under way; says whether this has ended. */
    template <class Report = throws> bool test(Report &&report = Report{}) {
        int done = 0;
        detail::report(report, qdr_test(&handle_, &done));
        return done != 0;
    }

    /* Whether its end has been seen, or there is nothing to wait for. */
    bool is_done() const noexcept { return handle_ == nullptr; }
    qdr_pending *get() const noexcept { return handle_; }
    qdr_pending *release() noexcept { return std::exchange(handle_, nullptr); }

  private:
    qdr_pending *handle_ = nullptr;
};

static_assert(sizeof(pending) == sizeof(qdr_pending *) && std::is_standard_layout_v<pending>,
              "a list of them is a list of handles");

namespace detail {

inline qdr_pending **handles(span<pending> all) noexcept {
    return reinterpret_cast<qdr_pending **>(all.data());
}

} // namespace detail

/* Local. Waits for all; reports the first, in the order of the list, that failed. */
template <class Report = throws> void wait_all(span<pending> all, Report &&report = Report{}) {
    detail::report(report, qdr_wait_all(static_cast<std::int64_t>(all.size()), detail::handles(all)));
}

/* Local. Waits until one has ended, and says which; -1 if there is none to wait for. */
template <class Report = throws> std::int64_t wait_any(span<pending> all, Report &&report = Report{}) {
    std::int64_t which = -1;
    detail::report(report, qdr_wait_any(static_cast<std::int64_t>(all.size()), detail::handles(all), &which));
    return which;
}

/* Local. Whether all have ended. */
template <class Report = throws> bool test_all(span<pending> all, Report &&report = Report{}) {
    int done = 0;
    detail::report(report, qdr_test_all(static_cast<std::int64_t>(all.size()), detail::handles(all), &done));
    return done != 0;
}

/* Local. Which has ended; -1 if none has. */
template <class Report = throws> std::int64_t test_any(span<pending> all, Report &&report = Report{}) {
    std::int64_t which = -1;
    detail::report(report, qdr_test_any(static_cast<std::int64_t>(all.size()), detail::handles(all), &which));
    return which;
}

/* Local. Advances everything that is under way in the process a little. */
inline void progress() noexcept {
    qdr_progress();
}

} // namespace quadrille
#endif
