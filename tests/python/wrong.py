# SPDX-License-Identifier: BSD-3-Clause
"""Wrong uses of what needs MPI, in Python: each raises its status and its sentence, on all ranks, and nothing crashes. Where only one
rank is wrong, all others hear of it too."""
import numpy as np
from mpi4py import MPI

import quadrille as q
from checks import check, raises, verdict, wrong
from quadrille import Status

comm = MPI.COMM_WORLD
rank, ranks = comm.rank, comm.size
after, before = (rank + 1) % ranks, (rank - 1) % ranks


def of_partners():
    wrong(Status.RANGE, "destination", "a rank that there is not", q.Partners.from_sends, comm, [ranks], [1])
    if ranks > 1:
        wrong(Status.INVALID, "twice", "a destination twice", q.Partners.from_sends, comm, [rank, rank], [1, 1])
    wrong(Status.RANGE, "-1", "items below zero", q.Partners.from_sends, comm, [rank], [-1])
    wrong(Status.INVALID, "different lengths", "lists of different lengths", q.Partners.from_sends, comm, [rank], [1, 1])
    wrong(Status.INVALID, "float64", "half a rank", q.Partners.from_receives, comm, [0.5], [1])
    wrong(Status.UNKNOWN, "magic", "a method that there is not", q.Partners.from_sends, comm, [rank], [1], "magic")
    wrong(Status.RANGE, "source", "a source that there is not", q.Partners.from_receives, comm, [ranks], [1])
    wrong(Status.MISMATCH, "which expects 0", "two ends that disagree", q.Partners.from_both, comm, [rank], [1], [], [])
    wrong(Status.INVALID, "lengths", "lists of different lengths", q.Partners.from_both, comm, [rank], [1, 2], [], [])
    wrong(Status.INVALID, "50", "a pattern of other ranks", q.Partners, comm, q.Pattern("complete:n=50,bytes=1"))
    wrong(Status.RANGE, "parcel 0 is rank", "a parcel for nobody", q.discover, comm, {ranks: b""})
    raises(TypeError, "bytes-like", "a parcel without bytes", q.discover, comm, {rank: 7})
    wrong(Status.INVALID, "communicator", "no communicator", q.Partners.from_sends, MPI.COMM_NULL, [rank], [1])
    wrong(Status.INVALID, "mpi4py", "a communicator of another kind", q.Partners.from_sends, 7, [rank], [1])
    if rank == 0:  # only this one is wrong
        wrong(Status.INVALID, "different lengths", "one wrong rank", q.Partners.from_sends, comm, [rank], [1, 1])
    else:
        wrong(Status.RANGE, "-1", "one wrong rank", q.Partners.from_sends, comm, [rank], [1])


