"""scikit-learn's estimator checks, for every learner found."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from surelearn.app.registry import find_learners

LEARNERS = [learner() for learner in find_learners().values()]


@parametrize_with_checks(LEARNERS)
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)
