"""Hold-outs, cross-validation, structural risk, theorems and `surelearn certify`: fixed runs."""

import ast
import doctest
import inspect
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import csv
from sklearn.base import is_regressor
from sklearn.dummy import DummyClassifier

import surelearn as sl
from release_cases import mixed_table, real_table, registry
from release_facts import attempt, describe, describe_guarantee
from surelearn.datasets.worlds import Noisy, Separable

Record = tuple[str, Callable[[], Any]]
_NOT_COMPARED = {"data", "holdout", "key", "model", "reproduce", "schema", "table", "versions"}


def holdouts() -> Iterator[Record]:
    """Yield what a hold-out says in each of its modes and with each kind of loss."""
    X, y = worlds()["noisy"]
    model = sl.LogisticRegression().fit(X[:100], y[:100])
    tree = sl.CARTClassifier(max_depth=3).fit(X[:100], y[:100])
    line = sl.RidgeRegression().fit(X[:100], X[:100] @ [1.0, 2.0, 0.0, 1.0])
    rest, labels, targets = X[100:], y[100:], X[100:] @ [1.0, 2.0, 0.5, 1.0]

    def ask(*models: Any, held_out: tuple[Any, Any] = (rest, labels), **rules: Any) -> Any:
        holdout = sl.Holdout(*held_out, **rules)
        return [attempt(lambda m=m: describe(holdout.certify(m))) for m in models]

    def cost(truth: Any, said: Any) -> Any:
        return np.clip(np.abs(truth - said) / 4.0, 0.0, 1.0)

    yield "once", lambda: ask(model, model, tree)
    yield "family", lambda: ask(model, tree, mode="family", n_models=5, delta=0.1)
    yield "gate passed", lambda: ask(DummyClassifier().fit(X[:9], y[:9]), model, tree, **_gate(0.4))
    yield "gate failed", lambda: ask(tree, model, **_gate(0.01))
    yield "quantile", lambda: ask(line, held_out=(rest, targets), loss=sl.Quantile(alpha=0.1))
    yield "own loss", lambda: ask(line, held_out=(rest, targets), loss=cost)
    yield "vacuous", lambda: ask(model, held_out=(rest[:2], -labels[:2]))
    yield "training rows", lambda: ask(tree, held_out=(X[90:], y[90:]), allow_duplicates=True)
    yield "open", lambda: sl.Holdout(rest, labels, mode="open").score(model)
    yield "drawn", lambda: _drawn(X, y)


def _gate(target: float) -> dict[str, Any]:
    return {"mode": "gate", "n_models": 3, "target": target}


def _drawn(X: Any, y: Any) -> Any:
    rows, labels, holdout = sl.Holdout.split(X, y, fraction=0.3, seed=0)
    return describe(holdout.certify(sl.Perceptron(max_iter=5).fit(rows, labels)))


def worlds() -> dict[str, tuple[Any, Any]]:
    """Return tables of two classes that suit learners well and badly."""
    two = np.tile([[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]], (40, 1))
    return {
        "noisy": Noisy(4, 0.1).draw(200, seed=0),
        "separable": Separable(4, 0.1).draw(150, seed=0),
        "pure noise": Noisy(4, 0.5).draw(150, seed=0),
        "copies of two rows": (two, np.tile([1.0, -1.0], 40)),
        "one point, both labels": (np.ones((60, 4)), np.tile([1.0, -1.0], 30)),
        "zero rows": (np.zeros((20, 4)), np.tile([1.0, -1.0], 10)),
    }


def proofs() -> Iterator[Record]:
    """Yield the certificates of every learner in every world."""
    for name, cls in registry().find_learners().items():
        if hasattr(cls, "certificates") and "tree" not in inspect.signature(cls).parameters:
            for world, (X, y) in worlds().items():
                yield f"{name} in {world}", lambda cls=cls, X=X, y=y: _proofs(cls(), X, y)


def _proofs(learner: Any, X: Any, y: Any) -> Any:
    small, _ = sl.checks.small_table(learner)
    rows = (X > 0.0).astype(np.float64) if set(np.unique(small)) <= {0.0, 1.0} else X
    rows = np.abs(rows) if small.min() >= 0.0 else rows
    model = learner.fit(rows, y)
    told = [describe(model.certificates(delta=delta)) for delta in (0.05, 0.2)]
    for certificate in model.certificates():
        sl.check_certificate(certificate, model)
    return told


def online_evaluations() -> Iterator[Record]:
    """Yield progressive validation, online-to-batch, regret and mistakes of online learners."""
    for name, cls in registry().find_learners().items():
        if not hasattr(cls, "learn_one"):
            continue
        small, _ = sl.checks.small_table(cls())
        X, y = real_table(cls(), small)
        for told, run in _online_runs(cls, X, y).items():
            yield f"{told} of {name}", lambda run=run: describe(run())


