#!/usr/bin/env python3
"""Each rule of check_includes.py passes clean sources and names a planted violation."""
import pathlib
import tempfile
import unittest

import check_includes


def found(files):
    with tempfile.TemporaryDirectory() as folder:
        for path, text in files.items():
            (file := pathlib.Path(folder, path)).parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text + "\n")
        return "\n".join(check_includes.violations(pathlib.Path(folder)))


class CheckIncludes(unittest.TestCase):
    def test_clean_sources_pass(self):
        self.assertEqual("", found({
            "models/a.cpp": '#include <vector>\n#include "models/a.h"\n#include "sim/core/units.h"',
            "sim/runtime/a.cpp": '#include "scheduler/ssc/ssc.h"\n#include "sim/device/cost.h"\nvoid f() { task.exit(); }',
            "sim/core/config/yaml_reader.cpp": "#include <yaml-cpp/yaml.h>",
            "sim/cli/main.cpp": '#include "version.h"\nint main() { exit(0); }'}))

    def test_each_violation_is_named(self):
        for path, line, wrong in (
                ("sim/core/a.h", '#include "models/shape.h"', 'sim/core/a.h:1: sim/core may not use "models/shape.h"'),
                ("sim/runtime/a.cpp", '#  include "scheduler/compile/compile.h"', "may not use"),
                ("models/a.cpp", '#include "shape.h"', "from the root of the repository"),
                ("models/a.cpp", "#include <models/shape.h>", "with quotes"),
                ("sim/core/b.cpp", "#include <yaml-cpp/yaml.h>", "yaml-cpp/ headers are for"),
                ("sim/runtime/a.cpp", '#include "simgrid/s4u.hpp"', "simgrid/ headers are for"),
                ("models/graph.h", "#include <boost/graph/adjacency_list.hpp>", "boost/graph/ headers are for"),
                ("traces/a.cpp", "void f() { std::exit(1); }", "traces/a.cpp:1: a library folder never ends the program"),
                ("sim/extra/a.cpp", "int a;", "not in the table")):
            with self.subTest(line):
                self.assertIn(wrong, found({path: line}))

    def test_a_source_may_be_made_of_parts_and_two_may_not_be_made_of_each_other(self):
        parts = {"models/a.h": '#include "models/b.h"', "models/b.h": '#include "models/c.h"',
                 "models/a.cpp": '#include "models/a.h"\n#include "models/c.h"', "models/c.h": "struct A;"}
        self.assertEqual("", found(parts))
        self.assertIn("a circle of files", found(parts | {"models/c.cpp": '#include "models/c.h"\n#include "models/a.h"',
                                                          "models/a.h": "int a;",
                                                          "models/c.h": 'struct A;'}))

    def test_rooms_do_not_include_each_other(self):
        rooms = {"models/one/a.h": '#include "models/two/b.h"', "models/two/b.h": "int b;"}
        self.assertEqual("", found(rooms))
        self.assertIn("models/two includes models/one", found(rooms | {"models/two/c.cpp": '#include "models/one/d.h"'}))

    def test_two_types_of_one_name_are_refused(self):
        self.assertIn("there is another Way, in sim/runtime/c.h",
                      found({"sim/runtime/c.h": "struct Way {", "sim/sweep/a.h": "class Way final : public Road {"}))


if __name__ == "__main__":
    unittest.main()
