import warnings

import a3sim
from common import TestCase, small

# The shipped orders as functions: what each key in YAML says, said again.
FUNCTIONS = {
    "ratr": (lambda t: (t.stage, t.op, t.expert, t.row, t.tile),
             lambda t: (t.stage, t.expert, t.chunk, (t.dst - t.rank) % t.ep)),
    "full": (lambda t: (t.stage, t.expert, t.op, t.row, t.tile),
             lambda t: (t.stage, t.expert, t.chunk, (t.dst - t.rank) % t.ep)),
}


def order_of(queues, **more):
    return a3sim.Order("function", *queues, **more)


def compiled(order, **change):
    return a3sim.compile(a3sim.load("ep4.yaml", set={**small().changes, **change}, order=order))


class Notebooks(TestCase):
    def test_notebooks_show_the_keys_of_each_queue_as_text(self):
        def ring(t):
            return t.stage

        shown = a3sim.Order("<mine>", ["stage", "op"], ring, limit={"Dispatch": 4})._repr_html_()
        for text in ("order &lt;mine&gt;", ">ctq<", ">stage, op<", ">vtq<", ">function ring<", "{&quot;Dispatch&quot;: 4}"):
            self.assertIn(text, shown)


class Functions(TestCase):
    def same(self, one, other):
        for name in one:
            for rank in range(one[name].ranks):
                for queue in ("CTQ", "VTQ"):
                    self.assertEqual(one[name].queue(rank, queue).tolist(), other[name].queue(rank, queue).tolist(),
                                     (name, rank, queue))

    def test_a_function_makes_the_schedules_of_the_same_keys_in_yaml(self):
        for name, functions in FUNCTIONS.items():
            block = a3sim.load("ep4.yaml", order=f"{name}.yaml")["order"]
            self.assertEqual(block["name"], name)
            named = a3sim.Order(name, *functions)  # the name stands in the schedule
            self.assertEqual(compiled(named), compiled(f"{name}.yaml"))  # every byte
            config = small().use_order(named)
            self.assertEqual(a3sim.run(config).latency_ps, a3sim.run(small().use_order(f"{name}.yaml")).latency_ps)

    def test_every_attribute_is_what_a_key_of_its_name_is(self):
        names = "op stage expert gexpert src dst rank ep distance node row rows tile chunk index bytes flops depth path"
        routed = {"routing.kind": "sampled", "routing.skew": 1.2, "parallel.ep": 8}
        for name in names.split():
            by_key = a3sim.Order("one", [name], [f"-{name}"])
            by_function = a3sim.Order("one", lambda t: t[name], lambda t: -t[name])
            self.assertEqual(compiled(by_function, **routed), compiled(by_key, **routed), name)

    def test_one_queue_may_have_keys_and_the_other_a_function(self):
        mixed = a3sim.Order("full", ["stage", "expert", "op", "row", "tile"], FUNCTIONS["full"][1])
        self.assertEqual(compiled(mixed), compiled("full.yaml"))

    def test_operators_are_known_by_name(self):
        keys = a3sim.Order("one", ["op == GMM2", "expert"], ["op != Combine", "stage", "op == Dispatch_bwd"])
        functions = a3sim.Order("one", lambda t: (t.op == t.number("GMM2"), t.expert),
                                lambda t: (t.op != t.number("Combine"), t.stage, t.op == t.number("Dispatch_bwd")))
        self.assertEqual(compiled(functions), compiled(keys))

    def test_a_function_of_one_task_is_as_good(self):
        by_row = a3sim.Order("full", a3sim.by_task(lambda t: (t.stage, t.expert, t.op, t.row, t.tile)),
                             a3sim.by_task(lambda t: (t.stage, t.expert, t.chunk, (t.dst - t.rank) % t.ep)))
        self.assertEqual(compiled(by_row), compiled("full.yaml"))
        named = a3sim.Order("one", a3sim.by_task(lambda t: t.operator == "GMM2"), ["stage"])
        self.assertEqual(compiled(named), compiled(a3sim.Order("one", ["op == GMM2"], ["stage"])))

    def test_keys_come_as_columns_or_as_a_matrix(self):
        import numpy

        matrix = a3sim.Order("one", lambda t: numpy.stack([t.stage, -t.row], axis=1), lambda t: t.stage)
        columns = a3sim.Order("one", lambda t: [t.stage, -t.row], lambda t: (t.stage, 0))
        self.assertEqual(compiled(matrix), compiled(columns))

    def test_another_function_is_another_schedule(self):
        self.assertNotEqual(compiled(order_of(FUNCTIONS["full"]))["forward"],
                            compiled(order_of((FUNCTIONS["full"][0], lambda t: (t.stage, -t.expert))))["forward"])

    def test_orders_without_functions_say_what_they_are(self):
        order = a3sim.Order("full", ["stage", "expert", "op", "row", "tile"],
                            ["stage", "expert", "chunk", "(dst - rank) % ep"])
        self.assertEqual(compiled(order), compiled("full.yaml"))
        config = small().use_order(order)
        self.assertIn("(dst - rank) % ep", config.resolved)
        with self.assertRaisesRegex(a3sim.InputError, "Python's"):
            _ = small().use_order(order_of(FUNCTIONS["full"])).resolved

    def test_assignment_pools_and_limits_are_those_of_a_file(self):
        order = order_of(FUNCTIONS["full"], assignment="shared", limit={"Dispatch*": 8},
                         pools={"comm": {"operators": ["Combine*"], "workers": 8}})
        for schedule in compiled(order).values():
            self.assertGreater(schedule.tasks(0)["worker_set"].nunique(), 2)
        with self.assertRaisesRegex(a3sim.InputError, "assignment.*cyclic"):
            order_of(FUNCTIONS["full"], assignment="none")

    def test_the_table_stays_when_the_function_has_ended(self):
        kept = []

        def keep(tasks):
            kept.append(tasks)
            return tasks.stage

        compiled(order_of((keep, ["stage"])))
        self.assertEqual(len(kept), 2 * 4)  # passes, ranks
        for tasks in kept:
            self.assertTrue((tasks.ep == 4).all())
            self.assertEqual(len(tasks.frame()), len(tasks))
            with self.assertRaises(ValueError):
                tasks.op[0] = 1


