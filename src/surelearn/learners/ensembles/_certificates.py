"""What an ensemble of voters can state from the rows outside its bags.

The risk of the vote is bounded by PAC-Bayes, first order and pairs, for 0/1 votes or for shares.
Beside it stands what the vote would be worth if its members erred independently of each other; that
certificate is void, for bags share rows, and says how the errors were seen to be correlated.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from surelearn._typing import Indices
from surelearn._wording import confidence, percent_outward
from surelearn.base.drawn_rows import drawn_independently
from surelearn.base.seal import fingerprint_of_fit
from surelearn.bounds import Guarantee, bootstrap, tails_of_sums, votes
from surelearn.certificate import (
    Certificate,
    Evidence,
    assumed,
    by_construction,
    certify,
    violated,
)
from surelearn.learners.ensembles._out_of_bag import OutOfBag


class Conduct(NamedTuple):
    """How an ensemble came about, as far as certificates depend on it.

    Attributes
    ----------
    grown_on
        Whether members were added after others had been seen.
    unseen
        What speaks for members that saw nothing outside their bags.
    soft
        Whether the vote adds shares, not votes.
    """

    grown_on: bool
    unseen: Evidence
    soft: bool


def certificates_of(model: Any, conduct: Conduct, *, delta: float) -> tuple[Certificate, ...]:
    """State the risk of the vote, and what independent voters would be worth."""
    record: OutOfBag | None = model.out_of_bag_
    if record is None or (record.sizes < 1).any():
        return ()
    evidence = _evidence(model, conduct)
    if (record.tandem_sizes < 1).any():  # by the bags alone, so this choice looks at no data
        return (_of_members(model, record, evidence, delta),)
    return (_of_vote(model, record, evidence, delta), _of_a_crowd(model, record, soft=conduct.soft))


def _of_vote(
    model: Any, record: OutOfBag, evidence: dict[str, Evidence], delta: float
) -> Certificate:
    guarantee = votes.out_of_bag_vote(
        losses=record.losses,
        sizes=record.sizes,
        tandem_losses=record.tandem_losses,
        tandem_sizes=record.tandem_sizes,
        delta=delta,
    )
    return certify(
        guarantee,
        kind="risk",
        subject="this fitted model",
        observed=record.n_errors / max(1, record.n_rows),
        n=record.n_rows,
        claim=_claim(guarantee, "this model errs", delta),
        evidence=evidence,
        reproduce={"model": fingerprint_of_fit(model)},
    )


def _of_members(
    model: Any, record: OutOfBag, evidence: dict[str, Evidence], delta: float
) -> Certificate:
    """State the mean risk of the members: some two of them were never tested together."""
    guarantee = votes.out_of_bag(losses=record.losses, sizes=record.sizes, delta=delta)
    return certify(
        guarantee,
        kind="risk",
        subject="a member of this fitted model, drawn at random",
        observed=float(record.losses.mean()),
        n=int(np.min(record.sizes)),
        claim=_claim(guarantee, "a member of this model, drawn at random, errs", delta),
        evidence=evidence,
        reproduce={"model": fingerprint_of_fit(model)},
    )


def _claim(guarantee: Guarantee, errs: str, delta: float) -> str:
    limit = percent_outward(guarantee.bound, "upper")
    return (
        f"With confidence {confidence(delta)}, {errs} on at most {limit} of new examples from the "
        "law of the training examples."
    )


def _of_a_crowd(model: Any, record: OutOfBag, *, soft: bool) -> Certificate:
    """State what as many independent voters of this accuracy would be worth."""
    n_members = len(record.losses)
    n_voters = n_members if n_members % 2 else n_members - 1
    accuracy = 1.0 - float(record.losses.mean())
    guarantee = tails_of_sums.majority_vote_exact(
        n_voters=max(1, n_voters), voter_accuracy=accuracy
    )
    return certify(
        guarantee,
        kind="risk",
        subject=f"{max(1, n_voters)} independent voters as accurate as the members of this model",
        observed=0.0,
        n=record.n_rows,
        evidence={"independent": _dependent(model, soft=soft)},
        reproduce={"model": fingerprint_of_fit(model)},
    )


def _dependent(model: Any, *, soft: bool) -> Evidence:
    """Say that members are not independent, and how their losses were seen to be correlated."""
    if not hasattr(model, "correlation_of_losses_"):  # of a file of before
        return violated(
            "bags share rows: how correlated the errors of two members are was not measured when "
            "this model was fitted; fit it again to be told"
        )
    correlation: float | None = model.correlation_of_losses_
    if correlation is None:
        return violated(
            "bags share rows: no two members err on some and not all rows that neither has seen, "
            "so that no correlation of their errors can be measured"
        )
    what, right = ("errors", "how often they are right")
    if soft:
        what, right = ("losses", "their accuracy, the mean share of the right label")
    return violated(
        f"bags share rows: the {what} of two members have correlation {correlation:.2f} on "
        f"average, measured on rows that neither has seen, and so is {right}"
    )


def of_bags(
    model: Any, in_bag: Sequence[int], *, n_drawn: int, n_rows: int, delta: float
) -> Certificate:
    """State which share of the rows is in a bag, averaged over bags with `in_bag` rows each."""
    guarantee = bootstrap.mean_share(
        n_rows=n_rows, n_draws=n_drawn, n_bags=len(in_bag), delta=delta
    )
    limit = percent_outward(guarantee.bound, "lower")
    return certify(
        guarantee,
        kind="value",
        subject="the bags of this fitted model",
        observed=math.fsum(in_bag) / len(in_bag) / n_rows,
        n=n_rows,
        claim=f"With confidence {confidence(delta)}, bags drawn like these hold at least {limit} "
        "of the rows on average.",
        evidence={"draws": _seeded(model)},
        reproduce={"model": fingerprint_of_fit(model)},
    )


def _seeded(model: Any) -> Evidence:
    """Say how bags are drawn; whoever fits until the result pleases has chosen the seed."""
    return assumed(
        f"bags are drawn from the seed {model.seed_}, and not that it was chosen by looking at "
        "results"
    )


def _evidence(model: Any, conduct: Conduct) -> dict[str, Evidence]:
    """Return what is known of each assumption of the out-of-bag theorems."""
    bags = _seeded(model)
    if conduct.grown_on:
        bags = violated("members of an earlier fit were kept after they had been seen (warm_start)")
    loss = "a loss is 1 less the share of the right label" if conduct.soft else "a loss is 0 or 1"
    return {
        "independent": _drawn(model),
        "range": by_construction(loss),
        "bags": bags,
        "unseen": conduct.unseen,
    }


def _drawn(model: Any) -> Evidence:
    """Say how the rows that test were drawn: all of them, or without the classes that weigh 0."""
    given = getattr(model, "class_weight", None)
    if isinstance(given, Mapping) and any(given.get(c) == 0 for c in model.classes_.tolist()):
        return violated("classes of weight 0 were left out: what tests has another law")
    return drawn_independently(model)


def unseen_by_trees(*, class_weight: Any, weighted: bool, references: Indices | int) -> Evidence:
    """Say whether trees saw nothing outside their bags but the rows that do not test them."""
    if isinstance(class_weight, str) and class_weight == "balanced":
        return violated(
            "the weights of the classes were counted over all rows, outside the bags too; "
            "class_weight='balanced_subsample' counts within each bag"
        )
    if isinstance(references, int) and references:
        return unseen(
            f"{references} rows drawn beforehand decide where bins end; they test no tree, and "
            "all else comes from the bag",
            weighted=weighted,
        )
    return unseen("a tree is grown from the rows of its bag alone", weighted=weighted)


def unseen(told: str, *, weighted: bool) -> Evidence:
    """Say what a member has seen, and what no code can know: who chose its settings, and how."""
    chosen = "its settings, or the weights" if weighted else "its settings"
    return assumed(f"{told}, and not that rows outside it chose {chosen}")
