/* SPDX-License-Identifier: BSD-3-Clause */
/* Types, operations and functions that combine: see quadrille/places.h. */
#ifndef QUADRILLE_PLACES_HPP
#define QUADRILLE_PLACES_HPP

#include <complex>
#include <cstring>

#include "quadrille/base.hpp"
#include "quadrille/places.h"

namespace quadrille {

namespace detail {

template <class T> constexpr qdr_type integer_of() noexcept {
    constexpr bool is_signed = std::is_signed_v<T>;
    switch (sizeof(T)) {
    case 1:
        return is_signed ? QDR_INT8 : QDR_UINT8;
    case 2:
        return is_signed ? QDR_INT16 : QDR_UINT16;
    case 4:
        return is_signed ? QDR_INT32 : QDR_UINT32;
    default:
        return is_signed ? QDR_INT64 : QDR_UINT64;
    }
}

} // namespace detail

/* The type of the library for one of the program's. What it knows no arithmetic of is QDR_BYTE, which is as good for everything
 * but combining. */
template <class T> constexpr qdr_type type_of() noexcept {
    using plain = std::remove_cv_t<T>;
    if constexpr (std::is_same_v<plain, float>)
        return QDR_FLOAT;
    else if constexpr (std::is_same_v<plain, double>)
        return QDR_DOUBLE;
    else if constexpr (std::is_same_v<plain, std::complex<float>>)
        return QDR_FLOAT_COMPLEX;
    else if constexpr (std::is_same_v<plain, std::complex<double>>)
        return QDR_DOUBLE_COMPLEX;
    else if constexpr (std::is_integral_v<plain> && !std::is_same_v<plain, bool> && sizeof(plain) <= 8)
        return detail::integer_of<plain>();
    else
        return QDR_BYTE;
}

/* Values of that type in one T. */
template <class T> constexpr std::int64_t width_of() noexcept {
    return type_of<T>() == QDR_BYTE ? static_cast<std::int64_t>(sizeof(T)) : 1;
}

inline std::int64_t bytes_of(qdr_type type) noexcept {
    return qdr_type_bytes(type);
}
inline const char *name_of(qdr_type type) noexcept {
    return qdr_type_name(type);
}
inline const char *name_of(qdr_operation operation) noexcept {
    return qdr_operation_name(operation);
}
inline bool suits(qdr_operation operation, qdr_type type) noexcept {
    return qdr_operation_suits(operation, type) != 0;
}

namespace detail {

/* Calls `T function(T there, T came)` for each T of each element. What comes may have any alignment. */
template <class T, class Function>
void combine(void *context, void *into, const void *from, std::int64_t count, std::int64_t bytes) {
    Function &function = *static_cast<Function *>(context);
    T *there = static_cast<T *>(into);
    const char *came = static_cast<const char *>(from);
    for (std::int64_t i = 0; i < count * (bytes / static_cast<std::int64_t>(sizeof(T))); i++) {
        T value;
        std::memcpy(&value, came + i * static_cast<std::int64_t>(sizeof(T)), sizeof value);
        there[i] = function(there[i], value);
    }
}

template <class Function> void *context_of(Function &function) noexcept {
    return const_cast<void *>(static_cast<const void *>(std::addressof(function)));
}

} // namespace detail

} // namespace quadrille
#endif
