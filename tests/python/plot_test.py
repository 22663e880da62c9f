import re
import tempfile
import xml.etree.ElementTree as tree
from pathlib import Path

import a3sim
from common import TestCase, program, small

SVG = "{http://www.w3.org/2000/svg}"
MEANINGS = Path(__file__).resolve().parents[2] / "traces" / "report" / "web" / "src" / "meanings.ts"


def bars(plot):
    """The titles of what is drawn, which say its name, lane and times."""
    return [title.text for title in tree.fromstring(plot.svg).iter(f"{SVG}title")]


class Plots(TestCase):
    @classmethod
    def setUpClass(cls):
        cls.result = a3sim.run(small())

    def test_a_pass_has_a_bar_for_each_task_of_the_rank_on_its_workers(self):
        drawn = self.result["forward"].plot(rank=1)
        tasks = self.result["forward"].tasks(1)
        self.assertEqual(len(bars(drawn)), len(tasks))
        first = tasks[tasks["operator"] == "GMM1"]["start_ps"].min() / 1e9
        self.assertTrue(any(bar.startswith("GMM1, AIC ") and f": {first:.3f} to " in bar for bar in bars(drawn)))
        self.assertTrue(any(bar.startswith("Dispatch, AIV 0") for bar in bars(drawn)))

    def test_a_run_has_a_kernel_for_each_operator_of_each_rank_pass_behind_pass(self):
        kernels = self.result.kernels()
        self.assertEqual(len(kernels), sum(len(one.operators) for one in self.result.passes.values()) * 4)
        forward = self.result["forward"]
        of_rank = kernels[(kernels["rank"] == 2) & (kernels["operator"] == "GMM2") & (kernels["pass"] == "forward")].iloc[0]
        tasks = forward.tasks(2)
        tasks = tasks[tasks["operator"] == "GMM2"]
        self.assertAlmostEqual(of_rank["start_ms"], tasks["start_ps"].min() / 1e9)
        self.assertAlmostEqual(of_rank["end_ms"], tasks["end_ps"].max() / 1e9)
        self.assertGreaterEqual(kernels[kernels["pass"] == "backward"]["start_ms"].min(), forward.latency_ms)
        self.assertEqual(len(bars(self.result.plot(ranks=[0]))), len(kernels[kernels["rank"] == 0]))

    def test_a_profile_stands_beside_the_run_that_it_was_made_of(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            program("run", "ep4", "--trace", "-o", folder / "run")
            program("export", folder / "run", "--to", "ascend", "-o", folder / "profiles")
            program("import", folder / "profiles", "-o", folder / "measured")
            measured = a3sim.kernels(folder / "measured", step=1)
            simulated = a3sim.run(a3sim.load("ep4.yaml")).kernels()
            self.assertEqual(measured["start_ms"].min(), 0)
            for name in ("GMM1", "Combine"):
                mean = lambda of: (of["end_ms"] - of["start_ms"])[of["operator"] == name].mean()
                self.assertAlmostEqual(mean(measured), mean(simulated), delta=0.01)
            drawn = a3sim.plot_kernels({"measured": measured, "simulated": simulated}, ranks=[0])
            self.assertEqual(len(bars(drawn)), 2 * len(simulated[simulated["rank"] == 0]))
            drawn.save(folder / "both.svg")
            self.assertEqual((folder / "both.svg").read_text(encoding="utf-8"), drawn.svg)
            with self.assertRaisesRegex(a3sim.InputError, "has no step 7; there are 1"):
                a3sim.kernels(folder / "measured", step=7)
            with self.assertRaisesRegex(a3sim.InputError, "a3sim import PROFILE"):
                a3sim.kernels(folder / "run")

    def test_lines_have_a_point_for_each_row_and_skip_those_without_a_value(self):
        import pandas

        frame = pandas.DataFrame({"ep": [2, 4, 8, 2, 4, 8], "how": ["a"] * 3 + ["<b>"] * 3, "latency": [3.0, 2.0, 1.0, 4.0, float("nan"), 2.0]})
        drawn = a3sim.plot_lines(frame, x="ep", y="latency", by="how")
        points = [(float(c.get("cx")), float(c.get("cy"))) for c in tree.fromstring(drawn.svg).iter(f"{SVG}circle")]
        self.assertEqual(len(points), 5)
        (x2, y3), (x4, y2), (x8, y1) = points[:3]
        self.assertAlmostEqual(x4 - x2, x8 - x4, delta=0.2)  # doublings are equally far apart
        self.assertAlmostEqual(y1 - y2, y2 - y3, delta=0.2)
        self.assertNotIn("<b>", drawn.svg)
        with self.assertRaisesRegex(a3sim.InputError, "no value of latency"):
            a3sim.plot_lines(frame.assign(latency=float("nan")), x="ep", y="latency")

    def test_operators_have_the_colours_of_pages(self):
        from a3sim import _plot

        text = MEANINGS.read_text(encoding="utf-8")
        table = text[text.index("const operators: Table = {"):]
        table = table[:table.index("};")]
        hues = ["blue", "vermillion", "green", "pink", "orange", "sky", "olive"]
        on_pages = {name: (hues.index(hue), {"": 0, "pale": 1, "deep": 2}[shade])
                    for name, shade, hue in re.findall(r"(\w+): (?:(pale|deep)\()?(\w+)\)?", table) if hue in hues}
        for name, place in _plot._OPERATORS.items():
            self.assertEqual(on_pages[name], place, name)
