"""What shards promise: every surviving document once, findable, in an order of its own."""

import json
from itertools import pairwise

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from corpora import prose
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from corpusforge.errors import ContractError
from corpusforge.formats.megatron import open_shard
from corpusforge.formats.partition import write_partition
from corpusforge.stages import dedup, shard_assembly, shards, tokenizer
from corpusforge.stages.dedup import DedupConfig
from corpusforge.stages.shard_encoding import SPLITS, sides
from corpusforge.stages.shards import ShardsConfig
from corpusforge.stages.stage import TABLE
from corpusforge.stages.tokenizer import TOKENIZER, TokenizerConfig
from corpusforge.tables.identity import uid_of
from corpusforge.tables.schemas import SURVIVORS
from stages.folders import rejects_of, run_stage, table_of, write_clean

DOCUMENTS = [(f"s:{i}", prose(f"shards {i}", sentences=2)) for i in range(120)]
CONFIG = ShardsConfig(split=(6, 3, 1))


def prepare(base, partitions):
    """The folders that shards reads, for these partitions of (doc_id, text)."""
    reads = {name: base / name for name in ("clean", "dedup", "tokenizer")}
    write_clean(reads["clean"], partitions)
    run_stage(dedup.STAGE, DedupConfig(), reads["dedup"], reads)
    run_stage(tokenizer.STAGE, TokenizerConfig(vocabulary=300), reads["tokenizer"], reads)
    return reads


def run(reads, out, config=CONFIG):
    """Shards from these folders; the tally and the stage's folder."""
    return run_stage(shards.STAGE, config, out, reads), out


def layout(out):
    """Every shard's documents as (doc_id, token ids), by shard, as provenance names them."""
    found = {}
    for path in sorted(out.glob("*/*.idx")):
        shard = open_shard(path.with_suffix(""))
        rows = pq.read_table(path.with_suffix(".parquet")).to_pylist()
        assert len(rows) == len(shard)
        found[path.stem] = [(r["doc_id"], shard.document(i).tolist()) for i, r in enumerate(rows)]
    return found


def split_of(out):
    """The split of every document."""
    return {
        doc_id: shard.split("-")[0] for shard, rows in layout(out).items() for doc_id, _ in rows
    }


def in_order(out):
    """The documents of each split, over all its shards."""
    found = layout(out)
    return {
        name: [doc for s in sorted(found) if s.startswith(name) for doc, _ in found[s]]
        for name in SPLITS
    }


@pytest.fixture(scope="module")
def reads(tmp_path_factory):
    return prepare(tmp_path_factory.mktemp("reads"), [DOCUMENTS[:50], [], DOCUMENTS[50:]])


@pytest.fixture(scope="module")
def made(reads, tmp_path_factory):
    return run(reads, tmp_path_factory.mktemp("made"))


def tokenizer_of(reads):
    made = Tokenizer.from_file(str(reads["tokenizer"] / TOKENIZER / "tokenizer.json"))
    made.encode_special_tokens = True
    return made


# --- the same arithmetic with Python's integers: slow, obvious, and only here


def mix(x):
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB % 2**64
    return x ^ (x >> 31)


def key(uid, seed):
    return mix(uid ^ mix((seed + 0x9E3779B97F4A7C15) % 2**64))


def side(cluster, split, seed):
    part = (key(cluster, seed ^ 0x5BD1E995) >> 32) * sum(split) >> 32
    return 0 if part < split[0] else 1 if part < split[0] + split[1] else 2


def expected_order(doc_ids, config):
    """Unique documents by split, in the order that their uids decide."""
    placed = {name: [] for name in SPLITS}
    for doc_id in sorted(doc_ids, key=lambda d: (key(uid_of(d), config.seed), uid_of(d))):
        placed[SPLITS[side(uid_of(doc_id), config.split, config.seed)]].append(doc_id)
    return placed


# --- every document, whole, once


def test_every_survivor_is_in_one_shard_and_decodes_to_its_text(reads, made):
    decode = tokenizer_of(reads).decode
    text = dict(DOCUMENTS)
    found = [doc for rows in layout(made[1]).values() for doc in rows]
    assert sorted(doc_id for doc_id, _ in found) == sorted(text)
    for doc_id, ids in found:
        assert decode(ids[:-1], skip_special_tokens=False) == text[doc_id]
        assert ids[-1] == 0


