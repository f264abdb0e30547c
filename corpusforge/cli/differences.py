"""How two texts differ, on a terminal in colours and elsewhere in brackets."""

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from corpusforge.pipeline.diff import Change, edits
from corpusforge.pipeline.duplicates import Family

CONTEXT = 60  # characters around what differs


def print_changes(doc_id: str, changes: Sequence[Change], console: Console) -> None:
    """What clean did to a document, rule by rule."""
    if not changes:
        console.print(f"{doc_id}: clean changed nothing", markup=False, highlight=False)
    for change in changes:
        console.print(f"{change.rule}: {change.part}", style="bold", highlight=False)
        _print_difference(change.before, change.after, console)


def print_family(found: Family, console: Console) -> None:
    """The kept document, and how each of its copies differs from it."""
    since = "" if found.text is not None else " since an earlier run"
    heading = f"{found.kept} is kept{since}; removed for it: {len(found.copies):,}"
    console.print(heading, style="bold", highlight=False, markup=False)
    for other in found.neighbours:
        console.print(f"  {other} is in its cluster and kept too", markup=False, highlight=False)
    for copy in found.copies:
        limit = "of an earlier run" if copy.limit is None else f"limit {copy.limit:.4g}"
        told = f"{copy.doc_id}  {copy.reason} {copy.similarity:.4g} ({limit})"
        console.print(told, style="bold", highlight=False, markup=False)
        if found.text is not None and copy.text is not None:  # an index remembers no texts
            _print_difference(found.text, copy.text, console)


def _print_difference(before: str, after: str, console: Console) -> None:
    """What only the first has in red or [-so-], what only the second has in green or {+so+}."""
    coloured, plain = Text("  "), "  "
    for edit in edits(before, after):
        kept = _shortened(edit.kept)
        coloured.append(kept)
        coloured.append(edit.removed, style="red strike")
        coloured.append(edit.added, style="green")
        plain += kept + (f"[-{edit.removed}-]" if edit.removed else "")
        plain += f"{{+{edit.added}+}}" if edit.added else ""
    # Texts have things like [email] in them, which are no markup.
    told = coloured if console.is_terminal else plain
    console.print(told, soft_wrap=True, markup=False, highlight=False)


def _shortened(text: str) -> str:
    """Both ends of a text that is only there to show where something stands."""
    if len(text) <= 2 * CONTEXT:
        return text
    return f"{text[:CONTEXT]} \u2026 {text[-CONTEXT:]}"
