"""Records how long the steps of a torch_npu job take, and how long each rank waits in its collectives.

Copy this file beside your training script; it needs nothing but the torch that the job runs with:

    import a3sim_recorder
    recorder = a3sim_recorder.start("record")   # after init_process_group, on every rank
    for batch in loader:
        train(batch)
        recorder.step()
    recorder.close()

Then `a3sim advise record` names slow steps, the rank that makes them slow, and for whom the others wait; a low clock, too, where
the driver tells clocks. Each rank writes small files in the format of Ascend's profiler (communication.json, step_trace_time.csv)
into a folder of its own, of the last `keep` steps. Files are written again and again, so that a job that dies leaves them.

Import it before code that takes collectives by name (`from torch.distributed import all_reduce`).

An error of the recorder ends the record, with a line on stderr, and never the job.

What it measures: events on the device before and behind each collective, or behind the wait for one that runs beside
computing. Events are read two steps later, so that the host never waits for the device. What lies between collectives counts
as computing: a profile says more.
"""

import atexit
import ctypes
import functools
import inspect
import json
import os
import socket
import sys
import time
import zlib

COLLECTIVES = {
    "all_reduce": "hcom_allReduce",
    "all_gather": "hcom_allGather",
    "all_gather_into_tensor": "hcom_allGather",
    "reduce_scatter": "hcom_reduceScatter",
    "reduce_scatter_tensor": "hcom_reduceScatter",
    "all_to_all": "hcom_alltoallv",
    "all_to_all_single": "hcom_alltoallv",
    "broadcast": "hcom_broadcast",
    "send": "hcom_send",
    "recv": "hcom_receive",
    "barrier": "hcom_barrier",
    "isend": "hcom_send",
    "irecv": "hcom_receive",
    "batch_isend_irecv": "hcom_batchsendrecv",
}
PAIRS = ("hcom_send", "hcom_receive", "hcom_batchsendrecv")
ALWAYS_BESIDE = ("isend", "irecv", "batch_isend_irecv")  # they return at once, and are waited for later
BEHIND = 2  # steps after which events are read
RARELY = 200  # what is written or read from the driver waits for so many times as long as it took last: 0.5 % of the time
CLOCK = "AIC Clock(MHz)"


def clock_of_npu(torch):
    """Returns a function that reads the clock of this rank's AI cores in MHz, from the driver's library DCMI."""
    dcmi = ctypes.CDLL("/usr/local/dcmi/libdcmi.so")
    logical = torch.npu.current_device()
    visible = os.environ.get("ASCEND_RT_VISIBLE_DEVICES", "").split(",")
    if logical < len(visible) and visible[logical].strip().isdigit():
        logical = int(visible[logical])
    card, device, frequency = ctypes.c_int(), ctypes.c_int(), ctypes.c_uint()
    current_of_ai_cores = 7  # DCMI_FREQ_AICORE_CURRENT_
    if dcmi.dcmi_init() or dcmi.dcmi_get_card_id_device_id_from_logicid(
        ctypes.byref(card), ctypes.byref(device), ctypes.c_uint(logical)
    ):
        raise OSError("DCMI names no card")

    def read():
        if dcmi.dcmi_get_device_frequency(card, device, current_of_ai_cores, ctypes.byref(frequency)):
            raise OSError("DCMI tells no clock")
        return frequency.value

    return read


def clock_reader(torch):
    """Returns a function that reads this rank's clock in MHz, or None where nothing tells it."""
    try:
        read = clock_of_npu(torch) if hasattr(torch, "npu") else torch.cuda.clock_rate
        return read if read() > 0 else None
    except Exception:  # no library, no permission, no such device
        return None


def place_of(call, parameter):
    """Returns the position of a parameter of a function, or None."""
    try:
        return list(inspect.signature(call).parameters).index(parameter)
    except (TypeError, ValueError):
        return None