def _online_runs(cls: Any, X: Any, y: Any) -> dict[str, Callable[[], Any]]:
    runs = {"linear regret": lambda: sl.linear_regret(cls(), X, y)}
    if is_regressor(cls()):
        return runs | _online_runs_of_numbers(cls, X, y)
    if "margin" in inspect.signature(cls.guarantee).parameters:
        runs["mistakes with a margin"] = lambda: sl.mistakes_curve(cls(), X, y, margin=0.01)
    return runs | {
        "progressive validation": lambda: sl.progressive_validate(cls(), X, y),
        "progressive validation of a known model": lambda: sl.progressive_validate(
            cls().fit(X, y), X, y
        ),
        "online to batch": lambda: sl.online_to_batch(cls(), X, y),
        "online to batch with hinge loss": lambda: sl.online_to_batch(
            cls(), X, y, loss=sl.Hinge(), largest_loss=1e4
        ),
        "suffix": lambda: sl.certify_suffix(cls(), X, y),
        "mistakes": lambda: sl.mistakes_curve(cls(), X, y),
    }


def _online_runs_of_numbers(cls: Any, X: Any, y: Any) -> dict[str, Callable[[], Any]]:
    own = getattr(cls(), "loss", sl.Square())
    return {
        "online to batch": lambda: sl.online_to_batch(cls(), X, y, loss=own, largest_loss=50.0),
        "progressive validation": lambda: sl.progressive_validate(
            cls(), X, y, loss=lambda t, p: np.minimum(1.0, np.abs(t - p))
        ),
    }


def studies() -> Iterator[Record]:
    """Yield the evaluations of batches: folds, choices, comparisons, plans."""
    X, y = worlds()["noisy"]
    a, b = sl.LogisticRegression(), sl.CARTClassifier(max_depth=3)
    both = {"line": a, "tree": b}
    t = X @ [1.0, 2.0, 0.5, 1.0]
    folds: dict[str, Callable[[], Any]] = {
        "cross_validate": lambda: sl.cross_validate(a, X, y, keep_models=True),
        "cross_validate numbers": lambda: sl.cross_validate(sl.RidgeRegression(), X, t),
        "mean risk": lambda: sl.cross_validate(
            b, X, y, cv=4, keep_models=True
        ).mean_risk_certificate(delta=0.1),
        "nested": lambda: sl.nested_cross_validate(both, X, y, cv=3),
        "in pairs": lambda: sl.cross_validate_in_pairs(a, X, y, cv=3),
        "leave_one_out": lambda: sl.leave_one_out(sl.RidgeRegression(), X, t),
        "leave_one_out 3": lambda: sl.leave_one_out(
            sl.NearestNeighborsClassifier(n_neighbors=3), X, y
        ),
        "wald": lambda: sl.wald_interval(sl.cross_validate(a, X, y)),
        "corrected t": lambda: sl.corrected_t_interval(a, X, y, n_splits=4),
        "conservative z": lambda: sl.conservative_z_interval(a, X, y, n_splits=3, n_halvings=2),
        "nested cv interval": lambda: sl.nested_cv_interval(a, X, y, cv=3, n_repeats=2),
    }
    for name, run in (folds | _more_studies(X, y, a, b) | _plans()).items():
        yield name, lambda run=run: describe(run())


def _more_studies(X: Any, y: Any, a: Any, b: Any) -> dict[str, Callable[[], Any]]:
    class_of = sl.RuleClass
    rows, labels = X[:100], y[:100]
    return {
        "compare": lambda: sl.compare(a.fit(rows, labels), b.fit(rows, labels), X[100:], y[100:]),
        "interval": lambda: sl.holdout_interval(a.fit(rows, labels), X[100:], y[100:]),
        "structural risk": lambda: sl.minimize_structural_risk(
            {
                "halfspaces": class_of(model=sl.Halfspace(), vc_dimension=5),
                "lines": class_of(model=sl.LogisticRegression(), affine_features=4),
                "listed": class_of(model=sl.FiniteClass(), n_hypotheses=10),
                "trees": sl.CARTClassifier(max_leaf_nodes=4),
            },
            X,
            y,
        ),
        "by cross-validation": lambda: sl.select_by_cross_validation({"line": a, "tree": b}, X, y),
        "on a dev set": lambda: sl.select_on_dev_set({"line": a, "tree": b}, X, y),
        "learning curve": lambda: sl.learning_curve(a, X, y),
        "calibration": lambda: sl.calibration_curve(
            np.linspace(0.02, 0.98, 50), np.arange(50) % 7 < np.arange(50) / 7
        ),
    }


def _plans() -> dict[str, Callable[[], Any]]:
    return {
        "plan hold-out": lambda: sl.plan_holdout(target=0.1, error=0.05, n_models=3),
        "plan sample": lambda: sl.plan_sample(error=0.1, vc_dimension=5),
        "risk monitor": lambda: (
            sl.RiskMonitor(loss_range=(0.0, 2.0)).update(np.arange(50) % 3 / 2.0).certificate()
        ),
    }


