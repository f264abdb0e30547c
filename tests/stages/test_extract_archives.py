"""Extract reads archives of LaTeX sources and of PMC's packages like any other source."""

import gzip
import io
import tarfile

from corpora import Record, jats_file

from corpusforge.stages import extract
from corpusforge.stages.extract import ExtractConfig, SourceConfig
from stages.folders import rejects_of, run_stage, table_of

TEX = r"\documentclass{{a}}\title{{{title}}}\begin{{document}}{text}\end{{document}}"


def tar(files):
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w") as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return held.getvalue()


def test_papers_and_losses_of_archives_reach_the_tables(tmp_path):
    bulk, single, pmc = (tmp_path / name for name in ("bulk", "single", "pmc"))
    for folder in (bulk, single, pmc):
        folder.mkdir()
    first = gzip.compress(TEX.format(title="First", text="$x$ is.").encode())
    submissions = {"0704/0704.0001.gz": first, "0704/0704.0002.pdf": b"%PDF-1.4"}
    (bulk / "arXiv_src_0704_001.tar").write_bytes(tar(submissions))
    for version in (2, 10):
        source = {"a.tex": TEX.format(title=f"Version {version}", text="Text.").encode()}
        (single / f"2101.00001v{version}.tar.gz").write_bytes(gzip.compress(tar(source)))
    article = jats_file(Record("PMC7", "An article", "An abstract."))
    (pmc / "PMC7.tar.gz").write_bytes(
        gzip.compress(tar({"PMC7/a.nxml": article, "PMC7/a.gif": b""}))
    )
    licence = "LicenseRef-arXiv-nonexclusive-1.0"
    sources = {
        "bulk": SourceConfig(kind="arxiv-sources", folder="bulk", files="*.tar", licence=licence),
        "single": SourceConfig(kind="arxiv-sources", folder="single", files="*.tar.gz"),
        "pmc": SourceConfig(kind="pmc-package", folder="pmc", files="*.tar.gz"),
    }
    config = ExtractConfig(sources=sources)
    tally = run_stage(extract.STAGE, config, tmp_path / "out", {}, tmp_path)
    rows = {row["doc_id"]: row for row in table_of(tmp_path / "out")}
    assert sorted(rows) == ["bulk:0704.0001", "pmc:PMC7", "single:2101.00001"]
    first = rows["bulk:0704.0001"]
    assert (first["title"], first["body"], first["arxiv"]) == ("First", "$x$ is.", "0704.0001")
    assert (first["year"], first["version_kind"]) == (2007, "preprint")
    assert (first["licence"], first["licence_stated"]) == (licence, "source")
    assert rows["single:2101.00001"]["title"] == "Version 10"
    assert rows["pmc:PMC7"]["abstract"] == "An abstract."
    rejects = {row["doc_id"]: row["reason"] for row in rejects_of(tmp_path / "out")}
    assert rejects == {
        "bulk:arXiv_src_0704_001.tar@0704/0704.0002.pdf": "no_text",
        "single:2101.00001": "superseded",
    }
    assert tally.balances
    assert (tally.read, tally.kept) == (5, 3)
