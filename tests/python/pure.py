# SPDX-License-Identifier: BSD-3-Clause
"""What needs one process alone, in Python: patterns, machines, schedules, moves, layouts, pictures, and what can be wrong with them."""
import gc
import os
import re
import tempfile
import xml.dom.minidom

import numpy as np
from scipy import sparse

import quadrille as q
from checks import check, raises, verdict, wrong
from quadrille import Status
from quadrille._c import ffi, lib


def base():
    check(re.fullmatch(r"\d+\.\d+\.\d+", q.version()), "a version")
    names = [name for name in dir(lib) if name.startswith("QDR_ERR_")]
    check({name[8:]: getattr(lib, name) for name in names} == {one.name: int(one) for one in Status if one}, "Status has all of C")
    check(Status.STALLED.text == "the deadline passed" and issubclass(q.StalledError, TimeoutError), "texts and classes")
    check(q.environment()[0].name.startswith("QDR_"), "the environment")
    check("double" in q.types() and "sum" in q.operations() and q.value_bytes("f8") == 8, "types")
    check(q.suits("sum", "f8") and not q.suits("bitwise-and", "f8") and q.type_of(">i4") == lib.QDR_BYTE, "operations")
    lines = []
    q.set_log(lines.append)
    q.set_log(None)
    check(not lines, "nobody says anything")
    wrong(Status.INVALID, "objects", "objects are not numbers", q.type_of, object)


def patterns():
    pattern = q.Pattern("random:n=16,density=0.5,bytes=100,seed=1")
    known = pattern.measure()
    origin, destination, items = pattern.messages()
    check(pattern.ranks == 16 and known.messages == len(items) and known.items == items.sum(), "a pattern from a text")
    check("16 ranks" in repr(pattern) and known.kind.count("-") >= 1, "how it looks")
    again = q.Pattern.from_messages(16, origin, destination, items)
    check((again.matrix() == pattern.matrix()).all(), "from messages")
    check((q.Pattern.from_matrix(pattern.matrix()).matrix() == pattern.matrix()).all(), "from a matrix")
    full = pattern.matrix() + np.diag(np.arange(16))
    both = q.Pattern.from_matrix(sparse.csr_matrix(full))
    check((both.to_scipy().toarray() == full).all() and (both.local() == np.arange(16)).all(), "to SciPy and back")
    check((q.Pattern.from_text(pattern.to_text()).matrix() == pattern.matrix()).all(), "a file")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.mtx")
        both.save(path)
        check((q.Pattern.load(path).matrix() == full).all(), "a file on disk")
    check(any(one.name == "random" for one in q.pattern_families()), "families")
    xml.dom.minidom.parseString(pattern._repr_svg_())
    with pattern:
        pass
    check(pattern.closed and "closed" in repr(pattern), "it is gone")
    pattern.close()
    wrong(Status.INVALID, "closed", "a pattern that is gone", pattern.measure)
    wrong(Status.UNKNOWN, "magic", "a family that there is not", q.Pattern, "magic:n=4")
    wrong(Status.RANGE, "9", "a rank that there is not", q.Pattern.from_messages, 4, [0], [9], [1])
    wrong(Status.RANGE, "-1", "items below zero", q.Pattern.from_messages, 4, [0], [1], [-1])
    wrong(Status.INVALID, "twice", "a pair twice", q.Pattern.from_messages, 4, [0, 0], [1, 1], [1, 1])
    wrong(Status.INVALID, "different lengths", "lists of different lengths", q.Pattern.from_messages, 4, [0, 1], [1], [1])
    wrong(Status.INVALID, "whole", "half a rank", q.Pattern.from_messages, 4, [0.5], [1], [1])
    wrong(Status.INVALID, "dimensions", "a list of lists", q.Pattern.from_messages, 4, [[0]], [1], [1])
    wrong(Status.INVALID, "beyond", "a rank that no int holds", q.Pattern.from_messages, 4, [2 ** 40], [1], [1])
    wrong(Status.INVALID, "3 x 4", "a matrix that is not square", q.Pattern.from_matrix, np.zeros((3, 4), int))
    wrong(Status.INVALID, "dimensions", "a matrix with one dimension", q.Pattern.from_matrix, np.zeros(3, int))
    wrong(Status.INVALID, "whole", "half an item", q.Pattern.from_matrix, np.full((2, 2), 0.5))
    wrong(Status.SYNTAX, "text", "no file of Matrix Market", q.Pattern.from_text, "hello")
    wrong(Status.SYNTAX, "expected the banner", "an empty file", q.Pattern.from_text, "")
    valueless = "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n"
    wrong(Status.VALUELESS, "without values", "a file without values", q.Pattern.from_text, valueless)
    check(q.Pattern.from_text(valueless, pattern_items=7).measure().items == 7, "what stands for a value")
    raises(FileNotFoundError, "/nowhere/at/all", "a file that is not there", q.Pattern.load, "/nowhere/at/all")


