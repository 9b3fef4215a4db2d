/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the tests of the C++ headers have in common: checks that name their line, and wrong uses with the status and a part of the
 * sentence that they have to give, as an exception and as an error code.
 */
#ifndef TESTS_CPP_TESTING_HPP
#define TESTS_CPP_TESTING_HPP

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "quadrille.hpp"

namespace testing {

inline int failures = 0, uses = 0;

inline void check(bool is_right, const char *what, const char *file, int line) {
    if (is_right) return;
    std::fprintf(stderr, "%s:%d: %s does not hold\n", file, line, what);
    failures++;
}

#define CHECK(what) testing::check((what), #what, __FILE__, __LINE__)

/* `use(report)` is wrong: called with what throws, and with an error code. */
template <class Use> void wrong(const char *file, int line, qdr_status status, const char *part, Use use) {
    uses++;
    bool has_thrown = false;
    try {
        use(quadrille::throws{});
    } catch (const quadrille::error &error) {
        has_thrown = true;
        check(error.status() == status, "the status of the exception", file, line);
        check(error.code() == make_error_code(status), "its code", file, line);
        const bool is_said = *part && std::strstr(error.what(), part) != nullptr;
        if (!is_said || error.status() != status)
            std::fprintf(stderr, "%s:%d: %s: %s\n", file, line, qdr_status_text(error.status()),
                         error.what());
        check(is_said, "its sentence", file, line);
    }
    check(has_thrown, "that it throws", file, line);
    std::error_code code;
    use(code);
    check(code == make_error_code(status), "the error code", file, line);
}

#define WRONG(status, part, use)                                                                             \
    testing::wrong(__FILE__, __LINE__, (status), (part), [&](auto &&report) { use; })

inline int verdict(int rank, const char *name) {
    if (failures == 0 && rank == 0) std::printf("%s: all well, %d wrong uses\n", name, uses);
    return failures > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

} // namespace testing
#endif
