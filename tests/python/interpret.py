# SPDX-License-Identifier: BSD-3-Clause
"""interpret.py DATA OUT: runs the programs of a file, as interpret.c does, and writes what arrives on this rank to OUT.RANK."""
import sys

import numpy as np
from mpi4py import MPI

import quadrille as q

comm = MPI.COMM_WORLD
rank, ranks = comm.rank, comm.size
types = ("i1", "i4", "i8", "f4", "f8")


def mix(numbers):
    """As qdri_mix() does it, of many numbers."""
    x = numbers + np.uint64(0x9e3779b97f4a7c15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xbf58476d1ce4e5b9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94d049bb133111eb)
    return x ^ (x >> np.uint64(31))


def values(seed, count):
    """What this rank has: small numbers."""
    return (mix(np.uint64(seed * ranks + rank) * np.uint64(1 << 20) + np.arange(count, dtype=np.uint64)) % np.uint64(100)).astype("u1")


def pattern(_seed, spec, algorithm):
    steps = q.Schedule(q.Pattern(spec), algorithm).steps()
    return np.stack([steps[name].astype("i8") for name in ("stage", "origin", "destination", "phase", "items")], 1)


def plan(seed, algorithm, size, times, *amounts):
    matrix = np.array(amounts, "i8").reshape(ranks, ranks)
    (others,) = np.nonzero(matrix[rank])
    made = q.Plan(q.Partners.from_sends(comm, others, matrix[rank][others]), algorithm)
    out = values(seed, int(matrix[rank].sum()) * size).reshape(-1, size)
    for _ in range(times):
        came = made.exchange(out)
    return came


def mapping(seed, kind, width, operation, reverse, elements, *lists):
    lists, at = list(lists), 0
    for _ in range(rank):
        at += 1 + 3 * lists[at]
    links = np.array(lists[at + 1:at + 1 + 3 * lists[at]], "i8").reshape(-1, 3)
    made = q.Map(comm, receives=q.Links(links[:, 0], np.ascontiguousarray(links[:, 1]), np.ascontiguousarray(links[:, 2])),
                 reverse="combine" if reverse else "none")
    source = values(seed, elements * width).astype(types[kind]).reshape(elements, width)
    target = np.ones((elements, width), types[kind])
    made.exchange(q.Field(source, target, "sum" if operation else "replace"))
    if reverse:
        made.exchange(q.Field(target, source, "sum"), reverse=True)
        return np.concatenate((source, target))
    return target


def directory(_seed, payload, *lists):
    lists, at, mine = list(lists), 0, []
    for number in range(3 * (rank + 1)):
        mine.append(lists[at + 1:at + 1 + lists[at]])
        at += 1 + lists[at]
    own, need, gone = (np.array(one, "i8") for one in mine[-3:])
    with q.Directory(comm, payload="i8" if payload else None) as made:
        try:
            made.insert(own, payload=own * 3 if payload else None)
            said = 0
        except q.Error as error:
            said = int(error.status)
        found = [made.find(need), made.remove(gone), made.find(need)]
    words = [said, found[0].unknown, found[1], *found[0].owner, *found[0].place, *found[2].owner]
    return np.array(words + (list(found[0].payload) if payload else []), "i8")


def migration(seed, size, room, method, *lists):
    lists, at = list(lists), 0
    for _ in range(rank):
        at += 1 + lists[at]
    destination = lists[at + 1:at + 1 + lists[at]]
    items = np.zeros((len(destination) + room, size), "u1")
    items[:len(destination)] = values(seed, len(destination) * size).reshape(-1, size)
    moved = q.migrate(comm, items, destination, method=method)
    return b"".join(sorted(bytes(one) for one in moved.items))


def coupling(seed, rows, columns, *words):
    layouts, match = [], words[6]
    for axis, spread, block in (words[:3], words[3:6]):
        axes = [q.Axis(rows), q.Axis(columns)]
        axes[axis] = axes[axis]._replace(spread=spread, parts=ranks, block=block if spread == "cyclic" else 0)
        layouts.append(q.Layout(*axes))
    out, into = (values(seed, one.room(rank)).astype("i4") for one in layouts)
    into[:] = -1
    stream = q.Stream(coupled, "s", [q.Coupled("x", layouts[0], "i4")], [q.Coupled("x", layouts[1], "i4")])
    for time in (1, 2, 3):
        stream.export(time, out + np.int32(time))
    stream.promise(9)
    matched = stream.import_(2.5, into, match=("exact", "before", "after", "nearest")[match], tolerance=0.7)
    stream.close()
    return np.append(into, np.array([int(matched or 0)], "i4"))


calls = {"pattern": pattern, "plan": plan, "map": mapping, "directory": directory, "migrate": migration, "couple": coupling}
program = q.Program(comm, "random")
coupled = q.Coupling(program, "random")
with open(sys.argv[1], encoding="ascii") as data, open(f"{sys.argv[2]}.{rank}", "wb") as out_file:
    for line in data:
        words = [int(word) if word.lstrip("-").isdigit() else word for word in line.split()]
        if words[0] == "program":
            out_file.write(line.encode())
            continue
        try:
            made = calls[words[1]](words[0], *words[2:])
            made = made if isinstance(made, bytes) else made.tobytes()
            out_file.write(f"{words[1]} {len(made)}\n".encode() + made + b"\n")
        except q.Error as failure:
            out_file.write(f"{words[1]} failed: {int(failure.status)}\n".encode())
coupled.close()
program.close()
