"""Games of experts and bandits, streams, River and optimizers: fixed runs of each."""

import importlib.util
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.base import is_classifier

import surelearn as sl
from release_cases import registry
from release_facts import attempt, describe, describe_proofs, describe_result
from surelearn.datasets.adversaries import Contrarian

Record = tuple[str, Callable[[], Any]]
"""The name of a run, and what tells its results."""

_ROUNDS, _EXPERTS = 80, 4


class _Leader:
    """An adversary: whatever weighs most loses most."""

    def next(self, said: Any) -> Any:
        """Return the losses of a round."""
        return np.linspace(0.0, 0.5, len(said)) + 0.5 * (np.arange(len(said)) == np.argmax(said))


def games() -> Iterator[Record]:
    """Yield a run of every learner of experts and every bandit."""
    for name, cls in registry().find_experts().items():
        for told, options in _options_of(cls):
            yield from _games_of(f"{name} {told}", lambda cls=cls, o=options: cls(**o))
    for name, cls in registry().find_bandits().items():
        for told, options in _options_of(cls):
            for table, losses in _arms().items():
                yield (
                    f"{name} {told} on {table}",
                    lambda cls=cls, o=options, g=losses: _pull(lambda: cls(**o), g),
                )


def _games_of(name: str, make: Callable[[], Any]) -> Iterator[Record]:
    """Yield the games that a learner of experts can play."""
    known = inspect.signature(make().learn).parameters
    for table, given in _tables().items():
        if given.keys() <= known.keys():
            yield f"{name} on {table}", lambda given=given: _play(make, given)
    if hasattr(make(), "starting_weights"):
        yield (
            f"{name} against the leader",
            lambda: describe(sl.play_against(make(), _Leader(), _ROUNDS, n_experts=_EXPERTS)),
        )


