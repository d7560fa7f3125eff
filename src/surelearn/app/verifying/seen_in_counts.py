"""What was observed, by theorems whose inputs are counts: rates, groups, ratios, tables.

The value is the estimate of what is bounded, or the number of wrong rows seen; the number of
examples is that of the rows, clusters or draws that count.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from surelearn._typing import Vector

Seen = tuple[float, int]


def seen_in_counts(theorem: str, inputs: Mapping[str, Any]) -> Seen | None:
    """Return the value and the number of examples; None of a theorem that is not known here.

    Examples
    --------
    >>> counted = {"true_positives": 90, "n_positive": 100, "delta": 0.05}
    >>> seen_in_counts("rates.sensitivity", counted)
    (0.9, 100)
    """
    if theorem in _SHARES:
        count, size = (inputs[name] for name in _SHARES[theorem])
        return (count / size, size) if size else None
    read = _OTHERS.get(theorem)
    return None if read is None else read(inputs)


def _f_score(inputs: Mapping[str, Any]) -> Seen | None:
    square = float(inputs.get("beta", 1.0)) ** 2
    found, alarms = inputs["true_positives"], inputs["false_positives"]
    missed = inputs["false_negatives"]
    rows = found + alarms + missed
    if not rows:
        return None
    return (1.0 + square) * found / ((1.0 + square) * found + square * missed + alarms), rows


def _predictive(inputs: Mapping[str, Any], *, positive: bool) -> Seen | None:
    p, n, share = inputs["n_positive"], inputs["n_negative"], inputs["prevalence"]
    if not p or not n:
        return None
    found, spared = inputs["true_positives"] / p, inputs["true_negatives"] / n
    right, wrong = share * found, (1.0 - share) * (1.0 - spared)
    if not positive:
        right, wrong = (1.0 - share) * spared, share * (1.0 - found)
    return (right / (right + wrong), p + n) if right + wrong > 0.0 else None


def _worst(inputs: Mapping[str, Any]) -> Seen | None:
    wrong, sizes = _columns(inputs, "errors", "n_in_groups")
    return (float(np.max(wrong / sizes)), int(sizes.sum())) if sizes.min() > 0 else None


def _ratio(top: str, bottom: str) -> Callable[[Mapping[str, Any]], Seen | None]:
    def read(inputs: Mapping[str, Any]) -> Seen | None:
        e, m, counts = _columns(inputs, top, bottom, "counts")
        size = float(counts @ m)
        return (float(counts @ e) / size, int(counts.sum())) if size > 0.0 else None

    return read


def _mean_over_clusters(inputs: Mapping[str, Any]) -> Seen:
    wrong, sizes, counts = _columns(inputs, "errors", "sizes", "counts")
    return float(counts @ (wrong / sizes) / counts.sum()), int(counts.sum())


def _weighted(inputs: Mapping[str, Any], *, to_scale: bool) -> Seen | None:
    losses, weights, counts = _columns(inputs, "losses", "weights", "counts")
    size = float(counts @ weights) if to_scale else float(counts.sum())
    return (float(counts @ (losses * weights)) / size, int(counts.sum())) if size > 0.0 else None


def _explained(inputs: Mapping[str, Any]) -> Seen | None:
    found = _ratio("losses", "baseline_losses")(inputs)
    return None if found is None else (1.0 - found[0], found[1])


def _mean(inputs: Mapping[str, Any]) -> Seen:
    (values,) = _columns(inputs, "values")
    return float(values.mean()), len(values)


def _wrong_rows(inputs: Mapping[str, Any]) -> Seen:
    return float(inputs["errors"]), int(inputs["n"])


def _columns(inputs: Mapping[str, Any], *names: str) -> tuple[Vector, ...]:
    return tuple(np.asarray(inputs[name], dtype=np.float64) for name in names)


_SHARES = {
    "groups.every_group": ("errors", "n_in_group"),
    "rates.accuracy": ("correct", "n"),
    "rates.negative_predictive_value": ("true_negatives", "n_predicted_negative"),
    "rates.positive_predictive_value": ("true_positives", "n_predicted_positive"),
    "rates.prevalence_lower": ("n_positive", "n"),
    "rates.prevalence_upper": ("n_positive", "n"),
    "rates.rate_lower": ("successes", "n"),
    "rates.rate_upper": ("successes", "n"),
    "rates.sensitivity": ("true_positives", "n_positive"),
    "rates.specificity": ("true_negatives", "n_negative"),
}
_OTHERS: dict[str, Callable[[Mapping[str, Any]], Seen | None]] = {
    "finite_population.mean_without_replacement": _mean,
    "finite_population.mean_without_replacement_lower": _mean,
    "finite_population.wrong_rows": _wrong_rows,
    "finite_population.wrong_rows_lower": _wrong_rows,
    "finite_population.wrong_rows_not_drawn": _wrong_rows,
    "groups.worst_group": _worst,
    "rates.f1": _f_score,
    "rates.negative_predictive_value_at": lambda inputs: _predictive(inputs, positive=False),
    "rates.positive_predictive_value_at": lambda inputs: _predictive(inputs, positive=True),
    "ratios.explained_share": _explained,
    "ratios.f_beta": _f_score,
    "ratios.mean_over_clusters": _mean_over_clusters,
    "ratios.ratio_order_free": _ratio("tops", "bottoms"),
    "ratios.ratio_order_free_lower": _ratio("tops", "bottoms"),
    "ratios.rows_in_clusters": _ratio("errors", "sizes"),
    "ratios.weighted": lambda inputs: _weighted(inputs, to_scale=False),
    "ratios.weighted_to_scale": lambda inputs: _weighted(inputs, to_scale=True),
}