def of_plans():
    known = q.Partners.from_both(comm, [after], [4], [before], [4])
    wrong(Status.UNKNOWN, "magic", "an algorithm that there is not", q.Plan, known, "magic")
    wrong(Status.UNKNOWN, "magic", "a pacing that there is not", q.Plan, known, pacing="magic")
    wrong(Status.UNKNOWN, "pigeon", "a transport that there is not", q.Plan, known, transport="pigeon")
    wrong(Status.RANGE, "100", "too many in flight", q.Plan, known, in_flight=100)
    wrong(Status.RANGE, "-1", "a chunk below zero", q.Plan, known, chunk=-1)
    raises(TypeError, "colour", "an option that there is not", q.Plan, known, colour="red")
    wrong(Status.INVALID, "8 ranks", "a schedule of other ranks", q.Plan, known, schedule=q.Schedule(q.Pattern("paper:P"), "GS"))
    plan = q.Plan(known)
    out, into = np.zeros(4), np.zeros(4)
    wrong(Status.INVALID, "needs 4", "an array that is too short", plan.exchange, out[:3])
    wrong(Status.INVALID, "needs 4", "an array that is too short", plan.exchange, out, into[:2])
    wrong(Status.INVALID, "bytes", "items of two sizes", plan.exchange, out, np.zeros(4, "f4"))
    wrong(Status.INVALID, "not contiguous", "an array with gaps", plan.exchange, np.zeros(8)[::2])
    wrong(Status.INVALID, "float", "no array", plan.exchange, 3.5)
    wrong(Status.INVALID, "one for each of 1 partners", "arrays for others", plan.exchange, [out, out])
    wrong(Status.INVALID, "None", "an array that is not there", plan.exchange, [None])
    wrong(Status.INVALID, "needs 4", "a part that is too short", plan.exchange, [out[:1]])
    wrong(Status.INVALID, "incoming_items", "sizes for others", plan.exchange, out, incoming_items=[1, 2])
    wrong(Status.INVALID, "below 0", "a size below zero", plan.exchange, out, outgoing_items=[-1], incoming_items=[4])
    wrong(Status.INVALID, "overlap", "arrays that overlap", plan.exchange, out, out)
    wrong(Status.INVALID, "objects", "objects", plan.exchange, np.array([None] * 4))
    fixed = np.zeros(4)
    fixed.flags.writeable = False
    wrong(Status.INVALID, "written", "an array that cannot be written", plan.exchange, out, fixed)
    pending = plan.start(out, into)
    wrong(Status.BUSY, "is under way", "the end of a plan that runs", plan.close)
    wrong(Status.INVALID, "under way", "what was never started", q.wait_all, pending, None)
    pending.wait()
    wrong(Status.MISMATCH, "24 bytes", "sizes that differ", q.Plan(known, "paced", deadline=20).exchange, out,
          outgoing_items=[3], incoming_items=[2])
    comm.Barrier()
    slow = q.Plan(known, "paced", deadline=1)
    if ranks > 1 and rank == 0:
        late = slow.start(out, into)
        wrong(Status.STALLED, "waits for rank", "a rank that does not come", late.wait)
        check(not late.done and "waits" in q.stall_report(), "it is still under way")
        comm.Barrier()
        late.wait()
    elif ranks > 1:
        comm.Barrier()
        q.Plan.exchange(slow, out, into)
    plan.close()
    wrong(Status.INVALID, "closed", "a plan that is gone", plan.exchange, out)
    wrong(Status.INVALID, "closed", "a plan that is gone", plan.tune)
    known.close()
    wrong(Status.INVALID, "closed", "partners that are gone", q.Plan, known)


def of_maps():
    one, here = [rank], [0]
    wrong(Status.RANGE, "link_rank[0] is", "a rank that there is not", q.Map, comm, receives=q.Links([ranks], here, here))
    wrong(Status.RANGE, "elements count from 0", "a place below zero", q.Map, comm, receives=q.Links(one, [-1], here))
    wrong(Status.INVALID, "different lengths", "lists of different lengths", q.Map, comm, receives=q.Links(one, [0, 1], here))
    wrong(Status.INVALID, "add up to 3", "counts that do not fit", q.Map, comm, q.Links(one, [0], count=[3]))
    wrong(Status.INVALID, "lengths", "counts for others", q.Map, comm, q.Links(one, [0], count=[1, 1]))
    wrong(Status.INVALID, "reverse", "a reverse that there is not", q.Map, comm, receives=q.Links(one, here, here), reverse="maybe")
    wrong(Status.MISMATCH, "which expects 0", "two ends that disagree", q.Map, comm, q.Links(one, here), q.Links([], []))
    wrong(Status.UNKNOWN, "magic", "a discovery that there is not", q.Map, comm, receives=q.Links(one, here, here), discovery="magic")
    box = q.Boxes([4], one, [[0]], [[9]])
    wrong(Status.RANGE, "of which the array has 4", "a box that is too large", q.Map.from_boxes, comm, box, box)
    short = q.Boxes([4, 4], one, [[0]], [[1]])
    wrong(Status.INVALID, "expected 2", "a box of other dimensions", q.Map.from_boxes, comm, short, short)
    wrong(Status.INVALID, "order", "an order that there is not", q.Map.from_boxes, comm, q.Boxes([4], one, [[0]], [[1]], "zigzag"), box)

    needs = q.Map(comm, receives=q.Links([rank], [1], [2]))
    source, target = np.zeros(3), np.zeros(3)
    wrong(Status.INVALID, "the map reads 3", "a source that is too short", needs.exchange, q.Field(source[:2], target))
    wrong(Status.INVALID, "the map writes 2", "a target that is too short", needs.exchange, q.Field(source, target[:1]))
    wrong(Status.INVALID, "the map writes 2", "no target", needs.exchange, q.Field(source, source[:0]))
    same = np.zeros(3)
    needs.exchange(same)
    same.flags.writeable = False
    wrong(Status.INVALID, "cannot be written", "an array that could be written the last time", needs.exchange, same)
    wrong(Status.INVALID, "reverse", "a direction that was not asked for", needs.exchange, q.Field(source, target), reverse=True)
    wrong(Status.INVALID, "dict", "no array", needs.exchange, {})
    wrong(Status.RANGE, "fields", "no field", needs.exchange)
    wrong(Status.INVALID, "keeps_incoming", "ghosts that are not kept", needs.ghost_places, [rank])
    wrong(Status.INVALID, "partner 9", "a partner that there is not", needs.incoming, 9, "f8")

    def stumble(_into, _came):
        raise RuntimeError("in a combination")
    raises(RuntimeError, "combination", "what a function raises", needs.exchange, q.Field(source, target, stumble))
    pending = needs.start(q.Field(source, target, stumble))
    raises(RuntimeError, "combination", "what a function raises later", pending.wait)
    raises(RuntimeError, "combination", "what it raised before", pending.wait)
    needs.close()
    wrong(Status.INVALID, "closed", "a map that is gone", needs.exchange, q.Field(source, target))
    if rank == 0:
        wrong(Status.INVALID, "different lengths", "one wrong rank", q.Map, comm, receives=q.Links(one, [0, 1], here))
    else:
        wrong(Status.RANGE, "-1", "one wrong rank", q.Map, comm, receives=q.Links(one, here, here))


