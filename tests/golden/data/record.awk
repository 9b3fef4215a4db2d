# SPDX-License-Identifier: BSD-3-Clause
#
# awk -v folder=FOLDER -f record.awk: the records of a run of 8 ranks on two hosts, one case of `advise` after the other.
# In `flood` nobody is late, and ranks leave at different times; in `particles` rank 3 is late. FOLDER must exist.

function line(text) { print text > file }

# site SYMBOL: of a program that is not there, so that nothing depends on where the test runs
function site(call, symbol) {
    line("site\t" ++sites "\t" call "\t/none/app+0x10" sites ":" symbol "\t/none/app+0x900:solve\t/none/app+0xa00:main\t/lib/libc.so.6+0x27743:")
    return sites
}

function row(text) { line("row\t" ++rows text); return rows }

# All ranks have the same clock[comm]; this one is late by so much. From a call to the next it is `period`.
function calls(count, comm, at, what, way, period, late, seconds) {
    for (k = 0; k < count; k++) {
        line(sprintf("call\t%s\t%d\t%d\t%s\t%.9f\t%.9f", comm, at, what, way, clock[comm] + late, seconds))
        clock[comm] += period
    }
}

# The same size to every other rank of n.
function all(me, n, size,    i, text) {
    for (i = 0; i < n; i++) if (i != me) text = text "\t" i ":" size
    return text
}

BEGIN {
    for (rank = 0; rank < 8; rank++) {
        file = sprintf("%s/rank-%06d.txt", folder, rank)
        sites = rows = 0
        delete clock
        line("quadrille-record\t1\nrank\t" rank "\t8\t" (rank < 4 ? "north" : "south") "\nprogram\t/none/app")
        line("comm\t0\t" rank "\t8\t0")
        full = row(all(rank, 8, 1000000))
        calls(20, 0, site("MPI_Alltoallv", "flood"), full, "plain", 0.25, 0, 0.2 - 0.01 * rank)
        calls(10, 0, site("MPI_Alltoallv", "transpose"), full, "paced", 0.1, 0.0007 - 0.0001 * rank, 0.07 + 0.0001 * rank)
        calls(10, 0, site("MPI_Alltoallv", "particles"), full, "plain", 0.3, rank == 3 ? 0.178 : 0, rank == 3 ? 0.072 : 0.25)
        ring = row("\t" (rank + 1) % 8 ":2000000")
        calls(12, 0, site("MPI_Alltoallv", "ring"), ring, "plain", 0.05, 0, 0.021)
        tiny = row(all(rank, 8, 64))
        calls(20, 0, site("MPI_Alltoallw", "tiny"), tiny, "plain", 0.05, 0, 0.012)
        hot = row(rank == 5 ? "" : "\t5:1000000")
        calls(10, 0, site("MPI_Alltoallv", "hot"), hot, "plain", 0.1, 0, rank == 5 ? 0.071 : 0.02)
        line("comm\t" (rank < 4 ? "1" : "17179869184") "\t" rank % 4 "\t4\t1")
        near = row(all(rank % 4, 4, 500000))
        calls(30, rank < 4 ? "1" : "17179869184", site("MPI_Neighbor_alltoallv", "inside"), near, "plain", 0.05, 0, 0.01)
        calls(2, 0, site("MPI_Alltoallv", "once"), tiny, "plain", 0.05, 0, 0.002)
        line("end\t20." rank)
        close(file)
    }
}
