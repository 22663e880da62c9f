"""Sweeps in processes."""

from __future__ import annotations

import itertools
import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any, Mapping, Optional, Sequence

from . import _core
from ._config import Config, PathLike, find, yaml_of
from ._errors import Error, InputError, Interrupted, RunError
from ._order import Order

_CHILD = "import sys; sys.path.insert(0, sys.argv.pop(1)); from a3sim import _sweep; _sweep._run_in_child()"


def sweep(config: Config, axes: Mapping[str, Sequence[Any]], *, processes: int = 2,
          metrics: Optional[Sequence[str]] = None, database: Optional[PathLike] = None, name: str = "python"):
    """Runs a configuration at all combinations of values, in processes, and returns a pandas frame.

    >>> frame = a3sim.sweep(a3sim.load("ep4.yaml"), {"parallel.ep": [4, 8], "order": ["ratr.yaml", "full.yaml"]})
    >>> frame[frame["pass"] == "total"].pivot(index="parallel.ep", columns="order", values="latency")

    A row a point and pass (and `total`), in the order of the axes, the last one running fastest; a column an axis, as it was
    given, and one a metric (`frame.attrs["units"]`). The axis `order` takes files of orders. Points that fail have a text
    in the column `error` and no metrics, and a warning says how many. In a `database` points stand for later: `a3sim results`
    reads it, and what it has is not computed again. It is `a3sim sweep` that computes: orders as Python functions, which
    no database can hold, go by a loop over run().
    """
    spec = {"base": str(config.file.resolve()), "set": dict(config.changes), "axes": {}}
    if isinstance(config._order, Order):
        if config._order.has_functions:
            raise InputError(f"order '{config._order.name}' is Python's, which no sweep can write down: run() in a loop can")
        spec["set"].update(config._order._as_settings())
    elif config._order is not None:
        spec["set"]["include"] = str(config._order.resolve())
    for axis, values in axes.items():
        values = list(values)
        if axis == "order":
            files = [str(find(value, "orders").resolve()) for value in values]
            spec["axes"]["order"] = {"key": "include", "values": files}
        else:
            spec["axes"][axis] = {"key": axis, "values": [yaml_of(value) for value in values]}
    if metrics is not None:
        spec["metrics"] = list(metrics)
    with tempfile.TemporaryDirectory(prefix="a3sim-") as folder:
        file = Path(folder, name + ".yaml")
        file.write_text(_yaml(spec), encoding="utf-8")
        stored = Path(database) if database is not None else Path(folder, "sweep.db")
        outcome = _run_child(file, stored, processes)
        frame = _read(stored, name, {axis: list(values) for axis, values in axes.items()}, [*config.passes, "total"])
    if outcome["failures"]:
        warnings.warn(f"{len(outcome['failures'])} of {outcome['points']} points have failed: {outcome['failures'][0]}",
                      stacklevel=2)
    return frame


def _yaml(spec: Mapping[str, Any]) -> str:
    """The sweep's file. Values are YAML already."""
    lines = ["sweep:", f"  base: {json.dumps(spec['base'])}"]
    if spec["set"]:
        lines += ["  set:", *(f"    {key}: {_value(key, value)}" for key, value in spec["set"].items())]
    lines.append("  axes:")
    for axis, of in spec["axes"].items():
        values = ", ".join(_value(of["key"], value) for value in of["values"])
        lines.append(f"    {axis}: {{key: {of['key']}, values: [{values}]}}")
    if "metrics" in spec:
        lines.append(f"  metrics: {json.dumps(spec['metrics'])}")
    return "\n".join(lines) + "\n"


def _value(key: str, yaml: str) -> str:
    """A value as it can stand in a list; only paths may have what would end it there."""
    return json.dumps(yaml) if key == "include" else yaml


def _run_child(file: Path, database: Path, processes: int) -> dict:
    # A process of its own: workers are forked, which one with threads, as Python's here may be, must not do.
    command = [sys.executable, "-c", _CHILD, str(Path(__file__).parent.parent), str(file), str(database), str(processes)]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        try:
            out, err = child.communicate()
        except BaseException:
            child.send_signal(signal.SIGINT)
            child.wait()
            raise
    if child.returncode == 0:
        return json.loads(out)
    said = err.strip() or f"the sweep's process ended with {child.returncode}"
    raise {2: InputError, 130: Interrupted}.get(child.returncode, RunError)(said)


def _run_in_child() -> None:
    file, database, processes = sys.argv[1:]
    try:
        points, known, done, failures = _core.sweep(Path(file), Path(database), int(processes), False)
    except (Error, KeyboardInterrupt) as error:
        print(error, file=sys.stderr)
        sys.exit({InputError: 2, Interrupted: 130, KeyboardInterrupt: 130}.get(type(error), 1))
    print(json.dumps({"points": points, "known": known, "done": done, "failures": failures}))


def _read(database: Path, name: str, axes: Mapping[str, Sequence[Any]], passes: Sequence[str]):
    import pandas

    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    try:
        found = pandas.read_sql_query(
            "SELECT position, pass, name, value, unit, error FROM sweep_point JOIN point ON point.id = sweep_point.point "
            "LEFT JOIN metric ON metric.point = point.id WHERE sweep = ?", connection, params=[name])
    finally:
        connection.close()
    points = pandas.DataFrame(list(itertools.product(*axes.values())), columns=list(axes))
    order = {one: number for number, one in enumerate(passes)}
    rows = found[["position", "pass", "error"]].drop_duplicates()
    values = found.dropna(subset=["name"]).pivot(index=["position", "pass"], columns="name", values="value")
    rows = rows.assign(_pass=rows["pass"].map(order)).sort_values(["position", "_pass"]).drop(columns="_pass")
    frame = rows.merge(values, how="left", left_on=["position", "pass"], right_index=True)
    if frame["error"].isna().all():
        frame = frame.drop(columns="error")
    frame = points.join(frame.set_index("position")).reset_index(drop=True)
    frame.attrs["units"] = dict(found.dropna(subset=["name"])[["name", "unit"]].drop_duplicates().values)
    return frame
