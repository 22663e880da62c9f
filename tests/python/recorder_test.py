#!/usr/bin/env python3
"""The recorder writes what `advise` reads, and names the rank that makes steps slow. Usage: recorder_test.py A3SIM"""

import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import types

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "traces", "recorder"))
import a3sim_recorder  # noqa: E402

RANKS, STEPS, SLOW = 4, 40, range(20, 30)


class Clock:
    now = 0.0  # ms on the device


class Event:
    def __init__(self, enable_timing):
        assert enable_timing

    def record(self):
        self.at = Clock.now

    def synchronize(self):
        pass

    def elapsed_time(self, other):
        return other.at - self.at


def stand_in(rank, work):
    """Returns what the recorder needs of torch. A collective takes until the slowest of all ranks has come, and 2 ms."""
    dist = types.SimpleNamespace(group=types.SimpleNamespace(WORLD="world"))
    dist.get_rank = lambda: rank
    dist.get_process_group_ranks = lambda group: list(range(RANKS)) if group == "world" else group
    state = types.SimpleNamespace(step=0)

    def all_reduce(tensor, group=None, async_op=False):
        Clock.now += max(work(r, state.step) for r in range(RANKS)) - work(rank, state.step) + 2

    dist.all_reduce = all_reduce
    return types.SimpleNamespace(distributed=dist, npu=types.SimpleNamespace(Event=Event)), state


def record(directory, work, clock=lambda state, rank: None):
    for rank in range(RANKS):
        Clock.now = 0.0
        torch, state = stand_in(rank, work)
        original = torch.distributed.all_reduce
        recorder = a3sim_recorder.Recorder(directory, torch, save_every=16, clock=lambda _: clock(state, rank))
        recorder._home = os.path.join(directory, f"host_{rank}_1_ascend_pt")
        recorder.name(None, "dp")
        for step in range(STEPS):
            state.step = step
            Clock.now += work(rank, step)
            torch.distributed.all_reduce(None)
            recorder.step()
        recorder.close()
        assert torch.distributed.all_reduce is original


def check_waits_beside_computing():
    """What runs beside computing costs its wait alone, of single works and of lists."""
    with tempfile.TemporaryDirectory() as directory:
        Clock.now = 0.0
        torch, _ = stand_in(0, lambda rank, step: 10.0)

        class Work:
            def wait(self):
                Clock.now += 3

        torch.distributed.irecv = lambda tensor, src, group=None: Work()
        torch.distributed.batch_isend_irecv = lambda ops: [Work(), Work()]
        recorder = a3sim_recorder.Recorder(directory, torch)
        for _ in range(4):
            work = torch.distributed.irecv(None, 1)
            works = torch.distributed.batch_isend_irecv([types.SimpleNamespace(group=None)])
            Clock.now += 20
            for one in [work, *works]:
                one.wait()
            recorder.step()
        recorder.close()
        for _, _, length, sums, _ in recorder._steps:
            assert length == 29e3, length
            assert sorted(us for us in sums.values()) == [3e3, 6e3], sums


def check_cost():
    """A collective costs the host little: 50 of them less than 1 % of a step of 100 ms, in groups of 1000 ranks too."""
    with tempfile.TemporaryDirectory() as directory:
        torch, _ = stand_in(0, lambda rank, step: 0.0)
        torch.distributed.get_process_group_ranks = lambda group: list(range(1000))
        torch.distributed.all_reduce = lambda tensor, group=None, async_op=False: None
        plain = torch.distributed.all_reduce
        recorder = a3sim_recorder.Recorder(directory, torch)

        def time_of(call, steps=40, calls=50):
            begin = time.process_time()
            for _ in range(steps):
                for _ in range(calls):
                    call(None)
                recorder.step()
            return (time.process_time() - begin) / steps

        without = time_of(plain)
        cost = min(time_of(torch.distributed.all_reduce) for _ in range(3)) - without
        assert cost < 0.01 * 0.1, cost


