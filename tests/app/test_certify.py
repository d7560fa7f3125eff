"""From a table to a certified model: the hold-out is asked once, and knows nothing beforehand."""

import math
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin

from surelearn.app.certify import ask, certify_choice, certify_table, pose
from surelearn.app.choosing import nested
from surelearn.app.choosing.nested import choose_by_nesting
from surelearn.app.choosing.rule_classes import Rules
from surelearn.app.choosing.structural import choose_by_structural_risk
from surelearn.app.errors import TableError
from surelearn.app.output import write_run
from surelearn.app.problem import rows
from surelearn.app.problem.problem import understand
from surelearn.app.problem.split import split
from surelearn.app.tables.read import TableFile, read_table_file
from surelearn.base import fingerprint
from surelearn.bounds import concentration
from surelearn.certificate import joint_delta
from surelearn.datasets.worlds import Noisy
from surelearn.evaluate._holdout_draws import ALSO_ROUNDED
from surelearn.evaluate.holdout import Holdout
from surelearn.evaluate.rule_class import RuleClass
from surelearn.learners.bayes.mixed_naive_bayes import MixedNaiveBayes
from surelearn.persistence.model_files import save_model

pytestmark = pytest.mark.usefixtures("no_ink")

LEVEL = 1e-4  # of the binomial tests below: how often a correct library fails one


def table_of(**columns):
    return TableFile(Path("made.csv"), pa.table(columns), (), "no file")


class Direction(ClassifierMixin, BaseEstimator):
    """The sign of an inner product with the mean of the rows times their signs, on some columns."""

    def __init__(self, *, columns=(0,)):
        self.columns = columns

    def fit(self, X, y):
        Z, signs = rows_of(X), np.where(y == "yes", 1.0, -1.0)
        self.classes_, self.weights_ = np.unique(y), np.zeros(Z.shape[1])
        self.weights_[list(self.columns)] = (signs @ Z)[list(self.columns)]
        return self

    def predict(self, X):
        return np.where(rows_of(X) @ self.weights_ > 0.0, "yes", "no")


def rows_of(X):
    return np.column_stack([column.to_numpy() for column in X.columns])


class TestWhatIsClaimed:
    def test_the_claim_states_the_bound_and_what_it_is_about(self, pets_run):
        certificate = pets_run[1].certificate
        errors, n = (certificate.reproduce["inputs"][name] for name in ("errors", "n"))
        bound = concentration.clopper_pearson(errors=errors, n=n, delta=0.05).bound
        assert certificate.bound == bound
        assert n == 60
        assert certificate.status == "valid"
        assert f"at most {math.ceil(bound * 1e4) / 100:.2f}% of new rows." in certificate.claim
        assert "about new rows drawn from the same population" in certificate.claim

    def test_only_the_draw_of_the_rows_and_what_others_asked_is_assumed(self, pets_run):
        conditions = pets_run[1].certificate.preconditions
        statuses = {p.key: p.status for p in conditions}
        assert statuses == {
            "independent": "assumed",
            **dict.fromkeys(
                ("unseen", "blind_split", "row_by_row", "untouched"), "by-construction"
            ),
            "copies": "checked",
            "not_chosen_by_them": "assumed",
        }
        assert [p.evidence for p in conditions if p.key == "copies"] == [
            f"all 240 rows are distinct{ALSO_ROUNDED}"
        ]

    def test_certificates_by_class_share_delta(self, pets_run):
        _, run = pets_run
        by_class = run.by_class
        assert list(by_class) == ["cat", "dog"]
        assert math.isclose(joint_delta(*by_class.values()), 0.05)
        assert sum(c.n for c in by_class.values()) == run.certificate.n
        for label, certificate in by_class.items():
            assert "for all 2 classes together" in certificate.claim
            assert certificate.claim.endswith(f"of new rows of class {label}.")
            assert certificate.family.delta_spent == 0.025
            certificate.verify()

    def test_missing_targets_narrow_the_claim(self):
        rng = np.random.default_rng(0)
        x = rng.normal(size=200)
        y = [None if i % 10 == 0 else "ab"[int(x[i] > 0)] for i in range(200)]
        run = certify_table(table_of(x=x, y=y), target="y", learners=["MixedNaiveBayes"])
        assert run.problem.dropped_rows == 20
        assert "Rows whose target is missing are not meant" in run.certificate.claim

    def test_a_regression_is_certified_by_the_size_of_its_errors(self):
        rng = np.random.default_rng(0)
        x = rng.normal(size=300)
        file = table_of(x=x, y=2.0 * x + rng.normal(size=300))
        run = certify_table(file, target="y", learners=["RidgeRegression"])
        assert run.certificate.kind == "quantile"
        assert "at least 90% of new rows have an absolute error of at most" in run.certificate.claim
        assert run.by_class == {}
        assert 1.2 < run.certificate.bound < 3.0  # the 0.9 quantile of |N(0, 1)| is 1.64


