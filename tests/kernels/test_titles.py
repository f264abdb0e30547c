"""Titles: what makes two of them one, which name no work, and how alike two are."""

import unicodedata
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.kernels.titles import folded, plain_title, title_key, title_likeness
from corpusforge.sources.delimited import read_rows

WORDS = st.lists(st.text("abcdeé1", min_size=1, max_size=6), max_size=6).map(" ".join)
TITLES = st.lists(
    st.sampled_from(
        ["a ", "$", "\\alpha", "\\'e", "{", "}", "_2", "<i>", "</i>", "&amp;", "ß", "é"]
    )
    | st.characters(),
    max_size=12,
).map("".join)

# Every line holds one title in several dresses.
SAME = [
    (r"The $\beta$-sheet of M\"{o}bius", "the β-sheet of Möbius", "The beta sheet of MOBIUS."),
    (r"L\'evy processes in intera\c{c}\~ao", "Lévy Processes in Interação", "Levy processes"
     " in interacao"),
    (r"Vop\v{e}nka and Erd\H{o}s on \^{\i}les", "Vopěnka and Erdős on îles"),
    (r"\O re and \ae gir", "Øre and Ægir", "ore and aegir"),
    ("CO<sub>2</sub> and <i>E. coli</i>", "CO₂ and E. coli", "CO$_2$ and {\\it E. coli}"),
    ("Of <sup>13</sup>C &amp; others", "Of ¹³C & others", "Of $^{13}$C others"),
    (r"CH$_\text{3}$I and {\bf b}", "CH3I and b"),
    (r"On $\mathcal{O}(N)$ and $\varepsilon_1$", "On O(N) and ϵ1", "On O(N) and epsilon1"),
    (r"Solving $k\cdot p$ in $\log n$", "Solving k p in log n"),
    ("Line one<br/>line two", "Line one line two"),
    ("Straße", "STRASSE"),
    ("At 5 \u3392 and 20 \u2103", "At 5 MHz and 20 \N{DEGREE SIGN}C"),
    ("Efﬁcient", "Efficient"),
    ("Οδύσσεια", "ΟΔΥΣΣΕΙΑ"),
]  # fmt: skip
# Pairs that no dress explains.
DIFFERENT = [
    ("Spectra of β decay", "Spectra of δ decay"),
    ("Lectures, part 1", "Lectures, part 2"),
    ("Universal in (< lambda)-stable groups", "Universal in stable groups"),
    ("H2O", "H3O"),
    ("深度学习", "机器学习"),
    ("Correction: on groups", "On groups"),
    ("50% of all", "of all"),
]


@pytest.mark.parametrize(
    ("a", "b"), [(titles[0], other) for titles in SAME for other in titles[1:]]
)
def test_a_title_is_the_same_in_any_markup(a, b):
    assert plain_title(a) == plain_title(b)


@pytest.mark.parametrize(("a", "b"), DIFFERENT)
def test_letters_and_digits_of_any_script_tell_titles_apart(a, b):
    assert plain_title(a) != plain_title(b)


@given(TITLES)
def test_what_is_plain_stays_as_it_is(title):
    plain = plain_title(title)
    assert plain_title(plain) == plain
    assert folded(plain) == plain


@given(st.text())
def test_folding_does_not_depend_on_the_form_of_the_accents(text):
    composed = unicodedata.normalize("NFC", text)
    assert folded(composed) == folded(unicodedata.normalize("NFD", text))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("The t-test revisited", "t test Revisited"),
        ("A COVID-19 cohort study", "COVID 19 Cohort Study"),
        ("Deep sets for physicists (Preprint)", "Deep Sets for Physicists"),
        ("Deep sets for physicists [Extended Abstract].", "Deep sets for physicists"),
        ("An Algebra of Boxes (Extended Version)", "Algebra of boxes"),
    ],
)
def test_article_blanks_and_the_kind_of_copy_are_not_in_the_key(a, b):
    assert title_key(a) == title_key(b) is not None


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Global carbon budget 2021", "Global carbon budget 2022"),
        ("Erratum: Muon colliders", "Muon colliders"),
        ("Graph minors. IV", "Graph minors. V"),
        ("Muon colliders (extended)", "Muon colliders"),
        ("Analysis of Variance", "The variance of an analysis"),
    ],
)
def test_years_numbers_and_errata_are_in_the_key(a, b):
    assert title_key(a) != title_key(b)


