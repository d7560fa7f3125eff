"""What was learnt is handed out to be looked at: who changes it has no certificate of the run."""

import copy
import pickle

import numpy as np
import pytest

from surelearn import (
    UCB1,
    AdaGrad,
    AdaHedge,
    Exp3,
    Halving,
    Hedge,
    LogisticRegression,
    OnlineGradientDescent,
    OnlineGradientDescentRegressor,
    OnlineRidge,
    Perceptron,
    ThompsonSampling,
    WeightedMajority,
)
from surelearn.base.read_only import locked
from surelearn.persistence.model_files import load_model, save_model

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 3))
SIGNS = (X[:, 0] > 0.0).astype(int)
LOSSES = RNG.random((30, 3))
BITS = RNG.integers(0, 2, size=(30, 3))

ONLINE = [OnlineRidge, OnlineGradientDescent, OnlineGradientDescentRegressor, AdaGrad]
GAMES = [
    (lambda: Hedge(horizon=200), "learn", (LOSSES,)),
    (AdaHedge, "learn", (LOSSES,)),
    (lambda: WeightedMajority(beta=0.5), "learn", (BITS, BITS[:, 0])),
    (Halving, "learn", (BITS, BITS[:, 0])),
    (lambda: Exp3(n_arms=3), "play", (LOSSES,)),
    (lambda: UCB1(n_arms=3), "play", (LOSSES,)),
    (lambda: ThompsonSampling(n_arms=3), "play", ((LOSSES > 0.5).astype(float),)),
]


def arrays(value):
    """Return all arrays in a state."""
    if isinstance(value, np.ndarray):
        return [value]
    parts = value if isinstance(value, tuple) else ()
    return [array for part in parts for array in arrays(part)]


def begun(make, method, table):
    learner = make()
    getattr(learner, method)(*table)
    return learner


@pytest.mark.parametrize("kind", [*ONLINE, Perceptron], ids=lambda kind: kind.__name__)
def test_states_of_online_learners_cannot_be_written_to(kind):
    model = kind().partial_fit(X, SIGNS)
    found = [*arrays(model.learnt_), *arrays(model.states_)]
    assert found
    assert not any(array.flags.writeable for array in found)
    model.learn_one(X[0], 1)
    for twin in (copy.copy(model), copy.deepcopy(model), pickle.loads(pickle.dumps(model))):  # noqa: S301
        assert not any(array.flags.writeable for array in arrays(twin.learnt_))
        twin.learn_one(X[1], 0)
        twin.partial_fit(X, SIGNS)


@pytest.mark.parametrize("case", GAMES, ids=lambda case: type(case[0]()).__name__)
def test_states_of_games_cannot_be_written_to(case):
    learner = begun(*case)
    names = ("pulls_", "arm_losses_", "regrets_", "expert_losses_", "estimated_losses_")
    shown = [getattr(learner, name) for name in names if hasattr(learner, name)]
    assert shown
    assert not any(array.flags.writeable for array in [*shown, *arrays(learner.state_)])
    before = learner.certificates()
    getattr(learner, case[1])(*case[2])
    assert learner.certificates() != before


def remove_and_set(model, name, value):
    """Put something in the place of what was removed: its name was free then."""
    delattr(model, name)
    setattr(model, name, value)


CHANGES = {
    "n_rounds_": lambda model: setattr(model, "n_rounds_", 1),
    "removed": lambda model: remove_and_set(model, "n_rounds_", 1),
    "cumulative_loss_": lambda model: setattr(model, "cumulative_loss_", 0.0),
    "learnt_": lambda model: setattr(model, "learnt_", model.learnt_),
    "another's": lambda model: setattr(
        model, "learnt_", type(model)().partial_fit(-X, SIGNS).learnt_
    ),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=list(CHANGES))
@pytest.mark.parametrize("kind", ONLINE, ids=lambda kind: kind.__name__)
def test_an_online_learner_changed_by_hand_has_no_certificate_of_its_run(kind, change):
    model = kind().partial_fit(X, SIGNS)
    assert model.certificates()
    change(model)
    model.partial_fit(X, SIGNS)
    model.learn_one(X[0], 1)
    for twin in (model, copy.copy(model), pickle.loads(pickle.dumps(model))):  # noqa: S301
        with pytest.raises(ValueError, match="changed after it was fitted"):
            twin.certificates()
    assert model.fit(X, SIGNS).certificates()


@pytest.mark.parametrize("kind", ONLINE, ids=lambda kind: kind.__name__)
def test_parameters_of_a_run_are_handed_out_as_a_copy(kind):
    """A bound is computed from them: with a thousandth of the limit it was a thousandth."""
    model = kind().partial_fit(X, SIGNS)
    known = [certificate.bound for certificate in model.certificates()]
    for begun in (model.begun_, model.learnt_.begun):
        for name in begun.get_params():
            setattr(begun, name, 1e-3)
    model.learn_one(X[0], 1)
    again = kind().partial_fit(X, SIGNS).learn_one(X[0], 1).certificates()
    assert known
    assert [certificate.bound for certificate in model.certificates()] == [
        certificate.bound for certificate in again
    ]


@pytest.mark.parametrize("case", GAMES, ids=lambda case: type(case[0]()).__name__)
def test_a_game_changed_by_hand_has_no_certificate(case):
    learner, other = begun(*case), begun(*case)
    learner.state_ = other.state_
    for _ in range(2):
        with pytest.raises(ValueError, match="changed after it was fitted"):
            learner.certificates()
        getattr(learner, case[1])(*case[2])


def test_what_is_locked_shares_the_numbers():
    held = (np.zeros(2), ("a", np.ones(1)))
    seen = locked(held)
    held[0][0] = 5.0
    assert seen[0][0] == 5.0
    assert not seen[1][1].flags.writeable
    assert held[1][1].flags.writeable


def test_a_learner_with_methods_of_others_is_another_learner():
    """Its certificate of the risk spoke of answers that the model does not give."""

    class Contrary(Perceptron):
        def predict(self, X):
            return 1 - super().predict(X)

    class Renamed(Perceptron):
        """The same learner under another name, with a method that it did not have."""

        def told(self):
            return [str(c) for c in self.certificates()]

    with pytest.raises(ValueError, match=r"methods of its own \(predict\)"):
        Contrary().fit(X, SIGNS).certificates()
    assert len(Renamed().fit(X, SIGNS).told()) == len(Perceptron().fit(X, SIGNS).certificates())


@pytest.mark.parametrize("change", [None, "coef_", "n_rounds_"])
def test_a_model_file_heals_nothing(change, tmp_path):
    """Before, a model changed by hand had certificates again once it was saved and loaded."""
    batch = LogisticRegression().fit(X, SIGNS)
    online = OnlineRidge().partial_fit(X, SIGNS)
    model = online if change == "n_rounds_" else batch
    if change is not None:
        setattr(model, change, getattr(model, change) * 2)
    save_model(model, tmp_path / "m", schema={}, metadata={})
    loaded = load_model(tmp_path / "m").model
    if change is None:
        assert loaded.certificates() == model.certificates()
        return
    with pytest.raises(ValueError, match="changed after it was fitted"):
        loaded.certificates()
    assert loaded.fit(X, SIGNS).certificates()
