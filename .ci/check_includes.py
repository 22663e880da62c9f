#!/usr/bin/env python3
"""Rejects includes against the direction of the folders, and circles of files and of rooms.

Usage: check_includes.py [ROOT]. Prints a line for each violation, as a compiler does, and exits with 1 if there is one.
"""
import pathlib
import re
import sys

MACHINE = "scheduler/ssc models sim/core"
SIMULATOR = "version.h traces sim/diagnosis sim/experiment sim/runtime sim/network sim/memory sim/device scheduler models sim/core"
# Folder: what it may include besides itself. A path with a suffix allows that header only.
ARROWS = {
    "sim/core": "",
    "models": "sim/core",
    "scheduler": "models sim/core",
    "sim/device": MACHINE + " sim/memory",
    "sim/memory": MACHINE,
    "sim/network": MACHINE,
    "sim/runtime": MACHINE + " sim/device sim/memory sim/network",
    "sim/experiment": "traces scheduler models sim/runtime sim/network sim/memory sim/device sim/core",
    "traces": "sim/core sim/runtime/result.h models/worker_kinds.h",
    "sim/diagnosis": "version.h traces sim/experiment sim/runtime sim/network sim/memory sim/device scheduler models sim/core",
    "sim/variation": SIMULATOR,
    "sim/verdict": SIMULATOR + " sim/variation",
    "sim/result": SIMULATOR + " sim/variation sim/verdict",
    "sim/check": SIMULATOR,
    "sim/compare": SIMULATOR + " sim/variation sim/verdict sim/result sim/check",
    "sim/traffic": SIMULATOR + " sim/variation",
    "sim/published": SIMULATOR + " sim/variation sim/result sim/compare",
    "sim/describe": SIMULATOR + " sim/published sim/sweep sim/search",
    "sim/sweep": SIMULATOR + " sim/variation sim/verdict sim/result sim/describe",
    "sim/search": SIMULATOR + " sim/variation sim/result sim/compare sim/published sim/sweep",
    "sim/cli": "version.h sim traces scheduler models",
    "sim/python": "version.h sim traces scheduler models",
    "tests": "tests bench/search bench/score sim traces scheduler models",
    "bench": "bench tests/machine/l2_kernels.h sim traces scheduler models",
}
PROGRAMS = ("sim/cli", "tests", "bench")
# Headers that take long to parse, and the sources that may include them.
COSTLY = {
    "yaml-cpp/": ("sim/core/config/yaml_reader.cpp",),
    "simgrid/": ("sim/network/modules/", "tests/simgrid/", "bench/peer.cpp"),
    "boost/graph/": ("scheduler/compile/components.cpp", "scheduler/compile/reduction.cpp"),
}
# A forked process ends without destroying what its parent holds.
MAY_EXIT = ("sim/sweep/worker.cpp", "sim/network/platform_table.cpp")

INCLUDE = re.compile(r'\s*#\s*include\s*(["<])([^">]*)[">]')
OURS = re.compile(r"(sim|models|scheduler|traces|tests|bench)/|version\.h$")
ENDS_PROGRAM = re.compile(r"(?<![\w.>])(_?exit|_Exit|quick_exit|abort|terminate)\s*\(")
TYPE = re.compile(r"(?:struct|class|enum class|union) ([A-Z]\w*)(?: final)?(?: :[^:;]*)? *\{")


def within(path, places):
    return any(path == place or path.startswith(place.rstrip("/") + "/") for place in places)


def circles(edges):
    """Returns the strongly connected sets of two nodes or more, each sorted (Tarjan, SIAM J. Comput. 1, 1972)."""
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for after in sorted(edges.get(node, ())):
            if after not in index:
                visit(after)
            if after in stack:
                low[node] = min(low[node], low[after])
        if low[node] == index[node]:
            at = stack.index(node)
            if len(stack) - at > 1:
                found.append(tuple(sorted(stack[at:])))
            del stack[at:]

    for node in sorted(edges):
        if node not in index:
            visit(node)
    return found


def ways_round(edges, nodes, way):
    """Yields the circles among `nodes` that begin with `way`, or with a later node."""
    for after in edges.get(way[-1], ()):
        if after == way[0]:
            yield way
        elif after in nodes and after > way[0] and after not in way:
            yield from ways_round(edges, nodes, way + [after])
    if len(way) == 1:
        later = [node for node in nodes if node > way[0]]
        if later:
            yield from ways_round(edges, nodes, later[:1])


def violations(root):
    units, rooms, types = {}, {}, {}
    files = [f for top in ("sim", "models", "scheduler", "traces", "tests", "bench") for f in (root / top).rglob("*")]
    for path in sorted(f.relative_to(root).as_posix() for f in files if f.suffix in (".h", ".cpp")):
        room = path.rpartition("/")[0]
        folder = next((name for name in ARROWS if within(path, [name])), None)
        if folder is None:
            yield f"{path}:1: this folder is not in the table of .ci/check_includes.py"
            continue
        for number, line in enumerate((root / path).read_text().splitlines(), 1):
            where, line = f"{path}:{number}: ", line.partition("//")[0]
            if folder not in PROGRAMS:
                if ENDS_PROGRAM.search(line) and path not in MAY_EXIT:
                    yield where + "a library folder never ends the program: throw"
                named = TYPE.match(line) if path.endswith(".h") else None
                if named:  # The linker takes one of two types of one name for both, without a word.
                    if named[1] in types:
                        yield where + f"there is another {named[1]}, in {types[named[1]]}"
                    types[named[1]] = path
            included = INCLUDE.match(line)
            if not included:
                continue
            quoted, header = included[1] == '"', included[2]
            for prefix, sources in COSTLY.items():
                if header.startswith(prefix) and not within(path, sources):
                    yield where + f"{prefix} headers are for {' and '.join(sources)} alone"
            if not OURS.match(header):
                if quoted:
                    yield where + f'includes are written from the root of the repository: "{header}"'
                continue
            if not quoted:
                yield where + f"our own headers are included with quotes: <{header}>"
            if not within(header, [folder, *ARROWS[folder].split()]):
                yield where + f'{folder} may not use "{header}"'
            unit, used = path.rpartition(".")[0], header.rpartition(".")[0]
            if unit != used:
                units.setdefault(unit, {}).setdefault(used, set()).add(path)
            if folder not in PROGRAMS and header.rpartition("/")[0] not in ("", room):
                rooms.setdefault(room, {}).setdefault(header.rpartition("/")[0], where)
    # A header and its source are one: who uses the one needs the other. A source may be made of parts that speak of the
    # types in its header; where two sources do so in one circle, none of it can be had without the rest.
    for knot in circles(units):
        for circle in ways_round(units, knot, [knot[0]]):
            by_source = [a for a, b in zip(circle, circle[1:] + circle[:1]) if a + ".h" not in units[a][b]]
            if len(by_source) > 1 or not by_source:
                yield f"{circle[0]}.h:1: a circle of files, none of which can be had without the others: {' '.join(circle)}"
    for circle in circles(rooms):
        wheres = [rooms[a][b] + f"{a} includes {b}" for a in circle for b in sorted(rooms[a]) if b in circle]
        yield "\n".join(["a circle of rooms, each of which includes the next:", *wheres])


if __name__ == "__main__":
    found = list(violations(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)))
    print("\n".join(found), end="\n" if found else "", file=sys.stderr)
    sys.exit(1 if found else 0)
