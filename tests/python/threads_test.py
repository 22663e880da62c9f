import os
import signal
import subprocess
import sys
import threading

import a3sim
from common import TestCase, small

# Every thread's first step needs NumPy inside of the module; some threads import it themselves meanwhile.
FIRST_ARRAYS = """
import sys, threading
import a3sim
small = {"model.tokens": 64, "model.hidden": 128, "model.intermediate": 64, "network.backend": "native"}
config = a3sim.load("ep4.yaml", set=small)
mine = a3sim.Order("mine", lambda tasks: tasks.stage, a3sim.by_task(lambda task: (task.stage, task.expert)))
begin, done = threading.Barrier(16), []

def work(number):
    begin.wait()
    if number % 4 == 0:
        import numpy
    if number % 2 == 0:
        result = a3sim.run(config.copy().use_order(mine))
    else:
        result = a3sim.run(config)
    done.append(len(result["forward"].records(0)) + len(a3sim.compile(config)["forward"].queue(0, "CTQ")))

threads = [threading.Thread(target=work, args=(number,)) for number in range(16)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert len(done) == 16 and len(set(done)) == 1, done
"""

MOST = 500  # runs, each of some milliseconds: by then a run must have been met


class Threads(TestCase):
    def run_until(self, met, config, results):
        for _ in range(MOST):
            if met.is_set():
                break
            results.append(a3sim.run(config, tasks=False).latency_ps)

    def test_python_goes_on_during_a_run(self):
        met, results = threading.Event(), []
        thread = threading.Thread(target=self.run_until, args=(met, small(), results))
        thread.start()
        # Were Python's lock held, nobody would ever see one.
        while thread.is_alive() and not met.is_set():
            if a3sim.runs_under_way() == 1:
                met.set()
        thread.join()
        self.assertTrue(met.is_set())
        self.assertEqual(a3sim.runs_under_way(), 0)

    def test_two_runs_go_on_at_once_and_do_not_meet(self):
        for network in ("native", "simgrid"):  # SimGrid's take turns
            config = small(**{"network.backend": network})
            alone = a3sim.run(config, tasks=False).latency_ps
            met, results = threading.Event(), []
            threads = [threading.Thread(target=self.run_until, args=(met, config, results)) for _ in range(2)]
            for thread in threads:
                thread.start()
            while any(thread.is_alive() for thread in threads) and not met.is_set():
                if a3sim.runs_under_way() == 2:
                    met.set()
            for thread in threads:
                thread.join()
            self.assertTrue(met.is_set(), network)
            self.assertEqual(set(results), {alone})

    def test_orders_in_python_are_asked_on_threads_that_compile(self):
        order = a3sim.Order("mine", lambda t: (t.stage, t.expert), a3sim.by_task(lambda t: (t.stage, t.expert, t.dst)))
        config = small().use_order(order)
        expected, found = a3sim.compile(config), []
        threads = [threading.Thread(target=lambda: found.append(a3sim.compile(config))) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [expected, expected])

    def test_sixteen_threads_may_all_make_their_first_array_at_once(self):
        for _ in range(3):  # each in a process that has made none
            subprocess.run([sys.executable, "-c", FIRST_ARRAYS], check=True, timeout=100)

    def test_a_run_inside_of_an_orders_function_is_a_run(self):
        inside = []

        def function(tasks):
            if not inside:
                inside.append(a3sim.run(small(**{"network.backend": "native"}), tasks=False).latency_ps)
            return tasks.stage

        a3sim.run(small().use_order(a3sim.Order("mine", function, ["stage"])))
        self.assertEqual(inside, [a3sim.run(small(), tasks=False).latency_ps])


class Interrupts(TestCase):
    """A signal may also come when a run has just ended: then it is tried again."""

    def setUp(self):
        self.before = signal.signal(signal.SIGINT, self.handle)
        self.under_way = []  # when the handler ran

    def tearDown(self):
        signal.signal(signal.SIGINT, self.before)
        self.assertEqual(a3sim.runs_under_way(), 0)

    def handle(self, *_):
        self.under_way.append(a3sim.runs_under_way())
        raise KeyboardInterrupt

    def interrupt(self, work, runs=1, met=None):
        """Sends SIGINT while so many runs are under way, again until `met`: the handler ran during one."""
        met = met or (lambda: max(self.under_way, default=0) >= runs)
        for _ in range(MOST):
            over = threading.Event()

            def send():
                while not over.is_set():
                    if a3sim.runs_under_way() >= runs or met():
                        os.kill(os.getpid(), signal.SIGINT)
                        return

            thread = threading.Thread(target=send)
            try:
                thread.start()
                for _ in range(MOST):
                    work()
                self.fail("nothing was interrupted")
            except KeyboardInterrupt:
                over.set()
                thread.join()
            if met():
                return
        self.fail("no signal came during a run")

    def test_a_run_ends_with_keyboard_interrupt(self):
        config = small()
        before = a3sim.run(config, tasks=False).latency_ps
        self.interrupt(lambda: a3sim.run(config, tasks=False))
        self.assertEqual(a3sim.run(config, tasks=False).latency_ps, before)  # nothing is left behind

    def test_so_does_a_comparison_in_threads(self):
        self.interrupt(lambda: a3sim.compare_orders("ratr.yaml", small(), as_configured=True, threads=2))

    def test_runs_of_other_threads_end_too_with_an_error_of_ours(self):
        ended = []
        config = small(**{"network.backend": "native"})

        def other():
            try:
                while not ended:
                    a3sim.run(config, tasks=False)
            except a3sim.Interrupted as error:
                ended.append(str(error))

        thread = threading.Thread(target=other, daemon=True)  # nobody waits for it where the test fails
        thread.start()
        # It may be done with a run just when the signal comes.
        self.interrupt(lambda: a3sim.run(config, tasks=False), runs=2, met=lambda: bool(ended))
        thread.join()
        self.assertEqual([text.split(":")[0] for text in ended], ["interrupted"])
