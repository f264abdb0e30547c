"""Formulas of real papers: how many of each source's are in the text that a corpus gets.

They are counted in the files without the parsers: MathML and TeX of XML (of alternatives one),
keys of unarXive, pairs of dollars of arXiv's abstracts. TeX is in the text if its characters are,
without white space; MathML if a formula there has the same letters, digits and Greek letters. The
text is title, abstract and body by the usual policy, which leaves out tables, references and
sub-articles: formulas there are counted apart, as are those outside of the text that is asked for.

    CORPUSFORGE_DATA=… python benchmarks/check_formulas.py
"""

import csv
import gzip
import json
import lzma
import os
import re
import unicodedata
from collections import Counter
from pathlib import Path

from lxml import etree

from corpusforge.kernels.marks import REFERENCE, SUB_ARTICLE, TABLE
from corpusforge.kernels.structure import restructure
from corpusforge.parsers.arxiv import parse_arxiv_row
from corpusforge.parsers.jats import parse_jats
from corpusforge.parsers.pubmed import parse_article
from corpusforge.parsers.pubmed_records import Kind, split_records
from corpusforge.parsers.unarxive import parse_unarxive
from corpusforge.sources.streams import read_stream
from corpusforge.sources.tar_stream import read_members

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("CORPUSFORGE_DATA", ROOT.parent / "shared" / "data"))
SHOWN = 3  # lost formulas of a source
POLICY = REFERENCE + TABLE + SUB_ARTICLE
# What holds a formula that is not asked for, from the inside out.
APART = {"table-wrap": "tables", "table": "tables", "ref-list": "references"}
APART |= {"sub-article": "sub-articles", "response": "sub-articles"}
ASKED = {"body", "back", "floats-group", "title-group", "abstract"}
HIDDEN = {"annotation", "annotation-xml", "mphantom"}
FUNCTIONS = {"sin", "cos", "tan", "cot", "sinh", "cosh", "tanh", "log", "ln", "exp", "lim", "max"}
FUNCTIONS |= {"min", "arg", "sup", "inf", "det", "dim", "arccos", "arcsin", "arctan", "Pr", "deg"}
GREEK = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho"
GREEK_NAMES = {*GREEK.split(), "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega"}
COMMAND = re.compile(r"\\(?:var)?([A-Za-z]+)")
ENVIRONMENT = re.compile(r"\\(?:begin|end)\{(?:equation|aligned|align|eqnarray)\*?\}")
TEX_DOCUMENT = re.compile(r"\\begin\{document\}(.*)\\end\{document\}", re.S)


def local(node):
    return node.tag.rpartition("}")[2].rpartition(":")[2] if isinstance(node.tag, str) else ""


def squeezed(text):
    """Without white space, and without what says how equations are set."""
    return "".join(ENVIRONMENT.sub("", text).split())


def letters(text):
    """Its letters and digits, and the names of its Greek letters."""
    for mark in unicodedata.normalize("NFKC", text):
        words = unicodedata.name(mark, "").lower().replace("lamda", "lambda").split()
        if mark.isascii() and mark.isalnum():
            yield mark
        elif words[:1] == ["greek"]:
            name = next((word for word in words if word in GREEK_NAMES), "")
            yield name.capitalize() if "capital" in words else name


def letters_of_mathml(math):
    """In alphabetical order, without the names of functions, which are commands of TeX."""
    found = []
    for node in math.iter():
        if local(node) not in ("mi", "mn", "mo", "mtext", "ms"):
            continue
        if any(local(above) in HIDDEN for above in node.iterancestors()):
            continue
        text = "".join(node.itertext()).strip()
        if not (text in FUNCTIONS and local(node) in ("mi", "mo")):
            found += letters(text)
    return tuple(sorted(filter(None, found)))


def letters_of_tex(tex):
    tex = re.sub(r"\\(?:begin|end)\{\w+\}", " ", tex).replace("\\ell", "l")
    greek = [name for name in COMMAND.findall(tex) if name.lower() in GREEK_NAMES]
    return tuple(sorted(filter(None, [*greek, *letters(COMMAND.sub(" ", tex))])))


class Tally:
    """What happened to the formulas of one source."""

    def __init__(self, name):
        self.name = name
        self.documents = 0
        self.found = Counter()  # where they stand
        self.kept = 0
        self.lost = []

    def add(self, where, kept, shown):
        self.found[where] += 1
        if where == "text":
            self.kept += kept
            if not kept:
                self.lost.append(shown)

    def row(self):
        asked = self.found["text"]
        share = f"{self.kept / asked:.4f}" if asked else "-"
        apart = [f"{self.found[name]:>10,}" for name in ("tables", "references", "sub-articles")]
        return (
            f"{self.name:16} {self.documents:>9,} {self.found.total():>9,} {''.join(apart)} "
            f"{self.found['elsewhere']:>9,} {asked:>9,} {self.kept:>9,}  {share}"
        )


