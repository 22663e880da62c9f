import tempfile
import warnings
from pathlib import Path

import a3sim
import pandas
from common import SMALL, TestCase, program, program_json, sets, small

EP4 = a3sim.configs() / "experiments" / "ep4.yaml"


class Studies(TestCase):
    def test_orders_are_compared_as_the_program_does(self):
        order = a3sim.configs() / "orders" / "ratr.yaml"
        report = a3sim.compare_orders("ratr.yaml", small())
        self.assertEqual(report.json, program_json("try", order, "--config", EP4, *sets(SMALL)))
        self.assertEqual(report.text.rstrip(), program("try", order, "--config", EP4, *sets(SMALL)).rstrip())
        self.assertEqual(report.frame("orders").iloc[0]["order"], "ratr")

    def test_a_function_is_compared_like_its_keys(self):
        keys = a3sim.Order("mine", ["stage", "expert", "tile"], ["stage", "expert", "chunk", "dst"])
        function = a3sim.Order("mine", lambda t: (t.stage, t.expert, t.tile), lambda t: (t.stage, t.expert, t.chunk, t.dst))
        reports = [a3sim.compare_orders(order, small(), runs=0, as_configured=True) for order in (keys, function)]
        self.assertEqual(reports[0].json, reports[1].json)

    def test_better_machines_are_those_of_the_program(self):
        words = ["explain", "--whatif", EP4, *sets(SMALL), "--set", "experiment.pass=forward", "--jitter", 0]
        report = a3sim.what_if(small(**{"experiment.pass": "forward"}), runs=0)
        self.assertEqual(report.json, program_json(*words))


class Sweeps(TestCase):
    def test_a_sweep_has_the_figures_of_runs_at_its_points(self):
        axes = {"parallel.ep": [2, 4], "order": ["ratr.yaml", "full.yaml"]}
        frame = a3sim.sweep(small(), axes, processes=2)
        self.assertEqual(len(frame), 2 * 2 * 3)
        self.assertEqual(frame.attrs["units"]["latency"], "ms")
        for (ep, order), points in frame.groupby(["parallel.ep", "order"], sort=False):
            metrics = a3sim.run(small(**{"parallel.ep": ep}).use_order(order)).metrics()
            self.assertEqual(list(points["pass"]), list(metrics.index))
            for name in metrics.columns:
                self.assertEqual(list(points[name]), list(metrics[name]), (ep, order, name))

    def test_the_number_of_processes_changes_nothing(self):
        axes = {"parallel.ep": [2, 4], "routing.kind": ["balanced", "sampled"]}
        one, two = (a3sim.sweep(small(), axes, processes=processes) for processes in (1, 2))
        pandas.testing.assert_frame_equal(one, two)
        self.assertEqual(list(one["parallel.ep"].drop_duplicates()), [2, 4])

    def test_a_database_is_the_programs(self):
        with tempfile.TemporaryDirectory() as folder:
            database = Path(folder, "kept.db")
            axes = {"parallel.ep": [2, 4], "routing.kind": ["balanced", "sampled"]}
            first, again = (a3sim.sweep(small(), axes, metrics=["latency"], database=database, name="mine") for _ in range(2))
            pandas.testing.assert_frame_equal(first, again)
            self.assertEqual(list(first.columns), ["parallel.ep", "routing.kind", "pass", "latency"])
            said = program("results", database, "--rows", "parallel.ep", "--columns", "routing.kind", "--value", "latency",
                           "--pass", "forward")
            for latency in first[first["pass"] == "forward"]["latency"]:
                self.assertIn(f"{latency:.4g}", said)

    def test_points_that_fail_are_told_and_the_others_stand(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            frame = a3sim.sweep(small(), {"bucket.rows": [1, 4096]}, metrics=["latency"])
        self.assertTrue(any("1 of 2 points have failed" in str(one.message) for one in caught))
        failed = frame[frame["bucket.rows"] == 1]
        self.assertIn("expected at least", failed.iloc[0]["error"])
        self.assertEqual(frame[frame["bucket.rows"] == 4096]["latency"].notna().sum(), 3)

    def test_what_is_wrong_is_an_error(self):
        with self.assertRaisesRegex(a3sim.InputError, "paralel"):
            a3sim.sweep(small(), {"paralel.ep": [2]})
        with self.assertRaisesRegex(a3sim.InputError, "metric"):
            a3sim.sweep(small(), {"parallel.ep": [2]}, metrics=["speed"])
        with self.assertRaisesRegex(a3sim.InputError, "Python's"):
            a3sim.sweep(small().use_order(a3sim.Order("mine", lambda t: t.stage, ["stage"])), {"parallel.ep": [2]})
