"""Sentences of audits against worlds whose truth is known: none may be false, or say too much."""

import copy
import json
import re

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

from surelearn import Holdout, claims
from surelearn.app.audit import audit_table
from surelearn.app.auditing.bundle import bundle_of, from_json, to_json
from surelearn.app.errors import TableError
from surelearn.app.ledger import PROCESS, NoLedger, UserLedger
from surelearn.app.tables.read import TableFile
from surelearn.app.verify import verify_audit
from surelearn.claims._defaults import Expected, choose
from surelearn.evaluate.audit import advise, audit_predictions
from surelearn.evaluate.curves import precision_band
from surelearn.evaluate.model_difference_monitor import ModelDifferenceMonitor
from surelearn.plots.bands import plot_precision_band


def sentence(rows, asked, **how):
    return audit_predictions(rows, asked=[asked], **how).certificate.claim


LABELS = [0, 1] * 30

DESIGNS = [
    ("wrong-in-table(size=100)", {}, "drawn at random without replacement from the table"),
    ("error-per-cluster", {"cluster": [i // 2 for i in range(60)]}, "these 30 clusters, each"),
    ("error-in-clusters(largest=2)", {"cluster": [i // 2 for i in range(60)]}, "30 clusters"),
    ("weighted-error(largest=2)", {"weight": [1.0, 2.0] * 30}, "stands for as many of the cases"),
    ("error-of-strata(shares=a:0.5;b:0.5)", {"stratum": ["a", "b"] * 30}, "within each stratum"),
    ("error-over-time", {"time": list(range(60))}, "all cases of the period"),
]


@pytest.mark.parametrize(("asked", "columns", "words"), DESIGNS)
def test_a_sentence_rests_on_how_rows_were_drawn_for_it(asked, columns, words):
    # Independent rows prove less of a table than as many without replacement, and the clusters
    # that independent rows hit are not independent clusters: the sentences would be false.
    told = sentence(claims.record(LABELS, LABELS, **columns), asked)
    assert words in told.partition(", then with confidence")[0]
    assert "rows are independent draws from" not in told


@pytest.mark.parametrize(
    ("asked", "columns"),
    [
        ("error", {}),
        ("wrong-in-table(size=100)", {}),
        ("error-per-cluster", {"cluster": ["a"]}),
        ("weighted-error(largest=2)", {"weight": [1.0]}),
        ("error-of-strata(shares=a:1)", {"stratum": ["a"]}),
        ("error-over-time", {"time": [1]}),
    ],
)
def test_one_row_is_not_these_1_rows(asked, columns):
    told = sentence(claims.record([1], [1], **columns), asked)
    assert told.startswith(("If this row ", "If this cluster"))
    assert " 1 rows" not in told
    assert "were not used" not in told


def test_a_sentence_about_rows_drawn_by_label_says_so():
    told = sentence(claims.record(LABELS, LABELS), "sensitivity", by_label=True)
    assert told.startswith("If these 60 rows are, within each label, independent draws from")


def test_independent_rows_prove_less_of_a_table():
    """What the old condition allowed: a whole table's size, drawn with replacement."""
    rng = np.random.default_rng(0)
    wrong_in_table, size, runs = 20, 100, 400
    drawn = rng.random((runs, size)) < wrong_in_table / size
    claim = claims.WrongInTable(size=size)
    bounds = [claim.guarantee(errors=int(k), n=size, delta=0.05).bound for k in drawn.sum(axis=1)]
    assert np.mean(np.array(bounds) < wrong_in_table) > 0.3


def test_claims_about_a_table_and_about_cases_do_not_stand_together():
    with pytest.raises(ValueError, match="ask for one of the two"):
        audit_predictions(
            claims.record(LABELS, LABELS), asked=["wrong-in-table(size=100)", "accuracy"]
        )


def test_calibration_is_averaged_over_cases_not_over_bins():
    """Rare bins may be wrong altogether: the mean over bins would be far above the bound."""
    rng = np.random.default_rng(1)
    stated = np.where(rng.random(4000) < 0.002, rng.choice([0.35, 0.55, 0.75, 0.95], 4000), 0.05)
    true = np.where(stated > 0.1, stated < 0.5, rng.random(4000) < 0.05).astype(int)
    told = audit_predictions(
        claims.record(true, (stated > 0.5).astype(int), score=stated, positive=1),
        asked=["calibration-error"],
    ).certificate
    assert told.bound < 0.05
    by_bins = (0.65 + 0.55 + 0.75 + 0.95) / 10  # what the mean over ten bins is in truth, about
    assert told.bound < by_bins
    assert "on average over such cases in 10 equal bins" in told.claim


@pytest.mark.parametrize("band", ["roc>=0.2", "precision-recall>=0.2"])
def test_a_band_is_no_target_beside_others(band):
    # Of a target that was met only that may be said: a line at every threshold is more.
    scores = np.linspace(0, 1, 100)
    answers = (scores >= 0.5).astype(int)
    rows = claims.record(answers, answers, score=scores)
    with pytest.raises(ValueError, match="no target beside others"):
        audit_predictions(rows, asked=[band, "accuracy>=0.5"])
    assert audit_predictions(rows, asked=[band]).verdict == "proved"


def test_advice_does_not_blame_too_few_rows_where_none_could_refute():
    many = 4000
    rows = claims.record([0, 1] * many, [1, 0] * many, group=["a", "b"] * many)
    (outcome,) = audit_predictions(rows, asked=["worst-group<=0.1"]).outcomes
    assert outcome.verdict == "not proved"
    assert "too few rows" not in outcome.advice


def table_of(**columns):
    return TableFile.of_table(pa.table(columns))


def audited(file, **options):
    return audit_table(file, truth="y", prediction="p", ledger=NoLedger(), **options)


def test_cases_without_an_answer_do_not_refute_a_predictive_value():
    # All 50 alarms are right; 300 negatives have no answer, and were not called ill.
    truth = ["ill"] * 50 + ["well"] * 600
    answers = ["ill"] * 50 + ["well"] * 300 + [None] * 300
    run = audited(
        table_of(y=truth, p=answers),
        positive="ill",
        incomplete="errors",
        claims=("ppv>=0.9",),
    )
    assert run.verdict == "not proved"
    found = audited(
        table_of(y=truth, p=answers),
        positive="ill",
        incomplete="errors",
        claims=("specificity>=0.9",),
    )
    assert found.verdict == "refuted"


def test_what_a_baseline_does_not_answer_does_not_count_for_the_model():
    truth = ["a", "b"] * 100
    answers = [*truth[:180], *("c" if y == "a" else "a" for y in truth[180:])]
    baseline = [*truth[:100], *[None] * 100]
    file = table_of(y=truth, p=answers, other=baseline)
    with pytest.raises(TableError, match="would count for the model"):
        audited(file, baseline="other", incomplete="errors", claims=("difference",))
    found = audited(file, baseline="other", incomplete="exclude", claims=("difference",))
    assert found.certificate.observed == 0.0


def test_a_sentence_about_answered_cases_says_so():
    file = table_of(y=["a", "b"] * 50, p=["a", "b"] * 49 + [None, None])
    told = audited(file, incomplete="exclude", claims=("accuracy",)).certificate.claim
    assert "the cases the model will be used on that get an answer, and" in told
    with pytest.raises(TableError, match="cannot be left out"):
        audited(file, incomplete="exclude", claims=("wrong-in-table(size=200)",))


def test_numbers_in_a_premise_are_those_of_the_rows():
    told = sentence(claims.record(LABELS, LABELS), "accuracy")
    assert re.match(r"If these 60 rows are independent draws from the cases", told)


def drawn_table(seed, n=400):
    rng = np.random.default_rng(seed)
    y, x = rng.integers(0, 2, n), rng.random(n)
    first, second = (np.where(rng.random(n) < 0.1, 1 - y, y) for _ in range(2))
    return y, x, first, second


def in_words(labels):
    return np.array(["well", "ill"])[labels]


def once_more(y, x, answers, *, rng):  # noqa: ARG001 - each takes all
    return {"y": y, "p": answers, "x": x}


def reordered(y, x, answers, *, rng):
    order = rng.permutation(len(y))
    return {"y": y[order], "p": answers[order], "x": x[order]}


def turned_round(y, x, answers, *, rng):  # noqa: ARG001
    return {"y": y[::-1], "p": answers[::-1]}


def renamed(y, x, answers, *, rng):  # noqa: ARG001
    return {"y": in_words(y), "p": in_words(answers)}


def exchanged(y, x, answers, *, rng):  # noqa: ARG001
    return {"y": 1 - y, "p": 1 - answers}


def one_dropped(y, x, answers, *, rng):  # noqa: ARG001
    return {"y": np.delete(y, 77), "p": np.delete(answers, 77)}


def half_of_them(y, x, answers, *, rng):  # noqa: ARG001
    return {"y": y[:200], "p": answers[:200]}


def every_second(y, x, answers, *, rng):  # noqa: ARG001
    return {"y": y[::2], "p": answers[::2], "x": x[::2]}


def another_column(y, x, answers, *, rng):  # noqa: ARG001
    return {"y": y, "p": answers, "z": rng.random(len(y))}


DISGUISES = (
    once_more,
    reordered,
    turned_round,
    renamed,
    exchanged,
    one_dropped,
    half_of_them,
    every_second,
    another_column,
)


@pytest.mark.parametrize("disguise", DISGUISES, ids=lambda one: one.__name__)
@pytest.mark.parametrize("kept", ["process", "file"])
def test_a_second_look_in_disguise_is_void(disguise, kept, tmp_path, monkeypatch):
    monkeypatch.setenv("SURELEARN_STATE", str(tmp_path / "state"))
    ledger = PROCESS if kept == "process" else UserLedger(tmp_path / "out")
    seed = DISGUISES.index(disguise) + 100 * (kept == "file")
    y, x, first, second = drawn_table(seed)
    asked = {"truth": "y", "prediction": "p", "claims": ("accuracy",), "ledger": ledger}
    before = audit_table(table_of(y=y, p=first, x=x), **asked)
    assert before.certificate.status == "valid"
    disguised = disguise(y, x, second, rng=np.random.default_rng(seed))
    assert audit_table(table_of(**disguised), **asked).certificate.status == "void"


OTHER_ANSWERS = {  # by the role of the column, what is claimed and how the column is drawn
    "score": (("auc",), lambda rng, n: rng.random(n)),
    "baseline": (("difference",), lambda rng, n: rng.integers(0, 2, n)),
    "challenger": (("challengers-better",), lambda rng, n: rng.integers(0, 2, n)),
    "group": (("worst-group",), lambda rng, n: rng.integers(0, 3, n)),
    "cluster": (("error-per-cluster",), lambda rng, n: np.sort(rng.integers(0, 30, n))),
    "weight": (("weighted-error(largest=2)",), lambda rng, n: 1.0 + rng.random(n)),
}


@pytest.mark.parametrize("role", OTHER_ANSWERS)
def test_the_same_predictions_with_another_column_beside_are_another_look(role):
    """Of twenty scores, baselines or ways to make groups somebody could show the best."""
    claimed, drawn = OTHER_ANSWERS[role]
    y, _, p, _ = drawn_table(sorted(OTHER_ANSWERS).index(role) + 1000)
    rng = np.random.default_rng(5)
    columns = [drawn(rng, len(y)) for _ in range(2)]
    asked = {"truth": "y", "prediction": "p", "claims": claimed, "ledger": PROCESS, role: "z"}
    found = [
        audit_table(table_of(y=y, p=p, z=column), **asked).certificate.status == "void"
        for column in (columns[0], columns[1], columns[0])
    ]
    assert found == [False, True, False]


@pytest.mark.parametrize("kind", ["intervals", "sets"])
def test_other_intervals_or_sets_for_the_same_truths_are_another_look(kind):
    rng = np.random.default_rng(6)
    y = rng.normal(size=300) if kind == "intervals" else rng.integers(0, 2, 300)

    def answered():
        if kind == "sets":
            return {"set": rng.choice(["0", "1", "0;1"], 300)}
        ends = y + 0.6 * rng.normal(size=300)
        return {"low": ends - 1.0, "high": ends + 1.0}

    found = []
    for answers in (answered(), answered()):
        roles = {role: role for role in answers}
        run = audit_table(table_of(y=y, **answers), truth="y", ledger=PROCESS, **roles)
        found.append(run.certificate.status)
    assert found == ["valid", "void"]


@pytest.mark.parametrize(
    "rules",
    [
        [{"groups": np.arange(400) // k} for k in (4, 5)],
        [{"positive": k, "claims": ["sensitivity"]} for k in (1, 0)],
    ],
)
def test_other_groups_or_another_positive_label_are_another_look(rules):
    y, _, p, _ = drawn_table(2000 + len(rules[0]))
    found = [Holdout.from_predictions(y, p, **rule).certify().status for rule in (*rules, rules[0])]
    assert found == ["valid", "void", "valid"]


@pytest.mark.parametrize("share", [0.5, 0.1, 0.02])
def test_other_rows_of_the_same_law_are_no_second_look(share, tmp_path, monkeypatch):
    # Files of equal length that number their rows alike share no row.
    monkeypatch.setenv("SURELEARN_STATE", str(tmp_path / "state"))
    rng = np.random.default_rng(int(100 * share))
    ledger = UserLedger(tmp_path / "out")
    for _ in range(6):
        y = (rng.random(400) < share).astype(int)
        p = np.where(rng.random(400) < 0.1, 1 - y, y)
        found = audit_table(
            table_of(y=y, p=p, number=np.arange(400)),
            truth="y", prediction="p", claims=("accuracy",), ledger=ledger,
        )  # fmt: skip
        assert found.certificate.status == "valid"


def test_scores_that_stand_sorted_are_not_taken_for_arrivals():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 300)
    scores = rng.normal(size=300) + y
    rows = claims.record(y, y, score=scores)
    order = np.argsort(scores)
    in_order = claims.record(y[order], y[order], score=scores[order])
    claim = claims.AreaUnderCurve()
    arrived, ordered = (claim.statistics(one) for one in (rows, in_order))
    assert "estimate" not in arrived
    assert "estimate" in ordered
    found = claim.guarantee(delta=0.05, **ordered)
    assert "arrival" not in found.assumes
    assert claim.seen(**ordered).value == pytest.approx(claim.seen(**arrived).value)


def test_who_loses_a_little_less_often_is_not_called_better():
    """The first loses 0.01 less nine times, and 1 more the tenth time: it is far worse."""
    first = ([0.00] * 9 + [1.0]) * 100
    second = ([0.01] * 9 + [0.0]) * 100
    monitor = ModelDifferenceMonitor().update(first, second)
    assert monitor.certificate().observed > 0.05
    with pytest.raises(ValueError, match="may lose more in all"):
        monitor.first_is_better()


def bundle_of_audit(seed, *, n=300, **options):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    score = np.clip(0.35 * y + 0.65 * rng.random(n), 0.0, 1.0)
    columns = {
        "y": y, "p": (score >= 0.5).astype(int), "s": score, "g": rng.choice(["a", "b"], n),
        "c": np.arange(n) // 3, "w": rng.choice([1.0, 2.0], n), "other": rng.integers(0, 2, n),
    }  # fmt: skip
    run = audited(table_of(**columns), **options)
    return json.loads(to_json(bundle_of(run.audit.outcomes, run.audit.delta)))


def holds(content):
    return all(finding.holds for finding in verify_audit(from_json(json.dumps(content))))


@pytest.mark.parametrize(
    "options",
    [
        {"score": "s", "group": "g", "baseline": "other"},
        {"claims": ("sensitivity>=0.5", "specificity>=0.5", "accuracy>=0.5")},
        {"claims": ("sensitivity", "npv", "threshold-for(sensitivity=0.8)"), "score": "s"},
        {"claims": ("sensitivity", "specificity"), "by_label": True},
        {"cluster": "c", "claims": ("error-per-cluster", "error-in-clusters(largest=3)")},
        {"weight": "w", "claims": ("weighted-error(largest=2)",)},
        {"stratum": "g", "claims": ("error-of-strata(shares=a:0.3;b:0.7)",)},
        {"time": "c"},
        {"claims": ("wrong-in-table(size=1000)",)},
        {"claims": ("error", "group-error(group=a)", "worst-class"), "group": "g"},
        {"claims": ("error", "selective-risk(threshold=0.6)"), "confidence": "s"},
        {"claims": ("f1", "f-score(beta=2)", "macro-recall", "ppv-at(prevalence=0.1)")},
    ],
    ids=str,
)
def test_honest_audits_hold(options):
    assert holds(bundle_of_audit(7, **options))


def test_certificates_of_two_audits_do_not_stand_together():
    one, other = (bundle_of_audit(seed, group="g") for seed in (8, 9))
    assert [o["claim"] for o in one["outcomes"]] == [o["claim"] for o in other["outcomes"]]
    stored = one["outcomes"][0]["certificate"]["reproduce"]
    for place in range(1, len(one["outcomes"])):
        forged = copy.deepcopy(one)
        certificate = copy.deepcopy(other["outcomes"][place]["certificate"])
        for name in ("data", "table", "ledger", "options"):
            certificate["reproduce"][name] = stored[name]
        forged["outcomes"][place]["certificate"] = certificate
        assert not holds(forged), forged["outcomes"][place]["claim"]


def test_dropped_words_about_labels_are_noticed():
    content = bundle_of_audit(10, claims=("sensitivity", "specificity"), by_label=True)
    for outcome in content["outcomes"]:
        told = outcome["certificate"]["claim"]
        outcome["certificate"]["claim"] = told.replace(", within each label,", "")
    assert not holds(content)


def test_the_line_of_precision_is_about_thresholds_not_about_shares_found():
    """The true precision at a share found may lie below the line: half the time, in this world.

    Scores are 1 for four fifths of positive cases, and for few negative ones; 0 for all others.
    Whoever must find more than four fifths has to call everybody positive.
    """
    rng = np.random.default_rng(3)
    above = 0
    for _ in range(40):
        y = (rng.random(600) < 0.3).astype(int)
        score = np.where(y, rng.random(600) < 0.8, rng.random(600) < 0.01).astype(int)
        rows = claims.record(y, score, score=score.astype(float))
        band = precision_band(rows, delta=0.1)
        above += band.low_x[0] > 0.8 and band.low_y[0] > 0.3
    assert above > 10
    ax = plot_precision_band(band)
    words = [text.get_text() for text in ax.get_legend().get_texts()]
    assert not any("true curve" in text for text in words)
    assert any("of that threshold" in text for text in words)


@pytest.mark.parametrize(("right", "n", "target"), [(264, 269, 0.973), (928, 1881, 0.477)])
def test_as_many_rows_as_advised_decide(right, n, target):
    claim = claims.Accuracy()
    told = advise(claim >= target, {"correct": right, "n": n}, n, delta=0.05)
    more = int(re.search(r"about ([\d,]+) more", told)[1].replace(",", ""))
    grown = {"correct": right * (n + more) // n, "n": n + more}
    assert claim.guarantee(delta=0.05, **grown).bound >= target


def test_a_stratum_has_one_share():
    with pytest.raises(ValueError, match="has two shares"):
        claims.ErrorOfStrata("a:0.2;b:0.5;a:0.5")


GROUPS_OF_TWO = ["a", "b"] * 20
SHOWN_BY_CHANCE = [
    ((["cat"] * 40, ["cat"] * 40, ["a"] * 40), (["cat"] * 40, ["dog", "cat"] * 20, GROUPS_OF_TWO)),
    (([0] * 40, [0] * 40, ["a"] * 40), ([0] * 40, [1] + [0] * 39, ["a", "b"] * 20)),
    (([0] * 60, [0, 1, 2] * 20, ["a"] * 60), ([0, 1] * 30, [0, 1, 2] * 20, ["a", "b"] * 30)),
    (([0] * 40, [1, 0] * 20, ["a", "b"] * 20), ([0, 1] * 20, [1, 0] * 20, ["a", "b"] * 20)),
]  # fmt: skip
"""Truths, answers and groups of rows with the same columns, that show fewer or more claims."""


@pytest.mark.parametrize(("few", "many"), SHOWN_BY_CHANCE)
def test_a_claim_costs_the_same_whatever_the_rows_show(few, many):
    """Else claims gain just where others cannot be made: then more than delta are false."""

    def levels(rows):
        truth, said, group = rows
        found = audit_predictions(claims.record(truth, said, group=group))
        return {str(o.claim): o.certificate.delta for o in found.outcomes}

    fewer, more = levels(few), levels(many)
    assert len(fewer) < len(more)
    for claim, level in fewer.items():
        assert level <= more[claim]


def test_a_group_that_is_seldom_there_and_always_wrong_makes_no_claim_too_bold():
    """Exactly, over all samples: error alone at delta, and the gap elsewhere, were false in 11%."""
    n, delta = 40, 0.1
    usual, rare = 1 - 0.98 ** (1 / n), 1 - (0.0999 / 0.98) ** (1 / n)
    truth = {"error": rare + (1 - rare) * usual, "worst-group": 1.0, "group-gap": 1 - usual}
    false = 0.0
    for n_rare in range(7):
        for wrong in range(2):
            answers = ["dog"] * (n_rare + wrong) + ["cat"] * (n - n_rare - wrong)
            rows = claims.record(["cat"] * n, answers, group=["b"] * n_rare + ["a"] * (n - n_rare))
            found = audit_predictions(rows, delta=delta)
            if any(o.certificate.bound < truth[o.claim.name] - 1e-9 for o in found.outcomes):
                of_group = stats.binom.pmf(n_rare, n, rare)
                false += of_group * stats.binom.pmf(wrong, n - n_rare, usual)
    assert false <= delta


def test_claims_that_were_left_out_are_missed(monkeypatch):
    """Somebody drops the claims that came out worst, and gives the others their share of delta."""
    honest = bundle_of_audit(11, score="s", baseline="other")
    names = [outcome["claim"] for outcome in honest["outcomes"]]
    assert len(names) > 10
    for dropped in names:

        def fewer(rows, *, by_label, dropped=dropped):
            found, why, n = choose(rows, by_label=by_label)
            return Expected([claim for claim in found if str(claim) != dropped], why, n - 1)

        monkeypatch.setattr("surelearn.evaluate.audit.choose", fewer)
        assert not holds(bundle_of_audit(11, score="s", baseline="other")), dropped


@pytest.mark.parametrize(
    ("y", "p", "options"),
    [
        ([0] * 40, [0] * 40, {"positive": "0"}),
        ([0, 1] * 20, [1] * 40, {}),
        ([0, 1] * 20, [0] * 40, {}),
        ([0] * 40, [0, 1] * 20, {}),
        ([1] * 40, [0, 1] * 20, {}),
        ([0, 1, 2] * 20, [0, 1, 1] * 20, {}),
        ([0, 1, 2] * 20, [0, 1, 1] * 20, {"positive": "1"}),
        (["a", "b"] * 20, ["a", "a"] * 20, {}),
        ([0, 1] * 20, [0, 1] * 20, {"by_label": True}),
        ([0.5, 1.5] * 40, [0.4, 1.4] * 40, {}),
        ([0, 1] * 20, [0, None] * 20, {"incomplete": "errors"}),
        ([0, 1] * 20, [0, 1, None, 0] * 10, {"incomplete": "exclude"}),
    ],
    ids=str,
)
def test_small_honest_audits_hold(y, p, options):
    run = audited(table_of(y=y, p=p, x=list(range(len(y)))), **options)
    assert holds(json.loads(to_json(bundle_of(run.audit.outcomes, run.audit.delta))))


def test_a_threshold_is_not_rounded_above_its_score():
    scores = np.array([2**60 + 200] * 30 + [2**60] * 30)  # the first would be printed 56 higher
    labels = [1] * 30 + [0] * 30
    with pytest.raises(ValueError, match=r"above 2\^53"):
        claims.record(labels, labels, score=scores)
    assert claims.record(labels, labels, score=scores // 2**20).score is not None


def test_errors_of_large_whole_numbers_are_not_rounded_away():
    truth = np.arange(100) * 2 + 2**60
    with pytest.raises(ValueError, match="would be rounded"):
        claims.record(truth, truth + 1, task="regression")  # every answer is wrong by 1
