"""Audits of files: what each kind of table shows, what is refused, and what forgers try."""

import copy
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from surelearn.app.audit import audit_table
from surelearn.app.audit_frame import audit
from surelearn.app.auditing.bundle import bundle_of, from_json, to_json
from surelearn.app.auditing.plan import read_plan
from surelearn.app.errors import TableError
from surelearn.app.ledger import NoLedger
from surelearn.app.tables.read import TableFile, read_table_file
from surelearn.app.verify import verify_audit
from surelearn.bounds import ranking

N = 120
RNG = np.random.default_rng(0)
ILL = (RNG.random(N) < 0.4).astype(int)
SAID = np.where(RNG.random(N) < 0.1, 1 - ILL, ILL)
SCORE = np.round(0.3 * ILL + 0.7 * RNG.random(N), 3)
WORDS = np.array(["no", "yes"])
LACKS = np.arange(N) % 9 == 0
BOTH = {"truth": "t", "prediction": "p"}


def audited(columns, **options):
    file = TableFile.of_table(pa.table(columns))
    return audit_table(file, ledger=NoLedger(), **options)


def with_gaps(values):
    return pa.array([None if lacks else v for v, lacks in zip(values, LACKS, strict=True)])


@pytest.mark.parametrize(
    "labels",
    [
        ILL,
        ILL.astype(bool),
        ILL.astype(float),
        WORDS[ILL],
        pa.array(WORDS[ILL]).dictionary_encode(),
    ],
    ids=["int", "bool", "float", "words", "categories"],
)
def test_labels_of_every_kind_give_the_same_numbers(labels):
    said = {"b": SAID.astype(bool), "f": SAID.astype(float), "U": WORDS[SAID]}
    kind = getattr(getattr(labels, "dtype", None), "kind", "U")
    run = audited({"t": labels, "p": said.get(kind, SAID)}, claims=["sensitivity", "f1"], **BOTH)
    assert run.columns.rows.confusion.true_positives == int((ILL & SAID).sum())
    assert [round(o.certificate.bound, 6) for o in run.claims] == [
        round(o.certificate.bound, 6)
        for o in audited({"t": ILL, "p": SAID}, claims=["sensitivity", "f1"], **BOTH).claims
    ]


@pytest.mark.parametrize("kind", [int, bool, float, str])
class TestMissingAnswers:
    def columns(self, kind):
        cells = (lambda v: WORDS[v].item()) if kind is str else kind
        return {
            "t": [cells(v) for v in ILL.tolist()],
            "p": with_gaps([cells(v) for v in SAID.tolist()]),
        }

    def test_they_are_refused_unless_something_is_said(self, kind):
        with pytest.raises(TableError, match="14 of 120 rows have no answer"):
            audited(self.columns(kind), claims=["error"], **BOTH)

    def test_as_errors_each_counts_as_one(self, kind):
        run = audited(self.columns(kind), claims=["error"], incomplete="errors", **BOTH)
        assert run.columns.rows.wrong.sum() == (LACKS | (ILL != SAID)).sum()
        assert "14 rows without an answer count as errors" in told(run, "complete")

    def test_left_out_the_claim_is_narrowed(self, kind):
        run = audited(self.columns(kind), claims=["error"], incomplete="exclude", **BOTH)
        assert run.columns.rows.n == 106
        assert "the claim is about cases that get one" in told(run, "complete")


def told(run, key):
    return next(p.evidence for p in run.certificate.preconditions if p.key == key)


@pytest.mark.parametrize(
    "results", [[True, False], [1, 0], [1.0, 0.0], ["pass", "fail"], ["yes", "no"]], ids=str
)
def test_results_that_are_missing_count_as_failed(results):
    passed = [results[0]] * 90 + [results[1]] * 10 + [None] * 20
    run = audited({"r": passed}, passed="r", incomplete="errors")
    assert run.certificate.observed == 90 / 120


def test_a_label_that_looks_like_a_missing_answer_is_not_counted_as_right():
    for truth, said in ((["(no answer)", "a"], [None, "a"]), ([-(2**63), 1], [None, 1])):
        with pytest.raises(TableError, match="stands for a missing answer"):
            audited(
                {"t": truth * 50, "p": said * 50}, claims=["accuracy"], incomplete="errors", **BOTH
            )


def test_scores_that_are_missing_are_no_errors():
    columns = {"t": ILL, "p": SAID, "s": np.where(LACKS, np.nan, SCORE)}
    with pytest.raises(TableError, match="a missing score is no error"):
        audited(columns, score="s", incomplete="errors", claims=["auc"], **BOTH)
    assert audited(columns, score="s", incomplete="exclude", claims=["auc"], **BOTH).certificate