def of_items():
    data = np.zeros(2, "i4")
    wrong(Status.RANGE, "item 1 goes to rank", "an item for nobody", q.deliver, comm, data, [0, ranks])
    wrong(Status.INVALID, "lengths", "too few destinations", q.deliver, comm, data, [0])
    wrong(Status.INVALID, "add up to 5", "groups that do not fit", q.deliver, comm, data, counts=[5])
    wrong(Status.INVALID, "one of the two", "neither destinations nor counts", q.deliver, comm, data)
    wrong(Status.INVALID, "list", "a list", q.deliver_start, comm, [1, 2], [0, 0])
    blocks = np.zeros(ranks)
    wrong(Status.INVALID, "bytes", "blocks of two sizes", q.alltoall, comm, blocks, np.zeros(ranks + 1))
    if ranks > 1:
        wrong(Status.INVALID, "equal blocks", "blocks that differ", q.alltoall, comm, np.zeros(ranks + 1, "u1"))
    wrong(Status.UNKNOWN, "magic", "an algorithm that there is not", q.alltoall, comm, blocks, None, "magic")
    wrong(Status.UNKNOWN, "magic", "an algorithm that there is not", q.alltoall_start, comm, blocks, None, "magic")
    wrong(Status.UNKNOWN, "round", "a broadcast that there is not", q.broadcast, comm, [0], blocks, "round")
    wrong(Status.INVALID, "communicator", "no communicator", q.prepare, MPI.COMM_NULL)

    items = np.zeros(4, "i4")
    wrong(Status.RANGE, "goes to rank", "a destination that there is not", q.migrate, comm, items, [0, ranks])
    wrong(Status.INVALID, "5 destinations", "more items than there are", q.migrate, comm, items, [rank] * 5)
    wrong(Status.UNKNOWN, "magic", "a method that there is not", q.migrate, comm, items, [rank], method="magic")
    wrong(Status.RANGE, "-1", "a limit below zero", q.migrate, comm, items, [rank], memory=-1)
    wrong(Status.INVALID, "written", "items that cannot be changed", q.migrate, comm, np.frombuffer(b"12345678", "i4"), [rank])
    wrong(Status.INVALID, "2 destinations", "destinations for others", q.migrate_objects, comm, ["a"], [0, 0])
    if ranks > 1:
        raises(RuntimeError, "in progress", "what progress raises", q.migrate, comm, items, [after], progress=_stumble)
        wrong(Status.INVALID, "object", "an object that cannot be packed", q.migrate_objects, comm, [lambda: 0], [after])
        wrong(Status.INVALID, "object", "one that cannot be unpacked", q.migrate_objects, comm, ["a"], [after], loads=_refuse)


def _stumble(*_numbers):
    raise RuntimeError("in progress")


def _refuse(_packed):
    raise ValueError("no")