@pytest.mark.parametrize(
    "title",
    [
        *("Editorial", "Guest Editorial", "Introduction", "Erratum", "Errata.", "Corrigendum"),
        *("Book review", "Book Reviews", "Letter to the editor", "Letters to the Editors"),
        *(
            "In this issue",
            "Preface",
            "Foreword",
            "Authors' reply",
            "Reply",
            "Rejoinder",
            "Comment",
        ),
        *("Introduction to the special issue", "Editor's note", "Expression of Concern"),
        *("Message from the President", "Index", "Table of contents", "Front matter", "Obituary"),
        *("Department of Error.", "Case for diagnosis.", "In memoriam", "Title page", "Untitled"),
        *("Vorwort", "Buchbesprechungen", "Éditorial", "Avant-propos", "Introducción", "Reseña"),
        *(
            "Chapter 4",
            "Volume 12, Number 3",
            "Part II",
            "Abstracts, 14th annual meeting",
            "2013",
            "Vol. 2013, No. 12345, pages 1001-1020",
        ),
        *("Session XIV: posters", "January 2004", "", "...", "$x^2$", "Lead", "XML schema", "注"),
    ],
)
def test_a_title_that_names_no_work_has_no_key(title):
    assert title_key(title) is None


@pytest.mark.parametrize(
    "title",
    ["Muon Colliders", "Quantum diffusion", "Kielland's forceps", "Book review as a genre of prose",
     "Lead poisoning", "深度学习综述", "Сверхпроводимость", "Editorial bias in Nature"],
)  # fmt: skip
def test_a_short_title_that_names_its_work_has_a_key(title):
    assert title_key(title) is not None


def dice(a, b):
    """Shared trigrams of words with a blank around them, over all: slow and obvious."""
    one, other = (
        {f" {word} "[i : i + 3] for word in plain_title(t).split() for i in range(len(word))}
        for t in (a, b)
    )
    return 2 * len(one & other) / max(len(one) + len(other), 1)


@given(WORDS, WORDS)
def test_likeness_is_the_dice_coefficient_of_trigrams_within_words(a, b):
    assert title_likeness(a, b) == pytest.approx(dice(a, b))
    assert title_likeness(a, b) == title_likeness(b, a)
    assert 0 <= title_likeness(a, b) <= 1


@given(WORDS, st.randoms())
def test_the_order_of_words_does_not_matter(title, random):
    words = title.split()
    shuffled = " ".join(random.sample(words, len(words)))
    assert title_likeness(title, shuffled) == (1.0 if words else 0.0)


def test_a_typing_error_leaves_titles_alike_and_another_subject_does_not():
    title = "Efficient optimistic concurrency control using loosely synchronized clocks"
    wrong = title.replace("optimistic", "optimsitic")
    other = "A query language for multidimensional arrays"
    assert title_likeness(title, wrong) > 0.9
    assert title_likeness(title, other) < 0.3


@pytest.mark.parametrize(("a", "b"), [("", ""), ("", "A title"), ("?", "!")])
def test_a_title_without_words_is_like_none(a, b):
    assert title_likeness(a, b) == 0.0


def test_no_two_papers_of_a_real_table_are_one_by_their_titles_alone(real_data):
    """Titles that several papers have are of series and comments, and there are few of them."""
    path = real_data / "bench" / "arxiv" / "q-fin.TR.tsv.xz"
    titles = {row.values["arxiv_id"]: row.values["title"] for row in read_rows(path)}
    keys = Counter(filter(None, map(title_key, titles.values())))
    assert len(titles) > 500
    assert sum(count - 1 for count in keys.values()) < len(titles) / 100
