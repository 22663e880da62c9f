import copy
import gc
import io
import re
import tempfile

import a3sim
from a3sim import _core
import numpy
import pandas
from common import SMALL, TestCase, program, program_json, sets, small

EP4 = a3sim.configs() / "experiments" / "ep4.yaml"


class Runs(TestCase):
    @classmethod
    def setUpClass(cls):
        cls.result = a3sim.run(small())

    def test_a_run_says_what_the_program_says(self):
        self.assertEqual(self.result.json, program_json("run", EP4, *sets(SMALL)))
        self.assertEqual(self.result.text.rstrip(), program("run", EP4, *sets(SMALL)).rstrip())

    def test_other_workloads_and_executions_do_too(self):
        for file, change in [("ep4.yaml", {"experiment.execution": "kernel"}), ("ep4.yaml", {"experiment.execution": "dynamic"}),
                             ("ep8.yaml", {"routing.kind": "sampled", "network.backend": "native"})]:
            change = {**SMALL, **change}
            path = a3sim.configs() / "experiments" / file
            self.assertEqual(a3sim.run(a3sim.load(file, set=change)).json, program_json("run", path, *sets(change)))

    def test_latencies_and_bounds_are_those_of_the_json(self):
        for name, one in self.result.passes.items():
            self.assertEqual(one.latency_ps, one.json["latency_ps"])
            self.assertEqual(one.bounds_ps, one.json["bounds_ps"])
            self.assertGreaterEqual(one.latency_ps, max(one.bounds_ps.values()))
        self.assertEqual(self.result.latency_ps, self.result.json["total_ps"])

    def test_notebooks_show_each_pass_with_its_bound(self):
        rows = re.findall("<tr>(.*?)</tr>", self.result._repr_html_())[1:]
        self.assertEqual(len(rows), len(self.result.passes) + 1)
        for row, (name, one) in zip(rows, self.result.passes.items()):
            bound = one.json["bounds_ps"][one.json["binding"]]
            self.assertEqual(re.findall(">([^<]*)</td>", row), [name, f"{one.latency_ms:.3f}", f"{bound / 1e9:.3f}", one.json["binding"],
                                                               f"{100 * (1 - bound / one.latency_ps):.1f}"])

    def test_tasks_are_the_rows_that_the_program_writes(self):
        with tempfile.TemporaryDirectory() as folder:
            program("run", EP4, *sets(SMALL), "--trace", "-o", folder + "/run")
            for name, one in self.result.passes.items():
                written = pandas.read_csv(f"{folder}/run/tasks_{name}.csv")
                tasks = one.tasks()
                self.assertEqual(len(tasks), len(written))
                for column in written.columns:
                    ours = tasks[column].astype(object) if column in ("operator", "queue") else tasks[column]
                    theirs = written[column]
                    if column in ("expert", "dependent_event"):
                        theirs = theirs.fillna(a3sim.NONE).astype("int64")
                        ours = ours.astype("int64")
                    numpy.testing.assert_array_equal(ours.to_numpy(), theirs.to_numpy(), err_msg=column)

    def test_tables_by_operator_and_rank_are_those_of_the_json(self):
        forward = self.result["forward"]
        first = forward.json["operators"][0]
        row = forward.operators.loc[first["operator"]]
        self.assertEqual(row["tasks"], first["tasks"])
        self.assertEqual(row["lost_ps.link"], first["lost_ps"]["link"])
        asked = first["l2"]["read"]
        if asked["hit"] + asked["miss"]:
            self.assertEqual(row["l2.read.hit_rate"], asked["hit"] / (asked["hit"] + asked["miss"]))
        self.assertEqual(list(forward.ranks["sent_bytes"]), [rank["sent_bytes"] for rank in forward.json["ranks"]])
        # What one rank sends another one receives.
        self.assertEqual(forward.ranks["sent_bytes"].sum(), forward.ranks["received_bytes"].sum())

    def test_every_tasks_time_is_what_it_takes_alone_and_what_it_lost(self):
        tasks = self.result["forward"].tasks(0)
        lost = sum(tasks[column] for column in tasks.columns if column.startswith("lost_"))
        numpy.testing.assert_array_equal(tasks["end_ps"] - tasks["start_ps"], tasks["ideal_ps"] + lost)

    def test_figures_are_those_of_sweeps(self):
        metrics = self.result.metrics()
        self.assertEqual(list(metrics.index), ["forward", "backward", "total"])
        self.assertAlmostEqual(metrics.loc["total", "latency"], self.result.latency_ms)
        self.assertEqual(metrics.attrs["units"]["latency"], "ms")
        # The path's parts sum to the latency.
        blames = [column for column in metrics.columns if column.startswith("blame.")]
        self.assertAlmostEqual(metrics.loc["forward", blames].sum(), self.result["forward"].latency_ms, places=9)

    def test_without_tasks_the_figures_are_the_same_and_tasks_are_refused(self):
        result = a3sim.run(small(), tasks=False)
        self.assertEqual(result.latency_ps, self.result.latency_ps)
        self.assertEqual(result.metrics(["latency"]).loc["total", "latency"],
                         self.result.metrics(["latency"]).loc["total", "latency"])
        for ask in (lambda: result["forward"].tasks(0), lambda: result.text, lambda: result["forward"].operators):
            with self.assertRaisesRegex(a3sim.InputError, "tasks=True"):
                ask()

    def test_what_has_no_schedules_is_refused_as_the_program_does(self):
        file = a3sim.configs() / "experiments" / "feplb_ep8.yaml"
        with self.assertRaises(a3sim.InputError) as raised:
            a3sim.run(a3sim.load(file))
        self.assertEqual(str(raised.exception), program("schedule", "show", file, code=2))