def advice_on(a3sim, directory):
    run = subprocess.run([a3sim, "advise", directory, "--json"], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def check_arguments():
    """Groups and async_op count wherever they stand; an empty batch is the job's own matter."""
    with tempfile.TemporaryDirectory() as directory:
        torch, _ = stand_in(0, lambda rank, step: 10.0)
        dist = torch.distributed
        dist.batch_isend_irecv = lambda ops: []
        dist.all_to_all = lambda out, into, group=None, async_op=False: types.SimpleNamespace(wait=lambda: None)
        recorder = a3sim_recorder.Recorder(directory, torch)
        dist.all_reduce(None, (0, 1))
        dist.all_to_all(None, None, (0, 2), True).wait()
        assert dist.batch_isend_irecv([]) == []
        recorder.close()
        assert [ranks for _, ranks in recorder._groups.values()] == [[0, 1], [0, 2], list(range(RANKS))]


def check_errors():
    """What the recorder cannot read ends the record of it, never the job."""
    with tempfile.TemporaryDirectory() as directory:
        torch, _ = stand_in(0, lambda rank, step: 10.0)
        dist = torch.distributed
        plain = dist.all_reduce

        def unknown(group):
            raise RuntimeError("no such group")

        dist.get_process_group_ranks = unknown
        recorder = a3sim_recorder.Recorder(directory, torch)
        dist.all_reduce(None)
        recorder.step()
        assert dist.all_reduce is not plain
        shutil.rmtree(directory)
        with open(directory, "w", encoding="utf-8"):  # nothing can be written there
            pass
        recorder._next_save = 0
        with contextlib.redirect_stderr(io.StringIO()) as said:
            for _ in range(4):
                dist.all_reduce(None)
                recorder.step()
        assert "records no longer" in said.getvalue(), said.getvalue()
        assert dist.all_reduce is plain
        recorder.close()
        os.remove(directory)
        os.mkdir(directory)


def check_death(a3sim):
    """A job that is killed, and one that ends without close(), leave what they recorded."""
    for end, least in [("os.kill(os.getpid(), 9)", 15), ("raise SystemExit(1)", 18)]:
        with tempfile.TemporaryDirectory() as directory:
            script = f"""
import os, sys
sys.path.insert(0, {HERE!r})
import recorder_test as test
torch, _ = test.stand_in(0, lambda rank, step: 10.0)
recorder = test.a3sim_recorder.Recorder({directory!r}, torch)
for step in range(20):
    recorder._next_save = 0
    test.Clock.now += 10
    torch.distributed.all_reduce(None)
    recorder.step()
{end}
"""
            subprocess.run([sys.executable, "-c", script], check=False)
            assert advice_on(a3sim, directory)["steps"] >= least - 1, end


def check_damage(a3sim):
    """What is damaged is left out and said; of two records of a rank the later one counts, whatever the processes' numbers."""
    files = "ASCEND_PROFILER_OUTPUT"
    for damaged, cut, left in [
        ("communication.json", 300, "the rest of it is left out"),
        ("step_trace_time.csv", 9, "1 damaged row is"),
    ]:
        with tempfile.TemporaryDirectory() as directory:
            record(directory, lambda rank, step: 15.0 if rank == 2 and step in SLOW else 10.0)
            path = os.path.join(directory, "host_1_1_ascend_pt", files, damaged)
            os.truncate(path, os.path.getsize(path) - cut)
            advice = advice_on(a3sim, directory)
            assert [f["steps"] for f in advice["findings"]] == [[20, 29]], advice["findings"]
            assert any(left in one["column"] for one in advice["missing"]), advice["missing"]
    with tempfile.TemporaryDirectory() as directory:
        record(directory, lambda rank, step: 10.0)
        for rank in range(RANKS):
            os.rename(f"{directory}/host_{rank}_1_ascend_pt", f"{directory}/host_{9 - rank}_12_ascend_pt")
        record(directory, lambda rank, step: 15.0 if rank == 2 and step in SLOW else 10.0)
        assert advice_on(a3sim, directory)["slow"] == []


def check_clocks(a3sim):
    """A low clock is named where the driver tells it; it is read seldom, and no longer once that fails."""

    def slow(rank, step):
        return 15.0 if rank == 2 and step in SLOW else 10.0

    def clock(state, rank):
        return lambda: 1200 if rank == 2 and state.step in SLOW else 1800

    with tempfile.TemporaryDirectory() as directory:
        a3sim_recorder.RARELY, rarely = 0, a3sim_recorder.RARELY
        record(directory, slow, clock)
        a3sim_recorder.RARELY = rarely
        (finding,) = [f for f in advice_on(a3sim, directory)["findings"] if f["steps"] == [20, 29]]
        assert finding["cause"] == "compute.clock" and finding["ranks"] == [2], finding
    with tempfile.TemporaryDirectory() as directory:
        torch, _ = stand_in(0, slow)
        reads = []

        def read():
            reads.append(1)
            time.sleep(0.001)
            if len(reads) == 2:
                raise OSError
            return 1800

        recorder = a3sim_recorder.Recorder(directory, torch, clock=lambda torch: read)
        for _ in range(20):
            recorder.step()
        assert len(reads) == 1, reads  # 200 ms have not passed
        for _ in range(3):
            recorder._next_clock = 0
            recorder.step()
        assert len(reads) == 2, reads
        recorder.close()


def main():
    check_waits_beside_computing()
    check_cost()
    check_arguments()
    check_errors()
    a3sim = sys.argv[1]
    check_death(a3sim)
    check_clocks(a3sim)
    check_damage(a3sim)
    with tempfile.TemporaryDirectory() as directory:
        record(directory, lambda rank, step: 15.0 if rank == 2 and step in SLOW else 10.0)
        advice = advice_on(a3sim, directory)
        assert advice["ranks"] == RANKS and advice["steps"] == STEPS, advice
        assert advice["slow"] == list(SLOW), advice["slow"]
        assert [f["ranks"] for f in advice["findings"] if f["steps"] == [20, 29]] == [[2]], advice["findings"]
        (group,) = advice["groups"]
        # What a collective takes beside waits are transfers.
        rank = advice["time"][0]
        assert (rank["transferring_ms"], rank["still_ms"]) == (2, 0), rank
        assert group["use"] == "DP" and group["last"]["rank"] == 2, group


if __name__ == "__main__":
    main()
