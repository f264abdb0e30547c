"""What a mixture promises: as much of each group as was asked for, spread over everything."""

from collections import Counter
from fractions import Fraction

import msgspec
import numpy as np
import pytest
from corpora import prose
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.errors import ConfigError, RunError
from corpusforge.formats.shard_folder import read_description
from corpusforge.stages import shards
from corpusforge.stages.shard_mixture import MixtureConfig, budgets
from corpusforge.stages.shards import ShardsConfig
from corpusforge.tables.schemas import PROVENANCE
from stages.folders import rejects_of, run_stage
from stages.test_shards import layout, prepare, split_of, table_rows

PARTS = {
    name: [(f"{name}:{i}", prose(f"mix {name} {i}", sentences=1 + i % 4)) for i in range(n)]
    for name, n in (("a", 60), ("b", 40), ("c", 8))
}
DOCUMENTS = [document for part in PARTS.values() for document in part]


def mixture(parts, **settings):
    return msgspec.convert({"parts": parts, **settings}, MixtureConfig)


@pytest.fixture(scope="module")
def reads(tmp_path_factory):
    base = tmp_path_factory.mktemp("mixed")
    return prepare(base, [DOCUMENTS[:30], DOCUMENTS[30:]])


def run(reads, out, parts, **settings):
    config = ShardsConfig(split=(8, 1, 1), mixture=mixture(parts, **settings))
    return run_stage(shards.STAGE, config, out, reads), out


@pytest.fixture(scope="module")
def plain(reads, tmp_path_factory):
    """The same shards without a mixture."""
    out = tmp_path_factory.mktemp("plain")
    run_stage(shards.STAGE, ShardsConfig(split=(8, 1, 1)), out, reads)
    return out


ASKED = {"a": {"epochs": 2.5}, "b": {"tokens": 900}, "c": {"epochs": 3}}


@pytest.fixture(scope="module")
def mixed(reads, tmp_path_factory):
    return run(reads, tmp_path_factory.mktemp("mixed"), ASKED)


# --- what is asked for, in tokens

numbers = st.integers(1, 10_000)
held_tokens = st.dictionaries(st.sampled_from("abcde"), numbers, min_size=1)


@given(held_tokens, st.data())
def test_weighted_groups_share_a_budget_by_their_weights(held, data):
    weights = {name: data.draw(st.integers(1, 9)) for name in held}
    asked = mixture({n: {"weight": w} for n, w in weights.items()}, tokens=500, max_epochs=1e6)
    for name, tokens in budgets(asked, held).items():
        exact = Fraction(500 * weights[name], sum(weights.values()))
        assert exact - 1 < tokens <= exact


@given(held_tokens, st.data())
def test_weights_without_a_budget_keep_the_amount(held, data):
    weights = {name: data.draw(st.integers(1, 9)) for name in held}
    asked = mixture({n: {"weight": w} for n, w in weights.items()}, max_epochs=1e6)
    total = sum(budgets(asked, held).values())
    assert sum(held.values()) - len(held) < total <= sum(held.values())


@given(held_tokens, st.integers(0, 400))
def test_epochs_are_multiples_of_what_a_group_has_and_others_are_read_once(held, hundredths):
    name = min(held)
    found = budgets(mixture({name: {"epochs": hundredths / 100}}), held)
    assert found == held | {name: hundredths * held[name] // 100}


def test_a_group_that_is_not_there_is_refused_with_those_that_are():
    message = "mixture.parts.core: no document of train has source core; there are arxiv, pubmed"
    with pytest.raises(ConfigError, match=message):
        budgets(mixture({"core": {"epochs": 1}}), {"pubmed": 5, "arxiv": 9})


@pytest.mark.parametrize("part", [{"epochs": 4.5}, {"tokens": 45}, {"weight": 1}])
def test_more_than_max_epochs_is_refused_in_numbers(part):
    message = r"asks for 45 tokens, but source a has 10 in train: that is 4.50 epochs, more than"
    with pytest.raises(RunError, match=message):
        budgets(mixture({"a": part}, **({"tokens": 45} if "weight" in part else {})), {"a": 10})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"parts": {"a": {}}}, "a part has nothing; expected one of epochs, tokens, weight"),
        ({"parts": {"a": {"epochs": 1, "weight": 2}}}, "a part has epochs and weight; expected"),
        ({"parts": {"a": {"epochs": 1}}, "by": "doi"}, "by: doi - expected one of source, content"),
        ({"parts": {"a": {"epochs": 1}}, "tokens": 5}, "tokens=5 is for weighted groups, but no"),
    ],
)
def test_a_mixture_that_says_too_much_or_too_little_is_refused(settings, message):
    with pytest.raises(msgspec.ValidationError, match=message):
        msgspec.convert(settings, MixtureConfig)


# --- what comes of it


def times(out):
    """How often each document of train is read."""
    return Counter(row["doc_id"] for row in table_rows(out, "train"))


