# SPDX-License-Identifier: BSD-3-Clause
"""What the ranks do together, in Python, on any number of them."""
import asyncio
import datetime

import numpy as np
from mpi4py import MPI

import quadrille as q
from checks import check, verdict

comm = MPI.COMM_WORLD
rank, ranks = comm.rank, comm.size
after, before = (rank + 1) % ranks, (rank - 1) % ranks


def partners():
    sends = q.Partners.from_sends(comm, [after], [3])
    view = sends.look()
    check(list(view.source) == [before] and list(view.receive_items) == [3] and view.ranks == ranks, "sources are discovered")
    needs = q.Partners.from_receives(comm, np.array([before], "i4"), [2]).look()
    check(list(needs.destination) == [after], "destinations are discovered")
    both = q.Partners.from_both(comm, [after], [1], [before], [1], trusted=True)
    whole = both.gather()
    check(whole.ranks == ranks and (ranks == 1 or whole.measure().messages == ranks), "the whole matrix")
    check(q.Partners(comm, whole).look().send_items.sum() == (1 if ranks > 1 else whole.local()[0]), "of a pattern")
    came = q.discover(comm, {after: b"hello", rank: b""} if ranks > 1 else {rank: np.arange(5, dtype="u1")})
    check(sorted(came) == sorted({before, rank}) and len(came[before]) == 5, "parcels")
    check(any(one.name for one in q.discoveries()), "methods")


def plans():
    events = []
    sizes = np.arange(1, ranks + 1)
    with q.Partners.from_sends(comm, range(ranks), sizes) as known:
        plan = q.Plan(known, "paced", trace=events.append, deadline=datetime.timedelta(seconds=60), in_flight=2)
        usual = q.Plan(known, options=q.PlanOptions(reuse=100, item_bytes=8))
        out = np.repeat(np.arange(ranks), sizes) + 100.0 * rank
        expected = np.repeat(100.0 * np.arange(ranks) + rank, rank + 1)
        check((plan.exchange(out) == expected).all(), "an exchange")
        check(events[0].kind == "start" and events[-1].kind == "end", "its events")
        into = np.zeros((rank + 1) * ranks)
        check(usual.exchange(out, into) is into and (into == expected).all(), "into an array of mine")
        check(usual.look().why and plan.look().algorithm == "paced" and plan.partners.ranks == ranks, "what runs")
        parts = [np.full((size, 2), rank, "i4") for size in sizes]
        came = [np.zeros((rank + 1, 2), "i4") for _ in range(ranks)]
        plan.exchange(parts, came)
        check([int(one[0, 0]) for one in came] == list(range(ranks)), "an array for each partner")
        one, two = plan.start(out), plan.start(2 * out)
        check(not one.done or one.wait() is not None, "what is under way")
        q.wait_all(one, two)
        check((two.wait() == 2 * expected).all() and one.done and one.test(), "two at once")
        with plan.start(out, into):
            q.progress()
        pending = plan.start(out)
        while not pending.test():
            q.progress()
        check(q.wait_any(pending) == -1 and q.test_any(pending) == -1 and q.test_all(pending), "what has ended")
        pending = plan.start(out)
        check(q.wait_any(pending) == 0, "one of one")
        pending = plan.start(out)
        while not q.test_all(pending):
            pass
        pending = plan.start(out)
        while q.test_any(pending) == -1 and not pending.done:
            pass

        async def wait():
            return await plan.start(out)
        check((asyncio.run(wait()) == expected).all(), "with asyncio")
        fewer = plan.exchange(out[:ranks], outgoing_items=np.ones(ranks, int), incoming_items=np.ones(ranks, int))
        check(len(fewer) == ranks, "other sizes")
        offsets = np.arange(ranks) * ranks
        spread = plan.exchange(np.repeat(np.arange(float(ranks)), ranks), np.zeros(ranks * (rank + 1)), outgoing_offset=offsets)
        check((spread == rank).all(), "offsets")
        usual.tune()
        check(usual.candidates() and q.pacings() and q.stall_report() == "", "candidates and pacings")
        whole = known.gather()
        given = q.Plan(known, schedule=q.Schedule(whole, "coloring"))
        check((given.exchange(out) == expected).all(), "a schedule that was given")
        runs = given.schedule()
        check(runs is not None and len(runs.row(rank).send) <= ranks and plan.schedule() is None, "the schedule that runs")
        runs.close()
        given.close()
        check(q.Plan(known).look().exchanges == 0, "a plan that is dropped")

    def stumble(_event):
        raise RuntimeError("in a trace")
    stumbling = q.Plan(q.Partners.from_sends(comm, [rank], [1]), "paced", trace=stumble)
    try:
        stumbling.exchange(np.zeros(1))
        check(False, "what a trace raises comes out")
    except RuntimeError as error:
        check("trace" in str(error), "what a trace raises")


