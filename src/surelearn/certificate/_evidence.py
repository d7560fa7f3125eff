"""What is known of an assumption in one run: a status and the reason for it."""

from typing import Literal, NamedTuple

Status = Literal["checked", "by-construction", "assumed", "violated"]


class Evidence(NamedTuple):
    """The status of one assumption and the text that says why.

    Examples
    --------
    >>> checked("the longest row has norm 2").status
    'checked'
    """

    status: Status
    text: str = ""


def checked(text: str) -> Evidence:
    """Return evidence that the assumption was verified on this run.

    Examples
    --------
    >>> checked("all labels are 0 or 1")
    Evidence(status='checked', text='all labels are 0 or 1')
    """
    return Evidence("checked", text)


def by_construction(text: str) -> Evidence:
    """Return evidence that the program makes the assumption true on every path.

    Examples
    --------
    >>> by_construction("the weights start at 0").status
    'by-construction'
    """
    return Evidence("by-construction", text)


def assumed(text: str = "") -> Evidence:
    """Return evidence that nothing was verified, with what the reader should keep in mind.

    Examples
    --------
    >>> assumed("cannot be verified from the data").status
    'assumed'
    """
    return Evidence("assumed", text)


def violated(text: str) -> Evidence:
    """Return evidence that the assumption is false in this run: the certificate is void.

    Examples
    --------
    >>> violated("a callback stopped the run").status
    'violated'
    """
    return Evidence("violated", text)


def verified(holds: bool, text: str) -> Evidence:  # noqa: FBT001 - the one thing it is asked
    """Return `checked` if the assumption holds and `violated` if it does not.

    Examples
    --------
    >>> verified(3 > 2, "the shortest row has norm 3").status
    'checked'
    """
    return checked(text) if holds else violated(text)
