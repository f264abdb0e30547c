"""Files of every kind of source, as large as asked for: a few records, again and again.

Records are real where CORPUSFORGE_DATA has some of that kind, and made of words that mean nothing
where they are easily made. A file of a kind of which there is neither is not made.
"""

import json
import lzma
import os
import tarfile
from hashlib import md5
from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq
from bench_readers import openalex_work

from corpusforge.sources.answers import Answer, Request
from corpusforge.sources.landing_file import Landed, member_bytes
from corpusforge.sources.streams import read_stream

DATA = Path(os.environ.get("CORPUSFORGE_DATA", Path(__file__).parents[2] / "shared" / "data"))
WORDS = ["".join(Random(i).choices("abcdefghiklmnoprstuv", k=2 + i % 9)) for i in range(20_000)]
RECORDS = range(1, 401)
# What `xz -9` asks the reader for; with the other settings of `xz -0`, which is fast.
XZ = [{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 64 << 20}]


def prose(number, words=2000):
    return " ".join(Random(number).choices(WORDS, k=words))


def repeated(path, size, once, before=b"", after=b""):
    """A file of `size` bytes or a little less, of the same bytes again and again."""
    times = max(1, (size - len(before) - len(after)) // len(once))
    with path.open("wb") as file:
        file.write(before)
        for _ in range(times):
            file.write(once)
        file.write(after)


def lines(path, size, records):
    repeated(path, size, b"".join(record.strip() + b"\n" for record in records))


def page(path, size, records, before=b'{"results": [', after=b"]}"):
    once = b", ".join(records)
    repeated(path, size, once + b", ", before, once + after)


def element(path, size, once, before, after):
    repeated(path, size, once.encode(), before.encode(), after.encode())


def answers(path, size, body_of, url):
    """A landing file; readers leave out copies, so every answer is another."""
    with path.open("wb") as file:
        for number in range(1, 1_000_000):
            body = json.dumps(body_of(number)).encode()
            landed = Landed(Request(url, (("n", str(number)),)), Answer(200, {}, body))
            file.write(member_bytes(landed, 0))
            if file.tell() > size:
                return


def core_member(number, directory=""):
    """One record of a CORE dump, as a member of its archive; and what its manifest says of it."""
    text = prose(number)
    record = {"coreId": str(number), "title": text[:60], "abstract": text[:900], "fullText": text}
    return member(f"{directory}{number}.json", json.dumps(record).encode())


def member(name, content):
    info = tarfile.TarInfo(name)
    info.size = len(content)
    header = info.tobuf(tarfile.GNU_FORMAT)
    promise = (
        f'<rs:md hash="md5:{md5(content).hexdigest()}" length="{len(content)}" path="{name}"/>'
    )
    return header + content + bytes(-len(content) % 512), promise.encode()


def core_provider(path, size, listed=0, numbers=RECORDS):
    """A provider's `.tar.xz` with its manifest first.

    xz streams stand one after the other: the members are compressed once. The manifest lists up
    to `listed` records more than there are, which the reader tells as lost.
    """
    members, promises = zip(*map(core_member, numbers), strict=True)
    entries = [*promises, *(b'<rs:md length="9" path="/%d.json"/>' % -n for n in range(listed))]
    first = lzma.compress(member("manifest.xml", b"<urlset>" + b"\n".join(entries))[0], filters=XZ)
    once = lzma.compress(b"".join(members), filters=XZ)
    repeated(path, size, once, first, lzma.compress(bytes(1024)))


def table(path, size, delimiter, names, rows):
    rows = [delimiter.join(f'"{value}"' for value in row) for row in rows]
    before = delimiter.join(names) + "\n"
    repeated(path, size, ("\n".join(rows) + "\n").encode(), before.encode())


def parquet(path, size, names, rows):
    """As large as the other formats would be, before Parquet compresses it."""
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    whole = pa.table(columns)
    with pq.ParquetWriter(path, whole.schema) as file:
        for _ in range(max(1, size // whole.nbytes)):
            file.write_table(whole)


def real(name):
    """The lines of a real file, none if it is not there."""
    path = DATA / name
    if not path.is_file():
        return []
    whole = b"".join(read_stream(path))
    return [line for line in whole.split(b"\n") if line.strip()]


def made_up():
    """(kind, maker of a file at a path of a size) of what needs no real file."""
    texts = {number: prose(number) for number in RECORDS}
    names = ["key", "heading", "summary"]
    rows = [(str(n), t[:60], t) for n, t in texts.items()]
    works = [openalex_work(number) for number in RECORDS]
    core = [json.dumps({"coreId": str(n), "title": t[:60], "fullText": t}).encode()
            for n, t in texts.items()]  # fmt: skip
    named = [json.dumps(dict(zip(names, row, strict=True))).encode() for row in rows]
    yield "aminer", lines, [json.dumps({"id": f"a{n}", "title": t[:60], "abstract": t}).encode()
                            for n, t in texts.items()]  # fmt: skip
    yield "core-2018", lines, core
    yield "core-2020", core_provider
    yield "core-pages", page, core
    yield "openalex", lines, works
    yield "openalex-pages", page, works
    yield "pes2o", lines, [json.dumps({"id": n, "text": f"{t[:60]}\n{t}"}).encode()
                           for n, t in texts.items()]  # fmt: skip
    yield "mapped json", lines, named
    yield "mapped csv", table, ",", names, rows
    yield "mapped parquet", parquet, names, rows
    yield "core", answers, lambda n: {"id": n, "title": "T", "fullText": prose(n)}, "https://core"
    yield "crossref-api", answers, crossref_page, "https://crossref"
    yield "openalex-api", answers, openalex_page, "https://openalex"
    yield "scopus", answers, scopus_page, "https://scopus"
    article = "".join(
        f'<PubmedArticle><MedlineCitation><PMID Version="1">{n}</PMID><Article><ArticleTitle>'
        f"{t[:60]}</ArticleTitle><Abstract><AbstractText>{t[:2000]}</AbstractText></Abstract>"
        f"</Article></MedlineCitation></PubmedArticle>\n"
        for n, t in texts.items()
    )
    yield "pubmed", element, article, "<PubmedArticleSet>\n", "</PubmedArticleSet>\n"
    paragraphs = "".join(f"<p>{text}</p>\n" for text in texts.values())
    head = (
        '<article><front><article-meta><article-id pub-id-type="pmc">PMC1</article-id>'
        "<title-group><article-title>T</article-title></title-group></article-meta></front>"
        "<body><sec><title>S</title>"
    )
    yield "jats", element, paragraphs, head, "</sec></body></article>"
    head = (
        '<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt><title>T</title>'
        "</titleStmt></fileDesc></teiHeader><text><body><div>"
    )
    yield "tei", element, paragraphs, head, "</div></body></text></TEI>"
    paper = "".join(
        f'<paper id="{n}"><title>{t[:60]}</title><abstract>{t[:2000]}</abstract></paper>\n'
        for n, t in texts.items()
    )
    head, tail = '<collection id="S16"><volume id="1">\n', "</volume></collection>"
    yield "acl", element, paper, head, tail


def crossref_page(number):
    numbers = range(number * 25, number * 25 + 25)
    items = [{"DOI": f"10.5555/{n}", "title": ["T"], "abstract": prose(n, 200)} for n in numbers]
    message = {"total-results": 9999, "items": items}
    return {"status": "ok", "message-type": "work-list", "message": message}


def openalex_page(number):
    works = [json.loads(openalex_work(n)) for n in range(number * 25, number * 25 + 25)]
    return {"meta": {"count": 9999, "next_cursor": None}, "results": works}


def scopus_page(number):
    entries = [
        {
            "dc:identifier": f"SCOPUS_ID:{number * 25 + i}",
            "eid": f"2-s2.0-{number * 25 + i}",
            "dc:title": "T",
            "dc:description": prose(number * 25 + i, words=200),
        }
        for i in range(25)
    ]
    return {"search-results": {"opensearch:totalResults": "9999", "entry": entries}}


def of_samples():
    """The same of what has real records."""
    s2 = real("samples/s2/s2orc_2020_metadata_sample.jsonl")
    crossref = real("samples/crossref/crossref-works.2018-01-21.badsample.json")
    yield "arxiv", lines, real("samples/arxiv/kaggle_arxiv-metadata-oai-snapshot.head.jsonl")
    yield "crossref", lines, crossref
    yield "crossref-pages", page, crossref, b'{"items": ['
    yield "mag", lines, real("samples/oag/mag_paper.jsonl")
    yield "s2orc", lines, real("samples/s2/s2orc_20200705_18980380.json")
    yield "semantic-scholar", lines, s2
    yield "semantic-scholar-pages", page, s2, b'{"data": ['
    yield "unarxive", lines, real("samples/unarxive/arXiv_src_2212_086.head.jsonl")
    names, *rows = real("bench/arxiv/q-fin.EC.tsv.xz") or [b""]
    if rows:
        whole = b"\n".join(rows) + b"\n"
        yield "arxiv-table", lambda path, size: repeated(path, size, whole, names + b"\n")


def makers():
    """Kind, with the format for "mapped", to what makes a file of it: called with path and size."""
    found = {}
    for kind, make, *more in (*made_up(), *of_samples()):
        if not more or more[0]:
            found[kind] = lambda path, size, make=make, more=more: make(path, size, *more)
    return found


def dump_of(provider_files, path):
    """An outer archive of the files of providers."""
    with path.open("wb") as dump:
        for number, file in enumerate(provider_files, start=1):
            info = tarfile.TarInfo(f"{number}.tar.xz")
            info.size = file.stat().st_size
            dump.write(info.tobuf(tarfile.GNU_FORMAT))
            with file.open("rb") as content:
                while block := content.read(1 << 20):
                    dump.write(block)
            dump.write(bytes(-info.size % 512))
        dump.write(bytes(1024))


def empty_provider():
    """A provider of which CORE has nothing: a manifest that lists none."""
    return lzma.compress(member("manifest.xml", b"<urlset/>")[0] + bytes(1024))
