"""What shards promise: every surviving document once, findable, in an order of its own."""

import re
from hashlib import sha256
from itertools import cycle, pairwise

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from corpora import prose
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer
from xxhash import xxh3_64_intdigest

from corpusforge.errors import ConfigError, ContractError
from corpusforge.formats.megatron import open_shard
from corpusforge.formats.partition import write_partition
from corpusforge.formats.shard_folder import read_description
from corpusforge.stages import dedup, shard_writer, shards, tokenizer
from corpusforge.stages.dedup import DedupConfig
from corpusforge.stages.encoder import Encoder
from corpusforge.stages.shard_encoding import Codec, encode_batch
from corpusforge.stages.shard_split import SPLITS, sides
from corpusforge.stages.shards import ShardsConfig
from corpusforge.stages.stage import SCRATCH, TABLE, Inputs
from corpusforge.stages.tokenizer import TokenizerConfig
from corpusforge.stages.tokenizer_files import TOKENIZER
from corpusforge.tables.identity import uid_of
from corpusforge.tables.schemas import SURVIVORS
from corpusforge.work import Tally
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
            text = dict(DOCUMENTS)[row["doc_id"]].encode()
            assert (row["text_bytes"], row["text_digest"]) == (len(text), xxh3_64_intdigest(text))
            assert (row["pass"], row["language"]) == (0, "en")


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
    _, out = run(reads, tmp_path, ShardsConfig(split=(6, 3, 1), shard_tokens=shard_tokens))
    assert in_order(out) == in_order(made[1])
    for rows in layout(out).values():
        assert sum(len(ids) for _, ids in rows) <= shard_tokens or len(rows) == 1
    assert len(list((out / "train").glob("*.idx"))) > 3