def _options_of(cls: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the settings with which a class plays: its own, then one for each of its parameters."""
    known = inspect.signature(cls).parameters
    needed: dict[str, Any] = {"learner": sl.Hedge(), "n_arms": _EXPERTS}
    base = {key: value for key, value in needed.items() if key in known}
    yield "as it is", base
    for key, value in {
        "horizon": _ROUNDS,
        "learning_rate": 0.3,
        "switch_rate": 0.1,
        "beta": 0.7,
        "only_on_mistakes": True,
        "substitution": True,
        "loss": sl.Absolute(),
        "prior": [0.4, 0.3, 0.2, 0.1],
        "loss_range": (-1.0, 2.0),
        "seed": 7,
        "delta": 0.2,
        "n_switches": 3,
    }.items():
        if key in known:
            yield f"with {key}={value}", {**base, key: value}


def _tables() -> dict[str, dict[str, Any]]:
    """Return what `learn` is given: losses, votes, advice with outcomes, experts that sleep."""
    rng = np.random.default_rng(3)
    losses = rng.random((_ROUNDS, _EXPERTS)) * [1.0, 0.6, 0.9, 1.0]
    votes = rng.integers(0, 2, (_ROUNDS, _EXPERTS)).astype(np.float64)
    noise = rng.random(_ROUNDS) < 0.1
    return {
        "losses": {"losses": losses},
        "losses that change sides": {
            "losses": np.where(np.arange(_ROUNDS)[:, None] // 20 % 2 == np.arange(4) % 2, 0.1, 0.9)
        },
        "votes of a perfect expert": {"advice": votes, "outcomes": votes[:, 1]},
        "noisy votes": {"advice": votes, "outcomes": np.abs(votes[:, 1] - noise)},
        "advice": {"losses": losses, "outcomes": noise.astype(float)},
        "advice and a loss": {
            "losses": losses,
            "outcomes": noise.astype(float),
            "loss": sl.Square(),
        },
        "sleepers": {"losses": losses, "awake": rng.random((_ROUNDS, _EXPERTS)) < 0.7},
    }


def _play(make: Callable[[], Any], given: dict[str, Any]) -> dict[str, Any]:
    """Play a table in three calls and tell the answers, the state and the regret."""
    learner = make()
    columns = {key: value for key, value in given.items() if isinstance(value, np.ndarray)}
    rest = {key: value for key, value in given.items() if key not in columns}
    told: dict[str, Any] = {"answers": []}
    for rows in (slice(0, 1), slice(1, 50), slice(50, None)):
        part = {key: value[rows] for key, value in columns.items()}
        told["answers"].append(describe(learner.learn(**part, **rest)))
        told[f"certificates after {rows.stop}"] = describe_proofs(learner)
    told["weights"] = attempt(lambda: describe(learner.weights))
    told["predict"] = attempt(lambda: describe(learner.predict([0.0, 1.0, 1.0, 0.0])))
    told["attributes"] = describe_result(learner, ending="_")
    again = {("losses" if key == "advice" else key): value for key, value in given.items()}
    told["regret"] = attempt(lambda: describe(sl.experts_regret(make(), **again)))
    return told


def _arms() -> dict[str, Any]:
    """Return tables of losses, a column for each arm."""
    rng = np.random.default_rng(4)
    return {
        "losses": rng.random((200, _EXPERTS)) * [1.0, 0.7, 0.9, 1.0],
        "coins": (rng.random((200, _EXPERTS)) < [0.5, 0.2, 0.6, 0.5]).astype(np.float64),
        "one good arm": np.tile([1.0, 1.0, 0.0, 1.0], (100, 1)),
        "no loss": np.zeros((40, _EXPERTS)),
    }


def _pull(make: Callable[[], Any], losses: Any) -> dict[str, Any]:
    """Play a table in two calls and some rounds by hand, and tell what happened."""
    bandit = make()
    told: dict[str, Any] = {"arms": [describe(bandit.play(losses[:10]))], "probabilities": []}
    for row in losses[10:20]:
        told["probabilities"].append(describe(bandit.probabilities))
        arm = bandit.select()
        bandit.update(arm, row[arm])
    told["arms"].append(describe(bandit.play(losses[20:])))
    told["attributes"] = describe_result(bandit, ending="_")
    told["proofs"] = describe_proofs(bandit)
    told["regret"] = attempt(lambda: describe(sl.bandit_regret(make(), losses)))
    means = losses.mean(axis=0)
    told["gaps"] = attempt(lambda: describe(sl.bandit_regret(make(), losses, means=means)))
    told["against the leader"] = attempt(
        lambda: describe(sl.play_against(make(), _Leader(), _ROUNDS))
    )
    return told


def streams() -> Iterator[Record]:
    """Yield every online learner as a stream teaches it: in chunks, as River's, against answers."""
    for name, cls in registry().find_learners().items():
        if hasattr(cls, "learn_one"):
            yield f"{name} over a stream", lambda cls=cls: _stream(cls())
            for late in (False, True):
                yield (
                    f"{name} in River{' with late features' * late}",
                    lambda cls=cls, late=late: _river(cls(), late=late),
                )
            if is_classifier(cls()):
                yield f"{name} contradicted", lambda cls=cls: _contradicted(cls())


def _pairs(learner: Any) -> list[tuple[Any, Any]]:
    X, y = sl.checks.small_table(learner)
    return list(zip(X, y.tolist(), strict=True))


def _stream(learner: Any) -> dict[str, Any]:
    classes = ["no", "yes"] if is_classifier(learner) else None
    sl.learn_stream(learner, _pairs(learner), block_size=16, classes=classes)
    return {"attributes": describe_result(learner, ending="_"), **describe_proofs(learner)}


def _contradicted(learner: Any) -> Any:
    questions = np.tile(np.eye(4), (10, 1))
    adversary = Contrarian()
    return describe(sl.play_against(learner, adversary, 40, questions=questions))


def _river(learner: Any, *, late: bool) -> Any:
    """Learn rows as dictionaries; some features and some labels may come late."""
    if importlib.util.find_spec("river") is None:
        return "River is not installed"
    model, said = sl.to_river(learner), []
    for t, (row, target) in enumerate(_pairs(learner)):
        shown = row[: 2 + t // 10] if late else row
        x = {f"x{j}": float(v) for j, v in enumerate(shown)}
        label = f"{target} late" if late and t > 40 and isinstance(target, str) else target
        said.append(model.predict_one(x))
        model.learn_one(x, label)
    return said


def optimizations() -> Iterator[Record]:
    """Yield the trace of every optimizer, with its guarantee."""
    yield "stochastic", _stochastic
    o = sl.optimizers
    for way, options in (
        (o.gradient_descent, {}),
        (o.gradient_descent, {"learning_rate": 0.1}),
        (o.gradient_descent, {"learning_rate": 0.3, "max_iter": 50}),
        (o.momentum, {"learning_rate": 0.05, "max_iter": 60}),
        (o.momentum, {"learning_rate": 0.01, "max_iter": 60}),
        (o.nesterov, {"learning_rate": 0.1, "max_iter": 60}),
        (o.nesterov, {"learning_rate": 0.1, "strong_convexity": 1.0}),
        (o.limited_memory_bfgs, {}),
    ):
        yield f"{way.__name__} {options}", lambda w=way, o=options: _trace(w(_bowl, _START, **o))


def _stochastic() -> dict[str, Any]:
    return _trace(
        sl.stochastic_gradient_descent(
            lambda w, drawn: w - np.arange(10.0)[drawn].mean(),
            [0.0],
            n_examples=10,
            n_steps=50,
            learning_rate=sl.optimizers.harmonic(1.0),
            radius=5.0,
            seed=1,
        )
    )


_START = (1.0, -2.0, 3.0)


def _bowl(w: Any) -> Any:
    """Return a quadratic function and its gradient."""
    curve = np.diag([1.0, 3.0, 10.0])
    return 0.5 * w @ curve @ w - w.sum(), curve @ w - 1.0


def _trace(trace: Any) -> dict[str, Any]:
    told = describe_result(trace)
    given = {
        "distance": 4.0,
        "strong_convexity": 1.0,
        "smoothness": 10.0,
        "gradient_bound": 10.0,
        "diameter": 10.0,
    }
    if hasattr(trace, "guarantee"):
        known = inspect.signature(trace.guarantee).parameters
        chosen = {key: value for key, value in given.items() if key in known}
        told["guarantee"] = attempt(lambda: describe(trace.guarantee(**chosen)))
    return told