class TestGroupsAndTime:
    def test_whole_groups_are_held_out_and_each_counts_once(self, pets):
        file = read_table_file(pets)
        run = certify_table(
            file, target="kind", group="owner", holdout=0.5, learners=["MixedNaiveBayes"]
        )
        certificate = run.certificate
        assert certificate.n == 40  # of 80 owners
        assert "of the rows of a new group, on average over groups" in certificate.claim
        for issued in (certificate, *run.by_class.values()):
            names = [p.name for p in issued.preconditions]
            assert len(set(names)) == len(names)
            drawn = next(p for p in issued.preconditions if p.name.endswith("same expectation"))
            assert drawn.evidence == "groups of one population, each drawn independently"
            assert issued.preconditions[0].status == "by-construction"  # a rate lies in [0, 1]
        assert certificate.reproduce["model"] == fingerprint(run.model)
        assert len(certificate.reproduce["inputs"]["losses"]) == 40
        certificate.verify()

    def test_each_class_is_certified_by_the_groups_that_have_rows_of_it(self, pets):
        file = read_table_file(pets)
        run = certify_table(
            file, target="kind", group="owner", holdout=0.5, learners=["MixedNaiveBayes"]
        )
        problem, by_class = run.problem, run.by_class
        assert math.isclose(joint_delta(*by_class.values()), 0.05)
        held_out = problem.split.holdout
        wrong = run.model.predict(problem.X.take(held_out)) != problem.y[held_out]
        for label, certificate in by_class.items():
            rows = problem.y[held_out] == label
            owners = problem.groups[held_out][rows]
            rates = [wrong[rows][owners == owner].mean() for owner in np.unique(owners)]
            assert certificate.n == len(rates) < 40
            assert certificate.observed == pytest.approx(np.mean(rates))
            assert f"rows of class {label} in a new group that has some" in certificate.claim
            certificate.verify()

    def test_large_groups_do_not_count_more(self):
        n_small, n_large = 60, 2000
        groups = np.r_[np.zeros(n_large), np.arange(1, n_small + 1)].astype(int)
        x = np.random.default_rng(0).normal(size=len(groups))
        y = np.where(x > 0, "yes", "no")
        y[groups == 0] = np.where(x[groups == 0] > 0, "no", "yes")  # the large group is contrary
        problem = understand(
            table_of(x=x, who=groups, y=y),
            target="y",
            group="who",
            cut=lambda n, **_: split(n, holdout=0.8, seed=0, groups=groups),
        )
        assert 0 in problem.groups[problem.split.holdout]
        model = Direction().fit(pa.table({"x": [-1.0, 1.0]}), np.array(["no", "yes"]))
        certificate = ask(problem, model, delta=0.05).certificate
        assert certificate.observed == pytest.approx(1 / certificate.n)

    def test_of_each_group_a_regression_asks_about_one_row(self):
        rng = np.random.default_rng(0)
        who = np.repeat(np.arange(100), 4)
        x = rng.normal(size=400)
        file = table_of(x=x, who=who, y=x + rng.normal(size=400))
        run = certify_table(
            file, target="y", group="who", holdout=0.4, learners=["RidgeRegression"]
        )
        assert run.certificate.n == 40
        assert "of new groups" in run.certificate.claim
        assert run.certificate.preconditions[0].evidence.startswith("one row of each group; ")

    def test_the_last_rows_are_held_out_and_the_folds_follow_time(self, monkeypatch):
        rng = np.random.default_rng(0)
        day, x = rng.permutation(300), rng.normal(size=300)
        file = table_of(x=x, day=day, y=np.where(x > 0, "yes", "no"))
        asked = []
        real = nested.try_learner

        def spy(name, settings, problem, *, seed):
            asked.append(problem.training[0].column("x").to_numpy())
            return real(name, settings, problem, seed=seed)

        monkeypatch.setattr(nested, "try_learner", spy)
        run = certify_table(file, target="y", time="day", learners=["MixedNaiveBayes"])
        assert day[run.problem.split.holdout].min() == 240
        assert np.array_equal(asked[0], x[np.argsort(day)][:240])
        assert "parts that follow each other in time" in run.choice.nested.outer.scheme
        assert "about rows of the time after the training part" in run.certificate.claim
        assert run.certificate.preconditions[2].evidence == "the last rows, by their time alone"