class Views(TestCase):
    def test_nothing_is_copied_between_the_simulator_and_a_frame(self):
        forward = a3sim.run(small())["forward"]
        records, tasks = forward.records(0), forward.tasks(0)
        self.assertTrue(numpy.shares_memory(records, forward.records(0)))
        for name in records.dtype.names:
            self.assertTrue(numpy.shares_memory(tasks[name].to_numpy(), records), name)
        descriptors = forward.schedule.descriptors(0)
        for column, field in [("index", "index"), ("expert", "gexpert"), ("dst", "dst"), ("trigger_event", "trigger_event")]:
            self.assertTrue(numpy.shares_memory(tasks[column].to_numpy(), descriptors[field]), column)

    def test_views_outlive_all_else(self):
        result = a3sim.run(small())
        start, queue = result["forward"].records(0)["start_ps"], result["forward"].schedule.queue(0, "VTQ")
        expected = start.copy(), queue.copy()
        del result
        gc.collect()
        others = [a3sim.run(small(), tasks=True) for _ in range(2)]  # would take freed memory
        numpy.testing.assert_array_equal(start, expected[0])
        numpy.testing.assert_array_equal(queue, expected[1])
        self.assertEqual(len(others), 2)

    def test_views_cannot_be_written_to(self):
        forward = a3sim.run(small())["forward"]
        for view in (forward.records(0)["start_ps"], forward.schedule.queue(0, "CTQ"), forward.schedule.descriptors(0)["dst"]):
            with self.assertRaises(ValueError):
                view[0] = 0

    def test_ranks_that_are_not_there_are_refused(self):
        forward = a3sim.run(small())["forward"]
        for ask in (lambda: forward.records(4), lambda: forward.schedule.queue(4, "CTQ"), lambda: forward.schedule.events(-1)):
            with self.assertRaises((IndexError, TypeError)):
                ask()
        with self.assertRaisesRegex(IndexError, "^rank 99, but there are 4 ranks$"):
            forward.records(99)

    def test_objects_that_hold_nothing_cannot_be_made(self):
        types = [value for value in vars(_core).values() if isinstance(value, type)]
        self.assertEqual({one.__name__ for one in types}, {"Experiment", "OrderSpec", "Run", "Schedule"})
        for one in types:
            for make in (one, lambda: one.__new__(one), lambda: object.__new__(one), lambda: type("Sub", (one,), {})()):
                with self.assertRaises(TypeError):
                    make()
        with self.assertRaises(TypeError):
            copy.copy(a3sim.run(small())._run)


class Schedules(TestCase):
    def test_compiled_schedules_are_those_that_run(self):
        compiled, result = a3sim.compile(small()), a3sim.run(small(), tasks=False)
        self.assertEqual(list(compiled), ["forward", "backward"])
        for name, schedule in compiled.items():
            self.assertEqual(schedule, result[name].schedule)

    def test_an_order_is_what_the_program_exports(self):
        schedules = a3sim.compile(small(**{"experiment.pass": "forward"}))
        self.assertEqual(schedules["forward"].order_csv(),
                         program("schedule", "order", EP4, *sets(SMALL), "--set", "experiment.pass=forward"))

    def test_queues_thresholds_and_operators_belong_together(self):
        schedule = a3sim.compile(small())["forward"]
        exported = pandas.read_csv(io.StringIO(schedule.order_csv()))
        triggers = {rank: numpy.zeros(len(schedule.events(rank)), dtype=int) for rank in range(schedule.ranks)}
        for rank in range(schedule.ranks):
            tasks = schedule.tasks(rank)
            queues = numpy.concatenate([schedule.queue(rank, "CTQ"), schedule.queue(rank, "VTQ")])
            self.assertEqual(sorted(queues), list(range(len(tasks))))  # every task in one queue, once
            lines = exported[(exported["rank"] == rank) & (exported["queue"] == "VTQ")]
            numpy.testing.assert_array_equal(lines["task"], schedule.queue(rank, "VTQ"))
            names = numpy.array(schedule.operators)[tasks["op"].to_numpy()[schedule.queue(rank, "VTQ")]]
            self.assertEqual(list(lines["op"]), list(names))
            for to, event in zip(tasks["trigger_rank"], tasks["trigger_event"]):
                triggers[to][event] += 1
        for rank, counted in triggers.items():
            numpy.testing.assert_array_equal(counted, schedule.events(rank)["threshold"])

    def test_a_queue_that_is_not_there_is_an_error(self):
        with self.assertRaisesRegex(a3sim.InputError, "CTQ or VTQ"):
            a3sim.compile(small())["forward"].queue(0, "XTQ")
