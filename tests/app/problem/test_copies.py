"""Copies of rows in a table: on one side of the split, counted once, and said."""

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.neighbors import KNeighborsClassifier

from surelearn.app.certify import ask, certify_table, pose
from surelearn.app.choosing.training import (
    first_of_each_copy,
    one_of_each_copy,
    to_compare_on,
    training_notes,
)
from surelearn.app.errors import TableError
from surelearn.app.ledger import PROCESS, enter_look
from surelearn.app.problem.problem import understand
from surelearn.app.tables.read import TableFile
from surelearn.app.telling import figures
from surelearn.app.telling.cards import cards_of
from surelearn.app.verifying.rerun import Recorded, check_retrained
from surelearn.evaluate._holdout_draws import ALSO_ROUNDED
from surelearn.evaluate.holdout import Holdout
from surelearn.evaluate.ledger import forget

pytestmark = pytest.mark.usefixtures("no_figures")

LEVEL, DELTA = 1e-4, 0.1
RNG = np.random.default_rng(0)


def table_of(**columns):
    return TableFile.of_table(pa.table(columns))


class Memory(ClassifierMixin, BaseEstimator):
    """Answers as the nearest training row does."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.nearest_ = KNeighborsClassifier(1, algorithm="brute").fit(rows_of(X), y)
        return self

    def predict(self, X):
        return self.nearest_.predict(rows_of(X))


def rows_of(X):
    return np.column_stack([column.to_numpy() for column in X.columns])


def twice(n=120, seed=0, **more):
    """Return a table with every row twice; labels are noise."""
    rng = np.random.default_rng(seed)
    x, z = rng.normal(size=(2, n))
    y = rng.choice(["no", "yes"], n)
    places = rng.permutation(np.repeat(np.arange(n), 2))
    columns = {"x": x[places], "z": z[places], "y": y[places]}
    return table_of(**columns, **{name: column(2 * n) for name, column in more.items()})


def conditions(certificate):
    return {p.key: (p.status, p.evidence) for p in certificate.preconditions}


def certify(file, **options):
    return certify_table(file, target="y", learners=["MixedNaiveBayes"], **options)


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"id": np.arange},
        {"name": lambda n: [f"row {i}" for i in range(n)]},
        {"when": lambda n: pa.array(range(n), pa.timestamp("s"))},
        {"constant": lambda n: ["same"] * n},
    ],
)
def test_copies_stay_together_whatever_tells_rows_apart_that_is_not_used(more):
    problem = pose(twice(**more), target="y", holdout=0.2, seed=0, copies="together")
    assert problem.split.kind == "distinct"
    train, held_out = (
        {tuple(row) for row in rows_of(part.X)} for part in (problem.training, problem.held_out)
    )
    assert not train & held_out
    assert len(held_out) == 24  # of 120 distinct rows
    assert problem.copies.n_across == 0


def test_the_certificate_says_what_became_of_copies():
    run = certify(twice())
    found = conditions(run.certificate)
    assert run.certificate.method == "concentration.clopper_pearson"
    assert run.certificate.n == 24
    assert found["copies"][0] == "checked"
    assert found["copies"][1].startswith("120 of 240 rows are distinct")
    assert found["unseen"][0] == "by-construction"
    assert "where copies of a row count as one" in run.certificate.claim
    assert "copies of a row count as one, by their mean loss" in run.certificate.claim
    assert next(cards_of(run)).note.startswith("of the distinct rows held out, on average, are")
    assert run.warnings[0].endswith("on average over the distinct rows held out")
    assert any("say --copies independent" in warning for warning in run.warnings)
    run.certificate.verify()


@pytest.mark.parametrize(("group", "which"), [(None, "the copies of a row"), ("g", "each group")])
def test_a_quantile_of_errors_is_about_one_row_of_each_and_no_mean(group, which):
    """The certificate counted one row, drawn by the seed, and spoke of the mean loss of copies."""
    x = np.random.default_rng(0).normal(size=160)
    columns = {"x": np.tile(x, 2), "y": np.tile(2 * x, 2) + np.repeat([0.0, 0.1], 160)}
    file = table_of(**columns, g=[f"g{i}" for i in range(160)] * 2)
    options = {"drop": ["g"]} if group is None else {"group": group}
    run = certify_table(file, target="y", learners=["RidgeRegression"], **options)
    assert f"of {which} one" in run.certificate.claim
    assert "mean loss" not in run.certificate.claim
    assert run.certificate.n == 32
    seen = "one of the copies of each row" if group is None else "one row of each of the 32 groups"
    assert [c.note for c in cards_of(run)][1].endswith(f"seen on {seen} held out")


def test_a_figure_says_of_which_copies_its_bars_are():
    """What was observed is of one copy of each row, and stood there as the mean over all copies."""
    y = np.where(np.random.default_rng(0).random(400) < 0.5, "yes", "no")
    run = certify(table_of(x=np.tile(np.arange(200) + 0.5, 2), y=y), holdout=0.5)
    caption = next(figures.draw(run)).caption
    assert "Bars: on one of the copies of each of the 100 distinct rows held out" in caption
    assert "on average over them" in caption


def test_the_card_of_a_class_in_few_groups_counts_rows():
    """It said "wrong on 1 of 1 rows held out" of one group of five rows."""
    x, g = np.random.default_rng(1).normal(size=600), np.repeat(np.arange(120), 5)
    file = table_of(x=x, y=np.where(g % 20 == 0, "rare", "a"), g=[f"g{i}" for i in g])
    run = certify(file, group="g")
    n = 5 * run.by_class["rare"].n
    assert run.by_class["rare"].bound == 1.0
    card = next(c for c in cards_of(run) if c.label == "Worst class: rare")
    assert card.value == f"wrong on {n} of {n}"


def test_independent_copies_are_split_by_rows_and_assumed():
    run = certify(twice(), copies="independent")
    found = conditions(run.certificate)
    assert run.certificate.n == 48
    assert run.certificate.method == "concentration.clopper_pearson"
    assert found["unseen"][0] == found["copies"][0] == "assumed"
    assert f"{run.problem.copies.n_across} of them coincide" in found["unseen"][1]
    assert any("also stand in the training part" in warning for warning in run.warnings)


@pytest.mark.parametrize("role", ["group", "time"])
def test_copies_on_both_sides_of_groups_or_times_are_counted(role):
    file = twice(who=lambda n: np.arange(n) % 60)
    run = certify(file, **{role: "who"}, holdout=0.4)
    assert run.problem.split.kind == role
    assert run.problem.copies.n_across > 0
    found = conditions(run.certificate)
    assert found["unseen"][0] == found["copies"][0] == "assumed"


def test_distinct_rows_are_split_as_ever():
    x = RNG.normal(size=150)
    file = table_of(x=x, y=np.where(x > 0, "yes", "no"))
    run = certify(file)
    assert (run.problem.split.kind, run.problem.groups) == ("random", None)
    told = f"all 150 rows are distinct{ALSO_ROUNDED}"
    assert conditions(run.certificate)["copies"] == ("checked", told)
    before = pose(file, target="y", holdout=0.2, seed=0)  # as options without copies are read
    assert np.array_equal(before.split.holdout, run.problem.split.holdout)


def test_the_command_and_a_hold_out_split_copies_alike():
    file = twice()
    problem = pose(file, target="y", holdout=0.3, seed=4, copies="together")
    _, _, held_out = Holdout.split(rows_of(problem.X), problem.y, fraction=0.3, seed=4)
    assert np.array_equal(held_out.X, rows_of(problem.held_out.X))


def test_the_labels_do_not_count():
    x = np.repeat(RNG.normal(size=60), 2)
    file = table_of(x=x, y=["yes", "no"] * 60)
    assert understand(file, target="y").split.kind == "distinct"


def test_zeros_and_missing_cells_are_alike():
    x = np.append(np.tile([0.0, -0.0], 20), RNG.normal(size=160))
    w = ["a"] * 40 + [None, "b"] * 80
    problem = understand(table_of(x=x, w=w, y=["yes", "no"] * 100), target="y")
    assert problem.copies.n_rows - problem.copies.n_distinct == 39


def test_structural_risk_learns_from_distinct_rows():
    rng = np.random.default_rng(0)
    x = np.repeat(rng.normal(size=300), 2)
    y = np.where(x + np.repeat(rng.normal(size=300), 2) / 4 > 0, "yes", "no")
    run = certify_table(table_of(x=x, y=y), target="y", select="structural-risk")
    assert run.choice.bound.n == 240  # of 480 training rows
    assert run.certificate.n == 60


def sorted_copies(n=600):
    """Return rows twice, in the order of their labels; half of them have labels by chance."""
    rng = np.random.default_rng(0)
    x = np.tile(rng.uniform(size=n), 2)
    y = np.where((x > 0.5) & (rng.random(2 * n) < 0.5), "yes", "no")
    order = np.argsort(y, kind="stable")
    return table_of(x=x[order], y=y[order])


def test_structural_risk_draws_one_of_copies_that_differ_in_their_target():
    """It took the first of the table, whose target was the first word: 14% for a model of 25%."""
    options = {"target": "y", "select": "structural-risk"}
    bound = certify_table(sorted_copies(), **options).choice.bound
    assert bound.n == 480
    assert abs(bound.observed - 0.25) < 0.07
    status, drawn = conditions(bound)["independent"]
    assert (status, drawn.partition(";")[0]) == ("assumed", "one of the copies of each row")
    with first_of_each_copy():
        assert certify_table(sorted_copies(), **options).choice.bound.observed < 0.15


def test_copies_of_which_one_class_is_drawn_are_no_traceback_after_the_look():
    """A rule of one class was certified, and its report ended in a traceback."""
    x, y = np.tile([1.5, 2.5, 3.5, 4.5], 50), np.repeat(["no", "yes"], [198, 2])
    options = {"target": "y", "select": "structural-risk", "holdout": 0.5}
    with pytest.raises(TableError, match="all that were drawn have the target no"):
        certify_table(table_of(x=x, y=y), **options)


def test_a_run_that_learnt_from_the_first_copies_is_made_again():
    file, options = sorted_copies(), {"target": "y", "select": "structural-risk"}
    with first_of_each_copy():
        certificate = certify_table(file, **options).certificate
    recorded = Recorded(file, dict(certificate.reproduce["options"]))
    findings = list(check_retrained(certificate, recorded, None, None))
    assert [finding.name for finding in findings if not finding.holds] == []


def test_a_row_with_many_copies_is_sampled_no_more_often_than_others(monkeypatch):
    """Rows were sampled first, so that those with many copies stood in nearly every sample."""
    monkeypatch.setattr("surelearn.app.choosing.training.MOST_CELLS", 200)
    monkeypatch.setattr("surelearn.app.choosing.training.FEWEST_ROWS", 200)
    x = np.append(np.repeat(np.arange(100) + 0.5, 9), np.arange(900) + 200.5)
    y = np.where(np.random.default_rng(0).random(1800) < 0.5, "yes", "no")
    problem = pose(table_of(x=x, y=y), target="y", holdout=0.2, seed=0, copies="together")
    shown = to_compare_on(one_of_each_copy(problem)).training.X.column("x").to_numpy()
    assert len(shown) == 200
    assert np.count_nonzero(shown < 200) < 50  # a tenth of the distinct rows
    told = str(training_notes(problem, None)[0])
    assert "compared on 200 of the 800 distinct training rows" in told


def with_a_number(n=400):
    """Return rows of two words with a number in gaps: no row number to those that train alone."""
    rng = np.random.default_rng(0)
    number = np.sort(rng.choice(int(1.8 * n), n, replace=False))
    words = {name: [f"{name}{i}" for i in rng.integers(0, 9, n)] for name in "ab"}
    return table_of(patient=number, **words, y=rng.choice(["no", "yes"], n))


def test_rows_that_the_model_tells_apart_are_not_called_copies():
    """Rows of one pair of words counted as one, and the claim said that they were copies."""
    told = "'patient': among all rows .* like row numbers, .* --keep patient or --drop patient"
    with pytest.raises(TableError, match=told):
        certify(with_a_number())
    kept = certify(with_a_number(), keep=["patient"])
    assert (kept.problem.split.kind, kept.certificate.n) == ("random", 80)
    forget()
    dropped = certify(with_a_number(), drop=["patient"]).problem
    assert (dropped.split.kind, dropped.copies.n_distinct) == ("distinct", 81)


def test_few_distinct_rows_prove_little_and_what_to_do_is_said():
    x = np.arange(400) % 40 + 0.5
    file = table_of(x=x, y=np.where(x > 20, "yes", "no"))
    run = certify(file)
    assert run.certificate.n == 8
    assert run.certificate.bound > 0.3
    assert any("say --copies independent" in warning for warning in run.warnings)
    forget()
    assert certify(file, copies="independent").certificate.bound < 0.1
    with pytest.raises(TableError, match="together or independent, not 'apart'"):
        certify(file, copies="apart")


def test_too_few_distinct_rows_for_a_limit_on_errors_are_refused_with_what_to_do():
    x = np.arange(400) % 40 + 0.5
    file = table_of(x=x, y=x * 1.1)
    with pytest.raises(TableError, match=r"8 distinct rows, and 29 are needed.*--copies indep"):
        certify_table(file, target="y", learners=["RidgeRegression"])


def refuted(n_false, n):
    return stats.binomtest(n_false, n, DELTA, alternative="greater").pvalue <= LEVEL


def test_every_row_twice_is_certified_truly(repetitions):
    n_false, n = 0, repetitions // 20
    for seed in range(n):
        problem = pose(twice(seed=seed), target="y", holdout=0.2, seed=seed, copies="together")
        certificate = ask(problem, Memory().fit(*problem.training), delta=DELTA).certificate
        n_false += certificate.status == "valid" and certificate.bound < 0.5
    assert not refuted(n_false, n)


def test_calling_every_copy_a_draw_would_be_caught():
    """The control: what was done before copies were looked at."""
    n_false = 0
    for seed in range(15):
        problem = pose(twice(seed=seed), target="y", holdout=0.2, seed=seed, copies="independent")
        certificate = ask(problem, Memory().fit(*problem.training), delta=DELTA).certificate
        n_false += certificate.bound < 0.5
    assert refuted(n_false, 15)


def test_the_best_of_twenty_looks_at_one_table_is_certified_truly(repetitions):
    """Labels are noise: whoever looks again until a bound is small gets void certificates."""
    n_false, n = 0, repetitions // 20
    for draw in range(n):
        rng = np.random.default_rng(draw)
        x, y = rng.normal(size=(2, 100)), rng.choice(["no", "yes"], 100)
        file = table_of(a=x[0], b=x[1], y=y)
        problem = pose(file, target="y", holdout=0.4, seed=draw, copies="together")
        issued = [look_at(file, problem, rng.normal(size=2)) for _ in range(20)]
        assert [c.status for c in issued].count("void") == 19
        n_false += min(c.bound for c in issued if c.status != "void") < 0.5
    assert not refuted(n_false, n)


def look_at(file, problem, weights):
    """Certify a model as `certify_table` does, without choosing among learners."""
    model = Line(weights)
    entry = enter_look(PROCESS, file, problem, "Line", {"delta": DELTA}, model)
    return ask(problem, model, delta=DELTA, entry=entry).certificate


class Line:
    """Answers by the side of a line."""

    def __init__(self, weights):
        self.weights = weights

    def predict(self, X):
        return np.where(rows_of(X) @ self.weights > 0.0, "yes", "no")


def test_categories_and_classes_that_training_has_not_seen_are_certified_truly(repetitions):
    """Words and classes are many and rare, so that some stand in the hold-out only."""
    n_false, n, unseen = 0, repetitions // 20, 0
    for seed in range(n):
        rng = np.random.default_rng(seed)
        file = worded(rng, 200)
        problem = pose(file, target="y", holdout=0.3, seed=seed, copies="together")
        model = Commonest().fit(*problem.training)
        certificate = ask(problem, model, delta=DELTA).certificate
        unseen += len(set(problem.held_out.y) - set(problem.training.y)) > 0
        fresh = pose(worded(rng, 4000), target="y", holdout=0.5, seed=0, copies="independent")
        risk = (model.predict(fresh.X) != fresh.y).mean()
        n_false += certificate.bound < risk - 0.02  # less than 4,000 rows can be mistaken by
    assert unseen > 0
    assert not refuted(n_false, n)


def worded(rng, n):
    """Return a table of words, some of them unique, and of classes, each with two rows or more."""
    words = [f"w{k}" for k in rng.geometric(0.1, size=n)]
    labels = rng.geometric(0.3, size=n)
    kept = np.bincount(labels)[labels] > 1
    columns = {"x": rng.normal(size=n), "w": words, "y": [f"c{k}" for k in labels]}
    return TableFile.of_table(pa.table(columns).filter(pa.array(kept)))


class Commonest(ClassifierMixin, BaseEstimator):
    """Answers by the commonest class of a word; of a new word, by that of all rows."""

    def fit(self, X, y):
        words = X.column("w").to_pylist()
        self.overall_ = Counter(y).most_common(1)[0][0]
        found = {word: Counter(y[[w == word for w in words]]) for word in set(words)}
        self.of_word_ = {word: counts.most_common(1)[0][0] for word, counts in found.items()}
        return self

    def predict(self, X):
        return np.array([self.of_word_.get(w, self.overall_) for w in X.column("w").to_pylist()])
