"""What extract promises: one record per document, the one that counts, and no loss unsaid."""

import gzip
from collections import Counter
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from corpora import Record, deletion, jats_file, paper, pubmed_file, pubmed_record, write_file
from hypothesis import given, settings
from hypothesis import strategies as st

from corpusforge.errors import ContractError, SourceError
from corpusforge.stages import extract, extract_papers
from corpusforge.stages.extract import ExtractConfig, SourceConfig
from corpusforge.stages.extract_versions import judge_versions
from corpusforge.stages.stage import SCRATCH, TABLE
from corpusforge.tables.identity import uid_of
from stages.folders import rejects_of, run_stage, table_of

PUBMED = SourceConfig(kind="pubmed", folder="pubmed", files="*.xml*")


def run(base, out="out", partition_bytes=1, **sources):
    """Extract from files in `base`, into a folder beside them; the tally and the folder."""
    config = ExtractConfig(sources=sources or {"pubmed": PUBMED}, partition_bytes=partition_bytes)
    tally = run_stage(extract.STAGE, config, base / out, {"fetch": base / "fetch"}, base)
    return tally, base / out


def write(base, *files):
    """PubMed files of these records, in order."""
    for i, parts in enumerate(files):
        write_file(base / "pubmed" / f"file-{i}.xml", pubmed_file(parts))


def reasons(folder):
    return [(row["doc_id"], row["reason"]) for row in rejects_of(folder)]


# --- which record counts

claims = st.lists(st.tuples(st.integers(1, 3), st.booleans()), max_size=12)


def fates(claims):
    """The definition, one record at a time: what each becomes, and which deletions are idle."""
    deleted, idle = set(), 0
    for place, (version, deletes) in enumerate(claims):
        if deletes:
            earlier = {i for i in range(place) if claims[i] == (version, False)} - deleted
            idle += not earlier
            deleted |= earlier
    alive = {i for i, (_, deletes) in enumerate(claims) if not deletes} - deleted
    winner = max(alive, key=lambda i: (claims[i][0], i), default=None)
    return winner, deleted, alive - {winner}, idle


@given(claims)
def test_a_deletion_applies_to_what_precedes_it_and_the_last_of_the_highest_version_wins(claims):
    judged = judge_versions(claims)
    fate = judged.winner, set(judged.deleted), set(judged.superseded), judged.idle_deletions
    assert fate == fates(claims)


@given(claims)
def test_every_record_has_exactly_one_fate(claims):
    judged = judge_versions(claims)
    winner = [] if judged.winner is None else [judged.winner]
    records = [i for i, (_, deletes) in enumerate(claims) if not deletes]
    assert sorted([*judged.deleted, *judged.superseded, *winner]) == records


events = st.tuples(st.sampled_from("123"), st.integers(1, 2), st.booleans())


@settings(max_examples=15)
@given(st.lists(st.lists(events, max_size=5), min_size=1, max_size=4), st.integers(1, 2000))
def test_files_are_judged_as_one_sequence_however_they_are_partitioned(files, partition_bytes):
    with TemporaryDirectory() as folder:
        base = Path(folder)
        parts = [
            [deletion(k, v) if d else Record(k, f"{i}.{j}", version=v) for j, (k, v, d) in events]
            for i, events in enumerate(map(list, map(enumerate, files)))
        ]
        write(base, *parts)
        tally, out = run(base, partition_bytes=partition_bytes)
        kept, rejected = table_of(out), Counter(reasons(out))
    titled = [(k, f"{i}.{j}", v, d) for i, f in enumerate(files) for j, (k, v, d) in enumerate(f)]
    wanted, lost, idle = [], Counter(), 0
    for key in "123":
        of_key = [event for event in titled if event[0] == key]
        winner, deleted, superseded, idled = fates([(v, d) for _, _, v, d in of_key])
        wanted += [(key, of_key[winner][1])] if winner is not None else []
        lost[f"pubmed:{key}", "deleted"] += len(deleted)
        lost[f"pubmed:{key}", "superseded"] += len(superseded)
        idle += idled
    assert sorted((row["pmid"], row["title"]) for row in kept) == wanted
    assert rejected == +lost
    assert tally.counts.get("deletions_without_record", 0) == idle
    assert tally.balances


def test_the_later_file_wins_and_the_earlier_record_becomes_a_reject(tmp_path):
    write(tmp_path, [Record("7", "Old")], [Record("7", "New")])
    tally, out = run(tmp_path)
    assert [row["title"] for row in table_of(out)] == ["New"]
    [row] = rejects_of(out)
    assert (row["doc_id"], row["reason"], row["stage"]) == ("pubmed:7", "superseded", "extract")
    assert (tally.read, tally.kept, tally.rejected) == (2, 1, {"superseded": 1})


def test_the_later_record_of_one_file_wins(tmp_path):
    write(tmp_path, [Record("7", "Old"), Record("7", "New")])
    _, out = run(tmp_path)
    assert [row["title"] for row in table_of(out)] == ["New"]


def test_a_higher_version_wins_wherever_it_stands_and_the_reject_names_both(tmp_path):
    write(tmp_path, [Record("7", "Second", version=2)], [Record("7", "First", version=1)])
    _, out = run(tmp_path)
    assert [row["title"] for row in table_of(out)] == ["Second"]
    [row] = rejects_of(out)
    assert (row["reason"], row["observed"], row["limit"]) == ("superseded", 1, 2)


def test_files_count_in_the_order_of_their_names_not_of_their_writing(tmp_path):
    write_file(tmp_path / "pubmed" / "b.xml", pubmed_file([Record("7", "Named later")]))
    write_file(tmp_path / "pubmed" / "a.xml", pubmed_file([Record("7", "Written later")]))
    _, out = run(tmp_path)
    assert [row["title"] for row in table_of(out)] == ["Named later"]


def test_a_record_after_its_deletion_stays(tmp_path):
    write(tmp_path, [Record("7", "First")], [deletion("7")], [Record("7", "Again")])
    tally, out = run(tmp_path)
    assert [row["title"] for row in table_of(out)] == ["Again"]
    assert reasons(out) == [("pubmed:7", "deleted")]
    assert tally.counts["deletions"] == 1


def test_deletions_of_what_was_never_there_are_counted_and_lose_nothing(tmp_path):
    write(tmp_path, [Record("7", "Stays"), deletion("8"), deletion("7", version=2)])
    tally, out = run(tmp_path)
    assert [row["pmid"] for row in table_of(out)] == ["7"]
    assert (tally.counts["deletions"], tally.counts["deletions_without_record"]) == (2, 2)


def test_one_identifier_in_two_sources_is_two_documents(tmp_path):
    write(tmp_path, [Record("7", "Here")])
    write_file(tmp_path / "other" / "file.xml", pubmed_file([Record("7", "There")]))
    other = SourceConfig(kind="pubmed", folder="other", files="*")
    _, out = run(tmp_path, pubmed=PUBMED, other=other)
    assert {row["doc_id"] for row in table_of(out)} == {"pubmed:7", "other:7"}


def test_two_documents_with_one_uid_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(extract_papers, "uid_of", lambda _doc_id: 99)
    write(tmp_path, [Record("7"), Record("8")])
    with pytest.raises(ContractError, match=r"share uid 99: .* \[\(0, 0\), \(0, 1\)\]"):
        run(tmp_path)


# --- damage

GOOD = [Record("1", "One"), Record("2", "Two")]
BROKEN = "<PubmedArticle><MedlineCitation><PMID>3</PMID><oops></MedlineCitation></PubmedArticle>"


def test_a_broken_record_is_a_reject_and_its_neighbours_stay(tmp_path):
    content = pubmed_file([GOOD[0], BROKEN, GOOD[1]])
    write_file(tmp_path / "pubmed" / "a.xml", content)
    tally, out = run(tmp_path)
    assert [row["pmid"] for row in table_of(out)] == ["1", "2"]
    key = f"pubmed:a.xml@{content.index(BROKEN.encode())}"
    assert reasons(out) == [(key, "unreadable")]
    assert (tally.read, tally.kept, tally.rejected) == (3, 2, {"unreadable": 1})


def test_a_record_without_an_identifier_is_a_reject_that_quotes_its_title(tmp_path):
    write(tmp_path, [*GOOD, Record("", "Nameless")])
    _, out = run(tmp_path)
    [row] = rejects_of(out)
    assert row["reason"] == "no_identifier"
    assert "'Nameless'" in row["detail"]
    assert len(table_of(out)) == 2


