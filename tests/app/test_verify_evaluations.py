"""Certificates of ways to evaluate are passed, whatever they honestly say of models and rows."""

import re
from dataclasses import replace

import numpy as np
import pytest
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import KFold

from surelearn import (
    AdaGrad,
    AdaHedge,
    AxisAlignedRectangle,
    BudgetedKernelPerceptron,
    CARTClassifier,
    CondensedNearestNeighbor,
    DriftAlarm,
    Exp3,
    GaussianNaiveBayes,
    Hedge,
    Holdout,
    KernelPegasos,
    KernelPerceptron,
    KernelRidge,
    LowRankApproximation,
    ModelDifferenceMonitor,
    NearestNeighborsClassifier,
    OnlineConformal,
    OnlineGradientDescent,
    OnlineRidge,
    Pegasos,
    Perceptron,
    RateMonitor,
    RiskMonitor,
    Squint,
    StronglyConvexRate,
    SupportVectorClassifier,
    WeightedMajority,
    cross_validate,
    minimize_structural_risk,
    progressive_validate,
)
from surelearn.app.verify import verify_certificate
from surelearn.app.verifying.alone import check_alone, not_checked
from surelearn.bounds import (
    concentration,
    decompositions,
    holdout,
    rates,
    ratios,
    regret,
    regret_mixable,
    stability,
)
from surelearn.bounds._phrases import rounded, with_keys
from surelearn.certificate import Certificate, certify
from surelearn.datasets.worlds import Noisy
from surelearn.kernels import Gaussian

X, Y = Noisy(3, 0.1).draw(60, seed=0)
OLD_X, OLD_Y = Noisy(3, 0.1).draw(40, seed=1)


def refused(certificate):
    """Return what `verify` finds against a certificate that was written and read."""
    read = Certificate.from_json(certificate.to_json())
    assert read.status != "void"
    return [found for found in verify_certificate(read) if not found.holds]


def told_beforehand():
    """Return certificates whose claims tell what was fixed beforehand, and that number."""
    signs = np.sign(Y)
    alarm = DriftAlarm(tolerated=0.05, rows_between=9).update([0, 1] * 20)
    conformal = OnlineConformal(OnlineRidge(alpha=3.0), alpha=0.1, learns=True)
    conformal.learn(X, X[:, 0])
    ridge = conformal.model.certificates()
    steady = OnlineGradientDescent(radius=3.0, schedule=StronglyConvexRate(strong_convexity=0.5))
    return [
        (alarm.certificate(), "0.05"),
        (alarm.certificate(), "40"),
        (conformal.certificate(), "60"),
        (conformal.deviation_certificate(), "0.1"),
        (ridge[2], "3"),
        (OnlineGradientDescent(radius=3.0).fit(X, signs).certificates()[0], "3"),
        (OnlineGradientDescent(radius=3.0).fit(X, signs).certificates()[0], "0"),
        (steady.fit(X, signs).certificates()[0], "0.25"),
        (AdaGrad(limit=2.5).fit(X, signs).certificates()[0], "2.5"),
        (Pegasos(regularization=0.02).fit(X, signs).certificates()[0], "0.01"),
        (KernelPegasos(regularization=0.02).fit(X, signs).certificates()[0], "0.01"),
        (
            KernelRidge(fit_intercept=False)
            .fit(X, signs)
            .stability_certificate(label_bound=1.5, kernel_radius=9.0),
            "1.5",
        ),
    ]


@pytest.mark.parametrize("place", range(12))
@pytest.mark.parametrize("other", ["7", "0.5", "1e9"])
def test_another_number_that_was_fixed_beforehand_is_found(place, other):
    certificate, number = told_beforehand()[place]
    assert refused(certificate) == []
    text = re.sub(rf"(?<![\d.]){re.escape(number)}(?!\d|\.\d)", other, certificate.claim)
    assert text != certificate.claim
    assert refused(replace(certificate, claim=text)) != []


@pytest.mark.parametrize(
    ("learner", "key"),
    [
        (Perceptron(max_iter=2), "stable"),
        (NearestNeighborsClassifier(n_neighbors=1), "distance_ties"),
        (BudgetedKernelPerceptron(budget=30), "budget"),
    ],
)
def test_another_number_in_what_is_known_of_an_assumption_is_found(learner, key):
    for issued in learner.fit(X, Y).certificates():
        for place, known in enumerate(issued.preconditions):
            if known.key == key and known.status != "assumed":
                text, n = re.subn(r"\d+", "7", known.evidence, count=1)
                assert n
                assert refused(issued) == []
                changed = [*issued.preconditions]
                changed[place] = replace(known, evidence=text)
                assert refused(replace(issued, preconditions=tuple(changed))) != []
                return
    pytest.fail(f"no certificate tells of {key}")


