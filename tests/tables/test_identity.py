"""What names a document."""

from hypothesis import given
from hypothesis import strategies as st

from corpusforge.tables.identity import uid_of

names = st.text(st.characters(exclude_categories=["Cs"]))


@given(st.lists(names, unique=True))
def test_different_documents_have_different_uids_of_64_bits(doc_ids):
    uids = {uid_of(doc_id) for doc_id in doc_ids}
    assert len(uids) == len(doc_ids)
    assert all(0 <= uid < 2**64 for uid in uids)


def test_uids_of_published_corpora_stay_as_they_are():
    """Golden values. If this fails, every table of every corpus has to be made again."""
    assert uid_of("pubmed:399296") == 17264476249756324570
    assert uid_of("") == 0x2D06800538D394C2  # XXH3's published value of the empty input
    assert uid_of("jats:PMC7") == 5121963859391446864
    assert uid_of("arxiv:1702.01819é") == 12181338555286591183
