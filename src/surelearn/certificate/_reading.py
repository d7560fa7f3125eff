"""Reading a certificate that may be forged: each value is looked at before it is used."""

import json
import math
from collections.abc import Iterable, Mapping
from typing import Any, cast

SCHEMAS = (1, 2, 3)
"""The first lacks keys of preconditions; the third fixes what a hold-out must list."""

_TEXTS = (
    *("claim", "kind", "subject", "quantity", "validity", "method", "theorem", "reference"),
    *("formula", "direction"),
)
_NUMBERS = ("bound", "observed", "trivial")
_LEDGER = {"holdout": str, "mode": str, "n_models": int, "delta_spent": float, "query": int}
_STORED_TEXTS = ("model", "data", "table", "class")
_STORED_TABLES = ("inputs", "options", "versions")
_KINDS = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    list: "a list",
    dict: "a table of names",
}
_OF_SOME_SIZE = (str, list, dict)
_WORDS = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}
_DEEPEST = 12  # lists in lists; a certificate of ours has five
_LONGEST = 10_000  # characters of a text
_MOST_CONDITIONS = 1_000


def parse(text: str) -> dict[str, Any]:
    """Return the content of a certificate with every value of its own type, or raise ValueError.

    Examples
    --------
    >>> parse('{"schema": 2}')
    Traceback (most recent call last):
        ...
    ValueError: this is not a certificate of surelearn: it lacks 'status'
    """
    content = parse_json(text)
    if not isinstance(content, dict):
        raise ValueError(  # noqa: TRY004 - a file is at fault, not a caller
            f"this is not a certificate of surelearn: it is {_brief(content)}"
        )
    for name in ("schema", "status"):
        if name not in content:
            raise ValueError(f"this is not a certificate of surelearn: it lacks {name!r}")
    schema = content["schema"]
    if type(schema) is not int or schema not in SCHEMAS:
        raise ValueError(
            f"the certificate has schema {_brief(schema)}, this version reads up to {SCHEMAS[-1]}: "
            "install the version of surelearn that wrote it"
        )
    try:
        return _checked(content)
    except KeyError as error:
        raise ValueError(f"the certificate is damaged: it lacks {error}") from None
    except ValueError as error:
        raise ValueError(f"the certificate is damaged: {error}") from None