def machine():
    machine = SupportVectorClassifier(C=1.0, kernel=Gaussian(gamma=1.0), fit_intercept=False)
    return machine.fit(X, Y)


def held_out():
    rows, labels, holdout = Holdout.split(X, Y, seed=0, mode="family", n_models=2)
    return holdout.certify(Perceptron().fit(rows, labels))


LOSSES = np.random.default_rng(0).random((40, 4))
VOTES, LABELS = np.round(LOSSES), np.ones(40)
TOLD = {  # which assumption has a number in its evidence, and who says so
    "training errors": ("consistent", lambda: Perceptron(max_iter=2).fit(X, Y)),
    "errors": ("consistent", lambda: CondensedNearestNeighbor().fit(X, Y)),
    "others": ("stable", machine),
    "boxes": ("vc_dimension", lambda: AxisAlignedRectangle().fit(X, Y)),
    "best": ("best_expert", lambda: played(WeightedMajority(), VOTES, LABELS)),
    "losses": ("range", lambda: played(Hedge(horizon=40), LOSSES)),
    "span": ("range", lambda: played(AdaHedge(), LOSSES)),
    "cases": ("range", lambda: RateMonitor().update([1] * 40, [1, 0, 1, 1] * 10).certificate()),
    "norm": ("radius", lambda: KernelPerceptron(max_iter=2).fit(X, Y)),
    "question": ("not_chosen_by_them", held_out),
}


def gambled(bandit):
    bandit.play(LOSSES)
    return bandit


def played(game, *rounds):
    game.learn(*rounds)
    return game


@pytest.mark.parametrize("name", TOLD)
def test_each_number_told_of_an_assumption_is_compared_with_what_else_is_stored(name):
    key, make = TOLD[name]
    found = make()
    every = [found] if isinstance(found, Certificate) else found.certificates()
    issued = next(one for one in every if key in {p.key for p in one.preconditions})
    assert refused(issued) == []
    at = [p.key for p in issued.preconditions].index(key)
    known = issued.preconditions[at]
    numbers = list(re.finditer(r"(?<![\w.])\d[\d.]*", known.evidence))
    assert numbers
    for number in numbers:
        for other in ("7", "99999", "0.5"):
            text = f"{known.evidence[: number.start()]}{other}{known.evidence[number.end() :]}"
            changed = [*issued.preconditions]
            changed[at] = replace(known, evidence=text)
            assert refused(replace(issued, preconditions=tuple(changed))) != []


@pytest.mark.parametrize("ends", [(-1, 3), (0.0, 1e-5), (-1e7, 1e7)])
def test_losses_of_any_range_are_passed(ends):
    low, high = ends
    losses = np.clip(low + (high - low) * LOSSES, low, high)
    games = (Hedge(horizon=40, loss_range=ends), Squint(horizon=40, loss_range=ends))
    for issued in (one for game in games for one in played(game, losses).certificates()):
        assert refused(issued) == []
        told = issued.to_json().replace("all losses lie in (", "all losses lie in (-9")
        assert (told == issued.to_json()) or refused(Certificate.from_json(told)) != []


@pytest.mark.parametrize("ends", [(-1e6, 1e-9), (0.0, 1e-9), (-1.0, 1e-12), (-1e6, 1e6)])
def test_a_monitor_of_losses_whose_range_ends_near_0_is_passed(ends):
    low, high = ends
    issued = RiskMonitor(loss_range=ends).update(low + (high - low) * LOSSES[:, 0]).certificate()
    assert refused(issued) == []
    for name in ("bound", "observed", "trivial"):
        other = getattr(issued, name) - 0.01 * (high - low)
        assert refused(replace(issued, **{name: other})) != []


FORMER_SUBJECTS = {  # of the first monitors, and who issued certificates of them
    "the positive cases of this stream": lambda: RateMonitor(rate="sensitivity").update(Y, Y),
    "two models on the same stream": lambda: ModelDifferenceMonitor().update(*LOSSES.T[:2]),
    "this drift alarm": lambda: DriftAlarm(tolerated=0.2).update(LOSSES[:, 0]),
}