def held(plain):
    """Tokens of each document of train."""
    return {row["doc_id"]: row["tokens"] for row in table_rows(plain, "train")}


def test_each_group_gets_as_many_tokens_as_whole_documents_allow(mixed, plain):
    tokens, read = held(plain), times(mixed[1])
    wanted = {}
    for name in PARTS:
        mine = {d: n for d, n in tokens.items() if d.startswith(f"{name}:")}
        asked = ASKED[name]
        wanted[name] = asked.get("tokens", int(asked.get("epochs", 0) * sum(mine.values())))
        got = sum(read[d] * n for d, n in mine.items())
        assert wanted[name] - max(mine.values()) < got <= wanted[name]
        assert max(read[d] for d in mine) - min(read[d] for d in mine) <= 1


def test_shards_json_has_the_exact_counts(mixed, plain):
    tokens, read = held(plain), times(mixed[1])
    found = read_description(mixed[1]).mixture
    assert found["by"] == "source"
    assert set(found["groups"]) == set(PARTS)
    for name, share in found["groups"].items():
        mine = {d: n for d, n in tokens.items() if d.startswith(f"{name}:")}
        assert (share["held_documents"], share["held_tokens"]) == (len(mine), sum(mine.values()))
        assert share["documents"] == sum(read[d] for d in mine)
        assert share["tokens"] == sum(read[d] * n for d, n in mine.items())


def test_repeats_are_numbered_and_have_the_same_tokens(mixed):
    rows = {}
    for name, documents in layout(mixed[1]).items():
        if name.startswith("train"):
            passes = [row["pass"] for row in table_rows(mixed[1], "train")]
            for (doc_id, ids), number in zip(documents, passes, strict=True):
                rows.setdefault(doc_id, []).append((number, ids))
    for found in rows.values():
        assert sorted(number for number, _ in found) == list(range(len(found)))
        assert all(ids == found[0][1] for _, ids in found)
    assert max(map(len, rows.values())) == 3


def test_repeats_and_choices_are_spread_over_the_whole_order(mixed):
    """Were one key to decide both which documents are repeated and where, it would be one end."""
    passes = [row["pass"] for row in table_rows(mixed[1], "train")]
    for number in (1, 2):
        places = [i / len(passes) for i, at in enumerate(passes) if at == number]
        # The mean of n uniform places is 0.5 with deviation 1 / sqrt(12 n).
        assert abs(np.mean(places) - 0.5) < 4 / (12 * len(places)) ** 0.5


def test_what_the_mixture_leaves_out_is_a_reject(mixed, plain):
    tally, out = mixed
    left_out = {d for d in held(plain) if d not in times(out)}
    rows = [row for row in rejects_of(out) if row["reason"] == "not_in_mixture"]
    assert {row["doc_id"] for row in rows} == left_out
    assert {row["detail"] for row in rows} == {"source b"}
    assert tally.rejected == {"not_in_mixture": len(left_out)}
    assert tally.read == tally.kept + tally.total_rejected == len(DOCUMENTS)


def test_only_train_is_mixed(mixed, plain):
    for split in ("valid", "test"):
        assert table_rows(mixed[1], split) == table_rows(plain, split)


def test_once_of_everything_is_the_corpus_without_a_mixture(reads, plain, tmp_path):
    _, out = run(reads, tmp_path, {"a": {"epochs": 1}})
    assert (out / "train" / "train-00000.bin").read_bytes() == (
        plain / "train" / "train-00000.bin"
    ).read_bytes()


def test_a_group_of_no_epochs_is_left_out(reads, tmp_path):
    tally, out = run(reads, tmp_path, {"a": {"epochs": 0}})
    train = {d for d, split in split_of(out).items() if split == "train"}
    assert {d.split(":")[0] for d in train} == {"b", "c"}
    assert tally.rejected["not_in_mixture"] > 40


def test_the_layout_of_the_input_does_not_matter(tmp_path, mixed):
    other = prepare(tmp_path, [DOCUMENTS[i::5] for i in range(5)])
    _, out = run(other, tmp_path / "shards", ASKED)
    for path in mixed[1].glob("train/*"):
        assert (out / "train" / path.name).read_bytes() == path.read_bytes()


@pytest.mark.parametrize("by", ["licence", "year", "retracted", "language"])
def test_any_column_of_provenance_makes_groups(reads, tmp_path, by):
    group = {"retracted": "false", "language": "en"}.get(by, "unknown")
    tally, _ = run(reads, tmp_path, {group: {"epochs": 2}}, by=by)
    assert tally.counts["repeats"] == tally.counts["train_documents"]
    assert by in PROVENANCE.names


def test_a_mixture_that_leaves_nothing_is_refused(reads, tmp_path):
    with pytest.raises(RunError, match="its parts leave train without a document, as every budget"):
        run(reads, tmp_path, {name: {"tokens": 1} for name in "abc"})
