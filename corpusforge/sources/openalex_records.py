"""What the OpenAlex API answered: whether to take it, and the works in it."""

from functools import partial

from corpusforge.parsers.cursor_pages import openalex_works
from corpusforge.parsers.openalex import parse_openalex
from corpusforge.sources.answers import Judge
from corpusforge.sources.landed_works import judge_works, read_works
from corpusforge.sources.records import Reader

# A used-up budget is told apart from a throttle by how long OpenAlex wants us to wait.
judge_openalex: Judge = partial(judge_works, works_in=openalex_works)
read_openalex_api: Reader = partial(read_works, works_in=openalex_works, parse=parse_openalex)
