"""What the report page shows: the figures of the ledger, and nothing from elsewhere."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from corpora import finish, prose, write_corpus
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models

import corpusforge
from corpusforge.formats.atomic import write_atomic
from corpusforge.formats.shard_folder import read_description
from corpusforge.pipeline.ledger import ledger
from corpusforge.pipeline.plan import open_plan
from corpusforge.pipeline.report import CURVE_HEIGHT, CURVE_WIDTH, loss_curve, write_report
from corpusforge.stages.tokenizer_diagnostics import DIAGNOSTICS, read_diagnostics


class Page(HTMLParser):
    """The cells of each table row, and every attribute that could fetch something."""

    def __init__(self, html):
        super().__init__()
        self.rows, self.links, self._in_cell = [], [], False
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        if tag == "tr":
            self.rows.append([])
        self._in_cell = tag in ("td", "th")
        if self._in_cell:
            self.rows[-1].append("")
        self.links += [v for k, v in attributes if k in ("src", "href", "data", "xlink:href")]

    def handle_data(self, data):
        if self._in_cell:
            self.rows[-1][-1] += data.strip()


def report(plan):
    return write_report(plan).read_text()


@pytest.fixture(scope="module")
def html(finished):
    return report(finished)


def rows_named(html, name):
    return [row for row in Page(html).rows if row and row[0] == name]


def test_the_ledger_of_the_page_is_the_ledger(finished, html):
    for entry in ledger(finished):
        row = next(row for row in rows_named(html, entry.stage) if len(row) == 7)
        numbers = (entry.tally.read, entry.tally.kept, entry.tally.total_rejected)
        assert row[1:4] == [f"{n:,}" if entry.tally.read else "" for n in numbers]
        assert row[6] == entry.verdict


def test_every_reason_has_its_count_and_its_share(finished, html):
    for entry in ledger(finished):
        for reason, count in entry.tally.rejected.items():
            [row] = rows_named(html, reason)
            assert row[1:3] == [str(count), f"{100 * count / entry.tally.read:.2f} %"]


def test_documents_are_counted_by_source_content_and_decade(finished, html):
    kept = ledger(finished)[2].tally.kept
    assert rows_named(html, "pmc")[0][1] == rows_named(html, "full_text")[0][1] == "1"
    assert rows_named(html, "pubmed")[0][1] == rows_named(html, "abstract")[0][1] == str(kept - 1)
    decades = [row for row in Page(html).rows if row and re.fullmatch(r"\d{3}0s", row[0])]
    assert [row[0] for row in decades] == ["1980s", "1990s", "2000s", "2010s"]
    assert sum(int(row[1]) for row in decades) == kept


def test_splits_have_their_documents_and_tokens(finished, html):
    counts = ledger(finished)[-1].tally.counts
    for name in ("train", "valid", "test"):
        [row] = rows_named(html, name)
        assert row[1:] == [
            f"{counts.get(f'{name}_documents', 0):,} documents",
            f"{counts.get(f'{name}_tokens', 0):,} tokens",
        ]


def test_tokens_are_those_that_training_reads_and_say_what_encoded_them(tmp_path):
    words = Tokenizer(models.WordLevel({"<|endoftext|>": 0, "?": 1}, unk_token="?"))
    words.save(str(tmp_path / "words.json"))
    stages = {
        "tokenizer": {"from": "words.json", "diagnostics": None},
        "shards": {"mixture": {"parts": {"pubmed": {"epochs": 2}}}},
    }
    plan = finish(write_corpus(tmp_path, documents=9, stages=stages))
    train = read_description(plan.step("shards").folder).splits["train"]
    html = report(plan)
    [row] = rows_named(html, "train")
    assert row[1:] == [f"{train.documents:,} documents", f"{train.tokens:,} tokens"]
    assert train.documents > ledger(plan)[-1].tally.kept
    assert "With a mixture by source: a document that training reads several times" in html
    assert "does not cover this tokenizer: its model is WordLevel, not BPE." in html


def test_duplicates_are_told_with_the_recall_of_the_bands(html):
    assert "share one of 20 bands of 6 MinHash values" in html
    [row] = rows_named(html, "chance that it is compared")
    # 1 - (1 - s**6)**20 of s = 0.5, 0.6, 0.7, 0.8, 0.9, worked out by hand.
    assert row[1:] == ["0.270", "0.615", "0.918", "0.998", "1.000"]
    assert re.search(r"2 pairs were compared and\s+2 verified", html)


def test_benchmarks_have_their_counts_where_some_were_looked_for(tmp_path, html):
    assert "Benchmarks" not in html
    (tmp_path / "exams.jsonl").write_text(
        f'{{"question": "{prose("0 7")}"}}\n{{"question": "What?"}}\n'
    )
    wanted = {"benchmarks": {"<exams>": {"file": "exams.jsonl"}}}
    pipeline = write_corpus(tmp_path, documents=9, stages={"dedup": {"decontaminate": wanted}})
    html = report(finish(pipeline, until="dedup"))
    [row] = rows_named(html, "<exams>")
    assert row[1:] == ["2", "1", "0", "1", "1", f"{len(prose('0 7')) - 1:,}"]
    assert "13 words in a row of an item, or with all words of a shorter one, are\nrejected" in html
    assert rows_named(html, "contaminated")[0][1] == "1"


def test_the_tokenizer_is_shown_beside_the_one_it_is_compared_with(finished, html):
    found = read_diagnostics(finished.step("tokenizer").folder / DIAGNOSTICS)
    own, other = ([s for s in found.spellings if s.tokenizer == name] for name in ("this", "gpt2"))
    told = [row for row in Page(html).rows if row and re.match(r"(source|language|kind): ", row[0])]
    spelled = [(a, b) for a, b in zip(own[1:], other[1:], strict=True) if a.tokens]
    assert found.documents > 0
    here, there = found.vocabularies
    assert f"Of the {here.entries:,} entries {here.unused:,} do not occur" in html
    assert f"of GPT-2's {there.entries:,} it is {there.unused:,}." in html
    assert [row[:4] for row in told] == [
        [
            f"{a.group}: {a.name}",
            f"{a.bytes:,}",
            f"{a.bytes_per_token:.3f}",
            f"{b.bytes_per_token:.3f}",
        ]
        for a, b in spelled
    ]


def test_the_page_needs_nothing_but_itself(html):
    assert Page(html).links == []
    assert not re.search(r"https?://|@import|url\(|<script", html)
    assert f"corpusforge {corpusforge.__version__}" in html


def test_the_page_goes_beside_the_results(finished):
    assert write_report(finished) == finished.output / "report.html"


def test_names_cannot_break_the_page(finished):
    output = finished.output.with_name("<b>&bold")
    html = report(replace(finished, output=output))
    assert "Corpus &lt;b&gt;&amp;bold" in html


def test_a_page_can_be_made_before_anything_has_run(tmp_path):
    html = report(open_plan(write_corpus(tmp_path, documents=5)))
    assert [row[6] for row in Page(html).rows if len(row) == 7][1:] == ["not run"] * 6
    assert "Not run yet." in html
    assert "Not made yet." in html
    assert "<h2>Tokenizer</h2>" not in html


def test_a_page_made_in_the_middle_shows_what_is_there(tmp_path):
    html = report(finish(write_corpus(tmp_path, documents=6), until="clean"))
    verdicts = [row[6] for row in Page(html).rows if len(row) == 7][1:]
    assert verdicts == ["complete", "balanced", "balanced"] + ["not run"] * 3


def test_a_trained_model_is_shown_with_its_losses(tmp_path):
    plan = open_plan(write_corpus(tmp_path, documents=5))
    log = [{"step": 1, "loss": 8.0}, {"step": 2, "validation": 7}, {"step": 3, "loss": 6.5}]
    done = {
        "steps": 3,
        "parameters": 12345,
        "validation": {"loss": 6.4321, "bits_per_byte": 2.5},
        "unigram": {"loss": 7.25},
    }
    lines = b"".join(json.dumps(entry).encode() + b"\n" for entry in log)
    write_atomic(plan.train_folder / "log.jsonl", lines)
    assert 'points="0,0 640,200"' in report(plan)
    assert "Not run yet." not in report(plan)
    write_atomic(plan.train_folder / "DONE", json.dumps(done).encode())
    html = report(plan)
    assert "3 steps, 12,345 parameters" in html
    for figure in ("6.432", "2.500", "7.250"):
        assert figure in html


# --- the curve

losses = st.lists(st.floats(-1e6, 1e6), max_size=20)


@given(losses)
def test_a_curve_has_a_point_per_loss_and_stays_in_its_frame(losses):
    points = loss_curve([(10 * i, loss) for i, loss in enumerate(losses)]).split()
    assert len(points) == (len(losses) if len(losses) > 1 else 0)
    places = [tuple(map(float, point.split(","))) for point in points]
    assert all(0 <= x <= CURVE_WIDTH and 0 <= y <= CURVE_HEIGHT for x, y in places)
    assert places == sorted(places, key=lambda place: place[0])


def test_a_lower_loss_is_lower_on_the_page():
    points = loss_curve([(0, 3.0), (5, 2.5), (10, 1.0)])
    assert points == "0,0 320,50 640,200"


@pytest.mark.parametrize("points", [[], [(1, 2.0)]])
def test_fewer_than_two_losses_are_no_curve(points):
    assert loss_curve(points) == ""


def test_a_loss_that_never_changes_is_a_level_line():
    assert loss_curve([(1, 2.0), (2, 2.0)]) == "0,0 640,0"
