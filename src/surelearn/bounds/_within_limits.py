"""Evaluating a theorem on numbers that may be forged: never for long, never in gigabytes.

Small numbers are evaluated at once. Large ones, with which a theorem could be busy for hours, are
evaluated by a process of their own that has a limit on its time and memory.
"""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, cast

from surelearn import bounds

_SMALL_NUMBER = 1e5
_SMALL_LIST = 100_000
_SECONDS = 20
_BYTES = 4 * 2**30  # of address space, most of which is never touched


def state_within_limits(theorem: str, inputs: Mapping[str, Any]) -> bounds.Guarantee:
    """Return what a theorem says of these inputs, or raise ValueError if it takes too long.

    Examples
    --------
    >>> state_within_limits("mistakes.halving", {"n_experts": 8}).bound
    3.0
    """
    if _is_small(inputs):
        return bounds.state(theorem, inputs)
    bounds.find(theorem)  # refuses an unknown name without a process
    command = [sys.executable, "-c", f"from {__name__} import answer; answer()"]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    environment["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
    try:
        done = subprocess.run(  # noqa: S603 - this interpreter, this file
            command,
            input=json.dumps([theorem, dict(inputs)]),
            capture_output=True,
            text=True,
            timeout=_SECONDS + 10,
            env=environment,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise ValueError(_too_long(theorem)) from None
    if done.returncode != 0:
        raise ValueError(_too_long(theorem))
    answered: dict[str, Any] = json.loads(done.stdout)
    if "refused" in answered:
        raise ValueError(answered["refused"])
    answered["inputs"] = inputs
    return bounds.Guarantee(**answered)


def answer() -> None:
    """Evaluate what the standard input asks for, within limits; answer on the standard output."""
    _limit()
    theorem, inputs = json.load(sys.stdin)
    try:
        said = asdict(bounds.state(theorem, inputs)) | {"inputs": {}}
    except Exception as error:  # noqa: BLE001 - whatever forged numbers make a theorem do
        said = {"refused": str(error) or type(error).__name__}
    sys.stdout.write(json.dumps(said))


def _limit() -> None:
    try:
        import resource  # noqa: PLC0415 - Unix has it
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (_BYTES, _BYTES))


def _too_long(theorem: str) -> str:
    return (
        f"{theorem} would take more than {_SECONDS} seconds or {_BYTES // 2**30} GB for these "
        "numbers, so they were not evaluated"
    )


def _is_small(value: Any, *, listed: bool = False) -> bool:
    """Return whether no theorem can be busy with it for long; in a list, only counts are sizes."""
    if isinstance(value, Mapping):
        return all(_is_small(each) for each in cast("Mapping[str, Any]", value).values())
    if isinstance(value, list | tuple):
        each = cast("list[Any]", value)
        return len(each) <= _SMALL_LIST and all(_is_small(one, listed=True) for one in each)
    if isinstance(value, int):
        return abs(value) <= _SMALL_NUMBER
    return not isinstance(value, float) or listed or not abs(value) > _SMALL_NUMBER
