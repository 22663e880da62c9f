"""a3sim: how long Mixture-of-Experts training takes on Ascend A3 NPUs, and why.

>>> import a3sim
>>> config = a3sim.load("ep4.yaml")             # a file, or a shipped experiment
>>> config["parallel.ep"] = 8                   # what `--set` takes
>>> result = a3sim.run(config)
>>> result.latency_ms                           # the numbers of `a3sim run`
>>> result["forward"].operators                 # pandas frames, by operator and by rank
>>> result["forward"].tasks(rank=0)             # every task, without copies

load, Config      configurations, changed
run, Result       a run: latencies, tables, tasks; Pass: of one pass
compile, Schedule queues, events, thresholds
Order, Tasks      orders written as Python functions; by_task for functions of one task
compare_orders    what `a3sim try` answers;  what_if  what `a3sim explain --whatif` answers
sweep             many points in processes, as a frame
plot              Result.plot(), Pass.plot(rank), plot_lines of sweeps: SVG; kernels, plot_kernels: profiles beside runs
Error             what goes wrong: InputError, RunError, Interrupted, PartlyFailed

Times end in _ps, picoseconds, or _ms. NumPy and pandas are needed for what gives arrays and frames.
"""

from __future__ import annotations

import os
from pathlib import Path


def _installed_configs() -> None:
    # Beside the package where it was installed; the sources' elsewhere.
    for folder in Path(__file__).resolve().parents:
        configs = folder / "share" / "a3sim" / "configs"
        if configs.is_dir():
            os.environ.setdefault("A3SIM_CONFIGS", str(configs))
            return


_installed_configs()

from . import _core  # noqa: E402
from ._config import Config, configs, load  # noqa: E402
from ._core import runs_under_way  # noqa: E402
from ._errors import Error, InputError, Interrupted, PartlyFailed, RunError  # noqa: E402
from ._order import Order, Tasks, by_task  # noqa: E402
from ._plot import Plot, plot_kernels, plot_lines  # noqa: E402
from ._profile import kernels  # noqa: E402
from ._result import Pass, Result, metric_names, run  # noqa: E402
from ._schedule import Schedule, compile  # noqa: E402
from ._study import Report, compare_orders, what_if  # noqa: E402
from ._sweep import sweep  # noqa: E402

__version__: str = _core.version
NONE: int = _core.none
"""What stands where a task has no expert, or waits for nothing."""

__all__ = [
    "Config", "Error", "InputError", "Interrupted", "NONE", "Order", "PartlyFailed", "Pass", "Plot", "Report", "Result",
    "RunError", "Schedule", "Tasks", "by_task", "compare_orders", "compile", "configs", "kernels", "load", "metric_names",
    "plot_kernels", "plot_lines", "run", "runs_under_way", "sweep", "what_if",
]
