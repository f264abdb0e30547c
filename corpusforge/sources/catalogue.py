"""Every kind of source file that can be read, by the name that a pipeline file calls it."""

from functools import partial
from typing import Literal

from corpusforge.parsers.field_mapping import FieldMapping
from corpusforge.sources.arxiv_sources import read_arxiv_sources
from corpusforge.sources.core_dump import read_core_dump
from corpusforge.sources.core_records import read_core
from corpusforge.sources.crossref_records import read_crossref_api
from corpusforge.sources.delimited import read_arxiv_table
from corpusforge.sources.jats import read_jats
from corpusforge.sources.json_documents import (
    read_core_document,
    read_crossref_document,
    read_openalex_document,
    read_semantic_scholar_document,
)
from corpusforge.sources.json_lines import (
    read_aminer,
    read_arxiv,
    read_core_lines,
    read_crossref,
    read_mag,
    read_openalex,
    read_pes2o,
    read_s2orc,
    read_semantic_scholar,
    read_unarxive,
)
from corpusforge.sources.mapped import read_mapped
from corpusforge.sources.oai_records import read_oai
from corpusforge.sources.openalex_records import read_openalex_api
from corpusforge.sources.pmc_packages import read_pmc_package
from corpusforge.sources.pubmed import read_pubmed
from corpusforge.sources.records import Reader
from corpusforge.sources.scopus_records import read_scopus
from corpusforge.sources.xml_files import read_acl, read_tei

Kind = Literal[
    "acl",
    "aminer",
    "arxiv",
    "arxiv-sources",
    "arxiv-table",
    "core",
    "core-2018",
    "core-2020",
    "core-pages",
    "crossref",
    "crossref-api",
    "crossref-pages",
    "jats",
    "mag",
    "mapped",
    "oai-pmh",
    "openalex",
    "openalex-api",
    "openalex-pages",
    "pes2o",
    "pmc-package",
    "pubmed",
    "s2orc",
    "scopus",
    "semantic-scholar",
    "semantic-scholar-pages",
    "tei",
    "unarxive",
]

READERS: dict[Kind, Reader] = {
    "acl": read_acl,
    "aminer": read_aminer,
    "arxiv": read_arxiv,
    "arxiv-sources": read_arxiv_sources,
    "arxiv-table": read_arxiv_table,
    "core": read_core,
    "core-2018": read_core_lines,
    "core-2020": read_core_dump,
    "core-pages": read_core_document,
    "crossref": read_crossref,
    "crossref-api": read_crossref_api,
    "crossref-pages": read_crossref_document,
    "jats": read_jats,
    "mag": read_mag,
    "oai-pmh": read_oai,
    "openalex": read_openalex,
    "openalex-api": read_openalex_api,
    "openalex-pages": read_openalex_document,
    "pes2o": read_pes2o,
    "pmc-package": read_pmc_package,
    "pubmed": read_pubmed,
    "s2orc": read_s2orc,
    "scopus": read_scopus,
    "semantic-scholar": read_semantic_scholar,
    "semantic-scholar-pages": read_semantic_scholar_document,
    "tei": read_tei,
    "unarxive": read_unarxive,
}


def reader_of(kind: Kind, mapping: FieldMapping | None) -> Reader:
    """How files of a kind are read; "mapped" ones through their mapping."""
    if mapping is not None:
        return partial(read_mapped, mapping=mapping)
    return READERS[kind]
