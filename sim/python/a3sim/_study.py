"""What runs many experiments: orders side by side, better machines."""

from __future__ import annotations

import json
import os
from typing import Any, Dict, Optional, Union

from . import _core, _html
from ._config import Config, PathLike, find, load
from ._order import Order


class Report:
    """What a command has to say: `text` for people, `json` for programs."""

    def __init__(self, text: str, json_text: str) -> None:
        self.text = text
        self.json: Dict[str, Any] = json.loads(json_text)

    def frame(self, key: str):
        """A table of `json` as a frame."""
        import pandas

        return pandas.json_normalize(self.json[key])

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return _html.text(self.text)


def compare_orders(order: Union[PathLike, Order], config: Union[PathLike, Config] = "ep8.yaml", *, runs: int = 6,
                   seed: int = 1, as_configured: bool = False, threads: Optional[int] = None) -> Report:
    """What `a3sim try` answers: is this order better than the shipped ones, by how much, and why?

    The order is checked as `a3sim check` does, also on real tensors, and run beside each of configs/orders/ under the
    same random times (`runs` of them, 0 for one run without any); without `as_configured` then under other routings and
    numbers of cores. A table a order: `report.frame("orders")`.
    """
    config = config if isinstance(config, Config) else load(config)
    spec = order._spec if isinstance(order, Order) else _core.read_order_file(find(order, "orders"))
    experiment = _core.load_experiment(config.file, [f"{key}={value}" for key, value in config.changes.items()], None)
    overrides = [f"{key}={value}" for key, value in config.changes.items()]
    return Report(*_core.compare_orders(experiment, config.file, overrides, spec, runs, seed, not as_configured,
                                   threads or os.cpu_count() or 1))


def what_if(config: Config, *, runs: int = 6, seed: int = 1, threads: Optional[int] = None) -> Report:
    """What `a3sim explain --whatif` answers: which part of the machine binds?"""
    return Report(*_core.what_if(config._experiment, runs, seed, threads or os.cpu_count() or 1))
