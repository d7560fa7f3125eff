"""A certified model and how it came about: what the command prints, reports and writes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from surelearn._shown import Shown
from surelearn.app import comparison
from surelearn.app.choosing.choice import Choice
from surelearn.app.intervals import KEY, Intervals, certified_intervals
from surelearn.app.problem.problem import Problem
from surelearn.app.tables.notes import Note
from surelearn.certificate import Certificate
from surelearn.evaluate.audit import Outcome, Verdict, verdict_of
from surelearn.evaluate.holdout import Answers
from surelearn.learners.ensembles.locally_scaled_regressor import LocallyScaledRegressor

if TYPE_CHECKING:
    from surelearn._shown import Axes


@dataclass(frozen=True, eq=False, repr=False)
class CertifiedRun(Shown, drawn_by="certificates.plot_certificates"):
    """A certified model and how it came about.

    Attributes
    ----------
    problem
        The table, the task and the split.
    model
        The model, fitted to the training part.
    choice
        The learner it comes from, and how it was chosen.
    answers
        What the hold-out said of the model: certificates, and its predictions there.
    training_notes
        On which rows learners were compared and the model was fitted, if not on all.
    options
        What was asked for: all that is needed to do it again.
    """

    problem: Problem
    model: Any
    choice: Choice
    answers: Answers
    training_notes: tuple[Note, ...]
    options: Mapping[str, Any]

    def _facts(self) -> Mapping[str, Any]:
        facts = {"learner": self.name, "target": self.problem.target, "task": self.problem.task}
        return {**facts, "status": self.certificate.status, "warnings": len(self.warnings)}

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Draw what the hold-out said of the model, in all and by class."""
        return self.answers.plot(ax)

    @property
    def name(self) -> str:
        """The learner that was chosen, with its setting."""
        return self.choice.name

    @property
    def certificate(self) -> Certificate:
        """The certificate of the model, from the hold-out."""
        return self.answers.certificate

    @property
    def by_class(self) -> Mapping[str, Certificate]:
        """For each class, the certificate of the error rate among its rows.

        Together they hold with the confidence of the certificate.
        """
        return self.answers.by_class

    @property
    def claims(self) -> tuple[Outcome, ...]:
        """What became of each claim beside the certificate.

        Together they hold with its confidence; together with it, at twice its delta.
        """
        return self.answers.claims

    @property
    def claims_delta(self) -> float:
        """The probability that any of these claims is false."""
        beside = self.answers.beside
        return float(self.options["delta"]) if beside is None else beside.delta

    @property
    def verdict(self) -> Verdict:
        """What became of all targets together."""
        return verdict_of(self.claims)

    @property
    def is_void(self) -> bool:
        """Whether an assumption is violated: nothing is stated, and no script should go on."""
        beside = (one.certificate for one in self.claims if one.certificate is not None)
        return any(found.violated for found in (self.certificate, *beside))

    @property
    def intervals(self) -> Intervals | None:
        """What is certified of an interval around each prediction; None if nothing."""
        return certified_intervals(self.claims, self.claims_delta)

    @property
    def kept_intervals(self) -> dict[str, Any]:
        """What a model file keeps of that."""
        return {} if self.intervals is None else {KEY: self.intervals._asdict()}

    @property
    def predictor(self) -> Any:
        """What predicts: the model, without what says how wide its errors are."""
        model = self.model
        return model.regressor_ if isinstance(model, LocallyScaledRegressor) else model

    @property
    def notes(self) -> tuple[Note, ...]:
        """What was inferred from the table, and on which rows the model was trained."""
        return (*self.problem.notes, *self.training_notes)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader should worry about."""
        return (
            *comparison.warn(self.problem, self.answers),
            *self.choice.warnings,
            *self.problem.warnings,
        )
