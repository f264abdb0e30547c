"""What the Crossref API answered: whether to take it, and the works in it."""

from functools import partial

from corpusforge.parsers.crossref import parse_crossref
from corpusforge.parsers.cursor_pages import crossref_works
from corpusforge.sources.answers import Judge
from corpusforge.sources.landed_works import judge_works, read_works
from corpusforge.sources.records import Reader

judge_crossref: Judge = partial(judge_works, works_in=crossref_works)
read_crossref_api: Reader = partial(read_works, works_in=crossref_works, parse=parse_crossref)
