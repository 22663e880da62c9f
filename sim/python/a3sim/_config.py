"""Configurations: files, with values changed."""

from __future__ import annotations

import difflib
import json
import os
import warnings
from pathlib import Path
from typing import Any, Mapping, Optional, Union

from . import _core
from ._errors import InputError
from ._order import Order

PathLike = Union[str, "os.PathLike[str]"]


def configs() -> Path:
    """The folder with the shipped configurations: experiments, orders, hardware, sweeps."""
    return Path(_core.configs_folder())


def find(name: PathLike, folder: str) -> Path:
    """A file: as it is named or, where there is none and the name has no folder, the shipped one of that name, which
    may lack its `.yaml`."""
    path = Path(name)
    if not path.exists() and path.parent == Path("."):
        for shipped in (configs() / folder / path, configs() / folder / f"{path}.yaml"):
            if shipped.is_file():
                return shipped
    return path


def yaml_of(value: Any) -> str:
    """A value as it stands behind `--set KEY=`. Text is YAML, as on the command line."""
    if hasattr(value, "item") and not isinstance(value, (list, tuple, dict)):
        value = value.item()  # NumPy's
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    if isinstance(value, tuple):
        value = list(value)
    return json.dumps(value, ensure_ascii=False)


def value_of(yaml: str) -> Any:
    """A scalar as Python has it; everything else as the YAML that it is."""
    if yaml in ("true", "false"):
        return yaml == "true"
    for number in (int, float):
        try:
            return number(yaml)
        except ValueError:
            pass
    return yaml


class Config:
    """An experiment's configuration: a file with its includes, and values laid over it.

    >>> config = a3sim.load("ep4.yaml")
    >>> config["parallel.ep"] = 8
    >>> config["hardware.fabric.planes.hccs.egress"] = "100 GB/s"
    >>> config["parallel.ep"]
    8

    Keys are those of `a3sim run --set KEY=VALUE`, and so are values: text is YAML, with its unit. A change that the
    configuration cannot take raises InputError with file, line, key and remedy, and leaves it as it was.
    """

    def __init__(self, file: PathLike, set: Optional[Mapping[str, Any]] = None,
                 order: Union[None, PathLike, Order] = None) -> None:
        self._file = find(file, "experiments")
        self._set = {key: yaml_of(value) for key, value in (set or {}).items()}
        self._order = order if order is None or isinstance(order, Order) else find(order, "orders")
        self._experiment = self._load(self._set, self._order)

    def _load(self, set: Mapping[str, str], order: Union[None, Path, Order]) -> _core.Experiment:
        overrides = [f"{key}={value}" for key, value in set.items()]
        if not isinstance(order, Order):
            experiment = _core.load_experiment(self._file, overrides, order)
        else:
            experiment = _core.load_experiment(self._file, overrides, None).with_order(order._spec)
        for sentence in experiment.unused_entries():
            warnings.warn(sentence, stacklevel=4)
        return experiment

    def set(self, key: Union[str, Mapping[str, Any]], value: Any = None) -> "Config":
        """Changes a value, or all of a mapping at once, where only together they fit. Returns the configuration."""
        changes = key if isinstance(key, Mapping) else {key: value}
        changed = {**self._set, **{one: yaml_of(of) for one, of in changes.items()}}
        self._experiment = self._load(changed, self._order)
        self._set = changed
        return self

    def use_order(self, order: Union[PathLike, Order]) -> "Config":
        """Takes another order: a YAML file, the name of a shipped one ("ratr.yaml"), or an Order."""
        taken = order if isinstance(order, Order) else find(order, "orders")
        self._experiment = self._load(self._set, taken)
        self._order = taken
        return self

    def copy(self) -> "Config":
        """One that may be changed while this one stays."""
        other = object.__new__(Config)
        other.__dict__.update(self.__dict__, _set=dict(self._set))
        return other

    def __setitem__(self, key: str, value: Any) -> None:
        self.set(key, value)

    def __getitem__(self, key: str) -> Any:
        """A value as it was understood, defaults included; of a block a dict of all that is below it."""
        values = self.values()
        if key in values:
            return values[key]
        below = {path[len(key) + 1:]: value for path, value in values.items() if path.startswith(key + ".")}
        if below:
            return below
        near = difflib.get_close_matches(key, values, 1)
        raise KeyError(f"no value is called '{key}'" + (f"; did you mean '{near[0]}'?" if near else ""))

    def values(self) -> dict:
        """All values by their paths, as they were understood."""
        return {path: value_of(yaml) for path, yaml in self._experiment.values()}

    @property
    def changes(self) -> dict:
        """What was laid over the file: key to YAML."""
        return dict(self._set)

    @property
    def file(self) -> Path:
        """The file that it was read from."""
        return self._file

    @property
    def name(self) -> str:
        """The experiment's name."""
        return self._experiment.name

    @property
    def passes(self) -> list:
        """The names of what it runs, one after the other."""
        return self._experiment.passes

    @property
    def resolved(self) -> str:
        """All of it as YAML, which `a3sim run` takes. A configuration whose order is Python's has none."""
        if isinstance(self._order, Order) and self._order.has_functions:
            raise InputError(f"{self.name}: its order '{self._order.name}' is Python's, which no file can say; "
                             "Schedule.order_csv() writes what it comes to")
        if isinstance(self._order, Order):
            return Config(self._file, {**self._set, **self._order._as_settings()}).resolved
        return self._experiment.resolved

    def __repr__(self) -> str:
        changes = "".join(f", {key}={value}" for key, value in self._set.items())
        return f"<a3sim.Config {self._file}{changes}>"


def load(file: PathLike, *, set: Optional[Mapping[str, Any]] = None,
         order: Union[None, PathLike, Order] = None) -> Config:
    """Reads a configuration: a YAML file, a model's HuggingFace config.json, or the name of a shipped experiment.

    `set` is laid over it as `--set` does, and `order` takes the place of its order, as `--order` does.
    """
    return Config(file, set, order)