@pytest.mark.parametrize("subject", FORMER_SUBJECTS)
def test_the_first_monitors_said_of_whom_they_speak_in_other_words(subject):
    issued = FORMER_SUBJECTS[subject]().certificate()
    assert refused(issued) == []
    assert refused(replace(issued, subject=subject)) == []
    assert refused(replace(issued, subject=f"{subject} of yours")) != []


def test_a_run_that_lost_one_in_each_round_is_passed():
    run = OnlineGradientDescent().partial_fit([[1.0]], [1], classes=[-1, 1])
    for issued in run.certificates():
        assert issued.trivial == issued.n == 1
        assert refused(issued) == []


def test_a_hold_out_of_a_model_whose_kernel_has_a_function_inside_is_passed():
    model = KernelPerceptron(kernel=Gaussian().of(np.tanh)).fit(OLD_X, OLD_Y)
    assert refused(Holdout(X, Y).certify(model)) == []


def test_no_run_loses_more_than_all_nor_errs_on_more_rows_than_its_bound_counts():
    run = played(Hedge(horizon=40), LOSSES).certificates()[0]
    assert refused(replace(run, observed=run.trivial + 1.0)) != []
    tree = CARTClassifier(max_depth=2).fit(X, Y).snap(X, Y).certificates()[0]
    assert tree.method == "trees.compression_hybrid"
    assert refused(tree) == []
    inputs = tree.reproduce["inputs"]
    most = inputs["errors_outside"] + inputs["n_named"]
    assert refused(replace(tree, observed=(most + 1) / tree.n)) != []


DEMANDED = {  # what a learner demands beside its theorem, and where
    "known_labels": lambda: Perceptron(max_iter=2).fit(X, Y),
    "equal_weights": machine,
    "gradient_norm": lambda: AdaGrad(limit=2.5).fit(X, np.sign(Y)),
    "fixed_n": lambda: gambled(Exp3(n_arms=4, horizon=40, seed=0)),
    "row_by_row": lambda: cross_validate(
        Perceptron(), X, Y, cv=KFold(3), keep_models=True
    ).mean_risk_certificate(),
}


@pytest.mark.parametrize("key", DEMANDED)
def test_what_a_learner_demands_beside_its_theorem_cannot_be_taken_out(key):
    found = DEMANDED[key]()
    every = [found] if isinstance(found, Certificate) else found.certificates()
    listing = [one for one in every if key in {p.key for p in one.preconditions}]
    assert listing
    for issued in listing:
        assert refused(issued) == []
        rest = tuple(p for p in issued.preconditions if p.key != key)
        assert refused(replace(issued, preconditions=rest)) != []


def test_a_bound_by_margins_is_of_as_many_rows_as_there_are_margins():
    issued = next(c for c in machine().certificates() if c.method == "margin.pac_bayes_margin")
    assert refused(issued) == []
    assert refused(replace(issued, n=10 * issued.n)) != []


def test_a_question_about_these_rows_is_passed_as_the_first_of_schema_3_told_of_it():
    issued = held_out()
    text = issued.to_json().replace("to a hold-out of these rows", "about these rows")
    assert text != issued.to_json()
    assert refused(Certificate.from_json(text)) == []
    assert refused(Certificate.from_json(text.replace("question 1 of", "question 2 of"))) != []


def test_what_no_input_tells_is_said_not_to_be_checked():
    volume = OnlineRidge(alpha=3.0).fit(X, X[:, 0]).certificates()[1]
    assert "that the regularization is 3" in not_checked(volume)


@pytest.mark.parametrize("rows", [X, np.sign(X)], ids=["distinct", "copies"])
@pytest.mark.parametrize("frozen", [False, True], ids=["of ours", "fitted before"])
def test_the_mean_risk_of_fold_models_is_passed(rows, frozen):
    ours = Perceptron(max_iter=2)
    model = FrozenEstimator(ours.fit(OLD_X, OLD_Y)) if frozen else ours
    folds = cross_validate(model, rows, Y, cv=KFold(5), keep_models=True)
    assert refused(folds.mean_risk_certificate()) == []


def test_progressive_validation_chunk_by_chunk_is_passed():
    learner = GaussianNaiveBayes().fit(OLD_X, OLD_Y)
    chunks = [(X[i : i + 20], Y[i : i + 20]) for i in range(0, 60, 20)]
    assert refused(progressive_validate(learner, chunks).certificate) == []


