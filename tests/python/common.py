"""What the tests of the Python module share."""

import json
import os
import subprocess
import unittest

import a3sim

PROGRAM = os.environ["A3SIM"]
SMALL = {"model.tokens": 512, "model.hidden": 1024, "model.intermediate": 512}


def program(*arguments, code=0):
    """What the program prints; where it is to fail, what it says."""
    ended = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=False)
    if ended.returncode != code:
        raise AssertionError(f"a3sim {arguments} ends with {ended.returncode}: {ended.stderr}")
    return ended.stdout if code == 0 else ended.stderr.rstrip("\n")


def program_json(*arguments):
    return json.loads(program(*arguments, "--json"))


def sets(values):
    return [word for key, value in values.items() for word in ("--set", f"{key}={value}")]


def small(**more):
    return a3sim.load("ep4.yaml", set={**SMALL, **more})


class TestCase(unittest.TestCase):
    maxDiff = None