def maps():
    here, there = np.array([3, 4, 5]), np.array([0, 1, 2])
    needs = q.Map(comm, receives=q.Links([after] * 3, here, there), reverse="combine")
    narrow = q.Map(comm, receives=q.Links(np.full(3, after, "i4"), here.astype("i4"), there.astype("i4")))
    array = np.array([10 * rank, 10 * rank + 1, 10 * rank + 2, -1, -1, -1], float)
    twin = array.copy()
    needs.exchange(array)
    narrow.exchange(twin)
    check((array == twin).all() and array[3] == 10 * after and needs.reach == (3, 6), "ghosts")
    needs.exchange(q.Field(array, operation="sum"), reverse=True)
    check(array[1] == 2 * (10 * rank + 1), "sums in reverse")

    def larger(into, came):
        np.maximum(into, came, out=into)
    source, target = np.array([0.0, 0, 0, 1, 2, 3]), np.full(6, 2.0)
    needs.start(q.Field(source, target, larger), reverse=True).wait()
    check(list(target) == [2, 2, 3, 2, 2, 2], "a function of mine")
    field = q.Field(array)
    for _ in range(3):
        needs.exchange(field)
    whole, pairs = np.arange(6) + 7 * rank, np.zeros(6, [("a", "f8"), ("b", "i4", 2)])
    pairs["a"], pairs["b"] = rank, 5
    needs.exchange(field, whole, pairs)
    check(whole[3] == 7 * after and pairs["a"][4] == after, "three fields")
    needs.exchange(q.Field(pairs, operation="sum"), reverse=True)
    check(pairs["a"][0] == 2 * rank and pairs["b"][0, 0] == 10, "structures, summed field by field")
    strided = np.zeros((6, 4))
    strided[:, 1] = array
    needs.exchange(strided[:, 1])
    check(strided[3, 1] == array[3] and strided[3, 0] == 0, "a column, where it lies")
    wide = np.full((6, 2, 2), rank, "c16")
    needs.exchange(wide)
    check((wide[3:] == after).all(), "complex matrices as elements")
    dates = np.full(6, rank, "M8[s]")
    needs.exchange(dates)
    check(dates[5] == np.datetime64(after, "s"), "what is only moved")
    view = needs.partners
    check(view.source[0] == after and view.destination[0] == before and needs.plan(True) is not None and narrow.plan(True) is None,
          "partners and plans")
    check(needs.candidates() and needs.candidates(True) and not narrow.candidates(True), "what a plan could run")
    check(all(one is None or one.look().algorithm for one in (needs.schedule(), narrow.schedule(True))), "what a plan runs")
    both = q.Map(comm, q.Links([after], [0], count=np.array([1], "i4")), q.Links([before], [1], count=[1]), trusted=True,
                 plan=q.PlanOptions(algorithm="async"))
    pair = np.array([rank, -1])
    both.exchange(pair)
    check(pair[1] == before, "both sides")
    both.relist(receives=q.Links([before], [2], count=[1]))
    triple = np.array([rank, -1, -1])
    both.exchange(triple)
    check(list(triple) == [rank, -1, before] and both.reach == (1, 3), "other lists")

    letters, starts = np.zeros(8, "u1"), [0, 2, 2 + rank + 1]
    letters[:3 + rank] = rank
    into = np.zeros(16, "u1")
    into_starts = [0, 2, 2 + before + 1, 2 + before + 1]
    varying = q.Map(comm, q.Links([after] * 2, [0, 1]), q.Links([before] * 2, [0, 1]))
    varying.exchange(q.Field(letters[:3 + rank], into, source_start=starts, target_start=into_starts[:3]))
    check((into[:3 + before] == before).all(), "elements of varying size")

    grid = np.zeros((4, 3))
    grid[1:3] = rank
    halo = q.Map.from_boxes(comm, q.Boxes([4, 3], [after], [[2, 0]], [[1, 3]]), q.Boxes([4, 3], [before], [[0, 0]], [[1, 3]]))
    halo.exchange(grid)
    check((grid[0] == before).all() and (grid[3] == 0).all(), "boxes")

    kept = q.Map(comm, receives=q.Links([after] * 3, here, there), keeps_incoming=True)
    check(len(kept.incoming(0, "f8")) == 0, "nothing has come")
    kept.exchange(array)
    came = kept.incoming(0, "f8")
    check(len(came) == 3, "what is kept")
    where = kept.ghost_places([after] * 3)
    check(list(where.position) == [0, 1, 2] and (kept.ghosts(where) > 0).all(), "ghosts where they lie")


