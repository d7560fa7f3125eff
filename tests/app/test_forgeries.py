"""Forged certificates: each ends in a finding or in one sentence, never in a traceback."""

import copy
import json
import random
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from surelearn import Hedge, Holdout, Perceptron, Quantile, RiskMonitor, online_to_batch
from surelearn._wording import percent_outward
from surelearn.app.errors import TableError
from surelearn.app.output import write_run
from surelearn.app.verify import read_certificate, verify_certificate
from surelearn.app.verifying import alone
from surelearn.bounds import concentration, sequences
from surelearn.certificate import Certificate, certify
from surelearn.datasets.worlds import Noisy
from surelearn.learners.linear.linear_regression import LinearRegression

pytestmark = pytest.mark.usefixtures("no_figures")

X, Y = Noisy(3, 0.1).draw(200, seed=0)


def new_rows(seed):
    """Return rows that no hold-out was asked about before: each is asked once."""
    return Noisy(3, 0.1).draw(80, seed=1000 + seed)


@cache
def honest_certificates():
    """Return certificates of several issuers by name, made once, when a test first asks."""
    model = Perceptron(max_iter=3).fit(X, Y)
    numbers = LinearRegression().fit(X, X[:, 0])
    groups, targets = np.arange(80) // 2, new_rows(4)[0]
    found = {
        "once": Holdout(*new_rows(0)).certify(model),
        "family": Holdout(*new_rows(1), mode="family", n_models=3).certify(model),
        "gate": Holdout(*new_rows(2), mode="gate", n_models=2, target=0.9).certify(model),
        "groups": Holdout(*new_rows(3), groups=groups).certify(model),
        "quantile": Holdout(targets, targets[:, 0], loss=Quantile(0.1)).certify(numbers),
        "class": Holdout(*new_rows(5), by_class=True).answer(model).by_class["1.0"],
        "monitor": RiskMonitor(loss_range=(0.0, 4.0)).update([0, 1, 2, 4] * 50).certificate(),
        "average": online_to_batch(Perceptron(), X, Y).certificate,
        "compression": model.certificates()[-1],
        "mistakes": model.certificates()[0],
        "regret": _played(Hedge(horizon=50)).certificates()[0],
        "anyone": certify(
            concentration.clopper_pearson(errors=5, n=100, delta=0.05),
            kind="risk",
            subject="my model",
            observed=0.05,
            n=100,
        ),
    }
    return {name: json.loads(c.to_json()) for name, c in found.items()}


def _played(game):
    game.learn(np.random.default_rng(0).random((50, 4)))
    return game


HONEST = (
    *("once", "family", "gate", "groups", "quantile", "class", "monitor"),
    *("average", "compression", "mistakes", "regret", "anyone"),
)


def honest(name):
    return copy.deepcopy(honest_certificates()[name])


def test_every_certificate_is_tried():
    assert set(HONEST) == set(honest_certificates())


def verdict(content):
    """Return "passed", "differs" or "refused"."""
    try:
        findings = verify_certificate(Certificate.from_json(json.dumps(content)))
    except ValueError:
        return "refused"
    return "passed" if all(finding.holds for finding in findings) else "differs"


def forged(name, **changes):
    content = honest(name)
    for path, value in changes.items():
        *parents, last = path.split("__")
        part = content
        for key in parents:
            part = part[key]
        part[last] = value(part[last]) if callable(value) else value
    return content


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_one_passes(name):
    assert verdict(honest(name)) == "passed"


OPEN = {("anyone", "subject"), ("regret", "n")}  # nobody can know these from the file alone
FIELDS = [
    ("kind", "approximation"),
    ("kind", "difference"),
    ("subject", "every model there is"),
    ("quantity", "the probability of anything bad"),
    ("validity", "surely"),
    ("validity", "anytime"),
    ("direction", "lower"),
    ("theorem", "A theorem that says it all."),
    ("reference", "Euclid, Elements I.47"),
    ("formula", "concentration.hoeffding(mean=0, n=10**9, delta=1e-9)"),
    ("method", "concentration.hoeffding"),
    ("trivial", 1e9),
    ("n", 10**6),
    ("bound", 1e-9),
    ("claim", "This model never errs."),
]


