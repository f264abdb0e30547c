"""What diagnostics promise: figures of documents that no vocabulary was learnt from."""

import msgspec
import pytest
from corpora import prose
from tokenizers import Tokenizer

from corpusforge.kernels.mixing import seeded_order
from corpusforge.stages import dedup, tokenizer
from corpusforge.stages.dedup import DedupConfig
from corpusforge.stages.tokenizer import TokenizerConfig
from corpusforge.stages.tokenizer_diagnostics import DIAGNOSTICS, read_diagnostics
from corpusforge.stages.tokenizer_files import TOKENIZER
from corpusforge.stages.tokenizer_kinds import KINDS, finds
from stages.folders import documents_table, run_stage, write_clean

SCIENCE = "With $\\alpha_{1} = 12345.6$ and \\beta{x}, 25 mg/mL of NaHCO3 in β-catenin."
DOCUMENTS = [
    (f"{source}:{i}", f"{prose(f'{source} {i}', sentences=3)} {SCIENCE}")
    for source in ("a", "b")
    for i in range(100)
]


def run(base, partitions, **settings):
    reads = {"clean": write_clean(base / "clean", partitions), "dedup": base / "dedup"}
    run_stage(dedup.STAGE, DedupConfig(), reads["dedup"], {"clean": reads["clean"]})
    config = msgspec.convert({"vocabulary": 400} | settings, TokenizerConfig)
    tally = run_stage(tokenizer.STAGE, config, base / "tokenizer", reads, base)
    return tally, base / "tokenizer"


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    return run(tmp_path_factory.mktemp("measured"), [DOCUMENTS[:70], DOCUMENTS[70:]])


@pytest.fixture(scope="module")
def found(measured):
    return read_diagnostics(measured[1] / DIAGNOSTICS)


def rows(found, tokenizer, group):
    return {s.name: s for s in found.spellings if (s.tokenizer, s.group) == (tokenizer, group)}


def test_what_is_held_out_is_not_in_the_sample(measured, found):
    tally, _ = measured
    assert tally.counts["sampled_documents"] + found.documents == len(DOCUMENTS)
    assert found.documents == tally.counts["held_out_documents"]
    # A tenth of 200, within four sigma.
    assert abs(found.documents - 20) < 17
    total = sum(len(text.encode()) for _, text in DOCUMENTS)
    assert tally.counts["sampled_bytes"] + found.bytes == total


def test_figures_are_those_of_the_tokenizer_and_its_texts(measured, found):
    made = Tokenizer.from_file(str(measured[1] / TOKENIZER / "tokenizer.json"))
    seen = held_out(DOCUMENTS)
    encodings = [made.encode(text) for text in seen]
    tokens = [token for encoding in encodings for token in encoding.tokens]
    row = rows(found, "this", "all")["all"]
    assert (row.documents, row.tokens) == (len(seen), len(tokens))
    assert row.bytes == found.bytes == sum(len(text.encode()) for text in seen)
    assert row.words == sum(len(text.split()) for text in seen)
    assert row.single_bytes == sum(len(token) == 1 for token in tokens)
    assert row.bytes_per_token == row.bytes / len(tokens)
    assert row.tokens_per_word == len(tokens) / row.words
    assert row.single_share == row.single_bytes / len(tokens)
    assert found.vocabularies[0].entries == 400
    assert found.vocabularies[0].unused == 400 - len(set(tokens))


def held_out(documents):
    """The tenth of the documents whose hashes are the last, by the definition."""
    table = documents_table(documents)
    keys = seeded_order(table["uid"].to_numpy(), 1)
    return [text for (_, text), key in zip(documents, keys, strict=True) if key >= 2**64 * 0.9]


def test_groups_add_up_to_the_whole(found):
    for name in ("this", "gpt2"):
        whole = rows(found, name, "all")["all"]
        for group in ("source", "language"):
            parts = rows(found, name, group).values()
            assert sum(part.tokens for part in parts) == whole.tokens
            assert sum(part.bytes for part in parts) == whole.bytes
    assert set(rows(found, "this", "source")) == {"a", "b"}
    assert set(rows(found, "this", "language")) == {"en"}


def test_the_other_vocabulary_is_as_large_and_learnt_by_the_rules_of_gpt2(tmp_path, found):
    _, other = run(tmp_path, [DOCUMENTS], preset="gpt2")
    alone = read_diagnostics(other / DIAGNOSTICS)
    assert {s.tokenizer for s in alone.spellings} == {"this"}  # nothing to compare it with
    theirs = {(s.group, s.name): s.tokens for s in found.spellings if s.tokenizer == "gpt2"}
    assert theirs == {(s.group, s.name): s.tokens for s in alone.spellings}
    assert [v.entries for v in found.vocabularies] == [400, 400]


def test_comparing_and_measuring_can_be_left_out(tmp_path):
    _, one = run(tmp_path / "one", [DOCUMENTS], diagnostics={"compare": False})
    kinds = read_diagnostics(one / DIAGNOSTICS)
    assert {s.tokenizer for s in kinds.spellings} == {"this"}
    tally, none = run(tmp_path / "none", [DOCUMENTS], diagnostics=None)
    assert not (none / DIAGNOSTICS).exists()
    assert tally.counts["sampled_documents"] == len(DOCUMENTS)


def test_a_corpus_too_small_to_hold_anything_out_has_figures_of_nothing(tmp_path):
    _, out = run(tmp_path, [[("s:1", "ab ab")]])
    found = read_diagnostics(out / DIAGNOSTICS)
    assert (found.documents, found.bytes) == (0, 0)
    row = rows(found, "this", "all")["all"]
    assert (row.bytes_per_token, row.tokens_per_word, row.single_share) == (0, 0, 0)


@pytest.mark.parametrize(
    ("kind", "text", "pieces"),
    [
        ("LaTeX", SCIENCE, [" $\\alpha_{1} = 12345.6$", " \\beta{x}"]),
        ("LaTeX", "It costs $5.\nOr $6.", []),
        ("numbers", "In 1999 (3,5 %), -2e-5; H2O p53 1.5", [" 1999", "3,5", " -2e-5", " 1.5"]),
        ("units", "25 mg/mL, 3.5 GHz and 7 °C of 12 mice", ["25 mg/mL", " 3.5 GHz", " 7 °C"]),
        ("chemical names", "NaHCO3, 2,4-dinitrophenol and a methylphenol; USA DNA", [
            "NaHCO3", " 2,4-dinitrophenol", " methylphenol"]),
        ("Greek", "In TNF-\u03b1 and β-catenin, 2μm", [" TNF-\u03b1", " β-catenin", " 2μm"]),
        ("prose", "the small old house on a green hill was sold for $5", [
            "the small old house on a green hill was sold for"]),
    ],
)  # fmt: skip
def test_kinds_of_text_are_found_with_the_blank_before_them(kind, text, pieces):
    assert finds(kind, text) == pieces


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("endless", ["A", "acgt", "7", "methox", "1,", "é", "x_", "$", "\\", " "])
def test_a_word_without_end_takes_no_time_without_end(kind, endless):
    """Were the time to grow with the square of its length, this would not end today."""
    finds(kind, endless * 300_000)


def test_every_kind_is_measured(found):
    assert set(rows(found, "this", "kind")) == set(KINDS)
    assert all(row.tokens > 0 for row in rows(found, "this", "kind").values())
