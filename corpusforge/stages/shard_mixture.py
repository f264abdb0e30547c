"""A mixture: how often training reads each group of documents, as it is asked for.

A group gets epochs, a budget of tokens, or a weight. Weighted groups share `tokens`, or as much as
they have together, in the proportion of their weights. A group that is not named is read once.
More than four times is refused unless it is wished for: up to four epochs are nearly as good as
new text, and beyond that they are worth less and less (Muennighoff et al., arXiv:2305.16264).
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated

from msgspec import Meta, Struct

from corpusforge.errors import ConfigError, RunError
from corpusforge.tables.schemas import PROVENANCE

# Columns of provenance that have a value per document, or none that stands for a group.
_NO_GROUPS = ("uid", "doc_id", "start", "tokens", "doi", "cluster", "text_bytes", "text_digest")
GROUPED_BY = tuple(n for n in PROVENANCE.names if n not in (*_NO_GROUPS, "pass"))


class Part(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How much of one group is read: one of the three."""

    epochs: Annotated[
        Annotated[float, Meta(ge=0)] | None, Meta(description="How often, such as 2 or 0.5.")
    ] = None
    tokens: Annotated[Annotated[int, Meta(ge=0)] | None, Meta(description="How many.")] = None
    weight: Annotated[
        Annotated[float, Meta(gt=0)] | None,
        Meta(description="Its share, beside those of other weighted groups."),
    ] = None

    def __post_init__(self) -> None:
        given = [name for name in self.__struct_fields__ if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(
                f"a part has {' and '.join(given) or 'nothing'}; expected one of epochs, tokens, "
                f"weight"
            )


class MixtureConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What training reads more often, less often, or not at all."""

    by: Annotated[str, Meta(description=f"Column of provenance: {', '.join(GROUPED_BY)}.")] = (
        "source"
    )
    parts: Annotated[
        dict[str, Part],
        Meta(description="By group, such as a source; `unknown` where the column has nothing."),
    ]
    tokens: Annotated[
        Annotated[int, Meta(ge=1)] | None,
        Meta(description="Of all weighted groups; what they have together without it."),
    ] = None
    max_epochs: Annotated[
        float, Meta(gt=0, description="More often than this no group is read.")
    ] = 4.0

    def __post_init__(self) -> None:
        if self.by not in GROUPED_BY:
            raise ValueError(f"by: {self.by} - expected one of {', '.join(GROUPED_BY)}")
        if self.tokens is not None and all(p.weight is None for p in self.parts.values()):
            raise ValueError(f"tokens={self.tokens} is for weighted groups, but no part has weight")


def budgets(mixture: MixtureConfig, held: Mapping[str, int]) -> dict[str, int]:
    """The tokens that are read of each group.

    Args:
        mixture: What is asked for.
        held: Tokens that each group has in train.

    Raises:
        ConfigError: A part names a group that the corpus does not have.
        RunError: A group would be read more often than `max_epochs`.
    """
    for name in mixture.parts:
        if not held.get(name):
            there = ", ".join(sorted(held)) or "none"
            raise ConfigError(
                f"mixture.parts.{name}: no document of train has {mixture.by} {name}; there are "
                f"{there}. Take the part out or correct its name"
            )
    weights = {n: _exact(p.weight) for n, p in mixture.parts.items() if p.weight is not None}
    shared = mixture.tokens or sum(held[name] for name in weights)
    whole = sum(weights.values())
    wanted = dict(held)
    for name, part in mixture.parts.items():
        if part.weight is not None:
            wanted[name] = int(shared * weights[name] / whole)
        elif part.tokens is not None:
            wanted[name] = part.tokens
        elif part.epochs is not None:
            wanted[name] = int(_exact(part.epochs) * held[name])
        if wanted[name] > _exact(mixture.max_epochs) * held[name]:
            raise RunError(
                f"mixture.parts.{name} asks for {wanted[name]:,} tokens, but {mixture.by} {name} "
                f"has {held[name]:,} in train: that is {wanted[name] / held[name]:.2f} epochs, "
                f"more than max_epochs={mixture.max_epochs:g}. Ask for less, or raise max_epochs"
            )
    return wanted


def _exact(number: float) -> Fraction:
    """A number as it is written: 0.6 of 5 tokens are 3, though the float is a little less."""
    return Fraction(str(number))
