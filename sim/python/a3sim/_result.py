"""Runs, and what comes of them."""

from __future__ import annotations

import functools
import json
from typing import Any, Dict, Optional, Sequence

from . import _core, _html
from ._config import Config
from ._errors import InputError
from ._plot import Bar, Plot, plot_kernels, timelines
from ._schedule import Schedule


_HEADS = ["pass", "latency ms", "bound ms", "bound by", "gain at most %"]


class Pass:
    """One pass of a run."""

    def __init__(self, result: "Result", number: int, name: str, latency_ps: int) -> None:
        self._result = result
        self._number = number
        self.name = name
        self.latency_ps = latency_ps

    @property
    def latency_ms(self) -> float:
        """From the common start to the last completion on any rank."""
        return self.latency_ps / 1e9

    @property
    def bounds_ps(self) -> Dict[str, int]:
        """What no order can beat, each by itself: cube, vector, HBM, link, path."""
        return self._result._run.bounds(self._number)

    @property
    def schedule(self) -> Schedule:
        """What was run."""
        return Schedule(self._result._run.schedule(self._number))

    @property
    def json(self) -> Dict[str, Any]:
        """What `a3sim run --json` says of the pass."""
        return self._result.json["passes"][self._number]

    @functools.cached_property
    def operators(self):
        """A frame with a row an operator, over all ranks: tasks, times, what was lost to which limit, L2 and HBM.

        `l2.read.hit_rate` and `l2.write.hit_rate` are hits of hits and allocating misses, as the profiler has it.
        """
        return self._table("operators", "operator")

    @functools.cached_property
    def ranks(self):
        """A frame with a row a rank: its end, its workers' times, hit rates, bytes sent and received."""
        return self._table("ranks", None)

    def _table(self, key: str, index: Optional[str]):
        import pandas

        frame = pandas.json_normalize(self.json[key])
        for way in ("read", "write"):
            hit, miss = frame[f"l2.{way}.hit"], frame[f"l2.{way}.miss"]
            frame[f"l2.{way}.hit_rate"] = hit / (hit + miss)
        if index is not None:
            return frame.set_index(index)
        frame.index.name = "rank"
        return frame

    def records(self, rank: int):
        """Every task's life on a rank as a structured array, a view of the simulator's own records."""
        if not self._result._run.recorded:
            raise InputError("the run kept no tasks: run(config, tasks=True) does")
        return self._result._run.records(self._number, rank)

    def tasks(self, rank: Optional[int] = None):
        """Every task of a rank as a frame: descriptor and life, with the names of `a3sim run --trace`'s columns.

        Columns are views of the simulator's own tables, but `operator` and `queue`, categories made of numbers, and
        `before_start_ps`, from when its worker took the task until it ran. Of all ranks (None) the frames are copied
        behind one another, with a column `rank`. `a3sim.NONE` stands where a task has no expert or waits for nothing.
        """
        import numpy
        import pandas

        if rank is None:
            frames = [self.tasks(one) for one in range(self.schedule.ranks)]
            return pandas.concat(frames, keys=range(len(frames)), names=["rank", "task"]).reset_index()
        life, task = self.records(rank), self.schedule.descriptors(rank)
        first = {"operator": pandas.Categorical.from_codes(task["op"].astype(numpy.int32), self.schedule.operators),
                 "index": task["index"], "expert": task["gexpert"], "src": task["src"], "dst": task["dst"]}
        last = {"queue": pandas.Categorical.from_codes(task["queue_type"].astype(numpy.int8), ["CTQ", "VTQ"]),
                "dependent_event": task["dependent_event"], "trigger_rank": task["trigger_rank"],
                "trigger_event": task["trigger_event"], "before_start_ps": life["start_ps"] - life["taken_ps"]}
        columns = {**first, **{name: life[name] for name in life.dtype.names}, **last}
        frame = pandas.DataFrame(columns, copy=False)
        frame.index.name = "task"
        return frame

    def plot(self, rank: int = 0, width: int = 960) -> Plot:
        """Every worker of a rank as a lane, every task as a bar."""
        tasks = self.tasks(rank).sort_values(["worker", "start_ps"])
        first = tasks.groupby("queue", observed=True)["worker"].min()
        kinds = {"CTQ": "AIC", "VTQ": "AIV"} if len(first) > 1 else {}
        bars = [Bar(f"{kinds.get(one.queue, 'worker')} {one.worker - (first[one.queue] if kinds else 0)}", one.operator,
                    one.start_ps / 1e9, one.end_ps / 1e9) for one in tasks.itertuples()]
        return timelines([(f"rank {rank}, {self.name}", bars)], width)

    def __repr__(self) -> str:
        return f"<a3sim.Pass {self.name}, {self.latency_ms:.3f} ms>"

    def _cells(self) -> list:
        """Its name, latency, largest bound with its name, and the part of the latency that lies above that."""
        bounds = self.bounds_ps
        if not bounds or self.latency_ps == 0:
            return [self.name, f"{self.latency_ms:.3f}", "", "", ""]
        most = max(bounds, key=bounds.get)
        return [self.name, f"{self.latency_ms:.3f}", f"{bounds[most] / 1e9:.3f}", most, f"{100 * (1 - bounds[most] / self.latency_ps):.1f}"]

    def _repr_html_(self) -> str:
        return _html.table(_HEADS, [self._cells()])