class TestHonesty:
    def test_the_hold_out_is_asked_once(self, pets, monkeypatch):
        asked = []
        real = Holdout.answer
        monkeypatch.setattr(
            Holdout, "answer", lambda self, model: (asked.append(model), real(self, model))[1]
        )
        run = certify_table(
            read_table_file(pets), target="kind", learners=["MixedNaiveBayes", "C45Classifier"]
        )
        assert len(asked) == 1
        assert asked[0] is run.model
        assert (run.certificate.family.query, run.certificate.family.n_models) == (1, 1)

    def test_no_learner_is_fitted_or_tried_on_a_row_held_out(self, pets):
        file = read_table_file(pets)
        problem = pose(file, target="kind", holdout=0.2, seed=3, keep=("visit",))
        held_out = set(problem.X.column("visit").take(problem.split.holdout).to_pylist())
        seen, asked = [], []

        class Watching(ClassifierMixin, BaseEstimator):
            def fit(self, X, y):
                seen.extend(X.column("visit").to_pylist())
                self.classes_ = np.unique(y)
                return self

            def predict(self, X):
                if not asked:  # the hold-out may be asked row by row, once a model is chosen
                    seen.extend(X.column("visit").to_pylist())
                return np.full(X.num_rows, self.classes_[0])

        choice = choose_by_nesting(problem, {"watching": {"": Watching()}}, seed=0)
        asked.append(choice)
        certify_choice(problem, choice, delta=0.05, seed=0)
        assert len(set(seen)) == 192
        assert not held_out & set(seen)

    @pytest.mark.parametrize("select", ["nested", "structural-risk"])
    @pytest.mark.usefixtures("three_folds")
    def test_the_model_is_the_same_whatever_the_hold_out_holds(self, pets, tmp_path, select):
        lines = pets.read_text(encoding="utf-8").splitlines()
        held_out = split(len(lines) - 1, holdout=0.2, seed=0).holdout
        for i, row in enumerate(held_out):
            kind = ["cat", "dog"][i % 2]
            weight = -5 if i % 3 else "heavy"
            lines[row + 1] = f"unheard{i},{10_000 + i},{weight},violet{i},{i}.5,{kind}"
        other = tmp_path / "pets.csv"
        other.write_text("\n".join(lines) + "\n", encoding="utf-8")
        written = []
        few = ("LogisticRegression", "C45Classifier", "GradientBoostingClassifier")
        tried = few if select == "nested" else ()
        for path in (pets, other):
            file = read_table_file(path)
            run = certify_table(file, target="kind", select=select, drop=("owner",), learners=tried)
            target = tmp_path / f"{len(written)}.surelearn"
            save_model(run.model, target, schema=run.problem.schema, metadata={"name": run.name})
            said = [(line.name, line.numbers, line.note) for line in run.choice.lines]
            written.append((target.read_bytes(), repr(said), run.choice.beforehand))
        assert written[0] == written[1]

    def test_the_same_seed_gives_the_same_certificate_and_another_one_another(self, pets):
        file = read_table_file(pets)

        def certificate(seed):
            return certify_table(file, target="kind", seed=seed, learners=["MixedNaiveBayes"])

        first = certificate(5).certificate
        assert first.to_json() == certificate(5).certificate.to_json()
        assert first.reproduce["data"] != certificate(6).certificate.reproduce["data"]

    @pytest.mark.parametrize("group", [None, "owner"])
    def test_the_hold_out_is_predicted_once_for_all_certificates_and_the_report(
        self, pets, tmp_path, monkeypatch, group
    ):
        predicted = []
        real = MixedNaiveBayes.predict

        def spy(self, X):
            predicted.append(X.column("visit").to_pylist())
            return real(self, X)

        monkeypatch.setattr(MixedNaiveBayes, "predict", spy)
        file = read_table_file(pets)
        asked = {"learners": ["MixedNaiveBayes"], "keep": ("visit",), "group": group}
        run = certify_table(file, target="kind", holdout=0.4, **asked)
        write_run(run, file, tmp_path / "out")
        held_out = run.problem.held_out.X.column("visit").to_pylist()
        assert [visits for visits in predicted if set(visits) & set(held_out)] == [held_out]
        assert len(predicted) > 1  # training rows were predicted, too: the spy sees

    @pytest.mark.parametrize("select", ["nested", "structural-risk"])
    def test_the_training_rows_are_taken_once(self, pets, tmp_path, monkeypatch, select):
        taken = []
        real = rows.take_rows

        def spy(table, places):
            taken.append(places.tolist())
            return real(table, places)

        monkeypatch.setattr(rows, "take_rows", spy)
        file = read_table_file(pets)
        learners = ["MixedNaiveBayes", "LogisticRegression"]
        run = certify_table(
            file, target="kind", select=select, learners=learners, drop=("owner", "visit")
        )
        write_run(run, file, tmp_path / "out")
        split = run.problem.split
        assert taken.count(split.train.tolist()) == taken.count(split.holdout.tolist()) == 1
        assert len(taken) == 2  # nothing else was taken, not even for the figures


