"""Learners on the training rows: choices, nested estimates of them, and what cannot be tried."""

import math
import warnings

import numpy as np
import pyarrow as pa
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from surelearn.app.certify import certify_table, pose
from surelearn.app.choosing.choice import attempt
from surelearn.app.choosing.nested import choose_by_nesting, interval_around
from surelearn.app.errors import TableError
from surelearn.app.tables.read import TableFile, read_table_file
from surelearn.evaluate.cross_validation import cross_validate
from surelearn.learners.bayes.mixed_naive_bayes import MixedNaiveBayes

GOOD = {"": MixedNaiveBayes()}


def table_of(**columns):
    return TableFile.of_table(pa.table(columns))


def noisy(n=300, seed=0, **more):
    """Return a table in which x tells the label, but not always."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    y = np.where(x + 0.5 * rng.normal(size=n) > 0, "yes", "no")
    return table_of(x=x, noise=rng.normal(size=n), y=y, **more)


def posed(file, **options):
    return pose(file, target="y", **{"holdout": 0.2, "seed": 0, **options})


class Saying(ClassifierMixin, BaseEstimator):
    """Says the same of every row; may fail, or warn, when it is fitted."""

    def __init__(self, *, word="yes", error="", warning=""):
        self.word, self.error, self.warning = word, error, warning

    def fit(self, X, y):  # noqa: ARG002
        if self.error:
            raise ValueError(self.error)
        if self.warning:
            warnings.warn(self.warning, stacklevel=1)
        return self

    def predict(self, X):
        return np.full(X.num_rows, self.word)


class TestTheChoice:
    def test_the_least_estimate_wins_and_the_lines_say_how_all_did(self, pets_run):
        choice = pets_run[1].choice
        learners = choice.lines[:-2]
        estimates = [line.numbers[0] for line in learners]
        assert estimates == sorted(estimates)
        assert [line.chosen for line in choice.lines] == [True, False, False, False]
        assert choice.lines[0].name == choice.name
        assert [line.note for line in choice.lines[-2:]] == [
            "all together",
            "for comparison",
        ]
        assert choice.lines[-2].numbers[1] == choice.nested.estimate
        assert "in 5 stratified folds, on the training rows alone" in choice.sentence
        assert "None of these numbers is a certificate" in choice.sentence
        assert "no certificate" in choice.title
        assert "an estimate, not a guarantee" in choice.beforehand

    def test_settings_of_a_learner_are_tuned_inside_and_the_winners_estimate_is_smaller(self):
        # Thirty settings that guess: the best seems to know something; nested, it does not.
        rng = np.random.default_rng(1)
        file = table_of(**{f"x{i}": rng.normal(size=80) for i in range(30)}, y=["yes", "no"] * 40)

        class Sign(Saying):
            def predict(self, X):
                return np.where(X.column(self.word).to_numpy() > 0, "yes", "no")

        guesses = {f"x{i}": Sign(word=f"x{i}") for i in range(30)}
        choice = choose_by_nesting(posed(file), {"Sign": guesses}, seed=0)
        estimate, nested, _ = choice.lines[0].numbers
        assert estimate < 0.45 < nested
        assert nested == choice.nested.estimate  # there is no other learner
        assert choice.warnings[0].startswith(
            "the winner is not expected to beat always answering the commonest class"
        )

    def test_the_estimate_is_that_of_a_plain_cross_validation(self):
        problem = posed(noisy())
        choice = choose_by_nesting(problem, {"bayes": GOOD}, seed=3)
        rows = problem.split.train
        plain = cross_validate(
            MixedNaiveBayes(), problem.X.take(rows), problem.y[rows], random_state=3
        )
        assert choice.lines[0].numbers[:2] == (plain.estimate, plain.estimate)
        reach = 1.959964 * plain.losses.std() / math.sqrt(plain.n)
        assert choice.lines[0].numbers[2] == pytest.approx(reach)
        assert "was the only way to learn that was tried" in choice.sentence

    def test_a_learner_with_growing_settings_that_could_not_be_trained_is_told(self):
        # As where a class has three rows: folds without it are nothing to some learners.
        failing = {f"C = {c}": Saying(error="y has one class") for c in (1, 2, 3, 4)}
        tried = {"bayes": GOOD, "LogisticRegression": failing}
        choice = choose_by_nesting(posed(noisy()), tried, seed=0)
        assert choice.name == "bayes"
        assert any("y has one class" in line.note for line in choice.lines)
        assert choice.at_the_edge == ()

    def test_who_looks_on_hears_of_every_learner(self):
        heard = []
        choose_by_nesting(
            posed(noisy()),
            {"bayes": GOOD, "word": {"yes": Saying(), "no": Saying(word="no")}},
            seed=0,
            on_trial=lambda trial, done, total: heard.append(
                (trial.name, trial.score, done, total)
            ),
        )
        assert [name for name, *_ in heard] == ["bayes", "word"]
        assert [(done, total) for *_, done, total in heard] == [(1, 2), (2, 2)]
        assert heard[0][1] < heard[1][1]

    @pytest.mark.usefixtures("three_folds")
    def test_the_same_seed_gives_the_same_choice(self):
        few = ("MixedNaiveBayes", "RandomForestClassifier")
        file = noisy()
        lines = [
            [
                (line.name, line.numbers)
                for line in certify_table(file, target="y", seed=4, learners=few).choice.lines
            ]
            for _ in range(2)
        ]
        assert repr(lines[0]) == repr(lines[1])


class TestWhatCannotBeTried:
    def test_a_learner_that_fails_is_told_and_the_others_go_on(self):
        candidates = {"bad": {"": Saying(error="no\nand more")}, "good": GOOD}
        choice = choose_by_nesting(posed(noisy()), candidates, seed=0)
        assert choice.name == "good"
        failed = next(line for line in choice.lines if line.name == "bad")
        assert failed.note == "the model could not be fitted without fold 1: no"
        assert all(math.isnan(number) for number in failed.numbers)

    def test_a_setting_that_fails_leaves_the_others_of_its_learner(self):
        settings = {"few": Saying(error="too few rows"), "any": Saying()}
        choice = choose_by_nesting(posed(noisy()), {"word": settings}, seed=0)
        assert choice.name == "word (any)"
        assert choice.lines[0].note.startswith("few: the model could not be fitted")

    def test_if_nothing_can_be_tried_there_is_one_sentence(self):
        with pytest.raises(TableError, match="no learner could be trained: the model"):
            choose_by_nesting(posed(noisy()), {"bad": {"": Saying(error="no")}}, seed=0)

    def test_warnings_of_learners_are_kept_as_notes(self):
        slow = {"": Saying(warning="it did not converge")}
        choice = choose_by_nesting(posed(noisy()), {"slow": slow}, seed=0)
        assert choice.lines[0].note == "it did not converge"

    def test_a_bug_is_not_hidden(self):
        with pytest.raises(AttributeError):
            attempt(lambda: "".nothing)


class TestWhoCannotBeatAConstant:
    def test_is_told(self):
        rng = np.random.default_rng(0)
        file = table_of(x=rng.normal(size=200), y=["yes"] * 160 + ["no"] * 40)
        run = certify_table(file, target="y", learners=["C45Classifier"])
        assert any(
            w.startswith("the winner is not expected to beat always answering the commonest")
            for w in run.warnings
        )

    def test_for_numbers_too(self):
        rng = np.random.default_rng(0)
        file = table_of(x=rng.normal(size=300), y=rng.normal(size=300))
        run = certify_table(file, target="y", learners=["CARTRegressor"])
        assert any(
            w.startswith("the winner is not expected to beat always answering the median")
            for w in run.warnings
        )


class TestFolds:
    def test_a_class_too_rare_for_stratified_folds_is_no_obstacle(self):
        rng = np.random.default_rng(0)
        x = rng.normal(size=203)
        y = np.where(x > 0, "yes", "no").astype("<U5")
        y[:3] = "maybe"
        run = certify_table(table_of(x=x, y=y), target="y", learners=["MixedNaiveBayes"])
        assert run.choice.nested.outer.scheme == "plain folds"

    def test_groups_count_alike_and_stay_together(self):
        who = np.r_[np.zeros(100), np.arange(1, 101)].astype(int)
        y = np.where(who == 0, "no", "yes")
        problem = posed(table_of(x=np.arange(200) % 7, who=who, y=y), group="who", seed=1)
        assert 0 in problem.groups[problem.split.train]
        choice = choose_by_nesting(problem, {"word": {"": Saying()}}, seed=0)
        outer, groups = choice.nested.outer, problem.groups[problem.split.train]
        together = [set(groups[fold.test].tolist()) for fold in outer.folds]
        assert sum(map(len, together)) == len(set.union(*together))
        assert outer.losses.sum() == 100
        interval = interval_around(problem, choice.nested)
        n_groups = len(np.unique(groups))
        assert interval.estimate == pytest.approx(1 / n_groups)  # one group of 81 is always wrong
        assert choice.nested.estimate < 0.02
        assert interval.method == f"Wald over {n_groups} groups"
        assert "Each group counts alike." not in choice.sentence  # nothing was compared

    def test_later_rows_are_answered_by_what_did_best_before_and_have_no_interval(self):
        file = noisy(day=np.random.default_rng(5).permutation(300))
        problem = posed(file, time="day")
        candidates = {"bayes": GOOD, "word": {"": Saying()}}
        choice = choose_by_nesting(problem, candidates, seed=0)
        assert "after the parts before it (bayes 4×)" in choice.sentence
        assert math.isnan(choice.lines[0].numbers[2])
        assert "interval" not in choice.beforehand

    def test_without_a_loss_there_is_nothing_to_tell_an_interval_from(self):
        file = table_of(x=[0.0, 1.0] * 100, y=["no", "yes"] * 100)
        choice = choose_by_nesting(posed(file), {"bayes": GOOD}, seed=0)
        assert choice.nested.estimate == 0.0
        assert math.isnan(choice.lines[0].numbers[2])


def test_small_numbers_of_rows_leave_out_what_they_cannot_feed(tmp_path):
    path = tmp_path / "few.csv"
    rows = [f"{i % 9},{'yes' if i % 9 > 4 else 'no'}" for i in range(36)]
    path.write_text("\n".join(["x,y", *rows]), encoding="utf-8")
    run = certify_table(
        read_table_file(path), target="y", holdout=0.4, learners=["NearestNeighborsClassifier"]
    )
    assert "k = 25: the model could not be fitted" in run.choice.lines[0].note
    assert run.name != "NearestNeighborsClassifier (k = 25)"