@pytest.mark.parametrize(
    ("name", "field", "value"),
    [(name, *change) for name in HONEST for change in FIELDS if (name, change[0]) not in OPEN],
)
def test_a_changed_field_is_found(name, field, value):
    if honest(name)[field] == value:
        value = "fixed-n"
    assert verdict(forged(name, **{field: value})) != "passed"


@pytest.mark.parametrize("name", HONEST)
@pytest.mark.parametrize(
    "words",
    [
        lambda claim: claim.replace("With confidence", "With certainty and confidence"),
        lambda claim: claim + " It is the best model there is.",
        lambda claim: claim.replace("95%", "99%").replace("certainty", "confidence 100%"),
        lambda claim: claim.replace("at most ", "at most 0."),
        str.upper,
        lambda _: "",
    ],
)
def test_other_words_are_found(name, words):
    content = forged(name, claim=words)
    if content["claim"] != honest(name)["claim"]:
        assert verdict(content) != "passed"


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("once", "question 1 of 1", "question 1 of 0"),
        ("family", "question 1 of 3", "question 1 of 1"),
        ("family", "question 1 of 3", "question 3 of 3"),
        ("family", '"query": 1', '"query": 2'),
        ("average", "the 200 of the run", "the 0 of the run"),
    ],
)
def test_a_count_in_words_is_the_one_that_counts(name, old, new):
    text = json.dumps(honest(name))
    assert old in text
    assert verdict(json.loads(text.replace(old, new))) == "differs"


SURE = ("mistakes", "regret")  # nothing is assumed


@pytest.mark.parametrize("name", [name for name in HONEST if name not in SURE])
@pytest.mark.parametrize("status", ["checked", "by-construction"])
@pytest.mark.parametrize("evidence", [None, "", "the code does exactly this", "trust me"])
def test_what_is_assumed_cannot_be_called_known(name, status, evidence):
    conditions = honest(name)["preconditions"]
    assumed = [
        place for place, condition in enumerate(conditions) if condition["status"] == "assumed"
    ]
    assert assumed
    for place in assumed:
        content = honest(name)
        condition = content["preconditions"][place]
        condition["status"] = status
        if evidence is not None:
            condition["evidence"] = evidence
        assert verdict(content) == "differs", condition["key"]


@pytest.mark.parametrize("name", HONEST)
def test_assumptions_cannot_be_left_out_added_reworded_or_exchanged(name):
    conditions = honest(name)["preconditions"]
    first = conditions[0]
    others = [
        conditions[1:],
        [{**first, "name": "the sun shines"}, *conditions[1:]],
        [{**first, "key": "sun"}, *conditions[1:]],
    ]
    if name != "anyone":
        sun = {"key": "sun", "name": "the sun shines", "status": "checked", "evidence": "it does"}
        others.append([*conditions, sun])
    if len(conditions) > 1:
        others.append(conditions[::-1])
    for changed in others:
        assert verdict(forged(name, preconditions=changed)) != "passed"


def test_demands_of_a_hold_out_cannot_be_left_out():
    for name in ("once", "family", "gate"):
        conditions = honest(name)["preconditions"]
        for place, condition in enumerate(conditions):
            fewer = conditions[:place] + conditions[place + 1 :]
            if condition["key"] != "gate":
                assert verdict(forged(name, preconditions=fewer)) != "passed"


@pytest.mark.parametrize("name", ["once", "groups", "quantile", "compression", "anyone", "regret"])
def test_a_range_of_losses_cannot_shrink_a_bound(name):
    content = honest(name)
    before = content["bound"]
    content["bound"] = before / 10
    content["reproduce"]["loss_range"] = [
        0.0,
        content["reproduce"].get("loss_range", [0, 1])[1] / 10,
    ]
    if name == "once":
        content["claim"] = content["claim"].replace(
            percent_outward(before, "upper"), percent_outward(before / 10, "upper")
        )
    assert verdict(content) == "differs"


