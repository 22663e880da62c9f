"""Profiles from hardware, as `a3sim import` keeps them."""

from __future__ import annotations

from pathlib import Path
from typing import Optional

from ._config import PathLike
from ._errors import InputError


def kernels(directory: PathLike, step: Optional[int] = None):
    """The kernels and exchanges of a profile that `a3sim import PROFILE -o DIRECTORY` has read, a row each.

    Columns: step, rank, operator, lane (compute, communication), start_ms and end_ms since the first kernel, wait_ms before it.
    Of one step, times are since the step's first kernel. `Result.kernels()` gives the same of a simulation, and
    `plot_kernels()` draws both.
    """
    import pandas

    file = Path(directory, "kernels.csv")
    if not file.is_file():
        raise InputError(f"{file}: is not there; 'a3sim import PROFILE -o {directory}' writes it for an Ascend profiler's directories")
    table = pandas.read_csv(file)
    for name in ("start", "end", "wait"):
        table[f"{name}_ms"] = table.pop(f"{name}_ps") / 1e9
    table = table.rename(columns={"name": "operator"}).drop(columns="core")
    if step is not None:
        if step not in set(table["step"]):
            raise InputError(f"{file}: has no step {step}; there are {', '.join(map(str, sorted(set(table['step']))))}")
        table = table[table["step"] == step].reset_index(drop=True)
        begin = table["start_ms"].min()
        table["start_ms"] -= begin
        table["end_ms"] -= begin
    return table
