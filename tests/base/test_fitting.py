"""What a fit puts in an estimator's place is complete before anybody sees it."""

from surelearn import CARTClassifier
from surelearn.base import fitting

X, Y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]


def test_a_model_is_sealed_before_other_threads_can_see_it(monkeypatch):
    """They would find a dictionary that grows while they look through it."""
    model, seen, seal = CARTClassifier().fit(X, Y), [], fitting.sealed

    def watched(made):
        held = vars(model)
        before = dict(held)
        done = seal(made)
        seen.append(vars(model) is held and held == before)
        return done

    monkeypatch.setattr(fitting, "sealed", watched)
    model.fit(X[:3], Y[:3])
    assert seen == [True]
    assert "_seal" in vars(model)
