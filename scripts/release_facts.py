"""What two releases are compared by: values as JSON, without paths, versions and hashes."""

import dataclasses
import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from scipy import sparse

import surelearn as sl

METHODS = (
    "apply",
    "decision_function",
    "kneighbors",
    "predict",
    "predict_log_proba",
    "predict_proba",
    "score_samples",
    "transform",
)
"""What a fitted model may say of rows."""

_NOT_COMPARED = {"seconds", "learner", "model", "models", "outer_models", "run", "metadata_routing"}
_STATEMENT = (
    "kind",
    "subject",
    "quantity",
    "bound",
    "observed",
    "trivial",
    "n",
    "delta",
    "validity",
    "method",
    "theorem",
    "reference",
    "formula",
    "direction",
    "status",
)
_GUARANTEE = ("quantity", "bound", "trivial", "reference", "confidence", "validity", "theorem")
_ASKED = {
    "attribute_errors": 1,
    "bayes_risk": 0.1,
    "best_loss": 3.0,
    "best_mistakes": 3,
    "comparator_loss": 1.0,
    "diameter": 10.0,
    "gaps": [0.0, 0.1, 0.2, 0.3],
    "gradient_norm": 2.0,
    "hinge_loss": 3.0,
    "input_norm": 4.0,
    "label_bound": 3.0,
    "margin": 0.1,
    "mean_losses": [0.2, 0.4, 0.6, 0.8],
    "n": 500,
    "n_experts": 4,
    "n_relevant": 2,
    "n_rounds": 100,
    "norm": 2.0,
    "prior": 0.25,
    "radius": 6.0,
    "sum_squared_scores": 5.0,
    "target_bound": 3.0,
}


class CannotBeComparedError(TypeError):
    """A value that has no description: an object with a life of its own."""


