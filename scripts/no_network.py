"""The built documentation needs no network: the build fails if a page would load something."""

import re
from pathlib import Path
from typing import Any

_LOADS = re.compile(
    r"(?:<(?:script|link|img|iframe)\b[^>]*\s(?:src|href)=|url\(|@import\s)"
    r"\s*[\"']?(?:https?:)?//[^\s\"')>]+"
)


def loads(text: str) -> list[str]:
    """Return what a page, a style sheet or a drawing loads from another host.

    Links that wait for a reader are no loads.
    """
    return _LOADS.findall(text)


def on_post_build(config: Any) -> None:
    """Read all files that can load others (called by MkDocs)."""
    for path in sorted(Path(config.site_dir).rglob("*")):
        if path.suffix in {".html", ".css", ".svg"}:
            found = loads(path.read_text(encoding="utf-8"))
            if found:
                raise ValueError(f"{path} loads from the network: {found[0]}")