def of_services():
    wrong(Status.INVALID, "placement", "a placement that there is not", q.Directory, comm, placement="round")
    directory = q.Directory(comm)
    wrong(Status.RANGE, "the owner of id 0", "an owner that there is not", directory.insert, [rank], [ranks])
    wrong(Status.INVALID, "lengths", "places for others", directory.insert, [rank], None, [0, 1])
    wrong(Status.INVALID, "no payload", "a payload that nobody keeps", directory.insert, [rank], payload=np.zeros(1))
    wrong(Status.INVALID, "expected (1,)", "a payload of another type", q.Directory(comm, payload="f8").insert, [rank],
          payload=np.zeros(1, "f4"))
    if ranks > 1:
        wrong(Status.MISMATCH, "owned twice", "an id of two owners", directory.insert, [0])
    wrong(Status.UNKNOWN, "999", "an id that nobody owns", q.resolve_map, comm, [rank], [999])
    wrong(Status.UNKNOWN, "magic", "a method that there is not", q.resolve, comm, [rank], [rank], method="magic")
    wrong(Status.INVALID, "lengths", "targets for others", q.resolve_map, comm, [rank], [rank], [0, 1])
    wrong(Status.INVALID, "dimensions", "ids in two dimensions", q.resolve, comm, [[rank]], [rank])
    raises(RuntimeError, "in progress", "what a placement raises", q.Directory(comm, placement=_stumble).insert, [rank])
    directory.close()
    wrong(Status.INVALID, "closed", "a directory that is gone", directory.find, [0])


def of_programs():
    wrong(Status.INVALID, "name", "no name", q.Program, comm, "")
    wrong(Status.INVALID, ".hidden", "a name with a dot", q.Program, comm, ".hidden")
    program = q.Program(comm, "alone")
    wrong(Status.UNKNOWN, "pigeon", "a transport that there is not", q.Coupling, program, "nobody", transport="pigeon")
    wrong(Status.STALLED, "nobody", "a peer that does not come", q.Coupling, program, "nobody", deadline=0.2)
    coupling = q.Coupling(program, "alone")
    wrong(Status.BUSY, "couplings are open", "a program with couplings", program.close)
    layout, longer = q.Layout(q.Axis(8, "block", ranks)), q.Layout(q.Axis(9, "block", ranks))
    out = [q.Coupled("heat", layout, "f8")]
    wrong(Status.MISMATCH, "heat", "regions of two sizes", q.Stream, coupling, "s", out, [q.Coupled("heat", longer, "f8")])
    wrong(Status.MISMATCH, "cold", "fields of two names", q.Stream, coupling, "s", out, [q.Coupled("cold", layout, "f8")])
    wrong(Status.MISMATCH, "float", "two types", q.Stream, coupling, "s", out, [q.Coupled("heat", layout, "f4")])
    wrong(Status.MISMATCH, "2", "two widths", q.Stream, coupling, "s", out, [q.Coupled("heat", layout, "f8", width=2)])
    wrong(Status.UNKNOWN, "magic", "a choice that there is not", q.Stream, coupling, "s", out, out, q.StreamOptions(computes="magic"))
    wrong(Status.INVALID, "operation", "an operation that there is not", q.Stream, coupling, "s", out,
          [q.Coupled("heat", layout, "f8", operation="average")])
    raises(RuntimeError, "in progress", "what a function raises", q.Layout.dereferenced, [8], 0, 8, _stumble)
    wrong(Status.INVALID, "expected 8", "a function that knows too little", q.Layout.dereferenced, [8], 0, 8, lambda one: ([0], [0]))
    stream = q.Stream(coupling, "heat", out, out)
    mine = np.zeros(layout.room(rank))
    stream.export(2, mine)
    wrong(Status.INVALID, "1", "a time that has passed", stream.export, 1, mine)
    wrong(Status.INVALID, "1 fields", "arrays for others", stream.export, 3, mine, mine)
    wrong(Status.INVALID, "int32", "values of another type", stream.export, 3, mine.astype("i4"))
    if len(mine):
        wrong(Status.INVALID, "its layout needs", "an array that is too short", stream.export, 3, mine[:-1])
    wrong(Status.RANGE, "field 3 of 1", "a field that there is not", stream.schedule, 3)
    wrong(Status.INVALID, "match", "a match that there is not", stream.import_, 2, mine, match="perhaps")
    stream.promise(9)
    late = stream.import_start(5.0, mine)
    wrong(Status.UNMATCHED, "no export matches EXACT 5", "what nobody exported", late.wait)
    stream.close()
    wrong(Status.INVALID, "closed", "a stream that is gone", stream.export, 9, mine)
    coupling.close()
    program.close()


for one in (of_partners, of_plans, of_maps, of_items, of_services, of_programs):
    one()
MPI.Finalize()
wrong(Status.INVALID, "MPI is finalised", "after MPI has ended", q.Partners.from_sends, comm, [0], [1])
verdict(rank, "wrong")
