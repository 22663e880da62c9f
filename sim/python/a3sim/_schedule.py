"""Compiled schedules, read where they lie."""

from __future__ import annotations

from typing import List

from . import _core
from ._config import Config


class Schedule:
    """One pass's schedules of all ranks. Arrays and frames are views of the compiled tables: nothing is copied, nothing
    can be written to, and they live as long as anything looks at them. `a3sim.NONE` stands where there is no such thing."""

    def __init__(self, core: _core.Schedule) -> None:
        self._core = core

    @property
    def name(self) -> str:
        """The pass: forward, backward, ..."""
        return self._core.name

    @property
    def ranks(self) -> int:
        """How many ranks there are."""
        return self._core.ranks

    @property
    def order(self) -> str:
        """The name of the order that made it."""
        return self._core.order

    @property
    def operators(self) -> List[str]:
        """The names of the operators, by the number `op` in tasks."""
        return self._core.operators

    def tensors(self, rank: int) -> List[str]:
        """The names of a rank's tensors, by the number `tensor` in regions."""
        return self._core.tensors(rank)

    def queue(self, rank: int, queue: str):
        """The order of a queue ("CTQ" or "VTQ"): numbers of tasks, as an array."""
        return self._core.queue(rank, queue)

    def descriptors(self, rank: int):
        """A rank's task descriptors as a structured array."""
        return self._core.tasks(rank)

    def tasks(self, rank: int):
        """A rank's task descriptors as a frame: what a task waits for and triggers, and what orders sort by."""
        return frame_of(self._core.tasks(rank))

    def events(self, rank: int):
        """A rank's events as a frame: `threshold`, and whether one is the `done` event."""
        return frame_of(self._core.events(rank))

    def regions(self, rank: int):
        """What tasks read and write, as a frame: a task's inputs, then its outputs, begin at its `first_region`."""
        return frame_of(self._core.regions(rank))

    def contents(self, rank: int) -> bytes:
        """A rank's schedule as bytes: equal schedules have equal ones."""
        return self._core.contents(rank)

    def order_csv(self) -> str:
        """The order of every queue, as `a3sim schedule order` writes it."""
        return self._core.order_csv()

    def __eq__(self, other: object) -> bool:
        return (isinstance(other, Schedule) and self.ranks == other.ranks and
                all(self.contents(rank) == other.contents(rank) for rank in range(self.ranks)))

    __hash__ = None

    def __repr__(self) -> str:
        return f"<a3sim.Schedule {self.name}, {self.ranks} ranks, order {self.order}>"


def frame_of(array, **more):
    """A structured array as a frame of views."""
    import pandas

    return pandas.DataFrame({**{name: array[name] for name in array.dtype.names}, **more}, copy=False)


def compile(config: Config) -> dict:
    """Compiles a configuration: its schedules, by pass. Others run meanwhile; Ctrl-C stops it between passes."""
    return {one.name: Schedule(one) for one in _core.compile(config._experiment)}