def restored(value: Any) -> Any:
    """Return stored inputs with the words for infinities and NaN as numbers again.

    Examples
    --------
    >>> restored({"C": "inf", "n": 3, "rates": [0.5, "-inf"]})
    {'C': inf, 'n': 3, 'rates': [0.5, -inf]}
    """
    if isinstance(value, str):
        return _WORDS.get(value, value)
    if isinstance(value, Mapping):
        return {key: restored(each) for key, each in cast("Mapping[str, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [restored(each) for each in cast("list[Any]", value)]
    return value


def parse_json(text: str, *, what: str = "a certificate of surelearn") -> Any:
    """Return what a text of JSON holds, or refuse what readers would not agree on.

    Parameters
    ----------
    text
        The text.
    what
        What it should be, in words.

    Examples
    --------
    >>> parse_json('{"bound": 0.1, "bound": 0.2}')
    Traceback (most recent call last):
    ValueError: this is not a certificate of surelearn: 'bound' stands in it twice
    """
    try:
        content = json.loads(
            text,
            object_pairs_hook=_without_duplicates,
            parse_constant=_refuse_constant,
            parse_float=_finite,
        )
        _refuse_size(content)
    except RecursionError:
        raise ValueError(f"this is not {what}: it is nested too deeply") from None
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise ValueError(f"this is not {what}: it is not JSON ({where})") from None
    except ValueError as error:
        raise ValueError(f"this is not {what}: {error}") from None
    return content


def _without_duplicates(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"{_brief(key)} stands in it twice")
        found[key] = value
    return found


def _refuse_constant(word: str) -> Any:
    raise ValueError(f"{word} is no number of JSON")


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError(f"the number {text[:20]} is too large")
    return value


def _refuse_size(content: Any) -> None:
    """Refuse lists in lists in lists ..., and texts that nobody reads and patterns are slow on."""
    level: list[Any] = [content]
    for _ in range(_DEEPEST):
        nested: list[Any] = []
        for value in level:
            if isinstance(value, dict):
                table = cast("dict[str, Any]", value)
                nested.extend((*table, *table.values()))
            elif isinstance(value, list):
                nested.extend(v for v in cast("list[Any]", value) if isinstance(v, _OF_SOME_SIZE))
            elif isinstance(value, str) and len(value) > _LONGEST:
                raise ValueError(
                    f"it holds a text of {len(value):,} characters, and {_LONGEST:,} are the most"
                )
        level = nested
    if level:
        raise ValueError("it is nested too deeply")


def _checked(content: dict[str, Any]) -> dict[str, Any]:
    """Return the content if each of its values is of its type."""
    for name in (*_TEXTS, "status"):
        _typed(name, content[name], str)
    numbers: dict[str, float | None] = {name: _number(name, content[name]) for name in _NUMBERS}
    n = _typed("n", content["n"], int)
    if n < 0:
        raise ValueError(f"its n is {_brief(n)}, not a number of examples")
    delta = content["delta"]
    numbers["delta"] = delta if delta is None else _number("delta", delta)
    _check_conditions(content["preconditions"], keyed=content["schema"] != 1)
    if content["family"] is not None:
        _check_ledger(content["family"])
    _check_stored(_typed("reproduce", content["reproduce"], dict))
    return {**content, **numbers}


def _check_conditions(conditions: Any, *, keyed: bool) -> None:
    names = {"name", "status", "evidence", *(["key"] if keyed else [])}
    if len(_typed("preconditions", conditions, list)) > _MOST_CONDITIONS:
        raise ValueError(
            f"it has {len(conditions):,} preconditions, and {_MOST_CONDITIONS:,} are the most"
        )
    for condition in conditions:
        if set(_typed("precondition", condition, dict)) != names:
            raise ValueError(f"a precondition has {sorted(condition)}, not {sorted(names)}")
        for name, value in condition.items():
            _typed(f"{name} of a precondition", value, str)


def _check_ledger(entry: Any) -> None:
    if set(_typed("family", entry, dict)) != set(_LEDGER):
        raise ValueError(f"its ledger entry has {sorted(entry)}, not {sorted(_LEDGER)}")
    for name, kind in _LEDGER.items():
        if kind is float and not isinstance(entry[name], str):
            _number(name, entry[name])
        else:
            _typed(name, entry[name], kind)


def _check_stored(stored: dict[str, Any]) -> None:
    """Refuse what is stored to do it again, where it is of another type than this library's."""
    for name in _STORED_TEXTS:
        _typed(name, stored.get(name, ""), str)
    for name in _STORED_TABLES:
        _typed(name, stored.get(name, {}), dict)
    for name, version in stored.get("versions", {}).items():
        _typed(f"version of {name}", version, str)
    for model in _typed("models", stored.get("models", []), list):
        _typed("model", model, str)
    _typed("n_to_halve_slack", stored.get("n_to_halve_slack", 0), int)
    if "loss_range" in stored:
        ends = _typed("loss_range", stored["loss_range"], list)
        if len(ends) != 2 or not _number("loss_range", ends[0]) <= _number("loss_range", ends[1]):
            raise ValueError(f"its loss_range is {_brief(ends)}, not a smallest and a largest loss")


def _typed(name: str, value: Any, kind: type) -> Any:
    if type(value) is not kind:  # a truth value is no count
        raise ValueError(f"its {name} is {_brief(value)}, not {_KINDS[kind]}")
    return value


def _number(name: str, value: Any) -> float:
    if isinstance(value, str) and value in _WORDS:
        return _WORDS[value]
    if type(value) not in {int, float}:
        raise ValueError(f"its {name} is {_brief(value)}, not a number")
    try:
        return float(value)
    except OverflowError:
        raise ValueError(f"its {name} is too large a number") from None


def _brief(value: Any) -> str:
    """Return a value of JSON so that it fits into a sentence."""
    if isinstance(value, dict | list):
        return f"a list or table of {len(cast('list[Any]', value))} values"
    if type(value) is int and abs(value) > 10**18:
        return "a huge whole number"
    shown = repr(value)
    return shown if len(shown) <= 60 else f"{shown[:60]}…"
