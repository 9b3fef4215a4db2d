# SPDX-License-Identifier: BSD-3-Clause
"""Pictures: the library's own drawing, for what a notebook shows and for pictures of yours. See quadrille-io.h."""
from __future__ import annotations

import math
from typing import Any, Optional, Type
from types import TracebackType

from ._base import check, refuse, text
from ._c import ffi, lib


def colour(number: int) -> str:
    """Local. The colour of a rank, a part or a line by its number, far from those of its neighbours."""
    return text(lib.qdr_picture_colour(number, ffi.new("char[]", lib.QDR_COLOUR_TEXT))) or ""


def tick(length: float) -> float:
    """Local. The round number that cuts an axis of this length into 4 to 9 parts."""
    if not length > 0:
        raise refuse(f"an axis is {length} long; expected more than 0")
    return float(lib.qdr_picture_tick(length))


def _text(given: Optional[str]) -> Any:
    return ffi.NULL if given is None else ffi.new("char[]", given.encode())


class Picture:
    """A picture as SVG, shape by shape; later shapes lie on top. Lengths are pixels, from the upper left corner.

    `style` is any attributes of SVG, such as 'fill="#c00"'; `title` is what a browser shows under the pointer. When it is closed, or
    at the end of `with`, `svg` is the text."""

    def __init__(self, width: float, height: float, font_size: float = 12) -> None:
        """Local."""
        self.svg = ""
        self._letters, self._count = ffi.new("char **"), ffi.new("size_t *")
        self._stream = lib.open_memstream(self._letters, self._count)
        self._cell = ffi.new("qdr_picture **")
        check(lib.qdr_picture_create(self._stream, width, height, font_size, self._cell))

    @property
    def _picture(self) -> Any:
        if self._cell[0] == ffi.NULL:
            raise refuse("this picture was closed; its text is there already")
        return self._cell[0]

    def rectangle(self, x: float, y: float, width: float, height: float, style: Optional[str] = None,
                  title: Optional[str] = None) -> None:
        """Local."""
        lib.qdr_picture_rectangle(self._picture, x, y, width, height, _text(style), _text(title))

    def circle(self, x: float, y: float, radius: float, style: Optional[str] = None) -> None:
        """Local."""
        lib.qdr_picture_circle(self._picture, x, y, radius, _text(style))

    def line(self, x1: float, y1: float, x2: float, y2: float, style: Optional[str] = None) -> None:
        """Local."""
        lib.qdr_picture_line(self._picture, x1, y1, x2, y2, _text(style))

    def text(self, x: float, y: float, words: str, style: Optional[str] = None) -> None:
        """Local. x, y is the lower left corner, or what "text-anchor" in the style says."""
        lib.qdr_picture_text(self._picture, x, y, _text(style), _text(words))

    def path(self, style: Optional[str] = None) -> None:
        """Local. Begins many shapes of one style; a pen draws them until path_end()."""
        lib.qdr_picture_path(self._picture, _text(style))

    def pen_move(self, x: float, y: float) -> None:
        """Local."""
        lib.qdr_picture_pen_move(self._picture, x, y)

    def pen_line(self, x: float, y: float) -> None:
        """Local."""
        lib.qdr_picture_pen_line(self._picture, x, y)

    def pen_close(self) -> None:
        """Local."""
        lib.qdr_picture_pen_close(self._picture)

    def pen_box(self, x: float, y: float, width: float, height: float) -> None:
        """Local."""
        lib.qdr_picture_pen_box(self._picture, x, y, width, height)

    def path_end(self, title: Optional[str] = None) -> None:
        """Local."""
        lib.qdr_picture_path_end(self._picture, _text(title))

    def group(self, style: Optional[str] = None) -> None:
        """Local. Shapes until group_end() have this style."""
        lib.qdr_picture_group(self._picture, _text(style))

    def group_end(self) -> None:
        """Local."""
        lib.qdr_picture_group_end(self._picture)

    def window(self, x: float, y: float, width: float, height: float) -> None:
        """Local. Shapes until window_end() are cut off at its edges, and count from its upper left corner."""
        lib.qdr_picture_window(self._picture, x, y, width, height)

    def window_end(self) -> None:
        """Local."""
        lib.qdr_picture_window_end(self._picture)

    def close(self) -> str:
        """Local. Ends the picture; its text."""
        if self._cell[0] != ffi.NULL:
            status = lib.qdr_picture_destroy(self._cell)
            self._end()
            check(status)
        return self.svg

    def _end(self) -> None:
        lib.fclose(self._stream)
        self.svg = ffi.buffer(self._letters[0], self._count[0])[:].decode("utf-8", "replace")
        lib.free(self._letters[0])

    def __enter__(self) -> "Picture":
        return self

    def __exit__(self, _type: Optional[Type[BaseException]], _error: Optional[BaseException],
                 _trace: Optional[TracebackType]) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_cell", None) is not None and self._cell[0] != ffi.NULL:
            lib.qdr_picture_destroy(self._cell)
            self._end()

    def _repr_svg_(self) -> str:
        return self.close()


def matrix(pattern: Any) -> str:
    """A pattern as a heat map: rows send, columns receive; the darker, the more."""
    origin, destination, items = pattern.messages()
    ranks, side, edge = pattern.ranks, 360.0, 40.0
    cell = side / max(ranks, 1)
    most = math.log1p(float(items.max())) if len(items) else 1.0
    with Picture(side + 2 * edge, side + 2 * edge) as picture:
        picture.rectangle(edge, edge, side, side, 'fill="#fff" stroke="#999"')
        for i, j, amount in zip(origin, destination, items):
            dark = 0.15 + 0.85 * math.log1p(float(amount)) / (most or 1.0)
            picture.rectangle(edge + j * cell, edge + i * cell, cell, cell, f'fill="#1f4e79" fill-opacity="{dark:.2f}"',
                              f"{i} sends {amount} to {j}" if ranks <= 64 else None)
        picture.text(edge + side / 2, edge - 12, "to rank", 'text-anchor="middle"')
        picture.text(12, edge + side / 2, "from rank", f'text-anchor="middle" transform="rotate(-90 12 {edge + side / 2})"')
        for number in sorted({0, ranks // 2, max(ranks - 1, 0)}):
            at = edge + (number + 0.5) * cell
            picture.text(at, edge + side + 16, str(number), 'text-anchor="middle"')
            picture.text(edge - 6, at + 4, str(number), 'text-anchor="end"')
    return picture.svg
