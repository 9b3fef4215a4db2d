/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Quadrille in C++17: all of quadrille-mpi.h, without any code of its own in the way.
 *
 *     quadrille::partners partners = quadrille::partners::from_sends(comm, destination, items);
 *     quadrille::plan plan(partners);
 *     for (...) plan.exchange(quadrille::buffers::of(outgoing, incoming));
 *
 * The rules, for the whole header:
 *
 * - *Objects* own what they stand for: they move, they do not copy, and their destructor destroys. `get()` is the handle of C for whatever
 *   is missing here.
 * - *Errors* are exceptions of the class quadrille::error, which have the status and the sentence. Every function that can
 *   fail takes a last argument that may be a std::error_code: then nothing is thrown, and what was to be returned is empty.
 *   The sentence is then quadrille::message().
 * - *Lists* are spans (std::span where there is one). They are only looked at during the call, unless it is said that they are borrowed. An
 *   empty list stands for the NULL of C: a default, or not wanted.
 * - *Structs* of C that are options or descriptions are bases of classes here: all of their members are there, and
 *   the constructor has set them to the defaults.
 * - *Functions* that the library calls are lambdas or other objects that can be called. They are borrowed, not copied: as long as
 *   the library may call one, it has to live. None may throw; what a callback throws ends the program.
 * - *Deadlines* are std::chrono durations, or seconds.
 *
 * Who calls what, and what it costs, stands in the headers of C; Collective and Local mean the same here. Needs no library beside
 * libquadrille: everything is inline.
 */
#ifndef QUADRILLE_HPP
#define QUADRILLE_HPP

#include "quadrille/base.hpp"
#include "quadrille/collectives.hpp"
#include "quadrille/couple.hpp"
#include "quadrille/deliver.hpp"
#include "quadrille/directory.hpp"
#include "quadrille/layout.hpp"
#include "quadrille/machine.hpp"
#include "quadrille/map.hpp"
#include "quadrille/migrate.hpp"
#include "quadrille/moves.hpp"
#include "quadrille/partners.hpp"
#include "quadrille/pattern.hpp"
#include "quadrille/pending.hpp"
#include "quadrille/places.hpp"
#include "quadrille/plan.hpp"
#include "quadrille/schedule.hpp"

#endif
