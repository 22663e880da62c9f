"""Pictures of results as SVG, which notebooks show: no package is needed for them."""

from __future__ import annotations

import math
import re
from html import escape
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

from ._errors import InputError

# Okabe and Ito, "Color Universal Design" (2008). Operators have the colours that they have on pages
# (traces/report/web/src/meanings.ts); names that are not here follow in their order.
_HUES = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#b8a800"]
_OPERATORS = {
    "Dispatch": (0, 0), "Dispatch_bwd": (0, 2), "GMM1": (1, 0), "GMM": (1, 0), "GMM_gate_grad": (1, 1), "GMM_w1_grad": (1, 2),
    "SwiGLU": (2, 0), "SwiGLU_grad": (2, 2), "Add": (2, 2), "GMM2": (3, 0), "GMM_act_grad": (3, 1), "GMM_w2_grad": (3, 2),
    "Combine": (4, 0), "Combine_bwd": (4, 2), "Permute": (5, 0), "Unpermute": (5, 1), "Accumulate": (6, 0),
}


def _color(place: Tuple[int, int]) -> str:
    """A hue; the same paler (1) or darker (2)."""
    hue, shade = _HUES[place[0]], place[1]
    if shade == 0:
        return hue
    other, part = (255 if shade == 1 else 27), 0.45
    parts = [int(hue[i:i + 2], 16) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(p + (other - p) * part):02x}" for p in parts)


def _place(name: str) -> Optional[Tuple[int, int]]:
    """An operator's; the nth part of one, as GMM1_b1, has its hue, the odd ones paler."""
    if name in _OPERATORS:
        return _OPERATORS[name]
    part = re.fullmatch(r"(.+)_[a-z](\d+)", name)
    if part is None or part[1] not in _OPERATORS:
        return None
    hue, shade = _OPERATORS[part[1]]
    return hue, 1 if int(part[2]) % 2 and shade == 0 else shade


