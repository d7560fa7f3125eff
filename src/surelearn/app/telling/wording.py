"""What the command claims of a model, in the words of someone who has a table."""

from surelearn._wording import confidence, outward, percent_outward
from surelearn.app.problem.held_out import ALPHA
from surelearn.app.problem.problem import Problem
from surelearn.certificate import Certificate
from surelearn.certificate._text import unit_of
from surelearn.evaluate._holdout_claims import AS_ONE


def count_of(certificate: Certificate) -> str:
    """Return how many rows count for a claim, or how many clusters."""
    return f"{certificate.n:,}{' clusters' if unit_of(certificate) == 'clusters' else ''}"


def claim_about_rows(
    certificate: Certificate, problem: Problem, *, delta: float, looks: int = 1
) -> str:
    """Return the claim of a certificate about the rows that the table speaks for.

    Parameters
    ----------
    certificate, problem
        The certificate, and the problem whose hold-out issued it.
    delta, looks
        The probability that a claim is false, and how many models share it.
    """
    limit = percent_outward(certificate.bound, "upper")
    claim = f"this model errs on at most {limit} of new rows"
    if problem.task == "regression":
        most, limit = confidence(ALPHA), outward(certificate.bound, "upper")
        claim = f"at least {most} of new rows have an absolute error of at most {limit}"
    elif problem.split.kind == "distinct":
        claim = f"this model errs on at most {limit} of new rows, {AS_ONE}"
    elif problem.groups is not None:
        claim = f"this model errs on at most {limit} of the rows of a new group, on average over "
        claim += "groups"
    together = f" for all {looks} models together" if looks > 1 else ""
    return f"With confidence {confidence(delta)}{together}, {claim}. {problem.scope}"
