"""Downstream tasks: their data, and that a vector which knows the answer is found out."""

import gzip
import json
import lzma

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="needs the extra `evaluate`")


@pytest.fixture(scope="module")
def script(benchmark_script):
    return benchmark_script("downstream")


class Oracle:
    """Vectors that hold a number given for each text, and noise."""

    def __init__(self, numbers):
        self.numbers = numbers

    def embed(self, texts):
        noise = np.random.default_rng(0).normal(size=(len(texts), 3))
        known = [self.numbers[text] for text in texts]
        return np.column_stack([known, noise]).astype(np.float32)


def test_domains_have_as_many_papers_each_and_small_ones_are_left_out(script, tmp_path):
    file = tmp_path / "pool.jsonl.gz"
    rows = [
        {"title": f"{domain} {i}", "text": "words", "domain": domain}
        for domain, count in (("physics", 9), ("medical", 2), ("chemistry", 5))
        for i in range(count)
    ]
    file.write_bytes(gzip.compress("\n".join(map(json.dumps, rows)).encode()))
    texts, domains = script.domain_papers(file, 4)
    assert domains.tolist() == ["chemistry"] * 4 + ["physics"] * 4
    assert len(set(texts)) == 8
    assert all(text.startswith(domain) for text, domain in zip(texts, domains, strict=True))
    assert script.domain_papers(file, 4)[0] == texts


def test_pages_are_read_from_comments(script, tmp_path, monkeypatch):
    monkeypatch.setattr(script, "CATEGORIES", ("a",))
    names = ("abstract", "title", "comments", "created", "doi", "num_authors", "num_categories")
    rows = [
        ("Some words here.", "A title", "12 pages, 5 figures", "2004-04-21", "10.1/x", "3", "2"),
        ("No number.", "Another", "submitted", "2004-04-21", "", "1", "1"),
        ("Too long to be true.", "A third", "4000 pages", "2004-04-21", "", "1", "1"),
    ]
    lines = ["\t".join(row) for row in (names, *rows)]
    (tmp_path / "a.tsv.xz").write_bytes(lzma.compress("\n".join(lines).encode()))
    texts, table, target = script.papers_with_pages(tmp_path, 10)
    assert texts == ["A title\n\nSome words here."]
    assert table.tolist() == [[3, 2, 2004, 2, 3, 1]]
    assert np.exp(target) == pytest.approx([12])


def test_vectors_that_know_the_answer_are_told_from_those_that_do_not(script, capsys):
    random = np.random.default_rng(1)
    texts = [f"paper {i}" for i in range(60)]
    target = random.normal(size=60)
    table = random.normal(size=(60, 2))
    of = dict(zip(texts, target, strict=True))
    found = {"knowing": Oracle(of), "ignorant": Oracle(dict.fromkeys(texts, 0.0))}
    script.regress(texts, table, target, found)
    script.classify(texts, np.where(target > 0, "up", "down"), found)
    printed = capsys.readouterr().out.splitlines()
    figures = {line[:48].strip(): float(line[48:].split()[1]) for line in printed}
    assert figures["table and knowing"] > 0.9
    assert figures["knowing"] > 0.9
    assert figures["table alone"] < 0.3
    assert figures["ignorant"] < 0.8
