from pathlib import Path

import a3sim
from common import SMALL, TestCase, program, small

EP4 = a3sim.configs() / "experiments" / "ep4.yaml"


class Configurations(TestCase):
    def test_a_value_is_read_as_it_was_understood_defaults_included(self):
        config = a3sim.load("ep4.yaml")
        self.assertEqual(config["parallel.ep"], 4)
        self.assertEqual(config["model.tokens"], 4096)
        self.assertEqual(config["parallel"]["ep"], 4)
        self.assertEqual(config["network.backend"], "native")  # no file says it
        self.assertEqual(config.passes, ["forward", "backward"])
        self.assertEqual(config.name, "ep4")

    def test_a_value_is_changed_by_item_by_call_and_by_mapping(self):
        config = a3sim.load("ep4.yaml")
        config["parallel.ep"] = 8
        config.set("model.tokens", 512).set({"model.hidden": 1024, "model.intermediate": 512})
        config["hardware.fabric.planes.hccs.egress"] = "100 GB/s"
        config["cut.partitions"] = 2
        self.assertEqual([config["parallel.ep"], config["model.hidden"], config["cut.partitions"]], [8, 1024, 2])
        self.assertEqual(config["hardware.fabric.planes.hccs.egress"], "100 GB/s")
        self.assertEqual(config.changes["parallel.ep"], "8")

    def test_a_shipped_file_is_found_by_its_name_alone(self):
        self.assertEqual(a3sim.load("ep4").name, "ep4")
        self.assertEqual(a3sim.load("ep4", order="ratr").name, "ep4")
        with self.assertRaisesRegex(a3sim.InputError, "ep5"):
            a3sim.load("ep5")

    def test_a_copy_is_changed_alone(self):
        config = small()
        other = config.copy().set("parallel.ep", 8)
        self.assertEqual((config["parallel.ep"], other["parallel.ep"]), (4, 8))

    def test_numpys_numbers_are_numbers(self):
        import numpy

        self.assertEqual(small().set("parallel.ep", numpy.int64(8))["parallel.ep"], 8)
        self.assertEqual(small().set("routing", {"kind": "sampled", "skew": numpy.float64(1.5).item()})["routing.skew"], 1.5)

    def test_what_is_wrong_is_said_as_the_program_says_it(self):
        for change in [{"parallel.ep": "x"}, {"paralell.ep": 8}, {"model.tokens": -1}, {"network.backend": "none"},
                       {"hardware.fabric.planes.hccs.egress": "100"}, {"parallel.ep": 3, "model.hidden": "7 B"}]:
            words = [word for key, value in change.items() for word in ("--set", f"{key}={value}")]
            with self.assertRaises(a3sim.InputError) as raised:
                a3sim.load(EP4, set=change)
            self.assertEqual(str(raised.exception), program("run", EP4, *words, code=2))

    def test_a_refused_change_leaves_the_configuration(self):
        config = small()
        with self.assertRaises(a3sim.Error):
            config["parallel.ep"] = "many"
        self.assertEqual(config.changes, {key: str(value) for key, value in SMALL.items()})
        self.assertEqual(config["parallel.ep"], 4)

    def test_a_file_that_is_not_there_is_an_error_with_its_name(self):
        with self.assertRaisesRegex(a3sim.InputError, "nowhere.yaml"):
            a3sim.load("nowhere.yaml")

    def test_an_unknown_value_names_the_closest(self):
        with self.assertRaisesRegex(KeyError, "did you mean 'parallel.ep'"):
            small()["paralel.ep"]

    def test_the_resolved_configuration_is_the_same_experiment(self):
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "resolved.yaml")
            file.write_text(small(**{"parallel.ep": 2}).resolved, encoding="utf-8")
            self.assertEqual(a3sim.run(a3sim.load(file)).latency_ps, a3sim.run(small(**{"parallel.ep": 2})).latency_ps)

    def test_an_order_file_takes_the_place_of_the_order(self):
        order = a3sim.configs() / "orders" / "ratr.yaml"
        by_path, by_name = a3sim.load("ep4.yaml", order=order), a3sim.load("ep4.yaml", order="ratr.yaml")
        self.assertEqual(by_path["order.name"], "ratr")
        self.assertEqual(by_path.resolved, by_name.resolved)
        self.assertEqual(a3sim.load("ep4.yaml").use_order("ratr.yaml").resolved, by_name.resolved)

    def test_every_name_is_documented(self):
        for name in a3sim.__all__:
            of = getattr(a3sim, name)
            if callable(of):
                self.assertTrue(of.__doc__, name)
                for member, what in vars(of).items() if isinstance(of, type) else []:
                    if not member.startswith("_"):
                        self.assertTrue(getattr(what, "__doc__", None), f"{name}.{member}")