class _Work:
    """What an asynchronous collective returns: its wait is measured."""

    def __init__(self, work, around):
        self._work = work
        self._around = around

    def wait(self, *arguments, **named):
        return self._around(lambda: self._work.wait(*arguments, **named))

    def __getattr__(self, name):
        return getattr(self._work, name)


class Recorder:
    def __init__(self, directory, torch, keep=2000, save_every=500, clock=clock_reader):
        self._torch = torch
        self._dist = torch.distributed
        self._device = getattr(torch, "npu", None) or torch.cuda
        self._rank = self._dist.get_rank()
        self._keep = keep
        self._save_every = save_every
        self._groups = {}  # name: (use, ranks)
        self._keys = {}  # process group: its name and ranks
        self._open = []  # (number, events of exchanges, event of the end, clock) of steps that are not read yet
        self._now = []
        self._number = 0
        self._steps = []  # (number, start us, length us, {(operation, group): us}, clock)
        self._read_clock = clock(torch)
        self._next_clock = self._next_save = 0.0  # by time.perf_counter()
        self._begin_us = time.time() * 1e6
        self._last = self._event()
        self._last_us = self._begin_us
        self._originals = {}
        self._inside = False
        host = socket.gethostname().replace("_", "-")
        self._home = os.path.join(directory, f"{host}_{os.getpid()}_{int(self._begin_us)}{self._rank:06}_ascend_pt")
        for name, operation in COLLECTIVES.items():
            if hasattr(self._dist, name):
                self._wrap(name, operation)
        atexit.register(self._leave)

    def name(self, group, use):
        """Says what a group of ranks is for: "tp", "pp", "dp", "ep"."""
        key, ranks = self._group(group)
        self._groups[key] = (use, ranks)

    def step(self):
        """Call it at the end of each step."""
        self._safely(self._step)

    def close(self):
        """Reads what is left, writes the files, and measures no longer."""
        self._safely(self._finish)
        self._unwrap()

    def _step(self):
        end = self._event()
        self._open.append((self._number, self._now, end, self._clock()))
        self._now = []
        self._number += 1
        while len(self._open) > BEHIND:
            self._read()
        # Often at first, because a job may die early.
        early = self._number & (self._number - 1) == 0
        if (early or self._number % self._save_every == 0) and time.perf_counter() >= self._next_save:
            self._save()

    def _finish(self):
        if self._open:
            self._open[-1][2].synchronize()
        while self._open:
            self._read()
        self._save()

    def _leave(self):
        """Writes what was read when the job ends without close(); does not wait for the device, which may have failed."""
        if self._originals:
            self._safely(self._save)

    def _unwrap(self):
        atexit.unregister(self._leave)
        for name, original in self._originals.items():
            setattr(self._dist, name, original)
        self._originals = {}

    def _safely(self, call):
        """Calls a part of the recorder. Its errors end the record, not the job."""
        if not self._originals:
            return None
        try:
            return call()
        except Exception as error:
            self._unwrap()
            print(f"a3sim_recorder: rank {self._rank} records no longer: {error!r}", file=sys.stderr)
            return None

    def _clock(self):
        if self._read_clock is None or time.perf_counter() < self._next_clock:
            return None
        begin = time.perf_counter()
        try:
            clock = self._read_clock()
        except Exception:  # the driver is busy, or gone
            self._read_clock = clock = None
        self._next_clock = time.perf_counter() + RARELY * (time.perf_counter() - begin)
        return clock

    def _event(self):
        event = self._device.Event(enable_timing=True)
        event.record()
        return event

    def _group(self, group):
        known = self._keys.get(group)
        if known is None:  # once for each group: a list of all ranks takes long
            try:
                ranks = list(self._dist.get_process_group_ranks(group or self._dist.group.WORLD))
                name = str(zlib.crc32(",".join(map(str, ranks)).encode()))
            except Exception:  # its members cannot be read: it is compared with no other rank's
                ranks, name = [], f"unread-{self._rank}-{len(self._keys)}"
            known = self._keys[group] = (name, ranks)
        key, ranks = known
        self._groups.setdefault(key, ("", ranks))
        return key, ranks

    def _wrap(self, name, operation):
        original = getattr(self._dist, name)
        self._originals[name] = original
        places = {parameter: place_of(original, parameter) for parameter in ("group", "async_op")}

        def argument(parameter, arguments, named):
            if parameter in named:
                return named[parameter]
            place = places[parameter]
            return arguments[place] if place is not None and place < len(arguments) else None

        def begin(arguments, named):
            group = argument("group", arguments, named)
            if name == "batch_isend_irecv":  # the group stands in what is sent
                sent = (arguments or tuple(named.values()))[0]
                group = getattr(sent[0], "group", None) if sent else None
            return self._group(group)[0]

        @functools.wraps(original)
        def measured(*arguments, **named):
            if self._inside:  # one collective calls another
                return original(*arguments, **named)
            key = self._safely(lambda: begin(arguments, named))

            def around(call):
                self._inside = True
                before = self._safely(self._event)
                try:
                    return call()
                finally:
                    self._inside = False
                    behind = self._safely(self._event)
                    if before and behind and key:
                        self._now.append((operation, key, before, behind))

            if argument("async_op", arguments, named) or name in ALWAYS_BESIDE:
                self._inside = True
                try:
                    work = original(*arguments, **named)
                finally:
                    self._inside = False
                if isinstance(work, list):
                    return [_Work(one, around) for one in work]
                return work if work is None else _Work(work, around)
            return around(lambda: original(*arguments, **named))

        setattr(self._dist, name, measured)

    def _read(self):
        number, exchanges, end, clock = self._open.pop(0)
        end.synchronize()  # over for two steps: this does not wait
        length = 1e3 * self._last.elapsed_time(end)
        sums = {}
        for operation, group, before, behind in exchanges:
            key = (operation, group)
            sums[key] = sums.get(key, 0.0) + 1e3 * before.elapsed_time(behind)
        self._steps.append((number, self._last_us, length, sums, clock))
        self._last = end
        self._last_us += length
        del self._steps[: -self._keep]

    def _save(self):
        begin = time.perf_counter()
        self._write_all()
        self._next_save = time.perf_counter() + RARELY * (time.perf_counter() - begin)

    def _write_all(self):
        output = os.path.join(self._home, "ASCEND_PROFILER_OUTPUT")
        os.makedirs(output, exist_ok=True)
        communication = {}
        columns = "Device_id,Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free"
        lines = [f"{columns},{CLOCK}\n"]
        for number, start, length, sums, clock in self._steps:
            exposed = min(length, sum(sums.values()))
            lines.append(f"0,{number},{length - exposed:.3f},{exposed:.3f},0,{exposed:.3f},0,{clock or 'N/A'}\n")
            entry = communication[f"step{number}"] = {"p2p": {}, "collective": {}}
            at = start + length - exposed  # own work first: a step ends with what it waits in
            for (operation, group), elapsed in sums.items():
                kind = "p2p" if operation in PAIRS else "collective"
                entry[kind][f"{operation}__{group[-3:]}_0_1@{group}"] = {
                    "Communication Time Info": {
                        "Start Timestamp(us)": round(at, 3),
                        "Elapse Time(ms)": elapsed / 1e3,
                    }
                }
                at += elapsed
        groups = {
            key: {"group_name": use, "group_rank": ranks.index(self._rank), "global_ranks": ranks}
            for key, (use, ranks) in self._groups.items()
            if self._rank in ranks
        }
        self._write(os.path.join(output, "communication.json"), json.dumps(communication))
        self._write(os.path.join(output, "step_trace_time.csv"), "".join(lines))
        self._write(os.path.join(self._home, "profiler_metadata.json"), json.dumps({"parallel_group_info": groups}))
        self._write(os.path.join(self._home, f"profiler_info_{self._rank}.json"), "{}")

    @staticmethod
    def _write(path, text):
        with open(path + ".part", "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(path + ".part", path)


def start(directory, **options):
    """Begins to record on this rank. Call it after init_process_group."""
    import torch

    return Recorder(directory, torch, **options)