def test_the_tally_counts_documents_and_tokens_by_split(made):
    tally, out = made
    found = layout(out)
    for name in SPLITS:
        rows = [row for shard, rows in found.items() if shard.startswith(name) for row in rows]
        assert tally.counts[f"{name}_documents"] == len(rows)
        assert tally.counts[f"{name}_tokens"] == sum(len(ids) for _, ids in rows)
    assert tally.counts["documents"] == tally.kept == tally.read == len(DOCUMENTS)
    assert tally.bytes_read == sum(len(text.encode()) for _, text in DOCUMENTS)


@pytest.mark.parametrize(
    "text",
    [
        "It ends with <|endoftext|> and <|padding|> is quoted here.",
        "<|endoftext|>",
        "naïve Σ 中文 🧬\n\n## Next\ttab",
        " ",
    ],
)
def test_a_text_that_quotes_special_tokens_or_is_odd_stays_text(tmp_path, text):
    reads = prepare(tmp_path, [[("s:odd", text), *DOCUMENTS[:5]]])
    _, out = run(reads, tmp_path / "shards")
    [ids] = [ids for rows in layout(out).values() for doc_id, ids in rows if doc_id == "s:odd"]
    assert tokenizer_of(reads).decode(ids[:-1], skip_special_tokens=False) == text
    assert min(ids[:-1]) > 1


def test_a_document_without_a_token_is_a_reject(tmp_path):
    reads = prepare(tmp_path, [[("s:empty", ""), *DOCUMENTS[:5]]])
    tally, out = run(reads, tmp_path / "shards")
    [row] = rejects_of(out)
    assert (row["doc_id"], row["reason"], row["stage"]) == ("s:empty", "no_tokens", "shards")
    assert (row["observed"], row["limit"]) == (0, 1)
    assert (tally.read, tally.kept, tally.rejected) == (6, 5, {"no_tokens": 1})
    assert "s:empty" not in split_of(out)


def test_removed_duplicates_are_in_no_shard(tmp_path):
    copies = [(f"copy:{i}", DOCUMENTS[0][1]) for i in range(5)]
    reads = prepare(tmp_path, [copies[:2], DOCUMENTS[1:6], copies[2:]])
    tally, out = run(reads, tmp_path / "shards")
    assert sorted(split_of(out)) == sorted(row["doc_id"] for row in table_of(reads["dedup"]))
    assert tally.read == 6


# --- provenance


def test_row_i_of_provenance_describes_sequence_i(made):
    _, out = made
    for path in out.glob("*/*.idx"):
        shard = open_shard(path.with_suffix(""))
        table = pq.read_table(path.with_suffix(".parquet"))
        assert table["start"].to_pylist() == shard.bounds[:-1].tolist()
        assert table["tokens"].to_pylist() == shard.lengths.tolist()
        for row in table.to_pylist():
            assert row["uid"] == row["cluster"] == uid_of(row["doc_id"])
            assert (row["source"], row["content"], row["retracted"]) == ("s", "abstract", False)


# --- order


def test_the_order_is_what_the_uids_and_the_seed_decide(made):
    assert in_order(made[1]) == expected_order([doc for doc, _ in DOCUMENTS], CONFIG)


def test_the_order_has_little_to_do_with_the_input(made):
    [train, *_] = in_order(made[1]).values()
    places = [int(doc_id.split(":")[1]) for doc_id in train]
    neighbours = sum(b - a == 1 for a, b in pairwise(places))
    assert neighbours < len(places) / 10  # a shuffle leaves about one such pair
    assert sorted(places) != places


def test_the_layout_of_the_input_does_not_matter(tmp_path, made):
    reads = prepare(tmp_path, [DOCUMENTS[i::4] for i in range(4)])
    _, out = run(reads, tmp_path / "shards")
    for path in made[1].glob("*/*.*"):
        if path.suffix in (".bin", ".idx", ".parquet") and path.parent.name in SPLITS:
            assert (out / path.relative_to(made[1])).read_bytes() == path.read_bytes()


