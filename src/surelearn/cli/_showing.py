"""Text from files on the terminal: names and claims cannot command it."""

from rich.markup import escape

from surelearn._wording import printable


def shown(text: object) -> str:
    r"""Return a text for Rich that is shown as it is: no markup, no escape sequences.

    Examples
    --------
    >>> print(shown("a [red] " + chr(27) + "fox"))
    a \[red] \x1bfox
    """
    return escape(printable(str(text)))
