"""A finished corpus for the tests that only look at one."""

import pytest
from corpora import finish, write_corpus


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """The plan of a corpus that has run to its end. Shared: copy it before changing a file."""
    return finish(write_corpus(tmp_path_factory.mktemp("finished"), documents=40))