class TestTooFewRows:
    def test_classes(self):
        file = table_of(x=[0.5, 1.5, 2.5, 3.5] * 6, y=["a", "b"] * 12)
        with pytest.raises(TableError) as refused:
            certify_table(file, target="y")
        assert str(refused.value) == (
            "the hold-out has 5 rows, and 11 are needed to certify an error rate of at most 25%, "
            "even if none of them is wrong: give 55 rows or more, or a larger --holdout"
        )

    def test_numbers(self):
        rng = np.random.default_rng(0)
        file = table_of(x=rng.normal(size=100), y=rng.normal(size=100))
        with pytest.raises(TableError, match="29 are needed to certify a limit on 90% of the err"):
            certify_table(file, target="y")
        run = certify_table(file, target="y", holdout=0.29, learners=["RidgeRegression"])
        assert run.certificate.status == "valid"  # and 29 are enough

    def test_groups(self, pets):
        with pytest.raises(TableError, match="16 groups, and 19 are needed"):
            certify_table(read_table_file(pets), target="kind", group="owner")


@pytest.mark.parametrize(
    ("rules", "sentence"),
    [
        ({"delta": 0.0}, "delta must lie between 0 and 1, not 0"),
        ({"delta": math.nan}, "delta must lie between 0 and 1, not nan"),
        ({"holdout": 1.0}, "the hold-out must be a fraction between 0 and 1, not 1"),
        ({"select": "best"}, "no selection 'best'; there are nested, structural-risk"),
        ({"seed": -1}, "the seed must be a number from 0 to 4294967295, not -1"),
        ({"learners": ["C45Clasifier"]}, "no learner 'C45Clasifier'.*did you mean C45Classifier"),
        ({"learners": ["RidgeRegression"]}, "no learner 'RidgeRegression' for classification"),
    ],
)
def test_rules_that_make_no_sense_are_refused(pets, rules, sentence):
    with pytest.raises(TableError, match=sentence):
        certify_table(read_table_file(pets), target="kind", **rules)


@pytest.fixture(
    params=[pytest.param(40, id="fast"), pytest.param(1333, id="slow", marks=pytest.mark.slow)]
)
def repetitions(request):
    """How often a whole run is repeated: a bound that fails a third of the time is condemned."""
    return request.param