@pytest.mark.parametrize(
    "changes",
    [
        {"family__n_models": 30},
        {"family__n_models": 1},
        {"family__query": 4},
        {"family__query": 0},
        {"family__mode": "once"},
        {"family__mode": "open"},
        {"family__delta_spent": 0.05},
        {"family__delta_spent": 1e-6},
        {"family__holdout": "0" * 40},
        {"family": None},
        {"delta": 0.05},
        {"observed": 0.0},
        {"reproduce__n_to_halve_slack": 1},
        {"reproduce__model": "the best one"},
        {"reproduce__versions": {}},
        {"reproduce__versions__surelearn": "banana"},
        {"reproduce__inputs__errors": 0},
        {"reproduce__inputs__n": 10**6},
        {"reproduce__inputs__delta": 0.5},
    ],
)
def test_a_changed_number_of_the_ledger_or_the_inputs_is_found(changes):
    assert verdict(forged("family", **changes)) != "passed"


def test_a_bound_beyond_the_target_of_its_gate_is_found():
    def lower(conditions):
        return [
            {**c, "name": "the certified bound is at most the target 0.01"}
            if c["key"] == "gate"
            else c
            for c in conditions
        ]

    assert verdict(forged("gate", preconditions=lower)) == "differs"


def test_a_quoted_or_planned_number_is_no_theorem():
    for method in (
        "holdout.plan_holdout",
        "inversions.binomial_upper",
        "concentration.np",
        "_tail.kl",
        "mistakes.halving.__wrapped__",
        "os.system",
        "",
    ):
        assert verdict(forged("once", method=method)) == "differs"
    inputs = {"target": 0.1, "error": 0.0, "delta": 0.05}
    planned = forged("once", method="holdout.plan_holdout", reproduce__inputs=inputs)
    assert verdict(planned) == "differs"


VALUES = (
    *(None, True, False, 0, -1, 3, 10**18, 10**30, 10**400, 0.5, -0.5, 1e-300, 1e300),
    *("", "x", "inf", "nan", "\ud800", "\x1b[2J", [], {}, [[]], [None], {"a": 1}, [0.5] * 500),
)


def mutate(content, rng):
    """Change, remove or exchange the type of one value anywhere."""
    parts = [content]
    for part in parts:
        values = part.values() if isinstance(part, dict) else part[:6]
        parts.extend(value for value in values if isinstance(value, dict | list) and value)
    part = rng.choice(parts)
    place = rng.choice(list(part)) if isinstance(part, dict) else rng.randrange(min(6, len(part)))
    if isinstance(part, dict) and rng.random() < 0.1:
        del part[place]
    else:
        part[place] = rng.choice(VALUES)


def assert_ends_in_sentences(n, seed):
    rng, seen = random.Random(seed), set()  # noqa: S311 - forgeries, not secrets
    names = sorted(HONEST)
    for _ in range(n):
        content = honest(rng.choice(names))
        for _ in range(rng.choice([1, 1, 1, 2, 5])):
            mutate(content, rng)
        seen.add(verdict(content))
    assert {"refused", "differs"} <= seen


def test_hundreds_of_mutations_end_in_sentences():
    assert_ends_in_sentences(150, seed=0)


@pytest.mark.slow
def test_thousands_of_mutations_end_in_sentences():
    assert_ends_in_sentences(20_000, seed=1)


class TestFiles:
    @pytest.mark.parametrize(
        ("content", "reason"),
        [
            (b"", "not a certificate"),
            (b"null", "not a certificate"),
            (b"[]", "not a certificate"),
            (b"NaN", "NaN is no number"),
            (b"[" * 100_000, "nested too deeply"),
            (b'{"a":' * 500 + b"1" + b"}" * 500, "nested too deeply"),
            (b'{"schema": 2, "schema": 1}', "'schema' stands in it twice"),
            (b'{"schema": 1e400, "status": "valid"}', "too large"),
            (b'{"schema": ' + b"9" * 100_000 + b"}", "not a certificate"),
            (b'{"schema": true, "status": "valid"}', "has schema True"),
            (b"\xef\xbb\xbf{}", "not a certificate"),
            (b"\xff\xfe\x00\x01", "not text in UTF-8"),
            (b"\x7fELF\x00\x00", "not a certificate"),
        ],
    )
    def test_what_is_no_certificate_is_one_sentence(self, tmp_path, content, reason):
        path = tmp_path / "certificate.json"
        path.write_bytes(content)
        with pytest.raises(TableError, match="cannot be read: ") as caught:
            read_certificate(path)
        assert reason in str(caught.value)
        assert len(str(caught.value)) < 400 + len(str(path))

    def test_a_device_is_no_file(self):
        with pytest.raises(TableError, match="is not a file"):
            read_certificate(type(__import__("pathlib").Path())("/dev/zero"))

    def test_a_file_of_gigabytes_is_not_read(self, tmp_path):
        path = tmp_path / "certificate.json"
        with path.open("wb") as file:
            file.truncate(2**33)
        with pytest.raises(TableError, match="it is no certificate"):
            read_certificate(path)


