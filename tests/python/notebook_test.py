import contextlib
import io
import json
from pathlib import Path

from common import TestCase

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "sim" / "python" / "notebooks").glob("*.ipynb"))


class Notebooks(TestCase):
    def test_there_are_some(self):
        self.assertGreaterEqual(len(NOTEBOOKS), 2)

    def test_they_are_committed_without_outputs(self):
        for file in NOTEBOOKS:
            for cell in json.loads(file.read_text(encoding="utf-8"))["cells"]:
                if cell["cell_type"] == "code":
                    self.assertEqual((cell["outputs"], cell["execution_count"]), ([], None), file.name)

    def test_their_cells_run_from_first_to_last(self):
        for file in NOTEBOOKS:
            cells = json.loads(file.read_text(encoding="utf-8"))["cells"]
            names = {"__name__": "__main__"}
            for number, cell in enumerate(cells):
                if cell["cell_type"] != "code":
                    continue
                with self.subTest(notebook=file.name, cell=number), contextlib.redirect_stdout(io.StringIO()):
                    exec(compile("".join(cell["source"]), f"{file.name}, cell {number}", "exec"), names)
