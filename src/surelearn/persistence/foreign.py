"""What fitted scikit-learn transformers look like: compiled code of theirs reads these arrays."""

from typing import Any

FOREIGN: dict[str, dict[str, Any]] = {}