def _colors(names: Sequence[str]) -> Dict[str, str]:
    places = {name: _place(name) for name in names}
    unknown = sorted(name for name, place in places.items() if place is None)
    found = {name: _color(place) for name, place in places.items() if place is not None}
    found.update({name: _color((i % len(_HUES), 1 + i // len(_HUES) % 2)) for i, name in enumerate(unknown)})
    return found


class Plot:
    """A picture. Notebooks show it; `svg` is its text, save() writes it to a file."""

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def save(self, file) -> None:
        """Writes the picture to an SVG file."""
        Path(file).write_text(self.svg, encoding="utf-8")

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<a3sim.Plot, {len(self.svg)} bytes of SVG>"


class Bar(NamedTuple):
    """A stretch of time on a lane."""

    lane: str
    name: str
    start: float  # ms
    end: float


class _Svg:
    def __init__(self, width: int, height: float) -> None:
        # A background of its own: notebooks may be dark.
        self._parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height:.0f}" viewBox="0 0 {width} {height:.0f}" '
                       'font-family="system-ui, Helvetica, Arial, sans-serif" font-size="11" fill="#1b1f24">'
                       f'<rect width="{width}" height="{height:.0f}" fill="#ffffff"/>']

    def rect(self, x: float, y: float, width: float, height: float, fill: str, title: str = "") -> None:
        inside = f"<title>{escape(title)}</title>" if title else ""
        self._parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{fill}">{inside}</rect>')

    def line(self, x1: float, y1: float, x2: float, y2: float, stroke: str, more: str = "") -> None:
        self._parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{stroke}" {more}/>')

    def text(self, x: float, y: float, words: str, more: str = "") -> None:
        self._parts.append(f'<text x="{x:.1f}" y="{y:.1f}" {more}>{escape(words)}</text>')

    def add(self, part: str) -> None:
        self._parts.append(part)

    def done(self) -> Plot:
        return Plot("".join(self._parts) + "</svg>")


def _ticks(low: float, high: float, most: int) -> List[float]:
    rough = (high - low) / most or 1
    decade = 10 ** math.floor(math.log10(rough))
    step = next(f * decade for f in (1, 2, 5, 10) if f * decade >= rough * (1 - 1e-9))
    first = math.ceil(low / step - 1e-9)
    return [i * step for i in range(first, math.floor(high / step + 1e-9) + 1)]


def timelines(parts: Sequence[Tuple[str, Sequence[Bar]]], width: int = 960) -> Plot:
    """Bars on lanes; several parts stand below each other, on one axis of time."""
    if not any(bars for _, bars in parts):
        raise InputError("there is nothing to plot: no kernels")
    row, head, axis = 15, 22, 20
    left = round(16 + 6.3 * max(len(bar.lane) for _, bars in parts for bar in bars))
    end = max(bar.end for _, bars in parts for bar in bars)
    names = list(dict.fromkeys(bar.name for _, bars in parts for bar in bars))
    colors = _colors(names)
    lanes = [list(dict.fromkeys(bar.lane for bar in bars)) for _, bars in parts]
    per_line = max(1, (width - left) // 130)
    legend = 16 * math.ceil(len(names) / per_line) + 8
    svg = _Svg(width, sum(head + axis + row * len(of) for of in lanes) + legend + 8)
    scale, y = (width - left - 12) / end, 0.0
    for (title, bars), of in zip(parts, lanes):
        svg.text(8, y + 15, f"{title}: {max(bar.end for bar in bars):.3f} ms" if bars else title, 'font-weight="600" font-size="13"')
        y += head
        for at in _ticks(0, end, 8):
            svg.line(left + at * scale, y + 12, left + at * scale, y + axis + row * len(of), "#e6e8eb")
            svg.text(left + at * scale, y + 10, f"{at:g} ms", 'text-anchor="middle" fill="#5f6873"')
        y += axis
        place = {lane: i for i, lane in enumerate(of)}
        for lane, i in place.items():
            svg.text(left - 6, y + i * row + row - 4, lane, 'text-anchor="end" fill="#5f6873"')
        for bar in bars:
            svg.rect(left + bar.start * scale, y + place[bar.lane] * row + 1, max(0.5, (bar.end - bar.start) * scale), row - 2,
                     colors[bar.name], f"{bar.name}, {bar.lane}: {bar.start:.3f} to {bar.end:.3f} ms")
        y += row * len(of)
    for i, name in enumerate(names):
        x, line = left + i % per_line * 130, y + 10 + 16 * (i // per_line)
        svg.rect(x, line, 11, 11, colors[name])
        svg.text(x + 16, line + 10, name)
    return svg.done()


def plot_kernels(frames, ranks: Optional[Sequence[int]] = None, width: int = 960) -> Plot:
    """Kernels on lanes, as `Result.kernels()` and `a3sim.kernels()` give them; of several, below each other.

    >>> a3sim.plot_kernels({"measured": a3sim.kernels("measured"), "simulated": result.kernels()}, ranks=[0, 1])
    """
    named = frames if isinstance(frames, dict) else {"kernels": frames}
    parts = []
    for name, frame in named.items():
        chosen = frame if ranks is None else frame[frame["rank"].isin(list(ranks))]
        begin = chosen["start_ms"].min() if len(chosen) else 0
        bars: List[Bar] = []
        for (rank, lane), of in chosen.groupby(["rank", "lane"], sort=True):
            free: List[float] = []  # ends of what runs beside one another
            for one in of.sort_values("start_ms").itertuples():
                at = next((i for i, until in enumerate(free) if until <= one.start_ms + 1e-9), len(free))
                free[at:at + 1] = [one.end_ms]
                bars.append(Bar(f"rank {rank} {lane} {at}", one.operator, one.start_ms - begin, one.end_ms - begin))
        bars.sort(key=lambda bar: (int(bar.lane.split()[1]), bar.lane))
        parts.append((name, bars))
    return timelines(parts, width)


def plot_lines(frame, x: str, y: str, by: Optional[str] = None, width: int = 640, height: int = 360) -> Plot:
    """A column over another, a line for each value of a third: of what `sweep()` gives.

    >>> a3sim.plot_lines(frame[frame["pass"] == "total"], x="parallel.ep", y="latency", by="experiment.execution")
    """
    groups = [("", frame)] if by is None else list(frame.groupby(by, sort=False))
    lines = [(str(name), sorted(zip(of[x].astype(float), of[y].astype(float)))) for name, of in groups]
    points = [point for _, line in lines for point in line if not math.isnan(point[1])]
    if not points:
        raise InputError(f"there is nothing to plot: no value of {y}")
    places = sorted({point[0] for point in points})
    log = places[0] > 0 and len(places) > 2 and all(math.log2(p / places[0]).is_integer() for p in places)
    across = (lambda v: math.log2(v)) if log else (lambda v: v)
    low, high, top = across(places[0]), across(places[-1]), 1.05 * max(max(point[1] for point in points), 0) or 1
    left, right, bottom = 64, width - 16, height - 46
    px = lambda v: left + (right - left) * ((across(v) - low) / (high - low) if high > low else 0.5)
    py = lambda v: bottom - (bottom - 16) * v / top
    svg = _Svg(width, height + 18 * (len(lines) + 1) // 2 * (by is not None))
    for at in _ticks(0, top, 6):
        svg.line(left, py(at), right, py(at), "#e6e8eb")
        svg.text(left - 6, py(at) + 4, f"{at:g}", 'text-anchor="end"')
    for at in places if len(places) <= 12 else _ticks(places[0], places[-1], 8):
        svg.text(px(at), bottom + 16, f"{at:g}", 'text-anchor="middle"')
    unit = frame.attrs.get("units", {}).get(y, "")
    svg.text((left + right) / 2, bottom + 34, x, 'text-anchor="middle"')
    svg.text(left, 11, f"{y} ({unit})" if unit else y)
    for i, (name, line) in enumerate(lines):
        color = _color((i % len(_HUES), i // len(_HUES) % 3))
        known = [point for point in line if not math.isnan(point[1])]
        path = " ".join(f"{px(a):.1f},{py(b):.1f}" for a, b in known)
        svg.add(f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="2"/>')
        for a, b in known:
            svg.add(f'<circle cx="{px(a):.1f}" cy="{py(b):.1f}" r="3.5" fill="{color}"><title>{escape(f"{name} {a:g}: {b:g}")}</title></circle>')
        if by is not None:
            svg.rect(left + i % 2 * 280, height + 18 * (i // 2), 12, 10, color)
            svg.text(left + i % 2 * 280 + 18, height + 18 * (i // 2) + 9, name)
    return svg.done()
