"""What fitted transformers of scikit-learn look like: compiled code reads their arrays."""

from collections.abc import Callable
from typing import Any, cast

import numpy as np

LAYOUTS: dict[str, dict[str, Any]] = {
    "ColumnTransformer": {
        "n_features_in_": "count",
        "_columns": list,
        "_n_features": "maybe count",
        "_remainder": tuple,
        "_transformer_to_input_indices": dict,
        "output_indices_": dict,
        "sparse_output_": "flag",
        "transformers_": list,
    },
    "OneHotEncoder": {
        "n_features_in_": "count",
        "_default_to_infrequent_mappings": "maybe anything",
        "_drop_idx_after_grouping": "any[features]?",
        "_infrequent_enabled": "flag",
        "_infrequent_indices": "maybe anything",
        "_n_features_outs": list,
        "categories_": list,
        "drop_idx_": "any[features]?",
    },
    "Pipeline": {},
    "SimpleImputer": {
        "n_features_in_": "count",
        "_fill_dtype": "maybe anything",
        "_fit_dtype": np.dtype,
        "indicator_": type(None),
        "statistics_": "any[features]",
    },
    "StandardScaler": {
        "n_features_in_": "count",
        "mean_": "finite[features]?",
        "n_samples_seen_": "anything",
        "scale_": "finite[features]?",
        "var_": "finite[features]?",
    },
}
"""For each class by name what `surelearn.persistence.layouts` explains."""


STATELESS = {"Pipeline"}
"""Classes that keep nothing but their parameters, fitted or not."""


def check_encoder(encoder: Any) -> None:
    """Refuse an encoder that would set bits in columns that it does not make."""
    known, widths = encoder.categories_, encoder._n_features_outs  # noqa: SLF001
    if not len(known) == len(widths) == encoder.n_features_in_:
        raise ValueError("its columns are not as many as their categories")
    for words in known:
        if (
            not isinstance(words, np.ndarray)
            or words.ndim != 1
            or words.dtype.kind not in "biufUSO"
        ):
            raise TypeError("the categories of a column are a list of words or numbers")
    if widths != encoder._compute_n_features_outs():  # noqa: SLF001
        raise ValueError("it does not make a column for each category")
    if encoder._infrequent_enabled:  # noqa: SLF001
        _check_grouping(encoder, known)


def _check_grouping(encoder: Any, known: list[Any]) -> None:
    """Refuse categories that are grouped into columns that are not there."""
    groups = encoder._default_to_infrequent_mappings  # noqa: SLF001
    for words, places in zip(known, groups, strict=True):
        if places is not None and not (
            places.shape == words.shape
            and places.dtype.kind == "i"
            and np.array_equal(np.unique(places), np.arange(places.max() + 1))
        ):
            raise ValueError("its groups of rare categories make no sense")


def check_steps(pipeline: Any) -> None:
    """Refuse a pipeline whose steps are not pairs of a name and an estimator."""
    if not isinstance(pipeline.steps, list) or not pipeline.steps:
        raise TypeError("a pipeline has steps")
    for step in cast("list[Any]", pipeline.steps):
        if not isinstance(step, tuple | list) or len(cast("Any", step)) != 2:
            raise TypeError("a step is a name and an estimator")
        name, estimator = cast("Any", step)
        if not isinstance(name, str) or not (estimator is None or hasattr(estimator, "fit")):
            raise TypeError("a step is a name and an estimator")


def check_columns(transformer: Any) -> None:
    """Refuse a transformer of columns whose parts are not triples."""
    for part in (*transformer.transformers, *transformer.transformers_, transformer._remainder):  # noqa: SLF001
        if not isinstance(part, tuple | list) or len(cast("Any", part)) != 3:
            raise TypeError("a part is a name, a transformer and its columns")
        name, made, _ = cast("Any", part)
        if not isinstance(name, str) or not (isinstance(made, str) or hasattr(made, "fit")):
            raise TypeError("a part is a name, a transformer and its columns")


CHECKS: dict[str, Callable[[Any], None]] = {
    "ColumnTransformer": check_columns,
    "OneHotEncoder": check_encoder,
    "Pipeline": check_steps,
}
"""What must be true beside, by the name of the class."""
