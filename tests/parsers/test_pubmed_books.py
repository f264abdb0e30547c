"""What a PubMed record of a book or a chapter becomes."""

from corpusforge.parsers.pubmed import parse_article

BOOK = (
    "<Book><BookTitle>Reviews of tests</BookTitle><PubDate><Year>1993</Year></PubDate>"
    "<AuthorList Type='editors'><Author><LastName>Editor</LastName></Author></AuthorList></Book>"
)


def book(inner):
    document = f"<BookDocument><PMID>42</PMID>{BOOK}{inner}</BookDocument>"
    return parse_article(f"<PubmedBookArticle>{document}</PubmedBookArticle>".encode())


def test_a_chapter_has_its_own_title_and_the_book_as_venue():
    authors = "<AuthorList Type='authors'><Author><LastName>Writer</LastName></Author></AuthorList>"
    ids = "<ArticleIdList><ArticleId IdType='doi'>10.1000/Ch</ArticleId></ArticleIdList>"
    abstract = "<Abstract><AbstractText>Text.</AbstractText></Abstract>"
    chapter = book(f"{ids}<ArticleTitle>One test</ArticleTitle>{authors}{abstract}")
    assert (chapter.title, chapter.venue) == ("One test", "Reviews of tests")
    assert (chapter.authors, chapter.abstract, chapter.year) == (("Writer",), "Text.", 1993)
    assert chapter.doi == "10.1000/ch"


def test_a_whole_book_has_its_own_title():
    assert (book("").title, book("").venue, book("").authors) == ("Reviews of tests", None, ())
