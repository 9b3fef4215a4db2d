# SPDX-License-Identifier: BSD-3-Clause
"""Quadrille: irregular communication between the ranks of a parallel program, on mpi4py and NumPy.

    from mpi4py import MPI
    import quadrille as q

    plan = q.Plan(q.Partners.from_sends(MPI.COMM_WORLD, destination, items))
    incoming = plan.exchange(outgoing)

Patterns, machines and schedules need no second process; `q.compare(q.Pattern("random:n=64,density=0.2,bytes=1K"), "cm5")` is a table.
Each function says whether it is Collective, called by all ranks of the communicator in the same order, or Local. What fails raises
`q.Error`, with one sentence that says what was wrong, and where. Arrays are used as they lie in memory: nothing is copied.
"""
from mpi4py import MPI as _MPI

from ._c import ffi as _ffi, lib as _lib


def _check_mpi() -> None:
    """mpi4py and the library have the same MPI; two in one process cannot work."""
    letters, length = _ffi.new("char[]", _lib.MPI_MAX_LIBRARY_VERSION_STRING), _ffi.new("int *")
    _lib.MPI_Get_library_version(letters, length)
    ours, theirs = _ffi.string(letters).decode(), _MPI.Get_library_version()
    if ours.split(",")[0].strip() != theirs.rstrip("\0").split(",")[0].strip():
        raise ImportError(f"quadrille was built with {ours.splitlines()[0]!r}, mpi4py with {theirs.splitlines()[0]!r}; "
                          "both have to use one MPI")


_check_mpi()

from ._arrays import operations, suits, type_of, types, value_bytes
from ._base import (ArgumentError, Error, FileError, OutOfMemoryError, PeerError, StalledError, Status, UnknownError, Variable,
                    environment, set_log, version)
from ._collectives import alltoall, alltoall_start, broadcast, prepare
from ._couple import Coupled, Coupling, CouplingView, Program, Schedules, Stream, StreamOptions, StreamView
from ._deliver import Arrivals, deliver, deliver_start
from ._directory import (NOBODY, Directory, DirectoryView, Found, Resolved, ResolveMethod, ResolveReport, resolve, resolve_map,
                         resolve_methods)
from ._layout import HERE, Axis, Box, Layout, Region
from ._machine import KnownMachine, Machine, Parameters, machines
from ._map import Boxes, Field, GhostPlaces, Links, Map
from ._migrate import Migrated, MigrationReport, migrate, migrate_objects, migrate_objects_start, migrate_start
from ._moves import Moves, MovesInfo, MovesMethod, least_room, moves_methods
from ._partners import Discovery, Partners, PartnersView, discover, discoveries
from ._pattern import Family, Pattern, Statistics, pattern_families
from ._pending import Pending, progress, test_all, test_any, wait_all, wait_any
from ._pictures import Picture, colour, tick
from ._plan import Candidate, Event, Pacing, Plan, PlanInfo, PlanOptions, pacings, stall_report
from ._schedule import (Algorithm, Bounds, Piece, Prediction, Row, Schedule, ScheduleInfo, Table, Transfer, algorithm, algorithms,
                        bounds, broadcast_steps, candidates, compare, predict_steps, predict_way, reason, steps_text)

__version__ = version()
__all__ = [
    "Algorithm", "ArgumentError", "Arrivals", "Axis", "Bounds", "Box", "Boxes", "Candidate", "Coupled", "Coupling",
    "CouplingView", "Directory", "DirectoryView", "Discovery", "Error", "Event", "Family", "Field", "FileError", "Found",
    "GhostPlaces", "HERE", "KnownMachine", "Layout", "Links", "Machine", "Map", "Migrated", "MigrationReport", "Moves",
    "MovesInfo", "MovesMethod", "NOBODY", "OutOfMemoryError", "Pacing", "Parameters", "Partners", "PartnersView", "Pattern",
    "PeerError", "Pending", "Picture", "Piece", "Plan", "PlanInfo", "PlanOptions", "Prediction", "Program", "Region",
    "ResolveMethod", "ResolveReport", "Resolved", "Row", "Schedule", "ScheduleInfo", "Schedules", "StalledError", "Statistics",
    "Status", "Stream", "StreamOptions", "StreamView", "Table", "Transfer", "UnknownError", "Variable", "algorithm",
    "algorithms", "alltoall", "alltoall_start", "bounds", "broadcast", "broadcast_steps", "candidates", "colour", "compare",
    "deliver", "deliver_start", "discover", "discoveries", "environment", "least_room", "machines", "migrate",
    "migrate_objects", "migrate_objects_start", "migrate_start", "moves_methods", "operations", "pacings", "pattern_families",
    "predict_steps", "predict_way", "prepare", "progress", "reason", "resolve", "resolve_map", "resolve_methods", "set_log",
    "stall_report", "steps_text", "suits", "test_all", "test_any", "tick", "type_of", "types", "value_bytes", "version",
    "wait_all", "wait_any"]
