"""What the command claims of a model, in the words of someone who has a table."""

from surelearn._wording import confidence, outward, percent_outward
from surelearn.app.problem.held_out import ALPHA
from surelearn.app.problem.problem import Problem
from surelearn.certificate import Certificate


def claim_about_rows(certificate: Certificate, problem: Problem) -> str:
    """Return the claim of a certificate about the rows that the table speaks for."""
    limit = percent_outward(certificate.bound, "upper")
    claim = f"this model errs on at most {limit} of new rows"
    if problem.task == "regression":
        most, limit = confidence(ALPHA), outward(certificate.bound, "upper")
        claim = f"at least {most} of new rows have an absolute error of at most {limit}"
    elif problem.groups is not None:
        claim = f"this model errs on at most {limit} of the rows of a new group, on average over "
        claim += "groups"
    return f"With confidence {confidence(certificate.delta or 0.0)}, {claim}. {problem.scope}"
