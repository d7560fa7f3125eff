"""Machine learning that states its guarantee."""

import lazy_loader

__version__ = "0.1.0"

_load, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> object:
    """Load what is asked for; for a name that is misspelt, say which one may be meant."""
    try:
        return _load(name)
    except AttributeError:
        if name in __all__:
            raise
    from difflib import get_close_matches  # noqa: PLC0415 - importing us should take no time

    near = get_close_matches(name, __all__, n=3)
    hint = f"; did you mean {', '.join(near)}?" if near else ""
    raise AttributeError(f"module 'surelearn' has no attribute {name!r}{hint}")
