"""Orders of tasks: sort keys, written down or as Python functions."""

from __future__ import annotations

import collections
import json
from typing import Any, Callable, Mapping, Optional, Sequence, Union

from . import _core, _html
from ._errors import InputError

Keys = Union[Sequence[str], Callable[["Tasks"], Any]]


class Tasks:
    """The tasks of one queue of one rank, as an order's function sees them.

    Every attribute is an array with a number a task (`tasks.dst`, `tasks["dst"]`), the same that keys in YAML name:
    op, stage, expert, gexpert, src, dst, rank, ep, distance, node, row, rows, tile, chunk, index, block, bytes, flops,
    depth, path; -1 where a task has no such thing. They are read where the compiler has them, and cannot be written to.
    `operators` are the names that `op` numbers.
    """

    def __init__(self, columns, operators: Sequence[str], elsewhere: Sequence[str]) -> None:
        self._columns = columns
        self.operators = list(operators)
        self._elsewhere = list(elsewhere)

    def __len__(self) -> int:
        return len(self._columns)

    def __getitem__(self, name: str):
        try:
            return self._columns[name]
        except ValueError:
            raise KeyError(f"'{name}' is no attribute of tasks; known: {', '.join(self._columns.dtype.names)}") from None

    def __getattr__(self, name: str):
        if not name.startswith("_") and name in self._columns.dtype.names:
            return self._columns[name]
        raise AttributeError(f"'{name}' is no attribute of tasks; known: {', '.join(self._columns.dtype.names or ())}")

    def __dir__(self):
        return [*super().__dir__(), *self._columns.dtype.names]

    def number(self, operator: str) -> int:
        """What `op` is for tasks of this operator; -1 for one of another pass, which has no tasks here."""
        if operator in self.operators:
            return self.operators.index(operator)
        if operator in self._elsewhere:
            return -1
        known = ", ".join(dict.fromkeys([*self.operators, *self._elsewhere]))
        raise InputError(f"unknown operator '{operator}'; known: {known}")

    def frame(self):
        """All attributes as a pandas frame, without copies."""
        import pandas

        return pandas.DataFrame({name: self._columns[name] for name in self._columns.dtype.names}, copy=False)


def by_task(function: Callable[[Any], Any]) -> Callable[[Tasks], Any]:
    """Makes a function of one task into one of all: it gets a task's attributes by name, and `operator`.

    >>> order = a3sim.Order("mine", ctq=["stage", "expert"], vtq=a3sim.by_task(lambda t: (t.stage, (t.dst - t.rank) % t.ep)))

    Slower than a function of arrays, and easier to write.
    """

    def of_all(tasks: Tasks):
        import numpy

        task = collections.namedtuple("Task", [*tasks._columns.dtype.names, "operator"])
        rows = [function(task(*row, tasks.operators[int(row[0])])) for row in tasks._columns.tolist()]
        keys = numpy.asarray(rows, dtype=float)
        return keys if keys.size else numpy.empty((0, 1))

    return of_all


def _columns_of(keys: Any, tasks: int):
    import numpy

    if isinstance(keys, (tuple, list)):
        keys = numpy.stack([numpy.broadcast_to(numpy.asarray(key, dtype=float), (tasks,)) for key in keys], axis=1)
    keys = numpy.asarray(keys, dtype=float)
    return keys.reshape(-1, 1) if keys.ndim == 1 else keys


class Order:
    """An order of tasks: for each queue sort keys as in YAML, or a function of the tasks' attributes.

    >>> def ring(tasks):
    ...     return tasks.stage, tasks.expert, tasks.chunk, (tasks.dst - tasks.rank) % tasks.ep
    >>> order = a3sim.Order("mine", ctq=["stage", "expert", "op", "row", "tile"], vtq=ring)
    >>> a3sim.run(a3sim.load("ep4.yaml", order=order)).latency_ms

    A function takes Tasks and gives the keys, most significant first: an array with a number a task, several of them,
    or an array with a row a task. Tasks are sorted by them, smallest first, ties by task, exactly as by keys in YAML; where
    a task would stand before what it waits for, the nearest legal place is taken. It is called once per pass, rank
    and queue, on whatever thread compiles. `assignment`, `pools` and `limit` are those of an order's file.
    """

    def __init__(self, name: str, ctq: Keys, vtq: Keys, *, assignment: str = "cyclic",
                 pools: Optional[Mapping[str, Any]] = None, limit: Optional[Mapping[str, int]] = None) -> None:
        keys = {"ctq": ctq, "vtq": vtq}
        self.name = name
        self.has_functions = any(callable(of) for of in keys.values())
        self._function_names = {queue: getattr(of, "__name__", "?") if callable(of) else None for queue, of in keys.items()}
        self._block = {"name": name, "assignment": assignment,
                       **{queue: ["index"] if callable(of) else list(of) for queue, of in keys.items()}}
        if pools is not None:
            self._block["pools"] = {pool: dict(of) for pool, of in pools.items()}
        if limit is not None:
            self._block["limit"] = dict(limit)
        functions = [self._function(of) if callable(of) else None for of in keys.values()]
        self._spec = _core.make_order(json.dumps({"order": self._block}), f"order '{name}'", *functions)

    @staticmethod
    def _function(function: Callable[[Tasks], Any]):
        def of_columns(columns, operators, elsewhere):
            return _columns_of(function(Tasks(columns, operators, elsewhere)), len(columns))

        return of_columns

    def _as_settings(self) -> dict:
        return {"order": json.dumps(self._block)}

    def __repr__(self) -> str:
        return f"<a3sim.Order {self.name}>"

    def _repr_html_(self) -> str:
        rows = [[queue, ", ".join(self._block[queue]) if name is None else f"function {name}"]
                for queue, name in self._function_names.items()]
        rows += [[key, json.dumps(self._block[key])] for key in ("assignment", "pools", "limit") if key in self._block]
        return _html.table([f"order {self.name}", "sort keys"], rows)
