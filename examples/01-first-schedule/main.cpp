/* SPDX-License-Identifier: BSD-3-Clause */
/* The shortest way from messages to a schedule, in C++: what fails, throws, and objects destroy themselves. */
#include "quadrille.hpp"

int main() try {
    const qdr_message messages[] = {/* origin, destination, items */
                                    {0, 1, 400}, {0, 2, 100}, {0, 3, 900}, {1, 0, 250},
                                    {1, 3, 100}, {2, 3, 700}, {3, 1, 300}, {3, 2, 50}};
    const quadrille::pattern pattern(4, messages);
    const quadrille::schedule schedule(pattern, "coloring");
    schedule.check(); /* every item arrives once, no rank is hit twice */
    quadrille::write_text(schedule.steps(), stdout);
    return EXIT_SUCCESS;
} catch (const quadrille::error &error) {
    std::fprintf(stderr, "%s: %s\n", quadrille::text_of(error.status()), error.what());
    return EXIT_FAILURE;
}