def machines():
    machine = q.Machine("mesh:columns=4,tau=1us,mu=1ns", 16)
    known = machine.look()
    check(known.ranks == machine.ranks == 16 and known.ports in ("full", "half", "paired") and machine.topology == "mesh", "a machine")
    check("mesh" in machine.spec and "mesh" in repr(machine) and machine.wire_bytes(10) >= 10, "what it was made of")
    route = machine.route(0, 15)
    check(0 < len(route) <= machine.route_limit <= machine.links and machine.route(3, 3) == [], "routes")
    check(machine.link_bandwidth(route[0]) > 0 and machine.link_streams(route[0]) >= 1 and machine.latency(0, 15) >= 0, "links")
    check("platform" in machine.to_simgrid() and any(one.is_preset for one in q.machines()), "SimGrid, and what there is")
    wrong(Status.UNKNOWN, "magic", "a machine that there is not", q.Machine, "magic", 4)
    wrong(Status.INVALID, "16", "a rank that there is not", machine.route, 0, 16)
    wrong(Status.INVALID, "link", "a link that there is not", machine.link_streams, 10000)
    wrong(Status.INVALID, "link", "a link that there is not", machine.link_bandwidth, -1)
    wrong(Status.INVALID, "rank -1", "a rank below zero", machine.latency, -1, 0)
    machine.close()
    check("closed" in repr(machine), "a machine that is gone")
    wrong(Status.INVALID, "closed", "a machine that is gone", machine.look)


def schedules():
    pattern, machine = q.Pattern("random:n=16,density=0.5,bytes=1K,seed=1"), q.Machine("cm5", 16)
    schedule = q.Schedule(pattern, "coloring", machine)
    known, steps = schedule.look(), schedule.predicted_steps(machine)
    schedule.check()
    check(known.algorithm == "coloring" and "permutation" in known.promises and known.transfers == len(steps), "a schedule")
    check(abs(schedule.predict(machine).seconds - steps["end"].max()) < 1e-12, "its prediction")
    check(q.predict_steps(steps, machine).seconds == schedule.predict(machine).seconds, "of steps")
    limit = q.bounds(pattern, machine)
    check(0 < limit.any <= limit.direct <= schedule.predict(machine).seconds * 1.0001, "bounds")
    rows = [schedule.row(rank) for rank in range(16)]
    check(sum(len(row.send) for row in rows) == len(steps), "rows")
    check(all(sum(piece.length for piece in one.pieces) == one.items for row in rows for one in row.send), "pieces")
    again = q.Schedule.from_json(schedule.to_json(), pattern, machine)
    again.check()
    check((again.steps() == schedule.steps()).all(), "JSON and back")
    check(len(schedule.to_text().splitlines()) == known.phases and q.steps_text(steps), "as text")
    xml.dom.minidom.parseString(schedule._repr_svg_())
    xml.dom.minidom.parseString(schedule.to_svg(machine, title="of a test"))
    check((q.Pattern.from_text(schedule.pattern_text()).matrix() == pattern.matrix()).all(), "whose it is")
    check("coloring" in repr(schedule) and q.algorithm("GS").name == "greedy" and len(q.algorithms()) > 10, "names")
    check(q.predict_way(pattern, machine, "paced") > 0 and q.predict_way(pattern, machine, "pairwise", "turns", window=4096) > 0, "ways")
    check(q.candidates(pattern) and q.reason(pattern), "what a plan would try")
    check(len(q.broadcast_steps("recursive", range(8), 100)) == 7 and len(q.broadcast_steps("linear", [3], 1)) == 0, "a broadcast")
    table = q.compare(pattern, machine, item_bytes=4)
    check(len(table) > 5 and table.best is table[0] and "coloring" in str(table) and "<table>" in table._repr_html_(), "a table")
    check([row["algorithm"] for row in q.compare(pattern, algorithms=["linear", "coloring"])].count("linear") == 1, "of some")
    check(list(table.to_pandas()["algorithm"]) == [row["algorithm"] for row in table], "as a frame")
    wrong(Status.UNKNOWN, "magic", "an algorithm that there is not", q.Schedule, pattern, "magic")
    wrong(Status.UNKNOWN, "magic", "an algorithm that there is not", q.algorithm, "magic")
    wrong(Status.UNKNOWN, "magic", "an algorithm that there is not", q.compare, pattern, machine, ["magic"])
    wrong(Status.INVALID, "empty", "the best of nothing", lambda: q.compare(pattern, machine, []).best)
    wrong(Status.INVALID, "16 ranks", "a row that there is not", schedule.row, 99)
    wrong(Status.INVALID, "steps", "steps of another kind", q.steps_text, np.zeros(3))
    wrong(Status.RANGE, "4 ranks", "a machine of other ranks", schedule.predict, q.Machine("cm5", 4))
    wrong(Status.SYNTAX, "expected a schedule", "no schedule", q.Schedule.from_json, "{", pattern)
    wrong(Status.RUNTIME, "no schedule beforehand", "what is scheduled at run time", q.Schedule, pattern, "paced")
    wrong(Status.INVALID, "is not predicted", "a way that is not predicted", q.predict_way, pattern, machine, "distributed")
    wrong(Status.INVALID, "negative", "items of no bytes", schedule.predict, machine, -1)
    wrong(Status.UNKNOWN, "round", "a broadcast that there is not", q.broadcast_steps, "round", [0, 1], 1)
    broken = re.sub(r"\[\[(\d+, \d+), 0, \d+\]\]", r"[[\1, 0, 1]]", schedule.to_json(), count=1)
    wrong(Status.BROKEN, "instead of not at all", "a schedule that loses items", lambda: q.Schedule.from_json(broken, pattern).check())
    schedule.close()
    check("closed" in repr(schedule), "a schedule that is gone")
    wrong(Status.INVALID, "closed", "a schedule that is gone", schedule.look)