def deliveries():
    items = np.arange(ranks * 2) + 100 * rank
    destination = np.repeat(np.arange(ranks), 2)
    came = q.deliver(comm, items, destination)
    check(list(came.source) == list(range(ranks)) and (came.data % 100 // 2 == rank).all(), "a delivery")
    check((q.deliver(comm, items, counts=np.full(ranks, 2)).data == came.data).all(), "by groups")
    check((q.deliver(comm, items[:2], rank=[after], counts=[2]).data == 100 * before + np.arange(2)).all(), "to one")
    check(len(q.deliver(comm, items[:0], destination[:0]).data) == 0, "nothing")
    pending = q.deliver_start(comm, np.stack((items, items), 1), destination)
    check(pending.wait().data.shape == (2 * ranks, 2) and q.deliver(comm, came.data, np.zeros(2 * ranks, int)) is not None, "started")
    blocks = np.arange(ranks * 2.0) + 100 * rank
    out = q.alltoall(comm, blocks)
    check((out == q.alltoall(comm, blocks, np.zeros(ranks * 2), "PEX" if ranks in (1, 2, 4, 8) else "linear")).all(), "all to all")
    check((q.alltoall_start(comm, blocks).wait() == out).all() and out[-1] == 100 * (ranks - 1) + 2 * rank + 1, "started")
    data = np.full(5, rank)
    q.prepare(comm)
    q.broadcast(comm, range(ranks), data, "linear")
    check((data == 0).all(), "a broadcast")


def directories():
    own, need = np.array([10 * rank, 10 * rank + 1]), np.array([10 * after + 1, 10 * rank])
    with q.Directory(comm, payload="f8", caches=True) as directory:
        directory.insert(own, payload=own * 0.5)
        found = directory.find(np.append(need, 999))
        check(list(found.owner) == [after, rank, q.NOBODY] and list(found.place) == [1, 0, -1] and found.unknown == 1, "who has it")
        check(found.payload[0] == need[0] * 0.5 and directory.look().asked >= 0, "a payload")
        check(directory.update([10 * rank], place=[7]) == 0 and directory.remove([10 * rank + 1]) == 0, "changes")
        check(directory.insert_start([10 * rank + 1]).wait() == 0, "started")
        check(directory.update_start([998]).wait() == 1 and directory.remove_start([998]).wait() == 1, "unknown")
        check(list(directory.find_start([10 * after]).wait().place) == [7], "found")
    placed = q.Directory(comm, placement=lambda number: number % ranks)
    placed.insert([rank])
    check(placed.find([after]).owner[0] == after, "where a function says")
    blocks = q.Directory(comm, placement="block", limit=ranks)
    blocks.insert(np.array([rank], "i4"))
    check(blocks.find([after]).owner[0] == after and blocks.look().entries >= 0, "in blocks")
    who = q.resolve(comm, own, need, limit=1000)
    check(list(who.owner) == [after, rank] and list(who.place) == [1, 0] and who.report.memory >= 0, "resolved")
    check(list(q.resolve(comm, own, need, boundary=[0, 1]).owner) == [after, rank], "with a boundary")
    bring = q.resolve_map(comm, own.astype("i4"), need.astype("i4"), np.array([2, 3], "i4"), plan=q.PlanOptions(deadline=60))
    array = np.array([rank, rank + 0.5, 0, 0])
    bring.exchange(array)
    check(array[2] == after + 0.5 and array[3] == rank, "a map from numbers alone")
    check(q.resolve_methods()[0].name == "directory", "methods")


def migrations():
    seen = []
    items = np.zeros((8, 2))
    items[:2] = rank
    moved = q.migrate(comm, items, [after, rank], progress=lambda *numbers: seen.append(numbers))
    check(sorted(moved.items[:, 0]) == sorted([before, rank]) and moved.report.method, "items move")
    check(q.migrate_start(comm, items, [rank, rank], memory=0).wait().report.left == 0, "none moves")
    kept, report = q.migrate_objects(comm, [{"from": rank}, "stays"], [after, rank])
    check(sorted(map(str, kept)) == sorted(["stays", str({"from": before})]) and report.came == (ranks > 1), "objects move")
    again, _ = q.migrate_objects_start(comm, kept, [rank] * len(kept), deadline=60).wait()
    check(again == kept, "they stay")


def couplings():
    with q.Program(comm, "pair", 60) as program:
        check(program.comm.size == ranks, "the program's own ranks")
        with q.Coupling(program, "pair") as coupling:
            check(coupling.look().transport == "self" and coupling.look().peer == "pair", "a coupling")
            rows = q.Layout(q.Axis(8, "block", ranks), q.Axis(6))
            columns = q.Layout(q.Axis(8), q.Axis(6, "cyclic", ranks))
            out, into = q.Coupled("t", rows, "f8", q.Region.all(rows)), q.Coupled("t", columns, "f8")
            stream = q.Stream(coupling, "turn", [out], [into], q.StreamOptions(computes="both", queue=4, plan=q.PlanOptions()))
            mine, turned = np.zeros(rows.room(rank)), np.zeros(max(columns.room(rank), 1))
            for place in range(rows.share(rank)[0]):
                i, j = rows.index(rank, place)
                mine[place] = 10 * i + j
            stream.export(1, mine)
            check(stream.import_(1, turned) == 1, "an import")
            check(all(turned[place] == 10 * columns.index(rank, place)[0] + columns.index(rank, place)[1]
                      for place in range(columns.share(rank)[0])), "turned")
            stream.export(2, mine)
            near = stream.import_start(2.4, turned, match="nearest", tolerance=0.5)
            stream.export(3, mine)
            check(near.wait() == 2, "the nearest")
            q.progress()
            stream.promise(10)
            check(stream.import_(9, turned) is None, "nothing matches")
            view = stream.look()
            check(view.exports == 3 and view.elements == 48 and view.computed == "both", "what ran")
            made = stream.schedule()
            check(len(made.start) == len(made.partner) + 1 and len(made.place) == rows.share(rank)[0], "its schedule")
            stream.close()

            def where(elements):
                return elements % ranks, elements // ranks
            asked = q.Layout.dereferenced([12], 12 * rank // ranks, 12 * (rank + 1) // ranks - 12 * rank // ranks, where)
            plain = q.Layout(q.Axis(12, "block", ranks))
            stream = q.Stream(coupling, "ask", [q.Coupled("x", asked, "i4")], [q.Coupled("x", plain, "i4", operation="sum")])
            stream.export(0, np.full(12, rank, "i4"))
            counted = np.zeros(12, "i4")
            stream.import_(0, counted)
            check(counted[0] == (rank * -(-12 // ranks)) % ranks, "a function says where")
            stream.close()


for one in (partners, plans, maps, deliveries, directories, migrations, couplings):
    one()
verdict(rank, "parallel")