def test_a_golden_corpus_keeps_its_order_and_its_splits(made):
    """Golden values. If this fails, raise the stage's version; do not edit the lists."""
    assert {name: documents[:4] for name, documents in in_order(made[1]).items()} == {
        "train": ["s:73", "s:55", "s:26", "s:18"],
        "valid": ["s:15", "s:107", "s:114", "s:104"],
        "test": ["s:69", "s:103", "s:53", "s:70"],
    }


@pytest.mark.parametrize("shard_tokens", [1_500, 400])
def test_several_shards_hold_the_same_documents_in_the_same_order_as_one(
    reads, made, tmp_path, shard_tokens
):
    tally, out = run(reads, tmp_path, ShardsConfig(split=(6, 3, 1), shard_tokens=shard_tokens))
    assert in_order(out) == in_order(made[1])
    for name in SPLITS:
        shards_of_split = list((out / name).glob("*.idx"))
        assert len(shards_of_split) == 1 + tally.counts[f"{name}_tokens"] // shard_tokens
    assert len(list((out / "train").glob("*.idx"))) > 3


def test_shards_of_one_split_are_about_as_large_as_asked_for(reads, tmp_path):
    _, out = run(reads, tmp_path, ShardsConfig(split=(1, 0, 0), shard_tokens=4_000))
    sizes = [sum(len(ids) for _, ids in rows) for name, rows in layout(out).items()]
    filled = [size for size in sizes if size]
    assert len(filled) > 3
    mean = sum(filled) / len(filled)
    # Documents fall into shards like balls into urns: 4 sigma of n documents are 4 sqrt(n).
    per_document = sum(filled) / len(DOCUMENTS)
    assert all(abs(s - mean) < 4 * (s / per_document) ** 0.5 * per_document for s in filled)


def test_a_document_longer_than_a_shard_is_not_cut(tmp_path):
    long = ("s:long", prose("long", sentences=60))
    reads = prepare(tmp_path, [[long, *DOCUMENTS[:5]]])
    _, out = run(reads, tmp_path / "shards", ShardsConfig(split=(1, 0, 0), shard_tokens=700))
    [ids] = [ids for rows in layout(out).values() for doc_id, ids in rows if doc_id == "s:long"]
    assert len(ids) > 2_000
    assert tokenizer_of(reads).decode(ids[:-1]) == long[1]
    assert len(split_of(out)) == 6


# --- splits

clusters = st.lists(st.integers(0, 2**64 - 1), max_size=30)
splits = st.tuples(st.integers(1, 999), st.integers(0, 99), st.integers(0, 99))


@given(clusters, splits, st.integers(0, 2**32 - 1))
def test_the_split_of_a_cluster_agrees_with_the_definition(clusters, split, seed):
    found = sides(np.array(clusters, np.uint64), split, seed)
    assert found.tolist() == [side(cluster, split, seed) for cluster in clusters]


def test_splits_are_near_their_shares():
    split, n = (80, 15, 5), 100_000
    uids = np.random.default_rng(3).integers(0, 2**64, n, np.uint64)
    counts = np.bincount(sides(uids, split, seed=1), minlength=3)
    for count, part in zip(counts, split, strict=True):
        share = part / 100
        assert abs(count / n - share) < 4 * (share * (1 - share) / n) ** 0.5


def test_splits_have_the_same_share_all_along_the_order():
    """Were order and split of one seed, each split would be one end of the order."""
    split, seed, n = (80, 15, 5), 1, 20_000
    uids = [mix(i) for i in range(n)]
    first_half = [uid for uid in uids if key(uid, seed) < 2**63]
    train = (sides(np.array(first_half, np.uint64), split, seed) == 0).mean()
    assert abs(train - 0.8) < 4 * (0.8 * 0.2 / len(first_half)) ** 0.5


@pytest.mark.parametrize("split", [(1, 0, 0), (969, 0, 1)])
def test_a_split_of_no_part_is_empty_and_can_be_opened(tmp_path, reads, split):
    _, out = run(reads, tmp_path, ShardsConfig(split=split))
    assert in_order(out)["valid"] == []
    summary = json.loads((out / "corpus.json").read_bytes())
    assert summary["splits"]["valid"] == {"shards": ["valid-00000"], "tokens": 0, "documents": 0}