def test_absurdly_large_inputs_are_not_computed_for_minutes():
    inputs = {"n_compressed": 10**8, "n": 10**9, "delta": 0.05}
    content = forged("compression", n=10**9, reproduce__inputs=inputs)
    assert verdict(content) == "differs"


def test_a_large_honest_certificate_is_verified_in_a_process_of_its_own():
    rng = np.random.default_rng(0)
    losses = (rng.random(150_000) < 0.1).astype(float)
    guarantee = sequences.progressive_mixture(total=float(losses.sum()), n=150_000, delta=0.05)
    certificate = certify(
        guarantee, kind="risk", subject="s", observed=float(losses.mean()), n=150_000
    )
    assert [f for f in verify_certificate(certificate) if not f.holds] == []
    lower = replace(certificate, bound=certificate.bound / 2)
    assert [f for f in verify_certificate(lower) if not f.holds]


class TestWithModelAndTable:
    @pytest.fixture(scope="class")
    @classmethod
    def written(cls, pets_run, tmp_path_factory):
        out = tmp_path_factory.mktemp("written")
        write_run(pets_run[1], pets_run[0], out)
        return out

    def failures(self, written, pets, tmp_path, change):
        content = json.loads((written / "certificate.json").read_text(encoding="utf-8"))
        change(content["reproduce"])
        path = tmp_path / "certificate.json"
        path.write_text(json.dumps(content), encoding="utf-8")
        certificate = read_certificate(path)
        findings = verify_certificate(certificate, model=written / "model.surelearn", table=pets)
        return [finding.name for finding in findings if not finding.holds]

    @pytest.mark.parametrize(
        "change",
        [
            lambda stored: stored["versions"].update(numpy="1.0.0"),
            lambda stored: stored["options"].update(learners=["CARTClassifier"]),
            lambda stored: stored["options"].update(select="structural-risk"),
            lambda stored: stored.update(table="0" * 64),
            lambda stored: stored.pop("inputs"),
            lambda stored: stored.update(n_to_halve_slack=7),
            lambda stored: stored.update(luck="good"),
            lambda stored: stored["options"].pop("learners"),
        ],
    )
    def test_changed_versions_learners_or_selection_are_found(
        self, written, pets, tmp_path, change
    ):
        assert self.failures(written, pets, tmp_path, dict) == []
        assert self.failures(written, pets, tmp_path, change) != []

    @pytest.mark.parametrize(
        "options",
        [
            *({"target": 5}, {"target": "none"}, {"seed": "x"}, {"seed": -1}, {"holdout": []}),
            *({"holdout": 2.0}, {"delta": None}, {"drop": 3}, {"drop": {"a": 1}}, {"form": 7}),
            *({"form": {"encoding": 5}}, {"form": {"delimiter": []}}, {"luck": 1}, {"task": []}),
        ],
    )
    def test_options_that_make_no_sense_are_one_sentence(self, written, pets, tmp_path, options):
        try:
            found = self.failures(written, pets, tmp_path, lambda s: s["options"].update(options))
        except TableError as error:
            found = [str(error)]
        assert found


def test_a_formula_of_digits_takes_no_time():
    digits = "1" * 3_000_000  # in time that grows with its square, this would not end
    assert alone._bare(digits) == digits
    assert alone._bare("f(array([0.50, 12.0e1]), n=3)") == "f 0.5 120 n=3"


def test_a_gate_that_was_passed_says_so():
    rest = [p for p in honest("gate")["preconditions"] if p["key"] != "gate"]
    assert len(rest) < len(honest("gate")["preconditions"])
    assert verdict(forged("gate", preconditions=rest)) == "differs"