def formulas_of_xml(root):
    """Each formula once: (where it stands, its TeX or its MathML)."""
    for node in root.iter():
        name = local(node)
        if name not in ("math", "tex-math"):
            continue
        around = [local(above) for above in node.iterancestors()]
        if "math" in around:
            continue
        beside = {local(other) for other in node.getparent()}
        if name == "math" and "tex-math" in beside:
            continue  # the same formula as TeX
        kinds = {above.get("abstract-type") for above in node.iterancestors("{*}abstract")}
        asked = ASKED.intersection(around) and kinds <= {None}  # others are digests and the like
        where = next((APART[above] for above in around if above in APART), "text")
        yield where if asked or where != "text" else "elsewhere", node


def check_xml(tally, root, paper):
    text = "\n".join([paper.title, paper.abstract, restructure(paper.body, "keep", POLICY)[0]])
    segments = re.split(r"(?<!\\)\$+", text)
    keys = Counter(map(letters_of_tex, segments))
    flat = squeezed(text)
    tally.documents += 1
    for where, node in formulas_of_xml(root):
        if where != "text":
            tally.add(where, False, "")
        elif local(node) == "tex-math":
            source = "".join(node.itertext())
            found = TEX_DOCUMENT.search(source)
            tex = squeezed(found[1] if found else source).strip("$")
            tally.add(where, tex in flat, f"{paper.source_id}: {tex[:90]}")
        else:
            key = letters_of_mathml(node)
            tally.add(where, keys[key] > 0, f"{paper.source_id}: {' '.join(key)[:90]}")
            keys[key] -= 1


def check_jats(name, documents):
    tally = Tally(name)
    for document in documents:
        parser = etree.XMLParser(recover=True, remove_comments=True, remove_pis=True)
        check_xml(tally, etree.fromstring(document, parser), parse_jats(document))
    return tally


def check_pubmed(paths):
    tally = Tally("PubMed")
    for path in paths:
        for record in split_records([gzip.decompress(path.read_bytes())]):
            if record.kind is Kind.ARTICLE and b":math" in record.content:
                root = etree.fromstring(record.content, etree.XMLParser(recover=True))
                paper = parse_article(record.content)
                tally.documents += 1
                keys = Counter(map(letters_of_tex, re.split(r"\$+", paper.title + paper.abstract)))
                for node in root.iter("{*}math"):
                    around = {local(above) for above in node.iterancestors()}
                    where = "text" if around & {"ArticleTitle", "Abstract"} else "elsewhere"
                    key = letters_of_mathml(node)
                    tally.add(where, keys[key] > 0, f"{paper.pmid}: {key}")
                    keys[key] -= where == "text"
    return tally


def check_unarxive(paths):
    tally = Tally("unarXive")
    for line in (line for path in paths for line in path.read_bytes().splitlines()):
        record, text = json.loads(line), squeezed(parse_unarxive(line).body)
        tally.documents += 1
        for paragraph in record["body_text"]:
            for key in re.findall(r"\{\{formula:([\w-]+)\}\}", paragraph["text"]):
                tex = squeezed(record["ref_entries"].get(key, {}).get("latex") or "")
                if tex:
                    tally.add("text", tex in text, f"{record['paper_id']}: {tex[:90]}")
    return tally


def check_abstracts(paths):
    tally = Tally("arXiv abstracts")
    for path in paths:
        with lzma.open(path, "rt", encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file, delimiter="\t"):
                formulas = re.findall(r"\$[^$]+\$", row["abstract"])
                if formulas and (arxiv := row["arxiv_id"]):
                    text = squeezed(parse_arxiv_row(row).abstract)
                    tally.documents += 1
                    for formula in formulas:
                        tally.add("text", squeezed(formula) in text, f"{arxiv}: {formula[:90]}")
    return tally


def archived(path):
    for member in read_members(read_stream(path)):
        yield member.content.read(member.size)


def main():
    def files(pattern):
        return sorted(DATA.glob(pattern))

    def jats(name, pattern):
        return check_jats(name, (path.read_bytes() for path in files(pattern)))

    tallies = [
        *(check_jats("eLife", archived(path)) for path in files("bench/elife-jats.tar.zst")),
        jats("PLOS", "demo/plos_jats/*.xml"),
        jats("JOSE", "demo/jose_pdf_jats/*.jats"),
        jats("PMC", "samples/jats/*.nxml"),
        check_pubmed(
            [*files("samples/pubmed/*.gz"), *ROOT.glob("work/demo/fetch-*/files/*/pubmed2*.gz")]
        ),
        check_unarxive(files("demo/unarxive_jsonl/*.jsonl") + files("samples/unarxive/*.jsonl")),
        check_abstracts(files("bench/arxiv/*.tsv.xz")),
    ]
    print(f"{'':16} {'documents':>9} {'formulas':>9} {'tables':>10}{'references':>10}"
          f"{'sub-art.':>10} {'elsewhere':>9} {'asked for':>9} {'in text':>9}  share")  # fmt: skip
    for tally in tallies:
        print(tally.row())
    for tally in tallies:
        for lost in tally.lost[:SHOWN]:
            print(f"lost of {tally.name}: {lost}")


if __name__ == "__main__":
    main()
