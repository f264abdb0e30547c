"""Every case of the matrix of what sources do has a test whose name or docstring says so."""

import ast
import re
from pathlib import Path

import pytest

MATRIX = {
    "T01": "abstracts that silently stay away raise the entitlement alarm",
    "T02": "a quota of days stops the run and keeps what came; a throttle is slept",
    "T03": "the end of a quota is told in three formats",
    "T04": "a fault in the middle of a cursor goes on with it and wastes no quota",
    "T05": "a last page that overlaps the one before repeats no record",
    "T06": "`Result set was empty` is no record",
    "T07": "a list, one object and null are the same",
    "T08": "an empty 200, an answer that is no JSON and a 429 in XML are recognised",
    "T09": "a key is in no log, no cache and no exception",
    "T10": "the placeholder of CORE is no full text",
    "T11": "an empty 429 of CORE, its moment in ISO format, and another clock",
    "T12": "a query that CORE cannot answer is given up after some tries",
    "T13": "a scroll that ends early is noticed by the number of hits",
    "T14": "a truncated archive keeps its earlier members and the loss is counted",
    "T15": "a member that is not what the manifest promises is left out",
    "T16": "an inverted index keeps order and repeats, and bears gaps and hostile places",
    "T17": "no buffer keeps its tail, whatever the number of records",
    "T18": "a copyright statement in front, behind or glued on gives the same text",
    "T19": "inline markup in an abstract is text",
    "T20": "a formula with alternatives is told once",
    "T21": "a resumption token that has died is replaced by a window of dates",
    "T22": "a release that lost more than half is not accepted unseen",
    "T23": "a cursor with + and = is sent as it came",
    "T24": "a wait of twelve hours is not slept",
    "T25": "the language of a text is the same on every worker and in every partition",
}
CASE = re.compile(r"(?:\b|_)[Tt](\d\d)(?=\b|_)")
TESTS = Path(__file__).parent


def cases_of(path):
    """The cases that a file, or a test in it, names."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    tests = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name[:5] == "test_"]
    texts = [ast.get_docstring(node) or "" for node in (tree, *tests)]
    texts += [test.name for test in tests]
    return {f"T{number}" for text in texts if tests for number in CASE.findall(text)}


NAMED = {path: cases_of(path) for path in TESTS.rglob("test_*.py") if path != Path(__file__)}


@pytest.mark.parametrize("case", MATRIX)
def test_a_case_of_the_matrix_is_named_by_a_test(case):
    assert any(case in cases for cases in NAMED.values()), f"no test names {case}: {MATRIX[case]}"


def test_no_test_names_a_case_that_is_not_in_the_matrix():
    unknown = {path.name: cases - MATRIX.keys() for path, cases in NAMED.items()}
    assert {name: cases for name, cases in unknown.items() if cases} == {}