def test_a_gzip_file_cut_short_gives_what_precedes_the_cut_and_says_so(tmp_path):
    whole = gzip.compress(pubmed_file(paper(i) for i in range(1, 41)), mtime=0)
    path = tmp_path / "pubmed" / "a.xml.gz"
    path.parent.mkdir()
    path.write_bytes(whole[: len(whole) // 2])
    write_file(tmp_path / "pubmed" / "b.xml", pubmed_file([Record("99", "After")]))
    tally, out = run(tmp_path)
    pmids = [row["pmid"] for row in table_of(out)]
    assert pmids == [*(str(i) for i in range(1, len(pmids))), "99"]
    assert len(pmids) > 10
    [row] = rejects_of(out)
    assert row["reason"] == "truncated"
    assert (
        f"a.xml.gz ends inside the compressed stream, at byte {len(whole) // 2:,}"
        in (row["detail"])
    )
    assert tally.balances


@pytest.mark.parametrize("content", [b"", b"a page that says: 404 not found"])
def test_a_file_that_is_not_pubmed_is_a_reject_that_shows_its_beginning(tmp_path, content):
    write(tmp_path, GOOD)
    (tmp_path / "pubmed" / "z.xml").write_bytes(content)
    tally, out = run(tmp_path)
    [row] = rejects_of(out)
    assert (row["doc_id"], row["reason"]) == ("pubmed:z.xml@0", "unreadable")
    assert ("404" if content else "the file is empty") in row["detail"]
    assert (tally.read, tally.kept) == (3, 2)


def test_a_source_in_which_nothing_can_be_read_is_all_rejects(tmp_path):
    (tmp_path / "pubmed").mkdir()
    (tmp_path / "pubmed" / "a.xml").write_bytes(b"")
    tally, out = run(tmp_path)
    assert table_of(out) == []
    assert (tally.read, tally.kept, tally.rejected) == (1, 0, {"unreadable": 1})


# --- partitions


def test_partitions_change_the_layout_and_nothing_else(tmp_path):
    papers = [paper(i, sentences=2) for i in range(1, 13)]
    update = replace(papers[0], title="Updated")
    write(tmp_path, papers[:5], [*papers[5:], BROKEN, deletion("3")], [update])
    first = (tmp_path / "pubmed" / "file-0.xml").stat().st_size
    layouts = []
    for size in (1, first + 1, 10**9):
        tally, out = run(tmp_path, f"out-{size}", partition_bytes=size)
        rows = sorted(table_of(out), key=lambda row: row["doc_id"])
        parts = len(list((out / TABLE).iterdir()))
        layouts.append((rows, sorted(reasons(out)), tally.read, tally.kept, parts))
    assert [parts for *_, parts in layouts] == [3, 2, 1]
    assert layouts[0][:-1] == layouts[1][:-1] == layouts[2][:-1]
    assert layouts[0][2:4] == (14, 11)


def test_a_partition_that_loses_nothing_is_the_parsed_file_itself(tmp_path):
    write(tmp_path, [Record("1"), Record("2")], [Record("1"), Record("3")])
    _, out = run(tmp_path)
    same = [
        (out / TABLE / f"part-0000{i}.parquet").samefile(
            out / SCRATCH / "parsed" / f"part-0000{i}.parquet"
        )
        for i in range(2)
    ]
    assert same == [False, True]


def test_more_records_than_a_batch_are_all_read(tmp_path, monkeypatch):
    monkeypatch.setattr(extract_papers, "BATCH", 3)
    write(tmp_path, [Record(str(i), f"Title {i}") for i in range(1, 11)], [Record("4", "Later")])
    _, out = run(tmp_path)
    titles = {row["pmid"]: row["title"] for row in table_of(out)}
    assert titles == {str(i): f"Title {i}" for i in range(1, 11)} | {"4": "Later"}


def test_claims_of_many_ranges_are_judged_like_those_of_one(tmp_path, monkeypatch):
    first = [paper(i, sentences=1) for i in range(1, 21)]
    write(tmp_path, first, [replace(record, title="Later") for record in first[::3]])
    _, one = run(tmp_path, "one")
    monkeypatch.setattr(extract, "CLAIMS_PER_RANGE", 3)
    _, many = run(tmp_path, "many")
    assert len(list((many / SCRATCH / "losers").iterdir())) == 1 + 27 // 3
    assert table_of(many) == table_of(one)
    assert rejects_of(many) == rejects_of(one)


# --- rows


def test_a_row_carries_identity_and_the_digest_of_its_record(tmp_path):
    write(tmp_path, [paper(7)])
    _, out = run(tmp_path)
    [row] = table_of(out)
    assert (row["uid"], row["doc_id"], row["source"]) == (uid_of("pubmed:7"), "pubmed:7", "pubmed")
    assert (row["title"], row["abstract"]) == (paper(7).title, paper(7).abstract)
    assert (row["year"], row["venue"]) == (paper(7).year, "Annals of Tests")
    write(tmp_path, [replace(paper(7), title="Another")])
    _, other = run(tmp_path, "other")
    assert table_of(other)[0]["record_digest"] != row["record_digest"]


def test_the_licence_of_the_source_is_for_records_that_state_none(tmp_path):
    cc_by = "https://creativecommons.org/licenses/by/4.0/"
    for key, licence in (("PMC1", cc_by), ("PMC2", None)):
        article = Record(key, "A title", "An abstract.", licence=licence)
        write_file(tmp_path / "pmc" / f"{key}.nxml", jats_file(article))
    source = SourceConfig(kind="jats", folder="pmc", files="*.nxml", licence="CC0-1.0")
    _, out = run(tmp_path, pmc=source)
    stated = {row["pmcid"]: (row["licence"], row["licence_stated"]) for row in table_of(out)}
    assert stated == {"PMC1": ("CC-BY-4.0", "article"), "PMC2": ("CC0-1.0", "source")}


def test_without_any_licence_none_is_stated(tmp_path):
    write(tmp_path, [paper(7)])
    _, out = run(tmp_path)
    [row] = table_of(out)
    assert (row["licence"], row["licence_stated"]) == (None, None)


# --- what cannot be run


def test_a_missing_folder_stops_with_its_path(tmp_path):
    with pytest.raises(SourceError, match=f"source pubmed: {tmp_path}/pubmed is not a folder"):
        run(tmp_path)


def test_a_folder_without_a_matching_file_says_how_many_others_there_are(tmp_path):
    write_file(tmp_path / "pubmed" / "a.txt", b"")
    with pytest.raises(SourceError, match=r"no file in .*/pubmed matches '\*.xml\*' \(1 other"):
        run(tmp_path)


@pytest.mark.parametrize("where", [{}, {"folder": "a", "fetched": "b"}])
def test_a_source_is_in_a_folder_or_fetched_but_not_both(where):
    with pytest.raises(ValueError, match="either folder or fetched"):
        SourceConfig(kind="pubmed", files="*", **where)


@pytest.mark.parametrize("name", ["a:b", "a b", "", "-", "a/b"])
def test_a_source_name_that_would_spoil_doc_ids_is_refused(name):
    with pytest.raises(ValueError, match=f"source name {name!r} may hold"):
        ExtractConfig(sources={name: PUBMED})


# --- what decides the fingerprint


def evidence(base):
    return extract.evidence(ExtractConfig(sources={"pubmed": PUBMED}), base)


def test_evidence_names_each_file_with_its_size_and_digest(tmp_path):
    """Golden values. If this fails, every corpus is made again: raise extract's version."""
    write_file(tmp_path / "pubmed" / "a.xml", b"abc")
    assert evidence(tmp_path) == [["pubmed", "a.xml", 3, "e788ec89c0489acb"]]


@pytest.mark.parametrize("place", [0, 100_000, 199_999])
def test_a_changed_byte_at_either_end_of_a_file_changes_the_evidence(tmp_path, place):
    content = bytearray(200_000)
    path = write_file(tmp_path / "pubmed" / "a.xml", bytes(content))
    before = evidence(tmp_path)
    content[place] = 1
    path.write_bytes(bytes(content))
    # The middle of a large plain file is not looked at, as the docstring of `evidence` says.
    assert (evidence(tmp_path) == before) is (place == 100_000)


def test_a_renamed_file_changes_the_evidence(tmp_path):
    path = write_file(tmp_path / "pubmed" / "a.xml", b"abc")
    before = evidence(tmp_path)
    path.rename(path.with_name("b.xml"))
    assert evidence(tmp_path) != before


def test_a_file_moved_to_another_folder_changes_the_evidence(tmp_path):
    nested = {"pubmed": SourceConfig(kind="pubmed", folder="pubmed", files="**/*.xml")}
    path = write_file(tmp_path / "pubmed" / "one" / "a.xml", b"abc")
    before = extract.evidence(ExtractConfig(sources=nested), tmp_path)
    path.parent.rename(tmp_path / "pubmed" / "two")
    assert extract.evidence(ExtractConfig(sources=nested), tmp_path) != before


def test_pieces_of_xml_and_records_make_the_same_file():
    assert pubmed_file([pubmed_record(GOOD[0])]) == pubmed_file([GOOD[0]])