def describe(value: Any) -> Any:
    """Return a value as JSON, or raise `CannotBeComparedError`."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    for kinds, way in _WAYS:
        if isinstance(value, kinds):
            return way(value)
    if sparse.issparse(value):
        return {"sparse": describe(value.toarray())}
    if dataclasses.is_dataclass(value):
        return describe_result(value)
    raise CannotBeComparedError(f"{type(value).__name__} is not compared")


def _describe_array(value: Any) -> dict[str, Any]:
    cells = [describe(cell) for cell in value.ravel().tolist()]
    return {"array": value.dtype.kind, "shape": list(value.shape), "values": cells}


def describe_certificate(certificate: Any) -> dict[str, Any]:
    """Return all that a certificate states, less its fingerprints and versions."""
    stored = dict(certificate.reproduce)
    told = {name: describe(getattr(certificate, name)) for name in _STATEMENT}
    told["claim"] = certificate.claim
    told["preconditions"] = [[p.name, p.status, p.evidence] for p in certificate.preconditions]
    entry = certificate.family
    told["family"] = entry and [entry.mode, entry.n_models, entry.delta_spent, entry.query]
    for name in ("inputs", "loss_range", "n_to_halve_slack", "options"):
        told[name] = describe(stored.get(name))
    told["text"] = str(certificate)
    return told


def describe_guarantee(guarantee: Any) -> dict[str, Any]:
    """Return what a theorem says; its assumptions in order, with or without names."""
    assumes = guarantee.assumes
    phrases = list(assumes.values()) if isinstance(assumes, Mapping) else list(assumes)
    told = {name: describe(getattr(guarantee, name)) for name in _GUARANTEE}
    return {**told, "assumes": phrases, "inputs": describe(guarantee.inputs)}


def describe_result(result: Any, *, ending: str = "") -> dict[str, Any]:
    """Return the public attributes and properties of an object that can be compared."""
    told: dict[str, Any] = {}
    for name in sorted(dir(result)):
        if name.startswith("_") or name in _NOT_COMPARED or not name.endswith(ending):
            continue
        try:
            value = getattr(result, name)
            if not (ending and _is_record(value)):
                told[name] = describe(value)
        except (CannotBeComparedError, AttributeError, ValueError):
            continue
    return told


def _is_record(value: Any) -> bool:
    """Return whether a value is, or holds, a record with fields of its own: not for the public."""
    if isinstance(value, list | tuple):
        return hasattr(value, "_fields") or any(_is_record(part) for part in value)
    return dataclasses.is_dataclass(value)


def describe_model(model: Any, rows: Any) -> dict[str, Any]:
    """Return what a fitted model says of rows, of itself, and what it proves."""
    told: dict[str, Any] = {"attributes": describe_result(model, ending="_")}
    for method in METHODS:
        if hasattr(model, method):
            told[method] = attempt(lambda method=method: describe(getattr(model, method)(rows)))
    for method in ("to_text", "to_dot"):
        if hasattr(model, method):
            told[method] = attempt(getattr(model, method))
    told.update(describe_proofs(model))
    return told


def describe_proofs(learner: Any) -> dict[str, Any]:
    """Return the certificates of a learner, and its guarantee for numbers nobody can observe."""
    told: dict[str, Any] = {}
    if hasattr(learner, "certificates"):
        told["certificates"] = attempt(lambda: describe(learner.certificates()))
        told["certificates at 0.1"] = attempt(lambda: describe(learner.certificates(delta=0.1)))
    if hasattr(learner, "guarantee"):
        asked = inspect.signature(learner.guarantee).parameters
        given = {name: _ASKED[name] for name in asked if name in _ASKED}
        told["guarantee"] = attempt(lambda: describe(learner.guarantee(**given)))
    return told


def attempt(call: Callable[[], Any]) -> Any:
    """Return what a call gives, or the words in which it was refused."""
    try:
        return call()
    except Exception as error:  # noqa: BLE001 - a refusal is a result, too
        return {"refused": f"{type(error).__name__}: {error}"}


_WAYS: tuple[tuple[Any, Callable[[Any], Any]], ...] = (
    (np.generic, lambda value: describe(value.item())),
    (np.ndarray, _describe_array),
    (sl.Certificate, describe_certificate),
    (sl.Guarantee, describe_guarantee),
    (Mapping, lambda value: {str(key): describe(part) for key, part in value.items()}),
    ((list, tuple, set, frozenset), lambda value: [describe(part) for part in value]),
)


def differences(
    old: Any, new: Any, *, tolerance: float, path: tuple[str, ...] = ()
) -> Iterator[str]:
    """Yield a line for each place where two descriptions differ."""
    where = " / ".join(path)
    if isinstance(old, dict) and isinstance(new, dict):
        if "array" in old and "array" in new:
            yield from _of_arrays(old, new, tolerance, where)
            return
        for key in sorted(old.keys() | new.keys()):
            if key not in new or key not in old:
                yield f"{where} / {key}: only in the {'old' if key in old else 'new'} one"
            else:
                yield from differences(old[key], new[key], tolerance=tolerance, path=(*path, key))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for i, (a, b) in enumerate(zip(old, new, strict=True)):
            yield from differences(a, b, tolerance=tolerance, path=(*path, str(i)))
    elif not _same(old, new, tolerance):
        yield f"{where}: {_told(old, new)}"


def _of_arrays(
    old: dict[str, Any], new: dict[str, Any], tolerance: float, where: str
) -> Iterator[str]:
    """Compare arrays: labels exactly, floats relative to the largest of them."""
    if (old["array"], old["shape"]) != (new["array"], new["shape"]):
        before, after = ([told["array"], told["shape"]] for told in (old, new))
        yield f"{where}: kind and shape {before} -> {after}"
        return
    if old["array"] == "f":
        a, b = (np.asarray(told["values"], dtype=np.float64) for told in (old, new))
        scale = np.abs(a[np.isfinite(a)]).max(initial=0.0)
        with np.errstate(invalid="ignore"):
            off = ~((a == b) | (np.isnan(a) & np.isnan(b)) | (np.abs(a - b) <= tolerance * scale))
        if off.any():
            worst = np.nanmax(np.abs(a - b)[off]) / (scale or 1.0)
            yield f"{where}: {off.sum()} of {off.size} numbers, up to {worst:.1e} of the largest"
    elif old["values"] != new["values"]:
        n = sum(a != b for a, b in zip(old["values"], new["values"], strict=True))
        yield f"{where}: {n} of {len(old['values'])} values"


def _same(old: Any, new: Any, tolerance: float) -> bool:
    """Compare two leaves; a float may be rounded otherwise, anything else may not."""
    if isinstance(old, float) and isinstance(new, float):
        near = abs(old - new) <= tolerance * max(abs(old), abs(new))
        return old == new or near or (old != old and new != new)  # noqa: PLR0124 - NaN
    return type(old) is type(new) and old == new


def _told(old: Any, new: Any) -> str:
    """Return what was and what is; of long texts only what stands where they part."""
    texts, start = (str(old), str(new)), 0
    if isinstance(old, str) and isinstance(new, str):
        pairs = enumerate(zip(old, new, strict=False))
        start = next((i for i, (a, b) in pairs if a != b), min(map(len, texts)))
    before, after = (text[max(0, start - 30) : start + 150] for text in texts)
    return f"{before!r} -> {after!r}"