class Result:
    """What a run came to. Its numbers are those of `a3sim run` with the same configuration.

    >>> result = a3sim.run(a3sim.load("ep4.yaml"))
    >>> result.latency_ms, result["forward"].operators["waited_ps"]
    >>> print(result.text)
    """

    def __init__(self, run: _core.Run) -> None:
        self._run = run
        self.passes = {name: Pass(self, number, name, ps) for number, (name, ps) in enumerate(run.latencies())}

    @property
    def latency_ps(self) -> int:
        """Of all passes, one after the other."""
        return sum(one.latency_ps for one in self.passes.values())

    @property
    def latency_ms(self) -> float:
        """Of all passes, one after the other."""
        return self.latency_ps / 1e9

    @functools.cached_property
    def _summary(self):
        if not self._run.recorded:
            raise InputError("the run kept no tasks, which this is made of: run(config, tasks=True) does")
        return self._run.summary()

    @property
    def text(self) -> str:
        """The page that `a3sim run` prints."""
        return self._summary[0]

    @functools.cached_property
    def json(self) -> Dict[str, Any]:
        """What `a3sim run --json` prints."""
        return json.loads(self._summary[1])

    def metrics(self, names: Optional[Sequence[str]] = None):
        """A frame of figures as sweeps record them, a row a pass and the total; `attrs["units"]` has their units."""
        import pandas

        if names is None:
            names = [one for one in metric_names() if self._run.recorded or not one.startswith(("blame.", "exposed", "hidden"))]
        found = self._run.metrics(list(names))
        frame = pandas.DataFrame(found, columns=["pass", "metric", "value", "unit"])
        order = list(dict.fromkeys(frame["pass"]))
        table = frame.pivot(index="pass", columns="metric", values="value").loc[order]
        table.attrs["units"] = dict(zip(frame["metric"], frame["unit"]))
        return table

    def kernels(self):
        """Each operator of each rank as one kernel, from its first task to the end of its last: a row each, as `a3sim.kernels()`
        has those of a profile. Passes follow one another."""
        import pandas

        parts, since = [], 0
        for one in self.passes.values():
            tasks = one.tasks()
            spans = tasks.groupby(["rank", "operator"], observed=True).agg(
                start_ps=("start_ps", "min"), end_ps=("end_ps", "max"), sends=("dst", "nunique")).reset_index()
            spans["pass"] = one.name
            spans[["start_ps", "end_ps"]] += since
            parts.append(spans)
            since += one.latency_ps
        table = pandas.concat(parts, ignore_index=True)
        puts = {op["operator"] for one in self.json["passes"] for op in one["operators"] if op.get("unit") == "put"}
        table["lane"] = ["communication" if name in puts else "compute" for name in table["operator"]]
        for name in ("start", "end"):
            table[f"{name}_ms"] = table.pop(f"{name}_ps") / 1e9
        return table.drop(columns="sends").sort_values(["rank", "start_ms"]).reset_index(drop=True)

    def plot(self, ranks: Optional[Sequence[int]] = None, width: int = 960) -> Plot:
        """Operators as kernels, a lane for what runs at one time on a rank; of all ranks, or of these."""
        return plot_kernels({"simulated": self.kernels()}, ranks, width)

    def __getitem__(self, name: str) -> Pass:
        return self.passes[name]

    def __repr__(self) -> str:
        return f"<a3sim.Result {self.latency_ms:.3f} ms: {', '.join(self.passes)}>"

    def _repr_html_(self) -> str:
        rows = [one._cells() for one in self.passes.values()]
        if len(rows) > 1:
            rows.append(["all passes", f"{self.latency_ms:.3f}", "", "", ""])
        return _html.table(_HEADS, rows)


def run(config: Config, *, tasks: bool = True) -> Result:
    """Compiles a configuration and runs it. Without `tasks` it keeps no records: latencies, bounds, metrics remain.

    Other threads run meanwhile, also those that run something else. Ctrl-C raises KeyboardInterrupt.
    """
    return Result(_core.run(config._experiment, tasks))


def metric_names() -> list:
    """The figures that sweeps record."""
    return _core.metric_names()