class Mistakes(TestCase):
    def refused(self, function, error, text):
        with self.assertRaisesRegex(error, text):
            compiled(order_of((function, ["stage"])))

    def test_what_a_function_raises_comes_out(self):
        self.refused(lambda t: 1 / 0, ZeroDivisionError, "")
        self.refused(lambda t: t.no_such, AttributeError, "known: op, stage")
        self.refused(lambda t: t["no_such"], KeyError, "known: op, stage")
        self.refused(lambda t: t.number("GMM9"), a3sim.InputError, "unknown operator 'GMM9'; known: .*GMM1")

    def test_what_it_gives_is_checked(self):
        self.refused(lambda t: t.op + float("inf"), a3sim.InputError, "order 'function', CTQ.*no finite value as key 1 of task 0 of")
        self.refused(lambda t: t.op[1:], a3sim.InputError, "expected one or more of each of")
        self.refused(lambda t: "text", ValueError, "")
        self.refused(lambda t: None, (TypeError, a3sim.InputError), "")
        self.refused(lambda t: (), ValueError, "")

    def test_ranks_that_stand_for_others_take_no_function(self):
        with self.assertRaisesRegex(a3sim.InputError, "order 'function'.*take experiment.simulate all"):
            compiled(order_of(FUNCTIONS["full"]), **{"experiment.simulate": "alike"})

    def test_keys_are_refused_with_their_place(self):
        with self.assertRaisesRegex(a3sim.InputError, "stge"):
            a3sim.Order("one", ["stge"], ["stage"])

    def test_a_limit_that_means_nothing_is_warned_of(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            small().use_order(order_of(FUNCTIONS["full"], limit={"Accumulate": 8}))
        self.assertTrue(any("Accumulate" in str(one.message) for one in caught))
