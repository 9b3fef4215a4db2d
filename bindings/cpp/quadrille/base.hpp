/* SPDX-License-Identifier: BSD-3-Clause */
/* Errors, spans, owners, durations: what the other parts of quadrille.hpp are made of. */
#ifndef QUADRILLE_BASE_HPP
#define QUADRILLE_BASE_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#if __has_include(<version>)
#include <version>
#endif
#ifdef __cpp_lib_span
#include <span>
#endif

#include "quadrille/base.h"

/* A status is an error code of the category "quadrille". */
namespace std {
template <> struct is_error_code_enum<qdr_status> : true_type {};
} // namespace std

namespace quadrille {

/* Its conditions are those of the system where there is one that fits: a deadline that has passed is std::errc::timed_out. */
class error_category final : public std::error_category {
  public:
    const char *name() const noexcept override { return "quadrille"; }
    std::string message(int status) const override {
        return qdr_status_text(static_cast<qdr_status>(status));
    }
    std::error_condition default_error_condition(int status) const noexcept override {
        switch (static_cast<qdr_status>(status)) {
        case QDR_ERR_INVALID:
            return std::errc::invalid_argument;
        case QDR_ERR_RANGE:
            return std::errc::result_out_of_range;
        case QDR_ERR_MEMORY:
            return std::errc::not_enough_memory;
        case QDR_ERR_FILE:
            return std::errc::io_error;
        case QDR_ERR_STALLED:
            return std::errc::timed_out;
        case QDR_ERR_BUSY:
            return std::errc::device_or_resource_busy;
        case QDR_ERR_PEER:
            return std::errc::connection_aborted;
        case QDR_ERR_DEADLOCK:
            return std::errc::resource_deadlock_would_occur;
        case QDR_ERR_FULL:
            return std::errc::no_buffer_space;
        default:
            return {status, *this};
        }
    }
};

inline const std::error_category &category() noexcept {
    static const error_category only;
    return only;
}

} // namespace quadrille

inline std::error_code make_error_code(qdr_status status) noexcept {
    return {static_cast<int>(status), quadrille::category()};
}

namespace quadrille {

/* Local. The version of the library that runs. */
inline const char *version() noexcept {
    return qdr_version();
}

/* Local. The line that explains this thread's most recent failure. */
inline const char *message() noexcept {
    return qdr_error_message();
}

inline const char *text_of(qdr_status status) noexcept {
    return qdr_status_text(status);
}

/* what() is the sentence of the failure. */
class error : public std::runtime_error {
  public:
    explicit error(qdr_status status) : error(status, qdr_error_message()) {}
    error(qdr_status status, const std::string &sentence)
        : std::runtime_error(sentence.empty() ? qdr_status_text(status) : sentence), status_(status) {}
    qdr_status status() const noexcept { return status_; }
    std::error_code code() const noexcept { return make_error_code(status_); }