class TestCoverage:
    """In a world whose risks are known, what is printed is false at most a fraction delta."""

    WORLD = Noisy(n_features=4, bayes_risk=0.1)
    DELTA = 0.1

    def draw(self, seed):
        X, signs = self.WORLD.draw(200, seed=seed)
        columns = {f"x{i}": X[:, i] for i in range(4)}
        file = table_of(**columns, y=np.where(signs > 0, "yes", "no"))
        return understand(file, target="y", cut=partial(split, holdout=0.3, seed=seed))

    @pytest.mark.usefixtures("three_folds")
    def test_the_printed_bound_fails_at_most_delta_with_selection_included(self, repetitions):
        candidates = {
            f"{len(columns[0])} columns": {str(c): Direction(columns=c) for c in columns}
            for columns in ([(0, 3)], [(0, 1, 2), (1, 2, 3)])
        }
        failed, failed_by_class, winners, nested = 0, 0, set(), []
        for seed in range(repetitions):
            problem = self.draw(seed)
            choice = choose_by_nesting(problem, candidates, seed=seed)
            run = certify_choice(problem, choice, delta=self.DELTA, seed=seed)
            risk = self.WORLD.risk(run.model.weights_)  # by symmetry also that of each class
            failed += run.certificate.bound < risk
            failed_by_class += any(c.bound < risk for c in run.by_class.values())
            winners.add(run.name)
            nested.append((choice.nested.estimate - risk, choice.lines[0].numbers[0] - risk))
        assert len(winners) > 1  # a choice was made
        for count in (failed, failed_by_class):
            test = stats.binomtest(count, repetitions, self.DELTA, alternative="greater")
            assert test.pvalue > LEVEL
        assert failed > 0  # a bound that never fails would be loose
        honest, winners_own = np.mean(nested, axis=0)
        assert winners_own < honest < 0.02  # the winner's estimate is the smaller one

    def test_both_bounds_of_structural_risk_fail_at_most_delta_with_selection_included(
        self, repetitions
    ):
        rules = {
            str(c): Rules(RuleClass(model=Direction(columns=c), affine_features=len(c)), 0.25)
            for c in [(0,), (0, 1, 2), (0, 1, 2, 3)]
        }
        failed, failed_before, winners = 0, 0, set()
        for seed in range(repetitions):
            problem = self.draw(seed)
            choice = choose_by_structural_risk(problem, rules, delta=self.DELTA)
            run = certify_choice(problem, choice, delta=self.DELTA, seed=seed)
            risk = self.WORLD.risk(run.model.weights_)
            failed += run.certificate.bound < risk
            failed_before += choice.bound.bound < risk
            winners.add(run.name)
        assert len(winners) > 1
        for count in (failed, failed_before):
            test = stats.binomtest(count, repetitions, self.DELTA, alternative="greater")
            assert test.pvalue > LEVEL

    def test_the_bound_for_groups_fails_at_most_delta_where_large_groups_are_hard(
        self, repetitions
    ):
        failed, failed_by_class, observed_below, truth = 0, 0, 0, 0.2
        has_rows = np.array([1 - 0.5**9, 1 - 0.5**3])  # of a class: hard groups, easy ones
        truth_by_class = 0.4 * has_rows[0] / has_rows.sum()
        model = Direction().fit(pa.table({"x": [-1.0, 1.0]}), np.array(["no", "yes"]))
        for seed in range(repetitions):
            rng = np.random.default_rng(seed)
            hard = rng.random(100) < 0.5  # in a hard group four labels of ten are wrong
            who = np.repeat(np.arange(100), np.where(hard, 9, 3))
            x = rng.normal(size=len(who))
            flipped = hard[who] & (rng.random(len(who)) < 0.4)
            file = table_of(x=x, who=who, y=np.where((x > 0) != flipped, "yes", "no"))
            problem = pose(file, target="y", group="who", holdout=0.5, seed=seed)
            answers = ask(problem, model, delta=self.DELTA)
            certificate, by_class = answers.certificate, answers.by_class
            failed += certificate.bound < truth
            failed_by_class += any(c.bound < truth_by_class for c in by_class.values())
            observed_below += certificate.observed < truth
        for count in (failed, failed_by_class):
            test = stats.binomtest(count, repetitions, self.DELTA, alternative="greater")
            assert test.pvalue > LEVEL
        assert observed_below > repetitions // 4  # what was observed is no bound

    def test_choosing_by_the_hold_out_would_be_caught(self):
        """The judge above can condemn: look at the answers of ten models and print the best."""
        rng = np.random.default_rng(0)
        failed, repetitions = 0, 12
        for seed in range(repetitions):
            problem = self.draw(seed)
            models = [Direction() for _ in range(10)]
            for model in models:  # orthogonal to the truth: all of them have risk 1/2
                model.weights_ = rng.normal(size=4)
                model.weights_ -= model.weights_ @ self.WORLD.direction * self.WORLD.direction
            X, y = problem.held_out
            best = max(models, key=lambda model: np.mean(model.predict(X) == y))
            bound = ask(problem, best, delta=self.DELTA).certificate.bound
            failed += bound < self.WORLD.risk(best.weights_)
        test = stats.binomtest(failed, repetitions, self.DELTA, alternative="greater")
        assert test.pvalue < LEVEL