def theorems() -> Iterator[Record]:
    """Yield every theorem with the numbers of the example in its documentation."""
    yield "names", lambda: sorted(sl.bounds.theorems())
    for name, theorem in sl.bounds.theorems().items():
        yield name, lambda theorem=theorem: _evaluated(theorem)


def _evaluated(theorem: Any) -> Any:
    found = theorem(**_example(theorem))
    return describe_guarantee(found) if isinstance(found, sl.Guarantee) else describe(found)


def _example(theorem: Any) -> dict[str, Any]:
    """Return the arguments of the first call in the example of a theorem."""
    scope = {**vars(inspect.getmodule(theorem)), "np": np}
    for example in doctest.DocTestParser().get_examples(inspect.getdoc(theorem) or ""):
        for node in ast.walk(ast.parse(example.source)):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(theorem.__name__):
                asked = {key.arg: ast.unparse(key.value) for key in node.keywords}
                return {str(key): eval(text, scope) for key, text in asked.items()}  # noqa: S307
    raise ValueError("its documentation has no example")


def tables() -> dict[str, tuple[Any, list[str]]]:
    """Return tables to certify, and what the command is told about each."""
    rng = np.random.default_rng(8)
    n = 240
    X = mixed_table(n)
    number = np.nan_to_num(X["size"].to_numpy().astype(np.float64))
    red = np.array([cell == "red" for cell in X["colour"].to_pylist()])
    score = number + red + rng.normal(scale=0.4, size=n)
    table = X.append_column("owner", pa.array([f"owner {i // 3}" for i in range(n)]))
    table = table.append_column("day", pa.array(np.arange(n)))
    two = table.append_column("kind", pa.array(np.where(score > 0.3, "cat", "dog")))
    three = np.array(["low", "middle", "high"])[np.digitize(score, [0.0, 0.8])]
    many = table.append_column("kind", pa.array(three))
    size = table.append_column("price", pa.array((10.0 * score).round(2)))
    bare = ["--drop", "owner", "--drop", "day"]
    return {
        "binary": (two, ["--target", "kind", *bare]),
        "multiclass": (many, ["--target", "kind", "--seed", "3", *bare]),
        "regression": (size, ["--target", "price", *bare]),
        "groups": (two, ["--target", "kind", "--group", "owner", "--holdout", "0.4"]),
        "time": (two, ["--target", "kind", "--time", "day", "--holdout", "0.3", "--drop", "owner"]),
        "structural": (two, ["--target", "kind", "--select", "structural-risk", *bare]),
        "structural of three": (many, ["--target", "kind", "--select", "structural-risk", *bare]),
        "groups of numbers": (size, ["--target", "price", "--group", "owner", "--holdout", "0.4"]),
    }


def certified() -> Iterator[Record]:
    """Yield what `surelearn certify` writes for each table, and what its model predicts."""
    for name, (table, told) in tables().items():
        yield name, lambda table=table, told=told: _certify(table, told)
    table, told = tables()["binary"]
    for learner in ("C45Classifier", "CARTClassifier", "NearestNeighborsClassifier"):
        yield learner, lambda o=[*told, "--learner", learner]: _certify(table, o)


def _certify(table: Any, told: list[str]) -> dict[str, Any]:
    with TemporaryDirectory() as folder:
        path, out = Path(folder) / "table.csv", Path(folder) / "out"
        csv.write_csv(table, path)
        command("certify", str(path), "--out", str(out), *told)
        model, certificate = out / "model.surelearn", out / "certificate.json"
        command("predict", str(model), str(path), "--out", str(out / "said.csv"))
        said = csv.read_csv(out / "said.csv")
        text = certificate.read_text(encoding="utf-8")
        return {
            "certificate": describe(sl.Certificate.from_json(text)),
            "report": _stated(json.loads((out / "report.json").read_text(encoding="utf-8"))),
            "predictions": {name: said[name].to_pylist() for name in said.column_names},
            "verified": command("verify", str(certificate), "--model", str(model), "--data", path),
        }


def command(*arguments: Any) -> str:
    """Run a command of surelearn in this process and return what it prints last."""
    from typer.testing import CliRunner  # noqa: PLC0415 - the other runs do not need it

    from surelearn.cli import app  # noqa: PLC0415

    done = CliRunner().invoke(app, [str(a) for a in arguments])
    if done.exit_code:
        raise RuntimeError(f"exit status {done.exit_code}: {done.output} {done.exception!r}")
    return f"exit status {done.exit_code}"


def _stated(report: Any) -> Any:
    """Return a report without hashes, versions and names of fields that are new."""
    if isinstance(report, dict):
        return {key: _stated(v) for key, v in report.items() if key not in _NOT_COMPARED}
    return [_stated(part) for part in report] if isinstance(report, list) else report
