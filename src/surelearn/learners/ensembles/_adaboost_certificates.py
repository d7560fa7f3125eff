"""What a run of AdaBoost proves: the training error surely, and the risk of votes of stumps."""

from typing import Any

import numpy as np

from surelearn import _arguments
from surelearn._wording import percent_outward
from surelearn.base.classifier import risk_certificate
from surelearn.base.drawn_rows import drawn_independently
from surelearn.base.seal import fingerprint_of_fit, refuse_changed
from surelearn.base.tables import table
from surelearn.bounds import Guarantee, boosting, vc
from surelearn.certificate import (
    Certificate,
    Evidence,
    assumed,
    by_construction,
    certify,
    checked,
    violated,
)

_MOST_CATEGORIES = 900  # beyond, the number of stumps is no float; such a bound says nothing
_CODE = by_construction("the code does exactly this")


def certificates(model: Any, *, delta: float) -> tuple[Certificate, ...]:
    """Return all that the training rows prove."""
    _arguments.open_fraction("delta", delta)
    refuse_changed(model)
    sure = tuple(_training_certificate(model, guarantee) for guarantee in _training_bounds(model))
    return sure + _risk_certificates(model, delta)


def _training_bounds(model: Any) -> tuple[Guarantee, ...]:
    """Return the theorems that are about the rounds as they were played."""
    errors = model.errors_
    if len(model.classes_) == 2 and model.edge_ is not None:
        return (boosting.adaboost_fixed_edge(edge=model.edge_, n_rounds=len(errors)),)
    if len(model.classes_) == 2 and model.learning_rate_ == 1.0:
        return (
            boosting.adaboost_training_error(weighted_errors=errors),
            boosting.adaboost_training_error_exponential(edges=0.5 - errors),
        )
    return (boosting.plurality_training_error(weighted_errors=errors, vote_weights=model.alphas_),)


def _training_certificate(model: Any, guarantee: Guarantee) -> Certificate:
    """Bind a bound on the training error to the run."""
    limit = percent_outward(guarantee.bound, "upper")
    rows = "of the weight of its training rows" if model.weighted_ else "of its training rows"
    return certify(
        guarantee,
        kind="training-error",
        subject=f"this run of {type(model).__name__}",
        observed=model.training_error_,
        n=model.n_training_rows_,
        claim=f"With certainty, the vote errs on at most {limit} {rows}, even votes counted as "
        "errors.",
        evidence={key: _of_the_run(model, key) for key in guarantee.assumes},
        reproduce={"model": fingerprint_of_fit(model)},
    )


def _of_the_run(model: Any, key: str) -> Evidence:
    """Say what is known of an assumption about the rounds."""
    if key == "weak_learner":
        return checked("the weighted error of no round exceeds one half minus the edge")
    if key == "algorithm" or model.stumps_ is not None:
        return _CODE
    return checked("the answers of each member to the training rows were recorded in the run")


def _risk_certificates(model: Any, delta: float) -> tuple[Certificate, ...]:
    """Return the bounds on the risk of a vote of stumps for two classes; they share delta."""
    widths = table.n_categories(model.categories_) if model.stumps_ is not None else np.zeros(0)
    if model.training_margins_ is None or (widths > _MOST_CATEGORIES).any():
        return ()
    n, columns = model.n_training_rows_, _columns_of_numbers(model, widths)
    by_rounds = boosting.vote_growth_stumps(
        errors=model.training_errors_,
        n=n,
        n_rounds=model.most_members_,
        n_features=columns,
        delta=delta / 2.0,
    )
    by_margins = boosting.vote_rademacher(
        margins=model.training_margins_,
        log_growth_base=vc.log_growth_stumps(n=n, dimension=columns),
        delta=delta / 2.0,
    )
    return tuple(
        risk_certificate(model, guarantee, _evidence(model, guarantee))
        for guarantee in (by_rounds, by_margins)
    )


def _columns_of_numbers(model: Any, widths: Any) -> int:
    """Return as how many columns of numbers the table counts; each allows 2m stumps on m rows.

    Gaps double the stumps of a column of numbers; one of q categories has 2^(q+1).
    """
    numbers = np.count_nonzero(widths == 0) + np.count_nonzero(model.missing_[widths == 0])
    return int(numbers) + sum(2 ** int(width) for width in widths if width)


def _evidence(model: Any, guarantee: Guarantee) -> dict[str, Evidence]:
    """Return what is known of each assumption about the sample and the class of stumps."""
    known = {
        "independent": drawn_independently(model),
        "fixed_before": _fixed_before(model),
        "two_classes": by_construction("two labels, one for each sign of the score"),
        "vote": by_construction("the weights are divided by their sum; stumps answer -1 or +1"),
    }
    return {key: known[key] for key in guarantee.assumes}


def _fixed_before(model: Any) -> Evidence:
    """Say whether the class of stumps can have been known before the rows were."""
    names = table.column_names(model)
    asked = np.unique(model.stumps_.feature)
    open_ended = [names[place] for place in asked if model.rare_[place]]
    if open_ended:
        return violated(
            f"column {open_ended[0]!r} has categories that a single training row has, so there "
            "are likely others: the schema was not known beforehand"
        )
    return assumed(
        f"all stumps and at most {model.most_members_} rounds, unless the rows chose them; columns "
        "without gaps here have none in new rows; categories were read off these rows"
    )