def test_the_shards_of_a_split_are_about_equally_large(reads, tmp_path):
    """Training refuses a shard that holds no window, so no short one may be left at the end."""
    tally, out = run(reads, tmp_path, ShardsConfig(split=(1, 0, 0), shard_tokens=4_000))
    rows = layout(out)
    train = [rows[name] for name in sorted(rows) if name.startswith("train")]
    sizes = [sum(len(ids) for _, ids in documents) for documents in train]
    longest = max(len(ids) for documents in rows.values() for _, ids in documents)
    assert len(sizes) == -(-tally.counts["train_tokens"] // 4_000) > 3
    assert max(sizes) - min(sizes) <= 2 * longest


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
    valid = read_description(out).splits["valid"]
    assert [shard.name for shard in valid.shards] == ["valid-00000"]
    assert (valid.documents, valid.tokens, valid.text_bytes, valid.groups) == (0, 0, 0, [])


@pytest.mark.parametrize(("name", "parts"), [("forge", (969, 30, 1)), ("puri", (1000, 1, 1))])
def test_a_preset_is_its_parts(tmp_path, reads, name, parts):
    _, by_name = run(reads, tmp_path / "name", msgspec.convert({"split": name}, ShardsConfig))
    _, by_parts = run(reads, tmp_path / "parts", ShardsConfig(split=parts))
    assert in_order(by_name) == in_order(by_parts)
    assert read_description(by_name).split == {"by": "cluster", "parts": list(parts)}


def test_a_split_by_year_trains_on_what_was_published_before(tmp_path, reads):
    """Documents without a year are for training, whatever they say."""
    published = cycle([None, 1999, 2022, 2023, 2024])
    years = {doc_id: year for (doc_id, _), year in zip(DOCUMENTS, published, strict=False)}
    dated = with_survivors(
        tmp_path / "dedup", reads, lambda rows: [r | {"year": years[r["doc_id"]]} for r in rows]
    )
    config = msgspec.convert({"split": {"by": "year", "valid": 2022, "test": 2024}}, ShardsConfig)
    _, out = run(dated, tmp_path / "shards", config)
    sides_by_year = {None: "train", 1999: "train", 2022: "valid", 2023: "valid", 2024: "test"}
    assert split_of(out) == {doc_id: sides_by_year[year] for doc_id, year in years.items()}


def test_a_split_whose_test_begins_before_its_validation_is_refused():
    with pytest.raises(msgspec.ValidationError, match="valid=2024 is after test=2022; validation"):
        msgspec.convert({"split": {"by": "year", "valid": 2024, "test": 2022}}, ShardsConfig)


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


# --- shards.json


def test_shards_json_says_what_the_folder_holds(made, reads):
    tally, out = made
    described = read_description(out)
    assert described.fingerprint == out.name
    assert (described.vocab_size, described.eod_id, described.dtype) == (300, 0, "uint16")
    assert set(described.splits) == set(SPLITS)
    tokenizer_file = reads["tokenizer"] / TOKENIZER / "tokenizer.json"
    assert (out / "tokenizer.json").read_bytes() == tokenizer_file.read_bytes()
    assert described.tokenizer_sha256 == sha256(tokenizer_file.read_bytes()).hexdigest()
    for name, split in described.splits.items():
        opened = [open_shard(out / name / shard.name) for shard in split.shards]
        assert split.documents == sum(map(len, opened)) == tally.counts[f"{name}_documents"]
        assert split.tokens == sum(len(s.tokens) for s in opened)
        rows = table_rows(out, name)
        assert split.text_bytes == sum(row["text_bytes"] for row in rows)
        [group] = split.groups
        assert (group.source, group.licence) == ("s", None)
        assert (group.documents, group.tokens) == (split.documents, split.tokens)
        for shard in split.shards:
            for suffix, file in shard.files.items():
                content = (out / name / f"{shard.name}{suffix}").read_bytes()
                assert (file.bytes, file.sha256) == (len(content), sha256(content).hexdigest())


def test_the_revision_is_that_of_the_tokens_and_of_nothing_else(made, reads, tmp_path):
    _, again = run(reads, tmp_path / "again")
    _, other = run(reads, tmp_path / "other", ShardsConfig(split=(6, 3, 1), seed=2))
    revisions = [read_description(out).revision for out in (made[1], again, other)]
    assert revisions[0] == revisions[1] != revisions[2]


def table_rows(out, split):
    """Provenance of all shards of a split."""
    paths = sorted((out / split).glob("*.parquet"))
    return [row for path in paths for row in pq.read_table(path).to_pylist()]


# --- damage and misuse


def test_files_that_vanish_between_two_phases_are_noticed(tmp_path, reads):
    phases = shards.STAGE.phases(CONFIG, Inputs(tmp_path, reads), tmp_path / "out")
    phase = next(phases)
    while phase.name != "assemble":
        phase = phases.send(sum((phase.work(task) for task in phase.tasks), Tally()))
    (tmp_path / "out" / SCRATCH / "train" / "part-00002.arrow").unlink()
    with pytest.raises(
        ContractError, match=r"train-00000 got 33 documents .* Delete .*out and run"
    ):
        phase.work(phase.tasks[0])


def test_a_disk_that_returns_other_provenance_is_noticed(tmp_path, reads, monkeypatch):
    read = shard_writer.read_batches

    def one_document_less(path, schema):
        yield from (batch.slice(1) for batch in read(path, schema))

    monkeypatch.setattr(shard_writer, "read_batches", one_document_less)
    with pytest.raises(ContractError, match=r"train-00000.parquet does not describe the documents"):
        run(reads, tmp_path)


def test_a_tokenizer_without_an_end_of_document_is_refused(tmp_path, reads):
    path = tmp_path / "tokenizer" / TOKENIZER / "tokenizer.json"
    path.parent.mkdir(parents=True)
    whole = (reads["tokenizer"] / TOKENIZER / "tokenizer.json").read_text()
    path.write_text(whole.replace("endof", "an"))
    message = re.escape("tokenizer.json has no token <|endoftext|>, which ends every document")
    with pytest.raises(ConfigError, match=message):
        run({**reads, "tokenizer": tmp_path / "tokenizer"}, tmp_path / "out")


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


def test_an_id_beyond_the_vocabulary_is_noticed_before_it_is_made_smaller():
    encoder = Encoder(None, lambda _: (np.array([70_000], np.uint32), np.array([0, 1])), None)
    documents = pa.RecordBatch.from_pydict({"doc_id": ["s:1"], "text": ["text"]})
    message = (
        r"s:1 and the documents after it have the id 70000, but the tokenizer's largest is 257"
    )
    with pytest.raises(ContractError, match=message):
        encode_batch(documents, Codec(encoder, 258, 0), 1)
