"""What notebooks show of results: tables of text, in which nothing becomes HTML."""

from __future__ import annotations

from html import escape
from typing import Sequence


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Cells behind the first are numbers, on the right."""
    def line(tag: str, cells: Sequence[str]) -> str:
        sides = ["left"] + ["right"] * (len(cells) - 1)
        inside = (f'<{tag} style="text-align: {side}">{escape(cell)}</{tag}>' for side, cell in zip(sides, cells))
        return f"<tr>{''.join(inside)}</tr>"

    return f"<table><thead>{line('th', heads)}</thead><tbody>{''.join(line('td', row) for row in rows)}</tbody></table>"


def text(words: str) -> str:
    """Lines as they are printed."""
    return f"<pre>{escape(words)}</pre>"