  private:
    qdr_status status_;
};

/* What the last argument of functions that can fail is, unless it is a std::error_code. */
struct throws {};

namespace detail {

[[noreturn]] inline void raise(qdr_status status) {
    throw error(status);
}

inline void report(throws, qdr_status status) {
    if (status != QDR_OK) raise(status);
}

inline void report(std::error_code &code, qdr_status status) noexcept {
    code = status != QDR_OK ? make_error_code(status) : std::error_code();
}

/* What two lists that belong together must have in common. */
inline qdr_status same_length(std::size_t one, std::size_t other) noexcept {
    return one == other ? QDR_OK : QDR_ERR_INVALID;
}

/* Says in words of this header what C could not know of. */
inline void refuse(throws, const char *sentence) {
    throw error(QDR_ERR_INVALID, sentence);
}

inline void refuse(std::error_code &code, const char *) noexcept {
    code = make_error_code(QDR_ERR_INVALID);
}

} // namespace detail

/* ---- lists --------------------------------------------------------------------------------------------- */

#ifdef __cpp_lib_span
template <class T> using span = std::span<T>;
#else
/* As much of C++20's as is used here. */
template <class T> class span {
  public:
    using element_type = T;
    using value_type = std::remove_cv_t<T>;
    constexpr span() noexcept = default;
    constexpr span(T *first, std::size_t size) noexcept : first_(first), size_(size) {}
    template <std::size_t N> constexpr span(T (&array)[N]) noexcept : first_(array), size_(N) {}
    template <class List,
              class = std::enable_if_t<std::is_convertible_v<
                  std::remove_pointer_t<decltype(std::data(std::declval<List &>()))> (*)[], T (*)[]>>,
              class = decltype(std::size(std::declval<List &>()))>
    constexpr span(List &&list) : first_(std::data(list)), size_(std::size(list)) {}
    constexpr T *data() const noexcept { return first_; }
    constexpr std::size_t size() const noexcept { return size_; }
    constexpr bool empty() const noexcept { return size_ == 0; }
    constexpr T *begin() const noexcept { return first_; }
    constexpr T *end() const noexcept { return first_ + size_; }
    constexpr T &operator[](std::size_t index) const { return first_[index]; }
    constexpr T &front() const { return first_[0]; }
    constexpr T &back() const { return first_[size_ - 1]; }
    constexpr span first(std::size_t count) const { return {first_, count}; }
    constexpr span subspan(std::size_t from, std::size_t count) const { return {first_ + from, count}; }

  private:
    T *first_ = nullptr;
    std::size_t size_ = 0;
};
#endif

namespace detail {

/* C knows an empty list as NULL where that says something. */
template <class T> T *or_null(span<T> list) noexcept {
    return list.empty() ? nullptr : list.data();
}

template <class T> int count_of(span<T> list) noexcept {
    return static_cast<int>(list.size());
}

template <class T, class Count> span<T> list_of(T *first, Count count) noexcept {
    return {first, static_cast<std::size_t>(count)};
}

/* A table of C, of which `entry` gives the index-th line, and NULL past the last. */
template <class Info> std::vector<const Info *> table(const Info *(*entry)(int)) {
    std::vector<const Info *> lines;
    while (const Info *line = entry(static_cast<int>(lines.size()))) lines.push_back(line);
    return lines;
}

} // namespace detail

/* ---- deadlines ----------------------------------------------------------------------------------------- */

/* A number of seconds, as the members that are called `deadline` want it. */
class seconds {
  public:
    constexpr seconds(double value = 0) noexcept : value_(value) {}
    template <class Rep, class Period>
    constexpr seconds(std::chrono::duration<Rep, Period> duration) noexcept
        : value_(std::chrono::duration<double>(duration).count()) {}
    constexpr operator double() const noexcept { return value_; }

  private:
    double value_;
};

/* ---- owners -------------------------------------------------------------------------------------------- */

/* Whoever owns an object of C. A destructor cannot say that the library would not destroy it, which happens while something
 * is under way; `destroy` can. */
template <class Object, auto Destroy> class owner {
  public:
    owner() noexcept = default;
    explicit owner(Object *object) noexcept : object_(object) {}
    owner(owner &&other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    owner &operator=(owner &&other) noexcept {
        if (this != &other) {
            Destroy(&object_);
            object_ = std::exchange(other.object_, nullptr);
        }
        return *this;
    }
    ~owner() { Destroy(&object_); }

    Object *get() const noexcept { return object_; }
    Object *release() noexcept { return std::exchange(object_, nullptr); }
    explicit operator bool() const noexcept { return object_ != nullptr; }

    template <class Report = throws> void destroy(Report &&report = Report{}) {
        if constexpr (std::is_void_v<decltype(Destroy(&object_))>) {
            Destroy(&object_);
            detail::report(report, QDR_OK);
        } else {
            detail::report(report, Destroy(&object_));
        }
    }

  protected:
    Object *object_ = nullptr;
};

/* ---- what the library says ------------------------------------------------------------------------------- */

/* Local. Lines go to `say(const char *)`, which is borrowed until another takes its place. */
template <class Say> void set_log(Say &say) noexcept {
    qdr_set_log([](void *context, const char *line) { (*static_cast<Say *>(context))(line); },
                const_cast<void *>(static_cast<const void *>(std::addressof(say))));
}

inline void set_log(std::nullptr_t) noexcept {
    qdr_set_log(nullptr, nullptr);
}

/* Local. The variables of the environment that the library and the drop-in read. */
inline std::vector<const qdr_environment_info *> environment() {
    return detail::table(qdr_environment);
}

} // namespace quadrille
#endif
