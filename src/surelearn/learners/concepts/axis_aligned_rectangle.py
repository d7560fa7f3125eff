"""Boxes: the smallest one that contains the positive examples.

    positive iff   a_j ≤ x_j ≤ b_j   for every feature j

Blumer et al. (1989); its risk is bounded in `surelearn.bounds.pac` and `surelearn.bounds.vc`.
"""

from typing import Any

from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from surelearn import _arguments
from surelearn._jit import tables
from surelearn._stored import holds
from surelearn._typing import Mask
from surelearn.base.classifier import TwoClassLearner, risk_certificate
from surelearn.base.drawn_rows import drawn_independently
from surelearn.base.fitting import at_one_moment
from surelearn.bounds import Guarantee, pac, vc
from surelearn.certificate import Certificate, assumed, by_construction, violated


@at_one_moment
@holds(
    lower_="float[features]",
    upper_="float[features]",
)
class AxisAlignedRectangle(TwoClassLearner):
    """The tightest box around the rows of the last class, in any dimension.

    It never misses a positive training row; every error is a negative row inside the box.

    Attributes
    ----------
    lower_, upper_
        Two corners of the box, which belong to it.
    training_errors_, n_training_rows_
        Negative training rows inside the box; the number of training rows.

    Examples
    --------
    >>> X = [[1.0, 1.0], [3.0, 2.0], [2.0, 4.0], [0.0, 0.0], [5.0, 3.0]]
    >>> model = AxisAlignedRectangle().fit(X, ["in", "in", "in", "away", "away"])
    >>> model.lower_.tolist(), model.upper_.tolist()
    ([1.0, 1.0], [3.0, 4.0])
    >>> model.predict([[2.0, 2.0], [4.0, 2.0]]).tolist()
    ['in', 'away']
    """

    def guarantee(self, *, n: int, delta: float = 0.05) -> Guarantee:
        """Bound the risk of the tightest box from n rows, if the positives are those of a box."""
        check_is_fitted(self)
        return pac.rectangle_exact(n=n, dimension=self.n_features_in_, delta=delta)

    def certificates(self, *, delta: float = 0.05) -> tuple[Certificate, ...]:
        """State the risk of the box twice; both statements hold together.

        The first needs that the positives are exactly the points of a box and is void if the
        training rows show that they are not. The second holds for every law, by the VC dimension.

        Parameters
        ----------
        delta
            The probability with which either statement may fail: each is given half of it.
        """
        check_is_fitted(self)
        half = _arguments.open_fraction("delta", delta) / 2.0
        sample = drawn_independently(self)
        positives_fill_a_box = assumed("no training row speaks against it")
        if self.training_errors_:
            inside = f"{self.training_errors_} negative training rows lie in the tightest box"
            positives_fill_a_box = violated(inside)
        n, dimension = self.n_training_rows_, self.n_features_in_
        any_law = vc.moment(
            errors=self.training_errors_, n=n, vc_dimension=2 * dimension, delta=half
        )
        of_boxes = {
            "independent": sample,
            "realizable": positives_fill_a_box,
            "algorithm": by_construction("the corners are those of the positives"),
        }
        of_any_law = {
            "independent": sample,
            "fixed_before": by_construction("the class is that of all boxes"),
            "vc_dimension": by_construction(f"boxes have dimension 2 · {dimension}"),
        }
        return (
            risk_certificate(self, self.guarantee(n=n, delta=half), of_boxes),
            risk_certificate(self, any_law, of_any_law),
        )

    def _solve(self, X: Any, positive: Mask) -> None:
        inside = tables.dense(X[positive])
        self.lower_, self.upper_ = inside.min(axis=0), inside.max(axis=0)

    def _decide(self, X: Any) -> Mask:
        table = tables.dense(X)
        return ((table >= self.lower_) & (table <= self.upper_)).all(axis=1)

    def __sklearn_tags__(self) -> Tags:
        """Say to scikit-learn that the positives of few data fill a box."""
        tags: Any = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags
