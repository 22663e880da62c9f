"""Records how long the steps of a torch_npu job take, and how long each rank waits in its collectives.

Copy this file beside your training script; it needs nothing but the torch that the job runs with:

    import a3sim_recorder
    recorder = a3sim_recorder.start("record")   # after init_process_group, on every rank
    for batch in loader:
        train(batch)
        recorder.step()
    recorder.close()

Then `a3sim advise record` names slow steps, the rank that makes them slow, and for whom the others wait. Each rank writes two
small files in the format of Ascend's profiler (communication.json, step_trace_time.csv), of the last `keep` steps.

Import it before code that takes collectives by name (`from torch.distributed import all_reduce`).

What it measures: events on the device before and behind each collective, or behind the wait for one that runs beside
computing. Events are read two steps later, so that the host never waits for the device. What lies between collectives counts
as computing: a profile says more.
"""

import functools
import json
import os
import socket
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
    def __init__(self, directory, torch, keep=2000, save_every=500):
        self._torch = torch
        self._dist = torch.distributed
        self._device = getattr(torch, "npu", None) or torch.cuda
        self._rank = self._dist.get_rank()
        self._keep = keep
        self._save_every = save_every
        self._groups = {}  # name: (use, ranks)
        self._keys = {}  # process group: its name and ranks
        self._open = []  # (events of exchanges, event of the end) of steps that are not read yet
        self._now = []
        self._number = 0
        self._steps = []  # (number, start us, length us, {(operation, group): us})
        self._begin_us = time.time() * 1e6
        self._last = self._event()
        self._last_us = self._begin_us
        self._originals = {}
        self._inside = False
        self._home = os.path.join(
            directory, f"{socket.gethostname().replace('_', '-')}_{os.getpid()}_{int(self._begin_us)}_ascend_pt"
        )
        for name, operation in COLLECTIVES.items():
            if hasattr(self._dist, name):
                self._wrap(name, operation)

    def name(self, group, use):
        """Says what a group of ranks is for: "tp", "pp", "dp", "ep"."""
        key, ranks = self._group(group)
        self._groups[key] = (use, ranks)

    def step(self):
        """Call it at the end of each step."""
        end = self._event()
        self._open.append((self._number, self._now, end))
        self._now = []
        self._number += 1
        while len(self._open) > BEHIND:
            self._read()
        if self._number % self._save_every == 0:
            self._save()

    def close(self):
        """Reads what is left, writes the files, and measures no longer."""
        for name, original in self._originals.items():
            setattr(self._dist, name, original)
        if self._open:
            self._open[-1][2].synchronize()
        while self._open:
            self._read()
        self._save()

    def _event(self):
        event = self._device.Event(enable_timing=True)
        event.record()
        return event

    def _group(self, group):
        known = self._keys.get(group)
        if known is None:  # once for each group: a list of all ranks takes long
            ranks = list(self._dist.get_process_group_ranks(group or self._dist.group.WORLD))
            known = self._keys[group] = (str(zlib.crc32(",".join(map(str, ranks)).encode())), ranks)
        key, ranks = known
        self._groups.setdefault(key, ("", ranks))
        return key, ranks

    def _wrap(self, name, operation):
        original = getattr(self._dist, name)
        self._originals[name] = original

        @functools.wraps(original)
        def measured(*arguments, **named):
            if self._inside:  # one collective calls another
                return original(*arguments, **named)
            group = named.get("group")
            if name == "batch_isend_irecv":  # the group stands in what is sent
                group = getattr((arguments or tuple(named.values()))[0][0], "group", None)
            key, _ = self._group(group)

            def around(call):
                self._inside = True
                before = self._event()
                try:
                    return call()
                finally:
                    self._inside = False
                    self._now.append((operation, key, before, self._event()))

            if named.get("async_op") or name in ALWAYS_BESIDE:
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
        number, exchanges, end = self._open.pop(0)
        end.synchronize()  # over for two steps: this does not wait
        length = 1e3 * self._last.elapsed_time(end)
        sums = {}
        for operation, group, before, behind in exchanges:
            key = (operation, group)
            sums[key] = sums.get(key, 0.0) + 1e3 * before.elapsed_time(behind)
        self._steps.append((number, self._last_us, length, sums))
        self._last = end
        self._last_us += length
        del self._steps[: -self._keep]

    def _save(self):
        output = os.path.join(self._home, "ASCEND_PROFILER_OUTPUT")
        os.makedirs(output, exist_ok=True)
        communication = {}
        lines = ["Device_id,Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free\n"]
        for number, start, length, sums in self._steps:
            exposed = min(length, sum(sums.values()))
            lines.append(f"0,{number},{length - exposed:.3f},{exposed:.3f},0,{exposed:.3f},0\n")
            entry = communication[f"step{number}"] = {"p2p": {}, "collective": {}}
            at = start + length - exposed  # own work first: a step ends with what it waits in
            for (operation, group), elapsed in sums.items():
                kind = "p2p" if operation in PAIRS else "collective"
                entry[kind][f"{operation}__{group[-3:]}_0_1@{group}"] = {
                    "Communication Time Info": {
                        "Start Timestamp(us)": round(at, 3),
                        "Elapse Time(ms)": elapsed / 1e3,
                        "Transit Time(ms)": 0,
                        "Wait Time(ms)": 0,
                        "Idle Time(ms)": 0,
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