def test_mistakes_on_each_of_three_classes_that_can_be_parted_are_passed():
    rows = np.eye(3)[np.arange(30) % 3]
    issued = Perceptron(max_iter=20).fit(rows, np.array(["a", "b", "c"])[np.arange(30) % 3])
    found = [c for c in issued.certificates() if c.status != "void"]
    assert any("against the rest" in c.subject and c.method.endswith("novikoff") for c in found)
    assert [refused(c) for c in found if refused(c)] == []


@pytest.mark.parametrize(
    "model", [NearestNeighborsClassifier(n_neighbors=3), Perceptron(), AxisAlignedRectangle()]
)
def test_structural_risk_of_learners_that_bound_their_own_risk_is_passed(model):
    labels = np.abs(X).max(axis=1) < 1.5  # a box
    assert refused(minimize_structural_risk({"rules": model}, X, labels).certificate) == []


WITH_LIMITS = [
    (concentration.hoeffding(mean=0.5, n=9, delta=0.1, high=1234567.0), "[0, 1234567.0]"),
    (concentration.hoeffding_two_sided(n=9, delta=0.1, low=-1.0000001), "[-1.0000001, 1]"),
    (
        decompositions.pca(residual=0.1, n=9, n_components=1, radius_squared=1.0000001, delta=0.1),
        "1.0000001",
    ),
    (
        decompositions.pca_centred(
            residual=0.1, n=9, n_components=1, diameter=1.0000001, delta=0.1
        ),
        "1.0000001",
    ),
    (holdout.quantile(residuals=[0.5] * 90, alpha=0.1234567, delta=0.1), "0.8765433"),
    (
        rates.positive_predictive_value_at(
            true_positives=9,
            n_positive=10,
            true_negatives=9,
            n_negative=10,
            prevalence=0.1234567,
            delta=0.1,
        ),
        "0.1234567",
    ),
    (
        ratios.f_beta(
            true_positives=9, false_positives=1, false_negatives=1, beta=1.0000001, delta=0.1
        ),
        "1.0000001",
    ),
    (
        ratios.ratio_order_free(
            tops=[1.0], bottoms=[2.0], counts=[9], largest=1234567.5, delta=0.1
        ),
        "1234567.5",
    ),
    (
        regret.hedge(n_experts=2, n_rounds=9, learning_rate=1.0, loss_range=1.0000001),
        "1.0000001",
    ),
    (regret_mixable.square_loss_average(n_experts=2, high=1.0000001), "[0, 1.0000001]"),
    (
        stability.uniform_stability(
            empirical_risk=0.1, n=9, stability=0.01234567, loss_range=1.0, delta=0.1
        ),
        "0.01234567",
    ),
]


@pytest.mark.parametrize(("guarantee", "limit"), WITH_LIMITS)
def test_limits_fixed_beforehand_are_told_in_all_digits_and_were_told_in_six(guarantee, limit):
    """A loss of 1,234,569 would not lie in [0, 1.23457e+06]."""
    words = [guarantee.quantity, *guarantee.assumes.values()]
    assert any(limit in text for text in words)
    earlier = replace(
        guarantee,
        quantity=rounded(guarantee.quantity),
        assumes={key: rounded(phrase) for key, phrase in guarantee.assumes.items()},
    )
    assert earlier != guarantee
    for stated in (guarantee, earlier):
        certificate = certify(stated, kind="risk", subject="s", observed=0.0, n=9)
        told = {found.name for found in rebuilt_differently(certificate)}
        assert not told
        keys = with_keys(stated.assumes.values(), stated.theorem, stated.inputs)
        assert keys == stated.assumes


def rebuilt_differently(certificate):
    """Return the findings against a certificate's words; its numbers were made up here."""
    words = ("what the theorem says", "claim states", "lists what the theorem")
    return [
        found
        for found in check_alone(certificate)
        if not found.holds and any(word in found.name for word in words)
    ]


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e12, 1e200])
def test_distances_to_a_low_rank_pass_whatever_their_size(scale):
    rng = np.random.default_rng(0)
    of_rank_one = np.outer([1.0, 2.0, 3.0], [1.0, 2.0, 3.0])
    for matrix in (of_rank_one, rng.normal(size=(4, 30))):
        for found in LowRankApproximation(rank=1).fit(scale * matrix).certificates():
            assert refused(found) == []
            told = tuple(
                replace(p, evidence="all of them were computed") for p in found.preconditions
            )
            assert refused(replace(found, preconditions=told)) == []  # as it was told before
            far = replace(found, observed=found.observed + scale)
            assert refused(far) != []
