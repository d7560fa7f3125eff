"""scikit-learn's estimator checks, for every learner found."""

import numpy as np
from scipy import sparse
from sklearn.utils.estimator_checks import parametrize_with_checks

from surelearn import TableEncoder
from surelearn.app.registry import find_learners


def reading_numbers(learner):
    """Return a learner of bits behind a binariser: scikit-learn's checks speak in real numbers."""

    def admit(_, X):
        bits = (X > 0).astype(np.float64)
        return sparse.csr_array(bits) if sparse.issparse(bits) else bits

    name = f"Binarised{learner.__name__}"
    body = {"_admit": admit, "_features": "numbers", "__module__": __name__}
    globals()[name] = type(name, (learner,), body)  # where pickle will look for it
    return globals()[name]


def small(learner):
    """Return a learner with few members and passes, as scikit-learn's own are checked."""
    bits = getattr(learner, "_features", "numbers") == "bits"
    made = (reading_numbers(learner) if bits else learner)()
    few = {"n_estimators": 5 if learner.__name__.startswith("Bagging") else 10}
    if hasattr(learner, "learn"):
        few["max_iter"] = 20  # rows that nothing separates would take all of a thousand passes
    if learner.__name__ == "MaximumEntropy":
        few["tol"] = 0.03  # its steps are known beforehand, and thousands of them short
    return made.set_params(**{key: few[key] for key in few if key in made.get_params()})


LEARNERS = [small(learner) for learner in find_learners().values()]


DRAW_BAGS = {
    "BaggingClassifier",
    "BaggingRegressor",
    "RandomForestClassifier",
    "RandomForestRegressor",
}


def refused_on_purpose(estimator):
    """Return the checks that a learner breaks and says so."""
    if type(estimator) is TableEncoder:
        # It calls partial_fit after fit, which keeps no record: model files stay as small as ever.
        return {"check_fit_score_takes_y": "fitted at once it has no record to add to"}
    if type(estimator).__name__ in DRAW_BAGS:
        # Rows are drawn, not weights: a row of weight 2 is drawn as often as one of weight 1.
        return {
            f"check_sample_weight_equivalence_on_{kind}_data": "bags are drawn by rows"
            for kind in ("dense", "sparse")
        }
    return {}


@parametrize_with_checks(LEARNERS, expected_failed_checks=refused_on_purpose)
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)