def moves():
    pattern = q.Pattern("random:n=8,density=0.5,bytes=100,seed=1")
    parking, without = q.least_room(pattern)
    made = q.Moves(pattern, [max(parking, without)] * 8)
    made.check()
    known = made.look()
    check(known.ranks == 8 and known.phases == len(made.phases()) >= known.bound >= 1, "moves")
    check(sum(int(phase["units"].sum()) for phase in made.phases()) == known.total + known.parked, "all of them")
    check(made.to_text() and '"' in made.to_json() and any(one.parks for one in q.moves_methods()), "as text")
    xml.dom.minidom.parseString(made._repr_svg_())
    wrong(Status.INVALID, "8 ranks", "room for others", q.Moves, pattern, [1, 2])
    wrong(Status.RANGE, "it has room for 0", "no room", q.Moves, pattern, [0] * 8)
    wrong(Status.UNKNOWN, "magic", "a method that there is not", q.Moves, pattern, [1000] * 8, "magic")


def layouts():
    layout = q.Layout(q.Axis(10, "block", 2), q.Axis(8, "cyclic", 3, block=2))
    check(layout.locate([9, 7])[0] == 3 and layout.index(*layout.locate([9, 7])) == (9, 7), "to and fro")
    check(sum(layout.share(rank)[0] for rank in range(6)) == 80 and layout.room(0) > 0, "shares")
    cuts = q.Layout(q.Axis(10, "cuts", 2, cut=[0, 3, 10], ghost_below=1), order="column", offset=2, rank=[1, 0])
    check(cuts.locate([0]) == (1, 3), "cuts, ghosts and an offset")
    strided = q.Layout(q.Axis(4), q.Axis(2), stride=[3, 1])
    check(strided.locate([1, 1]) == (0, 4), "strides")
    boxes = q.Layout.boxes([4, 4], [q.Box([0, 0], [2, 4]), q.Box([2, 0], [4, 4], stride=[4, 1], offset=8)])
    check(boxes.locate([3, 1])[1] == 13 and boxes.room(0) == 16, "boxes")
    check(q.Layout.runs([100], [10, 50], [5, 5]).locate([51]) == (q.HERE, 6), "runs")
    check(q.Layout.runs([100], [10, 50]).share(q.HERE)[0] == 2, "runs of one")
    check(q.Layout.entries([10], [3, 4], [1, 0], [7, 8]).locate([3]) == (1, 7), "entries")
    region = q.Region(2).add_box([0, 0], [4, 4], [2, 2]).add_list([[1, 1], [3, 3]])
    check(len(region) == 6 and region.number([3, 3]) == 5 and region.index(1) == (0, 2), "a region")
    check(len(q.Region.all(layout)) == 80 and len(q.Region(1).add_list([5, 2])) == 2, "all, and a list")
    wrong(Status.INVALID, "spread", "a spread that there is not", q.Layout, q.Axis(4, "round"))
    wrong(Status.INVALID, "order", "an order that there is not", q.Layout, q.Axis(4), order="zigzag")
    wrong(Status.INVALID, "cut has", "too few cuts", q.Layout, q.Axis(4, "cuts", 2, cut=[0, 4]))
    wrong(Status.INVALID, "rank has", "too few ranks", q.Layout, q.Axis(4, "block", 2), rank=[0])
    wrong(Status.INVALID, "-4", "an extent below zero", q.Layout, q.Axis(-4))
    wrong(Status.INVALID, "2 dimensions", "an index that is too short", layout.locate, [1])
    wrong(Status.RANGE, "is outside", "an element beyond", layout.locate, [100, 100])
    wrong(Status.UNKNOWN, "nothing is known here", "an element that it was not told of", q.Layout.runs([100], [10]).locate, [11])
    wrong(Status.INVALID, "lower has", "a box of other dimensions", q.Layout.boxes, [4, 4], [q.Box([0], [2])])
    wrong(Status.INVALID, "lengths", "entries of different lengths", q.Layout.entries, [4], [0], [0, 1], [0])
    wrong(Status.INVALID, "row of 2", "a list of other dimensions", q.Region(2).add_list, [1, 2, 3])
    wrong(Status.INVALID, "has element (1) already", "an element twice", q.Region(1).add_list, [1, 1])
    wrong(Status.UNKNOWN, "is not in the region", "an element that is not in it", region.number, [0, 1])
    wrong(Status.RANGE, "there is no number 99", "a number that is not in it", region.index, 99)
    wrong(Status.INVALID, "1 to 16", "no dimensions", q.Region, 0)


def pictures():
    with q.Picture(100, 100) as picture:
        picture.group('fill="#fff"')
        picture.rectangle(0, 0, 50, 50, 'fill="#000"', "a <title>")
        picture.circle(10, 10, 5)
        picture.line(0, 0, 9, 9, 'stroke="#000"')
        picture.text(3, 3, "words & letters")
        picture.group_end()
        picture.window(10, 10, 20, 20)
        picture.path('fill="none"')
        picture.pen_move(0, 0)
        picture.pen_line(5, 5)
        picture.pen_close()
        picture.pen_box(1, 1, 2, 2)
        picture.path_end("a path")
        picture.window_end()
    text = xml.dom.minidom.parseString(picture.svg).toxml()
    check("words &amp; letters" in text and picture._repr_svg_() == picture.svg, "a picture")
    check(q.colour(1) != q.colour(2) and q.tick(100) == 20, "colours and ticks")
    q.Picture(10, 10)  # which nobody closes
    gc.collect()
    wrong(Status.INVALID, "closed", "a picture that is there already", picture.circle, 1, 1, 1)
    wrong(Status.INVALID, "axis", "an axis of no length", q.tick, 0)


def exchanges_of_fields():
    array = np.zeros((4, 3))
    wrong(Status.INVALID, "contiguous", "elements with gaps", q.Field, np.zeros((4, 6))[:, ::2])
    wrong(Status.INVALID, "backwards", "elements that run backwards", q.Field, array[::-1])
    wrong(Status.INVALID, "neither", "a field of nothing", q.Field, None)
    wrong(Status.INVALID, "float32", "two types", q.Field, array, np.zeros((4, 3), "f4"))
    wrong(Status.INVALID, "element", "two shapes", q.Field, array, np.zeros((4, 2)))
    wrong(Status.INVALID, "operation", "an operation that there is not", q.Field, array, array, "average")
    wrong(Status.INVALID, "not defined", "bits of floating-point numbers", q.Field, array, array, "bitwise-and")
    wrong(Status.INVALID, "not defined", "the sum of dates", q.Field, np.zeros(4, "M8[s]"), None, "sum")
    wrong(Status.INVALID, "list", "a list", q.Field, [1, 2, 3])
    wrong(Status.INVALID, "single value", "a single value", q.Field, np.array(1.0))
    wrong(Status.INVALID, "objects", "objects", q.Field, np.array([None, 1]))
    fixed = np.zeros(3)
    fixed.flags.writeable = False
    wrong(Status.INVALID, "written", "an array that cannot be written", q.Field, fixed)
    wrong(Status.INVALID, "belong together", "starts of one side", q.Field, fixed, np.zeros(3), source_start=[0, 1])
    wrong(Status.INVALID, "rise", "starts that fall", q.Field, fixed, source_start=[0, 2, 1])
    wrong(Status.INVALID, "flat", "varying elements of a matrix", q.Field, array, source_start=[0, 2])
    check(ffi.sizeof("qdr_field") > 0 and q.Field(array, operation="sum").number == 1, "a field")
    pairs = np.zeros(4, [("a", "f8"), ("b", "i4", 3)])
    check(q.Field(pairs).number == 1 and q.Field(pairs, operation="sum").number == 2, "structures")


for one in (base, patterns, machines, schedules, moves, layouts, pictures, exchanges_of_fields):
    one()
verdict(0, "pure")
