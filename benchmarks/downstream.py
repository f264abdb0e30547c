"""FORGE's downstream tasks on the vectors of an exported model, each against what needs no model.

FORGE (Yin et al., SC '23) judges its models by what small models make of their vectors: which
domain a paper is of, and a number that a table and a text tell together. Here

* domain: five domains of papers (labels/domain), a logistic regression, accuracy;
* regression: how many pages an arXiv paper has (bench/arxiv; the logarithm of what its comment
  says), from a table of six columns alone and with the vectors, ridge regression, R2 and error.

All figures are from 5-fold cross-validation, with the deviation between the folds. Beside the
trained model stand bag of words, and the same model before training.

    pip install 'corpusforge[evaluate]'
    CORPUSFORGE_DATA=... python benchmarks/downstream.py work/demo/train-*/model [--papers 400]
"""

import argparse
import csv
import gzip
import json
import lzma
import os
import re
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.dummy import DummyClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.model_selection import KFold, StratifiedKFold, cross_validate
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from corpusforge.training.embed import Embedder
from corpusforge.training.generate import open_model, shape_of
from corpusforge.training.model import build_model

FOLDS, SEED = 5, 0
CATEGORIES = ("physics.chem-ph", "q-bio.NC", "cs.SE", "physics.comp-ph", "cs.DB")
PAGES = re.compile(r"(\d+) pages", re.IGNORECASE)
COLUMNS = ("authors", "categories", "year", "words of title", "words of abstract", "has a doi")
ALPHAS = np.logspace(-1, 5, 13)


def domain_papers(file: Path, each: int) -> tuple[list[str], NDArray[Any]]:
    """Texts and domains, as many of each domain; domains with fewer papers are left out."""
    rows: dict[str, list[str]] = {}
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            paper = json.loads(line)
            rows.setdefault(paper["domain"], []).append(f"{paper['title']}\n\n{paper['text']}")
    random = np.random.default_rng(SEED)
    texts, domains = [], []
    for domain, papers in sorted(rows.items()):
        if len(papers) >= each:
            texts += [papers[i] for i in random.choice(len(papers), each, replace=False)]
            domains += [domain] * each
    return texts, np.array(domains)


def papers_with_pages(folder: Path, wanted: int) -> tuple[list[str], NDArray[Any], NDArray[Any]]:
    """Texts, a table of COLUMNS, and the logarithm of the number of pages."""
    papers = [paper for name in CATEGORIES for paper in _papers_of(folder / f"{name}.tsv.xz")]
    chosen = np.random.default_rng(SEED).permutation(len(papers))[:wanted]
    texts, tables, pages = zip(*(papers[i] for i in chosen), strict=True)
    return list(texts), np.array(tables, float), np.log(pages)


def _papers_of(file: Path) -> Iterator[tuple[str, list[float], int]]:
    with lzma.open(file, "rt", encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            found = PAGES.search(row["comments"])
            if not found or not 1 <= int(found[1]) <= 200 or not row["abstract"]:
                continue
            title, abstract = row["title"].split(), row["abstract"].split()
            table = [
                *(float(row["num_authors"]), float(row["num_categories"])),
                *(float(row["created"][:4]), len(title), len(abstract), float(bool(row["doi"]))),
            ]
            yield f"{row['title']}\n\n{row['abstract']}", table, int(found[1])


def embedders(folder: Path) -> dict[str, Embedder]:
    """The trained model, and the same shape as training starts from."""
    exported = open_model(folder)
    config = json.loads((folder / "config.json").read_bytes())
    untrained = build_model(shape_of(config), config["vocab_size"], SEED).eval()
    return {
        "vectors of the trained model": Embedder.of(exported),
        "vectors of the untrained model": Embedder.of(replace(exported, model=untrained)),
    }


def classify(texts: list[str], domains: NDArray[Any], found: dict[str, Embedder]) -> None:
    """Print the accuracy of a logistic regression on each kind of input."""
    words = make_pipeline(
        TfidfVectorizer(max_features=20_000, sublinear_tf=True),
        LogisticRegression(max_iter=2000, C=10),
    )
    inputs: dict[str, tuple[Any, Any]] = {
        "most frequent domain": (DummyClassifier(), np.zeros((len(texts), 1))),
        "bag of words (TF-IDF, 20,000)": (words, texts),
    }
    for name, embedder in found.items():
        scaled = make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000, C=0.1))
        inputs[name] = (scaled, embedder.embed(texts))
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=SEED)
    for name, (model, values) in inputs.items():
        scores = cross_validate(model, values, domains, cv=folds)["test_score"]
        print(f"  {name:<46} accuracy {scores.mean():.3f} +- {scores.std():.3f}")


def regress(
    texts: list[str], table: NDArray[Any], target: NDArray[Any], found: dict[str, Embedder]
) -> None:
    """Print how well ridge regression does on the table alone, and with each addition to it."""
    width = table.shape[1]
    inputs = {"table alone": (make_pipeline(StandardScaler(), RidgeCV(ALPHAS)), table)}
    # Words are counted within the training folds, so they go through as they are.
    both = make_union(
        make_pipeline(
            FunctionTransformer(lambda rows: rows[:, :-1].astype(float)), StandardScaler()
        ),
        make_pipeline(
            FunctionTransformer(lambda rows: rows[:, -1]), TfidfVectorizer(max_features=20_000)
        ),
    )
    rows = np.column_stack([table.astype(object), np.array(texts, object)])
    inputs["table and bag of words"] = (make_pipeline(both, RidgeCV(ALPHAS)), rows)
    for name, embedder in found.items():
        values = np.column_stack([table, embedder.embed(texts)])
        inputs[f"table and {name}"] = (make_pipeline(StandardScaler(), RidgeCV(ALPHAS)), values)
        inputs[f"{name} alone"] = (inputs[f"table and {name}"][0], values[:, width:])
    folds = KFold(FOLDS, shuffle=True, random_state=SEED)
    scoring = ("r2", "neg_mean_absolute_error")
    for name, (model, values) in inputs.items():
        scores = cross_validate(model, values, target, cv=folds, scoring=scoring)
        r2, error = scores["test_r2"], -scores["test_neg_mean_absolute_error"]
        print(
            f"  {name:<46} R2 {r2.mean():.3f} +- {r2.std():.3f}   "
            f"mean error {error.mean():.3f} +- {error.std():.3f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path, help="the folder `model` of a finished run")
    parser.add_argument("--papers", type=int, default=400, help="of each domain (default 400)")
    options = parser.parse_args()
    default = Path(__file__).parents[2] / "shared" / "data"
    data = Path(os.environ.get("CORPUSFORGE_DATA", default))
    began = time.perf_counter()
    found = embedders(options.model)
    texts, domains = domain_papers(data / "labels/domain/domain_pool.jsonl.gz", options.papers)
    print(f"\ndomain: {len(texts):,} papers, {', '.join(np.unique(domains))}")
    classify(texts, domains, found)
    texts, table, target = papers_with_pages(data / "bench/arxiv", 5 * options.papers)
    print(f"\nlogarithm of pages: {len(texts):,} arXiv papers; table: {', '.join(COLUMNS)}")
    regress(texts, table, target, found)
    print(f"\n{time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
