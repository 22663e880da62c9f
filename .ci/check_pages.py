#!/usr/bin/env python3
"""Runs what the pages (*.md) tell people to type. Usage: check_pages.py [--record] [ROOT]

With --record it writes what is printed into the pages.

A block ```sh runs as one script from the root of a scratch copy; only `build` and `dev` are the real ones, and a3sim is on
the PATH. The blocks of docs/first_ten_minutes.md run in an empty folder instead, as where a3sim is installed.
A block ```text output is what the block before it prints; a line `...` in it stands for one or more lines.
A block ```sh no-run: REASON is not run.
"""
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ARGUMENTS = [argument for argument in sys.argv[1:] if argument != "--record"]
RECORD = len(ARGUMENTS) < len(sys.argv) - 1
ROOT = pathlib.Path(ARGUMENTS[0] if ARGUMENTS else pathlib.Path(__file__).parent.parent).resolve()
NO_PAGES = {"build", "node_modules", ".git"}
counts = {"passed": 0, "failed": 0, "skipped": 0}


def verdict(where, wrong):
    counts["failed" if wrong else "passed"] += 1
    if wrong:
        print(f"{where}: {wrong}", file=sys.stderr)


def blocks(page):
    """Yields the line, the words behind the fence, and the text of each block; None is the text of one without an end."""
    begin, info, lines = None, "", []
    for number, line in enumerate(page.read_text().splitlines(), 1):
        fence = re.match(r"\s*```(.*)", line)
        if begin is None and fence:
            begin, info, lines = number, fence[1].strip(), []
        elif fence:
            yield begin, info, "\n".join(lines)
            begin = None
        elif begin is not None:
            lines.append(line)
    if begin is not None:
        yield begin, info, None


def run(where, script, folder, environment):
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True)
    tail = "\n  | ".join(done.stderr.splitlines()[-20:])
    verdict(where, f"exit code {done.returncode} from\n  {script}\n  | {tail}" if done.returncode else "")
    return done.stdout.rstrip("\n")


def compare(where, expected, printed):
    pattern = "\n".join(r".+?" if line == "..." else re.escape(line) for line in expected.split("\n"))
    if re.fullmatch(pattern, printed, re.S):
        return verdict(where, "")
    difference = difflib.unified_diff(expected.split("\n"), printed.split("\n"), "the page", "what is printed", lineterm="", n=0)
    verdict(where, "this is not what the block before it prints\n" + "\n".join(list(difference)[:40]))


def shortened(expected, printed):
    """Returns what is printed, shortened by `...` where the page was: the lines most like those that stood there."""
    parts = [[]]
    for line in expected.split("\n"):
        parts.append([]) if line == "..." else parts[-1].append(line)
    lines, first, kept = printed.split("\n"), 0, []
    for number, part in enumerate(parts):
        starts = range(first, len(lines) - len(part) + 1)
        if number == 0:
            start = 0
        elif number == len(parts) - 1:
            start = len(lines) - len(part)
        else:
            start = max(starts, key=lambda at: difflib.SequenceMatcher(
                None, "\n".join(part), "\n".join(lines[at:at + len(part)]), autojunk=False).ratio())
        kept += ["..."] * (number > 0) + lines[start:start + len(part)]
        first = start + len(part)
    return "\n".join(kept) if len(parts) > 1 else printed


def record(page, line, expected, printed):
    lines = page.read_text().split("\n")
    lines[line:line + expected.count("\n") + 1] = shortened(expected, printed).split("\n")
    page.write_text("\n".join(lines))


def check(page, folder, environment):
    printed, grown = None, 0
    for line, info, text in list(blocks(page)):
        where = f"{page.relative_to(ROOT)}:{line}"
        if text is None:
            verdict(where, "this block has no end")
        elif info == "sh":
            printed = run(where, text, folder, environment)
        elif info.startswith("sh no-run: "):
            counts["skipped"] += 1
            printed = None
        elif info == "text output":
            if printed is None:
                verdict(where, "this is the output of a block that does not run")
            elif RECORD:
                before = page.read_text().count("\n")
                record(page, line + grown, text, printed)
                grown += page.read_text().count("\n") - before
            else:
                compare(where, text, printed)
        elif re.match("sh|bash|console|zsh", info):
            verdict(where, f"'{info}': commands stand in a block marked sh, or 'sh no-run: REASON'")


with tempfile.TemporaryDirectory() as scratch:
    copy, tools = pathlib.Path(scratch, "copy"), pathlib.Path(scratch, "bin")
    shutil.copytree(ROOT, copy, symlinks=True, ignore=lambda _, names: NO_PAGES & set(names) | {"dev"} & set(names))
    tools.mkdir()
    for link, target in ((copy / "build", "build"), (copy / "dev", "dev"), (tools / "a3sim", "build/release/a3sim")):
        link.symlink_to(ROOT / target)
    environment = dict(os.environ, PATH=f"{tools}:{os.environ['PATH']}")
    for page in sorted(ROOT.rglob("*.md")):
        if NO_PAGES & set(page.relative_to(ROOT).parts):
            continue
        if page.name == "first_ten_minutes.md":
            (empty := pathlib.Path(scratch, "empty")).mkdir()
            check(page, empty, environment)
        else:
            check(page, copy, environment)
print(", ".join(f"{count} {what}" for what, count in counts.items()))
sys.exit(1 if counts["failed"] else 0)