W = {"weight": "w", "claims": ["weighted-error(largest=4)"]}
REFUSED = {
    "score as prediction": ({"p": SCORE}, {}, "looks like a score"),
    "swapped": ({"t": SCORE}, {}, "look swapped"),
    "other labels": ({"t": WORDS[ILL], "p": np.array(["off", "on"])[SAID]}, {}, "different things"),
    "words and numbers": ({"t": WORDS[ILL]}, {}, "can never be equal"),
    "infinite score": ({"s": np.where(LACKS, np.inf, SCORE)}, {"score": "s"}, "finite"),
    "score of words": ({"s": WORDS[ILL]}, {"score": "s"}, "numbers"),
    "infinite truth": ({"t": np.where(LACKS, np.inf, SCORE * 9), "p": SCORE}, {}, "infinite"),
    "missing truth": ({"t": with_gaps(ILL.tolist())}, {}, "only answers may be missing"),
    "no answers": ({"p": pa.array([None] * N, pa.int64())}, {"incomplete": "errors"}, "no row"),
    "twin ids": ({"i": [0] * N}, {"id": "i"}, "each case may stand in the file once"),
    "weights of zero": ({"w": np.zeros(N)}, W, "all weights are 0"),
    "negative weights": ({"w": -np.ones(N)}, W, "below 0"),
    "weights beyond": ({"w": np.full(N, 9.0)}, W, "above the largest"),
    "infinite weights": ({"w": np.full(N, np.inf)}, W, "above the largest"),
    "weights of words": ({"w": ["a"] * N}, W, "words"),
    "weights alone": ({"w": np.ones(N)}, {"weight": "w"}, "ask for weighted-error"),
    "strata alone": ({"w": WORDS[ILL]}, {"stratum": "w"}, "ask for error-of-strata"),
    "no such column": ({}, {"group": "sexx"}, "there is no column 'sexx'"),
    "a column twice": ({}, {"score": "p"}, "is named twice"),
    "no such claim": ({}, {"claims": ["sensitivty>=1"]}, "did you mean"),
    "a claim twice": ({}, {"claims": ["error", "error-rate<=0.5"]}, "twice"),
    "results beside": ({}, {"passed": "p"}, "stands alone"),
    "too small a delta": ({}, {"delta": 5e-324, "looks": 3}, "delta"),
    "no delta": ({}, {"delta": 1.5}, "between 0 and 1"),
    "no looks": ({}, {"looks": 0}, "looks"),
    "no mode": ({}, {"incomplete": "drop"}, "incomplete may be"),
    "no task": ({}, {"task": "ranking"}, "task may be"),
    "clusters and rows": ({"c": WORDS[ILL]}, {"cluster": "c", "claims": ["error"]}, "only claims"),
    "by label": ({}, {"by_label": True, "claims": ["ppv"]}, "drawn by their label"),
}


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_what_cannot_be_used_is_refused_in_a_sentence_and_is_no_look(name):
    columns, options, words = REFUSED[name]
    ledger = NeverAsked()
    file = TableFile.of_table(pa.table({"t": ILL, "p": SAID, **columns}))
    with pytest.raises(TableError) as refusal:
        audit_table(file, ledger=ledger, **{**BOTH, **options})
    assert words in str(refusal.value)
    assert not ledger.asked


class NeverAsked(NoLedger):
    asked = False

    def enter(self, look):
        self.asked = True
        return super().enter(look)


def test_odd_tables_that_can_be_used():
    one = audited({"t": np.ones(N, int), "p": SAID}, **BOTH)
    assert "Specificity" in one.audit.left_out
    constant = audited({"t": ILL, "p": np.zeros(N, int)}, **BOTH)
    assert "Positive predictive value (precision)" in constant.audit.left_out
    assert audited({"t": [1], "p": [1]}, **BOTH).certificate.n == 1
    lonely = audited(
        {"t": ILL, "p": SAID, "g": ["a"] + ["b"] * (N - 1)},
        group="g",
        claims=["worst-group"],
        **BOTH,
    )
    assert lonely.certificate.bound == pytest.approx(0.95)
    cases = audited({"t": ILL, "p": SAID}, by_label=True, **BOTH)
    assert {str(o.claim) for o in cases.claims} == {
        "sensitivity",
        "specificity",
        "balanced-accuracy",
    }


def test_claims_in_other_words_are_the_same_question():
    first = audited({"t": ILL, "p": SAID}, claims=["recall >= 50%"], **BOTH)
    assert first.options["claims"] == ["sensitivity>=0.5"]


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("answers") / "answers.parquet"
    others = {
        "sex": RNG.choice(["f", "m"], N),
        "user": [f"u{i // 4}" for i in range(N)],
        "y": RNG.normal(size=N),
        "yhat": RNG.normal(size=N),
        "ok": RNG.random(N) < 0.9,
    }
    pq.write_table(pa.table({"t": ILL, "p": SAID, "s": SCORE, **others}), path)
    return read_table_file(path)


@pytest.fixture(scope="module")
def plan(tmp_path_factory):
    path = tmp_path_factory.mktemp("plans") / "plan.toml"
    path.write_text("claims=['pass-rate>=0.7','worst-group']\ndelta=0.05\nlooks=2\n", "utf-8")
    return path


AUDITS = {
    "rates": {"claims": ("error", "f1", "auc", "brier", "worst-group"), "score": "s",
              "group": "sex", **BOTH},
    "gate": {"claims": ("sensitivity>=0.7", "specificity>=0.7", "ppv>=0.89", "npv>=0.8"), **BOTH},
    "planned": {"passed": "ok", "group": "sex"},
    "numbers": {"truth": "y", "prediction": "yhat",
                "claims": ("error-quantile", "beyond(tolerance=2)", "mean-error(largest=5)<=4")},
    "clusters": {"cluster": "user", **BOTH},
    "refuted": {"claims": ("accuracy>=0.999",), **BOTH},
}  # fmt: skip


@pytest.fixture(scope="module")
def bundles(file, plan):
    """The file of each audit as JSON has it."""
    found = {}
    for name, options in AUDITS.items():
        made = {"plan": read_plan(plan)} if name == "planned" else {}
        run = audit_table(file, ledger=NoLedger(), **options, **made)
        found[name] = json.loads(to_json(bundle_of(run.audit.outcomes, run.audit.delta)))
    return found


def holds(content, table=None):
    """Return whether a file passes; what cannot be read does not."""
    try:
        bundle = from_json(json.dumps(content))
    except ValueError:
        return False
    try:
        return all(finding.holds for finding in verify_audit(bundle, table=table))
    except TableError:
        return False


@pytest.mark.parametrize("name", sorted(AUDITS))
def test_an_honest_one_holds_alone_and_with_its_file(bundles, file, name):
    assert holds(bundles[name])
    assert holds(bundles[name], file.path)


def leaves(part, path=()):
    if isinstance(part, dict | list):
        pairs = part.items() if isinstance(part, dict) else enumerate(part)
        for key, value in pairs:
            yield from leaves(value, (*path, key))
    else:
        yield path, part


def others(value):
    """Return other values of the same kind, near and far, and one of another kind."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1, str(value)]
    if isinstance(value, float):
        return [value * (1 + 1e-9) + 1e-300, 0.9 * value + 1e-6, str(value)]
    if value is None:
        return ["x"]
    return [value + "x", "" if value else "z", 7]


def forgeries(content, n_others, every):
    """Change each leaf, or those of a name one in so many times, and each name once."""
    names = set()
    for i, (path, value) in enumerate(leaves(content)):
        if "inputs" in path and isinstance(path[-1], int) and path[-1] > 1:
            continue  # a few of many residuals will do
        name = tuple(key for key in path if isinstance(key, str))
        if name in names and i % every:
            continue
        names.add(name)
        for other in others(value)[:n_others]:
            forged = copy.deepcopy(content)
            part = forged
            for key in path[:-1]:
                part = part[key]
            part[path[-1]] = other
            yield path, forged


def only_the_file_knows(path):
    """Whether verifying alone cannot tell: hashes, names of columns, ranks that move no bound."""
    told = {"data", "table", "versions"} & set(map(str, path))
    column = "options" in path and path[-1] in {"truth", "prediction", "cluster", "passed", "group"}
    return bool(told or column or ("inputs" in path and isinstance(path[-1], int)))


@pytest.mark.parametrize("name", sorted(AUDITS))
@pytest.mark.parametrize(
    ("n_others", "every"),
    [pytest.param(1, 5, id="fast"), pytest.param(9, 1, id="slow", marks=pytest.mark.slow)],
)
def test_every_leaf_that_is_changed_is_noticed(bundles, file, name, n_others, every):
    n_seen, passed = 0, []
    for path, forged in forgeries(bundles[name], n_others, every):
        n_seen += 1
        if holds(forged):
            passed.append(path)
            if "versions" not in path:
                assert not holds(forged, file.path), path
    assert n_seen > (60 if every == 1 else 50)
    assert [path for path in passed if not only_the_file_knows(path)] == []


@pytest.mark.parametrize("name", sorted(AUDITS))
def test_a_part_that_is_missing_or_one_too_many_is_noticed(bundles, name):
    for change in ("drop", "double"):
        content = copy.deepcopy(bundles[name])
        content["outcomes"] = (
            content["outcomes"][1:] if change == "drop" else content["outcomes"] * 2
        )
        assert not holds(content)
    for key in bundles[name]:
        content = copy.deepcopy(bundles[name])
        del content[key]
        assert not holds(content)
    assert not holds({**bundles[name], "signed": "by nobody"})


def test_a_seed_cannot_be_chosen(bundles):
    """Whoever may draw blocks again draws until the bound is good."""
    content = copy.deepcopy(bundles["rates"])
    found = next(o for o in content["outcomes"] if o["claim"] == "auc")["certificate"]
    inputs = found["reproduce"]["inputs"]
    better = max(
        (ranking.auc(**{**inputs, "seed": seed}) for seed in range(1, 30)), key=lambda g: g.bound
    )
    assert better.bound > found["bound"]
    inputs["seed"] = better.inputs["seed"]
    found["bound"] = better.bound
    assert not holds(content)


def test_a_look_too_many_cannot_be_called_allowed(bundles):
    content = copy.deepcopy(bundles["clusters"])
    found = content["outcomes"][0]["certificate"]
    found["reproduce"]["ledger"] = {"memory": "none", "number": 2, "before": 1, "allowed": True}
    assert not holds(content)


def test_another_plan_is_noticed(bundles, plan, tmp_path):
    other = tmp_path / "plan.toml"
    other.write_text(plan.read_text("utf-8").replace("0.7", "0.6"), "utf-8")
    assert read_plan(other).sha256 != read_plan(plan).sha256
    content = copy.deepcopy(bundles["planned"])
    text = json.dumps(content).replace(read_plan(plan).sha256, read_plan(other).sha256)
    assert read_plan(plan).sha256 in json.dumps(content)
    forged = json.loads(text)
    told = [p for o in forged["outcomes"] for p in o["certificate"]["preconditions"]]
    assert any(read_plan(other).sha256 in p["evidence"] for p in told), "it says which plan it was"
    del forged["outcomes"][0]["certificate"]["reproduce"]["options"]["plan"]
    assert not holds(forged)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("claims=", "no TOML"),
        ("claims=[]", "needs claims"),
        ("claims=['error']\ndelta=2.0", "between 0 and 1"),
        ("claims=['error']\ndelta='a'", "between 0 and 1"),
        ("claims=['error']\nlooks=0", "looks"),
        ("claims=['error']\nlook=1", "did you mean 'looks'"),
        ("claims=[1]", "needs claims"),
    ],
)
def test_a_plan_that_is_none_is_refused(tmp_path, text, words):
    path = tmp_path / "plan.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(TableError) as refusal:
        read_plan(path)
    assert words in str(refusal.value)


@pytest.mark.parametrize(
    "text",
    [
        '{"format": "surelearn audit"}',
        "surelearn audit",
        '["surelearn audit"]',
        '{"format": "surelearn audit", "schema": 1, "delta": 0.1, "verdict": "", "outcomes": [{}]}',
        "[" * 100_000 + "surelearn audit",
    ],
    ids=range(5),
)
def test_hostile_files_end_in_a_sentence(text):
    with pytest.raises(ValueError, match=r"the audit is|not an audit"):
        from_json(text)


@pytest.mark.parametrize(
    ("odd", "words"), [(2**53 + 1, r"beyond 2\^53"), ("\ud800", "half a sign")]
)
def test_what_readers_of_json_differ_on_is_no_audit(odd, words, tmp_path):
    table = pa.table({"truth": [0, 1] * 41, "said": [0, 1] * 41})
    run = audit(table, truth="truth", prediction="said", claims=["error"])
    content = json.loads(run.save(tmp_path / "out")[0].read_text(encoding="utf-8"))
    content["outcomes"][0]["certificate"]["reproduce"]["options"]["truth"] = odd
    with pytest.raises(ValueError, match=words):
        from_json(json.dumps(content))


def test_an_audit_in_python_writes_what_the_command_does(tmp_path):
    table = pa.table({"truth": [0, 1] * 40, "said": [0, 1] * 38 + [1, 1] * 2})
    run = audit(table, truth="truth", prediction="said", claims=["error"])
    page = run.report(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page
    files = run.save(tmp_path / "out")
    assert [path.name for path in files] == ["certificate.json", "report.html", "report.json"]
    assert all(f.holds for f in verify_audit(from_json(files[0].read_text(encoding="utf-8"))))
    with pytest.raises(TableError, match="already holds"):
        run.save(tmp_path / "out")
    run.save(tmp_path / "out", force=True)
