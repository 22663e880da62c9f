#!/usr/bin/env python3
"""Parses every source by itself, which shows where an #include is missing. Usage: check_alone.py BUILD

BUILD is configured by the preset `dev`; its precompiled headers are built first. A header without a source that includes it
first is parsed by itself too.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).parent.parent.resolve()
BUILD = pathlib.Path(sys.argv[1]).resolve()
FOLDERS = ("sim", "models", "scheduler", "traces", "tests", "bench")


def first_include(source):
    found = re.search(r'^#include "([^"]+)"', source.read_text(), re.M)
    return ROOT / found[1] if found else None


def parses(arguments):
    return subprocess.run([*arguments, "-fsyntax-only"], cwd=BUILD).returncode == 0


def without_output(arguments):
    at = arguments.index("-o")
    return arguments[:at] + arguments[at + 2:]


commands = {pathlib.Path(entry["file"]): shlex.split(entry["command"])
            for entry in json.loads((BUILD / "compile_commands.json").read_text())}
headers = [str(path.relative_to(BUILD))[:-len(".cxx")] + ".gch" for path in commands if path.name == "cmake_pch.hxx.cxx"]
subprocess.run(["ninja", "-C", str(BUILD), "generated", *headers], check=True, stdout=subprocess.DEVNULL)

sources = {path: without_output(arguments) for path, arguments in commands.items()
           if path.name != "cmake_pch.hxx.cxx" and ROOT in path.parents and BUILD not in path.parents}
first = {first_include(source) for source in sources}
single = [header for folder in FOLDERS for header in (ROOT / folder).rglob("*.h")
          if header not in first and "node_modules" not in header.parts and "catch2_3" not in header.parts]
flags = ["g++", "-std=c++20", "-Wall", "-Wextra", "-Werror", f"-I{ROOT}", f"-I{BUILD}/generated", '-DA3SIM_SOURCE_DIR=""']
jobs = [*sources.values(), *([*flags, "-include", str(header), "-x", "c++", "/dev/null"] for header in single)]
with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
    failed = list(pool.map(parses, jobs)).count(False)
print(f"{len(jobs) - failed} files parse alone, {failed} do not")
sys.exit(1 if failed else 0)
