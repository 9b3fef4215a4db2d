# SPDX-License-Identifier: BSD-3-Clause
"""Machines, the network under a pattern and what it costs: see quadrille/machine.h."""
from __future__ import annotations

from typing import List, NamedTuple

from ._base import Owner, check, refuse, text, texts_of
from ._c import ffi, lib
from ._pattern import written

_ports = ("full", "half", "paired")
_sends = ("buffered", "synchronous")
_switching = ("packet", "circuit")


class Parameters(NamedTuple):
    """Of a machine, in seconds and bytes."""
    ranks: int
    tau: float
    mu: float
    hop: float
    copy: float
    ports: str
    sends: str
    buffer: int
    switching: str
    packet: int
    payload: int
    barrier: float
    combine: float
    scan: float
    broadcast: float
    queue: int
    timeout: float
    node_ranks: int
    node_cards: int


class KnownMachine(NamedTuple):
    """A topology or a preset that Machine() makes."""
    name: str
    summary: str
    spec: str
    source: str
    options: str
    is_preset: bool


class Machine(Owner):
    """The network under a pattern: `Machine("cm5", 64)`, `Machine("mesh:columns=8,tau=1us,mu=1ns", 64)`; it never changes."""
    _type, _word, _destroy = "qdr_machine", "machine", lib.qdr_machine_destroy

    def __init__(self, spec: str, ranks: int) -> None:
        """Local."""
        super().__init__()
        check(lib.qdr_machine_create(spec.encode(), ranks, self._cell))

    def look(self) -> Parameters:
        """Local. What it costs."""
        given = lib.qdr_machine_look(self._handle)
        values = {name: getattr(given, name) for name in Parameters._fields}
        values.update(ports=_ports[given.ports], sends=_sends[given.sends], switching=_switching[given.switching])
        return Parameters(**values)

    @property
    def ranks(self) -> int:
        """Local."""
        return self.look().ranks

    @property
    def spec(self) -> str:
        """Local. What it was made from."""
        return text(lib.qdr_machine_spec(self._handle)) or ""

    @property
    def topology(self) -> str:
        """Local."""
        return text(lib.qdr_machine_topology(self._handle)) or ""

    def wire_bytes(self, amount: int) -> int:
        """Local. Bytes on the wire for so many bytes of data."""
        return int(lib.qdr_machine_wire_bytes(self._handle, amount))

    @property
    def links(self) -> int:
        """Local. How many; 0 for a crossbar."""
        return int(lib.qdr_machine_links(self._handle))

    @property
    def route_limit(self) -> int:
        """Local. The links of the longest route."""
        return int(lib.qdr_machine_route_limit(self._handle))

    def route(self, origin: int, destination: int) -> List[int]:
        """Local. The links from one rank to another, in order."""
        self._check_ranks(origin, destination)
        links = ffi.new("int64_t[]", max(self.route_limit, 1))
        return list(links[0:lib.qdr_machine_route(self._handle, origin, destination, links)])

    def link_bandwidth(self, link: int) -> float:
        """Local. Bytes per second."""
        self._check_link(link)
        return float(lib.qdr_machine_link_bandwidth(self._handle, link))

    def link_streams(self, link: int) -> int:
        """Local. How many transfers at full speed of a port it carries at once."""
        self._check_link(link)
        return int(lib.qdr_machine_link_streams(self._handle, link))

    def latency(self, origin: int, destination: int) -> float:
        """Local. Seconds beyond tau before the first byte arrives."""
        self._check_ranks(origin, destination)
        return float(lib.qdr_machine_latency(self._handle, origin, destination))

    def to_simgrid(self) -> str:
        """Local. As a platform of SimGrid."""
        return written(lambda stream: lib.qdr_machine_write_simgrid(self._handle, stream))

    def _check_ranks(self, *given: int) -> None:
        for rank in given:
            if not 0 <= rank < self.ranks:
                raise refuse(f"there is no rank {rank}; expected 0 to {self.ranks - 1}")

    def _check_link(self, link: int) -> None:
        if not 0 <= link < self.links:
            raise refuse(f"there is no link {link}; the machine has {self.links}")

    def __repr__(self) -> str:
        return "<Machine, closed>" if self.closed else f"<Machine {self.spec} of {self.ranks} ranks>"


def machines() -> List[KnownMachine]:
    """Local. Topologies and presets."""
    rows = texts_of(lib.qdr_machine_known, KnownMachine, KnownMachine._fields)
    return [row._replace(is_preset=bool(row.is_preset)) for row in rows]
