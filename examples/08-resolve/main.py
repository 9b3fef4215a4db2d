# SPDX-License-Identifier: BSD-3-Clause
"""Conjugate gradients on rows that lie anywhere: mpirun -n 4 python3 main.py laplacian.mtx [method]

Rows lie where a partitioner has put them, and a hash stands for it: a rank knows its own, and nobody knows those of all.

    I own these          the numbers of my rows
    I need those         the columns of my entries that are not among them: the ghosts
    q.resolve_map()      finds who owns them, and makes the map that brings their values

That is one call, and the rest is a solver as one writes it for a single rank. Every number it prints is the same, bit for bit, on
any number of ranks, by any method, and in C: a row is summed up in the order of the file, by whoever owns it, and sums over all
rows are sums of integers."""
import sys

import numpy as np
from mpi4py import MPI

import quadrille as q

comm = MPI.COMM_WORLD
rank, ranks = comm.rank, comm.size


def is_mine(row):
    """Runs of rows, dealt out by chance."""
    word = (row.astype(np.uint64) // np.uint64(30) + np.uint64(1)) * np.uint64(0x9e3779b97f4a7c15)
    word = (word ^ word >> np.uint64(31)) * np.uint64(0xbf58476d1ce4e5b9)
    return (word >> np.uint64(33)) % np.uint64(ranks) == rank


def read(path):
    """The number of all rows, and row, column and value of this rank's entries. The file has one triangle of the matrix."""
    with open(path, encoding="ascii") as file:
        lines = [line for line in file if not line.startswith("%")]
    numbers = np.array([line.split() for line in lines[1:]], float)
    both = np.repeat(numbers, 2, axis=0)  # each entry, and behind it its mirror image
    both[1::2, :2] = both[1::2, 1::-1]
    row, column = both[:, 0].astype(np.int64), both[:, 1].astype(np.int64)
    is_first = np.arange(len(both)) % 2 == 0
    mine = is_mine(row) & (is_first | (row != column))
    return int(lines[0].split()[0]), row[mine], column[mine], both[mine, 2]


rows, row, column, value = read(sys.argv[1])
everything = np.arange(1, rows + 1)
own = everything[is_mine(everything)]
count = len(own)
ghosts = np.setdiff1d(column, own)

# The matrix is symmetric: whoever has my ghosts needs rows of mine, and only those that have ghosts.
boundary = np.unique(np.searchsorted(own, row[np.isin(column, ghosts)]))
bring = q.resolve_map(comm, own, ghosts, method=sys.argv[2] if len(sys.argv) > 2 else None, boundary=boundary)

# From numbers in the file to places in vectors, which have a rank's own rows first, then the ghosts.
is_ghost = np.isin(column, ghosts)
row = np.searchsorted(own, row)
column = np.where(is_ghost, count + np.searchsorted(ghosts, column), np.searchsorted(own, column))


def multiply(x):
    """A x, in the order of the file."""
    bring.exchange(q.Field(x[:count], x[count:]))
    y = np.zeros(count)
    np.add.at(y, row, value * x[column])
    return y


def dot(a, b):
    """Products are rounded to a grid so fine that their sum takes 62 bits; sums of integers know no order."""
    products = a * b
    most = comm.allreduce(float(np.abs(products).max(initial=0)), MPI.MAX)
    shift = 62 - int(np.frexp(most)[1]) - int(np.frexp(float(rows))[1])
    whole = np.rint(np.ldexp(products, shift)).astype(np.int64)
    return float(np.ldexp(float(comm.allreduce(int(whole.sum()))), -shift))


if rank == 0:
    print(f"{rows} rows\niteration  |b - A x| / |b|")
right = 1 + ((own - 1) % 7).astype(float)
x, direction = np.zeros(count + len(ghosts)), np.zeros(count + len(ghosts))
residual = right.copy()
direction[:count] = residual
first = square = dot(residual, residual)
iteration = 0
while square > 1e-20 * first and iteration < 10 * rows:
    if rank == 0 and iteration % 10 == 0:
        print(f"{iteration:9d}  {np.sqrt(square / first):.16e}")
    product = multiply(direction)
    step, before = square / dot(direction[:count], product), square
    x[:count] += step * direction[:count]
    residual -= step * product
    square = dot(residual, residual)
    direction[:count] = residual + square / before * direction[:count]
    iteration += 1
rest = right - multiply(x)
square = dot(rest, rest)
if rank == 0:
    print(f"{iteration:9d}  {np.sqrt(square / first):.16e}, computed afresh")