def with_survivors(folder, reads, change):
    """The same folders, but for the survivors: each partition's rows as `change` makes them."""
    for path in (reads["dedup"] / TABLE).iterdir():
        rows = pq.read_table(path).to_pylist()
        write_partition(folder / TABLE / path.name, pa.Table.from_pylist(change(rows), SURVIVORS))
    return {**reads, "dedup": folder}


def test_no_cluster_is_on_both_sides_of_a_split(tmp_path, reads):
    # Ten large clusters instead of 120 of one document.
    large = with_survivors(
        tmp_path / "dedup", reads, lambda rows: [r | {"cluster": r["uid"] % 10} for r in rows]
    )
    _, out = run(large, tmp_path / "shards", ShardsConfig(split=(1, 1, 1)))
    placed = {}
    for doc_id, split in split_of(out).items():
        placed.setdefault(uid_of(doc_id) % 10, set()).add(split)
    assert len(placed) == 10
    assert all(len(splits) == 1 for splits in placed.values())
    assert set().union(*placed.values()) == set(SPLITS)


def test_other_documents_do_not_move_a_document_to_another_split_or_past_another(tmp_path, made):
    reads = prepare(tmp_path, [DOCUMENTS[:40]])
    _, out = run(reads, tmp_path / "shards")
    few, many = in_order(out), in_order(made[1])
    for name in SPLITS:
        assert few[name] == [doc_id for doc_id in many[name] if doc_id in set(few[name])]


def test_another_seed_is_another_order_and_another_split(tmp_path, reads, made):
    _, out = run(reads, tmp_path, ShardsConfig(split=(6, 3, 1), seed=2))
    assert in_order(out)["train"] != in_order(made[1])["train"]
    assert split_of(out) != split_of(made[1])


# --- corpus.json


def test_corpus_json_says_what_the_folder_holds(made):
    tally, out = made
    summary = json.loads((out / "corpus.json").read_bytes())
    assert summary["fingerprint"] == out.name
    assert (summary["vocab_size"], summary["eod_id"]) == (300, 0)
    assert set(summary["splits"]) == set(SPLITS)
    for name, split in summary["splits"].items():
        opened = [open_shard(out / name / shard) for shard in split["shards"]]
        assert split["documents"] == sum(map(len, opened)) == tally.counts[f"{name}_documents"]
        assert split["tokens"] == sum(len(s.tokens) for s in opened)


# --- damage and misuse


def test_a_disk_that_returns_other_lengths_is_noticed(tmp_path, reads, monkeypatch):
    write = shard_assembly.write_shard

    def one_document_less(prefix, documents, vocab_size):
        return write(prefix, list(documents)[1:], vocab_size)

    monkeypatch.setattr(shard_assembly, "write_shard", one_document_less)
    with pytest.raises(ContractError, match=r"train-00000.idx does not hold the documents"):
        run(reads, tmp_path)


def test_survivors_that_are_not_among_the_documents_are_noticed(tmp_path, reads):
    clean = write_clean(tmp_path / "clean", [DOCUMENTS[:49], [], DOCUMENTS[50:]])
    with pytest.raises(ContractError, match="disagree after 49 of 50 survivors"):
        run({**reads, "clean": clean}, tmp_path / "shards")


def test_survivors_in_another_order_than_the_documents_are_noticed(tmp_path, reads):
    turned = with_survivors(tmp_path / "dedup", reads, lambda rows: rows[::-1])
    with pytest.raises(ContractError, match="disagree after 0 of 50 survivors"):
        run(turned, tmp_path / "shards")


@pytest.mark.parametrize("split", [(0, 1, 1), (-1, 1, 1), (1, -1, 1)])
def test_a_split_without_a_part_for_train_is_refused(split):
    message = rf"split=\[{split[0]}, {split[1]}, 1\] needs a positive part for train"
    with pytest.raises(ValueError, match=message):
        ShardsConfig(split=split)


def test_a_shard_of_no_tokens_cannot_be_asked_for():
    with pytest.raises(msgspec.ValidationError, match=r">= 1 - at `\$\.shard_tokens`"):
        msgspec.convert({"shard_tokens": 0}, ShardsConfig)
